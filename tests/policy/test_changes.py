"""Which macros two configurations have otherwise, and where each of them acts."""

from __future__ import annotations

import pytest

from policy.config import Config, load_config
from policy.explain.changes import Acts, ChangedMacro, changed
from policy.io import builtin_library
from policy.language.sources import MemorySources
from policy.language.table import Context


def config(text: str) -> Config:
    sources, library = MemorySources({"c": text}), builtin_library()
    return load_config("c", sources, library, context=Context("NEGOTIATOR"), keep_going=True)


def between(before: str, after: str) -> dict[str, ChangedMacro]:
    return {one.macro: one for one in changed(config(before), config(after))}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("START = a  &&  B\n", "START = (A && b)\n"),
        ("PREEMPTION_REQUIREMENTS = False\n", ""),
        ("", "START = TRUE\n"),
        ("SLOT_WEIGHT = Cpus\n", ""),
        ("NEGOTIATOR_INTERVAL = 60\n", "NEGOTIATOR_INTERVAL = 30 + 30\n"),
        ("GROUP_NAMES = a, b\n", "GROUP_NAMES = a b\n"),
    ],
)
def test_what_means_the_same_is_no_change(before: str, after: str) -> None:
    assert between(before, after) == {}


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("PREEMPTION_REQUIREMENTS = True", Acts.CYCLE),
        ("GROUP_QUOTA_a.b = 3", Acts.CYCLE),
        ("X_LIMIT = 3", Acts.CYCLE),
        ("START = False", Acts.SLOTS),
        ("SLOT_TYPE_2_RANK = 3", Acts.SLOTS),
        ("STARTD.START = False", Acts.SLOTS),
        ("SLOT1_STARTD_ATTRS = A", Acts.SLOTS),
        ("JOB_TRANSFORM_NAMES = A", Acts.JOBS),
        ("SUBMIT_REQUIREMENT_A_REASON = 3", Acts.JOBS),
        ("JOB_DEFAULT_REQUESTMEMORY = 3", Acts.JOBS),
        ("APPEND_REQUIREMENTS = true", Acts.JOBS),
        ("SYSTEM_PERIODIC_HOLD = true", Acts.JOBS),
        ("CLAIM_WORKLIFE = 3", Acts.BETWEEN),
        ("NEGOTIATOR_INTERVAL = 7", Acts.BETWEEN),
        ("NUM_SLOTS = 3", Acts.NOT_FOLLOWED),
        ("SLOT_TYPE_1 = cpus=1", Acts.NOT_FOLLOWED),
        ("PREEMPT = true", Acts.BETWEEN),
        ("SLOT_TYPE_1_KILL = true", Acts.NOT_FOLLOWED),
        ("CONSUMPTION_POLICY = true", Acts.NOT_FOLLOWED),
        ("SLOT_TYPE_1_CONSUMPTION_MEMORY = 512", Acts.NOT_FOLLOWED),
        ("NUM_CLAIMS = 4", Acts.NOT_FOLLOWED),
        ("MUST_MODIFY_REQUEST_EXPRS = true", Acts.NOT_FOLLOWED),
        ("STARTD_RESOURCE_PREFIX = part", Acts.NOT_FOLLOWED),
        ("PSLOT_REQUIREMENTS_CLAUSES = (Cpus > 1)", Acts.NOT_FOLLOWED),
        ("STARTD_HEALTH_EXPRS = A", Acts.NOT_FOLLOWED),
        ("SLOTS_CONNECTED_TO_CONSOLE = 1", Acts.NOT_FOLLOWED),
        ("DAEMON_SHUTDOWN = true", Acts.NOT_FOLLOWED),
        ("CURB_MATCHMAKING = false", Acts.NOT_FOLLOWED),
        ("FLOCK_TO = other", Acts.NOT_FOLLOWED),
        ("UPDATE_INTERVAL = 10", Acts.NOWHERE),
        ("JOB_ROUTER_ROUTE_NAMES = A", Acts.NOT_FOLLOWED),
        ("n1.START = False", Acts.NOT_FOLLOWED),
        ("COLLECTOR_NAME = x", Acts.NOWHERE),
        ("Mine = 3", Acts.NOWHERE),
    ],
)
def test_where_a_macro_acts(text: str, acts: Acts) -> None:
    name = text.partition(" ")[0]
    found = between("", f"{text}\n")[name]
    assert found.acts is acts
    assert bool(found.why) is (acts is Acts.NOT_FOLLOWED)


def test_a_macro_that_others_refer_to_acts_through_these() -> None:
    found = between("START = Cpus > $(Least)\nLeast = 1\n", "START = Cpus > $(Least)\nLeast = 2\n")
    assert {name: one.acts for name, one in found.items()} == {
        "START": Acts.SLOTS, "Least": Acts.PART,
    }  # fmt: skip
    assert (found["START"].before, found["START"].after) == ("Cpus > 1", "Cpus > 2")


def test_what_startd_attrs_lists_acts_in_the_slots() -> None:
    listed = "STARTD_ATTRS = Site\nSLOT_TYPE_1_STARTD_ATTRS = Site\n"
    found = between(listed, f'{listed}Site = "x"\nSLOT_TYPE_1_Site = "y"\n')
    assert {one.acts for one in found.values()} == {Acts.SLOTS}


def test_macros_of_a_startd_with_a_local_name_are_those_of_a_startd() -> None:
    named = "n1.STARTD_NAME = node1\n"
    found = between(named, f"{named}n1.START = False\nn1.NUM_SLOTS = 3\n")
    assert [one.acts for one in found.values()] == [Acts.SLOTS, Acts.NOT_FOLLOWED]


def test_a_change_says_where_it_stands() -> None:
    found = between("", "\nSTART = False\n")["START"]
    assert (found.before, found.after, found.place) == ("True", "False", "c, line 2")
