"""Lists the knobs of a negotiator as an editor shows them: value, default, a range to drag in.

Decides which knobs matter in a configuration, and between which numbers somebody would try one.

Inputs: a ``Config``, findings about it.  Outputs: ``ShownKnob`` values: those that it sets, in
their order, those that findings name, then all others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal

from attr import evolve, frozen

from classad.errors import Diagnostic
from classad.patterns import late_regex
from policy.config import Config
from policy.editing.subjects import reader_of
from policy.explain.settings import ListedMacro, listed
from policy.knobs import KNOBS, find_knob
from policy.knobs.declaration import Knob, KnobKind
from policy.language.table import DETECTED_ORIGIN

#: A range ends at so many times the value, or the default.
_TIMES: Final = 4
#: It has the default, too, if that is not so many times as far.
_FAR: Final = 25
#: A range has about so many steps.
_STEPS: Final = 200
#: A greater bound is none that somebody would try.
_BOUND: Final = 1e6
_NUMBERS: Final = (KnobKind.INT, KnobKind.DOUBLE, KnobKind.LEADING)
_ASSIGNED: Final = late_regex(r"^[ \t]*([\w.]+)[ \t]*(?:=|$)", re.MULTILINE)

Control = Literal["switch", "slider", "text"]


@frozen
class Range:
    """Numbers to drag between, and the least difference of two of them."""

    low: float
    high: float
    step: float


@frozen
class ShownKnob:
    """A knob: the macro, how it is changed, its text here, None where nothing defines it.

    ``why``: ``set``, ``finding`` or empty.  ``acts``: whether a cycle is decided by it.  ``range``
    of a slider.
    """

    macro: ListedMacro | None
    name: str
    control: Control
    doc: str
    unit: str
    default: str | None
    value: str | None
    acts: bool
    why: Literal["set", "finding", ""]
    range: Range | None = None


def shown_knobs(
    config: Config, findings: Iterable[Diagnostic] = (), *, every: bool = False
) -> Iterator[ShownKnob]:
    """Those that are set or that findings name; with ``every`` all others, too."""
    seen: set[str] = set()
    for definition in config.scope.table:
        knob = find_knob(reader_of(config, definition.name).macro)
        if knob is None or definition.origin == DETECTED_ORIGIN:
            continue
        seen.add(definition.name.casefold())
        macro = evolve(listed(config, definition.name, definition), definition=definition)
        yield _shown(knob, definition.name, macro, "set")
    for name in (*_named(findings), *(knob.name for knob in KNOBS.values() if every)):
        knob = find_knob(name)
        if knob is None or knob.is_family or name.casefold() in seen:
            continue
        seen.add(name.casefold())
        written = config.lookup(knob.name)
        known = None if written is None else listed(config, knob.name, written)
        yield _shown(knob, knob.name, known, "" if every else "finding")


def _named(findings: Iterable[Diagnostic]) -> Iterator[str]:
    """The macros that repairs of findings name."""
    for one in findings:
        if one.edit is not None:
            yield from _ASSIGNED.findall(one.edit.text)


def _shown(
    knob: Knob, name: str, macro: ListedMacro | None, why: Literal["set", "finding", ""]
) -> ShownKnob:
    value = None if macro is None else macro.value
    default = knob.default if macro is None else macro.default
    number, standard = _number(value), _number(default)
    control: Control = "text"
    span = None
    if knob.kind is KnobKind.BOOL:
        control = "switch"
    elif knob.kind in _NUMBERS and (number is not None or standard is not None):
        control, span = "slider", _range(knob, number, standard)
    return ShownKnob(
        macro, name, control, knob.doc, knob.unit, default, value, knob.honoured, why, span
    )


def _number(text: str | None) -> float | None:
    try:
        found = float(text or "")
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _range(knob: Knob, value: float | None, default: float | None) -> Range:
    """From the least to the greatest number that somebody would try, the value between them."""
    here = [it for it in (value, default) if it is not None]
    most = _TIMES * (abs(here[0]) or 1.0)
    # Up to the default, too, where that is a number of the same kind.
    most = max([most, *(it for it in here if it <= _FAR * most)])
    low, high = knob.minimum or 0.0, most
    if knob.maximum is not None and knob.maximum <= _BOUND:
        high = knob.maximum if knob.maximum <= 1 else min(high, knob.maximum)
    if knob.plausible is not None:
        high = min(high, knob.plausible[1])
    low, high = min(low, here[0]), max(high, here[0])
    step = _nice((high - low) / _STEPS)
    whole = knob.kind is KnobKind.INT or (high > _STEPS / 20 and all(it == int(it) for it in here))
    return Range(low, high, max(1.0, step) if whole else step)


def _nice(step: float) -> float:
    """The greatest of 1, 2 and 5 times a power of ten that is no more."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(size * power for size in (5, 2, 1) if size * power <= step * (1 + 1e-9))
