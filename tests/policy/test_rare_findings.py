"""What check says of what is rarely written, and of what only looks like a slip."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pieslice.cli import main
from policy.language.host import HostFacts
from policy.lint.findings import lint
from tests.cases import every_case
from tests.policy.test_lint import found, read

CRON = (
    "STARTD_CRON_JOBLIST = A\nSTARTD_CRON_A_EXECUTABLE = /a\nSTARTD_CRON_A_PERIOD = 5m\n"
    "STARTD_CRON_A_PREFIX = Site_\n"
)
TRANSFORM = "JOB_TRANSFORM_NAMES = A\nJOB_TRANSFORM_A @=end\n"
BAD = "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio"


@every_case("text, said", [
        # Attributes.
        ("NEGOTIATOR_PRE_JOB_RANK = CurrentRank\n", []),
        ("PREEMPTION_RANK = isUndefined(RemoteUserPrio) ? 0 : RemoteUserPrio\n", []),
        ("START = time(1) > 3\n", ["P406:1 `time` takes no argument, not 1"]),
        # Comparisons.
        (
            "SYSTEM_PERIODIC_HOLD = JobStatus == Held\n",
            ["P412:1 `Held` is not quoted, so it is an attribute"],
        ),
        (f"{CRON}START = TARGET.Owner == Site_Owner\n", []),
        # What is advertised is quoted where it is set, and not where its text comes from.
        *(
            (
                f"{before}AtSite = {written}\n{of}_ATTRS = AtSite\n",
                [f"P412:2 `{written}` is `{is_}`, which is not quoted, so it is an attribute"],
            )
            for of in ("STARTD", "SUBMIT", "SCHEDD", "MASTER", "COLLECTOR", "NEGOTIATOR")
            for before, written, is_ in (
                ("Site = wisc\n", "$(Site)", "wisc"),
                ("Site = wisc\n", "$(Site:x)", "wisc"),
                ("use SECURITY : USER_BASED\n", "$(authuser)", "condor"),
            )
        ),
        ("Site = wisc\nAtSite = \"$(Site)\"\nSTARTD_ATTRS = AtSite\n", []),
        ("Site = 5\nAtSite = $(Site)\nSTARTD_ATTRS = AtSite\n", []),
        *(
            (f"AtSite = {value}\n{of}_ATTRS = AtSite\n", [])
            for of in ("SCHEDD", "MASTER", "COLLECTOR", "NEGOTIATOR")
            for value in ('"wisc"', "5", "MonitorSelfAge", "DaemonStartTime > 0", "True")
        ),
        # What only slots have, now and then, says nothing about the jobs that a slot compares.
        *(
            (f"RANK = {rank}\n", ["P431:1 RANK compares jobs and looks only at the slot"])
            for rank in ('RemoteOwner =?= "mia"', 'RemoteUser == "mia@x"', "KFlops", "TotalCpus")
        ),
        *(
            (f"RANK = {rank}\n", [])
            for rank in ('Owner == "mia"', 'Group == "q"', "JobPrio", "KFlops * RequestCpus")
        ),
        ("NEGOTIATOR_POST_JOB_RANK = KFlops\n", []),
        ("PRIORITY_HALFLIFE = 1\n", ["P601:1 PRIORITY_HALFLIFE is 1 second"]),
        ("PRIORITY_HALFLIFE = 2\n", ["P601:1 PRIORITY_HALFLIFE is 2 seconds"]),
        (
            "GROUP_NAMES = physics\nGROUP_QUOTA_physics = 5\nSTART = TARGET.AcctGroup == \"q\"\n",
            [],
        ),
        (
            "START = !HasDocker == \"yes\"\n",
            ["P420:1 `!` takes `HasDocker` only, not the comparison"],
        ),
        (
            "START = Cpus > JobPrio is undefined ? 4 : JobPrio * 2\n",
            ["P420:1 `>` binds before `? :`, so START is a number, which is true unless 0"],
        ),
        (
            "SYSTEM_PERIODIC_HOLD = JobPrio >= isUndefined(Rank) ? 1 : Rank + 1\n",
            [
                "P420:1 `>=` binds before `? :`, so SYSTEM_PERIODIC_HOLD is a number, which is"
                " true unless 0"
            ],
        ),
        ("START = Cpus > (JobPrio is undefined ? 4 : JobPrio * 2)\n", []),
        # The value that a list has in the end counts, whoever gave it.
        (
            "STARTD_CRON_JOBLIST = $(STARTD_CRON_JOBLIST) Own\n"
            "STARTD_CRON_Own_EXECUTABLE = /bin/true\nSTARTD_CRON_Own_PERIOD = 1m\n"
            "use feature: GPUsMonitor\n",
            [],
        ),
        (
            "START = Cpus + 1 > 0 * Memory\n",
            ["P419:1 START is true whatever its attributes are"],
        ),
        ("SYSTEM_PERIODIC_HOLD = NumJobStarts >= -NumShadowStarts - 1\n", []),
        ("START = (Cpus >= 0) == true\n", ["P419:1 START is true whatever its attributes are"]),
        ("SYSTEM_PERIODIC_HOLD = JobPrio == -20 && NumJobStarts > +3\n", []),
        ("PREEMPTION_REQUIREMENTS = RemoteUserPrio == true\n", []),
        (
            "PREEMPTION_REQUIREMENTS = RemoteUserPrio == undefined\n",
            ["P411:1 `==` with UNDEFINED is always undefined"],
        ),
        (
            "PREEMPTION_REQUIREMENTS = error != RemoteUserPrio\n",
            ["P411:1 `!=` with ERROR is always an error"],
        ),
        # Slips.
        (
            "START = ifThenElse(\"a\", Cpus > 1, true)\n",
            ["P421:1 `ifThenElse` takes the condition first"],
        ),
        ("PREEMPTION_REQUIREMENTS = RemoteUserPrio > 1.2 * (Cpus > 0)\n", []),
        # Preemption and ranks.
        (
            "PREEMPTION_RANK = RemoteUserPrio + RemoteUserResourcesInUse\n"
            "PREEMPTION_RANK_STABLE = True\n",
            ["P504:1 `RemoteUserResourcesInUse` changes during a cycle, and"
             " PREEMPTION_RANK_STABLE is true"],
        ),
        ("PREEMPTION_RANK = RemoteUserPrio * 2\nPREEMPTION_RANK_STABLE = True\n", []),
        (
            "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\n"
            "PREEMPTION_REQUIREMENTS = RemoteGroupQuota > RemoteGroupResourcesInUse\n",
            ["P506:3 this is true where the claim's group is below its quota, or one's own above"],
        ),
        ("PREEMPTION_REQUIREMENTS = max({RemoteUserPrio, 1}) > SubmitterUserPrio\n", []),
        ("NEGOTIATOR_PRE_JOB_RANK = 10 * HasFileTransfer + Memory\n", []),
        ("NEGOTIATOR_PRE_JOB_RANK = Foo.Bar\n", []),
        # Values and references.
        (
            "RANK = $INT($ENV(X))\n",
            [
                "P122:1 the body of `$INT(` ends at its first `)`",
            ],
        ),
        ("SPOOL = /x/$ENV(HOME(x))\n", []),
        ("SPOOL = $LOGS/x\n", ["P124:1 `$LOGS` is not a reference"]),
        (
            "SPOOL @=end\n a$(\\\nNOSUCH)\n@end\n",
            ["P120:1 `$(NOSUCH)` is not defined and leaves a hole in SPOOL"],
        ),
        (
            "PREEMPT = Cpus not 5\nSTART = not Cpus\n",
            [
                "P113:1 PREEMPT: expected an operator or end of expression, found `not`",
                "P113:2 START: expected an operator or end of expression, found `Cpus`:"
                " not is written `!`",
            ],
        ),
        ("START = $(START) || true || Cpus > 3\n", []),
        (
            "SCHEDD_LOG = $(MY_SIZE)\nMY_SIZE = $(SCHEDD_LOG)\n",
            [
                "P114:1 expansion of `SCHEDD_LOG` never ends:"
                " SCHEDD_LOG -> MY_SIZE -> SCHEDD_LOG",
                "P114:2 expansion of `MY_SIZE` never ends: MY_SIZE -> SCHEDD_LOG -> MY_SIZE",
            ],
        ),
        # Conditionals, silences and templates.
        ("NEGOTIATOR_NAME = y\nif false\n[Section]\nNEGOTIATOR_NAME = x\nendif\n", []),
        (f"# pieslice: ignore P505 because x\n{BAD.replace('= ', '@=x')}".replace("@=x", "@=x\n")
         + "\n@x\n", []),
        (
            f"A @=x\n # pieslice: ignore P505 because it is text\n@x\n{BAD}\nfoo\n",
            [
                "P901:2 there is no P505 here to be silenced",
                "P505:4 nothing keeps two users from preempting each other in turns",
                "P101:5 a statement needs `=` or `:` after its name",
            ],
        ),
        ("use POLICY:Preempt_if_runtime_exceeds\nPREEMPT = $(PREEMPT) || (MY.Gone)\n", []),
        # Transforms, slots and weights.
        (
            "NUM_CPUS = $(GONE)4\nSLOT_TYPE_1 = cpus=8\nNUM_SLOTS_TYPE_1 = 1\n",
            ["P120:1 `$(GONE)` is not defined and leaves a hole in NUM_CPUS"],
        ),
        (
            f"{TRANSFORM} SET A 1 \\\n SET B 2\n@end\n",
            ["P245:4 SET A of JOB_TRANSFORM_A: expected an operator or end of expression,"
             " found `SET`"],
        ),
        (f"{TRANSFORM} REQUIREMENTS Foo == \"$(FULL_HOSTNAME)\"\n@end\n", []),
        (f"{TRANSFORM} NOSUCHCOMMAND x\n@end\n", ["P244:3 `NOSUCHCOMMAND` is no command"]),
        ("NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1_SLOT_WEIGHT =\n", []),
        ("NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1_SLOT_WEIGHT = Cpus * 2\n", []),
    ])  # fmt: skip
def test_what_is_said(text: str, said: list[str]) -> None:
    assert [f"{item.id}:{item.line} {item.message}" for item in found(text)] == said


def test_a_use_of_another_file_is_named_by_its_place() -> None:
    files = {"b.conf": "use POLICY:Preempt_if_runtime_exceeds\n"}
    (item,) = found("include : b.conf\nPREEMPT = Foo\n", files)
    assert item.message == "PREEMPT drops the condition that the `use` in b.conf:1 adds"


@pytest.mark.parametrize(
    ("facts", "told"), [(HostFacts(detected_cpus=2), True), (HostFacts(), False)]
)
def test_slots_are_compared_with_the_cpus_of_a_machine_that_is_told(
    facts: HostFacts, told: bool
) -> None:
    text = "NUM_CPUS = $(DETECTED_CPUS)\nSLOT_TYPE_1 = cpus=8\nNUM_SLOTS_TYPE_1 = 1\n"
    assert ("P243" in {item.id for item in lint(read(text, host=facts))}) is told


def test_what_the_environment_sets_is_checked_and_placed() -> None:
    environment = {
        "_CONDOR_START": 'TARGET.Owner = "x"',
        "_CONDOR_NEGOTIATOR_CONSIDER_PREEMPT": "True",
        "_CONDOR_JOB_TRANSFORM_NAMES": "A",
        "_CONDOR_JOB_TRANSFORM_A": "REQUIREMENTS (\nSETT Foo 1\nSET X $(NOSUCH)\n",
        "_CONDOR_SPOOL": "/x/$(NOSUCH)",
        "_CONDOR_no-name": "x",
    }
    items = lint(read("A = 1\n", environment=environment))
    assert all(item.source and item.source.name == "<Environment>" for item in items)
    assert sorted(f"{item.id}:{item.line}:{item.column}" for item in items) == [
        "P113:1:14", "P120:1:4", "P120:3:7", "P201:1:1", "P244:2:1", "P245:1:14",
    ]  # fmt: skip


def test_a_part_of_a_configuration_may_lack_what_ends_nobody(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "part.conf"
    path.write_text("GROUP_NAMES = $(GROUPS)\nX = $(Y)\nY = $(X)\n")
    assert main(["check", str(path), "--fragment", "--format", "json"]) == 1
    out = capsys.readouterr().out
    assert '"fragment": "as --fragment says"' in out
    found = re.findall(r'"id": "(P\d+)"|"severity": "(\w+)"', out)
    assert {"P120", "P114", "note", "error"} <= {word for pair in found for word in pair}
