"""Makes a scenario smaller as long as something still holds of it.

Cycles, slots, jobs, knobs, customers and attributes are taken away, first many at once, then one by
one.

Inputs: a scenario, a predicate, how often it may be asked.  Outputs: the smallest scenario found.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from attr import define

from pieslice.data import JsonData, Record

#: Where a list or an object stands in a scenario.
_Path: TypeAlias = tuple[str | int, ...]

_LISTS: Final[tuple[_Path, ...]] = (("cycles",), ("slots",), ("jobs",))
_KNOBS: Final[tuple[_Path, ...]] = (("config",), ("accountant", "customers"), ("submitter_ads",))


class _Spent(Exception):  # noqa: N818 - not a failure
    """The predicate may not be asked again."""


@define(eq=False)
class _Search:
    best: JsonData
    holds: Callable[[JsonData], bool]
    left: int

    def accept(self, smaller: JsonData) -> bool:
        """Whether a smaller scenario still holds; it is the best one then."""
        if smaller == self.best:
            return False
        if not self.left:
            raise _Spent
        self.left -= 1
        if not self.holds(smaller):
            return False
        self.best = smaller
        return True


def shrink(scenario: Record, holds: Callable[[JsonData], bool], tries: int) -> JsonData:
    """The smallest scenario of which ``holds`` is true that ``tries`` questions find."""
    search = _Search(_copy(scenario), holds, tries)
    try:
        size = -1
        while size != len(json.dumps(search.best)):
            size = len(json.dumps(search.best))
            _pass(search)
    except _Spent:
        pass
    return search.best


def _copy(scenario: Record) -> JsonData:
    copied: JsonData = json.loads(json.dumps(scenario))
    return copied


def _pass(search: _Search) -> None:
    for path in _LISTS:
        _take_away(search, path)
    for path in list(_step_lists(search.best)):
        _take_away(search, path)
    for path in _KNOBS:
        _take_away(search, path)
    _lower_counts(search)
    for path in list(_objects(search.best)):
        _take_away(search, path)


def _step_lists(scenario: Record) -> Iterator[_Path]:
    for number, step in enumerate(scenario.get("cycles", ())):
        for key, value in step.items():
            if isinstance(value, list):
                yield ("cycles", number, key)
        yield ("cycles", number)


def _objects(scenario: Record) -> Iterator[_Path]:
    """Ads and records whose fields can be taken away."""
    for name in scenario.get("accountant", {}).get("customers", {}):
        yield ("accountant", "customers", name)
    for place, entry in _entries(scenario):
        if entry.get("ad"):
            yield (*place, "ad")


def _entries(scenario: Record) -> Iterator[tuple[_Path, Record]]:
    """The entries of slots and jobs, those of later cycles too."""
    steps: list[tuple[_Path, Record]] = [((), scenario)]
    steps += [(("cycles", i), step) for i, step in enumerate(scenario.get("cycles", ()))]
    for place, step in steps:
        for kind in ("slots", "jobs"):
            for i, entry in enumerate(step.get(kind, ())):
                yield (*place, kind, i), entry


def _at(document: JsonData, path: _Path) -> Any:
    found: Any = document
    for key in path:
        if isinstance(found, dict) and key not in found:
            return None
        if isinstance(found, list) and not (isinstance(key, int) and key < len(found)):
            return None
        found = found[key]
    return found


def _take_away(search: _Search, path: _Path) -> None:
    """Take items out of a list or an object: halves, quarters, at last one at a time."""
    items = _at(search.best, path)
    size = len(items) if items else 0
    while size:
        begin = 0
        while begin < len(_at(search.best, path)):
            smaller = _copy(search.best)
            items = _at(smaller, path)
            if isinstance(items, list):
                del items[begin : begin + size]
            else:
                for key in list(items)[begin : begin + size]:
                    del items[key]
            if path == ("cycles",) and not items:
                break  # a scenario has at least one cycle
            if not search.accept(smaller):
                begin += size
        size //= 2


def _lower_counts(search: _Search) -> None:
    """Have entries stand for fewer slots or jobs."""
    for path, _ in list(_entries(search.best)):
        for wanted in (1, 2, 3, 5, 10, 20):
            count = _at(search.best, path).get("count", 1)
            if wanted >= count:
                break
            smaller = _copy(search.best)
            _at(smaller, path)["count"] = wanted
            if search.accept(smaller):
                break
