"""``pieslice policy eval``: values, what the negotiator makes of them, and grids."""

from __future__ import annotations

import json
from math import inf
from pathlib import Path

import pytest

from pieslice.cli import main
from pieslice.policies.eval import BadAxis, read_axes
from policy.explain.trial import single

Capture = pytest.CaptureFixture[str]
TEXT = """\
PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * $(MARGIN) && TARGET.JobPrio >= 0
MARGIN = 1.2
PREEMPTION_RANK = RemoteUserPrio * 100 - Age
NEGOTIATOR_POST_JOB_RANK = MY.NoSuch
NEGOTIATOR_SLOT_CONSTRAINT = Cpus > 4
STARTD.START = TARGET.JobPrio > 3
NEGOTIATOR_PRE_JOB_RANK = 1 +
LOOP = $(POOL)
POOL = $(LOOP)
"""


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c").write_text(TEXT)
    Path("slots").write_text('Name = "s1"\nAge = 7\n\nName = "s2"\nCpus = 8\nMyCurrentTime = 5\n')
    Path("jobs").write_text("ClusterId = 1\nProcId = 0\nJobPrio = 0\n\n"
                            "ClusterId = 1\nProcId = 1\nJobPrio = 9\n")  # fmt: skip


def evaluate(capsys: Capture, *words: str, code: int = 0) -> tuple[list[str], str]:
    """What is said but for the version."""
    assert main(["policy", "eval", "c", *words]) == code
    said = capsys.readouterr()
    lines = said.out.splitlines()
    if lines and "--json" not in words:
        (version,) = (line for line in lines if line.strip().startswith("follows "))
        lines.remove(version)
    return lines, said.err


@pytest.mark.usefixtures("pool")
def test_a_value_and_what_it_means(capsys: Capture) -> None:
    prios = ["-a", "RemoteUserPrio=13", "-a", "SubmitterUserPrio=10"]
    words = ["PREEMPTION_REQUIREMENTS", "--my", "slots", "--target", "jobs"]
    assert evaluate(capsys, *words, *prios) == (
        ["true", "  the slot may be preempted for this request"],
        "",
    )
    assert evaluate(capsys, *words, *prios, "-D", "MARGIN=2")[0] == ["false", "  no preemption"]
    assert evaluate(capsys, *words, "-a", "TARGET.JobPrio=1") == (
        ["undefined", "  no preemption: only exactly true allows it"],
        "note: undefined, because -a does not give what a cycle adds: SubmitterUserPrio,\n"
        "  RemoteUserPrio\n",
    )


@pytest.mark.usefixtures("pool")
@pytest.mark.parametrize(
    ("macro", "value", "said"),
    [
        ("SYSTEM_PERIODIC_REMOVE", "JobPrio + 3",
         "a number that is not 0 counts as true: the schedd removes the job"),
        ("SYSTEM_PERIODIC_HOLD_Mem", "JobPrio == 0", "the schedd holds the job"),
        ("SYSTEM_PERIODIC_RELEASE", "JobPrio * 2", "the schedd leaves the job as it is"),
        ("SYSTEM_PERIODIC_VACATE", "JobPrio > 5", "the schedd leaves the job as it is"),
        ("SYSTEM_PERIODIC_HOLD_REASON", '"held"', None),
    ],
)  # fmt: skip
def test_what_the_schedd_does_with_an_expression_of_jobs(
    macro: str, value: str, said: str | None, capsys: Capture
) -> None:
    lines, _ = evaluate(capsys, macro, "--my", "jobs", "-D", f"{macro}={value}")
    assert lines[1:] == ([] if said is None else [f"  {said}"])


