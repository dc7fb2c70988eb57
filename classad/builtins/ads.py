"""Defines functions that look at expressions rather than at values.

Follows: the ClassAd language reference; measured on 25.14.1 (vectors ``fn_ad``, ``fn_good``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from classad.ads.ad import computed_member
from classad.builtins.pcre import GaveUp, compile_pattern
from classad.builtins.support import is_ad, is_list, new_list, text_of
from classad.evaluation.functions import (
    EXPRESSIONS,
    RAW,
    TEXT,
    InlineForm,
    ResultKind,
    Where,
    builtin,
)
from classad.evaluation.scopes import LocatedAttribute, enclosing, find, find_unscoped, outermost
from classad.evaluation.state import CallSite, EvalState, select
from classad.language.bounds import EvaluationFailure
from classad.language.names import fold_name
from classad.language.operators import truth
from classad.language.values import ERROR, UNDEFINED, ClassAdValue, Value, to_bytes
from classad.syntax.nodes import Node, Reference

if TYPE_CHECKING:
    from classad.ads.ad import Ad


@builtin(
    "eval",
    args=1,
    fails=True,
    laziness=RAW,
    reads=TEXT,
    prints=True,
    exceptional="undefined, error and a text that does not parse give error",
    examples=['eval("1 + 2") -> 3', 'eval("1 +") -> error', "eval(undefined) -> error"],
)
def evaluate_text(site: CallSite) -> ClassAdValue:
    """The value of the argument, as a string, read as an expression in new syntax."""
    from classad.ads.expression import Expression, parsed
    from classad.errors import ClassAdParseError

    text = text_of(site.evaluate(site.args[0]))
    if isinstance(text, Value):
        return ERROR
    try:
        context = site.state.context
        node = parsed(
            text,
            strict=context.strict,
            whole=False,
            zone=context.literal_zone,
            language=context.language,
        )
        tree = Expression.from_node(node)
    except ClassAdParseError:
        return ERROR
    value: ClassAdValue = site.state.member(tree, site.ad, site.ad)
    return value


def _search(site: CallSite, node: Reference) -> tuple[LocatedAttribute | None, Ad]:
    """What an attribute reference finds here, unevaluated, or None; and the ad the search ends in.

    A search that finds nothing ends in the outermost ad.  What is selected from a list are the
    values of its members.
    """
    state, key = site.state, fold_name(node.name)
    start = site.ad
    if node.absolute:
        start = outermost(state)
    elif node.base is not None:
        base = _selected(site, node.base, key)
        if is_list(base):
            return (base, site.ad, site.ad), site.ad
        if not is_ad(base):
            return None, site.ad
        start = base
    found = (find_unscoped if node.base is None else find)(start, key, state)
    return (found, found[2]) if found is not None else (None, _around(start, state))


def _selected(site: CallSite, node: Node, key: str) -> ClassAdValue:
    """The ad to select from, or what is selected if that is a list; error if it fails."""
    state = site.state
    before = state.place()
    try:
        base: ClassAdValue = site.evaluate(node)
        if is_list(base):
            base = select(base, key, site.ad, state)
        return base
    except EvaluationFailure:
        state.go_back(before)
        return ERROR


def _around(ad: Ad, state: EvalState) -> Ad:
    """The outermost ad around an ad."""
    outer = enclosing(ad, state)
    while outer is not None and outer is not ad:
        ad, outer = outer, enclosing(outer, state)
    return ad


def _in_each(site: CallSite) -> list[ClassAdValue] | Value:
    """The first argument's value in each ad of a list; or undefined or error.

    The expression of an attribute stands for a reference to it.  The list and all that follows are
    then evaluated in the ad in which the attribute was found, or where the search for it ended.
    """
    node, state = site.args[0], site.state
    item: object = site.tree(node)
    home, place = state.written_in(site.ad), site.ad
    if isinstance(node, Reference):
        found, place = _search(site, node)
        if found is not None:
            item, home, _ = found
        if place is not site.ad:
            state.move(place)
    before = state.place()
    try:
        if place is site.ad:
            members = site.evaluate(site.args[1])
        else:
            members = state.member(site.tree(site.args[1]), place, state.written_in(site.ad))
    except EvaluationFailure:  # HTCondor goes on with an error
        state.go_back(before)
        members = ERROR
    if not is_list(members):
        return UNDEFINED if members is UNDEFINED else ERROR
    call, state.ad = state.ad, place
    ads = members.values(state)
    state.ad = call
    values: list[ClassAdValue] = []
    for member in ads:
        if is_ad(member):
            values.append(state.visit(item, member, home))
        else:
            values.append(UNDEFINED if member is UNDEFINED else ERROR)
    return values


@builtin(
    "evalInEachContext",
    args=2,
    fails=True,
    laziness=RAW,
    where=(Where.IN_EACH, Where.HERE),
    exceptional="an undefined list gives undefined, another type error; a member that is undefined "
    "or no ad gives undefined or error in its place",
    examples=["evalInEachContext(x + 1, {[x = 1], [x = 2]}) -> { 2,3 }"],
)
def eval_in_each_context(site: CallSite) -> ClassAdValue:
    """The values of the first argument in each ad of a list.

    A reference to an attribute that exists where the call stands is replaced by that attribute's
    expression first.
    """
    values = _in_each(site)
    return values if isinstance(values, Value) else new_list(map(computed_member, values))


@builtin(
    "countMatches",
    args=2,
    result=ResultKind.COUNT,
    laziness=RAW,
    where=(Where.IN_EACH, Where.HERE),
    form=InlineForm.COUNT,
    exceptional="an undefined list counts 0, another type gives error; members that are no ads "
    "do not count",
    examples=["countMatches(x > 1, {[x = 1], [x = 2], undefined}) -> 1"],
)
def count_matches(site: CallSite) -> ClassAdValue:
    """The number of ads in a list in which the first argument is true or non-zero."""
    values = _in_each(site)
    if isinstance(values, Value):
        return 0 if values is UNDEFINED else ERROR
    return sum(truth(value) is True for value in values)


@builtin(
    "unparse",
    args=1,
    laziness=RAW,
    reads=EXPRESSIONS,
    where=(Where.NAMED,),
    exceptional="an argument that is no attribute reference gives error",
    examples=['unparse(nosuch) -> ""', "unparse(1) -> error"],
)
def unparse_attribute(site: CallSite) -> ClassAdValue:
    """The expression of an attribute, printed; empty if there is none."""
    from classad.formats.unparse import pretty, unparse

    node = site.args[0]
    if not isinstance(node, Reference):
        return ERROR
    # HTCondor looks up the printed reference as a name, and in the ad of the call only.
    stored = site.ad.raw(unparse(node))
    return "" if stored is None else pretty(stored)


@builtin(
    "unresolved",
    args=(1, 2),
    laziness=RAW,
    reads=EXPRESSIONS,
    where=(Where.FOUND, Where.HERE),
    exceptional="an absent attribute gives undefined; an argument that is no attribute reference "
    "and an ill-formed pattern give error; a pattern that is no string fails the whole evaluation",
    examples=[
        "unresolved(nosuch) -> undefined",
        '[a = b + TARGET.c; r = unresolved(a)].r -> "b,c"',
    ],
)
def unresolved(site: CallSite) -> ClassAdValue:
    """The names that an attribute's expression needs from elsewhere, sorted, with commas.

    With a pattern, which ignores case: whether it matches one of those names.
    """
    from classad.analysis.references import external_names

    node = site.args[0]
    if not isinstance(node, Reference):
        return ERROR
    found, place = _search(site, node)
    if place is not site.ad:
        site.state.move(place)
    if found is None:
        return UNDEFINED
    external = sorted(external_names(found, site.state) or (), key=fold_name)
    names = [name[7:] if fold_name(name[:7]) == "target." else name for name in external]
    return ",".join(names) if len(site.args) == 1 else _any_matches(site, names)


def _any_matches(site: CallSite, names: list[str]) -> ClassAdValue:
    pattern = site.evaluate(site.args[1])
    if pattern.__class__ is not str:
        raise EvaluationFailure("the pattern of unresolved is no string")
    compiled = compile_pattern(pattern, "i")
    if compiled is None:
        return ERROR
    if not pattern:
        return False
    try:
        return any(compiled.matches(to_bytes(name)) for name in names)
    except GaveUp:
        return False
