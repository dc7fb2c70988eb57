"""Asks more commands for what they show: ``python -m tests.pieslice.shown`` writes it anew.

The answers are kept in ``answered``, a file for each group of questions.
"""

from __future__ import annotations

import re
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, Final

from pieslice.simulation.replay import recorded_jobs, recorded_seconds
from pieslice.simulation.running import SILENT, Form, run_new
from pieslice.simulation.setup import Plan
from tests.pieslice.answers import KEPT, answer, heading
from tests.pieslice.questions import Question, asked, recorded
from tests.pieslice.simulations import Drawn, course, drawn, shown

_POLICY: Final = """\
MARGIN = 1.2
PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * $(MARGIN) && TARGET.JobPrio >= 0
PREEMPTION_RANK = RemoteUserPrio * 100 - Age
NEGOTIATOR_POST_JOB_RANK = MY.NoSuch
NEGOTIATOR_PRE_JOB_RANK = Memory / (Cpus - 8)
NEGOTIATOR_SLOT_CONSTRAINT = Cpus > 4
STARTD.START = TARGET.JobPrio > 3 && time() > 100
SYSTEM_PERIODIC_HOLD = NumHolds > 3
GROUP_SORT_EXPR = GroupQuota / 4
"""
_SLOTS: Final = (
    'Name = "s1"\nAge = 7\nCpus = 8\nMemory = 100\n\nName = "s2"\nCpus = 4\nMemory = 50\n'
    "MyCurrentTime = 50\nRequirements = TARGET.JobPrio < 5\n"
)
_JOBS: Final = "ClusterId = 1\nProcId = 0\nJobPrio = 0\n\nClusterId = 1\nProcId = 1\nJobPrio = 9\n"
_TRIED: Final = """\
PREEMPTION_REQUIREMENTS
PREEMPTION_REQUIREMENTS --my slots --target jobs -a RemoteUserPrio=13 -a SubmitterUserPrio=10
PREEMPTION_REQUIREMENTS --target jobs -a RemoteUserPrio=13 -a SubmitterUserPrio=10 --why
PREEMPTION_REQUIREMENTS -a RemoteUserPrio=13 -a SubmitterUserPrio=11 -a TARGET.JobPrio=1 --json
PREEMPTION_REQUIREMENTS -a TARGET.JobPrio=1 --grid RemoteUserPrio=1:10:4,SubmitterUserPrio=1:10:5
PREEMPTION_REQUIREMENTS -a TARGET.JobPrio=1 --grid RemoteUserPrio=1:2:3 --json
PREEMPTION_RANK --my slots --grid RemoteUserPrio=0.5:100
PREEMPTION_RANK --grid RemoteUserPrio=1:9:3,MY.Age=-4:4:5
PREEMPTION_RANK --my slots --slot S1 -a RemoteUserPrio=2
PREEMPTION_RANK --my slots --slot s2 -a RemoteUserPrio=2
PREEMPTION_RANK --my slots --slot s3
PREEMPTION_RANK --slot s3
NEGOTIATOR_PRE_JOB_RANK --my slots
NEGOTIATOR_PRE_JOB_RANK --my slots --slot s2
NEGOTIATOR_PRE_JOB_RANK --my slots --grid MY.Cpus=6:10:5
NEGOTIATOR_POST_JOB_RANK
NEGOTIATOR_SLOT_CONSTRAINT --my slots
NEGOTIATOR_SLOT_CONSTRAINT --my slots --slot s2 --why
START --subsys STARTD --target jobs --job 1.1 --now 200
START --subsys STARTD --target jobs --job 1.1 --now 100
START --target jobs --job 1.7
SYSTEM_PERIODIC_HOLD -a MY.NumHolds=4
SYSTEM_PERIODIC_HOLD -a MY.NumHolds=3 --json
GROUP_SORT_EXPR -a MY.GroupQuota=9.0
GROUP_SORT_EXPR
MARGIN
NO_SUCH
PREEMPTION_RANK --grid RemoteUserPrio=5:1
PREEMPTION_RANK --grid RemoteUserPrio=1:5:1
PREEMPTION_RANK --grid RemoteUserPrio=1:5:201
PREEMPTION_RANK --grid RemoteUserPrio=1:5:2:3
PREEMPTION_RANK --grid RemoteUserPrio=1:x
PREEMPTION_RANK --grid A=1:2,B=1:2,C=1:2
PREEMPTION_RANK --grid =1:2
PREEMPTION_RANK --grid RemoteUserPrio=1:2 --why
PREEMPTION_RANK -a RemoteUserPrio
PREEMPTION_RANK -a 'RemoteUserPrio=1 +'
PREEMPTION_RANK -D X
PREEMPTION_RANK --my nothing
"""
_EVALUATED: Final = """\
'1 + 2' 'x = 3' x 'y = x * 2' 'x + y'
-q 'x = 3; y = "a\\\\b"' y --old y --new y
--json '1/0' 'undefined' '"a"' '{1, [a = 2]}'
--why 'undefined && 1 > 2' '(1 < 2) ? 3 : 4'
--my slots --target jobs MY.Name TARGET.JobPrio Memory
--target slots --my jobs 'TARGET.Cpus > 4' --why 'JobPrio > TARGET.Age'
-a Memory=5 -a B=Memory+1 B
--now 100 'time()' --tz Asia/Kolkata 'timezoneOffset()'
--seed 3 'random(100)' 'random(100)'
--strict '1 && 2' 'NoSuch'
'1 +'
--my nothing x
-a 5 x
'stringListMmber("a", "b")'
"""
_MAPPED: Final = """\
m alice ann@x Bob dave carol nobody
m --method claim carol alice
m alice --json
m nobody
nothing alice
"""
_MAP: Final = """\
# users and their groups
* alice group_a,group_b
* /^a(.*)@x$/ group_\\1
* /ANN/i group_i
* Bob group_c, group_d
* "with blanks" "group e,group f"
* broken
* /(/ group_d
* alice group_late
claim carol group_e
* carol group_g
@include more
"""
_CAMPUS: Final = """\
--group group_physics --group group_chemistry
--group group_phys
--submitter alice --summary
--submitter group_physics.hep.alice@campus.example
--config campus/no_preemption --summary
--config campus/calmer -D GROUP_QUOTA_group_physics=3 --table groups
--cycles 3 --interval 60 --table matches --format csv
--now 1795214400 --table rejections --format csv
--table users --group group_chemistry
--table none
--cycles 0
--interval 0
"""


