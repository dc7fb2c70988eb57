"""Input that is damaged or beyond all bounds ends in one line, never in an internal error."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import pieslice
from classad import ClassAd, ExprTree, Table
from classad.errors import Diagnostic
from classad.files.log_file import hold
from fuzz.commands.command import main as fuzz_commands
from fuzz.commands.shop import COMMANDS as FUZZED
from negotiator.expressions.regrouping import Level, regrouping_of
from negotiator.model.arithmetic import remaining
from pieslice.cli import build_parser, describe, main
from pieslice.command_line import Parser, commands_of
from pieslice.expressions.dependence import conjuncts
from pieslice.inputs.pool import parse_time
from pieslice.reports.output import MAX_BESIDE, show_diagnostics
from pieslice.terminal import harmless

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[2]
TOUR = str(ROOT / "examples" / "tour")
USERS = str(ROOT / "examples" / "workloads" / "two-users.toml")
USERS = str(ROOT / "examples" / "workloads" / "two-users.toml")


def run(words: list[str], **more: object) -> tuple[int, str]:
    """Exit status and error stream of a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pieslice", *words]
    done = subprocess.run(command, stderr=subprocess.PIPE, env=environment, text=True, **more)  # type: ignore[call-overload]
    return done.returncode, done.stderr


@pytest.mark.slow
def test_damaged_files_end_in_no_internal_error(tmp_path: Path) -> None:
    assert fuzz_commands(["--count", "60", "--seed", "11", "--found", str(tmp_path)]) == 0


@pytest.mark.parametrize("half_life", ["0", "-5", "1e308"])
def test_any_half_life(half_life: str, capsys: Capture) -> None:
    words = ["negotiate", TOUR, "--cycles", "2", "-D", f"PRIORITY_HALFLIFE={half_life}"]
    assert main([*words, "--table", "users"]) == 0
    assert "internal error" not in capsys.readouterr().err


def test_without_a_past_only_present_usage_counts(capsys: Capture) -> None:
    # In C the age is divided by zero: a half to the power of infinity.
    assert (remaining(60, 0.0), remaining(60, 60.0), remaining(3000, -1.0)) == (
        0.0,
        0.5,
        float("inf"),
    )
    main(["forecast", "--user", "a=5", "--half-life", "0", "--hours", "1", "--every", "1"])
    assert capsys.readouterr().out.splitlines()[-1].split() == ["1.00", "5.00", "5.00"]


def test_times_beyond_the_calendar(tmp_path: Path, capsys: Capture) -> None:
    assert main(["negotiate", TOUR, "--now", "1e30"]) == 2
    assert "--now: 1e+30 is beyond the calendar" in capsys.readouterr().err
    slot = 'Name = "s"\nCpus = 1\nMyCurrentTime = 1e300\nLastHeardFrom = 1700000000\n'
    (tmp_path / "slots.ads").write_text(slot)
    (tmp_path / "jobs.ads").write_text("ClusterId = 1\nProcId = 0\n")
    assert main(["negotiate", str(tmp_path)]) == 0
    assert "(1700000000)" in capsys.readouterr().out
    state = '[Name = "a@b"; Priority = 1; PriorityFactor = 1; LastUsageTime = 99999999999999]'
    (tmp_path / "accounting.ads").write_text(state)
    assert main(["userprio", str(tmp_path / "accounting.ads"), "-all"]) == 0


