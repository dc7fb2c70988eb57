"""Judges by a rule whether there is something to tell of, from one cycle to the next.

Decides what each kind of rule is about, and when that has lasted long enough.  What a rule has to
remember is its *standing*, plain values that a file can keep: since when and for how many cycles
something has been so, what cycles took, which predictions came true.

Inputs: a rule, its standing, a ``Sighting`` and the one before it.  Outputs: the standing after it
and by subject what is to be told now; nothing that was given is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import Final

from attr import Factory, frozen

from negotiator.model.result import ROOT_GROUP
from pieslice.alerts.kinds import Rule
from pieslice.alerts.sighting import POOL, Running, Sighting, WaitingJob
from pieslice.data import JsonData, Record
from pieslice.reports.layout import plural, short
from pieslice.reports.progress import duration

#: Cycles before that are known before one is said to be longer than usual.
_KNOWN: Final = 5
#: Seconds after which a schedd whose ad has gone is forgotten.
_FORGOTTEN: Final = 7 * 86_400.0
_MINUTE: Final = 60.0


@frozen
class Firing:
    """What is to be told of a subject.

    ``since``: when it began to be so; ``cycles``: for how many cycles it has been (0: not
    counted); ``count``: of how many jobs, of which ``example`` is one; ``why``: what explains it.
    """

    since: float
    cycles: int
    text: str
    why: str
    count: int = 0
    example: str | None = None


@frozen
class Judgement:
    """``firing``: by subject; ``unknown``: subjects of which this cycle tells nothing."""

    standing: Record
    firing: Mapping[str, Firing] = Factory(dict)
    unknown: frozenset[str] = frozenset()


def judge(rule: Rule, standing: Record, now: Sighting, before: Sighting | None) -> Judgement:
    """What a rule says of a cycle."""
    if rule.kind in _HELD:
        return _held(rule, standing, now)
    if rule.kind == "preempted-job":
        return _preempted(rule, standing, now, before)
    if rule.kind == "long-cycle":
        return _long(rule, standing, now)
    assert rule.kind == "wrong-predictions", "a pool without cycles is told by the clock"
    return _wrong(rule, standing, now)


# --- what has to be so for some time --------------------------------------------------------------


@frozen
class _Case:
    """Something that is so in a cycle: ``item`` is counted, ``subject`` is told of."""

    item: str
    subject: str
    why: str
    jobs: Sequence[WaitingJob] = ()


#: Says of a subject with what of it has lasted: since when, for how many cycles, which cases.
_Words = Callable[[Sighting, str, float, int, Sequence[_Case]], str]


def _held(rule: Rule, standing: Record, now: Sighting) -> Judgement:
    """The kinds that are about something that is so for some cycles or minutes."""
    find, words = _HELD[rule.kind]
    old: Mapping[str, list[object]] = standing.get("held", {})
    known = dict(standing.get("known", {}))
    if rule.kind == "silent-daemon":
        known = _known_schedds(known, now)
    cases = {case.item: case for case in find(rule, now, known)}
    held: JsonData = {}
    for item, case in cases.items():
        since, cycles, _ = old.get(item, [now.time, 0, case.subject])
        held[item] = [since, int(str(cycles)) + 1, case.subject]
    unknown = set()
    for item, (since, cycles, subject) in old.items():
        if item not in cases and _is_unknown(rule.kind, item, now):
            held[item] = [since, cycles, subject]
            unknown.add(str(subject))
    lasting: dict[str, list[_Case]] = {}
    for item, case in cases.items():
        if _is_enough(rule, held[item], now):
            lasting.setdefault(case.subject, []).append(case)
    firing = {}
    for subject, some in lasting.items():
        # Those that have lasted longest come first; what lasts equally long is as it was found.
        some.sort(key=lambda case: (held[case.item][0], -held[case.item][1]))
        since, cycles, _ = held[some[0].item]
        jobs = [job for case in some for job in case.jobs]
        text = words(now, subject, since, cycles, some)
        example = jobs[0].job if jobs else None
        firing[subject] = Firing(since, cycles, text, some[0].why, len(jobs), example)
    after: JsonData = {"held": held, **({"known": known} if known else {})}
    return Judgement(after, firing, frozenset(unknown - set(firing)))


def _is_enough(rule: Rule, held: Sequence[float], now: Sighting) -> bool:
    if "cycles" in rule.numbers:
        return held[1] >= rule.numbers["cycles"]
    return now.time - held[0] >= rule.numbers["minutes"] * _MINUTE


def _is_unknown(kind: str, item: str, now: Sighting) -> bool:
    """Whether something that is not seen to be so may be so, as somebody has not been asked."""
    if kind == "idle-job":
        return item.rpartition("#")[0] in now.silent
    if kind == "silent-daemon":
        return now.schedds is None
    if kind == "below-quota" and item in now.groups:
        return bool(now.silent) and now.groups[item].used < now.groups[item].quota
    if kind in ("full-limit", "unused-cores"):
        return bool(now.silent)
    return kind == "idle-user" and bool(now.silent) and item not in now.users


def aliases(submitter: str, group: str) -> tuple[str, ...]:
    """What a user may be called by: the submitter, with and without domain and group."""
    local = submitter.rpartition("@")[0] or submitter
    alone = local[len(group) + 1 :] if local.lower().startswith(f"{group}.".lower()) else local
    return submitter, local, alone, submitter.replace(local, alone, 1)


def _concerns(rule: Rule, job: WaitingJob | Running) -> bool:
    users = rule.concerns("users", *aliases(job.submitter, job.group))
    return users and rule.concerns("groups", job.group)


def _idle_jobs(rule: Rule, now: Sighting, _: Mapping[str, float]) -> Iterator[_Case]:
    for job in now.able:
        if _concerns(rule, job):
            yield _Case(job.job, job.submitter, job.text, (job,))


def _idle_jobs_text(
    now: Sighting, subject: str, since: float, cycles: int, cases: Sequence[_Case]
) -> str:
    count = len(cases)
    many = f"of {subject} idle for {plural(cycles, 'cycle')} though"
    first = cases[0].jobs[0].id
    if count == 1:
        return f"job {first} {many} it could run"
    return f"{count} jobs {many} they could run, first {first}"


def _idle_users(rule: Rule, now: Sighting, _: Mapping[str, float]) -> Iterator[_Case]:
    waiting: dict[str, list[WaitingJob]] = {}
    for job in now.able:
        if _concerns(rule, job):
            waiting.setdefault(job.submitter, []).append(job)
    for name, jobs in waiting.items():
        seen = now.users[name]
        if not seen.running and not seen.matched:
            yield _Case(name, name, jobs[0].text, jobs)


def _idle_users_text(
    now: Sighting, subject: str, since: float, cycles: int, cases: Sequence[_Case]
) -> str:
    jobs = plural(len(cases[0].jobs), "job")
    return f"nothing of {subject} runs for {plural(cycles, 'cycle')}; {jobs} could"


def _below_quotas(rule: Rule, now: Sighting, _: Mapping[str, float]) -> Iterator[_Case]:
    for name, group in now.groups.items():
        if name == ROOT_GROUP and "groups" not in rule.patterns:
            continue  # nobody has given it the quota that is left
        lacks = group.quota * (1 - rule.numbers["margin"]) - group.used
        jobs = sorted(
            (job for job in now.waiting if job.group == name), key=lambda job: not job.able
        )
        # What is left of a quota may be too little for any slot.
        if jobs and lacks > 0 and lacks >= now.least_weight and rule.concerns("groups", name):
            yield _Case(name, name, jobs[0].text, jobs)


def _below_quotas_text(
    now: Sighting, subject: str, since: float, cycles: int, cases: Sequence[_Case]
) -> str:
    group, jobs = now.groups[subject], len(cases[0].jobs)
    use = f"group {subject} uses {short(group.used)} of its quota of {short(group.quota)}"
    wait = "waits" if jobs == 1 else "wait"
    return f"{use} for {duration(now.time - since)} while {plural(jobs, 'job')} {wait}"


def _full_limits(rule: Rule, now: Sighting, _: Mapping[str, float]) -> Iterator[_Case]:
    for name, limit in now.limits.items():
        full = limit.refused or limit.in_use >= limit.maximum
        if full and rule.concerns("limits", name):
            why = limit.refused[0].text if limit.refused else "no job is refused for it now"
            yield _Case(name, name, why, limit.refused)


def _full_limits_text(
    now: Sighting, subject: str, since: float, cycles: int, cases: Sequence[_Case]
) -> str:
    limit = now.limits[subject]
    use = f"{short(limit.in_use)} of {short(limit.maximum)} in use"
    jobs = plural(len(limit.refused), "job")
    return f"limit {subject} is full for {duration(now.time - since)}: {use}, {jobs} refused"


def _unused_cores(rule: Rule, now: Sighting, _: Mapping[str, float]) -> Iterator[_Case]:
    found = now.unused.get(POOL)
    if found is not None and found.cores >= rule.numbers["cores"]:
        yield _Case(POOL, POOL, found.first.text, (found.first,))


def _unused_cores_text(
    now: Sighting, subject: str, since: float, cycles: int, cases: Sequence[_Case]
) -> str:
    found = now.unused[POOL]
    jobs = f"{plural(found.jobs, 'waiting job')} {'matches' if found.jobs == 1 else 'match'}"
    core = "core is" if found.cores == 1 else "cores are"
    return f"{short(found.cores)} {core} idle for {duration(now.time - since)} that {jobs}"


def _known_schedds(known: Mapping[str, float], now: Sighting) -> dict[str, float]:
    """When each schedd had an ad last."""
    here = dict.fromkeys(now.schedds or (), now.time)
    return {name: at for name, at in {**known, **here}.items() if now.time - at < _FORGOTTEN}


def _silent_daemons(rule: Rule, now: Sighting, known: Mapping[str, float]) -> Iterator[_Case]:
    here = known if now.schedds is None else now.schedds
    gone = {name: "its ad has gone from the collector" for name in known if name not in here}
    for name, lacks in {**gone, **now.silent}.items():
        if rule.concerns("daemons", name):
            yield _Case(name, name, lacks)


def _silent_daemons_text(
    now: Sighting, subject: str, since: float, cycles: int, cases: Sequence[_Case]
) -> str:
    return f"{subject} is silent for {plural(cycles, 'cycle')}"


#: What is so in a cycle, and what is said of it when it has lasted.
_HELD: Final[
    Mapping[str, tuple[Callable[[Rule, Sighting, Mapping[str, float]], Iterator[_Case]], _Words]]
] = {
    "idle-job": (_idle_jobs, _idle_jobs_text),
    "idle-user": (_idle_users, _idle_users_text),
    "below-quota": (_below_quotas, _below_quotas_text),
    "full-limit": (_full_limits, _full_limits_text),
    "unused-cores": (_unused_cores, _unused_cores_text),
    "silent-daemon": (_silent_daemons, _silent_daemons_text),
}


# --- what happens ---------------------------------------------------------------------------------


def _preempted(rule: Rule, standing: Record, now: Sighting, before: Sighting | None) -> Judgement:
    """Jobs that were preempted so often within so many minutes."""
    window = rule.numbers["minutes"] * _MINUTE
    jobs: dict[str, JsonData] = {
        job: {**about, "times": [at for at in about["times"] if now.time - at < window]}
        for job, about in standing.get("jobs", {}).items()
    }
    for job, run, how in () if before is None else preempted_between(before, now):
        if _concerns(rule, run):
            times = [*jobs.get(job, {"times": ()})["times"], now.time]
            why = f"job {job.rpartition('#')[2]} of {run.submitter}: lost {run.slot}, {how}"
            jobs[job] = {"times": times, "submitter": run.submitter, "why": why}
    jobs = {job: about for job, about in jobs.items() if about["times"]}
    by_user: dict[str, list[str]] = {}
    for job, about in jobs.items():
        if len(about["times"]) >= rule.numbers["times"]:
            by_user.setdefault(about["submitter"], []).append(job)
    firing = {}
    for user, some in by_user.items():
        some.sort(key=lambda job: jobs[job]["times"])
        about, first = jobs[some[0]], some[0].rpartition("#")[2]
        which = f"job {first} of {user}" if len(some) == 1 else f"{len(some)} jobs of {user}"
        often = f"{len(about['times'])} times within {duration(window)}"
        more = "" if len(some) == 1 else f", first {first}"
        text = f"{which} preempted {often}{more}"
        firing[user] = Firing(about["times"][0], 0, text, about["why"], len(some), some[0])
    return Judgement({"jobs": jobs}, firing)


def preempted_between(before: Sighting, now: Sighting) -> Iterator[tuple[str, Running, str]]:
    """The jobs that a match has taken the slot from: where they ran, and how it went.

    A dynamic slot may have gone and be another one by the same name: of these only those count
    that the cycle was seen to take.
    """
    for job, run in before.running.items():
        now_at = now.running.get(job)
        if job not in now.idle and (now_at is None or now_at.slot == run.slot):
            continue
        how = before.taken.get(run.slot)
        holder = now.running.get(now.holders.get(run.slot, ""))
        if how is not None:
            yield job, run, how
        elif holder is not None and holder.submitter != run.submitter and run.is_lasting:
            other = now.holders[run.slot].rpartition("#")[2]
            yield job, run, f"which job {other} of {holder.submitter} has now"


def _long(rule: Rule, standing: Record, now: Sighting) -> Judgement:
    """A cycle that took much longer than those before."""
    times: list[float] = list(standing.get("seconds", ()))
    if now.seconds is None:
        return Judgement({"seconds": times}, unknown=frozenset({POOL}))
    firing = {}
    usual = median(times) if len(times) >= _KNOWN else None
    most = rule.numbers["seconds"]
    if usual is not None and now.seconds > max(most, rule.numbers["times"] * usual):
        text = f"the cycle took {short(now.seconds)} s, usual are {short(usual)} s"
        why = f"the median of the {len(times)} cycles before it is {short(usual)} s"
        firing[POOL] = Firing(now.time, 1, text, why)
    kept = [*times, now.seconds][-int(rule.numbers["of"]) :]
    return Judgement({"seconds": kept}, firing)


def _wrong(rule: Rule, standing: Record, now: Sighting) -> Judgement:
    """Predictions that stop coming true."""
    last: list[list[float]] = list(standing.get("exact", ()))
    if now.exact is not None:
        last = [*last, [now.time, float(now.exact)]][-int(rule.numbers["cycles"]) :]
    right = sum(exact for _, exact in last)
    firing = {}
    if len(last) >= rule.numbers["cycles"] and right < rule.numbers["share"] * len(last):
        text = f"{short(right)} of the last {len(last)} still cycles went as predicted"
        why = "`pieslice shadow` tells cycle by cycle what went otherwise"
        firing[POOL] = Firing(last[0][0], len(last), text, why)
    return Judgement({"exact": last}, firing)


def seconds_without_cycle(rule: Rule) -> float:
    """The seconds without a cycle after which a rule tells of it."""
    return rule.numbers["minutes"] * _MINUTE


def no_cycle(rule: Rule, since: float, now: float, trouble: str) -> Firing | None:
    """Whether there has been no cycle for too long; ``trouble``: what is waited for."""
    if now - since < seconds_without_cycle(rule):
        return None
    why = trouble or "the daemons answer, and the negotiator begins no cycle"
    return Firing(since, 0, f"no cycle for {duration(now - since)}", why)
