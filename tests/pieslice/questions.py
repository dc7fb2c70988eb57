"""Asks commands for what they show: tables of a cycle, configurations, ads, histories.

Outputs: ``SHOWN``, the questions by command, which ``answers`` puts.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
NEGOTIATION: Final = ROOT / "tests" / "vectors" / "negotiation"


class Question(NamedTuple):
    """A command line, and what is written first where it runs: texts, or pools, by file name.

    Without files it runs in the folder of the examples.  ``first``: commands that run before.
    """

    name: str
    arguments: tuple[str, ...]
    files: dict[str, Any]
    first: tuple[tuple[str, ...], ...] = ()
    coloured: bool = False


def asked(
    name: str, words: str, files: dict[str, Any] | None = None, *first: str, coloured: bool = False
) -> Question:
    before = tuple(tuple(shlex.split(command)) for command in first)
    return Question(name, tuple(shlex.split(words)), files or {}, before, coloured)


def recorded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((NEGOTIATION / f"{name}.json").read_text(encoding="utf-8"))
    return found


#: Where columns are left out, titles are abbreviated and prose is broken.
NARROW: Final = " --width 46"
#: Recorded pools that have much to tell, each for another reason.
SCENARIOS: Final = (
    "preempt-kinds-order", "groups-surplus", "groups-round-robin", "groups-autoregroup-some",
    "groups-strict-quota", "groups-unweighted", "groups-floor", "random-100", "random-104",
    "random-110", "pslot-preemption", "pslot-consumption-policy", "limits-repeated",
    "limits-expression", "ceiling", "floor-two", "retirement", "preempt-by-rank", "offline",
    "pslot-with-dslots", "concurrency-empty", "max-jobs-running", "job-rank-types",
)  # fmt: skip


#: Command lines, without the name of the command.
_CYCLES: Final = """\
campus
campus --group group_physics --summary
campus --submitter carol
campus --table machines --wide
tour --cycles 2 --json
tour --format csv
tour --seconds-per-request 30
dialects --dialect mrg
campus --cycles 2
"""
_IN_COLOUR: Final = """\
why campus 8.0
why campus 15.5
why campus 8
why tour 12.0
why campus --user carol
why campus --group group_physics
rank campus 8.0
quotas campus --trace
diff campus --config campus/no_preemption
check campus/condor_config
policy explain campus/condor_config
policy diff campus/condor_config campus/no_preemption
userprio campus -all
forecast campus --hours 3 --every 1
check policies/flawed/start_needs_attribute
fuzz policies/flawed/start_needs_attribute --examples 2000
"""
_OF_ODD: Final = """\
show A B C START c
show --trace START A c
show --raw B LIST c
show --json B c
show --default START c
show c
show --subsys STARTD D c
show D d
show NO_SUCH c
show c --define A=9
dump '^(A|B|C|LIST)$' c
dump --trace '^NEGOTIATOR_I' c
dump --json '^(A|B)$' c
dump '(' c
summary c
summary c --json
summary d --width 40
info NEGOTIATOR_INTERVAL
info NO_SUCH
info START RANK
info PRIORITY_HALFLIFE --json
"""
_OF_CAMPUS: Final = """\
dump ^GROUP campus
show --trace GROUP_NAMES campus
"""
_EXPLAINED: Final = """\
campus/condor_config
tour/condor_config
campus/condor_config --width 60
policies/flawed/start_needs_attribute
campus/condor_config --json
"""
_COMPARED: Final = """\
campus/condor_config campus/no_preemption
campus/condor_config campus/calmer
tour/condor_config campus/condor_config --width 60
campus/condor_config campus/calmer --json
"""
_SELECTED: Final = """\
--limit 2
--af Name,Cpus --sort=-Cpus
--where 'Cpus >= 4' --af:h Name Memory
--af:lrn Name,Cpus,NoSuch --limit 3
--af:,V Name Cpus --limit 3
--af:t Machine Memory/1024.0 --limit 4
--format csv --af Name,Memory --limit 2
--format json --limit 1
--format jsonl --af Name,Cpus --limit 2
--format new --limit 1
--format xml --limit 1
--format long --limit 1
--where NoSuch --af Name
--where 'Cpus >' --af Name
--target campus/jobs.ads --af Name,TARGET.Owner --limit 2
"""
_OF_HISTORY: Final = """\
history h 1.0
history h 4.0
history h 7.0 --json
history h 9.9
when h 4.0
when h 7.0 --json
when h 1.0
"""


def _negotiate() -> Iterator[Question]:
    for name in SCENARIOS:
        pool = {"pool.json": recorded(name)}
        yield asked(name, "negotiate pool.json", pool)
        yield asked(name, f"negotiate pool.json --summary{NARROW}", pool)
    for name in ("preempt-kinds-order", "random-104", "pslot-with-dslots"):
        pool = {"pool.json": recorded(name)}
        yield asked(name, "negotiate pool.json --json", pool)
        yield asked(f"{name} in colour", "negotiate pool.json", pool, coloured=True)
        yield asked(f"{name} in colour", "negotiate pool.json --summary", pool, coloured=True)
        for table in (
            "users",
            "groups",
            "machines",
            "quotas",
            "submitters",
            "matches",
            "rejections",
        ):
            yield asked(name, f"negotiate pool.json --table {table} --format csv", pool)
            yield asked(name, f"negotiate pool.json --table {table}", pool)
        yield asked(name, "negotiate pool.json --cycles 3 --interval 900", pool)
    for words in _CYCLES.splitlines():
        yield asked("examples", f"negotiate {words}")
    for words in ("campus", "tour --cycles 2"):
        yield asked("examples in colour", f"negotiate {words}", coloured=True)


def _coloured() -> Iterator[Question]:
    for words in _IN_COLOUR.splitlines():
        yield asked("in colour", words, coloured=True)
    for name in ("groups-surplus", "retirement", "limits-expression"):
        pool = {"pool.json": recorded(name)}
        yield asked(f"{name} in colour", "why pool.json 1.0", pool, coloured=True)


_ODD: Final = """\
A = 1
A = $(A)2
B = $(A) $(UNKNOWN) $(UNKNOWN:other)
LIST = a, b, c
if defined B
  C = $INT(A)
