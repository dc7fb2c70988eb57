"""Transaction logs: what counts after a crash, what is written, jobs out of a queue's log."""

from __future__ import annotations

import pytest

from classad.files.log import (
    LogRecord,
    TransactionLog,
    compacted_lines,
    delete_attribute,
    destroy_ad,
    header,
    needs_compaction,
    new_ad,
    queued_jobs,
    read_transaction_log,
    set_attribute,
    transaction_text,
)

QUEUE = """107 3 CreationTimestamp 1700000000
101 0.0 Job Machine
103 0.0 NextClusterNum 13
105
101 012.-1 Job Machine
103 012.-1 Cmd "/bin/sleep"
103 012.-1 Requirements TARGET.Cpus >= RequestCpus
103 012.-1 RequestCpus 1
101 12.10 Job Machine
103 12.10 ProcId 10
101 12.0 Job Machine
103 12.0 ProcId 0
103 12.0 RequestCpus 4
106 #12.0 submitted
"""
QUEUE = QUEUE.replace("105\n", "105 \n")


def read(text: str) -> TransactionLog:
    return read_transaction_log(text, "log")


def test_jobs_have_what_their_cluster_has() -> None:
    jobs = dict(queued_jobs(read(QUEUE)))
    assert list(jobs) == ["12.0", "12.10"]
    assert [job.eval("RequestCpus") for job in jobs.values()] == [4, 1]
    assert [job.eval("ProcId") for job in jobs.values()] == [0, 10]
    assert jobs["12.0"].eval("MyType") == "Job"
    assert str(jobs["12.10"]["Requirements"]) == "TARGET.Cpus >= RequestCpus"


def test_records_round_trip() -> None:
    records = [
        new_ad("Customer.a@x"),
        set_attribute("Customer.a@x", "Priority", "8.000000"),
        set_attribute("Customer.a@x", "PRIORITY", "9.000000"),
        set_attribute("Customer.a@x", "Floor", "2 + 3"),
        delete_attribute("Customer.a@x", "floor"),
        new_ad("Customer.b@x"),
        destroy_ad("Customer.b@x"),
    ]
    log = read(header(4, 17).line() + transaction_text(records))
    assert log.table == {"Customer.a@x": {"Priority": "9.000000"}}
    assert (log.sequence, log.created, log.transactions) == (4, 17, 1)


def test_a_transaction_without_records_is_no_text() -> None:
    assert transaction_text([]) == ""


@pytest.mark.parametrize(
    "record",
    [
        set_attribute("Customer.a b", "Floor", "1"),
        set_attribute("Customer.a", "Floor", "1\n106 "),
        set_attribute("Customer.a", "Floor", "1 +"),
        set_attribute("Customer.a", "", "1"),
        new_ad(" "),
        LogRecord("999", ("a",)),
    ],
)
def test_what_no_reader_would_take_is_not_written(record: LogRecord) -> None:
    with pytest.raises(ValueError, match="log record"):
        record.line()


def test_compaction_keeps_the_table_and_sorts_attributes() -> None:
    log = read(QUEUE)
    lines = list(compacted_lines(log))
    assert lines[0] == "107 4 CreationTimestamp 1700000000\n"
    assert lines[4:10] == [
        "101 012.-1 Job Machine\n",
        '103 012.-1 MyType "Job"\n',
        '103 012.-1 Cmd "/bin/sleep"\n',
        "103 012.-1 RequestCpus 1\n",
        "103 012.-1 Requirements TARGET.Cpus >= RequestCpus\n",
        "101 12.10 Job Machine\n",
    ]
    again = read("".join(lines))
    for ad in again.table.values():
        assert ad.pop("MyType") == '"Job"'
    assert again.table == log.table
    assert again.types == log.types
    assert not needs_compaction(again, "".join(lines))


def test_a_log_cut_at_any_byte_is_what_was_whole_before() -> None:
    units = [
        header(1, 5).line(),
        new_ad("Customer.a@x").line(),
        set_attribute("Customer.a@x", "Priority", "8.000000").line(),
        transaction_text([set_attribute("Customer.a@x", "Floor", "4"), new_ad("Customer.b@x")]),
        transaction_text([set_attribute("Customer.b@x", "Priority", "0.5"), destroy_ad("none")]),
        destroy_ad("Customer.a@x").line(),
    ]
    text = "".join(units)
    for cut in range(len(text) + 1):
        whole = 0
        for unit in units:
            if whole + len(unit) > cut:
                break
            whole += len(unit)
        log = read(text[:cut])
        assert log.table == read(text[:whole]).table, cut
        assert log.sound == whole, cut
        assert bool(log.diagnostics) == (cut > whole), cut


def test_a_log_with_cr_lf_line_ends_is_read_whole() -> None:
    """D-603."""
    text = "".join([
        header(1, 5).line(),
        new_ad("Customer.a@x").line(),
        set_attribute("Customer.a@x", "Priority", "8.000000").line(),
        transaction_text([set_attribute("Customer.a@x", "Floor", "4"), new_ad("Customer.b@x")]),
        destroy_ad("Customer.b@x").line(),
    ])  # fmt: skip
    log = read(text.replace("\n", "\r\n"))
    assert log.table == read(text).table == {"Customer.a@x": {"Priority": "8.000000", "Floor": "4"}}
    (warning,) = log.diagnostics
    assert (warning.severity, warning.start) == ("warning", 0)
    assert "CR LF" in warning.message


def test_marks_of_transactions_out_of_place_are_told_and_left_out() -> None:
    log = read(
        "105 \n105 \n101 a Job Machine\n103 a X 1\n106 \n106 \n"
        "103 b X 1\n104 b X\n101 c Job (empty)\n"
    )
    assert [item.message for item in log.diagnostics] == [
        "a transaction begins inside another; ignored",
        "a transaction ends that never began; ignored",
    ]
    # What is set in an ad that is not there is lost, as with the daemon.
    assert log.table == {"a": {"X": "1"}, "c": {}}
    assert dict(log.ad("c").items()) == {"MyType": "Job"}


def test_a_record_with_too_few_words_is_damaged() -> None:
    log = read("101 a Job Machine\n103 a X\n")
    assert [item.message for item in log.diagnostics] == ["damaged record; dropped"]
    assert log.table == {"a": {}}


def test_words_that_are_too_many_are_left_behind() -> None:
    text = "107 2 CreationTimestamp 5 more\n101 key a b c\n103 key A 1\n103 key B 2\n104 key B d\n"
    log = read_transaction_log(f"{text}101 other * *\n102 other now \n", "queue")
    assert log.diagnostics == []
    assert (log.sequence, log.created) == (2, 5)
    assert log.types == {"key": ("a", "b")}
    assert log.table == {"key": {"A": "1"}}
    assert list(compacted_lines(log))[1] == "101 key a b\n"
