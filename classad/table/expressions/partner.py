"""Defines ``Partner``, the ad that all rows are evaluated against.

Two partners are the same to an expression if their keys are.  An attribute that is an expression
counts as its value where it refers to nothing outside; else as its text together with all that it
mentions in the partner.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from weakref import ref

try:
    from _blake2 import blake2b  # what hashlib gives, which loads OpenSSL before
except ImportError:  # pragma: no cover - other Pythons than CPython
    from hashlib import blake2b

from classad.ads.expression import Expression
from classad.binding.ad import ClassAd
from classad.binding.batch import _Evaluator
from classad.evaluation.state import EvalContext
from classad.language.values import UNDEFINED
from classad.table.expressions.conjuncts import MARK
from classad.table.memo import Key, PartnerAttribute
from classad.table.shapes import MINE, OTHERS, Shape
from classad.table.store.columns import PLAIN
from classad.table.store.store import SCOPE_NAMES, Store
from classad.table.vectors import Vector

#: Nodes that an attribute may lead to before it is left to be evaluated row by row.
MAX_SIZE = 1_000_000


#: Values that are the same to an expression if Python says that they are equal.
_SIMPLE = frozenset({bool, int, str})
#: What an attribute of an ad can be that does not know the ad.
_LOOSE = PLAIN | {Expression}
#: Levels that an attribute may have to count as its value.
_LOW = 40


class PartnerItem(NamedTuple):
    """What an attribute of the partner brings with it.

    ``value``: the key if only its value matters; ``exact``: if its expression does.  ``rows``: the
    rows' attributes it mentions.  ``row_by_row``, ``clock``: as of a shape.  ``height``,
    ``size``: of all that it leads to.  ``around``: the rows' attributes if it may be evaluated in
    an ad of a row, where names are the row's before they are the partner's; ``back``: it mentions
    ``TARGET``, which is the partner itself there.
    """

    value: Any
    exact: Any
    rows: frozenset[str] = frozenset()
    row_by_row: bool = False
    random: bool = False
    clock: bool = False
    height: int = 0
    size: int = 0
    around: frozenset[str] = frozenset()
    back: bool = False


class _Entered(NamedTuple):
    """An attribute that is no plain value: ``own``, ``rows`` as of ``Partner.names``."""

    value: Any
    nested: bool
    shape: Shape
    own: list[str]
    rows: frozenset[str]


def _key(shape: int, read: list[tuple[str, Any]]) -> Key:
    """Tells an expression, with what the attributes that it reads are, from all others.

    A digest: as a tuple it would hold those of what they read in turn, each as often as it is read.
    """
    return blake2b(repr((shape, read)).encode(), digest_size=16).digest() if read else (shape,)


_MISSING = PartnerItem(None, None)
#: A row that has nothing.
_NO_ROW: Final = ClassAd()
_UNDER_WAY = PartnerItem(None, None, row_by_row=True)


class Constants:
    """Constants that are to be attributes, and what they are to expressions."""

    __slots__ = ("keys", "values")

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self.keys: dict[PartnerAttribute, Any] = {}
        for name, value in values.items():
            kind = value.__class__
            key = (kind, repr(value) if kind is float else value)
            self.keys[name] = self.keys[name,] = key


#: PartnerAttribute for where the clock or the zone decides.
INSTANT: Final = f"{MARK}instant"


class _Keys(dict[PartnerAttribute, Any]):
    """What the attributes of a partner are to expressions, found when first asked for."""

    __slots__ = ("_partner",)

    def __init__(self, partner: Partner, absent: Mapping[PartnerAttribute, None]) -> None:
        super().__init__(absent)
        # Weakly: thousands of circles would be left to the search for garbage.
        self._partner = ref(partner)

    def __missing__(self, attribute: PartnerAttribute) -> Any:
        partner = self._partner()
        assert partner is not None, "keys are asked for while there is a partner"
        if attribute is INSTANT:
            context = partner.context
            # `TARGET.CurrentTime` is undefined without a partner.
            alone = partner.ad is None
            instant = self[attribute] = (float, context.now, context.tz, alone)
            return instant
        plain = isinstance(attribute, str)
        name, ad = attribute if isinstance(attribute, str) else attribute[0], partner.ad
        if (ad is None or (name not in ad._attrs and ad._chained is None)) and name[0] != MARK:
            self[attribute] = None
            shapes = partner.shapes
            shapes.absent.keep(attribute, None, 200)
            if not plain:
                shapes.exactly[name] = (name,)
            return None
        item = partner.item(name)
        key = self[attribute] = item.value if plain else item.exact
        return key


def counts_as_value(key: Key) -> bool:
    """Whether a key is that of a value, or of no attribute at all."""
    return key is None or (isinstance(key, tuple) and isinstance(key[0], type))


class Partner:
    """One ad, or none, to evaluate rows against."""

    def __init__(self, ad: ClassAd | None, context: EvalContext, store: Store) -> None:
        """``store``: of the rows, which do not change meanwhile."""
        self.ad = ad
        self.context = context
        self.shapes = shapes = store.shapes
        self._evaluator: _Evaluator | None = None
        self._known = store.has
        self._items: dict[str, PartnerItem] = {}
        self._vectors: dict[str, Vector] = {}
        self._given: dict[str, Any] = {}
        self._mine: ClassAd | None = None
        self._alone: bool | None = None
        attrs: dict[str, Any] = {} if ad is None else ad._attrs
        chained = ad is not None and ad._chained is not None
        self.keys = keys = _Keys(self, {} if chained else shapes.absent)
        for name, value in attrs.items():
            kind = type(value)
            if kind in _SIMPLE:
                keys[name] = (kind, value)
            else:
                keys.pop(name, None)
        for name, exact in shapes.exactly.items():
            if name in attrs:
                keys.pop(exact, None)
        #: The rows that have to be asked one by one.
        self.row_by_row = store.row_by_row_for(ad)
        #: Whether ``MY`` and ``TARGET`` may be attributes, or are none of daemon semantics.
        self.redefines_scope_names = (
            context.strict
            or store.redefines_scope_names
            or (any(map(self.has, SCOPE_NAMES)) if chained else not SCOPE_NAMES.isdisjoint(attrs))
        )

    @property
    def evaluator(self) -> _Evaluator:
        """What evaluates it, with a state of its own."""
        found = self._evaluator
        if found is None:
            found = self._evaluator = _Evaluator(self.context)
        return found

    def key(self, attribute: PartnerAttribute) -> Any:
        """What an attribute is to an expression."""
        return self.keys[attribute]

    def vector(self, name: str) -> Vector:
        """The value of an attribute that counts as one (``counts_as_value``), or undefined."""
        found = self._vectors.get(name)
        if found is None:
            value = self.raw(name)
            if value.__class__ is Expression:
                value = self._value(value)
            found = self._vectors[name] = Vector.constant(UNDEFINED if value is None else value)
        return found

    def has(self, name: str) -> bool:
        """Whether the ad has the attribute."""
        return self.raw(name) is not None

    def raw(self, name: str) -> Any:
        """What the ad has for a name in lower case, or was given (see ``give``), or None."""
        if name in self._given:
            return self._given[name]
        ad = self.ad
        if ad is None:
            return None
        value = ad._attrs.get(name)
        return ad.raw(name) if value is None and ad._chained is not None else value

    # --- constants of its expressions -------------------------------------------------------------

    @property
    def takes_constants(self) -> bool:
        """Whether a copy of the ad can stand in for it: nothing in it knows where it belongs."""
        found = self._alone
        if found is None:
            ad = self.ad
            found = ad is not None and ad._parent is None and ad._chained is None
            found = found and _LOOSE.issuperset(map(type, ad._attrs.values()))  # type: ignore[union-attr]
            self._alone = found
        return found

    def give(self, constants: Constants) -> None:
        """Let constants be attributes (classad/table/expressions/conjuncts.py)."""
        values = constants.values
        self._given.update(values)
        self.keys.update(constants.keys)
        for known in (self._vectors, self._items):
            for name in values:
                known.pop(name, None)
        self._mine = None

    @property
    def mine(self) -> ClassAd | None:
        """The ad with the constants that it was given."""
        if not self._given or self.ad is None:
            return self.ad
        if self._mine is None:
            self._mine = ClassAd()
            self._mine._names = self.ad._names
            self._mine._attrs = self.ad._attrs | self._given
        return self._mine

    def item(self, name: str) -> PartnerItem:
        """What an attribute brings with it."""
        item = self._items.get(name)
        if item is None:
            value = self.raw(name)
            kind = value.__class__
            if value is None:
                item = _MISSING
            elif kind is float:
                key = (kind, repr(value))
                item = PartnerItem(key, key)
            elif kind in PLAIN:
                item = PartnerItem((kind, value), (kind, value))
            else:
                return self._followed(name)
            self._items[name] = item
        return item

    def _followed(self, name: str) -> PartnerItem:
        """What an expression brings with it, after all that it reads, however far that leads."""
        items = self._items
        todo = [name]
        entered: dict[str, _Entered] = {}
        while todo:
            inner = todo[-1]
            if inner in entered:
                items[inner] = self._expression(entered.pop(inner))
                todo.pop()
            elif inner in items:
                todo.pop()
            elif (value := self.raw(inner)) is None or value.__class__ in PLAIN:
                self.item(todo.pop())
            else:
                items[inner] = _UNDER_WAY
                nested = value.__class__ is not Expression
                shape = self.shapes.of_nested(value) if nested else self.shapes.of(value)
                one = entered[inner] = _Entered(value, nested, shape, *self.names(shape))
                todo += [other for other in reversed(one.own) if other not in items]
        return items[name]

    def _expression(self, entered: _Entered) -> PartnerItem:
        """What an attribute that is no plain value brings with it."""
        assert self.ad is not None
        value, nested, shape, own, rows = entered
        items = [self._items[name] for name in own]
        rows |= frozenset[str]().union(*(item.rows for item in items))
        row_by_row = shape.row_by_row or any(item.row_by_row for item in items)
        row_by_row |= nested and self.ad._chained is not None
        height = shape.height + max((item.height for item in items), default=0)
        size = shape.size * (1 + sum(item.size for item in items))
        row_by_row |= size > MAX_SIZE
        random = shape.random or any(item.random for item in items)
        clock = shape.clock or any(item.clock for item in items)
        exact = _key(shape.uid, [(name, item.exact) for name, item in zip(own, items, strict=True)])
        key: object = exact
        if not (nested or row_by_row or clock or rows) and height <= _LOW:
            found = self._value(value)
            if found.__class__ in PLAIN:
                key = (found.__class__, repr(found) if found.__class__ is float else found)
        around = rows | {name for _, name in shape.names if self._known(name)}
        back = any(where == OTHERS for where, _ in shape.names)
        return PartnerItem(key, exact, rows, row_by_row, random, clock, height, size, around, back)

    def _value(self, tree: Expression) -> Any:
        """The value of an attribute that refers to nothing outside, nor to itself."""
        ad = self.ad
        assert ad is not None
        # The two ads of a match do not see the ads around them.
        row = None if ad._parent is None else _NO_ROW
        # That of the shape, which is compiled once for all ads that have the same.
        return self.evaluator.value(self.shapes.of(tree).tree, ad, row)

    def names(self, shape: Shape) -> tuple[list[str], frozenset[str]]:
        """The partner's and the rows' attributes that an expression in the partner can read."""
        own: list[str] = []
        rows: set[str] = set()
        for where, name in shape.names:
            if where == MINE:
                own.append(name)
            elif where == OTHERS:
                rows.add(name)
            else:
                own.append(name)
                if where != MINE and not (where == 2 and self.has(name)):
                    rows.add(name)
        self.shapes.read.update(own)
        return sorted(set(own)), frozenset(name for name in rows if self._known(name))
