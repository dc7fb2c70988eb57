"""Findings: the declarations, the corpus of small policies, silences and the formats."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from classad.errors import Diagnostic
from docs.written.findings import findings_page
from docs.written.knobs import knob_page
from pieslice.policies.blocks import blocks
from pieslice.policies.checked import Checked
from pieslice.policies.formats import report
from policy.config import Config, load_config
from policy.io import builtin_library
from policy.knobs import KNOBS
from policy.knobs.declaration import KnobKind
from policy.knobs.other_daemons import OTHER_KNOBS
from policy.knobs.readers import MAIN
from policy.language.macros import Expander
from policy.language.sources import MemorySources
from policy.language.table import Context
from policy.lint.findings import FINDINGS, Finding, lint
from policy.lint.fragments import Fragment
from policy.lint.units import _is_instant
from policy.lint.upgrade import changes
from policy.lint.verdict import examine
from policy.load import load_policy
from policy.versions import NEWEST, parse_version
from tests.cases import every_case
from tests.policy.config_vectors import load_vectors

ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).parent / "corpus"
BAD = sorted((CORPUS / "bad").glob("*.conf"))
CLEAN = sorted((CORPUS / "clean").glob("*.conf"))
#: Findings about values that are none of their kind.
INVALID = ("P110", "P111", "P112", "P113")
#: The versions between which a policy has its finding, or the only one.
BETWEEN = re.compile(r"^# version (\S+)$", re.MULTILINE)
EXPECTED = re.compile(r"^# expect (P\d+)(?: line (\d+))?$", re.MULTILINE)


def read(
    text: str, files: dict[str, str] | None = None, version: str = str(NEWEST), **more: Any
) -> Config:
    return load_config(
        "pool.conf",
        MemorySources({"pool.conf": text, **(files or {})}),
        builtin_library(parse_version(version)),
        context=Context("NEGOTIATOR"),
        keep_going=True,
        leave_out=True,
        **more,
    )


def found(text: str, files: dict[str, str] | None = None) -> list[Diagnostic]:
    return lint(read(text, files))


def found_between(text: str, versions: Sequence[str], id_: str | None = None) -> list[Diagnostic]:
    """What a version finds, or the step between two; of defaults that change only those meant."""
    if len(versions) < 2:
        return lint(read(text, version=versions[0] if versions else str(NEWEST)))
    old, new = (read(text, version=version) for version in versions)
    return [item for item in changes(old, new) if item.id in (id_, None) or item.id != "P701"]


def ids(text: str) -> list[tuple[str | None, int | None]]:
    return [(item.id, item.line) for item in found(text)]


def rendered(items: list[Diagnostic]) -> str:
    return "\n".join(item.render() for item in items)


@pytest.mark.slow
@every_case("finding", FINDINGS.values(), name=lambda finding: finding.id)
def test_the_examples_of_a_finding(finding: Finding) -> None:
    bad = found_between(finding.bad, finding.between, finding.id)
    assert {item.id for item in bad} == {finding.id}, rendered(bad)
    assert all(item.severity == finding.severity for item in bad)
    good = found_between(finding.good, finding.between, finding.id)
    assert good == [], rendered(good)


def test_declarations_are_numbered_in_order_and_say_something() -> None:
    numbers = list(FINDINGS)
    assert numbers == sorted(set(numbers))
    for finding in FINDINGS.values():
        assert re.fullmatch(r"P\d{3}", finding.id)
        assert finding.doc.endswith(".")
        assert not finding.title.endswith(".")


def test_the_pages_are_current() -> None:
    written = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
    assert written == findings_page(), "run: python -m docs.written findings > docs/findings.md"
    assert findings_page() != knob_page()


@pytest.mark.slow
@every_case("path", BAD, name=lambda path: path.stem)
def test_a_bad_policy_has_the_finding_it_names(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    wanted = EXPECTED.findall(text)
    items = found_between(text, BETWEEN.findall(text), wanted[0][0] if wanted else None)
    assert wanted, "a bad policy names its finding: # expect P000"
    assert {item.id for item in items} == {name for name, _ in wanted}, rendered(items)
    for name, line in wanted:
        if line:
            assert (name, int(line)) in {(item.id, item.line) for item in items}, rendered(items)


@every_case("path", CLEAN, name=lambda path: path.stem)
def test_a_clean_policy_has_no_finding(path: Path) -> None:
    found = examine(read(path.read_text(encoding="utf-8")))
    assert found.findings == [], rendered(found.findings)
    assert found.starts


def test_the_corpus_is_large_enough() -> None:
    assert len(BAD) >= 60
    assert len(CLEAN) >= 20
    named = {name for path in BAD for name, _ in EXPECTED.findall(path.read_text("utf-8"))}
    assert named == set(FINDINGS)


def test_the_captured_pool_has_no_finding() -> None:
    text = (ROOT / "examples" / "campus" / "condor_config").read_text(encoding="utf-8")
    items = found(text)
    assert items == [], rendered(items)


@every_case("case", load_vectors("negotiator-startup.json")["cases"], name=lambda case: case["id"])
def test_the_verdict_is_the_daemons(case: dict[str, Any]) -> None:
    found = examine(read(case["config"]), asked=True)
    [verdict] = found.verdicts
    assert verdict.starts == case["starts"]
    assert (verdict.status or None) == case["exit"]
    if not verdict.starts:
        assert any(item.severity == "error" for item in found.findings)


def test_a_slip_in_an_attribute_points_at_it() -> None:
    [item] = found("X = 1\nPREEMPTION_REQUIREMENTS = A && SubmiterUserPrio > 1.2\n")
    assert item.render().splitlines() == [
        "pool.conf:2:32: warning[P401]: unknown attribute `SubmiterUserPrio`"
        " in PREEMPTION_REQUIREMENTS",
        "   2 | PREEMPTION_REQUIREMENTS = A && SubmiterUserPrio > 1.2",
        "     |                                ^~~~~~~~~~~~~~~~",
        "  help: did you mean `SubmitterUserPrio`?",
    ]


@pytest.mark.parametrize(
    ("key", "beyond"),
    [("3.4028e+38", False), ("-3.4028e+38", False), ("3.41e+38", True), ("-1e+39", True)],
)
def test_sort_keys_up_to_the_greatest_single_are_fine(key: str, beyond: bool) -> None:
    text = f"GROUP_NAMES = a\nGROUP_QUOTA_a = 5\nGROUP_SORT_EXPR = {key}\n"
    assert ("P309" in [item.id for item in found(text)]) is beyond


def test_names_of_ones_own_are_no_slips() -> None:
    own = "PREEMPTION_RANKS = 1\nPREEMPTION_RANK = $(PREEMPTION_RANKS)\nSTART = True\n"
    assert ids(own) == []
    assert ids("NEGOTIATOR.PREEMPTION_RANKS = 1\n") == [("P201", 1)]


def test_a_comment_silences_the_statement_below_it_or_around_it() -> None:
    risky = "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio\n"
    reason = "# pieslice: ignore P505 because jobs are short\n"
    assert ids(risky) == [("P505", 1)]
    assert ids(reason + "\n# more words\n" + risky) == []
    assert ids(reason.replace(" because jobs are short", "") + risky) == []
    assert ids(reason + "A = 1\n" + risky) == [("P901", 1), ("P505", 3)]
    inside = (
        "PREEMPTION_REQUIREMENTS = \\\n   # pieslice: ignore P505, P401 because short \\\n"
        "   RemoteUserPrio > SubmitterUserPrio\n"
    )
    assert ids(inside) == []


def test_a_daemon_whose_program_is_nowhere_ends_the_master() -> None:
    for text, column in (("MASTER, NOPE", 23), ("MASTER 'SCHEDD'", 22), ('"MASTER, SCHEDD"', 15)):
        [missing] = [item for item in found(f"DAEMON_LIST = {text}\n") if item.id == "P110"]
        assert missing.column == column
        assert verdicts(f"DAEMON_LIST = {text}\n") == {"MASTER": False}
    assert found("DAEMON_LIST = MASTER, SCHEDD\n") == []


@pytest.mark.parametrize(
    ("macro", "told"), [("MAX_JOBS_RUNNING", ["P116"]), ("SCHEDD_NAME", []), ("A", [])]
)
def test_text_behind_an_expression_is_told_where_a_number_is_read(
    macro: str, told: list[str]
) -> None:
    assert [item.id for item in found(f"{macro} = true ? 2 : 3 junk\n")] == told


@pytest.mark.parametrize(
    ("value", "passed_over"),
    [
        ("10 * 100", "* 100"),
        ("1,5", ",5"),
        ("1000 # each", "# each"),
        ("1e3x", "x"),
        ("1000.0", None),
        ("1e10", None),
        (".5e4", None),
        ("$(FACTOR)", None),
    ],
)
def test_of_a_priority_factor_only_the_number_at_its_beginning_counts(
    value: str, passed_over: str | None
) -> None:
    text = f"FACTOR = 500\nDEFAULT_PRIO_FACTOR = {value}\n"
    said = [(item.id, item.line) for item in found(text) if item.id == "P112"]
    assert said == ([] if passed_over is None else [("P112", 2)])
    assert passed_over is None or f"`{passed_over}` behind it is passed over" in rendered(
        found(text)
    )


@pytest.mark.parametrize(
    ("value", "is_unit"),
    [
        *[("100 foo", False), ("5 units", False), ("1.5Mb", False), ("3.99", False)],
        *[("10,00", False), ("100;", False), ("100 Mb", True), ("1 Gigs", True), ("7 days", True)],
    ],
)
@pytest.mark.parametrize("daemon", ["SCHEDD", "STARTD", "NEGOTIATOR"])
def test_a_log_is_measured_in_units_of_size_or_time(daemon: str, value: str, is_unit: bool) -> None:
    assert ids(f"MAX_{daemon}_LOG = {value}\n") == ([] if is_unit else [("P112", 1)])


def test_where_a_list_has_a_known_name_the_slip_is_in_the_definition() -> None:
    [item] = found('AccountGroup = "nbcr"\nSUBMIT_ATTRS = $(SUBMIT_ATTRS) AccountingGroup\n')
    assert item.id == "P211"
    assert item.help == "`AccountGroup` is set: did you mean `AccountingGroup` there?"
    assert item.edit is None


def test_a_variable_of_a_shell_at_the_beginning_of_a_path_is_no_reference_whatever_the_macro() -> (
    None
):
    assert ids("CERTIFICATE_MAPFILE = $HOME/mapfile\n") == [("P124", 1)]
    assert ids('SITE_TEXT = "$HOME/mapfile"\nMASTER_ATTRS = SITE_TEXT\n') == []


def test_the_arguments_of_a_job_of_a_cron_are_read_by_no_shell_but_where_it_is_one() -> None:
    """touch as a job of 25.14.1's startd makes a file `x$HOME`."""
    job = "STARTD_CRON_JOBLIST = A\nSTARTD_CRON_A_PERIOD = 1h\nSTARTD_CRON_A_ARGS = {}\n"
    job += "STARTD_CRON_A_EXECUTABLE = {}\n"
    for text in ("14d $WORKDIR", "${WORKDIR}/x"):
        assert ids(job.format(text, "/usr/bin/touch")) == [("P124", 3)]
        for shell in ("/bin/sh", "/bin/bash", "/usr/bin/python3"):
            assert ids(job.format(f"-c {text}", shell)) == []
    assert ids(job.format("$(LOG)/x", "/usr/bin/touch")) == []


