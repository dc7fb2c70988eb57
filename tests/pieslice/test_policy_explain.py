"""``pieslice policy explain``: the sentences, word for word, and where they come from."""

from __future__ import annotations

import json
from pathlib import Path
from time import process_time

import pytest

from classad.ads.expression import Expression
from classad.language.values import ERROR, UNDEFINED
from pieslice.cli import main
from pieslice.policies import answers
from policy.config import Config, config_from_mapping
from policy.explain.conclusions import Conclusion, conclude
from policy.io import builtin_library
from policy.language.expressions import parse

Capture = pytest.CaptureFixture[str]


def explain(tmp_path: Path, text: str, capsys: Capture, *words: str) -> list[str]:
    (tmp_path / "c").write_text(text)
    assert main(["policy", "explain", str(tmp_path / "c"), "--width", "1000", *words]) == 0
    return capsys.readouterr().out.replace(f"{tmp_path}/", "").splitlines()


HELD = "condor_schedd holds jobs where SYSTEM_PERIODIC_HOLD is"


def topic(lines: list[str], name: str) -> list[str]:
    start = lines.index(name) + 1
    rest = lines[start:]
    return rest[: rest.index("")] if "" in rest else rest


@pytest.mark.parametrize(
    ("factor", "said"), [("0.5", "1 (instead of 0.5)"), ("1", "1"), ("1.5", "1.5"), ("2", "2")]
)
def test_a_factor_is_no_less_than_one(
    factor: str, said: str, tmp_path: Path, capsys: Capture
) -> None:
    lines = explain(tmp_path, f"DEFAULT_PRIO_FACTOR = {factor}\n", capsys)
    assert f"  The priority factor is {said} [c:1]" in lines


def test_the_defaults(tmp_path: Path, capsys: Capture) -> None:
    lines = explain(tmp_path, "A = 1\n", capsys)
    assert topic(lines, "Preemption") == [
        "  Preemption for user priority is off: PREEMPTION_REQUIREMENTS is `False`. [default]",
        "  Preemption for the startd's RANK is on, whatever PREEMPTION_REQUIREMENTS says, where"
        " RANK puts the new job above"
        " the running one; each machine has its own. [default]",
    ]
    assert topic(lines, "Groups and their quotas") == [
        "  There are none: all submitters share the pool. [default]"
    ]
    assert topic(lines, "Priorities and shares") == [
        "  A submitter's share is inverse to its effective priority, real priority times factor."
        " [default]",
        "  Usage is forgotten by half in 86400 s (1 day). [default]",
        "  The priority factor is 1000 [default]",
        "    for nice users 1e+10 [default]",
        "  Floors, ceilings and the factors of single users are not in the configuration: the"
        " accountant keeps them (condor_userprio).",
    ]
    assert topic(lines, "Concurrency limits") == [
        "  No limit is set: one that a job names is 2308032, as good as none. [default]"
    ]
    assert topic(lines, "What takes part") == [
        "  A slot counts its own SlotWeight, one without it `Cpus`. [default]"
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("PREEMPTION_REQUIREMENTS = False && RemoteUserPrio > 1", "off: PREEMPTION_REQUIREMENTS is"
         " `False && RemoteUserPrio > 1`. [c:1]"),
        ("PREEMPTION_REQUIREMENTS = 1", "off: PREEMPTION_REQUIREMENTS is `1`, and only exactly true"
         " counts. [c:1]"),
        ("PREEMPTION_REQUIREMENTS =", "on for every slot: PREEMPTION_REQUIREMENTS is set to"
         " nothing, priorities are not compared. [c:1]"),
        ("PREEMPTION_REQUIREMENTS = True || A", "on for every slot: PREEMPTION_REQUIREMENTS is"
         " always true, priorities are not compared. [c:1]"),
        ("PREEMPTION_REQUIREMENTS = True\nNEGOTIATOR_CONSIDER_PREEMPTION = 0", "off:"
         " NEGOTIATOR_CONSIDER_PREEMPTION is false, claimed slots are not looked at. [c:2]"),
        ("PREEMPTION_REQUIREMENTS = Age > 5", "on, where PREEMPTION_REQUIREMENTS is exactly true."
         " [c:1]"),
    ],
)  # fmt: skip
def test_the_first_switches(text: str, said: str, tmp_path: Path, capsys: Capture) -> None:
    lines = topic(explain(tmp_path, text + "\n", capsys), "Preemption")
    assert lines[0] == f"  Preemption for user priority is {said}"
    warned = "It does not compare the two users' priorities" in "".join(lines)
    assert warned is ("Age" in text)


