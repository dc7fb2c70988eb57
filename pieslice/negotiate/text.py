"""Writes the result of a cycle as text.

Decides which facts are shown, in which order and words.

Inputs: a ``CycleReport`` (the pool in numbers, the ``CycleResult``, the agreement with the real
negotiator, the knobs that are not honoured).  Outputs: blocks for ``tables``.  Usage, limits and
costs are in slot weights, shares in percent of the pie of the submitter's round; of priorities the
bigger is the worse.  Follows: the negotiator's log for the facts, ``condor_userprio`` for the
words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from attr import Factory, frozen

from negotiator.capture.agreement import Agreement, DecisionDifference
from negotiator.capture.group_maps import Assignments
from negotiator.model.departures import Departure
from negotiator.model.result import (
    AllocationRound,
    CycleResult,
    Match,
    MatchKind,
    SubmitterSummary,
    TurnEvent,
)
from negotiator.model.snapshot import PoolFacts, UnsupportedKnob
from pieslice.negotiate.vacating import Vacating
from pieslice.negotiate.verdict import cycle_verdict
from pieslice.negotiate.waiting import CycleOutlook, OutlookMaker
from pieslice.reports.layout import (
    Block,
    Line,
    TextColumn,
    TextTable,
    Wrapped,
    number,
    percent,
    plural,
    rounded,
    short,
)
from pieslice.reports.versions import version_line
from policy.dialects import HTCONDOR

if TYPE_CHECKING:
    from negotiator.whatif.pool import WhatIf
    from pieslice.reports.whatif import WhatIfData

#: How many differences from the real negotiator are listed.
MAX_DIFFERENCES: Final = 6

KINDS: Final = {
    MatchKind.NONE: "free",
    MatchKind.RANK: "rank preemption",
    MatchKind.PRIORITY: "priority preemption",
}


@frozen
class CycleReport:
    """Everything a report is made of."""

    pool: PoolFacts
    result: CycleResult
    unsupported: tuple[UnsupportedKnob, ...] = ()
    agreement: Agreement | None = None
    expected_name: str = "expected.json"
    #: Whether the result is only the part about some groups or users.
    partial: bool = False
    #: How the preempted jobs leave.
    vacating: tuple[Vacating, ...] = ()
    #: The accounting groups that jobs got from a map before the cycle.
    assignments: Assignments = Factory(Assignments)
    #: What the configuration changes besides the policy.
    what_if: WhatIf | None = None
    #: What starts by the cycle, and what waiting jobs can use of idle slots.
    outlook: CycleOutlook | OutlookMaker | None = None

    @property
    def what_if_data(self) -> WhatIfData | None:
        """What the configuration changes besides the policy; None where that is nothing."""
        if self.what_if is None:
            return None
        from pieslice.reports.whatif import WhatIfData

        return WhatIfData.of(self.what_if)

    def what_if_blocks(self) -> list[Block]:
        """The same in lines."""
        if self.what_if is None:
            return []
        from pieslice.reports.whatif import blocks

        return blocks(self.what_if_data)


def iso_time(seconds: float) -> str:
    """``2026-11-20T22:39:27Z``; the number itself where no calendar reaches."""
    try:
        return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, ValueError, OSError):
        return f"{seconds:.0f}"


def blocks(outcome: CycleReport) -> list[Block]:
    """The whole report."""
    result = outcome.result
    parts = [
        verdict(outcome),
        heading(outcome),
        outcome.what_if_blocks(),
        _assignments(outcome.assignments),
        _submitters(result.submitters),
        _groups(result),
        _matches(result.matches),
        vacating_blocks(outcome.vacating),
        _rejections(result),
        _agreement(outcome.agreement, outcome.expected_name),
        _time(result),
        _departures(result.departures),
        _unsupported(outcome.unsupported),
    ]
    return [block for part in parts if part for block in (*part, Line())][:-1]


def verdict(outcome: CycleReport) -> list[Block]:
    """What the cycle decided, in a few words."""
    return [Line(line, heading=True) for line in cycle_verdict(outcome.result)]


def heading(outcome: CycleReport) -> list[Block]:
    """The pool and the time of the cycle."""
    pool, result = outcome.pool, outcome.result
    text = (
        f"pool {pool.name}: {plural(pool.machines, 'machine')}, {plural(pool.slots, 'slot')} "
        f"(weight {short(result.pool.pool_weight)}), {plural(pool.users, 'user')}, "
        f"{plural(pool.jobs, 'job')} ({pool.idle_jobs} idle); "
        f"cycle at {iso_time(pool.now)} ({short(pool.now)})"
    )
    found: list[Block] = [Line(text), Line(f"  time of the cycle: {pool.now_from}")]
    if pool.made_up:
        found.append(Line("  the jobs are made up from what runs", level="warning"))
    if pool.not_requested:
        kinds = ", ".join(f"{count} {kind}" for kind, count in pool.not_requested.items())
        total = sum(pool.not_requested.values())
        text = f"no slots are requested for {plural(total, 'idle job')}: {kinds}"
        found.append(Line(f"  {text}"))
    found.append(version_line(pool.version))
    if pool.dialect != HTCONDOR:
        found.append(Line(f"  dialect {pool.dialect.name}: {pool.dialect.about}"))
    causes = Counter(slot.cause.value for slot in result.trimmed)
    found += [Line(f"  not considered: {plural(n, 'slot')}, {why}") for why, n in causes.items()]
    if outcome.partial:
        found.append(
            Line("  selected by --group or --submitter; the cycle is that of the whole pool")
        )
    return found


def _submitters(submitters: Sequence[SubmitterSummary]) -> list[Block]:
    rows = tuple(
        (
            item.name,
            number(item.real_priority),
            short(item.priority_factor),
            number(item.effective_priority),
            percent(item.share),
            number(item.limit),
            number(item.usage, 1),
            number(item.usage_after, 1),
            item.group,
        )
        for item in submitters
    )
    columns = (
        TextColumn("submitter", name=True),
        TextColumn("real", "priority", right=True, drop=2, brief_unit="prio"),
        TextColumn("priority", "factor", right=True, drop=1, brief="prio"),
        TextColumn("effective", "priority", right=True, brief="eff", brief_unit="prio"),
        TextColumn("share", "% of pie", right=True, brief_unit="%"),
        TextColumn("limit", "weight", right=True),
        TextColumn("usage", "weight", right=True),
        TextColumn("after", "weight", right=True),
        TextColumn("group", drop=3, name=True),
    )
    blocks = _titled("submitters", columns, rows)
    if any(item.limit is not None and round(item.limit, 2) < 0 for item in submitters):
        text = "a limit below 0: submitters before took that much more than was left of the pie"
        blocks.append(Line(f"  {text}"))
    return blocks


def _assignments(found: Assignments) -> list[Block]:
    """What the schedds' map does, as if the jobs were submitted now."""
    blocks: list[Block] = []
    if found.assigned:
        count = sum(len(item.jobs) for item in found.assigned)
        blocks.append(Line(f"accounting groups by map: {plural(count, 'job')}", heading=True))
    for item in found.assigned:
        text = f"{item.before} -> {item.after}: {plural(len(item.jobs), 'job')} ({item.place})"
        blocks.append(Line(f"  {text}"))
    if found.refused:
        count = sum(len(item.jobs) for item in found.refused)
        title = f"refused at submission, kept here: {plural(count, 'job')}"
        blocks.append(Line(title, heading=True))
    for refusal in found.refused:
        text = f"{refusal.submitter}: {plural(len(refusal.jobs), 'job')}, {refusal.why}"
        blocks.append(Line(f"  {text}", level="bad"))
    return blocks


