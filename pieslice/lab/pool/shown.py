"""Puts answers into the form in which the page shows them.

Inputs: blocks of reports, trials.  Outputs: plain values for JSON.
"""

from __future__ import annotations

from typing import Final

from classad.analysis.parts import ShownPart
from classad.patterns import late_regex
from pieslice.api.errors import Error
from pieslice.api.session import Trial
from pieslice.data import JsonObject
from pieslice.reports.layout import Block, Drawn, Line, TextTable

#: Characters of a line of what is drawn for a terminal.
_WIDTH: Final = 76
#: A real as ClassAds print it.
_REAL: Final = late_regex(r"\b\d\.\d{15}E[+-]\d{2,3}\b")
#: In the place of an answer about a policy that nobody starts with.
REFUSED: Final[JsonObject] = {
    "line": "the daemons would not start with this policy",
    "level": "bad",
}


def shown_block(block: Block) -> JsonObject:
    """A part of an answer for the page."""
    if isinstance(block, TextTable):
        return {
            "columns": [f"{it.title} {it.unit}".strip() for it in block.columns],
            "right": [it.right for it in block.columns],
            "bar": [it.bar for it in block.columns],
            "name": [it.name for it in block.columns],
            "rows": [list(row) for row in block.rows],
        }
    if isinstance(block, Line):
        level = "heading" if block.heading else block.level
        return {"line": block.text.lstrip(), "level": level, "indent": _indent(block.text)}
    if isinstance(block, Drawn):
        return {"drawn": list(block.draw(_WIDTH))}
    return {"label": block.label.strip(), "words": list(block.words)}


def shown_expressions(trial: Trial, job: str, slot: str | None) -> JsonObject:
    """What a cycle asks of a job and a slot, part by part."""
    if not trial.starts:
        return {"slot": None, "none": REFUSED["line"], "expressions": []}
    try:
        found = trial.expressions(job, slot)
    except Error as problem:
        return {"slot": None, "none": str(problem), "expressions": []}
    return {
        "slot": found.slot,
        "none": found.none,
        "expressions": [
            {"name": one.name, "test": one.test, "root": _part(one.explanation.shown(old=True))}
            for one in found.expressions
        ],
    }


def _part(part: ShownPart) -> JsonObject:
    """A part without the literals in it, which its text has."""
    return {
        "text": _numbers(part.text),
        "value": _numbers(part.value),
        "remark": part.remark,
        "below": [_part(one) for one in part.below if one.value or one.below],
    }


def _numbers(text: str) -> str:
    """Reals as people write them."""
    return _REAL.sub(lambda found: f"{float(found[0]):.15g}", text)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
