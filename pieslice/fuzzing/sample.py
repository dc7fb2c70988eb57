"""Draws many slots and many requests under one accountant, and evaluates them pair by pair.

Decides how situations are drawn: a few submitters of close priorities, slots that they hold,
requests that they make, all values from ``domains``.  Making and decorating an ad costs as much as
dozens of evaluations, so each is met by all ads of the other side.

Inputs: a ``Study``, a source of random numbers.  Outputs: ``Sample``: values of expressions for all
pairs, and the ``FuzzCase`` of any pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from random import Random
from typing import Final

from attr import evolve, field, frozen

from classad import ClassAd
from classad.ads.expression import Expression
from classad.binding.batch import evaluate_many
from negotiator.model.result import ROOT_GROUP
from negotiator.pool.slots import Slot
from pieslice.expressions.dependence import Analyst, is_plain, key_of
from pieslice.fuzzing.case import NOW, FuzzCase, Party
from pieslice.fuzzing.cycle import (
    CycleStart,
    Verdict,
    begin_cycle,
    customers,
    first_slot_ad,
    others_of,
)
from pieslice.fuzzing.domains import MISSING
from pieslice.fuzzing.schema import AdValue
from pieslice.fuzzing.study import Study
from policy.ephemeral import EPHEMERAL, AdKind
from policy.model import NegotiatorPolicy

#: Submitters, slots and requests of a sample.
PARTIES: Final = 8
SIDE: Final = 100
_LIVE: Final = tuple(row.name for row in EPHEMERAL if row.live and row.ad is AdKind.SLOT)
_NAMES: Final = ("ann", "bob", "cid", "dan", "eve", "fay", "gil", "hal")


#: Sizes in slot weights, the usual one first.
POOLS: Final = (10.0, 100.0, 4.0)


def quotas_in(policy: NegotiatorPolicy, size: float) -> dict[str, float]:
    """The quota of each group; the root group has what is left.  Empty without groups."""
    quotas: dict[str, float] = {}
    for spec in policy.groups[1:]:
        quota = spec.static_quota if spec.is_static else (spec.dynamic_quota or 0.0) * size
        quotas[spec.name] = float(quota or 0.0)
    if quotas:
        quotas[ROOT_GROUP] = max(0.0, size - sum(quotas.values()))
    return quotas


@frozen(eq=False)
class Sample:
    """``cases``: a case for each slot, with its holder alone; ``parties``: one for each request."""

    cycle: CycleStart
    people: tuple[Party, ...]
    cases: tuple[FuzzCase, ...]
    slots: tuple[Slot, ...]
    parties: tuple[Party, ...]
    requests: tuple[ClassAd, ...]
    others: Mapping[str, float]
    #: Values by expression: one row for each request, one value for each slot.
    known: dict[int, list[list[AdValue]]] = field(factory=dict)
    #: How many slots the expression can tell apart.
    distinct: dict[int, int] = field(factory=dict)
    analyst: Analyst = field(factory=Analyst)

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return len(self.slots) * len(self.requests)

    def values(self, tree: Expression) -> list[list[AdValue]]:
        """The value of an expression for every request (rows) and slot."""
        found = self.known.get(id(tree))
        if found is None:
            found = self.known[id(tree)] = self.evaluate(tree)
        return found

    @contextmanager
    def having(
        self, ads: Sequence[ClassAd], name: str, values: Sequence[AdValue]
    ) -> Iterator[None]:
        """The sample while each of some ads has another value of an attribute, for ``evaluate``."""
        before = [ad.raw(name) for ad in ads]
        for ad, value in zip(ads, values, strict=True):
            ad.insert(name, value)
        try:
            yield
        finally:
            for ad, value in zip(ads, before, strict=True):
                if value is None:
                    ad.remove(name)
                else:
                    ad.insert(name, value)

    def evaluate(self, tree: Expression) -> list[list[AdValue]]:
        """The same as ``values``, now: once for all ads that the expression cannot tell apart."""
        analyst, context = self.analyst, self.cycle.context
        depends = [analyst.dependence(tree.node, slot.ad) for slot in self.slots]
        names = sorted({name for found in depends for name in found.other})
        codes: dict[object, int] = {}
        columns = []
        samples = []
        for place, (slot, found) in enumerate(zip(self.slots, depends, strict=True)):
            key: object = (found.own, found.other) if found.steady else place
            if key not in codes:
                codes[key] = len(codes)
                samples.append(slot.ad)
            columns.append(codes[key])
        self.distinct[id(tree)] = len(samples)
        rows: dict[object, list[AdValue]] = {}
        table = []
        for place, request in enumerate(self.requests):
            values = [request.raw(name) for name in names]
            key = tuple(map(key_of, values)) if all(map(is_plain, values)) else place
            row = rows.get(key)
            if row is None:
                few = evaluate_many(tree, samples, request, context=context)
                row = rows[key] = [few[column] for column in columns]
            table.append(row)
        return table

    def is_own(self, row: int, column: int) -> bool:
        """Whether the slot is the requester's own already."""
        return self.slots[column].user == self.parties[row].user

    def verdict(self, row: int, column: int) -> Verdict:
        """What the cycle makes of a request and a slot."""
        return self.cycle.verdict(self.slots[column], self.requests[row], self.parties[row].user)

    def allowed(self, tree: Expression | None) -> list[tuple[int, int]]:
        """The requests and claimed slots of another submitter for which a condition is true."""
        users = [slot.user for slot in self.slots]
        rows: list[list[AdValue]]
        rows = [[True] * len(users)] * len(self.requests) if tree is None else self.values(tree)
        return [
            (row, column)
            for row, values in enumerate(rows)
            for column, value in enumerate(values)
            if value is True
            and users[column] is not None
            and users[column] != self.parties[row].user
        ]

    def case(self, row: int, column: int, third: int | None = None) -> FuzzCase:
        """The case of a request and a slot, perhaps with a third party's request."""
        base = self.cases[column]
        places = [row] if third is None else [row, third]
        parties = [base.parties[0], *(self.parties[place] for place in places)]
        if base.free:
            parties = [parties[1], *parties[1:]]
        inside = {party.user for party in parties}
        others = dict(self.others)
        for person in self.people:
            if person.user not in inside:
                group = self.cycle.tree.assigned(person.user).name
                others[group] = others.get(group, 0.0) + person.usage
        if not base.free:
            # The slot is part of what its holder and its group hold.
            holder, weight = parties[0], self.slots[column].weight
            group = self.cycle.tree.assigned(holder.user).name
            beyond = max(0.0, weight - holder.usage)
            parties[0] = evolve(holder, usage=max(0.0, holder.usage - weight))
            others[group] = max(0.0, others.get(group, 0.0) - beyond)
        kept = {group: usage for group, usage in others.items() if usage > 0}
        return evolve(base, parties=tuple(parties), others=kept)


