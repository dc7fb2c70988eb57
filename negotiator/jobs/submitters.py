"""Reads which submitter ads take part in a cycle, with their job counts and weighted demand.

Idle jobs are weighed here as schedds do it for their submitter ads.  Follows the description of the
negotiation cycle in HTCondor's manual, that of SCHEDD_SLOT_WEIGHT and SLOT_WEIGHT, and the vectors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from attr import evolve, field, frozen

from classad import ClassAd
from classad.ads.ad import as_bool, as_number, as_string
from classad.ads.expression import Expression
from classad.evaluate import EvalContext, evaluate
from classad.evaluation.context import NO_CONTEXT
from classad.patterns import late_regex
from negotiator.model.arithmetic import INT_MIN, whole
from negotiator.pool.addresses import ANY, schedd_families
from negotiator.pool.slots import holds
from negotiator.versions.negotiator import SKIP_MATCHMAKING
from policy.language.numbers import saturated
from policy.model import NegotiatorPolicy

_PREFIX_MAP: Final = "GROUP_PREFIX"
_NUMBER: Final = late_regex(r"[+-]?\d+", re.ASCII)


@frozen(eq=False)
class Submitter:
    """One submitter ad: one name at one schedd.  ``demand`` counts idle and running work.

    ``own_prio``: what global job priorities tell it from other ads of its name by; ``job_prios``:
    the lowest and the highest ``JobPrio`` it negotiates for in a round, None for all.
    ``families``: the kinds of address the schedd has.  ``skipped``: it takes no part in the cycle
    (``SkipMatchmaking``, or no job priority to tell), but the accountant gets to know its name.
    """

    name: str
    schedd: str
    idle_jobs: int
    running_jobs: int
    demand: float
    last_heard_from: int
    own_prio: int | None = None
    job_prios: tuple[int, int] | None = None
    families: frozenset[int] = ANY
    skipped: bool = False

    @property
    def job_prio(self) -> int:
        """What global job priorities sort by, bigger first."""
        return INT_MIN if self.own_prio is None else self.own_prio


def fetch_submitters(
    ads: Iterable[ClassAd], policy: NegotiatorPolicy, context: EvalContext
) -> list[Submitter]:
    """The submitters with jobs, those that are ``skipped`` included."""
    found: list[Submitter] = []
    for ad in ads:
        if not holds(policy.submitter_constraint, ad, context):
            continue
        submitter = _submitter(ad, policy, context)
        if submitter is None:
            continue
        prios = _job_prios(ad, context) if policy.use_global_job_prios else None
        if prios is None:
            found.append(submitter)
        elif not prios:
            found.append(evolve(submitter, skipped=True))
        else:
            found.extend(evolve(submitter, own_prio=prio) for prio in prios)
    return found


def _job_prios(ad: ClassAd, context: EvalContext) -> list[int] | None:
    """The different job priorities that a submitter ad announces; None if it says nothing of them.

    A submitter takes part once for each of them: one without waiting jobs does not.
    """
    text = ad.get_string("JobPrioArray", context=context)
    if text is None:
        return None
    numbers = (_NUMBER.match(word) for word in re.split(r"[,\s]+", text) if word)
    return [0 if number is None else saturated(number[0]) for number in numbers]


def job_prio_array(prios: Iterable[float], policy: NegotiatorPolicy) -> str:
    """``JobPrioArray`` as a schedd sends it: its waiting jobs' priorities, the highest first."""
    told = sorted({whole(prio) for prio in prios}, reverse=True)
    return ",".join(map(str, told[: policy.max_global_job_prios]))


def consolidate(submitters: Iterable[Submitter]) -> list[Submitter]:
    """Join neighbours of one name and schedd: they negotiate for a range of job priorities.

    Every round begins anew, each ad with its own ``JobPrio``: one that took in others in a round
    before has lost theirs.
    """
    joined: list[Submitter] = []
    for submitter in map(_by_itself, submitters):
        last = joined[-1] if joined else None
        same = last is not None and (last.name, last.schedd) == (submitter.name, submitter.schedd)
        if same and last is not None and last.job_prios and submitter.job_prios:
            low, high = zip(last.job_prios, submitter.job_prios, strict=True)
            joined[-1] = evolve(last, job_prios=(min(low), max(high)))
        else:
            joined.append(submitter)
    return joined


def _by_itself(submitter: Submitter) -> Submitter:
    """The submitter before it has taken in another."""
    prio = submitter.own_prio
    return submitter if prio is None else evolve(submitter, job_prios=(prio, prio))


#: What tells the submitter of a job.
OWNERSHIP: Final = ("user", "owner", "accountinggroup")


def submitter_of(job: ClassAd, context: EvalContext = NO_CONTEXT) -> str | None:
    """The submitter that a schedd advertises a job under; None if the job names nobody."""
    return submitter_by(*job.evaluate_all(OWNERSHIP, context))


