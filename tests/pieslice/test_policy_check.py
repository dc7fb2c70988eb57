"""``pieslice check``: the command with its options and exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import pieslice
from pieslice.cli import main


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    path = tmp_path / "condor_config"
    path.write_text("GROUP_NAMES = a\nLICENSE_LIMIT = 6\n")
    return path


def check(*words: str | Path) -> int:
    return main(["check", "--wide", *map(str, words)])


def test_the_verdict_comes_first_below_the_version(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(pool) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        f"{pool}: follows 25.14.1: no version is given",
        f"{pool}: condor_negotiator would start",
    ]
    assert lines[-2] == f"{pool}: 1 warning"
    pool.write_text("NEGOTIATOR_CONSIDER_PREEMPTION = yes\n")
    assert check(pool) == 1
    said = capsys.readouterr().out
    assert "exit status 4, line 1: NEGOTIATOR_CONSIDER_PREEMPTION: `yes` is not" in said
    pool.write_text("A = 1\nbroken\nGROUP_NAMES = a\n")
    assert check(pool) == 1
    said = capsys.readouterr().out
    assert "exit status 1, line 2: a statement needs" in said
    assert "P303" in said


def test_strict_makes_warnings_count(pool: Path) -> None:
    assert check("--strict", pool) == 1
    pool.write_text("LICENSE_LIMIT = 6\n")
    assert check("--strict", pool) == 0


def test_several_configurations_and_extra_definitions(
    pool: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    second = tmp_path / "config.d"
    second.mkdir()
    (second / "10-groups").write_text("GROUP_QUOTA_a = 1\n")
    assert (
        check("-D", "GROUP_NAMES=a", "-D", "GROUP_QUOTA_a=2", "--format", "json", pool, second) == 0
    )
    first, other = json.loads(capsys.readouterr().out)["checks"]
    assert (first["path"], other["path"]) == (str(pool), str(second))
    assert first["findings"] == other["findings"] == []


def test_a_local_name_is_another_reader(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pool.write_text("B.NEGOTIATOR_INTERVAL = 5m\n")
    assert check("--local-name", "B", pool) == 1
    assert "exit status 4" in capsys.readouterr().out


def test_programs_are_not_run(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pool.write_text("include command : /bin/false\nGROUP_QUOTA_x = 1\n")
    assert check(pool) == 0
    said = capsys.readouterr().out
    assert "as far as can be told without what was left out" in said
    line = " ".join(said.split())
    assert "not in these files: the output of `/bin/false` (line 1; " in line
    assert "--allow-commands) and GROUP_NAMES (line 2)" in line
    assert "no findings" in said


def test_a_local_file_that_is_given_is_read_in_place_of_the_one_that_is_named(
    pool: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("LOCAL_CONFIG_FILE = /nowhere/condor_config.local\n")
    other = tmp_path / "other.local"
    other.write_text("START = Flase\n")
    assert check(pool) == 0
    assert "-D LOCAL_CONFIG_FILE=... names another one, or none" in " ".join(
        capsys.readouterr().out.split()
    )
    assert check("--strict", "-D", f"LOCAL_CONFIG_FILE={other}", pool) == 1
    assert "Flase" in capsys.readouterr().out
    assert check("--strict", "-D", "LOCAL_CONFIG_FILE=", pool) == 0
    assert "not in these files" not in capsys.readouterr().out


def test_what_other_files_bring_is_one_line_of_the_head_and_no_finding(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text(
        "DAEMON_LIST = MASTER, SCHEDD\n"
        "COLLECTOR_HOST = $(CONDOR_HOST)\nCCB_ADDRESS = $(CONDOR_HOST)\n"
        "SCHEDD_CRON_GRATIA_PERIOD = 4h\n"
    )
    assert check("--strict", "--all", pool) == 0
    said = " ".join(capsys.readouterr().out.split())
    places = "$(CONDOR_HOST) (line 2, line 3) and GRATIA in SCHEDD_CRON_JOBLIST (line 4)"
    assert f"not in these files: {places}" in said
    assert "no findings" in said
    check("--format", "json", pool)
    found = json.loads(capsys.readouterr().out)["checks"][0]["findings"]
    assert [(one["id"], one["severity"], one["line"]) for one in found] == [
        ("P120", "note", 2),
        ("P120", "note", 3),
        ("P212", "note", 4),
    ]


def test_explain_and_the_summary_count_the_findings_that_check_shows(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("DAEMON_LIST = MASTER, STARTD\ninclude : /bin/site-facts |\n")
    assert main(["policy", "explain", str(pool)]) == 0
    assert "warning:" not in capsys.readouterr().out
    assert pieslice.check(str(pool)).summary().endswith(": starts, 0 findings")
    with pool.open("a") as file:
        file.write("PRIORTIY_HALFLIFE = 86400\n")
    assert main(["policy", "explain", str(pool)]) == 0
    assert "1 warning: `pieslice check` lists it." in capsys.readouterr().out
    assert pieslice.check(str(pool)).summary().endswith(": starts, 1 finding")


def test_a_slip_of_what_another_file_could_bring_stays_a_finding(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text(
        "DAEMON_LIST = MASTER, STARTD\nSITE_ADMIN = root@x\n"
        "CONDOR_ADMIN = $(SITE_ADMN)\n"
        "STARTD_CRON_JOBLIST = HEALTH\nSTARTD_CRON_HEALTH_EXECUTABLE = /bin/true\n"
        "STARTD_CRON_HEALHT_PERIOD = 5m\n"
        "STARTD_CRON_GPU_EXECUTABLE = /bin/true\n"
    )
    assert check("--strict", "--all", pool) == 1
    said = capsys.readouterr().out
    assert "not in these files" not in said
    assert "warning[P120]: `$(SITE_ADMN)`" in said
    assert "warning[P212]: `HEALHT` is in no STARTD_CRON_JOBLIST" in said
    assert "also at line 7" in said


def test_no_daemon_of_a_host_is_judged_by_what_a_program_would_print(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = "DAEMON_LIST = MASTER, COLLECTOR, STARTD\n"
    pool.write_text(f"{listed}START = True\ninclude : /bin/site-facts |\n")
    check(pool)
    lines = [line for line in capsys.readouterr().out.splitlines() if "would start" in line]
    assert all("as far as can be told without what was left out" in line for line in lines)
    assert all(f"condor_{name}" in " ".join(lines) for name in ("master", "collector", "startd"))


def test_a_missing_file_is_bad_usage(tmp_path: Path) -> None:
    assert check(tmp_path / "none") == 2


def test_a_hole_is_told_once_with_what_comes_of_it(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("Cores = RequestCpus <= $(MOST)\nOpen = $(Cores) && True\nSTART = $(Open)\n")
    check(pool, "--all")
    said = capsys.readouterr().out
    assert said.count("[P120]") == 1
    assert "  so, line 2: error[P113]: START" in said
    assert f"{pool}:3" not in said


def test_settings_that_one_list_has_lost_are_one_cause(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("GROUP_QUOTA_a = 5\nGROUP_QUOTA_b = 6\nGROUP_PRIO_FACTOR_b = 10\n")
    check(pool, "--all")
    said = capsys.readouterr().out
    assert said.count("[P301]") == 1
    assert "  also at line 2, line 3" in said


@pytest.mark.parametrize("form", ["HOST{}", "SCHEDD_{}"])
def test_old_names_of_one_form_are_one_cause(
    pool: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    names = ("ALLOW_READ", "ALLOW_WRITE", "DENY_WRITE", "ALLOW_ADMINISTRATOR")
    lines = "".join(f"{form.format(name)} = *.example.edu\n" for name in names)
    pool.write_text(f"DAEMON_LIST = SCHEDD, STARTD\n{lines}NUM_VIRTUAL_MACHINES = 2\n")
    check(pool, "--all")
    said = capsys.readouterr().out
    assert said.count("[P205]") == 2  # and that of the virtual machines
    assert "  also at line 3, line 4, line 5" in said
    check(pool, "--format", "json")
    assert capsys.readouterr().out.count('"P205"') == 5


@pytest.mark.parametrize(
    ("count", "told"),
    [(9, "line 8, line 9\n"), (10, "line 8, line 9 and 1 more\n"), (12, "line 9 and 3 more\n")],
)
def test_so_many_places_of_a_cause_are_told(
    pool: Path, count: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("".join(f"GROUP_QUOTA_{name} = 5\n" for name in "abcdefghijkl"[:count]))
    check(pool, "--all")
    assert told in capsys.readouterr().out


def test_a_macro_of_ones_own_is_no_concurrency_limit(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("SITE_LIMIT = 20k\nMAX_JOBS_RUNNING = $(SITE_LIMIT)\n")
    assert check(pool) == 1
    said = capsys.readouterr().out
    assert "P110" in said
    assert "P112" not in said
    pool.write_text("CGROUP_LOW_MEMORY_LIMIT = Memory / 2\n")
    assert check(pool, "--all") == 0
    out, err = capsys.readouterr()
    assert (out.count("\n"), err) == (4, "")


POLICIES = Path(__file__).parents[2] / "examples" / "policies"


@pytest.mark.parametrize("policy", sorted(POLICIES.glob("*/*")), ids=lambda path: path.name)
def test_what_is_wrong_with_a_policy_is_found_in_its_text_or_in_what_it_does(
    policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(policy), "--format", "json", "--strict"]) == (
        policy.parent.name == "flawed"
    )
    (found,) = json.loads(capsys.readouterr().out)["checks"]
    broken = found["behaviour"]["broken"]
    assert bool(broken) == (policy.parent.name == "flawed")
    assert not {one["property"] for one in broken} & set(found["behaviour"]["held"])


@pytest.mark.parametrize(
    "text",
    [
        # Nobody looks at a claimed slot where nothing is preempted.
        "NEGOTIATOR_CONSIDER_PREEMPTION = False\nNEGOTIATOR_POST_JOB_RANK = MY.LastHeardFrom\n",
        "START = SlotTypeID == 1\n",
        # It is read where the negotiator runs.
        "DAEMON_LIST = MASTER, STARTD\nPREEMPTION_REQUIREMENTS = Memory > 0\n",
    ],
)
def test_what_never_happens_on_this_host_is_no_broken_property(
    text: str, pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text(text)
    check(pool, "--wide")
    assert "broken" not in capsys.readouterr().out


def test_check_names_what_shows_the_cases_and_what_it_did_not_look_at(
    capsys: pytest.CaptureFixture[str],
) -> None:
    policy = POLICIES / "flawed" / "no_margin"
    main(["check", str(policy), "--wide"])
    *_, counts, last = capsys.readouterr().out.splitlines()
    assert counts.endswith(": 1 warning, 2 broken properties")
    assert "not looked at: more slots and jobs (--deep S)" in last
    main(["check", str(policy), "--wide", "--seed", "3", "-D", "CLAIM_WORKLIFE=1"])
    shows = f"`pieslice fuzz {policy} -D CLAIM_WORKLIFE=1` shows the cases"
    assert f"seed 3; {shows}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("MAX_JOBS_RUNNING = 3\n", "no expression is set that `pieslice fuzz` tries"),
        ("PREEMPTION_REQUIREMENTS = (1 +\n", "PREEMPTION_REQUIREMENTS: "),
        (
            "DAEMON_LIST = MASTER, STARTD\nPREEMPTION_REQUIREMENTS = Memory > 0\n",
            "no daemon here reads an expression that `pieslice fuzz` tries",
        ),
        (f"START = {'Cpus > 1 && ' * 1500}true\n", "an expression has too many operators (P429)"),
    ],
)
def test_without_anything_to_search_check_says_so(
    text: str, why: str, pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text(text)
    check(pool, "--wide")
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith(f"{pool}: not looked at: how it behaves: {why}")


def test_an_expression_that_is_read_here_is_searched_beside_one_that_is_not(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("DAEMON_LIST = MASTER, STARTD\nSTART = true\nSYSTEM_PERIODIC_HOLD = Absent\n")
    check(pool, "--wide")
    out = capsys.readouterr().out
    assert "no counterexample to total, no-thrash" in out
    assert "SYSTEM_PERIODIC_HOLD" not in out


def test_a_daemon_list_that_adds_to_that_of_other_files_leaves_nothing_out(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("DAEMON_LIST = $(DAEMON_LIST) STARTD\nPREEMPTION_REQUIREMENTS = Memory > 0\n")
    check(pool, "--wide")
    assert "no-thrash: " in capsys.readouterr().out


def test_what_a_search_needs_is_not_imported_where_nothing_is_searched(pool: Path) -> None:
    pool.write_text("MAX_JOBS_RUNNING = 3\n")
    lines = (
        "import sys",
        "from pieslice.cli import main",
        f"main(['check', {str(pool)!r}])",
        "print('searched' if 'pieslice.fuzzing.search' in sys.modules else 'not searched')",
    )
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "not searched"


def test_what_continuous_integration_reads_has_no_search_in_it_unless_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    policy = str(POLICIES / "flawed" / "submit_time")
    assert main(["check", policy, "--format", "github", "--strict"]) == 0
    assert main(["check", policy, "--format", "github", "--strict", "--deep", "0.5"]) == 1
    assert "behaviour" not in capsys.readouterr().out


BEHIND = """\
J = 3 junk
PREEMPTION_REQUIREMENTS = true ? \\
   2 : 3 \\
   junk more