def test_what_a_list_names_already_is_not_meant_by_an_item() -> None:
    defined = "HasFoo = True\nHasBar = True\n"
    [item] = found(f"{defined}STARTD_ATTRS = HasFop, HasBar\n")
    assert (item.id, item.help) == ("P211", "did you mean `HasFoo`?")
    [item] = found(f"{defined}STARTD_ATTRS = HasFoo, HasBar, HasFop\n")
    assert item.id == "P211"
    assert "did you mean" not in (item.help or "")


def test_a_silence_needs_a_known_number_that_may_be_silenced() -> None:
    for words in ("ignore", "ignore P999 because x", "P505", "ignore P111", "ignore P505 because"):
        [found_here] = found(f"# pieslice: {words}\nA = 1\n")
        assert (found_here.id, found_here.severity) == ("P901", "warning")


def test_a_silence_of_nothing_is_noted() -> None:
    [noted] = found("# pieslice: ignore P505\nPREEMPTION_REQUIREMENTS = False\n")
    assert (noted.id, noted.severity, noted.line) == ("P901", "note", 1)
    assert noted.message == "there is no P505 here to be silenced"


def test_findings_of_a_second_negotiator_are_found_too() -> None:
    text = "NEGOTIATOR_B.PREEMPTION_REQUIREMENTS = RemoteUserPrio > (\n"
    assert ids(text) == [("P111", 1)]
    [first, second] = examine(read(text + "NEGOTIATOR_NAME = main\n")).verdicts
    assert (str(first.daemon), first.starts) == ("condor_negotiator", True)
    assert str(second.daemon) == "condor_negotiator -local-name NEGOTIATOR_B"
    assert second.text.startswith(f"{second.daemon} would not start: exit status 4, line 1: ")


