"""Writes into the ads of slots what their startds would publish under another configuration.

What both configurations publish alike stays as it was captured, and so does the rest of an ad: a
startd that reads its configuration again keeps its claims, with the rank that they were made with.
Slots that are held as columns stay so.

Inputs: slots in pool order, two configurations as startds see them.  Outputs: the slots, and what
was written into how many of them.
Follows: condor_reconfig of condor_startd 25.14.1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Final, TypeVar

from attr import define, field, frozen

from classad import ClassAd, refs
from classad.ads.ad import Stored
from classad.ads.expression import Expression
from classad.evaluate import EvalContext
from classad.formats.unparse import unparse_value
from classad.language.names import fold_name
from negotiator.model.loaded_slots import LoadedSlots, machines_of, slot_names
from negotiator.model.snapshot import machine_of
from policy.config import Config
from policy.language.expressions import parse
from policy.publishing import Published, SlotKind, local_startds, own_heads, published

T = TypeVar("T")
_START: Final = "Start"
#: What a startd has for the requirements of a slot.
_LIMITS: Final = "WithinResourceLimits"


@frozen
class AdvertisedChange:
    """An attribute that slots advertise otherwise; ``after`` is None for one that goes.

    ``before``: the texts that there were, "" for slots without.  ``macro``: what the text is from.
    """

    attribute: str
    macro: str
    before: tuple[str, ...]
    after: str | None
    slots: int
    machines: int


@frozen(eq=False)
class Reconfigured:
    """The slots, and what is new in them; ``machines``: those that have the configuration.

    ``untyped``: how many slots tell no type.  ``expressions``: what was written, by attribute.
    """

    slots: Sequence[ClassAd]
    changes: tuple[AdvertisedChange, ...]
    machines: frozenset[str]
    untyped: int
    expressions: tuple[tuple[str, Expression], ...]


def reconfigured_slots(
    slots: Sequence[ClassAd],
    before: Config,
    after: Config,
    where: Expression | None,
    context: EvalContext,
) -> Reconfigured:
    """The slots under the second configuration; ``where``: on which machines, by a slot's ad."""
    table = slots.table() if isinstance(slots, LoadedSlots) else None
    rows = _SlotAds(slots) if table is None else _Columns(slots)  # type: ignore[arg-type]
    names = rows.names()
    machines = _machines(rows, names, where, context)
    kinds = rows.each(_kind, ("SlotTypeID", "SlotID"))
    local = {**local_startds(before), **local_startds(after)}
    groups = _Groups(names, kinds, None if where is None else machines, local)
    edits = _Edits(rows, names)
    for kind, name in groups.alike(own_heads(before) | own_heads(after)):
        old, new = before.seen_by("STARTD", name), after.seen_by("STARTD", name)
        for one, is_new in differing(old, new, kind, context):
            edits.write(one, groups.rows(kind, name), only_where_missing=not is_new)
    edits.join_requirements()
    return Reconfigured(
        rows.slots(),
        tuple(edits.changes()),
        machines,
        sum(kind.type is None for kind in kinds),
        tuple(edits.expressions.items()),
    )


@define(eq=False)
class _Groups:
    """Slots by what decides which macros are for them; ``machines``: only theirs, None for all."""

    names: Sequence[str]
    kinds: Sequence[SlotKind]
    machines: Container[str] | None
    local: Mapping[str, str]
    _heads: Container[str] = ()
    _by_kind: dict[tuple[SlotKind, str | None], list[int]] | None = None

    def alike(self, heads: Container[str]) -> list[tuple[SlotKind, str | None]]:
        """The kinds and local names that there are; ``heads``: those that macros have."""
        self._heads = heads
        if self.machines is None and not self.local:
            kinds = dict.fromkeys({id(kind): kind for kind in self.kinds}.values())
            return list(dict.fromkeys((kind.only(heads), None) for kind in kinds))
        return list(dict.fromkeys((kind.only(heads), name) for kind, name in self._rows()))

    def rows(self, kind: SlotKind, name: str | None) -> list[int]:
        """The rows of one of them."""
        every = self._rows().items()
        wanted = [rows for key, rows in every if (key[0].only(self._heads), key[1]) == (kind, name)]
        return [row for rows in wanted for row in rows]

    def _rows(self) -> dict[tuple[SlotKind, str | None], list[int]]:
        if self._by_kind is None:
            self._by_kind = {}
            for row, kind in enumerate(self.kinds):
                machine = machine_of(self.names[row])
                if self.machines is None or machine in self.machines:
                    key = kind, self.local.get(machine.partition("@")[0])
                    self._by_kind.setdefault(key, []).append(row)
        return self._by_kind


