"""Runs ``pieslice watch``: follows a pool or plays a history, and tells what the rules find.

It also plays the cycles of a recorded history, for trying rules on what was.

Inputs: parsed arguments.  Outputs: alerts on standard output, in files, to commands and addresses;
what is waited for on standard error.  Raises ``InputError`` for a file of rules with errors,
``OSError``, ``HistoryError`` and ``DaemonError``.  What cannot be written or sent later on is said,
and tried again with the next alert.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from attr import define, field

from classad.errors import LimitError
from classad.language.bounds import checkpoint
from negotiator.io import InputError
from negotiator.model.result import CycleResult
from pieslice.alerts.circumstances import circumstances, pool_of, silent_daemons
from pieslice.alerts.course import AlertChange, AlertCourse
from pieslice.alerts.kinds import Rule, Target
from pieslice.alerts.looking import Circumstances, look
from pieslice.alerts.reading import read_rules
from pieslice.alerts.sighting import Sighting
from pieslice.alerts.telling import AlertsAnswer, Health, deliveries, documents, prometheus, shown
from pieslice.command_line import EXIT_NO, EXIT_OK
from pieslice.data import Record, is_number
from pieslice.history.following import add_captures
from pieslice.inputs.moments import shown_time
from pieslice.inputs.running import may_be_address
from pieslice.live.capture import LiveCapture, of_files
from pieslice.live.daemons import Bindings
from pieslice.live.service import service
from pieslice.recording.store import History, HistoryError, Moment
from pieslice.reports.output import deliver, put, show
from pieslice.shadow.cli import said
from pieslice.shadow.command import Saying
from pieslice.shadow.history import keeping
from pieslice.shadow.keeping import Lines, Log, Unwritten, ended_in_order, large_of, replace
from pieslice.shadow.loop import INTERVAL, FollowedCycle, Shadow
from pieslice.shadow.outcome import compare, silent_in
from pieslice.shadow.report import Score
from pieslice.shadow.report import prometheus as score_metrics
from pieslice.terminal import complain

#: The files of a capture.
_Files = Mapping[str, str]


def sightings(history: History, say: Callable[[str], object]) -> Iterator[Sighting]:
    """The cycles of a history; ``say`` is told what cannot be played."""
    before: tuple[Moment, _Files] | None = None
    for moment, files in history.all_texts():
        if before is not None:
            yield from _sighting(*before, files, say)
        # Of the captures between two cycles the last one stands before the second.
        before = None if moment.cycle is None else (moment, files)
    if before is not None:
        yield from _sighting(*before, {}, say)


def _sighting(
    moment: Moment, files: _Files, later: _Files, say: Callable[[str], object]
) -> Iterator[Sighting]:
    """The cycle after a capture; none, with a line, if it cannot be played."""
    capture, after = of_files(files), of_files(later)
    manifest: Record = {} if capture is None else capture.manifest
    cycle = {} if after is None else cycle_of(after.manifest)
    told = is_next(cycle_of(manifest), cycle)

    def tell(predicted: CycleResult) -> Circumstances:
        if capture is None or after is None or not told:
            # The time that the history has: also of cycles that no manifest tells of.
            return circumstances(files, manifest, {"time": moment.cycle or moment.time}, None)
        return circumstances(files, manifest, cycle, compare(capture, after, predicted))

    try:
        yield look(pool_of(files), tell)
    except (InputError, LimitError) as problem:
        say(f"cycle after {shown_time(moment.time)} left out: {problem}")


def cycle_of(manifest: Record) -> Record:
    """The times of the last cycle that a manifest tells; of a stranger's file only numbers."""
    cycle = manifest.get("cycle")
    if not isinstance(cycle, Mapping):
        return {}
    return {name: value for name, value in cycle.items() if is_number(value)}


def is_next(last: Record, cycle: Record) -> bool:
    """Whether a cycle is the very next one after another: no third one fits between them."""
    if "time" not in last or "time" not in cycle:
        return False
    step, interval = cycle["time"] - last["time"], last.get("interval", INTERVAL)
    return bool(0 < step < 2 * interval)


#: Seconds between two looks at whether cycles have stopped to come.
_LOOK: Final = 15.0
#: Options that say nothing about a recorded pool.
_RUNNING: Final = ("state", "log", "prometheus", "record", "keep", "max_size", "token", "ask")
#: Alerts that wait for a receiver; of more the earliest are dropped.
_MOST_UNSENT: Final = 1000


