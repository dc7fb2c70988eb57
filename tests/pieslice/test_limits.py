"""Every command and every function of `import pieslice` keeps to a limit on time and memory."""

from __future__ import annotations

import argparse
import io
import pickle
import signal
import sys
import threading
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

import classad
import pieslice
from classad.formats import common as held
from classad.language import bounds
from pieslice import limiting
from pieslice.cli import build_parser, main
from pieslice.command_line import parsers_of
from pieslice.limiting import UsedUp, duration, limited, size
from pieslice.reports.output import deliver
from pieslice.shadow import loop
from pieslice.sweeps.work import attempt, bounded

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[2]
TOUR = str(ROOT / "examples" / "tour")
USERS = str(ROOT / "examples" / "workloads" / "two-users.toml")
#: An expression that visits as many nodes as HTCondor lets it.
LONG = f"[a0 = 1; {' '.join(f'a{i} = a{i - 1} + a{i - 1};' for i in range(1, 40))}]"


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """A configuration that takes long to check: now and then its reader looks at the clock."""
    file = tmp_path / "condor_config"
    file.write_text(f"START = {' || '.join(f'Cpus > {number}' for number in range(200))}\n")
    return file


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that tells how often it was asked."""
    monkeypatch.setattr(bounds, "monotonic", count(0.0, 1.0).__next__)


def given(
    time: float | None = None, memory: int | None = None, unpacked: int | None = None
) -> argparse.Namespace:
    """The arguments of a command."""
    return argparse.Namespace(limit_time=time, limit_memory=memory, limit_unpacked=unpacked)


@pytest.mark.parametrize(
    ("text", "seconds"), [("10", 10), ("10s", 10), ("0.5s", 0.5), ("5m", 300), ("2H", 7200)]
)
def test_durations(text: str, seconds: float) -> None:
    assert duration(text) == seconds


@pytest.mark.parametrize(
    ("text", "found"),
    [("1000", 1000), ("4k", 4096), ("512M", 512 << 20), ("2G", 2 << 30), ("1.5gib", 3 << 29)],
)
def test_sizes(text: str, found: int) -> None:
    assert size(text) == found


def test_other_errors_are_no_limits() -> None:
    with pytest.raises(RuntimeError, match="other"), limited(given()):
        raise RuntimeError("other")


def test_a_configuration_may_take_so_much_for_each_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    file = tmp_path / "condor_config"
    file.write_text("".join(f"A{number}=1\n" for number in range(100)))
    monkeypatch.setattr(bounds, "READ_ALWAYS", 1000)
    monkeypatch.setattr(bounds, "READ_FACTOR", 1000)
    assert main(["check", str(file)]) == 0
    assert "would start" in capsys.readouterr().out


#: What reads files of a name; others are read by `select` and `pieslice.read`.
COMMANDS = {"condor_config": "check", "Accountantnew.log": "userprio"}
READERS = {"condor_config": pieslice.check, "Accountantnew.log": pieslice.userprio}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["slots.ads", "slots.new", "Accountantnew.log", "condor_config"])
def test_what_would_take_too_much_is_refused(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    file = tmp_path / form
    lines = {
        "slots.ads": "A#=1\n\n",
        "slots.new": "[A#=1]\n",
        "Accountantnew.log": "101 Customer.u# * *\n103 Customer.u# Priority #\n",
        "condor_config": "A#=1\n",
    }
    file.write_text("".join(lines[form].replace("#", str(number)) for number in range(3000)))
    monkeypatch.setattr(bounds, "READ_ALWAYS", 1_000_000)
    monkeypatch.setattr(held, "_PAUSE", 1 << 14)
    monkeypatch.setattr("classad.files.log._PAUSE", 100)
    command = [COMMANDS.get(form, "select"), str(file)]
    assert main(command) == 2
    printed = capsys.readouterr()
    place = f"{file}:1112" if form == "condor_config" else str(file)
    assert printed.out == ""
    assert printed.err == (
        f"error: {place}: what is read takes more than 976.6 KiB (6 bytes for each byte "
        "of the text, 976.6 KiB at least); `--limit-memory SIZE`, or `limits(memory=BYTES)`, sets "
        "another limit\n"
    )
    assert main([*command, "--limit-memory", "2G"]) == 0
    read = READERS.get(form, pieslice.read)
    with pytest.raises(pieslice.LimitError, match="what is read takes more"):
        read(file)


@pytest.mark.parametrize(
    "words", [["--limit-time", "soon"], ["--limit-time", "0"], ["--limit-memory", "5s"]]
)
def test_bad_limits_are_refused(words: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", TOUR, *words])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert f"argument {words[0]}: `{words[1]}` is not a " in said
    assert " such as " in said


def test_every_command_takes_the_limits(capsys: Capture) -> None:
    parser = build_parser()
    for command in parsers_of(parser):
        options = {name for action in command._actions for name in action.option_strings}
        assert {"--limit-time", "--limit-memory", "--limit-unpacked"} <= options, command.prog
    assert f"(default: {bounds.MOST_UNPACKED >> 30}G)" in " ".join(parser.format_help().split())
    before = parser.parse_args(["--limit-time", "5m", "eval", "1"])
    behind = parser.parse_args(["eval", "--limit-time", "5m", "1"])
    assert before.limit_time == behind.limit_time == 300
    assert parser.parse_args(["rank", TOUR, "15.0", "--limit", "3"]).limit_time is None
    assert main(["--limit-time", "100s", "eval", "--limit-memory", "8G", "1 + 1"]) == 0
    assert capsys.readouterr().out == "2\n"


#: Commands that take long, and what they are told to be doing; fuzzing does many things in turn.
ENDED = {
    "eval": ([LONG, "a39"], "evaluating expressions"),
    "select": (["{slots}"], "reading ads"),
    "negotiate": ([TOUR], "reading ads"),
    "check": (["{policy}"], "checking expressions"),
    "simulate": ([TOUR, "--workload", USERS], "reading ads"),
    "fuzz": ([f"{TOUR}/condor_config"], ""),
}


@pytest.mark.parametrize("name", ENDED)
def test_commands_end_in_time(
    name: str,
    looks: None,
    policy: Path,
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slots = tmp_path / "slots.ads"
    slots.write_text("".join(f"a = {number}\nb = a + {number}\n\n" for number in range(9000)))
    monkeypatch.setattr("classad.files.ads._PIECE", 1000)
    words, doing = ENDED[name]
    words = [word.format(slots=slots, policy=policy) for word in words]
    assert main([name, "--limit-time", "2", *words]) == 2
    said = "error: the time limit of 2 s is used up" + (f" while {doing}" if doing else "")
    assert capsys.readouterr().err.splitlines()[-1].startswith(said)
    assert bounds.entered == 0


@pytest.mark.slow
def test_a_simulation_that_is_ended_can_be_taken_up(
    looks: None, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    words = ["simulate", TOUR, "--workload", USERS, "--days", "0.1", "--checkpoint-hours", "0.5"]
    assert main([*words, "-o", str(folder), "--limit-time", "300"]) == 2
    assert "the time limit of 300 s is used up while " in capsys.readouterr().err
    assert (folder / "checkpoint.json").exists()
    assert not (folder / "summary.json").exists()
    monkeypatch.setattr(bounds, "monotonic", time.monotonic)
    assert main(["simulate", "--resume", str(folder)]) == 0
    assert main([*words, "-o", str(tmp_path / "whole")]) == 0
    for table in ("events.csv", "series.csv", "summary.json"):
        assert (folder / table).read_bytes() == (tmp_path / "whole" / table).read_bytes()


def test_what_does_not_look_at_the_time_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limiting, "GRACE", 0.01)
    before = signal.getsignal(signal.SIGINT)
    began = time.monotonic()
    with pytest.raises(UsedUp, match=r"^the time limit of 0\.05 s is used up$"):  # noqa: SIM117
        with limited(given(time=0.05)):
            time.sleep(60)
    assert time.monotonic() - began < 50
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interruption_that_a_command_takes_for_its_own_is_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # As the end of a simulation between two cycles.
    monkeypatch.setattr(limiting, "GRACE", 0.01)
    stopped: list[int] = []

    def command() -> None:
        signal.signal(signal.SIGINT, lambda number, frame: stopped.append(number))
        while not stopped:
            time.sleep(0.01)

    with pytest.raises(UsedUp), limited(given(time=0.05)):
        command()
    assert stopped == [signal.SIGINT]


def test_an_answer_that_is_being_written_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limiting, "GRACE", 0.01)

    class SlowlyRead(io.StringIO):
        def write(self, text: str) -> int:
            time.sleep(0.9)
            return super().write(text)

    out = SlowlyRead()
    with limited(given(time=0.5)):
        deliver("the answer\n", argparse.Namespace(output=None), out)
    assert out.getvalue() == "the answer\n"


def test_an_interruption_that_came_first_is_heard_before_the_answer_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = io.StringIO()
    rung = threading.Event()
    interrupt = limiting._interrupt

    def ring(over: threading.Event) -> None:
        rung.set()
        time.sleep(0.2)  # the timer has ended when the signal comes
        interrupt(over)

    monkeypatch.setattr(limiting, "GRACE", 0.01)
    monkeypatch.setattr(limiting, "_interrupt", ring)

    def command() -> None:
        with limited(given(time=0.01)):
            rung.wait()
            deliver("the answer\n", argparse.Namespace(output=None), out)

    with pytest.raises(UsedUp, match=r"time limit of 0\.01 s"):
        command()
    assert out.getvalue() == ""


def test_ctrl_c_is_still_ctrl_c() -> None:
    # Some package that another test has imported may have its own way.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), limited(given(time=1000)):
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_memory_that_the_system_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    class System:
        """A system of POSIX."""

        RLIMIT_DATA, RLIM_INFINITY = 2, -1

        def __init__(self) -> None:
            self.asked: list[tuple[int, int]] = []

        def getrlimit(self, kind: int) -> tuple[int, int]:
            return -1, -1

        def setrlimit(self, kind: int, limit: tuple[int, int]) -> None:
            self.asked.append(limit)

        def getpagesize(self) -> int:
            return 4096

    monkeypatch.setattr(bounds, "resident", lambda: 0)
    system = System()
    monkeypatch.setitem(sys.modules, "resource", system)  # type: ignore[arg-type]
    monkeypatch.setattr("builtins.open", lambda *words, **more: Statm())
    with pytest.raises(UsedUp, match=r"^the memory limit of 64 MiB is used up$"):  # noqa: SIM117
        with limited(given(memory=64 << 20)):
            raise MemoryError
    assert system.asked == [((64 << 20) + 6 * 4096, -1), (-1, -1)]


class Statm:
    """A file of Linux."""

    def __enter__(self) -> Statm:
        return self

    def __exit__(self, *problem: object) -> None:
        pass

    def read(self) -> str:
        return "9 8 7 6 5 6 3"


def test_a_command_ends_at_its_memory(capsys: Capture) -> None:
    first = "x" * 500_000
    doubled = " ".join(f"a{i} = strcat(a{i - 1}, a{i - 1});" for i in range(1, 30))
    ad = f'[a0 = "{first}"; {doubled}]'
    assert main(["eval", "--limit-memory", "40M", ad, "a29"]) == 2
    said = "error: the memory limit of 40 MiB is used up"
    assert capsys.readouterr().err.startswith(said)


def test_a_file_that_unpacks_to_more_than_the_limit(tmp_path: Path, capsys: Capture) -> None:
    import gzip

    path = tmp_path / "ads.gz"
    path.write_bytes(gzip.compress(b"a = 1\n\n" * 1000))
    assert main(["select", str(path), "--limit-unpacked", "1k", "--af", "a"]) == 1
    out, err = capsys.readouterr()
    assert out.count("1") == 146
    assert "behind 1024 bytes: more is not unpacked" in err


# ---- import pieslice


@pytest.mark.slow
def test_functions_keep_to_a_limit(looks: None, policy: Path, tmp_path: Path) -> None:
    pool = pieslice.read(TOUR)
    grid = {"NEGOTIATOR_INTERVAL": "60,120"}
    for asked in (
        lambda: pool.negotiate(),
        lambda: pool.why("11.0"),
        lambda: pieslice.read(TOUR),
        lambda: pieslice.check(policy),
        lambda: pieslice.simulate(TOUR, USERS, days=9999),
        lambda: pieslice.sweep(TOUR, USERS, grid, days=9999, jobs=1),
    ):
        with pytest.raises(pieslice.LimitError) as caught, pieslice.limits(time=2):
            asked()
        assert isinstance(caught.value, pieslice.Error)
        assert isinstance(caught.value, classad.LimitError)
    assert len(pool.negotiate().matches) == 7
    with pytest.raises(pieslice.LimitError, match="making jobs"), pieslice.limits(time=300):
        pieslice.simulate(10, USERS, days=9999)


def test_a_worker_of_a_sweep_has_the_limits_of_the_sweep() -> None:
    with pieslice.limits(time=1000, memory=1 << 40, unpacked=7):
        job = bounded(_left)
    again = pickle.loads(pickle.dumps(job))
    left, memory, unpacked = again(None)
    assert 900 < left <= 1000
    assert (memory, unpacked) == (1 << 40, 7)
    assert bounded(_left)(None) == (None, None, None)  # type: ignore[arg-type]


def _left(point: object) -> tuple[float | None, int | None, int | None]:
    return bounds.remaining()


def test_a_point_of_a_sweep_is_not_given_up_for_the_limit_of_all(looks: None) -> None:
    def job(point: object) -> Iterator[object]:
        bounds.checkpoint("simulating")
        raise ValueError

    with pieslice.limits(time=100):
        assert attempt(job, None, 2).error == "ValueError:"  # type: ignore[arg-type]
    with pytest.raises(classad.LimitError), pieslice.limits(time=1):
        attempt(job, None, 2)  # type: ignore[arg-type]


def test_a_shadow_waits_where_a_prediction_takes_too_long(
    looks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    shadow = loop.Shadow(None, said.append)  # type: ignore[arg-type]
    monkeypatch.setattr(loop.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(loop, "take", lambda daemons, memory: _Written())
    monkeypatch.setattr(loop, "LONGEST", 3)
    with pytest.raises(classad.LimitError, match="limit of 300 s"), pieslice.limits(time=300):
        next(shadow.cycles())
    assert said[0].startswith("waiting: the time limit of 3 s is used up while ")
    assert len(said) > 1


class _Written:
    """The tour as a capture of a running pool."""

    def __init__(self) -> None:
        self.manifest = {"cycle": {"steady": True}}
        self.parts = {"slots": "Name = 1\n"}
        self.ended = 0.0

    def write(self, folder: Path) -> None:
        import shutil

        shutil.copytree(TOUR, folder)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--limit-time", "9s"], "the memory is exhausted"),
        (["--limit-time", "9s", "--limit-memory", "1G"], "the memory limit of 1 GiB is used up"),
    ],
)
def test_a_clock_that_has_no_memory(
    words: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if "--limit-memory" in words and sys.platform != "linux":
        pytest.skip("only Linux refuses memory at once")

    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    before = signal.getsignal(signal.SIGINT)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        assert main(["eval", *words, "1"]) == 2
    assert capsys.readouterr().err == f"error: {said}\n"
    assert signal.getsignal(signal.SIGINT) is before
