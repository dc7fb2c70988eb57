"""``ExprTree``: a parsed expression, compiled when it is first evaluated.

Inputs: text, a Python value, a syntax tree or another expression.  Outputs: values
(``eval``), text (``str``).  Equality is structural.
Never here: the grammar, the meaning of a node, printing rules.
Follows: ``ExprTree`` of the Python module classad2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from classad.ads.ad import ClassAd
from classad.ads.deferred import STRICT, Deferred
from classad.binding.ad import NO_AD
from classad.binding.ambient import OPEN_BLOCKS, SHARED, AmbientState, current_context, zone_name
from classad.binding.last_error import note
from classad.errors import ClassAdParseError
from classad.language.limits import EvaluationFailure, NeedExact
from classad.language.values import ERROR, UNDEFINED, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from classad.ads.deferred import Run, Unbuilt
    from classad.analysis.explanation import Explanation
    from classad.evaluation.state import EvalContext, EvalState
    from classad.syntax.nesting import Token
    from classad.syntax.nodes import Node

#: Values that the Python interface hands out as they are.
PLAIN = frozenset({bool, int, float, str, Value})


class ExprTree(Deferred):
    """An expression.

    ``expr``: a text, another expression, a number, a boolean or an ad; None is undefined.  ``==``
    compares the structure; there are no other operators (see ``Attribute`` for those).  ``str`` and
    ``repr`` give a text that reads back as an equal expression.  Raises ``ClassAdParseError`` for
    a text that is no expression, ``ClassAdTypeError`` for a value without counterpart.

    >>> ExprTree("cpus*2 =?= undefined")
    cpus * 2 is undefined
    """

    __slots__ = ("_origin",)

    #: The expression that is compiled in place of this one.
    _origin: ExprTree | None

    def __init__(self, expr: Any = None) -> None:
        if expr is None:
            expr = UNDEFINED
        if isinstance(expr, ExprTree):
            self._node = expr._node
        elif isinstance(expr, str):
            self._node = _parsed(expr)
        else:
            self._node = _node_of(expr)
        self._origin = None
        self.run = None
        self.modest = False

    @classmethod
    def from_node(cls, node: Node | Unbuilt) -> Self:
        """The expression with this syntax tree."""
        self = cls.__new__(cls)
        self._node = node
        self._origin = None
        self.run = None
        self.modest = False
        return self

    def handed_out(self) -> ExprTree:
        """Another object for this expression; what is compiled serves both.

        An ad gives one at each reading, and no two attributes of an ad may have the same one: which
        attributes are under way, hence what is a cycle, is told by the object.
        """
        twin = ExprTree.from_node(self._node)
        twin._origin = self._origin or self
        if twin._origin.run is not None:
            twin.compile()
        return twin

    def compile(self) -> Run:
        """Translate the syntax tree, or take over what has been made of it already."""
        origin = self._origin
        if origin is None:
            return super().compile()
        self.run = run = origin.run or origin.compile()
        self.mark, self.height, self.size = object(), origin.height, origin.size
        self.constructs, self.modest = origin.constructs, origin.modest
        return run

    def stored(self, ad: ClassAd) -> Any:
        """What an ad keeps for this expression: a literal, list or ad as a value, else itself."""
        from classad.ads.stored import stored_form

        return stored_form(self, ad)

    # --- the Python interface ---------------------------------------------------------------

    def eval(
        self,
        scope: ClassAd | None = None,
        target: ClassAd | None = None,
        *,
        context: EvalContext | None = None,
    ) -> Any:
        """The value, as a Python object, in ``scope`` and, if given, matched with ``target``.

        ``context``: clock, zone and random seed to use instead of the machine's.  Raises
        ``ClassAdEvaluationError`` if the evaluation as a whole fails, for instance at its limits.

        >>> ExprTree("MY.Cpus < TARGET.Cpus").eval(ClassAd({"Cpus": 1}), ClassAd({"Cpus": 4}))
        True
        """
        if OPEN_BLOCKS or context is not None:
            return self._eval_in(context or current_context(), scope, target)
        if target is None and scope.__class__ is ClassAd:
            state = SHARED if self.modest else AmbientState()
        else:
            state = AmbientState()
            scope = _set_scopes(state, scope, target)
        try:
            value = (self.run or self.compile())(scope, state)
        except (NeedExact, RecursionError, EvaluationFailure):
            value = self._eval_exactly(scope, state)
        kind = value.__class__
        if kind is int or kind is bool or kind is float or (kind is str and value.isascii()):
            return value
        if kind is Value:
            if value is ERROR:
                note(self, scope, state.right)
            return value
        from classad.binding.convert import to_python

        return to_python(value)

    def _eval_in(self, context: EvalContext, scope: Any, target: Any) -> Any:
        """``eval`` in a context that is not the ambient one."""
        from classad.binding.convert import to_python
        from classad.errors import ClassAdEvaluationError
        from classad.evaluate import evaluate_full

        state = AmbientState()
        my = _set_scopes(state, scope, target)
        value, ok = evaluate_full(self, my, state.right, context=context)
        if not ok:
            raise ClassAdEvaluationError("failed to evaluate expression")
        if value is ERROR:
            note(self, my, state.right)
        return to_python(value)

    def _eval_exactly(self, scope: Any, state: EvalState) -> Any:
        from classad.errors import ClassAdEvaluationError
        from classad.evaluate import evaluate_exactly

        value, ok = evaluate_exactly(self, scope, state.left, state.right, state.context)
        if not ok:
            raise ClassAdEvaluationError("failed to evaluate expression")
        return value

    def simplify(self, scope: ClassAd | None = None, target: ClassAd | None = None) -> ExprTree:
        """The value as a literal expression; unknown names become undefined.

        >>> ExprTree("Cpus * 2").simplify(ClassAd({"Cpus": 4}))
        8
        """
        from classad.errors import ClassAdEvaluationError
        from classad.evaluate import evaluate_full

        other = None if target is None else _checked(target, "target")
        my = _checked(scope, "scope")
        if scope is None:
            other = None
        value, ok = evaluate_full(self, my, other, context=current_context())
        if not ok:
            raise ClassAdEvaluationError("failed to evaluate expression")
        return ExprTree.from_value(value)

    @classmethod
    def from_value(cls, value: Any) -> Self:
        """The expression that is this ClassAd value."""
        return cls.from_node(_node_of(value))

    # --- looking into it -----------------------------------------------------------------------

    def why(
        self,
        my: ClassAd | None = None,
        target: ClassAd | None = None,
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
        from classad.syntax.lexing import Scanner
        from classad.syntax.parse_table import load_tables

        return list(Scanner(load_tables().vocabulary, repr(self)).tokens())

    # --- building: the names of HTCondor's retired binding -----------------------------------

    def and_(self, expr: object) -> Self:
        """The expression ``self && expr``; Python values become literals.

        >>> ExprTree("a || b").and_(ExprTree("c"))
        (a || b) && c
        """
        from classad.binding.operators import combine

        return combine(type(self), self, "&&", expr)

    def or_(self, expr: object) -> Self:
        """The expression ``self || expr``."""
        from classad.binding.operators import combine

        return combine(type(self), self, "||", expr)

    def is_(self, expr: object) -> Self:
        """The expression ``self =?= expr``."""
        from classad.binding.operators import combine

        return combine(type(self), self, "=?=", expr)

    def isnt_(self, expr: object) -> Self:
        """The expression ``self =!= expr``."""
        from classad.binding.operators import combine

        return combine(type(self), self, "=!=", expr)

    def _get(self, index: object) -> Self:
        from classad.binding.operators import subscript

        return subscript(type(self), self, index)

    def sameAs(self, expr: ExprTree) -> bool:  # noqa: N802 - HTCondor's name
        """Whether two expressions are the same, also for those whose ``==`` builds."""
        if not isinstance(expr, ExprTree):
            raise TypeError("expr must be an ExprTree")
        return self._same(expr)

    def __int__(self) -> int:
        from classad.binding.operators import to_number

        return int(to_number(self, int))

    def __float__(self) -> float:
        from classad.binding.operators import to_number

        return float(to_number(self, float))

    # --- text and identity -------------------------------------------------------------------

    def __str__(self) -> str:
        """The text, lists and ads over several lines; ``repr`` has all in one."""
        from classad.formats.unparse import pretty

        return pretty(self.node)

    def __repr__(self) -> str:
        from classad.formats.unparse import unparse

        return unparse(self.node)

    def __eq__(self, other: object) -> bool:
        return other.__class__ is ExprTree and self._same(other)

    def _repr_html_(self) -> str:
        from classad.formats.html import expression_html

        return expression_html(repr(self))

    __hash__ = None  # type: ignore[assignment]

    def _same(self, other: Any) -> bool:
        from classad.syntax.nodes import same_tree

        return same_tree(self.node, other.node, close_reals=True)

    def __copy__(self) -> Self:
        return self.from_node(self._node)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (ExprTree, (repr(self),))


def _parsed(text: str) -> Node | Unbuilt:
    """The expression that a text in new syntax is."""
    strict = current_context().strict if OPEN_BLOCKS else False
    return (_quick_parser()(text, STRICT if strict else 0)) or _by_grammar(text, strict)


@cache
def _quick_parser() -> Callable[[str, int], Unbuilt | None]:
    """The parser in C, which is loaded when the first text is parsed."""
    from classad.syntax.native import parse_later

    return parse_later


def _by_grammar(text: str, strict: bool) -> Node:
    """The syntax tree of a text; its time literals may leave the zone to us."""
    from classad.syntax.parser import parse_expression

    if "\0" in text:
        raise ValueError("embedded null character")
    try:
        return parse_expression(text, tz=zone_name() if "(" in text else None, strict=strict)
    except ClassAdParseError as problem:
        raise ClassAdParseError(NO_AD, problem.diagnostic) from None


def _node_of(value: Any) -> Node:
    """The syntax tree of a value."""
    from classad.ads.stored import node_of_value

    return node_of_value(value)


def _set_scopes(state: EvalState, scope: Any, target: Any) -> Any:
    """Check the ads given by a caller; the one to evaluate in.  A target alone is ignored."""
    my = _checked(scope, "scope")
    if target is not None:
        other = _checked(target, "target")
        if scope is not None and other is not my:
            state.left, state.right = my, other
    return my


def _checked(ad: Any, what: str) -> Any:
    """An ad given by the caller, or an empty one for None."""
    if ad is None:
        return ClassAd()
    if not isinstance(ad, ClassAd):
        raise TypeError(f"{what} must be a ClassAd")
    return ad
