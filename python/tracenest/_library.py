"""The library, libtracenest, called through cffi in ABI mode: declarations are those of the header itself."""

import os
import re
import sys
from pathlib import Path
from typing import Any, List

import cffi

VERSION = "0.1.0"
SONAME = "libtracenest.so.1"


class Error(Exception):
    """What the library refuses; the message begins with the place: "run.nest:17: ..."."""


class InputError(Error, ValueError):
    """Bad arguments, unreadable or malformed input, output that cannot be written."""


class InconsistentError(Error, ValueError):
    """Readable, but the trace or the model contradicts itself, or the two each other."""


_KINDS = {2: InputError, 3: InconsistentError}


def _declarations() -> str:
    header = Path(__file__).with_name("tracenest.h").read_text(encoding="utf-8")
    header = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    plain = re.sub(r'^#.*$|^extern "C" \{$', "", header.replace("#ifdef __cplusplus\n}\n", ""), flags=re.MULTILINE)
    constants = re.findall(r"^#define (TRACENEST_\w+) (\d+)$", header, re.MULTILINE)
    return plain.replace("TRACENEST_API ", "") + "".join(f"\n#define {name} {value}" for name, value in constants)


def _open(to: cffi.FFI) -> Any:
    named = os.environ.get("TRACENEST_LIBRARY")
    for candidate in [named] if named else [os.path.join(sys.prefix, "lib", SONAME), SONAME]:
        try:
            return to.dlopen(candidate)
        except OSError as error:
            reason = str(error).split(".  ")[0]
    raise ImportError(f"tracenest: {reason}; install the library, or say in TRACENEST_LIBRARY where it is")


ffi = cffi.FFI()
ffi.cdef(_declarations())
lib = _open(ffi)

NONE = 0xFFFFFFFF  # TRACENEST_NONE
UNKNOWN = 0xFFFFFFFFFFFFFFFF  # TRACENEST_UNKNOWN


def text(pointer: Any) -> str:
    """A text that the library has."""
    return ffi.string(pointer).decode("utf-8", "replace") if pointer else ""  # type: ignore[no-any-return]


def own(pointer: Any) -> str:
    """A text that the library gives."""
    try:
        return text(pointer)
    finally:
        lib.tracenest_free(pointer)


def path(name: "os.PathLike[str] | str") -> bytes:
    return os.fsencode(name)


def call(name: str, *arguments: Any) -> Any:
    """Call a function whose last parameter is the error; raise what it tells."""
    error = ffi.new("tracenest_error *")
    result = getattr(lib, "tracenest_" + name)(*arguments, error)
    if error.kind:
        raise _KINDS.get(error.kind, Error)(text(error.message))
    return result


def _number(version: str) -> List[int]:
    return [int(part) for part in version.split(".")]


if _number(text(lib.tracenest_version())) < _number(VERSION):
    raise ImportError(
        f"tracenest: the library is of version {text(lib.tracenest_version())}, older than this package, {VERSION}"
    )
