"""Draws groups and a policy such as sites have: margins, run times, quotas, depth-first filling."""

from __future__ import annotations

import random
from typing import Final

_PREEMPTION: Final = (
    "False",
    "RemoteUserPrio > SubmitterUserPrio * 1.2",
    "(TotalJobRunTime ?: 0) > 3600 && RemoteUserPrio > SubmitterUserPrio * 1.2",
    "(TotalJobRunTime ?: 0) > 24 * 3600 && RemoteUserPrio > SubmitterUserPrio * 1.1",
    "RemoteUserPrio > SubmitterUserPrio * 1.5 && RemoteUserResourcesInUse > 2",
)
_GROUP_PREEMPTION: Final = (
    "(SubmitterGroupResourcesInUse < SubmitterGroupQuota)"
    " && (RemoteGroupResourcesInUse > RemoteGroupQuota)",
    "(SubmitterGroup =?= RemoteGroup) && RemoteUserPrio > SubmitterUserPrio * 1.2",
    "ifThenElse(SubmitterGroup =?= RemoteGroup, RemoteUserPrio > SubmitterUserPrio * 1.2,"
    " SubmitterGroupResourcesInUse < SubmitterGroupQuota"
    " && RemoteGroupResourcesInUse > RemoteGroupQuota)",
)
_PREEMPTION_RANK: Final = (
    "(RemoteUserPrio * 1000000) - (TotalJobRunTime ?: 0)",
    "-(TotalJobRunTime ?: 0)",
    "RemoteUserPrio - Cpus * 10",
)
_PRE_JOB_RANK: Final = (
    "(10000000 * My.Rank) + (1000000 * (RemoteOwner =?= UNDEFINED)) - (100000 * Cpus) - Memory",
    "(RemoteOwner =?= UNDEFINED) * (KFlops / 1000 - SlotID)",
    "1000000 - SlotID * 1000 + Cpus",
    'Site == "north"',
    "-Cpus",
)
_POST_JOB_RANK: Final = (
    "(RemoteOwner =?= UNDEFINED) * (KFlops - SlotID)",
    "-SlotID",
    "KFlops - 1.0e-2 * Mips",
)
_SORT: Final = (
    'ifThenElse(AccountingGroup =?= "<none>", 3.4e+38,'
    " ifThenElse(GroupQuota > 0, GroupResourcesInUse / GroupQuota, 3.3e+38))",
    "-GroupQuota",
    'ifThenElse(AccountingGroup =?= "<none>", 1e30, size(AccountingGroup))',
)


def draw_groups(rng: random.Random, config: dict[str, str]) -> list[str]:
    """The groups of a pool, half of the pools have some, and their quotas in the configuration."""
    if rng.random() < 0.45:
        return []
    names = []
    for top in rng.sample(["physics", "chem", "bio", "cs", "astro"], rng.randint(2, 4)):
        names.append(top)
        count = rng.choice((0, 0, 2, 3))
        names += [f"{top}.{child}" for child in rng.sample(["prod", "test", "users"], count)]
    dynamic = rng.random() < 0.5
    tops = sum("." not in name for name in names)
    for name in names:
        child = "." in name
        if dynamic:
            share = rng.uniform(0.1, 0.45) if child else rng.uniform(0.5, 1.1) / tops
            config[f"GROUP_QUOTA_DYNAMIC_{name}"] = f"{share:.2f}"
        else:
            quota = rng.randint(3, 15) if child else rng.randint(10, 80)
            config[f"GROUP_QUOTA_{name}"] = str(quota)
        if rng.random() < 0.15:
            config[f"GROUP_ACCEPT_SURPLUS_{name}"] = rng.choice(("True", "False"))
        if rng.random() < 0.1:
            config[f"GROUP_PRIO_FACTOR_{name}"] = rng.choice(("100", "10000"))
    config["GROUP_NAMES"] = ", ".join(names)
    for knob, chance in (
        ("GROUP_ACCEPT_SURPLUS", 0.6),
        ("GROUP_AUTOREGROUP", 0.2),
    ):
        if rng.random() < chance:
            config[knob] = "True"
    if rng.random() < 0.3:
        config["GROUP_SORT_EXPR"] = rng.choice(_SORT)
    if rng.random() < 0.2:
        config["GROUP_QUOTA_MAX_ALLOCATION_ROUNDS"] = rng.choice(("1", "2", "5"))
    if rng.random() < 0.15:
        config["NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION"] = "False"
    return names


def draw_policy(rng: random.Random, config: dict[str, str], groups: list[str]) -> None:
    """Preemption, ranks and a few other knobs."""
    by_group = bool(groups) and rng.random() < 0.5
    config["PREEMPTION_REQUIREMENTS"] = rng.choice(_GROUP_PREEMPTION if by_group else _PREEMPTION)
    for knob, texts, chance in (
        ("PREEMPTION_RANK", _PREEMPTION_RANK, 0.5),
        ("NEGOTIATOR_PRE_JOB_RANK", _PRE_JOB_RANK, 0.6),
        ("NEGOTIATOR_POST_JOB_RANK", _POST_JOB_RANK, 0.4),
    ):
        if rng.random() < chance:
            config[knob] = rng.choice(texts)
    for knob, text, chance in (
        ("NEGOTIATOR_CONSIDER_PREEMPTION", "False", 0.15),
        ("NEGOTIATOR_CONSIDER_EARLY_PREEMPTION", "True", 0.08),
        ("NEGOTIATOR_USE_SLOT_WEIGHTS", "False", 0.1),
        ("NEGOTIATOR_DEPTH_FIRST", "True", 0.05),
        ("USE_RESOURCE_REQUEST_COUNTS", "False", 0.05),
        ("NEGOTIATOR_MATCHLIST_CACHING", "False", 0.08),
        ("PREEMPTION_REQUIREMENTS_STABLE", "False", 0.08),
        ("USE_GLOBAL_JOB_PRIOS", "True", 0.05),
        ("SLOT_WEIGHT", "Cpus", 0.3),
        ("MAX_JOBS_RUNNING", "40", 0.08),
        ("MAX_CONCURRENT_UPLOADS_PER_USER", "20", 0.2),
        ("DEFAULT_PRIO_FACTOR", "100", 0.1),
    ):
        if rng.random() < chance:
            config[knob] = text
