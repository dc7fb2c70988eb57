"""Defines the bounds on one evaluation, and the signals that end it.

These are the depth and work limits of HTCondor 25.14.1, the exception that makes a whole evaluation
fail, the one that asks for the exactly counting second try, and the guard that lends deep
evaluations more Python frames (``more_frames``).

Follows: section 4, "limits while evaluating", of the language notes and the vectors
``limits.jsonl``.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

#: Operators, dereferences and selection steps that may be under way at one time.
MAX_DEPTH: Final = 400
#: Nodes that one evaluation may visit.
MAX_WORK: Final = 10_000_000
#: Evaluations of ``ad["name"]`` that may be under way; each of them counts its depth from zero.
MAX_RESTARTS: Final = 400
#: Depth that the fast evaluator sets aside for the expression it starts with: taller ones, and
#: chains of references that come near the limit, are evaluated by the exact one.
FAST_HEIGHT: Final = 200
#: Python frames lent to an exact evaluation (about eight for each level, plus parsing).
LENT_FRAMES: Final = 12_000


class EvaluationFailure(Exception):  # noqa: N818 - an outcome, not a mistake
    """The whole evaluation fails; its result is the error value with ``ok`` false."""


class NeedExact(Exception):  # noqa: N818 - a signal inside the evaluator
    """The coarse accounting of the fast evaluator is not enough: evaluate again, exactly."""


_lock = threading.Lock()
_borrowers = 0
_usual_limit = 0


@contextmanager
def more_frames() -> Iterator[None]:
    """Raise the interpreter's recursion limit for one evaluation.

    The limit belongs to the whole process, so it goes back only when the last borrower is done.
    """
    global _borrowers, _usual_limit
    here = _stack_depth()
    with _lock:
        if _borrowers == 0:
            _usual_limit = sys.getrecursionlimit()
        _borrowers += 1
        sys.setrecursionlimit(max(sys.getrecursionlimit(), here + LENT_FRAMES))
    try:
        yield
    finally:
        with _lock:
            _borrowers -= 1
            if _borrowers == 0:
                sys.setrecursionlimit(max(_usual_limit, 50))


def _stack_depth() -> int:
    """Frames below this one on the caller's stack."""
    frame = sys._getframe()
    count = 0
    while (back := frame.f_back) is not None:
        frame = back
        count += 1
    return count
