"""Ads behave as a dictionary without regard to case that may inherit from another one.

Random programs work on ads, some read with shared names, and on a model of them: lists of
spellings and values.  After each step everything that an ad tells of itself is compared.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from classad import ClassAd, ExprTree, parseAds
from classad.ads.ad import raw_in
from classad.language.values import UNDEFINED

NAMES = ("a", "A", "b", "Bc", "bC", "\u00c9t", "\u00e9t", "ab", "x", "Zz")
VALUES = (1, -2, 2.5, True, False, "s", "", "\u00e9", 0, 0.0, "1")
Model = dict[str, tuple[str, Any]]


def folded(name: str) -> str:
    """ASCII letters alone have no case."""
    return "".join(char.lower() if char.isascii() else char for char in name)


class Both:
    """An ad and its model; ``above``: what both inherit from."""

    def __init__(self, ad: ClassAd, model: Model, above: Both | None = None) -> None:
        self.ad, self.model, self.above = ad, model, above
        ad.chain(None if above is None else above.ad)

    def put(self, name: str, value: Any) -> None:
        key = folded(name)
        self.model[key] = (self.model.get(key, (name,))[0], value)

    def seen(self) -> Model:
        return {**(self.above.seen() if self.above else {}), **self.model}

    def check(self) -> None:
        ad, model, seen = self.ad, self.model, self.seen()
        assert list(ad.names()) == [name for name, _ in model.values()]
        assert sorted(ad) == sorted(name for name, _ in model.values())
        assert list(ad) == sorted(ad, key=lambda it: (len(it.encode()), folded(it).encode()))
        assert (len(ad), bool(ad)) == (len(model), bool(model))
        for name in NAMES:
            wanted = seen.get(folded(name), ("", None))[1]
            assert (name in ad) == (folded(name) in seen)
            assert plain(ad.raw(name)) == plain(wanted)
            assert plain(ad.get(name)) == plain(wanted)
            assert plain(ad.evaluate_attr(name)) == plain(UNDEFINED if wanted is None else wanted)
            number = wanted if isinstance(wanted, int | float) else None
            assert plain(ad.get_number(name)) == plain(
                int(number) if number.__class__ is bool else number
            )
            assert ad.get_bool(name) is (None if number is None else number != 0)
            assert ad.get_string(name) == (wanted if isinstance(wanted, str) else None)
        keys = list(dict.fromkeys(map(folded, NAMES)))
        there = [seen.get(key, ("", None))[1] for key in keys]
        assert plain(raw_in([ad], keys[0])[0]) == plain(there[0])
        known = [plain(UNDEFINED if value is None else value) for value in there]
        assert list(map(plain, ad.evaluate_all(keys))) == known
        simple = ad.plain_values(model)
        assert simple is None if self.above else simple == [value for _, value in model.values()]


def plain(value: Any) -> Any:
    return value.__class__, repr(value)


def change(both: Both, rng: Random) -> None:
    """One step of a program, on the ad and on its model."""
    ad, model, name, value = both.ad, both.model, rng.choice(NAMES), rng.choice(VALUES)
    key = folded(name)
    own = key in model
    match rng.randrange(9):
        case 0 | 1:
            ad[name] = value
            both.put(name, value)
        case 2:
            if own:
                del ad[name]
                del model[key]
            else:
                with pytest.raises(KeyError):
                    del ad[name]
        case 3:
            assert plain(ad.pop(name, "none")) == plain(model.pop(key, ("", "none"))[1])
        case 4:
            wanted = both.seen().get(key, ("", value))[1]
            assert plain(ad.setdefault(name, value)) == plain(wanted)
            if key not in both.seen():
                both.put(name, value)
        case 5:
            ad.update({name: value, "n1": 5})
            both.put(name, value)
            both.put("n1", 5)
        case 6:
            other = ClassAd({name: value, "A": 3})
            ad.update(other)
            for spelled in other.names():
                both.put(spelled, other[spelled])
        case 7:
            assert ad.remove(name) is own
            model.pop(key, None)
        case _:
            if rng.random() < 0.1:
                ad.clear()
                model.clear()


def alike(both: Both) -> None:
    """What is made of an ad has its attributes, and is another ad."""
    ad, model = both.ad, both.model
    kinds: tuple[Callable[[ClassAd], ClassAd], ...] = (
        copy.copy, copy.deepcopy, ClassAd.duplicate, ClassAd.copy_of,
        lambda it: it.extract(list(model)),
        lambda it: pickle.loads(pickle.dumps(it)), lambda it: ClassAd(repr(it)),
    )  # fmt: skip
    for made in (kind(ad) for kind in kinds):
        assert made == ad
        assert list(made) == list(ad)
        made["other"] = 1
        assert "other" not in ad
        assert made != ad
    for made in (ad.duplicate(), ClassAd.copy_of(ad)):  # they inherit from the same
        assert [plain(made.get(name)) for name in NAMES] == [plain(ad.get(name)) for name in NAMES]
    whole = ad.unchained()
    assert {name: plain(whole[name]) for name in whole} == {
        name: plain(value) for name, value in both.seen().values()
    }


def start(rng: Random) -> list[Both]:
    """Three ads that were read together, so that they share their names, the last ones chained."""
    texts = ["a = 1\nBc = 2.5\nx = true\n", "a = 2\nBc = 0.5\nx = false\n", "a = 3\n"]
    values = [(1, 2.5, True), (2, 0.5, False), (3,)]
    ads = list(parseAds("\n".join(texts)))
    made: list[Both] = []
    for ad, own in zip(ads, values, strict=True):
        spelled = zip(("a", "Bc", "x"), own, strict=False)
        model = {name.lower(): (name, value) for name, value in spelled}
        above = made[-1] if made and rng.random() < 0.7 else None
        made.append(Both(ad, model, above))
    return made


@pytest.mark.parametrize("seed", range(6))
def test_ads_are_dictionaries_that_inherit(seed: int) -> None:
    rng = Random(f"ads {seed}")
    everything = start(rng)
    for both in everything:
        both.check()
    for step in range(45):
        change(rng.choice(everything), rng)
        for both in everything:
            both.check()
        if step % 9 == 0:
            alike(rng.choice(everything))


def test_what_an_ad_holds_belongs_to_it() -> None:
    """Nested ads and lists are copied on the way in; expressions are shared."""
    inner, outer = ClassAd("[q = p]"), ClassAd("[p = 7]")
    outer["n"] = inner
    outer["l"] = [inner, 2]
    outer["e"] = ExprTree("n.q + l[0].q")
    inner["q"] = 5
    assert (outer.eval("e"), ExprTree("l[0].q").eval(outer)) == (14, 7)
    twin = outer.duplicate()
    twin["p"] = 1
    assert (twin.eval("e"), outer.eval("e")) == (2, 14)
    other = ClassAd({"p": 10})
    other.update(twin)
    other["p"] = 10
    assert (other.eval("e"), twin.eval("e")) == (20, 2)


def test_plain_values_are_set_together_and_keep_the_first_spelling() -> None:
    first, second = parseAds("Aa = 1\nB = 2\n\nAa = 3\nB = 4\n")
    first.insert_plain({"aa": "AA", "b": "b"}, {"aa": 5, "b": 6})
    assert (list(first.names()), first["aa"], first["B"]) == (["Aa", "B"], 5, 6)
    first.insert_plain({"b": "b", "new": "New"}, {"b": 7, "new": "x"})
    assert (list(first.names()), first["B"], first["NEW"]) == (["Aa", "B", "New"], 7, "x")
    assert (list(second.names()), len(second), second["aa"]) == (["Aa", "B"], 2, 3)


def test_ads_of_one_class_are_equal_by_what_they_hold() -> None:
    one, same, other = (
        ClassAd(text).raw("n") for text in ("[n = [a = 1]]", "[n = [A = 1]]", "[n = []]")
    )
    assert one == same
    assert one != other
    assert one != ClassAd("[a = 1]")
    assert one != {"a": 1}


def test_an_expression_is_not_its_text() -> None:
    ad = ClassAd("[A = B + 1; C = B + 1; D = B + 2]")
    first, same, other = (ad.raw(name) for name in "ACD")
    assert first == same
    assert first != other
    for value in ("B + 1", 1, None, ad):
        assert (first == value) is False
