"""Lists the candidates of a job in the order in which it would get them: ``pieslice rank``.

Decides which of the five keys told a slot from the one before it.

Inputs: a halted cycle.  Outputs: ``Ranking``, best first; ranks as the negotiator computes
them, costs in slot weights; ``Ranked``, the answer.  Follows: "Matchmaking Expressions" in
HTCondor's manual and the vectors; the names of the knobs for the five keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, TypedDict, cast

from attr import evolve, frozen

from classad.ads.expression import Expression
from negotiator.jobs.requests import NO_AUTOCLUSTER
from negotiator.matching.board import Offer
from negotiator.matching.candidate import Candidate, Tally
from negotiator.matching.candidates import per_slot_limits_have_room
from negotiator.matching.choice import has_claim, list_for, with_cost
from negotiator.matching.engine import all_of, find
from negotiator.matching.rank import JOB, KIND_NAME, POST_JOB, PRE_JOB, PREEMPTION, RankKeys
from negotiator.model.arithmetic import FLT_MAX
from negotiator.model.result import MatchKind
from pieslice.negotiate.tables import in_words
from pieslice.negotiate.text import KINDS
from pieslice.reports.document import shape
from pieslice.reports.layout import (
    Block,
    CellsOf,
    Line,
    TextColumn,
    TextTable,
    number,
    plural,
    short,
    table_of,
)
from pieslice.reports.names import shortest
from pieslice.reports.result import DataTable, Result
from pieslice.why.asked import AskedJob
from pieslice.why.moments import AskedCycle, JobHistory, When, look_at
from policy.versions import Followed

#: The five keys under the names of what they are computed from.
KEY_NAMES: Final = (PRE_JOB.name, JOB.name, POST_JOB.name, KIND_NAME, PREEMPTION.name)
_SHORT_KEYS: Final = dict(
    zip(KEY_NAMES, ("pre job", "job", "post job", "state", "preemption"), strict=True)
)


#: The text of each key, None for an expression that is not set.
KeyTexts = TypedDict(
    "KeyTexts",
    {
        "NEGOTIATOR_PRE_JOB_RANK": str | None,
        "Rank": str | None,
        "NEGOTIATOR_POST_JOB_RANK": str | None,
        "preemption state": str | None,
        "PREEMPTION_RANK": str | None,
    },
    total=False,
)


@frozen
class RankedSlot:
    """A candidate.  A rank that is None has no number: it is worse than any.

    ``decided_by``: the first key in which it is worse than the slot before; None for the first
    slot and for equal ones.
    """

    slot: str
    pre_job_rank: float | None
    job_rank: float
    post_job_rank: float | None
    kind: MatchKind
    preemption_rank: float | None
    preempts: str | None
    cost: float
    decided_by: str | None = None

    @property
    def how(self) -> str:
        """How it would be got: ``free``, ``priority preemption of bob``."""
        return KINDS[self.kind] + ("" if self.preempts is None else f" of {self.preempts}")

    @property
    def keys(self) -> tuple[str, ...]:
        """The five keys as text."""
        return (
            short(self.pre_job_rank),
            short(self.job_rank),
            short(self.post_job_rank),
            KINDS[self.kind],
            short(self.preemption_rank),
        )


@frozen
class Ranking:
    """All candidates, best first, and the text of what ranks them.

    ``kept_list``: they are what is left of the list made for a job of the same autocluster before.
    """

    slots: tuple[RankedSlot, ...]
    expressions: tuple[tuple[str, str | None], ...]
    kept_list: bool


def ranking(halted: Offer) -> Ranking:
    """The candidates of the offered request."""
    board, request, policy = halted.board, halted.request, halted.board.policy
    kept = list_for(board, request, halted.asker)
    if kept is not None:
        entries = all_of(kept.entries, kept.taken)
        found = [
            candidate
            for candidate in (with_cost(board, entry, request.ad) for entry in entries)
            if halted.allowance.permits_cached(candidate.limited_as, candidate.cost)
            and per_slot_limits_have_room(board, candidate.slot, request.ad, Tally())
        ]
    else:
        board.drop_match_list()
        among = find(board, request, halted.asker, halted.allowance, Tally())
        found = list(all_of(among.entries()))
        if not policy.matchlist_caching or request.autocluster == NO_AUTOCLUSTER:
            places = {position: place for place, position in enumerate(board.slots)}
            found.sort(key=lambda candidate: places[candidate.position])
            found.sort(key=lambda candidate: candidate.keys, reverse=True)
            # Ranks that are not a number have no order: what is taken is what the cycle says.
            best = among.first_best()
            found.sort(key=lambda candidate: best is None or candidate.position != best.position)
    own = request.ad.raw("Rank")
    texts = (
        _text(policy.pre_job_rank),
        None if own is None else str(own).strip(),
        _text(policy.post_job_rank),
        "free, then by the machine's rank, then by priority",
        _text(policy.preemption_rank),
    )
    ordered = ranked([candidate for candidate in found if has_claim(board, candidate)])
    return Ranking(ordered, tuple(zip(KEY_NAMES, texts, strict=True)), kept is not None)


def _text(expr: Expression | None) -> str | None:
    return None if expr is None else str(expr).strip()


def ranked(candidates: Sequence[Candidate]) -> tuple[RankedSlot, ...]:
    """Candidates that are in order, each with the key that decided."""
    return tuple(
        RankedSlot(
            slot=item.slot.name,
            pre_job_rank=_rank(item.keys.pre_job),
            job_rank=item.keys.job,
            post_job_rank=_rank(item.keys.post_job),
            kind=item.kind,
            preemption_rank=_rank(item.keys.preemption),
            preempts=None if item.kind is MatchKind.NONE else item.slot.user,
            cost=item.cost,
            decided_by=None if i == 0 else first_difference(candidates[i - 1].keys, item.keys),
        )
        for i, item in enumerate(candidates)
    )


def first_difference(
    one: RankKeys | tuple[str, ...], other: RankKeys | tuple[str, ...]
) -> str | None:
    """The first key in which two candidates differ; None if they are equal."""
    pairs = zip(KEY_NAMES, one, other, strict=True)
    return next((name for name, a, b in pairs if a != b), None)


def _rank(number: float) -> float | None:
    return None if number <= -FLT_MAX else number


def against(name: str, mine: RankedSlot, other: RankedSlot) -> str:
    """One key of two slots: ``job rank 5 against 3``."""
    place = KEY_NAMES.index(name)
    return f"{name} {mine.keys[place]} against {other.keys[place]}"


def side_by_side(one: RankedSlot, other: RankedSlot, decided_by: str | None) -> TextTable:
    """All keys of two slots."""
    columns = (
        TextColumn("key"),
        TextColumn(one.slot, right=True, name=True),
        TextColumn(other.slot, right=True, name=True),
        TextColumn(""),
    )
    rows = tuple(
        (name, a, b, "decided" if name == decided_by else "")
        for name, a, b in zip(KEY_NAMES, one.keys, other.keys, strict=True)
    )
    return TextTable(columns, rows)


# --- the answer -----------------------------------------------------------------------------------


@frozen(eq=False, repr=False)
class Ranked(Result):
    """The candidates of a job, best first, with the keys that decide; ``limit`` of them are shown.

    ``found``: None if the job does not wait for a slot.
    """

    schema: ClassVar[str] = "pieslice/rank/1"
    history: JobHistory
    found: Ranking | None
    limit: int | None = None
    followed: Followed | None = None

    @property
    def _all(self) -> tuple[RankedSlot, ...]:
        return () if self.found is None else self.found.slots

    @property
    def slots(self) -> DataTable:
        """The candidates as a table; ``kind`` is ``free``, ``rank`` or ``priority``."""
        title = f"candidates of job {self.history.job.id}"
        return in_words(DataTable.of(title, RankedSlot, self.shown))

    def summary(self) -> str:
        return f"job {self.history.job.id}: {plural(len(self._all), 'candidate')}"

    def blocks(self) -> Sequence[Block]:
        job, found = self.history.job, self.found
        if found is None:
            said = f"job {job.id}{job.of} is {job.status_text}"
            return [Line(f"{said}: it is not waiting for a slot", heading=True)]
        blocks: list[Block] = [Line(self._verdict(found), heading=True)]
        if len(found.slots) > 1:
            blocks.append(Line(f"  {_runner_up(*found.slots[:2])}"))
        if found.kept_list:
            blocks.append(Line("  from the match list of its autocluster"))
        if not found.slots:
            return [*blocks, Line(f"`pieslice why POOL {job.id}` tells where the slots went")]
        for i, (name, text) in enumerate(found.expressions, 1):
            blocks.append(Line(f"  {i}. {name}: {'not set' if text is None else text}"))
        users = shortest(slot.preempts for slot in self.shown if slot.preempts)
        rows = [
            evolve(slot, preempts=slot.preempts and users[slot.preempts]) for slot in self.shown
        ]
        blocks += [Line(), table_of(_COLUMNS, list(enumerate(rows, 1)))]
        if self.limit is not None and len(found.slots) > self.limit:
            blocks.append(Line(f"  and {len(found.slots) - self.limit} more; --limit 0 shows all"))
        end = f"not requested: `pieslice why POOL {job.id}` tells why"
        if self.history.slot is not None:
            end = f"matched: {self.history.slot}"
        elif self.history.when in (When.REFUSED, When.EQUAL_REFUSED):
            end = f"rejected: `pieslice why POOL {job.id}` tells why"
        return [*blocks, Line(), Line(end)]

    def _verdict(self, ranking: Ranking) -> str:
        """Which slot is the best of how many."""
        job, when, total = self.history.job, self.history.when.value, len(ranking.slots)
        if total < 2:
            only = f", {ranking.slots[0].slot} ({ranking.slots[0].how})" if total else ""
            return f"job {job.id}{job.of}: {plural(total, 'candidate')} {when}{only}"
        free = sum(slot.kind is MatchKind.NONE for slot in ranking.slots)
        ways = f"{free} free, {total - free} by preemption"
        if free in (0, total):
            ways = "all free" if free else "all by preemption"
        best = f"{ranking.slots[0].slot} is the best of {plural(total, 'candidate')}"
        return f"job {job.id}{job.of}: {best} {when} ({ways})"

    @property
    def expressions(self) -> KeyTexts:
        """The text of what ranks the candidates."""
        return {} if self.found is None else cast("KeyTexts", dict(self.found.expressions))

    @property
    def kept_list(self) -> bool:
        """Whether they are from the match list of its autocluster."""
        return self.found is not None and self.found.kept_list

    @property
    def candidates(self) -> int:
        """How many there are, shown or not."""
        return len(self._all)

    @property
    def shown(self) -> Sequence[RankedSlot]:
        """Those that are shown."""
        return self._all[: self.limit]


shape(
    Ranked,
    "job=history.job.id submitter=history.job.submitter status=history.job.status_text"
    " when=history.when matched=history.slot expressions kept_list candidates slots=shown",
)
_COLUMNS: Final[CellsOf[tuple[int, RankedSlot]]] = (
    (TextColumn("", right=True), lambda it: str(it[0])),
    (TextColumn("slot", name=True), lambda it: it[1].slot),
    (TextColumn("pre job", "rank", right=True, brief="pre"), lambda it: it[1].keys[0]),
    (TextColumn("job", "rank", right=True), lambda it: it[1].keys[1]),
    (TextColumn("post job", "rank", right=True, brief="post"), lambda it: it[1].keys[2]),
    (TextColumn("preemption", "state", brief="preempt.", prose=True), lambda it: _state(it[1])),
    (TextColumn("preempts", name=True, drop=1), lambda it: it[1].preempts or "-"),
    (
        TextColumn("preemption", "rank", right=True, drop=2, brief="preempt."),
        lambda it: it[1].keys[4],
    ),
    (TextColumn("cost", "weight", right=True, drop=3), lambda it: number(it[1].cost, 1)),
    (TextColumn("key that", "decided", prose=True), lambda it: _decided(*it)),
)


def _state(slot: RankedSlot) -> str:
    return KINDS[slot.kind].removesuffix(" preemption")


def _decided(place: int, slot: RankedSlot) -> str:
    if place == 1:
        return ""
    return "tie" if slot.decided_by is None else _SHORT_KEYS[slot.decided_by]


def _runner_up(best: RankedSlot, second: RankedSlot) -> str:
    """What sets the best slot apart from the next one."""
    if second.decided_by is None:
        return f"{second.slot} is next and equal in all keys: the order of the slots decides"
    return f"{second.slot} is next: {against(second.decided_by, best, second)}"


def rank_slots(cycle: AskedCycle, job: AskedJob, limit: int | None) -> Ranked:
    """The candidates of a job; ``limit`` of them."""
    history, found = look_at(cycle, job, lambda halted, _: ranking(halted))
    return Ranked(history, found, limit, cycle.version)
