"""Opens conditions that are evaluated in each ad of a list, such as the GPUs of a machine.

Decides which part of the condition is true of how many elements, what else is to be said of a part,
and which value of the job's attributes would do.

Inputs: a clause, the job and a slot.  Outputs: ``OpenedList``; values of elements.  Follows: the
evaluator, which is asked for each part by itself; the schedd, which flattens such conditions first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attr import frozen

from classad import ClassAd
from classad.ads.ad import Ad, ListValue, node_of_value
from classad.ads.expression import Expression
from classad.analysis.flatten import flatten
from classad.errors import suggest
from classad.evaluate import EvalContext, evaluate
from classad.evaluation.functions import Where, lookup_function
from classad.formats.unparse import unparse, unparse_value
from classad.language.values import ERROR, UNDEFINED
from classad.match import is_true
from classad.patterns import late_regex
from classad.syntax.nodes import Binary, Call, Node, Parens, Reference, bare, walk
from pieslice.reports.layout import plural, short

#: Different values of the elements that are listed.
MAX_VALUES: Final = 4
#: Where the other ad is while requirements are flattened.
_PARTNER: Final = "RIGHT"
_REAL: Final = late_regex(r"\b\d\.\d{15}E[+-]\d{2,3}")


@frozen
class ListedPart:
    """A part of a condition over a list: it is true in ``true`` of the elements.

    ``values``: what the elements have for the first name in it, the most frequent first; ``note``:
    why it is never true.
    """

    text: str
    true: int
    values: tuple[str, ...]
    note: str | None = None


@frozen
class OpenedList:
    """A condition over ``elements`` ads, which are the ``list`` of a slot, part by part."""

    list: str
    slot: str
    elements: int
    parts: tuple[ListedPart, ...]


def calls_over_lists(node: Node) -> list[Call]:
    """The calls in an expression whose first argument is evaluated in each ad of a list."""
    return [part for part in walk(node) if isinstance(part, Call) and _is_over_list(part)]


def _is_over_list(call: Call) -> bool:
    function = lookup_function(call.name)
    return function is not None and Where.IN_EACH in function.where and len(call.args) == 2


def condition_of(call: Call, my: ClassAd) -> Node:
    """What is evaluated in each ad: the name of an attribute stands for its expression."""
    condition = bare(call.args[0])
    stored = my.raw(condition.name) if isinstance(condition, Reference) else None
    return stored.node if isinstance(stored, Expression) else condition


def inside_of(node: Node) -> set[int]:
    """The identities of the nodes that are evaluated in each ad of a list."""
    return {id(part) for call in calls_over_lists(node) for part in walk(call.args[0])}


def open_lists(
    node: Node, my: ClassAd, target: ClassAd, slot: str, context: EvalContext
) -> tuple[OpenedList, ...]:
    """The conditions over lists in a clause, as they are for a slot."""
    found = []
    for call in calls_over_lists(node):
        members = _Members(call, my, target, context)
        if members.ads:
            parts = tuple(members.part(part) for part in _conjuncts(members.condition))
            found.append(OpenedList(unparse(call.args[1]), slot, len(members.ads), parts))
    return tuple(found)


def value_text(value: object) -> str:
    """A value as people write it: reals without needless digits."""
    return f"{value:.10g}" if value.__class__ is float else unparse_value(value)


def references(node: Node) -> list[Reference]:
    """The references of an expression without the scope names in front of them."""
    found = [part for part in walk(node) if isinstance(part, Reference)]
    bases = {id(part.base) for part in found if isinstance(part.base, Reference)}
    return [part for part in found if id(part) not in bases]


class _Members:
    """The elements of a call's list."""

    def __init__(self, call: Call, my: ClassAd, target: ClassAd, context: EvalContext) -> None:
        self._call, self._sides, self._context = call, (my, target), context
        self.condition = condition_of(call, my)
        listed = evaluate(Expression.from_node(call.args[1]), my, target, context=context)
        self.ads: list[Ad] = []
        for item in listed if isinstance(listed, ListValue) else ():
            if isinstance(item, Expression):
                item = evaluate(item, listed.scope or target, my, context=context)
            if isinstance(item, Ad):
                self.ads.append(item)

    def values(self, node: Node) -> list[object]:
        """What an expression is in each of them."""
        # A name alone would be looked for where the call stands first.
        call = Call("evalInEachContext", (Parens(node), self._call.args[1]))
        found = evaluate(Expression.from_node(call), *self._sides, context=self._context)
        return list(found) if isinstance(found, ListValue) else []

    def part(self, node: Node) -> ListedPart:
        """A part of the condition, with what the elements have for it."""
        values = self.values(node)
        true = sum(map(is_true, values))
        names = [part for part in references(node) if self._is_theirs(part)]
        shown = self.values(names[0]) if names else []
        texts = tuple(dict.fromkeys(value_text(it) for it in shown if it is not UNDEFINED))
        note = None if true else self._note(node, values)
        return ListedPart(unparse(node).strip(), true, texts[:MAX_VALUES], note)

    def _is_theirs(self, part: Reference) -> bool:
        return part.base is None and any(ad.raw(part.name) is not None for ad in self.ads)

    def _note(self, node: Node, values: list[object]) -> str | None:
        mine = self._sides[0]
        for part in references(node):
            missing = part.base is None and mine.raw(part.name) is None
            if missing and not self._is_theirs(part):
                meant = suggest(part.name, {name for ad in self.ads for name in ad._names.values()})
                advice = "" if meant is None else f": did you mean `{meant}`?"
                return f"{part.name} is in none of them{advice}"
        if isinstance(node, Binary) and ERROR in values:
            for side in (node.left, node.right):
                for value in self.values(side):
                    if isinstance(value, str) and number_in(value) is not None:
                        names = [name for name in mine.names() if mine.raw(name) == value]
                        what = f"{names[0]} is the" if len(names) == 1 else "a number is the"
                        return f'{what} string "{value}": write {value}'
        return "an error in all" if values and all(it is ERROR for it in values) else None


