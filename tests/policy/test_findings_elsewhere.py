"""What check says of values that no file has, and of a vocabulary that is made once."""

from __future__ import annotations

import pytest

from policy.config import load_config
from policy.io import builtin_library
from policy.language.sources import MemorySources
from policy.language.table import Context
from policy.lint.attributes import known_attributes
from policy.lint.findings import lint


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("$(NOPE) > 5", [("P120", 0, 7), ("P113", 1, 2)]),
        ("Cpus > $(NOPE)1", [("P120", 7, 14)]),
        ("Cpus > 1 && $(START)$(NOPE)", [("P120", 16, 23)]),
        ("Memory == 5", [("P606", 0, 11)]),
        ('Memory == "x"', [("P410", 0, 13)]),
        ("$LOG", [("P113", 0, 1), ("P124", 0, 4)]),
    ],
)
def test_a_value_of_the_environment_is_its_own_text(
    value: str, expected: list[tuple[str, int, int]]
) -> None:
    config = load_config(
        "pool.conf",
        MemorySources({"pool.conf": "X = 1\n"}),
        builtin_library(),
        context=Context("NEGOTIATOR"),
        environment={"_CONDOR_START": value},
        keep_going=True,
        leave_out=True,
    )
    assert [(one.id, one.start, one.end) for one in lint(config)] == expected


def test_the_vocabulary_has_what_the_negotiator_adds_and_no_families() -> None:
    known_attributes.cache_clear()
    names = known_attributes()
    assert {"SubmitterUserPrio", "RemoteUserPrio", "Memory", "JobPrio"} <= set(names)
    assert not [name for name in names if "<" in name]


@pytest.mark.parametrize(("operators", "expected"), [(398, []), (399, []), (400, ["P429"])])
def test_a_chain_may_have_four_hundred_operators(operators: int, expected: list[str]) -> None:
    # The dot of TARGET.JobPrio is one of them.
    config = load_config(
        "pool.conf",
        MemorySources({"pool.conf": "RANK = TARGET.JobPrio" + " + 1" * operators + "\n"}),
        builtin_library(),
        context=Context("NEGOTIATOR"),
        keep_going=True,
    )
    found = lint(config)
    assert [one.id for one in found] == expected
    assert all(f"{operators + 1} operators deep" in one.message for one in found)