def _groups(result: CycleResult) -> list[Block]:
    """The groups; requested, allocated and sort key are those of the first allocation round."""
    groups = result.groups
    if len(groups) <= 1:
        return []
    first = {item.group: item for round_ in result.rounds[:1] for item in round_.groups}
    keys = sort_keys(result.rounds[0]) if result.rounds else {}
    rows = tuple(
        (
            item.name,
            short(item.config_quota),
            number(item.quota),
            number(first.get(item.name, item).requested),
            number(first.get(item.name, item).allocated),
            number(item.usage, 1),
            number(item.usage_after, 1),
            item.surplus,
            rounded(keys.get(item.name)),
        )
        for item in groups
    )
    columns = (
        TextColumn("group", name=True),
        TextColumn("configured", "quota", right=True, drop=2, brief="config"),
        TextColumn("quota", "weight", right=True),
        TextColumn("requested", "weight", right=True, brief="asked"),
        TextColumn("allocated", "weight", right=True, brief="given"),
        TextColumn("usage", "weight", right=True),
        TextColumn("after", "weight", right=True),
        TextColumn("surplus", drop=1),
        TextColumn("sort", "key", right=True, drop=3),
    )
    return _titled("groups", columns, rows)


def sort_keys(round_: AllocationRound) -> dict[str, float]:
    """By which number each group first took its place in the order of a round."""
    return {event.group: event.sort_key for event in reversed(round_.events)}


