"""Recorded scenarios with changes in them come to what is kept, down to every number.

What the cycle comes to is kept as marks, see ``tests.negotiator.changed``; both engines agree.
"""

from __future__ import annotations

import pytest

from tests.negotiator import changed

PARTS = 28
LINES = changed.kept()


@pytest.mark.parametrize("part", range(PARTS))
def test_changed_scenarios_come_to_what_is_kept(part: int) -> None:
    found = changed.differences(LINES[part::PARTS])
    if found:
        pytest.fail("\n".join(found))


def test_all_kinds_of_changes_are_tried() -> None:
    kinds = {
        change.split()[0] for _, line in LINES for change in line.split(changed.BAR)[1].split("; ")
    }
    assert kinds == {
        *("knob", "slot", "slots", "job", "jobs", "submitter", "submitters"),
        *("customer", "customers", "elapsed", "recorded", "claims", "costs", "dialect", "order"),
        "then",
    }
