"""Splits requirements into conjuncts, and tells what the value of each depends on.

Two evaluations of an expression that depend on the same have the same value.  An ad's requirements
hold if all conjuncts do.  Follows the scoping rules of the ClassAd language.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attr import frozen

from classad import ClassAd
from classad.ads.expression import Expression
from classad.analysis.mentions import ReferencedNames, references_of
from classad.evaluation.functions import CLOCK, ZONE, lookup_function
from classad.language.names import SIDES
from classad.language.values import Value
from classad.syntax.nodes import AdExpr, Binary, Call, Literal, Node, Parens, Reference, walk

#: Values that say all there is to say about an attribute.
_PLAIN: Final = frozenset({bool, int, float, str, Value})
#: What functions may read that changes within a cycle; the instant and the zone do not.
_PASSING: Final = ~(CLOCK | ZONE)

#: An attribute's value as a dictionary key: kinds and signs of zero are told apart.
Key = tuple[object, ...]


@frozen(eq=False)
class Dependence:
    """``own``: the values read from the ad itself; ``other``: names read from the other ad.

    ``steady``: whether these decide the value; if not, it must be evaluated every time.
    """

    own: Key
    other: tuple[str, ...]
    steady: bool


def key_of(value: object) -> object:
    """A literal value as part of a key; None for an attribute that is not there."""
    kind = value.__class__
    return (kind, repr(value)) if kind is float else (kind, value)


def is_plain(value: object) -> bool:
    """Whether an attribute is missing or a literal."""
    return value is None or value.__class__ in _PLAIN


def conjuncts(ad: ClassAd, attribute: str = "Requirements") -> list[Node] | None:
    """The conjuncts of an ad's requirements; None if there are no requirements at all."""
    value = ad.raw(attribute)
    if value is None:
        return None
    if value.__class__ is not Expression:
        return [Literal(value)] if is_plain(value) else [Literal(False)]
    return list(_split(value.node, ad, frozenset((attribute.lower(),))))


def _split(tree: Node, ad: ClassAd, under_way: frozenset[str]) -> Iterator[Node]:
    """Descend into conjunctions, parentheses and own attributes that are expressions.

    Without recursion: a chain of conjuncts may be 100,000 deep.
    """
    left = [(tree, under_way)]
    while left:
        node, above = left.pop()
        if node.__class__ is Parens:
            left.append((node.inner, above))
        elif node.__class__ is Binary and node.operator == "&&":
            left += ((node.right, above), (node.left, above))
        else:
            name = _own_name(node)
            value = ad.raw(name) if name is not None and name.lower() not in above else None
            if name is not None and value.__class__ is Expression:
                left.append((value.node, above | {name.lower()}))
            else:
                yield node


def own_names(tree: Node) -> set[str]:
    """The folded names of own attributes that conjuncts of an expression are nothing but."""
    found = (_own_name(node) for node in _split(tree, ClassAd(), frozenset()))
    return {name.lower() for name in found if name is not None}


def _own_name(node: Node) -> str | None:
    """The attribute of the ad itself that a node is nothing but a reference to."""
    if not isinstance(node, Reference) or node.absolute:
        return None
    return node.name if node.base is None or SIDES.get(node.scope) == "my" else None


class Analyst:
    """Finds dependences; remembers what it learnt about expressions shared by many ads."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Node, ReferencedNames, bool]] = {}

    def look(self, node: Node) -> tuple[ReferencedNames, bool]:
        """The names an expression mentions and whether it is steady in itself."""
        known = self._known.get(id(node))
        if known is None:
            # The node is kept so that its identity stays its own.
            known = self._known[id(node)] = (node, references_of(node), _is_steady(node))
        return known[1], known[2]

    def dependence(self, node: Node, ad: ClassAd) -> Dependence:
        """What the value of an expression in ``ad`` depends on."""
        own: list[object] = []
        other: set[str] = set()
        seen: set[str] = set()
        todo = [node]
        steady = True
        while todo:
            refs, fine = self.look(todo.pop())
            steady = steady and fine
            other |= refs.target
            for name in sorted((refs.bare | refs.mine) - seen):
                seen.add(name)
                value = ad.raw(name)
                if value is None:
                    if name in refs.bare:
                        other.add(name)
                    own.append(None)
                elif value.__class__ is Expression:
                    todo.append(value.node)
                    own.append(id(value.node))
                elif value.__class__ in _PLAIN:
                    own.append(key_of(value))
                else:
                    steady = False
        return Dependence(tuple(own), tuple(sorted(other)), steady)


def _is_steady(node: Node) -> bool:
    for part in walk(node):
        if isinstance(part, AdExpr):
            return False
        if isinstance(part, Call):
            function = lookup_function(part.name)
            if function is None or function.ever_reads & _PASSING:
                return False
    return True
