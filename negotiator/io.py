"""Reads a captured pool from its files.

Where a file is missing another one stands in.  The time of the cycle is the one given, else when
the real cycle began, else the newest time in the ads: the clock and the environment are not read.
What the real negotiator would skip is skipped.

Inputs: a folder of a capture and paths that replace its files.  Outputs: ``Capture``: the
``Snapshot`` with slots in pool order, the policy, the time, and diagnostics for all that was wrong.
Raises ``InputError`` only when no cycle can be run at all.
Follows: the files that an administrator saves with ``condor_status -l`` and its siblings.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Final

from attr import Factory, evolve, frozen

from classad import ClassAd
from classad.analysis.changes import may_differ, reread_ad
from classad.errors import ClassAdParseError, Diagnostic
from classad.language.rules import language_of
from classad.source import Source
from negotiator.accounting.log import DamagedLogError, read_log
from negotiator.accounting.records import complete, from_ads, from_log, group_quotas
from negotiator.capture.ads import LocatedAd, job_id
from negotiator.capture.agreement import Expected, ExpectedError, parse_expected
from negotiator.capture.configuration import (
    INTERVAL,
    capture_policy,
    configurations_before,
    pool_version,
)
from negotiator.capture.files import (
    SILENT,
    CapturePaths,
    CaptureReader,
    InputError,
    StageWatch,
    read_manifest,
)
from negotiator.capture.group_maps import Assignments, assign_groups
from negotiator.capture.schedds import make_queues, make_submitters, schedd_versions, with_matches
from negotiator.capture.slots import read_slots, submitter_order, times_of
from negotiator.jobs.readiness import IDLE, count_idle
from negotiator.matching.stopwatch import RequestCosts
from negotiator.model.arithmetic import END_OF_CALENDAR
from negotiator.model.garbage import without_collecting
from negotiator.model.loaded_slots import LoadedSlots
from negotiator.model.snapshot import (
    AccountantState,
    PoolFacts,
    Snapshot,
    UnsupportedKnob,
    machine_of,
)
from negotiator.pool.consumption import claim_ids
from policy.claims import ClaimSettings
from policy.config import Config
from policy.dialects import HTCONDOR, Dialect
from policy.language.expressions import parse
from policy.language.table import DETECTED_ORIGIN
from policy.model import NegotiatorPolicy
from policy.versions import NOT_GIVEN, Followed

if TYPE_CHECKING:
    from negotiator.whatif.pool import WhatIf

__all__ = ["Capture", "CapturePaths", "InputError", "read_capture"]

_TIMES: Final = ("MyCurrentTime", "LastHeardFrom", "LastUpdate", "ServerTime")


@frozen(eq=False)
class OtherNegotiator:
    """A negotiator besides the first: its local name and its policy."""

    name: str
    policy: NegotiatorPolicy
    unsupported: tuple[UnsupportedKnob, ...]


@frozen(eq=False)
class Capture:
    """A pool ready for a cycle."""

    snapshot: Snapshot
    policy: NegotiatorPolicy
    facts: PoolFacts
    diagnostics: tuple[Diagnostic, ...]
    unsupported: tuple[UnsupportedKnob, ...] = ()
    expected: Expected | None = None
    expected_name: str = "expected.json"
    #: The seconds that requests take, for the time limits.
    costs: RequestCosts = Factory(RequestCosts)
    #: The local name of the negotiator, and others that negotiate over the same pool.
    local_name: str | None = None
    others: tuple[OtherNegotiator, ...] = ()
    #: The accounting groups that the schedds' map gives to waiting jobs.
    assignments: Assignments = Factory(Assignments)
    #: Seconds between two ads of a startd.
    update_interval: int = INTERVAL
    #: What a configuration in place of the pool's own changes besides the policy; None without one.
    what_if: WhatIf | None = None
    #: What machines do with claims that have kept their configuration.
    of_machines: Mapping[str, ClaimSettings] = Factory(dict)

    def negotiators(self) -> list[Capture]:
        """The pool as each of its negotiators has it: with its own policy."""
        mine = evolve(self, others=())
        return [
            mine,
            *(
                evolve(mine, policy=item.policy, unsupported=item.unsupported, local_name=item.name)
                for item in self.others
            ),
        ]


@without_collecting()
def read_capture(
    paths: CapturePaths,
    *,
    now: float | None = None,
    local_names: Sequence[str] = (),
    dialect: Dialect = HTCONDOR,
    version: Followed | None = None,
    fallback: Followed = NOT_GIVEN,
    progress: StageWatch = SILENT,
) -> Capture:
    """Read everything; see the module.

    ``local_names``: of the negotiators of the pool; none for the one that has no local name.
    ``version``: that of the pool; None: its daemons tell theirs, else it is ``fallback``.
    """
    reader = CaptureReader(paths, dialect, version=version, fallback=fallback)
    manifest = read_manifest(reader)
    with progress.stage("reading slots"):
        slots = read_slots(reader, _TIMES, ordered=manifest.ordered)
    with progress.stage("reading jobs"):
        jobs = _jobs(reader)
    schedds, accounting = (reader.ads(part) or [] for part in ("schedds", "accounting"))
    advertised = _submitters(reader, accountant := _accountant(reader, accounting))
    expected = _expected(reader)
    ads = times_of((*jobs, *schedds, *accounting, *(reader.ads("negotiator") or ())), _TIMES)
    followed = _followed(reader, slots.ads, (*(job.ad for job in jobs), *(advertised or ())))
    moment, origin = _time(reader, now, expected, [*slots.times, *ads, *manifest.times])
    local_name = next(iter(local_names), None)
    loaded = capture_policy(reader, moment, followed, local_name)
    others = tuple(_other(reader, moment, followed, name) for name in local_names[1:])
    default = next((name for ad in schedds if (name := ad.text("Name"))), "schedd")
    if (submitters := advertised) is None:
        submitters = make_submitters(jobs, schedds, default, loaded.policy)
    versions = schedd_versions(reader, schedds, submitters, followed)
    queues, submitters, assignments = assign_groups(
        loaded.group_map, make_queues(jobs, default, versions, schedds), submitters, loaded.policy
    )
    snapshot = Snapshot(
        slots=slots.ads,
        submitters=_in_pool_order(submitters, told=manifest.ordered and advertised is not None),
        queues=with_matches(queues, reader.ads("claims")),
        accountant=accountant,
        previous_quotas=_quotas(reader, accounting, loaded.policy),
        claims=claim_ids(slots.ads),
    )
    capture = Capture(
        snapshot,
        loaded.policy,
        _facts(reader, slots.names, jobs, submitters, moment, origin, followed),
        (*reader.diagnostics, *lacking(snapshot, loaded.policy)),
        loaded.unsupported,
        expected,
        _expected_name(reader),
        local_name=local_name,
        others=others,
        assignments=assignments,
        update_interval=loaded.update_interval,
    )
    return _under_its_configuration(capture, reader, loaded.config, schedds)


def _under_its_configuration(
    capture: Capture, reader: CaptureReader, config: Config, schedds: Sequence[LocatedAd]
) -> Capture:
    """The pool with a configuration in place of those that it had before."""
    facts = capture.facts
    before = configurations_before(reader, facts.now, facts.version, capture.local_name)
    return under_other_configurations(capture, reader, [*before, config], schedds)


def under_other_configurations(
    capture: Capture,
    reader: CaptureReader,
    configs: Sequence[Config],
    schedds: Sequence[LocatedAd] = (),
) -> Capture:
    """The pool with each of the configurations in place of the one before it.

    ``schedds``: their ads.  The last configuration is that of the policy.  Raises ``InputError``
    for one that a daemon would not start with.
    """
    if len(configs) < 2:
        return capture
    from negotiator.whatif.pool import Reconfiguration

    known = {name: ad.ad for ad in schedds if (name := ad.text("Name"))}
    where = None
    if text := reader.paths.where:
        try:
            where = parse(text, Source(text, "--for"), whole=True)
        except ClassAdParseError as problem:
            found = problem.diagnostic or Diagnostic(str(problem))
            raise InputError([*reader.diagnostics, found]) from None
    capture = evolve(capture, diagnostics=(*_short(*configs[:2]), *capture.diagnostics))
    for before, after in pairwise(configs):
        step = Reconfiguration(before, after, where, text)
        refused = step.refused()
        if refused:
            spots = {(one.source, one.start) for one in refused}
            others = [it for it in reader.diagnostics if (it.source, it.start) not in spots]
            raise InputError([*others, *refused])
        other = step.carried_out(capture.snapshot, capture.policy, known, capture.facts.now)
        users = len({ad.evaluate_attr("Name") for ad in other.snapshot.submitters})
        capture = evolve(
            capture,
            snapshot=other.snapshot,
            facts=evolve(capture.facts, users=users),
            what_if=other.what_if,
            of_machines=other.of_machines,
        )
    return capture


def _short(before: Config, after: Config) -> Iterator[Diagnostic]:
    """Says so if a configuration takes the place of one with more than twice as many macros.

    A file with what is to change is easily taken for one with all that there is.
    """
    own, others = (
        sum(
            entry.origin != DETECTED_ORIGIN and entry.template is None
            for entry in config.scope.table
        )
        for config in (before, after)
    )
    if 2 * others < own:
        macros = "1 macro" if others == 1 else f"{others} macros"
        text = f"the configuration in place of the pool's own has {macros}, without its {own}"
        how = "--also reads a file after the pool's own configuration"
        yield Diagnostic(text, severity="warning", help=how)


def _expected_name(reader: CaptureReader) -> str:
    """What the recorded decisions are called."""
    found = reader.paths.find("expected")
    return "expected.json" if found is None else found.name


def _in_pool_order(submitters: Sequence[ClassAd], *, told: bool) -> tuple[ClassAd, ...]:
    if told:
        return tuple(submitters)
    senders = [
        (ad.get_string("Name") or "", ad.get_string("ScheddName") or "") for ad in submitters
    ]
    return tuple(submitters[i] for i in submitter_order(senders))


def _quotas(
    reader: CaptureReader, accounting: Sequence[LocatedAd], policy: NegotiatorPolicy
) -> dict[str, float] | None:
    """The quotas that the cycle before left."""
    quotas = group_quotas(ad.value for ad in accounting)
    if policy.groups and quotas is None:
        reader.warn(
            "no accounting ads with group quotas; "
            "`RemoteGroupQuota` is undefined, as in the first cycle of a negotiator",
            severity="detail",
        )
    return quotas


def _jobs(reader: CaptureReader) -> list[LocatedAd]:
    ads = reader.ads("jobs")
    if ads is None:
        raise reader.stop(f"{reader.missing('jobs')}: no such file; a cycle needs job ads")
    jobs = []
    for ad in ads:
        if not all(isinstance(ad.number(name), int) for name in ("ClusterId", "ProcId")):
            message = "job without integers `ClusterId` and `ProcId`; skipped"
            reader.diagnostics.append(ad.problem(message))
            continue
        if ad.number("JobStatus") == IDLE and ad.ad.raw("Requirements") is None:
            message = f"job `{job_id(ad.ad)}` has no `Requirements`; it matches no slot"
            reader.diagnostics.append(ad.problem(message))
        jobs.append(ad)
    return jobs


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
            help="save `condor_userprio -all -l` as accounting.ads beside the slots",
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


def _time(
    reader: CaptureReader, now: float | None, expected: Expected | None, times: Sequence[float]
) -> tuple[float, str]:
    """The time of the cycle and where it is from."""
    if now is not None:
        return now, "as given"
    if expected is not None and expected.cycle_started_at is not None:
        return expected.cycle_started_at, f"from {_expected_name(reader)}"
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


def _other(reader: CaptureReader, now: float, followed: Followed, name: str) -> OtherNegotiator:
    """Another negotiator; what is wrong with its configuration alone is said as well."""
    known = {item.render() for item in reader.diagnostics}
    own = CaptureReader(reader.paths, reader.dialect)
    loaded = capture_policy(own, now, followed, name)
    reader.diagnostics.extend(item for item in own.diagnostics if item.render() not in known)
    return OtherNegotiator(name, loaded.policy, loaded.unsupported)


def _facts(
    reader: CaptureReader,
    slots: Collection[str],
    jobs: Sequence[LocatedAd],
    submitters: Sequence[ClassAd],
    now: float,
    now_from: str,
    followed: Followed,
) -> PoolFacts:
    machines = {machine_of(slot) for slot in slots}
    idle, not_requested = count_idle(ad.ad for ad in jobs)
    return PoolFacts(
        name=reader.paths.name(),
        machines=len(machines),
        slots=len(slots),
        users=len({ad.evaluate_attr("Name") for ad in submitters}),
        jobs=len(jobs),
        idle_jobs=idle,
        not_requested=not_requested,
        now=now,
        now_from=now_from,
        dialect=reader.dialect,
        version=followed,
    )


def lacking(snapshot: Snapshot, policy: NegotiatorPolicy) -> Iterator[Diagnostic]:
    """A warning for each rule that has to do without."""
    preempts = policy.consider_preemption and policy.allow_pslot_preemption
    if preempts and snapshot.child_claims is None and _has_children(snapshot):
        yield Diagnostic(
            "the private ads of slots are not in the capture, and ALLOW_PSLOT_PREEMPTION needs the"
            " claim ids of dynamic slots",
            severity="warning",
            help="every dynamic slot is taken to have one",
        )
    in_lists = policy.use_resource_request_counts and policy.resource_request_list_size != 1
    if policy.negotiate_all_jobs_in_cluster and in_lists:
        jobs = [
            job for queue in snapshot.queues for job in queue.jobs if job.raw("JobStatus") == IDLE
        ]
        without = sum(job.get_number("AutoClusterId") is None for job in jobs)
        if without:
            yield Diagnostic(
                f"{without} of {len(jobs)} idle jobs have no AutoClusterId, by which a schedd with"
                " NEGOTIATE_ALL_JOBS_IN_CLUSTER passes over jobs",
                severity="warning",
                help="autoclusters are numbered in the order of the queue",
            )


def _has_children(snapshot: Snapshot) -> bool:
    """Whether a slot tells of dynamic slots; slots that are held as columns stay so."""
    slots = snapshot.slots
    table = slots.table() if isinstance(slots, LoadedSlots) else None
    if table is not None:
        return table.has("ChildName")
    return any(ad.raw("ChildName") is not None for ad in slots)
