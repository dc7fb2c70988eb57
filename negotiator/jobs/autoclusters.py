"""Tells which job attributes are significant, and which jobs share an autocluster.

Follows the schedd's and the negotiator's rules as seen in the vectors and captured pools.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Set
from functools import lru_cache
from operator import itemgetter
from sys import intern
from typing import Any, Final, NamedTuple

from attr import define

from classad import ClassAd
from classad.ads.ad import SharedNames
from classad.ads.expression import Expression
from classad.analysis.mentions import references_of
from classad.formats.unparse import unparse_value
from classad.language.bounds import MAX_DEPTH
from classad.syntax.nodes import Node, Reference
from negotiator.expressions.known import external_names, look_at, own_names_of
from negotiator.jobs.start_vanilla import names_of
from negotiator.pool.slots import Slots
from negotiator.versions.negotiator import NEVER_SIGNIFICANT, REMOTE_USER_FLOOR, REMOVED_ATTRIBUTES
from policy.model import NegotiatorPolicy
from policy.versions import NEWEST, Version


def never_significant(version: Version) -> frozenset[str]:
    """Attributes (lower-cased names) that are never significant.

    They change all the time or say nothing about the job.
    """
    told = {"remoteuserfloor"} if REMOTE_USER_FLOOR.of(version) else ()
    return NEVER_SIGNIFICANT.of(version).union(told)


#: What the schedd adds to any list.
ALWAYS: Final = ("Requirements", "Rank", "ConcurrencyLimits", "FlockTo")


def significant_attributes(
    slots: Slots,
    policy_expressions: Iterable[Expression | None],
    version: Version = NEWEST,
) -> frozenset[str]:
    """The negotiator's list (lower-cased names) before the settings are applied.

    It is what the expressions of slots want from requests, and those of the policy in the first
    slot.
    """
    if not slots:
        return frozenset()
    found = slots.external_names() | external_names(slots[0].ad, policy_expressions)
    return frozenset(found - never_significant(version))


def job_attributes(significant: frozenset[str], policy: NegotiatorPolicy) -> frozenset[str]:
    """The list as the schedd uses it, before the references inside the jobs are added.

    ``SIGNIFICANT_ATTRIBUTES`` of the schedd stands in place of all others; what
    ``START_VANILLA_UNIVERSE`` mentions as ``JOB.x`` is added.
    """
    if policy.significant_attributes is not None:
        return frozenset(name.lower() for name in policy.significant_attributes)
    removed, text = REMOVED_ATTRIBUTES.of(policy.version)(policy)
    names = significant - {name.lower() for name in removed}
    if text:
        pattern = re.compile(text, re.IGNORECASE)
        names = frozenset(name for name in names if not pattern.search(name))
    start = policy.start_vanilla_universe
    of_start = () if start is None else names_of(start, "JOB")
    added = (*ALWAYS, *policy.add_significant_attributes, *of_start)
    return names | {name.lower() for name in added}


#: Classes of values that have one text where they are equal.
_EXACT: Final[frozenset[type]] = frozenset({bool, int, str})


class _Referred(NamedTuple):
    """What expressions of a job refer to, and what of that is none of the attributes.

    ``kept``: the expressions, so that their identities stay theirs.
    """

    kept: tuple[Expression, ...]
    all: frozenset[str]
    more: frozenset[str]


class _Attributes:
    """Some attributes (lower-cased names), and what follows for jobs by their values of them."""

    def __init__(self, names: frozenset[str]) -> None:
        # The objects that are the keys of ads, as a rule: finding those takes no comparing.
        self.names = frozenset(map(intern, names))
        self._sorted = sorted(self.names)
        self._projections = Projections(self._sorted)
        #: What expressions of a job refer to, by their identities.
        self.referred: dict[tuple[int, ...], _Referred] = {}

    def read(self, job: ClassAd) -> tuple[tuple[str, ...], tuple[object, ...]]:
        """Which of the attributes a job has, and its values of them."""
        attrs, names = job._attrs, job._names
        if job._chained is not None:
            found = {name: job.raw(name) for name in self._sorted}
            attrs = names = {name: value for name, value in found.items() if value is not None}
        keys, pick, _ = self._projections.of(names)
        return keys, pick(attrs)


@define(eq=False)
class Autocluster:
    """Jobs that a schedd does not tell apart.  ``names``: those attributes that they have.

    ``circular``: expressions of theirs lead back to themselves, so that others may count as well.
    ``settled``: by which their requests keep their requirements (``Flattener.by``).
    """

    names: tuple[str, ...]
    circular: bool = False
    settled: object = None


class AutoclusterTable:
    """The autoclusters of one schedd, numbered in the order in which their jobs come."""

    def __init__(self, attributes: frozenset[str], known: AutoclusterTable | None = None) -> None:
        """``attributes``: lower-cased names; none at all means no autoclusters.

        ``known``: a table for the same attributes, what it has found of jobs is found here.
        """
        self._first: _Attributes = _Attributes(attributes) if known is None else known._first
        self._all: dict[frozenset[str], _Attributes] = (
            {self._first.names: self._first} if known is None else known._all
        )
        #: By the values or, if they are inexact, their texts: no text of such a one is that of a
        #: number or string.
        self._alike: dict[tuple[object, ...], Autocluster] = {} if known is None else known._alike
        #: The same by the names and classes of the values, and the values or, if they are inexact,
        #: identities; the values are kept so that these stay theirs.
        self._known: dict[tuple[object, ...], tuple[tuple[object, ...], Autocluster]] = (
            {} if known is None else known._known
        )
        self._numbers: dict[Autocluster, int] = {}
        #: By their numbers, from 1.
        self._numbered: list[Autocluster] = []

    def id_of(self, job: ClassAd) -> int:
        """The id of a job: the number of its autocluster."""
        return self.number_of(self.autocluster_of(job))

    def number_of(self, autocluster: Autocluster) -> int:
        """The number of an autocluster, the next one if it is new."""
        number = self._numbers.get(autocluster)
        if number is None:
            self._numbered.append(autocluster)
            number = self._numbers[autocluster] = len(self._numbered)
        return number

    @property
    def known(self) -> int:
        """How many different jobs it has met, here or in the table that it knows them from."""
        return len(self._known)

    def autocluster(self, number: int) -> Autocluster:
        """The autocluster with a number."""
        return self._numbered[number - 1]

    def autocluster_of(self, job: ClassAd) -> Autocluster:
        """The autocluster of a job: the same for the same texts of all attributes that matter.

        Autoclusters are expanded per job: by what its significant attributes refer to in it, by
        what those refer to, and so on; what other jobs refer to makes no difference.
        """
        attributes = self._first
        while True:
            names, values = attributes.read(job)
            kinds = tuple(map(type, values))
            layout = _layout_of(kinds)
            referred = self._referred(attributes, [values[place] for place in layout.trees])
            more = referred.more and _there(job, referred.more)
            if not more:
                break
            attributes = self._with(attributes.names.union(more))
        exact = list(values)
        for place in layout.inexact:
            exact[place] = id(exact[place])
        key = (names, kinds, *exact)
        known = self._known.get(key)
        if known is None:
            kept, circular = values, False
            if not referred.all.isdisjoint([names[place] for place in layout.trees]):
                trees = {names[place]: values[place] for place in layout.trees}
                circular = self._has_circle(trees)
                if circular:
                    names, values = self._with(self._reached(trees)).read(job)
                    layout = _layout_of(tuple(map(type, values)))
            known = self._known[key] = kept, self._told_by(names, values, layout, circular)
        return known[1]

    def _has_circle(self, trees: Mapping[str, Any]) -> bool:
        """Whether some expressions, by the attributes that hold them, lead back to themselves."""
        left = {name: own_names_of(tree) for name, tree in trees.items()}
        while left:
            ends = [name for name, own in left.items() if own.isdisjoint(left)]
            if not ends:
                return True
            for name in ends:
                del left[name]
        return False

    def _reached(self, trees: Mapping[str, Any]) -> frozenset[str]:
        """The attributes that a schedd finds where expressions lead back to themselves.

        It goes from each of its own through all that this refers to, in the order of the text, and
        stops for good where it comes to the first circle.
        """
        found = set(self._first.names)
        done: set[str] = set()
        for name in self._first.names & trees.keys():
            _follow(name, trees, found, done, {name})
        return frozenset(found)

    def _with(self, names: frozenset[str]) -> _Attributes:
        found = self._all.get(names)
        if found is None:
            found = self._all[names] = _Attributes(names)
        return found

    def _referred(self, attributes: _Attributes, trees: list[Any]) -> _Referred:
        """What expressions that a job has for the attributes refer to."""
        key = tuple(map(id, trees))
        known = attributes.referred.get(key)
        if known is None:
            found = frozenset().union(*[own_names_of(tree) for tree in trees])
            known = _Referred(tuple(trees), found, found - attributes.names)
            attributes.referred[key] = known
        return known

    def _told_by(
        self,
        names: tuple[str, ...],
        values: tuple[object, ...],
        layout: _Layout,
        circular: bool,
    ) -> Autocluster:
        texts = list(values)
        for place in layout.inexact:
            texts[place] = self._text(values[place])
        key = (names, layout.others, *texts)
        found = self._alike.get(key)
        return found or self._alike.setdefault(key, Autocluster(names, circular))

    def attributes_of(self, autocluster: int) -> tuple[str, ...]:
        """Those attributes that the jobs of an autocluster have, by its id."""
        return self.autocluster(autocluster).names

    def _text(self, value: object) -> str:
        if isinstance(value, Expression):
            return look_at(value).text
        return unparse_value(value)


def _follow(
    name: str, trees: Mapping[str, Any], found: set[str], done: set[str], way: Set[str]
) -> bool:
    """Find what an attribute refers to; false at a circle, or below too many levels.

    ``done``: the attributes that lead to none; ``way``: those under way.
    """
    todo: list[Node] = [trees[name].node]
    while todo:
        part = todo.pop()
        if not isinstance(part, Reference):
            todo += reversed(part.children())
            continue
        refs = references_of(part)
        for other in refs.bare | refs.mine:
            found.add(other)
            if other in way or len(way) > MAX_DEPTH:
                return False
            goes_on = other in trees and other not in done
            if goes_on and not _follow(other, trees, found, done, way | {other}):
                return False
    done.add(name)
    return True


def _there(job: ClassAd, names: frozenset[str]) -> list[str]:
    """Those of the names that a job has."""
    if job._chained is not None:
        return [name for name in names if job.raw(name) is not None]
    attrs = job._attrs
    return [name for name in names if name in attrs]


class _Layout(NamedTuple):
    """Where values of certain classes stand.

    ``trees``: the places of expressions; ``inexact``: of values compared by text, these among them;
    ``others``: the classes of the other values.
    """

    trees: tuple[int, ...]
    inexact: tuple[int, ...]
    others: tuple[type | None, ...]


@lru_cache(maxsize=1000)
def _layout_of(kinds: tuple[type, ...]) -> _Layout:
    """Where values of these classes stand."""
    trees = [place for place, kind in enumerate(kinds) if kind is Expression]
    inexact = [place for place, kind in enumerate(kinds) if kind not in _EXACT]
    others = [kind if kind in _EXACT else None for kind in kinds]
    return _Layout(tuple(trees), tuple(inexact), tuple(others))


def policy_expressions(policy: NegotiatorPolicy) -> list[Expression | None]:
    """The expressions whose references are significant."""
    return [
        policy.preemption_requirements,
        policy.preemption_rank,
        policy.pre_job_rank,
        policy.post_job_rank,
        policy.job_constraint,
    ]


# --- some attributes of ads: those that share the names of attributes at once ---------------------


class Projection(NamedTuple):
    """What ads with the same names have of some attributes.

    ``keys``: their names in lower case, sorted; ``pick``: their values, of a dictionary that has
    all of them; ``names``: how ads spell them, followed by those that come in addition.
    """

    keys: tuple[str, ...]
    pick: Callable[[Mapping[str, object]], tuple[object, ...]]
    names: SharedNames


class Projections:
    """Finds projections."""

    def __init__(self, keys: Iterable[str], added: Mapping[str, str] | None = None) -> None:
        """``keys``: names in lower case; ``added``: spellings of names, those that ads lack."""
        self._keys = sorted(keys)
        self._added = added or {}
        #: By the identity of names, which are kept so that these stay theirs.
        self._known: dict[int, tuple[dict[str, str], Projection]] = {}

    def of(self, names: dict[str, str]) -> Projection:
        """What ads with these names (spellings by keys) have."""
        known = self._known.get(id(names))
        if known is not None:
            return known[1]
        found = self._find(names)
        if names.__class__ is SharedNames:
            self._known[id(names)] = names, found
        return found

    def _find(self, names: dict[str, str]) -> Projection:
        spelled = {key: names[key] for key in self._keys if key in names}
        keys = tuple(spelled)
        for key, name in self._added.items():
            spelled.setdefault(key, name)
        return Projection(keys, _picker(keys), SharedNames(spelled))


def _picker(keys: tuple[str, ...]) -> Callable[[Mapping[str, object]], tuple[object, ...]]:
    """What gives the values of keys; for a single one ``itemgetter`` would not give a tuple."""
    if len(keys) > 1:
        return itemgetter(*keys)
    return lambda attrs: tuple([attrs[key] for key in keys])
