"""``pieslice.simulate`` and ``sweep`` begin with what their arguments say, as the commands do."""

from __future__ import annotations

import inspect
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from attr import evolve

import pieslice
from pieslice.api import simulations
from pieslice.cli import build_parser
from pieslice.command_line import parsers_of
from pieslice.simulation.setup import Plan

ROWS = ({"submit": 0, "user": "a", "run_time": 60},)
PLAIN = Plan("2", ROWS, 86_400)


def planned(**arguments: Any) -> Plan:
    """The plan of a simulation with these arguments."""
    given: dict[str, Any] = {
        name: parameter.default
        for name, parameter in inspect.signature(pieslice.simulate).parameters.items()
        if name not in ("workload", "policies", "pool", "seed", "seeds", "series")
    }
    return simulations._plan(ROWS, arguments.pop("pool", 2), **{**given, **arguments})


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, {}),
        ({"days": 0.5}, {"seconds": 43_200}),
        ({"days": 1e-5}, {"seconds": 1}),
        ({"now": 5.9}, {"now": 5}),
        ({"now": 0}, {"now": 0}),
        ({"now": datetime(2027, 1, 15, 8, tzinfo=UTC)}, {"now": 1_800_000_000}),
        ({"machines": Path("m.csv")}, {"machines": "m.csv"}),
        ({"every": 0.5}, {"every": 1800}),
        ({"run_time": 1}, {"run_time": 1}),
        ({"claim_worklife": 0}, {"worklife": 0}),
        ({"claim_worklife": -1}, {"worklife": -1}),
        ({"retirement": 0}, {"retirement": 0}),
        ({"vacate": 0}, {"vacate": 0}),
        ({"fresh": True}, {"fresh": True}),
        ({"pool": "3x4"}, {"pool": "3x4"}),
        ({"pool": Path("folder")}, {"pool": "folder"}),
    ],
)
def test_arguments_of_a_simulation(arguments: dict[str, Any], expected: dict[str, Any]) -> None:
    assert planned(**arguments) == evolve(PLAIN, **expected)


@pytest.mark.parametrize(
    "arguments",
    [
        {"days": 0}, {"days": -1}, {"days": float("inf")}, {"days": float("nan")}, {"every": -0.1},
        {"every": float("inf")}, {"run_time": 0}, {"run_time": 1.5}, {"vacate": -1},
        {"vacate": 0.5}, {"pool": 1.5}, {"pool": None},
    ],
)  # fmt: skip
def test_arguments_that_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(pieslice.Error, match=next(iter(arguments))):
        planned(**arguments)


@pytest.mark.parametrize("arguments", [{"series": 0}, {"seeds": 0}, {"seeds": 1.5}])
def test_whole_numbers_of_at_least_one(arguments: dict[str, Any]) -> None:
    with pytest.raises(pieslice.Error, match="is not a whole number of at least 1"):
        pieslice.simulate(1, ROWS, days=0.001, **arguments)


def test_arguments_have_the_defaults_of_the_options() -> None:
    commands = list(parsers_of(build_parser()))
    for name, function, others in (
        ("simulate", pieslice.simulate, {"days": 1.0}),
        ("sweep", pieslice.sweep, {"days": 1.0, "seeds": (0,)}),
    ):
        (parser,) = (it for it in commands if it.prog == f"pieslice {name}")
        defaults = {it.dest: it.default for it in parser._actions}
        for parameter in inspect.signature(function).parameters.values():
            if parameter.default is not parameter.empty and parameter.name in defaults:
                expected = others.get(parameter.name, defaults[parameter.name])
                assert parameter.default == expected, (name, parameter.name)


def test_policies_by_name() -> None:
    one, two = Path("one"), "two"
    found = simulations._by_name([one, two], PLAIN)
    assert found == [("one", one), ("two", two)]
    assert simulations._by_name(one, PLAIN) == [("one", one)]
    assert simulations._by_name(None, PLAIN) == [("the defaults", None)]
    assert simulations._by_name(None, evolve(PLAIN, config="c")) == [("c", None)]
    assert simulations._by_name(None, evolve(PLAIN, pool=".")) == [("the pool's policy", None)]
    named = {f"p{number}": None for number in range(26)}
    assert simulations._by_name(named, PLAIN) == list(named.items())
    for wrong, said in (
        ([], "at least one"), ({}, "at least one"), ([one, "one"], "the same name"),
        ({**named, "more": None}, "27 are more than 26"),
    ):  # fmt: skip
        with pytest.raises(pieslice.Error, match=said):
            simulations._by_name(wrong, PLAIN)  # type: ignore[arg-type]


def test_policies_of_all_kinds() -> None:
    assert simulations._under(PLAIN, None) == PLAIN
    assert simulations._under(PLAIN, "c").config == "c"
    assert simulations._under(PLAIN, Path("c")).config == "c"
    given = evolve(PLAIN, settings=(("CLAIM_WORKLIFE", "1"),))
    found = simulations._under(given, {"CLAIM_WORKLIFE": 2, "USE_GLOBAL_JOB_PRIOS": True})
    pairs = (("CLAIM_WORKLIFE", "1"), ("CLAIM_WORKLIFE", "2"), ("USE_GLOBAL_JOB_PRIOS", "true"))
    assert found == evolve(PLAIN, settings=pairs)
    with pytest.raises(pieslice.Error, match="`3` is not a configuration"):
        simulations._under(PLAIN, 3)  # type: ignore[arg-type]


def test_seeds_and_rows_of_a_simulation() -> None:
    found = pieslice.simulate(1, ROWS, {"a": None, "b": None}, days=0.002, seed=4, seeds=2)
    assert (found.policies, found.seeds) == (("a", "b"), (4, 5))
    assert [row["seed"] for row in found.runs] == [4, 5, 4, 5]
    assert [row["event"] for row in found.events[:3]] == ["submit", "start", "finish"]
    assert found.series[0]["time"] == 0
    assert found.summary_of("b", 5)["completed"] == 1
    alone = pieslice.simulate(1, ROWS, days=0.002, series=60)
    assert [row["time"] for row in alone.series if row["kind"] == "pool"] == [0, 60, 120]