@pytest.mark.usefixtures("pool")
@pytest.mark.parametrize(
    ("value", "more", "said"),
    [
        ("JOB.JobPrio + 3", (), "takes the job, as far as this requirement goes"),
        ("TARGET.JobPrio =?= 99", (), "refuses the job: prio 0"),
        ("SCHEDD.Name is undefined", (), "refuses the job: prio 0"),
        ("JOB.NoSuch > 3", (), "refuses the job: Submit requirement A evaluated to non-boolean"),
        ("Owner", (), "refuses the job: Submit requirement A evaluated to non-boolean"),
        ("false", ("IS_WARNING=True",), "takes the job with a warning: prio 0"),
    ],
)
def test_what_the_schedd_does_with_a_submit_requirement(
    value: str, more: tuple[str, ...], said: str, capsys: Capture
) -> None:
    """As a schedd of 25.14.1 takes and refuses jobs with such values; JOB and SCHEDD are scopes."""
    texts = [f"A={value}", 'A_REASON=strcat("prio ", JOB.JobPrio)', *(f"A_{one}" for one in more)]
    defined = [word for text in texts for word in ("-D", f"SUBMIT_REQUIREMENT_{text}")]
    words = ["SUBMIT_REQUIREMENT_A", "--my", "slots", "--target", "jobs"]
    lines, _ = evaluate(capsys, *words, *defined)
    assert lines[1:] == [f"  the schedd {said}"]


@pytest.mark.usefixtures("pool")
@pytest.mark.parametrize(
    ("value", "doubt"),
    [
        ('SCHEDD.Host =?= "s1"', "if the schedd has no Host (--my gives its ad): "),
        ("MY.Host =?= MY.Port", "if the schedd has no Host and no Port (--my gives its ad): "),
        ("SCHEDD.Name isnt undefined", ""),
        ("MY.JOB.JobPrio >= 0", ""),
    ],
)
def test_what_a_submit_requirement_reads_of_an_unknown_schedd_is_said(
    value: str, doubt: str, capsys: Capture
) -> None:
    define = ("-D", f"SUBMIT_REQUIREMENT_A={value}")
    words = ["SUBMIT_REQUIREMENT_A", "--my", "slots", "--target", "jobs"]
    lines, _ = evaluate(capsys, *words, *define)
    assert lines[1].startswith(f"  {doubt}the schedd ")


@pytest.mark.usefixtures("pool")
def test_the_slot_of_start_has_what_the_configuration_publishes(capsys: Capture) -> None:
    define = [
        "-D",
        "STARTD_ATTRS=HasRoom Age",
        "-D",
        "HasRoom=MY.Age > TARGET.JobPrio",
        "-D",
        "Age=3",
    ]
    words = ["START", "--subsys", "STARTD", "-D", "STARTD.START=HasRoom ?: false", *define]
    lines, _ = evaluate(capsys, *words, "--my", "slots", "--target", "jobs")
    assert lines == ["true", "  MY has HasRoom, Age by STARTD_ATTRS"]
    assert evaluate(capsys, *words, "--my", "slots", "-a", "TARGET.JobPrio=9")[0][0] == "false"
    ranked = evaluate(
        capsys, "NEGOTIATOR_POST_JOB_RANK", "-D", "NEGOTIATOR_POST_JOB_RANK=Age", *define
    )
    assert ranked[0][0] == "undefined"  # the negotiator reads what the slot advertises


@pytest.mark.usefixtures("pool")
def test_ranks_go_through_single_precision(capsys: Capture) -> None:
    words = ["PREEMPTION_RANK", "--my", "slots", "-a", "RemoteUserPrio=0.1"]
    assert evaluate(capsys, *words)[0] == ["3.000000149011612E+00", "  ranked 3.00000024"]
    assert evaluate(capsys, "NEGOTIATOR_POST_JOB_RANK")[0] == [
        "undefined",
        "  ranked below every number",
    ]


def test_single_precision_ends_at_infinity() -> None:
    assert [single(number) for number in (1e39, -1e39, 0.5)] == [inf, -inf, 0.5]


@pytest.mark.usefixtures("pool")
def test_ads_are_chosen_by_name(capsys: Capture) -> None:
    words = ["NEGOTIATOR_SLOT_CONSTRAINT", "--my", "slots"]
    assert evaluate(capsys, *words)[0] == ["undefined", "  the slot does not take part"]
    assert evaluate(capsys, *words, "--slot", "S2")[0] == ["true", "  the slot takes part"]
    start = ["START", "--subsys", "STARTD", "--target", "jobs"]
    assert evaluate(capsys, *start)[0] == ["false"]
    assert evaluate(capsys, *start, "--job", "1.1")[0] == ["true"]
    assert "jobs: no `1.2` in it" in evaluate(capsys, *start, "--job", "1.2", code=2)[1]


