"""Finds the places where an expression means something else by the rules of another version.

What shows in the expression itself is found: that a text cannot be read or evaluated any longer,
what ``? :`` belongs to, functions that are not known by a spelling, and references to names that
the caller knows to lead back to the expression.  Whether the place is ever reached is not asked.
Ads of captures, whose version is known when they have been read, are read again by its rules.

Inputs: an expression and two ``LanguageRules``.  Outputs: ``Change`` values, in the order of the
text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from enum import Enum
from typing import Final, NamedTuple

from classad.ads.ad import Ad, ListValue, Stored, node_of_value, stored_form
from classad.ads.expression import Expression
from classad.errors import ClassAdParseError
from classad.evaluation.functions import lookup_function
from classad.language.bounds import MAX_DEPTH
from classad.language.names import fold_name
from classad.language.operators import CHOICE
from classad.language.rules import LanguageRules
from classad.language.values import UNDEFINED
from classad.patterns import late_regex
from classad.syntax import nodes
from classad.syntax.lazy import LazyExpression
from classad.syntax.nodes import Node
from classad.syntax.parser import parse_expression, with_blanks

_BLANK_ELVIS: Final = late_regex(r"\?\s+:")


def may_differ(texts: Iterable[str], language: LanguageRules) -> bool:
    """Whether one of the texts may be read otherwise by other rules."""
    return not language.blank_in_elvis and any(map(_BLANK_ELVIS.search, texts))


def reread_ad(ad: Ad, language: LanguageRules) -> bool:
    """Change an ad to what it says by other rules; whether there was anything to change."""
    changed = False
    if not language.blank_in_elvis:
        for key, value in list(ad._attrs.items()):
            again = reread(value, ad, language)
            if again is not value:
                ad.insert(ad._names[key], again)
                changed = True
    return changed


def reread(value: Stored, ad: Ad | None, language: LanguageRules) -> Stored:
    """What ``ad`` keeps by other rules; the value itself if that is the same."""
    if language.blank_in_elvis:
        return value
    tree = value
    if isinstance(value, Ad | ListValue):
        tree = Expression.from_node(node_of_value(value))
    if not isinstance(tree, Expression) or isinstance(tree._node, LazyExpression):
        return value  # the texts of which no tree was made yet have none
    from classad.syntax.parser import regrouped

    node = regrouped(tree._node, language)
    return value if node is tree._node else stored_form(Expression.from_node(node), ad)


class What(Enum):
    """What happens at a place by the second rules, and by the first ones does not."""

    #: The text is nested too deeply to be read.
    UNREADABLE = "nested too deeply to be read"
    #: An evaluation that gets here has too many operators under way, and fails as a whole.
    TOO_DEEP = "too many operators under way"
    #: ``? :`` has other operands.
    REGROUPED = "`? :` has other operands"
    #: A function is not known by this spelling; the call is an error.
    UNKNOWN_FUNCTION = "not known by this spelling"
    #: A function is known by this spelling; the call was an error.
    KNOWN_FUNCTION = "known by this spelling"
    #: A reference that leads to the expression itself ends the evaluation.
    CIRCLE_FAILS = "a reference that leads to itself ends the evaluation"
    #: A reference that leads to the expression itself is undefined; it ended the evaluation.
    CIRCLE_UNDEFINED = "a reference that leads to itself is undefined"
    #: What is known before ``?:`` when requirements are flattened counts; it was a condition.
    KNOWN_COUNTS = "what the ad knows before `?:` counts when requirements are flattened"
    #: The same the other way round: a number stops flattening, a text is an error.
    KNOWN_FAILS = "what the ad knows before `?:` is a condition when requirements are flattened"


class Change(NamedTuple):
    """``place``: the node that changes, with its span; ``levels``: those that it needs, if that
    matters.
    """

    place: Node
    what: What
    levels: int = 0


def changes_between(
    expression: Expression | Node,
    old: LanguageRules,
    new: LanguageRules,
    *,
    names: Collection[str] = (),
    known: Callable[[str], bool] | None = None,
) -> list[Change]:
    """What of an expression, read by the newest rules, is otherwise by ``new`` than by ``old``.

    ``names``: attributes, in any case, that lead to the expression: its own, and those that refer
    to it.  ``known``: of requirements, which are flattened: whether their ad has an attribute, by
    its folded name.
    """
    node = expression.node if isinstance(expression, Expression) else expression
    own = frozenset(map(fold_name, names))
    found = [*_whole(node, old, new)]
    for part in nodes.walk(node):
        found += _at(part, old, new, own)
        if known is not None and old.elvis_flattens != new.elvis_flattens:
            found += _known_before(part, known, new)
        if old.blank_in_elvis != new.blank_in_elvis:
            found += [Change(it, What.REGROUPED) for it in part.children() if _is_torn(it, part)]
    return sorted(found, key=lambda change: (change.place.start, -change.place.end))


def _whole(node: Node, old: LanguageRules, new: LanguageRules) -> Iterator[Change]:
    if _is_readable(node, old) and not _is_readable(node, new):
        yield Change(node, What.UNREADABLE)
    if new.operators_use_levels and not old.operators_use_levels:
        yield from _too_deep(node)


def _is_readable(node: Node, rules: LanguageRules) -> bool:
    try:
        parse_expression(with_blanks(node), language=rules)
    except ClassAdParseError:
        return False
    return True


def _too_deep(root: Node) -> Iterator[Change]:
    """The expressions, also those in lists and ads, that need too many levels by themselves."""
    from classad.compiled.compiler import measure  # which nothing else here needs

    todo = [root]
    while todo:
        top = todo.pop()
        levels = measure(top).height
        if levels > MAX_DEPTH:
            yield Change(top, What.TOO_DEEP, levels)
        for part in nodes.walk(top):
            if isinstance(part, nodes.ListExpr | nodes.AdExpr):
                todo += [child for child in part.children() if child is not top]


def _at(
    part: Node, old: LanguageRules, new: LanguageRules, own: frozenset[str]
) -> Iterator[Change]:
    """What changes at one node."""
    if isinstance(part, nodes.Call):
        function = lookup_function(part.name)
        if function is not None and not function.is_spelled(part.name):
            if old.names_in_any_case and not new.names_in_any_case:
                yield Change(part, What.UNKNOWN_FUNCTION)
            elif new.names_in_any_case and not old.names_in_any_case:
                yield Change(part, What.KNOWN_FUNCTION)
    elif isinstance(part, nodes.Reference) and _is_own(part, own):
        if new.self_reference_fails and not old.self_reference_fails:
            yield Change(part, What.CIRCLE_FAILS)
        elif old.self_reference_fails and not new.self_reference_fails:
            yield Change(part, What.CIRCLE_UNDEFINED)


def _known_before(part: Node, known: Callable[[str], bool], new: LanguageRules) -> Iterator[Change]:
    """Whether ``?:`` is behind something that is a value when requirements are flattened."""
    if isinstance(part, nodes.Binary) and part.operator in CHOICE and _is_known(part.left, known):
        yield Change(part, What.KNOWN_COUNTS if new.elvis_flattens else What.KNOWN_FAILS)


def _is_torn(node: Node, around: Node) -> bool:
    """Whether ``? :`` has all of what is around it for an operand if it binds weakest."""
    if not nodes.is_blank_elvis(node):
        return False
    if isinstance(around, nodes.Conditional):
        return node is around.condition
    if nodes.is_blank_elvis(around):
        return node is not around.children()[1]
    return isinstance(around, nodes.Unary | nodes.Binary)


def _is_own(node: nodes.Reference, own: frozenset[str]) -> bool:
    """Whether a reference looks for one of the names in the ad of the expression."""
    return _is_of_own_ad(node) and fold_name(node.name) in own


def _is_of_own_ad(node: nodes.Reference) -> bool:
    return node.base is None or node.scope == "my"


def _is_known(node: Node, known: Callable[[str], bool]) -> bool:
    """Whether a node is a value once the ad of the expression is known."""
    if isinstance(node, nodes.Reference):
        return _is_of_own_ad(node) and known(fold_name(node.name))
    if isinstance(node, nodes.Literal):
        return node.evaluated is not UNDEFINED
    return bool(node.children()) and all(_is_known(child, known) for child in node.children())
