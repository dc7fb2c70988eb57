"""``pieslice policy explain`` by role: what a host is, and what its owner asks about."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pieslice.cli import main
from policy.explain.parts import split

Capture = pytest.CaptureFixture[str]
EXECUTE = "DAEMON_LIST = MASTER STARTD\n"
ACCESS = "DAEMON_LIST = MASTER SCHEDD\n"
#: Topics of one role each.
OF_ROLES = {
    "STARTD": "Slots and how they are cut",
    "SCHEDD": "What is changed or refused at submission",
    "NEGOTIATOR": "Groups and their quotas",
}


def told(tmp_path: Path, text: str, capsys: Capture, *words: str) -> dict[str, list[str]]:
    """The sentences by topic, with their indentation behind the first two blanks, but for the one
    that says which version is followed."""
    (tmp_path / "c").write_text(text)
    assert main(["policy", "explain", str(tmp_path / "c"), "--width", "1000", *words]) == 0
    out = capsys.readouterr().out.replace(f"{tmp_path}/", "")
    lines = [line for line in out.splitlines() if not line.startswith("  follows ")]
    blocks = [block.splitlines() for block in "\n".join(lines).split("\n\n")]
    return {block[0]: [line[2:] for line in block[1:]] for block in blocks}


@pytest.mark.parametrize(
    ("daemons", "role"),
    [
        ("MASTER STARTD", "an execute node"),
        ("MASTER, SCHEDD", "an access point"),
        ("MASTER COLLECTOR NEGOTIATOR", "a central manager"),
        ("STARTD SCHEDD,NEGOTIATOR", "an access point, central manager and execute node"),
        ("MASTER DEFRAG", "runs condor_master and condor_defrag"),
    ],
)
def test_what_a_host_is_stands_in_its_daemon_list(
    daemons: str, role: str, tmp_path: Path, capsys: Capture
) -> None:
    found = told(tmp_path, f"DAEMON_LIST = {daemons}\n", capsys)
    assert next(iter(found)) == "This host"
    assert (
        found["This host"][0] == f"{role[0].upper()}{role[1:]}: DAEMON_LIST is `{daemons}`. [c:1]"
    )
    for daemon, topic in OF_ROLES.items():
        assert (topic in found) is (daemon in daemons), topic


def test_a_daemon_under_another_name_is_what_its_program_is(
    tmp_path: Path, capsys: Capture
) -> None:
    text = "DAEMON_LIST = MASTER N1 SCHEDD_B\nN1 = /usr/sbin/condor_startd\nSCHEDD_B = $(SCHEDD)\n"
    found = told(tmp_path, text, capsys)
    assert found["This host"][0].startswith("An access point and execute node: ")


def test_there_is_a_verdict_on_each_daemon_and_a_count_of_findings(
    tmp_path: Path, capsys: Capture
) -> None:
    text = f"{EXECUTE}UPDATE_INTERVAL = ten\nHOSTALLOW_READ = *\nHOSTALLOW_WRITE = *\n"
    first = told(tmp_path, text, capsys)["This host"]
    assert first[1].startswith("condor_startd would not start: exit status 4, line 2: ")
    assert first[2] == "condor_master would start."
    assert "1 error" in first[3]
    assert first[3].endswith(": `pieslice check` lists them.")


def test_files_without_a_daemon_list_are_for_those_who_read_them(
    tmp_path: Path, capsys: Capture
) -> None:
    found = told(tmp_path, "MAX_JOBS_PER_OWNER = 5\n", capsys)
    assert found["This host"][0] == ("No DAEMON_LIST is set; read as the files of condor_schedd.")
    assert OF_ROLES["SCHEDD"] in found
    assert OF_ROLES["STARTD"] not in found


def test_nothing_is_told_of_a_macro_that_no_daemon_here_reads(
    tmp_path: Path, capsys: Capture
) -> None:
    text = "START = Owner == 1\nSYSTEM_PERIODIC_HOLD = NumJobStarts > 5\nPRIORITY_HALFLIFE = 5\n"
    lines = "\n".join(
        line for topic in told(tmp_path, f"{ACCESS}{text}", capsys).values() for line in topic
    )
    assert "NumJobStarts > 5" in lines
    assert "START is" not in lines
    assert "by half" not in lines
    lines = "\n".join(
        line for topic in told(tmp_path, f"{EXECUTE}{text}", capsys).values() for line in topic
    )
    assert "START is `Owner == 1`" in lines
    assert "NumJobStarts" not in lines


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        # What condor_startd makes of each, as it was seen to.
        ("", ["One partitionable slot has the whole machine; each job gets a dynamic slot of what"
              " it asks for. [default]"]),
        ("NUM_SLOTS = 1\n", ["1 partitionable slot has the whole machine; each job gets a"
         " dynamic slot of what it asks for. [c:2]"]),
        ("NUM_SLOTS = 2\n", ["2 partitionable slots share the machine evenly; each job gets a"
                             " dynamic slot of what it asks for. [c:2]"]),
        ("NUM_SLOTS_TYPE_1 = 1\n", ["1 static slot (type 1), of even shares. [c:2]"]),
        ("NUM_SLOTS_TYPE_1 = 3\nSLOT_TYPE_1 = cpus=2\n",
         ["3 static slots (type 1) each of `cpus=2`. [c:2, c:3]"]),
        ("NUM_SLOTS_TYPE_2 = 1\nSLOT_TYPE_2 = 100%\nSLOT_TYPE_2_PARTITIONABLE = True\n",
         ["1 partitionable slot (type 2) of `100%`. [c:2, c:3]"]),
        ("NUM_SLOTS_TYPE_1 = $(DETECTED_CPUS)\nSLOT_TYPE_1 = cpus=1\n",
         ["`$(DETECTED_CPUS)` static slots (type 1) each of `cpus=1`. [c:2, c:3]"]),
        ("SLOT_TYPE_1 = cpus=2\n",
         ["SLOT_TYPE_1 makes no slot: NUM_SLOTS_TYPE_1 is not set. [c:2]",
          "One partitionable slot has the whole machine; each job gets a dynamic slot of what it"
          " asks for. [default]"]),
    ],
)  # fmt: skip
def test_the_slots_of_a_machine(
    text: str, slots: list[str], tmp_path: Path, capsys: Capture
) -> None:
    found = told(tmp_path, EXECUTE + text, capsys)["Slots and how they are cut"]
    assert [line for line in found if not line.startswith("A dynamic slot is cut")] == slots


@pytest.mark.parametrize("list_", ["", ","])
def test_a_host_of_no_daemon_is_told(list_: str, tmp_path: Path, capsys: Capture) -> None:
    found = told(tmp_path, f"DAEMON_LIST = {list_}\nSTART = True\n", capsys)["This host"]
    assert found[0] == "Runs no daemon: DAEMON_LIST names none. [c:1]"
    assert found[1].startswith("condor_master would not start: exit status 4")


def test_a_value_of_an_unknown_machine_is_shown_as_it_is_written(
    tmp_path: Path, capsys: Capture
) -> None:
    text = f"{EXECUTE}MEMORY = $(DETECTED_MEMORY) / 2\nNUM_SLOTS = $(DETECTED_CPUS)\n"
    facts = ("--fact", "detected_memory_mb=64000", "--fact", "detected_cpus=8")
    for known, memory, slots in (
        ((), "`$(DETECTED_MEMORY) / 2` MiB of memory.", "`$(DETECTED_CPUS)` partitionable slots"),
        (facts, "`64000 / 2` MiB of memory, whatever it has.", "8 partitionable slots"),
    ):
        found = told(tmp_path, text, capsys, *known)["Slots and how they are cut"]
        assert f"The machine counts as {memory} [c:2]" in found
        assert any(line.startswith(slots) for line in found)


def test_a_start_is_told_with_the_attributes_that_the_machine_publishes(
    tmp_path: Path, capsys: Capture
) -> None:
    text = f"{EXECUTE}STARTD_ATTRS = Site\nSite = Owner == 5\nSTART = Site && KeyboardIdle > 9\n"
    assert told(tmp_path, text, capsys)["Who may start"] == [
        "A job may start where START is `Site && KeyboardIdle > 9`. [c:4]",
        "  Site, an attribute of the slot, is `Owner == 5`. [c:3]",
    ]


def test_an_operand_that_comes_to_an_or_is_no_part_of_an_and(
    tmp_path: Path, capsys: Capture
) -> None:
    """``a && $(B)`` with ``B = b || c`` is true where c is."""
    long = "TARGET.RequestMemory < 0.75 * TotalMemory && TARGET.RequestCpus < TotalCpus"
    small = "(TARGET.IsSmall =?= True) || (TARGET.RequestMemory =?= undefined)"
    for text, told_as in ((small, "`"), (f"({small})", "all of these:")):
        text = f"{EXECUTE}SMALL = {text}\nSTART = {long} && $(SMALL)\n"
        (first, *_) = told(tmp_path, text, capsys)["Who may start"]
        assert first.startswith(f"A job may start where START is {told_as}")


def test_attributes_of_each_job_are_told_by_their_old_name_too(
    tmp_path: Path, capsys: Capture
) -> None:
    for macro in ("SUBMIT_ATTRS", "SUBMIT_EXPRS", "SYSTEM_SUBMIT_ATTRS"):
        found = told(tmp_path, f"{ACCESS}Site = 1\n{macro} = Site\n", capsys)
        sentence = "condor_submit adds to each job the attributes `Site`. [c:3]"
        assert sentence in found["What is changed or refused at submission"]


def test_a_large_expression_is_told_by_its_parts(tmp_path: Path, capsys: Capture) -> None:
    text = (
        f"{EXECUTE}Quiet = (LoadAvg - CondorLoadAvg) < 1 && KeyboardIdle > 15 * 60\n"
        'Ours = Owner == "ann" || Owner == "bob" || TARGET.AcctGroup =?= "physics"\n'
        "START = ($(Quiet) && ($(Ours))) || (TARGET.IsTest is true && (1 + $INT(X)) > 2)"
        " || NumJobStarts > 100\nX = 3\n"
    )
    assert told(tmp_path, text, capsys)["Who may start"] == [
        "A job may start where START is one of these: [c:4]",
        "  `($(Quiet) && ($(Ours)))`",
        "  `(TARGET.IsTest is true && (1 + $INT(X)) > 2)`",
        "  `NumJobStarts > 100`",
        "  $(Quiet) is `(LoadAvg - CondorLoadAvg) < 1 && KeyboardIdle > 15 * 60`. [c:2]",
        '  $(Ours) is `Owner == "ann" || Owner == "bob" || TARGET.AcctGroup =?= "physics"`. [c:3]',
    ]


@pytest.mark.parametrize(
    ("text", "operator", "parts"),
    [
        ("a && b", "&&", ["a", "b"]),
        ("a && b || c && d", "||", ["a && b", "c && d"]),
        ("((a && (b || c)))", "&&", ["a", "(b || c)"]),
        ('x == "a && b" && y', "&&", ['x == "a && b"', "y"]),
        ("f(a && b, c) && {1, 2 && 3}[0]", "&&", ["f(a && b, c)", "{1, 2 && 3}[0]"]),
        ("(a) && (b)", "&&", ["(a)", "(b)"]),
        ("$(A:1 && 2) && b", "&&", ["$(A:1 && 2)", "b"]),
        ("a && b ? c : d", "", ["a && b ? c : d"]),
        ("(a ? b : c) && d", "&&", ["(a ? b : c)", "d"]),
        ("a", "&&", ["a"]),
    ],
)
def test_an_expression_is_cut_where_its_operators_bind_least(
    text: str, operator: str, parts: list[str]
) -> None:
    assert split(text) == (operator, parts)


def test_how_long_a_job_may_stay(tmp_path: Path, capsys: Capture) -> None:
    topic = "How long it may retire and vacate"
    text = (
        f"{EXECUTE}MAXJOBRETIREMENTTIME = 2 * 3600\nMACHINEMAXVACATETIME = 60\nKILL = LoadAvg > 9\n"
    )
    assert told(tmp_path, text, capsys)[topic] == [
        "A preempted job may run on until it has had 7200 s (2 hours). [c:2]",
        "Then it has to vacate within 60 s (1 minute). [c:3]",
        "It is killed before that time is over where KILL is `LoadAvg > 9`. [c:4]",
    ]
    text = f"{EXECUTE}WANT_VACATE = False\nPREEMPT = LoadAvg > 5\n"
    assert told(tmp_path, text, capsys)[topic] == [
        "A preempted job may not run on: MAXJOBRETIREMENTTIME is 0. [default]",
        "Then it has to vacate within 600 s (10 minutes). [default]",
        "A job that the startd itself ends is killed at once: WANT_VACATE is never true. [c:2]",
    ]
    text = f"{EXECUTE}WANT_VACATE = False\n"
    assert len(told(tmp_path, text, capsys)[topic]) == 2, "the startd ends none"


def test_suspension_is_told_where_it_can_be(tmp_path: Path, capsys: Capture) -> None:
    text = f"{EXECUTE}SUSPEND = KeyboardIdle < 60\nCONTINUE = KeyboardIdle > 300\n"
    topic = "When a job is preempted"
    assert not any("suspended" in line for line in told(tmp_path, text, capsys)[topic])
    found = told(tmp_path, f"{text}WANT_SUSPEND = True\n", capsys)[topic]
    at = found.index("A job is suspended where SUSPEND is `KeyboardIdle < 60`. [c:2]")
    assert found[at + 1] == "  and goes on where CONTINUE is `KeyboardIdle > 300`. [c:3]"


def test_what_a_machine_has_is_told_as_the_file_asks_for_it(
    tmp_path: Path, capsys: Capture
) -> None:
    text = f"{EXECUTE}NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=$(DETECTED_CORES)\n"
    (found, *_) = told(tmp_path, text, capsys)["Slots and how they are cut"]
    assert found == "1 static slot (type 1) of `cpus=$(DETECTED_CORES)`. [c:2, c:3]"


def test_scripts_and_gpus_of_a_machine(tmp_path: Path, capsys: Capture) -> None:
    text = (
        f"{EXECUTE}STARTD_CRON_JOBLIST = health gone info\nSTARTD_CRON_health_EXECUTABLE = /bin/h\n"
        "STARTD_CRON_health_PERIOD = 5m\nSTARTD_CRON_health_ARGS = -v\n"
        "STARTD_CRON_info_EXECUTABLE = /bin/i\nSTARTD_CRON_info_MODE = OneShot\n"
    )
    found = told(tmp_path, text, capsys)
    assert found["Scripts of the startd"] == [
        "health runs `/bin/h -v`, every `5m`, and its output becomes attributes of the slots."
        " [c:3]",
        "info runs `/bin/i`, once, and its output becomes attributes of the slots. [c:6]",
    ]
    assert found["GPUs"][0].startswith("The startd looks for GPUs: `condor_gpu_discovery ")
    wrong = text.replace("= 5m", "= 14d").replace("= /bin/i", "= info.sh")
    assert told(tmp_path, wrong, capsys)["Scripts of the startd"] == [
        "health runs nothing: `14d` is no period. [c:3]",
        "info runs nothing: `info.sh` has no whole path. [c:6]",
    ]
    for number in ("0", "2"):
        found = told(tmp_path, f"{EXECUTE}MACHINE_RESOURCE_GPUS = {number}\n", capsys)
        assert found["GPUs"] == [f"The machine counts as one with {number} GPUs. [c:2]"]
    found = told(tmp_path, f"{EXECUTE}STARTD_DETECT_GPUS = false\n", capsys)
    assert found["GPUs"] == ["The startd does not look for GPUs. [c:2]"]


def test_what_an_access_point_refuses_and_changes(tmp_path: Path, capsys: Capture) -> None:
    text = (
        f"{ACCESS}SUBMIT_REQUIREMENT_NAMES = Mem, Old\n"
        "SUBMIT_REQUIREMENT_Mem = RequestMemory > 100\n"
        'SUBMIT_REQUIREMENT_Mem_REASON = "too small"\nSUBMIT_REQUIREMENT_Old = JobUniverse == 5\n'
        "SUBMIT_REQUIREMENT_Old_IS_WARNING = true\nJOB_TRANSFORM_NAMES = t\n"
        "JOB_TRANSFORM_t = SET Group 1\nFLOCK_TO = a.org, b.org\nMAX_JOBS_PER_OWNER = 50\n"
    )
    found = told(tmp_path, text, capsys)
    assert found["What is changed or refused at submission"][-6:] == [
        "condor_schedd transforms new jobs, in this order: [c:7]",
        "  t: all jobs; it changes Group [c:8]",
        "It refuses a job of which one of these is not true: [c:2]",
        "  Mem: `RequestMemory > 100`, [c:3]",
        '    and says `"too small"`. [c:4]',
        "  Old, of which it only warns: `JobUniverse == 5`. [c:5]",
    ]
    assert found["Flocking"] == [
        "Jobs that find no slot here go to a.org and b.org, in this order. [c:9]"
    ]
    assert "At most 50 jobs of one user are in the queue. [c:10]" in found[
        "Limits of the access point"
    ]  # fmt: skip


def test_when_the_schedd_holds_and_removes(tmp_path: Path, capsys: Capture) -> None:
    text = (
        f"{ACCESS}SYSTEM_PERIODIC_HOLD_NAMES = disk\nSYSTEM_PERIODIC_HOLD_disk = DiskUsage > 9\n"
        'SYSTEM_PERIODIC_HOLD_disk_REASON = "disk"\nSYSTEM_PERIODIC_REMOVE = JobStatus == 5\n'
        "SYSTEM_PERIODIC_RELEASE = False\n"
    )
    assert told(tmp_path, text, capsys)["When jobs are held, released and removed"] == [
        "condor_schedd holds jobs where SYSTEM_PERIODIC_HOLD_disk is `DiskUsage > 9`, [c:3]",
        '  for the reason `"disk"`. [c:4]',
        "condor_schedd removes jobs where SYSTEM_PERIODIC_REMOVE is `JobStatus == 5`. [c:5]",
        "It looks at all jobs every 60 seconds, or less often. [default]",
    ]


def test_draining_is_told_where_condor_defrag_runs(tmp_path: Path, capsys: Capture) -> None:
    topic = "Draining and defragmentation"
    text = (
        "DEFRAG_INTERVAL = 300\nDEFRAG_REQUIREMENTS = TotalCpus > 8\n"
        "DEFRAG_SCHEDULE = fast\nDEFRAG_DRAINING_SCHEDULE = quick\n"
    )
    assert told(tmp_path, f"{EXECUTE}{text}", capsys)[topic] == [
        "condor_defrag, which chooses machines to drain, is elsewhere."
    ]
    found = told(tmp_path, f"DAEMON_LIST = COLLECTOR NEGOTIATOR DEFRAG\n{text}", capsys)[topic]
    assert found[0] == "condor_defrag looks for machines to drain every `300` seconds. [c:2]"
    assert "It drains machines where DEFRAG_REQUIREMENTS is `TotalCpus > 8`. [c:3]" in found
    # The name that condor_defrag reads, not the one of old manuals.
    assert [it for it in found if "schedule" in it] == [
        "Jobs on them end by the schedule `quick`. [c:5]"
    ]


def test_check_begins_with_what_the_host_is(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "c").write_text(EXECUTE)
    main(["check", str(tmp_path / "c"), "--width", "1000"])
    said = capsys.readouterr().out.replace(f"{tmp_path}/", "").splitlines()
    assert said[1] == "c: an execute node: DAEMON_LIST is `MASTER STARTD`"


def test_old_names_are_counted_apart(tmp_path: Path, capsys: Capture) -> None:
    old = "GROUP_DYNAMIC_MACH_CONSTRAINT = Memory > 1024\n"
    more = "VM_UNIV_NOBODY_USER = x\nHOSTALLOW_READ = *\nHOSTALLOW_WRITE = *\n"
    text = f"DAEMON_LIST = MASTER NEGOTIATOR\n{old}{more}NEGOTIATOR_INTERVAL = 100000\n"
    line = told(tmp_path, text, capsys)["This host"][-1]
    (count,) = re.findall(r"(\d+) old names", line)
    main(["check", str(tmp_path / "c"), "--width", "1000"])
    last = [one for one in capsys.readouterr().out.splitlines() if " of them old names" in one]
    assert len(last) == 1
    assert f", {count} of them old names" in last[0]


def test_only_partitionable_slots_are_cut(tmp_path: Path, capsys: Capture) -> None:
    topic = "Slots and how they are cut"
    cut = "A dynamic slot is cut for RequestCpus of `quantize(RequestCpus,{1})`. [default]"
    assert cut in told(tmp_path, EXECUTE, capsys)[topic]
    assert cut not in told(tmp_path, f"{EXECUTE}NUM_SLOTS_TYPE_1 = 2\n", capsys)[topic]


def test_attributes_of_a_script_are_told_with_their_beginning(
    tmp_path: Path, capsys: Capture
) -> None:
    script = (
        f"{EXECUTE}STARTD_CRON_JOBLIST = health\nSTARTD_CRON_health_EXECUTABLE = /bin/h\n"
        "STARTD_CRON_health_PERIOD = 5m\nSTARTD_CRON_health_PREFIX = Node\n"
    )
    (line,) = told(tmp_path, script, capsys)["Scripts of the startd"]
    assert "attributes of the slots, which begin with `Node`." in line


def test_a_machine_that_nobody_claims_is_shut_down(tmp_path: Path, capsys: Capture) -> None:
    topic = "Who may start"
    found = told(tmp_path, f"{EXECUTE}STARTD_NOCLAIM_SHUTDOWN = 20 * 60\n", capsys)[topic]
    assert "HTCondor is shut down here after 1200 s (20 minutes) without a claim. [c:2]" in found
    found = told(tmp_path, f"{EXECUTE}STARTD_NOCLAIM_SHUTDOWN = 0\n", capsys)[topic]
    assert not any("shut down" in line for line in found)


def test_a_hold_by_the_startd_is_told_with_its_reason_once(tmp_path: Path, capsys: Capture) -> None:
    text = (
        f"{EXECUTE}PREEMPT = MemoryUsage > Memory\nWANT_HOLD = JobUniverse == 5\n"
        'WANT_HOLD_REASON = "too much memory"\nWANT_HOLD_SUBCODE = 102\n'
    )
    found = told(tmp_path, text, capsys)
    lines = found["When a job is preempted"]
    at = lines.index(
        "A job that it ends is put on hold where WANT_HOLD is `JobUniverse == 5`. [c:3]"
    )
    assert lines[at + 1 : at + 3] == [
        '  the reason is `"too much memory"`. [c:4]',
        "  the subcode is `102`. [c:5]",
    ]
    assert "Other expressions" not in found


def test_a_reason_goes_on_behind_a_comma(tmp_path: Path, capsys: Capture) -> None:
    text = (
        f"{ACCESS}SUBMIT_REQUIREMENT_NAMES = Memory\n"
        "SUBMIT_REQUIREMENT_Memory = RequestMemory < 9\n"
        'SUBMIT_REQUIREMENT_Memory_REASON = "too much"\n'
        'SYSTEM_PERIODIC_HOLD = NumJobStarts > 9\nSYSTEM_PERIODIC_HOLD_REASON = "too often"\n'
    )
    found = told(tmp_path, text, capsys)
    lines = found["What is changed or refused at submission"]
    at = lines.index("  Memory: `RequestMemory < 9`, [c:3]")
    assert lines[at + 1] == '    and says `"too much"`. [c:4]'
    lines = found["When jobs are held, released and removed"]
    assert lines[:2] == [
        "condor_schedd holds jobs where SYSTEM_PERIODIC_HOLD is `NumJobStarts > 9`, [c:5]",
        '  for the reason `"too often"`. [c:6]',
    ]


def test_a_reason_that_does_not_parse_is_no_reason(tmp_path: Path, capsys: Capture) -> None:
    text = (
        f"{ACCESS}SYSTEM_PERIODIC_HOLD = NumJobStarts > 9\n"
        'SYSTEM_PERIODIC_HOLD_REASON = strcat("too", "often"\n'
    )
    lines = told(tmp_path, text, capsys)["When jobs are held, released and removed"]
    assert lines[1] == '  for a reason that is no expression: `strcat("too", "often"`. [c:3]'


def test_where_no_startd_is_draining_comes_before_the_list_of_attributes(
    tmp_path: Path, capsys: Capture
) -> None:
    text = "DAEMON_LIST = MASTER COLLECTOR NEGOTIATOR DEFRAG\nNEGOTIATOR_PRE_JOB_RANK = -Cpus\n"
    topics = list(told(tmp_path, text, capsys))
    attributes = topics.index("Attributes that the expressions look at")
    assert topics.index("Draining and defragmentation") < attributes


def test_a_claim_without_an_end_is_not_told_of(tmp_path: Path, capsys: Capture) -> None:
    found = told(tmp_path, f"{EXECUTE}CLAIM_WORKLIFE =\n", capsys)["When a job is preempted"]
    assert not any("no further job" in line for line in found)
    found = told(tmp_path, f"{EXECUTE}CLAIM_WORKLIFE = 60\n", capsys)["When a job is preempted"]
    assert "A claim starts no further job after 60 s (1 minute). [c:2]" in found
    found = told(tmp_path, f"{EXECUTE}CLAIM_WORKLIFE = 0\n", capsys)["When a job is preempted"]
    assert "A claim is for one job. [c:2]" in found
    found = told(tmp_path, f"{EXECUTE}CLAIM_WORKLIFE = -1\n", capsys)["When a job is preempted"]
    assert "A claim starts jobs without end. [c:2]" in found


def test_a_day_and_a_bit_is_one_day(tmp_path: Path, capsys: Capture) -> None:
    text = f"{EXECUTE}MAXJOBRETIREMENTTIME = 86520\n"
    found = told(tmp_path, text, capsys)["How long it may retire and vacate"]
    assert found[0] == "A preempted job may run on until it has had 86520 s (1 day). [c:2]"


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("", ["SCHEDD", "NEGOTIATOR", "STARTD"]),
        ("START = KeyboardIdle > 5\n", ["STARTD", "SCHEDD", "NEGOTIATOR"]),
        ("PRIORITY_HALFLIFE = 5\nNUM_CPUS = 5\n", ["NEGOTIATOR", "STARTD", "SCHEDD"]),
    ],
)
def test_roles_of_which_the_files_decide_nothing_come_last(
    text: str, order: list[str], tmp_path: Path, capsys: Capture
) -> None:
    text = f"DAEMON_LIST = MASTER COLLECTOR NEGOTIATOR SCHEDD STARTD\n{text}"
    topics = list(told(tmp_path, text, capsys))
    assert sorted(order, key=lambda daemon: topics.index(OF_ROLES[daemon])) == order


def test_a_start_of_one_type_of_slots_replaces_the_others(tmp_path: Path, capsys: Capture) -> None:
    types = "SLOT_TYPE_1 = 50%\nNUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_2 = 50%\nNUM_SLOTS_TYPE_2 = 1\n"
    start = "START = Healthy =?= True\nSLOT_TYPE_1_START = TARGET.RequestGPUs > 0\n"
    found = told(tmp_path, f"{EXECUTE}{types}{start}", capsys)["Who may start"]
    assert found[0].startswith("A job may start where START is `Healthy =?= True`")
    assert "on slots of type 1, whatever START is elsewhere, where" in found[1]


def test_routes_that_the_router_cannot_use_are_named(tmp_path: Path, capsys: Capture) -> None:
    route = "JOB_ROUTER_ROUTE_Cloud @=end\nREQUIREMENTS true\nMaxJobs 200\n@end\n"
    text = f"DAEMON_LIST = MASTER SCHEDD JOB_ROUTER\nJOB_ROUTER_ROUTE_NAMES = Cloud\n{route}"
    found = told(tmp_path, text, capsys)["Routes"]
    assert found == ["condor_job_router routes no job: it can use none of Cloud. [c:2]"]


def test_one_pool_to_flock_to_has_no_order(tmp_path: Path, capsys: Capture) -> None:
    found = told(tmp_path, f"{ACCESS}FLOCK_TO = a.org\n", capsys)["Flocking"]
    assert found == ["Jobs that find no slot here go to a.org. [c:2]"]


def test_a_limit_below_0_is_one_of_0(tmp_path: Path, capsys: Capture) -> None:
    """Asked of condor_schedd of 25.14.1, which refuses every submission at -1 and at -5."""
    found = told(tmp_path, f"{ACCESS}MAX_JOBS_PER_OWNER = -5\n", capsys)
    sentences = [one for all_ in found.values() for one in all_]
    assert "At most 0 jobs of one user are in the queue. [c:2]" in sentences
