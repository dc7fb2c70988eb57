"""What is taken of an ad at once: several values, several attributes."""

from __future__ import annotations

import pytest

from classad import ClassAd, ExprTree
from classad.ads.ad import ListValue, as_bool, as_number, as_string
from classad.language.values import ERROR, UNDEFINED

_NAMES = ("cpus", "load", "owner", "missing", "busy")


def _one_by_one(ad: ClassAd) -> list[object]:
    return [ad.evaluate_attr(name) for name in _NAMES]


def test_values_at_once_are_those_of_one_after_the_other() -> None:
    plain = ClassAd('[Cpus = 4; Load = 0.5; Owner = "u"; Busy = true]')
    assert plain.evaluate_all(_NAMES) == [4, 0.5, "u", UNDEFINED, True]
    computed = ClassAd("[Cpus = 2 * 4; Load = {1}; Owner = Missing; Busy = error]")
    heir = ClassAd("[Cpus = 1]")
    heir.chain(plain)
    nested = ClassAd("[Cpus = 1]")
    nested._parent = ClassAd('[Owner = "u"]')
    for ad in (plain, computed, heir, nested):
        found = ad.evaluate_all(_NAMES)
        assert list(map(type, found)) == list(map(type, _one_by_one(ad)))
        assert found[0] == _one_by_one(ad)[0]
    assert computed.evaluate_all(("cpus", "owner", "busy")) == [8, UNDEFINED, ERROR]
    assert heir.evaluate_all(("cpus", "owner")) == [1, "u"]
    assert nested.evaluate_all(("cpus", "owner")) == [1, "u"]


def test_values_as_the_daemons_take_them() -> None:
    values = (True, 0, 2.5, "1", UNDEFINED, ERROR)
    assert [as_number(value) for value in values] == [1, 0, 2.5, None, None, None]
    assert [as_bool(value) for value in values] == [True, False, True, None, None, None]
    assert [as_string(value) for value in values] == [None, None, None, "1", None, None]


def test_an_extract_has_its_own_parts() -> None:
    ad = ClassAd("[CPUs = 4; Inner = [X = Cpus]; List = {Cpus}; Rank = Cpus]")
    part = ad.extract(["list", "cpus", "inner"])
    assert list(part.names()) == ["List", "CPUs", "Inner"]
    part.insert("cpus", 8)
    assert ExprTree("Inner.X").eval(part) == 8
    assert ExprTree("Inner.X").eval(ad) == 4
    members = part.evaluate_attr("List")
    assert isinstance(members, ListValue)
    assert members is not ad.evaluate_attr("List")
    assert ExprTree("List[0]").eval(part) == 8


def test_pop_takes_own_attributes_only() -> None:
    """As ``del`` does, and ``collections.ChainMap.pop``: a parent's attribute is not the ad's."""
    job = ClassAd("[ProcId = 0]")
    job.chain(ClassAd("[ClusterId = 10]"))
    assert job.pop("clusterid", "none") == "none"
    assert job.pop("ClusterId", default=None) is None
    with pytest.raises(KeyError, match="ClusterId"):
        job.pop("ClusterId")
    assert job["ClusterId"] == 10
    job["ClusterId"] = 11
    assert job.pop("ClusterId") == 11
    assert job["ClusterId"] == 10
    assert [job.pop("PROCID", None), job.pop("ProcId", None), len(job)] == [0, None, 0]