def verdicts(text: str) -> dict[str, bool]:
    return {one.daemon.subsystem: one.starts for one in examine(read(text)).verdicts}


def test_a_template_without_its_arguments_ends_all_at_the_line_that_uses_it() -> None:
    found = examine(read("use ROLE : Execute\nuse FEATURE : StartdCronPeriodic(PROBE)\n"))
    assert {one.status for one in found.verdicts} == {1}
    assert all("line 2: `use FEATURE:StartdCronPeriodic`" in one.text for one in found.verdicts)
    assert examine(read("use FEATURE : StartdCronPeriodic(PROBE, 5m, /usr/libexec/probe)\n")).starts


@pytest.mark.parametrize(
    "line",
    [
        "DEFRAG_DRAINING_MACHINES_PER_HOUR = ten",
        "DEFRAG_INTERVAL = 10m",
        "DEFRAG_DRAINING_SCHEDULE = slow",
        "DEFRAG_REQUIREMENTS = Cpus >",
    ],
)
def test_a_daemon_beside_the_main_ones_that_ends_has_a_verdict(line: str) -> None:
    listed = "DAEMON_LIST = MASTER COLLECTOR DEFRAG\nDEFRAG_DRAINING_MACHINES_PER_HOUR = 0.5\n"
    assert verdicts(listed) == {"MASTER": True, "COLLECTOR": True, "DEFRAG": True}
    assert verdicts(f"{listed}{line}\n") == {"MASTER": True, "COLLECTOR": True, "DEFRAG": False}


@pytest.mark.parametrize(
    ("start", "useless"),
    [
        ('contains(TARGET.Owner, "x") && KeyboardIdle > 60', True),
        ('regexp("^(g", TARGET.Owner)', True),
        ('"TRUE"', True),
        ('KeyboardIdle > 60 || contains(TARGET.Owner, "x")', False),
        ('isError(contains(TARGET.Owner, "x"))', False),
    ],
)
def test_a_start_that_is_always_an_error_takes_no_jobs(start: str, useless: bool) -> None:
    [verdict] = examine(read(f"START = {start}\n")).verdicts
    assert verdict.starts
    assert ("but take no jobs: line 1" in verdict.text) is useless


def test_a_missing_file_may_be_called_so_for_a_hole() -> None:
    [found] = lint(read("include : $(CONF_ROOT)/site.conf\n"))
    assert found.help == "`$(CONF_ROOT)` is not defined"


def test_the_sign_for_at_most_is_named() -> None:
    [found] = lint(read("START = TARGET.RequestMemory =< 4000\n"))
    assert found.message.endswith("at most is written `<=`")


def test_each_daemon_has_its_own_verdict() -> None:
    assert verdicts("MAX_JOBS_RUNNING = 10k\nNEGOTIATOR_NAME = main\n") == {
        "NEGOTIATOR": True,
        "SCHEDD": False,
    }
    assert verdicts("MEMORY = 64GB\n") == {"STARTD": False}
    assert verdicts("NUM_SLOTS_TYPE_3 = two\n") == {"STARTD": False}
    assert verdicts("JOB_START_COUNT = 0\n") == {"SCHEDD": False}
    assert verdicts("SLOT_WEIGHT = Cpus +\n") == {"NEGOTIATOR": False, "STARTD": False}
    assert not any(verdicts("NETWORK_MAX_PENDING_CONNECTS = 5m\n").values())
    # A prefix decides who reads it.
    assert verdicts("STARTD.NETWORK_MAX_PENDING_CONNECTS = 5m\n")["STARTD"] is False
    assert verdicts("NEGOTIATOR.MAX_JOBS_RUNNING = 10k\n") == {"NEGOTIATOR": True}


def test_what_hangs_or_ends_everybody_is_no_start() -> None:
    circle = "SPOOL = $(SITE)/spool\nSITE = $(SPOOL)\n"
    said = [one.text for one in examine(read(circle + "NEGOTIATOR_NAME = a\n")).verdicts]
    assert said
    assert all(" hangs if it reads this: line " in text for text in said)
    assert not any(verdicts("SEC_DEFAULT_AUTHENTICATION = MANDATORY\nSTART = True\n").values())
    assert not any(verdicts("DAEMON_LIST = MASTER, SCHEDD\nnonsense\n").values())
    assert set(verdicts("nonsense\n")) == set(MAIN)
    assert set(verdicts("DAEMON_LIST = MASTER, SCHEDD\nnonsense\n")) == {"MASTER", "SCHEDD"}


@pytest.mark.parametrize(
    ("text", "told", "ended"),
    [
        ("MAX_GLOBAL_JOB_PRIOS = abc\n", ("P112", 1), None),
        ("CLAIM_PARTITIONABLE_LEFTOVERS = abc\n", ("P112", 1), None),
        ("CONSUMPTION_DISK = 1 +\n", ("P112", 1), None),
        ("CONSUMPTION_POLICY = True\nCONSUMPTION_DISK = 1 +\n", ("P111", 2), "STARTD"),
        ("NEGOTIATE_ALL_JOBS_IN_CLUSTER = abc\n", ("P110", 1), "SCHEDD"),
        ("CONSUMPTION_POLICY = abc\n", ("P110", 1), "STARTD"),
    ],
)
def test_what_a_daemon_reads_late_or_never_does_not_end_its_start(
    text: str, told: tuple[str, int], ended: str | None
) -> None:
    """As seen of condor_schedd and condor_startd 25.14.1."""
    examined = examine(read(text))
    assert [(item.id, item.line) for item in examined.findings] == [told]
    starts = {one.daemon.subsystem: one.starts for one in examined.verdicts}
    assert [name for name, one in starts.items() if not one] == ([ended] if ended else [])
    [found] = examined.findings
    late = "ends when it reads this, which need not be at its start"
    assert (late in (found.help or "")) is (ended is None)


def test_a_bad_value_of_every_declared_macro_is_told_by_its_name() -> None:
    known = [*KNOBS.values(), *OTHER_KNOBS.values()]
    typed = [
        knob.name
        for knob in known
        if not knob.is_family
        and knob.kind in (KnobKind.BOOL, KnobKind.INT, KnobKind.DOUBLE, KnobKind.EXPR)
    ]
    items = found("".join(f"{name} = 1 +\n" for name in typed))
    named = {item.message.partition(":")[0] for item in items if item.id in INVALID}
    assert named >= set(typed)


