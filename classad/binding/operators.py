"""Builds expressions from Python: ``and_`` and its like, ``Attribute``, ``Function``.

Each Python operator builds one ClassAd operator; parentheses are added where the printed expression
would otherwise not read back as the one that was built.

Inputs: expressions and Python values.  Outputs: expressions; numbers for ``int()`` and ``float()``.
Follows: the operators of HTCondor's retired v1 binding.  ``ExprTree`` itself has no operators, as
in classad2; only what the three constructors return does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from classad.ads.expression import Expression
from classad.errors import ClassAdValueError
from classad.language.values import Value

if TYPE_CHECKING:
    from classad.syntax.nodes import Node

Number = TypeVar("Number", int, float)
Expr = TypeVar("Expr", bound=Expression)


def combine(kind: type[Expr], left: object, operator: str, right: object) -> Expr:
    """The expression ``left operator right`` as an object of class ``kind``."""
    from classad.binding.convert import to_node
    from classad.language.operators import BINARY
    from classad.syntax.nodes import Binary

    level = BINARY[operator].precedence
    return kind.from_node(
        Binary(operator, _operand(to_node(left), level), _operand(to_node(right), level + 1))
    )


def _operand(node: Node, level: int) -> Node:
    """The node, in parentheses if it binds more loosely than ``level``."""
    from classad.language.operators import BINARY, CONDITIONAL, UNARY
    from classad.syntax.nodes import Binary, Conditional, Parens, Unary

    if isinstance(node, Binary):
        own = BINARY[node.operator].precedence
    elif isinstance(node, Unary):
        own = UNARY[node.operator].precedence
    elif isinstance(node, Conditional):
        own = CONDITIONAL.precedence
    else:
        return node
    return Parens(node) if own < level else node


def subscript(kind: type[Expr], base: Expression, index: object) -> Expr:
    """The expression ``base[index]``."""
    from classad.binding.convert import to_node
    from classad.syntax.nodes import Subscript

    return kind.from_node(Subscript(_operand(base.node, 13), to_node(index)))


def to_number(value: object, kind: type[Number]) -> Number:
    """What ``int(expr)`` and ``float(expr)`` give for a value: a number, or that in a string."""
    if isinstance(value, Value) or not isinstance(value, int | float | str):
        raise ClassAdValueError("Unable to convert expression to numeric type.")
    try:
        return kind(value)
    except ValueError:
        raise ClassAdValueError(f"Unable to convert string to {kind.__name__}.") from None
