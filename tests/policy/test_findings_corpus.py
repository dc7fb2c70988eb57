"""The corpus of clean pools and planted faults: what check must find, and where it must be silent.

What is missed or found besides is shown by ``python -m fuzz findings``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz.findings.command import main
from fuzz.findings.corpus import clean, decoded, known, planted
from fuzz.findings.crashes import problems
from fuzz.findings.judge import checked, found
from fuzz.findings.mutation import drawn
from fuzz.findings.pool_mutators import EVERY
from tests.cases import every_case

PLANTED = planted()
MISSED, FALSE = (set(known()[name]) for name in ("missed", "false"))
FAULTS = sorted({fault.fault for fault in PLANTED})


def test_the_corpus_is_large_enough() -> None:
    assert len(clean()) >= 60
    assert len(PLANTED) >= 150
    assert len(FAULTS) >= 20
    assert len({fault.name for fault in PLANTED}) == len(PLANTED)


@pytest.mark.slow
@every_case("fault", PLANTED, name=lambda fault: fault.name)
def test_the_header_says_where_the_fault_is(fault) -> None:  # type: ignore[no-untyped-def]
    lines = decoded(fault.path).split("\n")
    words = (fault.word, *(word for _, _, word in fault.others))
    for (line, start, end), word in zip(fault.places(), words, strict=True):
        assert line > 2 + len(fault.others)
        assert lines[line - 1][start - 1 : end - 1] == word
    assert fault.fault == fault.path.parent.name


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_planted_faults_are_found(name: str) -> None:
    ours = [fault for fault in PLANTED if fault.fault == name]
    not_found = {fault.name for fault in ours if not found(fault, checked(fault.path))}
    listed = {fault.name for fault in ours} & MISSED
    assert not_found - listed == set(), "these were found before"
    assert listed - not_found == set(), "now found: run `python -m fuzz findings --update`"


def test_the_manifest_names_only_files_that_exist() -> None:
    assert {fault.name for fault in PLANTED} >= MISSED
    assert {path.name for path in clean()} >= FALSE


@pytest.mark.slow
@every_case("path", clean(), name=lambda path: path.stem)
def test_a_clean_configuration_has_no_finding(path: Path) -> None:
    found_here = checked(path)
    assert bool(found_here) == (path.name in FALSE), found_here


def test_every_class_of_mutations_has_a_place_in_the_clean_files() -> None:
    chosen = drawn(seed=1, per_class=2)
    assert {case.fault for case in chosen} == set(EVERY)
    assert [case.line for case in chosen] == [case.line for case in drawn(seed=1, per_class=2)]
    assert all(case.mutation.text != decoded(case.file) for case in chosen)


@pytest.mark.slow
def test_torn_files_are_checked_without_an_exception() -> None:
    assert list(problems(seed=1, count=60)) == []


def test_the_command_prints_its_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--torn", "3", "--seed", "2"]) == 0
    assert capsys.readouterr().out == "3 torn files, seed 2: 0 problems\n"
