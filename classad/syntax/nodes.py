"""Defines the syntax tree of the ClassAd language: what was written, not what it means.

Every node is an immutable attrs class carrying ``start`` and ``end``, offsets into the text it was
parsed from (both 0 for a node made by hand); they take no part in equality.  Parentheses are nodes
of their own because printing keeps them and because evaluation counts them (depth limit 400).

Follows: the grammar in grammar/classad.lark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from sys import float_info
from typing import Final

from attr import field, frozen

from classad.language.names import fold_name
from classad.language.values import AbsTime, RelTime, Value

#: What a literal may hold.
LiteralValue = Value | bool | int | float | str | AbsTime | RelTime


@frozen(eq=False)
class Node:
    """Common part of all nodes: the half-open range of source characters."""

    start: int = field(default=0, kw_only=True, repr=False)
    end: int = field(default=0, kw_only=True, repr=False)

    def children(self) -> tuple[Node, ...]:
        """The operand nodes, left to right."""
        return ()

    def key(self) -> tuple[object, ...]:
        """What distinguishes two nodes of this class besides their children."""
        return ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and same_tree(self, other)

    def __hash__(self) -> int:
        return hash((type(self), self.key(), len(self.children())))


@frozen(eq=False)
class Literal(Node):
    """A constant.  A ``RelTime`` here is what ``relTime("...")`` folds to, evaluating to a real."""

    value: LiteralValue

    @property
    def evaluated(self) -> Value | bool | int | float | str | AbsTime:
        """What it evaluates to."""
        value = self.value
        return value.secs if isinstance(value, RelTime) else value

    def key(self) -> tuple[object, ...]:
        # repr tells 1 from 1.0 and True, 0.0 from -0.0, and makes NaN equal to itself.
        return (type(self.value), repr(self.value))


@frozen(eq=False)
class Reference(Node):
    """An attribute reference: ``name``, ``base.name`` or, if ``absolute``, ``.name``.

    ``name`` keeps the spelling of the source.
    """

    name: str
    base: Node | None = None
    absolute: bool = False

    @property
    def scope(self) -> str:
        """What it is selected from if that is nothing but a name, which is folded; else empty."""
        base = self.base
        plain = isinstance(base, Reference) and base.base is None and not base.absolute
        return fold_name(base.name) if plain else ""  # type: ignore[union-attr]

    def children(self) -> tuple[Node, ...]:
        return () if self.base is None else (self.base,)

    def key(self) -> tuple[object, ...]:
        return (self.name, self.absolute)


@frozen(eq=False)
class Unary(Node):
    """``operator`` is one of ``- + ! ~``."""

    operator: str
    operand: Node

    def children(self) -> tuple[Node, ...]:
        return (self.operand,)

    def key(self) -> tuple[object, ...]:
        return (self.operator,)


class _Written(str):
    """An operator that was not written as it is spelled; equal to the spelling."""

    __slots__ = ()


#: ``? :``, which by older rules is another operator (``classad.syntax.parser.regrouped``).
BLANK_ELVIS: Final = _Written("?:")


@frozen(eq=False)
class Binary(Node):
    """``operator`` is spelled as in old syntax; ``is`` and ``isnt`` are stored as ``=?=``, ``=!=``.

    The elvis operator is ``?:``, and ``BLANK_ELVIS``, which equals it, where it had blanks inside.
    """

    operator: str
    left: Node
    right: Node

    def children(self) -> tuple[Node, ...]:
        return (self.left, self.right)

    def key(self) -> tuple[object, ...]:
        return (self.operator,)


@frozen(eq=False)
class Conditional(Node):
    """``condition ? then : otherwise``."""

    condition: Node
    then: Node
    otherwise: Node

    def children(self) -> tuple[Node, ...]:
        return (self.condition, self.then, self.otherwise)


@frozen(eq=False)
class Subscript(Node):
    """``base[index]``."""

    base: Node
    index: Node

    def children(self) -> tuple[Node, ...]:
        return (self.base, self.index)


@frozen(eq=False)
class Parens(Node):
    """``( inner )``."""

    inner: Node

    def children(self) -> tuple[Node, ...]:
        return (self.inner,)


@frozen(eq=False)
class Call(Node):
    """``name(args...)``; whether the function exists is decided at evaluation."""

    name: str
    args: tuple[Node, ...]

    def children(self) -> tuple[Node, ...]:
        return self.args

    def key(self) -> tuple[object, ...]:
        return (self.name,)


@frozen(eq=False)
class ListExpr(Node):
    """``{ items... }``."""

    items: tuple[Node, ...]

    def children(self) -> tuple[Node, ...]:
        return self.items


@frozen(eq=False)
class AdExpr(Node):
    """``[ name = expr; ... ]``: names are unique without case, first spelling, last expression.

    Neither the order of the attributes nor the case of their names matters to equality.
    """

    attributes: tuple[tuple[str, Node], ...]

    def children(self) -> tuple[Node, ...]:
        return tuple(node for _, node in self.attributes)

    def key(self) -> tuple[object, ...]:
        return tuple(name.lower() for name, _ in self._sorted())

    def same_order(self) -> tuple[Node, ...]:
        """The expressions in an order that depends on the names only."""
        return tuple(node for _, node in self._sorted())

    def _sorted(self) -> list[tuple[str, Node]]:
        return sorted(self.attributes, key=lambda pair: pair[0].lower())


def is_blank_elvis(node: Node) -> bool:
    """Whether a node is ``? :`` with a blank between the signs."""
    return isinstance(node, Binary) and node.operator is BLANK_ELVIS


def walk(node: Node) -> Iterator[Node]:
    """All nodes below ``node``, itself first, without recursion (chains may be 100,000 deep)."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(top.children()))


def height(node: Node) -> int:
    """How many nodes stand one below the other, without recursion."""
    levels, level = 0, [node]
    while level:
        levels += 1
        level = [child for above in level for child in above.children()]
    return levels


def unique_attributes(pairs: Iterable[tuple[str, Node]]) -> tuple[tuple[str, Node], ...]:
    """The attributes of an ad: of names equal without case the first spelling, the last value."""
    unique: dict[str, tuple[str, Node]] = {}
    for name, value in pairs:
        folded = fold_name(name)
        unique[folded] = (unique[folded][0] if folded in unique else name, value)
    return tuple(unique.values())


def bare(node: Node) -> Node:
    """The node without parentheses around it."""
    while isinstance(node, Parens):
        node = node.inner
    return node


def same_tree(left: Node, right: Node, *, close_reals: bool = False) -> bool:
    """Structural equality, spans aside; iterative for the same reason as ``walk``.

    ``close_reals``: reals compare as HTCondor compares expressions, see ``close``.
    """
    stack = [(left, right)]
    while stack:
        a, b = stack.pop()
        if close_reals and isinstance(a, Literal) and isinstance(b, Literal):
            if not close(a, b):
                return False
            continue
        if a is b:
            continue
        if type(a) is not type(b) or a.key() != b.key():
            return False
        if isinstance(a, AdExpr) and isinstance(b, AdExpr):
            mine, theirs = a.same_order(), b.same_order()
        else:
            mine, theirs = a.children(), b.children()
        if len(mine) != len(theirs):
            return False
        stack.extend(zip(mine, theirs, strict=True))
    return True


def close(left: Literal, right: Literal) -> bool:
    """Whether HTCondor takes two literals for the same.

    Reals are when they differ by no more than the machine epsilon, so 1e-300 and 2e-300 are, and
    an infinity or NaN is not even the same as itself.
    """
    a, b = left.value, right.value
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= float_info.epsilon
    return left.key() == right.key()
