"""Keeps an expression as ads and lists store it: its text or tree, and its compiled form.

``classad.ExprTree``, the class that Python users see, inherits from this one.  Ads, lists and
evaluation know this one only: every expression that is stored anywhere is exactly an
``Expression``, so one look at its class tells it from a value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Self

from classad.errors import ClassAdParseError
from classad.language.rules import NEWEST, STRICT, WHOLE, LanguageRules
from classad.syntax.lazy import LazyExpression, parse_lazily

if TYPE_CHECKING:
    from classad.syntax.nodes import Node

#: What a compiled expression is: ``run(ad, state) -> value``.
Run = Callable[[Any, Any], Any]

#: First sentence of classad2's error for a text that is no ad and no expression.
NO_AD: Final = "Unable to parse string into a ClassAd."


class Expression:
    """An unevaluated expression and its compiled form.

    ``_node``: the syntax tree, or the text that it is made from when it is first needed.
    ``_origin``: the expression that is compiled in place of this one.  ``run``: the closure, None
    before compilation, which fills in the rest.  ``mark``: what tells this expression from others
    among those under way.  ``height``: levels it can need.  ``size``: nodes it can visit once.
    ``constructs``: it contains a list or an ad, which remember the ad they were made in.
    ``modest``: it is compiled and evaluates nothing that could need a state of its own, unless an
    attribute turns out to be an expression.
    """

    __slots__ = (
        "__weakref__", "_node", "_origin", "constructs", "height", "mark", "modest", "run", "size",
    )  # fmt: skip

    _node: Node | LazyExpression
    _origin: Expression | None
    run: Run | None
    mark: object
    height: int
    size: int
    constructs: bool
    modest: bool

    @classmethod
    def from_node(cls, node: Node | LazyExpression) -> Self:
        """The expression with this syntax tree."""
        self = cls.__new__(cls)
        self._node = node
        self._origin = None
        self.run = None
        self.modest = False
        return self

    @classmethod
    def sharing(cls, other: Expression) -> Self:
        """Another object for an expression; what is compiled serves both.

        An ad gives one at each reading, and no two attributes of an ad may have the same one: which
        attributes are under way, hence what is a cycle, is told by the object.
        """
        twin = cls.from_node(other._node)
        twin._origin = origin = other._origin or other
        if origin.run is not None:
            twin.take_over(origin)
        return twin

    def take_over(self, origin: Expression) -> None:
        """Use what has been compiled for ``origin``."""
        self.run = origin.run
        self.mark, self.height, self.size = object(), origin.height, origin.size
        self.constructs, self.modest = origin.constructs, origin.modest

    @property
    def node(self) -> Node:
        """The syntax tree.  The text stays: it is the cheapest way to tell expressions apart."""
        node = self._node
        return node.node() if isinstance(node, LazyExpression) else node

    def same_as(self, other: Expression) -> bool:
        """Whether two expressions have the same structure."""
        from classad.syntax.nodes import same_tree

        return same_tree(self.node, other.node, close_reals=True)

    def __str__(self) -> str:
        """The text, lists and ads over several lines; ``repr`` has all in one."""
        from classad.syntax.unparse import spread_out

        return spread_out(self.node)

    def __repr__(self) -> str:
        from classad.syntax.unparse import unparse

        return unparse(self.node)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and self.same_as(other)

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> Self:
        return self.from_node(self._node)

    def __reduce__(self) -> tuple[Callable[[str], Expression], tuple[str]]:
        return (_from_text, (repr(self),))


def _from_text(text: str) -> Expression:
    return Expression.from_node(parsed(text))


def parsed(
    text: str,
    *,
    strict: bool = False,
    whole: bool = True,
    zone: Callable[[], str | None] | None = None,
    language: LanguageRules = NEWEST,
) -> Node | LazyExpression:
    """The expression that a text in new syntax is.

    ``strict``: strict semantics.  ``whole``: text behind a conditional is refused as behind any
    other expression; HTCondor ignores it.  ``zone``: asked for the zone of time literals that name
    none; without it that is UTC.  ``language``: the rules of a version.
    """
    how = STRICT * strict | WHOLE * whole
    return parse_lazily(text, how) or _by_grammar(text, strict, whole, zone, language)


def _by_grammar(
    text: str,
    strict: bool,
    whole: bool,
    zone: Callable[[], str | None] | None,
    language: LanguageRules,
) -> Node:
    from classad.syntax.parser import parse_expression

    if "\0" in text:
        raise ValueError("embedded null character")
    tz = zone() if zone is not None and "(" in text else None
    try:
        return parse_expression(text, tz=tz, strict=strict, whole=whole, language=language)
    except ClassAdParseError as problem:
        raise ClassAdParseError(NO_AD, problem.diagnostic) from None