def _matches(matches: tuple[Match, ...]) -> list[Block]:
    if not matches:
        return [Line("matches: none", heading=True)]
    kinds = Counter(match.kind for match in matches)
    summary = ", ".join(f"{kinds[kind]} {KINDS[kind]}" for kind in MatchKind if kinds[kind])
    found: list[Block] = [Line(f"matches: {len(matches)} ({summary})", heading=True)]
    requests: dict[tuple[str, str, str], list[Match]] = {}
    for match in matches:
        requests.setdefault((match.submitter, match.schedd, match.job), []).append(match)
    for (submitter, _, job), group in requests.items():
        of = max(match.of for match in group)
        cost = short(sum(match.cost for match in group))
        wanted = f"{len(group)} of {plural(of, 'job')}" if of > 1 else "1 job"
        found.append(Line(f"  {submitter}, job {job}: {wanted} matched, cost {cost}"))
        found += match_blocks(group)
    return found


def match_blocks(group: list[Match]) -> list[Block]:
    """The slots of one request by what was done to get them, in the order of the matches."""
    ways: dict[tuple[MatchKind, str | None], list[Match]] = {}
    for match in group:
        ways.setdefault((match.kind, match.preempted), []).append(match)
    found: list[Block] = []
    for (kind, user), matches in ways.items():
        whom = f" of {user}" if user else ""
        found.append(Line(f"    {KINDS[kind]}{whom}: {plural(len(matches), 'slot')}"))
        found.append(Wrapped("", tuple(match.slot for match in matches), indent=6))
    return found


def vacating_blocks(jobs: tuple[Vacating, ...]) -> list[Block]:
    """The preempted jobs, those that leave in the same way together."""
    if not jobs:
        return []
    ways: dict[tuple[str, ...], list[str]] = {}
    for item in jobs:
        way = (
            item.user or "-",
            item.universe or "-",
            item.signal,
            str(item.soft_after),
            str(item.hard_after),
        )
        ways.setdefault(way, []).append(item.job or "?")
    rows = tuple((*way, str(len(ids)), _some(ids)) for way, ids in ways.items())
    columns = (
        TextColumn("user", name=True),
        TextColumn("universe", drop=1),
        TextColumn("soft kill"),
        TextColumn("after", "s", right=True),
        TextColumn("killed", "after s", right=True),
        TextColumn("jobs", right=True),
        TextColumn("which", prose=True),
    )
    return _titled(f"vacating: {plural(len(jobs), 'job')}", columns, rows)


def _some(names: list[str], between: str = " ") -> str:
    """A few of many."""
    return between.join([*names[:3], "..."] if len(names) > 3 else names)


def _rejections(result: CycleResult) -> list[Block]:
    if not result.rejections:
        return [Line("rejections: none", heading=True)]
    rows = tuple((item.submitter, item.job, item.text) for item in result.rejections)
    columns = (
        TextColumn("submitter", name=True),
        TextColumn("job", right=True, name=True),
        TextColumn("reason", prose=True),
    )
    return _titled(f"rejections: {len(rows)}", columns, rows)


def _agreement(agreement: Agreement | None, name: str) -> list[Block]:
    if agreement is None:
        return []
    text = (
        f"{agreement.agreeing} of {agreement.expected} decisions agree with {name} "
        f"(the real negotiator {agreement.negotiator})"
    )
    if agreement.extra:
        text += f"; {plural(agreement.extra, 'decision')} made here only"
    found: list[Block] = [Line(text, level="good" if agreement.complete else "bad")]
    shown = agreement.differences[:MAX_DIFFERENCES]
    for item in shown:
        found.append(Line(f"  {_difference(item)}"))
        found += [Line(f"    {text}") for text in _age_of(item)]
    if any(item.ads for item in agreement.differences):
        found.append(Line(f"  {_ages(agreement)}"))
    left = len(agreement.differences) - len(shown)
    if left:
        found.append(Line(f"  and {plural(left, 'more difference')}; --json lists them all"))
    return found


