"""Draws the other knobs of a wild scenario: weights, constraints, requests, the schedd's."""

from __future__ import annotations

from fuzz.daemons.wild.mixture import LIMITS, Mixture


def draw_knobs(mix: Mixture) -> None:
    """Knobs that are about neither groups nor preemption nor ranks."""
    _weights_and_constraints(mix)
    _requests(mix)
    _expressions(mix)
    _schedd(mix)
    _factors_and_macros(mix)


def _weights_and_constraints(mix: Mixture) -> None:
    config = mix.config
    if mix.on("no-match-list"):
        config["NEGOTIATOR_MATCHLIST_CACHING"] = "False"
    if mix.on("unweighted"):
        config["NEGOTIATOR_USE_SLOT_WEIGHTS"] = "False"
    if mix.on("force-slot-weight"):
        config["FORCE_NEGOTIATOR_SLOT_WEIGHT"] = "True"
        config["SLOT_WEIGHT"] = mix.text("forced slot weight")
    if mix.on("slot-constraint"):
        config["NEGOTIATOR_SLOT_CONSTRAINT"] = mix.text("slot constraint")
    if mix.on("submitter-constraint"):
        config["NEGOTIATOR_SUBMITTER_CONSTRAINT"] = mix.text("submitter constraint")
    if mix.on("poolsize-constraint"):
        knob = "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT"
        text = mix.text("pool size constraint")
        config[mix.pick(knob, "GROUP_DYNAMIC_MACH_CONSTRAINT")] = text
    if mix.on("job-constraint"):
        config["NEGOTIATOR_JOB_CONSTRAINT"] = mix.text("job constraint")


def _requests(mix: Mixture) -> None:
    config = mix.config
    if mix.on("no-request-counts"):
        config["USE_RESOURCE_REQUEST_COUNTS"] = "False"
    if mix.on("request-list-size"):
        config["NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE"] = mix.pick("1", "2", "3", "5")
    if mix.on("no-prefetch"):
        config["NEGOTIATOR_PREFETCH_REQUESTS"] = "False"
    if mix.on("depth-first"):
        config["NEGOTIATOR_DEPTH_FIRST"] = "True"
    if mix.on("ignore-user-priorities"):
        config["NEGOTIATOR_IGNORE_USER_PRIORITIES"] = "True"


def _expressions(mix: Mixture) -> None:
    config = mix.config
    if mix.on("match-exprs"):
        config["NEGOTIATOR_MATCH_EXPRS"] = "BONUS, NegotiatorMatchExprSite"
        config["BONUS"] = mix.pick("7", "Tier * 10", '"text"')
        config["NegotiatorMatchExprSite"] = 'strcat("site-", "x")'
    if mix.on("cross-slot-prios"):
        config["NEGOTIATOR_CROSS_SLOT_PRIOS"] = "True"
        if mix.often(0.6):
            text = mix.text("preemption requirements of other slots")
            config["PREEMPTION_REQUIREMENTS"] = text
    if mix.on("discount-suspended"):
        config["NEGOTIATOR_DISCOUNT_SUSPENDED_RESOURCES"] = "True"
    if mix.on("trim-shutdown"):
        threshold = mix.pick("600", "3600", "30 * 60")
        config["NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD"] = threshold
    if mix.on("global-job-prios"):
        config["USE_GLOBAL_JOB_PRIOS"] = "True"


def _schedd(mix: Mixture) -> None:
    config = mix.config
    if mix.on("significant-attributes"):
        names = mix.pick("JobPrio", "RequestMemory", "Class, WantTier")
        knob = mix.pick("ADD_SIGNIFICANT_ATTRIBUTES", "REMOVE_SIGNIFICANT_ATTRIBUTES")
        config[knob] = names
    if mix.on("all-jobs-in-cluster"):
        config["NEGOTIATE_ALL_JOBS_IN_CLUSTER"] = "True"
    if mix.on("schedd-limits"):
        knob = mix.pick("MAX_JOBS_RUNNING", "MAX_CONCURRENT_UPLOADS_PER_USER")
        config[knob] = str(mix.rng.randint(1, 8))


def _factors_and_macros(mix: Mixture) -> None:
    config = mix.config
    if mix.on("prio-factor-knobs"):
        factors = (
            ("DEFAULT_PRIO_FACTOR", ("100", "1", "2500.5")),
            ("NICE_USER_PRIO_FACTOR", ("5000", "1e7")),
            ("REMOTE_PRIO_FACTOR", ("50", "8000")),
        )
        for knob, values in factors:
            if mix.often(0.6):
                config[knob] = mix.pick(*values)
    if mix.on("config-macros"):
        config["THRESH"] = mix.pick("1.1", "0.9", "2")
        config["USERBETTER"] = "(RemoteUserPrio > SubmitterUserPrio * $(THRESH))"
        config["PREEMPTION_REQUIREMENTS"] = mix.text("preemption requirements with macros")
        config.setdefault("PREEMPTION_RANK", "$(PRERANKBASE:10) * Tier - SlotID")


def draw_limits(mix: Mixture) -> None:
    """Concurrency limits, where jobs are to name some."""
    rng, config = mix.rng, mix.config
    mix.traits(*LIMITS)
    if not mix.tags.intersection(LIMITS):
        return
    config["LIC_LIMIT"] = mix.pick("0", "2", "5", "12", "3.5")
    config["disk_limit"] = str(rng.randint(1, 15))
    if "limits-expression" in mix.tags:
        config["NORTH_LIMIT"] = str(rng.randint(1, 5))
    if "limits-default" in mix.tags:
        config["CONCURRENCY_LIMIT_DEFAULT"] = str(rng.randint(1, 8))
        config["CONCURRENCY_LIMIT_DEFAULT_sw"] = str(rng.randint(1, 5))
        if mix.often(0.5):
            config["SW.A_LIMIT"] = str(rng.randint(1, 4))
