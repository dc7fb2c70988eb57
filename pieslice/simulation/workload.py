"""Reads or draws the jobs of a simulation: which jobs come when.

Decides how traces, tables, captured queues and descriptions of random streams become jobs.

Inputs: text of a file, rows, job ads, a seed.  Outputs: ``Workload``: jobs by time of submission
(seconds from the start of the simulation) and the kinds of job among them.  Raises
``WorkloadError`` with file and line.  Follows: the Standard Workload Format 2.2 for traces
(``.swf``).
"""

from __future__ import annotations

import csv
import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from random import Random
from typing import Final

from attr import define, field, frozen

from classad import ClassAd
from classad.ads.expression import Expression, parsed
from classad.language.bounds import glance
from classad.language.values import INT_MAX
from negotiator.jobs.autoclusters import AutoclusterTable
from negotiator.jobs.endings import decides_itself
from pieslice.data import JsonObject
from pieslice.reports.names import did_you_mean
from pieslice.simulation.errors import WorkloadError

#: What a captured job has from where it was, and what is different in every job of a simulation.
_OF_THE_SCHEDD: Final = ("AutoClusterAttrs", "AutoClusterId", "CurrentHosts")
_ANEW: Final = ("ClusterId", "ProcId", "GlobalJobId", "QDate")
_REQUIREMENTS: Final = "TARGET.Cpus >= RequestCpus && TARGET.Memory >= RequestMemory"
#: Columns of the Standard Workload Format, from 0.
_JOB, _SUBMIT, _RUN, _USED_CPUS, _USED_MEMORY, _CPUS, _MEMORY = 0, 1, 3, 4, 6, 7, 9
_USER, _GROUP = 11, 12
_SWF_COLUMNS: Final = 18
_DOMAIN: Final = "sim.example"
#: Columns that a table of jobs must have.
_NEEDED: Final = ("submit", "user", "run_time")
#: More jobs are a slip, and fill the memory.
_MOST_JOBS: Final = 10_000_000


@frozen(eq=False)
class JobKind:
    """A kind of job: submitter name, weight (cores) and the ad that all of the kind share.

    ``gang``: its jobs run on several slots at once, on ``hosts``; cores and ad are those of one.
    """

    user: str
    cpus: float
    ad: ClassAd
    hosts: int = 1
    gang: bool = False


@frozen
class Arrival:
    """One job: when it is submitted, how long it runs (seconds), its shape by number.

    ``origin``: its number where it comes from: in a trace, or in the queue that was captured.
    """

    submit: int
    run_time: int
    shape: int
    origin: str = ""


@frozen(eq=False)
class RecordedJob:
    """A job of a capture or a history: its submitter, its ad.

    Of a history also when it was ``submit``ted, in seconds from its beginning, and how long it
    runs.
    """

    user: str
    ad: ClassAd
    submit: int = 0
    run_time: int = 0

    @property
    def origin(self) -> str:
        """Its number in its queue."""
        return ".".join(f"{self.ad.get_number(name) or 0:g}" for name in ("ClusterId", "ProcId"))


@define(eq=False)
class Workload:
    """All jobs, the earliest first, and their shapes.

    ``left_out``: how many jobs of a queue take no slots of the pool, by what they are.
    ``ending``: how many jobs have expressions that may end them before their time.
    ``processors``: cores are processors, which may be those of several machines.
    """

    shapes: list[JobKind] = field(factory=list)
    arrivals: list[Arrival] = field(factory=list)
    left_out: Mapping[str, int] = field(factory=dict)
    ending: int = 0
    processors: bool = False
    _known: dict[tuple[object, ...], int] = field(factory=dict)

    def shape(self, user: str, group: str, cpus: int, memory: int) -> int:
        """The number of the plain shape with these requests; memory in MB."""
        key = (user, group, cpus, memory)
        if key not in self._known:
            self._known[key] = len(self.shapes)
            self.shapes.append(_plain_shape(user, group, cpus, memory))
        return self._known[key]

    def captured_shape(self, user: str, autocluster: int, ad: ClassAd) -> int:
        """The number of the shape of the captured jobs of a user in an autocluster."""
        key = (user, autocluster)
        if key not in self._known:
            self._known[key] = len(self.shapes)
            cpus = ad.get_number("RequestCpus")
            self.shapes.append(JobKind(user, 1.0 if cpus is None else float(cpus), ad))
        return self._known[key]

    def sorted(self) -> Workload:
        """Itself, with the jobs in the order of submission."""
        self.arrivals.sort(key=lambda job: job.submit)
        return self


