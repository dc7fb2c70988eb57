"""Macros that do nothing without another one."""

from __future__ import annotations

import pytest

from tests.policy.test_lint import found, ids

PORTS = [
    "SHARED_PORT_PORT = 9618\n",
    "SHARED_PORT_ARGS = -p 9618\n",
    "SHARED_PORT_DEFAULT_ID = c\n",
]


@pytest.mark.parametrize("text", PORTS)
@pytest.mark.parametrize("off", ["False", "0", "1 > 2"])
def test_a_shared_port_needs_to_be_used(text: str, off: str) -> None:
    assert ids(f"{text}USE_SHARED_PORT = {off}\n") == [("P241", 1)]


@pytest.mark.parametrize("text", PORTS)
def test_it_is_used_unless_somebody_says_otherwise_and_where_a_master_starts_it(text: str) -> None:
    assert found(text) == []
    assert found(f"{text}USE_SHARED_PORT = True\n") == []
    assert found(f"{text}USE_SHARED_PORT = False\nSCHEDD.USE_SHARED_PORT = True\n") == []
    listed = "DAEMON_LIST = MASTER, SHARED_PORT, COLLECTOR, NEGOTIATOR\n"
    assert found(f"{text}USE_SHARED_PORT = False\n{listed}") == []


VOLUME = "DOCKER_MOUNT_VOLUMES = A\nDOCKER_VOLUME_DIR_A = /a\n"


@pytest.mark.parametrize(
    "condition",
    [
        *("WantA =?= True", "True", "TARGET.RequestMemory > 1024"),
        'Owner == "a"',
        "JobUniverse == 5",
    ],
)
def test_a_volume_may_have_a_condition(condition: str) -> None:
    assert found(f"{VOLUME}DOCKER_VOLUME_DIR_A_MOUNT_IF = {condition}\n") == []


def test_a_condition_without_its_volume_mounts_nothing() -> None:
    [item] = found(f"{VOLUME}DOCKER_VOLUME_DIR_B_MOUNT_IF = True\n")
    assert (item.id, item.line) == ("P241", 3)


def test_volumes_of_which_none_is_mounted_are_for_nothing() -> None:
    text = "DOCKER_VOLUMES = A, B\nDOCKER_VOLUME_DIR_A = /a\nDOCKER_VOLUME_DIR_B = /b\n"
    assert {(item.id, item.line) for item in found(text)} == {("P241", 2), ("P241", 3)}
    for some in ("A", "A, B", "b a"):
        assert found(f"{text}DOCKER_MOUNT_VOLUMES = {some}\n") == []


@pytest.mark.parametrize("condition", ["WantA ==", "(WantA", "WantA =? True"])
def test_a_condition_of_a_volume_that_does_not_parse_is_an_error(condition: str) -> None:
    """The starter ends at it."""
    [item] = found(f"{VOLUME}DOCKER_VOLUME_DIR_A_MOUNT_IF = {condition}\n")
    assert (item.id, item.severity) == ("P113", "error")


@pytest.mark.parametrize("condition", ["WantA", "TARGET.WantA == True", "WantA && True"])
def test_a_condition_of_a_volume_has_to_come_to_something_for_each_job(condition: str) -> None:
    """The starter ends where it is undefined, which it is not for jobs that have the attribute."""
    [item] = found(f"{VOLUME}DOCKER_VOLUME_DIR_A_MOUNT_IF = {condition}\n")
    assert (item.id, item.severity) == ("P117", "warning")


@pytest.mark.parametrize("verb", ["HOLD", "REMOVE", "RELEASE", "VACATE"])
@pytest.mark.parametrize("interval", ["0", "False"])
def test_nothing_is_periodic_without_an_interval(verb: str, interval: str) -> None:
    held = 5 if verb in ("REMOVE", "RELEASE") else 7
    text = f"SYSTEM_PERIODIC_{verb} = JobStatus == {held}\n"
    assert {one.id for one in found(f"{text}PERIODIC_EXPR_INTERVAL = {interval}\n")} == {"P241"}
    assert found(f"{text}PERIODIC_EXPR_INTERVAL = 300\n") == []
    assert found(text) == []


@pytest.mark.parametrize(
    "line",
    ["ROTATE_HISTORY_DAILY = True", "MAX_HISTORY_ROTATIONS = 9", "MAX_HISTORY_LOG = 9000000"],
)
def test_a_history_that_is_not_rotated_has_no_size(line: str) -> None:
    assert [one.id for one in found(f"ENABLE_HISTORY_ROTATION = False\n{line}\n")] == ["P241"]
    assert found(f"ENABLE_HISTORY_ROTATION = True\n{line}\n") == found(f"{line}\n") == []


NO_PREEMPTION = "NEGOTIATOR_CONSIDER_PREEMPTION = False\n"


@pytest.mark.parametrize(
    "line",
    [
        "PREEMPTION_RANK = -JobPrio",
        "ALLOW_PSLOT_PREEMPTION = True",
    ],
)
def test_who_would_come_instead_does_not_matter_where_nobody_has_to_go(line: str) -> None:
    ids = {one.id for one in found(f"{NO_PREEMPTION}{line}\n")}
    assert ids - {one.id for one in found(f"{line}\n")} == {"P241"}


@pytest.mark.parametrize(
    "line",
    [
        'RANK = (TARGET.Owner == "alice") * 10',
        'DedicatedScheduler = "DedicatedScheduler@ap"\nSTARTD_ATTRS = DedicatedScheduler\n'
        "RANK = TARGET.Scheduler =?= MY.DedicatedScheduler",
        "NEGOTIATOR_PRE_JOB_RANK = Cpus",
    ],
)
def test_what_is_no_wish_to_send_anybody_away_is_left_alone(line: str) -> None:
    """RANK orders slots, too: the built-in NEGOTIATOR_PRE_JOB_RANK begins with My.Rank."""
    assert "P241" not in {one.id for one in found(f"{NO_PREEMPTION}{line}\n")}


