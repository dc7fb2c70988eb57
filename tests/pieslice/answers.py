"""Prints what commands say of small pools: ``python -m tests.pieslice.answers``.

The answers are kept in ``answered/COMMAND.txt``, which a test compares: whatever changes in a word,
a number, an order or a column shows in the diff.  The command writes the files anew.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from pieslice.cli import main
from tests.pieslice import test_why_sentences as sentences
from tests.pieslice.questions import (
    NARROW,
    NEGOTIATION,
    SCENARIOS,
    SHOWN,
    Question,
    asked,
    recorded,
)

ROOT: Final = Path(__file__).parents[2]
KEPT: Final = Path(__file__).parent / "answered"
EXAMPLES: Final = ROOT / "examples"
#: Files of a run that are part of its answer.
_WRITTEN: Final = (
    "events", "series", "summary", "slots", "jobs", "submitters", "schedds", "claims", "accounting",
)  # fmt: skip


def _why() -> Iterator[Question]:
    for name, (pool, words, _) in sentences.SAID.items():
        yield asked(name, f"why pool.json {' '.join(words)}", {"pool.json": pool})
    for name in ("group has its quota", "consumed", "ranked", "many parts"):
        pool, words, _ = sentences.SAID[name]
        yield asked(name, f"why pool.json {' '.join(words)} --json", {"pool.json": pool})
    for name in SCENARIOS:
        case = recorded(name)
        scenario = case["scenario"]
        last = len(scenario["jobs"])
        words = ["1.0", "1", f"{last}.0", f"1.0 {case['observed']['cycles'][0]['slot_order'][0]}"]
        words.append(f"--user {scenario['jobs'][0]['submitter'].rpartition('.')[2]}")
        for each in dict.fromkeys(words):
            yield asked(name, f"why pool.json {each}", {"pool.json": case})
        yield asked(name, f"why pool.json 1.0{NARROW}", {"pool.json": case})
    for words in (
        "8.0",
        "8",
        "12.11",
        "15.5",
        "--user carol",
        "--group group_physics",
        "8.0 --json",
        "8.0 --width 46",
        "15.5 --width 60",
        "8 --width 46",
        "--user carol --width 46",
        "--group group_physics --width 60",
    ):
        yield asked("campus", f"why campus {words}")
    for words in (
        "2.20",
        "3.0",
        "4.0",
        "5.0",
        "10.0",
        "11.0",
        "12.0",
        "14.0",
        "16.0",
        "--user alice",
    ):
        yield asked("tour", f"why tour {words}")


def _rank() -> Iterator[Question]:
    for name in SCENARIOS:
        yield asked(name, "rank pool.json 1.0", {"pool.json": recorded(name)})
        yield asked(name, f"rank pool.json 1.0{NARROW}", {"pool.json": recorded(name)})
    for words in ("8.0", "12.11", "15.5 --limit 0", "15.5 --json", f"15.5{NARROW}", "8.0 --wide"):
        yield asked("campus", f"rank campus {words}")


def _quotas() -> Iterator[Question]:
    for path in sorted(NEGOTIATION.glob("groups-*.json")):
        pool = {"pool.json": recorded(path.stem)}
        yield asked(path.stem, "quotas pool.json --trace", pool)
    for name in ("groups-surplus", "groups-autoregroup-some", "groups-unweighted"):
        for width in (46, 58, 66, 74, 100):
            pool = {"pool.json": recorded(name)}
            yield asked(name, f"quotas pool.json --width {width}", pool)
    for name in ("groups-surplus", "groups-round-robin"):
        yield asked(name, "quotas pool.json --trace --json", {"pool.json": recorded(name)})
    yield asked("campus", "quotas campus")


#: What the other side of a comparison has.
_CHANGES: Final = {
    "preempt-kinds-order": {"NEGOTIATOR_CONSIDER_PREEMPTION": "False"},
    "groups-surplus": {"GROUP_ACCEPT_SURPLUS": "False"},
    "random-100": {"NEGOTIATOR_CONSIDER_PREEMPTION": "False"},
    "random-104": {"PREEMPTION_REQUIREMENTS": "False"},
    "random-110": {"NEGOTIATOR_IGNORE_USER_PRIORITIES": "True"},
    "groups-floor": {"NEGOTIATOR_USE_SLOT_WEIGHTS": "False"},
    "limits-repeated": {"CONCURRENCY_LIMIT_DEFAULT": "1"},
}


def _diff() -> Iterator[Question]:
    for name, knobs in _CHANGES.items():
        case = recorded(name)
        other = {**case["scenario"], "config": {**case["scenario"].get("config", {}), **knobs}}
        files = {"pool.json": case, "other.json": {**case, "scenario": other}}
        yield asked(name, "diff pool.json other.json", files)
        yield asked(name, f"diff pool.json other.json{NARROW}", files)
    yield asked("campus", "diff campus --config campus/no_preemption")
    yield asked("campus", "diff campus --config campus/calmer --json")


_STATES: Final = ("campus/Accountantnew.log", "campus/accounting.ads", "campus", "tour")
_EDITS: Final = (
    "-setprio carol@campus.example 7.25", "-setfactor carol@campus.example 3",
    "-setfactor carol@campus.example 3 -duration 60", "-setfloor carol@campus.example 4",
    "-setceiling carol@campus.example 5 -duration 7", "-setceiling carol@campus.example -1",
    "-setbegin carol@campus.example 1700000000", "-setaccum carol@campus.example 12.5",
    "-setlast carol@campus.example 1700000000", "-resetusage carol@campus.example",
    "-delete carol@campus.example", "-resetall", "-setprio carol@campus.example 0.4",
    "-setfactor carol@campus.example 0.5", "-setprio new@campus.example 9",
    "-cancelfloorlease carol@campus.example",
)  # fmt: skip


def _userprio() -> Iterator[Question]:
    shown = (
        "", "-all", "-all -allusers --wide", "-usage -allusers", "-quotas -surplus -sortkey",
        "-hierarchical -all", "-flat -priority", "-grouprollup -all", "-grouporder -order -groupid",
        "-json -allusers", "-activefrom 1 1 2026", "-modular -allusers", "-width 60",
        "-allusers -af:tn Name Priority ResourcesUsed", "-constraint 'ResourcesUsed > 0'", "-most",
    )  # fmt: skip
    for state in _STATES:
        for words in shown:
            yield asked(state, f"userprio {state} {words.replace('-width', '--width')}")
    for words in _EDITS:
        command = f"userprio campus/Accountantnew.log {words} --dry-run --now 1800000000"
        yield asked("changes", command)
    yield asked("claims", "userprio campus/Accountantnew.log -getreslist carol@campus.example")


def _forecast() -> Iterator[Question]:
    for words in (
        "--pool 100 --user ann=100 --user bob=50@12h --hours 24",
        "--pool 100 --user ann=100 --user bob=50@12h-18h --hours 24 --every 2 --csv",
        "--pool 10 --user ann=20 --user bob=20 --factor bob=4 --prio ann=50 --hours 8 --every 1",
        "--pool 10 --user ann=2 --user bob=20 --start 5 --half-life 3600 --hours 3 --every 0.5",
        "--pool 10 --user ann=7 --lag 2 --step 300 --hours 2 --every 0.25 --exact --csv",
        "--pool 10 --user ann=7 --floor 2 --hours 2 --json --every 1",
        "--pool 0 --user ann=7 --hours 2 --every 1",
        "campus --hours 6 --every 1",
        "campus --hours 6 --every 2 --pool 5 --user new=3@1h --json",
        "tour --hours 3 --every 1 --csv",
    ):
        yield asked("forecast", f"forecast {words}")


_JOBS: Final = "submit,user,run_time,cpus,memory,group,count\n"
_MIXED: Final = _JOBS + (
    "0,ann,600,1,100,,3\n0,bob,900,2,100,g,2\n60,ann,3600,1,100,,2\n120,cid,100,4,100,,1\n"
    "1800,cid,300,1,100,g,4\n1800,ann,10,1,999999,,1\n2400,dot,700,1,0,h,2\n"
)
_LONG: Final = _JOBS + "0,ann,9000,1,10,,4\n1200,bob,1500,1,10,,4\n"
_GROUPS: Final = "GROUP_NAMES = g, h\nGROUP_QUOTA_g = 2\nGROUP_QUOTA_h = 1\n"
_TAKES: Final = "PREEMPTION_REQUIREMENTS = True\nNEGOTIATOR_CONSIDER_PREEMPTION = True\n"
_PRIOS: Final = "USE_GLOBAL_JOB_PRIOS = True\n"
_MACHINES: Final = "time,machine,event\n1000,node0001,leave\n2500,node0001,join\n"


def _simulate() -> Iterator[Question]:
    for name, words, files in (
        ("plain", "2x2 --workload w.csv", {"w.csv": _MIXED}),
        ("groups", "4 --workload w.csv --config c", {"w.csv": _MIXED, "c": _GROUPS}),
        ("preemption", "4 --workload w.csv --config c --series 900", {"w.csv": _LONG, "c": _TAKES}),
        (
            "retirement",
            "4 --workload w.csv --config c --retirement 1800 --vacate 30",
            {"w.csv": _LONG, "c": _TAKES},
        ),
        ("claims", "2 --workload w.csv --claim-worklife 900", {"w.csv": _MIXED}),
        ("machines", "2x2 --workload w.csv --machines m.csv", {"w.csv": _LONG, "m.csv": _MACHINES}),
        ("lines", "1x4 --workload w.csv --format jsonl --set SLOT_WEIGHT=1", {"w.csv": _MIXED}),
    ):
        yield asked(name, f"simulate {words} --days 0.05 -o run", files)
        yield asked(name, f"simulate {words} --days 0.05 --json", files)
    files = {"w.csv": _LONG, "a": _TAKES, "b": "PREEMPTION_REQUIREMENTS = False\n"}
    compared = "simulate 4 --workload w.csv --days 0.05 --compare a b"
    yield asked("two policies", compared, files)
    streams = (EXAMPLES / "workloads" / "campus-day.toml").read_text(encoding="utf-8")
    spread = "simulate 6 --workload w.toml --days 0.05 --seeds 2"
    yield asked("two seeds", spread, {"w.toml": streams})
    for name, words, files in (
        (
            "who retires",
            "2 --capture 0.4 run --config c --retirement 600 --vacate 300",
            {"w.csv": _LONG, "c": _TAKES},
        ),
        ("groups", "3 --capture 0.55 run --config c", {"w.csv": _MIXED, "c": _GROUPS + _PRIOS}),
        (
            "away",
            "2x2 --capture 0.5 run --machines m.csv --now 1750000000",
            {"w.csv": _LONG, "m.csv": _MACHINES},
        ),
    ):
        line = f"simulate {words} --workload w.csv --days 0.05"
        yield asked(f"the moment of {name}", line, files)
    yield asked("capture", "simulate tour --workload capture --every 1 --days 0.1 --run-time 900")


_ASKED: Final = {
    "why": _why, "rank": _rank, "quotas": _quotas, "diff": _diff, "userprio": _userprio,
    "forecast": _forecast, "simulate": _simulate, **SHOWN,
}  # fmt: skip
COMMANDS: Final = tuple(_ASKED)


def questions(command: str) -> list[Question]:
    """What a command is asked."""
    return list(_ASKED[command]())


def heading(question: Question) -> str:
    """The line above an answer."""
    return f"==> {question.name}: {shlex.join(question.arguments)}\n"


def answer(question: Question) -> str:
    """What the command says and writes, on standard error as well, and how it ends unless well."""
    before = Path.cwd()
    out, err = io.StringIO(), io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        for name, content in question.files.items():
            text = content if isinstance(content, str) else json.dumps(content)
            Path(folder, name).write_text(text, encoding="utf-8")
        os.chdir(folder if question.files else EXAMPLES)
        colour = {"FORCE_COLOR": "1"} if question.coloured else {}
        try:
            with _surroundings(TZ="UTC", **colour):
                for command in question.first:
                    with contextlib.redirect_stdout(io.StringIO()):
                        main(list(command))
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                    status = _run(question.arguments)
        finally:
            os.chdir(before)
        written = [path for path in sorted(Path(folder).glob("run/*")) if path.stem in _WRITTEN]
        files = [f"-- {path.name}\n{path.read_text(encoding='utf-8')}" for path in written]
    text = out.getvalue().replace("\x1b", "ESC") + "".join(
        f"! {line}\n" for line in err.getvalue().splitlines()
    )
    return "".join([text, *files, "" if status == 0 else f"status {status}\n"])


def _run(arguments: tuple[str, ...]) -> int:
    try:
        return main(list(arguments))
    except SystemExit as end:  # of a command line that is wrong
        return int(end.code or 0)


@contextlib.contextmanager
def _surroundings(**wanted: str) -> Iterator[None]:
    """Variables of the environment, and the time zone that they say."""
    before = os.environ.copy()
    os.environ.update(wanted)
    try:
        time.tzset()
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        time.tzset()


@cache
def kept(command: str) -> dict[str, str]:
    """The answers that are kept, by their headings."""
    text = (KEPT / f"{command}.txt").read_text(encoding="utf-8")
    found = {}
    for part in text.removesuffix("\n").split("\n==> "):
        head, _, told = part.removeprefix("==> ").partition("\n")
        found[f"==> {head}\n"] = told
    return found


if __name__ == "__main__":
    KEPT.mkdir(exist_ok=True)
    for command in COMMANDS:
        told = (f"{heading(it)}{answer(it)}\n" for it in questions(command))
        (KEPT / f"{command}.txt").write_text("".join(told), encoding="utf-8")
