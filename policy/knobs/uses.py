"""Says of every macro that holds an expression which ads it is evaluated in, and when.

The knobs of a cycle and of the daemons' policies have their ``Use`` with them; the others that only
checks need to know are listed here, and so are prefixes of slot types and families of names.
Follows: the manual.  Asked of the daemons of 25.14.1, with jobs: what MY and TARGET are in START,
START_LOCAL_UNIVERSE, START_SCHEDULER_UNIVERSE, SUBMIT_REQUIREMENT_<name> and its reason (in
SCHEDD_PREEMPTION_* two tries contradicted each other, so that both are taken for either ad); also
that MODIFY_REQUEST_EXPR_REQUESTCPUS counts and its like for a resource that MACHINE_RESOURCE_<name>
declares does not.  Asked without jobs: that condor_defrag and condor_rooster read each of their
macros as an expression, and the startd those of backfill, of the vanilla universe, WANT_HOLD_*,
CpuBusy, RUNBENCHMARKS and HIBERNATE.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from attr import evolve

from classad.patterns import late_regex
from policy.knobs import find_knob
from policy.knobs.declaration import SUBMITTING, Knob, KnobKind, Use, Wanted
from policy.knobs.other_daemons import OTHER_KNOBS

_CONDITION, _NUMBER, _ANY = Wanted.CONDITION, Wanted.NUMBER, Wanted.ANY
_OFFER: Final = "when a job is offered to the slot, and while one is on it"
_POLLED: Final = "again and again while a job is on the slot"
_CLAIM: Final = "when a job is to run on the slot"
_QUEUE: Final = "for each job in the queue, again and again"
_KEPT: Final = "as part of the job, whenever it is matched or runs"
_CYCLE: Final = "in a negotiation cycle"
_SCHEDD_START: Final = "before a job starts on the schedd's machine"


def _rows(my: str, target: str, rows: dict[str, tuple[Wanted, str]]) -> dict[str, Use]:
    """Uses with the same two ads."""
    return {name: Use(my, target, wanted, moment=when) for name, (wanted, when) in rows.items()}


#: Macros that no knob declares, by case-folded name.
_OTHERS: Final = {
    # Those of the startd that some job or none is evaluated with.
    **_rows("slot", "job", {
        "want_hold_reason": (_ANY, _POLLED),
        "want_hold_subcode": (_NUMBER, _POLLED),
        "preempt_vanilla": (_CONDITION, _POLLED),
        "suspend_vanilla": (_CONDITION, _POLLED),
        "continue_vanilla": (_CONDITION, _POLLED),
        "kill_vanilla": (_CONDITION, _POLLED),
        "want_vacate_vanilla": (_CONDITION, _POLLED),
        "want_suspend_vanilla": (_CONDITION, _POLLED),
        "isowner": (_CONDITION, _OFFER),
        "cpubusy": (_CONDITION, _POLLED),
        "runbenchmarks": (_CONDITION, "while the slot is free"),
        "start_backfill": (_CONDITION, "while the slot is free"),
        "evict_backfill": (_CONDITION, "while the slot is free"),
        "hibernate": (_ANY, "while the slot is free"),
        "modify_request_expr_requestcpus": (_NUMBER, _CLAIM),
        "modify_request_expr_requestmemory": (_NUMBER, _CLAIM),
        "modify_request_expr_requestdisk": (_NUMBER, _CLAIM),
        "cgroup_hard_memory_limit_expr": (_NUMBER, _CLAIM),
        "cgroup_low_memory_limit": (_NUMBER, _CLAIM),
        "singularity_job": (_CONDITION, _CLAIM),
        "singularity_image_expr": (_ANY, _CLAIM),
        "singularity_bind_expr": (_ANY, _CLAIM),
        "defrag_draining_start_expr": (_CONDITION, "while the machine drains"),
        "default_draining_start_expr": (_CONDITION, "while the machine drains"),
        "starter_rlimit_as": (_NUMBER, _CLAIM),
    }),
    # Those of which daemons did not tell which of slot and job MY is.
    **_rows("either", "either", {
        "schedd_preemption_requirements": (_CONDITION, "when a parallel job wants the slot"),
        "schedd_preemption_rank": (_NUMBER, "when a parallel job wants the slot"),
    }),
    # The collector asks it of ads of all kinds.
    **_rows("either", "either", {
        "collector_requirements": (_CONDITION, "when an ad comes in"),
    }),
    **_rows("slot", "", {
        "absent_requirements": (_CONDITION, "when the ad of a slot is too old"),
        "defrag_requirements": (_CONDITION, "when machines to be drained are looked for"),
        "defrag_whole_machine_expr": (_CONDITION, "when whole machines are counted"),
        "defrag_cancel_requirements": (_CONDITION, "while machines drain"),
        "defrag_rank": (_NUMBER, "when machines to be drained are looked for"),
        "rooster_unhibernate": (_CONDITION, "when machines to be woken are looked for"),
        "rooster_unhibernate_rank": (_NUMBER, "when machines to be woken are looked for"),
    }),
    # condor_submit of 25.14.1 copies them into the job, not evaluated.
    **_rows("job", "slot", {
        "append_requirements": (_CONDITION, _KEPT),
        "append_req_vanilla": (_CONDITION, _KEPT),
        "append_rank": (_NUMBER, _KEPT),
        "append_rank_vanilla": (_NUMBER, _KEPT),
        "default_rank": (_NUMBER, _KEPT),
        "default_rank_vanilla": (_NUMBER, _KEPT),
    }),
    **_rows("job", "", {
        "job_default_requestcpus": (_NUMBER, _KEPT),
        "job_default_requestmemory": (_NUMBER, _KEPT),
        "job_default_requestdisk": (_NUMBER, _KEPT),
        "job_default_lease_duration": (_NUMBER, _KEPT),
        "schedd_slot_weight": (_NUMBER, "when idle jobs are counted"),
        "gridmanager_selection_expr": (_ANY, "before a job of the grid universe starts"),
        "transfer_queue_user_expr": (_ANY, "when the files of a job are to be transferred"),
    }),
    # The router joins it with conditions of its own, in which TARGET is the job.
    **_rows("job", "job", {
        "job_router_source_job_constraint": (_CONDITION, _QUEUE),
    }),
    **_rows("schedd", "", {
        "curb_matchmaking": (_CONDITION, "before the schedd asks for more matches"),
    }),
    **_rows("schedd", "job", {
        "start_local_universe": (_CONDITION, _SCHEDD_START),
        "start_scheduler_universe": (_CONDITION, _SCHEDD_START),
    }),
}  # fmt: skip
_FAMILIES: Final = (
    (late_regex(r"system_periodic_(?:hold|remove|release|vacate)_(?:\w+_)?reason"),
     Use("job", "", _ANY, moment=_QUEUE)),
    (late_regex(r"system_periodic_(?:hold|remove|release|vacate)_(?:\w+_)?subcode"),
     Use("job", "", _ANY, moment=_QUEUE)),
    (late_regex(r"system_periodic_(?:hold|remove|release|vacate)_(?!reason|subcode|names)\w+"),
     Use("job", "", _CONDITION, moment=_QUEUE)),
    (late_regex(r"submit_requirement_(?!names)\w+_reason"),
     Use("schedd", "job", _ANY, moment=SUBMITTING)),
    (late_regex(r"submit_requirement_(?!names)\w+(?<!_is_warning)"),
     Use("schedd", "job", _CONDITION, moment=SUBMITTING)),
    (late_regex(r"docker_volume_dir_\w+_mount_if"),
     Use("slot", "job", _CONDITION, moment=_CLAIM)),
    (late_regex(r"(?:startd|schedd)_cron_\w+_condition"),
     Use("slot", "", _CONDITION, moment="when the job of the cron is to run")),
    (late_regex(r"consumption_(?!policy)\w+"), Use("slot", "job", _NUMBER, moment=_CLAIM)),
)  # fmt: skip
#: What the macros of these families begin with.
_BEGINNINGS: Final = (
    *("system_periodic_", "submit_requirement_", "consumption_", "docker_volume_"),
    *("startd_cron_", "schedd_cron_"),
)
_SLOT_TYPE: Final = late_regex(r"slot(?:_type_)?\d+(?:_\d+)?_(?=\w)", re.IGNORECASE)


@lru_cache(maxsize=10_000)
def find_use(macro: str) -> Use | None:
    """How the expression in a macro is evaluated; None if it holds none that is known."""
    folded = macro.casefold()
    knob = find_knob(macro) or OTHER_KNOBS.get(folded)
    if knob is not None and knob.kind is KnobKind.EXPR and knob.use is not None:
        return evolve(knob.use, moment=_moment(knob))
    families = _FAMILIES if folded.startswith(_BEGINNINGS) and folded not in _OTHERS else ()
    for pattern, use in families:
        if pattern.fullmatch(folded):
            return use
    inner = without_slot_type(macro)
    return _OTHERS.get(folded) or (None if inner == macro else find_use(inner))


def without_slot_type(macro: str) -> str:
    """The macro that one of a slot type, or of a slot, sets for it: START of SLOT_TYPE_1_START."""
    return _SLOT_TYPE.sub("", macro, count=1) if "slot" in macro.casefold() else macro


def _moment(knob: Knob) -> str:
    if knob.read_by == "NEGOTIATOR":
        return _CYCLE
    if knob.read_by == "SCHEDD":
        return _QUEUE
    if knob.name == "CLAIM_WORKLIFE":
        return "while the slot is claimed"
    return _OFFER if knob.name in ("START", "RANK") else _POLLED
