"""The Python package as its users meet it: python_package.py TRACE COMMAND; its answers are those of the command."""
import os
import subprocess
import sys

import numpy as np

import tracenest

trace, command = sys.argv[1:]


def said(*words):
    return subprocess.run([command, *words], check=True, capture_output=True, text=True).stdout


def refused(kind, pattern, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except kind as error:
        assert pattern in str(error), error
    else:
        raise AssertionError(f"{call} is not refused")


model = tracenest.model(trace)
model.write("python.nest")
assert str(model) == said("model", "-q", trace)
again = tracenest.model("python.nest")
assert str(again) == str(model) == str(tracenest.parse(str(model)))
assert tracenest.__version__ == said("--version").split()[1]

# Statements and loops.
shown = [line.strip().rsplit(" // ", 1) for line in said("show", "--addresses", "python.nest").splitlines() if " // " in line]
assert [[s.text, s.address] for s in model.statements] == shown
assert [model[address].text for _, address in shown] == [text for text, _ in shown]
assert [s.address for s in model] == [str(i) for i in range(len(list(model)))]
for loop in model.loops:
    assert all(s.address.startswith(loop.address + ".") and s.depth == loop.depth + 1 for s in loop)
refused(KeyError, "999", model.__getitem__, "999")

# Matrices, whose sums are those of the events.
matrix = model.matrix()
sent = np.zeros_like(matrix)
for rank in range(model.processes):
    for event in model.walk(rank):
        if event.kind == "send":
            sent[rank, event.peer] += 1
assert (sent == matrix).all() and matrix.any()
assert model.matrix(trace=trace).sum() == sum(e.bytes for r in range(model.processes) for e in model.walk(r) if e.kind == "send")
assert model.loops[0].matrix().sum() < matrix.sum()
assert (model.roles < model.statistics().roles).all()

# What is refused, in the words of the library.
refused(tracenest.InputError, "/no/such/trace: ", tracenest.model, "/no/such/trace")
refused(tracenest.InputError, "'x' is none of comm, mpi, all", tracenest.model, trace, events="x")
refused(tracenest.InconsistentError, "0 -> 1 tag1: 1 send, 0 receives", tracenest.parse("// tracenest 1\n// processes 2\n0 send 1 tag1\n").check)
refused(tracenest.InputError, "here:3:1: ", tracenest.parse, "// tracenest 1\n// processes 2\n?\n", "here")

# Pictures.
assert model.loops[0]._repr_svg_().startswith("<?xml") and "</svg>" in model.draw(title="a run", roles=True).svg
assert "[x&lt;X-1]" in model._repr_html_()

try:
    import pandas  # noqa: F401
except ImportError:
    refused(ImportError, "pandas", model.events)
    refused(ImportError, "pandas", tracenest.calls, trace)
    sys.exit(0)

# Frames, in one piece and in chunks; times as `expand` prints them.
refused(tracenest.InputError, "python.nest: no profile", model.use_times, "python.nest")
with model.measure(trace, "python.db", stamps="calls") as profile:
    again.use_times(profile)
    assert abs(profile.report()["Loss (ns)"].sum() / (profile.seconds * 1e9 * (1 - profile.efficiency)) - 1) < 0.01
    assert (profile.processes()["Events"] == again.events().groupby("Process").size()).all()
events, chunks = again.events(), list(again.stream(chunk=100))
assert max(map(len, chunks)) == 100 and sum(map(len, chunks)) == len(events) == model.statistics().events
assert {"Timestamp (ns)", "Event Type", "Name", "Process"} <= set(events.columns)
assert (events["Enter (ns)"] <= events["Timestamp (ns)"]).all() and (events["Timestamp (ns)"] <= events["Leave (ns)"]).all()
stamps = [int(line.split(" time=")[1].split()[0]) for line in said("expand", "--times", "--profile", "python.db", "python.nest").splitlines()]
ns = 1e9 / profile_ticks if (profile_ticks := tracenest.Profile("python.db").value("ticks_per_second")) else 1
begin = tracenest.Profile("python.db").value("begin")
assert np.allclose(events["Timestamp (ns)"], (np.array(stamps) - begin) * ns)
assert (events[events["Name"] == "MpiSend"].groupby("Process").size() == matrix.sum(axis=1)).all()

# Calls, in one piece and in chunks: those of the command.
said("events", "--csv", "--values", "received", trace, "-o", "calls.csv")
calls, told, chunks = tracenest.calls(trace), pandas.read_csv("calls.csv"), []
tracenest.each_calls(trace, chunks.append, chunk=1000)
assert list(calls) == list(told) and len(calls) == len(told) == sum(map(len, chunks)) and max(map(len, chunks)) == 1000
for name in calls:
    a, b = (frame[name].astype(object).where(frame[name].notna(), None) for frame in (calls, told))
    assert all(abs(x - y) < 2e-9 if name in ("begin", "end") else x == y for x, y in zip(a, b)), name
assert len(tracenest.calls(trace, ranks=[1])) == (told["rank"] == 1).sum() and len(tracenest.calls(trace, ranks=[])) == 0
stopped = []
tracenest.each_calls(trace, lambda frame: stopped.append(frame) or len(stopped) < 2, chunk=10)
assert len(stopped) == 2
refused(ZeroDivisionError, "division", tracenest.each_calls, trace, lambda frame: 1 / 0)
refused(tracenest.InputError, "/no/such/trace: ", tracenest.calls, "/no/such/trace")
with open("words.trace", "w") as file:
    file.write("0 send 1 tag5\n0 send 1 halo7\n1 sync MPI_Barrier 0-1\n")
assert list(tracenest.calls("words.trace")["tag"]) == [5, "halo7", None]
with again.measure(trace, "50%25#?.db") as profile:
    assert len(profile.statements()) > 0
assert len(again.profile("python.db")) > 0 and again.times(trace)["Share"].is_monotonic_decreasing
assert len(again.events([1])) == (events["Process"] == 1).sum() and len(again.events([])) == 0
