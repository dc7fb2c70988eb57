"""Whose rules a policy follows where HTCondor and its descriptions differ.

What is decided here: the dialects, and in what each departs from HTCondor 25.14.1.  Inputs: none.
Outputs: ``Dialect`` values, which ``policy.load`` and the cycle read.
Never here: carrying a rule out.
Follows: ``mrg``: the group quotas of Red Hat's MRG Grid before they joined HTCondor 7.8;
``manual``: sentences of HTCondor's manual that the daemon does not follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attr import Factory, frozen


@frozen
class Dialect:
    """A set of rules.  ``flags``: defaults of boolean knobs that are not HTCondor's."""

    name: str
    about: str
    flags: Mapping[str, bool] = Factory(dict)
    #: GROUP_AUTOREGROUP lets a group accept surplus and does nothing else.
    autoregroup_is_surplus: bool = False


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
DIALECTS: Final = {dialect.name: dialect for dialect in (HTCONDOR, MRG)}
