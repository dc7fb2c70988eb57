"""Runs the cases of a target until the time is over, and writes what fails.

Decides how Hypothesis is set up for a profile, when to stop, what a failure leaves behind.  ``ci``
tries the same cases every time, ``dev`` and ``deep`` go on with new ones from the seed; nothing is
remembered between runs but the file of failures.

Inputs: a target, seconds, a seed, a profile.  Outputs: ``Outcome``.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from attr import define, field

from fuzz.target import Target

#: Profile -> cases between two seeds; None: the target's own number, once.
PROFILES: Final[dict[str, int | None]] = {"ci": None, "dev": 200, "deep": 2000}
#: Seconds between two lines of progress on a terminal.
_TICK: Final = 2.0


@define
class Outcome:
    """What a run of one target found; ``failure``: the smallest case, and what is wrong."""

    target: Target
    seed: int
    cases: int = 0
    seconds: float = 0.0
    failure: tuple[Any, str] | None = None

    @property
    def line(self) -> str:
        """The run in one line."""
        rate = self.cases / self.seconds if self.seconds else 0.0
        told = "nothing found" if self.failure is None else "FAILED"
        return (
            f"{self.target.name}: {self.cases} cases, {rate:.0f} a second, seed {self.seed}: {told}"
        )


class _Over(BaseException):
    """The time is over.  No Exception: Hypothesis takes those for failures of the case.

    Without it the rest of the cases would be drawn for nothing, which can take minutes.
    """


@define
class _Run:
    """One run: the clock, and the last case that failed, which is the smallest at the end."""

    outcome: Outcome
    seconds: float
    end: float = 0.0
    last: tuple[Any, str] | None = None
    told: float = field(factory=time.monotonic)

    def one(self, case: Any) -> None:
        """Check one case; raises ``_Over`` once the time is over."""
        now = time.monotonic()
        if not self.end:  # the first case: what is imported until then does not count
            self.end = now + self.seconds
        if now > self.end and self.last is None:
            raise _Over
        if now - self.told > _TICK and sys.stderr.isatty():
            self.told = now
            print(
                f"\r{self.outcome.target.name}: {self.outcome.cases} cases", end="", file=sys.stderr
            )
        self.outcome.cases += 1
        try:
            self.outcome.target.check(case)
        except Exception as problem:
            if type(problem).__name__ != "Unavailable":
                self.last = (case, f"{type(problem).__name__}: {problem}")
            raise


def run(target: Target, *, seconds: float, seed: int, profile: str, shrink: bool = True) -> Outcome:
    """Cases until the time is over or one fails; raises ``Unavailable``.

    ``shrink``: whether a case that fails is made as small as possible.
    """
    outcome = Outcome(target, seed)
    begun = time.monotonic()
    chunk = PROFILES[profile]
    state = _Run(outcome, seconds)
    number = 0
    while outcome.failure is None:
        begin = None if chunk is None else seed + number
        _chunk(target, state, chunk or target.examples, begin, shrink=shrink)
        outcome.failure = state.last
        number += 1
        if chunk is None or time.monotonic() > state.end:
            break
    outcome.seconds = time.monotonic() - begun
    return outcome


def _chunk(target: Target, state: _Run, examples: int, seed: int | None, *, shrink: bool) -> None:
    import hypothesis

    from fuzz.target import Unavailable

    settings = hypothesis.settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=seed is None,
        report_multiple_bugs=False,
        phases=[phase for phase in hypothesis.Phase if shrink or phase.name == "generate"],
        suppress_health_check=list(hypothesis.HealthCheck),
        verbosity=hypothesis.Verbosity.quiet,
    )

    def check(case: Any) -> None:
        state.one(case)

    test: Callable[[], None] = settings(
        hypothesis.given(target.cases())(check)  # type: ignore[no-untyped-call]
    )
    if seed is not None:
        test = hypothesis.seed(seed)(test)
    try:
        test()
    except _Over:
        pass
    except Unavailable:
        raise
    except Exception:
        if state.last is None:
            raise


def replay(target: Target, path: Path) -> Outcome:
    """The cases of a file of failures once more."""
    outcome = Outcome(target, 0)
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if entry["target"] != target.name:
            continue
        outcome.cases += 1
        try:
            target.check(entry["case"])
        except Exception as problem:
            outcome.failure = (entry["case"], f"{type(problem).__name__}: {problem}")
            break
    return outcome


def record(outcome: Outcome, folder: Path) -> Path:
    """Write the smallest failing case as a line that ``--replay`` and tests/vectors can use."""
    assert outcome.failure is not None
    case, problem = outcome.failure
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{outcome.target.name}.jsonl"
    entry = {"target": outcome.target.name, "case": case, "problem": problem}
    try:
        entry["vector"] = outcome.target.vector(case)
    except Exception as trouble:  # a case that breaks the reader still has to be written down
        entry["vector"] = {"trouble": str(trouble)}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
    return path