def differing(
    before: Config, after: Config, kind: SlotKind, context: EvalContext
) -> Iterable[tuple[Published, bool]]:
    """What is published otherwise, with whether the second says something else than the first.

    What both say is only missing from a capture that left it out.
    """
    sides = [
        {fold_name(one.attribute): one for one in published(config, kind, context.language)}
        for config in (before, after)
    ]
    old, new = sides
    for key, one in new.items():
        was = old.get(key)
        if was is not None and was.text == one.text and was.is_set is one.is_set:
            if one.is_set and not one.is_policy:
                yield one, False
        elif one.is_set or (was is not None and was.is_set and was.text != one.text):
            yield one, True
    for key, was in old.items():
        if key not in new and was.is_set:
            yield Published(was.attribute, was.macro, "", None, is_set=True), True


def _kind(ad: ClassAd) -> SlotKind:
    return SlotKind(*(_integer(ad, name) for name in ("SlotTypeID", "SlotID")))


def _integer(ad: ClassAd, name: str) -> int | None:
    found = ad.get_number(name)
    return found if isinstance(found, int) else None


def _machines(
    rows: _SlotAds | _Columns, names: Sequence[str], where: Expression | None, context: EvalContext
) -> frozenset[str]:
    """The machines of which a slot fulfils the condition."""
    if where is None:
        return rows.machines()
    found = refs(where)

    def chosen(ad: ClassAd) -> bool:
        twin = ad.duplicate()
        twin.insert("_chosen", where)
        return twin.get_bool("_chosen", context=context) is True

    flags = rows.each(chosen, (*found.my, *found.unscoped))
    return frozenset(machine_of(name) for name, flag in zip(names, flags, strict=True) if flag)


# --- slots, one by one or as columns --------------------------------------------------------------


@define(eq=False)
class _SlotAds:
    """Slot ads; those that are changed are copied first."""

    _slots: Sequence[ClassAd]
    _own: dict[int, ClassAd] = field(factory=dict)

    def names(self) -> list[str]:
        return slot_names(self._slots)

    def machines(self) -> frozenset[str]:
        return machines_of(self._slots)

    def each(self, find: Callable[[ClassAd], T], reads: Iterable[str]) -> list[T]:
        """What is found in each ad."""
        return [find(self._own.get(row, ad)) for row, ad in enumerate(self._slots)]

    def cells(self, name: str) -> list[Stored | None]:
        """What each has for an attribute."""
        return self.each(lambda ad: ad.raw(name), ())

    def change(self, name: str, cells: Mapping[int, Stored | None]) -> None:
        for row, cell in cells.items():
            own = self._own.get(row)
            if own is None:
                own = self._own[row] = self._slots[row].duplicate()
            if cell is None:
                own.remove(name)
            else:
                own.insert(name, cell)

    def slots(self) -> Sequence[ClassAd]:
        if not self._own:
            return self._slots
        return tuple(self._own.get(row, ad) for row, ad in enumerate(self._slots))


@define(eq=False)
class _Columns:
    """Slots in columns; rows are counted in pool order."""

    _slots: LoadedSlots

    def names(self) -> list[str]:
        return self._slots.names

    def machines(self) -> frozenset[str]:
        return self._slots.machines

    def each(self, find: Callable[[ClassAd], T], reads: Iterable[str]) -> list[T]:
        """What is found in each ad; ``reads``: the attributes that matter."""
        table = self._slots.table()
        assert table is not None
        codes, values = table.apply(find, [*reads])
        return [values[codes[row]] for row in self._slots.order]

    def cells(self, name: str) -> list[Stored | None]:
        """What each has for an attribute."""
        table = self._slots.table()
        if table is None or not table.has(name):
            return [None] * len(self._slots)
        codes, values = table.cells(name)
        return [values[codes[row]] for row in self._slots.order]

    def change(self, name: str, cells: Mapping[int, Stored | None]) -> None:
        slots, order = self._slots, self._slots.order
        by_row = {order[place]: cell for place, cell in cells.items()}
        self._slots = LoadedSlots(slots.loaded.changed(name, by_row), order, slots.names)

    def slots(self) -> Sequence[ClassAd]:
        return self._slots


