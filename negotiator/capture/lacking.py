"""Tells what a capture lacks that a rule of its policy needs, and what is taken to be there.

Private ads and what only a schedd knows are in no file of a capture.

Inputs: a snapshot, the policy.  Outputs: warnings.
"""

from __future__ import annotations

from collections.abc import Iterator

from classad.errors import Diagnostic
from negotiator.jobs.lists import IDLE
from negotiator.model.loaded_slots import LoadedSlots
from negotiator.model.snapshot import Snapshot
from policy.model import NegotiatorPolicy

_CHILDREN = "ChildName"


def lacking(snapshot: Snapshot, policy: NegotiatorPolicy) -> Iterator[Diagnostic]:
    """A warning for each rule that has to do without."""
    preempts = policy.consider_preemption and policy.allow_pslot_preemption
    if preempts and snapshot.child_claims is None and _has_children(snapshot):
        yield Diagnostic(
            "the private ads of slots are not in the capture, and ALLOW_PSLOT_PREEMPTION needs the"
            " claim ids of dynamic slots",
            severity="warning",
            help="every dynamic slot is taken to have one",
        )
    in_lists = policy.use_resource_request_counts and policy.resource_request_list_size != 1
    if policy.negotiate_all_jobs_in_cluster and in_lists:
        jobs = [
            job for queue in snapshot.queues for job in queue.jobs if job.raw("JobStatus") == IDLE
        ]
        without = sum(job.get_number("AutoClusterId") is None for job in jobs)
        if without:
            yield Diagnostic(
                f"{without} of {len(jobs)} idle jobs have no AutoClusterId, by which a schedd with"
                " NEGOTIATE_ALL_JOBS_IN_CLUSTER passes over jobs",
                severity="warning",
                help="autoclusters are numbered in the order of the queue",
            )


def _has_children(snapshot: Snapshot) -> bool:
    """Whether a slot tells of dynamic slots; slots that are held as columns stay so."""
    slots = snapshot.slots
    table = slots.table() if isinstance(slots, LoadedSlots) else None
    if table is not None:
        return table.has(_CHILDREN)
    return any(ad.raw(_CHILDREN) is not None for ad in slots)
