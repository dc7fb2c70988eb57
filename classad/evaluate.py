"""Evaluates expressions, and chooses between the compiled form and the reference evaluator.

``evaluate`` and ``evaluate_full`` run the compiled form (``classad.compiled.compiler``).  Where
its coarse accounting of depth meets the limit, in strict mode and on a deep Python stack they fall
back to the reference evaluator (``classad.evaluation.reference``); both give the same values.

Inputs: an expression, MY, TARGET, and the context (clock, zone, randomness) as an argument.
Outputs: a ClassAd value and whether the evaluation as a whole succeeded.
Follows: sections 4 and 5 of the language notes; vectors ``scope.jsonl``, ``limits.jsonl``.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from classad.ads.ad import Ad, Stored
from classad.ads.expression import Expression, parsed
from classad.compiled.state import CompiledState, compiled
from classad.evaluation.context import NO_CONTEXT, EvalContext
from classad.evaluation.scopes import find, own
from classad.evaluation.state import CallSite, EvalState
from classad.language.bounds import EvaluationFailure, NeedExact, more_frames
from classad.language.names import fold_name
from classad.language.values import ERROR, UNDEFINED

if TYPE_CHECKING:
    from classad.evaluation.reference import ReferenceState
    from classad.syntax.nodes import Node

__all__ = [
    "CallSite", "EvalContext", "EvalState", "EvaluationFailure", "evaluate", "evaluate_attribute",
    "evaluate_exactly", "evaluate_full", "run_exactly",
]  # fmt: skip


def evaluate(
    expr: Expression | Node | str,
    my: Ad | None = None,
    target: Ad | None = None,
    *,
    context: EvalContext | None = None,
) -> Stored:
    """The value of an expression in ``my``, matched with ``target``."""
    return evaluate_full(expr, my, target, context=context)[0]


def evaluate_full(
    expr: Expression | Node | str,
    my: Ad | None = None,
    target: Ad | None = None,
    *,
    context: EvalContext | None = None,
) -> tuple[Stored, bool]:
    """As ``evaluate``, with False if the whole evaluation failed (its value is error then)."""
    context = context or NO_CONTEXT
    tree = as_tree(expr, context)
    ad = Ad() if my is None else my
    other = None if target is ad else target
    return _run(tree, ad, None if other is None else ad, other, context)


def evaluate_attribute(
    ad: Ad,
    name: str,
    target: Ad | None = None,
    context: EvalContext | None = None,
) -> tuple[Stored, bool]:
    """The value of an attribute of ``ad`` or else of ``target``, as the daemons look it up.

    The attribute is not registered as under way, so a first reference to itself is followed.
    """
    key = fold_name(name)
    other = None if target is ad else target
    left = None if other is None else ad
    start = ad
    if other is not None and own(ad, key) is None and own(other, key) is not None:
        start = other
    state = CompiledState()
    state.left, state.right = left, other
    if context is not None:
        state.context = context
    found = find(start, key, state)
    if found is None:
        return UNDEFINED, True
    value, owner, current = found
    if value.__class__ is not Expression:
        return value, True
    if owner is not current:
        return evaluate_exactly(value, current, left, other, state.context, owner)
    return _run(value, current, left, other, state.context)


def as_tree(expr: Expression | Node | str, context: EvalContext | None = None) -> Expression:
    """An expression from any of its forms; a text is read by the rules of the context."""
    if isinstance(expr, Expression):
        return expr
    if isinstance(expr, str):
        return Expression.from_node(parsed(expr, language=(context or NO_CONTEXT).language))
    return Expression.from_node(expr)


def _run(
    tree: Expression,
    ad: Ad,
    left: Ad | None,
    right: Ad | None,
    context: EvalContext,
) -> tuple[Stored, bool]:
    if not context.strict:
        state = CompiledState()
        state.context = context
        state.left, state.right = left, right
        try:
            return (tree.run or compiled(tree))(ad, state), True
        except EvaluationFailure:
            return ERROR, False
        except (NeedExact, RecursionError):
            pass
    return evaluate_exactly(tree, ad, left, right, context)


def evaluate_exactly(
    tree: Expression,
    ad: Ad,
    left: Ad | None,
    right: Ad | None,
    context: EvalContext,
    owner: Ad | None = None,
    *,
    low: bool = False,
) -> tuple[Stored, bool]:
    """Evaluate with exact accounting; ``owner``: the chained parent that holds the expression.

    ``low``: the expression and what it refers to are not nested deeply.
    """
    from classad.evaluation.reference import ReferenceState

    state = ReferenceState(context)
    state.left, state.right = left, right
    if owner is not None:
        state.lexical = (ad, owner)
    return run_exactly(tree, ad, state, low=low)


def run_exactly(
    tree: Expression, ad: Ad, state: ReferenceState, *, low: bool = False
) -> tuple[Stored, bool]:
    """Evaluate in ``ad`` with a state that is set up but for its start; ``low``: as above."""
    from classad.evaluation.reference import value_of

    state.start = ad
    with nullcontext() if low else more_frames():
        try:
            return value_of(tree.node, ad, state), True
        except (EvaluationFailure, RecursionError):
            return ERROR, False
