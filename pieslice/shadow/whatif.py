"""Adds up, over the cycles of a running pool, what another policy would have done in each of them.

Every cycle is computed twice from the capture before it: with the pool's own configuration, and
with another one read on top of it.  Both begin from the pool as it really is, so what the other
policy would have changed in the cycle before does not count.

Inputs: pairs of ``CycleResult``.  Outputs: sums by submitter.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import ClassVar

from attr import asdict, define, field, frozen

from negotiator.model.result import CycleResult
from pieslice.command_line import EXIT_NO, EXIT_OK
from pieslice.inputs.running import token_of
from pieslice.live.daemons import Bindings
from pieslice.reports.layout import Block, Column, Line, Table, short
from pieslice.reports.output import put, show
from pieslice.reports.result import Result
from pieslice.shadow.loop import Shadow, predict
from pieslice.terminal import complain


@define
class Gain:
    """What a submitter was matched with and lost by preemption: ``a`` really, ``b`` otherwise."""

    matched_a: float = 0.0
    matched_b: float = 0.0
    lost_a: int = 0
    lost_b: int = 0

    @property
    def net(self) -> float:
        """How much more weight it would have been matched with."""
        return self.matched_b - self.matched_a


@frozen(eq=False, repr=False)
class Gains(Result):
    """The sums of all cycles that were watched."""

    schema: ClassVar[str] = "pieslice/watch/1"
    pool: str
    config: str
    cycles: int
    differing: int
    users: Mapping[str, Gain]

    def summary(self) -> str:
        return f"{self.differing} of {self.cycles} cycles differ with {self.config}"

    def data(self) -> Mapping[str, object]:
        users = {name: {**asdict(gain), "net": gain.net} for name, gain in self._sorted()}
        return {
            "pool": self.pool,
            "config": self.config,
            "cycles": self.cycles,
            "differing": self.differing,
            "users": users,
        }

    def blocks(self) -> Sequence[Block]:
        rows = tuple(
            (
                name,
                f"{gain.net:+.6g}",
                f"{short(gain.matched_a)} -> {short(gain.matched_b)}",
                f"{gain.lost_a} -> {gain.lost_b}",
            )
            for name, gain in self._sorted()
        )
        columns = (
            Column("user", name=True),
            Column("net", "weight", right=True),
            Column("matched", "weight", right=True),
            Column("preempted", "jobs", right=True),
        )
        head = f"pool {self.pool} with {self.config}: {self.differing} of {self.cycles} cycles"
        return [Line(f"{head} differ", heading=True), Table(columns, rows)]

    def _sorted(self) -> list[tuple[str, Gain]]:
        return sorted(self.users.items(), key=lambda item: (-abs(item[1].net), item[0]))


@define(eq=False)
class Sums:
    """Counts cycles; ``users``: by submitter."""

    cycles: int = 0
    differing: int = 0
    users: dict[str, Gain] = field(factory=dict)

    def add(self, real: CycleResult, other: CycleResult) -> bool:
        """Add a cycle under both policies; whether they differ."""
        pairs = [
            [(match.submitter, match.job, match.slot, match.preempted) for match in result.matches]
            for result in (real, other)
        ]
        for result, matched, lost in (
            (real, "matched_a", "lost_a"),
            (other, "matched_b", "lost_b"),
        ):
            for match in result.matches:
                _more(self._of(match.submitter), matched, match.cost)
                if match.preempted is not None:
                    _more(self._of(match.preempted), lost, 1)
        self.cycles += 1
        self.differing += pairs[0] != pairs[1]
        return pairs[0] != pairs[1]

    def _of(self, user: str) -> Gain:
        return self.users.setdefault(user, Gain())


def _more(gain: Gain, name: str, amount: float) -> None:
    setattr(gain, name, getattr(gain, name) + amount)


def watch(args: argparse.Namespace) -> int:
    """Run ``pieslice diff POOL --config F --watch``; ends with the sums."""
    sums = Sums()
    pool, config = args.pools[0], args.config[0]

    def say(text: str) -> None:
        complain(text)

    with Bindings(pool, token_of(args)) as daemons:
        try:
            for followed in Shadow(daemons, say).cycles():
                real, capture = followed.before.result, followed.before.capture
                differs = sums.add(real, predict(capture, config))
                if args.format == "text" and args.output is None:
                    verdict = "differs" if differs else "same"
                    counts = f"cycle {sums.cycles}: {verdict}, {len(real.matches)} matches"
                    show([Line(counts)], args, sys.stdout)
                if sums.cycles == args.cycles:
                    break
        except KeyboardInterrupt:
            print(file=sys.stderr)
    put(Gains(pool, str(config), sums.cycles, sums.differing, sums.users), args, sys.stdout)
    return EXIT_NO if sums.differing else EXIT_OK
