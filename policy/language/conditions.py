"""Evaluates conditions, and keeps track of which lines are live: ``if elif else endif``.

Inputs: condition texts and a ``World`` to ask for names, templates and the version.
Outputs: booleans; ``ConditionError`` for what is not a condition or not balanced.  A condition is
no expression: it compares nothing.
Follows: condor_config_val 25.14.1 (golden vectors ``if``).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from classad.patterns import late_regex
from policy.language.lines import BLANKS
from policy.language.numbers import saturated
from policy.versions import NEWEST, Version

#: Deepest nesting of conditionals.
MAX_NESTING: Final = 63

_INITIALS = "iIeE"
_KEYWORD = late_regex(r"(if|elif|else|endif)(?![^ \t\n\v\f\r])[ \t\n\v\f\r]*(.*)", re.I | re.S)
#: Digits, and behind them, a dot or an `e` more of what numbers are made of; no leading plus.
_NUMBER = late_regex(r"-?(?:[0-9]+(?:[.eE][0-9.eE+-]*)?|\.[0-9]+[0-9.eE+-]*)")
#: The part of it that counts.
_LEADING = late_regex(r"-?[0-9]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?")
#: With a blank behind the word or behind a sign that is glued to it.
_ASKS_VERSION = late_regex(r"version(?:[ \t].*|(?:[<>=]|!=).*[ \t].*)?", re.I | re.S)
_VERSION = late_regex(r"version[ \t]*(>=|<=|==|!=|=|<|>)[ \t]*v?(.+)", re.I | re.S)
#: Words, signs and numbers behind the digits are ignored.
# `(?!)`: so that Python before 3.11.5, too, forgets what did not match.
_DIGITS = late_regex(
    r"([0-9]++)\.([0-9]++)(?:\.([0-9]++)|(?!))?+(?:[A-Za-z0-9_<>=! \t]|(?<=[0-9])\.(?=[0-9]))*"
)
_NAMED = late_regex(r"[A-Za-z0-9_./]+")
_ASKS_FOR = late_regex(r"defined(|[ \t\n\v\f\r].*)", re.I | re.S)
#: What a whole condition about a definition consists of.
_DEFINED = late_regex(r"[A-Za-z0-9_./: \t\n\v\f\r]+")


class ConditionError(Exception):
    """A text that is not a condition."""


class NestingError(ConditionError):
    """Conditionals out of order."""


class AfterElseError(NestingError):
    """A branch behind the last one."""


class World(NamedTuple):
    """What conditions may ask: expansion, names, templates.

    ``is_true``: whether a text that is no condition is an expression that is true; a configuration
    evaluates none.
    """

    expand: Callable[[str], str]
    is_defined: Callable[[str], bool]
    has_template: Callable[[str], bool]
    version: Version = NEWEST
    is_true: Callable[[str], bool] = lambda text: False


def keyword(text: str) -> tuple[str, str] | None:
    """The conditional keyword that a line begins with, and the rest."""
    if text[:1] not in _INITIALS:
        return None
    found = _KEYWORD.fullmatch(text)
    return None if found is None else (found[1].lower(), found[2])


def holds(text: str, world: World) -> bool:
    """Truth of a condition."""
    written = text.strip(BLANKS)
    bare = world.expand(written).strip(BLANKS)
    if not bare:
        if written:
            return False
        raise _wrong(written, "there is none")
    negated = bare.startswith("!")
    if negated:
        bare = bare[1:].strip(BLANKS)
        if not bare and written.strip("!" + BLANKS):
            return True
    return _simple(bare, written, world) != negated


def _simple(bare: str, written: str, world: World) -> bool:
    lowered = bare.lower()
    if lowered in ("true", "yes", "t"):
        return True
    if lowered in ("false", "no", "f"):
        return False
    if _NUMBER.fullmatch(bare):
        return _number(bare) != 0
    found = _ASKS_FOR.fullmatch(bare)
    if found is not None:
        return _defined(found[1].strip(BLANKS), written, world)
    if _ASKS_VERSION.fullmatch(bare):
        return _version(bare, written, world)
    if _NAMED.fullmatch(bare) or bare in ("-", "+"):
        raise _wrong(written, "it is a bare word")
    if world.is_true(bare):
        return True
    raise _wrong(written, "comparisons and operators are not available")


def _number(text: str) -> float:
    found = _LEADING.match(text)
    return float(found[0]) if found is not None else 0.0


def _defined(rest: str, written: str, world: World) -> bool:
    parts = rest.split()
    if not parts:
        return False
    if not _DEFINED.fullmatch(rest):
        raise _wrong(written, "complex conditionals are not supported")
    if parts[0].lower() == "use" and len(parts) > 1:
        if len(parts) > 2:
            raise _wrong(written, "`defined use` takes `CATEGORY:NAME` without blanks")
        return world.has_template(parts[1])
    if len(parts) > 1:
        raise _wrong(written, "`defined` takes one name")
    if parts[0].lower() in ("true", "false") or _NUMBER.fullmatch(parts[0]):
        return True
    if not _NAMED.fullmatch(parts[0]):
        raise _wrong(written, "`defined` takes the name of a macro, a boolean or a number")
    return world.is_defined(parts[0])


def _version(bare: str, written: str, world: World) -> bool:
    found = _VERSION.fullmatch(bare)
    if found is None:
        raise _wrong(written, "a version condition is `version OPERATOR X.Y.Z`")
    digits = _DIGITS.fullmatch(found[2])
    if digits is None or saturated(digits[1]) < 6:
        raise _wrong(written, f"`{found[2]}` is not a version")
    third = world.version[2] if digits[3] is None else saturated(digits[3])
    wanted = (saturated(digits[1]), saturated(digits[2]), third)
    running = world.version
    return {
        ">": running > wanted,
        ">=": running >= wanted,
        "=": running == wanted,
        "==": running == wanted,
        "<": running < wanted,
        "<=": running <= wanted,
        "!=": running != wanted,
    }[found[1]]


def _wrong(text: str, why: str) -> ConditionError:
    return ConditionError(f"`{text}` is not a condition: {why}")


class OpenConditionals:
    """The open conditionals of one file or template."""

    def __init__(self) -> None:
        # Per level: is the body live, was a branch taken, was `else` seen.
        self._levels: list[list[bool]] = []

    @property
    def live(self) -> bool:
        """Are statements carried out here?"""
        return not self._levels or all(level[0] for level in self._levels)

    @property
    def depth(self) -> int:
        """Number of open conditionals."""
        return len(self._levels)

    def asks(self, word: str) -> bool:
        """Is a condition behind this keyword looked at?"""
        if word == "if":
            return self.live
        behind = word == "elif" and bool(self._levels) and not any(self._levels[-1][1:])
        return behind and self._is_live_outside()

    def step(self, word: str, rest: str, world: World) -> None:
        """Carry out one conditional keyword."""
        if word == "if":
            if len(self._levels) >= MAX_NESTING:
                raise NestingError(f"conditionals nested deeper than {MAX_NESTING}")
            # It is open even if its condition cannot be read: its `endif` comes.
            self._levels.append([False, False, False])
            taken = self._is_live_outside() and holds(rest, world)
            self._levels[-1] = [taken, taken, False]
            return
        if not self._levels:
            raise NestingError(f"`{word}` without `if`")
        if word == "endif":
            self._levels.pop()
            return
        self._branch(word, rest, world)

    def _branch(self, word: str, rest: str, world: World) -> None:
        level = self._levels[-1]
        if level[2]:
            raise AfterElseError(f"`{word}` after `else`")
        level[2] = word == "else"
        level[0] = (
            self._is_live_outside() and not level[1] and (word == "else" or holds(rest, world))
        )
        level[1] = level[1] or level[0]

    def _is_live_outside(self) -> bool:
        """Are statements carried out around the innermost conditional?"""
        return all(outer[0] for outer in self._levels[:-1])