def _difference(item: DecisionDifference) -> str:
    side = "only here" if item.ours else "only condor_negotiator"
    fields = item.fields()
    text = f"{side}: {item.kind} {item.position + 1}: {fields['submitter']}, job {fields['job']}"
    if item.kind == "rejection":
        return f"{text}: {fields['reason']}"
    whom = f", preempting {fields['preempted']}" if fields["preempted"] else ""
    return f"{text} on {fields['slot']}{whom}"


def _age_of(item: DecisionDifference) -> list[str]:
    """What the ages of the ads say about a difference."""
    if not item.ads:
        return []
    if item.from_age is False:
        return ["not from the capture's age: no ad that it hangs on is older than the cycle"]
    missing = [f"{ad.what} {ad.name} is not in the capture" for ad in item.ads if not ad.there]
    untold = [f"the {ad.what} ad tells no time" for ad in item.ads if ad.there and ad.older is None]
    older = [
        f"{ad.what} ad {ad.older:.0f} s older than the cycle"
        for ad in item.ads
        if ad.older is not None and ad.older > 0
    ]
    return [", ".join(dict.fromkeys([*missing, *older, *untold]))]


def _ages(agreement: Agreement) -> str:
    """How many differences can come from the age of the capture."""
    found = [item.from_age for item in agreement.differences]
    text = f"of {plural(len(found), 'difference')} {found.count(True)} can come from the age"
    text += f" of the capture, {found.count(False)} cannot"
    return f"{text}; of {found.count(None)} no ad tells its time" if None in found else text


#: The events that the clock causes.
_TIMED: Final = frozenset(
    (TurnEvent.SUBMITTER_TIME, TurnEvent.SCHEDD_TIME, TurnEvent.CYCLE_TIME, TurnEvent.DEADLINE)
)


def timed_turns(result: CycleResult) -> list[tuple[str, TurnEvent, int, int]]:
    """The turns that a time limit prevented or ended: submitter, which, pie, spin."""
    return [
        (turn.name, event, number, spin.spin)
        for number, pie in enumerate(result.pies)
        for spin in pie.spins
        for turn in spin.turns
        for event in turn.events
        if event in _TIMED
    ]


def _time(result: CycleResult) -> list[Block]:
    """The simulated time, if requests cost any, and whom it ran out for."""
    if not result.seconds:
        return []
    found: list[Block] = [
        Line(f"simulated time of the requests: {short(result.seconds)} s", heading=True)
    ]
    counts = Counter((name, event) for name, event, _, _ in timed_turns(result))
    found += [
        Line(f"  {name}: {event.value} ({plural(times, 'turn')})", level="bad")
        for (name, event), times in counts.items()
    ]
    return found


def _departures(departures: tuple[Departure, ...]) -> list[Block]:
    """Where the real negotiator would not come to an end."""
    if not departures:
        return []
    found: list[Block] = [Line("where condor_negotiator would not come to an end", heading=True)]
    for item in departures:
        about = _some(list(item.about), ", ")
        found.append(Line(f"  {item.kind.number}, {about}: {item.kind.text}", level="bad"))
    return found


def _unsupported(knobs: tuple[UnsupportedKnob, ...]) -> list[Block]:
    if not knobs:
        return [Line("not honoured yet: no knob that this configuration sets")]
    rows = tuple((item.name, item.value, item.place, item.effect) for item in knobs)
    columns = (
        TextColumn("knob"),
        TextColumn("value", prose=True),
        TextColumn("set at", drop=1, name=True),
        TextColumn("what it would change", prose=True),
    )
    return _titled(f"not honoured yet: {plural(len(rows), 'knob')}", columns, rows)


def _titled(
    title: str, columns: tuple[TextColumn, ...], rows: tuple[tuple[str, ...], ...]
) -> list[Block]:
    if not rows:
        return [Line(f"{title}: none", heading=True)]
    return [Line(title, heading=True), TextTable(columns, rows)]
