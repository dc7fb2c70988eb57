"""Weighs idle jobs as schedds do for their submitter ads: ``WeightedIdleJobs``, which is demand.

Follows the manual on SCHEDD_SLOT_WEIGHT and SLOT_WEIGHT, and the vectors.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from attr import field, frozen

from classad import ClassAd
from classad.ads.ad import as_number
from classad.ads.expression import Expression
from classad.evaluate import EvalContext, evaluate
from negotiator.model.arithmetic import whole
from policy.model import NegotiatorPolicy

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
        asked = _ASKED.get(str(self.of_slots).lower())
        if asked is not None:
            return job.get_number(asked, context=self.context)
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
