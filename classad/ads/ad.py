"""Keeps ads and lists: named values and expressions, looked up without regard to case.

An ad keeps each value in its evaluated form if it is a literal, a list or a nested ad, else as an
``Expression``.  ``classad.ClassAd``, the class that Python users see, inherits from ``Ad``; nested
ads are always plain ``Ad`` objects.  Ads and lists refer to each other, so they share this file: a
list knows the ad in which its members are evaluated, and an ad keeps copies of lists and ads.

Inputs: names, values, syntax trees.  Outputs: the same.
Follows: "lists and ads evaluate to themselves", sections 4 to 6 of the language notes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias

from classad.ads.expression import Expression
from classad.errors import ClassAdTypeError
from classad.language.names import fold_name
from classad.language.values import AbsTime, RelTime, Value
from classad.syntax.lazy import LazyExpression

if TYPE_CHECKING:
    from classad.syntax.native import Leaves
    from classad.syntax.nodes import AdExpr, ListExpr, Node

#: What an ad or a list stores: a value, or an ``Expression``.  Code tells them apart by looking
#: their class up, which a type checker cannot follow.
Stored: TypeAlias = Any

#: Classes whose values ads and lists keep as they are.
SIMPLE = frozenset({bool, int, float, str, Value, AbsTime})
#: Those of literals, of which relative times are kept as expressions: they evaluate to reals.
_SCALARS = SIMPLE | {RelTime}
#: Those of values, and that of an attribute that is absent, without that of ``UNDEFINED``.
_WRITTEN = (SIMPLE - {Value}) | {type(None)}
#: Classes of which copies of an ad have the same objects.
_SHARED: frozenset[type] = SIMPLE | {Expression}


class Members(Protocol):
    """What a list asks of an evaluation."""

    ad: Ad | None

    def member(self, item: Stored, ad: Ad | None, home: Ad | None) -> Stored:
        """The value, in ``ad``, of a member that stands in ``home``."""


class ListValue:
    """Members in order, the ad they stand in, and whether a function made the list.

    A list evaluates to itself: its members stay unevaluated until one is selected, and are then
    evaluated in the ad where the list was written.  ``computed``: lists made by functions are
    another type to ``=?=`` than those written down.
    """

    __slots__ = ("computed", "items", "scope")

    def __init__(
        self, items: Iterable[Stored] = (), scope: Ad | None = None, computed: bool = False
    ) -> None:
        self.items = tuple(items)
        self.scope = scope
        self.computed = computed

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Stored]:
        return iter(self.items)

    def __repr__(self) -> str:
        return f"<ListValue {list(self.items)!r}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ListValue) and [(type(i), i) for i in self.items] == [
            (type(i), i) for i in other.items
        ]

    __hash__ = None  # type: ignore[assignment]

    def values(self, state: Members) -> list[Stored]:
        """All members, evaluated as functions do it: in the ad of the call, not of the list."""
        ad = state.ad
        members = [
            item if item.__class__ in SIMPLE else state.member(item, ad, self.scope)
            for item in self.items
        ]
        state.ad = ad
        return members


class SharedNames(dict[str, str]):
    """The names of several ads, which never change: an ad that gets or loses one takes a copy."""

    __slots__ = ("_longer",)

    def with_more(self, more: Mapping[str, str]) -> SharedNames:
        """These names and others, which stay as they are: one object for ads that get the same."""
        if more.keys() <= self.keys():
            return self
        if getattr(self, "_longer", (None,))[0] is not more:
            self._longer = more, SharedNames({**self, **more, **self})
        return self._longer[1]


class Ad:
    """Names without regard to case, each with a value or an expression.

    ``_attrs``: folded name -> what is stored.  ``_names``: folded name -> spelling, in the order of
    first insertion; it may be ``SharedNames``, ``_own_names`` is what may be changed.  ``_parent``:
    the ad it is nested in.  ``_chained``: the one it inherits from.
    """

    __slots__ = ("__weakref__", "_attrs", "_chained", "_names", "_parent")

    _attrs: dict[str, Stored]
    _names: dict[str, str]
    _parent: Ad | None
    _chained: Ad | None

    #: Whether this is the detached copy that ``ad["name"]`` gives (see ``CopiedAd``).
    computed = False

    def __init__(self) -> None:
        self._attrs = {}
        self._names = {}
        self._parent = None
        self._chained = None

    @classmethod
    def holding(cls, names: dict[str, str], attrs: dict[str, Stored]) -> Self:
        """An ad of stored values, which takes over both; the same names in lower case are keys.

        ``names``: ``SharedNames`` if other ads have them, too.
        """
        twin = cls.__new__(cls)
        twin._names, twin._attrs = names, attrs
        twin._parent = twin._chained = None
        twin._own_parts()
        return twin

    @classmethod
    def copy_of(cls, other: Ad) -> Self:
        """A copy with its own nested ads and lists; expressions are shared, they never change."""
        twin = cls.__new__(cls)
        twin._take(other)
        return twin

    def insert(self, name: str, value: Stored) -> None:
        """Set an attribute to a ClassAd value or an expression; the first spelling stays."""
        key = fold_name(name)
        if value.__class__ not in SIMPLE:
            value = prepared(value, self)
        self._attrs[key] = value
        names = self._names
        if key not in names:
            if names.__class__ is SharedNames:
                names = self._own_names()
            names[key] = name

    def attach(self, name: str, value: Stored) -> None:
        """As ``insert``, with the value as it is: an ad keeps its enclosing ad."""
        key = fold_name(name)
        self._attrs[key] = value
        self._own_names().setdefault(key, name)

    def insert_plain(self, names: Mapping[str, str], values: Mapping[str, Stored]) -> None:
        """Set attributes to values that ads keep as they are.

        Both by names in lower case, in the same order; ``names``: the spellings, which stay.
        """
        self._attrs.update(values)
        if isinstance(own := self._names, SharedNames):
            self._names = own.with_more(names)
        elif not names.keys() <= own.keys():
            self._names = {**own, **names, **own}

    def raw(self, name: str) -> Stored:
        """The stored value or expression, own or inherited from a chained parent, or None."""
        key = name.lower() if name.isascii() else fold_name(name)
        value, ad = self._attrs.get(key), self._chained
        while value is None and ad is not None:
            value, ad = ad._attrs.get(key), ad._chained
        return value

    def plain_values(self, keys: Iterable[str]) -> list[Stored] | None:
        """The values of several names in lower case, None for absent ones, if all are literals.

        ``UNDEFINED`` and ``ERROR`` are not among them: they are equal to numbers, and these values
        are compared with those of other ads.
        """
        if self._chained is None and self._parent is None:
            values = list(map(self._attrs.get, keys))
            if _WRITTEN.issuperset(map(type, values)):
                return values
        return None

    def remove(self, name: str) -> bool:
        """Delete an own attribute; whether there was one."""
        key = fold_name(name)
        if key not in self._attrs:
            return False
        del self._attrs[key], self._own_names()[key]
        return True

    def _own_names(self) -> dict[str, str]:
        """The names, which no other ad has from now on."""
        if self._names.__class__ is SharedNames:
            self._names = dict(self._names)
        return self._names

    def chain(self, parent: Ad | None) -> None:
        """Inherit attributes from ``parent`` (a cluster ad, say); None ends it.

        >>> from classad import ClassAd
        >>> job = ClassAd("[ProcId = 0; Id = ClusterId + ProcId]")
        >>> job.chain(ClassAd("[ClusterId = 10]"))
        >>> job.eval("Id"), len(job)
        (10, 2)
        """
        self._chained = parent

    def names(self) -> Iterator[str]:
        """The spellings of the own attributes, in the order of their first insertion."""
        return iter(self._names.values())

    def _take(self, other: Ad) -> None:
        """Become a copy of ``other``, nested in nothing."""
        self._attrs = other._attrs.copy()
        names = other._names
        self._names = names if names.__class__ is SharedNames else names.copy()
        self._parent = None
        self._chained = other._chained
        self._own_parts()

    def _own_parts(self) -> None:
        """Replace nested ads and lists of another ad by copies of its own."""
        kinds = set(map(type, self._attrs.values())) - _SHARED
        if kinds:
            for key, value in self._attrs.items():
                if value.__class__ in kinds:
                    self._attrs[key] = prepared(value, self)

    def same_attributes(self, other: Ad) -> bool:
        """Whether two ads have the same names and structurally equal values."""
        from classad.syntax.nodes import same_tree

        mine, theirs = self._attrs, other._attrs
        return mine.keys() == theirs.keys() and all(
            same_tree(node_of_value(value), node_of_value(theirs[key]), close_reals=True)
            for key, value in mine.items()
        )

    def __eq__(self, other: object) -> bool:
        return self.__class__ is other.__class__ and self.same_attributes(other)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        from classad.syntax.unparse import spread_out

        return spread_out(node_of_value(self))

    def __repr__(self) -> str:
        from classad.syntax.unparse import unparse

        return unparse(node_of_value(self))


class CopiedAd(Ad):
    """The copy of a nested ad that ``ad["name"]`` gives: nothing encloses it.

    It is another type than an ad to ``=?=``, and selecting from it by ``.name`` is undefined.
    ``inside``: the same ad as the expressions evaluated in it see it, which is an ad like others.
    """

    __slots__ = ("inside",)
    computed = True

    def __init__(self, original: Ad) -> None:
        self.inside = inside = Ad.copy_of(original)
        self._attrs, self._names = inside._attrs, inside._own_names()
        self._parent, self._chained = None, inside._chained


def inside_of(ad: Ad) -> Ad:
    """The ad in which expressions are evaluated when it is to be in ``ad``."""
    return ad.inside if isinstance(ad, CopiedAd) else ad


def raw_in(ads: Iterable[Ad], key: str) -> list[Stored]:
    """What each of some ads has for a name in lower case, see ``Ad.raw``."""
    return [ad._attrs.get(key) if ad._chained is None else ad.raw(key) for ad in ads]


# --- what ads and lists keep ----------------------------------------------------------------------


@cache
def _nodes() -> ModuleType:
    """The classes of syntax trees, which are imported when the first list or ad is made."""
    from classad.syntax import nodes

    return nodes


def item_of(node: Node) -> Stored:
    """What an ad keeps for a member: the value of a literal, else an expression.

    A relative-time literal stays an expression because it evaluates to a real.
    """
    if node.__class__ is _nodes().Literal:
        value = node.value  # type: ignore[attr-defined]
        if value.__class__ is not RelTime:
            return value
    return Expression.from_node(node)


def make_list(node: ListExpr, scope: Ad | None) -> ListValue:
    """The list that a list expression is; ads and lists in it belong to ``scope`` as well."""
    # Most members are literals, of which there can be many.
    literal = _nodes().Literal
    members: tuple[Stored, ...] = node.items
    items = [
        item.value
        if item.__class__ is literal and item.value.__class__ is not RelTime
        else stored_form(Expression.from_node(item), scope)
        for item in members
    ]
    return ListValue(items, scope)


def make_ad(node: AdExpr, parent: Ad | None) -> Ad:
    """The ad that an ad expression is, nested in ``parent``."""
    ad = Ad()
    ad._parent = parent
    fill(ad, node)
    return ad


def fill(ad: Ad, node: AdExpr) -> None:
    """Give an ad the attributes of an ad expression."""
    for name, value in node.attributes:
        ad.insert(name, item_of(value))


def stored_form(tree: Expression, ad: Ad | None) -> Stored:
    """What ``ad`` keeps for an attribute given as an expression: itself, a literal, list or ad."""
    node = tree._node
    if isinstance(node, LazyExpression):
        if not node.value:
            return tree
        # A text that is no plain literal is that of a list or an ad.
        leaves = node.leaves() if "{" in node.text or "[" in node.text else None
        if leaves is not None:
            return of_leaves(leaves, ad)
        node = tree.node
    kind, nodes = node.__class__, _nodes()
    if kind is nodes.Literal:
        value = node.value  # type: ignore[attr-defined]
        return tree if value.__class__ is RelTime else value
    if kind is nodes.ListExpr:
        return make_list(node, ad)  # type: ignore[arg-type]
    if kind is nodes.AdExpr:
        return make_ad(node, ad)  # type: ignore[arg-type]
    return tree


def of_leaves(leaves: Leaves, scope: Ad | None) -> Stored:
    """The list or ad that has such members."""
    node = _nodes().Node
    items = [
        Expression.from_node(item) if isinstance(item, node) else item for item in leaves.members
    ]
    if leaves.names is None:
        return ListValue(items, scope)
    nested = Ad()
    nested._parent = scope
    for name, item in zip(leaves.names, items, strict=True):
        nested.insert(name, item)
    return nested


def is_value(tree: Expression) -> bool:
    """Whether an ad keeps this expression as a value, but for a relative time."""
    node, nodes = tree._node, _nodes()
    if isinstance(node, LazyExpression):
        return node.value
    return node.__class__ in (nodes.Literal, nodes.ListExpr, nodes.AdExpr)


def prepared(value: Stored, ad: Ad) -> Stored:
    """What ``ad`` keeps for an attribute given as a value that is not a plain scalar.

    For a copy that is ``ad``, too: nested ads and lists come to belong to it.
    """
    kind = value.__class__
    if kind is Expression:
        return stored_form(value, ad)
    if kind is ListValue:
        return _list_for(value, ad)
    if isinstance(value, Ad):
        return _ad_for(value, ad)
    if isinstance(value, Expression):
        return stored_form(Expression.sharing(value), ad)
    raise ClassAdTypeError(f"an attribute cannot hold a Python `{type(value).__name__}`")


def _list_for(value: ListValue, scope: Ad | None, computed: bool = False) -> ListValue:
    return ListValue([_nested(item, scope) for item in value.items], scope, computed)


def _ad_for(value: Ad, parent: Ad | None) -> Ad:
    twin = Ad.copy_of(value)
    twin._parent = parent
    return twin


def _nested(item: Stored, scope: Ad | None) -> Stored:
    if item.__class__ is ListValue:
        return _list_for(item, scope)
    return _ad_for(item, scope) if isinstance(item, Ad) else item


def detached(value: Stored, computed: bool) -> Stored:
    """A value as a copy that nothing encloses, if it is a list or an ad.

    ``computed``: of the other type, which ``ad["name"]`` gives.
    """
    if value.__class__ is ListValue:
        return _list_for(value, None, computed)
    if isinstance(value, Ad):
        return CopiedAd(value) if computed else _ad_for(value, None)
    return value


def computed_member(value: Stored) -> Stored:
    """What a list that is made of values keeps for one: a relative time turns into a literal.

    As such it has whole seconds, 32 bits of them, and evaluates to a real.
    """
    if value.__class__ is RelTime:
        from classad.language.times import int32_of_real

        seconds = RelTime(float(int32_of_real(value.secs)))
        return Expression.from_node(_nodes().Literal(seconds))
    return value


def node_of_value(value: Stored) -> Node:
    """The syntax tree that stands for a ClassAd value."""
    nodes = _nodes()
    if value.__class__ in _SCALARS:
        literal: Node = nodes.Literal(value)
        return literal
    if isinstance(value, Expression):
        return value.node
    if isinstance(value, ListValue):
        listed: Node = nodes.ListExpr(tuple(node_of_value(item) for item in value.items))
        return listed
    if isinstance(value, Ad):
        names = value._names
        whole: Node = nodes.AdExpr(
            tuple((names[key], node_of_value(item)) for key, item in value._attrs.items())
        )
        return whole
    raise ClassAdTypeError(f"a Python `{type(value).__name__}` is no ClassAd value")


# --- values as Python has them --------------------------------------------------------------------


#: The classes of numbers; the words undefined and error are numbers to Python as well.
_NUMBERS = frozenset({int, float})


def as_number(value: object) -> int | float | None:
    """The value if it is a number; a boolean counts 0 or 1; None for everything else."""
    number: Any = value
    if value.__class__ in _NUMBERS:
        return number  # type: ignore[no-any-return]
    return int(number) if value.__class__ is bool else None


def as_bool(value: object) -> bool | None:
    """The value if it is a boolean, or whether it is non-zero if a number; else None."""
    if isinstance(value, bool):
        return value
    return value != 0 if value.__class__ in _NUMBERS else None


def as_string(value: object) -> str | None:
    """The value if it is a string, else None."""
    return value if isinstance(value, str) else None
