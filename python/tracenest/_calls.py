"""The calls of a trace as a frame, a row each: tracenest-events(1) has the rule."""

import os
from typing import Any, Callable, Dict, Iterable, List, Optional, Union

import numpy as np

from ._library import NONE, UNKNOWN, call, ffi, lib, path, text
from ._profile import frames, joined

CHUNK = 1 << 16  # rows at once
_NOTHING = np.array(None, object)
_FIELDS = {
    "rank": "u4", "thread": "u4", "peer": "u4", "numbered": "?", "function": "u8", "event": "u8", "tag": "u8",
    "number": "u8", "communicator": "i8", "bytes": "u8", "received": "u8", "begin": "f8", "end": "f8", "site": "u8",
    "path": "u8",
}  # fmt: skip
_CALL = np.dtype(
    {
        "names": list(_FIELDS),
        "formats": list(_FIELDS.values()),
        "offsets": [ffi.offsetof("tracenest_call", name) for name in _FIELDS],
        "itemsize": ffi.sizeof("tracenest_call"),
    }
)


class _Words:
    """Texts of the library, each read once."""

    def __init__(self) -> None:
        self.known: Dict[int, Optional[str]] = {0: None}

    def of(self, addresses: Any) -> Any:
        keys, places = np.unique(addresses, return_inverse=True)
        for key in keys.tolist():
            if key not in self.known:
                self.known[key] = text(ffi.cast("char *", key))
        return np.array([self.known[key] for key in keys.tolist()] or [None], object)[places]


def _tags(stem: Any, numbered: Any, number: Any) -> Any:
    """As numbers; of text traces, where a tag may be a word, "halo7", as objects."""
    pd = frames()
    none = np.equal(stem, _NOTHING)
    plain = numbered & ((stem == "tag") | (stem == ""))
    if (plain | none).all():
        return pd.arrays.IntegerArray(number.astype("i8"), ~plain)
    said = zip(none, plain, stem, numbered, number)
    return pd.Series([None if no else int(n) if p else f"{s}{n if m else ''}" for no, p, s, m, n in said], dtype=object)


def _frame(c: Any, words: _Words) -> Any:
    pd = frames()

    def known(values: Any, unknown: int) -> Any:
        return pd.arrays.IntegerArray(values.astype("i8"), values == np.array(unknown, values.dtype))

    def category(name: str) -> Any:
        return pd.Categorical(words.of(c[name]))

    tag = _tags(words.of(c["tag"]), c["numbered"], c["number"])
    passes = c["event"] != 0
    world = np.where(c["communicator"] == -1, "world", c["communicator"].astype(str)).astype(object)
    columns: Dict[str, Any] = {
        "rank": c["rank"].copy(),
        "thread": c["thread"].copy(),
        "function": category("function"),
        "peer": known(c["peer"], NONE),
        "tag": tag,
        "communicator": pd.Categorical(np.where(passes, world, _NOTHING)),
        "bytes": known(c["bytes"], UNKNOWN),
        "begin": c["begin"].copy(),
        "end": c["end"].copy(),
        "site": category("site"),
        "path": category("path"),
        "event": category("event"),
        "received": known(c["received"], UNKNOWN),
    }
    return pd.DataFrame(columns)


def each_calls(
    trace: Union[str, "os.PathLike[str]"],
    take: Callable[[Any], Any],
    *,
    ranks: Optional[Iterable[int]] = None,
    chunk: int = CHUNK,
) -> None:
    """Give the rows of `calls` to a function, as frames of at most so many: memory does not grow with the trace.
    Where it returns False, no more are read."""
    words = _Words()
    trouble: List[BaseException] = []

    @ffi.callback("bool(void *, const tracenest_call *, size_t)")  # type: ignore[misc]
    def took(_: Any, rows: Any, count: int) -> bool:
        try:
            c = np.frombuffer(ffi.buffer(rows, count * _CALL.itemsize), _CALL)
            return take(_frame(c, words)) is not False
        except BaseException as error:
            trouble.append(error)
            return False

    wanted = ffi.NULL if ranks is None else ffi.new("uint32_t[]", list(ranks) or [NONE])
    call("calls_read", path(trace), wanted, 0 if ranks is None else len(wanted), chunk, took, ffi.NULL)
    if trouble:
        raise trouble[0]


def calls(trace: Union[str, "os.PathLike[str]"], *, ranks: Optional[Iterable[int]] = None) -> Any:
    """The calls of MPI of a trace, or of these ranks, as one frame: rank, thread, function, peer, tag, communicator,
    bytes, begin and end in seconds since the run began, site, path; what the row is of (event: "send", "recv", a
    collective), and bytes received in a collective. A call has a row for each message or collective that it sends,
    receives or completes; one without a peer where it has none."""
    parts: List[Any] = []
    each_calls(trace, parts.append, ranks=ranks)
    return joined(parts or [_frame(np.empty(0, _CALL), _Words())])
