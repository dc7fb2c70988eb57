"""Checks the recorded cases of the accountant's log and of ``condor_userprio``.

Inputs: cases of ``log_recovery.json`` and ``userprio_cli.json``.  Outputs: ``USERPRIO_KINDS``.
Follows: the README beside the vectors.
"""

from __future__ import annotations

from calendar import timegm
from collections.abc import Callable, Iterable
from time import gmtime
from typing import Final

from classad.files.ads import read_long
from classad.files.log import DamagedLogError, needs_compaction, read_transaction_log
from pieslice.data import Content
from pieslice.priorities.options import UsageError, parse_options
from pieslice.priorities.report import AccountingSource, answer
from pieslice.priorities.table import view_of
from tests.conform.runner import Case, Kind, Mismatch

#: A word of our message about a log -> what the real daemon says.
_MESSAGES: Final = {
    "cut short": "unterminated log entry",
    "damaged record": "unterminated log entry",
    "ends inside this transaction": "unterminated transaction",
    "begins inside another": "nested transactions",
    "never began": "unmatched end transaction",
}


def check_log(case: Case) -> list[Mismatch]:
    """Read a log as the daemon does at its start."""
    expect = case["expect"]
    text = case["log"]
    try:
        log = read_transaction_log(text, case["id"])
    except DamagedLogError:
        return [] if expect["fatal"] else [Mismatch("fatal", False, True)]
    compacted = needs_compaction(log, text)
    actual = {
        "fatal": False,
        "table": log.table,
        "compacted": compacted,
        "sequence_after": log.sequence + compacted,
        "messages": [
            said
            for item in log.diagnostics
            for words, said in _MESSAGES.items()
            if words in item.message
        ],
    }
    names = sorted({*expect, *actual}) if not expect["fatal"] else ["fatal"]
    return [
        Mismatch(name, expect.get(name), actual.get(name))
        for name in names
        if expect.get(name) != actual.get(name)
    ]


def check_tool(case: Case) -> list[Mismatch]:
    """Print what the tool printed for an input file.

    Its error stream says that it found no negotiator to ask, which nobody looks for here.
    """
    if case["tz"] != "UTC":
        return [Mismatch("tz", "UTC", case["tz"])]
    try:
        options = parse_options(case["argv"])
        source = AccountingSource.of(list(read_long(case["input"].splitlines(), "input", [])))
        view = view_of(source.last_update, options, source.last_update, gmtime, timegm)
        actual = (answer(source, options, view), 0)
    except UsageError as problem:
        actual = (str(problem), 1)
    expected = (case["stdout"], case["exit"])
    return [
        Mismatch(name, wanted, got)
        for name, wanted, got in zip(("stdout", "exit"), expected, actual, strict=True)
        if wanted != got
    ]


def _cases(*fields: str) -> Callable[[Content], Iterable[Case] | None]:
    """Takes apart the files that list cases with these fields."""

    def cases(content: Content) -> Iterable[Case] | None:
        listed = content.get("cases") if isinstance(content, dict) else None
        if not isinstance(listed, list) or not listed:
            return None
        ours = all(isinstance(case, dict) and set(fields) <= set(case) for case in listed)
        return listed if ours else None

    return cases


def _kind(name: str, check: Callable[[Case], list[Mismatch]], *fields: str) -> Kind:
    return Kind(
        name,
        lambda case: set(fields) <= set(case),
        check,
        frozenset(("id", "observed", *fields)),
        _cases(*fields),
    )


USERPRIO_KINDS: Final = (
    _kind("log recovery", check_log, "log", "expect"),
    _kind("userprio", check_tool, "tz", "argv", "input", "stdout", "stderr", "exit"),
)
