"""Says what a cycle decided in a line or two that need no table beside them.

Decides how short names of users may be, and which of many users and reasons are named.

Inputs: a ``CycleResult``.  Outputs: sentences without a full stop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from negotiator.model.result import CycleResult, MatchKind
from pieslice.reports.layout import plural
from pieslice.reports.names import shortest

#: How many users, or reasons, a sentence names.
MOST_NAMED: Final = 3


def cycle_verdict(result: CycleResult) -> list[str]:
    """How many matches by which way and of whom; rejections by reason; who gets slots, who none."""
    return [line for line in (_matches(result), _rejections(result), _served(result)) if line]


def _matches(result: CycleResult) -> str:
    kinds = Counter(match.kind for match in result.matches)
    free, by_rank = kinds[MatchKind.NONE], kinds[MatchKind.RANK]
    taken = kinds.total() - free
    if not kinds:
        return "no matches"
    total = plural(kinds.total(), "match")
    every = "all " if kinds.total() > 1 else ""
    if not taken:
        return f"{total}, {every}of free slots" if every else f"{total}, of a free slot"
    ranks = f", {by_rank} of them by the machine's rank" if by_rank else ""
    how = "rank preemption" if by_rank == taken else f"preemption{ranks}"
    ways = f": {free} free, {taken} by {how}" if free else f", {every}by {how}"
    return f"{total}{ways} ({_takers(result)})"


def _takers(result: CycleResult) -> str:
    """Who takes how many slots of whom."""
    names = short_names(result)
    pairs = Counter(
        (names[match.submitter], names.get(match.preempted, match.preempted))
        for match in result.matches
        if match.preempted is not None
    )
    if not pairs:
        return "nobody is named"
    by_taker: dict[str, list[str]] = {}
    for (taker, holder), count in pairs.most_common(MOST_NAMED):
        by_taker.setdefault(taker, []).append(f"{count} of {holder}")
    parts = [f"{taker} takes {', '.join(losses)}" for taker, losses in by_taker.items()]
    left = sum(count for _, count in pairs.most_common()[MOST_NAMED:])
    return "; ".join([*parts, f"others {left}"] if left else parts)


def _rejections(result: CycleResult) -> str:
    reasons = Counter(item.text for item in result.rejections)
    if not reasons:
        return "no rejections"
    total = plural(reasons.total(), "rejection")
    if len(reasons) == 1:
        return f"{total}: {next(iter(reasons))}"
    return f"{total}: {few(f'{count} {why}' for why, count in reasons.most_common())}"


def _served(result: CycleResult) -> str:
    """Which of the users that have idle jobs get slots."""
    names = short_names(result)
    served = dict(Counter(names[match.submitter] for match in result.matches).most_common())
    waiting = [item for item in result.submitters if item.idle_jobs > 0]
    nothing = [names[item.name] for item in waiting if names[item.name] not in served]
    # Verb and unit once, with the first: `ann gets 3 slots, ben 2`.
    got = few(
        f"{name} {count}" if place else f"{name} gets {plural(count, 'slot')}"
        for place, (name, count) in enumerate(served.items())
    )
    if not nothing:
        return got if len(served) > 1 else ""
    none = f"{few(nothing)} {'gets' if len(nothing) == 1 else 'get'} none"
    return f"{got}; {none}" if got else none


def few(words: Iterable[str]) -> str:
    """The first few of some words, and how many more there are."""
    every = list(words)
    left = len(every) - MOST_NAMED
    if left > 1:
        return f"{', '.join(every[:MOST_NAMED])} and {left} more"
    return ", ".join(every)


def short_names(*results: CycleResult) -> dict[str, str]:
    """The users of cycles, each by its shortest name."""
    users = (
        name
        for result in results
        for name in (
            *(item.name for item in result.submitters),
            *(match.submitter for match in result.matches),
            *(match.preempted for match in result.matches if match.preempted is not None),
        )
    )
    return shortest(users)
