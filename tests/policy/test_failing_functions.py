"""Function macros that fail: each daemon ends that expands the text, asked of 25.14.1."""

from __future__ import annotations

from policy.knobs.readers import MAIN
from policy.lint.verdict import Examination, examine
from tests.cases import every_case
from tests.policy.test_verdicts import read


def ended(seen: Examination) -> set[str]:
    """The daemons that would not start."""
    return {one.daemon.subsystem for one in seen.verdicts if not one.starts}


def ids(seen: Examination) -> list[str | None]:
    return [one.id for one in seen.findings]


@every_case("call", [
    "$INT(abc)", "$REAL(abc)", "$INT(3,%s)", "$INT(3,5d)", "$REAL(3,%d)", '$STRING("x",%d)',
    "$CHOICE(9,a,b)", "$CHOICE(x,a,b)", "$SUBSTR(x,q)", "$RANDOM_CHOICE()",
    "$RANDOM_INTEGER(5,1)", "$RANDOM_INTEGER(a,b)",
])  # fmt: skip
def test_a_daemon_ends_at_a_text_whose_function_macro_fails(call: str) -> None:
    """Whether it stands in the text itself or in what that refers to."""
    seen = examine(read(f"COLLECTOR_NAME = our {call}\n"))
    assert (ended(seen), ids(seen)) == ({"COLLECTOR"}, ["P110"])
    for name in ("MASTER_NAME", "SCHEDD_NAME", "STARTD_ATTRS"):
        seen = examine(read(f"PART = {call}\n{name} = $(PART)\n"))
        assert ended(seen) == {name.partition("_")[0]}


@every_case("call", ["$BASENAME()", "$STRING()", "$EVAL(1+)", "$EVAL(x)", "$ENV()", "$INT(2,%5d)"])
def test_a_function_macro_that_comes_to_nothing_does_not_fail(call: str) -> None:
    seen = examine(read(f"COLLECTOR_NAME = our {call}\n"))
    assert ended(seen) == set()
    assert "P110" not in ids(seen)


@every_case(
    "macro, daemons",
    [
        ("ALLOW_WRITE", set(MAIN)),
        ("START", {"STARTD"}),
        ("SLOT_TYPE_1", {"STARTD"}),
        ("GROUP_NAMES", {"NEGOTIATOR"}),
        ("JOB_TRANSFORM_NAMES", {"SCHEDD"}),
        # These are not expanded at the start of a daemon, or not by one of these.
        ("SYSTEM_PERIODIC_REMOVE", set()),
        ("SHADOW_LOG", set()),
    ],
)
def test_who_expands_a_text_at_its_start_ends_there(macro: str, daemons: set[str]) -> None:
    seen = examine(read(f"{macro} = $INT(abc)\nNUM_SLOTS_TYPE_1 = 1\n"))
    assert ended(seen) == daemons
    assert any("`abc` is not an integer" in one.message for one in seen.findings)


def test_what_nobody_reads_ends_nobody() -> None:
    assert examine(read("SITE_NUMBER = $INT(abc)\n")).findings == []


def test_a_function_macro_of_a_transform_is_about_the_job() -> None:
    block = "EVALMACRO Mem RequestMemory * 2\nSET RequestMemory $INT(Mem)\nSET X $CHOICE(Mem,1,2)"
    for names, head in (
        ("JOB_TRANSFORM_NAMES", "JOB_TRANSFORM_"),
        ("JOB_ROUTER_ROUTE_NAMES", "JOB_ROUTER_ROUTE_"),
    ):
        seen = examine(read(f"{names} = A\n{head}A @=end\n{block}\n@end\n"))
        assert "P110" not in ids(seen)


def test_a_name_that_another_file_may_define_does_not_fail_in_a_fragment() -> None:
    text = "COLLECTOR_NAME = $INT(OUR_NUMBER)\nMAX_JOBS_RUNNING = $INT(OUR_JOBS)\n"
    assert ids(examine(read(text))) == ["P110", "P110"]
    assert ended(examine(read(text))) == {"COLLECTOR", "SCHEDD"}
    part = examine(read(text), fragment=True)
    assert (ids(part), ended(part)) == ([], set())
