"""Ads that are read share the dictionary of their names; nobody can tell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from classad import ClassAd
from classad.ads.ad import SharedNames
from classad.files.ads import load_file, read_long

TEXT = (
    "Cpus = 4\nMemory = 1\nOwner = u\n\nCpus = 8\nMemory = 2\nOwner = v\n\nmemory = 3\nCpus = 1\n"
)

#: What changes an ad, or makes another one of it.
CHANGES: dict[str, Callable[[ClassAd], object]] = {
    "insert": lambda ad: ad.insert("Disk", 1),
    "insert another spelling": lambda ad: ad.insert("CPUS", 1),
    "attach": lambda ad: ad.attach("Rank", 1.0),
    "remove": lambda ad: ad.remove("cpus"),
    "set": lambda ad: ad.__setitem__("Load", 0.5),
    "pop": lambda ad: ad.pop("MEMORY", None),
    "update": lambda ad: ad.update({"Arch": "X86_64", "cpus": 2}),
    "clear": lambda ad: ad.clear(),
    "duplicate": lambda ad: ad.duplicate(),
    "unchained": lambda ad: ad.unchained(),
}


def _told(ad: ClassAd) -> list[tuple[str, str]]:
    return [(name, repr(value)) for name, value in zip(ad.names(), ad._attrs.values(), strict=True)]


def _unshared(ad: ClassAd) -> ClassAd:
    twin = ClassAd()
    for name in ad.names():
        twin.insert(name, ad.raw(name))
    return twin


def test_ads_with_the_same_names_share_them() -> None:
    first, second, third = read_long(TEXT)
    assert first._names is second._names
    assert isinstance(first._names, SharedNames)
    assert first._names is not third._names
    assert (list(first.names()), list(third.names())) == (
        ["Cpus", "Memory", "Owner"],
        ["memory", "Cpus"],
    )


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(sorted(CHANGES))), max_size=8))
def test_a_change_of_one_ad_is_not_seen_in_another(steps: list[tuple[int, str]]) -> None:
    ads = list(read_long(TEXT))
    alone = [_unshared(ad) for ad in ads]
    for place, what in steps:
        for some in (ads, alone):
            made = CHANGES[what](some[place])
            if isinstance(made, ClassAd):
                some.append(some[place])
                some[place] = made
    assert [_told(ad) for ad in ads] == [_told(ad) for ad in alone]


def test_a_nested_ad_that_is_handed_out_is_a_copy() -> None:
    (ad,) = read_long("Inner = [A = 1; B = A]\n")
    inner = ad["Inner"]
    inner["C"] = 3
    del inner["A"]
    assert list(inner) == ["B", "C"]
    assert list(ad["Inner"]) == ["A", "B"]


def test_loaded_ads_share_them_too(tmp_path: Path) -> None:
    path = tmp_path / "ads"
    path.write_text(TEXT)
    loaded = load_file(path)
    first, second, third = loaded.to_ads(ClassAd)
    assert first._names is second._names is loaded.ad(0, ClassAd)._names
    first.insert("Disk", 1)
    assert (
        list(second.names()) == list(loaded.ad(0, ClassAd).names()) == ["Cpus", "Memory", "Owner"]
    )
    assert list(third.names()) == ["memory", "Cpus"]
