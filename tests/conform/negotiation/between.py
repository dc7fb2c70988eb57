"""Plays the recorded small pools of ``tests/vectors/between``: cycles, and all between them.

Decides what of a record is input: the capture before the first cycle, the configuration of each
daemon, the program of steps, when cycles were held and commands given, how long jobs sleep.  A
what-if begins from the capture of A, and from the configuration of B in place of that of A.  The
startd of the recordings needed three seconds for each job's end, one after the other.

Compared are the matches and rejections of every cycle, which job started in which cycle and how,
and its slot where the record says that it is repeatable.  Where two runs of the real daemons
differed, one of them has to agree.  Seconds are not compared.

Inputs: a record.  Outputs: ``BETWEEN_KINDS``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from attr import define, evolve, field, frozen

from classad import ClassAd
from classad.files.ads import read_long
from classad.formats.long import format_long
from negotiator.capture.files import ConfigPaths
from negotiator.io import CapturePaths, read_capture
from negotiator.jobs.readiness import IDLE
from negotiator.jobs.submitters import submitter_of
from negotiator.model.result import Match
from pieslice.between.course import Course
from pieslice.between.cycles import Turn, next_turn
from pieslice.between.pool import SimSlot
from pieslice.between.state import Claim, How
from pieslice.data import Content, JsonData
from policy.claims import read_claims
from policy.config import Config, load_config
from policy.io import builtin_library
from policy.knobs.lists import SUBMITTED_MACROS
from policy.language.expressions import parse
from policy.language.sources import MemorySources
from policy.language.table import Context
from tests.conform.runner import Case, Kind, Mismatch

_SCHEDD: Final = "s1@live.test"
_HOST: Final = "@cm.live.test"
#: What the startd of the recordings needed for a job's end.
_END_SECONDS: Final = 3
_HELD: Final = 5
_ARGUMENTS: Final = re.compile(r"arguments=(\d+)")
_COMMANDS: Final = {
    "request_cpus": "RequestCpus",
    "request_memory": "RequestMemory",
    "priority": "JobPrio",
    "keep_claim_idle": "KeepClaimIdle",
    "periodic_hold": "PeriodicHold",
    "periodic_remove": "PeriodicRemove",
    "on_exit_remove": "OnExitRemove",
    "allowed_job_duration": "AllowedJobDuration",
}


@frozen
class _Submitted:
    """Jobs that were submitted at once; ``numbers``: their cluster and procs."""

    user: str
    text: str
    numbers: tuple[tuple[int, int], ...]

    @property
    def seconds(self) -> int:
        """How long they sleep."""
        found = _ARGUMENTS.search(self.text)
        return int(found[1]) if found else 0

    def tell(self, ad: ClassAd, names: Iterable[str] = ()) -> None:
        """Write what the text says of a job into its ad; of some commands or of attributes only."""
        for line in self.text.splitlines():
            command, _, value = line.partition("=")
            name = command[3:] if command.startswith("MY.") else _COMMANDS.get(command)
            if name is not None and (command in names or ad.raw(name) is None):
                ad.insert(name, parse(value))


@define(eq=False)
class _Recorded(Course):
    """A course with the startds of the recordings, and with job factories."""

    #: Machine -> when it has cleaned up after the last job that was to end there.
    ends: dict[str, int] = field(factory=dict)
    #: Jobs that are made when another one of their cluster has started.
    to_make: dict[int, list[tuple[ClassAd, int]]] = field(factory=dict)

    def run_time(self, number: int, slot: SimSlot) -> int | None:
        """The sleep, and the startd's time, which it has for one job at a time."""
        length = super().run_time(number, slot)
        if length is None:
            return None
        now = self.state.now
        end = max(now + length, self.ends.get(slot.machine, 0)) + _END_SECONDS
        self.ends[slot.machine] = end
        return end - now

    def started(self, slot: SimSlot, claim: Claim, how: How) -> None:
        """A factory makes the next job."""
        super().started(slot, claim, how)
        cluster = int(self.jobs[claim.job].id.partition(".")[0])
        if self.to_make.get(cluster):
            ad, length = self.to_make[cluster].pop(0)
            self.submit(ad, _SCHEDD, length)

    # --- what people do -----------------------------------------------------------------------

    def submit(self, ad: ClassAd, schedd: str, length: int) -> None:
        """A job that comes now; if its submitter is new it has an ad, too."""
        number = self.add(ad, schedd, length)
        user = self._user_of(number)
        self._count(user, number, idle=1)
        known = [item.get_string("Name") for item in self.before.submitters]
        if user not in known:
            like = self.before.submitters[0].duplicate()
            like.insert("Name", user)
            for name in ("IdleJobs", "RunningJobs", "WeightedIdleJobs", "WeightedRunningJobs"):
                like.insert(name, 0)
            self.before = evolve(self.before, submitters=(*self.before.submitters, like))

    def go_on(self, slot: SimSlot) -> None:
        """Let the job that a captured claim runs end when its sleep is over."""
        claim = self.state.claims[slot.name]
        length = self.jobs[claim.job].length
        if length is not None:
            self.plan_end(slot, claim, claim.job_begun + length + _END_SECONDS)

    def remove(self, number: int) -> None:
        """condor_rm: the claim of a job that runs passes on as if it had ended."""
        slot = self._slot_of(number)
        if slot is not None:
            self.finish(slot)
        elif not self.jobs[number].gone:
            self._count(self._user_of(number), number, idle=-1)
            self._leave(number)

    def vacate(self, number: int) -> None:
        """condor_vacate_job: the job is idle again, and the claim is released."""
        slot = self._slot_of(number)
        if slot is not None:
            self.stop(slot, "vacate", "condor_vacate_job")
            self.release(slot)

    def unhold(self, number: int) -> None:
        """condor_release: a held job is idle."""
        if self.job_ad(number).get_number("JobStatus") == _HELD:
            self._changed(number).insert("JobStatus", IDLE)
            self._count(self._user_of(number), number, idle=1)
            self._relist()

    def set_priority(self, user: str, priority: float) -> None:
        """condor_userprio -setprio."""
        state = self.before.accountant
        changed = state.customers[user].changed(priority=priority)
        customers = {**state.customers, user: changed}
        self.before = evolve(self.before, accountant=evolve(state, customers=customers))

    def _slot_of(self, number: int) -> SimSlot | None:
        names = (name for name, claim in self.state.claims.items() if claim.job == number)
        name = next(names, None)
        return None if name is None else self.pool.slots[name]

    def _user_of(self, number: int) -> str:
        return submitter_of(self.job_ad(number), self.context()) or ""