@pytest.mark.usefixtures("pool")
def test_why(capsys: Capture) -> None:
    lines, _ = evaluate(capsys, "NEGOTIATOR_SLOT_CONSTRAINT", "--my", "slots", "--why")
    assert lines[:4] == [
        "undefined",
        "  the slot does not take part",
        "Cpus > 4  undefined",
        "  Cpus    undefined  in neither MY nor TARGET",
    ]


@pytest.mark.usefixtures("pool")
def test_a_grid_of_truth(capsys: Capture) -> None:
    grid = "RemoteUserPrio=1:100:3,SubmitterUserPrio=0:10:5"
    words = ["PREEMPTION_REQUIREMENTS", "-a", "TARGET.JobPrio=0", "--grid", grid]
    assert evaluate(capsys, *words)[0] == [
        "PREEMPTION_REQUIREMENTS: # true, . false",
        "RemoteUserPrio down, SubmitterUserPrio across",
        "    |   0 2.5   5 7.5  10",
        "----+--------------------",
        "  1 |   #   .   .   .   .",
        " 10 |   #   #   #   #   .",
        "100 |   #   #   #   #   #",
    ]
    words[2] = "TARGET.JobPrio=undefined"
    assert evaluate(capsys, *words)[0][0] == "PREEMPTION_REQUIREMENTS: . false, ? undefined"
    lines, _ = evaluate(capsys, *words, "--json")
    found = json.loads("\n".join(lines))
    assert found["axes"][0] == {"name": "RemoteUserPrio", "values": [1, 10, 100]}
    assert found["cells"][2] == ["undefined"] * 5


@pytest.mark.usefixtures("pool")
def test_a_column_of_numbers(capsys: Capture) -> None:
    words = ["PREEMPTION_RANK", "--my", "slots", "--grid", "RemoteUserPrio=0.5:2.5:3"]
    assert evaluate(capsys, *words)[0] == [
        "PREEMPTION_RANK:",
        "RemoteUserPrio",
        "0.5 |  43",
        "1.5 | 143",
        "2.5 | 243",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["MARGIN2"], "error: not defined: MARGIN2; did you mean `MARGIN`?\n"),
        (["PRIORITY_HALFLIFE"], "error: PRIORITY_HALFLIFE is no expression but a double"),
        (["NEGOTIATOR_PRE_JOB_RANK"], "c:7:30: error[P111]: NEGOTIATOR_PRE_JOB_RANK: "),
        (["LOOP"], "error: LOOP: expansion of `LOOP` never ends: LOOP -> POOL -> LOOP\n"),
        (["MARGIN", "-a", "X=1 +"], "<X>:1:4: error: "),
        (["MARGIN", "-a", "X"], "error: -a: `X` is not of the form NAME=VALUE\n"),
        (["MARGIN", "-a", "MY.=1"], "error: `MY.` is not the name of an attribute\n"),
        (["MARGIN", "--my", "gone"], "error: gone: no such file or directory\n"),
        (["MARGIN", "--slot", "x"], "error: --slot needs a file of ads\n"),
        (["MARGIN", "--grid", "X"], "error: `X` is not of the form NAME=LOW:HIGH or"),
        (["MARGIN", "--grid", "X=0:1", "--why"], "--why explains one value, not a grid"),
    ],
)
@pytest.mark.usefixtures("pool")
def test_what_cannot_be_tried(words: list[str], said: str, capsys: Capture) -> None:
    assert said in evaluate(capsys, *words, code=2)[1]


@pytest.mark.parametrize("text", ["X=1:0", "=0:1", "X=0:inf", "X=0:1:1", "X=0:1,Y=0:1,Z=0:1"])
def test_bad_axes(text: str) -> None:
    with pytest.raises(BadAxis):
        read_axes(text)


def test_axes_show_the_values_they_use() -> None:
    (axis,) = read_axes("X=0.5:100")
    assert axis.values == (0.5, 0.85, 1.4, 2.5, 4.2, 7.1, 12, 20, 35, 59, 100)
    (axis,) = read_axes("X=1:1.003:4")
    assert axis.values == (1, 1.001, 1.002, 1.003)


@pytest.mark.usefixtures("pool")
def test_text_behind_a_given_value_is_refused(capsys: Capture) -> None:
    words = ["NEGOTIATOR_SLOT_CONSTRAINT", "-a", "Cpus=True ? 8 : 2 junk"]
    out, err = evaluate(capsys, *words, code=2)
    assert out == []
    assert "found `junk`" in err
