"""Says what differs between two cycles: the answer of ``pieslice diff``.

Decides which changes the first line names, and by which words.

Inputs: the changes of users, groups, machines, slots and rejections, worst first; weights are slot
weights.  Outputs: ``Changes``.  Follows: ``diff``: what is not listed is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, Final, Literal, TypeAlias

from attr import Factory, field, frozen

from negotiator.model.arithmetic import add_up
from negotiator.model.result import CycleResult, MatchKind
from pieslice.negotiate.text import KINDS
from pieslice.reports.document import INLINE, SPARSE, shape, view
from pieslice.reports.layout import (
    Block,
    CellsOf,
    Line,
    TextColumn,
    Wrapped,
    percent,
    plural,
    rounded,
    short,
    table_of,
)
from pieslice.reports.result import Result
from pieslice.reports.versions import version_line
from pieslice.reports.whatif import WhatIfData
from pieslice.reports.whatif import blocks as what_if_blocks
from policy.versions import Followed

#: Two real numbers that differ by less than this part are told as equal.
_CLOSE: Final = 1e-9
#: How many changes of users the first line has.
_MOST_GAINS: Final = 4
#: One of two pools.
OnlyIn: TypeAlias = Literal["a", "b"]


@frozen
class CycleTotals:
    """A cycle in a few numbers."""

    slots: int
    matches: int
    free: int
    by_rank: int
    by_priority: int
    weight: float
    rejections: int

    @classmethod
    def of(cls, result: CycleResult) -> CycleTotals:
        """The numbers of one cycle."""
        kinds = Counter(match.kind for match in result.matches)
        return cls(
            result.pool.slots,
            len(result.matches),
            kinds[MatchKind.NONE],
            kinds[MatchKind.RANK],
            kinds[MatchKind.PRIORITY],
            add_up(match.cost for match in result.matches),
            len(result.rejections),
        )

    @property
    def text(self) -> str:
        """All of them in a line."""
        kinds = f"{self.free} free, {self.by_rank} by rank, {self.by_priority} by priority"
        matches = f"{plural(self.matches, 'match')} of weight {short(self.weight)} ({kinds})"
        return f"{plural(self.slots, 'slot')}, {matches}, {plural(self.rejections, 'rejection')}"


@frozen
class CycleSide:
    """One of two cycles: what it is called, the version that it follows, its numbers.

    ``what_if``: what its configuration changes besides the policy of the negotiator.
    """

    name: str
    followed: Followed = field(metadata=INLINE)
    totals: CycleTotals
    what_if: WhatIfData | None = field(default=None, metadata=SPARSE)

    @property
    def title(self) -> str:
        """The name and the numbers."""
        return f"{self.name}: {self.totals.text}"


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

    def text(self, show: Callable[[float | None], str] | None = None) -> str:
        """``before -> after``, or the number that is both."""
        before, after = map(show or _text, (self.before, self.after))
        return before if self.same or before == after else f"{before} -> {after}"


def _text(value: float | None) -> str:
    return "unlimited" if value is not None and value >= 1e300 else rounded(value)


def _percent(part: float | None) -> str:
    text = percent(part)
    return text.rstrip("0").rstrip(".") if "." in text and text[0] != "<" else text


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

    def gains(self, name: str) -> str:
        """What changes of its matches, and of the claims that it loses to others; or nothing."""
        matches, claims = int(self.matches.change), int(self.preemptions.change)
        parts = []
        if matches * self.matched.change < 0 or (not matches and not self.matched.same):
            sides = (
                f"{number} of weight {_text(weight)}"
                for number, weight in (
                    (_text(self.matches.after), self.matched.after),
                    (plural(int(self.matches.before or 0), "match"), self.matched.before),
                )
            )
            parts.append(f"gets {' instead of '.join(sides)}")
        elif matches < 0:
            part = f"{-matches} of" if self.matches.after else "all of"
            parts.append(f"loses {part} {plural(int(self.matches.before or 0), 'match')}")
        elif matches:
            parts.append(f"gains {plural(matches, 'match')} ({self.matches.text()})")
        if claims:
            more = "more " if claims > 0 and self.preemptions.before else ""
            verb = "loses" if claims > 0 else "keeps"
            parts.append(f"{verb} {plural(abs(claims), f'{more}claim')}")
        return f"{name} {' and '.join(parts)}" if parts else ""


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
    #: What users are called in the first line.
    short_names: Mapping[str, str] = Factory(dict)

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
            *self._verdict(),
            Line(),
            Line(f"A: {self.a.title}", heading=True),
            *([] if same_version else [version_line(self.a.followed)]),
            *what_if_blocks(self.a.what_if),
            Line(f"B: {self.b.title}", heading=True),
            version_line(self.b.followed),
            *what_if_blocks(self.b.what_if),
        ]
        if self.same:
            return blocks
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

    def _verdict(self) -> list[Block]:
        """What changes, in a few words."""
        if self.same:
            lacking = any(one.what_if and one.what_if.is_partial for one in (self.a, self.b))
            where = " in what is followed" if lacking else ""
            return [Line(f"no difference{where}", level="" if lacking else "good")]
        counts = BeforeAfter(self.before.rejections, self.after.rejections)
        told = f"rejections {counts.text()}" if self.rejections else ""
        parts = [*self._gains(), told] if self._gains() else [self._no_gains(), told]
        return [Line("; ".join(filter(None, parts)), heading=True)]

    def _gains(self) -> list[str]:
        """Who loses and gains how many slots: ``carol loses 15 of 20 matches``."""
        told = (user.gains(self.short_names[user.user]) for user in self.users)
        found = [text for text in told if text]
        left = len(found) - _MOST_GAINS
        if left > 1:
            return [*found[:_MOST_GAINS], f"{left} more gain or lose (below)"]
        return found

    def _no_gains(self) -> str:
        if self.slots:
            return f"as many slots for everybody, {plural(len(self.slots), 'slot')} in other ways"
        return "the same matches" if self.rejections else "the same matches, by other numbers"


@view("net change=.change")
class UserNet:
    """What a user gains of slot weight (loses, if negative), and how it comes about."""

    change: UserChange


@view("net change=.change")
class GroupNet:
    """What the members of a group gain of slot weight, and how it comes about."""

    change: GroupChange


shape(Changes, "a b same users=user_nets groups=group_nets machines slots rejections")


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
        lambda it: it.share.text(_percent),
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
