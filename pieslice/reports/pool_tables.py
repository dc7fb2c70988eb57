"""MatchSums up by user, group and machine what a cycle does.

Decides what is summed up by whom.

Inputs: the ``Snapshot`` and the policy of a cycle, its ``CycleResult``.  Outputs: rows of plain
values under column names; weights are slot weights, fill is the part of a machine's weight that is
claimed.  Follows: ``condor_userprio`` for the columns of quotas; the rest are sums over matches and
rejections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from attr import define, frozen

from classad.evaluate import EvalContext
from negotiator.engines import ENGINES, make_engines
from negotiator.model.arithmetic import add_up
from negotiator.model.result import ROOT_GROUP, CycleResult, Match, MatchKind
from negotiator.model.snapshot import Snapshot, machine_of
from negotiator.pool.slots import Slot
from policy.model import NegotiatorPolicy

Cell = str | int | float | None


@frozen
class PoolTable:
    """Rows under column names.  ``title`` says what a row is."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def records(self) -> list[dict[str, Cell]]:
        """The rows for programs."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


@define
class MatchSums:
    """What one user or one group gets and loses."""

    matched: int = 0
    weight: float = 0.0
    free: int = 0
    by_rank: int = 0
    by_priority: int = 0
    lost: int = 0
    lost_weight: float = 0.0
    refused: int = 0

    def take(self, match: Match) -> None:
        self.matched += 1
        self.weight += match.cost
        self.free += match.kind is MatchKind.NONE
        self.by_rank += match.kind is MatchKind.RANK
        self.by_priority += match.kind is MatchKind.PRIORITY

    def lose(self, match: Match) -> None:
        self.lost += 1
        self.lost_weight += match.cost

    def cells(self) -> tuple[Cell, ...]:
        return (
            self.matched, self.weight, self.free, self.by_rank, self.by_priority,
            self.lost, self.lost_weight, self.refused,
        )  # fmt: skip


_SUM_COLUMNS: Final = (
    "matched", "matched_weight", "free", "by_rank", "by_priority", "lost", "lost_weight",
    "refused",
)  # fmt: skip


def user_table(result: CycleResult) -> PoolTable:
    """What every submitter gets and loses, by name."""
    sums = sums_by(result, lambda name: name)
    known = {item.name: item for item in result.submitters}
    rows = []
    for name in dict.fromkeys((*known, *sums)):
        item = known.get(name)
        group = "" if item is None else item.group
        usage = None if item is None else item.usage
        idle = None if item is None else item.idle_jobs
        rows.append((name, group, idle, usage, *sums.get(name, MatchSums()).cells()))
    columns = ("user", "group", "idle_jobs", "usage", *_SUM_COLUMNS)
    return PoolTable("by user", columns, tuple(rows))


def group_table(result: CycleResult) -> PoolTable:
    """The same by accounting group, members of groups below not counted in."""
    of_user = {item.name: item.group for item in result.submitters}
    known = {item.name: item for item in result.groups}
    sums = sums_by(result, lambda name: of_user.get(name, _group_of(name, known)))
    rows = []
    for name in dict.fromkeys((*known, *sums)):
        item = known.get(name)
        quota = None if item is None else item.quota
        usage = None if item is None else item.usage
        rows.append((name, quota, usage, *sums.get(name, MatchSums()).cells()))
    return PoolTable("by group", ("group", "quota", "usage", *_SUM_COLUMNS), tuple(rows))


def _group_of(user: str, groups: Iterable[str]) -> str:
    """The group of somebody without a submitter ad: the longest name that leads to the user."""
    inside = [name for name in groups if user.lower().startswith(f"{name.lower()}.")]
    return max(inside, key=len, default=ROOT_GROUP)


def sums_by(result: CycleResult, of: Callable[[str], str]) -> dict[str, MatchSums]:
    """MatchSums by user, or by what ``of`` makes of a user's name."""
    found: dict[str, MatchSums] = {}
    for match in result.matches:
        found.setdefault(of(match.submitter), MatchSums()).take(match)
        if match.preempted is not None:
            found.setdefault(of(match.preempted), MatchSums()).lose(match)
    for rejection in result.rejections:
        found.setdefault(of(rejection.submitter), MatchSums()).refused += 1
    return found