# --- what is written ------------------------------------------------------------------------------


@define
class _WrittenCell:
    """What was written of an attribute: texts before, and where."""

    before: dict[str, None] = field(factory=dict)
    slots: int = 0
    machines: set[str] = field(factory=set)


@define(eq=False)
class _Edits:
    """Writes attributes, and counts what is new."""

    rows: _SlotAds | _Columns
    names: Sequence[str]
    expressions: dict[str, Expression] = field(factory=dict)
    _written: dict[tuple[str, str, str | None], _WrittenCell] = field(factory=dict)
    _started: set[int] = field(factory=set)

    def write(self, one: Published, rows: Iterable[int], *, only_where_missing: bool) -> None:
        """Write an attribute into some slots."""
        cell = _stored(one.attribute, one.expression)
        if only_where_missing and cell is None:
            return
        there = self.rows.cells(one.attribute)
        after = None if cell is None else unparse_value(cell, old=True)
        texts: dict[int, str | None] = {}
        cells = {}
        for row in rows:
            old = there[row]
            text = texts.get(id(old), "")
            if text == "":
                text = texts[id(old)] = None if old is None else unparse_value(old, old=True)
            if text != after and not (only_where_missing and old is not None):
                cells[row] = cell
                if not only_where_missing:
                    self._note(one, row, text or "", after)
        if cells:
            self.rows.change(one.attribute, cells)
        if one.expression is not None and not only_where_missing:
            self.expressions[one.attribute] = one.expression
        if one.attribute == _START:
            self._started.update(cells)

    def _note(self, one: Published, row: int, before: str, after: str | None) -> None:
        key = (one.attribute, one.macro, after)
        written = self._written.get(key)
        if written is None:
            written = self._written[key] = _WrittenCell()
        written.before.setdefault(before)
        written.slots += 1
        written.machines.add(machine_of(self.names[row]))

    def join_requirements(self) -> None:
        """See that slots whose START is new require it, as those of startds do."""
        if not self._started:
            return
        there, limits = self.rows.cells("Requirements"), self.rows.cells(_LIMITS)
        required: dict[tuple[int, bool], str] = {}
        by_text: dict[str, list[int]] = defaultdict(list)
        for row in sorted(self._started):
            key = id(there[row]), limits[row] is not None
            text = required.get(key)
            if text is None:
                text = required[key] = _required(there[row], has_limits=key[1])
            by_text[text].append(row)
        by_text.pop("", None)
        for text, rows in by_text.items():
            one = Published("Requirements", "START", text, parse(text), is_set=True)
            self.write(one, rows, only_where_missing=False)
            del self.expressions["Requirements"]

    def changes(self) -> Iterable[AdvertisedChange]:
        """What was written, in order."""
        for (attribute, macro, after), one in self._written.items():
            yield AdvertisedChange(
                attribute, macro, tuple(one.before), after, one.slots, len(one.machines)
            )


def _required(old: Stored | None, *, has_limits: bool) -> str:
    """What a slot requires that requires START, too; empty if it does already."""
    if isinstance(old, Expression):
        found = refs(old)
        if any(fold_name(name) == "start" for name in found.my | found.unscoped):
            return ""
    if has_limits:
        return f"{_START} && {_LIMITS}"
    text = "true" if old is None else unparse_value(old, old=True)
    return _START if text == "true" else f"{_START} && ({text})"


def _stored(name: str, tree: Expression | None) -> Stored | None:
    """An expression as an ad keeps it."""
    if tree is None:
        return None
    ad = ClassAd()
    ad.insert(name, tree)
    return ad.raw(name)
