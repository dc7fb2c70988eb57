"""Flattens ``Requirements`` against their own ad as the negotiator does when a cycle begins.

What is known then stays as it is, whatever the other ad says or the cycle changes.  Follows the
vectors (``eval``, functions of the negotiator, ``CurrentRank`` in requirements, and
``corner-requirements-flattened-*``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Final, NamedTuple

from attr import define

from classad import ClassAd
from classad.ads.ad import Ad, ListValue, SharedNames
from classad.ads.expression import Expression
from classad.analysis.flatten import Flattened, flatten
from classad.evaluate import EvalContext, evaluate
from classad.evaluation.functions import CHANCE, USAGE, lookup_function, names_search
from classad.formats.unparse import unparse
from classad.language.operators import BINARY, CHOICE
from classad.language.rules import OLD, WHOLE
from classad.language.values import ERROR, ClassAdValue
from classad.syntax.lazy import LazyExpression, parse_lazily
from classad.syntax.nodes import Binary, Conditional, Node, same_tree
from classad.table.expressions.conjuncts import conjuncts_in
from classad.table.store.store import SCOPE_NAMES
from negotiator.expressions.known import conjuncts_of, own_names_of, references_in
from negotiator.expressions.memo import ExpressionMemo, by_text, by_tree, lasting_memo
from negotiator.expressions.regrouping import (
    AdSet,
    Level,
    Regrouping,
    is_open,
    regrouping_of,
    row,
)
from policy.ephemeral import EPHEMERAL

#: What the cycle overwrites, in the ads that have another attribute.
OVERWRITTEN: Final = {
    **{each.name.lower(): each.name for each in EPHEMERAL},
    "currentrank": "PreemptingRank",
}
#: Where the other ad is in the match ad that the requirements of either are evaluated in.
_PARTNER: Final = "RIGHT"
#: Of requirements that are a value already.
_NOTHING: Final = Flattened(False, ERROR, None)


@define(eq=False)
class _OneAd:
    """One ad as a set, see ``AdSet``."""

    ad: ClassAd
    context: EvalContext
    open_names: Collection[str]
    all: int = 1

    def trees(self, name: str) -> Iterable[tuple[int, Expression]]:
        """See ``AdSet``."""
        value = self.ad._attrs.get(name)
        return ((0, value),) if value.__class__ is Expression else ()

    def having_tree(self, name: str, number: int) -> int:
        """See ``AdSet``."""
        return 1

    def having(self, name: str) -> int:
        """See ``AdSet``."""
        return int(self.ad.raw(name) is not None)

    def where(self, tree: Expression, chosen: Callable[[ClassAdValue], bool]) -> int:
        """See ``AdSet``."""
        return int(chosen(evaluate(tree, self.ad, context=self.context)))


class Flattener:
    """Flattens requirements; finds ads for which it cannot matter, which keep what they share.

    ``read``: somebody else reads requirements of these ads as a value.
    """

    def __init__(self, context: EvalContext, *, read: bool = False) -> None:
        self._context = context
        self._read = read
        #: What else than an ad decides whether flattening matters.
        self.by: object = (read, context.language, context.now, context.tz)
        self._varying: dict[frozenset[str], bool] = {}
        #: What flattening left that its text does not tell, by the text.
        self._left: dict[str, Expression] = {}

    def flatten(self, ad: ClassAd) -> bool | None:
        """Replace the requirements, unless it cannot matter: then it returns None.

        Else it returns whether HTCondor may not come back from it (D-508).
        """
        if not self.matters(ad):
            return None
        left, endless = self._by_conjunct(ad) or self._result(ad)
        if left is not None:
            ad.insert("Requirements", left)
        return endless

    def flattened(self, ad: ClassAd) -> object:
        """The requirements to go by; None if they cannot be flattened or are a value already."""
        return self._result(ad)[0]

    def _result(self, ad: ClassAd) -> tuple[object, bool]:
        """What flattening leaves, None for nothing to go by, and whether it is endless."""
        before = ad.raw("Requirements")
        content = None
        if ad._chained is None and before.__class__ is Expression:
            content = self._content(ad, before)
        known = None if content is None else _RESULTS.get((self._read, content.key))
        if known is None:
            flat = self._flat(ad)
            known = self._shared(flat), flat.endless, content
            if content is not None:
                _RESULTS.keep((self._read, content.key), known)
        return known[:2]

    def _content(self, ad: ClassAd, tree: Expression) -> _Content | None:
        """All that flattening an expression depends on; None where that is more than attributes."""
        attributes = ad._attrs
        seen: dict[str, object] = {}
        trees = [tree]
        for each in trees:
            names = self._names_in(each)
            if names is None:
                return None
            for name in names:
                if name not in seen:
                    value = seen[name] = attributes.get(name)
                    if isinstance(value, Ad | ListValue):
                        return None  # it can be changed where it stands
                    if value.__class__ is Expression and value is not tree:
                        trees.append(value)
        values = list(seen.values())
        # Zeros of both signs are equal, and are written otherwise.
        key = [
            repr(value)
            if type(value) is float
            else id(value)
            if type(value) is Expression
            else value
            for value in values
        ]
        return _Content((self._context.language, id(tree), *map(type, values), *key), trees)

    def _names_in(self, tree: Expression) -> tuple[str, ...] | None:
        """The attributes an expression reads; None if a function there reads more than these."""
        names = _read_in(tree)
        own = self._context.functions
        functions = [lookup_function(name, self._context) for name in names.called]
        if any(function is None or function.ever_reads for function in functions):
            return None
        return None if own and not names.called.isdisjoint(own) else names.names

    def _by_conjunct(self, ad: ClassAd) -> tuple[Expression | None, bool] | None:
        """What ``_result`` gives, of conjuncts; None where these do not tell.

        Of requirements of which the truth counts, only the conjuncts are flattened for which it
        matters: the others stay as they are written, and jobs share them.
        """
        before = ad.raw("Requirements")
        unbuilt: object = before._node if before.__class__ is Expression else None
        if unbuilt.__class__ is not LazyExpression or unbuilt.how != OLD | WHOLE:
            return None
        trees = {name: it for name, it in ad._attrs.items() if type(it) is Expression}
        if ad._chained is not None or not SCOPE_NAMES.isdisjoint(ad._attrs):
            return None
        if self._settled(trees).level is not Level.TRUE:
            return None
        del trees["requirements"]
        ads = _OneAd(ad, self._context, trees)
        parts = zip(conjuncts_of(before) or (), conjuncts_in(unbuilt.text), strict=False)
        texts = [self._conjunct(part, text, ads) for part, text in parts]
        known = [text for text in texts if text is not None]
        whole = len(known) < len(texts) or not known
        return None if whole else (_read_again(" && ".join(known)), False)

    def _conjunct(self, part: Expression, written: str, ads: _OneAd) -> str | None:
        """A conjunct as it stands in the flattened requirements; None if only the whole tells."""
        look = regrouping_of(part, Level.TRUE)
        if look.open or "requirements" in look.read:
            return None
        steady = not self._concerns(look, ads) and not self._led_to(ads, look.names)
        if steady and look.read.isdisjoint(ads.open_names):
            return written
        content = self._content(ads.ad, part)
        if content is None:
            return None
        known = _CONJUNCTS.get(content.key)
        if known is None:
            known = self._flat_conjunct(part, content.trees, ads, steady=steady), content
            _CONJUNCTS.keep(content.key, known)
        return known[0]

    def _flat_conjunct(
        self, part: Expression, trees: list[Expression], ads: _OneAd, *, steady: bool
    ) -> str | None:
        """The same, of one that leads to ``trees``; ``steady``: flattening does not matter."""
        # A value behind an open operator is lost beside a conjunct that is true, and behind a call
        # that evaluates in other ads names mean others.
        if any(map(is_open, row(part.node))) or any(map(names_search, map(_text, trees[1:]))):
            return None
        flat = flatten(ads.ad, part, inline=True, context=self._context, partner=_PARTNER)
        if steady and flat.ok and not flat.endless:
            return _text(part)
        if not flat.ok or flat.endless or flat.tree is None or _binds_less(flat.tree):
            return None
        text = unparse(flat.tree, old=True)
        read = None if "\\" in text else parse_lazily(text, OLD | WHOLE)
        return text if read is not None and same_tree(read.node(), flat.tree) else None

    def _flat(self, ad: ClassAd) -> Flattened:
        before = ad.raw("Requirements")
        if before.__class__ is not Expression:
            return _NOTHING
        return flatten(ad, before, inline=True, context=self._context, partner=_PARTNER)

    def _shared(self, flat: Flattened) -> object:
        """What flattening left; ads that are left with the same share what it is compiled to."""
        if not flat.ok or flat.tree is None:
            return flat.value if flat.ok else None
        text = unparse(flat.tree, old=True)
        read = None if "\\" in text else _read_again(text)
        if read is not None and same_tree(read.node, flat.tree):
            return read
        # What an attribute holds stands without parentheses where the name stood.
        left = self._left.get(text)
        if left is None or not same_tree(left.node, flat.tree):
            left = self._left[text] = Expression.from_node(flat.tree)
        return left

    def matters(self, ad: ClassAd) -> bool:
        """Whether the requirements can be others when they are flattened now."""
        if ad._chained is not None or not SCOPE_NAMES.isdisjoint(ad._attrs):
            return True
        trees = {name: it for name, it in ad._attrs.items() if type(it) is Expression}
        wanted = trees.get("requirements")
        if wanted is None:
            return False
        settled = self._settled(trees)
        if settled.called is not None:
            return self._vary(settled.called)
        ads = _OneAd(ad, self._context, trees)
        return bool(self.to_flatten(ads, ("requirements",), settled.level))

    def _settled(self, trees: dict[str, Expression]) -> _Settled:
        key = (self._read, *trees, *map(id, trees.values()))
        known = _SETTLED.get(key)
        if known is None:
            others = [tree for name, tree in trees.items() if name != "requirements"]
            level = Level.WHOLE if self._read or any(map(_mentions, others)) else Level.TRUE
            found = _Settled(level, _called(trees, level), list(trees.values()))
            known = _SETTLED.keep(key, found)
        return known

    def to_flatten(self, ads: AdSet, names: Iterable[str], level: Level) -> int:
        """The ads, as bits, whose requirements can be others when they are flattened now.

        ``level``: how much of them counts.

        An expression that ``names`` lead to calls an unsteady function, reads what is overwritten
        later, or is worth something else when its known parts come first.
        """
        return self._led_to(ads, [(name, level) for name in names])

    def _led_to(self, ads: AdSet, names: Iterable[tuple[str, Level]]) -> int:
        """The same, of what names lead to of which so much counts."""
        found = 0
        open_names = ads.open_names
        seen: set[tuple[str, Level]] = set()
        todo = list(names)
        while todo:
            item = name, level = todo.pop()
            if item in seen:
                continue
            seen.add(item)
            for number, tree in ads.trees(name):
                look = regrouping_of(tree, level)
                if not (look.read.isdisjoint(open_names) and look.read.isdisjoint(OVERWRITTEN)):
                    todo += [it for it in look.names if it[0] in open_names or it[0] in OVERWRITTEN]
                concerned = self._concerns(look, ads)
                found |= concerned and concerned & ads.having_tree(name, number)
            if name in OVERWRITTEN:
                found |= ads.having(OVERWRITTEN[name])
        return found

    def _concerns(self, look: Regrouping, ads: AdSet) -> int:
        """The ads for which flattening an expression of theirs matters, by the expression alone."""
        if look.called and self._vary(look.called):
            return ads.all
        found = 0
        for hazard in look.hazards:
            found |= hazard(ads)
        return found

    def _vary(self, called: frozenset[str]) -> bool:
        """Whether some function, given constants, has another value later or in another scope.

        Or ``?:`` is flattened to something else.
        """
        known = self._varying.get(called)
        if known is None:
            functions = [lookup_function(name, self._context) for name in called]
            known = any(it.varies_with(CHANCE, USAGE) for it in functions if it is not None)
            known = known or not (
                CHOICE.isdisjoint(called) or self._context.language.elvis_flattens
            )
            self._varying[called] = known
        return known


class _Settled(NamedTuple):
    """What the expressions of an ad settle about flattening its requirements.

    ``level``: how much of these counts.  ``called``: the functions that they lead to; None if it
    depends on what else the ad has.  ``kept``: the expressions, so that their identities stay
    theirs.
    """

    level: Level
    called: frozenset[str] | None
    kept: list[Expression]


class _ReadNames(NamedTuple):
    """The attributes that an expression reads, and what it calls, in lower case."""

    names: tuple[str, ...]
    called: frozenset[str]


@by_tree
def _read_in(tree: Expression) -> _ReadNames:
    look = references_in(tree)
    found = look.target | look.bare | look.mine
    found |= {OVERWRITTEN[name].lower() for name in found if name in OVERWRITTEN}
    return _ReadNames(tuple(found), look.called)


class _Content(NamedTuple):
    """What flattening an expression depends on.

    ``trees``: it and those that it leads to, so that their identities in ``key`` stay theirs.
    """

    key: tuple[object, ...]
    trees: list[Expression]


#: By the names and identities of expressions.
_SETTLED: Final[ExpressionMemo[tuple[object, ...], _Settled]] = lasting_memo()
#: What flattening left of requirements and whether it is endless, by all that it depends on.
_RESULTS: Final[ExpressionMemo[tuple[object, ...], tuple[object, bool, _Content | None]]] = (
    lasting_memo()
)
#: The text that a conjunct has in flattened requirements; None if only the whole tells.
_CONJUNCTS: Final[ExpressionMemo[tuple[object, ...], tuple[str | None, _Content]]] = lasting_memo()


def _binds_less(node: Node) -> bool:
    """Whether an expression cannot stand between ``&&`` without parentheses."""
    if isinstance(node, Binary):
        return BINARY[node.operator].precedence < BINARY["&&"].precedence
    return isinstance(node, Conditional)


@by_text
def _read_again(text: str) -> Expression | None:
    """An expression as the ads of a file have it: tables share the parts of those."""
    unbuilt = parse_lazily(text, OLD | WHOLE)
    return None if unbuilt is None else Expression.from_node(unbuilt)


def _called(trees: dict[str, Expression], level: Level) -> frozenset[str] | None:
    """The functions that requirements lead to; None if what else there is counts as well."""
    called = frozenset[str]()
    seen: set[tuple[str, Level]] = set()
    todo = [("requirements", level)]
    while todo:
        item = name, level = todo.pop()
        if item in seen:
            continue
        seen.add(item)
        if name in OVERWRITTEN:
            return None
        look = regrouping_of(trees[name], level)
        if look.hazards:
            return None
        called |= look.called
        todo += [it for it in look.names if it[0] in trees or it[0] in OVERWRITTEN]
    return called


def may_read_requirements(trees: Iterable[object]) -> bool:
    """Whether some expressions mention requirements, which are then more than tested."""
    return any(map(_mentions, [tree for tree in trees if tree.__class__ is Expression]))


def lead_to_requirements(ads: Iterable[ClassAd], *names: str) -> bool:
    """Whether attributes of ads, or others of the ad that these lead to, mention requirements.

    ``names``: of the attributes, in lower case.  A text mentions what has the word in it.
    """
    first = frozenset(names)
    for ad in ads:
        whole = ad if ad._chained is None else ad.unchained()
        get, spelled, seen = whole._attrs.get, whole._names, first
        trees = [it for it in map(get, names) if type(it) is Expression]
        while trees:
            mentioned = _mentioned(trees, spelled)
            if mentioned is None:
                return True
            trees = [it for it in map(get, mentioned - seen) if type(it) is Expression]
            seen |= mentioned
    return False


#: The names of their ad that expressions may mention, None if requirements are among them, by the
#: identities of the expressions and of the names that ads share, which are kept.
_MENTIONED: Final[ExpressionMemo[tuple[int, ...], tuple[frozenset[str] | None, object]]] = (
    lasting_memo()
)


def _mentioned(trees: list[Expression], spelled: dict[str, str]) -> frozenset[str] | None:
    key = (id(spelled), *map(id, trees))
    known = _MENTIONED.get(key)
    if known is not None:
        return known[0]
    found = None
    if not any(map(_say_requirements, map(_text, trees))):
        own = frozenset[str]().union(*map(own_names_of, trees))
        found = frozenset(filter(spelled.__contains__, own))
    if spelled.__class__ is SharedNames:
        _MENTIONED.keep(key, (found, (trees, spelled)))
    return found


def _text(tree: Expression) -> str:
    unbuilt: object = tree._node
    return unbuilt.text if isinstance(unbuilt, LazyExpression) else str(tree)


@by_text
def _say_requirements(text: str) -> bool:
    return "requirements" in text.lower()


def _mentions(tree: Expression) -> bool:
    unbuilt: object = tree._node
    if isinstance(unbuilt, LazyExpression):
        return _say_requirements(unbuilt.text)
    found = references_in(tree)
    return "requirements" in found.target | found.bare | found.mine
