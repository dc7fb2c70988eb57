"""Measures how long reading a configuration takes, beside HTCondor's own reader in the same run.

Inputs: a root file (default: the captured campus pool).  Outputs: milliseconds on standard output,
best of several readings: the first reading after import (with the built-in tables), a later one,
the negotiator's model from it, all findings, and where the package ``htcondor2`` is installed its
reader of the same file.  The numbers depend on the machine, so none of them is a verdict.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

from policy.config import Config
from policy.io import read_config
from policy.lint.findings import lint
from policy.load import load_policy

ROUNDS = 7
CAMPUS = Path(__file__).parents[1] / "examples" / "campus" / "condor_config"


def milliseconds(action: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The shortest of several runs."""
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - begin)
    return best * 1000


def peer(path: Path) -> float | None:
    """The same file read by htcondor2, None where that is not installed."""
    os.environ["CONDOR_CONFIG"] = str(path)
    try:
        import htcondor2
    except ImportError:
        return None
    return milliseconds(htcondor2.reload_config)


def main() -> None:
    """Print one line per kind of reading."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", nargs="?", type=Path, default=CAMPUS)
    path: Path = parser.parse_args().path.resolve()

    def read() -> Config:
        return read_config(str(path))

    first = milliseconds(read, rounds=1)
    later = milliseconds(read)
    config = read()
    print(f"first reading after import  {first:8.2f} ms")
    print(f"later readings              {later:8.2f} ms")
    print(f"model of the negotiator     {milliseconds(lambda: load_policy(config)):8.2f} ms")
    print(f"all findings                {milliseconds(lambda: lint(config)):8.2f} ms")
    theirs = peer(path)
    if theirs is None:
        print("htcondor2                   not installed")
    else:
        print(f"htcondor2.reload_config     {theirs:8.2f} ms  ({later / theirs:.2f} times as long)")


if __name__ == "__main__":
    main()
