"""Scores predictions of fresh cycles of a real pool under random traffic.

``ROOT=DIR python -m tests.live.score FOLDER [--seed N] [--cycles N] [--schedds N] [--sec token]
[--rough]`` starts a pool in FOLDER with ``live_pool.sh``, follows its cycles, and stops it.
Cycles that were not as predicted are kept in ``FOLDER.missed``: two captures each, and what the
negotiator logged.
"""

from __future__ import annotations

import argparse
import re
import shutil
import time
from pathlib import Path

from negotiator.model.result import CycleResult
from pieslice.live.capture import LiveCapture
from pieslice.live.daemons import Bindings
from pieslice.live.taking import Memory, find_daemons, last_cycle, take
from pieslice.shadow.loop import PROMPT, judged, newer, predict
from pieslice.shadow.outcome import Pair, PredictedCycle, total
from tests.live import rough
from tests.live.traffic import EXTRA, Traffic, pool

MATCHED = re.compile(r"\bMatched (\d+\.\d+) (\S+) <\S+> preempting (\S+)[^<]* <\S+> (\S+)")
REJECTED = re.compile(r"\bRejected (\d+\.\d+) (\S+) <[^>]*>: (.*)")

Rejected = tuple[str, str]
#: Seconds after which a schedd offers all its jobs.
STARTING = 65


def score(
    folder: Path,
    *,
    seed: int,
    cycles: int,
    schedds: int,
    port: int,
    security: str,
    harsh: bool = False,
) -> list[PredictedCycle]:
    """Start a pool, follow its cycles, stop it."""
    token = None
    traffic = (rough.Rough if harsh else Traffic)(folder, seed, schedds)
    extra = {"EXTRA": EXTRA}
    if harsh:
        folder.mkdir(parents=True)
        (folder / "nodes").write_text(rough.NODES)
        extra = {"EXTRA": rough.configuration(seed), "USERS": " ".join(rough.USERS)}
    try:
        pool("start", folder, PORT=str(port), SCHEDDS=str(schedds), SEC=security, **extra)
        if security == "token":
            token = folder / "reader"
            words = ("condor_token_create", "-identity", "reader@live.test", "-authz", "READ")
            token.write_text(pool("run", folder, "root", *words))
        if harsh:
            warm_up(folder, traffic)
        with Bindings(f"127.0.0.1:{port}", token) as daemons:
            return follow(folder, daemons, traffic, cycles)
    finally:
        pool("stop", folder)


def warm_up(folder: Path, traffic: Traffic) -> None:
    """Fill the pool, until its schedds offer all their jobs and its users differ in priority."""
    until = time.monotonic() + STARTING
    while time.monotonic() < until:
        for line in traffic.burst():
            print(f"    {line}")
        pool("cycle", folder)
        time.sleep(5)


def follow(folder: Path, daemons: Bindings, traffic: Traffic, cycles: int) -> list[PredictedCycle]:
    """Traffic, a capture, a cycle, a capture, again and again."""
    missed = Path(f"{folder}.missed")
    shutil.rmtree(missed, ignore_errors=True)
    outcomes: list[PredictedCycle] = []
    agreeing = of = 0
    memory = Memory()
    while len(outcomes) < cycles:
        for line in traffic.burst():
            print(f"    {line}")
        time.sleep(traffic.random.uniform(0, 5))
        before = take(daemons, memory)
        predicted = predict(before, at=before.ended + PROMPT)
        after = after_cycle(folder, daemons, memory, before)
        outcome = judged(before, after, predicted)
        matches, rejections = last_of_log(folder / "log" / "NegotiatorLog")
        wanted, refused = decisions(predicted)
        both = len(set(matches) & set(wanted))
        agreeing, of = agreeing + both, of + len(matches)
        print(line_of(len(outcomes), outcome, f"{both}/{len(matches)}"), flush=True)
        if not outcome.exact or wanted != matches:
            for name, capture in (("before", before), ("after", after)):
                capture.write(missed / str(len(outcomes)) / name)
            text = f"log: {matches}\n{rejections}\npredicted: {wanted}\n{refused}\n{outcome}\n"
            (missed / str(len(outcomes)) / "log").write_text(text)
        outcomes.append(outcome)
    print(f"of the {of} matches in the log {agreeing} were predicted")
    return outcomes


def after_cycle(
    folder: Path, daemons: Bindings, memory: Memory, before: LiveCapture
) -> LiveCapture:
    """Have a cycle made, and capture the pool when its matches have become claims."""
    negotiator = find_daemons(daemons, memory).negotiator
    assert negotiator is not None
    pool("cycle", folder)
    while not newer(before.manifest["cycle"], last_cycle(daemons, negotiator)):
        time.sleep(0.1)
    time.sleep(1.5)
    return take(daemons, memory)


def last_of_log(log: Path) -> tuple[list[Pair], list[Rejected]]:
    """The matches and the rejections of the last cycle, as the negotiator logged them."""
    text = log.read_text(errors="replace").rpartition("Started Negotiation Cycle")[2]
    matches = [(user, slot) for _, user, _, slot in MATCHED.findall(text)]
    return matches, [(user, job) for job, user, _ in REJECTED.findall(text)]


def decisions(predicted: CycleResult) -> tuple[list[Pair], list[Rejected]]:
    """The same of a prediction."""
    return (
        [(match.submitter, match.slot) for match in predicted.matches],
        [(item.submitter, item.job) for item in predicted.rejections],
    )


def line_of(number: int, outcome: PredictedCycle, logged: str) -> str:
    """A cycle in one line: predicted, happened, seen and agreeing matches."""
    counts = (outcome.predicted, outcome.matches, outcome.seen, outcome.agreeing)
    return (
        f"{number:3} matches {'/'.join(map(str, counts))} rejections"
        f" {outcome.predicted_rejections}/{outcome.rejections}"
        f" {'exact' if outcome.exact else 'MISSED'}; moved {outcome.moved.text()}; log {logged}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cycles", type=int, default=20)
    parser.add_argument("--schedds", type=int, default=1)
    parser.add_argument("--port", type=int, default=9770)
    parser.add_argument("--sec", choices=("none", "token"), default="none")
    parser.add_argument("--rough", action="store_true", help="thirty users, a policy by seed")
    args = parser.parse_args()
    outcomes = score(
        args.folder,
        seed=args.seed,
        cycles=args.cycles,
        schedds=args.schedds,
        port=args.port,
        security=args.sec,
        harsh=args.rough,
    )
    print(total(outcomes))


if __name__ == "__main__":
    main()