@pytest.mark.parametrize("most", ["MAX_WHOLE_MACHINES", "MAX_CONCURRENT_DRAINING"])
def test_nothing_is_drained_where_none_may_be(most: str) -> None:
    listed = "DAEMON_LIST = MASTER, COLLECTOR, NEGOTIATOR, DEFRAG\n"
    text = f"{listed}DEFRAG_DRAINING_MACHINES_PER_HOUR = 2\n"
    (item,) = found(f"{text}DEFRAG_{most} = 0\n")
    assert (item.id, item.line) == ("P241", 1)
    for number in ("-1", "8"):
        assert found(f"{text}DEFRAG_{most} = {number}\n") == []


@pytest.mark.parametrize("form", ["MACHINE_RESOURCE_{} = 2", "MACHINE_RESOURCE_INVENTORY_{} = /x"])
def test_where_resources_are_listed_others_count_for_nothing(form: str) -> None:
    """The startd of 25.14.1: `... is not in MACHINE_RESOURCE_NAMES so it will have no effect`."""
    assert ids(f"MACHINE_RESOURCE_NAMES = FPGA\n{form.format('FPGAs')}\n") == [("P241", 2)]
    assert ids(f"MACHINE_RESOURCE_NAMES = TPU, fpgas\n{form.format('FPGAs')}\n") == []
    assert ids(f"{form.format('FPGAs')}\n") == []
    extended = "MACHINE_RESOURCE_NAMES = $(MACHINE_RESOURCE_NAMES) TPU"  # of another file's
    assert ids(f"{extended}\n{form.format('FPGAs')}\n") == []


def test_types_of_slots_say_how_many_slots_there_are() -> None:
    """Asked of 25.14.1: with NUM_SLOTS = 4 beside NUM_SLOTS_TYPE_1 = 1 it makes one slot."""
    types = "SLOT_TYPE_1 = 50%\nNUM_SLOTS_TYPE_1 = 2\n"
    assert ids(f"{types}NUM_SLOTS = 4\n") == [("P241", 3)]
    for same in ("2", "1", "$(DETECTED_CPUS)"):
        assert ids(f"{types}NUM_SLOTS = {same}\n") == []
    assert ids("NUM_SLOTS = 4\n") == []


@pytest.mark.parametrize(
    ("alone", "other"),
    [
        ("ENABLE_BACKFILL = True\n", "BACKFILL_SYSTEM = BOINC\n"),
        ("SLOT1_CPU_AFFINITY = 0,1\n", "ENFORCE_CPU_AFFINITY = True\n"),
        (
            "CCB_REQUIRED_TO_START = True\nUSE_SHARED_PORT = False\n",
            "CCB_ADDRESS = ccb.example.edu:9618\n",
        ),
        (
            "CCB_REQUIRED_TO_START = True\nCCB_ADDRESS = ccb.example.edu:9618\n",
            "USE_SHARED_PORT = False\n",
        ),
        (
            "NEGOTIATOR_CONSIDER_EARLY_PREEMPTION = True\n",
            "NEGOTIATOR_CONSIDER_PREEMPTION = True\n",
        ),
    ],
)
def test_what_counts_with_another_only_does_nothing_without_it(alone: str, other: str) -> None:
    off = "NEGOTIATOR_CONSIDER_PREEMPTION = False\n" if "EARLY" in alone else ""
    assert ("P241", 1) in ids(alone + off)
    assert ("P241", 1) not in ids(alone + other)
    switched_off = alone.replace("True", "False", 1)
    assert switched_off == alone or ("P241", 1) not in ids(switched_off + off)


def test_a_cron_lists_names_and_runs_what_has_a_condition_that_parses() -> None:
    """The startd of 25.14.1 skips both jobs, and says so in its log alone."""
    job = "STARTD_CRON_PROBE_EXECUTABLE = /srv/probe\nSTARTD_CRON_PROBE_PERIOD = 5m\n"
    assert ids("DAEMON_LIST = MASTER STARTD\nSTARTD_CRON_JOBLIST = PROBE:/srv/probe:5m\n") == [
        ("P211", 2)
    ]
    listed = f"STARTD_CRON_JOBLIST = PROBE\n{job}STARTD_CRON_PROBE_CONDITION ="
    assert ids(f"{listed} State ==\n") == [("P113", 4)]
    assert ids(f'{listed} State == "Unclaimed" && Cpus > 4\n') == []


@pytest.mark.parametrize("given", ["", "MIN_TRACKING_GID = 750\n", "MAX_TRACKING_GID = 757\n"])
def test_groups_for_jobs_need_a_range(given: str) -> None:
    """The master of 25.14.1 ends if root starts it: `MIN_TRACKING_GID is 0`."""
    text = f"DAEMON_LIST = MASTER, STARTD\nUSE_GID_PROCESS_TRACKING = True\n{given}"
    [item] = [one for one in found(text) if one.line == 2]
    assert (item.id, item.severity) == ("P241", "error")
    both = "MIN_TRACKING_GID = 750\nMAX_TRACKING_GID = 757\n"
    assert found(f"DAEMON_LIST = MASTER, STARTD\nUSE_GID_PROCESS_TRACKING = True\n{both}") == []
    off = f"DAEMON_LIST = MASTER, STARTD\nUSE_GID_PROCESS_TRACKING = False\n{given}"
    assert all(one.line != 2 for one in found(off))