def rules_of(path: Path) -> tuple[Rule, ...]:
    """The rules of a file; raises ``InputError`` and ``OSError``."""
    return read_rules(path.read_bytes().decode("utf-8", "replace"), str(path))


def run(args: argparse.Namespace) -> int:
    """Watch what the arguments name; 1 if there was anything to tell."""
    rules = rules_of(args.rules)
    if args.pool is not None and Path(args.pool).exists():
        return _play(args, rules, Path(args.pool))
    if args.pool is not None and not may_be_address(args.pool):
        raise HistoryError(f"{args.pool}: no such history, and no address of a collector")
    return _follow(args, rules)


# --- what was -------------------------------------------------------------------------------------


def _play(args: argparse.Namespace, rules: Sequence[Rule], path: Path) -> int:
    """Tell what would have been told of a recorded pool; nothing is sent or kept."""
    unused = [name for name in _RUNNING if getattr(args, name)]
    if unused:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in unused)
        complain(f"{path}: is played: {options} is of running pools, and not used")
    course, pool = AlertCourse(rules), path.name
    with _history(path) as history:
        for sighting in sightings(history, complain):
            for clock in course.overdue(sighting.time):
                _tell(course.rest(clock, "none is recorded"), pool, args)
            _tell(course.add(sighting, sighting.time), pool, args)
            if course.cycles == args.cycles:
                break
    if not course.cycles:
        raise HistoryError(f"{path}: no cycle is recorded in it, so there is nothing to judge")
    return _sum(AlertsAnswer.of(pool, course), args)


@contextmanager
def _history(path: Path) -> Iterator[History]:
    """A history; of a folder with folders of captures one that is made of these."""
    if path.is_file():
        with History(path) as history:
            yield history
        return
    folders = sorted(item for item in path.iterdir() if (item / "slots.ads").is_file())
    if not folders:
        raise HistoryError(f"{path}: neither a history nor a folder with folders of captures")
    with tempfile.TemporaryDirectory(prefix="pieslice-") as place:
        made = Path(place, path.name or "history")
        for _ in add_captures(made, folders, None, None, None):
            pass
        with History(made) as history:
            yield history


# --- what is --------------------------------------------------------------------------------------


@define(eq=False)
class _FollowedPool:
    """A pool that is followed: its alerts, and where they go."""

    args: argparse.Namespace
    course: AlertCourse
    unwritten: Unwritten
    pool: str = ""
    last: Sighting | None = None
    log: Log = field(factory=Log)
    #: What is waited for, when the pool was captured last, and who did not answer then.
    trouble: str = ""
    captured: float | None = None
    silent: tuple[str, ...] = ()
    _troubled: bool = False
    _looked: float = 0.0
    _unsent: dict[str, list[AlertChange]] = field(factory=dict)

    def cycle(self, followed: FollowedCycle) -> None:
        """Judge a cycle, and tell what begins and ends by it."""
        before, outcome = followed.before.capture, followed.outcome
        files = dict(before.files())
        cycle = followed.after.manifest["cycle"]
        known = circumstances(files, before.manifest, cycle, outcome)
        self.last = look(pool_of(files), lambda result: known)
        self.log.add(outcome)
        self.trouble = ""
        self._changed(self.course.add(self.last, time.time()))

    def saw(self, capture: LiveCapture) -> None:
        """Note a capture."""
        self.captured, self.silent = capture.ended, silent_in(capture)

    def waits(self, text: str) -> None:
        """Note what is waited for."""
        self.trouble, self._troubled = text.removeprefix("waiting: "), True

    def look(self) -> None:
        """See from time to time whether cycles have stopped to come."""
        if not self._troubled:
            self.trouble = ""  # it answers
        self._troubled = False
        now = time.monotonic()
        if now - self._looked >= _LOOK:
            self._looked = now
            trouble = "; ".join(filter(None, dict.fromkeys((self.trouble, *self.silent))))
            self._changed(self.course.rest(time.time(), trouble))

    def _changed(self, changes: list[AlertChange]) -> None:
        args, large = self.args, large_of(self.args.max_size)
        self.unwritten.try_to("standard output", partial(_tell, changes, self.pool, args))
        for line in documents(changes, self.pool) if args.log is not None else ():
            self.unwritten.try_to(str(args.log), partial(Lines(args.log, large).append, line, {}))
        self._send(changes)
        if args.state is not None:
            text = json.dumps(self.course.data())
            self.unwritten.try_to(str(args.state), partial(replace, args.state, text))
        if args.prometheus is not None:
            self.unwritten.try_to(
                str(args.prometheus), partial(replace, args.prometheus, self._metrics())
            )

    def _send(self, changes: Sequence[AlertChange]) -> None:
        """Send alerts, and those that could not be sent before."""
        for target, some in _by_target(changes, self.course.rules).items():
            for name, call in deliveries(target):
                waiting = [*self._unsent.pop(name, ()), *some][-_MOST_UNSENT:]
                if not self.unwritten.try_to(name, partial(call, waiting, self.pool)):
                    self._unsent[name] = waiting

    def _metrics(self) -> str:
        missing = len(silent_daemons(self.silent))
        health = Health(not self.trouble, missing, self.captured, time.time())
        score = Score(self.pool, self.log.totals, tuple(self.log.recent))
        return prometheus(self.pool, self.course, self.last, health) + score_metrics(score)


