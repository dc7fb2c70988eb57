"""Makes of a captured pool what it is under another configuration, and says what of it is not so.

Macros that act in negotiation cycles are the policy's business; here are slots, jobs and claims.

Inputs: a snapshot, two configurations of its daemons, the machines that the second one is for.
Outputs: the snapshot, ``WhatIf``.
Follows: condor_reconfig of the daemons of 25.14.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from attr import Factory, evolve, frozen

from classad import ClassAd, refs
from classad.ads.expression import Expression
from classad.analysis.mentions import RefSet
from classad.errors import Diagnostic
from classad.evaluate import EvalContext
from classad.language.names import fold_name
from classad.patterns import late_regex
from negotiator.jobs.submitters import IdleJobWeights
from negotiator.model.loaded_slots import LoadedSlots, machines_of
from negotiator.model.snapshot import Snapshot
from negotiator.whatif.jobs import JobsWhatIf, Submissions, UnknownName
from negotiator.whatif.slots import AdvertisedChange, Reconfigured, reconfigured_slots
from policy.claims import ClaimSettings, read_claims
from policy.config import Config
from policy.ephemeral import find_ephemeral
from policy.explain.changes import Acts, ChangedMacro, changed
from policy.knobs.lists import SUBMITTED_MACROS
from policy.language.about import about
from policy.language.table import DETECTED_ORIGIN
from policy.model import NegotiatorPolicy
from policy.publishing import LISTS, POLICY, local_startds

#: What is only in the ads of a request, or of any ad while it is matched.
_ALWAYS: Final = frozenset({"my", "target", "currenttime"})
#: What of a job is asked about slots.
_MATCHED: Final = frozenset({"requirements", "rank"})
_OF_TYPE: Final = late_regex(r"SLOT(_TYPE)?_?\d+_\w+", re.IGNORECASE)


@frozen
class HostMacro:
    """A macro that is another one on each machine; ``taken``: what it was taken to be on all."""

    reader: str
    name: str
    taken: str


@frozen(eq=False)
class WhatIf:
    """What another configuration changes in a pool besides the policy of the negotiator.

    ``machines`` of ``of`` have it, by the condition ``where``.  ``between``: macros that act
    between cycles; ``nowhere``: those that have no part in who gets what; ``overridden``: those
    that change no slot, as each startd has its own.  ``startds_unknown``: the configuration of
    before says nothing of startds, so that only what the other one sets can be told;
    ``schedds_unknown``: nothing of submissions, so that jobs may have been through what the other
    one has.  ``untyped``: slots that tell no type, for which nothing of their type was written.
    ``host_macros``: what slots were to be told of each machine.
    """

    machines: int = 0
    of: int = 0
    where: str = ""
    attributes: tuple[AdvertisedChange, ...] = ()
    jobs: JobsWhatIf = Factory(JobsWhatIf)
    between: tuple[ChangedMacro, ...] = ()
    not_followed: tuple[ChangedMacro, ...] = ()
    nowhere: tuple[str, ...] = ()
    unknown_names: tuple[UnknownName, ...] = ()
    startds_unknown: bool = False
    untyped: int = 0
    schedds_unknown: bool = False
    host_macros: tuple[HostMacro, ...] = ()
    overridden: tuple[ChangedMacro, ...] = ()

    @property
    def is_partial(self) -> bool:
        """Whether the snapshot does not follow all that could change who gets which slot."""
        return bool(
            self.not_followed
            or self.untyped
            or self.unknown_names
            or self.host_macros
            or self.jobs.kept
        )

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to say."""
        jobs = self.jobs
        said = (self.attributes, jobs.changed, jobs.lost, jobs.kept, jobs.problems)
        macros = (self.between, self.not_followed, self.nowhere, self.overridden)
        return not any((*said, *macros, self.untyped))


@frozen(eq=False)
class OtherPool:
    """A snapshot, and what is other in it; ``of_machines``: settings of machines left as before."""

    snapshot: Snapshot
    what_if: WhatIf
    of_machines: Mapping[str, ClaimSettings]


@frozen(eq=False)
class Reconfiguration:
    """Two configurations, and where the second one is in force: by a slot's ad, None everywhere."""

    before: Config
    after: Config
    where: Expression | None = None
    where_text: str = ""

    def refused(self) -> list[Diagnostic]:
        """Why daemons would not start with the second one; what the first one has counts not."""
        for find in (_unreadable, _endings):
            found = list(find(self.after))
            known = {one.message for one in find(self.before)} if found else set()
            found = [one for one in found if one.message not in known]
            if found:
                # Where reading ends, nothing behind it counts.
                return found[:1] if find is _unreadable else found
        return []

    def carried_out(
        self,
        snapshot: Snapshot,
        policy: NegotiatorPolicy,
        schedds: Mapping[str, ClassAd],
        now: float,
    ) -> OtherPool:
        """The pool as it is then; ``policy``: that of the second one."""
        context = EvalContext(now=now, language=policy.language)
        macros = changed(self.before, self.after)
        slots = reconfigured_slots(snapshot.slots, self.before, self.after, self.where, context)
        submissions = Submissions(
            self.before,
            self.after,
            any(one.acts is Acts.JOBS for one in macros),
            schedds,
            IdleJobWeights.by(policy),
            context,
            policy.version,
        )
        jobs = submissions.carried_out(snapshot.queues, snapshot.submitters)
        snapshot = evolve(
            snapshot, slots=slots.slots, queues=jobs.queues, submitters=jobs.submitters
        )
        machines = _machines(snapshot)
        untyped = slots.untyped if any(_is_of_type(one) for one in macros) else 0
        told = WhatIf(
            len(slots.machines),
            len(machines),
            self.where_text,
            slots.changes,
            jobs.jobs,
            tuple(one for one in macros if one.acts is Acts.BETWEEN),
            tuple(one for one in macros if one.acts is Acts.NOT_FOLLOWED),
            tuple(one.macro for one in macros if one.acts is Acts.NOWHERE),
            tuple(
                dict.fromkeys(
                    (*_unknown_names(slots, jobs.jobs, snapshot), *jobs.jobs.unknown_names)
                )
            ),
            bool(slots.changes) and not _says_of_startds(self.before),
            untyped,
            bool(jobs.jobs.changed) and not _says_of_submissions(self.before),
            tuple(_host_macros(self.after.seen_by("STARTD"), slots.changes)),
            tuple(_overridden(self.after, macros, slots)),
        )
        others = machines - slots.machines
        claims = read_claims(self.before) if others else None
        return OtherPool(snapshot, told, {} if claims is None else dict.fromkeys(others, claims))