CENTRAL = "DAEMON_LIST = MASTER COLLECTOR NEGOTIATOR STARTD\n"


def test_the_startds_switches(tmp_path: Path, capsys: Capture) -> None:
    text = (
        f"{CENTRAL}RANK = 0\nn1.RANK = TARGET.Prio\nn2.RANK = TARGET.Prio\nSCHEDD.RANK = X\n"
        "PREEMPT = LoadAvg > $(MAX)\nn1.MAX = 3\nMAX = 2\nMAXJOBRETIREMENTTIME = 3600\n"
        "STARTD.n3.RANK = nobody reads a name with two prefixes\n"
    )
    lines = explain(tmp_path, text, capsys)
    assert topic(lines, "Preemption")[1:] == [
        "  Preemption for the startd's RANK is on, whatever PREEMPTION_REQUIREMENTS says, where"
        " RANK puts the new job above the running one: [default]",
        "    `TARGET.Prio` at n1 and n2 [c:3, c:4]",
        "  Slots with RetirementTimeRemaining above 0 are left out. [default]",
    ]
    assert topic(lines, "When a job is preempted")[:2] == [
        "  A job that RANK puts higher may take the slot at n1 and n2, if the negotiator preempts:"
        " RANK is `TARGET.Prio`. [c:3, c:4]",
        "  The startd itself ends a job where PREEMPT is `LoadAvg > 2`. [c:6]",
    ]
    assert topic(lines, "How long it may retire and vacate") == [
        "  A preempted job may run on until it has had 3600 s (1 hour). [c:9]",
        "  Then it has to vacate within 600 s (10 minutes). [default]",
    ]


def test_the_order_of_the_ranks(tmp_path: Path, capsys: Capture) -> None:
    preempting = "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n"
    text = "NEGOTIATOR_PRE_JOB_RANK = 0\nNEGOTIATOR_POST_JOB_RANK =\nPREEMPTION_RANK = -Age\n"
    text += preempting
    title = "Order of the candidates, the first difference decides"
    lines = topic(explain(tmp_path, text, capsys), title)
    assert lines == [
        "  1. nothing: NEGOTIATOR_PRE_JOB_RANK is `0` for all [c:1]",
        "  2. the job's own Rank, greatest first",
        "  3. nothing: NEGOTIATOR_POST_JOB_RANK is empty [c:2]",
        "  4. slots that nobody is preempted from, then preemption for RANK, then for user"
        " priority",
        "  5. PREEMPTION_RANK, greatest first: `-Age` [c:3]",
    ]
    lines = topic(
        explain(tmp_path, "NEGOTIATOR_IGNORE_JOB_RANKS = True\n" + preempting, capsys), title
    )
    assert (
        lines[1] == "  2. nothing: NEGOTIATOR_IGNORE_JOB_RANKS is true, Rank does not count [c:1]"
    )
    assert lines[4] == "  5. nothing: PREEMPTION_RANK does not count either [c:1]"


GROUPS = """\
GROUP_NAMES = a, a.x, b, c
GROUP_QUOTA_a = 30
GROUP_QUOTA_DYNAMIC_a = 0.9
GROUP_QUOTA_a.x = 10
GROUP_QUOTA_DYNAMIC_b = 0.8
GROUP_QUOTA_DYNAMIC_c = 0.8
GROUP_ACCEPT_SURPLUS_a = True
GROUP_AUTOREGROUP_b = True
GROUP_PRIO_FACTOR_b = 5
NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = False
"""