def _plain_shape(user: str, group: str, cpus: int, memory: int) -> JobKind:
    owner, _, domain = user.partition("@")
    ad = ClassAd()
    full = f"{owner}@{domain or _DOMAIN}"
    values: JsonObject = {
        "MyType": "Job",
        "Owner": owner,
        "User": full,
        "JobStatus": 1,
        "JobUniverse": 5,
        "JobPrio": 0,
        "RequestCpus": cpus,
        "RequestMemory": memory,
        "RequestDisk": 0,
    }
    if group:
        values |= {"AccountingGroup": f"{group}.{owner}", "AcctGroup": group}
    for name, value in values.items():
        ad.insert(name, value)
    ad.insert("Requirements", Expression.from_node(parsed(_REQUIREMENTS)))
    return JobKind(f"{group}.{full}" if group else full, float(cpus), ad)


# --- traces and tables ------------------------------------------------------------------------


def from_swf(lines: Iterable[str], name: str) -> Workload:
    """A trace; jobs that never ran are left out, memory (KB per processor) becomes MB."""
    workload = Workload(processors=True)
    for number, line in enumerate(lines, 1):
        words = line.split(";")[0].split()
        if not words:
            continue
        row = _swf_numbers(words)
        if row is None:
            raise WorkloadError(f"{name}:{number}: `{line.strip()}` is not a line of SWF")
        if len(row) < _SWF_COLUMNS:
            raise WorkloadError(f"{name}:{number}: {len(row)} columns; SWF has {_SWF_COLUMNS}")
        if row[_RUN] <= 0:
            continue
        cpus = int(row[_CPUS] if row[_CPUS] > 0 else max(row[_USED_CPUS], 1))
        per_cpu = row[_MEMORY] if row[_MEMORY] > 0 else max(row[_USED_MEMORY], 0)
        memory = int(per_cpu * cpus / 1024)
        if memory > INT_MAX:
            raise WorkloadError(f"{name}:{number}: the memory is more than {INT_MAX} MB")
        group = f"group{int(row[_GROUP])}" if row[_GROUP] > 0 else ""
        shape = workload.shape(f"user{int(row[_USER])}", group, cpus, memory)
        arrival = Arrival(int(row[_SUBMIT]), int(row[_RUN]), shape, str(int(row[_JOB])))
        workload.arrivals.append(arrival)
    return workload.sorted()


def _swf_numbers(words: Iterable[str]) -> list[float] | None:
    """The numbers of a line; None if one is none, or none that an ad can have."""
    try:
        row = [float(word) for word in words]
    except ValueError:
        return None
    return row if all(-INT_MAX <= number <= INT_MAX for number in row) else None


def from_csv(lines: Iterable[str], name: str) -> Workload:
    """A table with the columns ``submit user run_time``, maybe ``group cpus memory count job``."""
    return _jobs(table_rows(lines, name, _NEEDED))


def table_rows(
    lines: Iterable[str], name: str, needed: Iterable[str]
) -> Iterator[tuple[str, dict[str, str | None]]]:
    """The rows of a table of CSV that has the columns that are needed, each with its place."""
    reader = csv.DictReader(lines)
    try:
        missing = set(needed) - set(reader.fieldnames or ())
        if missing:
            raise WorkloadError(f"{name}:1: no column `{min(missing)}`")
        for row in reader:
            yield f"{name}:{reader.line_num}", row
    except csv.Error as problem:
        raise WorkloadError(f"{name}:{reader.line_num + 1}: {problem}") from None


def from_rows(rows: Iterable[object], name: str) -> Workload:
    """The rows of such a table as values."""
    places = ((f"{name}: row {number}", row) for number, row in enumerate(rows, 1))
    return _jobs((at, _texts(row, at)) for at, row in places)


