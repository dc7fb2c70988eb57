"""Every macro that influences a negotiation cycle, declared once, with its typed reader; never
opens a file.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from types import ModuleType
from typing import Final

from policy.data.tables import meanings, reader_rows
from policy.knobs import cycle, matching, shares
from policy.knobs.declaration import Knob, KnobKind, Need

__all__ = [
    "FAMILIES",
    "KNOBS",
    "PARTS",
    "Knob",
    "KnobKind",
    "Need",
    "declared",
    "find_knob",
    "table_defaults",
]


def declared(module: ModuleType) -> Iterable[Knob]:
    """The knobs that a module declares, in its order."""
    for value in vars(module).values():
        if isinstance(value, Knob):
            yield value
    yield from getattr(module, "HOUSEKEEPING", ())


#: The classes whose lines are fields of the policy read from knobs, in the order of the reading.
PARTS: Final = (matching.MatchingPolicy, cycle.CyclePolicy, shares.SharePolicy)
#: Macros whose declarations are remembered.
_MANY: Final = 10_000

_ALL: Final = tuple(knob for module in (matching, shares, cycle) for knob in declared(module))
#: Knobs with a name of their own, by case-folded name.
KNOBS: Final = {knob.name.casefold(): knob for knob in _ALL if not knob.is_family}
#: Families, longest fixed part first, so that GROUP_QUOTA_DYNAMIC_ precedes GROUP_QUOTA_.
FAMILIES: Final = tuple(
    sorted((knob for knob in _ALL if knob.is_family), key=lambda k: -len(k.name.split("<")[0]))
)
#: The same with what is around the member, and how long that is.
_AROUND: Final = [(knob, *knob.around, len("".join(knob.around))) for knob in FAMILIES]
#: What members of families begin with, and end in where the member comes first, case-folded.
_BEGINS: Final = tuple(head for _, head, _, _ in _AROUND if head)
_ENDS: Final = tuple(tail for _, head, tail, _ in _AROUND if not head)


@lru_cache(maxsize=_MANY)
def find_knob(macro: str) -> Knob | None:
    """The declaration that covers a macro: of its own, or of its family."""
    folded = macro.casefold()
    knob = KNOBS.get(folded)
    if knob is not None or not (folded.startswith(_BEGINS) or folded.endswith(_ENDS)):
        return knob
    for family, head, tail, size in _AROUND:
        if folded.startswith(head) and folded.endswith(tail) and len(folded) > size:
            return None if folded in _others() else family
    return None


@cache
def _others() -> frozenset[str]:
    """Macros of other meaning, some of which have the form of a family: DETECTED_CPUS_LIMIT."""
    return frozenset(name.casefold() for name in (*meanings(), *reader_rows()))


def table_defaults() -> dict[str, str]:
    """Defaults that stand in HTCondor's parameter table, by name."""
    return {
        knob.name: knob.default
        for knob in KNOBS.values()
        if knob.in_table and knob.default is not None
    }
