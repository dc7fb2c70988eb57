"""Describes clauses, the values in them, and changes.

Inputs: ``Clause``, ``Operand`` and ``Change`` values.  Outputs: blocks for
``pieslice.reports.layout``.  Follows: ``pieslice eval --why`` for the words about undefined names.
"""

from __future__ import annotations

import re
from typing import Final

from pieslice.reports.layout import Block, Column, Line, Table, short, shortened
from pieslice.reports.text import plural
from pieslice.why.clauses.change import Change, NeededValue, NoHelp
from pieslice.why.clauses.funnel import Funnel
from pieslice.why.clauses.table import Clause, Operand, Whose, value_text
from pieslice.why.clauses.values import Plain

_REAL: Final = re.compile(r"\b\d\.\d{15}E[+-]\d{2,3}")
_SCOPE: Final = re.compile(r"\b(?:my|target)\.", re.IGNORECASE)
#: Clauses that are shown; JSON has all.
MAX_CLAUSES: Final = 8
#: Clauses that are true of all slots, and how much of each is shown.
MAX_FINE: Final = 4
MAX_TEXT: Final = 44


_COLUMNS: Final = (
    Column("true of", right=True),
    Column("left", right=True),
    Column("gain", right=True),
    Column("clause", prose=True),
)


def requirement_blocks(found: Funnel, pool: int) -> list[Block]:
    """The clauses of both sides over a pool of so many slots, and how many slots match."""
    seen = f"all {plural(pool, 'slot')}"
    if found.in_view < pool:
        seen = f"{found.in_view} of {plural(pool, 'slot')}: those that the cycle considers"
    blocks = clause_blocks(f"Requirements, over {seen}", found.clauses)
    gone = found.matching - found.matching_left
    end = f"  {plural(found.matching, 'slot')} match{'es' if found.matching == 1 else ''}"
    if gone:
        end += f", {gone} of them matched earlier in this cycle"
    return [*blocks, Line(end)]


def clause_blocks(title: str, clauses: tuple[Clause, ...]) -> list[Block]:
    """A table of the clauses: slots of which it is true, left after it, gained without it.

    Below a clause are the values in it.  Clauses that are true of all slots are only listed.
    """
    if not clauses:
        return []
    failing = [clause for clause in clauses if clause.refuses]
    worst = sorted(failing, key=lambda clause: -clause.refuses)[:MAX_CLAUSES]
    shown = [clause for clause in failing if clause in worst]
    blocks: list[Block] = [Line(title, heading=True)]
    if shown:
        told: set[str] = set()
        rows = tuple(row for clause in shown for row in _clause_rows(clause, told))
        blocks.append(Table(_COLUMNS, rows))
    left = len(failing) - len(shown)
    if left > 0:
        blocks.append(Line(f"  and {plural(left, 'more clause')}; --json lists them all"))
    for whose in Whose:
        fine = [c.text for c in clauses if not c.refuses and c.whose is whose]
        if fine:
            texts = ", ".join(shortened([tidy(text)], MAX_TEXT)[0] for text in fine[:MAX_FINE])
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
    facts = [
        f"{kind} in {count if count < clause.refuses else 'all'}"
        for kind, count in (("undefined", clause.undefined), ("an error", clause.error))
        if count
    ]
    facts += map(mentioned, clause.operands)
    known = {_SCOPE.sub("", fact) for fact in facts}
    if not known <= told:
        rows.append(("", "", "", f"  {'; '.join(facts)}"))
    told |= known
    for item in clause.operands:
        if item.suggestion is not None:
            rows.append(("", "", "", f"  did you mean `{item.suggestion}`?"))
    return rows


def mentioned(item: Operand) -> str:
    """A name and its values in the slots that are told of."""
    if item.owner is None:
        note = "" if item.note is None or item.suggestion is not None else f" ({item.note})"
        return f"{item.name} is in neither ad{note}"
    return f"{item.name} = {values_of(item)}"


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
    text += f", others in {item.others}"
    if item.lowest is None or item.highest is None:
        return text
    return f"{text} (all from {short(item.lowest)} to {short(item.highest)})"


def change_blocks(changes: tuple[Change, ...], no_help: tuple[NoHelp, ...] = ()) -> list[Block]:
    """What would help, best first, and what would not."""
    if not changes and not no_help:
        return []
    found: list[Block] = [Line("smallest change that makes more slots match", heading=True)]
    for change in changes:
        gained = f"{plural(change.slots, 'more slot')}, such as {change.example}"
        if change.available < change.slots:
            gained += f" ({change.available or 'none'} of them available now)"
        found.append(Line(f"  {_edits(change)}: {gained}"))
    for item in no_help:
        what = item.name[len("Request") :]
        tried = f"a smaller {item.name}" if item.tried is None else f"{item.name} = {item.tried}"
        found.append(
            Line(
                f"  {tried} would not help with {plural(item.slots, 'slot')}, such as"
                f" {item.example}: no {what} left there"
            )
        )
    return found


def _edits(change: Change) -> str:
    """What has to be changed."""
    values = [
        f"{item.name} {item.relation} {_plain(item.value)}{_now(item)}" for item in change.values
    ]
    gone = [f"`{tidy(text)}` of the {whose.value}" for whose, text in change.without]
    parts = [*values, *([f"without {' and '.join(gone)}"] if gone else [])]
    return " and ".join(parts)


def _now(item: NeededValue) -> str:
    now = "not set" if item.now is None else f"now {_plain(item.now)}"
    return f" ({now}{', in ' * bool(item.unit)}{item.unit})"


def _plain(value: Plain) -> str:
    """A value as it is written; numbers whole, since a digit less would not do."""
    if value.__class__ is float and value == int(value):
        return str(int(value))
    return repr(value) if value.__class__ is float else value_text(value)