def _texts(row: object, at: str) -> dict[str, str | None]:
    if not isinstance(row, Mapping):
        raise WorkloadError(f"{at}: `{row}` is not a dictionary")
    return {key: None if value is None else str(value) for key, value in row.items()}


def _jobs(rows: Iterable[tuple[str, Mapping[str, str | None]]]) -> Workload:
    """The jobs of rows, each with its place."""
    workload = Workload()
    for at, row in rows:
        user = row.get("user")
        if not user or any(char.isspace() for char in user):
            raise WorkloadError(f"{at}: `{user}` is not a user name")
        cpus = _whole(row.get("cpus") or "1", "cpus", at, least=1)
        memory = _whole(row.get("memory") or "0", "memory", at)
        shape = workload.shape(user, row.get("group") or "", cpus, memory)
        submit = _whole(row.get("submit"), "submit", at)
        run_time = _whole(row.get("run_time"), "run_time", at)
        count = _whole(row.get("count") or "1", "count", at)
        _check_number(len(workload.arrivals) + count, at)
        workload.arrivals += [Arrival(submit, run_time, shape, row.get("job") or "")] * count
    return workload.sorted()


def _check_number(jobs: float, at: str) -> None:
    if jobs > _MOST_JOBS:
        raise WorkloadError(f"{at}: {jobs:.3g} jobs are more than {_MOST_JOBS:,}")


def _whole(text: str | None, column: str, at: str, least: int = 0) -> int:
    if not text:
        raise WorkloadError(f"{at}: no {column}")
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < least:
        raise WorkloadError(f"{at}: {column} `{text}` is not a whole number of at least {least}")
    if number > INT_MAX:
        raise WorkloadError(f"{at}: {column} `{text}` is more than {INT_MAX}")
    return number


# --- random streams ---------------------------------------------------------------------------


def from_toml(text: str, name: str, seed: int, seconds: int) -> Workload:
    """The streams of a file; see ``from_streams``."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise WorkloadError(f"{name}: {problem}") from None
    except ValueError:
        raise WorkloadError(f"{name}: a number has thousands of digits") from None
    streams = content.get("stream")
    if not isinstance(streams, list) or not streams:
        raise WorkloadError(f"{name}: contains no [[stream]]")
    return from_streams(streams, name, seed, seconds)


def from_streams(streams: Iterable[object], name: str, seed: int, seconds: int) -> Workload:
    """Streams of jobs: each user's ``backlog`` at the start and ``per_hour`` after that."""
    workload = Workload()
    for number, stream in enumerate(streams):
        # A generator for each stream, so that changing one leaves the others as they are.
        at = f"{name}: stream {number + 1}"
        _add_stream(workload, stream, at, Random(f"{seed}/{number}"), seconds)
    return workload.sorted()


_STREAM: Final[Mapping[str, object]] = {
    "user": "", "group": "", "cpus": 1, "memory": 0, "backlog": 0, "per_hour": 0.0, "batch": 1,
    "run_time": 3600, "spread": 0.0, "begin_hour": 0.0, "end_hour": math.inf,
}  # fmt: skip
_WHOLE: Final = ("cpus", "memory", "backlog", "batch")
#: Larger numbers are slips, and leave the calendar or the range of numbers.
_MOST: Final[Mapping[str, float]] = {"spread": 10}
_MOST_OF_ANY: Final = 1e9


def _add_stream(workload: Workload, stream: object, at: str, rng: Random, seconds: int) -> None:
    if not isinstance(stream, Mapping):
        raise WorkloadError(f"{at}: `{stream}` is not a table")
    for key, value in stream.items():
        if key not in _STREAM:
            raise WorkloadError(f"{at}: unknown key `{key}`{did_you_mean(key, _STREAM)}")
        if (wanted := _unlike(value, key)) is not None:
            raise WorkloadError(f"{at}: {key} `{value}` is not {wanted}")
    settings = {**_STREAM, **stream}
    if not settings["user"]:
        raise WorkloadError(f"{at}: no `user`")
    jobs = settings["per_hour"] * seconds / 3600 + settings["backlog"]
    _check_number(max(jobs, settings["batch"]), at)
    shape = workload.shape(
        settings["user"], settings["group"], int(settings["cpus"]), int(settings["memory"])
    )
    begin = int(settings["begin_hour"] * 3600)
    end = min(settings["end_hour"] * 3600, seconds)
    moments = [begin] * int(settings["backlog"])
    moments += _poisson(begin, end, settings["per_hour"], int(settings["batch"]), rng)
    for moment in moments:
        glance("making jobs")
        run_time = settings["run_time"] * math.exp(rng.gauss(0.0, 1.0) * settings["spread"])
        workload.arrivals.append(Arrival(moment, max(1, round(run_time)), shape))


