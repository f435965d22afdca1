"""Models: the statements of a program, its events, its matrix, its pictures."""

import html
import os
import tempfile
import threading
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Union

import numpy as np

from ._library import NONE, UNKNOWN, InputError, call, ffi, lib, own, path, text
from ._profile import Profile, frames, joined

PathLike = Union[str, "os.PathLike[str]"]

CHUNK = 1 << 16  # events of a frame of a stream

_GRAPHVIZ = threading.Lock()  # it has a state of its own
_KINDS = (
    "send", "recv", "sync", "local",
    "put", "get", "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap",
    "lock", "unlock", "flush", "flush_local", "lock_all", "unlock_all", "flush_all", "flush_local_all",
    "post", "start", "complete", "wait",
)  # fmt: skip
_ONE_SIDED = _KINDS.index("put")  # this one and those behind
_CALLS = ("",) * _ONE_SIDED + tuple(
    "MPI_" + ("Win_" if k >= _KINDS.index("lock") else "") + (name.capitalize() if k < _KINDS.index("lock") else name)
    for k, name in enumerate(_KINDS)
    if k >= _ONE_SIDED
)
_NAMES = ("MpiSend", "MpiRecv")  # as OTF2 and pipit name them; collectives have the name of their call
_NOTHING = np.array(None, object)
_FIELDS = {
    "kind": "u4", "process": "u4", "peer": "u4", "word": "u8", "numbered": "?", "number": "u8", "group": "u8",
    "communicator": "i8", "statement": "u8", "bytes": "u8", "time": "u8", "enter": "u8", "leave": "u8",
}  # fmt: skip
_EVENT = np.dtype(
    {
        "names": list(_FIELDS),
        "formats": list(_FIELDS.values()),
        "offsets": [ffi.offsetof("tracenest_event", name) for name in _FIELDS],
        "itemsize": ffi.sizeof("tracenest_event"),
    }
)


class Event(NamedTuple):
    """One event of one process. None stands for what it does not have, or what is not known."""

    kind: str  # "send", "recv", "sync", "local", "put", "get", ...: the verbs of tracenest-model(5)
    process: int
    peer: Optional[int]  # the destination, the source, the root
    name: str  # the tag, "tag3000", or the window; of a collective, "MPI_Allreduce"; else what it is
    group: Optional[str]  # of a collective: who takes part, "0-15"
    communicator: Optional[int]  # None: not named
    bytes: Optional[int]
    statement: int  # the number of the statement that it is of
    time: Optional[int]  # ticks from the first record of the run


class Statistics(NamedTuple):
    """Sizes of a model; see tracenest-stat(1)."""

    events: int
    fewest: int
    most: int
    statements: int
    loops: int
    depth: int
    roles: int
    constructs: int
    in_loops: int
    in_several: int
    in_all: int


class Statement:
    """A line of a model. A notebook draws it."""

    def __init__(self, model: "Model", index: int, told: Any) -> None:
        self.model = model
        self.index = index  # its number, from 0, in the order of the text
        self.depth = int(told.depth)  # loops around
        self.processes = int(told.processes)  # how many execute it
        self._inside = int(told.inside)

    @property
    def address(self) -> str:
        """The path of indices to it, "2.0.1"."""
        return own(lib.tracenest_statement_address(self.model._handle, self.index))

    @property
    def text(self) -> str:
        """Its line, without what is around."""
        return own(lib.tracenest_statement_text(self.model._handle, self.index))

    @property
    def ranks(self) -> str:
        """Who executes it, as runs: "0-3,8"."""
        return own(lib.tracenest_statement_ranks(self.model._handle, self.index))

    def position(self, rank: int, end: bool = False) -> Optional[str]:
        """How many events of the process stand before it (or before what follows it), as a function of the indices:
        "671+644*i0"; None: the process has no part in it, "?": too large."""
        place = lib.tracenest_statement_position(self.model._handle, self.index, int(end), rank)
        return own(place) if place else None

    def matrix(self, **options: Any) -> "np.ndarray[Any, np.dtype[np.uint64]]":
        """Model.matrix of this statement, in all its executions."""
        return self.model.matrix(self.address, **options)

    def draw(self, **options: Any) -> "Picture":
        """Model.draw of this statement alone."""
        return self.model.draw(loop=self.address, **options)

    def _repr_svg_(self) -> str:
        return self.draw().svg

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.address}: {self.text}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Statement) and other.model is self.model and other.index == self.index

    def __hash__(self) -> int:
        return hash((id(self.model), self.index))


