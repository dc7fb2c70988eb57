"""Draws what a scenario is mixed from: which features it has, and one of several texts.

The same seed always gives the same draws.  Two features are forced by the seed, so that every
feature gets its share; all others are drawn.

Outputs: ``Mixture``, and the expressions of ``texts.json`` by what they are for.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Final, TypeVar

from attr import define, field

from pieslice.data import Record

_DATA: Final = json.loads(Path(__file__).with_name("texts.json").read_text(encoding="utf-8"))
#: Feature -> how probable it is where it is not forced.
FEATURES: Final[dict[str, float]] = _DATA["features"]
_TEXTS: Final[dict[str, list[str | None]]] = _DATA["texts"]
_ORDER: Final = tuple(FEATURES)

PEOPLE: Final = (
    "alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy", "kate",
    "leo", "mallory", "nina", "oscar", "peggy", "quinn", "rupert", "sybil", "trent",
)  # fmt: skip
SITES: Final = ("north", "south", "east")
LIMITS: Final = ("limits", "limits-weighted", "limits-expression", "limits-default")

_Item = TypeVar("_Item")


def texts(purpose: str) -> list[str]:
    """The expressions for a purpose; none of them is absent."""
    return [text for text in _TEXTS[purpose] if text is not None]


def quoted(text: str) -> str:
    """A string literal; these texts have nothing to escape."""
    return f'"{text}"'


@define(eq=False)
class Mixture:
    """A scenario in the making; ``tags``: the features that it has so far."""

    seed: int
    rng: random.Random
    forced: frozenset[str]
    tags: set[str] = field(factory=set)
    config: dict[str, str] = field(factory=dict)
    groups: list[str] = field(factory=list)
    submitters: list[str] = field(factory=list)
    #: Users that have claims and no jobs.
    guests: list[str] = field(factory=list)
    customers: dict[str, Record] = field(factory=dict)
    #: Whether ads hold other ads and lists; whether expressions refer to ephemeral attributes.
    nested: bool = False
    ephemeral: bool = False

    @classmethod
    def of(cls, seed: int) -> Mixture:
        """Nothing drawn yet."""
        count = len(_ORDER)
        other = (seed * 7 + seed // count * 13 + 5) % count
        forced = frozenset({_ORDER[seed % count], _ORDER[other]})
        return cls(seed, random.Random(f"wild-negotiation-{seed}"), forced)

    def on(self, feature: str, probability: float | None = None) -> bool:
        """Whether the scenario has a feature."""
        chance = FEATURES[feature] if probability is None else probability
        drawn = self.rng.random() < chance
        if drawn or feature in self.forced:
            self.tags.add(feature)
            return True
        return False

    def traits(self, *features: str) -> dict[str, bool]:
        """Which of some features the scenario has."""
        return {feature: self.on(feature) for feature in features}

    def often(self, probability: float) -> bool:
        """True with a probability."""
        return self.rng.random() < probability

    def pick(self, *items: _Item) -> _Item:
        """One of several."""
        return self.rng.choice(items)

    def text(self, purpose: str) -> str:
        """One of the expressions for a purpose."""
        return self.rng.choice(texts(purpose))

    def text_or_none(self, purpose: str) -> str | None:
        """One of the expressions for a purpose; None: the attribute is absent."""
        return self.rng.choice(_TEXTS[purpose])
