"""Searches sample after sample until every property has failed or enough pairs were tried.

A counterexample is made simpler as long as the property still fails with the same expression:
fewer attributes, plainer values.

Decides the order of the search and when it ends.

Inputs: a ``Study``, properties, a number of examples, a seed.  Outputs: ``SearchResult`` with the
simplest counterexample found for each property and expression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import isqrt
from random import Random
from typing import Final

from attr import evolve, frozen

from classad.ads.expression import Expression
from pieslice.fuzzing.case import FuzzCase, without
from pieslice.fuzzing.domains import MISSING, Domains
from pieslice.fuzzing.finding import BrokenProperty
from pieslice.fuzzing.properties import Property
from pieslice.fuzzing.sample import POOLS, draw_sample, quotas_in, side_of
from pieslice.fuzzing.schema import AdValue
from pieslice.reports.progress import Moved

#: Cases that are tried at most.
BUDGET: Final = 1500
_NAMES: Final = ("ann", "bob", "cid")
_PLAIN_PRIORITIES: Final = (1.0, 2.0, 10.0, 100.0, 1000.0)


def shrink(finding: BrokenProperty, test: Property) -> BrokenProperty:
    """The simplest case to be found that breaks the property by the same expression."""
    best, left = finding, BUDGET
    progress = True
    while progress and left > 0:
        progress = False
        count, weight = _count(best.case), _weight(best.case)
        for case in _simpler(best.case, test):
            left -= 1
            if left <= 0:
                break
            more = _count(case) - count
            if more > 0 or (more == 0 and _weight(case) >= weight):
                continue
            found = test.check(case)
            if found is not None and found.key() == finding.key():
                best, progress = found, True
                break
    return best


def _count(case: FuzzCase) -> int:
    """How many things a case says; of two cases the one with less is simpler."""
    attributes = len(case.slot) + sum([len(party.job) for party in case.parties])
    return attributes + len(case.parties) + len(case.others) + (case.claim_age > case.run_time)


def _weight(case: FuzzCase) -> tuple[int, float, tuple[str, ...]]:
    """Of two cases that say as much, the simpler one: lengths of what is said, sizes, names."""
    numbers: list[AdValue] = [case.run_time, max(case.claim_age, case.run_time)]
    for party in case.parties:
        numbers += [party.priority, party.usage, party.user]
    numbers += [*case.others.values(), *case.quotas.values(), *case.slot.values(), case.pause]
    numbers += [value for party in case.parties for value in party.job.values()]
    users = tuple(party.user for party in case.parties)
    size = sum(party.priority + party.usage for party in case.parties)
    size += sum(case.others.values()) + sum(case.quotas.values())
    return sum(map(_length, numbers)), size, users


def _length(value: AdValue) -> int:
    if isinstance(value, float) and value.is_integer():
        return len(str(int(value))) + (value != 0)
    if value.__class__ is int:
        return len(str(value)) + (value != 0)
    return len(str(value)) + 2


def _simpler(case: FuzzCase, test: Property) -> Iterator[FuzzCase]:
    domains = test.study.domains
    if len(case.parties) > 2:
        yield evolve(case, parties=case.parties[:2])
        yield evolve(case, parties=(case.parties[0], case.parties[2]))
    yield from _fewer(case, domains, whole=test.whole)
    for group in case.others:
        yield evolve(case, others=without(case.others, group))
    yield from _pools(case, test)
    yield from _people(case, domains)
    yield from _times(case, domains)
    for pause in sorted(test.study.intent.pauses):
        yield evolve(case, pause=pause)
    yield from _plainer(case, domains)
    yield from _renamed(case)


def _renamed(case: FuzzCase) -> Iterator[FuzzCase]:
    """With the usual names: ann has the slot, bob wants it."""
    parties = []
    for party, name in zip(case.parties, _NAMES, strict=False):
        group, dot, _ = party.user.rpartition("@")[0].rpartition(".")
        parties.append(evolve(party, user=f"{group}{dot}{name}@pool"))
    yield evolve(case, parties=tuple(parties))


def _fewer(case: FuzzCase, domains: Domains, *, whole: bool) -> Iterator[FuzzCase]:
    """Without one attribute; if ``whole``, only what may be missing."""
    for name in case.slot:
        if _may_go(name, case.slot[name], domains.slot, whole):
            yield evolve(case, slot=without(case.slot, name))
    for place, party in enumerate(case.parties):
        for name in party.job:
            unseen = place == 0 and not case.free and name.casefold() not in case.copied
            if unseen or _may_go(name, None, domains.job, whole):
                yield case.with_party(place, job=without(party.job, name))


def _may_go(name: str, value: AdValue, domain: dict[str, tuple[AdValue, ...]], whole: bool) -> bool:
    if not whole or (value.__class__ is Expression and name in ("Rank", "Requirements")):
        return True
    return any(other is MISSING for other in domain.get(name, ()))


def _pools(case: FuzzCase, test: Property) -> Iterator[FuzzCase]:
    """In a pool of another size, groups as far from their quotas; with less that others hold."""
    for size in POOLS:
        quotas = quotas_in(test.study.policy, size)
        moved = {
            group: max(0.0, held - case.quotas.get(group, 0.0) + quotas.get(group, 0.0))
            for group, held in case.others.items()
        }
        yield evolve(case, quotas=quotas, others=moved)
    for group, held in case.others.items():
        for usage in (1.0, 2.0, *sorted(test.study.domains.usage)):
            if usage < held:
                yield evolve(case, others={**case.others, group: usage})


def _people(case: FuzzCase, domains: Domains) -> Iterator[FuzzCase]:
    least = min(party.priority for party in case.parties)
    for size in _PLAIN_PRIORITIES:
        yield _scaled(case, size / least)
    for place, party in enumerate(case.parties):
        for usage in (0.0, 1.0, 2.0, *sorted(domains.usage)):
            if usage < party.usage:
                yield case.with_party(place, usage=usage)
        plain = {other.priority for other in case.parties}
        for priority in sorted({*plain, *_PLAIN_PRIORITIES, round(party.priority, 2)}):
            if priority >= 0.5 and priority != party.priority:
                yield case.with_party(place, priority=priority)
        bare = party.user.rpartition("@")[0].rpartition(".")[2]
        if "." in party.user.rpartition("@")[0]:
            yield case.with_party(place, user=f"{bare}@pool")


def _scaled(case: FuzzCase, factor: float) -> FuzzCase:
    parties = (evolve(p, priority=round(max(0.5, p.priority * factor), 6)) for p in case.parties)
    return evolve(case, parties=tuple(parties))


def _times(case: FuzzCase, domains: Domains) -> Iterator[FuzzCase]:
    if case.claim_age > case.run_time:
        yield evolve(case, claim_age=case.run_time)
    for value in sorted(domains.seconds):
        if value < case.run_time:
            yield evolve(case, run_time=value, claim_age=value)
            yield evolve(case, run_time=value)
        if case.run_time < value < case.claim_age:
            yield evolve(case, claim_age=value)


def _plainer(case: FuzzCase, domains: Domains) -> Iterator[FuzzCase]:
    """With a simpler value of one attribute; domains have the simplest first."""
    for name, value in case.slot.items():
        for other in _before(value, domains.slot.get(name, ())):
            yield evolve(case, slot={**case.slot, name: other})
    for place, party in enumerate(case.parties):
        for name, value in party.job.items():
            for other in _before(value, domains.job.get(name, ())):
                yield case.with_party(place, job={**party.job, name: other})


def _before(value: AdValue, domain: tuple[AdValue, ...]) -> Iterator[AdValue]:
    for other in domain:
        if other is not MISSING and (other.__class__, other) != (value.__class__, value):
            yield other


#: Samples of this few ads come first: a simple flaw shows at once, and as every sample has quotas,
#: usage and priorities of its own, one that needs a certain usage shows in one of them.
_SMALL: Final = 20
_SMALL_ONES: Final = 12
#: Samples, each of fewer pairs than the one before, that come to any number of pairs below that
#: of a large one.
_LAST_ONES: Final = 12


@frozen(eq=False)
class SearchResult:
    """``findings``: one for each property and expression; ``tested``: pairs by property."""

    findings: tuple[BrokenProperty, ...]
    examples: int
    tested: tuple[tuple[str, str], ...]


def _silent(done: float, words: str) -> None:
    """Tell nobody how far the search is."""


def search(
    tests: Iterable[Property],
    examples: int,
    seed: int,
    moved: Moved = _silent,
    go_on: Callable[[], bool] = lambda: True,
) -> SearchResult:
    """Look for a counterexample to each of the properties; ``moved`` takes the pairs tried.

    ``go_on`` is asked before each sample.  No more than ``examples`` pairs are tried: the last
    samples are as small as that takes.
    """
    found: list[BrokenProperty] = []
    left = list(tests)
    tested = tuple(dict.fromkeys((test.title(), test.doc) for test in left))
    tried, number = 0, 0
    samples = _SMALL_ONES + examples // side_of(left[0].study) ** 2 + _LAST_ONES if left else 0
    while left and tried < examples and number < samples and go_on():
        rng = Random(f"{seed}/{number}")
        study = left[0].study
        side = _SMALL if number < _SMALL_ONES else side_of(study)
        sample = draw_sample(study, rng, min(side, isqrt(examples - tried)))
        number += 1
        tried += max(test.evaluated(sample) for test in left)
        moved(min(tried, examples), f"{tried:,} pairs, {len(found)} counterexamples")
        for test in list(left):
            finding = _first(test, sample, rng)
            if finding is not None:
                found.append(shrink(finding, test))
                left.remove(test)
    return SearchResult(tuple(found), tried, tested)


def _first(test: Property, sample: object, rng: Random) -> BrokenProperty | None:
    for case in test.suspects(sample, rng):  # type: ignore[arg-type]
        finding = test.check(case)
        if finding is not None:
            return finding
    return None
