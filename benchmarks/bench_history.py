"""Measures a history: its size for a week, the time to add a capture and to ask about a moment.

Run: ``python benchmarks/bench_history.py [--captures N] [--slots N] [--jobs N] [--full]``; 49
captures of 1,000 slots and 10,000 jobs unless given, five minutes apart, so two groups of frames
and the beginning of a third.  The ads are those of ``examples/campus``, multiplied.  Between two
captures all clocks go on, every slot tells new loads, one running job in three new usage, all
users new priorities; jobs run for two hours on average, and one comes for each that ends; the
cycle's decisions are recorded.  Without ``--full`` ads have the attributes that a policy reads and
the clocks, as a capture of a running pool keeps them, else all of them.

Rows: bytes of the files, of each capture as a gzip file of its own, of the history; the same for a
week (2,016 captures), at the bytes of the last whole group of frames; seconds to add a capture, to
rebuild the last one of a group, and for the whole of ``pieslice why --at``, beside ``pieslice why``
of the same capture as a folder.  Every capture is read back and compared with what was added.
A table, then a JSON line.  Times are CPU times.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import Any

from pieslice.inputs.moments import write_files
from pieslice.recording.store import EVERY, History, Recorder

CAMPUS = Path(__file__).resolve().parents[1] / "examples" / "campus"
STEP = 300
RUN_TIME = 7200
WEEK = 7 * 86_400 // STEP
BEGIN = 1_795_000_000

#: What a capture of a running pool keeps: what the policy of the campus reads, and clocks.
KEPT = {
    "slots": (
        "MyType Name Machine Cpus Memory Disk SlotWeight State Activity Requirements Start Rank "
        "WithinResourceLimits CurrentRank RemoteUser RemoteOwner AccountingGroup JobId GlobalJobId "
        "JobStart TotalJobRunTime EnteredCurrentState EnteredCurrentActivity MyCurrentTime "
        "LastHeardFrom Arch OpSys LoadAvg TotalLoadAvg CondorLoadAvg KeyboardIdle ConsoleIdle "
        "StartdIpAddr MyAddress RetirementTimeRemaining CondorVersion SlotID"
    ),
    "jobs": (
        "MyType ClusterId ProcId GlobalJobId QDate Owner User AccountingGroup AcctGroup JobStatus "
        "JobPrio JobUniverse RequestCpus RequestMemory RequestDisk Requirements Rank CurrentHosts "
        "MaxHosts EnteredCurrentStatus ServerTime RemoteHost JobCurrentStartDate ImageSize "
        "ResidentSetSize DiskUsage RemoteUserCpu RemoteSysCpu LastRejMatchTime LastRejMatchReason "
        "AutoClusterId AutoClusterAttrs NumJobStarts"
    ),
}
#: What a slot tells anew in every ad, and a running job when its shadow writes to the queue.
LOADS = ("LoadAvg", "TotalLoadAvg", "CondorLoadAvg", "TotalCondorLoadAvg", "CpuBusyTime",
         "Disk", "TotalDisk", "MonitorSelfAge", "MonitorSelfCPUUsage", "MonitorSelfImageSize",
         "MonitorSelfResidentSetSize", "RecentDaemonCoreDutyCycle", "KeyboardIdle",
         "ConsoleIdle")  # fmt: skip
USAGE = ("ImageSize", "ResidentSetSize", "ResidentSetSize_RAW", "DiskUsage", "DiskUsage_RAW",
         "RemoteUserCpu", "RemoteSysCpu", "CumulativeRemoteUserCpu", "BlockReadKbytes",
         "BlockWrites", "BytesSent", "CpusUsage", "LastJobLeaseRenewal",
         "StatsLastUpdateTimeStarter")  # fmt: skip

Ad = dict[str, str]


def templates(name: str, *, full: bool) -> list[Ad]:
    """The ads of the campus, as texts of their attributes."""
    text = (CAMPUS / f"{name}.ads").read_text()
    ads = [
        dict(line.split(" = ", 1) for line in ad.splitlines())
        for ad in text.strip("\n").split("\n\n")
    ]
    kept = set(KEPT.get(name, "").split())
    if full or not kept:
        return ads
    return [{key: value for key, value in ad.items() if key in kept} for ad in ads]


class Pool:
    """A pool that moves."""

    def __init__(self, slots: int, jobs: int, *, full: bool) -> None:
        self.rng = random.Random(1)
        self.now = BEGIN
        self.job_ads = templates("jobs", full=full)
        self.users = {name: templates(name, full=True) for name in ("submitters", "accounting")}
        ads = templates("slots", full=full)
        self.slots = [dict(ads[number % len(ads)]) for number in range(slots)]
        for number, slot in enumerate(self.slots):
            slot.update(Name=f'"slot1@node{number:05}"', Machine=f'"node{number:05}"')
            slot.pop("PartitionableSlot", None)
            slot.pop("DynamicSlot", None)
        self.jobs: dict[int, Ad] = {}
        self.runs: dict[int, int] = {}  # slot -> job
        self.submitted = 0
        for _ in range(jobs):
            self.submit()
        for number in range(slots):
            self.start(number)

    def submit(self) -> None:
        self.submitted += 1
        number, ad = self.submitted, dict(self.job_ads[self.submitted % len(self.job_ads)])
        for name in ("RemoteHost", "JobCurrentStartDate"):
            ad.pop(name, None)
        ad.update(ClusterId=str(number), ProcId="0", JobStatus="1", QDate=str(self.now))
        ad["GlobalJobId"] = f'"ap1@vm#{number}.0#{self.now}"'
        self.jobs[number] = ad

    def start(self, slot: int) -> str:
        """Start a waiting job of those that came first."""
        waiting = (number for number, ad in self.jobs.items() if ad["JobStatus"] == "1")
        number = next(waiting)
        self.runs[slot] = number
        ad = self.jobs[number]
        host = self.slots[slot]["Name"]
        ad.update(JobStatus="2", RemoteHost=host, JobCurrentStartDate=str(self.now))
        ad["EnteredCurrentStatus"] = str(self.now)
        user = ad.get("User", '""')
        self.slots[slot].update(State='"Claimed"', Activity='"Busy"', RemoteUser=user)
        self.slots[slot].update(JobId=f'"{number}.0"', JobStart=str(self.now))
        self.slots[slot]["EnteredCurrentState"] = str(self.now)
        return f"{number}.0"

    def move(self) -> list[dict[str, Any]]:
        """Let five minutes pass; what the cycle in them matched."""
        rng = self.rng
        self.now += STEP
        matches = []
        for slot, ad in enumerate(self.slots):
            for name in LOADS:
                if name in ad:
                    ad[name] = (
                        f"{rng.random() * 8:.6f}" if "." in ad[name] else str(rng.getrandbits(20))
                    )
            ad["MyCurrentTime"] = str(self.now - rng.randrange(STEP))
            ad["LastHeardFrom"] = ad["MyCurrentTime"]
            if rng.random() < STEP / RUN_TIME:
                del self.jobs[self.runs[slot]]
                self.submit()
                job = self.start(slot)
                user = self.jobs[self.runs[slot]].get("User", '""').strip('"')
                name = ad["Name"].strip('"')
                matches.append({"job": job, "submitter": user, "slot": name, "preempted": None})
        for job_ad in self.jobs.values():
            job_ad["ServerTime"] = str(self.now)
            if job_ad["JobStatus"] == "2" and rng.random() < STEP / 900:
                for name in USAGE:
                    if name in job_ad:
                        job_ad[name] = str(rng.getrandbits(24))
        for ad in self.users["accounting"]:
            for name in ("Priority", "AccumulatedUsage", "WeightedAccumulatedUsage"):
                ad[name] = f"{rng.random() * 1e6:.6f}"
        return matches

    def texts(self, matches: list[dict[str, Any]]) -> dict[str, str]:
        """The files of a capture."""
        files = {"slots": self.slots, "jobs": list(self.jobs.values()), **self.users}
        found = {
            f"{name}.ads": "\n".join(
                "".join(f"{key} = {value}\n" for key, value in ad.items()) for ad in ads
            )
            for name, ads in files.items()
        }
        rejected = list(self.jobs)[:: max(1, len(self.jobs) // 40)]
        reason = "PREEMPTION_REQUIREMENTS == False"
        data = {
            "cycle_started_at": self.now + 10,
            "matches": matches,
            "rejections": [
                {"job": f"{job}.0", "submitter": self.jobs[job].get("User", ""), "reason": reason}
                for job in rejected
            ],
        }
        found["condor_config"] = (CAMPUS / "condor_config").read_text()
        found["expected.json"] = json.dumps(data)
        return found


def gzipped(texts: dict[str, str]) -> int:
    """The bytes of the files, each compressed by itself."""
    return sum(len(zlib.compress(text.encode(), 6)) for text in texts.values())


def command_seconds(*words: object) -> float:
    """CPU seconds of a command."""
    before = os.times()
    command = [sys.executable, "-m", "pieslice", *map(str, words)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


def measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """All rows."""
    pool, path = Pool(options.slots, options.jobs, full=options.full), folder / "pool.history"
    files = apart = 0
    adding, sums, sizes = [], [], []
    texts: dict[str, str] = {}
    with Recorder(path) as recorder:
        for _ in range(options.captures):
            texts = pool.texts(pool.move())
            files += sum(map(len, texts.values()))
            apart += gzipped(texts)
            sums.append(zlib.crc32(repr(sorted(texts.items())).encode()))
            begin = time.process_time()
            recorder.append(pool.now, texts)
            adding.append(time.process_time() - begin)
            sizes.append(path.stat().st_size)
    with History(path) as history:
        moments = history.moments()
        same = all(
            zlib.crc32(repr(sorted(history.texts(moment).items())).encode()) == known
            for moment, known in list(zip(moments, sums, strict=True))[:: options.check]
        )
        last = [moment for moment in moments if moment.number % EVERY == 0][-1]
        begin = time.process_time()
        texts = history.texts(last)
        rebuilt = time.process_time() - begin
    write_files(folder / "moment", texts)
    job = f"{pool.submitted}.0" if last.number == len(moments) else waiting_job(texts)
    asked = min(command_seconds("why", path, job, "--at", last.time) for _ in range(3))
    plain = min(command_seconds("why", folder / "moment", job) for _ in range(3))
    groups = [sizes[n + EVERY] - sizes[n] for n in range(0, len(sizes) - EVERY, EVERY)]
    week = groups[-1] / EVERY * WEEK if groups else sizes[-1] / len(sizes) * WEEK
    return {
        "slots": options.slots, "jobs": options.jobs, "captures": options.captures,
        "full": options.full, "same": same, "files_mb": files / 1e6, "gzip_mb": apart / 1e6,
        "history_mb": sizes[-1] / 1e6, "ratio_to_gzip": apart / sizes[-1],
        "week_mb": week / 1e6, "add_s": sum(adding) / len(adding), "rebuild_s": rebuilt,
        "why_at_s": asked, "why_folder_s": plain,
    }  # fmt: skip


def waiting_job(texts: dict[str, str]) -> str:
    """The last job of a capture that waits."""
    ads = [ad for ad in texts["jobs.ads"].split("\n\n") if "\nJobStatus = 1\n" in f"\n{ad}\n"]
    found = dict(line.split(" = ", 1) for line in ads[-1].strip("\n").splitlines())
    return f"{found['ClusterId']}.{found['ProcId']}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--captures", type=int, default=2 * EVERY + 1, metavar="N")
    parser.add_argument("--slots", type=int, default=1000, metavar="N")
    parser.add_argument("--jobs", type=int, default=10_000, metavar="N")
    parser.add_argument("--full", action="store_true", help="all attributes of the ads")
    parser.add_argument("--check", type=int, default=6, metavar="N", help="read every N-th back")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        row = measure(options, Path(folder))
    print(f"{'captures of the pool, as they were':44}{row['files_mb']:10.1f} MB")
    print(f"{'each as gzip files':44}{row['gzip_mb']:10.1f} MB")
    print(f"{'history':44}{row['history_mb']:10.1f} MB {row['ratio_to_gzip']:6.1f}x less than gzip")
    print(f"{f'history of a week, {WEEK} captures':44}{row['week_mb']:10.1f} MB")
    print(f"{'add a capture':44}{row['add_s']:10.2f} s")
    print(f"{'rebuild the last capture of a group':44}{row['rebuild_s']:10.2f} s")
    print(f"{'pieslice why --at':44}{row['why_at_s']:10.2f} s")
    print(f"{'pieslice why of the same folder':44}{row['why_folder_s']:10.2f} s")
    print(f"{'read back as added':44}{'yes' if row['same'] else 'NO':>10}")
    print(json.dumps({"python": platform.python_version(), **row}))


if __name__ == "__main__":
    main()