_USED: Final = """\
negotiate --sumary campus
negotiate
negotiat campus
negotiate campus --cycles x
negotiate campus --width 5
negotiate campus --format xml
negotiate nowhere
negotiate campus/condor_config
negotiate campus/slots.ads campus/jobs.ads --summary --width 60
negotiate campus --table usrs
negotiate campus tour
negotiate campus --now yesterday
why campus 8.0 --at 5
why campus 99.0
why campus 8.0.0
rank campus 8.0 --limit x
simulate 2 --days 0
simulate 2 --days x
simulate 2 --every -1
simulate 2 --every 00.00x
simulate 2 --vacate -1
simulate 2 --vacate 1234567890
simulate 2 --seeds 1.5
simulate 2 --seeds 0
simulate 2 --set X
simulate 2 --set 5=3
simulate 2 --capture x DIR
simulate 2 --checkpoint-hours 0
sweep 2 --seeds x
fuzz campus/condor_config --margin -1
fuzz campus/condor_config --margin 10001
fuzz campus/condor_config --examples 0
forecast campus --hours 0
forecast --pool -1
select campus/slots.ads --limit x
select campus/slots.ads --where '1 +'
eval
eval --tz No/Where 1
help nothing
completion tcsh
userprio campus -nosuch
config show X nowhere
report nowhere -o page.html
history nowhere
when campus/slots.ads 1.0
conform nowhere
conform campus
policy explain nowhere
policy diff campus/condor_config nowhere
map test nowhere ann
check nowhere
diff campus
capture
"""
_CHECKED: Final = """\
c
c --json
c --format github
c --width 50
c --subsys STARTD
"""


