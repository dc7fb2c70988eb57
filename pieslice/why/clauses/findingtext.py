"""Says what of a condition is true or not, with its arithmetic done.

Inputs: ``Finding`` values.  Outputs: lines of text; blocks for ``pieslice.reports.layout``.
"""

from __future__ import annotations

from typing import Final

from pieslice.reports.layout import Block, Line, rounded
from pieslice.why.clauses.findings import Comparison, Finding
from pieslice.why.clauses.text import tidy

#: Lines that a condition may take of the head; its whole tree comes later.
MAX_LINES: Final = 3
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth")


def near_lines(found: Finding) -> list[Block]:
    """What decides a condition, in a few lines for the head of an answer."""
    lines: list[Block] = [Line(f"    {line}") for line in finding_lines(found)]
    if len(lines) <= MAX_LINES:
        return lines
    return [*lines[: MAX_LINES - 1], Line(f"    and {len(lines) - MAX_LINES + 1} more parts")]


def finding_lines(found: Finding) -> list[str]:
    """Which parts make the condition true, or keep it from being true."""
    if not found.parts:
        return [leaf_text(found)]
    if found.joined == "||":
        return _alternatives(found)
    deciding = [part for part in found.parts if part.true is found.true]
    return [line for part in deciding for line in finding_lines(part)]


def _alternatives(found: Finding) -> list[str]:
    """Of a disjunction the true half, or what each lacks."""
    count = len(found.parts)
    what = "half" if count == 2 else "part"
    lines = []
    for number, part in enumerate(found.parts):
        if part.true is not found.true:
            continue
        name = _ORDINALS[number] if number < len(_ORDINALS) else f"{number + 1}th"
        lead = f"{name} {what} of ||: "
        lines += [
            f"{lead}{line}" if i == 0 else f"  {line}" for i, line in enumerate(finding_lines(part))
        ]
    return lines


def leaf_text(found: Finding) -> str:
    """``120 > 120 is false: 1 s short``, after what stands in the policy."""
    made = found.comparison
    if made is None:
        return f"{tidy(found.text)} is {found.value}"
    value = "true" if found.true else "false"
    return f"{tidy(found.text)}: {comparison_text(made)} is {value}{_margin(made, found.true)}"


def comparison_text(made: Comparison) -> str:
    """Both sides as numbers."""
    return f"{_number(made.left)} {made.operator} {_number(made.right)}"


def _margin(made: Comparison, true: bool) -> str:
    unit = f" {made.unit}" if made.unit else ""
    if true:
        return f" by {_number(made.by)}{unit}" if made.by else ""
    if not made.by:
        return ": equal is not enough"
    wants_more = made.operator in (">", ">=")
    return f": {_number(-made.by)}{unit} {'short' if wants_more else 'too much'}"


def _number(value: float) -> str:
    """Whole numbers whole, others to six digits."""
    return str(value) if isinstance(value, int) else rounded(value)
