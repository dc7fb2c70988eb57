"""Where random numbers are drawn, the order of evaluations matters.

Decision here: none.  Whoever evaluates in another order than slot by slot does so in a context in
which drawing a random number is an error, and goes slot by slot where that happens.  Inputs: a
context.  Outputs: the same without chance.

Never here: random numbers.
Follows: nothing; it is bookkeeping.
"""

from __future__ import annotations

from random import Random

from classad.evaluate import EvalContext


class UnsureError(Exception):
    """The columns cannot say: slots have to be asked one by one."""


class _NoChance(Random):
    """A source of random numbers that refuses to give any."""

    def random(self) -> float:
        raise UnsureError

    def getrandbits(self, k: int, /) -> int:
        raise UnsureError


def without_chance(context: EvalContext) -> EvalContext:
    """The same context, in which random numbers are refused."""
    return EvalContext(
        now=context.now,
        tz=context.tz,
        rng=_NoChance(0),
        strict=context.strict,
        functions=context.functions,
        user_maps=context.user_maps,
        home_of=context.home_of,
        debug_sink=context.debug_sink,
    )
