"""Adds up, over the cycles of a running pool, what another policy would have done in each of them.

Every cycle is computed twice from the capture before it: with the pool's own configuration, and
with another one read on top of it.  Both begin from the pool as it really is.  What only the other
policy grants is therefore wished for again in the next cycle: such a wish is counted once, and as
the cores for which it stands over time.

Inputs: pairs of ``CycleResult`` and the captures they are from.  Outputs: sums by submitter.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar, Final

from attr import asdict, define, field, frozen

from classad import ClassAd
from negotiator.jobs.readiness import IDLE
from negotiator.jobs.submitters import submitter_of
from negotiator.model.result import CycleResult, Match
from negotiator.whatif.pool import WhatIf
from pieslice.command_line import EXIT_NO, EXIT_OK
from pieslice.data import JsonData, JsonObject
from pieslice.inputs.running import token_of
from pieslice.live.capture import LiveCapture
from pieslice.live.daemons import Bindings
from pieslice.reports.document import Document, shape, view
from pieslice.reports.layout import Block, Line, TextColumn, TextTable, Wrapped, short
from pieslice.reports.output import put, show
from pieslice.reports.result import Result
from pieslice.reports.whatif import WhatIfData, blocks
from pieslice.shadow.keeping import LARGE, Lines, Unwritten, ended_in_order, large_of
from pieslice.shadow.loop import FollowedCycle, Predicted, Shadow, followed_version, predict
from pieslice.shadow.outcome import schedd_of, silent_in
from pieslice.terminal import complain
from policy.versions import Followed as Version

#: What the sums of single cycles do not know.
UNKNOWN: Final = (
    "every cycle begins from the pool as it really is: what the other policy would have changed in"
    " the cycles before, how long its matches would have run, and who would have come after them"
    " is not known"
)
_HOUR: Final = 3600.0
#: Lines that are kept until a full disk has room: more are added up.
_UNWRITTEN: Final = 1000


@define
class Gain:
    """What a submitter was matched with and lost by preemption: ``a`` really, ``b`` otherwise.

    In slot weight and jobs.  A wish that stands for several cycles counts once in ``b``;
    ``wished``: weight times seconds, of what only ``b`` grants, from cycle to cycle.
    """

    matched_a: float = 0.0
    matched_b: float = 0.0
    lost_a: int = 0
    lost_b: int = 0
    wished: float = 0.0

    @property
    def net(self) -> float:
        """How much more weight it would have been matched with."""
        return self.matched_b - self.matched_a

    def add(self, more: Gain) -> None:
        """Add what a cycle brought."""
        for name, amount in asdict(more).items():
            setattr(self, name, getattr(self, name) + amount)


@view("=.gain net")
class UserGain:
    """What a user was matched with and lost, and how much more weight it would have got."""

    gain: Gain


@frozen(eq=False, repr=False)
class Gains(Result):
    """The sums of all cycles that were watched."""

    schema: ClassVar[str] = "pieslice/watch/1"
    pool: str
    config: str
    cycles: int
    differing: int
    users: Mapping[str, Gain]
    #: Cycles before which a daemon did not answer.
    silent: int = 0
    #: The version that the last capture told; None without any.
    followed: Version | None = None
    #: What the configuration changed in the last cycle besides the policy.
    what_if: WhatIfData | None = None

    @property
    def sorted(self) -> dict[str, UserGain]:
        """The users, those that gain or lose most first."""
        gains = ((name, UserGain(gain)) for name, gain in self.users.items())
        return dict(sorted(gains, key=lambda item: (-abs(item[1].gain.net), item[0])))

    @property
    def unknown(self) -> str:
        """What the sums of single cycles do not know."""
        return UNKNOWN

    def summary(self) -> str:
        return f"{self.differing} of {self.cycles} cycles differ with {self.config}"

    def blocks(self) -> Sequence[Block]:
        rows = tuple(
            (
                name,
                f"{gain.net:+.6g}",
                f"{short(gain.matched_a)} -> {short(gain.matched_b)}",
                f"{gain.lost_a} -> {gain.lost_b}",
                short(gain.wished / _HOUR),
            )
            for name, gain in ((name, one.gain) for name, one in self.sorted.items())
        )
        columns = (
            TextColumn("user", name=True),
            TextColumn("net", "weight", right=True),
            TextColumn("matched", "weight", right=True),
            TextColumn("preempted", "jobs", right=True),
            TextColumn("wished", "weight h", right=True),
        )
        head = f"pool {self.pool} with {self.config}: {self.differing} of {self.cycles} cycles"
        found: list[Block] = [Line(f"{head} differ", heading=True), *blocks(self.what_if)]
        found.append(TextTable(columns, rows))
        if self.silent:
            found.append(Line(f"{self.silent} of the cycles with daemons that did not answer"))
        return [*found, Wrapped("note", tuple(UNKNOWN.split()), indent=0)]


shape(Gains, "pool config cycles differing silent users=sorted unknown what_if?")


@frozen
class StandingCounts:
    """What of the other policy has been counted and not been granted.

    ``wishes``: slot weight by schedd and user, ``losses``: jobs by user.
    """

    wishes: Mapping[str, float]
    losses: Mapping[str, float]


@frozen
class WatchedCycle(Document):
    """What a cycle adds to the sums of a watch."""

    schema: ClassVar[str] = "pieslice/watch-cycle/1"
    time: float
    config: str
    matches_a: int
    matches_b: int
    differs: bool
    silent: Sequence[str]
    users: Mapping[str, Gain]
    standing: StandingCounts


@define(eq=False)
class Standing:
    """How much of what only the other policy grants has been counted, by whom it concerns."""

    counted: dict[str, float] = field(factory=dict)

    def new(self, whose: str, really: float, otherwise: float, *, whole: bool) -> float:
        """What of ``otherwise`` has not been counted yet.

        ``whole``: there is no more to be granted, so that what was counted besides has gone.
        """
        before = self.counted.get(whose, 0.0)
        left = (otherwise if whole else max(before, otherwise)) - really
        self.counted[whose] = max(left, 0.0)
        return max(otherwise - before, 0.0)

    def keep(self, whom: Iterable[str]) -> None:
        """Forget what concerns others."""
        known = set(whom)
        self.counted = {who: many for who, many in self.counted.items() if who in known and many}


@define(eq=False)
class WatchCounts:
    """Counts cycles; ``users``: by submitter."""

    cycles: int = 0
    differing: int = 0
    silent: int = 0
    users: dict[str, Gain] = field(factory=dict)

    def add(self, data: JsonData) -> None:
        """Add what ``data`` gave; raises ``KeyError`` and ``TypeError`` for anything else."""
        users = {str(name): Gain(**gain) for name, gain in data["users"].items()}
        cycles, differing, silent = (int(data[name]) for name in ("cycles", "differing", "silent"))
        self.cycles += cycles
        self.differing += differing
        self.silent += silent
        for name, gain in users.items():
            self.users.setdefault(name, Gain()).add(gain)

    def data(self) -> JsonObject:
        """The counts for a line of JSON."""
        return asdict(self)


@define(eq=False)
class Sums:
    """The cycles under both policies, summed up, and the file that has them, if there is one."""

    path: Path | None = None
    config: str = ""
    large: int = LARGE
    say: Callable[[str], object] = lambda text: None
    tally: WatchCounts = field(factory=WatchCounts)
    _written: WatchCounts = field(factory=WatchCounts)
    #: Lines that could not be written.
    _unwritten: list[JsonData] = field(factory=list)
    _wishes: Standing = field(factory=Standing)
    _losses: Standing = field(factory=Standing)
    #: When the last cycle began, and by user what in it only the other policy granted.
    _last: tuple[float, dict[str, float]] | None = None
    _lines: Lines | None = None

    def __attrs_post_init__(self) -> None:
        if self.path is not None:
            self._lines = Lines(self.path, self.large, self.say)
        for line in [] if self._lines is None else self._lines.read():
            try:
                totals = _counts(line)
                if line["config"] != self.config:
                    continue  # sums of other policies are other sums
                standing = [dict(line["standing"][name]) for name in ("wishes", "losses")]
                for tally in (self.tally, self._written):
                    tally.add(totals)
                self._wishes, self._losses = map(Standing, standing)
            except (ValueError, KeyError, TypeError, AttributeError):
                continue  # a line that this version did not write

    def add(
        self, real: CycleResult, other: CycleResult, capture: LiveCapture, began: float
    ) -> bool:
        """Add a cycle under both policies; whether they differ."""
        gains = self._gains(real, other, capture)
        if self._last is not None:
            time, before = self._last
            for user, weight in before.items():
                seconds = max(began - time, 0.0)
                gains.setdefault(user, Gain()).wished += weight * seconds
        extra: dict[str, float] = {}
        for found, sign in ((real, -1), (other, 1)):
            for match in found.matches:
                extra[match.submitter] = extra.get(match.submitter, 0.0) + sign * match.cost
        self._last = began, {user: weight for user, weight in extra.items() if weight > 0}
        decided = [
            [(match.submitter, match.job, match.slot, match.preempted) for match in found.matches]
            for found in (real, other)
        ]
        line: JsonData = WatchedCycle(
            began,
            self.config,
            len(decided[0]),
            len(decided[1]),
            decided[0] != decided[1],
            silent_in(capture),
            dict(sorted(gains.items())),
            StandingCounts(self._wishes.counted, self._losses.counted),
        ).to_dict()
        self.tally.add(_counts(line))
        if self._lines is not None:
            self._unwritten.append(line)
            if len(self._unwritten) > _UNWRITTEN:
                self._unwritten[:2] = [_merged(*self._unwritten[:2])]
        return decided[0] != decided[1]

    def write(self) -> None:
        """Write what has not been written; raises ``OSError``."""
        while self._lines is not None and self._unwritten:
            line = self._unwritten[0]
            before = {"totals": self._written.data(), "config": self.config}
            self._lines.append(line, {**before, "standing": line["standing"]})
            self._written.add(_counts(line))
            del self._unwritten[0]

    def _gains(
        self, real: CycleResult, other: CycleResult, capture: LiveCapture
    ) -> dict[str, Gain]:
        idle = Counter(
            f"{schedd_of(ad)}#{submitter_of(ad)}"
            for ad in capture.ads("jobs")
            if ad.get_number("JobStatus") == IDLE
        )
        self._wishes.keep(idle)
        self._losses.keep(user for ad in capture.ads("slots") for user in _holders(ad))
        gains: dict[str, Gain] = {}
        matches = [(real.matches, other.matches)[side] for side in (0, 1)]
        for whose in {_whose(match) for found in matches for match in found}:
            own = [[match.cost for match in found if _whose(match) == whose] for found in matches]
            whole = len(own[1]) >= idle[whose]
            new = self._wishes.new(whose, sum(own[0]), sum(own[1]), whole=whole)
            gain = gains.setdefault(whose.partition("#")[2], Gain())
            gain.add(Gain(matched_a=sum(own[0]), matched_b=new))
        lost = [Counter(match.preempted for match in found) for found in matches]
        for user in {user for found in lost for user in found if user is not None}:
            really, otherwise = (found[user] for found in lost)
            new = self._losses.new(user, really, otherwise, whole=False)
            gains.setdefault(user, Gain()).add(Gain(lost_a=really, lost_b=int(new)))
        return gains


def _counts(line: JsonData) -> JsonData:
    """What a line adds to a tally: a cycle, or the totals of several."""
    return line.get("totals") or {
        "cycles": 1,
        "differing": bool(line["differs"]),
        "silent": bool(line["silent"]),
        "users": line["users"],
    }


def _merged(line: JsonData, later: JsonData) -> JsonData:
    """Two lines in one, with their totals."""
    both = WatchCounts()
    for one in (line, later):
        both.add(_counts(one))
    return {"totals": both.data(), "config": later["config"], "standing": later["standing"]}


def _whose(match: Match) -> str:
    return f"{match.schedd}#{match.submitter}"


def _holders(ad: ClassAd) -> Iterable[str]:
    for name in ("RemoteUser", "AccountingGroup"):
        found = ad.get_string(name)
        if found is not None:
            yield found
    users = ad.evaluate_attr("ChildRemoteUser")
    yield from (user for user in users if isinstance(user, str)) if isinstance(users, list) else ()


def watch(args: argparse.Namespace) -> int:
    """Run ``pieslice diff POOL --config F --watch``; ends with the sums."""
    pool, config = args.pools[0], args.config[0]
    sums = Sums(args.log, str(config), large_of(args.max_size), complain)
    unwritten = Unwritten(complain)
    count, before, version = 0, sums.tally.differing, None
    other = _Other(config, args.where or "")
    with ended_in_order(), Bindings(pool, token_of(args)) as daemons:
        try:
            for followed in Shadow(daemons, complain).cycles():
                line = _compared(sums, followed, other)
                version = followed_version(followed.after)
                count += 1
                if args.log is not None:
                    unwritten.try_to(str(args.log), sums.write)
                if args.format == "text" and args.output is None:
                    unwritten.try_to("standard output", partial(show, line, args, sys.stdout))
                if count == args.cycles:
                    break
        except KeyboardInterrupt:
            print(file=sys.stderr)
    tally = sums.tally
    answer = Gains(
        pool, str(config), tally.cycles, tally.differing, tally.users, tally.silent, version,
        WhatIfData.of(other.what_if),
    )  # fmt: skip
    put(answer, args, sys.stdout)
    return EXIT_NO if tally.differing > before else EXIT_OK


@define(eq=False)
class _Other:
    """The other configuration, for which machines it is, and what it changed last."""

    config: Path
    where: str
    what_if: WhatIf | None = None

    def note(self, what_if: WhatIf | None) -> None:
        """Keep what it changes."""
        self.what_if = what_if

    def predict(self, before: Predicted) -> CycleResult:
        """The cycle under it."""
        where = self.where
        return predict(before.capture, self.config, at=before.at, where=where, told=self.note)


def _compared(sums: Sums, followed: FollowedCycle, config: _Other) -> list[Block]:
    """Add a cycle, and tell of it."""
    real, capture = followed.before.result, followed.before.capture
    other = config.predict(followed.before)
    differs = sums.add(real, other, capture, float(followed.outcome.time))
    verdict = "differs" if differs else "same"
    counts = f"cycle {sums.tally.cycles}: {verdict}, {len(real.matches)} matches"
    silent = silent_in(capture)
    return [Line(counts), *([Line(f"  no answer: {'; '.join(silent)}")] if silent else ())]
