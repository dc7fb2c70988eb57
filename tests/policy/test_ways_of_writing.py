"""What check says does not depend on how a configuration is written."""

from __future__ import annotations

import re

import pytest

from tests.policy.lines import said
from tests.policy.test_lines import SECTIONS

#: The beginning of an assignment, with the name of what is set.
_ASSIGNED = re.compile(r"^[ \t]*[\w.]+(?=[ \t]*[+@]?=)")
_FINDING = re.compile(r"> (\w+ \w+) (\d+):(\d+)\+(\d+) (.*)")
_LINE_NUMBER = re.compile(r"(?<=line )\d+")
#: Definitions in a conditional are not compared with others, which may be for another machine.
_NOT_IN_A_CONDITIONAL = ("P203", "P222")


@pytest.mark.parametrize("section", SECTIONS)
def test_what_is_said_in_a_condition_that_holds_of_names_in_the_other_case(section: str) -> None:
    for case in SECTIONS[section]:
        found = findings(case.config, case.said, 0)
        plain = [it for it in found if not it[0].startswith(_NOT_IN_A_CONDITIONAL)]
        config = otherwise(case.config)
        assert findings(config, said(config), 1) == plain, config


def otherwise(config: str) -> str:
    """The configuration with its names in the other case, in an `if` that holds, indented."""
    lines, continued = [], False
    for line in config.splitlines():
        lines.append(f"\t  {line if continued else _ASSIGNED.sub(_swapped, line)}")
        continued = line.endswith("\\")
    return "\n".join(["if true", *lines, "endif", ""])


def _swapped(found: re.Match[str]) -> str:
    return found[0].upper() if found[0].islower() else found[0].lower()


def findings(config: str, told: str, above: int) -> list[tuple[str, ...]]:
    """Number, line, marked text and words of what is said, as if it stood ``above`` lines higher.

    Blanks and the case of letters do not count.
    """
    lines = config.splitlines(keepends=True)
    found = []
    for number, line, column, length, words in _FINDING.findall(told):
        start = sum(map(len, lines[: int(line) - 1])) + int(column) - 1
        marked = config[start : start + int(length)]
        shifted = _LINE_NUMBER.sub(lambda it: str(int(it[0]) - above), words)
        parts = (str(int(line) - above), marked, shifted)
        found.append((number, *(" ".join(part.split()).casefold() for part in parts)))
    return found
