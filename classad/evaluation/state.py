"""What an evaluation is given (``EvalContext``) and what it keeps while it runs (``EvalState``).

Inputs: the context: instant, zone, randomness, strictness, further functions.  All of them are
arguments; an evaluation without a clock that asks for the time fails.  Outputs: the object that
builtin functions receive first, and ``CallSite`` for those that look at their unevaluated
arguments.
Never here: reading the clock, the environment or the password file (``classad.binding.ambient``
does), the meaning of a node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, Any, Final

from classad.ads.ad import ClassAd
from classad.ads.deferred import Deferred
from classad.evaluation.scopes import root_around
from classad.language.limits import FAST_HEIGHT, MAX_DEPTH, MAX_WORK, EvaluationFailure, NeedExact
from classad.language.values import ERROR, UNDEFINED

if TYPE_CHECKING:
    from random import Random

    from classad.ads.ad import ClassAd
    from classad.ads.expression import ExprTree
    from classad.syntax.nodes import Call, Node


class EvalContext:
    """The surroundings of an evaluation, for results that can be repeated.

    It asks nobody for what it is not given: without ``now`` an expression that asks for the time
    fails as a whole.  One context has one sequence of random numbers.

    >>> from classad import EvalContext, ExprTree
    >>> ExprTree("time() + 1").eval(context=EvalContext(now=1_000_000_000))
    1000000001

    ``now``: seconds since 1970 UTC.  ``tz``: the local zone (None: UTC).  ``rng`` or ``seed``: the
    source of ``random()`` (seed None: unpredictable).  ``strict``: STRICT_CLASSAD_EVALUATION, see
    ``semantics``.
    ``functions``: folded name -> declaration, for functions beyond the builtin ones.
    ``user_maps``: folded map name -> mapping from user to a comma-separated list, for
    ``userMap``.  ``home_of``: user name -> home directory or None, for ``userHome``.
    ``debug_sink``: called by ``debug`` with its argument's text and value.
    """

    __slots__ = (
        "_rng", "debug_sink", "functions", "home_of", "now", "seed", "strict", "tz", "user_maps",
    )  # fmt: skip

    now: float | None

    def __init__(
        self,
        now: float | None = None,
        tz: tzinfo | None = None,
        seed: int | None = 0,
        rng: Random | None = None,
        strict: bool = False,
        functions: Mapping[str, Any] | None = None,
        user_maps: Mapping[str, Mapping[str, str]] | None = None,
        home_of: Callable[[str], str | None] | None = None,
        debug_sink: Callable[[str, Any], None] | None = None,
    ) -> None:
        self.now = now
        self.tz = tz
        self.seed = seed
        self._rng = rng
        self.strict = strict
        self.functions = functions
        self.user_maps = user_maps
        self.home_of = home_of
        self.debug_sink = debug_sink

    @property
    def rng(self) -> Random:
        """The random numbers of this context, made from the seed when first asked for."""
        if self._rng is None:
            from random import Random

            self._rng = Random(self.seed)
        return self._rng


#: Depth, expressions under way, guests, outermost ad and home of an evaluation.
Place = tuple[int, Any, Any, Any, Any]

#: The context of evaluations that are given none: no clock, UTC, seed 0.
NO_CONTEXT: Final = EvalContext()


class EvalState:
    """One evaluation under way, as the compiled closures and the builtin functions see it.

    The attributes have class-level defaults because most evaluations never write one: creating the
    state costs nothing then.  ``left`` and ``right`` are the two ads of a match context.
    """

    context: EvalContext = NO_CONTEXT
    left: ClassAd | None = None
    right: ClassAd | None = None
    #: Levels in use; whole expressions are added, the first one is allowed for from the start.
    depth: int = FAST_HEIGHT
    work: int = 0
    #: ``mark`` of the attribute expressions under way -> the ad (or tuple of ads) that holds each.
    active: dict[Any, Any] | None = None
    #: The ad in which the evaluation started; kept by the exact evaluator only.
    start: ClassAd | None = None
    #: The ad in which the function under way was called.
    ad: ClassAd | None = None
    #: What is outermost there: None for the match ad, or what is around ``start``.
    root_ad: ClassAd | None = None
    #: Of exact evaluations only, see ``ReferenceState``.
    lexical: tuple[ClassAd | None, ClassAd | None] | None = None
    #: Ads visited by a function, each with the ad whose TARGET they share (see ``visit``).
    guests: tuple[tuple[ClassAd, ClassAd], ...] = ()
    _now: float | None = None
    _scopes: tuple[ClassAd, ClassAd] | None = None

    # --- for builtin functions --------------------------------------------------------------

    def now(self) -> float:
        """Seconds since 1970 UTC, the same throughout one evaluation."""
        if self._now is None:
            self._now = self.context.now
            if self._now is None:
                raise EvaluationFailure("the evaluation was given no clock")
        return self._now

    @property
    def zone(self) -> tzinfo:
        """The local time zone."""
        return self.context.tz or UTC

    @property
    def rng(self) -> Random:
        """The source of randomness."""
        return self.context.rng

    def random(self) -> float:
        """A real in [0, 1)."""
        return self.context.rng.random()

    def charge(self, work: int) -> None:
        """Count node visits, also those that HTCondor makes and we need not."""
        self.work += work
        if self.work > MAX_WORK:
            raise EvaluationFailure("the evaluation visits too many nodes")

    def member(self, item: Any, ad: ClassAd | None, home: ClassAd | None) -> Any:
        """The value, in ``ad``, of a list member or other stored item that stands in ``home``."""
        if not isinstance(item, Deferred):
            return item
        if home is not ad:
            if item.run is None:
                item.compile()
            if item.constructs:
                raise NeedExact  # its nested ads belong to home
        return self.enter(item, ad)

    def evaluate_node(self, node: Node, ad: ClassAd) -> Any:
        """The value of a node in ``ad``."""
        from classad.ads.expression import ExprTree

        return self.enter(ExprTree.from_node(node), ad)

    def visit(self, item: Any, ad: ClassAd, home: ClassAd | None) -> Any:
        """The value of a stored item in ``ad``, on behalf of an expression in ``home``.

        Names that ``ad`` and its surroundings lack are looked for where those of the ad right
        around it would be.  A failing evaluation counts as the error value.
        """
        from classad.ads.ad import inside_of

        if not isinstance(item, Deferred):
            return item
        ad = inside_of(ad)
        guests, root = self.guests, self.root_ad
        if ad._parent is not None and root is None:
            self.guests = (*guests, (ad, self._scope_of(ad._parent)))
        self.root_ad = root_around(ad, self)
        value = contained(item, ad, home, self)
        self.guests, self.root_ad = guests, root
        return value

    def _scope_of(self, around: ClassAd) -> ClassAd:
        """The ad that counts as the one around a guest: for the match ad itself that is MY."""
        scopes = self._scopes
        return around if scopes is None or around is not scopes[0]._parent else self.left  # type: ignore[return-value]

    def written_in(self, ad: ClassAd) -> ClassAd | None:
        """The ad in which the expression stands that is being evaluated in ``ad``."""
        lexical = self.lexical
        return lexical[1] if lexical is not None and lexical[0] is ad else ad

    def place(self) -> Place:
        """Where the evaluation is, for ``go_back``."""
        active = None if self.active is None else self.active.copy()
        return self.depth, active, self.guests, self.root_ad, self.lexical

    def go_back(self, place: Place) -> None:
        """Return to where the evaluation was before one inside it failed."""
        self.depth, active, self.guests, self.root_ad, self.lexical = place
        if self.active is not None:
            # The same object: attributes around the failed one are still to be taken out of it.
            self.active.clear()
            self.active.update(active or {})

    # --- for the evaluator --------------------------------------------------------------------

    def enter(self, tree: Deferred, ad: ClassAd | None) -> Any:
        """Evaluate a whole expression in ``ad`` without registering it as under way."""
        if ad is None:
            from classad.ads.ad import ClassAd

            ad = ClassAd()
        run = tree.run or tree.compile()
        base = self.depth
        self.depth = base + tree.height
        self.charge(tree.size)
        if self.depth > MAX_DEPTH:
            raise NeedExact
        value = run(ad, self)
        self.depth = base
        return value

    def dereference(self, value: Any, ad: ClassAd, owner: ClassAd) -> Any:
        """The value, in ``ad``, of what was stored for an attribute that ``owner`` holds."""
        return self.follow(value, ad, owner) if isinstance(value, Deferred) else value

    def follow(self, tree: Deferred, ad: ClassAd, owner: ClassAd) -> Any:
        """Evaluate, in ``ad``, the expression of an attribute that ``owner`` holds.

        An expression that is under way already is undefined: a cycle.
        """
        run = tree.run or tree.compile()
        mark = tree.mark
        active = self.active
        if active is None:
            active = self.active = {mark: owner}
            before = None
        else:
            before = active.get(mark)
            if before is not None and _holds(before, owner):
                return UNDEFINED
            active[mark] = owner if before is None else (before, owner)
        depth = self.depth
        self.depth = deeper = depth + tree.height
        self.work = work = self.work + tree.size
        if deeper > MAX_DEPTH or (owner is not ad and tree.constructs):
            raise NeedExact  # or: its nested ads belong to the chained parent
        if work > MAX_WORK:
            raise EvaluationFailure("the evaluation visits too many nodes")
        value = run(ad, self)
        self.depth = depth
        if before is None:
            del active[mark]
        else:
            active[mark] = before
        return value


def _holds(chain: Any, owner: ClassAd) -> bool:
    """Whether ``owner`` is among the ads of ``((a, b), c)``."""
    while chain.__class__ is tuple:
        chain, last = chain
        if last is owner:
            return True
    return chain is owner


class CallSite:
    """A call of a function that is given its unevaluated arguments.

    ``args``: the argument nodes.  ``ad``: the ad the call is evaluated in.
    """

    __slots__ = ("ad", "args", "state")

    def __init__(self, call: Call, ad: ClassAd, state: EvalState) -> None:
        self.args = call.args
        self.ad = ad
        self.state = state

    def evaluate(self, node: Node, ad: ClassAd | None = None) -> Any:
        """The value of an argument (or any node) here or in another ad."""
        return self.state.evaluate_node(node, self.ad if ad is None else ad)

    def tree(self, node: Node) -> ExprTree:
        """An argument as an expression, for ``EvalState.visit``."""
        from classad.ads.expression import ExprTree

        return ExprTree.from_node(node)


def contained(tree: Deferred, ad: ClassAd | None, home: ClassAd | None, state: EvalState) -> Any:
    """The value, in ``ad``, of an expression that stands in ``home``; error if it fails."""
    before = state.place()
    try:
        return state.member(tree, ad, home)
    except EvaluationFailure:
        if state.work > MAX_WORK:
            raise
        state.go_back(before)
        return ERROR
