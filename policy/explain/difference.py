"""Compares two policies, macro by macro.

Inputs: two ``Config`` values.  Outputs: ``Comparison``: differences in the order of the knobs'
declarations, and macros that are written differently and mean the same (``policy.explain.meaning``
says when they do).
"""

from __future__ import annotations

from typing import Final

from attr import frozen

from policy.config import Config
from policy.explain.meaning import Meaning, default_text, kind_of, macro_of, meaning
from policy.explain.sentences import Origin, origin_of
from policy.knobs import KNOBS, find_knob
from policy.knobs.declaration import Knob, KnobKind, Need
from policy.knobs.fields import config_for
from policy.knobs.other_daemons import OTHER_KNOBS
from policy.language.macros import ExpansionError
from policy.language.table import DETECTED_ORIGIN

#: Kinds whose default stands in for an empty text.
_NEVER_EMPTY: Final = (KnobKind.BOOL, KnobKind.INT, KnobKind.DOUBLE, KnobKind.LEADING)


@frozen
class MacroSide:
    """What one of the two says: the expanded text (None: not defined) and its origin."""

    text: str | None
    raw: str | None
    origin: Origin
    problem: str = ""

    def __str__(self) -> str:
        if self.problem:
            return f"{self.problem}  [{self.origin.place()}]"
        if self.text is None:
            return "not defined"
        return f"{' '.join(self.text.split()) or 'empty'}  [{self.origin.place()}]"


@frozen
class Difference:
    """A macro that means something else in the two policies."""

    macro: str
    doc: str
    left: MacroSide
    right: MacroSide


@frozen
class Comparison:
    """``different``: with another meaning; ``reworded``: the same, in other words; ``beyond``:
    macros that differ and belong to no policy."""

    different: tuple[Difference, ...]
    reworded: tuple[str, ...]
    beyond: tuple[str, ...]


def compare(left: Config, right: Config, *, everything: bool = False) -> Comparison:
    """Compare two configurations for the same reader; ``everything``: macros of no policy, too."""
    different: list[Difference] = []
    reworded: list[str] = []
    beyond: list[str] = []
    for macro in _macros(left, right):
        knob = find_knob(macro)
        doc = _doc(knob, macro)
        first, second = _side(left, knob, macro), _side(right, knob, macro)
        if _meaning(left, macro, first) == _meaning(right, macro, second):
            if (first.text or "").split() != (second.text or "").split():
                reworded.append(macro)
        elif doc or everything:
            different.append(Difference(macro, doc, first, second))
        else:
            beyond.append(macro)
    return Comparison(tuple(different), tuple(reworded), tuple(beyond))


def _macros(left: Config, right: Config) -> list[str]:
    """The knobs in the order of their declaration, then what else is set, by name."""
    names = {folded: knob.name for folded, knob in KNOBS.items()}
    more: dict[str, str] = {}
    for config in (left, right):
        for entry in config.scope.table:
            if entry.origin != DETECTED_ORIGIN:
                macro = macro_of(config, entry)
                more.setdefault(macro.casefold(), macro)
    return [*names.values(), *(more[name] for name in sorted(more) if name not in names)]


def _doc(knob: Knob | None, macro: str) -> str:
    """What the macro is for; empty if it belongs to no policy."""
    if knob is None:
        knob = OTHER_KNOBS.get(macro.rpartition(".")[2].casefold())
        return f"{knob.doc}; read by the {knob.read_by.lower()}" if knob and knob.doc else ""
    reader = "" if knob.read_by == "NEGOTIATOR" else f"; read by the {knob.read_by.lower()}"
    effect = "; no effect on one cycle" if knob.need is Need.IRRELEVANT else ""
    return f"{knob.doc}{reader}{effect}"


def _side(config: Config, knob: Knob | None, macro: str) -> MacroSide:
    if knob is not None:
        config = config_for(config, knob)
    definition = config.lookup(macro)
    if definition is None:
        return MacroSide(default_text(config, knob, macro), None, Origin(macro))
    origin = origin_of(macro, definition)
    try:
        text = config.expand(definition).text
    except ExpansionError as endless:
        return MacroSide(definition.raw, definition.raw, origin, str(endless))
    return MacroSide(text, definition.raw, origin)


def _meaning(config: Config, macro: str, side: MacroSide) -> Meaning:
    text = side.text
    if text is not None and not text.strip() and kind_of(macro) in _NEVER_EMPTY:
        text = default_text(config, find_knob(macro), macro)
    return ("nothing",) if text is None else meaning(config, macro, text)
