"""Keeps what a table has found for later answers, counts its bytes, and says what of it goes.

Two kinds are counted.  *Results*, such as the rows in which an expression is true for a partner, go
when there is no room for another one.  *Notes* are what was found out about expressions and columns
on the way: shapes, plans, programs, combinations of cells.  They refer to each other, so the table
forgets them between two requests.  Of each kind all go at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, Generic, Protocol, TypeVar

#: Bytes, unless a table is given another number.
DEFAULT: Final = 512 * 2**20


class CountedResult(Protocol):
    """Something that is kept.  ``cost``: its bytes."""

    @property
    def cost(self) -> int: ...


#: The name of a partner's attribute, in a tuple where its expression itself matters.
PartnerAttribute = str | tuple[str]
#: What an attribute of a partner is to an expression, or several are.
Key = object

K = TypeVar("K")
V = TypeVar("V")
R = TypeVar("R", bound=CountedResult)


class Budget:
    """An account of what is kept."""

    def __init__(self, limit: int = DEFAULT) -> None:
        self.limit = limit
        self.spent = 0
        self.noted = 0
        #: Beyond that all notes are to be forgotten.
        self.most = limit // 2
        #: Where there are results, by identity.
        self._homes: dict[int, dict[Any, Any]] = {}

    @property
    def held(self) -> int:
        """The bytes that are kept, about."""
        return self.spent + self.noted

    # --- notes ----------------------------------------------------------------------------------

    def settle(self) -> None:
        """Spare as many notes as there are now: they are what one request needs."""
        self.most = max(self.limit // 2, 2 * self.noted)

    def start_again(self) -> None:
        """Count no notes: those there were have been forgotten."""
        self.noted = 0
        self.most = self.limit // 2

    # --- results --------------------------------------------------------------------------------

    def clear(self) -> None:
        """Give up all results."""
        for home in self._homes.values():
            home.clear()
        self._homes.clear()
        self.spent = 0

    def add(self, home: dict[K, R], key: K, result: R) -> None:
        """Keep a result; all others go if there are too many."""
        before = home.get(key)
        self.spent += result.cost - (0 if before is None else before.cost)
        if self.spent > self.limit:
            self.clear()
            self.spent = result.cost
        if not home:
            self._homes[id(home)] = home
        home[key] = result

    def drop(self, home: dict[K, R], unwanted: Callable[[R], bool] | None = None) -> None:
        """Give up some results of one home, or all."""
        if not home:
            return
        for key in [key for key, result in home.items() if unwanted is None or unwanted(result)]:
            self.spent -= home.pop(key).cost
        if not home:
            del self._homes[id(home)]


class Memo(dict[K, V]):
    """Notes of one kind, by what they are about; ``keep`` puts them in."""

    __slots__ = ("_budget", "_sizes")

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._sizes: dict[K, int] = {}

    def keep(self, key: K, value: V, size: int) -> V:
        """Note something that takes so many bytes, about."""
        self._budget.noted += size - self._sizes.get(key, 0)
        self._sizes[key] = size
        self[key] = value
        return value

    def drop(self, unwanted: Callable[[K], bool] | None = None) -> None:
        """Forget some notes, or all."""
        if not self:
            return
        for key in [key for key in self if unwanted is None or unwanted(key)]:
            del self[key]
            self._budget.noted -= self._sizes.pop(key)


class Answers(dict[object, Any]):
    """What is known of partners that are the same, by question.

    ``cost``: its bytes, about, without those of columns and sets of rows, which are kept, and
    counted, elsewhere.
    """

    __slots__ = ()
    cost = 1000


class PartnerMemo(Generic[R]):
    """Results by what a partner has for the ``asked`` names: ``known`` by ``key_of`` its keys.

    ``key_of`` takes the keys of a partner (``Partner.keys``) and picks those that are asked for.
    """

    __slots__ = ("_budget", "asked", "key_of", "known")

    def __init__(self, attributes: Sequence[PartnerAttribute], budget: Budget) -> None:
        self._budget = budget
        self.known: dict[Key, R] = {}
        self.ask_for(attributes)

    def ask_for(self, attributes: Sequence[PartnerAttribute]) -> None:
        """These attributes decide; whatever was found by others is to be forgotten before."""
        self.asked = attributes
        self.key_of: Callable[[Any], Key] = (
            itemgetter(*attributes) if attributes else lambda keys: ()
        )

    def find(self, keys: Mapping[PartnerAttribute, Any]) -> R | None:
        """What was found for a partner that is the same."""
        return self.known.get(self.key_of(keys))

    def keep(self, keys: Mapping[PartnerAttribute, Any], found: R) -> R:
        """Keep what was found for partners like this one."""
        self._budget.add(self.known, self.key_of(keys), found)
        return found

    def forget(self, unwanted: Callable[[R], bool] | None = None) -> None:
        """Forget some results, or all."""
        self._budget.drop(self.known, unwanted)
