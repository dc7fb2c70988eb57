"""The list value.

A list evaluates to itself: its members stay unevaluated until one is selected, and are then
evaluated in the ad where the list was written.

Inputs: members, each a plain value or an ``ExprTree``.  Never here: evaluation, printing.
Follows: sections 4 and 5 of the language notes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from classad.language.values import AbsTime, Value

if TYPE_CHECKING:
    from classad.ads.ad import ClassAd
    from classad.evaluation.state import EvalState

#: Members that are values already.
_PLAIN = frozenset({bool, int, float, str, Value, AbsTime})


class ListValue:
    """Members in order, the ad they stand in, and whether a function made the list.

    ``computed``: lists made by functions are another type to ``=?=`` than those written down.
    """

    __slots__ = ("computed", "items", "scope")

    def __init__(
        self, items: Iterable[Any] = (), scope: ClassAd | None = None, computed: bool = False
    ) -> None:
        self.items = tuple(items)
        self.scope = scope
        self.computed = computed

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __getitem__(self, index: int) -> Any:
        return self.items[index]

    def __repr__(self) -> str:
        return f"<ListValue {list(self.items)!r}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ListValue) and [(type(i), i) for i in self.items] == [
            (type(i), i) for i in other.items
        ]

    __hash__ = None  # type: ignore[assignment]

    def values(self, state: EvalState) -> list[Any]:
        """All members, evaluated as functions do it: in the ad of the call, not of the list."""
        ad = state.ad
        members = [
            item if item.__class__ in _PLAIN else state.member(item, ad, self.scope)
            for item in self.items
        ]
        state.ad = ad
        return members
