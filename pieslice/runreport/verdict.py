"""Says in a few sentences what came of a run, or what another configuration changed.

Decides which numbers are named: what of the pool was in use, what became of the jobs, who preempted
whom, how long jobs waited; of two configurations what is better and worse, and who has more.

Inputs: ``RunData`` values, the summaries of all seeds.  Outputs: sentences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from attr import evolve

from pieslice.data import Record
from pieslice.reports.layout import plural
from pieslice.reports.names import shortest
from pieslice.reports.progress import duration
from pieslice.runreport.comparison import ComparedRow, comparison
from pieslice.runreport.data import RunData
from pieslice.runreport.metrics import people_say
from pieslice.runreport.spread import BETTER, WORSE

#: How many users a sentence names.
_NAMED: Final = 3
#: What is said first of two configurations, and in which words.
_SAID: Final = {
    "utilisation": "of the pool in use",
    "goodput_hours": "core hours of completed jobs",
    "badput_hours": "core hours lost",
    "never_started": "jobs never started",
    "wait_median": "median wait",
    "wait_95": "95 % wait",
}


def sentences(runs: Sequence[RunData], seeds: Sequence[Sequence[Record]]) -> list[str]:
    """What came of a run; of two, what B is compared with A."""
    if len(runs) == 1:
        return [text for text in (_use(runs[0]), _taken(runs[0]), _waits(runs[0])) if text]
    return list(_compared(comparison(seeds[0], seeds[1])))


def _use(run: RunData) -> str:
    found = run.summary
    used, done = f"{found['utilisation']:.0%}".replace("%", " %"), found["completed"]
    never = found["never_started"]
    jobs = f"{done} of {plural(found['submitted'], 'job')} completed"
    waiting = f", {never} never started" if never else ", every one of them started"
    return f"{used} of the pool was in use; {jobs}{waiting}."


def _taken(run: RunData) -> str:
    """Who preempted whom, and what that cost."""
    found = run.summary
    if not found["preemptions"]:
        return "No job was preempted."
    lost, used = found["badput_hours"], sum(run_hours(found))
    part = f" ({lost / used:.0%} of what was used)".replace("%", " %") if used else ""
    hours = plural(round(lost), "core hour")
    cost = f"{plural(found['preemptions'], 'preemption')} cost {hours}{part}"
    pairs = Counter({(taker, holder): 0 for taker, holder, _ in run.taken})
    for (taker, holder, _), count in run.taken.items():
        pairs[taker, holder] += count
    name = shortest(who for pair in pairs for who in pair)
    who = [
        f"{name[taker]} took {plural(count, 'slot')} of {name[holder]}"
        for (taker, holder), count in pairs.most_common(_NAMED)
    ]
    ranks = sum(count for (_, _, by_rank), count in run.taken.items() if by_rank)
    many = "All" if ranks == run.taken.total() else str(ranks)
    why = f" {many} by rank: the machine preferred the job that came." if ranks else ""
    return f"{cost}: {', '.join(who)}.{why}" if who else f"{cost}."


def run_hours(summary: Record) -> tuple[float, float, float]:
    """The hours of jobs that completed, of what was lost, of what still runs."""
    return summary["goodput_hours"], summary["badput_hours"], summary["unfinished_hours"]


def _waits(run: RunData) -> str:
    found = run.summary
    if found["wait_median"] is None:
        return ""
    half, most = (duration(found[name]) for name in ("wait_median", "wait_95"))
    return f"Half of the jobs that started waited at most {half}, 95 % at most {most}."


def _compared(rows: Sequence[ComparedRow]) -> Iterator[str]:
    """What B is better and worse in, and who has more and less of the pool."""
    pool = {row.metric.key: row for row in rows if not row.kind}
    first = [(pool[key], words) for key, words in _SAID.items()]
    for word in (BETTER, WORSE):
        told = [_changed(row, words) for row, words in first if row.difference.verdict == word]
        if found := [text for text in told if text]:
            yield f"B is {word}: {', '.join(found)}."
    if all(row.difference.verdict not in (BETTER, WORSE) for row, _ in first):
        yield "B is neither better nor worse than A in what is compared first."
    shares = [row for row in rows if row.kind == "user" and row.metric.key == "usage_hours"]
    names = shortest(row.name for row in shares)
    moved = [(row.difference.difference or 0.0, names[row.name]) for row in shares]
    more = [f"{name} {hours:,.0f}" for hours, name in sorted(moved, reverse=True) if hours >= 0.5]
    less = [f"{name} {-hours:,.0f}" for hours, name in sorted(moved) if hours <= -0.5]
    parts = [
        f"{word} core hours: {', '.join(told[:_NAMED])}"
        for word, told in (("more", more), ("less", less))
        if told
    ]
    if parts:
        yield f"With B {'; '.join(parts)}."


def _changed(row: ComparedRow, words: str) -> str:
    """The numbers of both, unless they are said alike."""
    metric = evolve(row.metric, digits=0)
    before, after = (people_say(metric, it) for it in (row.difference.left, row.difference.right))
    return "" if before == after else f"{after} instead of {before} {words}"
