"""Finds the smallest changes that would make a job match more slots, and says them.

Decides which changes are told: values of the job's attributes where a value would do, else clauses
that would have to go; as few as possible, of equally many the nearest values.  Every change is
tried before it is told: it is made in the job's ad, and the match is evaluated again.

Inputs: the match of a pool.  Outputs: ``SuggestedChanges``, the best first; blocks for
``pieslice.reports.layout``.  Follows: ``condor_q -better-analyze`` for the idea of suggestions; the
counts here are exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial, reduce
from itertools import product
from typing import Final

from attr import define, field, frozen

from classad.ads.expression import Expression
from classad.syntax.nodes import Binary, Literal
from classad.table import Rows
from negotiator.matching.board import Offer
from negotiator.matching.candidate import Candidate
from pieslice.data import is_number
from pieslice.reports.document import json_name
from pieslice.reports.layout import Block, Line, plural
from pieslice.why.bounds import (
    Bound,
    Plain,
    bound_of,
    bounds_in_lists,
    is_plain,
    with_values,
)
from pieslice.why.clauses import ClauseKey, Counted, Whose
from pieslice.why.funnel import PoolMatch, Verdicts, match_pool, with_job
from pieslice.why.lists import calls_over_lists, tidy, value_text

#: SuggestedChanges that are told, those that are tried, and kinds of slots that are looked at.
MAX_CHANGES: Final = 3
MAX_TRIES: Final = 12
MAX_GROUPS: Final = 40
#: Resources without which no job runs: nothing of them is no request.
_NEEDED: Final = frozenset({"requestcpus", "requestmemory", "requestdisk"})
_REQUEST: Final = "request"
#: The units in which users write the attributes.
UNITS: Final = {"requestmemory": "MB", "requestdisk": "KB"}


@frozen
class NeededValue:
    """A value of the job that would do.

    ``relation``: ``<=``, ``>=`` or ``=``; ``value`` is the one that was tried.  ``now``: what the
    job has, None if it has no such attribute.
    """

    name: str
    relation: str
    value: Plain
    now: Plain | None
    unit: str


@frozen
class SuggestedChange:
    """A change that makes ``slots`` more slots match, so that ``matching`` do in all.

    ``values`` are set in the job, ``without``: clauses that are dropped; ``available``: how many of
    the slots the job could have then, as matches, preemption and limits stand.
    """

    values: tuple[NeededValue, ...]
    without: tuple[ClauseKey, ...]
    slots: int
    matching: int
    available: int
    example: str


@frozen
class NoHelp:
    """Asking for less does not help for ``slots``, which have nothing of it.

    ``tried``: the least that could be asked for, None if the job asks for no more.
    """

    name: str
    tried: int | None
    slots: int
    example: str


@frozen
class SuggestedChanges:
    """What would help, the best first, and what would not."""

    best: tuple[SuggestedChange, ...] = field(default=(), metadata=json_name("changes"))
    no_help: tuple[NoHelp, ...] = ()


#: Values of attributes of the job: a relation and a value for each folded name.
_Values = tuple[tuple[str, str, Plain], ...]


@frozen(eq=False)
class _Idea:
    """A change that may help."""

    values: _Values
    without: tuple[ClauseKey, ...]
    effort: float

    @property
    def size(self) -> tuple[int, int]:
        """How much is changed; clauses of slots count most, which are not the user's to change."""
        foreign = sum(1 for whose, _ in self.without if whose is not Whose.JOB)
        return foreign, len(self.values) + len(self.without)


def smallest_changes(halted: Offer, pool_match: PoolMatch, verdicts: Verdicts) -> SuggestedChanges:
    """The best changes; ``verdicts``: of the cycle about the slots that are left."""
    search = _Search(halted, pool_match, verdicts)
    ideas: list[_Idea] = []
    for failed, rows in pool_match.groups()[:MAX_GROUPS]:
        ideas += search.ideas(failed, rows)
    ideas.sort(key=lambda idea: (idea.size, len(idea.without), idea.effort))
    best: list[tuple[_Idea, SuggestedChange]] = []
    seen: set[tuple[_Values, tuple[ClauseKey, ...]]] = set()
    for idea in ideas:
        key = (idea.values, idea.without)
        if len(best) == MAX_CHANGES or len(seen) == MAX_TRIES:
            break
        if key in seen or any(made.available and less.size < idea.size for less, made in best):
            continue
        seen.add(key)
        change = search.tried(idea)
        # More has to be changed only for the sake of more slots.
        if change is not None and all(change.slots > other.slots for _, other in best):
            best.append((idea, change))
    told = sorted((change for _, change in best), key=lambda change: change.available == 0)
    return SuggestedChanges(tuple(told), search.no_help())


