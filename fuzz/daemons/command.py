"""Reads the command line of ``python -m fuzz daemons`` and tells what was found.

Exit codes: 0 nothing found or not run here, 1 something differs, 2 bad usage.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from fuzz.daemons.campaign import KINDS, Campaign, Tally
from fuzz.daemons.recordings import Recordings
from fuzz.daemons.sites.mixing import PARTS
from fuzz.daemons.system import System, open_system, version_of
from fuzz.target import Unavailable

_FOUND: Final = Path("build/fuzz")
#: Seeds below belong to recorded scenarios.
_FIRST_SEED: Final = 30000


def main(arguments: Sequence[str]) -> int:
    """Run what the arguments say."""
    args = _parser().parse_args(arguments)
    try:
        system = _system(args.root, args.version)
    except Unavailable as missing:
        print(f"daemons: not run here: {missing}")
        return 0
    tries = 0 if args.raw else args.tries
    tell = partial(print, flush=True)
    campaign = Campaign(
        system, args.port_base, args.found, tries, tell, args.mix, Recordings(args.keep)
    )
    seed = _FIRST_SEED + int(time.time()) % 10**8 if args.seed is None else args.seed
    tally = Tally()
    if args.replay:
        for path in args.replay:
            document = json.loads(path.read_text(encoding="utf-8"))
            campaign.one(document.get("scenario", document), tally)
    else:
        kinds = [args.kind] if args.kind else list(KINDS)
        tally = campaign.run(kinds, seed, seconds=args.seconds, count=args.count)
    print(tally.line + ("" if args.replay else f"; first seed {seed}"))
    return 1 if tally.differing else 0


def _system(folders: Sequence[Path], version: str | None) -> System:
    """The system of the first folder, or of the first that has a version."""
    if version is None or not folders:
        return open_system(folders[0] if folders else None)
    systems = [open_system(folder) for folder in folders]
    there = [version_of(system) for system in systems]
    for system, found in zip(systems, there, strict=True):
        if f"{found}.".startswith(f"{version}."):
            return system
    raise Unavailable(f"--version {version} is in no --root: there is {', '.join(there)}")


def _parts(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if name not in PARTS:
            known = ", ".join(PARTS)
            raise argparse.ArgumentTypeError(f"no part `{name}`; there are {known}")
    return names


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m fuzz daemons",
        description="Scenarios on the real negotiator and on both engines.",
    )
    parser.add_argument(
        "--root",
        type=Path,
        metavar="DIR",
        action="append",
        default=[],
        help="folder with HTCondor (fuzz/daemons/setup.sh DIR); several: see --version",
    )
    parser.add_argument(
        "--version", metavar="VERSION", help="run the folder that has this version, such as 23.9"
    )
    parser.add_argument(
        "--mix",
        type=_parts,
        default=(),
        metavar="PARTS",
        help=f"put these into every scenario: {', '.join(PARTS)}",
    )
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="how long new scenarios are drawn"
    )
    parser.add_argument("--seed", type=int, help="where to begin (default: the clock)")
    parser.add_argument("--count", type=int, metavar="N", help="at most N seeds")
    parser.add_argument("--kind", choices=KINDS, help="scenarios of this kind only")
    parser.add_argument(
        "--port-base", type=int, default=9800, metavar="PORT", help="100 ports of the loopback"
    )
    parser.add_argument(
        "--raw", action="store_true", help="keep a scenario as it is drawn, not made smaller"
    )
    parser.add_argument(
        "--tries", type=int, default=150, metavar="N", help="recordings to make a scenario smaller"
    )
    parser.add_argument(
        "--replay", type=Path, nargs="+", metavar="FILE", help="these scenarios once more"
    )
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep recordings in DIR, and use those kept there"
    )
    parser.add_argument(
        "--found", type=Path, default=_FOUND, metavar="DIR", help="where differences are written"
    )
    return parser