def test_a_file_that_cannot_be_read_has_no_place_and_starts_nothing() -> None:
    config = read("STRT = True\n", overlays=["gone.conf"])
    examined = examine(config)
    assert [(item.id, item.line) for item in examined.findings] == [("P201", 1), ("P101", None)]
    assert {one.text.partition(" ")[2] for one in examined.verdicts} == {
        "would not start: exit status 1, cannot read configuration `gone.conf`"
    }


def test_a_broken_start_ends_nothing_and_takes_no_jobs() -> None:
    for local in (None, "STARTD"):
        config = load_config(
            "pool.conf",
            MemorySources({"pool.conf": "START = KeyboardIdle > (1\n"}),
            builtin_library(),
            context=Context(local or "NEGOTIATOR"),
            keep_going=True,
        )
        found = examine(config, asked=local is not None)
        [verdict] = found.verdicts
        assert verdict.starts
        assert verdict.text.startswith("condor_startd would start, but take no jobs: line 1:")
        assert [(item.id, item.severity) for item in found.findings] == [("P113", "error")]


def test_what_the_daemon_does_stands_apart_from_what_the_report_goes_on_with() -> None:
    [item] = found("NEGOTIATOR_INTERVAL = 5m\n")
    assert item.help == (
        "condor_negotiator ends when it reads this; this report goes on with the default `60`"
    )


def test_names_that_only_the_programs_know_are_known() -> None:
    assert ids("IsOwner = False\nCpuBusy = False\ncpu_busy = False\n") == []


def test_groups_of_a_second_negotiator_are_its_own() -> None:
    text = "NEGOTIATOR_X.GROUP_NAMES = a\nGROUP_NAMES = b\nGROUP_QUOTA_b = 3\n"
    assert ids(text + "NEGOTIATOR_X.GROUP_QUOTA_a = 5\n") == []
    assert ids(text + "GROUP_QUOTA_a = 5\n") == []
    assert ids(text + "GROUP_QUOTA_a = 5\nNEGOTIATOR_X.GROUP_QUOTA_b = 5\n") == [("P301", 5)]


def test_a_value_that_only_the_starter_reads_ends_the_starter() -> None:
    [item] = found("CGROUP_POLLING_INTERVAL = 5m\n")
    assert (item.id, item.severity) == ("P110", "error")
    assert item.help == "condor_starter ends when it reads this, which is not at its start"


def test_a_half_life_may_be_as_long_as_one_likes() -> None:
    assert ids("PRIORITY_HALFLIFE = 1e30\n") == []


def test_definitions_in_conditionals_and_other_files_shadow_nothing() -> None:
    text = "PRIORITY_HALFLIFE = 3600\nif true\nPRIORITY_HALFLIFE = 7200\nendif\n"
    assert ids(text) == []
    files = {
        "pool.conf": "PRIORITY_HALFLIFE = 3600\ninclude : more.conf\n",
        "more.conf": "PRIORITY_HALFLIFE = 7200\n",
    }
    config = load_config("pool.conf", MemorySources(files), builtin_library())
    assert lint(config) == []


TEXT = "GROUP_NAMES = a\nPREEMPTION_REQUIREMENTS = RemoteUserPrio > (1\n"


def checked() -> list[Checked]:
    found = examine(read(TEXT))
    return [Checked("pool.conf", found.verdicts, tuple(found.findings))]


def test_the_report_for_people() -> None:
    lines = report(checked(), "text", FINDINGS).splitlines()
    assert lines[0] == "pool.conf: follows 25.14.1: no version is given"
    assert lines[1].startswith(
        "pool.conf: condor_negotiator would not start: exit status 4, line 2: PREEMPTION_REQ"
    )
    assert lines[-1] == "pool.conf: 1 error, 1 warning"


def test_the_report_for_programs() -> None:
    [result] = json.loads(report(checked(), "json", FINDINGS))["checks"]
    assert (result["path"], result["starts"]) == ("pool.conf", False)
    assert [(item["id"], item["line"], item["column"]) for item in result["findings"]] == [
        ("P303", 1, 15),
        ("P111", 2, 44),
    ]


def test_the_sarif_report() -> None:
    [run] = json.loads(report(checked(), "sarif", FINDINGS))["runs"]
    driver = run["tool"]["driver"]
    rules = driver["rules"]
    assert driver["version"]
    assert "docs/findings.md#p120-an-undefined-macro" in "".join(
        rule["help"]["markdown"] for rule in rules
    )
    [[verdict]] = [one["verdicts"] for one in run["properties"]["verdicts"]]
    assert (verdict["daemon"], verdict["starts"]) == ("condor_negotiator", False)
    assert [rule["id"] for rule in rules] == list(FINDINGS)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        [place] = result["locations"]
        assert place["physicalLocation"]["artifactLocation"] == {"uri": "pool.conf"}
        region = place["physicalLocation"]["region"]
        assert region["startColumn"] < region["endColumn"]


MANY = "".join(f"X{n} = $(GONE)\n" for n in range(3)) + (
    "START = $(X0) || $(X1) || $(X2)\nMAX_JOBS_RUNNING = 10k\nGROUP_NAMES = a\nALLOW_READ = a; b\n"
)


def texts(text: str, **more: bool) -> list[str]:
    one = examine(read(text))
    return report(
        [Checked("pool.conf", one.verdicts, tuple(one.findings))], "text", FINDINGS, **more
    ).splitlines()


def test_one_cause_is_one_block_with_its_places() -> None:
    lines = texts(MANY, every=True)
    [headline] = [line for line in lines if "P120" in line]
    assert headline.startswith("pool.conf:1:6: warning[P120]: `$(GONE)` is not defined")
    assert "  also at line 2, line 3" in lines


def test_items_of_a_list_are_one_block_with_their_names() -> None:
    listed = "DAEMON_LIST = MASTER, SCHEDD\nSUBMIT_ATTRS = Alpha, Beta, \\\n   Gamma, Delta\n"
    lines = texts(listed, every=True)
    [headline] = [line for line in lines if "P211" in line]
    assert headline.endswith("SUBMIT_ATTRS lists `Alpha`, which is not defined")
    assert "  also at `Beta`, line 3, `Delta`" in lines


