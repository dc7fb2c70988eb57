"""The caret stands under the faulty word, in the file that has it."""

from __future__ import annotations

import pytest

from policy.language.origins import Origins
from policy.lint.findings import lint
from tests.policy.test_lint import found, read

SLIP = "SubmiterUserPrio"

#: A configuration, and the line and column of the slip.
PLACES = [
    (f"PREEMPTION_REQUIREMENTS = {SLIP} > 1.2\n", (1, 27)),
    (f"HELPER = A && {SLIP} > 1.2\nPREEMPTION_REQUIREMENTS = B || $(HELPER)\n", (1, 15)),
    (f"X = B || $(HELPER) || C\nHELPER = {SLIP} > 1\nPREEMPTION_REQUIREMENTS = $(X)\n", (2, 10)),
    (f"PREEMPTION_REQUIREMENTS = A && \\\n    {SLIP} > 1.2\n", (2, 5)),
    (f"PREEMPTION_REQUIREMENTS = A && \\\n   {SLIP} > 1.2\n", (2, 4)),
    (f"PREEMPTION_REQUIREMENTS = A && \\\r\n   {SLIP} > 1.2\r\n", (2, 4)),
    (f"X = 12\nPREEMPTION_REQUIREMENTS = $(X) < A && {SLIP} > $(X)\n", (2, 39)),
    ("X = Submiter\nPREEMPTION_REQUIREMENTS = A && $(X)UserPrio > 1.2\n", (2, 32)),
    (f"X = $(Y)\nY = {SLIP}\nPREEMPTION_REQUIREMENTS = $(X) > $(X)\n", (2, 5)),
    (f"PREEMPTION_REQUIREMENTS = $(X:{SLIP}) > 1.2\n", (1, 27)),
]


@pytest.mark.parametrize(("text", "place"), PLACES)
def test_a_slip_is_shown_where_it_is_written(text: str, place: tuple[int, int]) -> None:
    items = [item for item in found(text) if item.id == "P401"]
    assert [(item.line, item.column) for item in items] == [place]


@pytest.mark.parametrize("end", ["\\\n", "\\\r\n", "\\ \n", "\\\n\\\n"])
@pytest.mark.parametrize("indent", ["", " ", "  ", "   ", "\t", "\t "])
def test_a_slip_on_a_continued_line_is_not_looked_for_by_its_word(end: str, indent: str) -> None:
    """The word stands behind it once more, in a string."""
    text = f'PREEMPTION_REQUIREMENTS = A && {end}{indent}{SLIP} > 1.2 && B == "{SLIP}"\n'
    items = [item for item in found(text) if item.id == "P401"]
    assert [(item.line, item.column) for item in items] == [(1 + end.count("\n"), 1 + len(indent))]


def test_what_spans_two_texts_is_shown_in_the_one_that_joins_them() -> None:
    text = "A = RemoteUserPrio\nB = SubmitterUserPrio\nPREEMPTION_REQUIREMENTS = $(A) < $(B)\n"
    [item] = [item for item in found(text) if item.id == "P506"]
    assert item.render().splitlines()[1:3] == [
        "   3 | PREEMPTION_REQUIREMENTS = $(A) < $(B)",
        "     |                           ^~~~~~~~~~~",
    ]


APPENDED = [
    (f"START = A\nSTART = $(START) && {SLIP} > 1\n", (2, 21)),
    (f"START = {SLIP} > 1\nSTART = ($(START)) && A\n", (1, 9)),
    (f"START = A\nSTART += && {SLIP} > 1\n", (2, 13)),
    (f"START = {SLIP} > 1\nSTART +=&& A\n", (1, 9)),
    (f"START = ($(START)) && {SLIP} > 1\nSTART = ($(START)) && A\n", (1, 23)),
    (f"SUSPEND = $(SUSPEND) || {SLIP} > 1\nSUSPEND +=|| A\n", (1, 25)),
]


@pytest.mark.parametrize(("text", "place"), APPENDED)
def test_what_a_later_assignment_takes_over_is_shown_where_it_was_written(
    text: str, place: tuple[int, int]
) -> None:
    items = [item for item in found(text) if item.id == "P401"]
    assert [(item.line, item.column) for item in items] == [place]


@pytest.mark.parametrize(("start", "end"), [(0, 6), (1, 2), (0, 7), (6, 7)])
def test_a_detected_value_that_is_taken_over_is_shown_where_something_is_appended(
    start: int, end: int
) -> None:
    """It stands in no file, and so does the blank behind it: the first character shows both."""
    text = "A = 1\nARCH += ++ 1\n"
    config = read(text)
    definition = config.lookup("ARCH")
    assert definition is not None
    assert definition.raw == "X86_64 ++ 1"
    found = Origins(config.scope, definition).locate(start, end)
    assert found is not None
    assert found[1:] == (text.index("++"), text.index("++") + 1)


def test_branches_that_are_not_taken_are_looked_at_too() -> None:
    text = (
        "if version > 99.0\n"
        '  START = State == "Idle"\n'
        "else\n"
        "  START = TARGET.RequestCpus < 8\n"
        "endif\n"
        "if false\n"
        "  RANK = $(NOWHERE) > MY.Cpus\n"
        "  X @=end\nSTART = State\n@end\n"
        "endif\n"
    )
    assert [(item.id, item.line, item.column) for item in found(text)] == [("P410", 2, 11)]


def test_what_two_helpers_of_a_function_say_is_shown_at_the_function() -> None:
    """The value that `$ENV` hands on refers to both of them."""
    text = "A = Cpus\nB = <0\nSTART = Foo && $ENV(BOTH)\n"
    [item] = lint(read(text, environment={"BOTH": "$(A)$(B)"}))
    assert (item.line, item.column, item.message) == (
        3,
        16,
        "`Cpus<0` is never true; Cpus is never below 0",
    )


def test_a_value_with_a_dollar_sign_is_shown_where_it_is_set() -> None:
    text = f'START = A == "$(DOLLAR)" && {SLIP} > 1.2\n'
    assert [(item.id, item.line, item.column) for item in found(text)] == [("P401", 1, 29)]


@pytest.mark.parametrize(
    ("environment", "id_", "column", "shown"),
    [
        ({"_CONDOR_PREEMPTION_REQUIREMENTS": "A +"}, "P111", 4, "A +"),
        (
            {"_CONDOR_PRIORITY_HALFLIFE": "$(OF)", "_CONDOR_OF": "$(PRIORITY_HALFLIFE)"},
            "P110", 1, "$(OF)",
        ),
    ],
)  # fmt: skip
def test_what_the_environment_sets_is_shown(
    environment: dict[str, str], id_: str, column: int, shown: str
) -> None:
    [item] = [item for item in lint(read("", environment=environment)) if item.id == id_]
    assert (item.line, item.column) == (1, column)
    assert item.render().splitlines()[0].startswith(f"<Environment>:1:{column}: error")
    assert item.render().splitlines()[1] == f"   1 | {shown}"


def test_what_a_condition_for_templates_says_in_error_has_a_place() -> None:
    text = "A = 1\nAUTO_USE_FEATURE_GPUs = $INT(abc)\n"
    assert [(item.id, item.line, item.column) for item in found(text)] == [("P104", 2, 25)]
    wrong = "AUTO_USE_FEATURE_GPUs = 1 > 2\n"
    assert [(item.id, item.line, item.column) for item in found(wrong)] == [("P104", 1, 25)]
