"""``pieslice userprio``: the recorded tables, the sources, and changes as transactions."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from classad import ClassAd
from classad.files.log_file import LogFile, read_log_file
from negotiator.accounting.accountant import accountant_settings
from negotiator.groups.tree import group_tree
from negotiator.model.snapshot import AccountantState, Customer
from pieslice.cli import main
from pieslice.priorities.options import Options, UsageError, parse_options
from pieslice.priorities.rows import Row
from pieslice.priorities.stateads import state_ads
from pieslice.priorities.table import StateView, number, render, view_of
from policy.load import policy_from_knobs
from tests.cases import every_case
from tests.conform.negotiation.userprio import USERPRIO_KINDS, check_tool

ROOT = Path(__file__).parents[2]
CAMPUS = ROOT / "examples" / "campus"
VECTORS = ROOT / "tests" / "vectors" / "accounting" / "userprio_cli.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text())["cases"]
NOW = 1_795_214_400
USER = "group_chemistry.carol@campus.example"


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return Path(shutil.copy(CAMPUS / "Accountantnew.log", tmp_path))


@every_case("case", CASES, name=lambda case: case["id"])
def test_recorded_output(case: dict[str, Any]) -> None:
    assert check_tool(case) == []


def test_no_negotiator_is_looked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """D-601."""
    case = CASES[0]
    (tmp_path / "ads").write_text(case["input"])
    words = [word.replace("INPUT", str(tmp_path / "ads")) for word in case["argv"]]
    assert main(["userprio", "--wide", *words]) == 0
    shown = capsys.readouterr()
    assert shown.out == case["stdout"]
    assert shown.err == ""


def test_a_missing_value_is_not_that_of_the_record_before() -> None:
    """D-602."""
    rows = [
        Row("a@x", "<none>", False, priority=1, factor=1, usage=36000, last=5),
        Row("b@x", "<none>", False, priority=2, factor=1, last=5),
    ]
    lines = render(rows, parse_options(["-usage"]), StateView(10, time.gmtime)).splitlines()
    assert [line.split()[2] for line in lines[4:6]] == ["0.00", "10.00"]


def test_a_difference_is_told() -> None:
    wrong = {**CASES[0], "stdout": "", "exit": 3}
    assert [found.field for found in check_tool(wrong)] == ["stdout", "exit"]
    assert not USERPRIO_KINDS[1].recognises({"id": "other"})


@every_case(
    "words, name, value",
    [
        (["-a"], "asked", set()),
        (["-p", "x"], None, None),
        (["-h"], "hierarchical", True),
        (["-fl"], "flat", True),
        (["-g"], "group_rollup", True),
        (["-allu"], "all_users", True),
        (["-l"], "long", True),
        (["--allusers"], "all_users", True),
        (["--allu"], None, None),
        (["-del"], None, None),
        (["-de", "u@x"], "users", ["u@x"]),
        (["-del", "u@x"], "edits", {"delete": ("u@x",)}),
        (["-s", "u@x", "3"], "edits", {"setprio": ("u@x", "3")}),
        (["-setf", "u@x", "3"], "edits", {"setfactor": ("u@x", "3")}),
        (["-c", "u@x"], "edits", {"cancelceilinglease": ("u@x",)}),
        (["-d", "60"], "duration", 60),
        (["-d", "soon"], None, None),
        (["-activefrom", "2", "29", "24"], "active_from", (2024, 2, 29)),
        (["-activefrom", "2", "30", "24"], None, None),
        (["-af:,V", "A", "B", "-long"], "autoformat", ["A", "B"]),
        (["<none>", "u@x"], "users", ["<none>", "u@x"]),
        (["5"], None, None),
    ],
)
def test_options(words: list[str], name: str | None, value: object) -> None:
    if name is None:
        with pytest.raises(UsageError):
            parse_options(words)
        return
    assert getattr(parse_options(words), name) == value


def test_columns_that_are_not_asked_for_are_the_usual_ones() -> None:
    assert parse_options([]).columns == parse_options(["-most"]).columns
    assert parse_options(["-all"]).columns > parse_options(["-quotas"]).columns
    assert Options().edit() is None


@pytest.mark.parametrize(
    ("value", "width", "decimals", "text"),
    [
        (5002400000.0, 12, 2, "5.0024e+09"),
        (1e7, 9, 2, "1e+07"),
        (2.5, 6, 0, "2"),
        (13.5, 6, 0, "14"),
        (1234567.0, 6, 0, "1e+06"),
        (99999.5, 6, 0, "100000"),
    ],
)
def test_numbers_that_do_not_fit(value: float, width: int, decimals: int, text: str) -> None:
    assert number(value, width, decimals) == text


def test_a_folder_a_log_and_ads(capsys: pytest.CaptureFixture[str], log: Path) -> None:
    def shown(*words: str) -> str:
        assert main(["userprio", *words]) == 0
        return capsys.readouterr().out

    names = ("-af", "Name", "WeightedResourcesUsed")
    assert f"{USER} 20.0" in shown(str(CAMPUS), *names)
    assert f"{USER} 20.0" in shown(str(CAMPUS / "accounting.ads"), *names)
    # the log was copied while its last records were not on the disk yet
    assert f"{USER} 19.0" in shown(str(CAMPUS), "-negotiator", *names)
    assert f"{USER} 19.0" in shown(str(log), *names)
    assert "erin@campus.example" not in shown(str(CAMPUS))
    assert "erin@campus.example" in shown(str(CAMPUS), "-allusers")
    assert "frank@campus.example" not in shown(str(log))
    assert "frank@campus.example" in shown(str(log), "-allusers")
    assert "frank@campus.example" not in shown(str(log), "-activefrom", "1", "1", "20")


def test_rollup_sums_up_the_tree(capsys: pytest.CaptureFixture[str]) -> None:
    main(["userprio", str(CAMPUS), "-grouprollup", "-json"])
    ads = {ad["Name"]: ad for ad in json.loads(capsys.readouterr().out)}
    used = {name: ad["WeightedResourcesUsed"] for name, ad in ads.items()}
    assert used["group_physics"] == used["group_physics.hep"] + used["group_physics.lep"] > 0
    assert used["<none>"] == sum(used[name] for name in used if "@" in name)
    assert ads["<none>"]["Priority"] == 0.0
    main(["userprio", str(CAMPUS), "-grouprollup", "-l"])
    text = capsys.readouterr().out
    assert f"NumSubmittors = {len(ads)}\n" in text
    assert 'Name1 = "<none>"\n' in text


def test_without_accounting_ads_quotas_are_those_of_the_configuration(
    capsys: pytest.CaptureFixture[str], log: Path
) -> None:
    config = str(CAMPUS / "condor_config")
    main(["userprio", str(log), "--config", config, "-quotas", "-allusers"])
    lines = {line.split()[0]: line.split()[2:4] for line in capsys.readouterr().out.splitlines()}
    assert lines["group_physics.hep"] == ["0.75", "ByQuota"]


def test_faults_of_a_configuration_are_told_if_it_was_named(
    capsys: pytest.CaptureFixture[str], log: Path
) -> None:
    """The one beside the log belongs to the negotiator, whose faults are not what is asked."""
    config = log.parent / "condor_config"
    config.write_text("PRIORITY_HALFLIFE = soon\n")
    words = ["userprio", str(log.parent), "-allusers"]
    for more, told in (([], 0), (["--config", str(config)], 1)):
        assert main([*words, *more]) == 0
        assert capsys.readouterr().err.count("PRIORITY_HALFLIFE: `soon` is not a number") == told


def test_resources_of_a_user(capsys: pytest.CaptureFixture[str]) -> None:
    user = "group_physics.hep.alice@campus.example"
    assert main(["userprio", str(CAMPUS), "-getreslist", user]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == f"Number of Resources Used: {len(lines) - 4}"
    assert len(lines) > 5
    assert all(line.split()[0].startswith("slot") for line in lines[2:-2])


EDITS = [
    (
        ["-setprio", USER, "12.5"],
        ["103 Priority 12.500000"],
        "The priority of {} was set to 12.500000",
    ),
    (
        ["-setfactor", USER, "2"],
        ["103 PriorityFactor 2.000000"],
        "The priority factor of {} was set to 2.000000",
    ),
    (["-setfloor", USER, "5"], ["103 Floor 5"], "The floor of {} was set to 5"),
    (["-setceiling", USER, "-1"], ["103 Ceiling -1"], "The ceiling of {} was set to -1"),
    (
        ["-setaccum", USER, "7200.5"],
        ["103 WeightedAccumulatedUsage 7200.500000"],
        "The Accumulated Usage of {} was set to 7200.500000",
    ),
    (
        ["-setbegin", USER, "17"],
        ["103 BeginUsageTime 17"],
        "The Begin Usage Time of {} was set to 17",
    ),
    (["-setlast", USER, "18"], ["103 LastUsageTime 18"], "The Last Usage Time of {} was set to 18"),
    (
        ["-resetusage", USER],
        [
            "103 AccumulatedUsage 0.000000",
            "103 WeightedAccumulatedUsage 0.000000",
            f"103 BeginUsageTime {NOW}",
        ],
        "The accumulated usage of {} was reset",
    ),
    (["-delete", USER], ["102"], "The accountant record named {} was deleted"),
    (
        ["-setceiling", USER, "9", "-duration", "60"],
        ["103 CeilingPreLeaseValue -1", f"103 CeilingLeaseExpiration {NOW + 60}", "103 Ceiling 9"],
        "Set ceiling lease on {} to 9 for 60 seconds",
    ),
]


@pytest.mark.parametrize(("words", "records", "said"), EDITS, ids=[e[0][0] for e in EDITS])
def test_a_change_is_one_transaction(
    capsys: pytest.CaptureFixture[str],
    log: Path,
    words: list[str],
    records: list[str],
    said: str,
) -> None:
    LogFile(log, now=NOW).close()  # drops what the copy has of an unfinished transaction
    before = log.read_text()
    command = ["userprio", str(log), *words, "--now", str(NOW)]
    assert main([*command, "--dry-run"]) == 0
    planned = capsys.readouterr().out.splitlines()
    assert log.read_text() == before
    assert main(command) == 0
    assert capsys.readouterr().out == f"{said.format(USER)}\n"
    added = log.read_text().removeprefix(before).splitlines()
    lines = [" ".join([r.split(" ")[0], f"Customer.{USER}", *r.split(" ")[1:]]) for r in records]
    assert added == ["105 ", *lines, "106 "]
    assert [line.rstrip() for line in planned] == [
        f"would say: {said.format(USER)}",
        *(f"would write: {line}" for line in lines),
    ]


def test_a_change_makes_the_record(log: Path) -> None:
    assert main(["userprio", str(log), "-setfloor", "new@x", "3"]) == 0
    table = read_log_file(log).table
    assert table["Customer.new@x"] == {"Floor": "3"}
    assert main(["userprio", str(log), "-resetall", "--now", "77"]) == 0
    table = read_log_file(log).table
    customers = [ad for key, ad in table.items() if key.startswith("Customer.")]
    assert len(customers) > 8
    assert {ad["BeginUsageTime"] for ad in customers} == {"77"}


def test_leases(capsys: pytest.CaptureFixture[str], log: Path) -> None:
    command = ["userprio", str(log), "--now", str(NOW)]
    assert main([*command, "-cancelfactorlease", USER]) == 1
    assert main([*command, "-setfactor", USER, "5", "-duration", "60"]) == 0
    assert main([*command, "-setfactor", USER, "6", "-duration", "60"]) == 1
    assert f"already in effect (expires at {NOW + 60})" in capsys.readouterr().err
    assert main([*command, "-cancelfactorlease", USER]) == 0
    ad = read_log_file(log).table[f"Customer.{USER}"]
    assert float(ad["PriorityFactor"]) == 1000.0
    assert ad["PriorityFactorLeaseExpiration"] == "0"


@pytest.mark.parametrize(
    "words",
    [
        ["-setfactor", "1"],
        ["-setfloor", "0"],
        ["-setceiling", "-1"],
        ["-setaccum", "0"],
        ["-setaccum", "0.5"],
        ["-setfloor", "0", "-duration", "1"],
    ],
    ids=" ".join,
)
def test_the_least_that_is_taken(log: Path, words: list[str]) -> None:
    option, *rest = words
    assert main(["userprio", str(log), option, USER, *rest]) == 0


def test_a_lease_ends_at_its_moment(log: Path) -> None:
    words = ["-setfactor", USER, "5", "-duration", "60", "--now"]
    assert main(["userprio", str(log), *words, str(NOW)]) == 0
    assert main(["userprio", str(log), *words, str(NOW + 59)]) == 1
    assert main(["userprio", str(log), *words, str(NOW + 60)]) == 0


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["-setprio", "alice", "5"], 2, "full name"),
        (["-setprio", USER], 2, "2 arguments"),
        (["-setprio", USER, "much"], 2, "`much` is not a number"),
        (["-setfactor", USER, "0.5"], 1, "greater than or equal to 1"),
        (["-setfloor", USER, "-1"], 1, "greater than or equal to 0"),
        (["-setceiling", USER, "-2"], 1, "greater than or equal to -1"),
        (["-setaccum", USER, "-1"], 1, "below 0"),
        (["-setaccum", USER, "-0.5"], 1, "below 0"),
        (["-setfloor", USER, "1", "-duration", "0"], 2, "positive number of seconds, not `0`"),
        (["-setfloor", USER, "1", "-duration", "-1"], 2, "positive number of seconds, not `-1`"),
        (["-nothing"], 2, "`-nothing` is not an option"),
        (["-af"], 2, "needs an expression"),
        (["-af:z", "Name"], 2, "modifier"),
        (["-af", "Name +"], 2, "is not an expression"),
        (["-constraint", "1 +"], 2, "is not an expression"),
        (["-pool", "x"], 2, "saved state"),
        (["--now", "soon"], 2, "`soon`"),
        (["--now"], 2, "`--now` needs an argument"),
        (["--width", "wide"], 2, "wide"),
        (["-getreslist", "alice"], 2, "needs the full name of a submitter, not `alice`"),
    ],
)
def test_what_is_refused(
    capsys: pytest.CaptureFixture[str], log: Path, words: list[str], status: int, message: str
) -> None:
    before = log.read_bytes()
    assert main(["userprio", str(log), *words]) == status
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.out == ""
    if status == 2:
        assert log.read_bytes() == before


def test_bad_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    damaged = tmp_path / "log"
    damaged.write_text("101 Customer.a@x * *\nhello\n106 \n")
    for words, message in (
        ([str(tmp_path / "none")], "no such file"),
        ([str(tmp_path)], "neither a log nor accounting ads"),
        ([str(damaged)], "log:2:1: error: damaged record"),
        ([str(CAMPUS / "accounting.ads"), "-setprio", USER, "1"], "need the accountant's log"),
        (["-all"], "first"),
        (["--wide"], "first"),
    ):
        assert main(["userprio", *words]) == 2
        assert message in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main(["userprio"])
    assert ended.value.code == 2
    assert "required: SOURCE" in capsys.readouterr().err


def test_a_busy_log_is_left_alone(capsys: pytest.CaptureFixture[str], log: Path) -> None:
    with LogFile(log, now=NOW):
        assert main(["userprio", str(log), "-setprio", USER, "1"]) == 2
    assert "another process" in capsys.readouterr().err


def test_columns_below_headings_grow_from_row_to_row(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """As condor_userprio 25.14.1 printed it: reals take the room of all their digits."""
    ads = "".join(
        f'Name = "{name}"\nIsAccountingGroup = false\nPriority = {priority}\n'
        f"ResourcesUsed = {used}\nLastUpdate = 1700000000\n\n"
        for name, priority, used in (
            ("al", 500.0, 30), ("bartholomew@x", 5000000.25, 300), ("bo", 5.0, 3000),
        )
    )  # fmt: skip
    path = tmp_path / "accounting.ads"
    path.write_text(ads)

    def shown(form: str, *names: str) -> list[str]:
        assert main(["userprio", str(path), "-allusers", form, *names]) == 0
        return capsys.readouterr().out.splitlines()

    assert shown("-af:h", "Name", "Priority", "ResourcesUsed", "Nope", "ResourcesUsed+1") == [
        "Name Priority ResourcesUsed Nope ResourcesUsed+1",
        "al   500.0                 30            undefined 31             ",
        "bartholomew@x 5000000.25            300           undefined 301            ",
        "bo            5.0                   3000          undefined 3001           ",
    ]
    assert shown("-af:hV", "Name", "ResourcesUsed") == [
        "Name ResourcesUsed",
        '"al" 30           ',
        '"bartholomew@x" 300          ',
        '"bo"            3000         ',
    ]
    assert shown("-af:hr", "Name", "Priority") == [
        "Name Priority",
        '"al" 500.0   ',
        '"bartholomew@x" 5000000.25',
        '"bo"            5.0       ',
    ]


@pytest.mark.parametrize(
    ("age", "text"),
    [(-5, "<now>"), (0, "<now>"), (1, "0+00:00"), (59, "0+00:00"), (60, "0+00:01"),
     (86_399, "0+23:59"), (86_400, "1+00:00")],
)  # fmt: skip
def test_how_long_ago_a_usage_was(age: int, text: str) -> None:
    row = Row("a@x", "<none>", False, priority=1, factor=1, last=1_000_000 - age)
    lines = render([row], parse_options(["-most"]), StateView(1_000_000, time.gmtime)).splitlines()
    (line,) = (line for line in lines if line.startswith("a@x"))
    assert text in line.split()


def test_who_was_active_at_the_very_moment_shows() -> None:
    rows = [Row(f"{name}@x", "<none>", False, last=at) for name, at in (("a", 499), ("b", 500))]
    text = render(rows, parse_options([]), StateView(1000, time.gmtime, active_from=500))
    assert ("a@x" in text, "b@x" in text) == (False, True)


def test_a_day_that_is_asked_for_is_one_of_the_clocks_on_the_wall() -> None:
    """Whether it is one of summer time is for the zone to tell."""
    asked: list[Any] = []
    options = parse_options(["-activefrom", "7", "1", "2026"])
    view_of(0, options, 0, time.gmtime, lambda day: asked.append(day) or 5.0)
    assert asked == [(2026, 7, 1, 0, 0, 0, 0, 0, -1)]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["group_chemistry.carol"], [USER]),
        ([USER], [USER]),
        ([USER.upper()], []),
        (["nobody"], []),
        (["-negotiator", "nobody"], []),
    ],
)
def test_records_of_some_only(
    capsys: pytest.CaptureFixture[str], log: Path, words: list[str], names: list[str]
) -> None:
    assert main(["userprio", str(log), "-long", *words]) == 0
    shown = capsys.readouterr()
    found = [line for line in shown.out.splitlines() if line.startswith("Name = ")]
    assert found == [f'Name = "{name}"' for name in names]
    assert ("no record matches" in shown.err) is not names


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["-name", "MAIN"], ["a@x", "c@x"]),
        (["-name", "gpu"], ["b@x"]),
        (["-name", "gpu", "a"], []),
        (["-name", "undefined"], []),
        (["-name", "error"], []),
        (["A"], ["a@x"]),
        (["undefined"], []),
    ],
)
def test_records_of_one_negotiator_and_records_without_names(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], names: list[str]
) -> None:
    """Several negotiators tell the collector of their users; its filter ignores case."""
    told = [("a@x", '"main"'), ("b@x", '"GPU"'), ("c@x", '"Main"'), ("d@x", None), ("e@x", "1/0")]
    lines = [
        f'Name = "{name}"\nPriority = 1.0\n{f"NegotiatorName = {by}" if by else ""}'
        for name, by in told
    ]
    lines.append('Priority = 2.0\nNegotiatorName = "other"')
    (tmp_path / "ads").write_text("\n\n".join(lines) + "\n")
    assert main(["userprio", str(tmp_path / "ads"), *words, "-af", "Name"]) == 0
    shown = capsys.readouterr()
    assert shown.out.split() == names
    assert ("no record matches" in shown.err) is not bool(names)


def test_a_record_without_a_name_is_not_in_the_table(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    record = "Priority = {}\nLastUsageTime = 1795000000\n{}\n"
    (tmp_path / "ads").write_text(record.format(7.5, ""))
    assert main(["userprio", str(tmp_path / "ads"), "-priority", "-allusers"]) == 0
    shown = capsys.readouterr()
    assert (shown.out, "no record matches" in shown.err) == ("", True)
    more = [record.format(7.5, ""), record.format(3.25, 'Name = "a@x"')]
    (tmp_path / "ads").write_text("\n".join(more))
    assert main(["userprio", str(tmp_path / "ads"), "-priority", "-allusers"]) == 0
    shown = capsys.readouterr()
    assert ("3.25" in shown.out, "7.50" in shown.out) == (True, False)
    assert "Number of users: 1 " in shown.out


def test_options_of_our_own_take_their_value_either_way(
    capsys: pytest.CaptureFixture[str], log: Path
) -> None:
    texts = []
    for now in (["--now", "1795300000"], ["--now=1795300000"], ["--now=2026-11-21T22:26:40Z"]):
        assert main(["userprio", str(log), *now, "--width=70"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] == texts[2]
    assert max(map(len, texts[0].splitlines())) <= 70
    assert main(["userprio", str(log), "--wide"]) == 0
    assert capsys.readouterr().out != texts[0]
    assert main(["userprio", str(log), "--now"]) == 2
    assert "`--now` needs an argument" in capsys.readouterr().err


def test_what_an_accounting_ad_does_not_tell_of_a_group_stays_untold() -> None:
    """It is the negotiator that knows; the configuration here may be another one."""
    policy = policy_from_knobs({"GROUP_NAMES": "g", "GROUP_QUOTA_g": "5"}).policy
    state = AccountantState({"g": Customer("g", 1.0, 1.0)})
    known = ClassAd('[ConfigQuota = 7.0; SurplusPolicy = "regroup"]')
    shown = []
    for facts in ({"g": known}, {}):
        [ad] = state_ads(state, group_tree(policy), accountant_settings(policy), facts)
        shown.append([ad.get(name) for name in ("ConfigQuota", "SurplusPolicy", "GroupSortKey")])
    assert shown == [[7.0, "regroup", None], [5.0, "no", 0.0]]


def test_a_folder_has_the_log_that_is_changed(tmp_path: Path, log: Path) -> None:
    assert main(["userprio", str(tmp_path), "-setprio", USER, "7", "--now", str(NOW)]) == 0
    assert read_log_file(log).table[f"Customer.{USER}"]["Priority"].startswith("7")


@pytest.mark.parametrize(
    ("factor", "shown"), [(None, 1000.0), (0.5, 1000.0), (0.0, 1000.0), (1.0, 1.0), (7.5, 7.5)]
)
def test_a_record_without_a_factor_that_counts_has_the_configured_one(
    factor: float | None, shown: float
) -> None:
    """Factors begin at 1: the accountant takes what is less for none, and then the default."""
    policy = policy_from_knobs({}).policy
    state = AccountantState({"a@test": Customer("a@test", 2.0, factor)})
    [ad] = state_ads(state, group_tree(policy), accountant_settings(policy), {})
    assert (ad.eval("PriorityFactor"), ad.eval("Priority")) == (shown, 2 * shown)
