"""Makes a pool that is ready for a cycle of the files of a capture and a configuration.

Inputs: a folder of a capture and paths that replace its files.  Outputs: ``Capture``: the
``Snapshot`` with slots in pool order, the policy, the time, and diagnostics for all that was wrong.
Raises ``InputError`` only when no cycle can be run at all.
Follows: the files that an administrator saves with ``condor_status -l`` and its siblings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from attr import Factory, evolve, frozen

from classad import ClassAd
from classad.errors import ClassAdParseError, Diagnostic
from classad.source import Source
from negotiator.accounting.records import group_quotas
from negotiator.capture.ads import LocatedAd
from negotiator.capture.agreement import Expected
from negotiator.capture.configuration import (
    INTERVAL,
    LoadedPolicy,
    capture_policy,
    configurations_before,
)
from negotiator.capture.contents import CaptureFiles, expected_name
from negotiator.capture.files import (
    SILENT,
    CapturePaths,
    CaptureReader,
    InputError,
    StageWatch,
)
from negotiator.capture.group_maps import Assignments, assign_groups
from negotiator.capture.made_up import MARK
from negotiator.capture.schedds import make_queues, make_submitters, schedd_versions, with_matches
from negotiator.capture.slots import submitter_order
from negotiator.jobs.readiness import IDLE, count_idle
from negotiator.jobs.submitters import IdleJobWeights
from negotiator.matching.stopwatch import RequestCosts
from negotiator.model.garbage import without_collecting
from negotiator.model.loaded_slots import any_has
from negotiator.model.snapshot import (
    PoolFacts,
    ScheddQueue,
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
    #: What was read besides configurations; None of a pool that was not read from such files.
    files: CaptureFiles | None = None

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
    files: CaptureFiles | None = None,
) -> Capture:
    """Read everything; see the module.

    ``local_names``: of the negotiators of the pool; none for the one that has no local name.
    ``version``: that of the pool; None: its daemons tell theirs, else it is ``fallback``.
    ``files``: of a capture that was read; they are not read again if they are those of ``paths``,
    which may have other configurations.
    """
    reader = CaptureReader(paths, dialect, version=version, fallback=fallback)
    if files is None or not files.serves(reader, now):
        files = CaptureFiles.read(reader, now, progress)
    reader.diagnostics[:] = files.diagnostics
    moment, followed = files.now, files.followed
    local_name = next(iter(local_names), None)
    loaded = capture_policy(reader, moment, followed, local_name)
    if files.made.config is None:
        files.made.config = (paths.config, local_name), loaded.config
    others = tuple(_other(reader, moment, followed, name) for name in local_names[1:])
    senders, slots = _senders(files, reader, loaded), files.slots
    snapshot = Snapshot(
        slots=slots.ads,
        submitters=senders.submitters,
        queues=senders.queues,
        accountant=files.accountant,
        previous_quotas=_quotas(reader, files.accounting, loaded.policy),
        claims=claim_ids(slots.ads),
    )
    capture = Capture(
        snapshot,
        loaded.policy,
        evolve(senders.facts, dialect=dialect),
        (*reader.diagnostics, *lacking(snapshot, loaded.policy)),
        loaded.unsupported,
        files.expected,
        expected_name(reader),
        local_name=local_name,
        others=others,
        assignments=senders.assignments,
        update_interval=loaded.update_interval,
        files=files,
    )
    before = configurations_before(reader, moment, followed, local_name, files.made.config)
    return under_other_configurations(capture, reader, [*before, loaded.config], files.schedds)


@frozen(eq=False)
class _Senders:
    """Whose jobs wait where; ``by``: what of a policy that depends on; ``told``: diagnostics."""

    by: tuple[object, ...]
    queues: tuple[ScheddQueue, ...]
    submitters: tuple[ClassAd, ...]
    assignments: Assignments
    facts: PoolFacts
    told: tuple[Diagnostic, ...]


def _senders(files: CaptureFiles, reader: CaptureReader, loaded: LoadedPolicy) -> _Senders:
    """Those of a configuration; they are the first one's if nothing that they depend on differs."""
    policy, weights = loaded.policy, IdleJobWeights.by(loaded.policy)
    texts = tuple(map(str, (weights.of_jobs, weights.of_slots)))
    by = (*texts, policy.use_global_job_prios, policy.max_global_job_prios)
    known = files.made.senders
    if isinstance(known, _Senders) and loaded.group_map is None and known.by == by:
        reader.diagnostics.extend(known.told)
        return known
    begun = len(reader.diagnostics)
    jobs, schedds = files.jobs, files.schedds
    default = next((name for ad in schedds if (name := ad.text("Name"))), "schedd")
    advertised = files.submitters is not None
    if (submitters := files.submitters) is None:
        submitters = make_submitters(jobs, schedds, default, policy)
    versions = schedd_versions(reader, schedds, submitters, files.followed)
    queues, submitters, assignments = assign_groups(
        loaded.group_map, make_queues(jobs, default, versions, schedds), submitters, policy
    )
    found = _Senders(
        by,
        with_matches(queues, files.claims),
        _in_pool_order(submitters, told=files.ordered and advertised),
        assignments,
        _facts(files, reader, submitters),
        tuple(reader.diagnostics[begun:]),
    )
    if known is None and loaded.group_map is None:
        files.made.senders = found
    return found


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
        facts = capture.facts
        if other.snapshot.submitters is not capture.snapshot.submitters:
            facts = evolve(facts, users=_users(other.snapshot.submitters))
        capture = evolve(
            capture,
            snapshot=other.snapshot,
            facts=facts,
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


def _other(reader: CaptureReader, now: float, followed: Followed, name: str) -> OtherNegotiator:
    """Another negotiator; what is wrong with its configuration alone is said as well."""
    known = {item.render() for item in reader.diagnostics}
    own = CaptureReader(reader.paths, reader.dialect)
    loaded = capture_policy(own, now, followed, name)
    reader.diagnostics.extend(item for item in own.diagnostics if item.render() not in known)
    return OtherNegotiator(name, loaded.policy, loaded.unsupported)


def _facts(files: CaptureFiles, reader: CaptureReader, submitters: Sequence[ClassAd]) -> PoolFacts:
    names = files.slots.names
    idle, not_requested = count_idle(ad.ad for ad in files.jobs)
    return PoolFacts(
        name=reader.paths.name(),
        machines=len({machine_of(slot) for slot in names}),
        slots=len(names),
        users=_users(submitters),
        jobs=len(files.jobs),
        idle_jobs=idle,
        not_requested=not_requested,
        made_up=sum(ad.ad.raw(MARK) is not None for ad in files.jobs),
        now=files.now,
        now_from=files.now_from,
        dialect=reader.dialect,
        version=files.followed,
    )


def _users(submitters: Sequence[ClassAd]) -> int:
    return len({ad.evaluate_attr("Name") for ad in submitters})


def lacking(snapshot: Snapshot, policy: NegotiatorPolicy) -> Iterator[Diagnostic]:
    """A warning for each rule that has to do without."""
    preempts = policy.consider_preemption and policy.allow_pslot_preemption
    if preempts and snapshot.child_claims is None and any_has(snapshot.slots, "ChildName"):
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
