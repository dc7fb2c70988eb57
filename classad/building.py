"""Building expressions from Python: ``and_`` and its like, ``Attribute``, ``Function``.

What is decided here: which Python operator builds which ClassAd operator, and where parentheses
are needed so that the printed expression reads back as the one that was built.

Inputs: expressions and Python values.  Outputs: expressions; numbers for ``int()`` and ``float()``.
Never here: evaluation rules.
Follows: the operators of HTCondor's retired v1 binding.  ``ExprTree`` itself has no operators, as
in classad2; only what the three constructors return does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from classad.errors import ClassAdEvaluationError, ClassAdValueError
from classad.expr import ExprTree
from classad.values import ERROR, Value

if TYPE_CHECKING:
    from classad.nodes import Node

Expr = TypeVar("Expr", bound=ExprTree)

#: Operator -> level; an operand of a looser level needs parentheses.
_LEVELS = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5,
    "==": 6, "!=": 6, "=?=": 6, "=!=": 6,
    "<": 7, "<=": 7, ">": 7, ">=": 7,
    "<<": 8, ">>": 8, ">>>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10, "?:": 12,
}  # fmt: skip
_UNARY_LEVEL = 11


def combine(kind: type[Expr], left: object, operator: str, right: object) -> Expr:
    """The expression ``left operator right`` as an object of class ``kind``."""
    from classad.convert import to_node
    from classad.nodes import Binary

    level = _LEVELS[operator]
    return kind.from_node(
        Binary(operator, _operand(to_node(left), level), _operand(to_node(right), level + 1))
    )


def _operand(node: Node, level: int) -> Node:
    """The node, in parentheses if it binds more loosely than ``level``."""
    from classad.nodes import Binary, Conditional, Parens, Unary

    if isinstance(node, Binary):
        own = _LEVELS[node.operator]
    elif isinstance(node, Unary):
        own = _UNARY_LEVEL
    elif isinstance(node, Conditional):
        own = 0
    else:
        return node
    return Parens(node) if own < level else node


def subscript(kind: type[Expr], base: ExprTree, index: object) -> Expr:
    """The expression ``base[index]``."""
    from classad.convert import to_node
    from classad.nodes import Subscript

    return kind.from_node(Subscript(_operand(base.node, 13), to_node(index)))


def to_number(expr: ExprTree, kind: type[int] | type[float]) -> Any:
    """What ``int(expr)`` and ``float(expr)`` give: the evaluated number or number in a string."""
    value = expr.eval()
    if isinstance(value, Value) or not isinstance(value, int | float | str):
        raise ClassAdValueError("Unable to convert expression to numeric type.")
    try:
        return kind(value)
    except ValueError:
        raise ClassAdValueError(f"Unable to convert string to {kind.__name__}.") from None


class ExprBuilder(ExprTree):
    """An expression whose Python operators, ``==`` among them, build larger expressions.

    ``&``, ``|`` and ``^`` are the bit operators; logic is ``and_`` and ``or_``; ``bool`` evaluates.

    >>> (Attribute("Memory") + 1) * 2 > Attribute("Disk")
    (Memory + 1) * 2 > Disk
    """

    __slots__ = ()

    def __bool__(self) -> bool:
        value = self.eval()
        if value is ERROR:
            raise ClassAdEvaluationError("Unable to evaluate expression.")
        return not isinstance(value, Value) and bool(value)

    def __getitem__(self, index: int) -> Any:
        value = self.eval()
        if isinstance(value, list | str) and isinstance(index, int):
            return value[index]
        raise ClassAdValueError("ClassAd expression is unsubscriptable.")

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __eq__(self, other: object) -> ExprBuilder:  # type: ignore[override]
        return combine(ExprBuilder, self, "==", other)

    def __ne__(self, other: object) -> ExprBuilder:  # type: ignore[override]
        return combine(ExprBuilder, self, "!=", other)

    def __lt__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, self, "<", other)

    def __le__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, self, "<=", other)

    def __gt__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, self, ">", other)

    def __ge__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, self, ">=", other)

    def __add__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, self, "+", other)

    def __radd__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, other, "+", self)

    def __sub__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, self, "-", other)

    def __rsub__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, other, "-", self)

    def __mul__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, self, "*", other)

    def __rmul__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, other, "*", self)

    def __truediv__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, self, "/", other)

    def __rtruediv__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, other, "/", self)

    def __mod__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, self, "%", other)

    def __rmod__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, other, "%", self)

    def __and__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, self, "&", other)

    def __rand__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, other, "&", self)

    def __or__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, self, "|", other)

    def __ror__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, other, "|", self)

    def __xor__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, self, "^", other)

    def __rxor__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, other, "^", self)

    def __lshift__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, self, "<<", other)

    def __rlshift__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, other, "<<", self)

    def __rshift__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, self, ">>", other)

    def __rrshift__(self, other: object) -> ExprBuilder:
        return combine(ExprBuilder, other, ">>", self)


def Attribute(name: str) -> ExprBuilder:  # noqa: N802 - HTCondor's name
    """A reference to an attribute, for building expressions.

    >>> Attribute("Memory") > 1024
    Memory > 1024
    """
    from classad.nodes import Reference

    return ExprBuilder.from_node(Reference(name))


def Literal(value: object) -> ExprBuilder:  # noqa: N802 - HTCondor's name
    """A constant, for building expressions.

    >>> Literal("x86").is_(Attribute("Arch"))
    "x86" is Arch
    """
    from classad.convert import to_node
    from classad.nodes import Literal as LiteralNode

    node = to_node(value)
    if not isinstance(node, LiteralNode):
        raise ClassAdValueError("Unable to convert expression to literal")
    return ExprBuilder.from_node(node)


def Function(name: str, *args: object) -> ExprBuilder:  # noqa: N802 - HTCondor's name
    """A call of a ClassAd function, for building expressions; it is not evaluated.

    >>> Function("strcat", "a", Attribute("Owner"))
    strcat("a",Owner)
    """
    from classad.convert import to_node
    from classad.nodes import Call

    return ExprBuilder.from_node(Call(name, tuple(to_node(arg) for arg in args)))