def submitter_by(user: object, owner: object, accounting_group: object) -> str | None:
    """The submitter by the values of ``OWNERSHIP``: the accounting group, else the user.

    An accounting group without a domain gets that of the user.
    """
    known_as, group = as_string(user) or as_string(owner), as_string(accounting_group)
    if not group or "@" in group:
        return group or known_as
    domain = (known_as or "").partition("@")[2]
    return f"{group}@{domain}" if domain else group


def negotiated_name(name: str, policy: NegotiatorPolicy) -> str:
    """The name under which the negotiator knows a submitter.

    The user map ``GROUP_PREFIX`` is asked for the domain; its answer, whatever it is, comes before
    the name.
    """
    prefixes = policy.user_maps.get(_PREFIX_MAP)
    _, at, domain = name.rpartition("@")
    prefix = prefixes.get(domain) if prefixes is not None and at else None
    return name if prefix is None else f"{prefix}.{name}"


def _submitter(ad: ClassAd, policy: NegotiatorPolicy, context: EvalContext) -> Submitter | None:
    values = ad.evaluate_all(_TOLD, context)
    name, address, schedd = map(as_string, values[:3])
    running, idle, *weights, heard = map(as_number, values[3:-1])
    if name is None or address is None or (name and name.split() != [name]):
        return None
    plain = (whole(running), whole(idle))
    if sum(plain) <= 0:
        return None
    demand = float(sum(plain))
    if policy.use_weighted_demand:
        demand = 0.0
        for count, weighted in zip(plain, weights, strict=True):
            demand += count if weighted is None else weighted
    return Submitter(
        name=negotiated_name(name, policy),
        schedd=schedd or "",
        idle_jobs=plain[1],
        running_jobs=plain[0],
        demand=demand,
        last_heard_from=whole(heard),
        families=schedd_families(address),
        skipped=as_bool(values[-1]) is True and SKIP_MATCHMAKING.of(policy.version),
    )


#: What is read of a submitter ad.
_TOLD: Final = (
    *("name", "scheddipaddr", "scheddname", "runningjobs", "idlejobs"),
    *("weightedrunningjobs", "weightedidlejobs", "lastheardfrom", "skipmatchmaking"),
)


# --- weights of idle jobs: WeightedIdleJobs, which is demand --------------------------------------

#: A slot weight that is just one of these names stands for what a job asks for.
_ASKED: Final = {"cpus": "RequestCpus", "memory": "RequestMemory"}
#: What a job without these requests is taken to want per core, in MB and KB.
_PER_CORE: Final = 1024
_CONTEXT: Final = EvalContext(now=0.0)


@frozen
class IdleJobWeights:
    """The weights of idle jobs by a schedd's configuration.

    ``of_jobs``: an expression that is evaluated in the job; without it ``of_slots`` is evaluated in
    a slot that the job would fill; without both a job weighs its ``RequestCpus``.  ``context``: has
    the rules of the schedd's version.
    """

    of_jobs: Expression | None = None
    of_slots: Expression | None = None
    context: EvalContext = field(default=_CONTEXT, eq=False)
    #: The request that the weight of a slot stands for, if it is just a name.
    _asked: str | None = field(init=False, eq=False)

    @_asked.default
    def _asked_for(self) -> str | None:
        return None if self.of_slots is None else _ASKED.get(str(self.of_slots).lower())

    @classmethod
    def by(cls, policy: NegotiatorPolicy) -> IdleJobWeights:
        """The weights by ``SCHEDD_SLOT_WEIGHT``, else by ``SLOT_WEIGHT``.

        With ``SCHEDD_USE_SLOT_WEIGHT = False`` by neither.
        """
        context = EvalContext(now=0.0, language=policy.language)
        if not policy.schedd_use_slot_weight:
            return cls(context=context)
        return cls(policy.schedd_slot_weight, policy.slot_weight, context)

    def of(self, job: ClassAd) -> int:
        """The weight of a job, cut to an integer; without a number it is ``RequestCpus``."""
        weight = self._number(job)
        if weight is None:
            weight = job.get_number("RequestCpus", context=self.context)
        return 1 if weight is None else whole(weight)

    def sum(self, jobs: Iterable[ClassAd]) -> int:
        """``WeightedIdleJobs``."""
        return sum(map(self.of, jobs))

    def _number(self, job: ClassAd) -> float | None:
        if self.of_jobs is not None:
            return as_number(evaluate(self.of_jobs, job, context=self.context))
        if self.of_slots is None:
            return None
        if self._asked is not None:
            return job.get_number(self._asked, context=self.context)
        return as_number(evaluate(self.of_slots, _filled(job, self.context), context=self.context))


def _filled(job: ClassAd, context: EvalContext) -> ClassAd:
    """A slot that has just what a job asks for."""
    cpus = _asked(job, "RequestCpus", 1, context)
    slot = ClassAd()
    slot.insert("Cpus", cpus)
    slot.insert("Memory", _asked(job, "RequestMemory", _PER_CORE * cpus, context))
    slot.insert("Disk", _asked(job, "RequestDisk", _PER_CORE * cpus, context))
    return slot


def _asked(job: ClassAd, name: str, default: int, context: EvalContext) -> int:
    number = job.get_number(name, context=context)
    return default if number is None else whole(number)