NEGOTIATOR_PRE_JOB_RANK = (1 +
NEGOTIATOR_POST_JOB_RANK = true ? 2 : $(J)
"""


@pytest.mark.parametrize(
    "words",
    [
        "check c --all --wide", "policy explain c", "policy diff c empty", "policy diff empty c",
        "policy eval c NEGOTIATOR_POST_JOB_RANK", "negotiate tour --config c",
        "diff tour --config c", "quotas tour --config c",
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_value_is_said_alike_by_all_commands(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c").write_text(BEHIND)
    (tmp_path / "empty").write_text("")
    (tmp_path / "tour").symlink_to(Path(__file__).parents[2] / "examples" / "tour")
    main(words.split())
    said = "".join(capsys.readouterr())
    ignored = "help: the daemons ignore the text behind a complete conditional, and so does this"
    junk = "expected an operator or end of expression, found `junk`"
    behind = f"""\
c:1:7: error[P116]: NEGOTIATOR_POST_JOB_RANK: {junk}
   1 | J = 3 junk
     |       ^~~~
  {ignored} report
"""
    within = f"""\
c:4:4: error[P116]: PREEMPTION_REQUIREMENTS: {junk}
   4 |    junk more
     |    ^~~~
  {ignored} report
"""
    ends = "condor_negotiator ends when it reads this; this report goes on with its default"
    if "--config" in words:
        ends = "condor_negotiator would not start with it: exit status 4"
        ends = f"the configuration is not applied: {ends}"
    unread = f"""\
c:5:31: error[P111]: NEGOTIATOR_PRE_JOB_RANK: expected an operand, found the end of the text
   5 | NEGOTIATOR_PRE_JOB_RANK = (1 +
     |                               ^
  help: {ends}
"""
    wanted = [behind] if "eval" in words else [behind, within, unread]
    for finding in wanted:
        assert said.count(finding) == 1, said


ACCEPTED = "GROUP_NAMES = a\nLICENSE_LIMIT = 6\nSTART = Memory == 5\n"


def accepting(pool: Path, *words: str | Path) -> int:
    return check("--accepted", pool.with_name("accepted.txt"), "--all", *words, pool)


def test_what_is_accepted_is_not_reported_until_its_line_is_another(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text(ACCEPTED)
    assert accepting(pool, "--accept", "--strict") == 0
    told = capsys.readouterr()
    assert "2 findings accepted" in told.err
    assert "[P" not in told.out
    pool.write_text("# moved\n\n" + ACCEPTED.replace("== 5", "== 6"))
    assert accepting(pool, "--strict") == 1
    said = capsys.readouterr().out
    assert "P303" not in said
    assert "warning[P606]" in said
    assert "accepted.txt:3:1: note[P901]: this is not found any more" in said


def test_a_list_of_accepted_findings_is_for_all_configurations(
    pool: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "condor_config"
    pool.write_text(ACCEPTED)
    other.write_text(ACCEPTED)
    assert accepting(pool, "--accept", "--strict", other) == 0
    assert "[P" not in capsys.readouterr().out


def test_what_stops_a_daemon_is_not_accepted(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("NEGOTIATOR_INTERVAL = 5m\n")
    assert accepting(pool, "--accept") == 1
    assert "P110" in capsys.readouterr().out


@pytest.mark.parametrize("line", ["P303", "P999 condor_config: A = 1", "what?"])
def test_a_line_that_accepts_nothing_is_an_error(
    pool: Path, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.with_name("accepted.txt").write_text(f"# ours\n\n{line}\n")
    assert accepting(pool) == 2
    assert "accepted.txt:3:1: " in capsys.readouterr().err


def test_accepting_needs_a_file(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--accept", pool) == 2
    assert "--accepted FILE" in capsys.readouterr().err
    assert check("--accepted", pool.with_name("none"), pool) == 2


@pytest.mark.parametrize("given", ["UNKNOWN_STRANGER=1", "NEGOTIATOR_INTERVALL=5"])
def test_a_macro_of_the_command_line_that_there_is_not_is_an_error(
    pool: Path, given: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check("-D", given, pool) == 1
    said = capsys.readouterr().out
    assert said.count("<command line>:1:1: error[P201]") == 1


def test_it_is_said_of_which_daemons_nobody_knows_whether_they_would_start(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("DAEMON_LIST = MASTER, DEFRAG, KBDD, GANGLIAD\n")
    check(pool)
    said = capsys.readouterr().out
    assert "condor_master and condor_defrag would start" in said
    assert "whether condor_kbdd and condor_gangliad would start is not judged" in said
    check("--format", "json", pool)
    [checked] = json.loads(capsys.readouterr().out)["checks"]
    assert checked["not_judged"] == ["condor_kbdd", "condor_gangliad"]
    for daemons in ("MASTER, SCHEDD", "MASTER, SCHEDD  # and keep it", "MASTER, SHCEDD"):
        pool.write_text(f"DAEMON_LIST = {daemons}\n")
        check(pool)
        assert "not judged" not in capsys.readouterr().out


def test_lines_that_assign_with_a_colon_are_one_cause(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("START : True\nRANK : 0\nKILL : False\n")
    check(pool)
    said = capsys.readouterr().out
    assert said.count("warning[P104]") == 1
    assert "also at line 2, line 3" in said


#: What the manual has for a limit of slots to a group, of slot 2.
ONE_EACH = "TARGET.AcctGroup =?= splitUserName(slot2_AccountingGroup)[0]"


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("START = SquidData == True\nSTARTD_CRON_JOBLIST = SQUID\n", False),
        ("START = TARGET.SquidData != True\nSTARTD_CRON_JOBLIST = SQUID\n", True),
        ("START = SquidData != True\n", False),
        ("DAEMON_LIST = MASTER, STARTD\nSTART = SquidData != True\n", True),
        ("START = KeyboardIdle > 900 && MonitorSelfAge < 86400\n", False),
        ("START = regexp(TARGET.Namespace, Space)\n", False),
        ('START = slot2_Owner =!= "ann" && slot2_Activity != "Busy"\n', True),
        (f'START = ({ONE_EACH} && slot2_Activity == "Busy") + 0 < 1\n', False),
        ("START = GPUs > 0\nMACHINE_RESOURCE_GPUs = 0\n", False),
        ("START = Tapes > 0\nMACHINE_RESOURCE_tapes = 4\n", False),
        ("START = GPUs > 0\nMACHINE_RESOURCE_tapes = 4\n", True),
    ],
)
def test_what_every_slot_has_or_a_script_may_give_is_not_taken_for_missing(
    pool: Path, text: str, broken: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text(text)
    check(pool)
    assert ("total: START is undefined" in capsys.readouterr().out) is broken


@pytest.mark.parametrize(
    ("daemons", "rank", "broken"),
    [
        ("COLLECTOR, NEGOTIATOR", "100 * MY.PrefersOneCore - Cpus", False),
        ("COLLECTOR, NEGOTIATOR, STARTD", "100 * MY.PrefersOneCore - Cpus", True),
    ],
)
def test_what_slots_of_other_hosts_may_have_is_not_missing_in_a_rank_of_the_negotiator(
    pool: Path, daemons: str, rank: str, broken: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text(f"DAEMON_LIST = MASTER, {daemons}\nNEGOTIATOR_PRE_JOB_RANK = {rank}\n")
    check(pool)
    assert ("total: NEGOTIATOR_PRE_JOB_RANK" in capsys.readouterr().out) is broken


def test_what_the_environment_may_have_is_not_taken_for_missing(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("START = Cpus > $ENV(LEAST)\nDAEMON_LIST = $ENV(DAEMONS), STARTD\n")
    assert check(pool) == 0
    assert "total" not in capsys.readouterr().out.partition("no counterexample")[0]
    check(pool, "--environment")
    assert "total: START is undefined" in capsys.readouterr().out
    assert main(["policy", "explain", str(pool)]) == 0
    assert "DAEMON_LIST is made from DAEMONS of the environment" in capsys.readouterr().out


def test_what_is_left_of_a_block_whose_first_line_cannot_be_read_comes_of_it(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text('JOB_TRANSFORM_A @end\n  SET Team "x"\n  SET Nice = True\n@end\nA B = 1\n')
    check(pool)
    said = capsys.readouterr().out
    assert "so, line 2: error[P101]" in said
    assert "so, line 3: warning[P102]" in said
    assert f"{pool}:5:3: warning[P102]" in said


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("START = GLIDEIN_ToRetire > 5\n", False),
        ("DAEMON_LIST = MASTER, STARTD\nSTART = GLIDEIN_ToRetire > 5 || Tapes != 3\n", True),
        ("DAEMON_LIST = MASTER, STARTD\ninclude ifexist : $ENV(SITE)\nSTART = Tapes != 3\n", False),
        ("DAEMON_LIST = MASTER, STARTD\nSTART = TARGET.Dept != 3 && Tapes =!= 3\n", True),
        # What functions of texts are asked about is a text.
        ('START = Sites =?= undefined || stringListMember("x", Sites)\n', False),
        ('START = isUndefined(TARGET.Kind) || regexp("a.c", TARGET.Kind)\n', False),
    ],
)
def test_no_property_is_broken_by_what_other_files_may_give_nor_by_texts_that_are_none(
    pool: Path, text: str, broken: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text(text)
    check(pool)
    assert ("total: START is" in capsys.readouterr().out) is broken


def test_a_folder_without_a_daemon_list_is_a_part(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other files may define what it lists; of a folder that says which daemons run, none does."""
    (tmp_path / "90_publish.config").write_text("MASTER_ATTRS = SiteName, SiteRack\nSiteRack = 4\n")
    check(tmp_path)
    assert "not in these files: SiteName (" in capsys.readouterr().out
    (tmp_path / "10_role.config").write_text("DAEMON_LIST = MASTER, STARTD\n")
    check(tmp_path)
    assert "warning[P211]: MASTER_ATTRS lists `SiteName`" in capsys.readouterr().out


def test_a_value_that_a_finding_explains_is_no_broken_property_besides(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("RANK = TARGET.JobPri\n")
    check(pool)
    out = capsys.readouterr().out
    assert "P401" in out
    assert "total: RANK" not in out
    pool.write_text("RANK = TARGET.JobsOwnNumber\n")
    check(pool)
    assert "total: RANK is undefined" in capsys.readouterr().out
