"""Decides whether two ads match: symmetric match, half match, and what counts as a yes.

Inputs: two ads and the context.  Outputs: booleans.
Follows: section 6 of the language notes; vectors ``match.jsonl``.
"""

from __future__ import annotations

from classad.ads.ad import Ad, Stored
from classad.ads.expression import Expression
from classad.compiled.state import CompiledState
from classad.evaluate import evaluate_full
from classad.evaluation.context import EvalContext
from classad.evaluation.scopes import own
from classad.language.bounds import EvaluationFailure, NeedExact
from classad.language.names import fold_name
from classad.language.values import UNDEFINED


def is_true(value: object) -> bool:
    """Whether a value satisfies a requirement: true, or a number that is not zero."""
    if isinstance(value, bool):
        return value
    return (value.__class__ is int or value.__class__ is float) and value != 0


def half_match(
    my: Ad,
    target: Ad,
    context: EvalContext | None = None,
    attribute: str = "Requirements",
) -> bool:
    """Whether ``my``'s own requirements accept ``target``; an ad without them accepts nothing."""
    value = my._attrs.get("requirements" if attribute == "Requirements" else fold_name(attribute))
    if context is not None and context.strict:
        value = requirements_value(my, target, context, attribute)[0]
    elif value.__class__ is Expression and my is not target:
        state = CompiledState()
        state.left = my
        state.right = target
        if context is not None:
            state.context = context
        try:
            value = state.follow(value, my, my)
        except EvaluationFailure:
            return False
        except (NeedExact, RecursionError):
            value = requirements_value(my, target, context, attribute)[0]
    elif value is None or my is target:
        value = requirements_value(my, target, context, attribute)[0]
    return value is True or is_true(value)


def symmetric_match(left: Ad, right: Ad, context: EvalContext | None = None) -> bool:
    """Whether each ad's requirements accept the other; ``right``'s are tested first."""
    return half_match(right, left, context) and half_match(left, right, context)


def requirements_value(
    my: Ad,
    target: Ad,
    context: EvalContext | None = None,
    attribute: str = "Requirements",
) -> tuple[Stored, bool]:
    """The value of ``my``'s requirements against ``target``, and whether evaluation succeeded."""
    if own(my, fold_name(attribute)) is None:
        return UNDEFINED, True
    from classad.syntax.nodes import Reference

    return evaluate_full(Reference(attribute), my, target, context=context)