class Loop(Statement):
    """A loop, or a guard: a sequence of the statements of its body."""

    def __iter__(self) -> Iterator[Statement]:
        return self.model._siblings(self.index + 1, self.index + 1 + self._inside)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, at: int) -> Statement:
        return list(self)[at]


class Picture:
    """A drawing, which a notebook shows."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, name: PathLike) -> None:
        """Write it as an SVG file."""
        Path(name).write_text(self.svg, encoding="utf-8")


class Model:
    """A program of loop nests that stands for the events of all processes: a sequence of statements, of which
    `model["2.0"]` is one by its address."""

    def __init__(self, handle: Any, source: Optional[str]) -> None:
        self._handle = ffi.gc(handle, lib.tracenest_program_free)
        self.path = source  # of its text; None: it has none
        self.processes = int(lib.tracenest_program_processes(self._handle))
        self._ticks = 0  # of a second, where times are known
        self._times: Optional[str] = None  # the profile that they are from

    # ------------------------------------------------------------------ its text

    @property
    def text(self) -> str:
        """The stored form, tracenest-model(5)."""
        return own(lib.tracenest_program_text(self._handle, ffi.NULL))

    @property
    def notes(self) -> List[str]:
        """What its maker noted, line by line."""
        lines: List[str] = []
        while True:
            line = lib.tracenest_program_note(self._handle, len(lines))
            if not line:
                return lines
            lines.append(text(line))

    def write(self, name: PathLike) -> None:
        """Write the stored form, whole or not at all."""
        call("program_write", self._handle, path(name))
        self.path = self.path or os.fspath(name)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<tracenest.Model of {self.processes} processes, {self.statistics().statements} statements>"

    def _repr_html_(self) -> str:
        lines = self.text.split("\n")
        most = 60
        rest = f"\n... {len(lines) - most} lines more" if len(lines) > most else ""
        return f"<pre style='white-space: pre'>{html.escape(chr(10).join(lines[:most]) + rest)}</pre>"

    # ------------------------------------------------------------------ its statements

    @property
    def statements(self) -> Sequence[Statement]:
        """All of them in the order of the text, a loop before its body."""
        return [self._statement(i) for i in range(lib.tracenest_program_statements(self._handle))]

    @property
    def loops(self) -> List[Loop]:
        return [s for s in self.statements if isinstance(s, Loop)]

    def _statement(self, index: int) -> Statement:
        told = ffi.new("tracenest_statement *")
        lib.tracenest_statement_at(self._handle, index, told)
        return (Loop if told.is_loop else Statement)(self, index, told)

    def _siblings(self, at: int, end: int) -> Iterator[Statement]:
        while at < end:
            statement = self._statement(at)
            yield statement
            at += 1 + statement._inside

    def __iter__(self) -> Iterator[Statement]:
        return self._siblings(0, lib.tracenest_program_statements(self._handle))

    def __getitem__(self, address: str) -> Statement:
        at = ffi.new("size_t *")
        try:
            call("statement_find", self._handle, address.encode(), at)
        except InputError:
            raise KeyError(address) from None
        return self._statement(at[0])

    # ------------------------------------------------------------------ questions

    def statistics(self) -> Statistics:
        """Without running it: a loop of 10^18 iterations costs no more than one of three."""
        told = ffi.new("tracenest_statistics *")
        lib.tracenest_program_statistics(self._handle, told)
        return Statistics(*(int(getattr(told, name)) for name in Statistics._fields))

    def check(self, trace: Optional[PathLike] = None) -> None:
        """Raise what does not hold of messages, collectives, causality; with a trace, the first events that differ."""
        if trace is None:
            call("check", self._handle)
        else:
            call("check_trace", self._handle, path(trace), 0)

    @property
    def roles(self) -> "np.ndarray[Any, np.dtype[np.uint32]]":
        """The role of each process; processes of one role execute the same statements. 2^32-1: it executes nothing."""
        role = np.empty(self.processes, np.uint32)
        lib.tracenest_program_roles(self._handle, ffi.cast("uint32_t *", ffi.from_buffer(role)))
        return role

    def messages(
        self,
        address: Optional[str] = None,
        *,
        per_iteration: bool = False,
        tag: Optional[str] = None,
        trace: Optional[PathLike] = None,
    ) -> "np.ndarray[Any, np.dtype[np.void]]":
        """The pairs of processes that exchange messages, as records (source, destination, messages, bytes): of a
        statement or, without an address, of the whole run; of one iteration of a loop; of a tag alone. bytes are 0
        without the trace, which is read for them."""
        given = [ffi.NULL if x is None else x.encode() for x in (address, tag)]
        matrix = ffi.gc(call("matrix_new", self._handle, given[0], per_iteration, given[1]), lib.tracenest_matrix_free)
        if trace is not None:
            call("matrix_read_bytes", matrix, self._handle, path(trace), 0)
        count = ffi.new("size_t *")
        cell = lib.tracenest_matrix_cells(matrix, count)
        kind = np.dtype([("source", "u4"), ("destination", "u4"), ("messages", "u8"), ("bytes", "u8")])
        return np.frombuffer(ffi.buffer(cell, count[0] * kind.itemsize), kind).copy() if count[0] else np.empty(0, kind)

    def matrix(
        self,
        address: Optional[str] = None,
        *,
        per_iteration: bool = False,
        tag: Optional[str] = None,
        trace: Optional[PathLike] = None,
    ) -> "np.ndarray[Any, np.dtype[np.uint64]]":
        """The communication matrix, a row for each source: messages, or with the trace their bytes. Parameters as of
        `messages`, whose result does not grow with the square of the processes."""
        cells = self.messages(address, per_iteration=per_iteration, tag=tag, trace=trace)
        dense = np.zeros((self.processes, self.processes), np.uint64)
        dense[cells["source"], cells["destination"]] = cells["messages" if trace is None else "bytes"]
        return dense

    def times(self, trace: PathLike, depth: int = 64) -> Any:
        """How long the loops took, the hottest first, as a frame."""
        told = ffi.gc(call("times_new", self._handle, path(trace), depth, 0), lib.tracenest_times_free)
        count = ffi.new("size_t *")
        loops = lib.tracenest_times_loops(told, count)
        ns = 1e9 / (lib.tracenest_times_ticks(told) or 1e9)
        rows = [loops[i] for i in range(count[0])]
        return frames().DataFrame(
            {
                "Name": [self._statement(row.statement).text for row in rows],
                "Loop": [self._statement(row.statement).address for row in rows],
                "Processes": [row.processes for row in rows],
                "Iterations": [row.iterations for row in rows],
                "time.inc (ns)": [row.total * ns for row in rows],
                "Slowest": [row.slowest for row in rows],
                "Share": [row.share for row in rows],
                "Imbalance": [row.imbalance for row in rows],
            }
        )

    # ------------------------------------------------------------------ events

    def _walk(self, rank: int) -> Any:
        def free(walk: Any, _program: Any = self._handle) -> None:  # which must outlive the walk
            lib.tracenest_walk_free(walk)

        return ffi.gc(call("walk_new", self._handle, rank), free)

    def walk(self, rank: int) -> Iterator[Event]:
        """The events of one process, one by one, in memory that does not grow with them."""
        walk, e = self._walk(rank), ffi.new("tracenest_event *")
        while call("walk_read", walk, e, 1):
            number = str(e.number) if e.numbered else ""
            yield Event(
                _KINDS[e.kind],
                e.process,
                None if e.peer == NONE else e.peer,
                text(e.word) + number,
                text(e.group) if e.group else None,
                None if e.communicator < 0 else e.communicator,
                None if e.bytes == UNKNOWN else e.bytes,
                e.statement,
                None if e.time == UNKNOWN else e.time,
            )

    def use_times(self, profile: Union[Profile, PathLike]) -> None:
        """Know when events were, from a profile that keeps it: measured with stamps="calls" or "events"."""
        name = profile.path if isinstance(profile, Profile) else os.fspath(profile)
        ticks = ffi.new("uint64_t *")
        call("program_times", self._handle, path(name), ticks)
        self._ticks, self._times = int(ticks[0]), name

    def stream(self, ranks: Optional[Iterable[int]] = None, *, chunk: int = CHUNK) -> Iterator[Any]:
        """The events of these ranks (all), one rank after the other, as frames of at most so many rows: what `events`
        gives at once."""
        buffer = ffi.new("tracenest_event[]", chunk)
        addresses = np.array([s.address for s in self.statements], object)
        ns = self._tick()  # walks that have begun keep their times
        for rank in range(self.processes) if ranks is None else ranks:
            walk = self._walk(rank)
            words: Dict[int, str] = {}  # by address: texts are the walk's
            while True:
                count = call("walk_read", walk, buffer, chunk)
                if not count:
                    break
                e = np.frombuffer(ffi.buffer(buffer, count * _EVENT.itemsize), _EVENT)
                yield self._frame(e, words, addresses, ns)

    def _tick(self) -> Optional[float]:
        return None if self._times is None else 1e9 / (self._ticks or 1e9)

    def _frame(self, e: Any, words: Dict[int, str], addresses: Any, ns: Optional[float]) -> Any:
        pd = frames()

        def known(values: Any, unknown: int) -> Any:
            return pd.arrays.IntegerArray(values.astype("i8"), values == np.array(unknown, values.dtype))

        def said(name: str) -> Any:
            keys, places = np.unique(e[name], return_inverse=True)
            for key in keys.tolist():
                if key not in words:
                    words[key] = text(ffi.cast("char *", key))
            return np.array([words[key] for key in keys.tolist()], object)[places]

        word, message, accesses = said("word"), e["kind"] < 2, e["kind"] >= _ONE_SIDED
        tagged = message | accesses
        number, places = np.unique(np.where(e["numbered"], e["number"], UNKNOWN), return_inverse=True)
        numbers = np.array(["" if n == UNKNOWN else str(n) for n in number.tolist()], object)[places]
        columns: Dict[str, Any] = {}
        if ns is not None:
            columns["Timestamp (ns)"] = e["time"] * ns
            if (e["enter"] != UNKNOWN).any():
                columns["Enter (ns)"] = e["enter"] * ns
                columns["Leave (ns)"] = e["leave"] * ns
        columns["Event Type"] = pd.Categorical.from_codes(np.zeros(len(e), "i1"), ["Instant"])
        names = np.where(accesses, np.array(_CALLS, object)[e["kind"]], word)
        columns["Name"] = pd.Categorical(np.where(message, np.array(_NAMES, object)[e["kind"] & 1], names))
        columns["Process"] = e["process"].copy()
        columns["Peer"] = known(e["peer"], NONE)
        columns["Tag"] = pd.Categorical(np.where(tagged, word + numbers, _NOTHING))
        columns["Bytes"] = known(e["bytes"], UNKNOWN)
        columns["Group"] = pd.Categorical(np.where(e["group"] != 0, said("group"), _NOTHING))
        columns["Communicator"] = known(e["communicator"], -1)
        columns["Statement"] = pd.Categorical(addresses[e["statement"]])
        return pd.DataFrame(columns)

    def events(self, ranks: Optional[Iterable[int]] = None) -> Any:
        """The events of these ranks (all) as one frame, with the columns of pipit: Event Type, Name, Process and, once
        times are known (`use_times`), Timestamp (ns); and with Peer, Tag, Bytes, Group, Communicator, and the address
        of the Statement; of profiles of stamps="calls", Enter and Leave of the MPI call. For many, `stream`."""
        parts = list(self.stream(ranks))
        if not parts:
            return self._frame(np.empty(0, _EVENT), {}, np.empty(0, object), self._tick())
        return joined(parts)

    # ------------------------------------------------------------------ where time went

    def measure(
        self, trace: PathLike, name: Optional[PathLike] = None, *, stamps: str = "none", lenient: bool = False
    ) -> Profile:
        """The profile of the run whose archive this is: see `tracenest.measure`."""
        if self.path is not None:
            return measure(trace, name, model=self.path, stamps=stamps, lenient=lenient)
        with tempfile.TemporaryDirectory() as folder:
            stored = os.path.join(folder, "model.nest")
            call("program_write", self._handle, path(stored))
            return measure(trace, name, model=stored, stamps=stamps, lenient=lenient)

    def _run(self, run: Union[Profile, PathLike]) -> Profile:
        if isinstance(run, Profile):
            return run
        return Profile(run) if _begins(run, b"SQLite format 3") else self.measure(run)

    def profile(self, run: Union[Profile, PathLike]) -> Any:
        """Where the time of the run went, by statement, as a frame: Profile.statements. run: a profile, its path, or
        the archive."""
        return self._run(run).statements()

    def report(self, run: Union[Profile, PathLike]) -> Any:
        """What is lost, and to what, as a frame: Profile.report. run: as of `profile`."""
        return self._run(run).report()

    # ------------------------------------------------------------------ pictures

    def draw(
        self,
        *,
        title: Optional[str] = None,
        loop: Optional[str] = None,
        depth: int = 0,
        width: int = 0,
        roles: bool = False,
        tags: bool = False,
        skip_short: bool = False,
        to: Optional[PathLike] = None,
    ) -> Picture:
        """A picture, which a notebook shows; of one loop: its address. width in millimetres. to: a file besides, whose
        suffix says what it is (.svg, .pdf, .png, .dot, .html)."""
        words = [ffi.NULL if x is None else ffi.new("char[]", x.encode()) for x in (title, loop)]
        picture = ffi.new(
            "tracenest_picture *",
            {
                "title": words[0],
                "loop": words[1],
                "depth": depth,
                "width": width,
                "roles": roles,
                "tags": tags,
                "skip_short": skip_short,
            },
        )
        with tempfile.TemporaryDirectory() as folder, _GRAPHVIZ:
            svg = os.path.join(folder, "picture.svg")
            for target in [svg] + ([os.fspath(to)] if to is not None else []):
                call("draw", self._handle, picture, path(target))
            return Picture(Path(svg).read_text(encoding="utf-8"))


_EVENTS = {"comm": 0, "mpi": 1, "all": 2}
_STAMPS = {"none": 0, "events": 1, "calls": 2}


def _one_of(what: str, word: str, choices: Dict[str, int]) -> int:
    if word not in choices:
        raise InputError(f"{what}: {word!r} is none of {', '.join(choices)}")
    return choices[word]


def _begins(name: PathLike, first: bytes) -> bool:
    if not os.path.isfile(name):
        return False
    with open(name, "rb") as file:
        return file.read(len(first)) == first


def model(
    source: PathLike, *, events: str = "comm", lenient: bool = False, local: bool = False, jobs: int = 0
) -> Model:
    """Read a model, or make that of a trace: an OTF2 anchor file, a text trace or a directory of these, which the
    options are for."""
    how = _one_of("events", events, _EVENTS)
    if _begins(source, b"// tracenest"):
        return Model(call("program_read", path(source)), os.fspath(source))
    options = ffi.new("tracenest_options *", {"events": how, "lenient": lenient, "local": local, "jobs": jobs})
    return Model(call("program_of_trace", path(source), options, ffi.NULL), None)


def parse(source: str, name: str = "model") -> Model:
    """The model of a text in its stored form; name stands for the file in messages."""
    data = source.encode()
    return Model(call("program_parse", name.encode(), data, len(data)), None)


def measure(
    trace: PathLike,
    name: Optional[PathLike] = None,
    *,
    model: Optional[PathLike] = None,
    stamps: str = "none",
    lenient: bool = False,
) -> Profile:
    """Read an archive for where its time went, beside its model (a path) or alone. name: the database to write,
    tracenest-profile(5); else it goes with the Profile. stamps: keep when each event was ("events"), and its MPI call,
    too ("calls")."""
    options = ffi.new("tracenest_profiling *", {"stamps": _one_of("stamps", stamps, _STAMPS), "lenient": lenient})
    folder = tempfile.TemporaryDirectory() if name is None else None
    to = os.path.join(folder.name, "run.db") if folder else os.fspath(name)  # type: ignore[arg-type]
    call("profile_write", ffi.NULL if model is None else path(model), path(trace), options, path(to))
    return Profile(to, folder)
