"""Checks ranks: terms that single precision swallows, and ranks that look at one side only.

Follows: ranks of the negotiation cycle of 25.14.1 go through single precision; a startd's RANK
compares jobs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from classad.errors import Diagnostic
from classad.syntax.nodes import Binary, Call, Node, Unary, walk
from classad.syntax.unparse import unparse
from policy.knobs.declaration import Wanted
from policy.lint.expressions import Held, held
from policy.lint.finding import WARNING, Finding
from policy.lint.trees import bare, names, references, scope_of
from policy.lint.view import View
from policy.values.domain import ANYTHING, Abstract, single_number

DROWNED: Final = Finding(
    "P430",
    WARNING,
    "a term of a rank that single precision swallows",
    "The negotiator's ranks go through single precision, which has 24 bits: beside 1e10 everything"
    " below 1024 is nothing, and slots that should differ tie.",
    "NEGOTIATOR_PRE_JOB_RANK = 1.0e12 * (RemoteOwner =?= UNDEFINED) - SlotID\n",
    "NEGOTIATOR_PRE_JOB_RANK = 1.0e5 * (RemoteOwner =?= UNDEFINED) - SlotID\n",
)
ONE_SIDED: Final = Finding(
    "P431",
    WARNING,
    "a rank that is the same for all that it compares",
    "A slot's RANK compares jobs, which are TARGET, so it has to look at the job; ranks of a job"
    " and of the negotiator compare slots.",
    'RANK = (MY.Owner == "alice") * 10\n',
    'RANK = (TARGET.Owner == "alice") * 10\n',
)

#: Bits of the significand of a single.
_BITS: Final = 24
#: What an attribute in a unit usually is at most.
_USUAL: Final = {
    "cpus": 256.0, "GPUs": 16.0, "MiB": 4e6, "KiB": 1e10, "s": 3e6, "load": 256.0,
    "priority": 1e7, "weighted slots": 1e5, "": 1e4, "1": 1e4, "job priority": 1e4,
}  # fmt: skip
_Found = tuple[Finding, str, Node, str | None]


def check_ranks(view: View) -> Iterator[Diagnostic]:
    """Everything about ranks."""
    for one in held(view):
        if one.how.use.wanted is not Wanted.NUMBER:
            continue
        if one.how.matching:
            for kind, message, node, help_text in _drowned(one):
                yield kind.at(message, *one.spot(node), help_text)
        if one.name.casefold().endswith("rank"):
            yield from _one_sided(one)


def _terms(node: Node) -> Iterator[Node]:
    """The terms of a sum."""
    stack = [node]
    while stack:
        top = bare(stack.pop())
        if isinstance(top, Binary) and top.operator in ("+", "-"):
            stack.extend((top.right, top.left))
        elif isinstance(top, Unary) and top.operator in "+-":
            stack.append(top.operand)
        else:
            yield top


def _drowned(one: Held) -> Iterator[_Found]:
    terms = list(_terms(one.tree))
    weighted = [(term, _switched(one, term)) for term in terms]
    steps = [(weight, term) for term, weight in weighted if weight is not None]
    if not steps:
        return
    greatest, cause = max(steps, key=lambda pair: pair[0])
    least = greatest / 2.0**_BITS
    for term in terms:
        size = _size(one, term)
        if term is not cause and size is not None and 0 < size < least:
            message = f"`{unparse(term)}` vanishes beside `{unparse(cause)}`"
            yield DROWNED, message, term, "make the greater term smaller"


def _switched(one: Held, term: Node) -> float | None:
    """The weight of a condition: what the term is where it is not 0."""
    if not isinstance(term, Binary) or term.operator != "*":
        return None
    for weight, factor in ((term.left, term.right), (term.right, term.left)):
        number = single_number(one.evaluation.alone(weight))
        condition = one.evaluation.alone(factor)
        if number is not None and condition.truths and not condition.is_measured:
            return abs(number)
    return None


def _size(one: Held, term: Node) -> float | None:
    """How great a term usually is at most; None where nobody knows."""
    if isinstance(term, Binary) and term.operator == "*":
        left, right = _size(one, bare(term.left)), _size(one, bare(term.right))
        return None if left is None or right is None else left * right
    value = one.evaluation.alone(term)
    if not value.is_measured and not value.truths:
        return None
    known = single_number(value)
    if known is not None:
        return abs(known)
    return 1.0 if not value.is_measured else _usual(value)


def _usual(value: Abstract) -> float | None:
    hull = value.hull()
    if hull is None or not names_a_unit(value):
        return None
    return min(_USUAL[value.unit], max(abs(hull[0]), abs(hull[1])))


def names_a_unit(value: Abstract) -> bool:
    """Is its usual size known?"""
    hull = value.hull()
    bounded = hull is not None and max(abs(hull[0]), abs(hull[1])) < 2.0**41
    return bounded and value.unit in _USUAL


def _one_sided(one: Held) -> Iterator[Diagnostic]:
    """A rank without anything of the ads that it compares."""
    use = one.how.use
    compared = "my" if one.how.matching else "target"
    kind = use.my if compared == "my" else use.target
    if not kind or not names(one.tree) or any(isinstance(n, Call) for n in walk(one.tree)):
        return
    for node in references(one.tree):
        scope = scope_of(node)
        if node.base is not None and scope is None:
            return
        key, value = one.surroundings.look_up(scope or "", node.name)
        if key[0] in (compared, "") or value == ANYTHING:
            return
    what = {"job": "jobs", "slot": "slots"}.get(kind, kind)
    other = "the slot" if what == "jobs" else "the job"
    message = f"{one.name} compares {what} and looks only at {other}"
    yield ONE_SIDED.at(message, *one.spot(one.tree))
