"""A finding is declared at its check: the registry, the macros it looks at and its words agree."""

from __future__ import annotations

import re

from docs.written.findings import findings_page
from policy.lint.finding import WARNING, Finding, FindingCheck, finding
from policy.lint.findings import CHECKS, FINDINGS, Concerned, lint, look_at
from policy.lint.view import view
from tests.policy.test_lint import read


def test_a_check_looks_at_the_settings_of_its_macros_alone() -> None:
    seen = []

    @finding("P999", "title", "text", bad="A_X = 1\n", good="B = 1\n", of=r"a_\w+")
    def odd(view, setting):  # type: ignore[no-untyped-def]
        seen.append(setting.macro)
        yield odd.on(setting.entry, "is odd")

    assert isinstance(odd, Finding)
    assert isinstance(odd.check, FindingCheck)
    [found] = look_at(odd.check, Concerned(view(read("A_X = 1\nB = 2\n"))))
    assert (found.id, found.severity, found.line, seen) == ("P999", WARNING, 1, ["A_X"])


def test_every_check_is_asked_once() -> None:
    assert len({id(check) for check in CHECKS}) == len(CHECKS)
    own = [kind.check for kind in FINDINGS.values() if kind.check is not None]
    assert all(check in CHECKS for check in own)


def test_a_check_comes_behind_the_findings_that_it_names() -> None:
    place = {id(check): at for at, check in enumerate(CHECKS)}
    for check in CHECKS:
        before = [FINDINGS[id_].check for id_ in check.after if id_ in FINDINGS]
        assert all(place[id(one)] < place[id(check)] for one in before if one is not None)


def test_what_speaks_last_is_silent_about_an_expression_with_another_finding() -> None:
    never = "START = TARGET.Nothing =?= 5 && False\n"
    assert [one.id for one in lint(read(never))] == ["P418"]
    slip = "START = State == Unclaimed && False\n"
    assert "P418" not in {one.id for one in lint(read(slip))}


def test_the_findings_of_a_family_stand_in_the_order_of_their_numbers() -> None:
    numbers = [int(id_[1:]) for id_ in FINDINGS if "P230" < id_ < "P238"]
    assert numbers == sorted(numbers)
    assert len(numbers) == 7


def test_each_finding_has_one_entry_in_the_reference_in_the_order_of_numbers() -> None:
    entries = re.findall(r"^### (P\d+): ", findings_page(), re.MULTILINE)
    assert entries == sorted(FINDINGS)
