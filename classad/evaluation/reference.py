"""Defines what every expression evaluates to: one function per kind of node.

This is the reference evaluator.  It counts depth and work exactly as HTCondor does, by the rules of
the version that its context names, and knows strict mode.  The compiled form in
``classad.compiled.compiler`` is tested against it and hands over to it near the limits.  Operators
are those of ``classad.language.operators``, names are looked for by ``classad.evaluation.scopes``.

Inputs: a node, the ad it is evaluated in, the state.  Outputs: a ClassAd value.
Follows: sections 4 and 5 of the language notes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from classad.ads.ad import Ad, ListValue, Stored, detached, inside_of, make_ad, make_list
from classad.ads.expression import Expression, Run
from classad.evaluation.context import EvalContext
from classad.evaluation.functions import lookup_function
from classad.evaluation.scopes import find, find_unscoped, outermost, own, root_around
from classad.evaluation.state import CallSite, EvalState, contained, select
from classad.language import bounds
from classad.language.bounds import MAX_DEPTH, MAX_RESTARTS, EvaluationFailure
from classad.language.names import fold_name
from classad.language.operators import BINARY, UNARY, exceptional, truth
from classad.language.values import ERROR, UNDEFINED, ClassAdValue, Truth
from classad.syntax import nodes

#: What a reference weighs where operators use up no levels: more than all that can be under way.
_HEAVY: Final = 1 << 20
#: What evaluates a node of one kind: ``evaluate(node, ad, state)``.
Evaluator = Callable[..., ClassAdValue]
#: Kind of node -> what evaluates it.
Evaluators = dict[type[nodes.Node], Evaluator]


class ReferenceState(EvalState):
    """An exactly counted evaluation.

    ``deepest``: the depth at which an operator fails, ``most_references`` that at which a reference
    does, ``reference`` what a reference adds.  ``lexical``: while an expression is evaluated in
    another ad than it stands in, as that of a chained parent is in the child, the two, so that ads
    and lists written in it are nested in the one where they stand.  ``moved``: where the evaluation
    of the attribute under way goes on, see ``move``.
    """

    #: What evaluates each kind of node; ``classad.analysis.explain`` has a table that also
    #: takes notes.
    evaluators: Evaluators

    depth: int = 0
    lexical: tuple[Ad | None, Ad | None] | None = None
    moved: Ad | None = None

    def __init__(self, context: EvalContext) -> None:
        self.context = context
        language = context.language
        self.most_work = language.most_work
        self.reference = 1 if language.operators_use_levels else _HEAVY
        self.most_references = MAX_DEPTH * self.reference
        self.deepest = self.most_references * self.reference

    def evaluate_node(self, node: nodes.Node, ad: Ad) -> ClassAdValue:
        return value_of(node, ad, self)

    def enter(self, tree: Expression, ad: Ad | None) -> ClassAdValue:
        return value_of(tree.node, Ad() if ad is None else ad, self)

    def member(self, item: Stored, ad: Ad | None, home: Ad | None) -> ClassAdValue:
        if not isinstance(item, Expression):
            value: ClassAdValue = item
            return value
        outer, self.lexical = self.lexical, None if home is ad else (ad, home)
        before, self.moved = self.moved, None
        value = self.enter(item, ad)
        self.lexical, self.moved = outer, before
        return value

    def move(self, ad: Ad) -> None:
        self.moved = ad

    def descend(self) -> None:
        """Use up one level."""
        if self.depth >= self.deepest:
            raise EvaluationFailure("the evaluation is nested too deeply")
        self.depth += 1

    def dereference(self, value: Stored, ad: Ad, owner: Ad) -> ClassAdValue:
        if self.depth >= self.most_references:
            raise EvaluationFailure("the evaluation is nested too deeply")
        self.depth += self.reference
        found: ClassAdValue = value
        if value.__class__ is Expression:
            found = self.follow(value, ad, owner)
        self.depth -= self.reference
        return found

    def is_under_way(self, tree: Expression, owner: Ad) -> bool:
        """Whether the expression of this attribute is being evaluated: another use is a cycle."""
        return self.active is not None and (id(tree), id(owner)) in self.active

    def follow(self, tree: Expression, ad: Ad, owner: Ad) -> ClassAdValue:
        if self.is_under_way(tree, owner):
            return self.circle()
        active = self.active = {} if self.active is None else self.active
        mark = (id(tree), id(owner))
        active[mark] = owner
        outer, self.lexical = self.lexical, None if owner is ad else (ad, owner)
        before, self.moved = self.moved, None
        value = value_of(tree.node, ad, self)
        self.lexical, self.moved = outer, before
        del active[mark]
        return value


def value_of(node: nodes.Node, ad: Ad, state: ReferenceState) -> ClassAdValue:
    """The value of a node in ``ad``, or where the evaluation has moved to."""
    if state.moved is not None:
        ad = state.moved
    state.work += 1
    if state.work > state.most_work:
        raise EvaluationFailure("the evaluation visits too many nodes")
    if bounds.entered:
        bounds.glance()
    return state.evaluators[node.__class__](node, ad, state)


def _parens(node: nodes.Parens, ad: Ad, state: ReferenceState) -> ClassAdValue:
    state.descend()
    value = value_of(node.inner, ad, state)
    state.depth -= 1
    return value


def _unary(node: nodes.Unary, ad: Ad, state: ReferenceState) -> ClassAdValue:
    state.descend()
    operand = value_of(node.operand, ad, state)
    state.depth -= 1
    return UNARY[node.operator].implementation(operand)


def _binary(node: nodes.Binary, ad: Ad, state: ReferenceState) -> ClassAdValue:
    operator = BINARY[node.operator]
    state.descend()
    left = value_of(node.left, ad, state)
    if operator.settles is not None and operator.settles(left):
        value = operator.implementation(left, UNDEFINED)
    else:
        value = operator.implementation(left, value_of(node.right, ad, state))
    state.depth -= 1
    return value


def _conditional(node: nodes.Conditional, ad: Ad, state: ReferenceState) -> ClassAdValue:
    state.descend()
    selector = value_of(node.condition, ad, state)
    value: ClassAdValue = truth(selector)
    if value is True:
        value = value_of(node.then, ad, state)
    elif value is False:
        value = value_of(node.otherwise, ad, state)
    elif value is ERROR and selector is not ERROR:
        # No condition at all: both branches are evaluated, as one of them may fail the whole.
        value_of(node.then, ad, state)
        value_of(node.otherwise, ad, state)
    state.depth -= 1
    return value


def no_choice(
    selector: ClassAdValue,
    choice: Truth,
    then: Run,
    otherwise: Run,
    ad: Ad,
    state: EvalState,
) -> ClassAdValue:
    """A selector that is neither true nor false.

    If it is no condition at all both branches are evaluated, as one of them may fail the whole.
    """
    if choice is ERROR and selector is not ERROR:
        then(ad, state)
        otherwise(ad, state)
    return choice


def _subscript(node: nodes.Subscript, ad: Ad, state: ReferenceState) -> ClassAdValue:
    state.descend()
    base = value_of(node.base, ad, state)
    index = value_of(node.index, ad, state)
    value = subscript(base, index, state)
    state.depth -= 1
    return value


def subscript(base: ClassAdValue, index: ClassAdValue, state: EvalState) -> ClassAdValue:
    """``base[index]``; a member whose evaluation fails counts as the error value."""
    if base.__class__ is ListValue and index.__class__ is int:
        place = (index + 2**31) % 2**32 - 2**31
        if not 0 <= place < len(base.items):
            return ERROR
        item, scope = base.items[place], base.scope
        member: ClassAdValue = item
        return member if item.__class__ is not Expression else contained(item, scope, scope, state)
    if index.__class__ is str and isinstance(base, Ad):
        scope = inside_of(base)
        hit = own(scope, fold_name(index))
        if hit is None:
            return UNDEFINED
        value = hit[0]
        if value.__class__ is Expression:
            value = restarted(value, scope, hit[1], state)
        copy: ClassAdValue = detached(value, computed=True)
        return copy
    return exceptional(base, index)


def restarted(tree: Expression, ad: Ad, home: Ad, state: EvalState) -> ClassAdValue:
    """As ``contained``, with a depth and an outermost ad of its own, as ``ad["name"]`` has it."""
    depth, root, count = state.depth, state.root_ad, state.restarts
    if count >= MAX_RESTARTS:
        return ERROR
    state.depth, state.root_ad = 0, root_around(ad, state)
    state.restarts = count + 1
    value = contained(tree, ad, home, state)
    state.depth, state.root_ad = depth, root
    state.restarts = count
    return value


def _reference(node: nodes.Reference, ad: Ad, state: ReferenceState) -> ClassAdValue:
    key = fold_name(node.name)
    if node.base is not None:
        return _selection(node, key, ad, state)
    start = outermost(state) if node.absolute else ad
    found = (find if node.absolute else find_unscoped)(start, key, state)
    if found is None:
        return UNDEFINED
    return state.dereference(found[0], found[2], found[1])


def _selection(node: nodes.Reference, key: str, ad: Ad, state: ReferenceState) -> ClassAdValue:
    """``base.name``.  Running out of levels here is an error value, not a failure."""
    if state.depth >= state.deepest:
        return ERROR
    assert node.base is not None
    state.depth += 1
    base = value_of(node.base, ad, state)
    state.depth -= 1
    selected: ClassAdValue = select(base, key, ad, state)
    return selected


def _call(node: nodes.Call, ad: Ad, state: ReferenceState) -> ClassAdValue:
    function = lookup_function(node.name, state.context)
    if function is None or not function.accepts(len(node.args)):
        return ERROR
    way = function.laziness.value
    if way == "eager":
        values = [value_of(arg, ad, state) for arg in node.args]
        state.ad = ad
        return function.impl(state, *values)
    state.ad = ad
    if way == "lazy":
        return function.impl(state, *[partial(_argument, arg, ad, state) for arg in node.args])
    return function.impl(CallSite(node, ad, state))


def _argument(node: nodes.Node, ad: Ad, state: ReferenceState) -> ClassAdValue:
    value = value_of(node, ad, state)
    state.ad = ad
    return value


ReferenceState.evaluators = {
    nodes.Literal: lambda node, ad, state: node.evaluated,
    nodes.Reference: _reference,
    nodes.Unary: _unary,
    nodes.Binary: _binary,
    nodes.Conditional: _conditional,
    nodes.Subscript: _subscript,
    nodes.Parens: _parens,
    nodes.Call: _call,
    nodes.ListExpr: lambda node, ad, state: make_list(node, state.written_in(ad)),
    nodes.AdExpr: lambda node, ad, state: make_ad(node, state.written_in(ad)),
}
