"""Describes clauses, the values in them, and changes.

Inputs: ``Clause``, ``Operand`` and ``Change`` values.  Outputs: blocks for
``pieslice.reports.layout``.  Follows: ``pieslice eval --why`` for the words about undefined names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from pieslice.reports.layout import Block, Line, short
from pieslice.reports.text import plural
from pieslice.why.change import Change
from pieslice.why.clauses import BUILT_IN, Clause, Operand

_REAL: Final = re.compile(r"\b\d\.\d{15}E[+-]\d{2,3}")
#: Clauses that are shown; JSON has all.
MAX_CLAUSES: Final = 8


def clause_blocks(title: str, clauses: tuple[Clause, ...]) -> list[Block]:
    """Each clause with its counts, and below it what it mentions."""
    if not clauses:
        return []
    found: list[Block] = [Line(title, heading=True)]
    for clause in clauses[:MAX_CLAUSES]:
        found.append(Line(f"  {clause.whose.value}: {tidy(clause.text)}"))
        counts = f"not true of {plural(clause.refuses, 'slot')}"
        if clause.alone:
            counts += f", {clause.alone} of them for no other cause"
        for kind, count in (("undefined", clause.undefined), ("an error", clause.error)):
            if count:
                counts += f"; {kind}{'' if count == clause.refuses else f' for {count}'}"
        found.append(Line(f"      {counts}"))
        found += operand_blocks(clause.operands)
    left = len(clauses) - MAX_CLAUSES
    if left > 0:
        found.append(Line(f"  and {plural(left, 'more clause')}; --json lists them all"))
    return found


def operand_blocks(operands: Iterable[Operand], *, present: bool = False) -> list[Block]:
    """A line for each name: whose it is and its values.  ``present``: only names that exist."""
    found: list[Block] = []
    for item in operands:
        if present and item.owner is None:
            continue
        owner = "in neither ad" if item.owner is None else f"of the {item.owner}"
        owner = BUILT_IN if item.owner == BUILT_IN else owner
        found.append(Line(f"      {item.name} ({owner}): {values_of(item)}"))
        if item.suggestion is not None:
            found.append(Line(f"        did you mean `{item.suggestion}`?", level="bad"))
        elif item.note is not None:
            found.append(Line(f"        {item.note}"))
    return found


def tidy(text: str) -> str:
    """An expression with its reals as people write them."""
    return _REAL.sub(lambda found: short(float(found[0])), text.strip())


def values_of(item: Operand) -> str:
    """The values; with the number of slots where there are several."""
    if len(item.values) == 1:
        return item.values[0][0]
    text = ", ".join(f"{value} in {count}" for value, count in item.values)
    if not item.others:
        return text
    if item.lowest is None or item.highest is None:
        return f"{text}, others in {item.others}"
    return f"{text}, from {short(item.lowest)} to {short(item.highest)} in {item.others} others"


def change_blocks(changes: tuple[Change, ...]) -> list[Block]:
    """What would help, best first."""
    if not changes:
        return []
    found: list[Block] = [Line("smallest change that makes more slots match", heading=True)]
    for change in changes:
        names = " and ".join(
            f"`{tidy(text)}` of the {whose.value}" for whose, text in change.clauses
        )
        gained = f"{_more(change.slots)}, such as {change.example}"
        if change.reachable < change.slots:
            gained += f" ({change.reachable or 'none'} of them available now)"
        found.append(Line(f"  without {names}: {gained}"))
        near = change.threshold
        if near is not None:
            found.append(
                Line(
                    f"    or {near.name} {near.relation} {short(near.needed)} (now "
                    f"{short(near.value)}): {_more(near.slots)}"
                )
            )
    return found


def _more(slots: int) -> str:
    return f"{slots} more slot{'' if slots == 1 else 's'}"
