"""Compares batches of expressions with the real library: ``python -m fuzz.compare``.

Decides which differences count.  A suspect of a batch is asked again alone; what then differs and
is no known divergence is a difference.

Inputs: numbers of batches, the zone, the families of functions to prefer.  Outputs: lines of JSON
in a file (differences, crashes), progress. Exit codes: 0 no difference, 1 differences, 2 bad usage
or no real library.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from attr import Factory, define

from classad.evaluate import EvalContext
from classad.evaluation.functions import FAMILIES
from classad.strategies.texts import Case
from fuzz.known import known
from fuzz.language import ours_of
from fuzz.peer import NAME, ZONE, Crashed, Peer


@define
class Tally:
    """What has been found so far; ``seconds`` since the start."""

    evaluations: int = 0
    crashes: int = 0
    differences: int = 0
    known: Counter[str] = Factory(Counter)

    def line(self, batch: int, seconds: float) -> str:
        """Progress in one line."""
        rate = self.evaluations / seconds if seconds else 0.0
        covered = ", ".join(f"{number} {count}" for number, count in sorted(self.known.items()))
        return (
            f"batch {batch}: {self.evaluations} evaluations, {rate:.0f} a second, "
            f"{self.crashes} crashes of the real library, {self.differences} differences"
            + (f" ({covered})" if covered else "")
        )


def compare(
    peer: Peer, batch: int, tally: Tally, families: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Run one batch; returns what it found as entries for the file."""
    result = peer.batch(batch, families)
    context = EvalContext(now=time.time(), tz=ZoneInfo(peer.zone))
    tally.evaluations += result["evaluations"]
    tally.crashes += len(result["crashes"])
    entries: list[dict[str, Any]] = [{"crash": place} for place in result["crashes"]]
    for parts in result["suspects"]:
        case = Case(*parts)
        ours = ours_of(case, context)
        try:
            theirs = peer.answer(*case)
        except Crashed:
            entries.append({"crash alone": case})
            continue
        if ours == theirs:
            continue  # an earlier case had spoilt the memory of the real library
        number = known(case, context)
        if number:
            tally.known[number] += 1
            continue
        tally.differences += 1
        entries.append(
            {"difference": case, "ours": ours, "theirs": theirs, "batch": batch, "zone": peer.zone}
        )
    return entries


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the arguments say."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.compare", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="number of the first batch")
    parser.add_argument("--batches", type=int, default=100, help="how many")
    parser.add_argument("--zone", default=ZONE, help="the local zone of both sides")
    parser.add_argument(
        "--more", nargs="*", default=[], choices=FAMILIES, help="families of functions to prefer"
    )
    parser.add_argument("--out", type=Path, default=Path("build/fuzz/compare.jsonl"))
    args = parser.parse_args(arguments)
    if find_spec(NAME) is None:
        print("the real ClassAd library is not installed (htcondor on PyPI)", file=sys.stderr)
        return 2
    args.out.parent.mkdir(parents=True, exist_ok=True)
    peer, tally, begun = Peer(args.zone), Tally(), time.monotonic()
    try:
        with args.out.open("a", encoding="utf-8") as out:
            for batch in range(args.first, args.first + args.batches):
                for entry in compare(peer, batch, tally, args.more):
                    out.write(json.dumps(entry) + "\n")
                out.flush()
                if batch % 5 == 0 or batch == args.first + args.batches - 1:
                    print(tally.line(batch, time.monotonic() - begun), flush=True)
    finally:
        peer.close()
    return 1 if tally.differences else 0


if __name__ == "__main__":
    sys.exit(main())