def number_in(text: str) -> int | float | None:
    """The number that a string was probably meant to be."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def _conjuncts(node: Node) -> Iterator[Node]:
    """The parts that are joined by ``&&``, from left to right."""
    todo = [node]
    while todo:
        part = bare(todo.pop())
        if isinstance(part, Binary) and part.operator == "&&":
            todo += (part.right, part.left)
        else:
            yield part


# --- which value would do -------------------------------------------------------------------------


def as_written(text: str, nodes: list[Node], job: ClassAd, context: EvalContext) -> Node | None:
    """Of the clauses that a job has the one that is flattened to this text, and has a list."""
    for node in nodes:
        if calls_over_lists(node):
            flat = flattened(node, job, context)
            if text in (unparse(bare(node)), unparse(bare(flat))):
                return node
    return None


def flattened(node: Node, job: ClassAd, context: EvalContext) -> Node:
    """A clause as the negotiator has it."""
    flat = flatten(job, node, inline=True, context=context, partner=_PARTNER)
    if not flat.ok:
        return node
    return node_of_value(flat.value) if flat.tree is None else flat.tree


def values_in_lists(
    node: Node, other: Node, job: ClassAd, slot: ClassAd, context: EvalContext
) -> list[object]:
    """What the elements of the lists in a clause have for an expression."""
    return [
        value
        for call in calls_over_lists(node)
        for value in _Members(call, job, slot, context).values(other)
    ]


# --- words ----------------------------------------------------------------------------------------


def list_lines(opened: OpenedList) -> Iterator[str]:
    """What each part of a condition over a list is true of."""
    many = plural(opened.elements, "element")
    yield f"{tidy(opened.list)} of {opened.slot} has {many}:"
    for part in opened.parts:
        count = "none" if not part.true else f"{part.true} of {opened.elements}"
        values = f" ({', '.join(part.values)})" if part.values else ""
        note = "" if part.note is None else f": {part.note}"
        yield f"  {tidy(part.text)} is true in {count}{values}{note}"


def tidy(text: str) -> str:
    """An expression with its reals as people write them."""
    return _REAL.sub(lambda found: short(float(found[0])), text.strip())
