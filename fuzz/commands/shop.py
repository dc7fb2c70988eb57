"""Makes a folder with a small file of every kind that a command reads, and names the commands.

Inputs: a folder; the examples of the repository.  Outputs: files, and ``COMMANDS``: arguments, the
files that are damaged for them, and how often a command is taken.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import shutil
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Final

from attr import frozen

_EXAMPLES: Final = Path(__file__).parents[2] / "examples"
_POOL: Final = ("slots", "jobs", "submitters", "schedds", "accounting")
_ADS: Final = tuple(f"pool/{name}.ads" for name in _POOL)
_CONFIG: Final = "pool/condor_config"
_RUN: Final = (
    "run/run.json",
    "run/series.csv",
    "run/jobs.csv",
    "run/cycles.csv",
    "run/summary.json",
)
_FORMS: Final = tuple(f"ads.{form}" for form in ("long", "new", "json", "jsonl", "xml"))
_PACKED: Final[dict[str, Callable[[bytes], bytes]]] = {
    "ads.long.gz": gzip.compress,
    "ads.json.xz": lzma.compress,
    "ads.xml.bz2": bz2.compress,
}
_LIVE: Final = ("capture.json", *(f"{name}.ads" for name in _POOL), "condor_config")
_SWEEP: Final = ("sweep/points.jsonl", "sweep/sweep.json")
#: The accountant's state, from examples/campus, short enough to be read thousands of times.
_LOG_LINES: Final = 400
_STATE: Final = "pool/Accountantnew.log"
_LOG: Final = ("Accountantnew.log",)


@frozen
class Command:
    """Arguments, the files that are damaged for them, how often it is taken, what it writes to."""

    words: str
    files: tuple[str, ...] = ()
    weight: int = 6
    writes: tuple[str, ...] = ()


COMMANDS: Final = (
    *(Command(f"select {name} --af Name Cpus Requirements", (name,)) for name in _FORMS),
    *(Command(f"select {name} --where Cpus>1 --format {form}", (name,), 2)
      for name in _FORMS for form in ("long", "json", "xml", "new")),
    *(Command(f"select {name} --af Name --sort Cpus", (name,), 4) for name in _PACKED),
    *(Command(f"select {name} --format jsonl", (name,)) for name in (*_FORMS, *_PACKED)),
    Command("eval --my ads.new Cpus Requirements Rank", ("ads.new",), 2),
    Command("eval --why Cpus>1&&Memory>x --my-file ads.long", ("ads.long",), 2),
    Command("eval 1+1", (), 4),
    Command("versions 24.0 25.0", (), 1),
    *(Command(f"{words} pool{more}", (*_ADS, _CONFIG, _STATE), weight,
              (_STATE,) if words == "userprio" else ())
      for words, more, weight in (
          ("negotiate", "", 12), ("negotiate", " --json", 4), ("negotiate", " --cycles 3", 4),
          ("negotiate", " --engine reference", 4), ("quotas", " --trace", 3),
          ("diff", " --config other.conf", 4), ("diff", " --also other.conf", 2),
          ("userprio", " -all", 4), ("userprio", " -grouporder", 2),
          ("forecast", " --hours 3 --every 1", 4), ("policy explain", "", 4), ("check", "", 6),
      )),
    *(Command(f"{words} pool {job}", (*_ADS, _CONFIG), 4)
      for words in ("why", "rank") for job in ("1.0", "2.0")),
    Command("why pool 1.0 --clauses", (*_ADS, _CONFIG), 2),
    Command("why pool --user alice", (*_ADS, _CONFIG), 2),
    Command("userprio Accountantnew.log -all", _LOG, writes=_LOG),
    Command("userprio Accountantnew.log -json", _LOG, 3, writes=_LOG),
    Command("forecast Accountantnew.log --hours 3 --every 1", ("Accountantnew.log",)),
    Command("negotiate queue.log pool/slots.ads", ("queue.log",), 4),
    Command("negotiate scenario.json", ("scenario.json",)),
    Command("why scenario.json 1.0", ("scenario.json",), 3),
    Command("negotiate pool --expected expected.json", ("expected.json",), 3),
    *(Command(words, ("condor_config",), weight) for words, weight in (
        ("check condor_config --all", 12), ("check condor_config --format sarif", 3),
        ("check condor_config --format github", 3), ("check condor_config --format json", 3),
        ("check condor_config --reload other.conf", 4),
        ("check other.conf --reload condor_config", 2),
        ("config dump condor_config", 4), ("config show --trace condor_config", 3),
        ("config summary condor_config", 4), ("policy explain condor_config", 4),
        ("policy diff condor_config other.conf", 4),
        ("policy eval condor_config PREEMPTION_REQUIREMENTS", 3),
    )),
    Command("config info MAX_SPINS", (), 1),
    Command("rules P505", (), 1),
    Command("map test groups.map alice bob@x", ("groups.map",), 4),
    *(Command(f"{words} transforms.conf pool/jobs.ads{more}", ("transforms.conf",), 4)
      for words in ("transform", "route") for more in ("", " --json", " --ads")),
    Command("simulate pool --workload load.toml --days 0.02 --json", ("load.toml", _CONFIG), 2),
    Command("simulate pool --workload capture --days 0.02", _ADS, 2),
    Command("simulate pool --workload load.csv --days 0.02 --json", ("load.csv",), 2),
    Command("simulate pool --workload load.swf --days 0.02 --json", ("load.swf",), 2),
    Command("simulate pool --workload load.toml --machines machines.csv --days 0.05",
            ("machines.csv",), 2),
    Command("simulate --replay pool.history --json", ("pool.history",), 1),
    Command("report run -o out/page.html", _RUN, 3),
    Command("page pool -o out/page.html", _ADS, 2),
    Command("report run other -o out/page.html", (*_RUN, "other/summary.json"), 2),
    Command("simulate --resume run", _RUN, 2, writes=("run/",)),
    Command("sweep --resume sweep --jobs 1", _SWEEP, 2, writes=("sweep/",)),
    Command("sweep 4 --workload load.toml --days 0.01 --jobs 1 --set MAX_SPINS=1,x",
            ("load.toml",), 1),
    Command("userprio Accountantnew.log -setprio alice 3 -setfactor b@x 2", _LOG, 3, writes=_LOG),
    Command("userprio pool/accounting.ads -all", ("pool/accounting.ads",), 3),
    Command("record pool.history pool", ("pool.history", *_ADS), 3, writes=("pool.history",)),
    Command("record out/new.history pool", _ADS, 2),
    Command("history pool.history 1.0", ("pool.history",), 3),
    Command("history pool.history --json", ("pool.history",), 2),
    Command("why pool.history 1.0 --at 2100-01-01", ("pool.history",), 3),
    Command("diff pool pool --at 2100-01-01", _ADS, 1),
    Command("diff pool other-pool", ("pool/slots.ads", "other-pool/jobs.ads"), 3),
    Command("negotiate live", tuple(f"live/{name}" for name in _LIVE), 6),
    Command("capture 127.0.0.1:1 out/captured --timeout 1", (), 1),
    Command("shadow 127.0.0.1:1 --cycles 1 --timeout 1 --settle 0", (), 1),
    Command("watch --check-rules alerts.toml", ("alerts.toml",), 3),
    Command("watch pool.history --rules alerts.toml --json", ("pool.history", "alerts.toml"), 2),
    Command("doctor --json", (), 1),
    Command("lab nowhere --no-browser", (), 1),
    Command("lsp", (), 1),
    Command("help captures", (), 1),
    Command("completion bash", (), 1),
    Command("history pool.history", ("pool.history",), 4),
    Command("negotiate pool.history --at 2100-01-01", ("pool.history",), 3),
    Command("when pool.history 1.0", ("pool.history",), 3),
    Command("fuzz condor_config --examples 3", ("condor_config",), 1),
)  # fmt: skip


def make(folder: Path) -> None:
    """Put the files into an empty folder."""
    tour, campus = _EXAMPLES / "tour", _EXAMPLES / "campus"
    shutil.copytree(tour, folder / "pool")
    shutil.copytree(tour, folder / "other-pool")
    _make_live(folder / "live")
    text = (tour / "condor_config").read_text("utf-8")
    (folder / "condor_config").write_text(f"{text}\n{_POLICY}", "utf-8")
    shutil.copy(_EXAMPLES / "systemd" / "alerts.toml", folder / "alerts.toml")
    shutil.copy(_EXAMPLES / "transforms" / "condor_config", folder / "transforms.conf")
    (folder / "other.conf").write_text("PREEMPTION_REQUIREMENTS = False\n", "utf-8")
    (folder / "extra.conf").write_text("A = 1\n", "utf-8")
    shutil.copy(tour / "groups.map", folder / "groups.map")
    shutil.copy(tour / "expected.json", folder / "expected.json")
    shutil.copy(_EXAMPLES / "scenarios" / "twenty.json", folder / "scenario.json")
    shutil.copy(_EXAMPLES / "workloads" / "two-users.toml", folder / "load.toml")
    log = (campus / "Accountantnew.log").read_text("utf-8").splitlines(keepends=True)
    (folder / "Accountantnew.log").write_text("".join(log[:_LOG_LINES]), "utf-8")
    (folder / "pool" / "Accountantnew.log").write_text("".join(log[:_LOG_LINES]), "utf-8")
    (folder / "queue.log").write_text(_QUEUE, "utf-8")
    (folder / "load.csv").write_text(_JOBS_OF_CSV, "utf-8")
    (folder / "load.swf").write_text(_JOBS_OF_SWF, "utf-8")
    (folder / "machines.csv").write_text(_MACHINES, "utf-8")
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        _make_by_commands(folder)
    for name, pack in _PACKED.items():
        (folder / name).write_bytes(pack((folder / name.rpartition(".")[0]).read_bytes()))


def _make_live(folder: Path) -> None:
    """A folder as ``pieslice capture`` makes it."""
    shutil.copytree(_EXAMPLES / "tour", folder)
    (folder / "capture.json").write_text(_MANIFEST, "utf-8")


def _make_by_commands(folder: Path) -> None:
    from pieslice.cli import main

    for form in ("long", "new", "json", "jsonl", "xml"):
        out = io.StringIO()
        with redirect_stdout(out):
            main(["select", str(folder / "pool" / "slots.ads"), "--format", form])
        (folder / f"ads.{form}").write_text(out.getvalue(), "utf-8")
    pool = str(folder / "pool")
    load = ["--workload", str(folder / "load.toml"), "--days"]
    for name in ("run", "other"):
        main(["simulate", pool, *load, "0.1", "-o", str(folder / name)])
    sweep = ["--set", "MAX_SPINS=1,2", "--jobs", "1", "-o", str(folder / "sweep")]
    main(["sweep", "4", *load, "0.01", *sweep])
    main(["record", str(folder / "pool.history"), pool])


_POLICY: Final = """\
PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * $(MARGIN) && \\
    TotalJobRunTime > 3600