def test_the_tree_of_quotas(tmp_path: Path, capsys: Capture) -> None:
    lines = explain(tmp_path, GROUPS, capsys, "--slots", "110")
    assert topic(lines, "Groups and their quotas") == [
        "  Of a pool of 110 weighted slots: [c:1]",
        "    a: 30 weighted slots, that is 30, 20 of it for its own submitters [c:2]",
        "      GROUP_QUOTA_DYNAMIC_a does not count: GROUP_QUOTA_a is set [c:3]",
        "      a.x: 10 weighted slots, that is 10 [c:4]",
        "    b: 80 % of the pool, that is 40 [c:5]",
        "    c: 80 % of the pool, that is 40 [c:6]",
        "  Submitters without a group have what the quotas leave: 0.",
        "  The shares of the pool add up to 160 % and are scaled to 100 %. [c:5, c:6]",
        "  Quotas in slots are scaled down if they exceed what there is. [c:10]",
    ]
    surplus = topic(lines, "Surplus")
    assert surplus[:5] == [
        "  What others leave of their quotas may be used by a. [c:7]",
        "  No more than the quota may be used by b, c and a.x. [default]",
        "  Once more at the end, without group, negotiate submitters of b. [c:8]",
        "  The surplus is handed out at most 3 times a cycle. [default]",
        "  A group gets no more than the quotas of the groups above it still allow. [default]",
    ]
    assert "    for submitters of exactly b 5 [c:9]" in lines
    without = topic(explain(tmp_path, GROUPS, capsys), "Groups and their quotas")
    assert without[0] == "  Of the pool: [c:1]"
    assert without[1] == "    a: 30 weighted slots [c:2]"


CENTERS = """DAEMON_LIST = MASTER, COLLECTOR, NEGOTIATOR, HAD, REPLICATION
HAD_LIST = cm1.example.org:51450, cm2.example.org:51450
MASTER_NEGOTIATOR_CONTROLLER = HAD
"""


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("HAD_USE_PRIMARY = true\n", ["the first is preferred", "they are not copied"]),
        ("HAD_USE_REPLICATION = true\n", ["none is preferred", "copies usage and priorities"]),
    ],
)
def test_a_central_manager_says_who_takes_over_and_what_it_knows(
    more: str, says: list[str], tmp_path: Path, capsys: Capture
) -> None:
    lines = topic(explain(tmp_path, CENTERS + more, capsys), "High availability")
    assert "cm1.example.org and cm2.example.org" in lines[0]
    assert [word in line for word, line in zip(says, lines, strict=True)] == [True, True]


@pytest.mark.parametrize(
    ("policy", "attribute"),
    [
        ("START = KeyboardIdle > 900\n", "KeyboardIdle of START"),
        ("SUSPEND = $(Busy)\nBusy = ConsoleIdle < 60\n", "ConsoleIdle of SUSPEND"),
    ],
)
def test_an_execute_node_says_that_no_slot_is_told_of_its_keyboard(
    policy: str, attribute: str, tmp_path: Path, capsys: Capture
) -> None:
    """By default none is, and the attributes of its slots count up from 1200 s (25.14.1)."""
    head, title = "DAEMON_LIST = MASTER, STARTD\n", "Who sits at the machine"
    [line] = topic(explain(tmp_path, head + policy, capsys), title)
    assert attribute in line
    told = "SLOTS_CONNECTED_TO_KEYBOARD = 1\nSLOTS_CONNECTED_TO_CONSOLE = 1\n"
    assert title not in explain(tmp_path, head + told + policy, capsys)
    assert title not in explain(tmp_path, f"{head}START = Cpus > 1\n", capsys)


