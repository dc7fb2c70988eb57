"""Puts alerts into words, data and metrics.

What begins and ends in a cycle is also handed, as one list of documents, to a command on its
standard input or to an address of this machine as the body of a POST; no shell, no proxy and no
other machine has a part in it.

Inputs: changes, a course.  Outputs: blocks of text, documents, metrics in the text form of
Prometheus.
"""

from __future__ import annotations

import http.client
import json
import os
import shlex
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from time import gmtime, strftime
from typing import ClassVar, Final, Literal
from urllib.parse import urlsplit

from attr import field, frozen

from pieslice.alerts.course import Alert, AlertChange, AlertCourse
from pieslice.alerts.kinds import Target
from pieslice.alerts.sighting import POOL, Sighting
from pieslice.data import JsonObject
from pieslice.reports.document import INLINE, Document, shape
from pieslice.reports.layout import Block, Line, TextColumn, TextTable, plural
from pieslice.reports.progress import duration
from pieslice.reports.result import Result
from pieslice.shadow.report import metric
from pieslice.terminal import printable

#: Seconds that a command or a receiver has: the next cycle must not be missed for it.
PATIENCE: Final = 10.0


def deliveries(
    target: Target,
) -> Iterator[tuple[str, Callable[[Sequence[AlertChange], str], None]]]:
    """Where alerts of a target go: a name, and what takes them and the name of their pool."""
    if target.run:
        yield f"command `{shlex.join(target.run)}`", partial(run, target.run)
    if target.webhook is not None:
        yield target.webhook, partial(post, target.webhook)


