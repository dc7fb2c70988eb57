"""Ads and expressions to HTCondor's own module and back."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import Any

import pytest

from classad import ClassAd, ExprTree, Value, from_classad2, to_classad2

AD = ClassAd(
    '[Name = "slot1"; Cpus = 4; Big = -9223372036854775807 - 1; Busy = true; U = undefined; '
    'E = error; Rank = TARGET.JobPrio * 2 + f("x"); L = {1, Cpus, {2.5}}; '
    'N = [a = 1; M = [b = a]]; S = "\\303\\251 \\"q\\" \\\\ \\n"; R = relTime("1:00"); '
    'T = absTime("2024-01-02T03:04:05-06:00")]'
)
AD["Third"] = 1 / 3
AD["Tiny"] = 5e-324
AD["Odd name"] = 0.1 + 0.2
AD["N2"] = ClassAd({"x": 1 / 3})


def real() -> Any:
    return pytest.importorskip("classad2", reason="the htcondor wheel is not installed")


@pytest.mark.live
def test_there_and_back() -> None:
    real()
    theirs = to_classad2(AD)
    assert type(theirs).__module__.startswith("classad2")
    assert sorted(theirs) == sorted(AD)
    assert theirs["Third"] == 1 / 3
    assert theirs["Odd name"] == 0.1 + 0.2
    ours = from_classad2(theirs)
    assert type(ours) is ClassAd
    assert ours == AD
    assert ours["Tiny"] == 5e-324
    assert ours["N2"]["x"] == 1 / 3
    assert repr(ours.lookup("T")) == 'absTime("2024-01-02T03:04:05-06:00")'


@pytest.mark.live
def test_what_they_evaluate_to() -> None:
    theirs = to_classad2(AD)
    real()
    for name in ("Name", "Cpus", "Busy", "S", "R", "Third"):
        assert theirs.eval(name) == AD.eval(name)
    assert AD["T"] == theirs["T"] == datetime(2024, 1, 2, 9, 4, 5, tzinfo=UTC)


@pytest.mark.live
def test_expressions() -> None:
    classad2 = real()
    tree = ExprTree('MY.a < TARGET.b && f("x") =?= undefined')
    theirs = to_classad2(tree)
    assert isinstance(theirs, classad2.ExprTree)
    assert str(theirs) == str(tree)
    assert from_classad2(theirs) == tree


@pytest.mark.live
def test_bytes_that_are_not_utf8() -> None:
    real()
    ad = ClassAd({"a": b"caf\xe9"})
    again = from_classad2(to_classad2(ad))
    assert repr(again) == repr(ad) == '[ a = "caf\\351" ]'


@pytest.mark.live
def test_their_subclasses_and_empty_ads() -> None:
    classad2 = real()

    class Slot(classad2.ClassAd):  # type: ignore[misc,name-defined]
        pass

    assert from_classad2(Slot("[a = 1]")) == ClassAd("[a = 1]")
    assert from_classad2(classad2.ClassAd()) == ClassAd()
    assert len(to_classad2(ClassAd())) == 0


@pytest.mark.parametrize("wrong", [None, 5, {"a": 1}, Value.Error, AD, ExprTree("a")])
def test_what_is_not_theirs(wrong: Any) -> None:
    with pytest.raises(TypeError, match="no ad or expression of classad2"):
        from_classad2(wrong)


def test_what_is_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TypeError, match="must be a ClassAd or an ExprTree"):
        to_classad2({"a": 1})  # type: ignore[call-overload]
    monkeypatch.setitem(sys.modules, "classad2", None)
    with pytest.raises(ImportError, match="pip install htcondor"):
        to_classad2(AD)
