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


def test_a_dropped_transaction_is_reported_where_it_begins() -> None:
    log = read_log("107 1 CreationTimestamp 1\n105 \n101 Customer.a@x * *\n", "log")
    (found,) = log.diagnostics
    assert found.headline() == (
        "log:2:1: warning: the last transaction never ends; its 1 records are dropped"
    )