def run(words: Sequence[str], changes: Sequence[AlertChange], pool: str) -> None:
    """Give alerts to a command, if there are any."""
    if not changes:
        return
    lines = [f"{'begin' if one.begins else 'end'} {_line(one)}" for one in changes]
    # No name is as long as an environment may be, but all of them together may.
    text = "\n".join(lines)[:10_000]
    environment: Mapping[str, str] = {**os.environ, "PIESLICE_TEXT": text}
    try:
        done = subprocess.run(
            words,
            input=json.dumps(documents(changes, pool)),
            text=True,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise OSError(f"not done within {PATIENCE:g} s, and ended") from None
    if done.returncode:
        said = printable(done.stderr.strip().split("\n")[-1][:200])
        raise OSError(f"exit status {done.returncode}{f': {said}' if said else ''}")


def _line(change: AlertChange) -> str:
    return printable(f"{change.alert.rule}: {change.alert.text}")


def post(address: str, changes: Sequence[AlertChange], pool: str) -> None:
    """Post alerts to an address of this machine, if there are any."""
    if not changes:
        return
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    body = json.dumps(documents(changes, pool))
    try:
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        status = connection.getresponse().status
    except BrokenPipeError:
        raise OSError("it hangs up") from None
    except http.client.HTTPException as problem:
        raise OSError(f"no answer of HTTP ({type(problem).__name__})") from None
    finally:
        connection.close()
    if not 200 <= status < 300:
        raise OSError(f"status {status}")


#: So many alerts of one rule that begin or end together are shown one by one; of more the first.
MAX_ALIKE: Final = 3


def documents(changes: Iterable[AlertChange], pool: str) -> list[JsonObject]:
    """Alerts that begin and end as documents."""
    return [
        AlertEvent("begin" if one.begins else "end", one.time, pool, one.alert).to_dict()
        for one in changes
    ]


def shown(changes: Sequence[AlertChange]) -> list[Block]:
    """The same as lines; of many of one rule the first, and their number."""
    found: list[Block] = []
    for (begins, rule), group in groupby(changes, lambda one: (one.begins, one.alert.rule)):
        some = list(group)
        few = len(some) <= MAX_ALIKE
        for change in some if few else some[:1]:
            found += _lines(change)
        if not few:
            word = "begin" if begins else "end"
            found.append(Line(f"    the first of {len(some)} alerts of {rule} that {word} now"))
    return found


def _lines(change: AlertChange) -> list[Block]:
    alert = change.alert
    clock = strftime("%m-%d %H:%M:%S", gmtime(change.time))
    if change.begins:
        head = Line(f"{clock} begin {alert.rule}: {alert.text}", level="bad")
        return [head, *([Line(f"    {alert.why}")] if alert.why else [])]
    lasted = duration(max(change.time - alert.begun, 0.0))
    return [Line(f"{clock} end   {alert.rule}: {alert.subject}, after {lasted}", level="good")]


@frozen
class AlertEvent(Document):
    """An alert that begins or ends; times are seconds since the epoch.

    ``since``: when what it is about began, ``begun``: when it was told first.
    """

    schema: ClassVar[str] = "pieslice/alert/1"
    event: Literal["begin", "end"]
    time: float
    pool: str
    alert: Alert = field(metadata=INLINE)


@frozen
class AlertCounts:
    """How many alerts of a rule began, and how many of them are open."""

    rule: str
    kind: str
    begun: int
    open: int


@frozen(eq=False, repr=False)
class AlertsAnswer(Result):
    """The sum of a watch: by rule how many alerts began, and those that are open."""

    schema: ClassVar[str] = "pieslice/alerts/1"
    pool: str
    cycles: int
    rules: Sequence[tuple[str, str, int]]
    open: Sequence[Alert]

    @classmethod
    def of(cls, pool: str, course: AlertCourse) -> AlertsAnswer:
        """The sum of a course."""
        rules = [(rule.name, rule.kind, course.begun.get(rule.name, 0)) for rule in course.rules]
        return cls(pool, course.cycles, rules, course.open)

    @property
    def any(self) -> bool:
        """Whether there was anything to tell."""
        return bool(self.open) or any(count for _, _, count in self.rules)

    @property
    def counts(self) -> list[AlertCounts]:
        """The rules, with the alerts of each that are open."""
        standing = Counter(alert.rule for alert in self.open)
        return [AlertCounts(*rule, standing[rule[0]]) for rule in self.rules]

    def summary(self) -> str:
        begun = sum(count for _, _, count in self.rules)
        return f"{self.pool}: {plural(begun, 'alert')} in {plural(self.cycles, 'cycle')}"

    def blocks(self) -> Sequence[Block]:
        rows = tuple((rule.rule, str(rule.begun), str(rule.open)) for rule in self.counts)
        columns = (
            TextColumn("rule", name=True),
            TextColumn("alerts", right=True),
            TextColumn("open", right=True),
        )
        return [Line(self.summary(), heading=True), TextTable(columns, rows)]


shape(AlertsAnswer, "pool cycles rules=counts open")


@frozen
class Health:
    """Whether the pool answers, who did not, and when it was captured last, by our clock."""

    up: bool
    missing: int
    captured: float | None
    clock: float


def prometheus(pool: str, course: AlertCourse, last: Sighting | None, health: Health) -> str:
    """What a watch knows as metrics, for the textfile collector of a node exporter."""
    here = {"pool": pool}
    standing = [alert.rule for alert in course.open]
    alerts = [({**here, "rule": rule.name}, standing.count(rule.name)) for rule in course.rules]
    lines = [
        *_gauge("up", "Whether the pool answers.", [(here, int(health.up))]),
        *_gauge("missing_daemons", "Daemons that did not answer.", [(here, health.missing)]),
        *_gauge("alerts", "Alerts that have begun and not ended.", alerts),
    ]
    if health.captured is not None:
        age = round(max(health.clock - health.captured, 0.0), 3)
        text = "Seconds since the pool was captured, when this was written."
        lines += _gauge("age_seconds", text, [(here, age)])
        text = "When the pool was captured."
        lines += _gauge("capture_timestamp_seconds", text, [(here, health.captured)])
    if last is not None:
        lines += _of_cycle(here, last)
    return "".join(f"{line}\n" for line in lines)


def _of_cycle(here: Mapping[str, str], last: Sighting) -> list[str]:
    groups = sorted({*last.groups, *(job.group for job in last.waiting)})
    starving = [
        ({**here, "group": name}, sum(job.group == name for job in last.able)) for name in groups
    ]
    unused = [
        ({**here, "group": name}, last.unused[name].cores if name in last.unused else 0)
        for name in groups
    ]
    all_of = last.unused[POOL].cores if POOL in last.unused else 0
    seconds = [] if last.seconds is None else [(here, last.seconds)]
    cores = "Cores that nobody has after the cycle and waiting jobs"
    able = "Idle jobs that only a quota, a limit or a rule of preemption is against."
    return [
        *_gauge("last_cycle_timestamp_seconds", "When the last cycle began.", [(here, last.time)]),
        *_gauge("cycle_seconds", "How long the last cycle took.", seconds),
        *_gauge("starving_jobs", able, starving),
        *_gauge("unused_cores", f"{cores} match.", [(here, all_of)]),
        *_gauge("group_unused_cores", f"{cores} of the group match.", unused),
    ]


def _gauge(
    name: str, text: str, samples: Iterable[tuple[Mapping[str, str], float]]
) -> Iterable[str]:
    return metric(f"pieslice_watch_{name}", text, "gauge", samples)
