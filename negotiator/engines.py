"""Chooses the engine that finds candidates: the only importer of ``negotiator.columns``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from classad.table import Table
    from negotiator.matching.engine import Engines
    from negotiator.pool.slots import Slots


def make_engines(name: str, *, lasting: bool = False, sparing: bool = False) -> Engines:
    """Engines by their name.

    ``lasting``: for more than one cycle; ``sparing``: which keep for later not much more than what
    one cycle needs.
    """
    if name not in ENGINES:
        raise ValueError(f"no engine `{name}`; there are {', '.join(ENGINES)}")
    if name == "reference":
        from negotiator.matching.engine import Engines

        return Engines()
    from negotiator.columns.engines import ColumnEngines

    return ColumnEngines(lasting=lasting, sparing=sparing)


def table_of(slots: Slots) -> Table:
    """The ads of slots as they are at this moment, as the rows of a table."""
    from classad.table import Table
    from negotiator.columns.slots import ColumnSlots

    return slots.table() if isinstance(slots, ColumnSlots) else Table(slot.ad for slot in slots)


#: How candidates are found; see ``negotiator.matching.engine``.
ENGINES: Final = ("columns", "reference")
