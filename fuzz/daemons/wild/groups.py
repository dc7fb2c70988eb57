"""Draws the accounting groups of a wild scenario: their tree, quotas and knobs."""

from __future__ import annotations

from typing import Final

from fuzz.daemons.wild.mixture import Mixture

_KINDS: Final = ("groups-static", "groups-dynamic", "groups-mixed", "groups-deep")
#: Features that make no sense without groups.
_NEED_GROUPS: Final = frozenset(
    {
        "accept-surplus", "accept-surplus-per-group", "autoregroup", "autoregroup-per-group",
        "group-sort-expr", "allocation-rounds", "round-robin-rate", "no-oversubscription",
        "no-weighted-demand", "no-strict-quota", "group-prio-factor", "group-floor",
        "group-name-odd", "groups-first-cycle", "claimed-by-group", "preempt-requirements-group",
    }
)  # fmt: skip


def draw_groups(mix: Mixture) -> None:
    """The groups, if there are any, and all knobs about them."""
    kinds = [kind for kind in _KINDS if mix.on(kind)]
    if not kinds and not mix.forced & _NEED_GROUPS:
        return
    if not kinds:
        kinds = ["groups-mixed"]
        mix.tags.add("groups-mixed")
    names = _tree(mix, deep="groups-deep" in kinds)
    mixed = "groups-mixed" in kinds or "groups-deep" in kinds or len(kinds) > 1
    _quotas(mix, names, "mixed" if mixed else kinds[0].removeprefix("groups-"))
    _sharing(mix, names)
    mix.groups = _named(mix, names)


def _tree(mix: Mixture, *, deep: bool) -> list[str]:
    rng = mix.rng
    names = []
    for top in rng.sample(["physics", "chem", "bio", "cs"], rng.randint(1, 3)):
        names.append(top)
        count = rng.randint(1, 3) if deep else rng.choice((0, 2, 3))
        for middle in rng.sample(["a", "b", "c"], count):
            names.append(f"{top}.{middle}")
            if deep and mix.often(0.6):
                leaves = rng.sample(["x", "y"], rng.randint(1, 2))
                names += [f"{top}.{middle}.{leaf}" for leaf in leaves]
    return names


def _quotas(mix: Mixture, names: list[str], style: str) -> None:
    rng, config = mix.rng, mix.config
    for name in names:
        how = style if style != "mixed" else mix.pick("static", "dynamic")
        if how == "static":
            config[f"GROUP_QUOTA_{name}"] = mix.pick(
                str(rng.randint(1, 20)), str(rng.randint(1, 20)), f"{rng.uniform(0.5, 9):.1f}", "0"
            )
        else:
            config[f"GROUP_QUOTA_DYNAMIC_{name}"] = mix.pick(
                f"{rng.uniform(0.05, 0.6):.2f}", f"{rng.uniform(0.2, 0.9):.3f}", "1.0"
            )


def _sharing(mix: Mixture, names: list[str]) -> None:
    """Who may have what others leave, and in which order groups negotiate."""
    config = mix.config
    if mix.on("accept-surplus"):
        config["GROUP_ACCEPT_SURPLUS"] = "True"
    if mix.on("accept-surplus-per-group"):
        for name in _some(mix, names):
            config[f"GROUP_ACCEPT_SURPLUS_{name}"] = mix.pick("True", "False")
    if mix.on("autoregroup"):
        config["GROUP_AUTOREGROUP"] = "True"
    if mix.on("autoregroup-per-group"):
        for name in _some(mix, names):
            config[f"GROUP_AUTOREGROUP_{name}"] = mix.pick("True", "True", "False")
    if mix.on("group-sort-expr"):
        config["GROUP_SORT_EXPR"] = mix.text("order of groups")
    if mix.on("allocation-rounds"):
        config["GROUP_QUOTA_MAX_ALLOCATION_ROUNDS"] = mix.pick("1", "2", "4", "7")
    if mix.on("round-robin-rate"):
        rate = mix.pick("1", "1.5", "2", "3", "5", "10")
        config["GROUP_QUOTA_ROUND_ROBIN_RATE"] = rate
    if mix.on("no-oversubscription"):
        config["NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION"] = "False"
    if mix.on("no-weighted-demand"):
        config["NEGOTIATOR_USE_WEIGHTED_DEMAND"] = "False"
    if mix.on("no-strict-quota"):
        config["NEGOTIATOR_STRICT_ENFORCE_QUOTA"] = "False"
    if mix.on("group-prio-factor"):
        for name in _some(mix, names):
            config[f"GROUP_PRIO_FACTOR_{name}"] = mix.pick("1", "10", "500", "2000", "100.5")


def _some(mix: Mixture, names: list[str]) -> list[str]:
    return mix.rng.sample(names, mix.rng.randint(1, len(names)))


def _named(mix: Mixture, names: list[str]) -> list[str]:
    """Write GROUP_NAMES, with oddities; returns the groups that there are."""
    listed, separator = list(names), ", "
    if mix.on("group-name-odd"):
        oddity = mix.pick("no-quota", "case", "twice", "order", "spaces", "orphan")
        if oddity == "no-quota":
            listed.append("spare")
        elif oddity == "case":
            listed = [name.capitalize() if mix.often(0.5) else name for name in listed]
        elif oddity == "twice":
            listed.append(listed[0])
        elif oddity == "order":
            mix.rng.shuffle(listed)
        elif oddity == "orphan":
            listed.append("lone.child")
            mix.config["GROUP_QUOTA_lone.child"] = "3"
            names = [*names, "lone.child"]
        elif oddity == "spaces":
            separator = " "
    mix.config["GROUP_NAMES"] = separator.join(listed)
    return names
