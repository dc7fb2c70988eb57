"""Remembers from cycle to cycle what was found out about expressions, until there is too much.

Pools have the same expressions in cycle after cycle.  Everything here is told by an expression or
its text alone; a service that reads other ads every minute lets all of it go now and then.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Concatenate, Final, ParamSpec, TypeVar

from classad.ads.expression import Expression

K = TypeVar("K")
V = TypeVar("V")
P = ParamSpec("P")

#: Expressions and texts that one memo has at most.
MANY: Final = 10_000
_FORGET: Final[list[Callable[[], None]]] = []


class ExpressionMemo(dict[K, V]):
    """What was found out, by what it is about; all of it goes when one more would be too many.

    Where a key is made of the identities of expressions, the value keeps these.
    """

    def __init__(self, times: int = 1) -> None:
        """``times``: it may have so many times as many as others."""
        self._times = times

    def keep(self, key: K, value: V) -> V:
        """Remember something."""
        if len(self) >= self._times * MANY:
            self.clear()
        self[key] = value
        return value


def lasting_memo() -> ExpressionMemo[K, V]:
    """A memo of a module, which ``forget`` empties."""
    made = ExpressionMemo[K, V]()
    _FORGET.append(made.clear)
    return made


def by_tree(
    find: Callable[Concatenate[Expression, P], V],
) -> Callable[Concatenate[Expression, P], V]:
    """A function of an expression, and of arguments by place, that is called once for each."""
    known: ExpressionMemo[tuple[object, ...], tuple[Expression, V]] = lasting_memo()

    @wraps(find)
    def remember(tree: Expression, /, *args: P.args, **named: P.kwargs) -> V:
        key = (id(tree), *args)
        found = known.get(key)
        if found is None:
            found = known.keep(key, (tree, find(tree, *args, **named)))
        return found[1]

    return remember


def by_text(find: Callable[P, V]) -> Callable[P, V]:
    """A function of a text, and of other plain arguments, that is called once for each."""
    found = lru_cache(maxsize=MANY)(find)
    _FORGET.append(found.cache_clear)
    return found  # type: ignore[return-value]


def forget() -> None:
    """Let go of everything."""
    for each in _FORGET:
        each()
