"""mpi_frames.py FILE: calls of MPI from all that Python runs, each with a tag of its own; FILE gets what Python itself says of the stack, a line per tag:
"17 <module>@mpi_frames.py:80 > ...", with C where another library's functions are in between."""
import asyncio, ctypes, os, sys, threading
from mpi4py import MPI

told = open(sys.argv[1], "w")
lock = threading.Lock()
own = MPI.COMM_SELF
tags = 0
KEPT = 32 # frames above the call, of deeper stacks half from each end (record --stack)


def tell(frame):
    """A new tag, with the stack of the frame, from which the call is to be made in the same line."""
    global tags
    path = []
    while frame:
        code = frame.f_code
        if not code.co_filename.startswith("<frozen "):
            path.insert(0, "%s@%s:%d" % (getattr(code, "co_qualname", code.co_name), os.path.basename(code.co_filename), frame.f_lineno))
            if code.co_name.startswith("callback"):
                path.insert(0, "C")
        frame = frame.f_back
    if len(path) > KEPT + 1:
        path[KEPT // 2 : -(KEPT // 2) - 1] = ["..."]
    with lock:
        tags += 1
        told.write("%d %s\n" % (tags, " > ".join(path)))
        return tags


def send():
    own.Sendrecv(b"x", 0, tell(sys._getframe()), bytearray(1))


class Solver:
    def step(self):
        send()

    def __call__(self):
        self.step()

    @property
    def norm(self):
        send()

    @staticmethod
    def any():
        [send() for _ in range(2)]

    def __del__(self):
        send()


def recurse(depth):
    return recurse(depth - 1) if depth else send()


def generate():
    send()
    yield 1
    send()
    yield 2


def delegate():
    yield from generate()


async def task():
    send()
    await asyncio.sleep(0)
    send()


def outer():
    def inner():
        send()

    inner()


send()
Solver().step()
Solver()()
Solver().norm
Solver.any()
outer()
(lambda: send())()
sorted([2, 1], key=lambda x: (send(), x)[1])
for depth in 1, 2, 30, 31, 32, 33, 200:
    recurse(depth)
for _ in generate():
    send()
list(delegate())
asyncio.run(task())
for line in range(3): # several calls of one line, and of one function
    send(); send()

# Functions whose code is gone when the next one's has its address.
for i in range(40):
    exec(compile("\n" * (i % 7) + "def f%d(): send()\nf%d()" % (i % 5, i % 5), "<made %d>" % (i % 3), "exec"))

with open("late.py", "w") as file:
    file.write("def begin(f):\n    f()\n\nfrom __main__ import send\nbegin(send)\n")
sys.path.insert(0, os.getcwd())
import late # its callers are importlib's, which are frozen

Compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


def callback(_left, _right):
    send()
    return 0


def sort():
    ctypes.CDLL(None).qsort(ctypes.create_string_buffer(2), 2, 1, Compare(callback))


sort()
threads = [threading.Thread(target=recurse, args=(depth,)) for depth in range(4) for _ in range(5)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()


class Deep: # more of the interpreter's own frames than are kept, beside few of Python's; nothing is told of it
    def __repr__(self):
        own.Sendrecv(b"x", 0, 32000, bytearray(1))
        return ""


nested = Deep()
for i in range(450):
    nested = [nested]
repr(nested)
told.close()
