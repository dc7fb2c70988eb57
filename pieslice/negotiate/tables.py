"""Sums up by user, group and machine what a cycle does.

Decides what is summed up by whom.

Inputs: the ``Snapshot`` and the policy of a cycle, its ``CycleResult``.  Outputs: tables;
weights are slot weights, fill is the part of a machine's weight that is
claimed.  Follows: ``condor_userprio`` for the columns of quotas; the rest are sums over matches and
rejections.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypedDict

from attr import define, evolve, frozen

from classad.evaluate import EvalContext
from negotiator.engines import ENGINES, make_engines
from negotiator.model.arithmetic import add_up
from negotiator.model.result import (
    ROOT_GROUP,
    CycleResult,
    GroupSummary,
    Match,
    MatchKind,
    Rejection,
    SubmitterSummary,
)
from negotiator.model.snapshot import Snapshot, machine_of
from negotiator.pool.slots import Slot
from pieslice.between.leftovers import Starts
from pieslice.negotiate.waiting import AutoclusterRow
from pieslice.reports.document import shape, view
from pieslice.reports.result import DataTable
from policy.model import NegotiatorPolicy

#: What JSON calls the numbers of a submitter.
SUBMITTER: Final = (
    "group real_prio=real_priority prio_factor=priority_factor prio=effective_priority share limit"
    " usage usage_after floor ceiling idle_jobs running_jobs"
)


@define
class MatchSums:
    """What one user or one group gets and loses; weights are slot weights."""

    matched: int = 0
    weight: float = 0.0
    free: int = 0
    by_rank: int = 0
    by_priority: int = 0
    lost: int = 0
    lost_weight: float = 0.0
    refused: int = 0
    #: Jobs that start, also on what matches leave of slots.
    starts: int = 0

    def take(self, match: Match) -> None:
        self.matched += 1
        self.weight += match.cost
        self.free += match.kind is MatchKind.NONE
        self.by_rank += match.kind is MatchKind.RANK
        self.by_priority += match.kind is MatchKind.PRIORITY

    def lose(self, match: Match) -> None:
        self.lost += 1
        self.lost_weight += match.cost


@frozen
class UserRow:
    """What a submitter gets and loses; idle jobs and usage are None without a submitter ad."""

    user: str
    item: SubmitterSummary | None
    sums: MatchSums

    @property
    def group(self) -> str:
        """The accounting group."""
        return "" if self.item is None else self.item.group


@frozen
class GroupRow:
    """The same of an accounting group, members of groups below not counted in."""

    group: str
    item: GroupSummary | None
    sums: MatchSums


@frozen
class MachineRow:
    """How much of a machine's slot weight is claimed before and after, and the part that it is."""

    machine: str
    slots: int
    weight: float
    claimed: float
    fill: float | None
    matched: int
    starts: int
    preempted: int
    claimed_after: float
    fill_after: float | None


@view("seq submitter schedd job count of slot kind preempted cost pie spin")
class MatchRow:
    """A match."""

    match: Match


@view("submitter schedd job reason=text pie spin")
class RejectionRow:
    """A request that found no slot."""

    rejection: Rejection


@view(f"submitter=name {SUBMITTER}")
class SubmitterRow:
    """A submitter and its slice of the pie."""

    item: SubmitterSummary


@view(
    "group=name effective_quota=quota config_quota surplus subtree_quota requested usage"
    " usage_after"
)
class QuotaRow:
    """A group with its quotas, as ``condor_userprio -quotas`` has them."""

    group: GroupSummary


_SUMS: Final = (
    "matched=sums.matched starts=sums.starts matched_weight=sums.weight free=sums.free"
    " by_rank=sums.by_rank by_priority=sums.by_priority lost=sums.lost"
    " lost_weight=sums.lost_weight refused=sums.refused"
)
shape(UserRow, f"user group idle_jobs=item.idle_jobs usage=item.usage {_SUMS}")
shape(GroupRow, f"group quota=item.quota usage=item.usage {_SUMS}")


def user_rows(result: CycleResult, starts: Starts) -> list[UserRow]:
    """What each user gets and loses."""
    sums = sums_by(result, lambda name: name, starts)
    known = {item.name: item for item in result.submitters}
    return [
        UserRow(name, known.get(name), sums.get(name, MatchSums()))
        for name in dict.fromkeys((*known, *sums))
    ]


def _group_rows(result: CycleResult, starts: Starts) -> list[GroupRow]:
    of_user = {item.name: item.group for item in result.submitters}
    known = {item.name: item for item in result.groups}
    sums = sums_by(result, lambda name: of_user.get(name, _group_of(name, known)), starts)
    return [
        GroupRow(name, known.get(name), sums.get(name, MatchSums()))
        for name in dict.fromkeys((*known, *sums))
    ]


def _group_of(user: str, groups: Iterable[str]) -> str:
    """The group of somebody without a submitter ad: the longest name that leads to the user."""
    inside = [name for name in groups if user.lower().startswith(f"{name.lower()}.")]
    return max(inside, key=len, default=ROOT_GROUP)


def sums_by(
    result: CycleResult, of: Callable[[str], str], starts: Starts | None = None
) -> dict[str, MatchSums]:
    """The sums by user, or by what ``of`` makes of a user's name."""
    found: dict[str, MatchSums] = {}
    for match in result.matches:
        found.setdefault(of(match.submitter), MatchSums()).take(match)
        if match.preempted is not None:
            found.setdefault(of(match.preempted), MatchSums()).lose(match)
    for rejection in result.rejections:
        found.setdefault(of(rejection.submitter), MatchSums()).refused += 1
    shown = {match.submitter for match in result.matches}
    for submitter, _, _ in () if starts is None else starts.jobs:
        if submitter in shown:
            found[of(submitter)].starts += 1
    return found