def machine_table(snapshot: Snapshot, policy: NegotiatorPolicy, result: CycleResult) -> PoolTable:
    """How full each machine is before and after, in the order of the slots."""
    context = EvalContext(now=result.now, language=policy.language)
    machines: dict[str, list[Slot]] = {}
    engines = make_engines(ENGINES[0])
    for slot in engines.fetch(snapshot.slots, snapshot.claims, policy, context, True):
        machines.setdefault(machine_of(slot.name), []).append(slot)
    by_slot: dict[str, list[Match]] = {}
    for match in result.matches:
        by_slot.setdefault(match.slot, []).append(match)
    rows = tuple(_machine_row(name, slots, by_slot) for name, slots in sorted(machines.items()))
    columns = (
        "machine", "slots", "weight", "claimed", "fill", "matched", "preempted", "claimed_after",
        "fill_after",
    )  # fmt: skip
    return PoolTable("by machine", columns, rows)


def _machine_row(
    name: str, slots: Sequence[Slot], by_slot: Mapping[str, list[Match]]
) -> tuple[Cell, ...]:
    weight = add_up(slot.weight for slot in slots)
    # A slot that is divided has only its rest left to give.
    held = [slot for slot in slots if slot.state in ("Claimed", "Preempting")]
    claimed = add_up(slot.weight for slot in held if not slot.partitionable)
    matches = [match for slot in slots for match in by_slot.get(slot.name, ())]
    taken = add_up(match.cost for match in matches if match.kind is MatchKind.NONE)
    lost = sum(1 for match in matches if match.kind is not MatchKind.NONE)
    after = claimed + taken
    return (
        name, len(slots), weight, claimed, _part(claimed, weight), len(matches), lost, after,
        _part(after, weight),
    )  # fmt: skip


def _part(some: float, whole: float) -> float | None:
    return None if whole <= 0 else some / whole


def match_table(result: CycleResult) -> PoolTable:
    """The matches, in order."""
    columns = (
        "seq", "submitter", "schedd", "job", "count", "of", "slot", "kind", "preempted", "cost",
        "pie", "spin",
    )  # fmt: skip
    rows = tuple(
        (
            item.seq, item.submitter, item.schedd, item.job, item.count, item.of, item.slot,
            item.kind.value, item.preempted, item.cost, item.pie, item.spin,
        )
        for item in result.matches
    )  # fmt: skip
    return PoolTable("matches", columns, rows)


def rejection_table(result: CycleResult) -> PoolTable:
    """The requests that found no slot, in order."""
    columns = ("submitter", "schedd", "job", "reason", "pie", "spin")
    rows = tuple(
        (item.submitter, item.schedd, item.job, item.text, item.pie, item.spin)
        for item in result.rejections
    )
    return PoolTable("rejections", columns, rows)


def submitter_table(result: CycleResult) -> PoolTable:
    """The submitters and their slices of the pie."""
    columns = (
        "submitter", "group", "real_prio", "prio_factor", "prio", "share", "limit", "usage",
        "usage_after", "floor", "ceiling", "idle_jobs", "running_jobs",
    )  # fmt: skip
    rows = tuple(
        (
            item.name, item.group, item.real_priority, item.priority_factor,
            item.effective_priority, item.share, item.limit, item.usage, item.usage_after,
            item.floor, item.ceiling, item.idle_jobs, item.running_jobs,
        )
        for item in result.submitters
    )  # fmt: skip
    return PoolTable("submitters", columns, rows)


def quota_table(result: CycleResult) -> PoolTable:
    """The groups with their quotas, as ``condor_userprio -quotas`` has them."""
    columns = (
        "group", "effective_quota", "config_quota", "surplus", "subtree_quota", "requested",
        "usage", "usage_after",
    )  # fmt: skip
    rows = tuple(
        (
            item.name, item.quota, item.config_quota, surplus_policy(item.autoregroup,
            item.accept_surplus), item.subtree_quota, item.requested, item.usage, item.usage_after,
        )
        for item in result.groups
    )  # fmt: skip
    return PoolTable("quotas", columns, rows)


def surplus_policy(autoregroup: bool, accept_surplus: bool) -> str:
    """The word of the accountant's records."""
    return "regroup" if autoregroup else "byquota" if accept_surplus else "no"