def _usage() -> Iterator[Question]:
    for words in _USED.splitlines():
        yield asked("usage", words)


def _expressions() -> Iterator[Question]:
    files = {"c": _POLICY, "slots": _SLOTS, "jobs": _JOBS, "m": _MAP, "more": "* dave group_f\n"}
    for words in _TRIED.splitlines():
        yield asked("a policy", f"policy eval c {words}", files)
    for words in _CHECKED.splitlines():
        yield asked("a policy", f"check {words}", files)
    for words in _EVALUATED.splitlines():
        yield asked("expressions", f"eval {words}", files)
    for words in _MAPPED.splitlines():
        yield asked("names", f"map test {words}", files)


def _choices() -> Iterator[Question]:
    for words in _CAMPUS.splitlines():
        yield asked("campus", f"negotiate campus {words}")
    for name in ("preempt-kinds-order", "groups-autoregroup-some"):
        pool = {"pool.json": recorded(name)}
        for words in ("--submitter a", "--submitter u1", "--group g", "--group a --json"):
            yield asked(name, f"negotiate pool.json {words}", pool)


_DAY: Final = "submit,user,run_time,cpus,memory,group,count\n"
_SWEPT: Final = """\
2 --set NEGOTIATOR_INTERVAL=60,300 --set PREEMPTION_REQUIREMENTS=False,True
2 --set CLAIM_WORKLIFE=0 --set CLAIM_WORKLIFE=1
2 --set NO_SUCH=1
2 --set CLAIM_WORKLIFE
2
2x4 --set CLAIM_WORKLIFE=0,600 --seeds 1,3 --width 46
2 --set GROUP_QUOTA_g=0,1 --set GROUP_NAMES=g --json
2 --set NEGOTIATOR_INTERVAL=100,bad --set MAXJOBRETIREMENTTIME=60
"""
_SIMULATED: Final = """\
3 --workload w.csv --days 0.02 --set SLOT_WEIGHT=2 --seed 4 --width 50
3 --workload none.csv
3 --workload w.txt
3 --workload w.csv --days 0
3 --workload w.csv --config c --compare c c
3 --workload w.csv --parquet
3 --workload w.csv --report no/such/page.html
3 --workload w.csv --capture 0.1 out --seeds 2
3 --workload w.csv --record h --seeds 2
3 --workload w.csv --capture 9 out --days 0.02
3 --workload w.csv --replay w.csv
3
0 --workload w.csv
3x0 --workload w.csv
nowhere --workload w.csv
3 --workload capture
3 --workload w.csv --machines m.csv
3 --workload w.csv --set NO_SUCH=1
3 --workload w.csv --now soon
3 --workload w.csv --days 0.02 --compare c d --width 60
3 --workload w.csv --days 0.01 --config d --wide
--resume nowhere
"""


def _runs() -> Iterator[Question]:
    rows = "0,ann,900,1,10,,3\n60,bob,300,1,10,,4\n300,cid,100,1,10,g,2\n"
    files = {
        "w.csv": _DAY + rows,
        "w.txt": "",
        "c": "PREEMPTION_REQUIREMENTS = True\nNEGOTIATOR_CONSIDER_EARLY_PREEMPTION = True\n",
        "d": "GROUP_NAMES = g\nGROUP_QUOTA_g = 1\nMAX_JOBS_RUNNING = 2\n",
        "m.csv": "time,machine,event\n5,node0009,leave\n",
    }
    for words in _SWEPT.splitlines():
        yield asked("a sweep", f"sweep {words} --workload w.csv --days 0.02 --jobs 1", files)
    for words in _SIMULATED.splitlines():
        yield asked("a simulation", f"simulate {words}", files)


# --- histories ----------------------------------------------------------------------------------

