"""A finding is declared at its check: the registry, the macros it looks at and its words agree."""

from __future__ import annotations

from policy.lint.finding import WARNING, Finding, finding
from policy.lint.findings import FINDINGS
from policy.lint.view import view
from tests.policy.test_lint import read


def test_a_check_looks_at_the_settings_of_its_macros_alone() -> None:
    seen = []

    @finding("P999", WARNING, "title", "text", bad="A_X = 1\n", good="B = 1\n", of=r"a_\w+")
    def odd(view, setting):  # type: ignore[no-untyped-def]
        seen.append(setting.macro)
        yield odd.on(setting.entry, "is odd")

    assert isinstance(odd, Finding)
    [found] = odd.check_settings(view(read("A_X = 1\nB = 2\n")))
    assert (found.id, found.severity, found.line, seen) == ("P999", WARNING, 1, ["A_X"])


def test_findings_without_a_check_of_their_own_are_said_by_their_family() -> None:
    config = view(read("SEC_DEFAULT_ENCRYPTION = QUITE\n"))
    assert list(FINDINGS["P101"].check_settings(config)) == []
    assert [one.id for one in FINDINGS["P231"].check_settings(config)] == ["P231"]


def test_the_findings_of_a_family_stand_in_the_order_of_their_numbers() -> None:
    numbers = [int(id_[1:]) for id_ in FINDINGS if "P230" < id_ < "P238"]
    assert numbers == sorted(numbers)
    assert len(numbers) == 7
