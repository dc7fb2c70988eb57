"""Follows the alerts of some rules from cycle to cycle: which begin, which end.

An alert begins once and ends once, however many cycles it lasts.  What is remembered is plain
values, for a file: after a restart nothing is told again.  A rule that has changed begins anew, and
its alerts end, as do those of a rule that is not there any more.

Inputs: rules, what was remembered, sightings in the order of time, the clock.  Outputs:
``AlertChange`` values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from attr import asdict, define, evolve, field, frozen

from pieslice.alerts.judging import Firing, judge, no_cycle, seconds_without_cycle
from pieslice.alerts.kinds import Rule
from pieslice.alerts.sighting import POOL, Sighting
from pieslice.data import JsonData, Record

#: Counts up when what is remembered changes its meaning.
_FORMAT: Final = 1
_NO_CYCLE: Final = "no-cycle"


@frozen
class Alert:
    """Something that a rule tells of.  ``begun``: when it was told first; see ``Firing``."""

    rule: str
    kind: str
    subject: str
    begun: float
    since: float
    cycles: int
    text: str
    why: str
    count: int = 0
    example: str | None = None


@frozen
class AlertChange:
    """An alert that begins (``begins``) or ends at a time."""

    begins: bool
    time: float
    alert: Alert


@define(eq=False)
class AlertCourse:
    """The alerts that stand, by rule and subject, and what the rules remember.

    ``time``: when the last cycle began; ``heard``: when it was seen, by this machine's clock.
    """

    rules: Sequence[Rule]
    time: float = 0.0
    heard: float | None = None
    standing: dict[str, Record] = field(factory=dict)
    alerts: dict[str, dict[str, Alert]] = field(factory=dict)
    cycles: int = 0
    begun: dict[str, int] = field(factory=dict)
    _before: Sighting | None = None
    #: Alerts of rules that have changed or gone.
    _over: list[Alert] = field(factory=list)

    def data(self) -> JsonData:
        """What is remembered."""
        rules = {
            rule.name: {
                "settings": rule.settings,
                "standing": self.standing.get(rule.name, {}),
                "alerts": [asdict(alert) for alert in self.alerts.get(rule.name, {}).values()],
            }
            for rule in self.rules
        }
        return {"format": _FORMAT, "time": self.time, "heard": self.heard, "rules": rules}

    @classmethod
    def of(cls, rules: Sequence[Rule], data: Record) -> AlertCourse:
        """The course that goes on; raises ``KeyError``, ``TypeError``, ``ValueError``."""
        if data["format"] != _FORMAT:
            raise ValueError("of another version")
        heard = data["heard"]
        found = cls(rules, float(data["time"]), None if heard is None else float(heard))
        known = {rule.name: rule for rule in rules}
        for name, kept in data["rules"].items():
            alerts = [Alert(**item) for item in kept["alerts"]]
            if name in known and kept["settings"] == known[name].settings:
                found.standing[name] = kept["standing"]
                found.alerts[name] = {alert.subject: alert for alert in alerts}
            else:
                found._over += alerts
        return found

    @property
    def open(self) -> tuple[Alert, ...]:
        """The alerts that have begun and not ended, in the order of the rules."""
        return tuple(
            alert for rule in self.rules for alert in self.alerts.get(rule.name, {}).values()
        )

    def add(self, now: Sighting, clock: float) -> list[AlertChange]:
        """What begins and ends by a cycle; one that was seen before changes nothing."""
        found = list(self._of_old_rules(clock))
        if now.time == self.time:
            return found
        for rule in self.rules:
            if rule.kind == _NO_CYCLE:
                found += self._changes(rule, {}, frozenset(), now.time)
                continue
            said = judge(rule, self.standing.get(rule.name, {}), now, self._before)
            self.standing[rule.name] = said.standing
            found += self._changes(rule, said.firing, said.unknown, now.time)
        self.time, self.heard, self._before = now.time, clock, now
        self.cycles += 1
        return found

    def overdue(self, until: float) -> list[float]:
        """When, before a time, rules find that there has been no cycle for too long."""
        since = until if self.heard is None else self.heard
        times = (since + seconds_without_cycle(rule) for rule in self._of_rest())
        return sorted(time for time in times if time < until)

    def _of_rest(self) -> Iterator[Rule]:
        return (rule for rule in self.rules if rule.kind == _NO_CYCLE)

    def rest(self, clock: float, trouble: str = "") -> list[AlertChange]:
        """What begins as there is no cycle; ``trouble``: what is waited for."""
        found = list(self._of_old_rules(clock))
        if self.heard is None:
            self.heard = clock
        for rule in self._of_rest():
            said = no_cycle(rule, self.heard, clock, trouble)
            if said is not None:
                found += self._changes(rule, {POOL: said}, frozenset(), clock)
        return found

    def _changes(
        self, rule: Rule, firing: Mapping[str, Firing], unknown: frozenset[str], time: float
    ) -> Iterator[AlertChange]:
        open_ = self.alerts.setdefault(rule.name, {})
        for subject in [name for name in open_ if name not in firing and name not in unknown]:
            yield AlertChange(False, time, open_.pop(subject))
        for subject, said in firing.items():
            known = open_.get(subject)
            if known is not None:
                open_[subject] = evolve(known, **asdict(said))
                continue
            open_[subject] = Alert(rule.name, rule.kind, subject, time, **asdict(said))
            self.begun[rule.name] = self.begun.get(rule.name, 0) + 1
            yield AlertChange(True, time, open_[subject])

    def _of_old_rules(self, clock: float) -> Iterator[AlertChange]:
        while self._over:
            yield AlertChange(False, clock, self._over.pop(0))
