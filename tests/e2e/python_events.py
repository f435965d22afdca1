"""python_events.py COMMAND PROGRAMS: the events that Python gives of so many random programs are those that `expand` prints, in one piece, in chunks of any size,
and one by one."""
import random
import subprocess
import sys

import tracenest

command, programs = sys.argv[1], int(sys.argv[2])
GRIDS = {4: (2, 2), 6: (3, 2), 12: (3, 4), 16: (4, 4)}
NAMES = ("MPI_Allreduce", "MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Alltoall", "MPI_Comm_split")


def some(r, p):
    """A set of ranks: a few, a row of them, every other one."""
    return sorted(r.choice((r.sample(range(p), r.randint(1, p)), range(r.randrange(p), p), range(r.randrange(2), p, 2))))


def listed(ranks):
    return ",".join(map(str, ranks))


TARGETED = {"MPI_Put": "put", "MPI_Get": "get", "MPI_Fetch_and_op": "fetch_and_op", "MPI_Get_accumulate": "get_accumulate", "MPI_Win_lock": "lock", "MPI_Win_flush_local": "flush_local"}
OF_ALL = {"MPI_Win_lock_all": "lock_all", "MPI_Win_post": "post", "MPI_Win_wait": "wait"}


def event(r, p, depth):
    index = r.choice(["", f"+{r.randint(1, 3)}*i{depth - 1}"]) if depth else ""
    size = r.choice(["", f" ; bytes={r.choice((0, 8, 4096))}", f" ; type=MPI_INT bytes={{8*p{index}}}", " ; type=MPI_BYTE"])
    tag = r.choice(["t", "halo", "tag7", f"tag{{3{index}}}", f"tag{{p{index}}}", f"t@{r.randint(0, 3)}"])
    k = r.randint(1, p - 1)
    return r.choice([
        lambda: f"[*] p send (p+{k})%{p} {tag}{size}\n[*] (p-{k})%{p} recv p {tag}{size}",
        lambda: f"{r.randrange(p)} send {r.randrange(p)} halo{size}",
        lambda: f"[*] p {r.choice(tuple(TARGETED.values()))} (p+{k})%{p} {tag}{size}",
        lambda: f"{r.randrange(p)} {r.choice(tuple(OF_ALL.values()))} win@{k}",
        lambda: f"[*] p sync {r.choice(NAMES)} {r.choice(('@(*,y)@{2+y}', '@(x,*)@{20+x}', '@(x,*)', '*', '*@3'))}{size}",
        lambda: (lambda who: f"[{listed(who)}] p sync {r.choice(NAMES)} {listed(who)}{r.choice(('', f'@{k}'))}{r.choice(('', f' root={who[-1]}'))}{size}")(some(r, p)),
        lambda: f"[{listed(some(r, p))}] p local {r.choice(('work 1', 'call MPI_Wait', 'io'))}",
    ])()


def body(r, p, depth, lines):
    for _ in range(r.randint(1, 4)):
        kind = r.random()
        if depth < 2 and kind < 0.3:
            lines.append(f"for i{depth} = 0 to " + (f"{{i{depth - 1}}}" if depth and kind < 0.1 else str(r.randint(0, 4))))
            body(r, p, depth + 1, lines)
            lines.append("done")
        elif depth and kind < 0.4:
            lines.append(f"if {{i{depth - 1}%2}} = 0")
            lines.append(event(r, p, depth))
            lines.append("done")
        else:
            lines.append(event(r, p, depth))


def line_of(process, kind, peer, word, group, communicator, size):
    at = "" if communicator is None else f"@{communicator}"
    if kind == "send":
        text = f"{process} send {peer} {word}{at}"
    elif kind == "recv":
        text = f"{peer} recv {process} {word}{at}"
    elif kind in TARGETED.values():
        text = f"{process} {kind} {peer} {word}{at}"
    elif kind in OF_ALL.values():
        text = f"{process} {kind} {word}{at}"
    elif kind == "sync":
        text = f"{process} sync {word} {group}{at}" + ("" if peer is None else f" root={peer}")
    else:
        text = f"{process} local {word}"
    return text + ("" if size is None else f" ; bytes={size}")


def walked(model):
    return [line_of(e.process, e.kind, e.peer, e.name, e.group, e.communicator, e.bytes) for rank in range(model.processes) for e in model.walk(rank)]


def framed(frames):
    lines = []
    for frame in frames:
        rows = frame.astype(object).where(frame.notna(), None)
        for row in zip(*(rows[name] for name in ("Process", "Name", "Peer", "Tag", "Group", "Communicator", "Bytes"))):
            process, name, peer, tag, group, communicator, size = row
            kind = {"MpiSend": "send", "MpiRecv": "recv", **TARGETED, **OF_ALL}.get(name, "local" if group is None else "sync")
            lines.append(line_of(process, kind, peer, name if tag is None else tag, group, communicator, size))
    return lines


try:
    import pandas  # noqa: F401
except ImportError:
    pandas = None
wrong = events = 0
for seed in range(programs):
    r = random.Random(seed)
    p = r.choice(sorted(GRIDS))
    lines = ["// tracenest 1", f"// processes {p}", "// grid %d %d" % GRIDS[p]]
    body(r, p, 0, lines)
    text = "\n".join(lines) + "\n"
    with open("random.nest", "w") as file:
        file.write(text)
    want = subprocess.run([command, "expand", "-q", "--values", "bytes", "random.nest"], check=True, capture_output=True, text=True).stdout.splitlines()
    model = tracenest.parse(text)
    have = [walked(model)]
    if pandas:
        have.append(framed([model.events()]))
        if seed % 8 == 0:
            have.append(framed(model.stream(chunk=r.choice((7, 100)))))
    events += len(want)
    if any(lines != want for lines in have):
        wrong += 1
        if wrong <= 3:
            print(f"program {seed}:\n{text}", [next((pair for pair in zip(want, lines) if pair[0] != pair[1]), (len(want), len(lines))) for lines in have])

# A walk that is alive keeps its program, and the times that it began with.
walk = tracenest.parse("// tracenest 1\n// processes 1\nfor i0 = 0 to 99999\n0 local a\ndone\n").walk(0)
next(walk)
assert sum(1 for _ in walk) == 99999
print(f"{programs} programs, {events} events, {wrong} wrong")
sys.exit(wrong > 0)
