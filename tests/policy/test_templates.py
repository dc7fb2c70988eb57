"""Templates: how they are listed, their arguments, and that all of HTCondor's are there."""

from __future__ import annotations

import pytest

from policy.config import Config, load_config
from policy.io import builtin_library
from policy.language.sources import MemorySources
from policy.language.templates import Template, parse_templates, split_list
from tests.policy.config_vectors import load_vectors
from tests.policy.test_lint import ids


def test_every_template_of_htcondor_is_there_under_its_name() -> None:
    wanted = {
        (category, name)
        for category, names in load_vectors("metaknobs.json")["categories"].items()
        for name in names
    }
    found = builtin_library().templates.entries.values()
    assert {(t.category, t.name) for t in found} == wanted


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ("a, b(x, y) c", [("a", None), ("b", "x, y"), ("c", None)]),
        ("a (1) , b()", [("a", "1"), ("b", "")]),
        ("a(f(1,2)[3],4)", [("a", "f(1,2)[3],4")]),
        (" , ", []),
        ("a(1) b( c, d", [("a", "1"), ("b", None), ("c", None), ("d", None)]),
        ("a(1]2) b([3)]4)", [("a", "1]2"), ("b", "[3)]4")]),
        ("a(1[2) b", [("a", None), ("1[2)", None), ("b", None)]),
        ("a (( b", [("a", None)]),
        ("( a", []),
    ],
)
def test_a_list_of_templates(listed: str, expected: list[tuple[str, str | None]]) -> None:
    assert split_list(listed) == expected


def test_arguments_are_put_in() -> None:
    text = "0=$(0) 1=$(1:d) 2=$(2:$(X)) 3=$(3?) n=$(0#) r=$(2+) keep=$(X)"
    template = Template("C", "T", text)
    assert template.with_arguments(" a , b,  c(d,e) ") == (
        "0=a , b,  c(d,e) 1=a 2=b 3=1 n=4 r=b,  c(d,e) keep=$(X)"
    )
    assert template.with_arguments(None) == "0= 1=d 2=$(X) 3=0 n=0 r= keep=$(X)"


def test_a_file_of_templates() -> None:
    """What stands above the first heading belongs to none, and comments with `##` to nobody."""
    text = "A = 0\n[C : one]\n\nA = 1\n## for readers\n# kept\n\n[D : two] \nB = 2\n"
    assert list(parse_templates(text)) == [
        Template("C", "one", "A = 1\n# kept\n"),
        Template("D", "two", "B = 2\n"),
    ]
    assert list(parse_templates("A = 0\n")) == []


def read(text: str) -> Config:
    return load_config("/c", MemorySources({"/c": text}), builtin_library())


def test_lists_for_upgrades_set_nothing_and_one_stops_the_reading() -> None:
    config = read("use UPGRADE : DISCARDIF, DISCARDX\nA = 1\n")
    assert config.complete
    assert config.names()[:1] == ["A"]
    assert not read("use UPGRADE : DISCARD\nA = 1\n").complete


def test_arguments_that_nothing_closes_are_names_and_stop_the_reading() -> None:
    broken = read("use POLICY : Limit_Job_Runtimes(3600\nA = 1\n")
    assert not broken.complete
    assert read("use POLICY : Limit_Job_Runtimes(3600)\nA = 1\n").text("MAX_JOB_RUNTIME") == "3600"


def test_metrics_behind_the_shared_port() -> None:
    same = read("use FEATURE : METRICD\n")
    assert same.text("DAEMON_LIST") == "MASTER METRICD"
    assert same.text("METRICD_ARGS") == "-sock metricd"
    other = "PROMETHEUS_HTTP_PORT = 9617\nSHARED_PORT_PORT = 9618\nuse FEATURE : METRICD\n"
    assert read(other).text("METRICD_ARGS") is None


def test_high_availability_behind_the_shared_port() -> None:
    text = "SHARED_PORT_PORT = 9\nuse EXPERIMENTAL : HADSharedPort(NEGOTIATOR, cm1)\n"
    config = read(text)
    names = ("HAD_LIST", "REPLICATION_LIST", "HAD_CONTROLLEE", "MASTER_NEGOTIATOR_CONTROLLER")
    assert [config.text(name) for name in names] == [" cm1:9", " cm1:9", "NEGOTIATOR", "HAD"]


def test_a_destination_for_checkpoints() -> None:
    text = "DEFAULT_CHECKPOINT_DESTINATION_PREFIX = /ckpt\nJOB_TRANSFORM_NAMES = a\n"
    config = read(text + "use FEATURE : DefaultCheckpointDestination\n")
    assert config.text("JOB_TRANSFORM_NAMES") == "CheckpointStorage a"
    transform = config.lookup("JOB_TRANSFORM_CheckpointStorage")
    assert transform is not None
    assert transform.raw.splitlines()[-2:] == [
        "EVALSET CheckpointDestination $(SetCheckpointDestination)",
        "endif",
    ]
    [warned] = read("use FEATURE : DefaultCheckpointDestination\n").diagnostics
    assert warned.severity == "warning"


@pytest.mark.parametrize(
    "statement",
    [
        "use FEATURE : DefaultCheckpointDestination",
        "use FEATURE : GPUs, DefaultCheckpointDestination, Monitor(A,B,C,D)",
        "use FEATURE : \\\n    DefaultCheckpointDestination",
    ],
)
def test_what_a_template_says_is_shown_at_the_whole_statement(statement: str) -> None:
    text = f"A = 1\n{statement}\nB = 2\n"
    warned = read(text).diagnostics[0]
    assert warned.message.startswith("`use FEATURE:DefaultCheckpointDestination` warns: ")
    assert text[warned.start : warned.end] == statement


@pytest.mark.parametrize(
    "use",
    [
        "Limit_Job_Runtimes(3 days)",
        "Hold_If_Runtime_Exceeds(1h)",
        "Preempt_If(MemoryUsage > 4000)",
    ],
)
def test_an_argument_that_makes_no_expression_of_a_line_is_said_at_the_use(use: str) -> None:
    assert ids(f"use POLICY : {use}\n") == [("P113", 1)]


def test_an_argument_that_is_the_name_of_a_macro_needs_that_macro() -> None:
    too_big = "TOO_BIG = MemoryUsage > 4000\n"
    assert ids(f"{too_big}use POLICY : Preempt_If(TOO_BIGG)\n") == [("P120", 2)]
    for clean in ("Preempt_If(TOO_BIG)", "Limit_Job_Runtimes(3*24*3600)"):
        assert ids(f"use POLICY : {clean}\n{too_big}") == []
    # A template that ends in an error has one finding.
    assert ids(f"{too_big}use POLICY : Want_Hold_If(TOO_BIG)\n") == [("P101", 2)]
