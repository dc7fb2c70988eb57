"""Runs all checks on a configuration and puts their findings in order.

The declarations of findings stand beside the checks; docs/findings.md is made from them.
Inputs: a ``Config`` and what ``policy.load`` made of it.  Outputs: diagnostics with ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from typing import Final

from classad.errors import Diagnostic
from policy.config import Config
from policy.knobs.reading import EXPANDED
from policy.language.about import UNQUOTED, about
from policy.lint import (
    attributes,
    choices,
    companions,
    comparisons,
    depths,
    groups,
    holes,
    lists,
    names,
    overrides,
    preemption,
    ranks,
    reading,
    security,
    silence,
    slips,
    slots,
    support,
    texts,
    transforms,
    units,
    upgrade,
    wholes,
)
from policy.lint.endings import Ending, as_findings, find_endings, find_late, negotiator_loads
from policy.lint.expressions import expressions_in
from policy.lint.finding import Finding
from policy.lint.view import View, view
from policy.load import PolicyLoad

__all__ = ["FINDINGS", "SECTIONS", "Finding", "lint"]

#: Where the declarations stand, and what a section of the documentation calls them.
SECTIONS: Final[tuple[tuple[str, ModuleType], ...]] = (
    ("Reading", reading),
    ("References", holes),
    ("Words and bounds", choices),
    ("Names", names),
    ("Lists of names", lists),
    ("Prefixes and second assignments", overrides),
    ("Security", security),
    ("Macros that need others", companions),
    ("Types of slots", slots),
    ("Transforms", transforms),
    ("Groups", groups),
    ("Attributes and functions", attributes),
    ("Comparisons", comparisons),
    ("Whole conditions", wholes),
    ("Slips", slips),
    ("Texts", texts),
    ("Depth", depths),
    ("Ranks", ranks),
    ("Preemption", preemption),
    ("Units", units),
    ("Versions", upgrade),
    ("Silencing", silence),
    ("What pieslice does not do", support),
)


def declared(module: ModuleType) -> Iterator[Finding]:
    """The findings that a module declares, by their numbers."""
    found = (value for value in vars(module).values() if isinstance(value, Finding))
    return iter(sorted(found, key=lambda one: one.id))


#: All findings by number.
FINDINGS: Final = {found.id: found for _, module in SECTIONS for found in declared(module)}


def lint(config: Config) -> list[Diagnostic]:
    """All findings in a configuration, in the order of its files and lines."""
    seen = view(config)
    loads = negotiator_loads(seen)
    return all_findings(seen, loads, find_endings(seen, loads))


def all_findings(
    seen: View, loads: Mapping[str | None, PolicyLoad], endings: Iterable[Ending]
) -> list[Diagnostic]:
    """The same, over models that are made already."""
    config = seen.config
    passed = [item for loaded in loads.values() for item in loaded.diagnostics]
    everything = tuple(expressions_in(seen))
    expressions = tuple(one for one in everything if not one.is_too_deep)
    found = [
        *(reading.numbered(item, reading=True) for item in config.diagnostics),
        *(reading.numbered(item, reading=False) for item in as_findings(endings)),
        *(reading.numbered(item, reading=False) for item in passed if _is_told(seen, item)),
        *find_late(seen),
        *reading.check_values(seen),
        *names.check_names(seen),
        *holes.check_holes(seen),
        *(found for kind in FINDINGS.values() for found in kind.check_settings(seen)),
        *lists.check_lists(seen),
        *slots.check_slots(seen),
        *transforms.check_transforms(seen),
        *groups.check_groups(seen),
        *attributes.check_attributes(seen, expressions),
        *comparisons.check_comparisons(seen, expressions),
        *slips.check_slips(seen, expressions),
        *texts.check_texts(expressions),
        *depths.check_depths(everything),
        *ranks.check_ranks(expressions),
        *units.check_units(seen, expressions),
        *preemption.check_preemption(seen, expressions),
        *wholes.check_wholes(expressions),
        *(item for loaded in loads.values() for item in support.check_support(loaded)),
    ]
    reading.note_lost_backslashes(found)
    left = list(silence.apply(_once(found), config.texts, FINDINGS))
    reading.note_other_languages(left)
    order = {name: position for position, name in enumerate(config.files)}
    return sorted(left, key=lambda item: _place(item, order))


def _is_told(seen: View, item: Diagnostic) -> bool:
    """Is it no ending, and about a place?  A map that is missing is told where it is listed."""
    if reading.is_own_limit(seen, about(item).macro):
        return False
    return item.severity != "error" and item.source is not None


def _once(found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Without what two checks say of the same place."""
    seen = set()
    for item in found:
        is_unquoted = about(item).kind == UNQUOTED
        if item.source is not None and not item.source.quoted and not is_unquoted:
            continue  # the words of a file that is not quoted
        name = None if item.source is None else item.source.name
        # All lines that are not quoted have the same message.
        kind = item.severity if is_unquoted else None
        key = (name, item.line, item.column, item.message.casefold(), kind)
        if key not in seen:
            seen.add(key)
            yield item


def _place(item: Diagnostic, order: dict[str, int]) -> tuple[int, int, int, str]:
    if item.source is None:
        return len(order), 0, 0, item.id or ""
    name = item.source.name.removesuffix(EXPANDED)
    return order.get(name, len(order)), item.line or 0, item.column or 0, item.id or ""