def autocluster_table(rows: Iterable[AutoclusterRow]) -> DataTable:
    """What waiting jobs can use of the idle slots, by autocluster."""
    return DataTable.of("by autocluster", AutoclusterRow, rows)


def machine_table(
    snapshot: Snapshot, policy: NegotiatorPolicy, result: CycleResult, starts: Starts
) -> DataTable:
    """How full each machine is before the cycle, and when all has started that it makes start."""
    rows = machine_rows(snapshot, policy, result, starts)
    return DataTable.of("by machine", MachineRow, rows)


def machine_rows(
    snapshot: Snapshot, policy: NegotiatorPolicy, result: CycleResult, starts: Starts
) -> list[MachineRow]:
    """The same machine by machine."""
    context = EvalContext(now=result.now, language=policy.language)
    machines: dict[str, list[Slot]] = {}
    engines = make_engines(ENGINES[0])
    for slot in engines.fetch(snapshot.slots, snapshot.claims, policy, context, False):
        machines.setdefault(machine_of(slot.name), []).append(slot)
    by_slot: dict[str, list[Match]] = {}
    for match in result.matches:
        by_slot.setdefault(match.slot, []).append(match)
    started = Counter(machine_of(slot) for slot in starts.jobs.values())
    return [
        _machine_row(name, slots, by_slot, started[name], starts.weights)
        for name, slots in sorted(machines.items())
    ]


def _is_backfill(slot: Slot) -> bool:
    """Whether it has what other slots have; no ad is made where the attribute is a value."""
    value = slot.raw("BackfillSlot")
    if value is None or value.__class__ is bool:
        return value is True
    return slot.ad.get_bool("BackfillSlot") is True


def _machine_row(
    name: str,
    slots: Sequence[Slot],
    by_slot: Mapping[str, list[Match]],
    started: int,
    weights: Mapping[str, float],
) -> MachineRow:
    # Backfill slots have what the primary ones have, too.
    primary = [slot for slot in slots if not _is_backfill(slot)]
    weight = add_up(slot.weight for slot in primary or slots)
    # A slot that is divided has only its rest left to give.
    held = [slot for slot in slots if slot.state in ("Claimed", "Preempting")]
    claimed = add_up(slot.weight for slot in held if not slot.partitionable)
    matches = [match for slot in slots for match in by_slot.get(slot.name, ())]
    # Of a slot that is divided what starts there is claimed, not what the match was charged.
    free = {match.slot: match.cost for match in matches if match.kind is MatchKind.NONE}
    taken = add_up(weights.get(slot, cost) for slot, cost in free.items())
    lost = sum(1 for match in matches if match.kind is not MatchKind.NONE)
    after = claimed + taken
    return MachineRow(
        name,
        len(slots),
        weight,
        claimed,
        _part(claimed, weight),
        len(matches),
        started,
        lost,
        after,
        _part(after, weight),
    )


def _part(some: float, whole: float) -> float | None:
    return None if whole <= 0 else some / whole


#: The tables that the result of a cycle has, by their names: titles, classes and makers of rows.
_TABLES: Final[Mapping[str, tuple[str, type, Callable[[CycleResult], Iterable[object]]]]] = {
    "quotas": ("quotas", QuotaRow, lambda result: map(QuotaRow, result.groups)),
    "submitters": ("submitters", SubmitterRow, lambda result: map(SubmitterRow, result.submitters)),
    "matches": ("matches", MatchRow, lambda result: map(MatchRow, result.matches)),
    "rejections": ("rejections", RejectionRow, lambda result: map(RejectionRow, result.rejections)),
}
#: Those that also say what starts.
STARTING: Final[
    Mapping[str, tuple[str, type, Callable[[CycleResult, Starts], Iterable[object]]]]
] = {
    "users": ("by user", UserRow, user_rows),
    "groups": ("by group", GroupRow, _group_rows),
}


#: What people say of the ways of a match for which JSON has another word.
_WAYS: Final = {MatchKind.NONE.value: "free"}


def in_words(table: DataTable) -> DataTable:
    """The table with the ways of matches as people say them; JSON and CSV have ``none``."""
    if "kind" not in table.columns:
        return table
    place = table.columns.index("kind")
    rows = (
        (*row[:place], _WAYS.get(str(row[place]), row[place]), *row[place + 1 :])
        for row in table.rows
    )
    return evolve(table, rows=tuple(rows))


def table_of_cycle(name: str, result: CycleResult, starts: Starts) -> DataTable:
    """A table of a cycle, but those of machines and autoclusters."""
    if name in STARTING:
        title, kind, made = STARTING[name]
        return DataTable.of(title, kind, made(result, starts))
    title, kind, rows = _TABLES[name]
    return DataTable.of(title, kind, rows(result))


class Tables(TypedDict, total=False):
    """The tables of a cycle that were asked for."""

    users: Sequence[UserRow]
    groups: Sequence[GroupRow]
    autoclusters: Sequence[AutoclusterRow]
    machines: Sequence[MachineRow]
    quotas: Sequence[QuotaRow]
    submitters: Sequence[SubmitterRow]
    matches: Sequence[MatchRow]
    rejections: Sequence[RejectionRow]
