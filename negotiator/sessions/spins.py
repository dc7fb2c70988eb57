"""Holds one round of negotiation: spins the pie until nothing changes any more.

It orders submitters, skips those that cannot get anything, and says when the round ends.  Sizes and
limits are in slot weights.  Follows "Negotiation" in HTCondor's manual and the vectors.
"""

from __future__ import annotations

from attr import define, field, frozen

from classad.language.bounds import checkpoint
from negotiator.jobs.offers import Offers
from negotiator.jobs.submitters import Submitter, consolidate
from negotiator.matching.board import Board, SessionEnd, SessionTerms
from negotiator.model.arithmetic import INT_MAX, add_up, ascending, c_cut, c_difference, c_int
from negotiator.model.result import Pie, Spin, SubmitterTurn, TurnEvent, TurnOutcome
from negotiator.sessions.pie import GroupRoom, PieSettings, Shares, Slice, cut_slice, shares_of
from negotiator.sessions.session import hold_session

#: LastHeardFrom decides ties only by its remainder, so that schedds take turns.
HEARD_MODULUS = 1009


@frozen
class RoundTerms:
    """What a round is about.  ``group`` is None without groups.

    ``regrouped``: the turn of the root in which members of other groups take part; no group's
    usage stops or bounds it.
    """

    group: str | None
    quota: int
    floor_round: bool
    regrouped: bool

    @property
    def bounding_group(self) -> str | None:
        """The group whose usage counts against the limit."""
        return None if self.regrouped else self.group


@define(eq=False)
class _Round:
    board: Board
    terms: RoundTerms
    submitters: list[Submitter]
    settings: PieSettings
    total: float
    spins: list[Spin] = field(factory=list)
    pie_left: float = 0.0
    ignore_limit: bool = False
    #: The group's room at the head of the spin: matches of the spin do not lessen it.
    room: GroupRoom | None = None

    def group_usage(self) -> float:
        group = self.terms.bounding_group
        return 0.0 if group is None else self.board.accountant.usage(group)

    def quota_used_up(self) -> bool:
        """Whether the group uses its limit; spin 1 does not care if there may be preemption."""
        if self.ignore_limit or self.terms.bounding_group is None:
            return False
        return self.group_usage() >= self.terms.quota

    def slice_of(
        self, submitter: Submitter, priority: float, shares: Shares, *, with_floor: bool
    ) -> Slice:
        accountant = self.board.accountant
        floored = with_floor and self.terms.floor_round
        floor = c_cut(accountant.floor(submitter.name)) if floored else None
        return cut_slice(
            shares.share(priority),
            self.total,
            accountant.usage(submitter.name),
            self.settings,
            self.room,
            floor,
        )


def run_round(board: Board, submitters: list[Submitter], terms: RoundTerms) -> None:
    """Negotiate with ``submitters``; those that are finished are removed from the list."""
    policy = board.policy
    settings = PieSettings(policy.consider_preemption, policy.ignore_user_priorities)
    total = min(board.numbers.pie, float(terms.quota))
    state = _Round(board, terms, submitters, settings, total)
    stopped_by = _spin_all(state)
    board.pies.append(
        Pie(
            terms.group,
            terms.quota if terms.group is not None else None,
            terms.floor_round,
            tuple(state.spins),
            stopped_by_quota=stopped_by == "quota",
            stopped_by_pie=stopped_by == "pie",
        )
    )


def _spin_all(state: _Round) -> str | None:
    board, submitters = state.board, state.submitters
    board.spin = 0
    while True:
        board.spin += 1
        state.ignore_limit = board.spin == 1 and state.settings.consider_preemption
        if state.quota_used_up():
            return "quota"
        if state.terms.bounding_group is not None:
            state.room = GroupRoom(state.terms.quota, state.group_usage())
        board.drop_match_list()
        if not state.settings.consider_preemption:
            submitters[:] = [s for s in submitters if s.idle_jobs > 0]
        priorities = [board.accountant.effective_priority(s.name) for s in submitters]
        shares = shares_of((s.name, p) for s, p in zip(submitters, priorities, strict=True))
        slices = [
            state.slice_of(s, priority, shares, with_floor=False)
            for s, priority in zip(submitters, priorities, strict=True)
        ]
        # Of all ads, not names; floors take no part in it.
        state.pie_left = add_up(cut.limit for cut in slices)
        if not state.settings.consider_preemption and state.pie_left <= 0:
            return "pie"
        if board.spin == 1:
            _sort(state, priorities, slices)
        pie_before, count_before = state.pie_left, len(submitters)
        state.spins.append(_spin(state, shares))
        used_some = state.pie_left < pie_before or len(submitters) < count_before
        if not (used_some and submitters and board.slots) or state.terms.floor_round:
            return None


