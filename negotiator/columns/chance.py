"""Makes drawing a random number an error, for those who do not evaluate slot by slot."""

from __future__ import annotations

from random import Random
from typing import Final

from classad.evaluate import EvalContext


class UnsureError(Exception):
    """The columns cannot say: slots have to be asked one by one."""


class _NoChance(Random):
    """A source of random numbers that refuses to give any."""

    def random(self) -> float:
        raise UnsureError


_NO_CHANCE: Final = _NoChance(0)


def without_chance(context: EvalContext) -> EvalContext:
    """The same context, in which random numbers are refused."""
    found = EvalContext.__new__(EvalContext)
    for name in EvalContext.__slots__:
        setattr(found, name, getattr(context, name))
    found._rng = _NO_CHANCE
    return found