def test_limits_and_constraints(tmp_path: Path, capsys: Capture) -> None:
    text = (
        "LICENSE_LIMIT = 6\nCONCURRENCY_LIMIT_DEFAULT_db = 3\nNEGOTIATOR_SLOT_CONSTRAINT ="
        " Site == 1\nFORCE_NEGOTIATOR_SLOT_WEIGHT = True\nDEFAULT_PRIO_FACTOR = 0.5\n"
        "ACCOUNTANT_LOCAL_DOMAIN = x.org\n"
    )
    lines = explain(tmp_path, text, capsys)
    assert topic(lines, "Concurrency limits") == [
        "  6 of license [c:1]",
        "  3 of every other limit db.<name> [c:2]",
        "  No other limit is set: one that a job names is 2308032, as good as none. [default]",
    ]
    assert topic(lines, "What takes part") == [
        "  Only slots that fulfil `Site == 1` exist. [c:3]",
        "  Every slot counts `Cpus`. [c:4]",
    ]
    assert "  The priority factor is 1 (instead of 0.5) [c:5]" in lines
    assert "    for submitters outside x.org 1e+07 [c:6]" in lines


def test_what_stops_the_daemon_comes_first(tmp_path: Path, capsys: Capture) -> None:
    lines = explain(tmp_path, "PREEMPTION_REQUIREMENTS = a >\n", capsys)
    assert lines[:2] == ["This host", "  follows 25.14.1: no version is given"]
    assert lines[3].startswith("  condor_negotiator would not start: exit status 4, line 1: ")
    start = lines.index("Start")
    assert lines[start + 1].startswith(
        "  condor_negotiator does not start with this; what follows uses the default:"
        " PREEMPTION_REQUIREMENTS: "
    )
    assert lines[start + 1].endswith(" [c:1]")


def test_what_stops_nobody_is_not_told_first(tmp_path: Path, capsys: Capture) -> None:
    lines = explain(tmp_path, "MATLAB_LIMIT = six\nNEGOTIATOR_NAME = x\n", capsys)
    assert "Start" not in lines
    assert not any("does not start" in line for line in lines)


def test_a_value_that_cannot_be_read_is_not_what_is_in_force(
    tmp_path: Path, capsys: Capture
) -> None:
    text = "NEGOTIATOR_POST_JOB_RANK = 5 5\nPRIORITY_HALFLIFE = 1 x\n"
    lines = explain(tmp_path, text, capsys)
    order = topic(lines, "Order of the candidates, the first difference decides")
    assert order[2].startswith("  3. NEGOTIATOR_POST_JOB_RANK, greatest first: `(RemoteOwner =?=")
    assert order[2].endswith(" [default]")
    assert "  Usage is forgotten by half in 86400 s (1 day). [default]" in lines


def test_text_behind_an_expression_ends_no_daemon(tmp_path: Path, capsys: Capture) -> None:
    lines = explain(tmp_path, "PREEMPTION_REQUIREMENTS = true ? false : true junk\n", capsys)
    assert topic(lines, "Start") == [
        "  condor_negotiator ignores the text from here on, and so does what follows:"
        " PREEMPTION_REQUIREMENTS: expected an operator or end of expression, found `junk` [c:1]"
    ]
    assert topic(lines, "Preemption")[0].endswith(
        "is off: PREEMPTION_REQUIREMENTS is `true ? false : true junk`. [c:1]"
    )


def test_every_sentence_in_json(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "c"
    path.write_text(GROUPS)
    assert main(["policy", "explain", str(path), "--json"]) == 0
    sentences = json.loads(capsys.readouterr().out)["sentences"]
    [first] = [one for one in sentences if one["topic"] == "Preemption"][:1]
    assert first == {
        "topic": "Preemption",
        "text": "Preemption for user priority is off: PREEMPTION_REQUIREMENTS is `False`.",
        "depth": 0,
        "origins": [
            {"knob": "PREEMPTION_REQUIREMENTS", "file": None, "line": None, "template": None},
            {
                "knob": "NEGOTIATOR_CONSIDER_PREEMPTION",
                "file": None,
                "line": None,
                "template": None,
            },
        ],
    }
    group = next(one for one in sentences if one["text"] == "a.x: 10 weighted slots")
    assert group["depth"] == 2
    assert group["origins"] == [
        {"knob": "GROUP_QUOTA_a.x", "file": str(path), "line": 4, "template": None}
    ]


def test_bad_usage(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "c").write_text("broken\n")
    assert main(["policy", "explain", str(tmp_path / "c")]) == 2
    assert "error" in capsys.readouterr().err
    for size in ("-1", "0", "nan", "many"):
        with pytest.raises(SystemExit):
            main(["policy", "explain", str(tmp_path / "c"), "--slots", size])
        assert f"`{size}` is not the size of a pool" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["policy", "explain", str(tmp_path / "c"), "--width", "-5"])
    assert "`-5` is not a width" in capsys.readouterr().err


