"""Makes the points of a sweep: every combination of the values of some macros and of seeds.

Decides how a list of values is written, and the order of the points.

Inputs: names and texts.  Outputs: ``MacroAxis`` and ``Point`` values.  Follows: HTCondor's
expressions, whose commas within parentheses, braces and strings separate no values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Final

from attr import evolve, frozen

from pieslice.data import JsonObject
from pieslice.simulation.errors import RunError
from pieslice.simulation.setup import Plan, check_macro

_OPEN: Final = "([{"
_CLOSE: Final = ")]}"


@frozen
class MacroAxis:
    """A macro and the texts it is set to."""

    name: str
    values: tuple[str, ...]


@frozen
class Point:
    """One simulation of a sweep; ``key`` tells it from the others."""

    key: str
    settings: tuple[tuple[str, str], ...]
    plan: Plan

    @property
    def row(self) -> JsonObject:
        """What is varied, with the values of this point."""
        return {**dict(self.settings), "seed": self.plan.seed}


def split_values(text: str) -> tuple[str, ...]:
    """The values between the commas that are in no parentheses and no string."""
    values, depth, quoted, begin = [], 0, False, 0
    for place, char in enumerate(text):
        if quoted:
            quoted = char != '"' or text[place - 1] == "\\"
        elif char == '"':
            quoted = True
        elif char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth -= 1
        elif char == "," and depth <= 0:
            values.append(text[begin:place].strip())
            begin = place + 1
    values.append(text[begin:].strip())
    return tuple(values)


def axes_of(values: Iterable[tuple[str, str | tuple[str, ...]]]) -> list[MacroAxis]:
    """The axes of macros and their values; a text holds several; raises ``RunError``."""
    found: list[MacroAxis] = []
    for name, given in values:
        check_macro(name)
        texts = split_values(given) if isinstance(given, str) else given
        if not texts:
            raise RunError(f"`{name}` has no values to try")
        if name.lower() in {axis.name.lower() for axis in found}:
            raise RunError(f"`{name}` is set twice; give all its values at once")
        found.append(MacroAxis(name, tuple(dict.fromkeys(texts))))
    if not found:
        raise RunError("give at least one macro and the values to try")
    return found


def points(plan: Plan, axes: Sequence[MacroAxis], seeds: Sequence[int]) -> list[Point]:
    """All combinations; the last axis varies fastest, seeds faster still."""
    found = []
    for texts in product(*(axis.values for axis in axes)):
        settings = tuple(zip((axis.name for axis in axes), texts, strict=True))
        for seed in seeds:
            key = " ".join([*(f"{name}={text}" for name, text in settings), f"seed={seed}"])
            found.append(Point(key, settings, evolve(plan, seed=seed, settings=settings)))
    return found
