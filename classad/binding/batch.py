"""Evaluates one expression in many ads, and matches one job with many slots.

The results are those of ``ExprTree.eval`` and of ``symmetric_match`` on each pair.  What is common
to all pairs is done once: looking up and compiling the job's expressions, choosing the context,
making the state of an evaluation.

Inputs: an expression or a job, ads, the context (None: that of the machine; its clock stands still
for the length of a call).  Outputs: lists, or a mask and ranks as flat buffers.
Follows: the match and the job's ``Rank`` as HTCondor's negotiator computes them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from classad.ads.ad import Stored, as_number
from classad.ads.expression import Expression
from classad.binding.ad import ClassAd
from classad.binding.ambient import AmbientContext, current_context
from classad.binding.expr import ExprTree
from classad.binding.python_values import MATCH_HELP, PythonValue, checked_ad, to_python
from classad.compiled.state import CompiledState, compiled
from classad.errors import ClassAdTypeError
from classad.evaluate import evaluate
from classad.evaluation.context import EvalContext
from classad.extras import load
from classad.language.bounds import EvaluationFailure, NeedExact
from classad.language.names import fold_name
from classad.match import half_match, is_true

__all__ = ["MatchResult", "Program", "compile", "evaluate_many", "match_many"]

#: The rank of a slot that does not match.
NO_RANK: Final = float("-inf")


#: A flat buffer: a ``bytearray`` or ``array``, or an array of NumPy, which has no types here.
Buffer: TypeAlias = Any


class MatchResult(NamedTuple):
    """Which slots match a job, and how the job ranks each of them.

    ``mask``: one byte for each slot, 1 if both ads accept the other.  ``ranks``: doubles, bigger is
    better, ``-inf`` where the mask is 0.  Both are flat buffers, which NumPy takes without copying
    (``numpy.frombuffer(result.mask, dtype=bool)``), or NumPy arrays if those were asked for.
    """

    mask: Buffer
    ranks: Buffer

    def matches(self) -> list[int]:
        """The positions of the slots that match, in their order."""
        return [position for position, yes in enumerate(self.mask) if yes]

    def best(self) -> int | None:
        """The position of the first of the slots with the highest rank; None if none matches.

        A rank that is not a number is below every other.
        """
        key = [NO_RANK if rank != rank else rank for rank in self.ranks]
        return max(self.matches(), key=key.__getitem__, default=None)


class Program:
    """An expression, parsed and compiled, to be called with ads; ``compile`` makes it.

    ``program(my, target)`` is ``program.expr.eval(my, target)``, ``program.many(ads, target)`` is
    ``evaluate_many(program.expr, ads, target)``.
    """

    __slots__ = ("expr",)

    def __init__(self, expr: Expression) -> None:
        self.expr = expr if isinstance(expr, ExprTree) else ExprTree.sharing(expr)

    def __call__(
        self,
        my: ClassAd | None = None,
        target: ClassAd | None = None,
        *,
        context: EvalContext | None = None,
    ) -> PythonValue:
        """The value in ``my``, matched with ``target``."""
        return self.expr.eval(my, target, context=context)

    def many(
        self,
        ads: Iterable[ClassAd],
        target: ClassAd | None = None,
        *,
        context: EvalContext | None = None,
    ) -> list[PythonValue]:
        """The values in many ads."""
        return evaluate_many(self.expr, ads, target, context=context)

    def __repr__(self) -> str:
        return f"<Program {self.expr!r}>"


def compile(expr: ExprTree | str) -> Program:
    """Parse and compile an expression for many evaluations.

    Raises ``ClassAdParseError`` if it is a text that is no expression.

    >>> program = compile("Memory / 1024")
    >>> program(ClassAd({"Memory": 4096}))
    4
    >>> program.many([ClassAd({"Memory": 1024}), ClassAd({"Memory": 2048})])
    [1, 2]
    """
    tree = _tree_of(expr)
    if tree.run is None:
        compiled(tree)
    return Program(tree)


def evaluate_many(
    expr: Expression | str,
    ads: Iterable[ClassAd],
    target: ClassAd | None = None,
    *,
    context: EvalContext | None = None,
) -> list[PythonValue]:
    """The value of one expression in each of many ads, matched with ``target`` if there is one.

    The values are those of ``expr.eval(ad, target)``; an evaluation that would raise there, at its
    limits, gives ``Value.Error`` here.  Raises ``ClassAdParseError`` for a text that is no
    expression, ``TypeError`` for what is no ad.

    >>> slots = [ClassAd({"Cpus": 1}), ClassAd({"Cpus": 8}), ClassAd()]
    >>> evaluate_many("Cpus > 4", slots)
    [False, True, <Value.Undefined: 2>]
    """
    tree = _tree_of(expr)
    if target is not None:
        checked_ad(target, ClassAd, "target")
    evaluator = _Evaluator(_standing(context))
    value_in = evaluator.value
    values = []
    for ad in ads:
        if not isinstance(ad, ClassAd):
            checked_ad(ad, ClassAd, "ad")
        value = value_in(tree, ad, None if ad is target else target)
        kind = value.__class__
        plain = kind is int or kind is bool or kind is float
        values.append(value if plain else to_python(value))
    return values


def match_many(
    job: ClassAd,
    slots: Iterable[ClassAd],
    *,
    rank: str | ExprTree | None = "Rank",
    context: EvalContext | None = None,
    numpy: bool = False,
) -> MatchResult:
    """Which slots match a job, as ``job.symmetricMatch(slot)`` says, and the job's rank of each.

    ``rank``: an attribute of the job, looked for in the slot if the job has none, or an expression
    evaluated in the job against the slot; bigger is better; what is no number counts 0, as in the
    negotiator.  None: no ranks are evaluated, all are 0.  ``numpy``: the result holds NumPy arrays
    (bool and float64).  Raises ``TypeError`` for what is no ad.

    >>> job = ClassAd("[RequestCpus = 2; Requirements = TARGET.Cpus >= RequestCpus; Rank = Cpus]")
    >>> slots = [ClassAd({"Cpus": cpus, "Requirements": True}) for cpus in (1, 2, 8)]
    >>> result = match_many(job, slots)
    >>> result.matches(), result.ranks.tolist(), result.best()
    ([1, 2], [-inf, 2.0, 8.0], 2)
    """
    checked_ad(job, ClassAd, "job")
    evaluator = _Evaluator(_standing(context))
    accepts, rank_of = evaluator.accepts, evaluator.ranker(job, rank)
    mask, ranks = bytearray(), array("d")
    for slot in slots:
        if not isinstance(slot, ClassAd):
            checked_ad(slot, ClassAd, "slot")
        yes = accepts(slot, job) and accepts(job, slot)
        mask.append(yes)
        ranks.append(rank_of(slot) if yes else NO_RANK)
    if not numpy:
        return MatchResult(mask, ranks)
    arrays = load("numpy").frombuffer
    return MatchResult(arrays(mask, dtype="bool"), arrays(ranks, dtype="float64"))


class _Evaluator:
    """Evaluations in one context, all with the same state as long as none fails."""

    __slots__ = ("context", "state")

    def __init__(self, context: EvalContext) -> None:
        self.context = context
        self.renew()

    def renew(self) -> None:
        """Begin a new state: the old one was left in the middle of an evaluation."""
        self.state = CompiledState()
        self.state.context = self.context

    def value(self, tree: Expression, my: ClassAd, target: ClassAd | None) -> Stored:
        """The value of an expression; error if the evaluation fails as a whole."""
        if not self.context.strict:
            state = self.state
            state.left, state.right = (None, None) if target is None else (my, target)
            state.work = 0
            state._scopes = None
            try:
                return (tree.run or compiled(tree))(my, state)
            except (EvaluationFailure, NeedExact, RecursionError):
                self.renew()
        return evaluate(tree, my, target, context=self.context)

    def accepts(self, my: ClassAd, target: ClassAd) -> bool:
        """Whether the requirements of ``my`` accept ``target``."""
        wanted = my._attrs.get("requirements")
        if wanted.__class__ is not Expression or my is target or self.context.strict:
            return half_match(my, target, self.context)
        state = self.state
        state.left, state.right = my, target
        state.work = 0
        state._scopes = None
        try:
            value = state.follow(wanted, my, my)
        except (EvaluationFailure, NeedExact, RecursionError):
            self.renew()
            return half_match(my, target, self.context)
        return value is True or is_true(value)

    def ranker(self, job: ClassAd, rank: str | ExprTree | None) -> Callable[[ClassAd], float]:
        """The function that gives the job's rank of a slot."""
        if rank is None:
            return lambda slot: 0.0
        name = "" if isinstance(rank, Expression) else rank
        stored = rank if isinstance(rank, Expression) else job._attrs.get(fold_name(rank))
        if isinstance(stored, Expression):
            value, tree = self.value, stored
            return lambda slot: _number(value(tree, job, None if slot is job else slot))
        if stored is not None:
            number = _number(stored)
            return lambda slot: number
        context = self.context
        return lambda slot: _number(job.evaluate_attr(name, slot, context))


def _number(value: object) -> float:
    """A rank: booleans count 0 and 1, what is no number 0."""
    number = as_number(value)
    return 0.0 if number is None else float(number)


def _standing(context: EvalContext | None) -> EvalContext:
    """The context of a call; the machine's clock is read once for all evaluations."""
    found = current_context() if context is None else context
    return found.within(now=found.now) if isinstance(found, AmbientContext) else found


def _tree_of(expr: object) -> Expression:
    if isinstance(expr, Expression):
        return expr
    if expr is None or isinstance(expr, Mapping):
        given = "None" if expr is None else "an ad"
        raise ClassAdTypeError(f"expected an expression, not {given}; {MATCH_HELP}")
    return ExprTree(expr)
