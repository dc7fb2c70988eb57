"""What a capture is said to lack for a policy that needs it."""

from __future__ import annotations

from typing import Any

import pytest

from classad import ClassAd
from negotiator.io import lacking
from negotiator.model.snapshot import ScheddQueue, Snapshot
from policy.load import policy_from_knobs

PARENT = ClassAd('[Name = "p"; ChildName = {"c"}]')
PLAIN = ClassAd('[Name = "s"]')
NUMBERED = ClassAd("[JobStatus = 1; AutoClusterId = 3]")
BARE = ClassAd("[JobStatus = 1]")
RUNS = ClassAd("[JobStatus = 2]")
CHILDREN = {"ALLOW_PSLOT_PREEMPTION": "True"}
ALL = {"NEGOTIATE_ALL_JOBS_IN_CLUSTER": "True"}
CLAIMS = "the private ads of slots are not in the capture, and ALLOW_PSLOT_PREEMPTION needs the"


@pytest.mark.parametrize(
    ("knobs", "given", "said"),
    [
        (CHILDREN, {"slots": (PLAIN, PARENT)}, [CLAIMS]),
        (CHILDREN, {"slots": (PLAIN,)}, []),
        (CHILDREN, {"slots": (PARENT,), "child_claims": {}}, []),
        ({}, {"slots": (PARENT,)}, []),
        ({**CHILDREN, "NEGOTIATOR_CONSIDER_PREEMPTION": "False"}, {"slots": (PARENT,)}, []),
        (ALL, {"queues": (ScheddQueue("s", (BARE, NUMBERED, RUNS)),)}, ["1 of 2 idle jobs have"]),
        (
            ALL,
            {"queues": (ScheddQueue("s", (BARE,)), ScheddQueue("t", (BARE, NUMBERED)))},
            ["2 of 3 idle jobs have"],
        ),
        (ALL, {"queues": (ScheddQueue("s", (NUMBERED, RUNS)),)}, []),
        ({}, {"queues": (ScheddQueue("s", (BARE,)),)}, []),
        (
            {**ALL, "NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE": "1"},
            {"queues": (ScheddQueue("s", (BARE,)),)},
            [],
        ),
        (
            {**ALL, "NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE": "2"},
            {"queues": (ScheddQueue("s", (BARE,)),)},
            ["1 of 1 idle jobs have"],
        ),
        (
            {**ALL, "USE_RESOURCE_REQUEST_COUNTS": "False"},
            {"queues": (ScheddQueue("s", (BARE,)),)},
            [],
        ),
    ],
)
def test_what_is_said_to_be_lacking(
    knobs: dict[str, str], given: dict[str, Any], said: list[str]
) -> None:
    policy = policy_from_knobs(knobs).policy
    found = [(it.severity, it.message) for it in lacking(Snapshot(**given), policy)]
    assert len(found) == len(said)
    for (severity, message), start in zip(found, said, strict=True):
        assert severity == "warning"
        assert message.startswith(start)
