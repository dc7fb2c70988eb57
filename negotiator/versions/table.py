"""Holds the table of all rules that changed between versions."""

from __future__ import annotations

from typing import Final

from negotiator.versions.language import ELVIS_FLATTENED, ELVIS_IN_A_ROW, LIMITS, SELF_REFERENCE
from negotiator.versions.offers import (
    EACH_LOOK_TAKES_A_JOB,
    LIMITS_OF_JOB,
    MATCHES_PER_SUBMITTER,
    ONE_AT_A_TIME,
    ROOM_OF_LIST,
    STARTUP_LIMITS,
    USER_RECORD_LIMIT,
)
from negotiator.versions.rule import Rule
from negotiator.versions.slots import (
    CLAIMED_SLOTS_TRIMMED,
    FORCE_SLOT_WEIGHT,
    NEVER_SIGNIFICANT,
    REMOTE_USER_FLOOR,
    REMOVED_ATTRIBUTES,
    SCANNED_SLOTS,
    SKIP_MATCHMAKING,
    SUBMITTER_TAG,
)
from negotiator.versions.usage import (
    DOMAIN_OF_NAME,
    LEASES_OF_BOUNDS,
    LEASES_OF_FACTORS,
    USAGE_OF_SLOTS,
)
from policy.versions import Version

#: All rules that changed, in the order of their numbers.
RULES: Final[tuple[Rule[object], ...]] = (
    USAGE_OF_SLOTS, SELF_REFERENCE, LIMITS, ELVIS_IN_A_ROW, ELVIS_FLATTENED, NEVER_SIGNIFICANT,
    REMOVED_ATTRIBUTES, FORCE_SLOT_WEIGHT, SKIP_MATCHMAKING,
    REMOTE_USER_FLOOR, MATCHES_PER_SUBMITTER, ROOM_OF_LIST, USER_RECORD_LIMIT, LEASES_OF_BOUNDS,
    LEASES_OF_FACTORS, EACH_LOOK_TAKES_A_JOB, ONE_AT_A_TIME, LIMITS_OF_JOB, STARTUP_LIMITS,
    DOMAIN_OF_NAME, SUBMITTER_TAG, CLAIMED_SLOTS_TRIMMED, SCANNED_SLOTS,
)  # fmt: skip


def changed_between(one: Version, other: Version) -> list[Rule[object]]:
    """The rules that two versions do not have in common."""
    return [rule for rule in RULES if rule.is_new(one) != rule.is_new(other)]
