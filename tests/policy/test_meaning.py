"""What the text of a macro means, which tells whether two texts differ, and its origin."""

from __future__ import annotations

import pytest

from policy.explain.meaning import kind_of, meaning
from policy.explain.sentences import Origin, origin_of
from policy.knobs.declaration import KnobKind
from tests.policy.test_lint import found, read


@pytest.mark.parametrize(
    ("macro", "one", "other"),
    [
        ("PRIORITY_HALFLIFE", "86400", "24 * 3600"),
        ("NEGOTIATOR_INTERVAL", "60", " 30 + 30 "),
        ("MAX_JOBS_RUNNING", "100", "10 * 10"),
        ("NEGOTIATOR_CONSIDER_PREEMPTION", "True", "1 == 1"),
        ("SYSTEM_PERIODIC_HOLD", "JobPrio  > 1", "(JobPrio > 1)"),
        ("SCHEDD.SYSTEM_PERIODIC_HOLD", "JobPrio>1", "JobPrio > 1"),
    ],
)
def test_texts_that_mean_the_same(macro: str, one: str, other: str) -> None:
    config = read("")
    assert meaning(config, macro, one) == meaning(config, macro, other)
    assert meaning(config, macro, one) != meaning(config, macro, f"1 - ({one})")


def test_what_is_no_number_means_its_text() -> None:
    config = read("")
    assert meaning(config, "MAX_JOBS_RUNNING", "60 * 60") == ("number", 3600)
    assert meaning(config, "MAX_JOBS_RUNNING", "a   b") == ("text", "a b")
    assert meaning(config, "MAX_JOBS_RUNNING", "  ") == ("nothing",)


def test_expressions_of_other_daemons_are_read_as_such() -> None:
    assert kind_of("SYSTEM_PERIODIC_HOLD") is KnobKind.EXPR
    assert kind_of("Schedd.System_Periodic_Hold") is KnobKind.EXPR
    assert kind_of("NOT_KNOWN_TO_ANYBODY") is KnobKind.STRING


def test_the_origin_of_a_definition() -> None:
    config = read("A = 1\nRANK = 5\n")
    assert origin_of("RANK", None) == Origin("RANK")
    origin = origin_of("rank", config.lookup("RANK"))
    assert origin == Origin("RANK", "pool.conf", 2)
    default = config.lookup("PRIORITY_HALFLIFE")
    assert origin_of("PRIORITY_HALFLIFE", default).place() == "default"


@pytest.mark.parametrize(
    ("daemons", "said"),
    [
        ("", False),
        ("DAEMON_LIST = MASTER, STARTD\n", False),
        ("DAEMON_LIST = MASTER, SCHEDD\n", True),
        ("DAEMON_LIST = MASTER, SCHEDD, JOB_ROUTER\n", False),
    ],
)
def test_routes_lack_a_router_only_where_a_list_has_a_schedd(daemons: str, said: bool) -> None:
    text = f'{daemons}JOB_ROUTER_ROUTE_A @=end\nNAME = "A"\n@end\nJOB_ROUTER_ROUTE_NAMES = A\n'
    assert (
        "JOB_ROUTER is not in DAEMON_LIST" in str([item.render() for item in found(text)])
    ) is said