def test_startd_settings_that_are_no_expression(tmp_path: Path, capsys: Capture) -> None:
    text = 'n1.RANK = 1 +\nPREEMPT = "x"\n'
    lines = topic(explain(tmp_path, text, capsys), "When a job is preempted")
    assert "  RANK is `1 +` at n1: that is no expression. [c:1]" in lines
    assert "  The startd ends no job of its own accord: PREEMPT is never true. [c:2]" in lines


def test_only_what_the_files_decide(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "condor_config"
    path.write_text(
        "NEGOTIATOR_SUBMITTER_CONSTRAINT = True\nPRIORITY_HALFLIFE = 3600\n"
        "NEGOTIATOR_X.NEGOTIATOR_SLOT_CONSTRAINT = GPUs > 0\n"
        "START = KeyboardIdle > 900\nA.START = True\n"
    )
    assert main(["policy", "explain", "--set-only", "--width", "200", str(path)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "This host"
    assert out[out.index("Priorities and shares") :] == [
        "Priorities and shares",
        f"  Usage is forgotten by half in 3600 s (1 hour). [{path}:2]",
        "",
        "Who may start",
        f"  A job may start where START is `KeyboardIdle > 900`. [{path}:4]",
        f"  Any job may start at A: START is `True`, which is always true. [{path}:5]",
        "",
        "Negotiator NEGOTIATOR_X: What takes part",
        f"  Only slots that fulfil `GPUs > 0` exist. [{path}:3]",
        "",
        "Negotiator NEGOTIATOR_X: Attributes that the expressions look at",
        f"  GPUs: of slots; a number of GPUs; some do not have it [{path}:3]",
    ]


def test_what_cannot_matter_is_not_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "condor_config"
    path.write_text("PREEMPTION_REQUIREMENTS = False\nPREEMPTION_RANK = 5 * RemoteUserPrio\n")
    assert main(["policy", "explain", str(path)]) == 0
    assert "PREEMPTION_RANK" not in capsys.readouterr().out
    path.write_text(path.read_text() + "RANK = TARGET.JobPrio\n")
    assert main(["policy", "explain", str(path)]) == 0
    assert "5. PREEMPTION_RANK" in capsys.readouterr().out


def test_conclusions_from_what_attributes_can_be(tmp_path: Path, capsys: Capture) -> None:
    text = (
        "PREEMPTION_REQUIREMENTS = RemoteUserPrio < 0.1\n"
        "NEGOTIATOR_JOB_CONSTRAINT = JobStatus > 7\n"
        "NEGOTIATOR_SLOT_CONSTRAINT = Cpus >= 0\n"
        "NEGOTIATOR_POST_JOB_RANK = MY.Cpus - MY.Cpus\n"
        "PREEMPT = MY.Cpus < 0\n"
    )
    lines = explain(tmp_path, text, capsys)
    assert topic(lines, "Preemption")[0] == (
        "  Preemption for user priority is off: PREEMPTION_REQUIREMENTS is `RemoteUserPrio < 0.1`,"
        " which is never true. [c:1]"
    )
    assert "  The startd ends no job of its own accord: PREEMPT is never true. [c:5]" in lines
    assert topic(lines, "What takes part")[0] == (
        "  Only jobs that fulfil `JobStatus > 7` are offered: there are none, it is never true."
        " [c:2]"
    )
    assert not any("NEGOTIATOR_SLOT_CONSTRAINT" in line or "Cpus >= 0" in line for line in lines)


def test_what_attributes_mean_is_told_of_those_that_the_files_name(
    tmp_path: Path, capsys: Capture
) -> None:
    text = (
        "STARTD_ATTRS = Memory\nNEGOTIATOR_PRE_JOB_RANK = TotalJobRunTime + Memory + Shoe\n"
        'NEGOTIATOR_SLOT_CONSTRAINT = State != "Owner" && EnteredCurrentState > 5\n'
        "PREEMPTION_REQUIREMENTS = False && RemoteUserPrio > 1\n"
    )
    lines = explain(tmp_path, text, capsys)
    assert topic(lines, "Attributes that the expressions look at") == [
        "  EnteredCurrentState: of slots; a point in time, in seconds since 1970 [c:3]",
        "  State: of slots; one of Owner, Unclaimed, Matched, Claimed, Preempting, Backfill and"
        " Drained [c:3]",
        "  TotalJobRunTime: of slots; in seconds; undefined for free slots [c:2]",
    ]


def test_expressions_without_a_topic_name_who_evaluates_them_when(
    tmp_path: Path, capsys: Capture
) -> None:
    text = "HIBERNATE = MY.Cpus * 0\nRUNBENCHMARKS = KeyboardIdle > 900\nA.RUNBENCHMARKS = True\n"
    lines = explain(tmp_path, text, capsys)
    assert topic(lines, "Other expressions") == [
        "  condor_startd evaluates HIBERNATE while the slot is free: `MY.Cpus * 0` [c:1]",
        "  condor_startd evaluates RUNBENCHMARKS while the slot is free:",
        "    `KeyboardIdle > 900` [c:2]",
        "    `True` [c:3]",
    ]


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("NEGOTIATOR_USE_SLOT_WEIGHTS = False\n", "", "Every slot counts one."),
        ("PREEMPTION_REQUIREMENTS = True\nALLOW_PSLOT_PREEMPTION = True\n", "Preemption",
         "Several dynamic slots of a partitionable slot may be preempted for one request."),
        ("PREEMPTION_REQUIREMENTS = True\nNEGOTIATOR_CONSIDER_EARLY_PREEMPTION = True\n",
         "Preemption", "Slots whose job still has retirement time are looked at, too."),
        ("PRIORITY_HALFLIFE = 30\n", "", "Usage is forgotten by half in 30 s."),
        ("SYSTEM_PERIODIC_HOLD = Foo (\n", "",
         "SYSTEM_PERIODIC_HOLD is `Foo (`, which is no expression."),
        ("SYSTEM_PERIODIC_HOLD = $(H)\nH = $(SYSTEM_PERIODIC_HOLD)\n", "",
         "SYSTEM_PERIODIC_HOLD is `$(H)`, which is no expression."),
        ("SYSTEM_PERIODIC_HOLD = random() > 1\n", "", f"{HELD} `random() > 1`. ["),
        ("HIBERNATE = Foo\n", "",
         "condor_startd evaluates HIBERNATE while the slot is free: `Foo` ["),
        ("MODIFY_REQUEST_EXPR_REQUESTCPUS = Foo\n", "",
         "A dynamic slot is cut for RequestCpus of `Foo`. ["),
        ("CGROUP_LOW_MEMORY_LIMIT = Memory / 2\n", "", "condor_starter evaluates"
         " CGROUP_LOW_MEMORY_LIMIT when a job is to run on the slot: `Memory / 2` ["),
        ("SCHEDD_PREEMPTION_RANK = Foo\n", "",
         "condor_schedd evaluates SCHEDD_PREEMPTION_RANK when a parallel job wants the slot: "),
        ("DEFRAG_RANK = 5 + 0 * Cpus\n", "", "The machines of the highest DEFRAG_RANK come first:"
         " `5 + 0 * Cpus`. ["),
        ('SYSTEM_PERIODIC_HOLD = Foo\nSYSTEM_PERIODIC_HOLD_REASON = strcat("a", Foo)\n', "",
         'for the reason `strcat("a", Foo)`. ['),
        ("RANK = $(A)\nA = $(RANK)\n", "",
         "RANK is `$(A)`: that is no expression."),
        ("NEGOTIATOR.GROUP_PRIO_FACTOR_a = 6\nGROUP_PRIO_FACTOR_a = 5\n", "",
         "for submitters of exactly a 6 ["),
        ("STARTD_AD_REEVAL_EXPR = true\n", "", "STARTD_AD_REEVAL_EXPR is `true`: "),
        ("NEGOTIATOR_IGNORE_USER_PRIORITIES = True\n", "",
         "No submitter's share is limited; the better priority only has the first turn."),
        ("NEGOTIATOR_DISCOUNT_SUSPENDED_RESOURCES = True\n", "",
         "Suspended claims are not charged."),
        ("GROUP_NAMES = a\nGROUP_QUOTA_a = 2\nGROUP_ACCEPT_SURPLUS = True\n"
         "NEGOTIATOR_STRICT_ENFORCE_QUOTA = False\n", "Surplus",
         "A group may exceed the quotas of the groups above it."),
    ],
)  # fmt: skip
def test_sentences_that_are_rare(
    text: str, name: str, said: str, tmp_path: Path, capsys: Capture
) -> None:
    lines = explain(tmp_path, text, capsys)
    within = topic(lines, name) if name else lines
    assert any(line.strip().startswith(said) for line in within), lines
    if "ACCEPT_SURPLUS" in text:
        assert not any("No more than the quota" in line for line in lines)


def test_what_is_set_to_nothing_is_evaluated_by_nobody(tmp_path: Path, capsys: Capture) -> None:
    lines = explain(tmp_path, "SYSTEM_PERIODIC_HOLD =\n", capsys)
    assert not any("SYSTEM_PERIODIC_HOLD" in line for line in lines)


@pytest.mark.slow
def test_an_expression_of_many_levels_is_explained_soon(tmp_path: Path, capsys: Capture) -> None:
    """It took a second for each four levels, half a minute here."""
    text = "A0"
    for level in range(1, 121):
        text = f"(A{level} > {level}) {'&&' if level % 2 else '||'} ({text})"
    begun = process_time()
    lines = explain(tmp_path, f"PREEMPTION_REQUIREMENTS = {text}\n", capsys)
    assert process_time() - begun < 9
    assert topic(lines, "Preemption")[0] == (
        "  Preemption for user priority is on, where PREEMPTION_REQUIREMENTS is exactly true. [c:1]"
    )


RULES = "PREEMPTION_REQUIREMENTS = RemoteUserPrio > 5\nRANK = Memory\n"


def test_an_expression_is_evaluated_once_for_all_topics(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, str]] = []

    def counting(config: Config, macro: str, tree: Expression) -> Conclusion:
        seen.append((macro, repr(tree)))
        return conclude(config, macro, tree)

    monkeypatch.setattr("policy.explain.conclusions.conclude", counting)
    monkeypatch.setattr(answers, "about_host", lambda *given: ())
    explain(tmp_path, f"{CENTRAL}{RULES}", capsys)
    assert len(seen) == len(set(seen))
    assert {("PREEMPTION_REQUIREMENTS", "RemoteUserPrio > 5"), ("RANK", "Memory")} <= set(seen)


