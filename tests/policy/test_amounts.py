"""Numbers: what is counted by the whole, the unit of an amount, and what is never 0."""

from __future__ import annotations

import pytest

from tests.policy.test_lint import found, ids

COUNTED = ("NEGOTIATOR_INTERVAL", "NUM_CPUS", "NUM_SLOTS", "MAX_JOBS_RUNNING", "JOB_START_DELAY")
MEASURED = ("PRIORITY_HALFLIFE", "DEFRAG_DRAINING_MACHINES_PER_HOUR")


@pytest.mark.parametrize("macro", COUNTED)
def test_a_part_of_one_is_none_where_integers_are_read(macro: str) -> None:
    """The negotiator of 25.14.1 logs `NEGOTIATOR_INTERVAL = 0 sec` for 0.5 and for 1/2."""
    for text in ("0.5", ".25", "1/2", "3 / 4"):
        assert ("P422", 1) in ids(f"{macro} = {text}\n")
    for text in ("15", "1.0", "4/2", "9/2", "$(DETECTED_CPUS)/2"):
        assert "P422" not in [name for name, _ in ids(f"{macro} = {text}\n")]


@pytest.mark.parametrize("macro", MEASURED)
def test_a_real_keeps_its_fraction_and_a_quotient_of_integers_does_not(macro: str) -> None:
    """condor_defrag of 25.14.1 logs that 0.5 machines an hour are 5 in ten hours, and 1/2 none."""
    assert "P422" not in [name for name, _ in ids(f"{macro} = 0.5\n")]
    assert ("P422", 1) in ids(f"{macro} = 1/2\n")


@pytest.mark.parametrize("attribute", ["ImageSize", "ResidentSetSize", "ProportionalSetSizeKb"])
def test_the_memory_of_a_job_is_told_in_kibibytes(attribute: str) -> None:
    for bytes_ in ("8 * 1024 * 1024 * 1024", "17179869184"):
        assert ids(f"SYSTEM_PERIODIC_HOLD = {attribute} > {bytes_}\n") == [("P603", 1)]
    for kibibytes in ("8 * 1024 * 1024", "1024 * RequestMemory", "2000000000"):
        assert ids(f"SYSTEM_PERIODIC_HOLD = {attribute} > {kibibytes}\n") == []


@pytest.mark.parametrize("choice", ["{0} ? {1} : {2}", "ifThenElse({0}, {1}, {2})"])
@pytest.mark.parametrize("part", ["JobPrio > 5 && ({})", "({}) || JobPrio > 5", "!({})"])
def test_a_branch_stands_for_a_condition_where_its_choice_does(choice: str, part: str) -> None:
    """At every depth, and each of the two branches; 1 and 0 are true and false."""
    asked, good = "HoldReasonCode =?= 34", "NumHolds < 3"
    for bad in ("600", '"yes"', "time() - EnteredCurrentStatus"):
        for branches in ((bad, good), (good, bad), (f"({choice.format(asked, bad, good)})", good)):
            text = part.format(choice.format(asked, *branches))
            assert ids(f"SYSTEM_PERIODIC_RELEASE = {text}\n") == [("P432", 1)]
    for branches in ((good, "false"), ("1", "0"), ("SiteSaysSo", good)):
        text = part.format(choice.format(asked, *branches))
        assert ids(f"SYSTEM_PERIODIC_RELEASE = {text}\n") == []


@pytest.mark.parametrize("count", ["TARGET.RequestCpus", "TotalSlotCpus", "TotalCpus"])
def test_what_is_never_0_says_nothing_as_a_condition(count: str) -> None:
    for text in (count, f"TARGET.JobPrio > 5 && {count}", f"TARGET.JobPrio > 5 || {count}"):
        assert [name for name, _ in ids(f"START = {text}\n")] == ["P432"]
    # A number that may be 0 is a switch.
    for text in (f"{count} > 4", "TARGET.RequestGPUs", "Cpus"):
        assert ids(f"START = {text}\n") == []


def test_a_clock_counts_minutes() -> None:
    assert ids("START = ClockMin > 8 && ClockMin <= 18\n") == [("P417", 1), ("P417", 1)]
    assert ids("START = ClockMin > 8 * 60 && ClockMin <= 1080 && ClockDay > 0\n") == []


@pytest.mark.parametrize("slip", ["Flase", "fasle", "FALES", "Ture", "truee", "Undefned"])
def test_a_slip_of_a_literal_is_an_attribute_that_nobody_has(slip: str) -> None:
    for text in (slip, f"TARGET.JobPrio > 5 || {slip}", f"TARGET.WantX =?= {slip}"):
        assert [name for name, _ in ids(f"START = {text}\n")] == ["P401"]
    assert ids(f"START = TARGET.{slip} > 1\n") == []
    assert ids(f"STARTD_ATTRS = {slip}\n{slip} = 5\nSTART = {slip} > TARGET.JobPrio\n") == []


@pytest.mark.parametrize("name", ["Tree", "Tue", "Rule", "Fuse", "Tier"])
def test_another_word_of_as_many_letters_is_no_slip_of_a_literal(name: str) -> None:
    assert ids(f"START = {name} =?= 5\n") == []


DAYS = ["7 * 24", "24 * 7", "14 * 24 * 60", "3*24*60"]