def _sort(state: _Round, priorities: list[float], slices: list[Slice]) -> None:
    """Sort by effective priority, by JobPrio (if it counts), and by ``Slice.starvation``."""
    submitters = state.submitters
    order = ascending(
        [
            priorities,
            [-float(s.job_prio) for s in submitters],
            [cut.starvation for cut in slices],
            [float(s.last_heard_from % HEARD_MODULUS) for s in submitters],
        ]
    )
    submitters[:] = consolidate(submitters[i] for i in order)


def _spin(state: _Round, shares: Shares) -> Spin:
    """Hold the session of every submitter."""
    board = state.board
    pie_left, candidates = state.pie_left, len(board.slots)
    _fetch_ahead(board, state.submitters)
    turns = []
    finished = set()
    for submitter in list(state.submitters):
        checkpoint("negotiating")
        if state.quota_used_up():
            break
        turn = _turn(state, submitter, shares)
        turns.append(turn)
        if turn.outcome is TurnOutcome.DONE:
            finished.add(submitter)
    state.submitters[:] = [s for s in state.submitters if s not in finished]
    return Spin(
        spin=board.spin,
        ignore_limit=state.ignore_limit,
        candidate_slots=candidates,
        total=state.total,
        pie_left=pie_left,
        normal_factor=shares.norm,
        max_priority=shares.max_priority,
        turns=tuple(turns),
    )


def _fetch_ahead(board: Board, submitters: list[Submitter]) -> None:
    """Fetch the first requests of all submitters before the first match of a spin.

    It makes no difference unless a session can change what another one is offered: by the room of
    its schedd, or as another range of priorities of the same jobs.
    """
    policy = board.policy
    board.offers_ahead.clear()
    if not policy.prefetch_requests:
        return
    if policy.max_jobs_running is None and not policy.use_global_job_prios:
        return
    for submitter in submitters:
        jobs = board.jobs.get((submitter.name, submitter.schedd))
        if jobs is not None:
            key = (submitter.name, submitter.schedd, submitter.job_prios)
            context = board.context.in_language(jobs.language)
            offers = Offers(jobs, context, submitter.job_prios)
            board.offers_ahead[key] = offers.fetch_ahead()


def _turn(state: _Round, submitter: Submitter, shares: Shares) -> SubmitterTurn:
    board = state.board
    priority = board.accountant.effective_priority(submitter.name)
    cut = state.slice_of(submitter, priority, shares, with_floor=True)
    limit = min(cut.limit, state.pie_left)
    ceiling_left = _ceiling_left(state, submitter, cut.usage)
    end = _skipped(state, submitter, limit, ceiling_left)
    if end is None:
        watch = board.stopwatch
        began = watch.now
        end = hold_session(
            board,
            SessionTerms(
                submitter=submitter.name,
                schedd=submitter.schedd,
                priority=priority,
                group=state.terms.group,
                limit=limit,
                limit_unclaimed=cut.limit_unclaimed,
                ceiling_left=ceiling_left,
                ignore_limit=state.ignore_limit,
                job_prios=submitter.job_prios,
                families=submitter.families,
                deadline=watch.deadline(submitter.name, submitter.schedd),
            ),
        )
        watch.finished(submitter.name, submitter.schedd, began)
    state.pie_left -= end.used
    return SubmitterTurn(
        name=submitter.name,
        schedd=submitter.schedd,
        effective_priority=priority,
        share=cut.share,
        limit=limit,
        limit_unclaimed=cut.limit_unclaimed,
        ceiling_left=ceiling_left,
        usage=cut.usage,
        starvation=cut.starvation,
        used=end.used,
        events=end.events,
        outcome=end.outcome,
    )


def _ceiling_left(state: _Round, submitter: Submitter, usage: float) -> int:
    """What is left of a ceiling; a usage that does not fit an integer leaves nothing."""
    ceiling = c_cut(state.board.accountant.ceiling(submitter.name))
    return INT_MAX if ceiling < 0 else max(c_difference(ceiling, c_int(usage)), 0)


def _skipped(
    state: _Round, submitter: Submitter, limit: float, ceiling_left: int
) -> SessionEnd | None:
    """Why a submitter has no session in this spin, if so."""
    smallest = state.board.numbers.min_slot_weight
    if submitter.idle_jobs <= 0:
        return SessionEnd(TurnOutcome.DONE, 0.0, (TurnEvent.NO_IDLE_JOBS,))
    used_up = state.board.stopwatch.used_up(submitter.name, submitter.schedd)
    if used_up is not None:
        return SessionEnd(TurnOutcome.DONE, 0.0, (used_up,))
    if state.board.spin > 1 and (limit < smallest or state.pie_left < smallest):
        return SessionEnd(TurnOutcome.RESUME, 0.0, (TurnEvent.PIE_LEFT,))
    if ceiling_left == 0 or ceiling_left < smallest:
        return SessionEnd(TurnOutcome.DONE, 0.0, (TurnEvent.CEILING,))
    return None
