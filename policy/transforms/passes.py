"""Reads the argument of TRANSFORM: how often rules run on an ad, and with which variables.

Inputs: rules, the variables of a job, and what reads files.  Outputs: the texts of the variables
for each pass; ``PassesError`` for an argument that is none.
Follows: condor_transform_ads 25.14.1 (vectors ``transforms``).  The schedd makes one pass, whatever
stands there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from attr import frozen

from classad.errors import Diagnostic
from classad.evaluate import evaluate
from classad.patterns import late_regex
from policy.language.macros import Expander
from policy.language.numbers import integer_literal, saturated
from policy.transforms.rules import Rules, argument, expression
from policy.transforms.variables import Variables

#: What a rule's list may take; a list of more is refused.
MAX_PASSES: Final = 100_000

_KEYWORD: Final = late_regex(r"(?:^|(?<=[ \t]))(in|from|matching)(?=[ \t(\[]|$)", re.IGNORECASE)
_SLICE: Final = late_regex(r"\[[0-9:+-]*\][ \t]*")
_KIND: Final = late_regex(r"(files|dirs|any)\b[ \t]*", re.IGNORECASE)
_COUNT: Final = late_regex(r"([0-9]+)(?:[ \t]+|$)")
_PARTED: Final = late_regex(r"[ \t,]+")
_FIELDS: Final = late_regex(r"[ \t]*,[ \t]*|[ \t]+")
#: Without iteration.
ONCE: Final = {"Iterating": "0", "IsLinux": "1", "IsWindows": "0"}


class PassesError(Exception):
    """An argument of TRANSFORM that is none, or a list that cannot be read."""

    def __init__(self, rules: Rules, message: str) -> None:
        super().__init__(message)
        spot = rules.iteration.spot() if rules.iteration is not None else ()
        self.diagnostic = Diagnostic(message, *spot)


@frozen
class Files:
    """What lists are read from: ``read`` a file (None: there is none), ``match`` the names that a
    pattern matches, of ``files``, ``dirs`` or ``any``."""

    read: Callable[[str], str | None] = lambda path: None
    match: Callable[[str, str], list[str]] = lambda pattern, kind: []


def passes(rules: Rules, variables: Variables, files: Files | None = None) -> list[dict[str, str]]:
    """The variables of each pass, at least one; raises ``PassesError``.

    The argument sees no job, no variable, and no macro of the configuration.
    """
    if rules.iteration is None:
        return [ONCE]
    written = argument(rules.iteration)
    text = Expander(lambda name: None, variables.expander().call).expand(written).strip(" \t")
    if integer_literal(written) in (0, 1):
        return [ONCE]
    found = _KEYWORD.search(text.split("(")[0])
    if found is None:
        count = _counted(rules, text, variables)
        return [_live(step, 0, iterating=count > 1) for step in range(max(1, count))]
    before, behind = text[: found.start()].strip(" \t"), text[found.end() :].strip(" \t")
    count = 1
    number = _COUNT.match(before)
    if number is not None:
        count, before = max(1, saturated(number[1])), before[number.end() :]
    names = [name for name in _PARTED.split(before) if name]
    rows = _rows(rules, found[1].lower(), behind, files or Files())
    if count * len(rows) > MAX_PASSES:
        raise PassesError(rules, f"it makes more than {MAX_PASSES} passes")
    by_field = found[1].lower() == "from"
    return [
        {**_live(step, row), **_named(names, item, by_field)}
        for row, item in enumerate(rows)
        for step in range(count)
    ]


def _live(step: int, row: int, *, iterating: bool = True) -> dict[str, str]:
    return {
        **ONCE, "Step": str(step), "Row": str(row), "ItemIndex": str(row),
        "Iterating": str(int(iterating)),
    }  # fmt: skip


def _counted(rules: Rules, text: str, variables: Variables) -> int:
    """The number that an argument without a list is."""
    if not text:
        return 1
    tree = expression(text)
    value = None if tree is None else evaluate(tree, context=variables.context)
    if value.__class__ not in (bool, int, float) or value < 0:
        raise PassesError(rules, f"`{text}` is no number of passes and no list")
    if value > MAX_PASSES:
        raise PassesError(rules, f"it makes more than {MAX_PASSES} passes")
    return int(value)


def _named(names: list[str], item: str, by_field: bool) -> dict[str, str]:
    if not names:
        return {"Item": item}
    if not by_field:
        return {names[0]: item}
    fields = _FIELDS.split(item.strip(" \t"), len(names) - 1) if len(names) > 1 else [item]
    return dict(zip(names, [*fields, *[""] * len(names)], strict=False))


def _rows(rules: Rules, keyword: str, text: str, files: Files) -> list[str]:
    """The items; an empty list is one empty item."""
    kind = "any"
    if keyword == "matching":
        found = _KIND.match(text)
        if found is not None:
            kind, text = found[1].lower(), text[found.end() :]
    sliced = _SLICE.match(text)
    if sliced is not None:
        text = text[sliced.end() :]
    if not text:
        raise PassesError(rules, f"there is nothing behind `{keyword}`")
    if text.startswith("("):
        lines = _listed(rules, text)
    elif keyword == "from":
        content = files.read(text)
        if content is None:
            raise PassesError(rules, f"cannot read `{text}`")
        return content.splitlines() or [""]
    else:
        lines = [text]
    if keyword == "from":
        return [line.strip(" \t\r") for line in lines] or [""]
    items = [item for line in lines for item in _PARTED.split(line) if item]
    if keyword == "matching":
        items = [name for item in items for name in files.match(item, kind)]
    return items or [""]


def _listed(rules: Rules, text: str) -> list[str]:
    """The lines of a list in parentheses, which may go on behind the line of TRANSFORM."""
    if text.rstrip().endswith(")"):
        return [text[1 : text.rindex(")")]]
    lines = [text[1:]] if text[1:].strip() else []
    for line in _behind(rules):
        bare = line.strip(" \t\r")
        if bare.startswith(")"):
            return lines
        if not bare.startswith("#"):
            lines.append(bare)
    raise PassesError(rules, "there is no `)` that ends the list")


def _behind(rules: Rules) -> Iterable[str]:
    """The lines behind TRANSFORM; in a file blank ones count."""
    if rules.definition is not None or rules.iteration is None:
        return [line.text for line in rules.behind]
    source, _, end = rules.iteration.spot()
    return source.text[end:].split("\n")[1:]