@pytest.mark.parametrize("text", DAYS)
def test_days_are_told_in_seconds(text: str) -> None:
    """However a time is compared, and in a macro that is one."""
    for instant in (f"time() - QDate > {text}", f"time() > QDate + {text}"):
        assert ids(f"SYSTEM_PERIODIC_REMOVE = JobStatus == 1 && {instant}\n") == [("P602", 1)]
    assert ids(f"MAXJOBRETIREMENTTIME = {text}\n") == [("P601", 1)]
    for seconds in (f"{text.replace(' * 60', '').replace('*60', '')} * 3600", "30 * 24 * 60 * 60"):
        assert ids(f"SYSTEM_PERIODIC_REMOVE = time() > QDate + {seconds}\n") == []
        assert ids(f"MAXJOBRETIREMENTTIME = {seconds}\n") == []
    assert ids(f"START = Memory > {text}\n") == []


def test_a_colon_makes_no_share_of_a_slot() -> None:
    """The startd of 25.14.1 makes a slot with 1 CPU and 1 MiB of `cpus:2` and of `memory:1024`."""
    for share in ("cpus:2", "memory : 1024", "foo: 2"):
        assert ids(f"NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=1, {share}\n") == [("P133", 2)]
    assert ids("NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=1, GPUs=1:Capability>=8\n") == []


def test_a_blank_in_place_of_a_comma_makes_a_part_of_a_number() -> None:
    """The startd of 25.14.1 makes a slot with 2.56 of 16 CPUs of the first, with 16 of the last."""
    for share, read_as in (("16 disk=50%", "16%"), ("4 disk=1/4", "4/4")):
        [item] = found(f"NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus={share}, gpus=100%\n")
        assert (item.id, item.message) == ("P133", f"`cpus={share}` is read as `cpus={read_as}`")
    [item] = found("NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=25% ram=512, swap=10%\n")
    assert "before the first blank" in item.message


def test_slots_of_templates_share_the_machine_with_the_others() -> None:
    half = "use FEATURE : PartitionableSlot(1, 50%)\n"
    assert ids(f"{half}use FEATURE : PartitionableSlot(2, 60%)\n") == [("P243", 2)]
    assert ids(f"{half}use FEATURE : PartitionableSlot(2, 50%)\n") == []
    assert ids(f"{half}NUM_SLOTS_TYPE_2 = 2\nSLOT_TYPE_2 = 50%\n") == [("P243", 3)]
    assert ids("NUM_CPUS = 4\nuse FEATURE : PartitionableSlot(1, cpus=8)\n") == [("P243", 2)]
    # One slot is what the template makes, whatever NUM_SLOTS says.
    assert ids("use FEATURE : PartitionableSlot\nNUM_SLOTS = 4\n") == [("P241", 2)]


@pytest.mark.parametrize("verb", ["HOLD", "REMOVE", "VACATE"])
def test_what_is_done_to_every_job_is_no_policy(verb: str) -> None:
    for macro in (f"SYSTEM_PERIODIC_{verb}", f"SYSTEM_PERIODIC_{verb}_OLD"):
        names = f"SYSTEM_PERIODIC_{verb}_NAMES = OLD\n"
        for text in ("True", "1", "(1 == 1)"):
            assert ("P419", 2) in ids(f"{names}{macro} = {text}\n")
        assert "P419" not in [name for name, _ in ids(f"{names}{macro} = False\n")]
    assert ids("SYSTEM_PERIODIC_RELEASE = True\n") == []


@pytest.mark.parametrize("macro", ["IS_OWNER", "IsOwner"])
def test_not_all_slots_are_for_the_owner_of_the_machine(macro: str) -> None:
    """Asked of 25.14.1: no slot is matched then, whatever START is."""
    assert ids(f"{macro} = True\n") == ids(f"{macro} = (1 == 1)\n") == [("P419", 1)]
    assert ids(f"{macro} = False\n") == ids(f"{macro} = LoadAvg > 0.5\n") == []


@pytest.mark.parametrize("operator", ["*", "+", "-"])
def test_what_is_counted_with_undefined_is_never_a_number(operator: str) -> None:
    rank = f"NEGOTIATOR_PRE_JOB_RANK = RemoteOwner =?= UNDEFINED {operator} 1000\n"
    assert ids(rank) == [("P411", 1)]
    assert ids(f"NEGOTIATOR_PRE_JOB_RANK = (RemoteOwner =?= UNDEFINED) {operator} 1000\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "TotalJobRunTime > MaxHours",
        "time() - JobStart > MY.MaxHours",
        "time() + (TARGET.MaxWallTimeMins ?: 60) < 2000000000",
        "time() - TARGET.EnteredCurrentStatus < TARGET.run_minutes",
    ],
)
def test_what_is_counted_in_hours_or_minutes_is_no_number_of_seconds(text: str) -> None:
    own = "STARTD_ATTRS = MaxHours\nMaxHours = 72\n"
    assert ("P417", 3) in ids(f"{own}PREEMPT = {text}\n")
    for clean in ("TotalJobRunTime > MaxHours * 3600", "TARGET.MaxWallTimeMins < MaxHours"):
        assert "P417" not in [name for name, _ in ids(f"{own}PREEMPT = {clean}\n")]


def test_an_ad_lives_until_the_next_one() -> None:
    assert ids("CLASSAD_LIFETIME = 250\n") == [("P131", 1)]
    for clean in ("CLASSAD_LIFETIME = 900\n", "CLASSAD_LIFETIME = 250\nUPDATE_INTERVAL = 60\n"):
        assert ids(clean) == []
    assert ids("CLASSAD_LIFETIME = 250\nUPDATE_INTERVAL = 400\n") == [("P131", 2)]
