"""The list of planted bugs fits the sources, and every bug names something that can notice it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz.mutants import WANTED, caught, command
from fuzz.mutations import MUTATIONS, Mutation
from fuzz.targets import TARGETS

ROOT = Path(__file__).parents[2]


def test_every_text_stands_once_in_its_file() -> None:
    for mutation in MUTATIONS:
        text = (ROOT / mutation.file).read_text(encoding="utf-8")
        assert text.count(mutation.old) == 1, mutation
        assert mutation.new != mutation.old


def test_what_should_notice_exists() -> None:
    assert len(MUTATIONS) >= 150
    assert len(MUTATIONS) >= WANTED >= 0.97 * len(MUTATIONS)
    for mutation in MUTATIONS:
        kind, _, rest = mutation.by.partition(" ")
        if kind == "fuzz":
            assert rest in TARGETS
        else:
            assert kind in ("conform", "tests")
            files = rest.partition(" -k ")[0].split()
            assert files
            assert all((ROOT / part).exists() for part in files), mutation.by


def test_a_bug_is_planted_noticed_and_taken_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_text("assert 1 + 1 == 2\n")
    monkeypatch.setattr("fuzz.mutants.command", lambda by: [*command(by)[:1], by])
    assert caught(Mutation("a.py", "1 + 1", "1 - 1", "a.py"), tmp_path)
    assert not caught(Mutation("a.py", "1 + 1", "4 - 2", "a.py"), tmp_path)
    assert (tmp_path / "a.py").read_text() == "assert 1 + 1 == 2\n"
