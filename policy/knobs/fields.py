"""Makes fields of the policy out of knobs: each knows how its value is read.

A part of the policy has a line for each field, such as
``slot_weight: Expression | None = expression(SLOT_WEIGHT)``.  The function has the type of the
value and gives the way to read it; ``policy.load`` reads the values, and ``policy.model`` makes
fields of the lines where somebody asks for the policy: a check wants to know what is wrong alone.
``KnobReader`` gathers what is wrong with the values.
Follows: start-up of condor_negotiator 25.14.1 (golden vectors ``negotiator-startup``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, TypeVar, cast

from attr import field, frozen

from classad.errors import ClassAdParseError, Diagnostic
from policy.config import Config
from policy.dialects import HTCONDOR, Dialect
from policy.knobs.declaration import Knob
from policy.knobs.reading import Place, Reading, place, read_knob
from policy.language import expressions
from policy.language.about import About

if TYPE_CHECKING:
    from classad.ads.expression import Expression

_T = TypeVar("_T")
_NOWHERE: Final[Place] = (None, 0, 0)


@frozen
class KnobReader:
    """Reads knobs, each as its daemon does, and gathers what is wrong with them."""

    config: Config
    dialect: Dialect = HTCONDOR
    diagnostics: list[Diagnostic] = field(factory=list)

    def read(self, knob: Knob) -> Reading:
        """The value of a knob."""
        reading = read_knob(config_for(self.config, knob), knob)
        if reading.diagnostic is not None:
            self.diagnostics.append(reading.diagnostic)
        if reading.ignored is not None:
            self.diagnostics.append(reading.ignored)
        return reading

    def warn(self, macro: str, problem: str, spot: Place = _NOWHERE, id: str | None = None) -> None:
        """Note something about a macro that the daemon goes on with."""
        about = About(macro=macro)
        found = Diagnostic(f"{macro}: {problem}", *spot, severity="warning", id=id, about=about)
        self.diagnostics.append(found)


def config_for(config: Config, knob: Knob) -> Config:
    """The configuration as the daemon sees it that reads the knob."""
    if knob.read_by in ("NEGOTIATOR", config.context.subsystem):
        return config
    return config.seen_by(knob.read_by)


def readers(part: type) -> Iterator[tuple[str, Callable[[KnobReader], object]]]:
    """The fields that a part of the policy makes out of knobs, in its order, and how each is
    read."""
    return ((name, vars(part)[name]) for name in part.__annotations__)


def _field(read: Callable[[KnobReader], _T]) -> _T:
    """How a field is read; type checkers see its value, as they do with ``attr.field``."""
    return cast("_T", read)


def _spot(reading: Reading) -> Place:
    return _NOWHERE if reading.definition is None else place(reading.definition, reading.text)


def flag(knob: Knob) -> bool:
    """A boolean; a dialect may have another default."""

    def read(knobs: KnobReader) -> bool:
        reading = knobs.read(knob)
        if reading.definition is None or reading.definition.is_builtin:
            return knobs.dialect.flags.get(knob.name, reading.boolean())
        return reading.boolean()

    return _field(read)


def integer(knob: Knob) -> int:
    """An integer."""
    return _field(lambda knobs: knobs.read(knob).integer())


def integer_if_set(knob: Knob) -> int | None:
    """An integer; None where only the default, which depends on the machine, applies."""

    def read(knobs: KnobReader) -> int | None:
        definition = knobs.config.seen_by(knob.read_by).lookup(knob.name)
        if definition is None or definition.is_builtin:
            return None
        return knobs.read(knob).integer()

    return _field(read)


def number(knob: Knob) -> float:
    """A number."""
    return _field(lambda knobs: knobs.read(knob).number())


def priority_factor(knob: Knob) -> float:
    """A number that counts as 1 below 1."""

    def read(knobs: KnobReader) -> float:
        reading = knobs.read(knob)
        factor = reading.number()
        if factor < 1.0:
            problem = f"{factor:g} is no priority factor, 1 is used"
            knobs.warn(knob.name, problem, _spot(reading), "P604")
        return max(1.0, factor)

    return _field(read)


def text(knob: Knob) -> str:
    """The expanded text."""
    return _field(lambda knobs: knobs.read(knob).text)


def regular_expression(knob: Knob) -> str:
    """A regular expression; nothing if it is none."""

    def read(knobs: KnobReader) -> str:
        reading = knobs.read(knob)
        if reading.text == knob.default:
            return reading.text
        try:
            re.compile(reading.text)
        except re.error as mistake:
            found = f"`{reading.text}` is not a regular expression: {mistake}"
            knobs.warn(reading.macro, found)
            return ""
        return reading.text

    return _field(read)


def names(knob: Knob) -> tuple[str, ...]:
    """The names in a list."""
    return _field(lambda knobs: knobs.read(knob).names())


def names_if_any(knob: Knob) -> tuple[str, ...] | None:
    """The names in a list; None for an empty one."""
    return _field(lambda knobs: knobs.read(knob).names() or None)


def expression(knob: Knob) -> Expression | None:
    """An expression; None if the knob is set to nothing, or has no default."""
    return _field(lambda knobs: knobs.read(knob).expression())


def required_expression(knob: Knob) -> Expression:
    """An expression that must not be set to nothing."""

    def read(knobs: KnobReader) -> Expression:
        reading = knobs.read(knob)
        tree = reading.expression()
        if tree is None:
            message = f"{knob.name} is set to nothing, which stops condor_negotiator"
            about = About(macro=knob.name, ends=knob.read_by)
            knobs.diagnostics.append(Diagnostic(message, *_spot(reading), about=about))
            tree = expressions.parse(knob.default or "")
        return tree

    return _field(read)


def renamed_expression(knob: Knob, old: Knob) -> Expression | None:
    """An expression under its new name, else under its old one."""

    def read(knobs: KnobReader) -> Expression | None:
        reading = knobs.read(knob)
        return reading.expression() if reading.text else knobs.read(old).expression()

    return _field(read)


def tagged_macros(knob: Knob, prefix: str) -> tuple[tuple[str, Expression], ...]:
    """The macros that a list names, as expressions under attribute names with a prefix."""

    def read(knobs: KnobReader) -> tuple[tuple[str, Expression], ...]:
        found = []
        for name in knobs.read(knob).names():
            value = knobs.config.text(name)
            if value is None:
                continue
            tagged = name.lower().startswith(prefix.lower())
            try:
                found.append((name if tagged else prefix + name, expressions.parse(value)))
            except ClassAdParseError:
                knobs.warn(knob.name, f"`{name}` is not an expression")
        return tuple(found)

    return _field(read)
