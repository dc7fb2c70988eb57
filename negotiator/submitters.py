"""Submitters as a cycle begins.

Decision here: which submitter ads take part.  Inputs: submitter ads in collector order.  Outputs:
``Submitter`` values with their job counts and weighted demand (slot weights).

Never here: their order in a round (see ``spins``).
Follows: the description of the negotiation cycle in HTCondor's manual and the vectors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from attr import evolve, frozen

from classad.ad import ClassAd
from classad.evaluate import EvalContext
from negotiator.addresses import ANY, schedd_families
from negotiator.arithmetic import INT_MIN, whole
from negotiator.slots import holds
from policy.model import NegotiatorPolicy

_PREFIX_MAP: Final = "GROUP_PREFIX"


@frozen(eq=False)
class Submitter:
    """One submitter ad: one name at one schedd.  ``demand`` counts idle and running work.

    ``job_prios``: the lowest and the highest ``JobPrio`` it negotiates for with global job
    priorities, None for all.  ``families``: the kinds of address the schedd has.
    """

    name: str
    schedd: str
    idle_jobs: int
    running_jobs: int
    demand: float
    last_heard_from: int
    job_prios: tuple[int, int] | None = None
    families: frozenset[int] = ANY

    @property
    def job_prio(self) -> int:
        """What global job priorities sort by, bigger first."""
        return INT_MIN if self.job_prios is None else self.job_prios[1]


def fetch_submitters(
    ads: Iterable[ClassAd], policy: NegotiatorPolicy, context: EvalContext
) -> list[Submitter]:
    """The submitters that take part in the cycle."""
    found: list[Submitter] = []
    for ad in ads:
        if not holds(policy.submitter_constraint, ad, context):
            continue
        submitter = _submitter(ad, policy, context)
        if submitter is None:
            continue
        prios = _job_prios(ad, context) if policy.use_global_job_prios else []
        found.extend(evolve(submitter, job_prios=(prio, prio)) for prio in prios)
        if not prios:
            found.append(submitter)
    return found


def _job_prios(ad: ClassAd, context: EvalContext) -> list[int]:
    """The different job priorities that a submitter ad announces."""
    text = ad.get_string("JobPrioArray", context=context) or ""
    return [int(word) for word in re.findall(r"-?\d+", text)]


def consolidate(submitters: Iterable[Submitter]) -> list[Submitter]:
    """Join neighbours of one name and schedd: they negotiate for a range of job priorities."""
    joined: list[Submitter] = []
    for submitter in submitters:
        last = joined[-1] if joined else None
        same = last is not None and (last.name, last.schedd) == (submitter.name, submitter.schedd)
        if same and last is not None and last.job_prios and submitter.job_prios:
            low, high = zip(last.job_prios, submitter.job_prios, strict=True)
            joined[-1] = evolve(last, job_prios=(min(low), max(high)))
        else:
            joined.append(submitter)
    return joined


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
    name = ad.get_string("Name", context=context)
    address = ad.get_string("ScheddIpAddr", context=context)
    if name is None or address is None or (name and name.split() != [name]):
        return None
    counts = [_count(ad, kind, context) for kind in ("IdleJobs", "RunningJobs")]
    skipped = ad.get_bool("SkipMatchmaking", context=context) is True
    if sum(counts) <= 0 or skipped:
        return None
    demand = float(sum(counts))
    if policy.use_weighted_demand:
        demand = 0.0
        for kind, plain in zip(("RunningJobs", "IdleJobs"), reversed(counts), strict=True):
            weighted = ad.get_number(f"Weighted{kind}", context=context)
            demand += plain if weighted is None else weighted
    return Submitter(
        name=negotiated_name(name, policy),
        schedd=ad.get_string("ScheddName", context=context) or "",
        idle_jobs=counts[0],
        running_jobs=counts[1],
        demand=demand,
        last_heard_from=_count(ad, "LastHeardFrom", context),
        families=schedd_families(ad, context),
    )


def _count(ad: ClassAd, name: str, context: EvalContext) -> int:
    return whole(ad.get_number(name, context=context))