def _load(text: str, daemon: str) -> Config:
    sources, library = MemorySources({"condor_config": text}), builtin_library()
    return load_config("condor_config", sources, library, context=Context(daemon), keep_going=True)


_ASSIGNMENT: Final = re.compile(r"(\w+)\s*(=|@=(\w+))")


def _for_daemon(text: str, prefix: str, left_out: str = "") -> str:
    """The configuration of a daemon in a file that others read, too; without some macros."""
    lines, end, kept = [], "", True
    for line in text.splitlines():
        found = None if end else _ASSIGNMENT.match(line)
        if found is not None:
            kept = not (left_out and re.fullmatch(left_out, found[1]))
            end = f"@{found[3]}" if found[3] else ""
            line = f"{prefix}.{line}"
        elif line == end:
            end = ""
        lines += [line] if kept else []
    return "".join(f"{line}\n" for line in lines)


def _whole(config: Mapping[str, str], left_out: str = "") -> str:
    """One configuration of all daemons; startds have local names."""
    parts = [config.get("negotiator", ""), _for_daemon(config["schedd"], "SCHEDD", left_out)]
    for name, text in config.items():
        kind, _, local = name.partition(".")
        if kind == "startd":
            parts += [f"{local}.STARTD_NAME = {local}\n", _for_daemon(text, local)]
    return "".join(parts)