MARGIN = 1.2
PREEMPTION_RANK = ifThenElse(isUndefined(TARGET.Rank), 0, TARGET.Rank) - $INT(MARGIN)
PRIORITY_HALFLIFE = 86400
NEGOTIATOR_INTERVAL = 60
GROUP_NAMES = a, a.b, c
GROUP_QUOTA_DYNAMIC_a = 0.5
GROUP_QUOTA_c = 10
GROUP_ACCEPT_SURPLUS = True
START = KeyboardIdle > 15 * 60 && regexp("^a.*", TARGET.Owner)
SLOT_TYPE_1 = cpus=50%, memory=auto
NUM_SLOTS_TYPE_1 = 1
STARTD_ATTRS = $(STARTD_ATTRS) Site
Site = "here"
CONCURRENCY_LIMIT_DEFAULT = 5
LICENSE_LIMIT = 3
include : extra.conf
if version > 9
  JOB_TRANSFORM_NAMES = t
  JOB_TRANSFORM_t @=end
    SET RequestCpus 1
    REQUIREMENTS Owner == "a"
  @end
endif
use POLICY : ALWAYS_RUN_JOBS
"""
_QUEUE: Final = """\
107 1 CreationTimestamp 1700000000
105
101 0.0 Job Machine
103 0.0 NextClusterNum 3
101 01.-1 Job Machine
103 01.-1 Owner "alice"
103 01.-1 RequestCpus 1
101 1.0 Job Machine
103 1.0 ClusterId 1
103 1.0 ProcId 0
103 1.0 JobStatus 1
103 1.0 User "alice@test"
106
"""
_MANIFEST: Final = """\
{
  "ended": 1700000000.5,
  "order": "as it came",
  "missing": ["the queue of schedd b"]
}
"""
_JOBS_OF_CSV: Final = """\
submit,user,run_time,group,cpus,memory,count
0,alice,600,physics,1,100,5
60,bob,300,,2,0,1
"""
_JOBS_OF_SWF: Final = """\
; UnixStartTime: 1700000000
1 0 5 600 1 500 1024 1 900 2048 1 7 3 1 1 -1 -1 -1
2 60 1 300 2 250 -1 2 900 -1 1 8 -1 1 1 -1 -1 -1
"""
_MACHINES: Final = """\
time,machine,event
100,node1,leave
500,node1,join
"""
