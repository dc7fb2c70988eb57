"""Measures edits of a policy in a session, and questions about them, beside pools read for each.

Run: ``python benchmarks/bench_session.py [campus | medium ...]``, by default both: the example
pool, and that of ``bench_cycle`` with 10,000 slots and 1,000 autoclusters.  CPU seconds of one
process, the best of three sessions: an edit is the first of its kind in each.  Beside each edit
stands whether cycle and differences are those that ``with_config`` and ``diff`` of a pool give that
was read for it; a question, asked a second time, is compared likewise.  A table, then JSON lines.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bench_cycle import EXAMPLE, make_profile, pace

import pieslice

#: Edits by what they are about; where a pool has groups, another quota of one.
EDITS = {
    "nothing": "# nothing but words",
    "half-life": "PRIORITY_HALFLIFE = 7200",
    "quota": "GROUP_QUOTA_DYNAMIC_group_chemistry = 0.1",
    "new groups": "GROUP_NAMES = group_bio, group_cs\nGROUP_QUOTA_DYNAMIC_group_bio = 0.3\n"
    "GROUP_QUOTA_DYNAMIC_group_cs = 0.3\nGROUP_ACCEPT_SURPLUS = true",
    "PREEMPTION_REQUIREMENTS": "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.5",
    "NEGOTIATOR_PRE_JOB_RANK": "NEGOTIATOR_PRE_JOB_RANK = Memory",
    "SLOT_CONSTRAINT": "NEGOTIATOR_SLOT_CONSTRAINT = Cpus > 2",
    "DEPTH_FIRST": "NEGOTIATOR_DEPTH_FIRST = true",
    "CONSIDER_PREEMPTION": "NEGOTIATOR_CONSIDER_PREEMPTION = false",
    "START": "START = TARGET.RequestCpus < 3",
}
#: Those for which more time is allowed.
SLOW = ("CONSIDER_PREEMPTION", "START")
SESSIONS = 3


def questions(pool: pieslice.Pool) -> dict[str, Callable[[Any], Any]]:
    """Questions that a pool and the trial of a session answer."""
    cycle = pool.negotiate()
    job = cycle.rejections["job"][-1]
    return {
        "why": lambda asked: asked.why(job),
        "rank": lambda asked: asked.rank(job),
        "quotas": lambda asked: asked.quotas(),
    }


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds, and what came out."""
    begun = time.process_time()
    found = work()
    return time.process_time() - begun, found


def answer(cycle: Any, changes: Any) -> tuple[str, str]:
    """All that an edit says."""
    return repr(cycle.result), changes.to_json()


def measured(name: str, folder: Path) -> list[dict[str, Any]]:
    """The rows of a pool."""
    pool = pieslice.read(folder)
    asked = questions(pool)
    best: dict[str, float] = {}
    said: dict[str, Any] = {}
    begins = []
    for _ in range(SESSIONS):
        begun, session = timed(pieslice.read(folder).session)
        begins.append(begun)
        for what, text in EDITS.items():
            seconds, trial = timed(partial(session.edit, text))
            best[what] = min(seconds, best.get(what, seconds))
            said[what] = answer(trial.cycle, trial.changes)
        for what, ask in asked.items():
            ask(session.base)
            seconds, found = timed(partial(ask, session.base))
            best[what] = min(seconds, best.get(what, seconds))
            said[what] = found.to_json()
    rows = [{"what": "begin", "seconds": min(begins)}]
    for what, seconds in best.items():
        if what in EDITS:
            other = pool.with_config(EDITS[what])
            fresh: Any = answer(other.negotiate(), pool.diff(other))
            kind = "nothing" if what == "nothing" else "slow" if what in SLOW else "edit"
        else:
            fresh, kind = asked[what](pool).to_json(), "question"
        row = {"what": what, "kind": kind, "seconds": seconds, "same": said[what] == fresh}
        rows.append(row)
    return [{"profile": name, **row} for row in rows]


def main() -> int:
    parser = argparse.ArgumentParser(description="Edits of a policy in a session.")
    parser.add_argument("profiles", nargs="*", default=["campus", "medium"])
    rows = []
    for name in parser.parse_args().profiles:
        with tempfile.TemporaryDirectory() as made:
            if name != "campus":
                make_profile(name, Path(made))
            rows += measured(name, EXAMPLE if name == "campus" else Path(made))
    loop = pace()
    for row in rows:
        same = {True: "same", False: "DIFFERENT", None: ""}[row.get("same")]
        print(f"{row['profile']:8} {row['what']:26} {row['seconds']:8.4f} s  {same}", flush=True)
    print(f"a loop that is always the same: {1000 * loop:.0f} ms")
    about = {"machine": platform.machine(), "python": platform.python_version(), "loop": loop}
    for row in rows:
        print(json.dumps(about | row))
    return int(any(row.get("same") is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