@define(eq=False)
class _Play:
    """A record while it is played; ``turns``: the cycles so far, from ``first`` on."""

    case: Case
    run: JsonData
    submitted: list[_Submitted]
    course: _Recorded
    first: int
    turns: list[Turn] = field(factory=list)
    #: Cycle -> who started since.
    starts: dict[int, list[tuple[str, str, str]]] = field(factory=dict)

    @classmethod
    def of(cls, case: Case, run: JsonData) -> _Play:
        """The pool of the first capture."""
        before = [step[0] for step in case["steps"]]
        place = before.index("capture")
        first = before[:place].count("cycle") + 1
        # Who is refused under B has no number there.
        known = case["outcome"]["A"][0]["submitted"] if "what_if" in case else run["submitted"]
        submitted = [_read_submitted(item) for item in known]
        label = case["steps"][place][1]
        began = _time(run, first, 0)
        files = _with_jobs_told(case["captures"][label], submitted)
        course = _course(case, files, began)
        play = cls(case, run, submitted, course, first)
        play.know_lengths(submitted[: before[:place].count("submit")])
        return play

    def know_lengths(self, submitted: Iterable[_Submitted]) -> None:
        """Tell the course how long jobs run; those that its queue lacks are made later."""
        course = self.course
        for item in submitted:
            template = None
            for cluster, proc in item.numbers:
                number = course.numbers.get((_SCHEDD, cluster, proc))
                if number is not None:
                    course.jobs[number].length = item.seconds
                    item.tell(course.job_ad(number))
                    template = course.job_ad(number)
                elif template is not None and "max_idle" in item.text:
                    ad = template.duplicate()
                    ad.insert("ProcId", proc)
                    course.to_make.setdefault(cluster, []).append((ad, item.seconds))
        for name, claim in course.state.claims.items():
            if claim.job >= 0:
                course.go_on(course.pool.slots[name])

    def play(self) -> None:
        """Run the program behind the first capture."""
        steps = self.case["steps"]
        place = next(i for i, step in enumerate(steps) if step[0] == "capture")
        submits = sum(step[0] == "submit" for step in steps[:place])
        cycle, commands = self.first - 1, iter(self.run["commands"])
        now = _time(self.run, self.first, 0)
        for step in steps[place:]:
            if step[0] == "cycle":
                cycle += 1
                now = _time(self.run, cycle, 0)
                self._to(now)
                self.turns.append(next_turn(self.course, cycle, float(now)))
                self._note(cycle)
            elif step[0] == "sleep":
                now += step[1]
                self._to(now)
            elif step[0] == "settle" and cycle < len(self.run["cycles"]):
                now = _time(self.run, cycle + 1, 0) - 1
                self._to(now)
            elif step[0] == "run":
                command = next(commands)
                now = max(now, _time(self.run, command["cycle"], command["after"]))
                self._to(now)
                self._command(step[2:])
            elif step[0] == "submit":
                self._submit(self.submitted[submits])
                submits += 1
        last = self.run["snapshots"][-1]
        self._to(max(now, _time(self.run, last["cycle"], last["after"])))

    def _to(self, now: int) -> None:
        self.course.advance(now)
        self._note(self.first + len(self.turns) - 1)

    def _note(self, cycle: int) -> None:
        for start in self.course.starts:
            found = (start.job, start.how.value, _short(start.slot))
            self.starts.setdefault(cycle, []).append(found)
        self.course.starts.clear()

    def _submit(self, item: _Submitted) -> None:
        """Jobs as a later capture has them, else like others, with what their text asks for."""
        seen = _captured_jobs(self.case)
        like = next(
            (job.ad for job in self.course.jobs if job.ad.get_string("Owner") == item.user),
            self.course.jobs[0].ad,
        )
        domain = (like.get_string("User") or "").partition("@")[2]
        for cluster, proc in item.numbers:
            ad = seen.get((cluster, proc), like).duplicate()
            values: dict[str, object] = {
                "ClusterId": cluster, "ProcId": proc, "JobStatus": 1, "CurrentHosts": 0,
                "Owner": item.user, "User": f"{item.user}@{domain}",
                "GlobalJobId": f"{_SCHEDD}#{cluster}.{proc}#0",
            }  # fmt: skip
            for name in ("AutoClusterId", "AutoClusterAttrs", "RemoteHost"):
                ad.remove(name)
            for name, value in values.items():
                ad.insert(name, value)
            item.tell(ad, _COMMANDS)
            self.course.submit(ad, _SCHEDD, item.seconds)

    def _command(self, words: list[str]) -> None:
        """What somebody does to jobs, or to priorities."""
        name, *rest = words
        if name == "condor_userprio":
            self.course.set_priority(rest[1], float(rest[2]))
            return
        cluster, _, proc = rest[0].partition(".")
        procs = [
            number
            for (_, one, other), number in self.course.numbers.items()
            if one == int(cluster) and proc in ("", str(other))
        ]
        act = {
            "condor_rm": self.course.remove,
            "condor_release": self.course.unhold,
            "condor_vacate_job": self.course.vacate,
        }[name]
        for number in procs:
            act(number)


def _captured_jobs(case: Case) -> dict[tuple[int, int], ClassAd]:
    """The jobs of all captures, as the first that has them does."""
    found: dict[tuple[int, int], ClassAd] = {}
    for files in case["captures"].values():
        for ad in read_long(files["jobs.ads"].splitlines(), ""):
            numbers = tuple(int(ad.get_number(name) or 0) for name in ("ClusterId", "ProcId"))
            found.setdefault((numbers[0], numbers[1]), ad)
    return found


def _time(run: JsonData, cycle: int, after: float) -> int:
    """Seconds since the epoch."""
    return int(run["epoch_of_first_cycle"] + run["cycles"][cycle - 1]["seconds"] + round(after))


def _read_submitted(item: Mapping[str, str]) -> _Submitted:
    first, _, last = item["answer"].partition(" - ")
    cluster, _, begin = first.partition(".")
    end = last.partition(".")[2]
    procs = range(int(begin), int(end) + 1)
    numbers = tuple((int(cluster), proc) for proc in procs)
    return _Submitted(item["user"], item["text"], numbers)