def test_a_group_is_misspelt_where_nothing_else_is_set_for_it() -> None:
    listed = "GROUP_NAMES = group_atlas, group_b\n"
    quotas = "GROUP_QUOTA_group_b = 5\nGROUP_QUOTA_group_atlas = 5\n"
    more = "GROUP_ACCEPT_SURPLUS_group_atlsa = True\nGROUP_AUTOREGROUP_group_atlsa = True\n"
    helps = [one.help for one in found(listed + quotas + more)]
    assert helps == ["did you mean the group `group_atlas`?"] * 2
    # A group with a quota of its own is none of the others, nor is one with another letter.
    helps = [one.help for one in found(listed + quotas + more + "GROUP_QUOTA_group_atlsa = 5\n")]
    assert helps == [None] * 3
    assert [one.help for one in found(listed + quotas + "GROUP_QUOTA_group_c = 5\n")] == [None]
    [_, first, _] = found(listed + quotas[:24] + more)
    assert first.help == "GROUP_NAMES lists `group_atlas`, for which nothing is set"


def test_what_a_name_or_a_condition_says_in_error_has_a_place() -> None:
    items = found("X$INT(at) = 5\nif $INT(at)\nendif\n")
    assert [(one.id, one.line, one.column) for one in items] == [("P104", 1, 1), ("P104", 2, 1)]


def test_text_behind_else_and_endif_is_told_and_comments_are_not() -> None:
    text = "if defined X\nelse{}\nendif{}\n"
    assert ids(text.format(" # no X", " # X")) == []
    items = found(text.format(" defined Y", " X"))
    assert [one.message for one in items] == [
        "`defined Y` behind `else` is ignored",
        "`X` behind `endif` is ignored",
    ]
    assert [one.help for one in found(text.format(" if defined Y", ""))] == ["did you mean `elif`?"]


def test_an_else_if_is_the_cause_of_the_second_else() -> None:
    lines = texts("if defined X\nelse if defined Y\nelse\nendif\n", every=True)
    assert [line for line in lines if "P101" in line] == [
        "  so, line 3: error[P101]: `else` after `else`"
    ]


def test_the_first_page_has_the_worst_three_causes() -> None:
    lines = texts(MANY)
    assert sum("pool.conf:" in line and "[P" in line for line in lines) == 3
    assert "error[P110]" in next(line for line in lines if "[P" in line)
    assert lines[-1].endswith(" causes, --all shows all")
    assert len(texts(MANY, every=True)) > len(lines)


def test_a_hole_is_told_with_what_comes_of_it() -> None:
    lines = texts("START = KeyboardIdle > $(QUIET)\n")
    assert sum("[P" in line for line in lines) == 2
    assert lines[2].startswith("pool.conf:1:24: warning[P120]: `$(QUIET)` is not defined")
    assert any(line.startswith("  so: error[P113]: START: expected an operand") for line in lines)


def test_a_fragment_gets_notes_for_what_it_lacks() -> None:
    text = "STARTD_LOG = $(SITE_LOGS)/StartLog\nREMOTE_PRIO_FACTOR = 10000\n"
    found = examine(read(text), fragment=True).findings
    assert {(item.id, item.severity) for item in found} == {("P120", "note"), ("P241", "note")}


def test_a_fragment_is_recognised_by_what_it_lacks() -> None:
    text = "START = $(SITE_START) && KeyboardIdle > $(LEAST_IDLE)\n"
    part = examine(read(text))
    assert str(part.fragment) == "it sets no DAEMON_LIST, and lacks $(SITE_START) and $(LEAST_IDLE)"
    assert [(item.id, item.severity) for item in part.findings] == [("P120", "note")] * 2
    assert part.starts
    whole = examine(read(text), fragment=False)
    assert whole.fragment is None
    assert {item.severity for item in whole.findings} == {"warning", "error"}
    assert examine(read(text + "DAEMON_LIST = MASTER, STARTD\n")).fragment is None


@pytest.mark.parametrize(
    "text",
    [
        "START = $(SITE_START) && KeyboardIdle > 900\n",
        "IDLE = 900\nSTART = KeyboardIdle > $(IDEL) && Disk > $(DAY) && Memory > $(HUOR)\n",
        "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\nGROUP_QUOTA_b = 6\nGROUP_QUOTA_c = $(LEFT)\n",
    ],
)
def test_one_thing_or_a_slip_makes_no_fragment(text: str) -> None:
    assert examine(read(text)).fragment is None


def test_a_fragment_may_lack_its_lists() -> None:
    text = "GROUP_QUOTA_a = 5\nGROUP_QUOTA_b = 6\nJOB_TRANSFORM_Mem @=end\n  SET A 1\n@end\n"
    part = examine(read(text))
    assert (part.fragment or Fragment()).lacks == ("GROUP_NAMES", "JOB_TRANSFORM_NAMES")
    assert {item.severity for item in part.findings} == {"note"}


def _blocks(text: str) -> list[tuple[str | None, list[str | None]]]:
    """The causes in a configuration, each with what comes of it."""
    found = blocks(examine(read(text)).findings)
    return [(one.first.id, [other.first.id for other in one.consequences]) for one in found]


