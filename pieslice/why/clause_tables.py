"""Lays out clauses that were counted over slots: a table, and the values below each clause.

Inputs: ``Clause`` values.  Outputs: blocks for ``pieslice.reports.layout``.
"""

from __future__ import annotations

import re
from typing import Final

from classad.language.names import SIDES
from classad.patterns import late_regex
from pieslice.reports import layout
from pieslice.reports.layout import Block, Line, TextColumn, plural, short, shortened
from pieslice.why.clauses import Clause, ClauseOperand, Whose
from pieslice.why.lists import list_lines, tidy
from policy.universes import universe_name

_UNIVERSE: Final = "jobuniverse"
_SCOPE: Final = late_regex(r"\b(?:my|target)\.", re.IGNORECASE)
#: Clauses that are shown; JSON has all, and so has ``--clauses``.
MAX_CLAUSES: Final = 8
#: Clauses that are true of all slots, and how much of each is shown.
MAX_FINE: Final = 4
MAX_TEXT: Final = 44

_COLUMNS: Final = (
    TextColumn("true of", right=True),
    TextColumn("left", right=True),
    TextColumn("gain", right=True),
    TextColumn("clause", prose=True),
)


def clause_blocks(title: str, clauses: tuple[Clause, ...], *, every: bool = False) -> list[Block]:
    """A table of the clauses: slots of which it is true, left after it, gained without it.

    Below a clause are the values in it.  Clauses that are true of all slots are only listed.
    ``every``: all of them, each in full.
    """
    if not clauses:
        return []
    failing = [clause for clause in clauses if clause.refuses]
    worst = sorted(failing, key=lambda clause: -clause.refuses)
    worst = worst if every else worst[:MAX_CLAUSES]
    shown = [clause for clause in failing if clause in worst]
    blocks: list[Block] = [Line(title, heading=True)]
    if shown:
        told: set[str] = set()
        rows = tuple(row for clause in shown for row in _clause_rows(clause, told))
        blocks.append(layout.TextTable(_COLUMNS, rows))
    left = len(failing) - len(shown)
    if left > 0:
        blocks.append(Line(f"  and {plural(left, 'more clause')}; --clauses shows them"))
    for whose in Whose:
        fine = [tidy(c.text) for c in clauses if not c.refuses and c.whose is whose]
        if fine and every:
            blocks.append(Line(f"  true of all, of the {whose.value}:"))
            blocks += [Line(f"    {text}") for text in fine]
        elif fine:
            texts = ", ".join(shortened([text], MAX_TEXT)[0] for text in fine[:MAX_FINE])
            more = f" and {len(fine) - MAX_FINE} more" if len(fine) > MAX_FINE else ""
            blocks.append(Line(f"  true of all, of the {whose.value}: {texts}{more}"))
    return blocks


def _clause_rows(clause: Clause, told: set[str]) -> list[tuple[str, ...]]:
    """The counts of a clause, then what it mentions and was not ``told`` before.

    The job and the slot often say the same thing.
    """
    gained = f"+{clause.alone}" if clause.alone else "0"
    of = "" if clause.whose is Whose.JOB or clause.slots == clause.true else f" of {clause.slots}"
    counts = (f"{clause.true}{of}", str(clause.left), gained)
    rows: list[tuple[str, ...]] = [(*counts, f"{clause.whose.value}: {tidy(clause.text)}")]
    rest = f"the other {clause.refuses}" if clause.true else "all"
    facts = [
        f"{kind} in {count if count < clause.refuses else rest}"
        for kind, count in (("undefined", clause.undefined), ("an error", clause.error))
        if count
    ]
    facts += (
        _lacked(item, clause.whose) if clause.true and item.owner is None else mentioned(item)
        for item in clause.operands
    )
    known = {_SCOPE.sub("", fact) for fact in facts}
    if not known <= told:
        rows.append(("", "", "", f"  {'; '.join(facts)}"))
    told |= known
    for item in clause.operands:
        if item.suggestion is not None:
            rows.append(("", "", "", f"  did you mean `{item.suggestion}`?"))
    rows += [("", "", "", f"  {text}") for opened in clause.lists for text in list_lines(opened)]
    return rows


def mentioned(item: ClauseOperand) -> str:
    """A name and its values in the slots that are told of."""
    if item.owner is None:
        note = "" if item.note is None or item.suggestion is not None else f" ({item.note})"
        return f"{item.name} is in neither ad{note}"
    return f"{item.name} = {values_of(item)}"


def _lacked(item: ClauseOperand, whose: Whose) -> str:
    """Who lacks a name of a clause that is true of other slots: the job, or those it refuses."""
    scope, _, name = item.name.rpartition(".")
    side = SIDES.get(scope.lower())
    whom = "the job has no" if (side == "my") is (whose is Whose.JOB) else "these slots have no"
    return f"{'neither the job nor these slots have' if side is None else whom} `{name}`"


def _named(name: str, value: str) -> str:
    """A value; of JobUniverse with its name."""
    if name.rpartition(".")[2].lower() != _UNIVERSE or not value.isdecimal():
        return value
    return f"{value} ({universe_name(int(value))})"


def values_of(item: ClauseOperand) -> str:
    """The values; with the number of slots where there are several."""
    named = [(_named(item.name, value), count) for value, count in item.values]
    if len(named) == 1:
        return named[0][0]
    text = ", ".join(f"{value} in {count}" for value, count in named)
    if not item.others:
        return text
    text += f", others in {item.others}"
    if item.lowest is None or item.highest is None:
        return text
    return f"{text} (all from {short(item.lowest)} to {short(item.highest)})"
