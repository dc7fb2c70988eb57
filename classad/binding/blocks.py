"""Provides ``with`` blocks that change what evaluations see: functions, clock, semantics.

A change holds for the thread or task that made it and ends with the block.  Blocks nest: the inner
one replaces only what it names.

Inputs: an instant (seconds since 1970 UTC), a zone, a seed, callables.  Outputs: the context that
``classad.binding.ambient`` evaluates with meanwhile.  An evaluation that is given a ``context=``
of its own does not look here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import tzinfo
from typing import Literal

from classad.binding.ambient import CURRENT, OPEN_BLOCKS, AmbientContext, current_context
from classad.language.rules import LanguageRules

__all__ = ["evaluating", "functions", "semantics"]


@contextmanager
def evaluating(
    *,
    now: float | None = None,
    tz: tzinfo | None = None,
    seed: int | None = None,
    strict: bool | None = None,
    language: LanguageRules | None = None,
) -> Iterator[AmbientContext]:
    """Evaluate with another clock, zone, random seed or semantics inside a ``with`` block.

    ``now``: seconds since 1970 UTC, at which the clock stands still.  ``tz``: the local zone.
    ``seed``: starts the random numbers anew.  ``strict``: see ``semantics``.  ``language``: the
    rules of a version of HTCondor, also for texts that are read.  What is not given stays as it is
    outside.  The block concerns this thread (or task) only.

    >>> from classad import ExprTree
    >>> with evaluating(now=1_000_000_000, seed=1):
    ...     ExprTree("time()").eval()
    ...     first = ExprTree("random(1000)").eval()
    1000000000
    >>> with evaluating(seed=1):
    ...     ExprTree("random(1000)").eval() == first
    True
    """
    context = current_context().within(now=now, tz=tz, seed=seed, strict=strict, language=language)
    with _block(context):
        yield context


@contextmanager
def functions(**callables: Callable[..., object]) -> Iterator[None]:
    """Let expressions call Python functions inside a ``with`` block, in this thread (or task) only.

    A function is called as those given to ``register`` are.  ``TypeError``: not callable.

    >>> from classad import ExprTree
    >>> with functions(twice=lambda x: 2 * x):
    ...     ExprTree("Twice(4)").eval()
    8
    >>> ExprTree("Twice(4)").eval()
    <Value.Error: 1>
    """
    from classad.binding.registration import declare
    from classad.language.names import fold_name

    table = {fold_name(name): declare(function, name) for name, function in callables.items()}
    with _block(current_context().within(functions=table)):
        yield


@contextmanager
def semantics(kind: Literal["old", "new"]) -> Iterator[None]:
    """Choose one of HTCondor's two semantics for a ``with`` block.

    ``old`` is what the daemons use and the default.  ``new`` is what STRICT_CLASSAD_EVALUATION
    asks for: an unscoped name is not looked for in the target, ``MY`` exists only in a match, there
    is no ``CurrentTime``, and an integer may begin with a zero.  Texts are parsed when expressions
    and ads are made of them, so make them inside the block.  ``ValueError``: another word.

    >>> from classad import ClassAd, ExprTree
    >>> ExprTree("Memory").eval(ClassAd(), ClassAd({"Memory": 1}))
    1
    >>> with semantics("new"):
    ...     ExprTree("Memory").eval(ClassAd(), ClassAd({"Memory": 1}))
    <Value.Undefined: 2>
    """
    if kind not in ("old", "new"):
        raise ValueError(f"semantics must be old or new, not `{kind}`")
    with _block(current_context().within(strict=kind == "new")):
        yield


@contextmanager
def _block(context: AmbientContext) -> Iterator[None]:
    entry = object()
    token = CURRENT.set(context)
    OPEN_BLOCKS.append(entry)
    try:
        yield
    finally:
        OPEN_BLOCKS.remove(entry)
        CURRENT.reset(token)
