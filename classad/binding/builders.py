"""Builds expressions from Python: ``Attribute``, ``Literal`` and ``Function``, as HTCondor's
retired module did.
"""

from __future__ import annotations

from typing import Self

from classad.binding.expr import ExprTree
from classad.binding.operators import combine
from classad.binding.python_values import PythonValue
from classad.errors import ClassAdEvaluationError, ClassAdValueError
from classad.language.values import ERROR, Value


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

    def __eq__(self, other: object) -> Self:  # type: ignore[override]
        return combine(type(self), self, "==", other)

    def __ne__(self, other: object) -> Self:  # type: ignore[override]
        return combine(type(self), self, "!=", other)

    def __lt__(self, other: object) -> Self:
        return combine(type(self), self, "<", other)

    def __le__(self, other: object) -> Self:
        return combine(type(self), self, "<=", other)

    def __gt__(self, other: object) -> Self:
        return combine(type(self), self, ">", other)

    def __ge__(self, other: object) -> Self:
        return combine(type(self), self, ">=", other)

    def __add__(self, other: object) -> Self:
        return combine(type(self), self, "+", other)

    def __radd__(self, other: object) -> Self:
        return combine(type(self), other, "+", self)

    def __sub__(self, other: object) -> Self:
        return combine(type(self), self, "-", other)

    def __rsub__(self, other: object) -> Self:
        return combine(type(self), other, "-", self)

    def __mul__(self, other: object) -> Self:
        return combine(type(self), self, "*", other)

    def __rmul__(self, other: object) -> Self:
        return combine(type(self), other, "*", self)

    def __truediv__(self, other: object) -> Self:
        return combine(type(self), self, "/", other)

    def __rtruediv__(self, other: object) -> Self:
        return combine(type(self), other, "/", self)

    def __mod__(self, other: object) -> Self:
        return combine(type(self), self, "%", other)

    def __rmod__(self, other: object) -> Self:
        return combine(type(self), other, "%", self)

    def __and__(self, other: object) -> Self:
        return combine(type(self), self, "&", other)

    def __rand__(self, other: object) -> Self:
        return combine(type(self), other, "&", self)

    def __or__(self, other: object) -> Self:
        return combine(type(self), self, "|", other)

    def __ror__(self, other: object) -> Self:
        return combine(type(self), other, "|", self)

    def __xor__(self, other: object) -> Self:
        return combine(type(self), self, "^", other)

    def __rxor__(self, other: object) -> Self:
        return combine(type(self), other, "^", self)

    def __lshift__(self, other: object) -> Self:
        return combine(type(self), self, "<<", other)

    def __rlshift__(self, other: object) -> Self:
        return combine(type(self), other, "<<", self)

    def __rshift__(self, other: object) -> Self:
        return combine(type(self), self, ">>", other)

    def __rrshift__(self, other: object) -> Self:
        return combine(type(self), other, ">>", self)


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
