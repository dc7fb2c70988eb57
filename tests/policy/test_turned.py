"""Conditions that are turned round, and what operators get."""

from __future__ import annotations

import pytest

from tests.policy.test_lint import ids

NODE = "DAEMON_LIST = MASTER, STARTD\n"
IN_USE = ("KeyboardIdle < 900", "900 >= ConsoleIdle", "(LoadAvg - CondorLoadAvg) >= 0.8")
AT_REST = ("KeyboardIdle > 900", "60 < ConsoleIdle", "(LoadAvg - CondorLoadAvg) <= 0.3")


def names(text: str) -> list[str]:
    return [name for name, _ in ids(text)]


@pytest.mark.parametrize("part", IN_USE)
def test_jobs_run_while_nobody_uses_the_machine(part: str) -> None:
    assert names(f"START = {part}\n") == ["P437"]
    assert names(f"START = {part} && TARGET.RequestCpus < 3\n") == ["P437"]
    # Another alternative may be for a machine that is at rest.
    assert names(f"START = {part} || TARGET.RequestCpus < 3\n") == []
    assert names(f"WANT_SUSPEND = True\nSUSPEND = {part}\nCONTINUE = False\n") == []


@pytest.mark.parametrize("part", AT_REST)
def test_jobs_give_way_to_who_uses_the_machine(part: str) -> None:
    assert names(f"START = {part}\n") == []
    assert names(f"PREEMPT = {part}\n") == ["P437"]
    assert names(f"PREEMPT = {part} || TARGET.RequestCpus < 3\n") == ["P437"]
    assert names(f"PREEMPT = {part} && JobUniverse == 5\n") == []


@pytest.mark.parametrize("kind", ["Local", "Scheduler"])
def test_jobs_of_the_schedd_s_machine_start_while_few_of_them_run(kind: str) -> None:
    macro, count = f"START_{kind.upper()}_UNIVERSE", f"Total{kind}JobsRunning"
    assert names(f"{macro} = {count} > 20\n") == names(f"{macro} = {count} >= 1\n") == ["P437"]
    for text in (f"{count} < 20", f"20 >= {count}", f"{count} >= 0 || Owner == {count}"):
        assert "P437" not in names(f"{macro} = {text}\n")


def test_a_requirement_of_submission_leaves_vanilla_jobs_in() -> None:
    head = "SUBMIT_REQUIREMENT_NAMES = A\nSUBMIT_REQUIREMENT_A = "
    assert names(f"{head}JobUniverse == 7 && ProjectName isnt undefined\n") == ["P437"]
    for text in ("JobUniverse == 7 || ProjectName isnt undefined", "JobUniverse == 5"):
        assert names(f"{head}{text}\n") == []


def test_a_partitionable_slot_runs_no_job_and_is_asked_first() -> None:
    for test in ("PartitionableSlot", "PartitionableSlot =?= True", 'SlotType == "Partitionable"'):
        assert names(f"PREEMPT = {test} && JobUniverse == 5\n") == ["P437"]
    for test in ("DynamicSlot =?= True", 'SlotType == "Dynamic"'):
        assert names(f"{NODE}START = {test} && TARGET.RequestCpus < 3\n") == ["P437"]
        static = f'({test}) || (SlotType == "Static" && TARGET.RequestCpus < 3)'
        assert names(f"{NODE}START = {static}\n") == ["P437"]
        for other in ("PartitionableSlot =?= True", 'SlotType == "Partitionable"', "Cpus > 3"):
            assert "P437" not in names(f"{NODE}START = {test} || {other}\n")


def test_draining_ends_where_a_machine_is_whole_and_is_for_those_that_are_not() -> None:
    head = "DAEMON_LIST = MASTER, DEFRAG\nDEFRAG_DRAINING_MACHINES_PER_HOUR = 1\n"
    whole = f"{head}DEFRAG_WHOLE_MACHINE_EXPR = PartitionableSlot && Cpus >= 8\n"
    cancel = "DEFRAG_CANCEL_REQUIREMENTS = "
    assert names(f"{whole}{cancel}!($(DEFRAG_WHOLE_MACHINE_EXPR))\n") == ["P437"]
    assert names(f"{whole}{cancel}$(DEFRAG_WHOLE_MACHINE_EXPR)\n") == []
    some = f"{head}DEFRAG_REQUIREMENTS = PartitionableSlot && Cpus "
    assert names(f"{some}== TotalCpus\n") == ["P437"]
    assert names(f"{some}< TotalCpus\n") == []


def test_a_default_is_what_stands_behind_it_and_no_product() -> None:
    """25.14.1: `undefined ?: 2 * 1024` is 2048, and `7 ?: 2 * 1024` is 7168."""
    head = "START = "
    assert names(f"{head}(TARGET.RequestMemory ?: 2 * 1024) < 4096\n") == ["P420"]
    assert names(f"{head}(TARGET.RequestMemory ?: (2 * 1024)) < 4096\n") == []
    assert names(f"{head}(TARGET.MaxMinutes ?: 60) * 60 < 7200\n") == []
    assert names(f'{head}regexp("a", TARGET.AcctGroup ?: undefined)\n') == ["P411"]