else
  C = none
endif
use POLICY : ALWAYS_RUN_JOBS
NEGOTIATOR.D = for the negotiator
START = Owner == "x" && \\
  RemoteWallClockTime < 10
"""


def _config() -> Iterator[Question]:
    files = {"c": _ODD, "d": "A = 3\nD = 4\n"}
    for words in _OF_ODD.splitlines():
        yield asked("odd", f"config {words}", files)
    for words in _OF_CAMPUS.splitlines():
        yield asked("campus", f"config {words}")


def _policy() -> Iterator[Question]:
    for words in _EXPLAINED.splitlines():
        yield asked("explain", f"policy explain {words}")
    for words in _COMPARED.splitlines():
        yield asked("diff", f"policy diff {words}")


def _select() -> Iterator[Question]:
    for words in _SELECTED.splitlines():
        yield asked("slots", f"select campus/slots.ads {words}")


_DAY: Final = (
    "submit,user,run_time,cpus,memory,group,count\n0,ann,900,1,10,,3\n60,bob,300,1,10,,4\n"
)


def _history() -> Iterator[Question]:
    files = {"w.csv": _DAY}
    record = "simulate 2 --workload w.csv --days 0.03 --record h --now 1750000000"
    for words in _OF_HISTORY.splitlines():
        yield asked("two slots", words, files, record)


def _sweep() -> Iterator[Question]:
    files = {"w.csv": _DAY}
    words = "sweep 2 --workload w.csv --days 0.02 --set NEGOTIATOR_INTERVAL=60,300 --jobs 1"
    yield asked("two slots", words, files)
    yield asked("two slots", f"{words} --seeds 0,1 --json", files)


def _conform() -> Iterator[Question]:
    right = recorded("preempt-by-rank")
    wrong = json.loads(json.dumps(right))
    wrong["observed"]["cycles"][0]["matches"][0]["slot"] = "slot9@nowhere"
    for name, case in (("right", right), ("wrong", wrong)):
        yield asked(name, "conform case.json", {"case.json": case})
        yield asked(name, "conform case.json --json", {"case.json": case})


#: The questions by command.
SHOWN: Final[dict[str, Callable[[], Iterator[Question]]]] = {
    "negotiate": _negotiate, "coloured": _coloured, "config": _config, "policy": _policy,
    "select": _select, "history": _history, "sweep": _sweep, "conform": _conform,
}  # fmt: skip
