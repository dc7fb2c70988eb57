"""``python -m fuzz``: random cases against properties that must always hold.

Exit codes: 0 nothing found, 1 a property does not hold, 2 bad usage.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from fuzz.runner import PROFILES, Outcome, record, replay, run
from fuzz.target import Target, Unavailable
from fuzz.targets import TARGETS

FOUND = Path("build/fuzz")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the arguments say."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["daemons"]:  # no cases of Hypothesis: it has arguments of its own
        from fuzz.daemons.command import main as daemons

        return daemons(words[1:])
    if words[:1] == ["findings"]:  # nor here: clean files and planted faults
        from fuzz.findings.command import main as findings

        return findings(words[1:])
    if words[:1] == ["commands"]:  # nor here: damaged files
        from fuzz.commands.command import main as commands

        return commands(words[1:])
    args = _parser().parse_args(words)
    seed = args.seed
    if seed is None:  # the cases of `ci` are the same whatever the seed
        seed = 0 if args.profile == "ci" else int(time.time())
    failed = 0
    for target in TARGETS.values() if args.target == "all" else [TARGETS[args.target]]:
        try:
            outcome = _outcome(target, args, seed)
        except Unavailable as missing:
            print(f"{target.name}: not run here: {missing}")
            continue
        print(outcome.line, flush=True)
        if outcome.failure is not None:
            failed += 1
            _tell(outcome, args.replay or record(outcome, args.found))
    return 1 if failed else 0


def _outcome(target: Target, args: argparse.Namespace, seed: int) -> Outcome:
    if args.replay is not None:
        return replay(target, args.replay)
    return run(target, seconds=args.seconds, seed=seed, profile=args.profile, shrink=not args.raw)


def _tell(outcome: Outcome, path: Path) -> None:
    assert outcome.failure is not None
    case, problem = outcome.failure
    print(f"  smallest case: {case}\n  {problem}")
    print(f"  again: python -m fuzz {outcome.target.name} --replay {path}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m fuzz",
        description=__doc__.splitlines()[0],
        epilog="`python -m fuzz daemons --help`: comparison with the real negotiator;"
        " `python -m fuzz findings --help`: what `pieslice check` finds and misses",
    )
    parser.add_argument("target", nargs="?", default="all", choices=["all", *TARGETS])
    parser.add_argument("--seconds", type=float, default=60.0, help="time for each target")
    parser.add_argument("--seed", type=int, help="where to begin (default: the clock)")
    parser.add_argument(
        "--profile",
        choices=PROFILES,
        default="dev",
        help="ci: a few cases, the same ones every time; deep: many between two seeds",
    )
    parser.add_argument(
        "--raw", action="store_true", help="show a failing case as it is found, not made smaller"
    )
    parser.add_argument("--replay", type=Path, metavar="FILE", help="the cases of a file once more")
    parser.add_argument(
        "--found", type=Path, default=FOUND, metavar="DIR", help="where failures are written"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
