"""Evaluates an expression partially: replaces what an ad knows by values and folds constants.

Inputs: an expression, the ad, the context.  Outputs: a value or the residual syntax tree, and
whether flattening succeeded.  With ``inline`` attributes that do not flatten to a value are
replaced by their flattened expressions, without parentheses, as HTCondor does.
Follows: section 8 of the language notes; vectors ``flatten_refs.jsonl``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from classad.ads.ad import Ad, ListValue, Stored, make_ad, node_of_value
from classad.ads.expression import Expression
from classad.evaluate import as_tree
from classad.evaluation.functions import Where, lookup_function
from classad.evaluation.reference import ReferenceState, subscript, value_of
from classad.evaluation.scopes import LocatedAttribute, find, find_unscoped, outermost
from classad.evaluation.state import NO_CONTEXT, EvalContext, select
from classad.language.bounds import MAX_DEPTH, EvaluationFailure, more_frames
from classad.language.names import fold_name
from classad.language.operators import BINARY, CHOICE, LOGIC, UNARY, truth
from classad.language.values import ERROR, UNDEFINED
from classad.syntax import nodes
from classad.syntax.nodes import Node


class Flattened(NamedTuple):
    """``tree`` is None if everything is known; then ``value`` holds the result.

    ``endless``: HTCondor may not come back from it (D-508).
    """

    ok: bool
    value: Stored
    tree: Node | None
    endless: bool = False


class _Part(NamedTuple):
    """A flattened operand: a value (``tree`` None), a tree, or both waiting to be joined.

    ``operator``: a commutative operator between ``value`` and ``tree`` that is still open, so that
    further constants of the same chain can be gathered into ``value``.  ``origin``: what a list was
    computed by; written out it would be another type than a computed one.
    """

    tree: Node | None
    value: Stored = None
    operator: str | None = None
    origin: Node | None = None

    def node(self) -> Node:
        """The operand as a tree."""
        if self.tree is None:
            return self.origin or node_of_value(self.value)
        if self.operator is None:
            return self.tree
        return nodes.Binary(self.operator, node_of_value(self.value), self.tree)


def flatten(
    ad: Ad,
    expr: Expression | Node | str,
    *,
    inline: bool = False,
    context: EvalContext | None = None,
    free: bool = False,
    partner: str | None = None,
) -> Flattened:
    """Flatten ``expr`` in ``ad``.

    ``partner``: the place in the match ad of the ad that ``TARGET`` is, written instead of it where
    that makes a difference: in what functions evaluate in other ads.

    ``free``: the expression belongs to no ad, as an ``ExprTree`` of HTCondor's Python bindings: an
    ad that is written in it has no ad around it.
    """
    state = ReferenceState(context or NO_CONTEXT)
    state.start = ad
    flattener = _Flattener(state, inline, free, partner)
    with more_frames():
        try:
            part = _closed(flattener.part(as_tree(expr, context).node, ad))
        except (EvaluationFailure, RecursionError):
            return Flattened(False, ERROR, None, flattener.endless)
    return Flattened(True, part.value, part.tree, flattener.endless)


def _closed(part: _Part) -> _Part:
    """The part with an open operator joined."""
    return part if part.operator is None else _Part(part.node())


class _Active(NamedTuple):
    """An attribute under way: whether a selection such as ``MY.x`` led to it, and in how many calls
    it is that evaluate it in each ad of a list."""

    tree: Expression
    selected: bool
    in_each: int


class _Flattener:
    """One flattening: the state of its evaluations and the attributes under way."""

    def __init__(
        self, state: ReferenceState, inline: bool, free: bool, partner: str | None
    ) -> None:
        self.state = state
        self.inline = inline
        self.free = free
        self.partner = partner
        #: Whether what is looked at is evaluated in other ads.
        self.elsewhere = False
        #: How many calls it is in that evaluate it in each ad of a list.
        self.in_each = 0
        #: The attributes under way.
        self.active: list[_Active] = []
        #: For each end of a circle so far, the place under way of the attribute that it leads to.
        self.ends: list[int] = []
        #: See ``Flattened``.
        self.endless = False

    def part(self, node: Node, ad: Ad) -> _Part:
        """A node as a part whose operator may be open."""
        found = _RULES[node.__class__](self, node, ad)
        if self.inline or found.tree is not None or found.value.__class__ is not ListValue:
            return found
        # What an attribute computes its list by means something in the attribute only.
        if found.origin is not None and node.__class__ is not nodes.Reference:
            return found
        return found._replace(origin=node if node.__class__ in _ATOMS else nodes.Parens(node))

    def closed(self, node: Node, ad: Ad) -> _Part:
        """A node as a value or a tree."""
        return _closed(self.part(node, ad))

    def literal(self, node: nodes.Literal, ad: Ad) -> _Part:
        return _Part(None, node.evaluated)

    # --- references -----------------------------------------------------------------------------

    def reference(self, node: nodes.Reference, ad: Ad) -> _Part:
        key = fold_name(node.name)
        if node.base is not None:
            base = self._base(node.base, ad)
            if base.__class__ is ListValue:
                return self._stored(select(base, key, ad, self.state), ad, node)
            if not isinstance(base, Ad):
                return _Part(self._placed(node)) if base is UNDEFINED else _Part(None, ERROR)
            return self._found(find(base, key, self.state), node)
        if node.absolute:
            return self._found(find(outermost(self.state), key, self.state), node)
        return self._found(find_unscoped(ad, key, self.state), node)

    def _base(self, node: Node, ad: Ad) -> Stored:
        self.state.lexical = ad, self._around(ad)
        value = value_of(node, ad, self.state)
        self.state.lexical = None
        return value

    def _around(self, ad: Ad) -> Ad | None:
        """The ad around one that is written here: none if no attribute holds it."""
        return None if self.free and ad is self.state.start and not self.active else ad

    def _found(self, attribute: LocatedAttribute | None, node: nodes.Reference) -> _Part:
        if attribute is None:
            return _Part(self._placed(node))
        return self._stored(attribute[0], attribute[2], node)

    def _placed(self, node: nodes.Reference) -> nodes.Reference:
        """An unknown attribute, or one of the partner by its place in the match ad."""
        if self.partner is None or not self.elsewhere or node.absolute:
            return node
        if node.base is None:
            named = fold_name(node.name) == "target"
            return nodes.Reference(self.partner, absolute=True) if named else node
        if not isinstance(node.base, nodes.Reference):
            return node
        return nodes.Reference(node.name, base=self._placed(node.base))

    def _stored(self, value: Stored, ad: Ad, node: nodes.Reference) -> _Part:
        """What an attribute holds; nested ads are left alone, lists never become values."""
        if isinstance(value, Ad):
            return _Part(node)
        if value.__class__ is ListValue:
            listed = node_of_value(value)
            assert isinstance(listed, nodes.ListExpr)
            part = self.list(listed, ad)
        elif value.__class__ is Expression:
            part = self._attribute(value, ad, selected=node.base is not None)
        else:
            return _Part(None, value)
        return part if part.tree is None or self.inline else _Part(node)

    def _attribute(self, tree: Expression, ad: Ad, *, selected: bool) -> _Part:
        for place, other in enumerate(self.active, 1):
            if tree is other.tree:
                return self._circle(place, selected)
        ended = len(self.ends)
        self.active.append(_Active(tree, selected, self.in_each))
        part = self.closed(tree.node, ad)
        place = len(self.active)
        self.active.pop()
        if len(self.ends) > ended:
            # With several ways round there are more of them with each round.
            ways = sum(end <= place for end in self.ends[ended:])
            self.endless = self.endless or ways > 1
        return part

    def _circle(self, place: int, selected: bool) -> _Part:
        """What is at the end of a circle that leads back to the attribute at this place.

        HTCondor goes round until no level is left.  In an expression that is evaluated in each ad
        of a list a selection is an error there, where a name alone can end the process if the
        circle leads through such a list (D-508).  Anything else fails.
        """
        first = self.active[place - 1]
        selections = [*(other.selected for other in self.active[place:]), selected]
        last = selections[(MAX_DEPTH - place) % len(selections)]
        if not self.in_each or not last or all(selections):
            self.endless = self.endless or (self.in_each > first.in_each and not last)
            raise EvaluationFailure("an attribute refers to itself")
        self.ends.append(place)
        return _Part(None, ERROR)

    # --- lists, ads and calls -------------------------------------------------------------------

    def list(self, node: nodes.ListExpr, ad: Ad) -> _Part:
        return _Part(nodes.ListExpr(tuple(self.closed(item, ad).node() for item in node.items)))

    def ad(self, node: nodes.AdExpr, ad: Ad) -> _Part:
        inner = make_ad(node, self._around(ad))
        flat = tuple((name, self.closed(value, inner).node()) for name, value in node.attributes)
        return _Part(nodes.AdExpr(flat))

    def call(self, node: nodes.Call, ad: Ad) -> _Part:
        function = lookup_function(node.name, self.state.context)
        if function is None:
            return _Part(None, ERROR)
        args = self._arguments(node.args, Where.IN_EACH in function.where, ad)
        if all(arg.tree is None for arg in args):
            return _Part(None, value_of(node, ad, self.state))
        return _Part(nodes.Call(node.name, tuple(arg.node() for arg in args)))

    def _arguments(self, args: tuple[Node, ...], in_each: bool, ad: Ad) -> Sequence[_Part]:
        """Arguments of a call; ``in_each``: the first one is evaluated in each ad of the second.

        The second one is evaluated elsewhere, too, if the first is an attribute reference: where
        the search for that ends.
        """
        if not in_each:
            return [self.closed(arg, ad) for arg in args]
        before = self.elsewhere
        self.elsewhere = True
        self.in_each += 1
        parts = [self.closed(arg, ad) for arg in args[:1]]
        self.in_each -= 1
        # What follows the call is evaluated there as well, up to the end of the expression.
        self.elsewhere = before or any(isinstance(part.tree, nodes.Reference) for part in parts)
        parts += [self.closed(arg, ad) for arg in args[1:]]
        return parts

    # --- operators ------------------------------------------------------------------------------

    def parens(self, node: nodes.Parens, ad: Ad) -> _Part:
        inner = self.closed(node.inner, ad)
        return inner if inner.tree is None else _Part(nodes.Parens(inner.tree))

    def unary(self, node: nodes.Unary, ad: Ad) -> _Part:
        operand = self.closed(node.operand, ad)
        if operand.tree is None:
            return _Part(None, UNARY[node.operator].implementation(operand.value))
        return _Part(nodes.Unary(node.operator, operand.tree))

    def conditional(self, node: nodes.Conditional, ad: Ad) -> _Part:
        condition = self.closed(node.condition, ad)
        if condition.tree is None and condition.value is not UNDEFINED:
            choice = truth(condition.value)
            if choice is ERROR:
                return _Part(None, ERROR)
            return self.closed(node.then if choice else node.otherwise, ad)
        then, otherwise = self.closed(node.then, ad), self.closed(node.otherwise, ad)
        kept = node.condition if condition.tree is None else condition.tree
        return _Part(nodes.Conditional(kept, then.node(), otherwise.node()))

    def subscript(self, node: nodes.Subscript, ad: Ad) -> _Part:
        base, index = self.closed(node.base, ad), self.closed(node.index, ad)
        if base.tree is None and index.tree is None:
            return _Part(None, subscript(base.value, index.value, self.state))
        return _Part(nodes.Subscript(base.node(), index.node()))

    def _without_middle(self, node: nodes.Binary, ad: Ad) -> _Part:
        """``a ?: b`` where it is a conditional without a middle, which a true ``a`` would choose.

        See ``LanguageRules.elvis_flattens``.
        """
        left = self.closed(node.left, ad)
        if left.tree is None and left.value is not UNDEFINED:
            choice = truth(left.value)
            if choice is True:
                raise EvaluationFailure("a conditional has no middle")
            return _Part(None, ERROR) if choice is ERROR else self.closed(node.right, ad)
        kept = node.left if left.tree is None else left.tree
        return _Part(nodes.Binary(node.operator, kept, self.closed(node.right, ad).node()))

    def binary(self, node: nodes.Binary, ad: Ad) -> _Part:
        symbol = node.operator
        if symbol in CHOICE and not self.state.context.language.elvis_flattens:
            return self._without_middle(node, ad)
        if BINARY[symbol].commutes or symbol in LOGIC:
            return _combine(symbol, self.part(node.left, ad), self.part(node.right, ad))
        left, right = self.closed(node.left, ad), self.closed(node.right, ad)
        if left.tree is None and right.tree is None:
            return _Part(None, BINARY[symbol].implementation(left.value, right.value))
        return _Part(nodes.Binary(symbol, left.node(), right.node()))


def _combine(symbol: str, left: _Part, right: _Part) -> _Part:
    """Join the operands of a commutative operator, values gathered to the left."""
    apply = BINARY[symbol].implementation
    if left.tree is None and right.tree is None:
        return _Part(None, apply(left.value, right.value))
    decided = _decide(symbol, left, right)
    if decided is not None:
        return decided
    opened = {left.operator, right.operator} - {None}
    if opened and symbol not in opened:
        return _Part(nodes.Binary(symbol, left.node(), right.node()))
    # As in HTCondor, the value behind another open operator is lost: 1 + x + 2 * y -> 1 + x + y.
    values = [part.value for part in (left, right) if part.tree is None or part.operator == symbol]
    trees = [part.tree for part in (left, right) if part.tree is not None]
    tree = trees[0] if len(trees) == 1 else nodes.Binary(symbol, trees[0], trees[1])
    if not values:
        return _Part(tree)
    return _Part(tree, values[0] if len(values) == 1 else apply(values[0], values[1]), symbol)


def _decide(symbol: str, left: _Part, right: _Part) -> _Part | None:
    """A logical operator with one known operand that settles the result or has no influence."""
    if symbol not in LOGIC or (left.tree is None) == (right.tree is None):
        return None
    known, other = (left, right) if left.tree is None else (right, left)
    choice = truth(known.value)
    if choice is (symbol == "||"):
        return _Part(None, choice)
    if symbol == "&&" and choice is True:
        return _Part(other.tree)  # an open value of the other side is lost here, as in HTCondor
    return None


#: What needs no parentheses wherever it stands.
_ATOMS: Final = (nodes.Reference, nodes.Subscript, nodes.Parens, nodes.Call)

_RULES: Final[dict[type[Node], Callable[..., _Part]]] = {
    nodes.Literal: _Flattener.literal,
    nodes.Reference: _Flattener.reference,
    nodes.Unary: _Flattener.unary,
    nodes.Binary: _Flattener.binary,
    nodes.Conditional: _Flattener.conditional,
    nodes.Subscript: _Flattener.subscript,
    nodes.Parens: _Flattener.parens,
    nodes.Call: _Flattener.call,
    nodes.ListExpr: _Flattener.list,
    nodes.AdExpr: _Flattener.ad,
}
