"""Names the rules that a policy follows where HTCondor and its descriptions differ.

Outputs: ``Dialect`` values, which ``policy.load`` and the cycle read.
Follows: ``mrg``: the group quotas of Red Hat's MRG Grid before they joined HTCondor 7.8;
``manual``: sentences of HTCondor's manual that the daemon does not follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from attr import Factory, evolve, frozen


@frozen
class Dialect:
    """A set of rules.  ``flags``: defaults of boolean knobs that are not HTCondor's."""

    name: str
    about: str
    flags: Mapping[str, bool] = Factory(dict)
    #: GROUP_AUTOREGROUP lets a group accept surplus and does nothing else.
    autoregroup_is_surplus: bool = False
    #: Preemption for a better priority: the submitter's effective priority must be better than that
    #: of the user who holds the slot.  Otherwise PREEMPTION_REQUIREMENTS alone decides.
    better_priority_preempts: bool = False
    #: A claimed slot on which no job runs takes no part.  Otherwise it is like any other.
    idle_claims_skipped: bool = False
    #: Jobs of equal priority go by QDate, older first.  Otherwise by ClusterId and ProcId.
    older_jobs_first: bool = False


HTCONDOR: Final = Dialect("htcondor", "what condor_negotiator 25.14.1 does")
MRG: Final = Dialect(
    "mrg",
    "group quotas as in MRG Grid: whole slots, static quotas first, the rest to the parent",
    {
        "NEGOTIATOR_USE_SLOT_WEIGHTS": False,
        "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION": False,
        "NEGOTIATOR_STRICT_ENFORCE_QUOTA": False,
        "NEGOTIATOR_USE_WEIGHTED_DEMAND": False,
    },
    autoregroup_is_surplus=True,
)
MANUAL: Final = Dialect(
    "manual",
    "sentences of HTCondor's manual that its negotiator does not follow",
    {"NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION": False},
    better_priority_preempts=True,
    idle_claims_skipped=True,
    older_jobs_first=True,
)
DIALECTS: Final = {dialect.name: dialect for dialect in (HTCONDOR, MRG, MANUAL)}
#: The rules that can be added to a dialect by name.
RULES: Final = {
    name.replace("_", "-"): name
    for name in (
        "autoregroup_is_surplus",
        "better_priority_preempts",
        "idle_claims_skipped",
        "older_jobs_first",
    )
}


class UnknownDialectError(ValueError):
    """A text that names no dialect, or a rule that does not exist."""


def find_dialect(text: str) -> Dialect:
    """``manual``, or a dialect with more rules: ``htcondor+older-jobs-first``."""
    name, *rules = text.split("+")
    found = DIALECTS.get(name)
    if found is None:
        known = ", ".join(DIALECTS)
        raise UnknownDialectError(f"`{name}` is no dialect; there are {known}")
    for rule in rules:
        if rule not in RULES:
            raise UnknownDialectError(f"`{rule}` is no rule; there are {', '.join(RULES)}")
    changes: dict[str, Any] = {RULES[rule]: True for rule in rules}
    return evolve(found, name=text, **changes) if rules else found
