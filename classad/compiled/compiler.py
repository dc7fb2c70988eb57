"""Compiles an expression into one Python function ``run(ad, state) -> value``.

There is one writer of functions (``classad.compiled.python_source``), used in two grains: first a
function for each operation, which is quick to make, and one for the whole tree once the expression
has been evaluated ``HOT`` times.

Depth and work are not counted node by node: every expression knows its height and size, which are
added where an attribute is dereferenced (``EvalState.follow``); where that coarse sum meets the
limit, the evaluation starts over in the reference evaluator, which defines the values.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from classad.ads.expression import Expression, Run
from classad.compiled.python_source import compile_node, run_of, write_whole
from classad.compiled.runtime import CLOSED, needs_state
from classad.language.bounds import FAST_HEIGHT, NeedExact, more_frames
from classad.syntax import nodes

if TYPE_CHECKING:
    from classad.ads.ad import Ad
    from classad.evaluation.state import EvalState
    from classad.language.values import ClassAdValue

#: Evaluations after which an expression is worth a function of its own.
HOT: Final = 500
#: Nodes beyond which a tree is not written as a whole: that would take longer than it can save.
MAX_SIZE: Final = 400
#: Height from which compiling borrows Python frames.
_TALL: Final = 40


def compile_tree(tree: Expression) -> Run:
    """Give ``tree`` its function and its measures."""
    node = tree.node
    height, tree.size, tree.constructs, free = measure(node)
    tree.height, tree.modest = height, free and height <= FAST_HEIGHT
    if height > FAST_HEIGHT:
        tree.run = tree.mark = _too_tall
        return _too_tall
    with more_frames() if height > _TALL else nullcontext():
        piece = compile_node(node)
    run = run_of(piece)
    if piece[0] == "run" and tree.size <= MAX_SIZE:
        run = _warming(tree, run)
    tree.run = tree.mark = run
    return run


def _too_tall(ad: Ad, state: EvalState) -> NoReturn:
    raise NeedExact


def _warming(tree: Expression, first: Run) -> Run:
    """A function that has the expression written as a whole once it has proved hot.

    Objects that share it with ``tree`` have the use of that too.
    """
    left = HOT
    best: Callable[[Ad, EvalState], ClassAdValue] = first

    def run(ad: Ad, state: EvalState) -> ClassAdValue:
        nonlocal left, best
        current = best
        left -= 1
        if left == 0:
            best = specialise(tree)
        return current(ad, state)

    return run


def specialise(tree: Expression) -> Run:
    """Have ``tree`` written as a whole."""
    tree.run = write_whole(tree.node)
    return tree.run


class Measures(NamedTuple):
    """Levels that an expression can need, nodes that it can visit once, whether it contains a list
    or an ad, and whether no node in it needs the evaluation's state for itself.
    """

    height: int
    size: int
    constructs: bool
    stateless: bool


def measure(root: nodes.Node) -> Measures:
    """Measure an expression without compiling it."""
    height = size = 0
    constructs, stateless = False, True
    todo: list[tuple[nodes.Node, int]] = [(root, 0)]
    while todo:
        node, above = todo.pop()
        kind = node.__class__
        above += kind not in _LEVEL
        if above > height:
            height = above
        size += 1
        if kind in CLOSED:
            constructs = True
            stateless = stateless and not any(map(needs_state, nodes.walk(node)))
            continue
        stateless = stateless and not needs_state(node)
        for child in node.children():
            todo.append((child, above))
    return Measures(height, size, constructs, stateless)


#: Nodes that add no level to those of their operands.
_LEVEL: Final = frozenset({nodes.Literal, nodes.Call, nodes.ListExpr, nodes.AdExpr})
