"""The kept answers are written by the modules that ``tests.kept`` names, and by nothing else."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tests.kept import ROOT, WRITERS, main

#: Questions or answers that are no kept ones: those of the real library.
RECORDED = {"tests/policy/corpus/functions.txt"}


def test_every_kept_file_has_a_writer() -> None:
    there = {it for it in Path(ROOT, "tests").rglob("*.txt") if "vectors" not in it.parts}
    there = {it for it in there if not {"findings_corpus", "live"} & set(it.parts)}
    written = {it for pattern in WRITERS.values() for it in ROOT.glob(pattern)}
    assert {it.relative_to(ROOT).as_posix() for it in there - written} == RECORDED
    assert all(list(ROOT.glob(pattern)) for pattern in WRITERS.values())


@pytest.mark.parametrize("module", WRITERS)
def test_each_writer_is_a_module_that_can_be_run(module: str) -> None:
    found = importlib.util.find_spec(module)
    assert found is not None
    assert found.origin is not None
    assert 'if __name__ == "__main__":' in Path(found.origin).read_text(encoding="utf-8")


def test_words_that_name_no_module_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no such module"]) == 2
    assert capsys.readouterr().err.startswith("no module has one of these words")