@define(eq=False)
class _Search:
    halted: Offer
    found: PoolMatch
    verdicts: Verdicts
    #: Slots that have nothing of what the job asks for, by the folded name of the attribute.
    nothing: dict[str, Rows] = field(factory=dict)
    spelled: dict[str, str] = field(factory=dict)

    def ideas(self, failed: tuple[Counted, ...], rows: Rows) -> list[_Idea]:
        """What might make some slots match that the same clauses refuse."""
        choices: list[list[Bound]] = []
        without: list[ClauseKey] = []
        for clause in failed:
            some = self._bounds(clause, rows)
            for each in some:
                self.spelled.setdefault(each.name.lower(), each.name)
            if some:
                choices.append(some)
            else:
                without.append(clause.key)
        without.sort(key=lambda key: (key[0].value, key[1]))
        return [
            idea
            for bounds in product(*choices)
            for idea in self._with_bounds(bounds, without, rows)
        ]

    def _bounds(self, clause: Counted, rows: Rows) -> list[Bound]:
        """The attributes of the job whose values would make a clause true, with these."""
        pairs, own = self.found.pairs, clause.whose is Whose.JOB
        if own and calls_over_lists(clause.tree.node):
            return bounds_in_lists(clause, rows, pairs, self.halted.request.jobs[0].ad)
        bound = bound_of(clause, rows, pairs)
        return [] if bound is None else [bound]

    def _with_bounds(
        self, bounds: Sequence[Bound], without: list[ClauseKey], rows: Rows
    ) -> list[_Idea]:
        """What might help if attributes of the job have other values."""
        if not bounds:
            return [_Idea((), tuple(without), 0.0)]
        vectors: Counter[_Values] = Counter()
        for row in rows:
            values = _needed(bounds, row)
            if values is not None and self._is_a_request(values, row):
                vectors[values] += 1
        if not vectors:
            return []
        nearest = min(vectors, key=lambda values: (self.effort(values), -vectors[values]))
        likely = max(vectors, key=lambda values: (vectors[values], -self.effort(values)))
        return [
            _Idea(values, tuple(without), self.effort(values))
            for values in dict.fromkeys((nearest, likely, _widest(vectors)))
        ]

    def _is_a_request(self, values: _Values, row: int) -> bool:
        """Whether the values ask for something; rows of which nothing can be asked are noted."""
        fine = True
        for name, relation, value in values:
            asks = name.startswith(_REQUEST) and relation == "<=" and is_number(value)
            if asks and float(value) <= 0:
                none = self.nothing.setdefault(name, Rows(len(self.found.pairs.slots)))
                none.add(row)
                fine = fine and name not in _NEEDED and float(value) == 0
        return fine

    def effort(self, values: _Values) -> float:
        """How much values differ from those that the job has."""
        return sum(_distance(self.now(name), value) for name, _, value in values)

    def now(self, name: str) -> Plain | None:
        """What the job has for an attribute."""
        value = self.found.pairs.request.evaluate_attr(name, None, self.halted.board.context)
        return value if is_plain(value) else None

    def tried(self, idea: _Idea) -> SuggestedChange | None:
        """The change as it turns out; None if it does not help."""
        halted, match = self.made(idea.values, idea.without)
        foreign = [key for key in idea.without if key[0] is not Whose.JOB]
        matching = match.without(foreign)
        gained = matching - self.found.matching
        if not gained:
            return None
        slots = match.pairs.slots
        verdicts = self.verdicts.of_request(halted)
        available = [
            slots[row].name
            for row in gained & match.there
            if isinstance(verdicts.of(slots[row].name), Candidate)
        ]
        values = (
            NeededValue(self.spelled[name], relation, value, self.now(name), UNITS.get(name, ""))
            for name, relation, value in idea.values
        )
        example = available[0] if available else slots[next(iter(gained))].name
        return SuggestedChange(
            tuple(values), idea.without, len(gained), len(matching), len(available), example
        )

    def made(self, values: _Values, without: tuple[ClauseKey, ...] = ()) -> tuple[Offer, PoolMatch]:
        """The moment, and the match, if the job had these values and not these clauses."""
        own = frozenset(text for whose, text in without if whose is Whose.JOB)
        if not values and not own:
            return self.halted, self.found
        ad = with_values(self.halted.request.jobs[0].ad, values)
        if own:
            clauses = self.found.table.clauses(self.halted.request.ad)
            kept = [tree.node for tree, text in clauses if text not in own]
            every = reduce(partial(Binary, "&&"), kept or [Literal(True)])
            ad.insert("Requirements", Expression.from_node(every))
        halted = with_job(self.halted, ad)
        return halted, match_pool(halted, like=self.found)

    def no_help(self) -> tuple[NoHelp, ...]:
        """The requests of which some slots have nothing, if asking for the least was no help."""
        found = []
        for name, rows in self.nothing.items():
            now = self.now(name)
            tried = 1 if is_number(now) and float(now) > 1 else None
            if tried is not None:
                rows = rows - self.made(((name, "<=", tried),))[1].matching
            first = rows.first()
            if first is not None:
                example = self.found.pairs.slots[first].name
                found.append(NoHelp(self.spelled[name], tried, len(rows), example))
        return tuple(sorted(found, key=lambda item: -item.slots))


