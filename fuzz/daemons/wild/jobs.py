"""Draws the jobs of a wild scenario: clusters of several schedds, and what they ask for."""

from __future__ import annotations

from typing import Final

from fuzz.daemons.wild.mixture import SITES, Mixture, quoted, texts
from pieslice.data import JsonData

_TRAITS: Final = (
    "several-schedds", "pre-post-job-prio", "held-jobs", "job-requirements",
    "job-requirements-odd", "job-rank", "job-rank-odd",
)  # fmt: skip

_Ad = dict[str, str | None]


def draw_jobs(mix: Mixture) -> list[JsonData]:
    """The entries of the jobs."""
    rng = mix.rng
    traits = mix.traits(*_TRAITS)
    several_cpus = mix.often(0.4)
    limits = _limits(mix)
    # The order of the draws is that of the expressions: first which schedds there are.
    schedds = ["s1"] + (["s2", "s3"][: rng.randint(1, 2)] if traits["several-schedds"] else [])
    entries: list[JsonData] = []
    clusters: dict[str, int] = {}
    homes: dict[str, str] = {}
    demand = mix.pick(4, 10, 25)
    for submitter in mix.submitters:
        for _ in range(rng.randint(1, 3)):
            schedd = mix.pick(*schedds)
            if mix.seed % 2 == 0:  # half of the pools: each submitter has one schedd
                schedd = homes.setdefault(submitter, schedd)
            clusters[schedd] = clusters.get(schedd, 0) + rng.choice((1, 1, 1, 3))
            ad = _job(mix, traits, several_cpus=several_cpus)
            _policy(mix, traits, ad)
            if limits and mix.often(0.6):
                ad["ConcurrencyLimits"] = mix.pick(*limits)
            if traits["held-jobs"] and mix.often(0.2):
                ad["JobStatus"] = "5"
            entry: JsonData = {
                "id": str(clusters[schedd]),
                "submitter": submitter,
                "count": rng.randint(1, demand),
                "ad": ad,
            }
            if len(schedds) > 1:
                entry["schedd"] = schedd
            entries.append(entry)
    if mix.often(0.3):
        rng.shuffle(entries)
    return entries


def _limits(mix: Mixture) -> list[str]:
    """The concurrency limits that jobs name."""
    limits: list[str] = []
    if "limits" in mix.tags:
        limits += map(quoted, ("lic", "lic,disk", "LIC", "disk"))
    if "limits-weighted" in mix.tags:
        limits += map(quoted, ("disk:2", "lic:1.5, disk", "disk:0", "lic:x"))
    if "limits-expression" in mix.tags:
        limits += [
            'ifThenElse(TARGET.Tier > 1, "lic", "disk")', 'strcat("li", "c")',
            'strcat(TARGET.Site, "")', "undefined", "5", 'TARGET.NoSuch ?: "lic"',
        ]  # fmt: skip
    if "limits-default" in mix.tags:
        limits += map(quoted, ("sw.a", "sw.b:2", "other", "sw.a, sw.b", "lic.sub", "a..b"))
    return limits


def _job(mix: Mixture, traits: dict[str, bool], *, several_cpus: bool) -> _Ad:
    ad: _Ad = {
        "RequestMemory": str(mix.pick(1, 100, 400, 900, 1800, 3500)),
        "RequestCpus": str(mix.pick(1, 1, 2, 4) if several_cpus else 1),
    }
    if mix.often(0.4):
        ad["JobPrio"] = str(mix.pick(5, -5, 10, 1, 20))
    if traits["pre-post-job-prio"] and mix.often(0.6):
        names = ("PreJobPrio1", "PreJobPrio2", "PostJobPrio1", "PostJobPrio2")
        text = str(mix.rng.randint(-3, 9))
        ad[mix.pick(*names)] = text
    if mix.often(0.1):
        ad["RequestMemory"] = mix.text("requested memory")
    if mix.often(0.35):
        ad["Class"] = quoted(mix.pick("x", "y", "Y"))
    if mix.often(0.25):
        ad["WantSite"] = quoted(mix.pick(*SITES))
    if mix.often(0.25):
        ad["WantTier"] = str(mix.rng.randint(0, 3))
    return ad


def _policy(mix: Mixture, traits: dict[str, bool], ad: _Ad) -> None:
    """Requirements and Rank of a job."""
    if traits["job-requirements"] and mix.often(0.65):
        ad["Requirements"] = _requirements(mix)
    if traits["job-requirements-odd"] and mix.often(0.4):
        ad["Requirements"] = mix.text_or_none("job requirements, odd")
    if mix.ephemeral and mix.often(0.35):
        of_the_cycle = texts("job requirements of the cycle")
        if "match-exprs" in mix.tags:
            of_the_cycle.append("TARGET.NegotiatorMatchExprBONUS =!= 0")
        ad["Requirements"] = mix.pick(*of_the_cycle)
    if traits["job-rank"] and mix.often(0.6):
        ad["Rank"] = mix.text("job rank")
    if traits["job-rank-odd"] and mix.often(0.5):
        ad["Rank"] = mix.text_or_none("job rank, odd")
    if mix.ephemeral and mix.often(0.15):
        ad["Rank"] = mix.text("job rank of the cycle")


def _requirements(mix: Mixture) -> str:
    """One, two or three conditions, joined in one of several ways."""
    rng = mix.rng
    atoms = [
        f"TARGET.Site == {quoted(mix.pick(*SITES))}",
        f"TARGET.Tier >= {rng.randint(0, 2)}",
        f"Tier != {rng.randint(0, 3)}",
        *texts("job requirements"),
    ]
    if mix.nested and mix.often(0.6):
        atoms = texts("job requirements of nested ads")
    form = rng.random()
    a, b, c = (mix.pick(*atoms) for _ in range(3))
    forms = (
        (0.4, a),
        (0.6, f"({a}) && ({b})"),
        (0.75, f"({a}) || ({b})"),
        (0.83, f"ifThenElse({a}, {b}, {c})"),
        (0.93, f"({a}) && (({b}) || !({c}))"),
    )
    return next((text for below, text in forms if form < below), f"(({a}) =?= True) || ({b})")
