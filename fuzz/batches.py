"""Compares many expressions over few ads with the real library, at its own speed.

Decides how a batch is made from its number, and which answers of the two sides count as the same
without a second look.  Both sides work in one process, so that nothing but a suspect leaves it; a
suspect is asked again, alone and in a fresh process, before it counts.

Inputs: the real module, the number of the batch, where to begin, the local zone, the clock, the
families of functions to prefer.  Outputs: the suspects.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import copysign
from random import Random
from types import ModuleType
from typing import Any, Final
from zoneinfo import ZoneInfo

import classad
from classad import ExprTree
from classad.binding.python_values import to_python
from classad.evaluate import EvalContext, evaluate_full
from classad.language.values import ERROR, UNDEFINED, Value
from classad.strategies.texts import NAMES, Case, Inventor, seeded
from fuzz.language import written_whole
from fuzz.peer import Progress, be_patient, written
from fuzz.weighted import Weighted

#: Expressions in a batch, and pairs of ads; of the pairs the first few are used without TARGET.
EXPRESSIONS: Final = 400
PAIRS: Final = 64
ALONE: Final = 40
DEPTHS: Final = (1, 1, 2, 2, 2, 3, 3, 4)

_REFERS: Final = re.compile("|".join(NAMES)).search
_PLAIN: Final = frozenset({bool, int, str})


class Batch:
    """The texts of one batch, made from its number and the families alone."""

    def __init__(self, seed: int, families: Sequence[str] = ()) -> None:
        below = seeded(Random(seed))
        self.inventor = Weighted(below, frozenset(families)) if families else Inventor(below)
        self.ads = [
            (self.inventor.ad(), "" if number < ALONE else self.inventor.ad())
            for number in range(PAIRS)
        ]

    def next(self) -> str:
        """The next expression."""
        return self.inventor.expression(self.inventor.pick(DEPTHS))

    def case(self, expression: str, pair: int) -> Case:
        """An expression with the texts of its ads; no TARGET for the first pairs."""
        return Case(expression, *self.ads[pair])


def run_batch(
    theirs: ModuleType,
    seed: int,
    families: Sequence[str],
    *,
    start: int,
    progress: Progress,
    zone: str,
    now: float,
) -> list[Case]:
    """The first case of each expression, from ``start`` on, whose answers do not look the same."""
    batch = Batch(seed, families)
    mine = _scopes(classad, batch)
    other = _scopes(theirs, batch)
    context = EvalContext(now=now, tz=ZoneInfo(zone))
    cells, suspects = progress.cells, []
    for number in range(EXPRESSIONS):
        text = batch.next()
        if number < start:
            continue
        cells[0] = number
        be_patient()
        try:
            tree, real = ExprTree(text), theirs.ExprTree(text)
        except Exception:  # one side takes it for no expression: a second look tells
            suspects.append(batch.case(text, 0))
            continue
        if (seed + number) % 2:
            written_whole(tree)
        for pair in range(PAIRS if _REFERS(text) else 1):
            cells[1] += 1
            try:
                value, _ = evaluate_full(tree, *mine[pair], context=context)
                same = alike(value, real.eval(*other[pair]), theirs)
            except Exception:  # as above
                same = False
            if not same:
                suspects.append(batch.case(text, pair))
                break
    return suspects


def _scopes(module: ModuleType, batch: Batch) -> list[list[Any]]:
    return [[module.ClassAd(text) for text in pair if text] for pair in batch.ads]


def alike(ours: Any, real: Any, theirs: ModuleType) -> bool:
    """Whether a value of ours is surely the one that the real library gave."""
    kind = ours.__class__
    if kind in _PLAIN:
        return real.__class__ is kind and bool(real == ours)
    if kind is float:
        if real.__class__ is not float:
            return False
        if ours != ours:
            return bool(real != real)
        return bool(real == ours) and copysign(1.0, real) == copysign(1.0, ours)
    if kind is Value:
        wanted = theirs.Value.Undefined if ours is UNDEFINED else theirs.Value.Error
        return real is wanted and ours in (UNDEFINED, ERROR)
    return bool(written(classad, to_python(ours)) == written(theirs, real))
