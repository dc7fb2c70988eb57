"""Declares the attributes that the negotiator puts into ads for the time of a cycle.

The stages that compute them, hints about unknown attributes, generators of tests and the
documentation read the table.
Follows: matchmaking of 25.14.1; where the manual differs the entry says so.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from attr import frozen


class AdKind(Enum):
    """Which ad gets the attribute."""

    REQUEST = "request"
    SLOT = "slot"
    MATCH = "matched slot"


class Presence(Enum):
    """When the attribute is there."""

    ALWAYS = "always"
    GROUPS = "groups are configured"
    PREEMPTION = "preemption is considered and the slot's user is known"
    PREEMPTION_GROUPS = (
        "preemption is considered, the slot's user is known, groups are configured and had quotas"
        " in the cycle before"
    )
    CROSS_SLOT = "NEGOTIATOR_CROSS_SLOT_PRIOS is true and the slot ad tells about its neighbours"
    CLAIM = "the claim was made by a negotiator that knew it"
    MATCHED = "the slot was matched in this cycle"
    CANDIDATE = "the slot passed all tests and a match list is kept"


@frozen
class Ephemeral:
    """One attribute.

    ``rounded`` means its value went through single precision; ``live`` that it changes within a
    cycle; ``kept`` that an ad may have one of that name outside a cycle too: of the startd's own,
    or kept with the claim.
    """

    name: str
    type: str
    ad: AdKind
    presence: Presence
    unit: str
    doc: str
    rounded: bool = False
    live: bool = False
    kept: bool = False


def _request(
    name: str, type_: str, presence: Presence, unit: str, doc: str, *, kept: bool = False
) -> Ephemeral:
    live = name.endswith("ResourcesInUse")
    return Ephemeral(name, type_, AdKind.REQUEST, presence, unit, doc, live=live, kept=kept)


def _slot(
    name: str,
    type_: str,
    presence: Presence,
    unit: str,
    doc: str,
    *,
    rounded: bool = False,
    kept: bool = False,
) -> Ephemeral:
    live = name.endswith("ResourcesInUse")
    return Ephemeral(name, type_, AdKind.SLOT, presence, unit, doc, rounded, live, kept)


_WEIGHTED = "weighted slots"
_USER = "the slot's user"

#: Functions that the negotiator registers besides the language's own: usage of a user, and of the
#: user's group.
USER_USAGE: Final = "ResourcesInUseByUser"
GROUP_USAGE: Final = "ResourcesInUseByUsersGroup"

EPHEMERAL: Final = (
    _request(
        "SubmitterUserPrio",
        "real",
        Presence.ALWAYS,
        "priority",
        "Effective priority of the submitter when its turn began, greater is worse",
    ),
    _request("SubmittorPrio", "real", Presence.ALWAYS, "priority", "The same, by its old name"),
    _request(
        "SubmitterUserResourcesInUse",
        "real",
        Presence.ALWAYS,
        _WEIGHTED,
        "What the submitter uses, growing with every match of the turn",
    ),
    _request(
        "SubmitterNegotiatingGroup",
        "string",
        Presence.ALWAYS,
        "",
        'Group on whose behalf this turn is, `"<none>"` for the root',
        kept=True,
    ),
    _request(
        "SubmitterAutoregroup",
        "boolean",
        Presence.ALWAYS,
        "",
        "Is this a turn under the root because of GROUP_AUTOREGROUP",
    ),
    _request(
        "SubmitterGroup",
        "string",
        Presence.GROUPS,
        "",
        'Group that the submitter is assigned to, `"<none>"` for outsiders',
        kept=True,
    ),
    _request(
        "SubmitterGroupResourcesInUse",
        "real",
        Presence.GROUPS,
        _WEIGHTED,
        "What that group uses",
    ),
    _request(
        "SubmitterGroupQuota",
        "real",
        Presence.GROUPS,
        _WEIGHTED,
        "Computed quota of that group",
    ),
    _slot(
        "RemoteUserPrio",
        "real",
        Presence.PREEMPTION,
        "priority",
        f"Effective priority of {_USER} at the start of the cycle, greater is worse",
        rounded=True,
    ),
    _slot(
        "RemoteUserFloor",
        "integer",
        Presence.PREEMPTION,
        _WEIGHTED,
        f"Floor of {_USER}, 0 without one (not in the manual)",
    ),
    _slot(
        "RemoteUserResourcesInUse",
        "real",
        Presence.PREEMPTION,
        _WEIGHTED,
        f"What {_USER} uses at the moment of evaluation",
        rounded=True,
    ),
    _slot(
        "RemoteGroup",
        "string",
        Presence.PREEMPTION_GROUPS,
        "",
        f'Group that {_USER} is assigned to, `"<none>"` for outsiders',
        kept=True,
    ),
    _slot(
        "RemoteGroupResourcesInUse",
        "real",
        Presence.PREEMPTION_GROUPS,
        _WEIGHTED,
        "What that group uses at the moment of evaluation",
    ),
    _slot(
        "RemoteGroupQuota",
        "real",
        Presence.PREEMPTION_GROUPS,
        _WEIGHTED,
        "Quota of that group as the cycle before computed it",
    ),
    _slot(
        "CurrentRank",
        "real",
        Presence.PREEMPTION,
        "rank",
        "PreemptingRank of the slot, where that is a number",
        kept=True,
    ),
    *(
        _slot(
            f"slot<i>_{name}", type_, Presence.CROSS_SLOT, unit, f"{name} of slot i", rounded=single
        )
        for name, type_, unit, single in (
            ("RemoteUserPrio", "real", "priority", True),
            ("RemoteUserResourcesInUse", "real", _WEIGHTED, True),
            ("RemoteGroup", "string", "", False),
            ("RemoteGroupResourcesInUse", "real", _WEIGHTED, False),
            ("RemoteGroupQuota", "real", _WEIGHTED, False),
        )
    ),
    Ephemeral(
        "RemoteNegotiatingGroup",
        "string",
        AdKind.SLOT,
        Presence.CLAIM,
        "",
        "Group on whose behalf the claim was matched",
    ),
    Ephemeral(
        "RemoteAutoregroup",
        "boolean",
        AdKind.SLOT,
        Presence.CLAIM,
        "",
        "Was the claim matched in a turn because of GROUP_AUTOREGROUP",
    ),
    Ephemeral(
        "PreemptState",
        "integer",
        AdKind.MATCH,
        Presence.CANDIDATE,
        "0 priority, 1 rank, 2 none",
        "Kind of preemption that the match would be",
    ),
    Ephemeral(
        "PreemptDslotClaims",
        "string",
        AdKind.MATCH,
        Presence.MATCHED,
        "",
        "Claims of dynamic slots that the match preempts",
    ),
    Ephemeral(
        "_cp_match_cost",
        "real",
        AdKind.MATCH,
        Presence.MATCHED,
        _WEIGHTED,
        "Weight that a match takes from a slot with a consumption policy",
    ),
    Ephemeral(
        "CurMatches",
        "integer",
        AdKind.MATCH,
        Presence.MATCHED,
        "matches",
        "Matches that the slot got in this cycle",
    ),
    Ephemeral(
        "MatchedConcurrencyLimits",
        "string",
        AdKind.MATCH,
        Presence.MATCHED,
        "",
        "Concurrency limits of the request, in lower case",
    ),
    Ephemeral(
        "_condor_RESOURCE_CLUSTER",
        "integer",
        AdKind.MATCH,
        Presence.MATCHED,
        "",
        "ClusterId of the job whose request was matched",
    ),
    Ephemeral(
        "_condor_RESOURCE_PROC",
        "integer",
        AdKind.MATCH,
        Presence.MATCHED,
        "",
        "ProcId of the job whose request was matched",
    ),
)

_BY_NAME: Final = {entry.name.casefold(): entry for entry in EPHEMERAL}


def find_ephemeral(name: str) -> Ephemeral | None:
    """The entry of an attribute, whatever its case; ``slot3_...`` finds ``slot<i>_...``."""
    folded = name.casefold()
    found = _BY_NAME.get(folded)
    if found is None and folded.startswith("slot"):
        digits, underscore, rest = folded[4:].partition("_")
        if digits.isdigit() and underscore:
            found = _BY_NAME.get(f"slot<i>_{rest}")
    return found
