"""Draws partitionable slots whose dynamic slots may be preempted together."""

from __future__ import annotations

from collections.abc import Iterable

from attr import frozen

from fuzz.daemons.wild.mixture import Mixture, quoted
from pieslice.data import JsonData


@frozen
class _Child:
    name: str
    user: str
    cpus: int
    memory: int
    rank: str


def slots_with_children(mix: Mixture) -> list[JsonData]:
    """Entries of partitionable slots, each followed by its dynamic slots."""
    mix.config["ALLOW_PSLOT_PREEMPTION"] = "True"
    mix.config.setdefault("PREEMPTION_REQUIREMENTS", "True")
    entries = []
    for number in range(mix.rng.randint(1, 3)):
        children = _children(mix, number)
        entries.append(_parent(mix, number, children))
        entries += [_dynamic(child) for child in children]
    return entries


def _children(mix: Mixture, number: int) -> list[_Child]:
    rng = mix.rng
    count = range(rng.randint(2, 4))
    users = [mix.pick(*mix.submitters, *mix.guests) for _ in count]
    cpus = [rng.randint(1, 3) for _ in count]
    memory = [rng.choice((500, 1000, 2000)) for _ in count]
    ranks = [mix.pick("0.0", "0.0", "1.0", "5.0") for _ in count]
    return [
        _Child(
            f"slot1_{i + 1}@pp{number}",
            users[i] if "@" in users[i] else f"{users[i]}@test",
            cpus[i],
            memory[i],
            ranks[i],
        )
        for i in count
    ]


def _list(texts: Iterable[object]) -> str:
    return f"{{{','.join(map(str, texts))}}}"


def _parent(mix: Mixture, number: int, children: list[_Child]) -> JsonData:
    count = len(children)
    claims = (quoted(f"<127.0.0.1:1>#1#{i}#a") for i in range(count))
    return {
        "name": f"slot1@pp{number}",
        "private": {"NumDynamicSlots": str(count), "ChildClaimIds": _list(claims)},
        "ad": {
            "PartitionableSlot": "true",
            "SlotType": quoted("Partitionable"),
            "Cpus": mix.pick("0", "1"),
            "TotalSlotCpus": "8",
            "TotalCpus": "8",
            "Memory": "1024",
            "TotalSlotMemory": "8192",
            "NumDynamicSlots": str(count),
            "Tier": "1",
            "PslotRollupInformation": "true",
            "ChildName": _list(quoted(child.name) for child in children),
            "ChildRemoteUser": _list(quoted(child.user) for child in children),
            "ChildCurrentRank": _list(child.rank for child in children),
            "ChildCpus": _list(child.cpus for child in children),
            "ChildMemory": _list(child.memory for child in children),
            "ChildDisk": _list(["10"] * count),
            "ChildState": _list(
                [quoted(mix.pick("Claimed", "Claimed", "Preempting")) for _ in children]
            ),
            "ChildActivity": _list([quoted("Busy")] * count),
            "MachineResources": quoted("cpus memory disk"),
            "ChildRetirementTimeRemaining": _list(
                [mix.pick("0", "0", "0", "60") for _ in children]
            ),
            "Rank": mix.pick("0", "TARGET.JobPrio", "2"),
        },
    }


def _dynamic(child: _Child) -> JsonData:
    return {
        "name": child.name,
        "ad": {
            "State": quoted("Claimed"),
            "Activity": quoted("Busy"),
            "RemoteUser": quoted(child.user),
            "RemoteOwner": quoted(child.user),
            "CurrentRank": child.rank,
            "Cpus": str(child.cpus),
            "Memory": str(child.memory),
            "DynamicSlot": "true",
            "Tier": "1",
            "SlotType": quoted("Dynamic"),
            "PslotRollupInformation": "true",
        },
    }
