"""Takes some attributes out of ads; ads that share the dictionary of their names do so at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import NamedTuple

from classad.ads.ad import SharedNames


class Projection(NamedTuple):
    """What ads with the same names have of some attributes.

    ``keys``: their names in lower case, sorted; ``pick``: their values, of a dictionary that has
    all of them; ``names``: how ads spell them, followed by those that come in addition.
    """

    keys: tuple[str, ...]
    pick: Callable[[Mapping[str, object]], tuple[object, ...]]
    names: SharedNames


class Projections:
    """Finds projections."""

    def __init__(self, keys: Iterable[str], added: Mapping[str, str] | None = None) -> None:
        """``keys``: names in lower case; ``added``: spellings of names, those that ads lack."""
        self._keys = sorted(keys)
        self._added = added or {}
        #: By the identity of names, which are kept so that these stay theirs.
        self._known: dict[int, tuple[dict[str, str], Projection]] = {}

    def of(self, names: dict[str, str]) -> Projection:
        """What ads with these names (spellings by keys) have."""
        known = self._known.get(id(names))
        if known is not None:
            return known[1]
        found = self._find(names)
        if names.__class__ is SharedNames:
            self._known[id(names)] = names, found
        return found

    def _find(self, names: dict[str, str]) -> Projection:
        spelled = {key: names[key] for key in self._keys if key in names}
        keys = tuple(spelled)
        for key, name in self._added.items():
            spelled.setdefault(key, name)
        return Projection(keys, _picker(keys), SharedNames(spelled))


def _picker(keys: tuple[str, ...]) -> Callable[[Mapping[str, object]], tuple[object, ...]]:
    """What gives the values of keys; for a single one ``itemgetter`` would not give a tuple."""
    if len(keys) > 1:
        return itemgetter(*keys)
    return lambda attrs: tuple([attrs[key] for key in keys])
