"""What is a fault of a line and what only just is none: ``corpus/lines.txt``, by its headings."""

from __future__ import annotations

import re
from itertools import chain

import pytest

from policy.lint.findings import Finding
from tests.cases import every_case
from tests.policy.lines import findings_in, sections

SECTIONS = sections()
#: The beginning of an assignment, with the name of what is set.
_ASSIGNED = re.compile(r"^[ \t]*[\w.]+(?=[ \t]*[+@]?=)")
#: Definitions in a conditional are not compared with others, which may be for another machine.
_NOT_IN_A_CONDITIONAL = ("P203", "P222")


@pytest.mark.slow
@every_case("section", SECTIONS)
def test_faults_have_findings_and_what_is_none_has_none(section: str) -> None:
    for case in SECTIONS[section]:
        found = [
            f"{it.id} {it.line}:{it.column}+{it.end - it.start}" for it in findings_in(case.config)
        ]
        assert found == case.expected, case.config


def test_every_case_stands_once() -> None:
    configurations = [case.config for case in chain.from_iterable(SECTIONS.values())]
    assert len(set(configurations)) == len(configurations) > 500


@pytest.mark.slow
@pytest.mark.parametrize(
    "every", [4, pytest.param(1, marks=[pytest.mark.slow, pytest.mark.long])], ids=["some", "all"]
)
@pytest.mark.parametrize("section", SECTIONS)
def test_findings_are_those_of_a_condition_that_holds_with_names_in_the_other_case(
    section: str, every: int
) -> None:
    for case in SECTIONS[section][::every]:
        if any(f"ignore {id_}" in case.config for id_ in _NOT_IN_A_CONDITIONAL):
            continue  # there is nothing to silence then, as a note says
        config = otherwise(case.config)
        plain = [
            marked(it, case.config, 0)
            for it in findings_in(case.config)
            if not it.id.startswith(_NOT_IN_A_CONDITIONAL)
        ]
        assert [marked(it, config, 1) for it in findings_in(config)] == plain, config


def otherwise(config: str) -> str:
    """The configuration with its names in the other case, in an `if` that holds, indented."""
    lines, continued = [], False
    for line in config.splitlines():
        lines.append(f"\t  {line if continued else _ASSIGNED.sub(_swapped, line)}")
        continued = line.endswith("\\")
    return "\n".join(["if true", *lines, "endif", ""])


def _swapped(found: re.Match[str]) -> str:
    return found[0].upper() if found[0].islower() else found[0].lower()


def marked(finding: Finding, config: str, above: int) -> tuple[str, int, str]:
    """Number, line and marked text, as if they stood ``above`` lines higher.

    Blanks and the case of letters do not count.
    """
    lines = config.splitlines(keepends=True)
    start = sum(map(len, lines[: finding.line - 1])) + finding.column - 1
    text = config[start : start + finding.end - finding.start]
    return finding.id, finding.line - above, " ".join(text.split()).casefold()