@every_case(
    "text, expected",
    [
        ("GROUP_NAMES = group_a\nGROUP_QUOTA_a = 5\nGROUP_PRIO_FACTOR_a = 9\n", ("P301", ["P303"])),
        ("GROUP_NAMES = a.b, a\nGROUP_QUOTA_a = 5\nGROUP_QUOTA_a_b = 5\n", ("P301", ["P303"])),
        ("GROUP_NAMES = biolgy\nGROUP_QUOTA_biology = 5\n", ("P301", ["P303"])),
        ("GROUP_NAMES = phys\nGROUP_QUOTA_DYNAMICphys = 0.5\n", ("P301", ["P303"])),
        ("GROUP_NAMES = phys\nGROUP_QUOTAphys = 5\n", ("P202", ["P303"])),
        ("GROUP_NAMES = a\nGROUP_QUOTA_a = $(SIZE)\n", ("P120", ["P303"])),
        ("COLLECTOR.GROUP_NAMES = a\nGROUP_QUOTA_a = 5\n", ("P221", ["P301"])),
        ("SLOT_TYPE_1 = cpus=1\nNUM_SLOTS_TYPE1 = 1\n", ("P202", ["P241"])),
        (
            "STARTD_CRON_JOBLIST = A\nSTARTD_CRON_A_EXECUTABLE = /a\nSTARTD_CRON_A_PERIOD = 5m\n"
            "STARTD_CRON_JOBLIST = B\nSTARTD_CRON_B_EXECUTABLE = /b\nSTARTD_CRON_B_PERIOD = 5m\n",
            ("P222", ["P212"]),
        ),
        (
            "GROUP_NAMES = phys, x\nGROUP_NAMES = phyz\nGROUP_QUOTA_phys = 5\n",
            ("P222", ["P303", "P301"]),
        ),
        ("SITE_START = $(START)\nSTART = $(SITE_START)\n", ("P114", ["P113"])),
        ("START = KeyboardIdle > 15 &&\n  LoadAvg < 0.3\n", ("P101", ["P113"])),
        ("KIND = gpu\nif $(KIND) == gpu\n  START = True\nendif\n", ("P101", [])),
        ('RANK = MY.Owner == "a"\n', ("P407", ["P431"])),
        ("STARTD_ATTRS = Scale\nScale = 1.4  # above average\n", ("P115", ["P217"])),
        ('GROUP_NAMES = "a"\nGROUP_QUOTA_a = 5\n', ("P213", ["P303", "P301"])),
        ('SYSTEM_PERIODIC_HOLD = "MemoryUsage" > RequestMemory\n', ("P424", ["P410"])),
        ("GROUP_NAMES = a \\\n# b\nGROUP_QUOTA_a = 5\n", ("P103", ["P303"])),
        ("GROUP_NAMES = a \\\nGROUP_QUOTA_a = 5\n", ("P107", ["P303", "P303", "P303", "P303"])),
        (
            "GROUP_NAMES = a\nGROUP_NAMES =+ b\nGROUP_QUOTA_a = 5\nGROUP_QUOTA_b = 5\n",
            ("P423", ["P222", "P303", "P301"]),
        ),
        (
            "SIZE = $(NOSUCH)\nTWICE = $(SIZE)\nMAX_JOBS_RUNNING = $(TWICE)$(SIZE)x\n",
            ("P120", ["P110"]),
        ),
    ],
)
def test_one_cause_is_one_block(text: str, expected: tuple[str, list[str]]) -> None:
    assert _blocks(text) == [expected]


def test_a_list_that_lost_one_item_does_not_explain_another_one() -> None:
    text = (
        "GROUP_NAMES = a, b\nGROUP_NAMES = b\nGROUP_QUOTA_a = 5\nGROUP_QUOTA_b = 5\n"
        "GROUP_QUOTA_lost = 5\n"
    )
    assert _blocks(text) == [("P222", ["P301"]), ("P301", [])]


def test_the_github_report() -> None:
    lines = report(checked(), "github", FINDINGS).splitlines()
    assert lines[1] == (
        "::warning file=pool.conf,line=1,col=15,title=P303::group `a` has no quota and gets 0"
    )
    assert lines[2].startswith("::error file=pool.conf,line=2,col=44,title=P111::")


def test_reports_point_into_the_helper_whose_end_is_too_early() -> None:
    text = "M = 2 *\nPREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * $(M)\n"
    found = examine(read(text))
    one = [Checked("pool.conf", found.verdicts, tuple(found.findings))]
    assert "::error file=pool.conf,line=1,col=8,title=P111::" in report(one, "github", FINDINGS)
    [run] = json.loads(report(one, "sarif", FINDINGS))["runs"]
    [place] = run["results"][0]["locations"]
    region = {"startLine": 1, "startColumn": 8, "endColumn": 9}
    assert place["physicalLocation"]["region"] == region


def test_an_old_name_that_other_values_refer_to_is_a_helper() -> None:
    assert ids("HOSTALLOW_WRITE = *\nALLOW_WRITE = $(HOSTALLOW_WRITE)\n") == []


def test_a_word_of_a_list_that_was_put_together_is_found_in_the_file() -> None:
    [item] = found("SEC_READ_AUTHENTICATION_METHODS = $(SEC_READ_AUTHENTICATION_METHODS),FS,GSI\n")
    assert (item.id, item.line, item.column) == ("P232", 1, 73)


def test_no_default_of_a_typed_macro_ends_a_daemon() -> None:
    """The table of readers and that of defaults agree; ENABLE_IPV6 = auto is no boolean."""
    rows = builtin_library().defaults
    text = "".join(f"{name} = {raw}\n" for name, raw in rows.items() if raw and "\n" not in raw)
    assert [item.message for item in found(text) if item.id in ("P110", "P112", "P113")] == []
    assert ids("ENABLE_IPV6 = AUTO\n") == []


def test_an_undone_template_is_named_as_the_file_names_it() -> None:
    [item] = found("use POLICY : Hold_If_Memory_Exceeded\nPREEMPT = False\n")
    assert item.message == (
        "PREEMPT drops the condition that `use POLICY : Hold_If_Memory_Exceeded` in line 1 adds"
    )


def test_what_a_daemon_sets_at_runtime_is_no_hole() -> None:
    assert ids("START = True\nSTARTD_LOG = $(LOG)/StartLog.$(OPSYSVER)$(IPV6_ADDRESS)\n") == []


def test_the_end_of_a_text_stands_in_the_helper_that_has_it() -> None:
    text = "Idle = KeyboardIdle > 15 && $(CPUIdle)\nSTART = $(Idle)\n"
    assert [(item.id, item.line, item.column) for item in found(text)] == [
        ("P113", 1, 29),
        ("P120", 1, 29),
    ]
    short = "Open = (\nNEGOTIATOR_PRE_JOB_RANK = $(Open)\n"
    assert [(item.id, item.line, item.column) for item in found(short)] == [("P111", 1, 9)]
    lines = texts(text, every=True)
    assert sum("[P" in line for line in lines) == 2
    assert "  so: error[P113]: START" in lines[-2]


def test_what_comes_of_a_broken_expression_is_what_its_daemon_does() -> None:
    # Asked of condor_rooster, condor_startd and condor_schedd of 25.14.1.
    for macro, id_, words in (
        ("ROOSTER_UNHIBERNATE", "P111", "condor_rooster ends"),
        ("ROOSTER_UNHIBERNATE_RANK", "P111", "condor_rooster ends"),
        ("DEFAULT_RANK", "P113", "condor_submit ends with it"),
        ("START_LOCAL_UNIVERSE", "P113", "goes on with TotalLocalJobsRunning < 200"),
        ("START_SCHEDULER_UNIVERSE", "P113", "goes on with TotalSchedulerJobsRunning < 500"),
    ):
        [item] = [one for one in found(f"{macro} = False && (\n") if one.id == id_]
        assert words in (item.help or "")
    types = "SLOT_TYPE_1 = cpus=1\nNUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1_SLOT_WEIGHT = 1 < (\n"
    [item] = found(types)
    assert item.id == "P111"
    assert (item.help or "").startswith("condor_startd ends when it reads this")
    assert verdicts(types) == {"STARTD": False}


