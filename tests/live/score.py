"""Scores predictions of fresh cycles of a real pool under random traffic.

``ROOT=DIR python tests/live/score.py FOLDER [--seed N] [--cycles N] [--schedds N] [--sec token]``
starts a pool in FOLDER with ``live_pool.sh``, follows its cycles, and stops it.  Cycles that were
not as predicted are kept in ``FOLDER.missed``: two captures each, and the negotiator's log.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from traffic import EXTRA, Traffic, pool

from pieslice.live.capture import LiveCapture
from pieslice.live.daemons import Bindings
from pieslice.live.taking import Memory, find_daemons, last_cycle, take
from pieslice.shadow.cycles import newer
from pieslice.shadow.loop import predict
from pieslice.shadow.outcome import Outcome, Pair, compare, total

MATCHED = re.compile(r"\bMatched (\d+\.\d+) (\S+) <\S+ preempting (\S+)[^<]* <\S+> (\S+)")
REJECTED = re.compile(r"\bRejected (\d+\.\d+) (\S+) <[^>]*>: (.*)")


def cycle_of_log(log: Path, number: int) -> tuple[list[Pair], list[tuple[str, str]]]:
    """The matches and the rejections of a cycle, as the negotiator logged them."""
    parts = log.read_text(errors="replace").split("Started Negotiation Cycle")
    text = parts[number]
    return (
        [(user, slot) for _, user, _, slot in MATCHED.findall(text)],
        [(user, job) for job, user, _ in REJECTED.findall(text)],
    )


def keep(folder: Path, before: LiveCapture, after: LiveCapture, text: str) -> None:
    for name, capture in (("before", before), ("after", after)):
        capture.write(folder / name)
    (folder / "log").write_text(text)


def score(folder: Path, args: argparse.Namespace) -> list[Outcome]:
    port = args.port
    traffic = Traffic(folder, args.seed, args.schedds)
    missed = Path(f"{folder}.missed")
    shutil.rmtree(missed, ignore_errors=True)
    outcomes: list[Outcome] = []
    token = folder / "reader" if args.sec == "token" else None
    with Bindings(f"127.0.0.1:{port}", token) as daemons:
        memory = Memory()
        while len(outcomes) < args.cycles:
            for line in traffic.burst():
                print(f"    {line}")
            time.sleep(traffic.random.choice((0.0, 0.5, 1.5, 3.0)))
            before = take(daemons, memory)
            predicted = predict(before)
            negotiator = find_daemons(daemons).negotiator
            assert negotiator is not None
            pool("cycle", folder)
            while not newer(before.manifest["cycle"], last_cycle(daemons, negotiator)):
                time.sleep(0.1)
            time.sleep(1.5)
            after = take(daemons, memory)
            outcome = compare(before, after, predicted)
            log = folder / "log" / "NegotiatorLog"
            matches, rejections = cycle_of_log(log, -1)
            real = set(matches)
            wanted = [(item.submitter, item.slot) for item in predicted.matches]
            refused = [(item.submitter, item.job) for item in predicted.rejections]
            same = wanted == matches
            said = "exact" if outcome.exact else "MISSED"
            if refused != rejections or not same:
                said += " (order)" if real == set(wanted) else " (by the log)"
            print(
                f"{len(outcomes):3} matches {outcome.predicted}/{outcome.matches}/{outcome.seen}"
                f"/{outcome.agreeing} rejections {outcome.predicted_rejections}/"
                f"{outcome.rejections} {said}; moved {outcome.moved.text()}; log "
                f"{len(real & set(wanted))}/{len(real)}",
                flush=True,
            )
            outcomes.append(outcome)
            if not outcome.exact or not same:
                text = f"log: {matches}\n{rejections}\npredicted: {wanted}\n{refused}\n{outcome}\n"
                keep(missed / str(len(outcomes) - 1), before, after, text)
    return outcomes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cycles", type=int, default=20)
    parser.add_argument("--schedds", type=int, default=1)
    parser.add_argument("--port", type=int, default=9770)
    parser.add_argument("--sec", choices=("none", "token"), default="none")
    args = parser.parse_args()
    pool(
        "start",
        args.folder,
        PORT=str(args.port),
        SCHEDDS=str(args.schedds),
        SEC=args.sec,
        EXTRA=EXTRA,
    )
    try:
        if args.sec == "token":
            words = ("condor_token_create", "-identity", "reader@live.test", "-authz", "READ")
            (args.folder / "reader").write_text(pool("run", args.folder, "root", *words))
        outcomes = score(args.folder, args)
    finally:
        pool("stop", args.folder)
    print(total(outcomes))


if __name__ == "__main__":
    main()
