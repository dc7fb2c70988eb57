"""The knobs of a negotiator as an editor shows them."""

from __future__ import annotations

import pytest

from policy.editing.knobs import Range, ShownKnob, shown_knobs
from policy.knobs import KNOBS
from policy.lint.verdict import examine
from tests.policy.test_lint import read


def knobs(text: str, *, every: bool = False) -> dict[str, ShownKnob]:
    return {one.name: one for one in shown_knobs(read(text), every=every)}


def range_of(line: str) -> Range:
    (one,) = knobs(line).values()
    assert one.range is not None
    return one.range


def test_what_is_set_is_there_in_its_order_and_other_macros_are_not() -> None:
    text = (
        "PRIORITY_HALFLIFE = 7200\nMY_OWN = 5\nGROUP_NAMES = a\nGROUP_QUOTA_a = 3\nSCHEDD_LOG = x"
    )
    found = knobs(text)
    assert list(found) == ["PRIORITY_HALFLIFE", "GROUP_NAMES", "GROUP_QUOTA_a"]
    assert {one.why for one in found.values()} == {"set"}
    assert found["PRIORITY_HALFLIFE"].default == "86400"


def test_a_setting_that_repeats_the_default_is_set() -> None:
    assert list(knobs("NEGOTIATOR_CONSIDER_PREEMPTION = True")) == [
        "NEGOTIATOR_CONSIDER_PREEMPTION"
    ]


def test_a_value_is_the_one_that_counts_with_its_macros_replaced() -> None:
    found = knobs("DAY = 86400\nPRIORITY_HALFLIFE = 1\nPRIORITY_HALFLIFE = $(DAY)\n")
    assert found["PRIORITY_HALFLIFE"].value == "86400"
    assert found["PRIORITY_HALFLIFE"].macro is not None
    assert found["PRIORITY_HALFLIFE"].macro.definition.line == 3


@pytest.mark.parametrize(
    ("line", "control"),
    [
        ("NEGOTIATOR_CONSIDER_PREEMPTION = false", "switch"),
        ("PRIORITY_HALFLIFE = 7200", "slider"),
        ("GROUP_QUOTA_DYNAMIC_a = 0.5", "slider"),
        ("MATLAB_LIMIT = 3", "slider"),
        ("PREEMPTION_REQUIREMENTS = false", "text"),
        ("GROUP_NAMES = a, b", "text"),
    ],
)
def test_a_truth_is_a_switch_and_a_number_a_slider(line: str, control: str) -> None:
    (one,) = knobs(line).values()
    assert one.control == control


@pytest.mark.parametrize(
    ("line", "low", "high"),
    [
        ("GROUP_QUOTA_DYNAMIC_a = 0.3", 0, 1),
        ("GROUP_QUOTA_a = 10", 0, 40),
        ("GROUP_QUOTA_a = 0", 0, 4),
        ("PRIORITY_HALFLIFE = 43200", 0, 172800),
        ("PRIORITY_HALFLIFE = 7200", 0, 86400),
        ("MATLAB_LIMIT = 3", 0, 12),
        ("MATLAB_LIMIT = -3", -3, 12),
        ("NEGOTIATOR_INTERVAL = 7000", 0, 7200),
        ("CONCURRENCY_LIMIT_DEFAULT = 10", 0, 40),
    ],
)
def test_a_range_has_what_somebody_would_try(line: str, low: float, high: float) -> None:
    found = range_of(line)
    assert (found.low, found.high) == (low, high)


@pytest.mark.parametrize("value", ["0.3", "7", "1e-3", "1e9", "12345.678", "-2", "86400"])
@pytest.mark.parametrize("macro", ["GROUP_QUOTA_a", "MATLAB_LIMIT", "PRIORITY_HALFLIFE"])
def test_a_value_is_in_its_range_and_steps_are_few_and_round(macro: str, value: str) -> None:
    found = range_of(f"{macro} = {value}")
    assert found.low <= float(value) <= found.high
    assert 2 <= (found.high - found.low) / found.step <= 500 or found.step == 1
    assert float(f"{found.step:.0e}") == found.step
    assert f"{found.step:.0e}"[0] in "125"


def test_whole_numbers_have_whole_steps() -> None:
    assert range_of("NEGOTIATOR_MAX_TIME_PER_CYCLE = 2").step == 1
    assert range_of("GROUP_QUOTA_a = 100").step == int(range_of("GROUP_QUOTA_a = 100").step)
    assert range_of("GROUP_QUOTA_DYNAMIC_a = 1").step < 1


@pytest.mark.parametrize("value", ["", "many", "$(MISSING)", "$(SELF)", "1e999", "nan"])
def test_what_is_no_number_has_the_range_of_its_default(value: str) -> None:
    (one,) = knobs(f"PRIORITY_HALFLIFE = {value}\nSELF = $(SELF)").values()
    assert one.control == "slider"
    assert one.range == range_of("PRIORITY_HALFLIFE = 86400")


def test_a_knob_that_a_repair_names_is_there() -> None:
    config = read("PREEMPTION_REQUIREMENT = false\n")
    (found,) = shown_knobs(config, examine(config).findings)
    assert (found.name, found.why) == ("PREEMPTION_REQUIREMENTS", "finding")
    assert list(shown_knobs(config)) == []


def test_all_are_all_that_have_a_name_of_their_own_once() -> None:
    found = [one.name for one in shown_knobs(read("PRIORITY_HALFLIFE = 5"), every=True)]
    assert len(found) == len(set(found)) == len(KNOBS)
    assert found[0] == "PRIORITY_HALFLIFE"


def test_what_decides_no_cycle_says_so() -> None:
    found = knobs("NEGOTIATOR_INTERVAL = 30\nPRIORITY_HALFLIFE = 5")
    assert {name: one.acts for name, one in found.items()} == {
        "NEGOTIATOR_INTERVAL": False, "PRIORITY_HALFLIFE": True,
    }  # fmt: skip