def side_of(study: Study) -> int:
    """Slots and requests of a sample: fewer where each sample has its own usage of groups."""
    return SIDE if len(study.policy.groups) < 2 else SIDE * 7 // 10


def draw_sample(study: Study, rng: Random, side: int = SIDE) -> Sample:
    """A new sample."""
    quotas, others = _draw_groups(study, rng)
    people = _draw_people(study, rng)
    cases = tuple(_draw_slot(study, rng, people, quotas, others) for _ in range(side))
    parties = tuple(
        evolve(rng.choice(people), job=draw_values(study.domains.job, rng)) for _ in range(side)
    )
    claims = [(person.user, person.usage) for person in people]
    claims += [(others_of(group), usage) for group, usage in others.items()]
    cycle = begin_cycle(study.policy, NOW, customers(people, NOW), claims, quotas)
    slots = cycle.slots(first_slot_ad(case) for case in cases)
    for slot in slots:
        _settle(slot, cycle)
    requests = tuple(cycle.request(party) for party in parties)
    return Sample(cycle, people, cases, tuple(slots), parties, requests, others)


def _settle(slot: Slot, cycle: CycleStart) -> None:
    """Put in the numbers of what is live in a cycle: nobody is charged while a sample is evaluated.

    Slots that say the same can be told from each other no more, and are evaluated once.
    """
    for name in _LIVE:
        if slot.ad.raw(name).__class__ is Expression:
            slot.ad.insert(name, slot.ad.evaluate_attr(name, None, cycle.context))


def draw_values(domains: Mapping[str, tuple[AdValue, ...]], rng: Random) -> dict[str, AdValue]:
    """A value for each attribute, none for those that are to be missing."""
    found = {}
    for name, values in domains.items():
        value = rng.choice(values)
        if value is not MISSING:
            found[name] = value
    return found


def _draw_groups(study: Study, rng: Random) -> tuple[dict[str, float], dict[str, float]]:
    """Quotas, and what others hold."""
    quotas = quotas_in(study.policy, rng.choice(POOLS))
    others: dict[str, float] = {}
    for spec in study.policy.groups[1:]:
        near = [quotas[spec.name] + beyond for beyond in (-1.0, 1.0, 0.0, -4.0, 4.0)]
        drawn = rng.choice(near if rng.random() < 0.7 else study.domains.usage)
        others[spec.name] = max(0.0, drawn)
    return quotas, {group: usage for group, usage in others.items() if usage > 0}


def _draw_people(study: Study, rng: Random) -> tuple[Party, ...]:
    domains = study.domains
    groups = [spec.name for spec in study.policy.groups[1:]]
    size = rng.choice(domains.sizes)
    usages = rng.sample(domains.usage, min(3, len(domains.usage)))
    if groups and rng.random() < 0.5:
        usages = [0.0]  # what counts is what the groups hold
    people = []
    for name in _NAMES[:PARTIES]:
        group = rng.choice(["", *groups, *groups]) if groups else ""
        priority = round(max(0.5, size * rng.choice(domains.ratios)), 6)
        user = f"{group}.{name}@pool" if group else f"{name}@pool"
        people.append(Party(user, priority, rng.choice(usages)))
    return tuple(people)


def _draw_slot(
    study: Study,
    rng: Random,
    people: tuple[Party, ...],
    quotas: dict[str, float],
    others: dict[str, float],
) -> FuzzCase:
    domains = study.domains
    run_time = rng.choice(domains.seconds)
    claim_age = run_time if rng.random() < 0.5 else max(run_time, rng.choice(domains.seconds))
    holder = evolve(rng.choice(people), job=draw_values(domains.job, rng))
    return FuzzCase(
        slot={**study.fixed, **draw_values(domains.slot, rng)},
        parties=(holder,),
        run_time=run_time,
        claim_age=claim_age,
        now=NOW,
        pause=rng.choice(study.intent.pauses),
        quotas=quotas,
        others=others,
        free=rng.random() < 0.1,
        copied=study.copied,
    )
