"""Flattens ``Requirements`` against their own ad as the negotiator does when a cycle begins.

What is known then stays as it is, whatever the other ad says or the cycle changes.  Follows the
vectors (``eval``, functions of the negotiator, ``CurrentRank`` in requirements, and
``corner-requirements-flattened-*``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import compress, repeat
from operator import is_
from typing import Final

from attr import define

from classad import ClassAd
from classad.ads.ad import SharedNames
from classad.ads.expression import Expression
from classad.analysis.flatten import flatten
from classad.analysis.mentions import references_of
from classad.evaluate import EvalContext, evaluate
from classad.evaluation.functions import CHANCE, USAGE, lookup_function
from classad.language.values import ClassAdValue
from classad.syntax.nodes import Node
from classad.syntax.unbuilt import Unbuilt
from classad.table.expressions.conjunct_texts import conjuncts_in
from negotiator.expressions.regrouping import AdSet, Level, regrouping_of
from policy.ephemeral import EPHEMERAL

#: Expressions that are remembered from cycle to cycle.
_MANY: Final = 10_000
_WORD: Final = re.compile(r"[^\W\d]\w*")
#: What the cycle overwrites, in the ads that have another attribute.
OVERWRITTEN: Final = {
    **{each.name.lower(): each.name for each in EPHEMERAL},
    "currentrank": "PreemptingRank",
}


@define(eq=False)
class _OneAd:
    """One ad as a set, see ``AdSet``."""

    ad: ClassAd
    context: EvalContext
    open_names: Sequence[str]
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
        self._varying: dict[str, bool] = {}
        #: Expressions by identity, kept so that it stays theirs; whether they are requirements.
        self._harmless: dict[tuple[int, bool], Expression] = {}

    def flatten(self, ad: ClassAd) -> None:
        """Replace the requirements, unless it cannot matter."""
        if self._matters(ad):
            flattened = self.flattened(ad)
            if flattened is not None:
                ad.insert("Requirements", flattened)

    def flattened(self, ad: ClassAd) -> object:
        """The requirements to go by; None if they cannot be flattened or are a value already."""
        before = ad.raw("Requirements")
        if before.__class__ is not Expression:
            return None
        flat = flatten(ad, before, inline=True, context=self._context)
        return _form(flat.tree, flat.value) if flat.ok else None

    def _matters(self, ad: ClassAd) -> bool:
        attrs = ad._attrs
        names = list(compress(attrs, map(is_, map(type, attrs.values()), repeat(Expression))))
        if not self._read and all(map(self._is_harmless, map(attrs.get, names), names)):
            return False
        others = [attrs[name] for name in names if name != "requirements"]
        level = Level.WHOLE if self._read or may_read_requirements(others) else Level.TRUE
        return bool(self.to_flatten(_OneAd(ad, self._context, names), ("requirements",), level))

    def _is_harmless(self, tree: object, name: str) -> bool:
        """Whether an expression, the ad's attribute of that name, cannot make flattening matter.

        It has nothing that ``to_flatten`` looks for, wherever it is read.
        """
        itself = name == "requirements"
        key = (id(tree), itself)
        if key in self._harmless:
            return True
        assert isinstance(tree, Expression)
        if not itself and _mentions(tree):
            return False
        look = regrouping_of(tree, Level.TRUE if itself else Level.WHOLE)
        read = {it for it, _ in look.names}
        if look.hazards or "requirements" in read or not OVERWRITTEN.keys().isdisjoint(read):
            return False
        if any(map(self._varies, look.called)):
            return False
        self._harmless[key] = tree
        return True

    def to_flatten(self, ads: AdSet, names: Iterable[str], level: Level) -> int:
        """The ads, as bits, whose requirements can be others when they are flattened now.

        ``level``: how much of them counts.

        An expression that ``names`` lead to calls an unsteady function, reads what is overwritten
        later, or is worth something else when its known parts come first.
        """
        found = 0
        open_names = ads.open_names
        seen: set[tuple[str, Level]] = set()
        todo = [(name, level) for name in names]
        while todo:
            item = name, level = todo.pop()
            if item in seen:
                continue
            seen.add(item)
            for number, tree in ads.trees(name):
                look = regrouping_of(tree, level)
                todo += [it for it in look.names if it[0] in open_names or it[0] in OVERWRITTEN]
                if look.called and any(map(self._varies, look.called)):
                    found |= ads.having_tree(name, number)
                for hazard in look.hazards:
                    concerned = hazard(ads)
                    found |= concerned and concerned & ads.having_tree(name, number)
            if name in OVERWRITTEN:
                found |= ads.having(OVERWRITTEN[name])
        return found

    def _varies(self, name: str) -> bool:
        """Whether a function, given constants, has another value later or in another scope."""
        known = self._varying.get(name)
        if known is None:
            function = lookup_function(name, self._context)
            known = function is not None and function.varies_with(CHANCE, USAGE)
            self._varying[name] = known
        return known


def may_read_requirements(trees: Iterable[object]) -> bool:
    """Whether some expressions mention requirements, which are then more than tested."""
    return any(map(_mentions, [tree for tree in trees if tree.__class__ is Expression]))


def lead_to_requirements(ads: Iterable[ClassAd], *names: str) -> bool:
    """Whether attributes of ads, or others of the ad that these lead to, mention requirements.

    ``names``: of the attributes, in lower case.  Words of the texts stand for the names in them.
    """
    for ad in ads:
        whole = ad if ad._chained is None else ad.unchained()
        attributes, spelled = whole._attrs, whole._names
        todo, seen = list(names), set(names)
        while todo:
            tree = attributes.get(todo.pop())
            if tree.__class__ is not Expression:
                continue
            mentioned = _mentioned(tree, spelled)
            if "requirements" in mentioned:
                return True
            if Expression in map(type, map(attributes.get, mentioned)):
                todo += mentioned.difference(seen)
                seen |= mentioned
    return False


#: What expressions mention, by their identities and those of the names that ads share; both are
#: kept, so that these stay theirs.
_MENTIONED: Final[dict[tuple[int, int], tuple[Expression, dict[str, str], frozenset[str]]]] = {}


def _mentioned(tree: Expression, spelled: dict[str, str]) -> frozenset[str]:
    """Which names an expression may mention: those that its ad has, and requirements."""
    known = _MENTIONED.get((id(tree), id(spelled)))
    if known is not None:
        return known[2]
    words = _words(tree)
    found = words.intersection(spelled) | words.intersection(("requirements",))
    if spelled.__class__ is SharedNames:
        if len(_MENTIONED) >= _MANY:
            _MENTIONED.clear()
        _MENTIONED[id(tree), id(spelled)] = tree, spelled, found
    return found


def _words(tree: Expression) -> frozenset[str]:
    """The words of an expression in lower case, all names among them."""
    unbuilt: object = tree._node
    return _words_of(unbuilt.text if isinstance(unbuilt, Unbuilt) else str(tree))


@lru_cache(maxsize=_MANY)
def _words_of(text: str) -> frozenset[str]:
    # Expressions of many jobs are made of few conjuncts.
    return frozenset().union(*map(_words_in, conjuncts_in(text)))


@lru_cache(maxsize=1000)
def _words_in(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _mentions(tree: Expression) -> bool:
    unbuilt: object = tree._node
    if isinstance(unbuilt, Unbuilt):
        return "requirements" in unbuilt.text.lower()
    found = references_of(tree.node)
    return "requirements" in found.target | found.bare | found.mine


def _form(tree: Node | None, value: object) -> object:
    return value if tree is None else Expression.from_node(tree)