def _unlike(value: object, key: str) -> str | None:
    """What a value of a stream should be, if it is not."""
    example = _STREAM[key]
    if isinstance(example, str):
        fine = isinstance(value, str) and not any(char.isspace() for char in value)
        return None if fine else "a name without spaces"
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return "a number"
    if value > _MOST.get(key, _MOST_OF_ANY) and value != example:
        return f"a number of at most {_MOST.get(key, _MOST_OF_ANY):g}"
    least = 1 if key in ("cpus", "batch", "run_time") else 0
    if key in _WHOLE:
        fine = isinstance(value, int) and value >= least
        return None if fine else f"a whole number of at least {least}"
    return None if value >= least else f"a number of at least {least}"


def _poisson(begin: int, end: float, per_hour: float, batch: int, rng: Random) -> Iterator[int]:
    """Moments of jobs that come in batches at random, so many an hour on average."""
    if per_hour <= 0 or batch < 1:
        return
    moment = float(begin)
    while True:
        moment += rng.expovariate(per_hour / batch / 3600)
        if moment >= end:
            return
        yield from [int(moment)] * batch


def from_capture(
    jobs: Iterable[RecordedJob],
    asked: frozenset[str],
    seed: int,
    seconds: int,
    every: int,
    run_time: int,
) -> Workload:
    """The queue of a capture, submitted anew every so many seconds (0: once).

    ``asked``: the attributes (lower-cased) that tell jobs of a user apart, together with what these
    refer to in the jobs.  Run times, which no queue knows, scatter around ``run_time`` as e to a
    normal deviate.
    """
    rng = Random(f"{seed}/capture")
    workload = Workload()
    found = list(jobs)
    shapes = _captured_shapes(workload, found, asked)
    workload.ending = sum(decides_itself(job.ad) for job in found)
    for moment in range(0, max(seconds, 1), every) if every > 0 else (0,):
        for job, shape in zip(found, shapes, strict=True):
            length = max(1, round(run_time * math.exp(rng.gauss(0.0, 1.0))))
            workload.arrivals.append(Arrival(moment, length, shape, job.origin))
    return workload.sorted()


def from_recorded(jobs: Iterable[RecordedJob], asked: frozenset[str]) -> Workload:
    """Jobs as they came and for as long as they ran; ``asked`` as for a capture."""
    workload, found = Workload(), list(jobs)
    shapes = _captured_shapes(workload, found, asked)
    workload.ending = sum(decides_itself(job.ad) for job in found)
    workload.arrivals += (
        Arrival(job.submit, job.run_time, shape, job.origin)
        for job, shape in zip(found, shapes, strict=True)
    )
    return workload.sorted()


def _captured_shapes(
    workload: Workload, jobs: Iterable[RecordedJob], asked: frozenset[str]
) -> list[int]:
    """The shape of each captured job by number."""
    waiting = [(job.user, _waiting(job.ad)) for job in jobs]
    alike = [_without(ad, _ANEW) for _, ad in waiting]
    table = AutoclusterTable(asked)
    return [
        workload.captured_shape(user, table.id_of(known), ad)
        for (user, ad), known in zip(waiting, alike, strict=True)
    ]


def _waiting(ad: ClassAd) -> ClassAd:
    """A captured job as one that was just submitted."""
    copy = _without(ad, _OF_THE_SCHEDD)
    copy.insert("JobStatus", 1)
    return copy


def _without(ad: ClassAd, names: Iterable[str]) -> ClassAd:
    copy = ad.duplicate()
    for name in names:
        copy.remove(name)
    return copy
