"""Every fuzz target runs, is in the table of the README, and a found case can be repeated."""

from pathlib import Path
from random import Random

import pytest

from fuzz import targets
from fuzz.__main__ import main

README = Path(__file__).parents[2] / "fuzz" / "README.md"


@pytest.mark.parametrize("name", targets.TARGETS)
def test_a_few_cases_of_every_target(name: str) -> None:
    for case in range(20):
        try:
            targets.TARGETS[name](Random(case))
        except targets.Unavailable as missing:
            pytest.skip(str(missing))


def test_the_readme_lists_the_targets() -> None:
    rows = [line for line in README.read_text(encoding="utf-8").splitlines() if "| `" in line]
    assert [row.split("`")[1] for row in rows] == list(targets.TARGETS)


def test_a_failure_prints_how_to_repeat_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails_sometimes(rng: Random) -> None:
        number = rng.randrange(3)
        assert number, f"number {number}"

    monkeypatch.setitem(targets.TARGETS, "kernels", fails_sometimes)
    assert main(["kernels", "--seconds", "5", "--seed", "1"]) == 1
    again = capsys.readouterr().out.splitlines()[-1]
    assert again.startswith("again: python -m fuzz kernels --case ")
    assert main(again.split()[4:]) == 1
    assert "number 0" in capsys.readouterr().out