def test_a_text_that_a_choice_comes_to_is_no_number() -> None:
    chosen = 'ifThenElse(TARGET.Owner == "eve", "1", "0")'
    assert names(f"RANK = 10 * {chosen}\n") == ["P425"]
    assert names(f"RANK = 10 * {chosen}\n".replace('"1", "0"', "1, 0")) == []
    head = "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T = EVALSET RequestMemory "
    assert names(f'{head}(WantMemory ?: "16000")\n') == ["P428"]
    assert names(f"{head}(WantMemory ?: 16000)\n") == []


def test_a_list_stands_behind_the_item() -> None:
    assert names('START = stringListMember("a,b", TARGET.VO ?: "none")\n') == ["P421"]
    assert names('START = stringListMember(TARGET.VO ?: "none", "a,b")\n') == []


def test_the_load_of_others_is_what_jobs_leave_of_the_whole() -> None:
    assert names("START = CondorLoadAvg - LoadAvg < 0.3\n") == ["P437"]
    assert names("START = LoadAvg - CondorLoadAvg < 0.3\n") == []


def test_what_has_a_number_in_its_place_is_compared_with_numbers() -> None:
    assert names('START = (Temperature ?: 0) < "85"\n') == ["P410"]
    assert names("START = (Temperature ?: 0) < 85\n") == []


@pytest.mark.parametrize("text", ["amd64", "x86-64", "i686"])
def test_processors_have_names_of_their_own_in_arch(text: str) -> None:
    assert names(f'START = Arch == "{text}"\n') == ["P410"]
    assert names('START = Arch == "X86_64"\n') == []


def test_a_machine_that_is_drained_can_be_whole() -> None:
    head = "DAEMON_LIST = MASTER, DEFRAG\nDEFRAG_DRAINING_MACHINES_PER_HOUR = 1\n"
    head += "DEFRAG_REQUIREMENTS = PartitionableSlot && TotalCpus >= 8\n"
    assert names(f"{head}DEFRAG_WHOLE_MACHINE_EXPR = Cpus >= 16 && PartitionableSlot\n") == ["P437"]
    assert names(f"{head}DEFRAG_WHOLE_MACHINE_EXPR = Cpus >= 8 && PartitionableSlot\n") == []


def test_a_sum_is_undefined_where_one_part_is() -> None:
    rest = '10 * (TARGET.Owner =?= "eve")'
    assert names(f"RANK = 100 * (TARGET.RequestGPUs > 0) + {rest}\n") == ["P434"]
    assert names(f"RANK = 100 * ((TARGET.RequestGPUs ?: 0) > 0) + {rest}\n") == []
    assert names(f"RANK = 100 * (TARGET.RequestCpus > 1) + {rest}\n") == []


def test_a_job_has_no_slot_type() -> None:
    head = "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T = SET Rank "
    assert names(f"{head}MY.PartitionableSlot =?= True\n") == ["P407"]
    assert names(f"{head}TARGET.PartitionableSlot =?= True\n") == []
    body = "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T @=end\nREQUIREMENTS {} > 8\nSET X 5\n@end\n"
    assert names(body.format("TotalCpus")) == ["P407"]
    assert names(body.format("RequestCpus")) == []


def test_no_end_of_a_rank_is_a_text() -> None:
    head = "DAEMON_LIST = MASTER, DEFRAG\nDEFRAG_DRAINING_MACHINES_PER_HOUR = 1\nDEFRAG_RANK = "
    assert names(f'{head}ifThenElse(Cpus >= 8, "-10", TotalCpus - Cpus)\n') == ["P428"]
    assert names(f"{head}ifThenElse(Cpus >= 8, -10, TotalCpus - Cpus)\n") == []


def test_who_holds_a_job_releases_it() -> None:
    head = "SYSTEM_PERIODIC_RELEASE = NumHolds < 3 && HoldReasonCode "
    assert names(f"{head}== 1\n") == ["P437"]
    assert names(f"{head}=!= 1\n") == names(f"{head}== 13\n") == []


RANK = "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\nPREEMPTION_RANK = "


@pytest.mark.parametrize(
    "rank",
    ["-RemoteUserPrio", "1000 - RemoteUserPrio * 5", "-2 * RemoteUserPrio", "1 / RemoteUserPrio"],
)
def test_the_job_of_the_worst_priority_is_preempted_first(rank: str) -> None:
    assert names(f"{RANK}{rank}\n") == ["P437"]
    for other in (
        "RemoteUserPrio",
        "RemoteUserPrio * 1000000 - TARGET.ImageSize",
        "-TotalJobRunTime",
    ):
        assert names(f"{RANK}{other}\n") == []
    assert names(f"{RANK}-(TotalJobRunTime - RemoteUserPrio)\n") == []
