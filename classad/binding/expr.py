"""Defines ``ExprTree``: an expression as Python users see it.

Inputs: text, a Python value, a syntax tree or another expression.  Outputs: values (``eval``), text
(``str``), larger expressions (``and_`` and its like; parentheses are added where the text would
otherwise not read back), and the sentence of ``lastError``: 25.14.1 has words for one error, a
string that is compared with something else.  Equality is structural.
Follows: ``ExprTree`` of the Python module classad2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Self, TypeVar

from classad.ads.ad import Ad, Stored, node_of_value
from classad.ads.expression import Expression, parsed
from classad.binding.ambient import OPEN_BLOCKS, SHARED, AmbientState, current_context, zone_name
from classad.binding.python_values import (
    COPY_HELP,
    FACTORIES,
    PythonValue,
    checked_ad,
    is_htcondors,
    to_python,
    warn_of_v1,
)
from classad.compiled.state import compiled
from classad.errors import ClassAdEvaluationError, ClassAdTypeError, ClassAdValueError
from classad.evaluate import evaluate_exactly, evaluate_full
from classad.language.bounds import MAX_DEPTH, EvaluationFailure, NeedExact
from classad.language.rules import WHOLE
from classad.language.values import ERROR, UNDEFINED, ClassAdValue, Value
from classad.syntax.lazy import parse_lazily

if TYPE_CHECKING:
    from collections.abc import Iterator

    from classad.analysis.explanation import Explanation
    from classad.evaluation.context import EvalContext
    from classad.evaluation.state import EvalState
    from classad.syntax.lazy import LazyExpression
    from classad.syntax.lexing import Token
    from classad.syntax.nodes import Node

#: What a program of version 1 meant by what it does with an expression that it read from an ad.
_ALONE: Final = (
    "is evaluated without the ad it was read from, so it is undefined: call `ad.eval(name)` or "
    "`expr.eval(ad)`"
)
_TRUTH: Final = "is true whatever its value is: evaluate it, or ask whether it `is not None`"


class ExprTree(Expression):
    """An expression.

    ``expr``: a text, another expression, a number, a boolean or an ad; None is undefined.  ``==``
    compares the structure; there are no other operators (see ``Attribute`` for those).  ``str`` and
    ``repr`` give a text that reads back as an equal expression.  Raises ``ClassAdParseError`` for
    a text that is no expression, ``ClassAdTypeError`` for a value without counterpart.

    >>> ExprTree("cpus*2 =?= undefined")
    cpus * 2 is undefined
    """

    __slots__ = ()

    def __init__(self, expr: object = None) -> None:
        if expr is None:
            expr = UNDEFINED
        if isinstance(expr, Expression):
            self._node = expr._node
        elif isinstance(expr, str):
            # Asked first without ``parsed``, which is nearly a tenth of the time of a short text.
            found = None if OPEN_BLOCKS else parse_lazily(expr, WHOLE)
            self._node = found or _read(expr)
        elif is_htcondors(expr):
            raise ClassAdTypeError(f"expr must be a text, a number or a boolean; {COPY_HELP}")
        else:
            self._node = node_of_value(expr)
        self._origin = None
        self.run = None
        self.modest = False

    def eval(
        self: Expression,
        scope: Ad | None = None,
        target: Ad | None = None,
        *,
        context: EvalContext | None = None,
    ) -> PythonValue:
        """The value, as a Python object, in ``scope`` and, if given, matched with ``target``.

        ``context``: clock, zone and random seed to use instead of the machine's.  Raises
        ``ClassAdEvaluationError`` if the evaluation as a whole fails, for instance at its limits.

        >>> from classad import ClassAd, ExprTree
        >>> ExprTree("MY.Cpus < TARGET.Cpus").eval(ClassAd({"Cpus": 1}), ClassAd({"Cpus": 4}))
        True
        """
        if OPEN_BLOCKS or context is not None:
            return _eval_in(self, context or current_context(), scope, target)
        alone = scope is None
        if target is None and isinstance(scope, Ad):
            state = SHARED if self.modest else AmbientState()
        else:
            state = AmbientState()
            scope = _set_scopes(state, scope, target)
        try:
            value = (self.run or compiled(self))(scope, state)
        except (NeedExact, RecursionError, EvaluationFailure):
            value = _eval_exactly(self, scope, state)
        kind = value.__class__
        if kind is int or kind is bool or kind is float or (kind is str and value.isascii()):
            return value
        if kind is Value:
            if value is ERROR:
                note(self, scope, state.right)
            elif alone and self._origin is not None:
                warn_of_v1(self, _ALONE)
            return value
        return to_python(value)

    def simplify(self, scope: Ad | None = None, target: Ad | None = None) -> ExprTree:
        """The value as a literal expression; unknown names become undefined.

        >>> from classad import ClassAd, ExprTree
        >>> ExprTree("Cpus * 2").simplify(ClassAd({"Cpus": 4}))
        8
        """
        other = None if target is None else _checked(target, "target")
        my = _checked(scope, "scope")
        if scope is None:
            other = None
        value, ok = evaluate_full(self, my, other, context=current_context())
        if not ok:
            raise ClassAdEvaluationError("failed to evaluate expression")
        return ExprTree.from_value(value)

    @classmethod
    def from_value(cls, value: Stored) -> Self:
        """The expression that is this ClassAd value."""
        return cls.from_node(node_of_value(value))

    # --- looking into it -----------------------------------------------------------------------

    def why(
        self,
        my: Ad | None = None,
        target: Ad | None = None,
        *,
        context: EvalContext | None = None,
    ) -> Explanation:
        """Evaluate as ``eval`` does and explain the value, node by node.

        >>> from classad import ClassAd, ExprTree
        >>> print(ExprTree("Memroy > 1024").why(ClassAd({"Memory": 2048})))
        Memroy > 1024  undefined
          Memroy       undefined  not in MY
          1024
        undefined because `Memroy` is not in MY
          help: did you mean `Memory`?
        """
        from classad.analysis.explain import explain

        other = None if target is None or my is None else _checked(target, "target")
        return explain(self, _checked(my, "my"), other, context=context or current_context())

    @property
    def span(self) -> tuple[int, int]:
        """The half-open range of the text it was parsed from; (0, 0) if it was made otherwise."""
        node = self.node
        return node.start, node.end

    def walk(self) -> Iterator[ExprTree]:
        """This expression and all its operands, from left to right.

        >>> [str(part) for part in ExprTree("a + 2 * b").walk()]
        ['a + 2 * b', 'a', '2 * b', '2', 'b']
        """
        from classad.syntax.nodes import walk

        return map(ExprTree.from_node, walk(self.node))

    def tokens(self) -> list[Token]:
        """The tokens of ``repr``: each has ``kind``, ``value``, ``start`` and ``end``.

        >>> [(token.kind, token.value) for token in ExprTree('Arch == "X86_64"').tokens()]
        [('NAME', 'Arch'), ('EQUAL', '=='), ('NEW_STRING', 'X86_64')]
        """
        from classad.syntax.grammar import scanner

        return list(scanner(repr(self)).tokens())

    # --- building: the names of HTCondor's retired binding -----------------------------------

    def and_(self, expr: object) -> Self:
        """The expression ``self && expr``; Python values become literals.

        >>> ExprTree("a || b").and_(ExprTree("c"))
        (a || b) && c
        """
        return combine(type(self), self, "&&", expr)

    def or_(self, expr: object) -> Self:
        """The expression ``self || expr``."""
        return combine(type(self), self, "||", expr)

    def is_(self, expr: object) -> Self:
        """The expression ``self =?= expr``."""
        return combine(type(self), self, "=?=", expr)

    def isnt_(self, expr: object) -> Self:
        """The expression ``self =!= expr``."""
        return combine(type(self), self, "=!=", expr)

    def _get(self, index: object) -> Self:
        return subscript(type(self), self, index)

    def sameAs(self, expr: Expression) -> bool:  # noqa: N802 - HTCondor's name
        """Whether two expressions are the same, also for those whose ``==`` builds."""
        if not isinstance(expr, Expression):
            raise TypeError("expr must be an ExprTree")
        return self.same_as(expr)

    def __int__(self) -> int:
        return int(to_number(self.eval(), int))

    def __float__(self) -> float:
        return float(to_number(self.eval(), float))

    def __bool__(self) -> bool:
        """True, whatever the value is."""
        if self._origin is not None:
            warn_of_v1(self, _TRUTH)
        return True

    # --- text and identity -------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        same_kind = other.__class__ is ExprTree or other.__class__ is Expression
        return same_kind and isinstance(other, Expression) and self.same_as(other)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<code>{escape(repr(self))}</code>"

    __hash__ = None

    def __reduce__(self) -> tuple[type[ExprTree], tuple[str]]:
        return (ExprTree, (repr(self),))


def _read(text: str) -> Node | LazyExpression:
    """The expression that a text is by the rules that are in force."""
    context = current_context()
    return parsed(text, strict=context.strict, zone=zone_name, language=context.language)


def _eval_in(tree: Expression, context: EvalContext, scope: object, target: object) -> PythonValue:
    """``ExprTree.eval`` in a context that is not the ambient one."""
    state = AmbientState()
    my = _set_scopes(state, scope, target)
    value, ok = evaluate_full(tree, my, state.right, context=context)
    if not ok:
        raise ClassAdEvaluationError("failed to evaluate expression")
    if value is ERROR:
        note(tree, my, state.right)
    return to_python(value)


def _eval_exactly(tree: Expression, scope: Ad, state: EvalState) -> ClassAdValue:
    value: ClassAdValue
    value, ok = evaluate_exactly(tree, scope, state.left, state.right, state.context)
    if not ok:
        raise ClassAdEvaluationError("failed to evaluate expression")
    return value


def _set_scopes(state: EvalState, scope: object, target: object) -> Ad:
    """Check the ads given by a caller; the one to evaluate in.  A target alone is ignored."""
    my = scope if isinstance(scope, Ad) else _checked(scope, "scope")
    if target is not None:
        other = target if isinstance(target, Ad) else _checked(target, "target")
        if scope is not None and other is not my:
            state.left, state.right = my, other
    return my


def _checked(ad: object, what: str) -> Ad:
    """An ad given by the caller, or an empty one for None."""
    if ad is None:
        return Ad()
    return checked_ad(ad, Ad, what)


FACTORIES[Expression] = ExprTree.sharing


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


_COMPARED: Final = "strings can only be compared to strings"

_pending: list[tuple[Expression, Ad | None, Ad | None]] = []
_text = ""


def note(tree: Expression, scope: Ad | None, target: Ad | None) -> None:
    """Remember an evaluation whose value is ``error``."""
    _pending[:] = [(tree, scope, target)]


def last_error() -> str:
    """The sentence for the latest evaluation that has one."""
    global _text
    if _pending:
        _text = _explain(*_pending.pop()) or _text
    return _text


def _explain(tree: Expression, scope: Ad | None, target: Ad | None) -> str:
    """The sentence if a string was compared with another ordinary value, also in definitions."""
    from classad.analysis.explain import explain
    from classad.language.operators import EQUALITY, ORDER

    whole = explain(tree, scope, target, context=current_context(), depth=MAX_DEPTH)
    for part in whole.walk():
        if getattr(part.node, "operator", None) in ORDER | EQUALITY:
            values = [child.value for child in part.children]
            ordinary = not any(value is None or isinstance(value, Value) for value in values)
            if ordinary and isinstance(values[0], str) != isinstance(values[1], str):
                return _COMPARED
    return ""


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
