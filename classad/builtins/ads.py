"""Functions that look at expressions rather than at values.

Follows: the ClassAd language reference; measured on 25.14.1 (vectors ``fn_ad``, ``fn_good``).
"""

from __future__ import annotations

from typing import Any

from classad.builtins.registry import RAW, builtin
from classad.builtins.support import is_ad, is_list, new_list, text_of
from classad.nodes import Reference
from classad.operators import truth
from classad.scopes import find_unscoped, fold_name
from classad.values import ERROR, UNDEFINED, Value


@builtin(
    "eval",
    args=1,
    laziness=RAW,
    deterministic=False,
    exceptional="undefined, error and a text that does not parse give error",
    examples=['eval("1 + 2") -> 3', 'eval("1 +") -> error', "eval(undefined) -> error"],
)
def evaluate_text(site: Any) -> Any:
    """The value of the argument, as a string, read as an expression in new syntax."""
    from classad.errors import ClassAdParseError
    from classad.expr import ExprTree

    text = text_of(site.evaluate(site.args[0]))
    if text.__class__ is Value:
        return ERROR
    try:
        tree = ExprTree(text)
    except ClassAdParseError:
        return ERROR
    return site.evaluate(tree.node)


def _stored(site: Any, node: Any) -> Any:
    """What a plain attribute reference finds here, unevaluated; None for anything else."""
    if not isinstance(node, Reference) or node.base is not None or node.absolute:
        return None
    found = find_unscoped(site.ad, fold_name(node.name), site.state)
    return None if found is None else found[0]


def _in_each(site: Any, members: Any) -> list[Any]:
    """The first argument's value in each ad of a list; undefined or error for other members.

    Where the first argument is a reference that the other ad of a match resolves, the members are
    evaluated there, as in HTCondor.
    """
    node, state = site.args[0], site.state
    item: Any = site.tree(node)
    if isinstance(node, Reference) and node.base is None and not node.absolute:
        found = find_unscoped(site.ad, fold_name(node.name), state)
        if found is not None:
            item, _, state.ad = found
    values: list[Any] = []
    for member in members.values(state):
        if is_ad(member):
            values.append(state.visit(item, member, site.ad))
        else:
            values.append(UNDEFINED if member is UNDEFINED else ERROR)
    return values


@builtin(
    "evalInEachContext",
    args=2,
    laziness=RAW,
    deterministic=False,
    exceptional="an undefined list gives undefined, another type error; a member that is undefined "
    "or no ad gives undefined or error in its place",
    examples=["evalInEachContext(x + 1, {[x = 1], [x = 2]}) -> { 2,3 }"],
)
def eval_in_each_context(site: Any) -> Any:
    """The values of the first argument in each ad of a list.

    A plain reference to an attribute that exists where the call stands is replaced by that
    attribute's expression first.
    """
    members = site.evaluate(site.args[1])
    if not is_list(members):
        return UNDEFINED if members is UNDEFINED else ERROR
    return new_list(_in_each(site, members))


@builtin(
    "countMatches",
    args=2,
    laziness=RAW,
    deterministic=False,
    exceptional="an undefined list counts 0, another type gives error; members that are no ads "
    "do not count",
    examples=["countMatches(x > 1, {[x = 1], [x = 2], undefined}) -> 1"],
)
def count_matches(site: Any) -> Any:
    """The number of ads in a list in which the first argument is true or non-zero."""
    members = site.evaluate(site.args[1])
    if not is_list(members):
        return 0 if members is UNDEFINED else ERROR
    return sum(truth(value) is True for value in _in_each(site, members))


@builtin(
    "unparse",
    args=1,
    laziness=RAW,
    deterministic=False,
    exceptional="an argument that is no attribute reference gives error",
    examples=['unparse(nosuch) -> ""', "unparse(1) -> error"],
)
def unparse_attribute(site: Any) -> Any:
    """The expression of an attribute, printed; empty if there is none."""
    from classad.unparse import pretty

    node = site.args[0]
    if not isinstance(node, Reference):
        return ERROR
    stored = _stored(site, node)
    return "" if stored is None else pretty(stored)