def _with_jobs_told(files: Mapping[str, str], submitted: Iterable[_Submitted]) -> Mapping[str, str]:
    """The capture with what its jobs were submitted with and nothing had asked for."""
    by_number = {number: item for item in submitted for number in item.numbers}
    ads = list(read_long(files["jobs.ads"]))
    for ad in ads:
        numbers = [ad.get_number(name) for name in ("ClusterId", "ProcId")]
        item = by_number.get((int(numbers[0] or 0), int(numbers[1] or 0)))
        if item is not None:
            item.tell(ad)
    return {**files, "jobs.ads": "\n".join(format_long(ad) for ad in ads)}


def _course(case: Case, files: Mapping[str, str], now: int) -> _Recorded:
    """The pool with the configuration that its daemons were started with, or read again."""
    sides = [case["config_a"]]
    if "what_if" in case:
        sides.append(case["config_b"])
    # Jobs that wait are not submitted again because their schedd reads its configuration again.
    waits = "" if "started with B" in str(case.get("b_applied")) else SUBMITTED_MACROS
    texts = tuple((f"<{number}>", _whole(side, waits)) for number, side in enumerate(sides))
    with TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        before = tuple(ConfigPaths(texts=texts[:number]) for number in range(len(texts)))
        paths = CapturePaths(Path(folder), texts=texts, before=before)
        capture = read_capture(paths, now=float(now))
    config = sides[-1]
    startds = {
        f"{name.partition('.')[2]}{_HOST}": read_claims(_load(text, "STARTD"))
        for name, text in config.items()
        if name.startswith("startd.")
    }
    settings = read_claims(_load(config["schedd"], "SCHEDD"))
    course = _Recorded.of(capture.snapshot, capture.policy, now, settings, startds)
    assert isinstance(course, _Recorded)
    return course


def _short(slot: str) -> str:
    return slot.removesuffix(_HOST)


# --- comparing ------------------------------------------------------------------------------------


def check_between(case: Case) -> list[Mismatch]:
    """The differences from the run of the real daemons that is most alike."""
    runs = case["outcome"]["B" if "what_if" in case else "A"]
    # Of the second run there is only what differed.
    found = [list(_differences(case, {**runs[0], **run})) for run in runs]
    return min(found, key=len)


def _differences(case: Case, run: JsonData) -> Iterator[Mismatch]:
    play = _Play.of(case, run)
    play.play()
    for turn in play.turns:
        seen = run["cycles"][turn.number - 1]
        expected = [(item["job"], item["submitter"], item["slot"]) for item in seen["matches"]]
        yield from _differs(f"cycle {turn.number} matches", expected, _matched(turn.result.matches))
        refused = sorted({(item["job"], item["submitter"]) for item in seen["rejections"]})
        ours = sorted({(item.job, item.submitter) for item in turn.result.rejections})
        yield from _differs(f"cycle {turn.number} rejections", refused, ours)
        # On which of two machines a job gets leftovers is a race.
        several = len({item["slot"] for item in seen["matches"]}) > 1
        side = "B" if "what_if" in case else "A"
        named = case["repeatable"][side].get("slots") is True and not several
        started = [
            (event["job"], event["how"], event["slot"] if named else "")
            for event in run["events"]
            if event["what"] == "start" and event["cycle"] == turn.number
        ]
        mine = [
            (job, how, slot if named else "") for job, how, slot in play.starts.get(turn.number, [])
        ]
        yield from _differs(f"cycle {turn.number} starts", sorted(started), sorted(mine))


def _matched(matches: Iterable[Match]) -> list[tuple[str, str, str]]:
    return [(item.job, item.submitter, _short(item.slot)) for item in matches]


def _differs(name: str, expected: object, actual: object) -> Iterator[Mismatch]:
    if expected != actual:
        yield Mismatch(name, expected, actual)


# --- kinds ----------------------------------------------------------------------------------------

_FIELDS: Final = frozenset((
    "id", "name", "family", "about", "machines", "config_a", "steps", "captures", "outcome",
    "repeatable", "config_b", "changed_in_b", "b_applied", "captures_b", "what_if",
))  # fmt: skip


def _cases(content: Content) -> Iterable[Case] | None:
    """A record and, if it has one, its what-if."""
    if not isinstance(content, dict) or not {"machines", "steps", "captures"} <= content.keys():
        return None
    case = {**content, "id": content.get("name", "")}
    if not content.get("config_b"):
        return [case]
    return [case, {**case, "id": f"{case['id']} under B", "what_if": True}]


def _is_record(case: Case) -> bool:
    return {"machines", "steps", "captures", "outcome"} <= case.keys()


BETWEEN_KINDS: Final = (
    Kind(
        "what-if of startds and schedds",
        lambda case: _is_record(case) and "what_if" in case,
        check_between,
        _FIELDS,
        _cases,
    ),
    Kind("between cycles", _is_record, check_between, _FIELDS),
)
