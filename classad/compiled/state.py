"""Keeps the state of an evaluation by compiled closures.

Depth and work are not counted node by node: every expression knows its height and size, which are
added where an attribute is dereferenced.  Where that coarse sum meets the limit, ``NeedExact`` asks
for the reference evaluator.

Inputs: expressions, which are compiled when they are first evaluated, and ads.  Outputs: values.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from classad.ads.ad import Ad, Stored
from classad.ads.expression import Expression, Run
from classad.evaluation.state import EvalState
from classad.language import bounds
from classad.language.bounds import MAX_DEPTH, MAX_WORK, NeedExact
from classad.language.values import ClassAdValue


def compiled(tree: Expression) -> Run:
    """Translate an expression into a closure, or take over what has been made of it already."""
    origin = tree._origin
    if origin is None:
        return _compiler()(tree)
    run = origin.run or compiled(origin)
    tree.take_over(origin)
    return run


@cache
def _compiler() -> Callable[[Expression], Run]:
    """The compiler, which is loaded with the first expression."""
    from classad.compiled.compiler import compile_tree

    return compile_tree


class CompiledState(EvalState):
    """One evaluation under way, as compiled closures and the builtin functions see it."""

    def member(self, item: Stored, ad: Ad | None, home: Ad | None) -> Stored:
        if not isinstance(item, Expression):
            return item
        if home is not ad:
            if item.run is None:
                compiled(item)
            if item.constructs:
                raise NeedExact  # its nested ads belong to home
        return self.enter(item, ad)

    def move(self, ad: Ad) -> None:
        raise NeedExact  # closures are given their ad

    def enter(self, tree: Expression, ad: Ad | None) -> ClassAdValue:
        if ad is None:
            ad = Ad()
        run = tree.run or compiled(tree)
        base = self.depth
        self.depth = base + tree.height
        self.charge(tree.size)
        if self.depth > MAX_DEPTH:
            raise NeedExact
        value: ClassAdValue = run(ad, self)
        self.depth = base
        return value

    def follow(self, tree: Expression, ad: Ad, owner: Ad) -> ClassAdValue:
        run = tree.run or compiled(tree)
        mark = tree.mark
        active = self.active
        if active is None:
            active = self.active = {mark: owner}
            before = None
        else:
            before = active.get(mark)
            if before is not None and _holds(before, owner):
                return self.circle()
            active[mark] = owner if before is None else (before, owner)
        depth = self.depth
        self.depth = deeper = depth + tree.height
        self.work = work = self.work + tree.size
        if deeper > MAX_DEPTH or (owner is not ad and tree.constructs):
            raise NeedExact  # or: its nested ads belong to the chained parent
        if work > MAX_WORK:
            self.check_work()
        if bounds.entered:
            bounds.glance()
        value: ClassAdValue = run(ad, self)
        self.depth = depth
        if before is None:
            del active[mark]
        else:
            active[mark] = before
        return value


def _holds(chain: object, owner: Ad) -> bool:
    """Whether ``owner`` is among the ads of ``((a, b), c)``."""
    while isinstance(chain, tuple):
        chain, last = chain
        if last is owner:
            return True
    return chain is owner