def _by_target(
    changes: Sequence[AlertChange], rules: Sequence[Rule]
) -> dict[Target, list[AlertChange]]:
    """Changes by where they go; those of no target that have none are there, too."""
    targets = {rule.name: rule.target for rule in rules}
    parts: dict[Target, list[AlertChange]] = {target: [] for target in targets.values()}
    for change in changes:
        parts.setdefault(targets.get(change.alert.rule, Target()), []).append(change)
    return parts


def _follow(args: argparse.Namespace, rules: Sequence[Rule]) -> int:
    """Follow a pool until there have been enough cycles, or until Ctrl-C or SIGTERM."""
    watch = _FollowedPool(args, _resumed(args.state, rules), Unwritten(complain))
    manager = service()
    saying = Saying("", manager)

    def say(text: str) -> None:
        saying.say(text)
        watch.waits(text)

    with (
        ended_in_order(),
        keeping(args.record, args.keep, complain, args.max_size) as keep,
        Bindings(args.pool, args.token, args.timeout) as daemons,
    ):
        watch.pool = str(daemons.hello().get("pool", args.pool))
        shadow = Shadow(daemons, say, args.ask, args.settle, captured=watch.saw, tick=watch.look)
        shadow.alive = partial(manager.alive, watch.pool)
        began = f"pool {watch.pool}: {len(rules)} rules of {args.rules}"
        complain(began)
        manager.ready([watch.pool], began)
        try:
            for followed in islice(shadow.cycles(), args.cycles):
                saying.last = ""
                keep(followed.before.capture)
                keep(followed.after)
                _judged(watch, followed)
        except KeyboardInterrupt:
            print(file=sys.stderr)
        finally:
            manager.stopping()
    return _sum(AlertsAnswer.of(watch.pool, watch.course), args)


def _judged(watch: _FollowedPool, followed: FollowedCycle) -> None:
    """Judge a cycle; what keeps from it, a full disk for example, ends nothing and is said."""
    try:
        watch.cycle(followed)
    except BrokenPipeError:
        raise
    except (InputError, LimitError, OSError) as problem:
        checkpoint("watching a pool")
        complain(f"a cycle is not judged: {said(problem)}")


def _resumed(path: Path | None, rules: Sequence[Rule]) -> AlertCourse:
    """The course that goes on where the file of its state ends; raises ``OSError``."""
    if path is None or not path.exists():
        return AlertCourse(rules)
    try:
        return AlertCourse.of(rules, json.loads(path.read_bytes()))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        # Written by another version or another program; it is not thrown away unseen.
        kept = path.with_name(f"{path.name}.old")
        replace(kept, path.read_bytes().decode("utf-8", "replace"))
        complain(f"{path}: not the state of a watch; begun anew, and what was there is {kept}")
        return AlertCourse(rules)


# --- both -----------------------------------------------------------------------------------------


def _tell(changes: Sequence[AlertChange], pool: str, args: argparse.Namespace) -> None:
    """Print alerts; the file of ``-o`` gets the sum alone."""
    if args.output is not None or not changes:
        return
    if args.format == "json":
        for line in documents(changes, pool):
            print(json.dumps(line), flush=True)
        return
    show(shown(changes), args, sys.stdout)


def _sum(alerts: AlertsAnswer, args: argparse.Namespace) -> int:
    if args.format == "json":
        deliver(f"{json.dumps(alerts.to_dict())}\n", args, sys.stdout)
    else:
        put(alerts, args, sys.stdout)
    return EXIT_NO if alerts.any else EXIT_OK
