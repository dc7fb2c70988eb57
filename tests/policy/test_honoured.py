"""``honoured`` says the truth: the cycle reads what a knob sets, or it does not."""

from __future__ import annotations

import re
from pathlib import Path

from attr import fields_dict

from policy.knobs import KNOBS, Knob, KnobKind, Need
from policy.load import policy_from_knobs
from policy.model import NegotiatorPolicy
from tests.cases import every_case

NEGOTIATOR = Path(__file__).parents[2] / "negotiator"
SOURCE = "\n".join(path.read_text(encoding="utf-8") for path in NEGOTIATOR.rglob("*.py"))
PLAIN = policy_from_knobs({})
OTHER = {
    KnobKind.BOOL: ("True", "False"),
    KnobKind.INT: ("7",),
    KnobKind.DOUBLE: ("7.5",),
    KnobKind.LEADING: ("7.5",),
    KnobKind.EXPR: ("A > 1",),
    KnobKind.LIST: ("some, names",),
    KnobKind.STRING: ("text",),
}
#: Knobs whose effect is not a field of the policy, or that name files (tested in
#: ``tests/negotiator/test_usermaps.py``).
ELSEWHERE = {
    "GROUP_ACCEPT_SURPLUS",
    "GROUP_AUTOREGROUP",
    "NEGOTIATOR_CLASSAD_USER_MAP_NAMES",
    "NEGOTIATOR_MATCH_EXPRS",
}
RELEVANT = [
    knob
    for knob in KNOBS.values()
    if knob.need is not Need.IRRELEVANT and knob.name not in ELSEWHERE
]


def fields_set_by(knob: Knob) -> set[str]:
    """The fields of the policy that change with the knob."""
    changed = set()
    for text in OTHER[knob.kind]:
        policy = policy_from_knobs({knob.name: text}).policy
        for name in fields_dict(NegotiatorPolicy):
            if str(getattr(policy, name)) != str(getattr(PLAIN.policy, name)):
                changed.add(name)
    return changed


@every_case("knob", RELEVANT, name=lambda knob: knob.name)
def test_honoured_knobs_are_read_by_the_cycle(knob: Knob) -> None:
    read = [f for f in fields_set_by(knob) if re.search(rf"policy\.{f}\b", SOURCE)]
    assert bool(read) == knob.honoured
