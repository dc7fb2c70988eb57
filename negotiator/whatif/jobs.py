"""Makes of waiting jobs what they were had they been submitted under another configuration.

Jobs that are refused then, or removed by SYSTEM_PERIODIC_REMOVE, are in no queue; those that
SYSTEM_PERIODIC_HOLD holds are on hold.  Submitter ads count the jobs as they are then.  Jobs that
run are left alone.

Inputs: queues, submitter ads, ads of schedds, two configurations.  Outputs: queues and submitter
ads, and what became of the jobs.
Follows: condor_submit and condor_schedd 25.14.1, whose condor_reconfig changes no job that waits
but by SYSTEM_PERIODIC_*.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Final

from attr import evolve, field, frozen

from classad import ClassAd, refs
from classad.ads.expression import Expression
from classad.errors import Diagnostic
from classad.evaluate import EvalContext, evaluate
from classad.formats.unparse import unparse_value
from classad.language.names import fold_name
from negotiator.capture.ads import job_id
from negotiator.capture.schedds import OtherJob, with_other_jobs
from negotiator.jobs.readiness import HELD, IDLE, REMOVED
from negotiator.jobs.submitters import IdleJobWeights
from negotiator.model.snapshot import ScheddQueue
from policy.config import Config
from policy.publishing import text_of
from policy.versions import Version

if TYPE_CHECKING:
    from policy.transforms.job import ChangedAttribute
    from policy.transforms.resubmission import Resubmission, Resubmitted


class Loss(Enum):
    """What becomes of jobs that are not offered."""

    REFUSED = "refused"
    HELD = "held"
    REMOVED = "removed"


@frozen
class NewValue:
    """An attribute of jobs: its texts before and after, None where there is none."""

    attribute: str
    before: str | None
    after: str | None


@frozen
class ChangedJobs:
    """Jobs that get the same values; ``by``: the transforms that changed any of them."""

    values: tuple[NewValue, ...]
    by: tuple[str, ...]
    jobs: tuple[str, ...]


@frozen
class LostJobs:
    """Jobs that are not offered any more, and why."""

    fate: Loss
    why: str
    place: str
    jobs: tuple[str, ...]


@frozen(eq=False)
class JobsWhatIf:
    """What becomes of the jobs; ``kept``: macros whose effects on them stay.

    ``problems``: what of the second configuration is left out.
    """

    changed: tuple[ChangedJobs, ...] = ()
    lost: tuple[LostJobs, ...] = ()
    kept: tuple[str, ...] = ()
    problems: tuple[Diagnostic, ...] = ()
    unknown_names: tuple[UnknownName, ...] = ()


@frozen
class UnknownName:
    """An attribute that an expression of the second configuration reads, and no ad of them has.

    ``reader``: an attribute of slots or a macro; ``of``: ``slot``, ``job`` or ``slot or job``.
    """

    reader: str
    name: str
    of: str


@frozen(eq=False)
class OtherJobs:
    """Queues and submitter ads, and what became of the jobs."""

    queues: tuple[ScheddQueue, ...]
    submitters: tuple[ClassAd, ...]
    jobs: JobsWhatIf


#: What becomes of jobs by a macro, where that is set, and the condition.
_Periodic = tuple[Loss, str, str, Expression]
#: What submit requirements call the two ads, and what any ad has while it is asked.
_SCOPES: Final = frozenset({"job", "schedd", "currenttime"})


@frozen(eq=False)
class Submissions:
    """Two configurations, of which the second is that of new jobs.

    ``again``: whether jobs come otherwise, so that they are submitted again; ``schedds``: their
    ads by name.
    """

    before: Config
    after: Config
    again: bool
    schedds: Mapping[str, ClassAd]
    weights: IdleJobWeights
    context: EvalContext
    version: Version

    def carried_out(
        self, queues: Sequence[ScheddQueue], submitters: Sequence[ClassAd]
    ) -> OtherJobs:
        """The jobs as they are then."""
        said = _Changes()
        moves: list[tuple[str, OtherJob]] = []
        periodic = [*self._periodic()]
        if not self.again and not periodic:
            return OtherJobs(tuple(queues), tuple(submitters), JobsWhatIf())
        changed = []
        for queue in queues:
            waiting = [job for job in queue.jobs if job.get_number("JobStatus") == IDLE]
            others = dict(self._resubmitted(queue.name, waiting, said) if self.again else ())
            for job in waiting:
                now = others.get(id(job), job)
                fate = None if now is None else self._fate(now, periodic, said)
                if now is not None and fate is not None:
                    others[id(job)] = fate if fate.raw("JobStatus") == HELD else None
            moves += [(queue.name, (job, others[id(job)])) for job in waiting if id(job) in others]
            kept = (others.get(id(job), job) for job in queue.jobs)
            changed.append(evolve(queue, jobs=tuple(job for job in kept if job is not None)))
        ads = tuple(with_other_jobs(submitters, moves, self.weights))
        jobs = evolve(
            said.all(), unknown_names=tuple(self._unknown_names((*queues, *changed), periodic))
        )
        return OtherJobs(tuple(changed), ads, jobs)

    def _unknown_names(
        self, queues: Sequence[ScheddQueue], periodic: Iterable[_Periodic]
    ) -> Iterator[UnknownName]:
        """What conditions on jobs read and no job has: typos, and what a capture left out.

        ``queues``: with the jobs before and after transforms, which read what others wrote.
        """
        conditions = [(macro, condition) for _, macro, _, condition in periodic]
        if self.again:
            from policy.transforms.acceptance import read_requirements
            from policy.transforms.submission import read_transforms

            new = self.after.seen_by("SCHEDD")
            rules = read_transforms(new, self.version).rules
            asked = [(f"JOB_TRANSFORM_{one.name}", one.condition) for one in rules]
            conditions += [(macro, one) for macro, one in asked if one is not None]
            for needed in read_requirements(new)[0]:
                conditions.append((f"SUBMIT_REQUIREMENT_{needed.name}", needed.condition))
        if not conditions:
            return
        known = {key for queue in queues for job in queue.jobs for key in job._attrs} | _SCOPES
        known |= {key for ad in self.schedds.values() for key in ad._attrs}
        for macro, tree in conditions:
            found = refs(tree)
            for name in sorted(found.my | found.target | found.unscoped):
                if fold_name(name) not in known:
                    yield UnknownName(macro, name, "job")

    def _resubmitted(
        self, schedd: str, jobs: Sequence[ClassAd], said: _Changes
    ) -> Iterator[tuple[int, ClassAd | None]]:
        """The jobs that are others then, or refused, by identity."""
        from policy.transforms.resubmission import resubmitted

        old, new = self.before.seen_by("SCHEDD"), self.after.seen_by("SCHEDD")
        found = resubmitted(jobs, old, new, self.schedds.get(schedd), self.context, self.version)
        said.of(found)
        for job, one in zip(jobs, found.jobs, strict=True):
            if one.refusal is not None:
                said.lost(Loss.REFUSED, one.refusal.message, _place(one.refusal), job)
                yield id(job), None
            elif one.changes:
                said.changed(job, one)
                twin = ClassAd.copy_of(one.ad)
                # It is in another autocluster, of which nothing is known.
                twin.remove("AutoClusterId")
                yield id(job), twin

    def _fate(self, job: ClassAd, periodic: Iterable[_Periodic], said: _Changes) -> ClassAd | None:
        """A job that does not wait any more, as it is then; None if it waits."""
        from policy.transforms.running import is_truth

        for fate, macro, place, condition in periodic:
            if is_truth(evaluate(condition, job, context=self.context)):
                said.lost(fate, macro, place, job)
                twin = job.duplicate()
                twin.insert("JobStatus", HELD if fate is Loss.HELD else REMOVED)
                return twin
        return None

    def _periodic(self) -> Iterator[_Periodic]:
        """What holds or removes jobs by the second configuration, and not by the first."""
        from policy.transforms.rules import expression
        from policy.transforms.transforms import split_names

        old, new = self.before.seen_by("SCHEDD"), self.after.seen_by("SCHEDD")
        for fate, verb in ((Loss.REMOVED, "REMOVE"), (Loss.HELD, "HOLD")):
            head = f"SYSTEM_PERIODIC_{verb}"
            names = split_names(text_of(new, new.lookup(f"{head}_NAMES")))
            for macro in (head, *(f"{head}_{name}" for name in names)):
                definition = new.lookup(macro)
                text = text_of(new, definition)
                condition = expression(text.strip()) if text.strip() else None
                if definition is None or condition is None:
                    continue
                if text.split() != text_of(old, old.lookup(macro)).split():
                    yield fate, macro, definition.place(), condition


@frozen(eq=False)
class _Changes:
    """Gathers what became of the jobs."""

    _changed: dict[tuple[tuple[NewValue, ...], tuple[str, ...]], list[str]] = field(
        factory=lambda: defaultdict(list)
    )
    _lost: dict[tuple[Loss, str, str], list[str]] = field(factory=lambda: defaultdict(list))
    _kept: dict[str, None] = field(factory=dict)
    _problems: dict[str, Diagnostic] = field(factory=dict)

    def of(self, resubmission: Resubmission) -> None:
        """What holds for all jobs of a schedd."""
        self._kept.update(dict.fromkeys(resubmission.kept))
        self._problems.update((one.render(), one) for one in resubmission.problems)

    def changed(self, job: ClassAd, one: Resubmitted) -> None:
        """A job that has other values."""
        values = tuple(map(_value, one.changes))
        by = [run.rules.name for run in one.courses if any(step.changes for step in run.steps)]
        self._changed[values, tuple(dict.fromkeys(by))].append(job_id(job))

    def lost(self, fate: Loss, why: str, place: str, job: ClassAd) -> None:
        """A job that is not offered."""
        self._lost[fate, why, place].append(job_id(job))

    def all(self) -> JobsWhatIf:
        """Everything, in the order in which it came."""
        return JobsWhatIf(
            tuple(ChangedJobs(*key, tuple(jobs)) for key, jobs in self._changed.items()),
            tuple(LostJobs(*key, tuple(jobs)) for key, jobs in self._lost.items()),
            tuple(self._kept),
            tuple(self._problems.values()),
        )


def _value(one: ChangedAttribute) -> NewValue:
    texts = (
        None if value is None else unparse_value(value, old=True)
        for value in (one.before, one.after)
    )
    return NewValue(one.attribute, *texts)


def _place(finding: Diagnostic) -> str:
    return "" if finding.source is None else f"{finding.source.name}, line {finding.line}"
