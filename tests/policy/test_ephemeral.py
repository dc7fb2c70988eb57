"""The table of attributes that the negotiator injects."""

from __future__ import annotations

from policy.ephemeral import EPHEMERAL, AdKind, Presence, find_ephemeral


def test_names_are_unique_and_found_without_case() -> None:
    names = [entry.name.casefold() for entry in EPHEMERAL]
    assert len(set(names)) == len(names)
    for entry in EPHEMERAL:
        assert find_ephemeral(entry.name.upper()) is entry


def test_neighbour_attributes_are_found_by_slot_number() -> None:
    found = find_ephemeral("slot12_RemoteUserPrio")
    assert found is not None
    assert found.name == "slot<i>_RemoteUserPrio"
    assert find_ephemeral("slot_RemoteUserPrio") is None
    assert find_ephemeral("slot1_RemoteUserFloor") is None


def test_what_is_rounded_and_what_is_live() -> None:
    rounded = {entry.name for entry in EPHEMERAL if entry.rounded and "slot<i>" not in entry.name}
    assert rounded == {"RemoteUserPrio", "RemoteUserResourcesInUse"}
    live = {entry.name for entry in EPHEMERAL if entry.live and entry.ad is AdKind.REQUEST}
    assert live == {"SubmitterUserResourcesInUse", "SubmitterGroupResourcesInUse"}


def test_group_attributes_of_slots_need_a_cycle_before() -> None:
    found = find_ephemeral("RemoteGroupQuota")
    assert found is not None
    assert found.presence is Presence.PREEMPTION_GROUPS
