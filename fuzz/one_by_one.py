"""Evaluates one ad at a time by the reference evaluator: what every faster way has to agree with.

Inputs: expressions, ads, the context.  Outputs: values, answers, ranks, and values as text.
"""

from __future__ import annotations

from typing import Any

from classad import ClassAd, EvalContext, ExprTree
from classad.evaluate import evaluate_exactly
from classad.formats.unparse import unparse_value
from classad.match import is_true

#: Seconds since 1970 at which the tests evaluate.
NOW = 1_700_000_000
CONTEXT = EvalContext(now=NOW)
_REQUIREMENTS = ExprTree("Requirements")
_RANK = ExprTree("Rank")


def value_of(
    tree: ExprTree, my: ClassAd, target: ClassAd | None, context: EvalContext = CONTEXT
) -> Any:
    """The value of an expression in one ad; error if the evaluation fails as a whole."""
    left = None if target is None else my
    return evaluate_exactly(tree, my, left, target, context)[0]


def accepts(my: ClassAd, target: ClassAd, context: EvalContext = CONTEXT) -> bool:
    """Whether the requirements of one ad accept another one."""
    if my.raw("Requirements") is None:
        return False
    return is_true(value_of(_REQUIREMENTS, my, target, context))


def holds(
    tree: ExprTree, my: ClassAd, target: ClassAd | None, context: EvalContext = CONTEXT
) -> bool:
    """Whether an expression is true in an ad."""
    return is_true(value_of(tree, my, target, context))


def rank_of(job: ClassAd, row: ClassAd, context: EvalContext = CONTEXT) -> float:
    """The job's rank of a row, or else the row's of the job."""
    ranking, ranked = (job, row) if job.raw("Rank") is not None else (row, job)
    return number_of(value_of(_RANK, ranking, ranked, context))


def number_of(value: Any) -> float:
    """A value as a rank: what is no number counts 0."""
    return float(value) if value.__class__ in (bool, int, float) else 0.0


def shown(value: Any) -> str:
    """A value as a text that tells its type, too."""
    return f"{value.__class__.__name__} {unparse_value(value)}"