def test_a_priority_in_start_matches_and_is_refused() -> None:
    [item] = found("START = SubmitterUserPrio < 1000\n")
    assert item.id == "P402"
    assert item.help is not None
    assert item.help.endswith("the startd, without it, refuses the claim")


def test_the_page_says_of_each_code_what_daemons_were_seen_to_do() -> None:
    entries = findings_page().split("\n### ")[1:]
    # Silencing and what pieslice does not do are no matter of daemons.
    about = [entry for entry in entries if not entry.startswith("P9")]
    assert len(about) > 70
    for entry in about:
        assert "bserved with" in entry or "was observed in ads" in entry, entry


TRANSFORM = """JOB_TRANSFORM_NAMES = One
JOB_TRANSFORM_One @=end
   REQUIREMENTS JobUnivers == 5

   # a comment
   SET RequestMemory 1024 +
   EVALSET Where TARGET.Memory + 1
   DEFAULT Size ifThen(True, 1)
   DEFAULT Weight ifThen(True, 1)
   SET Owner "$(MY.Owner)" + (
@end
"""


def test_expressions_in_transforms_are_found_in_their_lines() -> None:
    assert [(item.id, item.line, item.column) for item in found(TRANSFORM)] == [
        ("P401", 3, 17),
        ("P245", 6, 27),
        ("P407", 7, 18),
        ("P406", 8, 17),
        ("P406", 9, 19),
    ]
    assert found(TRANSFORM)[0].message.endswith("in REQUIREMENTS of JOB_TRANSFORM_One")


@pytest.mark.parametrize("name", ["STARTD_EXPRS", "HOSTALLOW_READ", "NUM_VIRTUAL_MACHINES"])
@pytest.mark.parametrize("build", ["{0} = Cpus\n", "{0} = $({0}), Cpus\n", "{0} += Cpus\n"])
def test_each_line_under_an_old_name_is_told(name: str, build: str) -> None:
    text = f"{name} = Memory\n{build.format(name)}{build.format(name.lower())}"
    told = [one for one in lint(read(text)) if one.id in ("P204", "P205")]
    assert [one.line for one in told] == [1, 2, 3]
    assert len({(one.id, one.help) for one in told}) == 1


def test_names_of_the_past_say_since_when_and_what_instead() -> None:
    for text, help_text in (
        ("NUM_VIRTUAL_MACHINES = 4\n", "use `NUM_SLOTS`"),
        ("VIRTUAL_MACHINE_TYPE_2 = cpus=1\n", "use `SLOT_TYPE_2`"),
        ("HOSTDENY_WRITE = *.example.edu\n", "use `DENY_WRITE`: such names are without HOST today"),
        ("STARTD_EXPRS = Cpus\n", "it is called `STARTD_ATTRS` now"),
        ("START = VirtualMachineID == 1\n", "it is `SlotID` now"),
        (
            "JOB_ROUTER_ENTRIES = [ ]\n",
            "since 25.0 routes are JOB_ROUTER_ROUTE_<name>, listed in JOB_ROUTER_ROUTE_NAMES",
        ),
        (
            "WANT_VACATE = $(MachineBusy)\n",
            "since 23.0 only `use FEATURE : POLICY_EXPR_FRAGMENTS` defines it",
        ),
    ):
        assert [item.help for item in found(text)] == [help_text]


def test_a_name_with_two_prefixes_is_read_by_nobody() -> None:
    # Asked of condor_startd and condor_config_val of 25.14.1.
    assert ids("STARTD.X.NUM_CPUS = 4\nX.STARTD.START = True\nX.NUM_CPUS = 4\n") == [
        ("P221", 1),
        ("P221", 2),
    ]
    groups = "GROUP_NAMES = a, a.b\nGROUP_QUOTA_a = 5\nNEGOTIATOR.GROUP_QUOTA_a.b = 5\n"
    assert [id_ for id_, _ in ids(groups) if id_ == "P221"] == []


def test_what_was_not_asked_of_a_daemon_may_have_no_effect() -> None:
    [item] = found("CGROUP_HARD_MEMORY_LIMIT_EXPR = 2 * Memory\n")
    assert item.message == "CGROUP_HARD_MEMORY_LIMIT_EXPR may have no effect"
    [item] = found("REMOTE_PRIO_FACTOR = 10000\n")
    assert item.message == "REMOTE_PRIO_FACTOR has no effect"


def test_an_empty_value_of_a_companion_is_its_default() -> None:
    preempts = "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n"
    assert ids(f"NEGOTIATOR_CONSIDER_PREEMPTION =\n{preempts}") == []


@pytest.mark.parametrize(
    "name",
    [
        "NUM_CPUS",
        "NUM_SLOTS_TYPE_1",
        "PREEMPTION_REQUIREMENTS_STABLE",
        "NEGOTIATOR_CLASSAD_USER_MAP_NAMES",
        "CLASSAD_USER_MAPFILE_m",
    ],
)
def test_a_macro_beside_one_that_is_checked_may_be_endless(name: str) -> None:
    text = (
        "SLOT_TYPE_1 = cpus=8\nNEGOTIATOR_CLASSAD_USER_MAP_NAMES = m\n"
        "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n"
        f"{name} = $(ROUND)\nROUND = $({name})\n"
    )
    assert ids(text)[-1:] != []


def test_cpus_of_slots_are_compared_with_a_number_that_is_told() -> None:
    slots = "NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=8\n"
    assert ids(slots) == []
    assert ids("NUM_CPUS = $(DETECTED_CPUS)\n" + slots) == []
    assert ids("NUM_CPUS = $(FEW)\nFEW = 4\n" + slots) == [("P243", 4)]


def test_text_behind_a_conditional_is_an_error_and_no_ending() -> None:
    # condor_negotiator of 25.14.1 runs with each of these; without `?` it ends at such text.
    for line in (
        "PREEMPTION_REQUIREMENTS = MY.Cpus > 4 ? False : True junk",
        "NEGOTIATOR_INTERVAL = 1 ? 70 : 60 s",
        "NEGOTIATOR_USE_SLOT_WEIGHTS = 1 ? True : False (",
        "SYSTEM_PERIODIC_REMOVE = JobStatus == 5 ? True : False junk",
        "SCHEDD_INTERVAL = 1 ? 70 : 60 s",
    ):
        [item] = [one for one in found(f"{line}\n") if one.id == "P116"]
        assert (item.severity, item.line) == ("error", 1)
        assert item.column == line.rindex(" ") + 2, line
        assert all(verdicts(f"{line}\n").values()), line
    assert "P116" not in str(ids('NEGOTIATOR_NAME = a ? b : c d\nSITE = 1 ? 2 : 3 "\n'))


