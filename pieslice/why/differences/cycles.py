"""Compares two cycles.

Decides when two matches count as the same (slot, submitter, cluster, way and user preempted; not
which of equal jobs), and which changes are the worst: those by which somebody loses most slot
weight.

Inputs: two ``CycleResult`` values, of one pool under two policies or of two pools.  Outputs: a
``Difference``, worst changes first; weights are slot weights.  Follows: ``diff``: what is not
listed is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from attr import frozen

from negotiator.model.result import CycleResult, Match, MatchKind
from negotiator.model.snapshot import machine_of

#: Two real numbers that differ by less than this part are told as equal.
_CLOSE = 1e-9


@frozen
class Taken:
    """A slot that a cycle handed out."""

    submitter: str
    job: str
    kind: MatchKind
    preempted: str | None
    cost: float


@frozen
class SlotChange:
    """A slot that goes to somebody else, or in another way; None: it stays as it is."""

    slot: str
    machine: str
    before: Taken | None
    after: Taken | None


@frozen
class Pair:
    """A number before and after; None where there is none."""

    before: float | None
    after: float | None

    @property
    def change(self) -> float:
        """By how much it grows; what is not there counts nothing."""
        return (self.after or 0.0) - (self.before or 0.0)

    @property
    def same(self) -> bool:
        """Whether they are equal but for rounding."""
        a, b = self.before, self.after
        if a is None or b is None:
            return a is b
        return a == b or abs(a - b) <= _CLOSE * max(abs(a), abs(b))


@frozen
class UserChange:
    """A user: weight ``matched`` and ``lost`` to preemption, the slots of both, share and limit."""

    user: str
    group: str | None
    matched: Pair
    lost: Pair
    matches: Pair
    preemptions: Pair
    share: Pair
    limit: Pair
    priority: Pair

    @property
    def net(self) -> float:
        """What the user gains (or loses, if negative) of slot weight."""
        return self.matched.change - self.lost.change


@frozen
class GroupChange:
    """A group: quota, what it was allocated in the first round, weight matched and lost."""

    group: str
    quota: Pair
    allocated: Pair
    matched: Pair
    lost: Pair

    @property
    def net(self) -> float:
        """What its members gain of slot weight."""
        return self.matched.change - self.lost.change


@frozen
class MachineChange:
    """A machine: weight matched on it, claims preempted on it, slots that change."""

    machine: str
    matched: Pair
    preemptions: Pair
    slots: int


@frozen
class RejectionChange:
    """Requests of a user that are refused for one reason, before and after."""

    user: str
    reason: str
    requests: Pair


@frozen
class Totals:
    """A cycle in a few numbers."""

    slots: int
    matches: int
    free: int
    by_rank: int
    by_priority: int
    weight: float
    rejections: int


@frozen
class Difference:
    """All that is different; ``same`` if nothing is."""

    before: Totals
    after: Totals
    users: tuple[UserChange, ...]
    groups: tuple[GroupChange, ...]
    machines: tuple[MachineChange, ...]
    slots: tuple[SlotChange, ...]
    rejections: tuple[RejectionChange, ...]

    @property
    def same(self) -> bool:
        """Whether the two cycles decide the same by the same numbers."""
        return not (self.users or self.groups or self.slots or self.rejections)


def compare_cycles(before: CycleResult, after: CycleResult) -> Difference:
    """What changes from one cycle to the other."""
    slots = _slots(before, after)
    return Difference(
        totals(before),
        totals(after),
        _users(before, after),
        _groups(before, after),
        _machines(before, after, slots),
        slots,
        _rejections(before, after),
    )


def totals(result: CycleResult) -> Totals:
    """The numbers of one cycle."""
    kinds = Counter(match.kind for match in result.matches)
    return Totals(
        result.pool.slots,
        len(result.matches),
        kinds[MatchKind.NONE],
        kinds[MatchKind.RANK],
        kinds[MatchKind.PRIORITY],
        sum(match.cost for match in result.matches),
        len(result.rejections),
    )


def _slots(before: CycleResult, after: CycleResult) -> tuple[SlotChange, ...]:
    """Slots of different fate: first those that are not handed out any more, the heaviest first."""
    old, new = _by_slot(before.matches), _by_slot(after.matches)
    found = []
    for name in dict.fromkeys((*old, *new)):
        for a, b in _aligned(old.get(name, []), new.get(name, [])):
            found.append(SlotChange(name, machine_of(name), a, b))
    order = {True: 0, False: 1}
    return tuple(
        sorted(
            found,
            key=lambda change: (
                order[change.after is None],
                order[change.before is not None],
                -max(part.cost for part in (change.before, change.after) if part is not None),
                change.slot,
            ),
        )
    )


def _by_slot(matches: Iterable[Match]) -> dict[str, list[Taken]]:
    """What each slot was matched with; a consumption policy lets it be matched several times."""
    found: dict[str, list[Taken]] = {}
    for match in matches:
        taken = Taken(match.submitter, match.job, match.kind, match.preempted, match.cost)
        found.setdefault(match.slot, []).append(taken)
    return found


def _aligned(old: list[Taken], new: list[Taken]) -> Iterable[tuple[Taken | None, Taken | None]]:
    """What is different between the matches of one slot."""
    left = list(new)
    gone: list[Taken] = []
    for item in old:
        twin = next((other for other in left if _key(other) == _key(item)), None)
        if twin is None:
            gone.append(item)
        else:
            left.remove(twin)
    for i in range(max(len(gone), len(left))):
        yield (gone[i] if i < len(gone) else None, left[i] if i < len(left) else None)


def _key(item: Taken) -> tuple[str, str, MatchKind, str | None]:
    return item.submitter, item.job.partition(".")[0], item.kind, item.preempted


def _users(before: CycleResult, after: CycleResult) -> tuple[UserChange, ...]:
    sides = [_UserSide.of(result) for result in (before, after)]
    names = dict.fromkeys(name for side in sides for name in side.names)
    found = [_user(name, *sides) for name in names]
    changed = [
        user
        for user in found
        if not all(
            pair.same
            for pair in (user.matched, user.lost, user.matches, user.preemptions, user.share)
        )
        or not (user.limit.same and user.priority.same)
    ]
    return tuple(sorted(changed, key=lambda user: (*worst_first(user.net), user.user)))


def worst_first(net: float) -> tuple[bool, float]:
    """Who loses most first, then who gains most."""
    return net >= 0, -abs(net)


@frozen
class _UserSide:
    result: CycleResult
    names: tuple[str, ...]
    matched: Mapping[str, float]
    lost: Mapping[str, float]
    matches: Counter[str]
    preemptions: Counter[str]

    @staticmethod
    def of(result: CycleResult) -> _UserSide:
        matched: dict[str, float] = {}
        lost: dict[str, float] = {}
        for match in result.matches:
            matched[match.submitter] = matched.get(match.submitter, 0.0) + match.cost
            if match.preempted is not None:
                lost[match.preempted] = lost.get(match.preempted, 0.0) + match.cost
        names = dict.fromkeys((*(item.name for item in result.submitters), *matched, *lost))
        preempted = [match.preempted for match in result.matches if match.preempted is not None]
        return _UserSide(
            result,
            tuple(names),
            matched,
            lost,
            Counter(match.submitter for match in result.matches),
            Counter(preempted),
        )


def _user(name: str, old: _UserSide, new: _UserSide) -> UserChange:
    a, b = (
        next((item for item in side.result.submitters if item.name == name), None)
        for side in (old, new)
    )
    known = b or a
    return UserChange(
        user=name,
        group=None if known is None else known.group,
        matched=Pair(old.matched.get(name, 0.0), new.matched.get(name, 0.0)),
        lost=Pair(old.lost.get(name, 0.0), new.lost.get(name, 0.0)),
        matches=Pair(old.matches[name], new.matches[name]),
        preemptions=Pair(old.preemptions[name], new.preemptions[name]),
        share=Pair(None if a is None else a.share, None if b is None else b.share),
        limit=Pair(None if a is None else a.limit, None if b is None else b.limit),
        priority=Pair(
            None if a is None else a.effective_priority,
            None if b is None else b.effective_priority,
        ),
    )


def _groups(before: CycleResult, after: CycleResult) -> tuple[GroupChange, ...]:
    sides = [_group_numbers(result) for result in (before, after)]
    found = []
    for name in dict.fromkeys(name for side in sides for name in side):
        a, b = (side.get(name, (None, None, None, None)) for side in sides)
        change = GroupChange(name, *(Pair(x, y) for x, y in zip(a, b, strict=True)))
        if not all(
            pair.same for pair in (change.quota, change.allocated, change.matched, change.lost)
        ):
            found.append(change)
    return tuple(sorted(found, key=lambda item: (*worst_first(item.net), item.group)))


def _group_numbers(result: CycleResult) -> dict[str, tuple[float | None, ...]]:
    """Quota, allocation, weight matched and lost of each group."""
    of_user = {item.name: item.group for item in result.submitters}
    first = {item.group: item for round_ in result.rounds[:1] for item in round_.groups}
    found: dict[str, tuple[float | None, ...]] = {}
    for group in result.groups:
        name = group.name
        matched = sum(m.cost for m in result.matches if of_user.get(m.submitter) == name)
        lost = sum(
            m.cost for m in result.matches if m.preempted and of_user.get(m.preempted) == name
        )
        share = first.get(name)
        allocated = None if share is None else share.allocated
        found[name] = (group.quota, allocated, matched, lost)
    return found


def _machines(
    before: CycleResult, after: CycleResult, slots: tuple[SlotChange, ...]
) -> tuple[MachineChange, ...]:
    changed = Counter(change.machine for change in slots)
    found = []
    for machine, count in changed.items():
        a, b = (
            [m for m in result.matches if machine_of(m.slot) == machine]
            for result in (before, after)
        )
        matched = Pair(sum(m.cost for m in a), sum(m.cost for m in b))
        preempted = Pair(*(float(sum(1 for m in side if m.preempted)) for side in (a, b)))
        found.append(MachineChange(machine, matched, preempted, count))
    found.sort(key=lambda item: (*worst_first(item.matched.change), -item.slots, item.machine))
    return tuple(found)


def _rejections(before: CycleResult, after: CycleResult) -> tuple[RejectionChange, ...]:
    """Requests count once for each reason, however often they were refused for it."""
    requests = (
        dict.fromkeys((item.submitter, item.text, item.job) for item in result.rejections)
        for result in (before, after)
    )
    sides = [Counter((user, reason) for user, reason, _ in keys) for keys in requests]
    found = []
    for user, reason in dict.fromkeys(key for side in sides for key in side):
        pair = Pair(float(sides[0][user, reason]), float(sides[1][user, reason]))
        if not pair.same:
            found.append(RejectionChange(user, reason, pair))
    return tuple(sorted(found, key=lambda item: (-item.requests.change, item.user, item.reason)))
