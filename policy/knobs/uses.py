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
from typing import Final

from attr import frozen

from policy.knobs import find_knob
from policy.knobs.declaration import Kind, Knob, Use, Wanted
from policy.knobs.other_daemons import OTHER_KNOBS


@frozen
class Evaluated:
    """How the expression of a macro is evaluated.

    ``moment`` says when, in words; ``matching``: the negotiator has added its attributes.
    """

    use: Use
    moment: str
    matching: bool = False

    @property
    def at_submission(self) -> bool:
        """Is it asked of jobs that are just coming into the queue?"""
        return self.moment == _SUBMIT


_CONDITION, _NUMBER, _ANY = Wanted.CONDITION, Wanted.NUMBER, Wanted.ANY
_OFFER: Final = "when a job is offered to the slot, and while one is on it"
_POLLED: Final = "again and again while a job is on the slot"
_CLAIM: Final = "when a job is to run on the slot"
_QUEUE: Final = "for each job in the queue, again and again"
_SUBMIT: Final = "when a job is submitted"
_CYCLE: Final = "in a negotiation cycle"

#: Macros of the startd that some job or none is evaluated with, by case-folded name.
_OF_SLOTS: Final = {
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
    "defrag_draining_start_expr": (_CONDITION, "while the machine drains"),
}
#: Macros of which daemons did not tell which of slot and job MY is.
_OF_EITHER: Final = {
    "schedd_preemption_requirements": (_CONDITION, "when a parallel job wants the slot"),
    "schedd_preemption_rank": (_NUMBER, "when a parallel job wants the slot"),
}
#: Macros that see a slot and nothing else.
_SLOTS_ALONE: Final = {
    "defrag_requirements": (_CONDITION, "when machines to be drained are looked for"),
    "defrag_whole_machine_expr": (_CONDITION, "when whole machines are counted"),
    "defrag_cancel_requirements": (_CONDITION, "while machines drain"),
    "defrag_rank": (_NUMBER, "when machines to be drained are looked for"),
    "rooster_unhibernate": (_CONDITION, "when machines to be woken are looked for"),
    "rooster_unhibernate_rank": (_NUMBER, "when machines to be woken are looked for"),
}
#: Macros that see a job, and perhaps the slot that it is matched with.
_OF_JOBS: Final = {
    "append_requirements": ("slot", _CONDITION, _SUBMIT),
    "append_req_vanilla": ("slot", _CONDITION, _SUBMIT),
    "append_rank": ("slot", _NUMBER, _SUBMIT),
    "append_rank_vanilla": ("slot", _NUMBER, _SUBMIT),
    "default_rank": ("slot", _NUMBER, _SUBMIT),
    "default_rank_vanilla": ("slot", _NUMBER, _SUBMIT),
    "job_default_requestcpus": ("", _NUMBER, _SUBMIT),
    "job_default_requestmemory": ("", _NUMBER, _SUBMIT),
    "job_default_requestdisk": ("", _NUMBER, _SUBMIT),
    "job_default_lease_duration": ("", _NUMBER, _SUBMIT),
    # The router joins it with conditions of its own, in which TARGET is the job.
    "job_router_source_job_constraint": ("job", _CONDITION, _QUEUE),
}
#: Macros that see the schedd, and the job that is asked about.
_OF_SCHEDDS: Final = {
    "start_local_universe": "before a job starts on the schedd's machine",
    "start_scheduler_universe": "before a job starts on the schedd's machine",
}
_FAMILIES: Final = (
    (re.compile(r"system_periodic_(?:hold|remove|release|vacate)_(?:\w+_)?reason"),
     Evaluated(Use("job", "", _ANY), _QUEUE)),
    (re.compile(r"system_periodic_(?:hold|remove|release|vacate)_(?:\w+_)?subcode"),
     Evaluated(Use("job", "", _ANY), _QUEUE)),
    (re.compile(r"system_periodic_(?:hold|remove|release|vacate)_(?!reason|subcode|names)\w+"),
     Evaluated(Use("job", "", _CONDITION), _QUEUE)),
    (re.compile(r"submit_requirement_(?!names)\w+_reason"),
     Evaluated(Use("schedd", "job", _ANY), _SUBMIT)),
    (re.compile(r"submit_requirement_(?!names)\w+_is_warning"),
     Evaluated(Use("schedd", "job", _CONDITION), _SUBMIT)),
    (re.compile(r"submit_requirement_(?!names)\w+"),
     Evaluated(Use("schedd", "job", _CONDITION), _SUBMIT)),
)  # fmt: skip
_SLOT_TYPE: Final = re.compile(r"slot(?:_type_)?\d+(?:_\d+)?_(?=\w)", re.IGNORECASE)


def find_use(macro: str) -> Evaluated | None:
    """How the expression in a macro is evaluated; None if it holds none that is known."""
    knob = _knob(macro)
    if knob is not None and knob.kind is Kind.EXPR and knob.use is not None:
        return Evaluated(knob.use, _moment(knob), _is_matching(knob))
    folded = macro.casefold()
    if folded in _OF_SLOTS:
        wanted, moment = _OF_SLOTS[folded]
        return Evaluated(Use("slot", "job", wanted), moment)
    if folded in _OF_EITHER:
        wanted, moment = _OF_EITHER[folded]
        return Evaluated(Use("either", "either", wanted), moment)
    if folded in _SLOTS_ALONE:
        wanted, moment = _SLOTS_ALONE[folded]
        return Evaluated(Use("slot", "", wanted), moment)
    if folded in _OF_JOBS:
        target, wanted, moment = _OF_JOBS[folded]
        return Evaluated(Use("job", target, wanted), moment)
    if folded in _OF_SCHEDDS:
        return Evaluated(Use("schedd", "job", _CONDITION), _OF_SCHEDDS[folded])
    for pattern, evaluated in _FAMILIES:
        if pattern.fullmatch(folded):
            return evaluated
    inner = _SLOT_TYPE.sub("", macro, count=1)
    return None if inner == macro else find_use(inner)


def _knob(macro: str) -> Knob | None:
    return find_knob(macro) or OTHER_KNOBS.get(macro.casefold())


def _is_matching(knob: Knob) -> bool:
    return knob.read_by == "NEGOTIATOR" and knob.matches


def _moment(knob: Knob) -> str:
    if knob.read_by == "NEGOTIATOR":
        return _CYCLE
    if knob.read_by == "SCHEDD":
        return _QUEUE
    if knob.name == "CLAIM_WORKLIFE":
        return "while the slot is claimed"
    return _OFFER if knob.name in ("START", "RANK") else _POLLED