#: Simulations that are recorded: with preemption, groups, machines that leave, dynamic slots.
_RECORDED: Final = (6, 15)
_MANY: Final = "".join(
    f"{number * 37},{'abc'[number % 3]},{(number * 53) % 170 + 20},1,{number % 2 + 1},{group},1\n"
    for number, group in enumerate("g-h" * 24)
).replace(",-,", ",,")
_TABLES: Final = {
    "moment": "number, time, cycle, claimed, cores, idle, running",
    "job": "*", "spell": "*", "vacancy": "*", "decision": "*",
}  # fmt: skip
#: How well files are packed is the business of another library.
_PACKED: Final = re.compile(r'("(?:stored|files)": )\d+|(?m:^(  size ).*$)')


def histories() -> Iterator[tuple[str, str]]:
    """What is in the histories of some simulations, and what is told of their jobs."""
    for number in _RECORDED:
        with tempfile.TemporaryDirectory() as name:
            path = Path(name, "h")
            plan = drawn(number).plan(Path(name))
            run_new(plan, None, Form(history=path), SILENT)
            yield f"simulation {number}", _history(path, tables=True)
    with tempfile.TemporaryDirectory() as name:
        path, jobs = Path(name, "h"), Path(name, "w.csv")
        jobs.write_text(_DAY + _MANY, encoding="utf-8")
        run_new(Plan("2", str(jobs), 3000), None, Form(history=path), SILENT)
        yield "many jobs", _history(path, tables=False)


def _history(path: Path, *, tables: bool) -> str:
    with closing(sqlite3.connect(path)) as base:
        ids = base.execute("SELECT cluster || '.' || proc FROM job ORDER BY number").fetchall()
        (first,) = base.execute("SELECT min(time) FROM moment").fetchone()
        parts = []
        for table, columns in _TABLES.items() if tables else ():
            parts.append(f"-- {table}: {columns}")
            for row in base.execute(f"SELECT {columns} FROM {table}"):
                parts.append(" ".join(_cell(value, first) for value in row))
    for words in (f"history {path}", f"history {path} --json"):
        parts.append(_said(words, path))
    for (job,) in ids if tables else ids[2::9]:
        for command in ("history", "when") if tables else ("when",):
            parts.append(f"-- {command} {job}\n{_said(f'{command} {path} {job}', path)}")
    plan = Plan(str(path), str(path), round(recorded_seconds(path)), run_time=100)
    again = course(plan)
    found = shown(0, Drawn({"seconds": plan.seconds}, {"c": ""}), again).rstrip()
    parts.append(f"-- replayed{found.removeprefix('==> 0')}")
    times = Counter((job.submit, job.run_time) for job in recorded_jobs(path, plan.seconds))
    parts.append(" ".join(f"{at}+{long}x{count}" for (at, long), count in times.items()))
    return "\n".join(parts)


def _said(words: str, path: Path) -> str:
    told = answer(asked("", words, {"unused": ""})).replace(str(path.parent), "DIR")
    return _PACKED.sub(lambda found: f"{found[1] or found[2]}...", told).rstrip()


def _cell(value: Any, first: float) -> str:
    """A value; of times what has passed since the first capture."""
    if isinstance(value, float):
        return f"{value - first:+.9g}s" if value > 1e9 else f"{value:.9g}"
    return str(value)


ASKED: Final[dict[str, Callable[[], Iterator[Question]]]] = {
    "expressions": _expressions, "choices": _choices, "runs": _runs, "usage": _usage,
}  # fmt: skip


@cache
def kept(name: str) -> dict[str, str]:
    """The answers that are kept, by their headings."""
    text = (KEPT / f"{name}.txt").read_text(encoding="utf-8")
    found = {}
    for part in text.removesuffix("\n").split("\n==> "):
        head, _, told = part.removeprefix("==> ").partition("\n")
        found[head] = told
    return found


if __name__ == "__main__":
    for group, questions in ASKED.items():
        answers = (f"{heading(it)}{answer(it)}\n" for it in questions())
        (KEPT / f"{group}.txt").write_text("".join(answers), encoding="utf-8")
    found = (f"==> {name}\n{text}\n\n" for name, text in histories())
    (KEPT / "histories.txt").write_text("".join(found), encoding="utf-8")