@pytest.mark.parametrize(
    "line", ["spread = 1e308", "run_time = 1e300", "begin_hour = inf", f"begin_hour = {'9' * 1000}"]
)
def test_numbers_of_a_workload_have_bounds(line: str, tmp_path: Path, capsys: Capture) -> None:
    load = tmp_path / "load.toml"
    load.write_text(f'[[stream]]\nuser = "a"\nbacklog = 1\n{line}\n')
    assert main(["simulate", TOUR, "--workload", str(load), "--days", "0.01"]) == 2
    assert "is not a number of at most" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["simulate", TOUR, "--workload", "w", "--days", "1e308"],
            "`1e308` is not a number above 0 and at most 1e+12",
        ),
        (
            ["simulate", TOUR, "--workload", "w", "--days", "36526"],
            "`36526` days are more than a century",
        ),
        (
            ["forecast", TOUR, "--hours", "1e308"],
            "`1e308` is not a number of at least 0 and at most 1e+12",
        ),
        (
            ["record", "h", TOUR, "--max-size", "1e308"],
            "`1e308` is not a number above 0 and at most 1e+12",
        ),
        (["forecast", TOUR, "--hours", "1_0"], "`1_0` is not "),
        (["forecast", TOUR, "--hours", "876601"], "`876601` hours are more than a century"),
    ],
)
def test_times_have_bounds(words: list[str], said: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("bad", [{"days": 10**400}, {"days": float("nan")}, {"every": 1e9}])
def test_programs_have_the_same_bounds(bad: dict[str, float]) -> None:
    with pytest.raises(pieslice.Error, match="of at most a century"):
        pieslice.simulate(10, USERS, **{"days": 1.0, **bad})  # type: ignore[arg-type]


def test_a_number_of_thousands_of_digits_is_refused(tmp_path: Path, capsys: Capture) -> None:
    load = tmp_path / "load.toml"
    load.write_text(f'[[stream]]\nuser = "a"\nbacklog = {"9" * 5000}\n')
    assert main(["simulate", TOUR, "--workload", str(load), "--days", "0.01"]) == 2
    assert capsys.readouterr().err.endswith("load.toml: a number has thousands of digits\n")


@pytest.mark.parametrize("text", ["\udcff", "[]", '{"plan": {"x": 1}}', '{"plan": 3}', "[" * 9999])
def test_a_damaged_run_is_refused(text: str, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "run.json").write_text(text, errors="surrogateescape")
    (tmp_path / "summary.json").write_text(text, errors="surrogateescape")
    assert main(["simulate", "--resume", str(tmp_path)]) == 2
    assert f"{tmp_path}: damaged" in capsys.readouterr().err
    assert main(["report", str(tmp_path), "-o", str(tmp_path / "page.html")]) == 2
    assert "not the folder of a run" in capsys.readouterr().err


@pytest.mark.parametrize("hours", ["NaN", "Infinity", "-1", "null"])
def test_a_run_of_no_hours_has_no_page(hours: str, tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "run"
    words = ["simulate", TOUR, "--workload", USERS, "--days", "0.01", "-o", str(folder)]
    assert main(words) == 0
    summary = folder / "summary.json"
    summary.write_text(re.sub(r"\"hours\": [^,]*", f'"hours": {hours}', summary.read_text()))
    assert main(["report", str(folder), "-o", str(tmp_path / "page.html")]) == 2
    assert "not the folder of a run" in capsys.readouterr().err


def test_a_run_that_lost_a_number_is_refused(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "run"
    words = ["simulate", TOUR, "--workload", USERS, "--days", "0.01", "-o", str(folder)]
    assert main(words) == 0
    summary = folder / "summary.json"
    summary.write_text(summary.read_text().replace('"wait_median"', '"wait"'))
    assert main(["simulate", "--resume", str(folder)]) == 2
    assert f"{folder}: damaged" in capsys.readouterr().err


@pytest.mark.parametrize("count", ["99999999999999999", "1e999", '"x"', "null"])
def test_counts_of_a_scenario_have_bounds(count: str, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "scenario.json"
    path.write_text(f'{{"slots": [{{"name": "s{{i}}", "count": {count}}}], "jobs": []}}')
    assert main(["negotiate", str(path)]) == 2
    assert "not a scenario: a count of" in capsys.readouterr().err


class Full(io.RawIOBase):
    """A place that takes nothing more, such as /dev/full."""

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    whole = io.TextIOWrapper(io.BufferedWriter(Full()))
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", whole)
        assert main(["check", f"{TOUR}/condor_config"]) == 2
    with contextlib.suppress(OSError):
        whole.close()
    said = f"{os.strerror(errno.ENOSPC).lower()}\n"
    assert capsys.readouterr().err == f"error: standard output: {said}"
    path = tmp_path / "answer"
    monkeypatch.setattr(Path, "write_bytes", lambda path, data: Full().write(data))
    assert main(["negotiate", TOUR, "-o", str(path)]) == 2
    assert capsys.readouterr().err == f"error: {path}: {said}"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
def test_a_failure_behind_an_answer_that_nobody_reads(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    words = ["simulate", "4", "--workload", USERS, "--days", "0.01", "--json"]
    reader, writer = os.pipe()
    os.close(reader)
    # What the command has not written must not be written when its process ends.
    with open(writer, "w", encoding="utf-8") as pipe, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", pipe)
        assert main([*words, "--report", "/dev/full"]) == 2
    assert f"/dev/full: {os.strerror(errno.ENOSPC).lower()}\n" in capsys.readouterr().err


def test_a_closed_output_is_said(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    # As Python finds it in a process that was started with `>&-`.
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["config", "info", "MAX_SPINS"]) == 2
    assert capsys.readouterr().err == "error: standard output is closed\n"


def test_exhausted_memory_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    # More than any address space has: the real error, at once, on every system.
    answer = "pieslice.expressions.eval.evaluate_items"
    monkeypatch.setattr(answer, lambda *given: bytearray(sys.maxsize))
    assert main(["eval", "1"]) == 2
    assert capsys.readouterr() == ("", "error: the memory is exhausted\n")
    assert describe(RecursionError()) == "the input is nested too deeply"


def test_an_expression_that_fills_the_memory_ends_at_the_limit() -> None:
    doubled = " ".join(f"a{i} = strcat(a{i - 1}, a{i - 1});" for i in range(1, 30))
    ad = f'[a0 = "{"x" * 100_000}"; {doubled}]'
    code, said = run(["--limit-memory", "48M", "eval", ad, "size(a29)"], stdout=subprocess.DEVNULL)
    assert code == 2
    assert said.startswith("error: the memory limit of 48 MiB is used up")
    assert said.count("\n") == 1


def test_ads_are_shown_on_a_terminal_with_escapes() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal, plain = Terminal(), io.StringIO()
    for stream in (terminal, plain):
        harmless(stream).write('a = "\x1b[2J"\nb = 1\n')
    assert terminal.getvalue() == 'a = "\\x1b[2J"\nb = 1\n'
    assert plain.getvalue() == 'a = "\x1b[2J"\nb = 1\n'


def test_an_ad_that_the_long_form_cannot_hold(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "ads.json"
    path.write_text('{"a": "two\\nlines"}')
    assert main(["select", str(path)]) == 2
    said = (
        "attribute `a` has a line end, which the long form cannot hold; --format new and json can"
    )
    assert said in capsys.readouterr().err
    assert main(["select", str(path), "--format", "new"]) == 0


def test_a_second_process_on_the_folder_of_a_run_is_refused(
    tmp_path: Path, capsys: Capture
) -> None:
    folder = tmp_path / "run"
    words = ["simulate", TOUR, "--workload", USERS, "--days", "0.01", "-o", str(folder)]
    folder.mkdir()
    lock = hold(folder / "run")
    assert main(words) == 2
    assert "another process is writing to it" in capsys.readouterr().err
    lock.release()
    assert main(words) == 0
    sweep = [
        "sweep",
        TOUR,
        "--workload",
        USERS,
        "--days",
        "0.01",
        "--set",
        "NEGOTIATOR_INTERVAL=60,120",
    ]
    lock = hold(folder / "sweep")
    assert main([*sweep, "--jobs", "1", "-o", str(folder)]) == 2
    assert "another process is writing to it" in capsys.readouterr().err
    lock.release()


_WORKER = """
import os, sys, time
from pieslice.sweeps.work import attend
print(os.getpid(), flush=True)
attend(int(sys.argv[1]))
time.sleep(600)
"""
_SWEEP = """
import os, subprocess, sys
subprocess.run([sys.executable, "-c", sys.argv[1], str(os.getpid())])
"""


def test_the_workers_of_a_sweep_end_with_it() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", _SWEEP, _WORKER]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as sweep:
        assert sweep.stdout is not None
        assert int(sweep.stdout.readline()) != sweep.pid
        sweep.kill()
        sweep.wait()
        # The worker holds the other end of the pipe as long as it lives.
        assert sweep.stdout.read() == b""


TALL = {
    "sum": "1+" * 1500 + "1",
    "and": "Cpus > 1 && " * 800 + "Memory > 1",
    "or": "Cpus > 1 || " * 800 + "Memory > 1",
    "scopes": "a." * 1500 + "b",
    "order": "Cpus < " * 800 + "1",
    "long order": "Cpus < " * 1500 + "1",
    "product": "60 * " * 1500 + "60",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", TALL.values(), ids=TALL)
def test_chains_of_operators_have_no_end(text: str, tmp_path: Path, capsys: Capture) -> None:
    # A chain is no nesting for the parser, as it is none for HTCondor's; no tool may recurse on it.
    config, job, slot = tmp_path / "c.conf", tmp_path / "job.ads", tmp_path / "slot.ads"
    config.write_text(f"PREEMPTION_REQUIREMENTS = {text}\nSTART = {text}\nRANK = {text}\n")
    owned = 'ClusterId = 1\nProcId = 0\nUser = "a@b"\nOwner = "a"\nJobStatus = 1\n'
    job.write_text(f"{owned}Requirements = {text}\nRank = {text}\n")
    slot.write_text(f'Name = "s"\nState = "Unclaimed"\nCpus = 1\nRequirements = {text}\n')
    pool = ["--jobs", str(job), "--slots", str(slot), "--config", str(config), "--now", "1"]
    assert main(["check", str(config)]) == 0
    told = capsys.readouterr().out
    assert "warning[P429]" in told
    assert " operators deep" in told
    for words in (["negotiate"], ["why", "1.0"], ["rank", "1.0"]):
        assert main(["--debug", *words, *pool]) in (0, 1)
    assert main(["--debug", "select", str(job), "--where", text, "--format", "json"]) == 0


def test_deep_requirements_count_in_every_ad() -> None:
    shallow, deep = (
        ExprTree("Cpus > 1 || " * times + "Memory > TARGET.Size && f(1)") for times in (3, 900)
    )
    names = regrouping_of(shallow, Level.TRUE).read
    found = regrouping_of(deep, Level.TRUE)
    assert names <= found.read
    assert found.called == {"f"}
    hazards = [hazard(SimpleNamespace(all=0b101)) for hazard in found.hazards]  # type: ignore[arg-type]
    assert hazards == [0b101]


def test_conjuncts_of_a_long_chain_stand_in_their_order() -> None:
    count = 2000
    ad = ClassAd({"Requirements": ExprTree(" && ".join(f"A{i}" for i in range(count)))})
    found = conjuncts(ad)
    assert [node.name for node in found or ()] == [f"A{i}" for i in range(count)]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"\xfd7zXZ\0\xff", ":1: no column"), (b"time,machine,event\n1,\xff,join\n", ":2: no machine"),
     (b"time,machine,event\n1," + b"x" * 140_000 + b",join\n", ":2: field larger than")],
)  # fmt: skip
def test_a_damaged_table_of_machines(
    data: bytes, said: str, tmp_path: Path, capsys: Capture
) -> None:
    table = tmp_path / "machines.csv"
    table.write_bytes(data)
    words = ["simulate", TOUR, "--workload", USERS, "--days", "0.01", "--machines", str(table)]
    assert main(words) == 2
    assert f"{table}{said}" in capsys.readouterr().err


def test_a_table_without_rows_has_no_values() -> None:
    for text in ("1+" * 500 + "1", "random(1.0)", "A"):
        codes, values = Table([]).evaluate(text)
        assert (len(codes), len(values)) == (0, 1)


@pytest.mark.parametrize("text", ["2026-01-01", "2026-01-01T00:00", "2026-01-01T07:00+02:00"])
def test_a_day_begins_where_we_are(text: str) -> None:
    before = os.environ.get("TZ")
    os.environ["TZ"] = "America/New_York"
    time.tzset()
    try:
        assert parse_time(text) == 1767225600 + 5 * 3600
    finally:
        os.environ.pop("TZ") if before is None else os.environ.update(TZ=before)
        time.tzset()


@pytest.mark.parametrize(
    "words",
    [["select", f"{TOUR}/slots.ads", "--target", "x\x1b[2J"], ["eval", "1", "--tz", "\u202eGMT"],
     ["negotiate", TOUR, "--now", "\x1b[31m"], ["config", "info", "\x1b[2J"],
     ["help", "\x1b[2J"], ["history", "\x1b[2J"],
     ["map", "test", "\x1b[2J", "a"], ["simulate", "4", "--workload", "\x1b[2J"],
     ["userprio", "\x1b[2J"], ["report", "\x1b[2J"], ["forecast", "\x1b[2J"]],
    ids=lambda words: words[0],
)  # fmt: skip
def test_messages_have_no_steering_characters(words: list[str], capsys: Capture) -> None:
    with contextlib.suppress(SystemExit):
        main(words)
    said = capsys.readouterr().err
    assert "\\x" in said or "\\u" in said
    assert said.replace("\n", "").isprintable()


#: Digits that are none to Python's ``int``, numbers longer than it reads, quotients of nothing.
_DIGITS = (
    *("\N{SUPERSCRIPT TWO}", "\N{ARABIC-INDIC DIGIT THREE}", "9" * 5000, "0" * 5000 + "1"),
    *("1/00", "9" * 5000 + "%", "9" * 5000 + "/7", "-" + "9" * 5000),
)
#: Where numbers stand in configurations; each is tried with all of them.
_SETTINGS = (
    "NUM_SLOTS_TYPE_1 = {}\nSLOT_TYPE_1 = cpus=1, mem=50%",
    "NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus={}, mem={}, disk={}\nNUM_CPUS = {}",
    "SLOT_TYPE_{} = cpus=1\nMAX_SLOT_TYPES = {}",
    "UPDATE_INTERVAL = {}\nNEGOTIATOR_INTERVAL = {}\nPRIORITY_HALFLIFE = {}",
    "GROUP_NAMES = a\nGROUP_QUOTA_a = {}\nGROUP_QUOTA_DYNAMIC_a = {}\nX_LIMIT = {}",
    "JOB_TRANSFORM_NAMES = t\nJOB_TRANSFORM_t @=end\nUNIVERSE {}\nSET A 1\n@end",
    "ALLOW_READ = 10.{}.*, 10.0.0.0/{}\nSTARTD_CRON_X_PERIOD = {}",
    "if version >= {}.{}.{}\nA = 1\nendif\nSTART = slot{}_Cpus =?= {}",
    "A = $INT(B, %{}d) $SUBSTR(C, {}, {}) $CHOICE({}, 1, 2) $RANDOM_INTEGER({}, {})\nB = {}",
    "use FEATURE : PartitionableSlot({}, {})",
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "digits",
    [
        pytest.param(
            text,
            marks=[] if number % 3 == 0 else [pytest.mark.slow, pytest.mark.long],
            id=f"{text[:9]}-{len(text)}",
        )
        for number, text in enumerate(_DIGITS)
    ],
)
def test_digits_that_are_no_number_of_python(digits: str, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "condor_config"
    for number, text in enumerate(_SETTINGS):
        path.write_text(text.replace("{}", digits) + "\n", encoding="utf-8")
        for words in (["check"], ["config", "dump", "."], ["quotas"]):
            main([*words, str(path)])
            assert "internal error" not in capsys.readouterr().err, (number, words)
    for words in (
        ["why", TOUR, digits], ["why", TOUR, f"1.{digits}"], ["rank", TOUR, digits],
        ["negotiate", TOUR, "--cycles", digits], ["sweep", TOUR, "--tries", digits],
        ["select", f"{TOUR}/slots.ads", "--limit", digits], ["fuzz", TOUR, "--examples", digits],
        ["config", "dump", ".", str(path), "--fact", f"detected_cpus={digits}"],
    ):  # fmt: skip
        code = 2
        with contextlib.suppress(SystemExit):
            code = main(words)
        said = capsys.readouterr().err
        assert "internal error" not in said
        assert "invalid _" not in said  # the names of our functions
        assert digits.isdecimal() or (code == 2 and "error" in said)


def test_one_place_prints_messages() -> None:
    """Whoever prints to standard error by itself forgets the escapes sooner or later."""
    told = re.compile(r"file=sys\.stderr\b(?<!print\(file=sys\.stderr)|\berr\.write\(")
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "pieslice").rglob("*.py")
        if told.search(path.read_text("utf-8"))
    }
    # The second writes diagnostics, which have lines of files below them.
    assert found == {"pieslice/terminal.py", "pieslice/reports/output.py"}


def test_two_minuses_are_no_value(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as left:
        main(["why", TOUR, "1.0", "--expected=--"])
    assert left.value.code == 2
    assert "--expected: `--` is no value" in capsys.readouterr().err


def test_what_is_wrong_with_the_second_policy_is_said(tmp_path: Path, capsys: Capture) -> None:
    other = tmp_path / "c.conf"
    other.write_text("NEGOTIATOR_INTERVAL = x\n")
    words = ["diff", TOUR, "--config", f"{TOUR}/condor_config", "--config"]
    assert main([*words, str(tmp_path)]) == 2
    assert "is a directory" in capsys.readouterr().err
    assert main([*words, str(other)]) == 2
    assert capsys.readouterr().err.count("[P110]") == 1
    other.write_text("NEGOTIATOR_INTERVAL = 60\n")
    slots = tmp_path / "slots.ads"
    slots.write_text('Name = "s"\nCpus = \n')
    assert main([*words, str(other), "--slots", str(slots), "--now", "1"]) == 1
    assert capsys.readouterr().err.count("the expression is empty") == 1


def test_a_limit_may_be_longer_than_a_clock_can_wait(capsys: Capture) -> None:
    assert main(["quotas", TOUR, "--limit-time", "253402300800"]) == 0
    assert "Traceback" not in capsys.readouterr().err


def test_a_minus_is_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["quotas", TOUR, "-o", "-"]) == 0
    assert "physics" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


def test_every_command_is_fuzzed() -> None:
    def leaves(parser: Parser, words: tuple[str, ...]) -> list[tuple[str, ...]]:
        below = commands_of(parser)
        inner = (leaves(below[name], (*words, name)) for name in below)
        return [leaf for found in inner for leaf in found] if below else [words]

    tried = {tuple(command.words.split()[:2]) for command in FUZZED}
    known = {words[:2] for words in tried} | {words[:1] for words in tried}
    assert [leaf for leaf in leaves(build_parser(), ()) if leaf not in known] == []


def told(*diagnostics: Diagnostic) -> list[str]:
    err = io.StringIO()
    show_diagnostics(diagnostics, err)
    return err.getvalue().splitlines()


def test_seven_warnings_of_one_kind_are_one() -> None:
    found = [
        Diagnostic(f"claim of `slot{n}@m`: job {n}.0 is not in s{n}.example", severity="warning")
        for n in range(7)
    ]
    assert told(*found) == [f"warning: {found[0].message}", "  the first of 7 such warnings"]


def test_warnings_of_different_kinds_and_few_of_one_are_shown_one_by_one() -> None:
    few = [Diagnostic(f"job {n}.0 is lost", severity="warning") for n in range(3)]
    others = [
        Diagnostic(f"{word} is not read", severity="warning")
        for word in ("this", "that", "the other one", "what stands here")
    ]
    assert told(*few, *others) == [f"warning: {item.message}" for item in (*few, *others)]


def test_beside_an_answer_stand_three_messages_and_every_error_and_verbose_says_all() -> None:
    found = [
        *(Diagnostic(f"{word} is odd", severity="warning") for word in ("this", "that", "it")),
        Diagnostic("what is there is odd, too", severity="note"),
        Diagnostic("this is as it should be", severity="detail"),
        Diagnostic("this is wrong"),
    ]
    err = io.StringIO()
    show_diagnostics(found, err, beside=MAX_BESIDE)
    first, *_, last = err.getvalue().splitlines()
    assert (first, last) == ("warning: this is odd", "and 1 more messages; -v lists them all")
    assert "error: this is wrong\n" in err.getvalue()
    err = io.StringIO()
    show_diagnostics(found, err, beside=None)
    assert [line.partition(":")[0] for line in err.getvalue().splitlines()] == [
        *["warning"] * 3, "note", "detail", "error",
    ]  # fmt: skip


def test_errors_are_shown_one_by_one() -> None:
    found = [Diagnostic(f"line {n} is wrong") for n in range(7)]
    assert told(*found) == [f"error: {item.message}" for item in found]


@pytest.mark.parametrize(
    "text",
    [
        "JOB_TRANSFORM_NAMES = $(G)\nG = $(JOB_TRANSFORM_NAMES)\n",
        "SCHEDD_LOG = $(A)\nA = $(SCHEDD_LOG)\nS = $(SCHEDD)\nS_ARGS = -local-name x\n"
        "x.SCHEDD_LOG = /x\nDAEMON_LIST = MASTER, SCHEDD, S\n",
        "SYSTEM_PERIODIC_HOLD = y > 1e400\nSYSTEM_PERIODIC_RELEASE = y < 1e400\n",
    ],
)
def test_macros_without_end_and_numbers_beyond_all_are_read(text: str, tmp_path: Path) -> None:
    config = tmp_path / "condor_config"
    config.write_text(text)
    for words in (["check", "--all"], ["policy", "explain"]):
        _, said = run([*words, str(config)])
        assert "internal error" not in said
