"""The loop: cases of one or all targets until the time is over.

Exit codes: 0 nothing found, 1 a property does not hold, 2 bad usage.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence

from fuzz.targets import TARGETS, Unavailable


def run_target(name: str, *, seconds: float, rng: random.Random) -> bool:
    """Cases until the time is over; whether all of them passed."""
    target = TARGETS[name]
    cases = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        case = rng.randrange(2**32)
        if not _passes(name, target, case):
            return False
        cases += 1
    print(f"{name}: {cases} cases, nothing found")
    return True


def _passes(name: str, target: Callable[[random.Random], None], case: int) -> bool:
    try:
        target(random.Random(case))
    except Unavailable:
        raise
    except Exception as failure:
        print(f"{name}: {type(failure).__name__}: {failure}")
        print(f"again: python -m fuzz {name} --case {case}")
        return False
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("target", nargs="?", default="all", choices=["all", *TARGETS])
    parser.add_argument("--seconds", type=float, default=60.0, help="time for each target")
    parser.add_argument("--seed", type=int, help="start of the case numbers (default: random)")
    parser.add_argument("--case", type=int, help="one case alone")
    args = parser.parse_args(arguments)
    rng = random.Random(args.seed)
    passed = True
    for name in TARGETS if args.target == "all" else [args.target]:
        try:
            if args.case is not None:
                passed &= _passes(name, TARGETS[name], args.case)
            else:
                passed &= run_target(name, seconds=args.seconds, rng=rng)
        except Unavailable as missing:
            print(f"{name}: not run here: {missing}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
