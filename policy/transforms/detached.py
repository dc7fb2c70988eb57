"""Evaluates a text the way EVALSET does: lists and ads that stand in it belong to no ad.

What is selected from such a list or ad knows its own names only, so ``{Memory}[0]`` and
``[x = Memory].x`` are undefined, while ``size({Memory})`` and ``Memory`` see the job.
Inputs: an expression.  Outputs: one that says so.
Follows: condor_transform_ads 25.14.1 (vectors ``transforms``).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from attr import evolve

from classad.ads.expression import Expression
from classad.language.values import UNDEFINED
from classad.syntax.nodes import (
    AdExpr,
    Call,
    ListExpr,
    Literal,
    Node,
    Parens,
    Reference,
    Subscript,
    walk,
)
from policy.transforms.rules import beginning

_NOBODY: Final[frozenset[str]] = frozenset()


@lru_cache(maxsize=16_384)
def evaluated_text(text: str) -> Expression | None:
    """The expression that a text begins with, None where it begins with none."""
    found = beginning(text, old=False)
    if found is None or ("{" not in text and "[" not in text):
        return found
    node = found.node
    selected = any(isinstance(one, Subscript | Reference) and _base(one) for one in walk(node))
    return Expression.from_node(_rebuilt(node, None)) if selected else found


def _base(node: Node) -> Node | None:
    """The list or ad that something is selected from, if it is written there."""
    base = node.base if isinstance(node, Subscript | Reference) else None
    while isinstance(base, Parens | Subscript) or (isinstance(base, Reference) and base.base):
        base = base.inner if isinstance(base, Parens) else base.base
    return base if isinstance(base, ListExpr | AdExpr) else None


def _rebuilt(node: Node, names: frozenset[str] | None) -> Node:
    """The node; of the names in it only ``names`` mean something, all where that is None."""
    if isinstance(node, Reference):
        if node.base is not None:
            inner = _NOBODY if names is None and _base(node) is not None else names
            return evolve(node, base=_rebuilt(node.base, inner))
        lost = names is not None and node.name.lower() not in names
        return Literal(UNDEFINED) if lost else node
    if isinstance(node, Subscript):
        inner = _NOBODY if names is None and _base(node) is not None else names
        return evolve(node, base=_rebuilt(node.base, inner), index=_rebuilt(node.index, names))
    if isinstance(node, AdExpr):
        if names is not None:
            names |= {name.lower() for name, _ in node.attributes}
        pairs = tuple((name, _rebuilt(value, names)) for name, value in node.attributes)
        return evolve(node, attributes=pairs)
    if isinstance(node, ListExpr):
        return evolve(node, items=tuple(_rebuilt(item, names) for item in node.items))
    if isinstance(node, Call):
        return evolve(node, args=tuple(_rebuilt(item, names) for item in node.args))
    parts = ("inner", "operand", "left", "right", "condition", "then", "otherwise")
    changes: dict[str, Any] = {
        name: _rebuilt(getattr(node, name), names) for name in parts if hasattr(node, name)
    }
    return evolve(node, **changes)
