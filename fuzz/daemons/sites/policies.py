"""Draws ranks and conditions to start as sites have published theirs."""

from __future__ import annotations

from random import Random

from fuzz.daemons.sites.entries import Ad, ask, entries, require, some, text
from pieslice.data import JsonData


def draw_ranks(rng: Random, scenario: JsonData) -> None:
    """Ranks of the negotiator, of machines and of jobs."""
    config = scenario["config"]
    for knob in ("NEGOTIATOR_PRE_JOB_RANK", "NEGOTIATOR_POST_JOB_RANK", "PREEMPTION_RANK"):
        if rng.random() < 0.6:
            config[knob] = text(rng, f"site: {knob}")
    for entry in some(rng, scenario, "slots", 0.6):
        entry["ad"]["Rank"] = text(rng, "site: machine rank")
    for entry in some(rng, scenario, "jobs", 0.6):
        entry["ad"]["Rank"] = text(rng, "site: job rank")


def draw_starts(rng: Random, scenario: JsonData) -> None:
    """START and WithinResourceLimits of machines, Requirements as a submit tool writes them."""
    pool = [text(rng, "site: start") for _ in range(4)]
    whole = rng.random() < 0.5
    for entry in some(rng, scenario, "slots", 0.8):
        ad: Ad = entry["ad"]
        if whole:
            ad["WithinResourceLimits"] = text(rng, "site: within limits")
            ad["Start"] = rng.choice(pool)
            ad["Requirements"] = "Start && WithinResourceLimits"
        else:
            require(ad, rng.choice(pool))
        for name in ("KeyboardIdle", "LoadAvg", "Dept", "OpSysAndVer", "HasFileTransfer"):
            if rng.random() < 0.7:
                ad[name] = text(rng, f"slot attribute {name}")
    for entry in entries(scenario, "jobs"):
        ad = entry["ad"]
        for name in ("ProjectName", "AcctGroup", "MaxRuntime", "WantGpu", "QueueName", "Backfill"):
            if rng.random() < 0.4:
                ad[name] = text(rng, f"job attribute {name}")
        if rng.random() < 0.7:
            ask(ad, text(rng, "site: job requirements"))
