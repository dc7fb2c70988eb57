"""Draws pools in which hardly anything can be decided for all slots at once.

They have chance and the clock, numbers that are none, expressions that lead to each other, slots
that change within the cycle, limits that depend on the slot.  Needs the extra ``fuzz``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from classad.extras import load
from negotiator.strategies import Draw, Entries, scenarios

if TYPE_CHECKING:
    import hypothesis.strategies as st
else:
    st = load("hypothesis.strategies")

__all__ = ["adversarial_scenarios"]

_NAN: Final = 'real("NaN")'
_SLOTS: Final[tuple[dict[str, str], ...]] = (
    {"Requirements": "random() < 0.8"},
    {"Requirements": "Start && Memory >= TARGET.RequestMemory", "Start": "TARGET.JobPrio >= 0"},
    {"Requirements": "Start", "Start": "Requirements || true"},
    {"Requirements": "eval(Text)", "Text": '"TARGET.JobPrio < 5"'},
    {"Requirements": "TARGET.Chance || Cpus > 1", "Chance": "true"},
    {"Requirements": "time() % 2 == 0 || SlotID > 1"},
    {"Requirements": "SubmitterUserResourcesInUse < 3"},
    {"Requirements": "ifThenElse(isUndefined(TARGET.Chance), true, TARGET.Chance)"},
    {"Rank": "random()"},
    {"Rank": _NAN},
    {"Rank": "RemoteUserPrio - TARGET.SubmitterUserPrio"},
    {"CurrentRank": "Cpus", "Rank": "TARGET.JobPrio"},
    {"WantAdRevaluate": "true", "Rank": "-CurMatches"},
    {"ConcurrencyLimits": '"lic"'},
    {"Offline": "true"},
    {"RemoteScheddName": '"s1@test"', "PartitionableSlot": "true"},
    {"DynamicSlot": "true", "PslotRollupInformation": "true"},
    {
        "PartitionableSlot": "true",
        "MachineResources": '"cpus memory disk"',
        "Disk": "1000000",
        "ConsumptionCpus": "quantize(TARGET.RequestCpus, {1})",
        "ConsumptionMemory": "quantize(TARGET.RequestMemory, {128})",
        "ConsumptionDisk": "random(1) * 0 + 1",
        "SlotWeight": "Cpus",
    },
    {
        "PartitionableSlot": "true",
        "PslotRollupInformation": "true",
        "ChildName": '{"slot1@m0", "slot2@m1"}',
        "ChildCurrentRank": "{0.0, 1.0}",
        "ChildCpus": "{1, 2}",
        "ChildMemory": "{512, 1024}",
        "ChildState": '{"Claimed", "Claimed"}',
        "ChildRetirementTimeRemaining": "{0, 0}",
    },
)
_JOBS: Final[tuple[dict[str, str], ...]] = (
    {"Requirements": "random() < 0.7 && TARGET.Memory > 0"},
    {"Requirements": "TARGET.Memory > 600 && Chance", "Chance": "random(3) > 0"},
    {"Requirements": "TARGET.Extra =?= undefined", "Extra": "TARGET.Memory"},
    {"Requirements": "MY.Loop", "Loop": "MY.Requirements"},
    {"Rank": "random()"},
    {"Rank": _NAN},
    {"Rank": "ifThenElse(isError(MY.Rank), 1, TARGET.SlotID)"},
    {"Rank": "MY.Rank + 1"},
    {"Rank": "Mine + TARGET.SlotID", "Mine": "TARGET.Cpus"},
    {"Rank": "TARGET.Rank"},
    {"ConcurrencyLimits": 'ifThenElse(TARGET.SlotID > 1, "lic", "other")'},
    {"ConcurrencyLimits": 'strcat("lic:", random(2))'},
    {"WantPslotPreemption": "true", "RequestCpus": "6"},
    {"Chance": "random() < 0.5"},
)
_KNOBS: Final[dict[str, tuple[str, ...]]] = {
    "NEGOTIATOR_IGNORE_JOB_RANKS": ("True",),
    "ALLOW_PSLOT_PREEMPTION": ("True",),
    "NEGOTIATOR_CROSS_SLOT_PRIOS": ("True",),
    "PREEMPTION_REQUIREMENTS_STABLE": ("False",),
    "PREEMPTION_RANK_STABLE": ("False",),
    "PREEMPTION_REQUIREMENTS": ("random() < 0.6", "RemoteUserResourcesInUse > 0", "1"),
    "PREEMPTION_RANK": (_NAN, "random()", "-RemoteUserResourcesInUse"),
    "NEGOTIATOR_PRE_JOB_RANK": (_NAN, "random(2)", 'ifThenElse(SlotID == 1, real("NaN"), 2)'),
    "NEGOTIATOR_POST_JOB_RANK": ("time()", "RemoteUserPrio", "1.0e300 * Memory"),
    "NEGOTIATOR_CONSIDER_PREEMPTION": ("True",),
    "NEGOTIATOR_MATCHLIST_CACHING": ("False",),
    "NEGOTIATOR_MATCH_EXPRS": ("Extra",),
    "Extra": ("SlotID * 2",),
}


@st.composite
def adversarial_scenarios(draw: Draw) -> Entries:
    """A small pool, or one with many equal slots, and up to five things hard for columns."""
    scenario: Entries = draw(scenarios(groups=draw(st.booleans())))
    if draw(st.integers(0, 3)) == 3:
        draw(st.sampled_from(scenario["slots"]))["count"] = draw(st.sampled_from([17, 40]))
    scenario["dialect"] = draw(st.sampled_from(["htcondor", "htcondor", "manual"]))
    for _ in range(draw(st.integers(0, 5))):
        where = draw(st.sampled_from(["slots", "slots", "jobs", "config"]))
        if where == "config":
            name = draw(st.sampled_from(sorted(_KNOBS)))
            scenario["config"][name] = draw(st.sampled_from(_KNOBS[name]))
        elif scenario[where]:
            ad = draw(st.sampled_from(scenario[where]))["ad"]
            ad.update(draw(st.sampled_from(_SLOTS if where == "slots" else _JOBS)))
    return scenario
