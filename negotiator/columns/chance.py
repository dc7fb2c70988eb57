"""Makes drawing a random number an error, for those who do not evaluate slot by slot."""

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
