"""Runs the job transforms of a configuration on jobs that are submitted, as the schedd does.

Inputs: a configuration as the schedd sees it, the ads of the jobs of a cluster.  Outputs: the ads
that the jobs get, what each line did, or why the submission is refused.
Follows: condor_schedd 25.14.1 (vectors ``transforms``, kind ``schedd``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from attr import define, field, frozen

from classad.ads.ad import Ad, raw_in
from classad.errors import Diagnostic
from classad.evaluate import EvalContext
from policy.config import Config
from policy.language.macros import ExpansionError
from policy.transforms.job import TransformedJob, is_kept, is_writable
from policy.transforms.rules import Rules
from policy.transforms.running import TransformRun, run
from policy.transforms.transforms import rules_named
from policy.transforms.variables import Variables
from policy.versions import NEWEST, Version, parse_version

NAMES: Final = "JOB_TRANSFORM_NAMES"
_HEAD: Final = "JOB_TRANSFORM_"
#: The version from which transforms in the old syntax are ignored.
_NO_OLD: Final = parse_version("25.8.2")
#: What the ad of a job has of its own when it is submitted, besides what differs in its cluster.
_OWN: Final = frozenset({"procid", "jobstatus", "globaljobid", "initialjobstatus"})


@frozen
class Transforms:
    """The transforms of a schedd in their order.

    ``missing`` are names without a transform; ``problems`` say what is left out, and why.
    """

    rules: tuple[Rules, ...]
    missing: tuple[str, ...] = ()
    problems: tuple[Diagnostic, ...] = ()


def read_transforms(
    config: Config,
    version: Version = NEWEST,
    *,
    names: str | None = None,
    as_tool: bool = False,
) -> Transforms:
    """The transforms that a configuration lists, as the schedd reads it.

    ``names``: a list in place of that of the configuration.  ``as_tool``: as condor_transform_ads
    reads them, which knows the old syntax.
    """
    listed = names
    if listed is None:
        try:
            listed = config.text(NAMES) or ""
        except ExpansionError:  # the schedd never gets past it, as `check` says
            listed = ""
    old = as_tool or version < _NO_OLD
    rules, missing = rules_named(_HEAD, listed, config, old=old)
    problems = [_missing(config, name) for name in missing]
    kept = []
    for one in rules:
        if one.is_old:
            message = f"the schedd ignores {_HEAD}{one.name}, which is in the old syntax"
            problems.append(Diagnostic(message, *one.written[0].spot(), severity="warning"))
        elif one.fault is not None:
            one.fault.message = f"the schedd ignores {_HEAD}{one.name}: {one.fault.message}"
            problems.append(one.fault)
        else:
            kept.append(one)
    return Transforms(tuple(kept), tuple(missing), tuple(problems))


def _missing(config: Config, name: str) -> Diagnostic:
    """That there is no such transform, shown where it is listed."""
    found = Diagnostic(f"{_HEAD}{name} is not set", severity="warning")
    listed = config.lookup(NAMES)
    if listed is not None and listed.source is not None:
        found.source, found.start, found.end = listed.source, listed.start, listed.end
    return found


@define(eq=False)
class Submission:
    """A job that was submitted.

    ``ad`` is that of the job, behind which the one of its cluster stands; ``refusal`` says why
    there is no such job.
    """

    ad: Ad
    courses: list[TransformRun] = field(factory=list)
    refusal: Diagnostic | None = None


def submit(
    transforms: Sequence[Rules], own: Ad, cluster: Ad | None, config: Config,
    context: EvalContext, version: Version = NEWEST,
) -> Submission:  # fmt: skip
    """What the schedd makes of a job; neither ad is changed."""
    job = TransformedJob.in_schedd(own, cluster)
    variables = Variables(config, job, context)
    submission = Submission(job.ad)
    for rules in transforms:
        course = run(rules, variables, version)
        submission.courses.append(course)
        if course.failure is not None:
            submission.refusal = course.failure
            return submission
    submission.refusal = _write(job.ad, own, submission.courses)
    return submission


def _write(ad: Ad, own: Ad, courses: Iterable[TransformRun]) -> Diagnostic | None:
    """What the schedd refuses of what was written; what it does not take it puts back."""
    for course in courses:
        for step in course.steps:
            for change in step.changes:
                name = change.attribute
                if is_kept(name) and own.raw(name) is not None:
                    ad.insert(name, own.raw(name))
                elif change.after is not None and not is_writable(name):
                    message = f"the schedd lets no transform write `{name}`"
                    return Diagnostic(message, *step.line.spot())
    return None


def split_cluster(ads: Sequence[Ad]) -> tuple[Ad, list[Ad]]:
    """The ad of a cluster and those of its jobs, from whole ads of the jobs.

    Which attributes a job has of its own is not told by its whole ad: those that are not the same
    in all, and the few that each job gets when it is submitted.
    """
    first, rest = ads[0], ads[1:]
    cluster = Ad()
    for name in first.names():
        value = first.raw(name)
        if name.lower() in _OWN:
            continue
        if all(other is value or _same(value, other) for other in raw_in(rest, name.lower())):
            cluster.insert(name, value)
    jobs = []
    for ad in ads:
        own = Ad()
        for name in ad.names():
            if cluster.raw(name) is None:
                own.insert(name, ad.raw(name))
        jobs.append(own)
    return cluster, jobs


def _same(left: object, right: object) -> bool:
    return left.__class__ is right.__class__ and left == right