def test_nothing_is_concluded_of_what_nobody_evaluates() -> None:
    config = config_from_mapping({"SITE_RULE": "Memory < 0"}, builtin_library())
    tree = parse("Memory < 0")
    assert conclude(config, "PREEMPT", tree) == Conclusion(True, False, plain=False)
    assert conclude(config, "SITE_RULE", tree) == Conclusion(False)


@pytest.mark.parametrize(
    ("macros", "text", "expected"),
    [
        ("START PREEMPTION_REQUIREMENTS RANK NOSUCH", "5", Conclusion(True, 5)),
        ("START PREEMPTION_REQUIREMENTS RANK NOSUCH", "(2 * 3)", Conclusion(True, 6)),
        ("START PREEMPTION_REQUIREMENTS RANK NOSUCH", "undefined", Conclusion(True, UNDEFINED)),
        ("START PREEMPTION_REQUIREMENTS RANK NOSUCH", '"a"', Conclusion(True, "a")),
        ("START PREEMPTION_REQUIREMENTS NEGOTIATOR_SLOT_CONSTRAINT", "Cpus >= 0",
         Conclusion(True, True, plain=False)),
        ("START PREEMPTION_REQUIREMENTS NEGOTIATOR_SLOT_CONSTRAINT", "Cpus < 0",
         Conclusion(True, False, plain=False)),
        ("START PREEMPTION_REQUIREMENTS NEGOTIATOR_SLOT_CONSTRAINT", "Cpus > 3",
         Conclusion(False, None, plain=False)),
        # A number counts in a condition, and not where only exactly true does.
        ("START NEGOTIATOR_SLOT_CONSTRAINT", "Cpus * 0 + 7", Conclusion(True, True, plain=False)),
        ("START NEGOTIATOR_SLOT_CONSTRAINT", "Cpus * 0", Conclusion(True, False, plain=False)),
        ("PREEMPTION_REQUIREMENTS", "Cpus * 0 + 7", Conclusion(True, False, plain=False)),
        ("START PREEMPTION_REQUIREMENTS", "TARGET.Memory > 3",
         Conclusion(True, False, plain=False)),
        ("RANK SLOT_WEIGHT NEGOTIATOR_PRE_JOB_RANK", "Cpus * 0 + 7",
         Conclusion(True, 7.0, plain=False)),
        ("RANK SLOT_WEIGHT NEGOTIATOR_PRE_JOB_RANK", "Cpus >= 0",
         Conclusion(False, None, plain=False)),
        ("RANK SLOT_WEIGHT NEGOTIATOR_PRE_JOB_RANK", "Cpus", Conclusion(False, None, plain=False)),
        # Nothing is known of what anything may be meant by, and of what nobody evaluates.
        ("HIBERNATE NOSUCH", "Cpus >= 0", Conclusion(False)),
        ("HIBERNATE NOSUCH", "Cpus * 0 + 7", Conclusion(False)),
    ],
)  # fmt: skip
def test_what_an_expression_can_come_to(macros: str, text: str, expected: Conclusion) -> None:
    config = config_from_mapping({}, builtin_library())
    for macro in macros.split():
        assert conclude(config, macro, parse(text)) == expected, macro


