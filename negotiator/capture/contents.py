"""Reads what the files of a capture say besides configurations, of which several can be tried.

Where a file is missing another one stands in.  The time of the cycle is the one given, else when
the real cycle began, else the newest time in the ads: the clock and the environment are not read.
What the real negotiator would skip is skipped.

Inputs: a ``CaptureReader``.  Outputs: ``CaptureFiles``; diagnostics in the reader.  Raises
``InputError`` only when no cycle can be run at all.
Follows: the files that an administrator saves with ``condor_status -l`` and its siblings.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

from attr import Factory, define, frozen

from classad import ClassAd
from classad.analysis.changes import may_differ, reread_ad
from classad.errors import Diagnostic
from classad.language.rules import language_of
from classad.source import Source
from negotiator.accounting.log import DamagedLogError, read_log
from negotiator.accounting.records import complete, from_ads, from_log
from negotiator.capture.ads import LocatedAd, job_id
from negotiator.capture.agreement import Expected, ExpectedError, parse_expected
from negotiator.capture.configuration import pool_version
from negotiator.capture.files import (
    TOOLS,
    CaptureReader,
    InputError,
    StageWatch,
    read_manifest,
)
from negotiator.capture.made_up import made_up_jobs
from negotiator.capture.slots import PoolSlots, read_slots, times_of
from negotiator.jobs.readiness import IDLE
from negotiator.model.arithmetic import END_OF_CALENDAR
from negotiator.model.loaded_slots import LoadedSlots
from negotiator.model.snapshot import AccountantState
from policy.config import Config
from policy.versions import Followed

_TIMES: Final = ("MyCurrentTime", "LastHeardFrom", "LastUpdate", "ServerTime")


@define(eq=False)
class MadeOfFiles:
    """What was made of the files when they were read, for configurations that make the same of it.

    ``config``: by what it was read; ``senders``: the module that makes them knows what they are.
    Both are those of the first configuration, and stay.
    """

    config: tuple[object, Config] | None = None
    senders: object = None

    def __reduce__(self) -> tuple[type[MadeOfFiles], tuple[()]]:
        """Pickled as nothing: it is made again."""
        return MadeOfFiles, ()


@frozen(eq=False)
class CaptureFiles:
    """What the files of a capture say, but for its configurations: several can be tried with it.

    ``now``: the time of the cycle, by ``now_from``.  ``submitters``: their ads; None if they are to
    be made from jobs.  ``ordered``: slots and submitters stand in the order of the negotiator.
    """

    slots: PoolSlots
    jobs: Sequence[LocatedAd]
    schedds: Sequence[LocatedAd]
    accounting: Sequence[LocatedAd]
    claims: Sequence[LocatedAd] | None
    accountant: AccountantState
    submitters: Sequence[ClassAd] | None
    expected: Expected | None
    ordered: bool
    followed: Followed
    now: float
    now_from: str
    diagnostics: Sequence[Diagnostic]
    #: How they were read: the paths, the version, the time that was asked for.
    read_as: tuple[object, ...]
    made: MadeOfFiles = Factory(MadeOfFiles)

    @classmethod
    def read(cls, reader: CaptureReader, now: float | None, progress: StageWatch) -> CaptureFiles:
        """Read them; raises ``InputError``.  ``now``: None for the time that they tell."""
        manifest = read_manifest(reader)
        with progress.stage("reading slots"):
            slots = read_slots(reader, _TIMES, ordered=manifest.ordered)
        with progress.stage("reading jobs"):
            jobs = _jobs(reader, slots.ads)
        schedds, accounting = (reader.ads(part) or [] for part in ("schedds", "accounting"))
        submitters = _submitters(reader, accountant := _accountant(reader, accounting))
        expected = _expected(reader)
        ads = times_of((*jobs, *schedds, *accounting, *(reader.ads("negotiator") or ())), _TIMES)
        followed = _followed(reader, slots.ads, (*(job.ad for job in jobs), *(submitters or ())))
        moment, origin = _time(reader, now, expected, [*slots.times, *ads, *manifest.times])
        return cls(
            slots,
            jobs,
            schedds,
            accounting,
            reader.ads("claims"),
            accountant,
            submitters,
            expected,
            manifest.ordered,
            followed,
            moment,
            origin,
            tuple(reader.diagnostics),
            _read_as(reader, now),
        )

    def serves(self, reader: CaptureReader, now: float | None) -> bool:
        """Whether the same would be read again."""
        return self.read_as == _read_as(reader, now)


def _read_as(reader: CaptureReader, now: float | None) -> tuple[object, ...]:
    paths = reader.paths
    given = {what: path for what, path in paths.given.items() if what != "config"}
    how = paths.needs_jobs, paths.made_up_jobs, reader.version, reader.fallback, now
    return (paths.folder, given, paths.ads, paths.title, *how)


def _jobs(reader: CaptureReader, slots: Sequence[ClassAd]) -> list[LocatedAd]:
    ads = reader.ads("jobs")
    if reader.paths.made_up_jobs:
        if ads is None:
            return _made_up(reader, slots)
        reader.warn("the pool has job ads: no jobs are made up", severity="note")
    if ads is None:
        said = f"{reader.missing('jobs')}: no such file;"
        if reader.paths.needs_jobs:
            raise reader.stop(f"{said} a cycle needs job ads")
        help = f"save `{TOOLS['jobs']}` as jobs.ads beside the slots"
        reader.warn(f"{said} no job is matched", help=help)
        ads = []
    jobs = []
    for ad in ads:
        *numbers, status = ad.ad.evaluate_all(("clusterid", "procid", "jobstatus"))
        if not all(number.__class__ is int for number in numbers):
            message = "job without integers `ClusterId` and `ProcId`; skipped"
            reader.diagnostics.append(ad.problem(message))
            continue
        if (
            status.__class__ in (int, float)
            and status == IDLE
            and ad.ad.raw("Requirements") is None
        ):
            message = f"job `{job_id(ad.ad)}` has no `Requirements`; it matches no slot"
            reader.diagnostics.append(ad.problem(message))
        jobs.append(ad)
    return jobs


def _made_up(reader: CaptureReader, slots: Sequence[ClassAd]) -> list[LocatedAd]:
    """Jobs that are made up from what runs, and that they are."""
    jobs = made_up_jobs(slots)
    if jobs:
        half = len(jobs) // 2
        what = f"{half} that run{'s' * (half == 1)} and {half} that wait{'s' * (half == 1)}"
        reader.warn(f"the jobs are made up from what runs: {what}")
    else:
        reader.warn("no slot is claimed: no jobs can be made up from what runs")
    return [LocatedAd(ad, Source(str(ad), "jobs that are made up")) for ad in jobs]


def _accountant(reader: CaptureReader, accounting: Sequence[LocatedAd]) -> AccountantState:
    """From the log if there is one, else from accounting ads."""
    found = reader.text("accountant_log")
    if found is not None:
        name, text = found
        try:
            log = read_log(text, name)
        except DamagedLogError as problem:
            reader.diagnostics.append(problem.diagnostic)
            if not accounting:
                raise InputError(reader.diagnostics) from None
            reader.warn(f"{name}: not used; priorities are those of the accounting ads")
        else:
            reader.diagnostics.extend(log.diagnostics)
            state, changed = complete(from_log(log), (ad.value for ad in accounting))
            if changed:
                newer = f"{len(changed)} records have the newer usage of the accounting ads"
                reader.warn(f"{name}: {newer}", severity="detail")
            return state
    if not accounting:
        reader.warn(
            "no accounting data; every submitter starts with real priority 0.5 and no usage",
            help=f"save `{TOOLS['accounting']}` as accounting.ads beside the slots",
        )
    return from_ads(ad.value for ad in accounting)


def _submitters(reader: CaptureReader, accountant: AccountantState) -> Sequence[ClassAd] | None:
    """The submitter ads of the capture; None if they are to be made from jobs."""
    located = reader.ads("submitters")
    if located is None:
        reader.warn(f"{reader.missing('submitters')}: no such file; submitters are made from jobs")
        return None
    found = []
    unknown: dict[str, None] = {}
    for ad in located:
        name = ad.text("Name")
        if name is None or ad.text("ScheddName") is None or ad.text("ScheddIpAddr") is None:
            message = "submitter ad without `Name`, `ScheddName` or `ScheddIpAddr`; skipped"
            reader.diagnostics.append(ad.problem(message))
            continue
        if accountant.customers and name not in accountant.customers:
            unknown[name] = None
        found.append(ad.ad)
    if unknown:
        who = f"submitter `{next(iter(unknown))}` has"
        if len(unknown) > 1:
            who = f"{len(unknown)} submitters (`{next(iter(unknown))}` first) have"
        start = "starting with real priority 0.5, as in the real accountant"
        reader.warn(f"{who} no priority record, {start}", severity="note")
    return found


def _expected(reader: CaptureReader) -> Expected | None:
    found = reader.text("expected")
    if found is None:
        return None
    name, text = found
    try:
        return parse_expected(json.loads(text))
    except json.JSONDecodeError as problem:
        at = Source(text, name)
        message = f"not JSON: {problem.msg[:1].lower()}{problem.msg[1:]}; no comparison"
        reader.diagnostics.append(Diagnostic(message, at, problem.pos, problem.pos + 1))
    except (ValueError, ExpectedError, RecursionError) as problem:
        reader.warn(f"{name}: {problem}; no comparison", severity="error")
    return None


def expected_name(reader: CaptureReader) -> str:
    """What the recorded decisions are called."""
    found = reader.paths.find("expected")
    return "expected.json" if found is None else found.name


def _time(
    reader: CaptureReader, now: float | None, expected: Expected | None, times: Sequence[float]
) -> tuple[float, str]:
    """The time of the cycle and where it is from."""
    if now is not None:
        return now, "as given"
    if expected is not None and expected.cycle_started_at is not None:
        return expected.cycle_started_at, f"from {expected_name(reader)}"
    times = [time for time in times if abs(time) < END_OF_CALENDAR]
    if not times:
        raise reader.stop("no ad tells the time of the cycle", help="give it with --now")
    return float(max(times)), "the newest in the ads"


def _followed(reader: CaptureReader, slots: Sequence[ClassAd], ads: Iterable[ClassAd]) -> Followed:
    """The version of the pool; ads are read by its rules, which are known only now."""
    followed = pool_version(reader)
    language = language_of(followed.version)
    if not language.blank_in_elvis:
        # Slots in columns stay there if nothing in them is read otherwise.
        if not isinstance(slots, LoadedSlots) or may_differ(slots.loaded.texts, language):
            ads = chain(slots, ads)
        for ad in ads:
            reread_ad(ad, language)
    return followed
