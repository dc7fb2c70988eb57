"""``ClassAd``: named expressions, looked up without regard to case.

What lives here: storage and the evaluation of attributes as HTCondor's daemons do it.  Each value
is kept in its evaluated form if it is a literal, a list or a nested ad, else as an ``ExprTree``.

Inputs: names and values or expressions.  Outputs: the same, and values.
Never here: reading or writing text, the Python conversions of the mapping interface.
Follows: sections 5 and 6 of the language notes; vectors ``eval_attr.jsonl``, ``coerce.jsonl``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from classad.ads.lists import ListValue
from classad.binding.ad import AdMapping, fill
from classad.language.names import UNUSUAL, fold_name
from classad.language.values import UNDEFINED, AbsTime, Value

if TYPE_CHECKING:
    from classad.evaluation.state import EvalContext

__all__ = ["ClassAd", "ListValue"]

#: Classes that ``insert`` keeps as they are.
_SIMPLE = frozenset({bool, int, float, str, Value, AbsTime})
#: Those, and that of an attribute that is absent, without that of ``UNDEFINED`` and ``ERROR``.
_WRITTEN = (_SIMPLE - {Value}) | {type(None)}


#: Classes of which copies have the same objects; that of expressions comes in when one is met.
_SHARED: set[type] = set(_SIMPLE)


class SharedNames(dict[str, str]):
    """The names of several ads, which never change: an ad that gets or loses one takes a copy."""

    __slots__ = ()


class ClassAd(AdMapping):
    """An ad: names without regard to case, each with a value or an expression.

    ``input``: None, a text in new syntax (what follows the ad is ignored), an ad, or a mapping
    whose values are converted.  Raises ``ClassAdParseError`` for a text that is no ad,
    ``TypeError`` for another object or a key that is no string, ``OverflowError`` for an integer
    of more than 64 bits, ``ClassAdTypeError`` for another value without counterpart.

    >>> ClassAd({"Cpus": 4, "Load": [0.5, None]})
    [ Cpus = 4; Load = { 5.000000000000000E-01,undefined } ]
    >>> ClassAd("[Cpus = 4; Rank = Cpus * 2]").eval("rank")
    8
    """

    # `_parent` is the ad it is nested in, `_chained` the one it inherits from.  `_names` may be
    # ``SharedNames``; `_own_names` is what may be changed.

    __slots__ = ("__dict__", "__weakref__", "_attrs", "_chained", "_names", "_parent")

    _attrs: dict[str, Any]
    _names: dict[str, str]
    _parent: ClassAd | None
    _chained: ClassAd | None

    #: Whether this is the detached copy that ``ad["name"]`` gives (see ``CopiedAd``).
    computed = False

    def __init__(self, input: str | Mapping[str, Any] | None = None) -> None:
        self._attrs = {}
        self._names = {}
        self._parent = None
        self._chained = None
        if input is not None:
            fill(self, input)

    # --- storage ------------------------------------------------------------------------------

    def insert(self, name: str, value: Any) -> None:
        """Set an attribute to a ClassAd value or an ``ExprTree``; the first spelling stays."""
        key = fold_name(name)
        if value.__class__ not in _SIMPLE:
            value = _prepared(value, self)
        self._attrs[key] = value
        names = self._names
        if key not in names:
            if names.__class__ is SharedNames:
                names = self._own_names()
            names[key] = name

    def attach(self, name: str, value: Any) -> None:
        """As ``insert``, with the value as it is: an ad keeps its enclosing ad."""
        key = fold_name(name)
        self._attrs[key] = value
        self._own_names().setdefault(key, name)

    def insert_plain(self, names: Mapping[str, str], values: Mapping[str, Any]) -> None:
        """Set attributes to values that ads keep as they are.

        Both by names in lower case, in the same order; ``names``: the spellings.
        """
        self._attrs.update(values)
        if not names.keys() <= self._names.keys():
            own = self._own_names()
            for key, name in names.items():
                own.setdefault(key, name)

    def raw(self, name: str) -> Any:
        """The stored value or ``ExprTree``, own or inherited from a chained parent, or None."""
        key = fold_name(name)
        ad: ClassAd | None = self
        while ad is not None:
            value = ad._attrs.get(key)
            if value is not None:
                return value
            ad = ad._chained
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

    def names(self) -> Iterator[str]:
        """The spellings of the own attributes, in the order of their first insertion."""
        return iter(self._names.values())

    def chain(self, parent: ClassAd | None) -> None:
        """Inherit attributes from ``parent`` (a cluster ad, say); None ends it.

        >>> job = ClassAd("[ProcId = 0; Id = ClusterId + ProcId]")
        >>> job.chain(ClassAd("[ClusterId = 10]"))
        >>> job.eval("Id"), len(job)
        (10, 2)
        """
        self._chained = parent

    def duplicate(self) -> ClassAd:
        """A copy with its own nested ads and lists; expressions are shared, they never change."""
        twin = ClassAd.__new__(ClassAd)
        twin._take(self)
        return twin

    def unchained(self) -> ClassAd:
        """A copy that has as its own what this ad inherits."""
        twin = self.duplicate()
        twin._chained = None
        parent = self._chained
        while parent is not None:
            for key, value in parent._attrs.items():
                if key not in twin._attrs:
                    twin.insert(parent._names[key], value)
            parent = parent._chained
        return twin

    def extract(self, keys: Iterable[str]) -> ClassAd:
        """A copy with some of the own attributes only, given by names in lower case."""
        names, attrs = self._names, self._attrs
        chosen = {key: names[key] for key in keys}
        return ClassAd.holding(chosen, {key: attrs[key] for key in chosen})

    @classmethod
    def holding(cls, names: dict[str, str], attrs: dict[str, Any]) -> Self:
        """An ad of stored values, which takes over both; the same names in lower case are keys.

        ``names``: ``SharedNames`` if other ads have them, too.
        """
        twin = cls.__new__(cls)
        twin._names, twin._attrs = names, attrs
        twin._parent = twin._chained = None
        twin._own_parts()
        return twin

    def _take(self, other: ClassAd) -> None:
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
            from classad.ads.expression import ExprTree

            _SHARED.add(ExprTree)
            kinds.discard(ExprTree)
            for key, value in self._attrs.items():
                if value.__class__ in kinds:
                    self._attrs[key] = _rescoped(value, self)

    # --- evaluation, as the daemons do it -------------------------------------------------------

    def evaluate_attr(
        self, name: str, target: ClassAd | None = None, context: EvalContext | None = None
    ) -> Any:
        """The value of an attribute; if absent here, of the target's attribute of that name.

        The value is one of the language, not converted.  ``context``: clock, zone and randomness;
        without it there is none of them.
        """
        # The ad's own literals are most of what is asked for; they need no evaluation.
        key = fold_name(name)
        value = self._attrs.get(key)
        if value.__class__ in _SIMPLE:
            return value
        # So are attributes that are nowhere to be found.
        if value is target is self._chained is self._parent is None and key not in UNUSUAL:
            return UNDEFINED
        from classad.evaluate import evaluate_attribute

        return evaluate_attribute(self, name, target, context)[0]

    def evaluate_all(self, keys: Sequence[str], context: EvalContext | None = None) -> list[Any]:
        """What ``evaluate_attr`` gives for each of several ordinary names in lower case."""
        values = self.plain_values(keys)
        if values is None:
            return [self.evaluate_attr(key, None, context) for key in keys]
        return [UNDEFINED if value is None else value for value in values]

    def plain_values(self, keys: Sequence[str]) -> list[Any] | None:
        """The same where it takes no evaluation, absent ones as ``None``; None if it does.

        ``UNDEFINED`` and ``ERROR`` are not among them: they are equal to numbers, and these values
        are compared with those of other ads.
        """
        if self._chained is None and self._parent is None:
            values = list(map(self._attrs.get, keys))
            if _WRITTEN.issuperset(map(type, values)):
                return values
        return None

    def get_number(
        self, name: str, target: ClassAd | None = None, context: EvalContext | None = None
    ) -> int | float | None:
        """The value if it is a number; a boolean counts 0 or 1; None for everything else.

        >>> slot = ClassAd("[Cpus = 4; Busy = true; Rank = TARGET.JobPrio / 2.0]")
        >>> slot.get_number("Rank", ClassAd("[JobPrio = 5]")), slot.get_number("Busy")
        (2.5, 1)
        """
        return as_number(self.evaluate_attr(name, target, context))

    def get_bool(
        self, name: str, target: ClassAd | None = None, context: EvalContext | None = None
    ) -> bool | None:
        """The value if it is a boolean, or whether it is non-zero if a number; else None."""
        return as_bool(self.evaluate_attr(name, target, context))

    def get_string(
        self, name: str, target: ClassAd | None = None, context: EvalContext | None = None
    ) -> str | None:
        """The value if it is a string, else None."""
        return as_string(self.evaluate_attr(name, target, context))


def as_number(value: Any) -> int | float | None:
    """See ``ClassAd.get_number``."""
    kind = value.__class__
    if kind is int or kind is float:
        return value  # type: ignore[no-any-return]
    return int(value) if kind is bool else None


def as_bool(value: Any) -> bool | None:
    """See ``ClassAd.get_bool``."""
    kind = value.__class__
    if kind is bool:
        return value  # type: ignore[no-any-return]
    return value != 0 if kind is int or kind is float else None


def as_string(value: Any) -> str | None:
    """See ``ClassAd.get_string``."""
    return value if value.__class__ is str else None


class CopiedAd(ClassAd):
    """The copy of a nested ad that ``ad["name"]`` gives: nothing encloses it.

    It is another type than an ad to ``=?=``, and selecting from it by ``.name`` is undefined.
    ``inside``: the same ad as the expressions evaluated in it see it, which is an ad like others.
    """

    __slots__ = ("inside",)
    computed = True

    def __init__(self, original: ClassAd) -> None:
        self.inside = inside = ClassAd()
        inside._take(original)
        self._attrs, self._names = inside._attrs, inside._own_names()
        self._parent, self._chained = None, inside._chained


def inside_of(ad: ClassAd) -> ClassAd:
    """The ad in which expressions are evaluated when it is to be in ``ad``."""
    return ad.inside if isinstance(ad, CopiedAd) else ad


def _prepared(value: Any, ad: ClassAd) -> Any:
    """The form in which ``ad`` keeps a value that may refer to it."""
    from classad.ads.stored import prepared

    return prepared(value, ad)


def _rescoped(value: Any, ad: ClassAd) -> Any:
    """A stored value for a copy: nested ads and lists come to belong to ``ad``."""
    from classad.ads.stored import rescoped

    return rescoped(value, ad)
