"""Holds the table of all rules that changed between versions."""

from __future__ import annotations

from typing import Final

from classad.language.rules import BEFORE_24_0, BEFORE_25_13_2, NEWEST
from negotiator.versions.negotiator import (
    CLAIMED_SLOTS_TRIMMED,
    DOMAIN_OF_NAME,
    FORCE_SLOT_WEIGHT,
    LEASES_OF_BOUNDS,
    LEASES_OF_FACTORS,
    NEVER_SIGNIFICANT,
    REMOTE_USER_FLOOR,
    REMOVED_ATTRIBUTES,
    SCANNED_SLOTS,
    SKIP_MATCHMAKING,
    SUBMITTER_TAG,
    USAGE_OF_SLOTS,
)
from negotiator.versions.rule import DecidingDaemon, VersionRule
from negotiator.versions.schedd import (
    EACH_LOOK_TAKES_A_JOB,
    LIMITS_OF_JOB,
    MATCHES_PER_SUBMITTER,
    ONE_AT_A_TIME,
    ROOM_OF_LIST,
    STARTUP_LIMITS,
    USER_RECORD_LIMIT,
)
from policy.versions import Version

SELF_REFERENCE: Final = VersionRule(
    "2",
    "a reference that leads to itself",
    "The whole evaluation fails, whatever stands around the reference: Requirements do not match, "
    "a rank counts as 0.",
    "The inner reference is undefined, and the evaluation goes on.",
    Version(*NEWEST.since),
    DecidingDaemon.EVALUATOR,
    BEFORE_25_13_2,
    NEWEST,
    "self-reference",
)
LIMITS: Final = VersionRule(
    "3",
    "limits of depth and work, ? : with a blank, names of version functions",
    "4,000 alternatives evaluate, and there is no bound on work; `? :` is a conditional without a "
    "middle, which binds weakest; `versionle` is not a function.",
    "More than 400 alternatives fail, and so does what visits ten million nodes; `? :` is `?:`; "
    "names of version functions are known in any case.",
    Version(*NEWEST.since),
    DecidingDaemon.EVALUATOR,
    BEFORE_25_13_2,
    NEWEST,
)
ELVIS_IN_A_ROW: Final = VersionRule(
    "3a",
    "?: in a row",
    "999 evaluate.",
    "4,000 evaluate.",
    Version(*BEFORE_25_13_2.since),
    DecidingDaemon.EVALUATOR,
    BEFORE_24_0,
    BEFORE_25_13_2,
)
#: Asked of 23.9.6 and 25.14.1.  That 24.0 and 25.0 are with the former is concluded from rule 3:
#: to them, too, `? :` is a conditional without a middle.
ELVIS_FLATTENED: Final = VersionRule(
    "3b",
    "?: in requirements of a slot or job that know what stands before it",
    "As they are flattened, a known value that is true, such as a number, keeps all of the "
    "requirements from being flattened; 0 or false gives what stands behind ?:; a text gives an "
    "error, so that nothing matches.",
    "What stands before ?: counts unless it is undefined.",
    Version(*NEWEST.since),
    DecidingDaemon.EVALUATOR,
    BEFORE_25_13_2,
    NEWEST,
    "elvis-known-to-the-slot",
)


#: All rules that changed, in the order of their numbers.
RULES: Final[tuple[VersionRule[object], ...]] = (
    USAGE_OF_SLOTS, SELF_REFERENCE, LIMITS, ELVIS_IN_A_ROW, ELVIS_FLATTENED, NEVER_SIGNIFICANT,
    REMOVED_ATTRIBUTES, FORCE_SLOT_WEIGHT, SKIP_MATCHMAKING,
    REMOTE_USER_FLOOR, MATCHES_PER_SUBMITTER, ROOM_OF_LIST, USER_RECORD_LIMIT, LEASES_OF_BOUNDS,
    LEASES_OF_FACTORS, EACH_LOOK_TAKES_A_JOB, ONE_AT_A_TIME, LIMITS_OF_JOB, STARTUP_LIMITS,
    DOMAIN_OF_NAME, SUBMITTER_TAG, CLAIMED_SLOTS_TRIMMED, SCANNED_SLOTS,
)  # fmt: skip


def changed_between(one: Version, other: Version) -> list[VersionRule[object]]:
    """The rules that two versions do not have in common."""
    return [rule for rule in RULES if rule.is_new(one) != rule.is_new(other)]
