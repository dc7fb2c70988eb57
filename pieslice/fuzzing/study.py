"""Reads what is studied: a policy, its expressions with their places, what they are meant to do.

Decides which expressions a configuration sets that decide about slots and jobs, what kind of value
each must have, which of them a slot carries, and the intentions a property is measured by.

Inputs: a ``Config``, a ``Schema``, ``Intent``.  Outputs: ``Study``.  Follows: who reads which
expression in HTCondor 25.14.1 (``policy.lint.view``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Final

from attr import evolve, frozen

from classad import ClassAd
from classad.ads.expression import Expression
from classad.evaluate import EvalContext
from classad.language.rules import language_of
from pieslice.fuzzing.case import NOW
from pieslice.fuzzing.domains import Domains, constants, find_domains
from pieslice.fuzzing.schema import Schema
from pieslice.fuzzing.studied import STUDIED, as_read_by
from policy.config import Config
from policy.explain.trial import CannotTry, trial
from policy.knobs.declaration import Wanted
from policy.lint.trees import comparisons, disjuncts, names
from policy.load import load_policy
from policy.model import NegotiatorPolicy


class StudyContext(Enum):
    """What an expression is evaluated in."""

    PAIR = "a slot and a request"
    JOB = "a job"
    GROUP = "a group"


@frozen(eq=False)
class StudiedExpression:
    """An expression of the configuration.

    ``text``: what it was parsed from; ``place``: file and line; ``claimed``: it is only evaluated
    for slots that somebody holds.
    """

    macro: str
    tree: Expression
    text: str
    place: str
    where: StudyContext
    wanted: Wanted
    claimed: bool = False


@frozen
class Intent:
    """What the policy is meant to keep, and seconds.

    ``min_run_time``: None if it does not say.  ``pauses``: between two cycles.
    """

    margin: float = 0.2
    min_run_time: int | None = None
    pauses: tuple[int, ...] = (300,)


@frozen(eq=False)
class Study:
    """A policy ready to be searched.

    ``fixed``: attributes of every slot that the configuration gives it; ``copied``: case-folded
    names of those that it takes from the running job.  ``declared``: the macros declared stable.
    """

    policy: NegotiatorPolicy
    subjects: tuple[StudiedExpression, ...]
    fixed: dict[str, Expression]
    schema: Schema
    domains: Domains
    intent: Intent
    declared: frozenset[str]
    copied: frozenset[str] = frozenset()

    def subject(self, macro: str) -> StudiedExpression | None:
        """The expression of a macro, if the configuration sets it."""
        return next((s for s in self.subjects if s.macro.casefold() == macro.casefold()), None)

    def pairs(self) -> list[StudiedExpression]:
        """The expressions about a slot and a request."""
        return [subject for subject in self.subjects if subject.where is StudyContext.PAIR]

    @property
    def can_be_broken(self) -> bool:
        """Whether there is anything to test without being asked for one property."""
        policy = self.policy
        allows_all = policy.consider_preemption and policy.preemption_requirements is None
        return bool(self.subjects) or allows_all

    @property
    def requirements(self) -> Expression | None:
        """PREEMPTION_REQUIREMENTS, if preemption is considered at all."""
        return self.policy.preemption_requirements if self.policy.consider_preemption else None


_WHERE: Final = {"slot": StudyContext.PAIR, "job": StudyContext.JOB, "group": StudyContext.GROUP}
_COPIED: Final = ("SYSTEM_STARTD_JOB_ATTRS", "STARTD_JOB_ATTRS")


def known_macros() -> tuple[str, ...]:
    """The expressions that can be studied."""
    return tuple(knob.name for knob in STUDIED)


def study_of(
    config: Config,
    schema: Schema,
    intent: Intent,
    extra: Iterable[Expression] = (),
    *,
    defaults: bool = False,
) -> Study:
    """The study of a configuration.

    ``extra``: further expressions with the slot as MY; ``defaults``: those of HTCondor count, too.
    Raises ``CannotTry`` for an expression that cannot be read.
    """
    policy = load_policy(config).policy
    subjects = tuple(_subjects(config))
    fixed = dict(_of_slots(config, subjects))
    trees = [subject.tree for subject in subjects if subject.where is StudyContext.PAIR]
    trees += [*fixed.values(), *extra]
    trees += of_cycle(policy) if defaults else []
    job_trees = [subject.tree for subject in subjects if subject.where is StudyContext.JOB]
    if intent.min_run_time is None and policy.preemption_requirements is not None:
        intent = evolve(intent, min_run_time=stated_run_time(policy.preemption_requirements))
    if policy.interval_seconds > 0:
        pauses = (policy.interval_seconds, *intent.pauses)
        intent = evolve(intent, pauses=tuple(dict.fromkeys(pauses)))
    copied = frozenset(name.casefold() for name in _listed(config, *_COPIED))
    domains = find_domains(
        trees,
        schema.with_copied(copied),
        margin=intent.margin,
        least=intent.min_run_time,
        job_trees=job_trees,
    )
    for name in fixed:
        domains.slot.pop(name, None)
    declared = frozenset(
        knob.name
        for knob in STUDIED
        if knob.use is not None
        and (entry := config.lookup(knob.use.stable_by)) is not None
        and not entry.is_builtin
        and (config.text(knob.use.stable_by) or "").strip().casefold() in ("true", "1")
    )
    return Study(policy, subjects, fixed, schema, domains, intent, declared, copied)


def of_cycle(policy: NegotiatorPolicy) -> list[Expression]:
    """The expressions that a cycle evaluates for a pair, set or not."""
    found = (
        policy.preemption_requirements,
        policy.preemption_rank,
        policy.pre_job_rank,
        policy.post_job_rank,
    )
    return [tree for tree in found if tree is not None]


def _subjects(config: Config) -> Iterator[StudiedExpression]:
    for knob in STUDIED:
        found, use = _own(config, knob.name, knob.read_by), knob.use
        if found is not None and use is not None:
            tree, text, place = found
            where = _WHERE[use.my]
            yield StudiedExpression(
                knob.name, tree, text, place, where, use.wanted, use.claimed_only
            )


def _own(config: Config, macro: str, reader: str) -> tuple[Expression, str, str] | None:
    """An expression that the configuration itself sets, with its text and place.

    Raises ``CannotTry`` for one that cannot be read.
    """
    seen = as_read_by(config, reader)
    entry = seen.lookup(macro)
    if entry is None or entry.is_builtin:
        return None
    try:
        context = EvalContext(now=NOW, language=language_of(seen.version))
        tried = trial(seen, macro, ClassAd(), ClassAd(), context)
    except CannotTry as problem:
        if problem.diagnostic is not None:
            raise
        return None  # set to nothing
    return tried.tree, tried.text, entry.place()


def _of_slots(
    config: Config, subjects: Iterable[StudiedExpression]
) -> Iterator[tuple[str, Expression]]:
    """What the configuration puts into every slot ad."""
    for subject in subjects:
        if subject.macro == "START":
            yield "Requirements", subject.tree
        elif subject.macro == "RANK":
            yield "Rank", subject.tree
    for name in _listed(config, "STARTD_ATTRS"):
        found = _own(config, name, "STARTD")
        if found is not None:
            yield name, found[0]


def _listed(config: Config, *macros: str) -> list[str]:
    """The names that lists of the startd have."""
    seen = config.seen_by("STARTD")
    return " ".join(seen.text(macro) or "" for macro in macros).replace(",", " ").split()


_TIMELY: Final = ("time", "entered", "jobstart", "qdate")


def stated_run_time(tree: Expression) -> int | None:
    """The minimum run time that an expression speaks of: a number of seconds beside a time."""
    found: list[float] = []
    for node in comparisons(tree.node):
        words = " ".join(names(node))
        if any(word in words for word in _TIMELY):
            found += [v for v in constants(node) if v.__class__ in (int, float) and v >= 60]
    return int(min(found)) if found else None


def compares_priorities(tree: Expression) -> bool:
    """Whether an expression compares the priorities of the two users."""
    return any(
        any(name.startswith("remoteuserprio") for name in found)
        and any(name.startswith(("submitteruserprio", "submittorprio")) for name in found)
        for found in (names(node) for node in comparisons(tree.node))
    )


def clauses(tree: Expression) -> list[Expression]:
    """The clauses of which one is enough."""
    return [Expression.from_node(node) for node in disjuncts(tree.node)]


def is_about_quotas(tree: Expression) -> bool:
    """Whether a clause is about what groups are owed rather than about users' priorities."""
    found = names(tree.node)
    about_groups = any("groupquota" in name or "groupresourcesinuse" in name for name in found)
    return about_groups and not any("userprio" in name for name in found)
