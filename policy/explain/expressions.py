"""Asks of an expression whether it is constant and what it mentions, for explanations.

Follows: a constant is what flattening without any ad leaves as a value; the declarations of
functions say which of them are not settled by their arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from classad.ads.expression import Expression


def constant_value(tree: Expression) -> tuple[bool, object]:
    """Whether an expression has the same value for every slot and job, and that value."""
    from classad import ClassAd
    from classad.analysis.flatten import flatten
    from classad.evaluation.functions import Reads, lookup_function
    from classad.syntax.nodes import Call, walk

    calls = (lookup_function(node.name) for node in walk(tree.node) if isinstance(node, Call))
    if any(function.varies_with(*Reads) for function in calls if function is not None):
        return False, None
    found = flatten(ClassAd(), tree)
    return found.ok and found.tree is None, found.value


def mentions(tree: Expression, *names: str) -> bool:
    """Does it refer to one of these attributes, in whatever scope?"""
    from classad.syntax.nodes import Reference, walk

    wanted = {name.casefold() for name in names}
    return any(
        isinstance(node, Reference) and node.name.casefold() in wanted for node in walk(tree.node)
    )
