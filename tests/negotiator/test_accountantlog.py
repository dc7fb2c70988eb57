"""The accountant's log is replayed as the real reader does, crashes included."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from negotiator.accountantlog import DamagedLogError, read_log

VECTORS = Path(__file__).parents[1] / "vectors" / "accounting" / "log_recovery.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text())["cases"]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_recovery(case: dict[str, Any]) -> None:
    expect = case["expect"]
    if expect["fatal"]:
        with pytest.raises(DamagedLogError) as caught:
            read_log(case["log"])
        assert caught.value.diagnostic.line == 7
        return
    log = read_log(case["log"])
    assert log.table == expect["table"]
    assert bool(log.diagnostics) == bool(expect["messages"])


def test_last_update_and_kinds() -> None:
    log = read_log("101 Accountant. * *\n103 Accountant. LastUpdateTime 12\n101 Customer.a@x * *\n")
    assert log.last_update == 12
    assert log.of_kind("Customer") == {"a@x": {}}


def test_an_empty_log_is_no_problem() -> None:
    log = read_log("")
    assert (log.table, log.last_update, log.diagnostics) == ({}, None, ())


@pytest.mark.parametrize(("tail", "count"), [("", 1), ("103 Customer.a@x Prio", 2)])
def test_a_log_in_use_is_one_note_where_its_last_transaction_begins(tail: str, count: int) -> None:
    log = read_log(f"107 1 CreationTimestamp 1\n105 \n101 Customer.a@x * *\n{tail}", "log")
    (found,) = log.diagnostics
    assert found.headline() == (
        "log:2:1: note: the log ends inside this transaction, as a copy of a log in use may; "
        f"its {count} records are dropped"
    )


def test_a_cut_line_outside_a_transaction() -> None:
    (found,) = read_log("101 Customer.a@x * *\n103 Cust", "log").diagnostics
    assert found.headline() == "log:2:1: warning: the last line is cut short; dropped"
