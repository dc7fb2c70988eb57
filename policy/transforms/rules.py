"""Reads the text of a transform or a route into ``Rules``.

What is taken out before anything runs (NAME, REQUIREMENTS, UNIVERSE, TRANSFORM with its list), and
the lines that are left to run.
Inputs: lines.  Outputs: ``Rules``; a faulty REQUIREMENTS is a diagnostic of theirs, and what that
means is up to the reader.
Follows: condor_transform_ads and condor_job_router_info 25.14.1 (vectors ``transforms``).
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Final

from attr import define, field

from classad.ads.expression import Expression
from classad.errors import ClassAdParseError, Diagnostic
from classad.source import Source
from policy.language.expressions import parse
from policy.language.table import Definition
from policy.transforms.lines import (
    ENVELOPE,
    Command,
    MacroAssignment,
    Spot,
    TransformLine,
    lines_of,
    lines_of_definition,
)
from policy.universes import UNIVERSES

_LAST_UNIVERSE: Final = 13


@define(eq=False, slots=False)
class Rules:
    """A transform or a route.

    ``lines`` are run.  ``requirements`` is the last REQUIREMENTS, ``asked`` are
    all of them; ``iteration`` the TRANSFORM line
    with what follows it (the items of a list in parentheses).  ``text`` is all there is.
    """

    name: str
    lines: tuple[TransformLine, ...]
    requirements: TransformLine | None = None
    asked: tuple[TransformLine, ...] = ()
    universe: TransformLine | None = None
    iteration: TransformLine | None = None
    behind: tuple[TransformLine, ...] = ()
    definition: Definition | None = None
    written: tuple[TransformLine, ...] = field(factory=tuple, repr=False)

    @cached_property
    def condition(self) -> Expression | None:
        """REQUIREMENTS as an expression; None where there are none or they do not parse."""
        return None if self.requirements is None else expression(argument(self.requirements))

    @cached_property
    def fault(self) -> Diagnostic | None:
        """What is wrong with REQUIREMENTS, also with those that others come behind."""
        for line in self.asked:
            if expression(argument(line)) is None:
                return _of_requirements(line)
        return None

    @property
    def is_old(self) -> bool:
        """Is it an ad in brackets, the syntax before 25?"""
        return bool(self.written) and self.written[0].text.startswith("[")

    def universe_number(self) -> int | None:
        """The universe that UNIVERSE names; None without one, and for what is no universe."""
        if self.universe is None:
            return None
        text = argument(self.universe).strip()
        known = UNIVERSES.get(text.casefold())
        if known is None and text.isdecimal() and 0 < int(text) <= _LAST_UNIVERSE:
            known = int(text)
        return known

    def place(self) -> Spot | None:
        """Where it begins."""
        return self.written[0].spot() if self.written else None


def argument(line: TransformLine) -> str:
    """What stands behind the keyword of a line."""
    form = line.form
    assert isinstance(form, Command)
    return form.first


def read_rules(
    lines: list[TransformLine], name: str, definition: Definition | None = None
) -> Rules:
    """The rules that some lines are."""
    rules = Rules(name, (), definition=definition, written=tuple(lines))
    kept: list[TransformLine] = []
    tag: str | None = None
    for at, line in enumerate(lines):
        form = line.form
        if tag is not None:
            tag = None if line.text == tag else tag
            # Even there TRANSFORM ends the rules, so that the block has no end.
            if not (isinstance(form, Command) and form.keyword == "TRANSFORM" and form.first):
                kept.append(line)
                continue
        elif isinstance(form, MacroAssignment):
            tag = form.tag
        if isinstance(form, Command) and form.keyword in ENVELOPE and _is_told(form.first):
            if form.keyword == "REQUIREMENTS":
                rules.requirements = line
                rules.asked = (*rules.asked, line)
            elif form.keyword == "UNIVERSE":
                rules.universe = line
            elif form.keyword == "TRANSFORM":
                rules.iteration = line
                rules.behind = tuple(lines[at + 1 :])
                break
            continue
        kept.append(line)
    rules.lines = tuple(kept)
    return rules


def _is_told(text: str) -> bool:
    """Does something stand behind the keyword?  A sign of an assignment is nothing, in silence."""
    return bool(text) and text[0] not in ":="


def rules_of_text(text: str, name: str) -> Rules:
    """The rules in a file."""
    return read_rules(lines_of(Source(text, name)), name)


def rules_of_definition(definition: Definition, name: str) -> Rules:
    """The rules that the value of a macro is."""
    return read_rules(lines_of_definition(definition), name, definition)


@lru_cache(maxsize=16_384)
def expression(text: str) -> Expression | None:
    """The expression that a text is, None for one that is none."""
    try:
        return parse(text)
    except ClassAdParseError:
        return None


@lru_cache(maxsize=16_384)
def beginning(text: str, *, old: bool) -> Expression | None:
    """The expression that a text begins with; what stands behind it is ignored.

    ``old``: with the strings of old syntax, in which a backslash is a character.
    """
    try:
        return _beginning(text, old)
    except ClassAdParseError:
        return None


def _beginning(text: str, old: bool) -> Expression:
    from classad.syntax.parser import parse_expression

    return Expression.from_node(parse_expression(text, old=old, prefix=True))


def syntax_error(
    line: TransformLine, what: str, text: str, at: int, *, evaluated: bool
) -> Diagnostic:
    """Why a text of a line, from ``at`` on, is no expression, with its place.

    ``evaluated``: it is one that is evaluated where it stands, as that of EVALSET.
    """
    begin = at
    try:
        _beginning(text, False) if evaluated else parse(text)
    except ClassAdParseError as mistake:
        found = mistake.diagnostic
        assert found is not None
        if begin >= 0 and line.text.startswith(text, begin) and text:
            spot = line.spot(begin + found.start, max(begin + found.end, begin + found.start + 1))
        else:
            spot = line.spot()
        return Diagnostic(f"{what}: {found.message}", *spot, help=found.help)
    raise AssertionError("the text is an expression")


def _of_requirements(line: TransformLine) -> Diagnostic:
    form = line.form
    assert isinstance(form, Command)
    return syntax_error(line, "REQUIREMENTS", form.first, form.first_at, evaluated=False)
