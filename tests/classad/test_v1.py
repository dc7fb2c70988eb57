"""Programs for version 1 of HTCondor's bindings run as they did.

``v1_programs.jsonl`` has small programs, what the real module made of each (its first line says
which), and where that differs what is made of it here, and why.  ``python tests/classad/test_v1.py``,
run with that module, records them anew.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).with_name("v1_programs.jsonl")
NAMES = ("ClassAd", "ExprTree", "Value", "Attribute", "Literal", "Function")


def outcome(program: str, module: Any) -> list[Any]:
    """What the last line of a program gives, or the exception that ends the program."""
    *before, last = program.split("\n")
    names = {"classad": module, **{name: getattr(module, name) for name in NAMES}}
    try:
        exec("\n".join(before), names)
        return told(eval(last, names), module)
    except Exception as problem:
        # Boost's own exception for wrong arguments is a TypeError.
        kind = type(problem).__name__
        return ["raises", "TypeError" if kind == "ArgumentError" else kind]


def told(value: Any, module: Any) -> list[Any]:
    """A value as JSON, with its type."""
    if isinstance(value, module.ClassAd):
        return [
            "ClassAd",
            {name: told(value.lookup(name), module) for name in sorted(value.keys())},
        ]
    if isinstance(value, module.ExprTree):
        return ["ExprTree", str(value)]
    if isinstance(value, module.Value):
        return ["Value", str(value)]
    if isinstance(value, dict):
        return ["dict", {name: told(item, module) for name, item in sorted(value.items())}]
    if isinstance(value, list | tuple):
        return [type(value).__name__, [told(item, module) for item in value]]
    if isinstance(value, float):
        return ["float", repr(value)]
    if hasattr(value, "isoformat"):
        return ["datetime", value.isoformat()]
    return [type(value).__name__, value]


def recorded() -> list[dict[str, Any]]:
    return [json.loads(line) for line in PROGRAMS.read_text().splitlines()[1:]]


if __name__ == "__main__":
    import_module("htcondor")
    real = import_module("classad")
    warnings.simplefilter("ignore")
    for row in recorded():
        print(json.dumps({**row, "v1": outcome(row["program"], real)}))
    sys.exit()

import pytest

import classad
import classad.v1
from classad import ClassAd, ExprTree, V1Warning
from classad.binding.ambient import REGISTERED


@pytest.fixture(autouse=True)
def _utc_and_no_functions_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As when the programs were recorded; the functions that they register do not stay."""
    before = dict(REGISTERED)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    REGISTERED.clear()
    REGISTERED.update(before)
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("row", recorded(), ids=lambda row: row["program"].replace("\n", "; "))
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
