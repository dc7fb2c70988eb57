"""Whether two ads match: symmetric match, half match, and what counts as a yes.

Inputs: two ads and the context.  Outputs: booleans.
Never here: ranking, reasons, any policy.
Follows: section 6 of the language notes; vectors ``match.jsonl``.
"""

from __future__ import annotations

from typing import Any

from classad.ad import ClassAd
from classad.evaluate import evaluate_attribute
from classad.expr import ExprTree
from classad.scopes import fold_name, own
from classad.state import EvalContext
from classad.values import UNDEFINED


def is_true(value: Any) -> bool:
    """Whether a value satisfies a requirement: true, or a number that is not zero."""
    kind = value.__class__
    if kind is bool:
        return value  # type: ignore[no-any-return]
    return (kind is int or kind is float) and value != 0


def half_match(
    my: ClassAd,
    target: ClassAd,
    context: EvalContext | None = None,
    attribute: str = "Requirements",
) -> bool:
    """Whether ``my``'s own requirements accept ``target``; an ad without them accepts nothing."""
    key = fold_name(attribute)
    value = my._attrs.get(key)
    if value is None or value.__class__ is ExprTree:
        if value is None and own(my, key) is None:
            return False
        value, ok = evaluate_attribute(my, attribute, target, context)
        return ok and is_true(value)
    return is_true(value)


def symmetric_match(left: ClassAd, right: ClassAd, context: EvalContext | None = None) -> bool:
    """Whether each ad's requirements accept the other; ``right``'s are tested first."""
    return half_match(right, left, context) and half_match(left, right, context)


def requirements_value(
    my: ClassAd, target: ClassAd, context: EvalContext | None = None
) -> tuple[Any, bool]:
    """The value of ``my``'s Requirements against ``target``, and whether evaluation succeeded."""
    if own(my, "requirements") is None:
        return UNDEFINED, True
    return evaluate_attribute(my, "Requirements", target, context)
