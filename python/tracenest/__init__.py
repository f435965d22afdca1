"""Event traces of message-passing programs as programs of loop nests.

    import tracenest
    model = tracenest.model("run/traces.otf2")        # or "run.nest"
    print(model)                                      # the program
    model.loops[0]                                    # a notebook draws it
    model.matrix()                                    # NumPy: messages from each to each
    model.events()                                    # a pandas frame, with pipit's columns
    model.report("run/traces.otf2")                   # what is lost, and to what
    tracenest.calls("run/traces.otf2")                # a row for each call of MPI: who, with whom, when, where

All of it stands on libtracenest (tracenest.h); different models may be used by different threads.
"""

from ._calls import calls, each_calls
from ._library import VERSION as __version__
from ._library import Error, InconsistentError, InputError
from ._model import Event, Loop, Model, Picture, Statement, Statistics, measure, model, parse
from ._profile import Profile

__all__ = [
    "Error",
    "Event",
    "InconsistentError",
    "InputError",
    "Loop",
    "Model",
    "Picture",
    "Profile",
    "Statement",
    "Statistics",
    "__version__",
    "calls",
    "each_calls",
    "measure",
    "model",
    "parse",
]
