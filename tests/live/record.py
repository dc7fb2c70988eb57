"""Records what the daemons of a running pool answer, for tests that run without one.

``python tests/live/record.py POOL FILE [--states N] [--seconds S]``: N states, S seconds apart,
each after a cycle that is asked for.  Needs HTCondor's bindings and the rights to ask for a cycle.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
from pathlib import Path
from typing import Any

import htcondor2
import htcondor2._negotiator

from pieslice.live.asking import SPLITTER, records

#: Attributes that no test reads.
NOISE = re.compile(
    r"(Monitor|Recent|Update|DaemonCore|Has|has_|Hibern|WakeOn|Utsname|Authent|Starter|Jobs|Machine"
    r"Max|Expected|TotalTime|LastFetch|Address|Cpu[A-Z]|OpSysL|Hardware|IsWake|LastNegotiation"
    r"Cycle(?!(Time|End|Matches|Rejections|NumIdleJobs|TotalSlots)0)|Self|Subnet|Private|Console|"
    r"In |Out |Err |Transfer|Keyboard|Clock|Micro|Unhibern|Image|Virtual)"
)


def long_form(ads: list[Any]) -> str:
    return "\n".join(
        "".join(f"{line}\n" for line in ad.printOld().splitlines() if not NOISE.match(line))
        for ad in ads
    )


def params(daemon: Any) -> dict[str, str]:
    names = re.compile("NEGOTIATOR|GROUP|PREEMPTION|PRIORITY|.*PRIO_FACTOR|.*_LIMIT|MAX_JOBS|SLOT_")
    found = htcondor2.RemoteParam(daemon)
    return {name: found[name] for name in found if names.match(name)}


def state(collector: Any, negotiator: Any, schedds: list[Any]) -> dict[str, Any]:
    everything = collector.query(htcondor2.AdType.Any)
    queues = {ad["Name"]: htcondor2.Schedd(ad) for ad in schedds}
    kinds = ("Machine", "Submitter", "Scheduler", "Negotiator", "Accounting")
    return {
        "ads": long_form([ad for ad in everything if ad["MyType"] in kinds]),
        "jobs": {name: long_form(queue.query()) for name, queue in queues.items()},
        "claims": {name: long_form(queue.get_claims("true")) for name, queue in queues.items()},
        "priorities": long_form(htcondor2.Negotiator(negotiator).getPriorities()),
        "direct": long_form(htcondor2.Collector(negotiator).query(htcondor2.AdType.Negotiator)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pool")
    parser.add_argument("file", type=Path)
    parser.add_argument("--states", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3)
    args = parser.parse_args()
    setattr(htcondor2._negotiator, SPLITTER, records)
    collector = htcondor2.Collector(args.pool)
    schedds = collector.query(htcondor2.AdType.Schedd)
    (negotiator,) = collector.query(htcondor2.AdType.Negotiator)
    found = {
        "params": {ad["Name"]: params(ad) for ad in (negotiator, *schedds)},
        "states": [state(collector, negotiator, schedds)],
    }
    for _ in range(args.states - 1):
        htcondor2.Schedd(negotiator).reschedule()
        time.sleep(args.seconds)
        found["states"].append(state(collector, negotiator, schedds))
    text = json.dumps(found, indent=0)
    args.file.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
