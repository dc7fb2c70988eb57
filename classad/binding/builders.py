"""Builds expressions from Python: ``Attribute``, ``Literal`` and ``Function``, as HTCondor's
retired module did.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from classad.binding.expr import ExprTree, combine
from classad.binding.python_values import PythonValue
from classad.errors import ClassAdEvaluationError, ClassAdValueError
from classad.language.values import ERROR, Value

T = TypeVar("T", bound=ExprTree)


def _building(operator: str, *, swapped: bool = False) -> Callable[[T, object], T]:
    """A method that builds ``self operator other``, or ``other operator self``."""

    def build(self: T, other: object) -> T:
        left, right = (other, self) if swapped else (self, other)
        return combine(type(self), left, operator, right)

    return build


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

    def __getitem__(self, index: int) -> PythonValue:
        value = self.eval()
        if isinstance(value, list | str) and isinstance(index, int):
            return value[index]
        raise ClassAdValueError("ClassAd expression is unsubscriptable.")

    __hash__ = object.__hash__  # type: ignore[assignment]

    __eq__ = _building("==")  # type: ignore[assignment]
    __ne__ = _building("!=")  # type: ignore[assignment]
    __lt__ = _building("<")
    __le__ = _building("<=")
    __gt__ = _building(">")
    __ge__ = _building(">=")
    __add__, __radd__ = _building("+"), _building("+", swapped=True)
    __sub__, __rsub__ = _building("-"), _building("-", swapped=True)
    __mul__, __rmul__ = _building("*"), _building("*", swapped=True)
    __truediv__, __rtruediv__ = _building("/"), _building("/", swapped=True)
    __mod__, __rmod__ = _building("%"), _building("%", swapped=True)
    __and__, __rand__ = _building("&"), _building("&", swapped=True)
    __or__, __ror__ = _building("|"), _building("|", swapped=True)
    __xor__, __rxor__ = _building("^"), _building("^", swapped=True)
    __lshift__, __rlshift__ = _building("<<"), _building("<<", swapped=True)
    __rshift__, __rrshift__ = _building(">>"), _building(">>", swapped=True)


def Attribute(name: str) -> ExprBuilder:  # noqa: N802 - HTCondor's name
    """A reference to an attribute, for building expressions.

    >>> Attribute("Memory") > 1024
    Memory > 1024
    """
    from classad.syntax.nodes import Reference

    return ExprBuilder.from_node(Reference(name))


def Literal(value: object) -> ExprBuilder:  # noqa: N802 - HTCondor's name
    """A constant, for building expressions.

    >>> Literal("x86").is_(Attribute("Arch"))
    "x86" is Arch
    """
    from classad.binding.convert import to_node
    from classad.syntax.nodes import Literal as LiteralNode

    node = to_node(value)
    if not isinstance(node, LiteralNode):
        raise ClassAdValueError("Unable to convert expression to literal")
    return ExprBuilder.from_node(node)


def Function(name: str, *args: object) -> ExprBuilder:  # noqa: N802 - HTCondor's name
    """A call of a ClassAd function, for building expressions; it is not evaluated.

    >>> Function("strcat", "a", Attribute("Owner"))
    strcat("a",Owner)
    """
    from classad.binding.convert import to_node
    from classad.syntax.nodes import Call

    return ExprBuilder.from_node(Call(name, tuple(to_node(arg) for arg in args)))