def _unreadable(config: Config) -> Iterator[Diagnostic]:
    """Lines at which every daemon would end."""
    for one in config.diagnostics:
        if one.severity == "error":
            help = "the configuration is not applied: no daemon would start with it"
            help = help if one.help is None else f"{one.help}; {help}"
            yield Diagnostic(one.message, one.source, one.start, one.end, help=help, id=one.id)


def _endings(config: Config) -> Iterator[Diagnostic]:
    """Values at which a daemon would end."""
    from policy.lint.endings import find_endings, negotiator_loads
    from policy.lint.view import view

    seen = view(config)
    for ending in find_endings(seen, negotiator_loads(seen)):
        one = ending.found
        told = f"{ending.daemon} would not start with it: exit status {ending.status}"
        help = f"the configuration is not applied: {told}"
        if one.help is not None and not about(one).goes_on:  # a report does not go on here
            help = f"{one.help}; {help}"
        yield Diagnostic(one.message, one.source, one.start, one.end, help=help, id=one.id)


def _machines(snapshot: Snapshot) -> set[str]:
    return set(machines_of(snapshot.slots))


def _is_of_type(one: ChangedMacro) -> bool:
    return one.acts is Acts.SLOTS and _OF_TYPE.fullmatch(one.macro) is not None


def _says_of_startds(config: Config) -> bool:
    """Whether a configuration sets anything that a startd publishes, but what others read, too."""
    names = {name.casefold() for name in (*POLICY, *LISTS)} - {"slot_weight"}
    entries = (entry for entry in config.scope.table if entry.origin != DETECTED_ORIGIN)
    return any(entry.name.rpartition(".")[2].casefold() in names for entry in entries)


def _says_of_submissions(config: Config) -> bool:
    entries = (entry for entry in config.scope.table if entry.origin != DETECTED_ORIGIN)
    return any(
        re.fullmatch(SUBMITTED_MACROS, entry.name.rpartition(".")[2], re.IGNORECASE)
        for entry in entries
    )


def _host_macros(config: Config, changes: Iterable[AdvertisedChange]) -> Iterator[HostMacro]:
    """What of the texts that were written the machines themselves know."""
    for macro in dict.fromkeys(change.macro for change in changes):
        definition = config.lookup(macro)
        used = [] if definition is None else config.scope.used_by(definition)
        for name, found in used:
            if found is not None and found.origin == DETECTED_ORIGIN:
                yield HostMacro(macro, name, found.raw)


def _overridden(
    config: Config, macros: Iterable[ChangedMacro], slots: Reconfigured
) -> Iterator[ChangedMacro]:
    """Macros of slots of which every startd has one with its local name, which counts."""
    written = {change.macro.casefold() for change in slots.changes}
    startds = [config.seen_by("STARTD", name) for name in local_startds(config).values()]
    for one in macros:
        if one.acts is not Acts.SLOTS or one.macro.casefold() in written or not slots.machines:
            continue
        counting = [found for startd in startds if (found := startd.lookup(one.macro)) is not None]
        if counting and all("." in found.name for found in counting):
            yield evolve(one, why=f"each startd has its own, such as {counting[0].name}")


def _unknown_names(
    slots: Reconfigured, jobs: JobsWhatIf, snapshot: Snapshot
) -> Iterator[UnknownName]:
    """What new expressions of slots and jobs read and no ad has: typos, and what was left out."""
    asked = [(attribute, refs(tree), True) for attribute, tree in slots.expressions]
    asked += [(attribute, names, False) for attribute, names in _new_names(jobs)]
    if not asked:
        return
    ads = slots.slots
    of_slots = set(_ALWAYS)
    if isinstance(ads, LoadedSlots):
        of_slots.update(column.key for column in ads.loaded.columns)
    else:
        of_slots.update(key for ad in ads for key in ad._attrs)
    of_jobs = {key for queue in snapshot.queues for job in queue.jobs for key in job._attrs}
    sides = ((of_slots, "slot"), (of_jobs | _ALWAYS, "job"))
    for attribute, found, of_slot in asked:
        (mine, own), (theirs, other) = sides if of_slot else sides[::-1]
        for names, known, of in (
            (found.my, mine, own),
            (found.target, theirs, other),
            (found.unscoped, mine | theirs, "slot or job"),
        ):
            for name in sorted(names):
                if fold_name(name) not in known and find_ephemeral(name) is None:
                    yield UnknownName(attribute, name, of)


def _new_names(jobs: JobsWhatIf) -> Iterator[tuple[str, RefSet]]:
    """What jobs that are others read of slots, and did not read before."""
    values = (value for changed in jobs.changed for value in changed.values)
    for value in dict.fromkeys(values):
        if fold_name(value.attribute) in _MATCHED and value.after is not None:
            now, before = refs(value.after), refs(value.before or "true")
            pairs = zip(now, before, strict=True)
            yield value.attribute, RefSet(*(new - old for new, old in pairs))
