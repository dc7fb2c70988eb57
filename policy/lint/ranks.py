"""Checks ranks: terms that single precision swallows, and ranks that look at one side only.

Follows: ranks of the negotiation cycle of 25.14.1 go through single precision; a startd's RANK
compares jobs.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import frexp
from typing import Final

from classad.errors import Diagnostic
from classad.syntax.nodes import Binary, Call, Node, Reference, Unary, bare
from policy.knobs.declaration import Wanted
from policy.lint.expressions import MacroExpression
from policy.lint.finding import Per, finding
from policy.lint.trees import names, references, scope_of, sides
from policy.values.domain import ANYTHING, single_number

#: Bits of the significand of a single.
_BITS: Final = 24
#: By how much values in a unit differ that one wants to tell apart.
_STEPS: Final = {
    "cpus": 1.0, "GPUs": 1.0, "MiB": 1024.0, "KiB": 1024.0**2, "s": 60.0, "load": 0.1,
    "weighted slots": 1.0, "": 1.0, "job priority": 1.0,
}  # fmt: skip


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


@finding(
    "P430",
    "a term of a rank that single precision swallows",
    "The negotiator's ranks go through single precision, which has 24 bits: beside 1e10 everything"
    " below 1024 is nothing, and slots that should differ tie. A startd's RANK is compared in"
    " double precision.",
    "NEGOTIATOR_PRE_JOB_RANK = 1.0e12 * (RemoteOwner =?= UNDEFINED) - SlotID\n",
    "NEGOTIATOR_PRE_JOB_RANK = 1.0e5 * (RemoteOwner =?= UNDEFINED) - SlotID\n",
    observed="Observed with 25.14.1: recorded cycles of condor_negotiator; a startd whose RANK is"
    " 100000001 for its job takes one with 100000002 in its place.",
    per=Per.EXPRESSION,
)
def drowned(one: MacroExpression) -> Iterator[Diagnostic]:
    if one.how.use.wanted is not Wanted.NUMBER or not one.how.matching:
        return
    terms = list(_terms(one.tree))
    weighted = [(weight, term) for term in terms if (weight := _weight(one, term)) is not None]
    greatest, cause = max(weighted, key=lambda pair: pair[0], default=(0.0, one.tree))
    # Half of what the last bit is worth beside it.
    lost = 2.0 ** (frexp(greatest)[1] - _BITS) / 2 if weighted else 0.0
    for term in terms:
        step = _step(one, term)
        if term is not cause and step is not None and 0 < step < lost:
            message = f"`{one.shown(term)}` vanishes beside `{one.shown(cause)}`"
            yield one.say(drowned, message, term, "make the greater term smaller")


def _weight(one: MacroExpression, term: Node) -> float | None:
    """What a term is at least where it is not 0: the weight of a condition or a priority."""
    if not isinstance(term, Binary) or term.operator != "*":
        return None
    for weight, _, factor in sides(term):
        number = single_number(one.evaluation.alone(weight))
        value = one.evaluation.alone(factor)
        hull = value.hull()
        if number is None or hull is None:
            continue
        if value.truths and not value.is_measured:
            return abs(number)
        if hull[0] > 0:
            return abs(number) * hull[0]
        step = _step(one, factor)
        if step is not None:
            return abs(number) * step
    return None


def _step(one: MacroExpression, term: Node) -> float | None:
    """By how much a term differs between two slots, at least; None where nobody knows."""
    if isinstance(term, Binary) and term.operator == "*":
        for weight, _, factor in sides(term):
            number = single_number(one.evaluation.alone(weight))
            step = _step(one, factor)
            if number is not None and step is not None:
                return abs(number) * step
        return None
    if not isinstance(term, Reference):
        return None
    value = one.evaluation.alone(term)
    if value.truths and not value.is_measured:
        return 1.0
    known = value.is_measured and not value.has_text and not value.truths
    return _STEPS.get(value.unit) if known else None


@finding(
    "P431",
    "a rank that is the same for all that it compares",
    "A slot's RANK compares jobs, which are TARGET, so it has to look at the job; ranks of a job"
    " and of the negotiator compare slots.",
    "RANK = MY.Cpus * 10\n",
    "RANK = TARGET.RequestCpus * 10\n",
    per=Per.EXPRESSION,
)
def one_sided(one: MacroExpression) -> Iterator[Diagnostic]:
    """A rank without anything of the ads that it compares."""
    use = one.how.use
    if use.wanted is not Wanted.NUMBER or not one.name.casefold().endswith("rank"):
        return
    compared = "my" if one.how.matching else "target"
    kind = use.my if compared == "my" else use.target
    if not kind or not names(one.tree) or any(isinstance(n, Call) for n in one.nodes):
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
    yield one.say(one_sided, f"{one.name} compares {what} and looks only at {other}", one.tree)
