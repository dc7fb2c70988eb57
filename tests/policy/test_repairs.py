"""What a finding says to write instead: carried out, it removes that finding and makes no other."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from classad.errors import Diagnostic, Edit
from fuzz.findings.corpus import decoded, planted
from pieslice.policies.checked import Checked
from pieslice.policies.formats import report
from policy.language.about import about
from policy.lint.findings import FINDINGS, lint
from policy.lint.verdict import examine
from policy.load import load_policy
from tests.cases import every_case
from tests.policy.test_lint import BAD, ROOT, read


def repaired(edit: Edit) -> str:
    text = edit.source.text
    return text[: edit.start] + edit.text + text[edit.end :]


def told(text: str) -> list[Diagnostic]:
    return lint(read(text))


def holds(text: str, found: list[Diagnostic], one: Diagnostic, edit: Edit) -> None:
    """A macro whose name was misspelt may have findings that only its right name has."""
    assert edit.source.text == text, "a repair is of the text that was read"
    assert text[edit.start : edit.end] != edit.text
    name = about(one).meant
    left = [other for other in told(repaired(edit)) if not name or about(other).macro != name]
    before = Counter(other.id for other in found)
    after = Counter(other.id for other in left)
    assert after[one.id] < before[one.id], f"{one.headline()}: {repaired(edit)}"
    assert after <= before, f"{one.headline()}: {repaired(edit)}"


def every(text: str) -> None:
    found = told(text)
    for one in found:
        if one.edit is not None:
            holds(text, found, one, one.edit)


@pytest.mark.slow
@every_case("path", BAD, name=lambda path: path.stem)
def test_a_repair_removes_its_finding_and_makes_no_other(path: Path) -> None:
    every(path.read_text(errors="replace"))


@pytest.mark.slow
@every_case("fault", planted(), name=lambda fault: fault.name)
def test_a_repair_in_a_real_file_makes_no_other(fault) -> None:  # type: ignore[no-untyped-def]
    every(decoded(fault.path))


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("NEGOTIATOR_PREJOB_RANK = Memory\n", "NEGOTIATOR_PRE_JOB_RANK = Memory\n"),
        ("START = TARGET.Owner == undefined\n", "START = TARGET.Owner =?= undefined\n"),
        ("BASE = 3\nNEGOTIATOR_NAME = n$int(BASE)\n", "BASE = 3\nNEGOTIATOR_NAME = n$INT(BASE)\n"),
        ("ALLOW_READ = a; b; c\n", "ALLOW_READ = a, b, c\n"),
        ('START = "TARGET.Owner" != "x"\n', 'START = TARGET.Owner != "x"\n'),
        ("X = 1\nSTARTD_ATTRS =+ X\n", "X = 1\nSTARTD_ATTRS += X\n"),
    ],
)
def test_what_is_said_to_be_meant_is_what_the_repair_writes(text: str, mended: str) -> None:
    assert mended in {repaired(one.edit) for one in told(text) if one.edit is not None}


def test_a_repair_of_what_was_put_together_from_macros_is_left_to_people() -> None:
    found = told("A = Ow\nSTART = TARGET.$(A)nr != UNDEFINED\n")
    assert [one for one in found if one.id == "P401"]
    assert all(one.edit is None for one in found if one.id == "P401")


def test_the_name_that_a_macro_uses_in_its_own_value_is_not_renamed_alone() -> None:
    [found] = [one for one in told("SUBMIT_EXPRS = $(SUBMIT_EXPRS) Owner\n") if one.id == "P204"]
    assert found.edit is None


def test_a_rewording_changes_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """What ends a daemon is a field: the message is for people."""
    config = read("GROUP_SORT_EXPR = (\nPREEMPTION_REQUIREMENTS = ) x\n")
    plain = load_policy(config)
    made = Diagnostic.__init__

    def reworded(self: Diagnostic, message: str, *place: Any, **more: Any) -> None:
        made(self, f"well, {message}", *place, **{**more, "help": "so it is"})

    monkeypatch.setattr(Diagnostic, "__init__", reworded)
    other = load_policy(config)
    assert [(one.id, one.severity) for one in other.diagnostics] == [
        (one.id, one.severity) for one in plain.diagnostics
    ]
    assert other.daemon_starts == plain.daemon_starts
    assert [one.text.split(",")[0] for one in examine(config).verdicts] == [
        "condor_negotiator would not start: exit status 4"
    ]


def test_no_code_reads_a_message() -> None:
    reads = re.compile(
        r"\.(message|help)\.(?!casefold)|(search|match|findall|finditer)\([^()\n]*\.(message|help)\b"
        r"|\.(message|help) (or \"\"\)|[=!]= )"
    )
    rooms = [*(ROOT / "policy").rglob("*.py"), *(ROOT / "pieslice" / "policies").rglob("*.py")]
    found = [f"{path}: {hit[0]}" for path in rooms for hit in reads.finditer(path.read_text())]
    assert found == []


def test_a_report_for_code_scanning_has_the_repair_as_a_fix() -> None:
    checked = Checked(
        "pool.conf", (), tuple(told("A = 1\nX = 2\nSCRATCH = ${A}\nEXECUTE = ${A}\n"))
    )
    [result] = json.loads(report([checked], "sarif", FINDINGS))["runs"][0]["results"]
    [fix] = result["fixes"]
    assert fix["description"]["text"] == "did you mean `$(A)`?"
    [change] = fix["artifactChanges"]
    assert change["artifactLocation"] == {"uri": "pool.conf"}
    region = {"startLine": 4, "startColumn": 11, "endLine": 4, "endColumn": 15}
    assert change["replacements"] == [
        {"deletedRegion": region, "insertedContent": {"text": "$(A)"}}
    ]


def test_a_report_for_programs_has_the_repair_or_null() -> None:
    checked = Checked("pool.conf", (), tuple(told("A = 1\nEXECUTE = ${A}\nRANK = 1/2\n")))
    [one] = json.loads(report([checked], "json", FINDINGS))["checks"]
    rows = {row["id"]: row["edit"] for row in one["findings"]}
    place = {"line": 2, "column": 11, "end_line": 2, "end_column": 15}
    assert rows.pop("P124") == {"file": "pool.conf", **place, "text": "$(A)"}
    assert rows
    assert set(rows.values()) == {None}
