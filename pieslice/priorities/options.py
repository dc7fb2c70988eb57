"""Reads the options of ``condor_userprio``.

Decides which option an argument means.  Options are tried in a fixed order, and an argument with
one dash means the first that it is a prefix of (some need a minimum of letters); with two dashes
the whole word counts.

Outputs: ``Options``; raises ``UsageError``.  Follows: condor_userprio of HTCondor 25.14.1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from attr import define, field

from pieslice.command_line import nearest
from pieslice.priorities.words import OPTIONS, Word


class UsageError(Exception):
    """The arguments make no sense; the message says which."""


_BY_WORD: Final = {option.word: option for option in OPTIONS}
#: Edits in the order in which the real tool looks for them: only the first one is carried out.
EDITS: Final = (
    "setprio", "setfactor", "setfloor", "setceiling", "cancelceilinglease", "cancelfloorlease",
    "cancelfactorlease", "setaccum", "setbegin", "setlast", "resetusage", "delete", "resetall",
)  # fmt: skip
#: What a column option turns on; no option at all is ``most``.
COLUMNS: Final[dict[str, frozenset[str]]] = {
    "quotas": frozenset(("effquota", "quota", "surplus", "subtree", "requested")),
    "most": frozenset(
        ("quota", "surplus", "eup", "factor", "inuse", "hours", "since", "requested", "floor",
         "ceiling")
    ),
    "priority": frozenset(("eup", "rup", "factor")),
    "usage": frozenset(("inuse", "hours", "start", "last")),
    "groupid": frozenset(("id",)),
    "order": frozenset(("order",)),
    "sortkey": frozenset(("sortkey",)),
    "surplus": frozenset(("surplus",)),
}  # fmt: skip
_ALL: Final = COLUMNS["most"] | COLUMNS["quotas"] | COLUMNS["priority"] | {"start", "last"}


@define
class Options:
    """What was asked for.  ``edits``: option -> its arguments; ``columns``: what to show."""

    columns: set[str] = field(factory=set)
    #: Column options named one by one, as opposed to ``-most`` and ``-all``.
    asked: set[str] = field(factory=set)
    users: list[str] = field(factory=list)
    edits: dict[str, tuple[str, ...]] = field(factory=dict)
    duration: int | None = None
    flat: bool = False
    hierarchical: bool = False
    group_order: bool = False
    group_rollup: bool = False
    all_users: bool = False
    negotiator: bool = False
    long: bool = False
    modular: bool = False
    json: bool = False
    constraint: str | None = None
    negotiator_name: str | None = None
    autoformat: list[str] | None = None
    autoformat_options: str = ""
    active_from: tuple[int, int, int] | None = None
    resource_list: str | None = None
    input_file: str | None = None

    def edit(self) -> tuple[str, tuple[str, ...]] | None:
        """The one edit that is carried out."""
        return next(((name, self.edits[name]) for name in EDITS if name in self.edits), None)


def parse_options(arguments: Sequence[str]) -> Options:
    """All arguments of the command line."""
    options = Options()
    words = list(arguments)
    while words:
        word = words.pop(0)
        if word == "<none>" or word[:1].isalpha():
            options.users.append(word)
            continue
        if not word.startswith("-") or len(word) < 2:
            raise UsageError(f"`{word}` is neither an option nor a user")
        name, _, modifiers = word.partition(":")
        option = _find(name)
        if option is None:
            near = nearest(name.lstrip("-"), _BY_WORD)
            hint = f"; did you mean `-{near}`?" if near else ""
            raise UsageError(f"`{word}` is not an option{hint}")
        needed = len(option.values)
        if len(words) < needed:
            count = "an argument" if needed == 1 else f"{needed} arguments"
            raise UsageError(f"`-{option.word}` needs {count}")
        values = tuple(words[:needed])
        del words[:needed]
        if option.word in ("af", "autoformat"):
            options.autoformat_options += modifiers
            options.autoformat = [*(options.autoformat or ()), *_taken(words)]
        else:
            _apply(options, option.word, values)
    if not options.columns:
        options.columns |= COLUMNS["most"]
    return options


def _taken(words: list[str]) -> Iterator[str]:
    """The expressions up to the next option, which they leave."""
    while words and not words[0].startswith("-"):
        yield words.pop(0)


def _find(name: str) -> Word | None:
    if name.startswith("--"):
        return _BY_WORD.get(name[2:])
    word = name[1:]
    for option in OPTIONS:
        if len(word) >= option.least and option.word.startswith(word):
            return option
    return None


def _apply(options: Options, word: str, values: tuple[str, ...]) -> None:
    if word in EDITS:
        options.edits[word] = values
    elif word in COLUMNS:
        options.columns |= COLUMNS[word]
        if word != "most":
            options.asked |= COLUMNS[word]
    elif word == "all":
        options.columns |= _ALL
    elif word in _SWITCHES:
        setattr(options, _SWITCHES[word], True)
    elif word in _TEXTS:
        setattr(options, _TEXTS[word], values[0])
    elif word == "duration":
        options.duration = whole_number(values[0])
    elif word == "activefrom":
        month, day, year = (whole_number(value) for value in values)
        # The real tool takes two digits for a year of this century.
        options.active_from = _checked((year + 2000 if year < 100 else year, month, day))
    elif word == "pool":
        raise UsageError("`-pool` would ask a daemon; give a saved state instead")


def _checked(day: tuple[int, int, int]) -> tuple[int, int, int]:
    try:
        date(*day)
    except ValueError:
        raise UsageError("`-activefrom` needs a month, a day and a year") from None
    return day


_SWITCHES: Final = {
    "long": "long",
    "modular": "modular",
    "json": "json",
    "hierarchical": "hierarchical",
    "heir": "hierarchical",
    "flat": "flat",
    "grouprollup": "group_rollup",
    "grouporder": "group_order",
    "allusers": "all_users",
    "negotiator": "negotiator",
}
_TEXTS: Final = {
    "constraint": "constraint",
    "name": "negotiator_name",
    "getreslist": "resource_list",
    "inputfile": "input_file",
}


def whole_number(text: str) -> int:
    """An argument that must be a whole number."""
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"`{text}` is not a whole number") from None


def real_number(text: str) -> float:
    """An argument that must be a finite number."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(f"`{text}` is not a number")
    return number