def test_the_value_in_front_of_such_text_is_used_and_the_text_is_told() -> None:
    loaded = load_policy(read("NEGOTIATOR_INTERVAL = True ? 70 : 60 junk\n"))
    assert loaded.policy.interval_seconds == 70
    assert [(item.id, item.severity) for item in loaded.diagnostics] == [("P116", "error")]


def test_instants_are_of_2001_to_2106() -> None:
    numbers = [None, 1e9 - 1, 1e9, 2**32 - 1, 2**32]
    assert [_is_instant(number) for number in numbers] == [False, False, True, True, False]


def test_a_chain_of_macros_is_expanded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    replaced = 0
    value = Expander._value

    def counted(*arguments: Any) -> Any:
        nonlocal replaced
        replaced += 1
        return value(*arguments)

    monkeypatch.setattr(Expander, "_value", counted)
    found("".join(f"A{i} = $(A{i + 1}) x\n" for i in range(1000)) + "A1000 = 1\n")
    # Each anew would be half a million, for each of the questions that are asked of a macro.
    assert replaced < 10_000


def test_a_value_that_doubles_itself_when_it_is_assigned_is_stopped() -> None:
    items = found("A = 12345678\n" + "A = $(A)$(A)\n" * 60)
    assert {item.message for item in items if item.severity == "error"} == {
        "the value exceeds 4000000 characters"
    }


#: What `condor_q` calls the numbers.
NUMBERED = {
    "TARGET.JobUniverse": {
        "vanilla": 5, "scheduler": 7, "grid": 9, "java": 10, "parallel": 11, "local": 12, "vm": 13,
        "docker": 5, "container": 5,
    },
    "TARGET.JobStatus": {
        "idle": 1, "running": 2, "removed": 3, "completed": 4, "held": 5, "suspended": 7,
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "word", "number"),
    [(name, word, number) for name, of in NUMBERED.items() for word, number in of.items()],
)
def test_the_number_is_told_that_a_word_stands_for(name: str, word: str, number: int) -> None:
    [item] = found(f"START = {name} == {word}\n")
    bare = name.removeprefix("TARGET.")
    assert (item.id, item.help) == ("P412", f"{bare} is a number: {word} is {number}")


#: An attribute of each unit, and what none in such a unit exceeds.
GREATEST = [
    ("AllowedJobDuration", 2**33), ("CompletionDate", 2**33),
    ("BufferSize", 2**60), ("DiskAllocated", 2**50), ("JobVMMemory", 2**40),
    ("CpusAllocated", 2**20), ("RequestGPUs", 2**16), ("ActivationDuration", 2**40),
]  # fmt: skip


@pytest.mark.parametrize(("name", "greatest"), GREATEST)
def test_a_comparison_is_never_true_beyond_what_any_pool_has(name: str, greatest: int) -> None:
    beyond, at = (
        [item.id for item in found(f"START = TARGET.{name} {operator} {greatest}\n")]
        for operator in (">", ">=")
    )
    assert "P410" in beyond
    assert "P410" not in at


@pytest.mark.parametrize("command", ["COPY", "RENAME"])
def test_copy_and_rename_read_the_attribute_before_the_equals_sign(command: str) -> None:
    body = "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T @=end\n  {}\n@end\n"
    told = found(body.format(f"{command} WantRack = Rack"))
    assert [(item.id, item.line) for item in told] == [("P252", 3)]
    assert "makes `Rack` of `WantRack`" in told[0].message
    assert found(body.format(f"{command} WantRack Rack")) == []
    assert found(body.format(f"{command} WantRack, Rack")) == []


@pytest.mark.parametrize(
    "entry", ["condor@a.edu / *.b.edu", "condor@a.edu /*.b.edu", "10.0.0.0 / 8"]
)
@pytest.mark.parametrize("macro", ["ALLOW_DAEMON", "DENY_WRITE_SCHEDD"])
def test_a_user_and_a_host_are_joined_without_blanks(macro: str, entry: str) -> None:
    assert ids(f"{macro} = cm.b.edu, {entry}\n") == [("P235", 1)]
    assert found(f"{macro} = cm.b.edu, {entry.replace(' ', '')}\n") == []


@pytest.mark.parametrize(
    ("address", "is_one"), [("10.1.0.555", False), ("10.1.0.5", True), ("10.1.*", True)]
)
def test_the_interface_of_a_machine_has_an_address(address: str, is_one: bool) -> None:
    assert ids(f"NETWORK_INTERFACE = {address}\n") == ([] if is_one else [("P235", 1)])


@pytest.mark.parametrize("prefix", ["", "SLOT_TYPE_1_"])
@pytest.mark.parametrize("resource", ["CPUS", "MEMORY", "DISK", "GPUS", "licenses"])
def test_what_a_job_consumes_is_an_expression(prefix: str, resource: str) -> None:
    begin = (
        "MACHINE_RESOURCE_licenses = 4\nSLOT_TYPE_1 = 100%\nNUM_SLOTS_TYPE_1 = 1\n"
        f"SLOT_TYPE_1_PARTITIONABLE = true\n{prefix}CONSUMPTION_POLICY = true\n"
    )
    right = f"{begin}{prefix}CONSUMPTION_{resource} = quantize(TARGET.Request{resource}, {{1}})\n"
    assert found(right) == []
    assert ("P406", 6) in ids(right.replace("quantize", "quantise"))


@pytest.mark.parametrize("verb", ["HOLD", "RELEASE", "REMOVE", "VACATE"])
def test_the_subcode_of_a_periodic_expression_is_a_number(verb: str) -> None:
    text = (
        f"SYSTEM_PERIODIC_{verb}_NAMES = M\nSYSTEM_PERIODIC_{verb}_M = MemoryUsage > 4096\n"
        f"SYSTEM_PERIODIC_{verb}_M_SUBCODE = {{}}\n"
    )
    assert ids(text.format('"42"')) == [("P424", 3)]
    assert ids(text.format("42")) == []
    assert ids(text.format("ifThenElse(MemoryUsage > 8192, 43, 42)")) == []


def test_what_another_file_may_set_is_no_missing_user_or_host() -> None:
    assert "P235" not in {id_ for id_, _ in ids("ALLOW_READ = */$(CONDOR_HOST)\n")}
    assert "P235" not in {id_ for id_, _ in ids("ALLOW_READ = $(SITE_USERS)/cm.b.edu\n")}
