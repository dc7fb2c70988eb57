"""Configurations as sites have them: what is said of them is true and of use, or it is not said."""

from __future__ import annotations

import re
from pathlib import Path

from policy.lint.verdict import examine
from tests.cases import every_case
from tests.policy.test_lint import read

GATE = Path(__file__).with_name("gate")
SITES = sorted(GATE.glob("*.conf"))
_JUDGED = re.compile(r"([\w.-]+):(\d+) (P\d{3}) (\S.*)")


def judged(name: str) -> list[tuple[int, str]]:
    """Line and number of the findings in a file that were judged true and of use."""
    rows = map(_JUDGED.fullmatch, (GATE / "judged.txt").read_text(encoding="utf-8").splitlines())
    return sorted((int(row[2]), row[3]) for row in rows if row is not None and row[1] == name)


def test_every_judgement_says_why_and_is_of_a_file_that_is_there() -> None:
    lines = (GATE / "judged.txt").read_text(encoding="utf-8").splitlines()
    rows = [_JUDGED.fullmatch(line) for line in lines]
    assert all(row is not None and len(row[4].split()) > 3 for row in rows)
    assert {row[1] for row in rows if row is not None} <= {path.name for path in SITES}


@every_case("path", SITES, name=lambda path: path.stem)
def test_only_what_was_judged_is_said_of_a_site(path: Path) -> None:
    found = examine(read(path.read_text(encoding="utf-8"))).findings
    said = sorted((one.line or 0, one.id or "") for one in found if one.severity != "note")
    assert said == judged(path.name), "\n".join(one.render() for one in found)


@every_case("path", SITES, name=lambda path: path.stem)
def test_its_daemons_are_said_to_start(path: Path) -> None:
    assert examine(read(path.read_text(encoding="utf-8"))).starts
