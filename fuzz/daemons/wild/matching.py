"""Draws the knobs about preemption and ranks of a wild scenario."""

from __future__ import annotations

from fuzz.daemons.wild.mixture import Mixture, texts


def draw_preemption(mix: Mixture) -> None:
    """Who may be preempted, and who first."""
    config = mix.config
    if mix.on("preemption-off"):
        config["NEGOTIATOR_CONSIDER_PREEMPTION"] = "False"
    if mix.on("early-preemption"):
        config["NEGOTIATOR_CONSIDER_EARLY_PREEMPTION"] = "True"
    if mix.on("preempt-requirements-odd"):
        config["PREEMPTION_REQUIREMENTS"] = mix.text("preemption requirements, odd")
    elif mix.groups and mix.on("preempt-requirements-group", 0.5):
        config["PREEMPTION_REQUIREMENTS"] = mix.text("preemption requirements of groups")
    elif mix.on("preempt-requirements"):
        config["PREEMPTION_REQUIREMENTS"] = mix.text("preemption requirements")
    by_group = "preempt-requirements-group"
    if by_group in mix.forced and "preempt-requirements-odd" not in mix.tags:
        mix.tags.add(by_group)
        config["PREEMPTION_REQUIREMENTS"] = mix.text("preemption requirements of groups")
    if mix.on("preempt-rank"):
        config["PREEMPTION_RANK"] = mix.text("preemption rank")
    if mix.on("requirements-not-stable"):
        config["PREEMPTION_REQUIREMENTS_STABLE"] = "False"
    if mix.on("rank-not-stable"):
        config["PREEMPTION_RANK_STABLE"] = "False"


def draw_ranks(mix: Mixture) -> None:
    """The ranks that the negotiator sorts candidates by."""
    config = mix.config
    usual, odd = texts("negotiator ranks"), texts("negotiator ranks, odd")
    odd_ranks = mix.on("rank-odd-values")
    knobs = (
        ("pre-rank", "NEGOTIATOR_PRE_JOB_RANK"),
        ("post-rank", "NEGOTIATOR_POST_JOB_RANK"),
    )
    for feature, knob in knobs:
        if mix.on(feature):
            config[knob] = mix.pick(*(odd if odd_ranks and mix.often(0.7) else usual))
    if odd_ranks and not {"pre-rank", "post-rank"} & mix.tags:
        config["NEGOTIATOR_PRE_JOB_RANK"] = mix.pick(*odd)
    if mix.on("many-ties"):
        config["NEGOTIATOR_PRE_JOB_RANK"] = mix.pick("0", "Tier > 1", "isUndefined(RemoteOwner)")
        config["NEGOTIATOR_POST_JOB_RANK"] = mix.pick("0", "-5", "undefined")
    if mix.on("ignore-job-ranks"):
        config["NEGOTIATOR_IGNORE_JOB_RANKS"] = "True"
        config["NEGOTIATOR_PRE_JOB_RANK"] = "Uniq"
        config.setdefault("NEGOTIATOR_POST_JOB_RANK", "0")
