"""Makes rows of the ads in the lists that rows have.

The value of an expression in such an ad follows from what that ad has and from values of the
partner if every name that it mentions is a plain value there; a name that the ad lacks is the
partner's, unless rows have it, too.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from classad.ads.ad import Ad, ListValue
from classad.language.values import ERROR, UNDEFINED
from classad.table.arrays.vectors import Unknown, Vector, count_holding
from classad.table.dependence.partner import Partner
from classad.table.store.columns import PLAIN


class Members:
    """The ads of many lists, one list after the other.

    ``ends``: how many there are up to each list, with 0 before the first; ``exceptions``: by place
    the result where there is no list.
    """

    def __init__(self, lists: Sequence[Any]) -> None:
        self.ads: list[Ad] = []
        self.ends = array("i", [0])
        self.exceptions: dict[int, Any] = {}
        for place, value in enumerate(lists):
            if value.__class__ is ListValue:
                self.ads += [item for item in value.items if _is_ad(item)]
            else:
                self.exceptions[place] = 0 if value is UNDEFINED else ERROR
            self.ends.append(len(self.ads))
        self._columns: dict[str, tuple[Vector, int]] = {}

    @classmethod
    def of(cls, lists: Vector) -> Members:
        """The members of a vector's values."""
        found: Members | None = lists.memo.get("members")
        if found is None:
            found = lists.memo["members"] = cls(lists.values())
        return found

    def column(self, name: str, row_too: bool, partner: Partner) -> Vector:
        """What each ad has for a name, or else the partner."""
        known = self._columns.get(name)
        if known is None:
            cells: list[Any] = [ad._attrs.get(name) for ad in self.ads]
            if not PLAIN.issuperset(map(type, cells)):
                raise Unknown
            missing = cells.count(None)
            if missing:
                cells = [UNDEFINED if cell is None else cell for cell in cells]
            known = self._columns[name] = Vector.of(cells), missing
        found, missing = known
        if missing and row_too:
            raise Unknown
        if not (missing and partner.has(name)):
            return found
        if missing < len(self.ads):
            raise Unknown
        return partner.vector(name)

    def count(self, judged: bytes | bytearray) -> Vector:
        """For each list the number of ads in which something holds."""
        found = count_holding(judged, self.ends)
        if not self.exceptions:
            return found
        counts = found.values()
        for place, value in self.exceptions.items():
            counts[place] = value
        return Vector.of(counts)


def _is_ad(item: Any) -> bool:
    """Whether a member of a list is an ad whose attributes can be told; others do not count."""
    if item.__class__ in PLAIN or item.__class__ is ListValue:
        return False
    if item.__class__ is not Ad or item._chained is not None:
        raise Unknown
    return True
