"""Says what waiting jobs would be, had they been submitted under another configuration.

Attributes that a default of the first configuration gave get that of the second, the second one's
transforms run, and its submit requirements are asked.  Jobs have been through transforms that both
have: these do not run again.  What other transforms of the first one did to the jobs cannot be
undone; they are named, and so is an APPEND_REQUIREMENTS that stays in the jobs.
Inputs: whole ads of jobs, both configurations as the schedd sees them, the schedd's ad.
Outputs: ``Resubmission``.
Follows: condor_submit and condor_schedd 25.14.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attr import define, field, frozen

from classad.ads.ad import Ad, Stored
from classad.ads.expression import Expression
from classad.errors import Diagnostic
from classad.evaluate import EvalContext
from policy.config import Config
from policy.knobs.lists import SUBMIT_LISTS
from policy.language.macros import ExpansionError
from policy.transforms.acceptance import NotMet, Requirement, judge, read_requirements
from policy.transforms.job import ChangedAttribute, text_of
from policy.transforms.rules import Rules, expression
from policy.transforms.running import TransformRun
from policy.transforms.submission import Transforms, read_transforms, split_cluster, submit
from policy.transforms.transforms import split_names
from policy.versions import NEWEST, Version

#: Macros with the default of an attribute.
_DEFAULTS: Final = ("RequestCpus", "RequestMemory", "RequestDisk", "RequestGPUs")
_VANILLA: Final = 5
#: What condor_submit joins with the requirements of jobs of the vanilla universe: the first that is
#: set.
_APPENDED: Final = ("APPEND_REQ_VANILLA", "APPEND_REQUIREMENTS")


@define(eq=False)
class Resubmitted:
    """A job: ``ad`` is whole, ``changes`` are all that sets it apart from the one that waits.

    ``refusal``: why there would be no such job.
    """

    ad: Ad
    changes: tuple[ChangedAttribute, ...] = ()
    courses: list[TransformRun] = field(factory=list)
    refusal: Diagnostic | None = None
    warnings: tuple[NotMet, ...] = ()


@frozen
class Resubmission:
    """The jobs in their order.

    ``kept``: macros of the first configuration whose effects on the jobs stay.  ``problems``: what
    of the second one is left out.
    """

    jobs: tuple[Resubmitted, ...]
    kept: tuple[str, ...]
    problems: tuple[Diagnostic, ...]


def resubmitted(
    ads: Sequence[Ad], before: Config, after: Config, schedd: Ad | None, context: EvalContext,
    version: Version = NEWEST,
) -> Resubmission:  # fmt: skip
    """The jobs of a schedd had they been submitted under ``after`` instead of ``before``."""
    old, new = (read_transforms(config, version) for config in (before, after))
    done = _texts(old)
    fresh = tuple(one for one in new.rules if done.get(one.name.casefold()) != _text_of_rules(one))
    requirements, ignored = read_requirements(after)
    defaults = dict(changed_defaults(before, after))
    appended = tuple(_appended(config) for config in (before, after))
    joined = None if appended[0] == appended[1] else expression(appended[1])
    under = _Submitting(fresh, requirements, defaults, joined, after, schedd, context, version)
    jobs: dict[int, Resubmitted] = {}
    clusters: dict[object, list[int]] = {}
    for place, ad in enumerate(ads):
        number = ad.raw("ClusterId")
        clusters.setdefault(number if isinstance(number, int) else f"-{place}", []).append(place)
    for places in clusters.values():
        for place, job in zip(places, under.cluster([ads[one] for one in places]), strict=True):
            jobs[place] = job
    kept = [*_kept(old, new)]
    kept += ["APPEND_REQUIREMENTS"] if appended[0] not in ("", appended[1]) else []
    order = tuple(jobs[place] for place in range(len(ads)))
    return Resubmission(order, tuple(kept), (*new.problems, *ignored))


def changed_defaults(before: Config, after: Config) -> Iterator[tuple[str, tuple[str, str]]]:
    """The attributes whose defaults are not the same: name, and both texts; empty is none."""
    names = [(f"JOB_DEFAULT_{name.upper()}", name) for name in _DEFAULTS]
    for macro in SUBMIT_LISTS:
        for config in (before, after):
            names += [(name, name) for name in split_names(_text(config, macro))]
    for macro, name in dict.fromkeys(names):
        own = macro == name
        old = _text(before, macro) if not own or _is_listed(before, name) else ""
        new = _text(after, macro) if not own or _is_listed(after, name) else ""
        if old != new:
            yield name, (old, new)


def _is_listed(config: Config, name: str) -> bool:
    listed = (split_names(_text(config, macro)) for macro in SUBMIT_LISTS)
    return any(name.casefold() == one.casefold() for names in listed for one in names)


def _text(config: Config, macro: str) -> str:
    try:
        text = (config.text(macro) or "").strip()
    except ExpansionError:
        return ""
    return "" if text.casefold() == "undefined" else text


def _appended(config: Config) -> str:
    return next((text for macro in _APPENDED if (text := _text(config, macro))), "")


def _text_of_rules(rules: Rules) -> list[str]:
    return [line.text for line in rules.written]


def _texts(transforms: Transforms) -> dict[str, list[str]]:
    return {rules.name.casefold(): _text_of_rules(rules) for rules in transforms.rules}


def _kept(before: Transforms, after: Transforms) -> Iterator[str]:
    """The transforms that the second configuration has not, or has otherwise."""
    new = _texts(after)
    for rules in before.rules:
        if new.get(rules.name.casefold()) != _text_of_rules(rules):
            yield f"JOB_TRANSFORM_{rules.name}"


@frozen
class _Submitting:
    """What jobs come through."""

    transforms: Sequence[Rules]
    requirements: Sequence[Requirement]
    defaults: dict[str, tuple[str, str]]
    appended: Expression | None
    config: Config
    schedd: Ad | None
    context: EvalContext
    version: Version

    def cluster(self, ads: Sequence[Ad]) -> Iterator[Resubmitted]:
        """The jobs of a cluster."""
        shared, own = split_cluster([self._with_defaults(ad) for ad in ads])
        for old, one in zip(ads, own, strict=True):
            done = submit(self.transforms, one, shared, self.config, self.context, self.version)
            refusal: Diagnostic | None = done.refusal
            warnings: tuple[NotMet, ...] = ()
            if refusal is None:
                verdict = judge(self.requirements, done.ad, self.schedd, self.context)
                warnings = verdict.warnings
                refusal = None if verdict.refusal is None else verdict.refusal.diagnostic()
            whole = _whole(done.ad, shared)
            changes = tuple(_changes(old, whole))
            yield Resubmitted(whole, changes, done.courses, refusal, warnings)

    def _with_defaults(self, ad: Ad) -> Ad:
        """The job with the defaults of the second configuration where it has those of the first."""
        new = Ad.copy_of(ad)
        for name, (old, text) in self.defaults.items():
            value = ad.raw(name)
            tree = expression(old) if old else None
            is_default = value is None if tree is None else _text_of(value) == _kept_text(name, old)
            if not is_default:
                continue
            given = expression(text) if text else None
            if given is not None:
                new.insert(name, type(given).sharing(given))
            elif value is not None:
                new.remove(name)
        if self.appended is not None and ad.raw("JobUniverse") == _VANILLA:
            own = ad.raw("Requirements")
            both = f"({text_of(self.appended)})"
            both += "" if own is None else f" && ({text_of(own)})"
            joined = expression(both)
            if joined is not None:
                new.insert("Requirements", joined)
        return new


def _kept_text(name: str, text: str) -> str | None:
    """A default as an ad has it."""
    ad = Ad()
    tree = expression(text)
    if tree is None:
        return None
    ad.insert(name, type(tree).sharing(tree))
    return _text_of(ad.raw(name))


def _text_of(value: Stored) -> str | None:
    return None if value is None else text_of(value)


def _whole(ad: Ad, shared: Ad) -> Ad:
    """A job with what it has from its cluster."""
    whole = Ad.copy_of(shared)
    for name in ad.names():
        whole.insert(name, ad.raw(name))
    return whole


def _changes(old: Ad, new: Ad) -> Iterator[ChangedAttribute]:
    names = {name.lower(): name for ad in (old, new) for name in ad.names()}
    for _, name in sorted(names.items()):
        before, after = old.raw(name), new.raw(name)
        if before is not after and _text_of(before) != _text_of(after):
            yield ChangedAttribute(name, before, after)
