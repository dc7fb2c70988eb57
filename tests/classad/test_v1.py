"""Programs for version 1 of HTCondor's bindings run as they did."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

import classad
import classad.v1
from classad import ClassAd, ExprTree, V1Warning
from classad.binding import expr
from classad.binding.ambient import REGISTERED
from tests.cases import every_case
from tests.classad.v1_outcomes import outcome, recorded


@pytest.fixture(autouse=True)
def _utc_and_nothing_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As when the programs were recorded: no error before, and registered functions do not stay."""
    before = dict(REGISTERED)
    monkeypatch.setattr(expr, "_pending", [])
    monkeypatch.setattr(expr, "_text", "")
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    REGISTERED.clear()
    REGISTERED.update(before)
    monkeypatch.undo()
    time.tzset()


@every_case("row", recorded(), name=lambda row: row["program"].replace("\n", "; "))
def test_programs(row: dict[str, Any]) -> None:
    found = outcome(row["program"], classad.v1)
    assert json.loads(json.dumps(found)) == row.get("here", row["v1"])
    assert ("here" in row) == bool(row.get("why")) == (row.get("here", row["v1"]) != row["v1"])


def test_every_name_of_version_1_is_there() -> None:
    for name in classad.v1.__all__:
        assert getattr(classad.v1, name).__doc__ or name == "Value", name


def test_absolute_times_are_local_and_naive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/Chicago")
    time.tzset()
    ad = classad.v1.ClassAd('[at = absTime("2013-11-12T07:50:23Z")]')
    assert str(ad["at"]) == str(ad.eval("at")) == "2013-11-12 01:50:23"


def test_a_silent_difference_is_warned_of() -> None:
    ad = ClassAd("[x = y + 1; y = 2; same = 1 + 1; none = undefined + 1]")
    with pytest.warns(V1Warning, match=r"`y \+ 1` is evaluated without the ad .*classad.v1"):
        assert ad["x"].eval() is classad.Value.Undefined
    with pytest.warns(V1Warning, match=r"`y \+ 1` is true whatever its value is") as caught:
        assert bool(ad["x"])
    assert caught[0].filename == __file__


def test_what_means_the_same_is_not_warned_of() -> None:
    ad = ClassAd("[x = y + 1; y = 2; same = 1 + 1; none = undefined + 1]")
    assert ad["x"].eval(ad) == ad.eval("x") == 3
    assert ad["x"].eval(ClassAd()) is classad.Value.Undefined
    assert ad["same"].eval() == 2
    assert ad["none"].eval() is classad.Value.Undefined
    assert ad["same"]
    assert ExprTree("y").eval() is classad.Value.Undefined
    assert ExprTree("y")
    assert classad.v1.ClassAd("[l = {y}]")["l"][0].eval() == classad.v1.Value.Undefined
