"""The library from Python, through ctypes: the program of a trace, its events, its matrix. library.py LIBRARY TRACE; prints the events of rank 0."""
import ctypes
import sys


class Error(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("message", ctypes.c_char * 1024)]


class Event(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("process", ctypes.c_uint32), ("peer", ctypes.c_uint32), ("word", ctypes.c_char_p),
                ("numbered", ctypes.c_bool), ("number", ctypes.c_uint64), ("group", ctypes.c_char_p), ("communicator", ctypes.c_int64),
                ("statement", ctypes.c_size_t)]


class Cell(ctypes.Structure):
    _fields_ = [("source", ctypes.c_uint32), ("destination", ctypes.c_uint32), ("messages", ctypes.c_uint64),
                ("bytes", ctypes.c_uint64)]


library = ctypes.CDLL(sys.argv[1])
for name in "program_of_trace", "program_read", "walk_new", "walk_line", "matrix_new", "matrix_cells", "program_text":
    getattr(library, "tracenest_" + name).restype = ctypes.c_void_p
library.tracenest_walk_next.restype = library.tracenest_matrix_read_bytes.restype = library.tracenest_check.restype = ctypes.c_bool
error = Error()

assert library.tracenest_program_read(b"/no/such/file", ctypes.byref(error)) is None
assert error.kind == 2 and b"/no/such/file" in error.message

program = ctypes.c_void_p(library.tracenest_program_of_trace(sys.argv[2].encode(), None, None, ctypes.byref(error)))
assert program, error.message
assert library.tracenest_check(program, ctypes.byref(error)), error.message

library.tracenest_statement_position.restype = ctypes.c_void_p
library.tracenest_program_statements.restype = ctypes.c_size_t
for at in range(library.tracenest_program_statements(program)):
    place = library.tracenest_statement_position(program, ctypes.c_size_t(at), 0, 0)
    if place:
        position = ctypes.string_at(place).decode()
        assert position.replace("*", "").replace("+", "").replace("i", "").isdigit(), position
        library.tracenest_free(ctypes.c_void_p(place))

walk = ctypes.c_void_p(library.tracenest_walk_new(program, 0, None))
event = Event()
sent = 0
while library.tracenest_walk_next(walk, ctypes.byref(event)):
    assert event.process == 0 and (event.kind != 2 or event.group.startswith(b"0"))
    sent += event.kind == 0
    print(ctypes.string_at(library.tracenest_walk_line(walk)).decode())
library.tracenest_walk_free(walk)

count = ctypes.c_size_t()
matrix = ctypes.c_void_p(library.tracenest_matrix_new(program, None, False, None, ctypes.byref(error)))
cells = ctypes.cast(library.tracenest_matrix_cells(matrix, ctypes.byref(count)), ctypes.POINTER(Cell))
assert sent == sum(cells[i].messages for i in range(count.value) if cells[i].source == 0)
assert library.tracenest_matrix_read_bytes(matrix, program, sys.argv[2].encode(), 0, ctypes.byref(error)), error.message
assert all(cells[i].bytes > 0 for i in range(count.value))
library.tracenest_matrix_free(matrix)
library.tracenest_program_free(program)
