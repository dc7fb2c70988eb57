"""Compares two cycles, of one pool under two policies or of two pools, for ``pieslice diff``.

Decides when two matches count as the same (slot, submitter, cluster, way and user preempted; not
which of equal jobs), and which changes are the worst: those by which somebody loses most slot
weight.

Inputs: two ``CycleResult`` values.  Outputs: ``Changes``, worst changes first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from negotiator.model.arithmetic import add_up
from negotiator.model.loaded_slots import slot_names
from negotiator.model.result import CycleResult, Match
from negotiator.model.snapshot import Snapshot, machine_of
from negotiator.whatif.pool import WhatIf
from pieslice.negotiate.tables import MatchSums, sums_by
from pieslice.negotiate.verdict import short_names
from pieslice.reports.whatif import WhatIfData
from pieslice.why.differences import (
    BeforeAfter,
    Changes,
    CycleSide,
    CycleTotals,
    GroupChange,
    MachineTotals,
    OnlyIn,
    RejectionChange,
    SlotChange,
    SlotMatch,
    UserChange,
)
from policy.versions import NOT_GIVEN, Followed


def compare(
    before: CycleResult,
    after: CycleResult,
    names: tuple[str, str] = ("before", "after"),
    versions: tuple[Followed, Followed] = (NOT_GIVEN, NOT_GIVEN),
    what_ifs: tuple[WhatIf | None, WhatIf | None] = (None, None),
    pools: tuple[Snapshot, Snapshot] | None = None,
) -> Changes:
    """What changes from one cycle to another; ``pools``: theirs, if slots may differ."""
    totals = CycleTotals.of(before), CycleTotals.of(after)
    old, new = map(CycleSide, names, versions, totals, map(WhatIfData.of, what_ifs))
    if before is after:
        return Changes(old, new, (), (), (), (), (), short_names(before))
    slots = _slots(before, after, pools)
    return Changes(
        old,
        new,
        _users(before, after),
        _groups(before, after),
        _machines(before, after, slots),
        slots,
        _rejections(before, after),
        short_names(before, after),
    )


def _slots(
    before: CycleResult, after: CycleResult, pools: tuple[Snapshot, Snapshot] | None
) -> tuple[SlotChange, ...]:
    """Slots of different fate: first those that are not handed out any more, the heaviest first."""
    old, new = _by_slot(before.matches), _by_slot(after.matches)
    only_in = _only_in(pools) if pools is not None else {}
    found = [
        SlotChange(name, machine_of(name), a, b, only_in.get(name))
        for name in dict.fromkeys((*old, *new))
        for a, b in _aligned(old.get(name, []), new.get(name, []))
    ]

    def order(change: SlotChange) -> tuple[bool, bool, float, str]:
        heaviest = max(part.cost for part in (change.before, change.after) if part is not None)
        return change.after is not None, change.before is None, -heaviest, change.slot

    return tuple(sorted(found, key=order))


def _only_in(pools: tuple[Snapshot, Snapshot]) -> dict[str, OnlyIn]:
    """The slots that one of two pools has, each with which."""
    a, b = (set(slot_names(pool.slots)) for pool in pools)
    return {**dict.fromkeys(a - b, "a"), **dict.fromkeys(b - a, "b")}


def _by_slot(matches: Iterable[Match]) -> dict[str, list[SlotMatch]]:
    """What each slot was matched with; a consumption policy lets it be matched several times."""
    found: dict[str, list[SlotMatch]] = {}
    for match in matches:
        taken = SlotMatch(match.submitter, match.job, match.kind, match.preempted, match.cost)
        found.setdefault(match.slot, []).append(taken)
    return found


def _aligned(
    old: Sequence[SlotMatch], new: Iterable[SlotMatch]
) -> Iterator[tuple[SlotMatch | None, SlotMatch | None]]:
    """What is different between the matches of one slot."""
    left = list(new)
    gone: list[SlotMatch] = []
    for item in old:
        twin = next((other for other in left if other.alike == item.alike), None)
        if twin is None:
            gone.append(item)
        else:
            left.remove(twin)
    yield from zip_longest(gone, left)


def worst_first(net: float) -> tuple[bool, float]:
    """Who loses most first, then who gains most."""
    return net >= 0, -abs(net)


def _users(before: CycleResult, after: CycleResult) -> tuple[UserChange, ...]:
    known = [{it.name: it for it in reversed(result.submitters)} for result in (before, after)]
    sums = [sums_by(result, str) for result in (before, after)]
    found = []
    for name in dict.fromkeys((*known[0], *known[1], *sums[0], *sums[1])):
        pairs = _pairs(
            [side.get(name, MatchSums()) for side in sums],
            "weight", "lost_weight", "matched", "lost",
        )  # fmt: skip
        a, b = (side.get(name) for side in known)
        pairs += _pairs([a, b], "share", "limit", "effective_priority")
        if not all(pair.same for pair in pairs):
            found.append(UserChange(name, getattr(b or a, "group", None), *pairs))
    return tuple(sorted(found, key=lambda user: (*worst_first(user.net), user.user)))


def _pairs(sides: Sequence[object], *fields: str) -> list[BeforeAfter]:
    """The fields before and after."""
    old, new = sides
    return [BeforeAfter(getattr(old, name, None), getattr(new, name, None)) for name in fields]


def _groups(before: CycleResult, after: CycleResult) -> tuple[GroupChange, ...]:
    old, new = _group_numbers(before), _group_numbers(after)
    found = []
    for name in dict.fromkeys((*old, *new)):
        pairs = list(map(BeforeAfter, old.get(name, [None] * 4), new.get(name, [None] * 4)))
        if not all(pair.same for pair in pairs):
            found.append(GroupChange(name, *pairs))
    return tuple(sorted(found, key=lambda item: (*worst_first(item.net), item.group)))


def _group_numbers(result: CycleResult) -> dict[str, list[float | None]]:
    """Quota, allocation, weight matched and lost of each group."""
    of_user = {item.name: item.group for item in result.submitters}
    sums = sums_by(result, lambda name: of_user.get(name, ""))
    first = {item.group: item.allocated for round_ in result.rounds[:1] for item in round_.groups}
    found = {}
    for group in result.groups:
        name, mine = group.name, sums.get(group.name, MatchSums())
        found[name] = [group.quota, first.get(name), mine.weight, mine.lost_weight]
    return found


def _machines(
    before: CycleResult, after: CycleResult, slots: Sequence[SlotChange]
) -> tuple[MachineTotals, ...]:
    on_machines = [_by_machine(result.matches) for result in (before, after)]
    found = []
    for machine, count in Counter(change.machine for change in slots).items():
        sides = [matches.get(machine, []) for matches in on_machines]
        matched = BeforeAfter(*(add_up(match.cost for match in side) for side in sides))
        preempted = BeforeAfter(*(float(sum(1 for m in side if m.preempted)) for side in sides))
        found.append(MachineTotals(machine, matched, preempted, count))
    found.sort(key=lambda item: (*worst_first(item.matched.change), -item.slots, item.machine))
    return tuple(found)


def _by_machine(matches: Iterable[Match]) -> dict[str, list[Match]]:
    found: dict[str, list[Match]] = {}
    for match in matches:
        found.setdefault(machine_of(match.slot), []).append(match)
    return found


def _rejections(before: CycleResult, after: CycleResult) -> tuple[RejectionChange, ...]:
    """Requests count once for each reason, however often they were refused for it."""
    requests = (
        dict.fromkeys((item.submitter, item.text, item.job) for item in result.rejections)
        for result in (before, after)
    )
    old, new = (Counter((user, reason) for user, reason, _ in keys) for keys in requests)
    changes = (
        RejectionChange(*key, BeforeAfter(float(old[key]), float(new[key])))
        for key in dict.fromkeys((*old, *new))
    )
    found = (item for item in changes if not item.requests.same)
    return tuple(sorted(found, key=lambda item: (-item.requests.change, item.user, item.reason)))
