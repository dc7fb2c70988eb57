"""Answers what the transforms of a configuration make of jobs: ``pieslice transform``.

Inputs: transforms, the ads of jobs.  Outputs: ``Transformed``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from attr import field, frozen

from classad.ads.ad import Ad
from classad.errors import Diagnostic
from classad.evaluate import EvalContext
from pieslice.reports.document import NOT_SHOWN
from pieslice.reports.layout import Block, Line
from pieslice.reports.result import Result
from pieslice.transforms.runs import (
    RulesProblem,
    RulesRun,
    alike,
    change_table,
    distinct,
    job_id,
    of_courses,
    owner_of,
    problem_lines,
    rules_run,
    said,
)
from policy.config import Config
from policy.transforms.job import TransformedJob
from policy.transforms.rules import Rules, argument
from policy.transforms.running import run
from policy.transforms.submission import Submission, Transforms, split_cluster, submit
from policy.transforms.variables import Variables
from policy.versions import Followed, Version


@frozen
class TransformTold:
    """A transform; ``jobs``: to how many it was applied."""

    name: str
    requirements: str | None
    jobs: int


@frozen
class JobTransformed:
    """A job; ``refused`` says why the schedd does not take it."""

    job: str
    owner: str
    refused: RulesProblem | None
    transforms: tuple[RulesRun, ...]


@frozen(eq=False, repr=False)
class Transformed(Result):
    """What each transform does to each job, as a schedd does it when they are submitted.

    ``problems``: transforms that are listed and not run.
    """

    schema: ClassVar[str] = "pieslice/transform/1"
    path: str
    followed: Followed
    transforms: tuple[TransformTold, ...]
    problems: tuple[RulesProblem, ...]
    jobs: tuple[JobTransformed, ...]
    #: The ads that come out.
    ads: tuple[Ad, ...] = field(metadata=NOT_SHOWN)
    #: Everything that was wrong, once.
    diagnostics: tuple[Diagnostic, ...] = field(default=(), metadata=NOT_SHOWN)

    @property
    def refused(self) -> int:
        """How many jobs the schedd does not take."""
        return sum(one.refused is not None for one in self.jobs)

    def summary(self) -> str:
        jobs = [one for one in self.jobs if one.refused is None]
        changed = sum(any(run.changes for run in one.transforms) for one in jobs)
        total = len(self.jobs)
        return f"{total} job{'s' * (total != 1)}, {changed} changed, {self.refused} refused"

    def blocks(self) -> Sequence[Block]:
        names = ", ".join(one.name for one in self.transforms) or "none"
        blocks: list[Block] = [Line(f"transforms of {self.path}: {names}", heading=True)]
        blocks += [Line(f"  {self.summary()}"), *problem_lines(self.problems, 2)]
        for jobs in self._alike().values():
            blocks += [Line(), *_job_blocks(jobs, self.path)]
        return blocks

    def _alike(self) -> dict[object, list[JobTransformed]]:
        """The jobs, those with which the same was done together."""
        found: dict[object, list[JobTransformed]] = {}
        for one in self.jobs:
            found.setdefault((one.owner, one.refused, one.transforms), []).append(one)
        return found


def _job_blocks(jobs: Sequence[JobTransformed], path: str) -> Iterator[Block]:
    first = jobs[0]
    title = f"{alike([one.job for one in jobs])}  {first.owner}"
    applied = [run for run in first.transforms if run.applied]
    if first.refused is not None:
        yield Line(f"{title}: refused", level="bad")
        yield from problem_lines([first.refused])
    elif not any(run.changes for run in applied):
        yield Line(f"{title}: unchanged")
    else:
        yield Line(title)
    if any(run.changes for run in applied):
        yield change_table(applied, path)
    for run_ in applied:
        yield from problem_lines(one for one in run_.problems if one != first.refused)


def transformed(
    path: str,
    config: Config,
    transforms: Transforms,
    ads: Sequence[Ad],
    context: EvalContext,
    followed: Followed,
    *,
    as_tool: bool = False,
) -> Transformed:
    """What the transforms make of jobs, by the rules of the schedd or of condor_transform_ads."""
    version = followed.version
    done = list(_submissions(config, transforms.rules, ads, context, version, as_tool=as_tool))
    jobs = tuple(
        JobTransformed(
            job_id(ad),
            owner_of(ad),
            None if one.refusal is None else said(one.refusal),
            tuple(map(rules_run, one.courses)),
        )
        for ad, one in zip(ads, done, strict=True)
    )
    counts = [sum(_is_applied(one, rules) for one in done) for rules in transforms.rules]
    told = tuple(
        TransformTold(
            rules.name, None if rules.requirements is None else argument(rules.requirements), count
        )
        for rules, count in zip(transforms.rules, counts, strict=True)
    )
    runs = of_courses(course for one in done for course in one.courses)
    refusals = (one.refusal for one in done if one.refusal is not None)
    return Transformed(
        path,
        followed,
        told,
        tuple(map(said, transforms.problems)),
        jobs,
        tuple(one.ad for one in done if one.refusal is None),
        distinct((*transforms.problems, *runs, *refusals)),
    )


def _is_applied(submission: Submission, rules: Rules) -> bool:
    return any(course.rules is rules and course.applied for course in submission.courses)


def _submissions(
    config: Config,
    rules: Sequence[Rules],
    ads: Sequence[Ad],
    context: EvalContext,
    version: Version,
    *,
    as_tool: bool,
) -> Iterator[Submission]:
    if as_tool:
        for ad in ads:
            yield _by_tool(config, rules, ad, context, version)
        return
    clusters: dict[object, list[int]] = {}
    for place, ad in enumerate(ads):
        cluster = ad.raw("ClusterId")
        clusters.setdefault(place if cluster is None else str(cluster), []).append(place)
    found: dict[int, Submission] = {}
    for places in clusters.values():
        shared, own = split_cluster([ads[place] for place in places])
        for place, job in zip(places, own, strict=True):
            found[place] = submit(rules, job, shared, config, context, version)
    for place in range(len(ads)):
        yield found[place]


def _by_tool(
    config: Config, rules: Sequence[Rules], ad: Ad, context: EvalContext, version: Version
) -> Submission:
    """What condor_transform_ads makes of an ad; the transforms behind a faulty one still run."""
    variables = Variables(config, TransformedJob.of(ad), context)
    submission = Submission(variables.job.ad)
    for one in rules:
        course = run(one, variables, version)
        submission.courses.append(course)
        submission.refusal = submission.refusal or course.failure
    return submission
