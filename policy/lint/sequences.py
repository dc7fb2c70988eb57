"""Checks the order of the lines of transforms and routes, that of the transforms, and what stands
for a text in them.

Follows: condor_transform_ads of 25.14.1, which goes through the lines one after the other; the
schedd, which goes through JOB_TRANSFORM_NAMES.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from classad.errors import ClassAdParseError, Diagnostic
from classad.patterns import late_regex
from classad.syntax.nodes import Node, Reference, bare, walk
from policy.attributes import Availability, find_attribute
from policy.language.expressions import parse
from policy.lint.agreement import setting_of
from policy.lint.expressions import bodies_in
from policy.lint.finding import Meant, Per, looks_at
from policy.lint.reading import HOLE
from policy.lint.transforms import NO_EFFECT, OTHERWISE, family_of
from policy.lint.trees import guarded, references, scope_of
from policy.lint.view import Setting, View
from policy.transforms.lines import (
    ENVELOPE,
    Command,
    ConditionalLine,
    MacroAssignment,
    TransformLine,
)

_REFERENCE: Final = late_regex(r"(?<!\$)\$\((\w+)\)")
_READING: Final = frozenset(("EVALSET", "REQUIREMENTS"))
_MAKING: Final = frozenset(("SET", "EVALSET", "DEFAULT", "COPY", "RENAME"))


# --- variables ------------------------------------------------------------------------------------


@looks_at(Per.CONFIGURATION)
def too_early(view: View) -> Iterator[Diagnostic]:
    """References to variables that only lines further down set."""
    bodies = bodies_in(view)
    sets = {id(one): dict(reversed(list(_variables(one)))) for one in bodies}
    for setting in bodies:
        family = [one for one in bodies if family_of(one) == family_of(setting)]
        others = {name for one in family if one is not setting for name in sets[id(one)]}
        yield from _too_early(view, setting, sets[id(setting)], others)


def _variables(setting: Setting) -> Iterator[tuple[str, int]]:
    """The variables that a body sets, with the places of the lines."""
    for at, (_, form) in enumerate(setting.statements):
        if isinstance(form, MacroAssignment):
            yield form.name.casefold(), at


def _too_early(
    view: View, setting: Setting, first: dict[str, int], others: set[str]
) -> Iterator[Diagnostic]:
    written = setting.statements
    for at, (line, form) in enumerate(written):
        if not isinstance(form, Command) or form.keyword in ENVELOPE:
            continue
        for found in _REFERENCE.finditer(line.text):
            name = found[1].casefold()
            early = first.get(name, -1) > at and name not in view.defined and name not in others
            if early and view.config.lookup(name) is None:
                where = written[first[name]][0].logical.line
                message = f"`{found[0]}` is set only in line {where}, behind this one"
                about = {"macro": setting.macro, "names": (found[1],)}
                yield HOLE.at(message, *line.spot(*found.span()), **about)


# --- attributes -----------------------------------------------------------------------------------


class Made(NamedTuple):
    """A command that gives an attribute a value whatever it was; ``body`` and ``at``: where."""

    name: str
    body: int
    at: int
    line: TransformLine


@looks_at(Per.CONFIGURATION)
def made_later(view: View) -> Iterator[Diagnostic]:
    """What EVALSET or REQUIREMENTS ask for, and only a later line or transform makes."""
    listed = setting_of(view, "JOB_TRANSFORM_NAMES")
    order = {} if listed is None else {it.text.upper(): n for n, it in enumerate(listed.items())}
    bodies = [one for one in bodies_in(view) if _place(one, order) is not None]
    bodies.sort(key=lambda one: _place(one, order) or 0)
    made = [it for at, one in enumerate(bodies) for it in _made(at, one)]
    for at, setting in enumerate(bodies):
        for place, (line, form) in enumerate(setting.statements):
            if isinstance(form, Command) and form.keyword in _READING:
                yield from _early(setting, (at, place), line, form, made)


def _place(setting: Setting, order: dict[str, int]) -> int | None:
    """The place of a transform among those that JOB_TRANSFORM_NAMES lists."""
    head, joint, name = setting.upper.partition("JOB_TRANSFORM_")
    return order.get(name) if joint and not head else None


def _made(body: int, setting: Setting) -> Iterator[Made]:
    """What a body makes, the first time each."""
    seen: set[str] = set()
    for at, (line, form) in enumerate(setting.statements):
        if isinstance(form, Command) and form.keyword in _MAKING:
            target = form.rest if form.keyword in ("COPY", "RENAME") else form.first
            name = target.strip().casefold()
            if name not in seen:
                yield Made(name, body, at, line)
            seen.add(name)


def _early(
    setting: Setting, here: tuple[int, int], line: TransformLine, form: Command, made: list[Made]
) -> Iterator[Diagnostic]:
    asks = form.keyword == "REQUIREMENTS"
    text, start = (form.rest, form.rest_at) if not asks else _condition(line, form)
    try:
        tree = parse(text).node
    except ClassAdParseError:
        return
    safe = guarded(walk(tree))
    for node in () if isinstance(bare(tree), Reference) else references(tree):
        name = node.name.casefold()
        if name in safe or scope_of(node) == "target" or not _is_made_up(node):
            continue
        makers = [one for one in made if one.name == name]
        # What a body asks for to set it anew, it has found in the job.
        later = [one for one in makers if (one.body, one.at) > here and one.body >= here[0] + asks]
        if not later or len(later) < len(makers) or _asks(later[0].line, name):
            continue
        where = later[0].line.logical.line
        message = f"`{node.name}` is made only in line {where}, which comes later"
        spot = line.spot(start + node.start, start + node.end)
        help_text = "lines and transforms go one after the other"
        yield OTHERWISE.at(message, *spot, help_text, macro=setting.macro)
        return


def _condition(line: TransformLine, form: Command) -> tuple[str, int]:
    """The expression of REQUIREMENTS, which is all behind the word."""
    return line.text[form.first_at :], form.first_at


def _is_made_up(node: Node) -> bool:
    """Is it an attribute that jobs have only because somebody gives it to them?"""
    row = find_attribute(node.name) if isinstance(node, Reference) else None
    return row is None or row.ads.get("job") is Availability.SOMETIMES


def _asks(line: TransformLine, name: str) -> bool:
    """Does the line that makes it look at what it was before?"""
    words = line.text.casefold().split(name)
    return len(words) > 2 or line.text.split()[0].upper() in ("DEFAULT", "RENAME")


@looks_at(Per.CONFIGURATION)
def passed_over(view: View) -> Iterator[Diagnostic]:
    """``else if $(x)``, of which the condition is ignored; ``DELETE Notify*``, which is a name."""
    for setting in bodies_in(view):
        for line, form in setting.statements:
            if isinstance(form, ConditionalLine) and form.word == "else" and form.condition:
                message = f"`{form.condition}` behind `else` is ignored"
                yield NO_EFFECT.at(message, *line.spot(), "a second condition is `elif ...`")
            elif isinstance(form, Command) and form.keyword in _TAKING and form.pattern is None:
                if "*" not in form.first:
                    continue
                help_text = f"a pattern is `/^{form.first.replace('*', '.*')}$/`"
                message = f"no attribute is called `{form.first}`"
                yield NO_EFFECT.at(message, *line.spot(form.first_at), help_text)


_TAKING: Final = frozenset(("DELETE", "COPY", "RENAME"))


# --- texts ----------------------------------------------------------------------------------------

#: A text, in which all is well, or an attribute of the job.
_TEXT_OF_THE_JOB: Final = late_regex(r'"(?:[^"\\]|\\.)*"|\$\(MY\.(\w+)(?::[^)]*)?\)', re.IGNORECASE)
_WRITING: Final = frozenset(("SET", "DEFAULT", "EVALSET"))


@looks_at(Per.CONFIGURATION)
def bare_text(view: View) -> Iterator[Diagnostic]:
    """``SET Group strcat("a.", $(MY.Owner))``: what the job has stands there without quotes."""
    for setting in bodies_in(view):
        for line, form in setting.statements:
            if not isinstance(form, Command) or form.keyword not in _WRITING:
                continue
            yield from _bare_variable(view, setting, line, form)
            for found in _TEXT_OF_THE_JOB.finditer(line.text, form.rest_at):
                row = None if found[1] is None else find_attribute(found[1])
                if row is None or row.type != "string":
                    continue
                message = f"`{found[0]}` is the job's text without quotes: an attribute's name"
                how = Meant(found[1], found[0]) if form.keyword == "EVALSET" else _QUOTED
                yield OTHERWISE.at(message, *line.spot(*found.span()), how)
                break


_QUOTED: Final = "write it in quotes"
_ONE_VARIABLE: Final = late_regex(r"\$\((\w+)\)\s*")
_WORD: Final = late_regex(r"(?!(?:true|false|undefined|error)$)[a-z]{2,}", re.IGNORECASE)


def _bare_variable(
    view: View, setting: Setting, line: TransformLine, form: Command
) -> Iterator[Diagnostic]:
    """``SET Tier $(tier)`` behind ``tier = long``."""
    found = _ONE_VARIABLE.fullmatch(form.rest) if form.keyword in ("SET", "DEFAULT") else None
    values = [
        one.value.strip()
        for _, one in setting.statements
        if found is not None
        and isinstance(one, MacroAssignment)
        and one.name.casefold() == found[1].casefold()
    ]
    words = all(map(_WORD.fullmatch, values)) and not any(map(find_attribute, values))
    if found is not None and values and words and view.words.isdisjoint(_scoped(values)):
        message = f"`{found[0].strip()}` is `{values[0]}`, without quotes: an attribute's name"
        spot = line.spot(form.rest_at, form.rest_at + len(found[0].rstrip()))
        yield OTHERWISE.at(message, *spot, Meant(f'"$({found[1]})"', found[0].strip()))


def _scoped(names: list[str]) -> set[str]:
    """Some names as attributes of a job or a slot, case-folded."""
    return {f"{scope}.{name.casefold()}" for scope in ("my", "target") for name in names}
