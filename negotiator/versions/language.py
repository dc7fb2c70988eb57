"""Lists the rules of the ClassAd language that changed; ``classad.language.rules`` has them."""

from __future__ import annotations

from typing import Final

from classad.language.rules import BEFORE_24_0, BEFORE_25_13_2, NEWEST
from negotiator.versions.rule import Daemon, Rule
from policy.versions import Version

SELF_REFERENCE: Final = Rule(
    "2",
    "a reference that leads to itself",
    "The whole evaluation fails, whatever stands around the reference: Requirements do not match, "
    "a rank counts as 0.",
    "The inner reference is undefined, and the evaluation goes on.",
    Version(*NEWEST.since),
    Daemon.EVALUATOR,
    BEFORE_25_13_2,
    NEWEST,
    "self-reference",
)
LIMITS: Final = Rule(
    "3",
    "limits of depth and work, ? : with a blank, names of version functions",
    "4,000 alternatives evaluate, and there is no bound on work; `? :` is a conditional without a "
    "middle, which binds weakest; `versionle` is not a function.",
    "More than 400 alternatives fail, and so does what visits ten million nodes; `? :` is `?:`; "
    "names of version functions are known in any case.",
    Version(*NEWEST.since),
    Daemon.EVALUATOR,
    BEFORE_25_13_2,
    NEWEST,
)
ELVIS_IN_A_ROW: Final = Rule(
    "3a",
    "?: in a row",
    "999 evaluate.",
    "4,000 evaluate.",
    Version(*BEFORE_25_13_2.since),
    Daemon.EVALUATOR,
    BEFORE_24_0,
    BEFORE_25_13_2,
)
#: Asked of 23.9.6 and 25.14.1.  That 24.0 and 25.0 are with the former is concluded from rule 3:
#: to them, too, `? :` is a conditional without a middle.
ELVIS_FLATTENED: Final = Rule(
    "3b",
    "?: in requirements of a slot or job that know what stands before it",
    "As they are flattened, a known value that is true, such as a number, keeps all of the "
    "requirements from being flattened; 0 or false gives what stands behind ?:; a text gives an "
    "error, so that nothing matches.",
    "What stands before ?: counts unless it is undefined.",
    Version(*NEWEST.since),
    Daemon.EVALUATOR,
    BEFORE_25_13_2,
    NEWEST,
    "elvis-known-to-the-slot",
)
