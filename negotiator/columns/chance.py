"""Makes drawing a random number an error, for those who do not evaluate slot by slot."""

from __future__ import annotations

from copy import copy
from random import Random

from classad.evaluate import EvalContext


class UnsureError(Exception):
    """The columns cannot say: slots have to be asked one by one."""


class _NoChance(Random):
    """A source of random numbers that refuses to give any."""

    def random(self) -> float:
        raise UnsureError


def without_chance(context: EvalContext) -> EvalContext:
    """The same context, in which random numbers are refused."""
    found = copy(context)
    found._rng = _NoChance(0)
    return found
