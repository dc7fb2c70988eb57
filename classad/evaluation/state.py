"""Keeps the state of one evaluation while it runs.

``EvalState`` is the object that builtin functions receive first, whichever evaluator works:
``classad.compiled.state`` and ``classad.evaluation.reference`` have one each.  ``CallSite`` is for
those that look at their unevaluated arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from classad.ads.ad import Ad, ListValue, Stored, computed_member, detached, inside_of
from classad.ads.expression import Expression
from classad.evaluation.context import NO_CONTEXT, EvalContext
from classad.evaluation.scopes import Scopes, find, root_around
from classad.language import bounds
from classad.language.bounds import FAST_HEIGHT, MAX_WORK, EvaluationFailure
from classad.language.values import ERROR, UNDEFINED, ClassAdValue

if TYPE_CHECKING:
    from datetime import tzinfo

    from classad.syntax.nodes import Call, Node

__all__ = ["NO_CONTEXT", "CallSite", "EvalContext", "EvalState", "Place", "contained", "select"]

#: What tells an expression from others -> the ad that holds it, or nested pairs of such ads.
Active = dict[object, object]
#: Depth, expressions under way, guests, outermost ad and home of an evaluation, where it has moved.
Place = tuple[
    int,
    "Active | None",
    "tuple[tuple[Ad, Ad], ...]",
    Ad | None,
    "tuple[Ad | None, Ad | None] | None",
    Ad | None,
]


class EvalState(Scopes):
    """One evaluation under way, as evaluators and the builtin functions see it."""

    #: Levels in use; whole expressions are added, the first one is allowed for from the start.
    depth: int = FAST_HEIGHT
    work: int = 0
    #: ``mark`` of the attribute expressions under way -> the ad (or tuple of ads) that holds each.
    active: Active | None = None
    #: The ad in which the function under way was called.
    ad: Ad | None = None
    #: Of exact evaluations only, see ``ReferenceState``.
    lexical: tuple[Ad | None, Ad | None] | None = None
    moved: Ad | None = None
    #: Evaluations under way that began anew at ``ad["name"]``.
    restarts: int = 0

    # --- what an evaluator does ---------------------------------------------------------------

    def enter(self, tree: Expression, ad: Ad | None) -> ClassAdValue:
        """Evaluate a whole expression in ``ad`` without registering it as under way."""
        raise NotImplementedError

    def follow(self, tree: Expression, ad: Ad, owner: Ad) -> ClassAdValue:
        """Evaluate, in ``ad``, the expression of an attribute that ``owner`` holds.

        An expression that is under way already is a cycle, see ``circle``.
        """
        raise NotImplementedError

    def member(self, item: Stored, ad: Ad | None, home: Ad | None) -> Stored:
        """The value, in ``ad``, of a list member or other stored item that stands in ``home``."""
        raise NotImplementedError

    def dereference(self, value: Stored, ad: Ad, owner: Ad) -> Stored:
        """The value, in ``ad``, of what was stored for an attribute that ``owner`` holds."""
        return self.follow(value, ad, owner) if isinstance(value, Expression) else value

    def move(self, ad: Ad) -> None:
        """Evaluate in ``ad`` what follows in the expression of the attribute under way."""
        raise NotImplementedError

    def circle(self) -> ClassAdValue:
        """What a reference gives that leads to an expression under way.

        Where it ends the evaluation as a whole HTCondor goes round until no level is left, which
        doubles its time with every second reference on the way.
        """
        if self.context.language.self_reference_fails:
            raise EvaluationFailure("an attribute refers to itself")
        return UNDEFINED

    def check_work(self) -> None:
        """Fail if the evaluation has visited too many nodes, more than ``MAX_WORK`` at least."""
        if self.work > self.context.language.most_work:
            raise EvaluationFailure("the evaluation visits too many nodes")

    # --- for builtin functions ----------------------------------------------------------------

    @property
    def zone(self) -> tzinfo:
        """The local time zone."""
        from datetime import UTC  # which takes long to import, and few expressions need

        return self.context.tz or UTC

    def random(self) -> float:
        """A real in [0, 1)."""
        return self.context.rng.random()

    def charge(self, work: int) -> None:
        """Count node visits, also those that HTCondor makes and we need not."""
        self.work += work
        if self.work > MAX_WORK:
            self.check_work()
        if bounds.entered:
            bounds.glance()

    def evaluate_node(self, node: Node, ad: Ad) -> ClassAdValue:
        """The value of a node in ``ad``."""
        return self.enter(Expression.from_node(node), ad)

    def visit(self, item: Stored, ad: Ad, home: Ad | None) -> Stored:
        """The value of a stored item in ``ad``, on behalf of an expression in ``home``.

        Names that ``ad`` and its surroundings lack are looked for where those of the ad right
        around it would be.  A failing evaluation counts as the error value.
        """
        if not isinstance(item, Expression):
            return item
        ad = inside_of(ad)
        guests, root = self.guests, self.root_ad
        if ad._parent is not None and root is None:
            # For the match ad itself the ad that counts as the one around a guest is MY.
            scopes, around = self._scopes, ad._parent
            matched = scopes is not None and around is scopes[0]._parent
            self.guests = (*guests, (ad, self.left if matched else around))  # type: ignore[arg-type]
        self.root_ad = root_around(ad, self)
        value = contained(item, ad, home, self)
        self.guests, self.root_ad = guests, root
        return value

    def written_in(self, ad: Ad) -> Ad | None:
        """The ad in which the expression is written that is being evaluated in ``ad``."""
        lexical = self.lexical
        return lexical[1] if lexical is not None and lexical[0] is ad else ad

    def place(self) -> Place:
        """Where the evaluation is, for ``go_back``."""
        active = None if self.active is None else self.active.copy()
        return self.depth, active, self.guests, self.root_ad, self.lexical, self.moved

    def go_back(self, place: Place) -> None:
        """Return to where the evaluation was before one inside it failed."""
        self.depth, active, self.guests, self.root_ad, self.lexical, self.moved = place
        if self.active is not None:
            # The same object: attributes around the failed one are still to be taken out of it.
            self.active.clear()
            self.active.update(active or {})


class CallSite:
    """A call of a function that is given its unevaluated arguments.

    ``args``: the argument nodes.  ``ad``: the ad the call is evaluated in.
    """

    __slots__ = ("ad", "args", "state")

    def __init__(self, call: Call, ad: Ad, state: EvalState) -> None:
        self.args = call.args
        self.ad = ad
        self.state = state

    def evaluate(self, node: Node, ad: Ad | None = None) -> Stored:
        """The value of an argument (or any node) here or in another ad."""
        return self.state.evaluate_node(node, self.ad if ad is None else ad)

    def tree(self, node: Node) -> Expression:
        """An argument as an expression, for ``EvalState.visit``."""
        return Expression.from_node(node)


def contained(tree: Expression, ad: Ad | None, home: Ad | None, state: EvalState) -> ClassAdValue:
    """The value, in ``ad``, of an expression that stands in ``home``; error if it fails."""
    before = state.place()
    try:
        value: ClassAdValue = state.member(tree, ad, home)
        return value
    except EvaluationFailure:
        if state.work > MAX_WORK:
            state.check_work()
        state.go_back(before)
        return ERROR


def select(base: Stored, key: str, ad: Ad, state: EvalState) -> Stored:
    """The attribute ``key`` of an evaluated base: of an ad, or of each member of a list."""
    if isinstance(base, Ad):
        found = None if base.computed else find(base, key, state)
        if found is None:
            return UNDEFINED
        return state.dereference(found[0], found[2], found[1])
    if base.__class__ is ListValue:
        return ListValue([_select_member(item, key, ad, base.scope, state) for item in base.items])
    return UNDEFINED if base is UNDEFINED else ERROR


def _select_member(item: Stored, key: str, ad: Ad, home: Ad | None, state: EvalState) -> Stored:
    """The attribute of one member of a list, which is evaluated here, not where the list is."""
    value = select(state.member(item, ad, home), key, ad, state)
    return computed_member(detached(value, computed=False))
