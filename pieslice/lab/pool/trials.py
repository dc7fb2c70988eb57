"""Tries the policies of the page on its pool, and answers questions about what came of them.

Decides what the page is sent: of the pool once who has which slot, of each trial its matches, from
which the page draws who has which slot then.

Inputs: how a pool is read, texts from the page.  Outputs: plain values for JSON; raise ``Error``.
Numbers of slots are slot weights.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Final, cast

from attr import evolve

from classad.errors import Diagnostic
from negotiator.capture.ads import job_id
from negotiator.io import Capture
from negotiator.model.result import CycleResult
from pieslice.api.errors import Error
from pieslice.api.pool import Pool
from pieslice.api.session import Cancel, Session, Trial
from pieslice.data import JsonObject
from pieslice.inputs.moments import capture_times
from pieslice.inputs.pool import PoolReading, read_pool
from pieslice.lab.pool import CYCLES
from pieslice.lab.pool.drawing import Scene
from pieslice.lab.pool.shown import REFUSED, shown_block, shown_expressions
from pieslice.lab.pool.suggestions import suggestions
from pieslice.lab.pool.watching import changed, clocks_apart, stamps_of
from pieslice.lab.sharing.export import commands
from pieslice.lab.start.dropped import command
from pieslice.lab.texts import EditedTexts, PolicyFiles, called
from pieslice.negotiate.course import seconds_between
from pieslice.negotiate.text import iso_time
from pieslice.reports.layout import Line, plural
from pieslice.reports.result import Result
from pieslice.reports.whatif import notes
from policy.config import Config
from policy.explain.explanation import local_names

if TYPE_CHECKING:
    from pieslice.fuzzing.schema import Schema

#: Trials that are kept for questions.
_KEPT: Final = 6
#: Answers with the running policy that are kept: a question is asked again after each edit.
_REMEMBERED: Final = 64
#: Suggestions of a first edit, and the seconds after which no more is tried unasked.
_SUGGESTED: Final = 3
_PATIENCE: Final = 2.0
#: Answers of an exported page besides those that were asked for.
_ANSWERED: Final = 60
#: What of a difference is sent.
_CHANGES: Final = ("users", "groups", "machines", "slots", "rejections")
#: Candidates of a job that are shown in full.
_RANKED: Final = 100
#: What of a capture's diagnostics the page shows.
_SERIOUS: Final = ("error", "warning")
#: Characters of the identity of a pool.
_IDENTITY: Final = 12


class Trials:
    """A pool whose policy is edited on the page."""

    def __init__(
        self,
        reading: PoolReading,
        seed: int = 0,
        cycles: int = CYCLES,
        interval: float | None = None,
    ) -> None:
        """``cycles``: how many can be looked at; ``interval``: seconds from one to the next."""
        before = stamps_of(reading, ())
        capture = read_pool(reading)
        self._reading = reading
        self._cycles = cycles
        self._interval = seconds_between(capture, interval)
        self._session: Session = Pool(reading, capture).session(seed=seed)
        self._files = PolicyFiles.of(reading, capture.facts.now, capture.facts.version.version)
        #: What changes while it is read is seen to have changed.
        self._stamps = {**stamps_of(reading, self._files.paths.values()), **before}
        self._kept: OrderedDict[EditedTexts, Trial] = OrderedDict()
        self._scene = Scene(capture, [one.name for one in self._base.submitters])
        #: What was answered with the running policy, by cycle and question.
        self._answers: OrderedDict[tuple[object, ...], object] = OrderedDict()
        #: That of the last edit.
        self._last: Trial | None = None
        #: The policy whose later cycles are kept, besides the running one.
        self._followed: Trial | None = None

    @property
    def facts(self) -> tuple[float, object]:
        """Time and version that a check needs."""
        return self._files.now, self._files.version

    def diagnostics(self, texts: EditedTexts) -> Sequence[Diagnostic]:
        """What is wrong with the files of the pool, and with the texts."""
        return self._trial(texts, _never).diagnostics

    def reading(self, texts: EditedTexts) -> PoolReading:
        """How the pool is read with other texts; raises ``Error`` where no daemon would start."""
        _ = self._trial(texts, _never).held
        return self._files.reading_with(texts)

    def changed(self) -> list[str]:
        """The files of the pool that have changed on the disk since it was read."""
        return changed(self._stamps)

    def point(self, texts: EditedTexts, lines: Sequence[str]) -> JsonObject:
        """Who gains and loses with more lines after the texts, in few words."""
        overlay = texts.overlay
        more = f"{overlay}\n" if overlay and not overlay.endswith("\n") else overlay
        # Nothing of it is asked again: it takes the place of no trial that is.
        trial = self._tried(evolve(texts, overlay=more + "".join(lines)), _never)
        found: JsonObject = {"lines": list(lines), "starts": trial.starts}
        if not trial.starts:
            errors = [one for one in trial.diagnostics if one.severity == "error"]
            return found | {"problem": called(errors[0].message) if errors else ""}
        changes = trial.changes
        nets = [(one.user, one.net) for one in changes.users if one.net]
        return found | {"slots": len(changes.slots), "users": [list(one) for one in nets]}

    def config(self, texts: EditedTexts) -> Config:
        """The configuration; raises ``Error`` for a pool whose policy is in no files."""
        if not self._files.checkable:
            raise Error("the policy of a scenario or a history is in no files that can be searched")
        _ = self._trial(texts, _never).held
        return self._files.config(texts)

    def schema(self) -> Schema:
        """What slots and jobs of the pool look like; the usual ones without jobs."""
        from pieslice.fuzzing.schema import built_in, learn

        held = self._session.base.held
        jobs = [job for queue in held.capture.snapshot.queues for job in queue.jobs]
        return learn(held.capture.snapshot.slots, jobs, held.name) if jobs else built_in()

    @property
    def _base(self) -> CycleResult:
        return self._session.base.held.result

    def overview(self) -> JsonObject:
        """The pool as it is, and its cycle with the running policy."""
        held = self._session.base.held
        facts, cycle = held.capture.facts, self._session.base.cycle
        agreement = cycle.outcome.agreement
        scene = self._scene
        machines = scene.machines
        return {
            "name": held.name,
            "identity": self.identity,
            "time": iso_time(facts.now),
            "version": str(facts.version.version),
            "counts": {"slots": facts.slots, "jobs": facts.jobs, "users": facts.users},
            "made_up": facts.made_up,
            "negotiators": self._negotiators(),
            "agreement": None
            if agreement is None or not facts.jobs
            else {"agreeing": agreement.agreeing, "decisions": agreement.expected},
            "problems": self._files.marks(
                (
                    *(one for one in held.capture.diagnostics if one.severity in _SERIOUS),
                    *clocks_apart(self._session.slots("Name", "MyCurrentTime", "LastHeardFrom")),
                )
            ),
            "files": [{"name": a, "text": b} for a, b in self._files.contents.items()],
            "checkable": self._files.checkable,
            "slots": scene.columns(held.capture, scene.slots),
            "machines": {
                "name": list(machines.names),
                "rack": list(machines.rack),
                "racks": list(machines.racks),
            },
            "base": scene.cycle(held.capture, held.result, held.limits, first=True),
            "users": scene.users(),
            "captures": self._captures(),
            "cycles": {"count": self._cycles if facts.jobs else 1, "interval": self._interval},
            "lacking": None if facts.jobs else self._lacking(),
        }

    @property
    def identity(self) -> str:
        """What tells the pool from another one."""
        return identity(self._names(), self._session.base.held.capture)

    def _names(self) -> list[str]:
        """The names of all slots, also of those that this negotiator does not see."""
        return [str(name or "") for name in self._session.slots("Name")["Name"]]

    def _negotiators(self) -> JsonObject:
        """The local names of negotiators, empty for the one that has none, and whose pool it is."""
        names = self._files.reading.local_names
        # It looks at all macros, and most pools are opened without a second negotiator.
        config = self._files.config(EditedTexts()) if self._files.checkable else None
        found = [] if config is None else local_names(config)
        chosen = names[0] if names else ""
        return {"names": list(dict.fromkeys(["", *names, *found])), "chosen": chosen}

    def _lacking(self) -> JsonObject:
        """What a pool without jobs has not; whether claims show some."""
        claims = any(slot.user is not None for slot in self._scene.slots)
        return {"part": "jobs", "command": command("jobs"), "claims": claims}

    def _captures(self) -> JsonObject | None:
        """The times of the captures of a history, and which of them this is; None of no history."""
        reading = self._reading
        if reading.inputs.history is None:
            return None
        times = capture_times(reading.inputs.history)
        at = times[-1] if reading.at is None else reading.at[0]
        place = sum(time <= at for time in times) - 1
        return {"times": [iso_time(time) for time in times], "at": place}

    def suggest(self, *, cancelled: Cancel) -> list[JsonObject]:
        """Edits worth a try, each with how many slots go another way; None: nobody looked."""
        found: dict[str, JsonObject] = {}
        spent = 0.0
        for one in suggestions(self._session.base.held.capture.policy, self._base):
            if len(found) == _SUGGESTED:
                break
            if one.subject in found:
                continue
            slots = None
            if spent < _PATIENCE:
                trial = self._trial(EditedTexts(f"{one.line}\n"), cancelled)
                spent += sum(trial.seconds.values())
                slots = len(trial.changes.slots) if trial.starts else 0
            if slots != 0:
                found[one.subject] = {"line": one.line, "slots": slots}
        return list(found.values())

    def edit(self, texts: EditedTexts, cycle: int = 1, *, cancelled: Cancel) -> JsonObject:
        """What comes of a policy; of one with which daemons would not start only why.

        ``cycle``: counted from 1; of a later one both sides have their slots.
        """
        self._last = trial = self._trial(texts, cancelled, cycle)
        found: JsonObject = {"starts": trial.starts, "affects": list(trial.affects)}
        found["seconds"] = sum(trial.seconds.values())
        if not trial.starts:
            errors = [one for one in trial.diagnostics if one.severity == "error"]
            return found | {"problems": self._files.marks(errors)}
        changes = trial.changes
        data = changes.to_dict()
        lines = changes.blocks()
        return found | {
            "sentence": lines[0].text if isinstance(lines[0], Line) else changes.summary(),
            "notes": [
                one.message
                for one in notes(trial.held.capture.what_if, of_cycle=trial.number == 1)
                if one.severity in _SERIOUS
            ],
            "same": changes.same,
            "changes": {key: data[key] for key in _CHANGES},
            **self._sides(trial),
            "users": self._scene.users(),
        }

    def follow(self, texts: EditedTexts, cycle: int, *, cancelled: Cancel) -> JsonObject:
        """Hold a later cycle with a policy and with the running one, for ``edit`` to tell of."""
        trial = self._trial(texts, cancelled)
        if trial.starts:
            self._later(trial, cycle, cancelled)
        return {"starts": trial.starts, "cycle": cycle}

    def _sides(self, trial: Trial) -> JsonObject:
        """A cycle after the change; before it, too, if it is none of the first ones."""
        held, scene, first = trial.held, self._scene, trial.number == 1
        found: JsonObject = {
            "number": trial.number,
            "cycle": scene.cycle(held.capture, held.result, held.limits, first=first),
        }
        if not first:
            base = self._session.base.later(trial.number, interval=self._interval).held
            found["before"] = scene.cycle(base.capture, base.result, base.limits)
        return found

    def export(
        self, texts: EditedTexts, pool: Sequence[str], cycle: int = 1, *, cancelled: Cancel
    ) -> JsonObject:
        """What an exported page has besides: answers about those who gain or lose, and commands.

        ``pool``: words that name the pool; ``cycle``: that the page is about.
        Raises ``Error`` for a policy that nobody starts with.
        """
        changes = self._trial(texts, cancelled, cycle).changes
        jobs = [
            (change.job, one.slot)
            for one in changes.slots
            if (change := one.before or one.after) is not None
        ]
        asked = [
            *(("user", one.user, None) for one in changes.users),
            *(("group", one.group, None) for one in changes.groups if one.group != "<none>"),
            *(("job", job, None) for job in dict.fromkeys(job for job, _ in jobs)),
            *(("job", job, slot) for job, slot in jobs),
        ]
        return {
            "answers": [
                {
                    "question": {"what": what, "name": name, "slot": slot},
                    "answer": self.why(texts, what, name, slot, cycle, cancelled=cancelled),
                }
                for what, name, slot in asked[:_ANSWERED]
            ],
            "commands": list(commands(pool, texts, next(iter(self._files.contents), None))),
        }

    def page_data(
        self,
        texts: EditedTexts,
        pool: Sequence[str],
        now: float,
        view: JsonObject | None = None,
        question: JsonObject | None = None,
    ) -> JsonObject:
        """The data of an exported page, made at ``now``.

        ``view``, ``question``: of a saved page, which may show a later cycle.
        """
        view = view or {}
        number = str(view.get("cycle", ""))
        cycle = min(int(number), self._cycles) if number.isdecimal() and int(number) else 1
        edit = self.edit(texts, cycle, cancelled=_never) if texts.changed else None
        found = self.export(texts, pool, cycle, cancelled=_never)
        if question is not None:
            what, name, slot = (cast("str", question[key]) for key in ("what", "name", "slot"))
            given = texts, what, name, slot, cycle
            first: list[JsonObject] = [
                {"question": question, "answer": self.why(*given, cancelled=_never)}
            ]
            if what == "job":
                rank = self.rank(texts, name, cycle, cancelled=_never)
                tree = self.tree(texts, name, slot, cycle, cancelled=_never)
                of_job = question | {"slot": None}
                first.append({"question": of_job, "answer": rank, "kind": "rank"})
                first.append({"question": question, "answer": tree, "kind": "tree"})
            found["answers"] = [*first, *cast("list[JsonObject]", found["answers"])]
        return {
            "overview": self.overview() | {"files": []},
            "edit": edit,
            "texts": {"overlay": texts.overlay, "files": dict(texts.files)},
            "view": view,
            "question": question,
            "exported": iso_time(now),
            **found,
        }

    def why(
        self,
        texts: EditedTexts,
        what: str,
        name: str,
        slot: str | None,
        cycle: int = 1,
        *,
        cancelled: Cancel,
    ) -> JsonObject:
        """Why a job, a user or a group fares as it does in a cycle, before and after.

        ``what``: ``job``, ``user`` or ``group``; ``slot``: of a job on that slot.
        """
        key = (what, name, slot)
        return self._both(texts, cycle, cancelled, key, lambda one: self._told(one, *key))

    def rank(
        self, texts: EditedTexts, job: str, cycle: int = 1, *, cancelled: Cancel
    ) -> JsonObject:
        """The candidates of a job in a cycle, before and after: all best first, some in full."""
        key = ("rank", job, None)
        return self._both(texts, cycle, cancelled, key, lambda one: self._ranked(one, job))

    def tree(
        self,
        texts: EditedTexts,
        job: str,
        slot: str | None,
        cycle: int = 1,
        *,
        cancelled: Cancel,
    ) -> JsonObject:
        """What a cycle asks of a job and a slot, part by part, before and after."""
        key = ("tree", job, slot)
        return self._both(
            texts, cycle, cancelled, key, lambda one: shown_expressions(one, job, slot)
        )

    def _both(
        self,
        texts: EditedTexts,
        cycle: int,
        cancelled: Cancel,
        key: tuple[str, str, str | None],
        ask: Callable[[Trial], object],
    ) -> JsonObject:
        """An answer before and after; ``key``: of the question, whose first half stays as it is."""
        base, trial = (self._trial(one, cancelled, cycle) for one in (EditedTexts(), texts))
        place = (cycle, *key)
        before = self._answers.pop(place, None) or ask(base)
        self._answers[place] = before
        while len(self._answers) > _REMEMBERED:
            self._answers.popitem(last=False)
        after = before if trial is base else ask(trial)
        return {"before": before, "after": after, "same": before == after}

    def _ranked(self, trial: Trial, job: str) -> JsonObject:
        if not trial.starts:
            return {"slots": [], "answer": [REFUSED]}
        try:
            found = trial.rank(job, limit=_RANKED)
        except Error as problem:
            return {"slots": [], "answer": [{"line": str(problem), "level": "bad"}]}
        slots = () if found.found is None else found.found.slots
        answer = [shown_block(one) for one in found.report()]
        return {"slots": [one.slot for one in slots], "answer": answer}

    def _told(self, trial: Trial, what: str, name: str, slot: str | None) -> list[JsonObject]:
        if not trial.starts:
            return [REFUSED]
        answer: Result
        try:
            answer = trial.why(name, slot) if what == "job" else trial.survey(**{what: name})
        except Error as problem:
            return [{"line": str(problem), "level": "bad"}]
        return [shown_block(one) for one in answer.report()]

    def _trial(self, texts: EditedTexts, cancelled: Cancel, cycle: int = 1) -> Trial:
        trial = self._first(texts, cancelled)
        return self._later(trial, cycle, cancelled) if trial.starts and cycle != 1 else trial

    def _later(self, trial: Trial, cycle: int, cancelled: Cancel) -> Trial:
        """A later cycle; of those of policies that were changed, the last one's are kept."""
        if not 1 <= cycle <= self._cycles:
            raise Error(f"there are {plural(self._cycles, 'cycle')}, and no {cycle}")
        if trial is not self._session.base and trial is not self._followed:
            if self._followed is not None:
                self._followed.forget_later()
            self._followed = trial
        return trial.later(cycle, interval=self._interval, cancelled=cancelled)

    def _first(self, texts: EditedTexts, cancelled: Cancel) -> Trial:
        if not texts.changed:
            return self._session.base
        trial = self._kept.pop(texts, None) or self._tried(texts, cancelled)
        self._kept[texts] = trial
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return trial

    def _tried(self, texts: EditedTexts, cancelled: Cancel) -> Trial:
        files = self._files.edited(texts)
        if texts.overlay.strip():
            return self._session.edit(texts.overlay, files=files, cancelled=cancelled)
        return self._session.edit(files, cancelled=cancelled)

    def idle(self, *, cancelled: Cancel) -> None:
        """Use a pause: make ready what the next question of the last edit would wait for."""
        last = self._last
        if last is not None and last.starts and sum(last.seconds.values()) < _PATIENCE:
            for trial in (last, self._session.base):
                trial.make_ready(cancelled=cancelled)

    def users(self) -> list[JsonObject]:
        """Users by number: names, groups, places of their colours."""
        return self._scene.users()


def _never() -> bool:
    return False


def identity(slots: Iterable[str], capture: Capture) -> str:
    """What tells a pool from another one: a digest of the names of its slots and ids of its jobs.

    Two captures of a pool with other jobs are two pools: an edit does something else there.
    """
    queues = capture.snapshot.queues
    jobs = sorted(f"{queue.name} {job_id(job)}" for queue in queues for job in queue.jobs)
    text = "\n".join((*sorted(slots), "", *jobs))
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:_IDENTITY]
