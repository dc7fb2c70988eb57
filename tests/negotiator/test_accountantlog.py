"""The accountant's log is replayed as the real reader does, crashes included."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from attr import evolve

from classad.errors import Diagnostic
from classad.files.log import TransactionLog, parse_record, transaction_text
from negotiator.accounting.accountant import update_priorities
from negotiator.accounting.log import DamagedLogError, accountant_log, changes, read_log
from negotiator.accounting.records import from_log
from negotiator.capture.ads import read_ads
from negotiator.model.snapshot import AccountantState, Customer, Lease, Resource
from tests.cases import every_case
from tests.conform.negotiation.userprio import check_log

VECTORS = Path(__file__).parents[1] / "vectors" / "accounting" / "log_recovery.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text())["cases"]


@every_case("case", CASES, name=lambda case: case["id"])
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


@pytest.mark.parametrize(
    ("tail", "told"), [("", "1 record is"), ("103 Customer.a@x Prio", "2 records are")]
)
def test_a_log_in_use_is_one_detail_where_its_last_transaction_begins(tail: str, told: str) -> None:
    log = read_log(f"107 1 CreationTimestamp 1\n105 \n101 Customer.a@x * *\n{tail}", "log")
    (found,) = log.diagnostics
    assert found.headline() == (
        "log:2:1: detail: the log ends inside this transaction, as a copy of a log in use may; "
        f"its {told} dropped"
    )


def test_a_cut_line_outside_a_transaction() -> None:
    (found,) = read_log("101 Customer.a@x * *\n103 Cust", "log").diagnostics
    assert found.headline() == "log:2:1: warning: the last line is cut short; dropped"


def replayed(text: str) -> dict[str, dict[str, str]]:
    """The table of whole lines, those of a transaction when it ends; nothing else is known here."""
    table: dict[str, dict[str, str]] = {}
    waiting: list[list[str]] | None = None
    for line in text.split("\n")[:-1]:
        words = line.split(" ", 3)
        if words[0] == "105":
            waiting = waiting or []
        elif words[0] == "106":
            for row in waiting or []:
                carried_out(row, table)
            waiting = None
        elif waiting is None:
            carried_out(words, table)
        else:
            waiting.append(words)
    return table


def carried_out(words: list[str], table: dict[str, dict[str, str]]) -> None:
    code, key, *rest = words
    if code == "101":
        table.setdefault(key, {})
    elif code == "102":
        table.pop(key, None)
    elif code == "103" and key in table:
        table[key][rest[0]] = rest[1]


CAMPUS = Path(__file__).parents[2] / "examples" / "campus"


@pytest.mark.slow
def test_a_recorded_log_cut_at_any_byte_is_what_was_whole_before() -> None:
    recorded = (CAMPUS / "Accountantnew.log").read_text()
    records, *transactions = recorded.split("105 \n")
    creating = sorted(
        (text for text in transactions if "\n106 \n" in text and "101 " in text), key=len
    )
    head = "".join(records.splitlines(keepends=True)[:29])
    text = head + "".join(f"105 \n{transaction}" for transaction in creating[:3])
    states = set()
    for cut in range(len(text) + 1):
        log = read_log(text[:cut])
        assert log.table == replayed(text[:cut]), cut
        from_log(log)
        states.add(str(log.table))
    assert len(states) > 30


def assert_read_again(*states: AccountantState) -> None:
    """States written one after the other, each by what has changed, are read as they were."""
    log, earlier = TransactionLog(), AccountantState()
    for state in states:
        for line in transaction_text(changes(earlier, state)).splitlines():
            record = parse_record(line)
            assert record is not None
            log.apply(record)
        assert from_log(accountant_log(log)) == state
        earlier = state


def test_changes_turn_one_state_into_another() -> None:
    before = from_log(read_log((CAMPUS / "Accountantnew.log").read_text()))
    names = list(before.customers)
    after = evolve(
        update_priorities(before, (before.last_update_time or 0) + 60, 86400.0),
        resources={key: before.resources[key] for key in list(before.resources)[1:]},
    )
    after = evolve(
        after,
        customers={
            **{name: after.customers[name] for name in names[1:]},
            "new@x": Customer("new@x", priority=0.5, floor=3, ceiling=8, ceiling_lease=Lease(9, 7)),
        },
    )
    assert_read_again(before, after)
    assert not list(changes(after, after))


@pytest.mark.parametrize(
    "change",
    [
        {"remote_user": "v@x"},
        {"slot_weight": 2.5},
        {"start_time": 9},
        {"matched_concurrency_limits": "lic"},
        {"matched_concurrency_limits": None},
    ],
)
def test_a_claim_that_has_changed_is_written_again(change: dict[str, Any]) -> None:
    claim, other = (Resource(key, "u@x", 1.0, 5, "old:2") for key in ("s@x", "t@x"))
    before = AccountantState({}, {"s@x": claim, "t@x": other})
    after = evolve(before, resources={"s@x": evolve(claim, **change), "t@x": other})
    assert_read_again(before, after)
    assert all("t@x" not in str(record) for record in changes(before, after))


def test_jobs_are_read_from_a_queue_log(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    path.write_text(
        "107 1 CreationTimestamp 5\n101 01.-1 Job Machine\n103 01.-1 ClusterId 1\n"
        '103 01.-1 User "a@x"\n101 1.0 Job Machine\n103 1.0 ProcId 0\n103 1.0 JobStatus 1\n10'
    )
    problems: list[Diagnostic] = []
    (job,) = read_ads(path, problems)
    assert (job.number("ClusterId"), job.number("ProcId"), job.text("User")) == (1, 0, "a@x")
    assert [item.message for item in problems] == ["the last line is cut short; dropped"]
    path.write_text("101 1.0 Job Machine\nhello\n106 \n")
    assert read_ads(path, problems) == []
    assert problems[-1].severity == "error"


def test_the_recorded_cases_conform() -> None:
    assert [found for case in CASES for found in check_log(case)] == []
    wrong = {**CASES[0], "expect": {**CASES[0]["expect"], "compacted": True}}
    assert [found.field for found in check_log(wrong)] == ["compacted"]
