"""Compares two cycles: ``pieslice diff``.

Decides when two matches count as the same (slot, submitter, cluster, way and user preempted; not
which of equal jobs), and which changes are the worst: those by which somebody loses most slot
weight.

Inputs: two ``CycleResult`` values, of one pool under two policies or of two pools.  Outputs:
``Changes``, the answer, worst changes first; weights are slot weights.  Follows: ``diff``: what is
not listed is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import ClassVar, Final, Literal, TypeAlias

from attr import field, frozen

from negotiator.model.arithmetic import add_up
from negotiator.model.result import CycleResult, Match, MatchKind
from negotiator.model.snapshot import Snapshot, machine_of
from negotiator.whatif.pool import WhatIf
from pieslice.negotiate.tables import MatchSums, sums_by
from pieslice.negotiate.text import KINDS
from pieslice.reports.document import SPARSE, shape, view
from pieslice.reports.layout import (
    Block,
    CellsOf,
    Line,
    TextColumn,
    Wrapped,
    plural,
    rounded,
    table_of,
)
from pieslice.reports.result import Result
from pieslice.reports.versions import version_line
from pieslice.reports.whatif import WhatIfData
from pieslice.reports.whatif import blocks as what_if_blocks
from pieslice.why.sides import CycleSide, CycleTotals
from policy.versions import NOT_GIVEN, Followed

#: Two real numbers that differ by less than this part are told as equal.
_CLOSE: Final = 1e-9
#: One of two pools.
OnlyIn: TypeAlias = Literal["a", "b"]


@frozen
class BeforeAfter:
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

    def text(self, times: float = 1) -> str:
        """``before -> after``, or the number that is both."""
        before, after = (_text(value, times) for value in (self.before, self.after))
        return before if self.same or before == after else f"{before} -> {after}"


def _text(value: float | None, times: float) -> str:
    if value is None:
        return "-"
    return "unlimited" if value >= 1e300 else rounded(value * times)


@frozen
class SlotMatch:
    """To whom a cycle handed out a slot, and how."""

    submitter: str
    job: str
    kind: MatchKind
    preempted: str | None
    cost: float

    @property
    def alike(self) -> tuple[str, str, MatchKind, str | None]:
        """What matches have in common that count as the same: of jobs the cluster."""
        return self.submitter, self.job.partition(".")[0], self.kind, self.preempted

    @property
    def text(self) -> str:
        """``alice, cluster 8 (priority preemption of bob)``."""
        submitter, cluster, kind, preempted = self.alike
        whom = f" of {preempted}" if preempted else ""
        return f"{submitter}, cluster {cluster} ({KINDS[kind]}{whom})"


@frozen
class SlotChange:
    """A slot that goes to somebody else, or in another way; None: it stays as it is.

    ``only_in``: the one of two pools, ``a`` or ``b``, that has a slot of this name.
    """

    slot: str
    machine: str
    before: SlotMatch | None
    after: SlotMatch | None
    only_in: OnlyIn | None = field(default=None, metadata=SPARSE)

    def text(self, side: OnlyIn) -> str:
        """What becomes of it in the cycle before (``a``) or after (``b``)."""
        match = self.before if side == "a" else self.after
        if match is not None:
            return match.text
        return "not matched" if self.only_in in (None, side) else "not in this pool"


@frozen
class UserChange:
    """A user: weight ``matched`` and ``lost`` to preemption, the slots of both, share and limit."""

    user: str
    group: str | None
    matched: BeforeAfter
    lost: BeforeAfter
    matches: BeforeAfter
    preemptions: BeforeAfter
    share: BeforeAfter
    limit: BeforeAfter
    priority: BeforeAfter

    @property
    def net(self) -> float:
        """What the user gains (or loses, if negative) of slot weight."""
        return self.matched.change - self.lost.change


@frozen
class GroupChange:
    """A group: quota, what it was allocated in the first round, weight matched and lost."""

    group: str
    quota: BeforeAfter
    allocated: BeforeAfter
    matched: BeforeAfter
    lost: BeforeAfter

    @property
    def net(self) -> float:
        """What its members gain of slot weight."""
        return self.matched.change - self.lost.change


@frozen
class MachineTotals:
    """A machine: weight matched on it, claims preempted on it, slots that change."""

    machine: str
    matched: BeforeAfter
    preemptions: BeforeAfter
    slots: int


@frozen
class RejectionChange:
    """Requests of a user that are refused for one reason, before and after."""

    user: str
    reason: str
    requests: BeforeAfter


@frozen(eq=False, repr=False)
class Changes(Result):
    """What differs between two cycles."""

    schema: ClassVar[str] = "pieslice/diff/1"
    a: CycleSide
    b: CycleSide
    users: tuple[UserChange, ...]
    groups: tuple[GroupChange, ...]
    machines: tuple[MachineTotals, ...]
    slots: tuple[SlotChange, ...]
    rejections: tuple[RejectionChange, ...]

    @property
    def same(self) -> bool:
        """Whether both decide the same by the same numbers."""
        return not (self.users or self.groups or self.slots or self.rejections)

    @property
    def names(self) -> tuple[str, str]:
        """What the two sides are called."""
        return self.a.name, self.b.name

    @property
    def versions(self) -> tuple[Followed, Followed]:
        """The versions that they follow."""
        return self.a.followed, self.b.followed

    @property
    def before(self) -> CycleTotals:
        """The numbers of the first cycle."""
        return self.a.totals

    @property
    def after(self) -> CycleTotals:
        """The numbers of the second cycle."""
        return self.b.totals

    @property
    def user_nets(self) -> list[UserNet]:
        """The changes of users, each with the sum."""
        return [*map(UserNet, self.users)]

    @property
    def group_nets(self) -> list[GroupNet]:
        """The changes of groups, each with the sum."""
        return [*map(GroupNet, self.groups)]

    def summary(self) -> str:
        count = plural(len(self.slots), "slot")
        return f"{self.a.name} and {self.b.name}: {'the same' if self.same else f'{count} differ'}"

    def blocks(self) -> Sequence[Block]:
        """The two sides in a line each, the version of both or of each, then what changes."""
        same_version = self.a.followed == self.b.followed
        blocks: list[Block] = [
            Line(f"A: {self.a.title}", heading=True),
            *([] if same_version else [version_line(self.a.followed)]),
            *what_if_blocks(self.a.what_if),
            Line(f"B: {self.b.title}", heading=True),
            version_line(self.b.followed),
            *what_if_blocks(self.b.what_if),
        ]
        if self.same:
            lacking = any(one.what_if and one.what_if.is_partial for one in (self.a, self.b))
            where = " in what is followed" if lacking else ""
            return [*blocks, Line(f"no difference{where}", level="" if lacking else "good")]
        slots = f"slots: {plural(len(self.slots), 'change')}"
        parts: dict[str, Sequence[Block]] = {
            "users": [table_of(_USERS, self.users)] if self.users else [],
            "groups": [table_of(_GROUPS, self.groups)] if self.groups else [],
            "machines": [table_of(_MACHINES, self.machines)] if self.machines else [],
            slots: _slot_blocks(self.slots),
            "rejections": [table_of(_REJECTIONS, self.rejections)] if self.rejections else [],
        }
        for title, part in parts.items():
            if part:
                blocks += [Line(), Line(title, heading=True), *part]
        return blocks


@view("net change=.change")
class UserNet:
    """What a user gains of slot weight (loses, if negative), and how it comes about."""

    change: UserChange


@view("net change=.change")
class GroupNet:
    """What the members of a group gain of slot weight, and how it comes about."""

    change: GroupChange


shape(Changes, "a b same users=user_nets groups=group_nets machines slots rejections")


# --- what changes ---------------------------------------------------------------------------------


def compare(
    before: CycleResult,
    after: CycleResult,
    names: tuple[str, str] = ("before", "after"),
    versions: tuple[Followed, Followed] = (NOT_GIVEN, NOT_GIVEN),
    what_ifs: tuple[WhatIf | None, WhatIf | None] = (None, None),
    pools: tuple[Snapshot, Snapshot] | None = None,
) -> Changes:
    """What changes from one cycle to another; ``pools``: theirs, if slots may differ."""
    slots = _slots(before, after, pools)
    totals = CycleTotals.of(before), CycleTotals.of(after)
    sides = [*map(CycleSide, names, versions, totals, map(WhatIfData.of, what_ifs))]
    return Changes(
        sides[0],
        sides[1],
        _users(before, after),
        _groups(before, after),
        _machines(before, after, slots),
        slots,
        _rejections(before, after),
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
    a, b = ({ad.get_string("Name") or "" for ad in pool.slots} for pool in pools)
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
    found = []
    for machine, count in Counter(change.machine for change in slots).items():
        sides = [
            [match for match in result.matches if machine_of(match.slot) == machine]
            for result in (before, after)
        ]
        matched = BeforeAfter(*(add_up(match.cost for match in side) for side in sides))
        preempted = BeforeAfter(*(float(sum(1 for m in side if m.preempted)) for side in sides))
        found.append(MachineTotals(machine, matched, preempted, count))
    found.sort(key=lambda item: (*worst_first(item.matched.change), -item.slots, item.machine))
    return tuple(found)


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


# --- tables ---------------------------------------------------------------------------------------


def _signed(value: float) -> str:
    return f"{value:+.6g}" if value else "0"


_USERS: Final[CellsOf[UserChange]] = (
    (TextColumn("user", name=True), lambda it: it.user),
    (TextColumn("net", "weight", right=True), lambda it: _signed(it.net)),
    (TextColumn("matched", "weight", right=True), lambda it: it.matched.text()),
    (TextColumn("lost", "weight", right=True), lambda it: it.lost.text()),
    (
        TextColumn("share", "% of pie", right=True, drop=2, brief_unit="%"),
        lambda it: it.share.text(100),
    ),
    (TextColumn("limit", "weight", right=True, drop=1), lambda it: it.limit.text()),
    (TextColumn("effective", "priority", right=True, drop=3), lambda it: it.priority.text()),
)
_GROUPS: Final[CellsOf[GroupChange]] = (
    (TextColumn("group", name=True), lambda it: it.group),
    (TextColumn("net", "weight", right=True), lambda it: _signed(it.net)),
    (TextColumn("quota", "weight", right=True, drop=1), lambda it: it.quota.text()),
    (TextColumn("allocated", "weight", right=True, drop=2), lambda it: it.allocated.text()),
    (TextColumn("matched", "weight", right=True), lambda it: it.matched.text()),
    (TextColumn("lost", "weight", right=True), lambda it: it.lost.text()),
)
_MACHINES: Final[CellsOf[MachineTotals]] = (
    (TextColumn("machine", name=True), lambda it: it.machine),
    (TextColumn("matched", "weight", right=True), lambda it: _signed(it.matched.change)),
    (TextColumn("claims", "preempted", right=True), lambda it: it.preemptions.text()),
    (TextColumn("slots", "changed", right=True), lambda it: str(it.slots)),
)
_REJECTIONS: Final[CellsOf[RejectionChange]] = (
    (TextColumn("user", name=True), lambda it: it.user),
    (TextColumn("requests", right=True), lambda it: it.requests.text()),
    (TextColumn("reason", prose=True), lambda it: it.reason),
)


def _slot_blocks(slots: Iterable[SlotChange]) -> list[Block]:
    blocks: list[Block] = []
    ways: dict[tuple[str, ...], list[str]] = {}
    for item in slots:
        ways.setdefault((item.text("a"), item.text("b")), []).append(item.slot)
    for (before, after), names in ways.items():
        blocks += [Line(f"  A: {before}"), Line(f"  B: {after}"), Wrapped("", tuple(names))]
    return blocks