@pytest.mark.parametrize(
    ("conclusion", "is_true", "is_never_true"),
    [
        (Conclusion(True, True), True, False),
        (Conclusion(True, False), False, True),
        (Conclusion(True, 5), True, False),
        (Conclusion(True, 0), False, True),
        (Conclusion(True, 0.5), True, False),
        (Conclusion(True, "a"), False, True),
        (Conclusion(True, UNDEFINED), False, True),
        (Conclusion(True, ERROR), False, True),
        (Conclusion(False), False, False),
        (Conclusion(False, True), False, False),
    ],
)
def test_conclusions_as_conditions(
    conclusion: Conclusion, is_true: bool, is_never_true: bool
) -> None:
    assert (conclusion.is_true, conclusion.is_never_true) == (is_true, is_never_true)


def test_an_attribute_that_a_default_names_too_is_told(tmp_path: Path, capsys: Capture) -> None:
    text = 'PREEMPTION_REQUIREMENTS = RemoteOwner =!= "a" && RemoteUserPrio > 3\n'
    lines = explain(tmp_path, text, capsys)
    (told,) = (line for line in lines if line.startswith("  RemoteOwner: "))
    assert told == "  RemoteOwner: of slots; undefined for free slots [c:1]"


def test_a_boolean_with_something_behind_it_counts_as_it_begins(
    tmp_path: Path, capsys: Capture
) -> None:
    lines = explain(tmp_path, "NEGOTIATOR_USE_SLOT_WEIGHTS = falsex\n", capsys)
    assert topic(lines, "What takes part") == ["  Every slot counts one. [c:1]"]
    lines = explain(tmp_path, "NEGOTIATOR_USE_SLOT_WEIGHTS = never\n", capsys)
    assert topic(lines, "What takes part") == [
        "  A slot counts its own SlotWeight, one without it `Cpus`. [default]"
    ]
