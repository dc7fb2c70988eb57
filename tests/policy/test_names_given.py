"""Names that a configuration gives: of schedds, of limits, of expressions that are latched."""

from __future__ import annotations

import pytest

from tests.policy.test_lint import found, ids

LISTED = "STARTD_ATTRS = $(STARTD_ATTRS), DedicatedScheduler\n"
WHOLE = "DAEMON_LIST = MASTER, SCHEDD, STARTD, JOB_ROUTER\n"


@pytest.mark.parametrize(
    "value",
    [
        '"DedicatedScheduler@"',
        '"submit.example.edu"',
        '"DedicatedScheduler"',
        '""',
        '"Dedicated@s"',
    ],
)
@pytest.mark.parametrize("listed", ["", LISTED])
def test_parallel_jobs_run_where_a_schedd_is_named(value: str, listed: str) -> None:
    assert ids(f"DedicatedScheduler = {value}\n{listed}") == [("P130", 1)]


@pytest.mark.parametrize(
    "value",
    [
        *('"DedicatedScheduler@submit.example.edu"', '"dedicatedscheduler@s1@submit.example.edu"'),
        *('"DedicatedScheduler@$(FULL_HOSTNAME)"', 'strcat("DedicatedScheduler@", "s")', ""),
    ],
)
@pytest.mark.parametrize("listed", ["", LISTED])
def test_a_schedd_has_any_name(value: str, listed: str) -> None:
    """The startd publishes it without being told: SYSTEM_STARTD_ATTRS lists it."""
    assert found(f"DedicatedScheduler = {value}\n{listed}") == []


@pytest.mark.parametrize("listed", ["", LISTED])
def test_the_name_of_a_schedd_stands_in_quotes(listed: str) -> None:
    [item] = found(f"DedicatedScheduler = DedicatedScheduler@submit.example.edu\n{listed}")
    assert item.line == 1


@pytest.mark.parametrize("name", ["3D", "3d.x", "x.3d", "2024"])
def test_no_job_can_ask_for_a_limit_whose_name_is_none(name: str) -> None:
    assert ids(f"{name}_LIMIT = 5\n") == [("P130", 1)]


@pytest.mark.parametrize("name", ["D3", "x.d3", "matlab", "Large_Files", "x_3"])
def test_it_can_ask_for_any_other(name: str) -> None:
    assert found(f"{name}_LIMIT = 5\nCONCURRENCY_LIMIT_DEFAULT_x = 7\n") == []


@pytest.mark.parametrize("name", ["Nowhere", "State", "TotalLoadAvg"])
def test_what_is_latched_is_a_macro_and_no_attribute(name: str) -> None:
    [item] = found(f"{WHOLE}STARTD_LATCH_EXPRS = {name}\n")
    assert (item.id, item.severity) == ("P211", "warning")
    assert found(f"{WHOLE}STARTD_LATCH_EXPRS = {name}\n{name} = Cpus > 5\n") == []


@pytest.mark.parametrize("slot", ["SLOT1", "SLOT_TYPE_1"])
def test_a_slot_has_a_list_of_attributes_for_itself(slot: str) -> None:
    text = f"{WHOLE}NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = 100%\n{slot}_STARTD_ATTRS = Rack\n"
    assert ids(text) == [("P211", 4)]
    assert found(f"{text}Rack = 5\n") == []
    assert found(f"{text}{slot}_Rack = 5\n") == []


ROUTE = (
    "JOB_ROUTER_ROUTE_NAMES = Here\nJOB_ROUTER_ROUTE_Here @=end\n  REQUIREMENTS true\n  {}\n@end\n"
)


@pytest.mark.parametrize("line", ["SET Site 1", "MaxJobs = 50", "EVALSET Site 1 + 1"])
def test_a_route_that_names_no_universe_needs_a_place_in_the_grid(line: str) -> None:
    """It is one of the grid universe."""
    [item] = found(f"{WHOLE}{ROUTE.format(line)}")
    assert (item.id, item.line) == ("P250", 3)


@pytest.mark.parametrize(
    "line",
    [
        *("UNIVERSE VANILLA", "TargetUniverse = 5", "SET JobUniverse 5", "universe vanilla"),
        *('GridResource = "batch slurm"', 'SET GridResource "batch slurm"'),
    ],
)
def test_it_may_name_a_universe_or_a_place(line: str) -> None:
    assert found(f"{WHOLE}{ROUTE.format(line)}") == []


def test_transforms_of_all_routes_may_name_it() -> None:
    transform = (
        "JOB_ROUTER_POST_ROUTE_TRANSFORM_NAMES = T\n"
        "JOB_ROUTER_TRANSFORM_T @=end\n  SET JobUniverse 5\n@end\n"
    )
    assert found(f"{WHOLE}{ROUTE.format('SET Site 1')}{transform}") == []