def _distance(now: Plain | None, value: Plain) -> float:
    """How far a value is from what there is, in proportion."""
    if is_number(value) and is_number(now):
        return abs(float(value) - float(now)) / max(abs(float(now)), 1.0)
    return 1.0


def _needed(bounds: Sequence[Bound], row: int) -> _Values | None:
    """What a slot needs the job to have; None if nothing would do."""
    found: dict[str, tuple[str, Plain]] = {}
    for bound in bounds:
        value = bound.values.get(row)
        if value is None:
            return None
        name = bound.name.lower()
        relation, known = found.get(name, (bound.relation, value))
        if relation != bound.relation or (relation == "=" and known != value):
            return None
        if is_number(known) and is_number(value):
            if relation == "<=":
                value = min(known, value)
            elif relation == ">=":
                value = max(known, value)
        found[name] = (relation, value)
    return tuple((name, *found[name]) for name in sorted(found))


def _widest(vectors: Counter[_Values]) -> _Values:
    """The values that do for all slots, if there are any."""
    first, *others = vectors
    widest = []
    for place, (name, relation, value) in enumerate(first):
        values = [value, *(other[place][2] for other in others)]
        if relation == "=" or not all(map(is_number, values)):
            return first
        numbers = [value for value in values if is_number(value)]
        widest.append((name, relation, min(numbers) if relation == "<=" else max(numbers)))
    return tuple(widest)


# --- words ----------------------------------------------------------------------------------------


def change_blocks(
    changes: tuple[SuggestedChange, ...], no_help: tuple[NoHelp, ...] = ()
) -> list[Block]:
    """What would help, best first, and what would not."""
    if not changes and not no_help:
        return []
    found: list[Block] = [Line("smallest change that makes more slots match", heading=True)]
    for change in changes:
        gained = f"{plural(change.slots, 'more slot')}, such as {change.example}"
        if change.available < change.slots:
            gained += f" ({change.available or 'none'} of them available now)"
        found.append(Line(f"  {_edits(change)}: {gained}"))
    for item in no_help:
        what = item.name[len("Request") :]
        tried = f"a smaller {item.name}" if item.tried is None else f"{item.name} = {item.tried}"
        found.append(
            Line(
                f"  {tried} would not help with {plural(item.slots, 'slot')}, such as"
                f" {item.example}: no {what} left there"
            )
        )
    return found


def _edits(change: SuggestedChange) -> str:
    """What has to be changed."""
    values = [
        f"{item.name} {item.relation} {_plain(item.value)}{_now(item)}" for item in change.values
    ]
    gone = [f"`{tidy(text)}` of the {whose.value}" for whose, text in change.without]
    parts = [*values, *([f"without {' and '.join(gone)}"] if gone else [])]
    return " and ".join(parts)


def _now(item: NeededValue) -> str:
    now = "not set" if item.now is None else f"now {_plain(item.now)}"
    return f" ({now}{', in ' * bool(item.unit)}{item.unit})"


def _plain(value: Plain) -> str:
    """A value as it is written; numbers whole, since a digit less would not do."""
    if value.__class__ is float and value == int(value):
        return str(int(value))
    return repr(value) if value.__class__ is float else value_text(value)
