"""Names with quotes, tags, escapes, line ends and 300 letters come out harmless and whole."""

from __future__ import annotations

import csv
import io
import json
import shlex
import unicodedata
from contextlib import redirect_stdout
from pathlib import Path

import pytest

import pieslice
from classad import Table
from pieslice.cli import main
from pieslice.terminal import printable, printable_json

NAMES = (
    "<b>x</b>&\"'",
    "esc\x1b[31mred\x1b]0;title\x07",
    "two\nlines",
    "tab\tbed",
    "delete\x7fd",
    "left\u202eright\u2028\U000e0041",
    "c1\x9b2J",
    "y" * 300,
    "Zürich",
)
#: A slot of the first name, its job of the second; jobs and users of all.
COMMANDS = [
    *(f"negotiate pool{more}" for more in ("", " --wide", " --json", " --summary", " --cycles 2")),
    *(
        f"negotiate pool --table {table}{form}"
        for table in ("users", "groups", "machines", "submitters", "matches", "rejections")
        for form in ("", " --format csv")
    ),
    *(f"userprio pool {form}" for form in ("", "-all", "-json", "-af Name", "-getreslist x")),
    *(f"why pool {job}.0{form}" for job in range(1, 9) for form in ("", " --json")),
    "why pool 77.0",
    *(f"rank pool {job}.0{form}" for job in (1, 2, 3) for form in ("", " --json")),
    *(f"quotas pool{form}" for form in ("", " --trace", " --json")),
    *(f"diff pool --config other{form}" for form in ("", " --json")),
    *(
        f"check pool {form}"
        for form in ("", "--all", *(f"--format {f}" for f in ("json", "github")))
    ),
    "policy explain pool",
    "policy explain pool --json",
    "policy diff pool other",
    "config summary pool",
    *(f"forecast pool --hours 2 --every 1{form}" for form in ("", " --csv", " --json")),
    "simulate pool --workload capture --days 0.01",
    *(f"select pool/jobs.ads --af Owner --format {form}" for form in ("text", "csv", "json")),
]


def steers(text: str) -> list[str]:
    """The characters of a text that a terminal would obey; line ends are the text's own."""
    return [
        character
        for character in text.replace("\n", "")
        if unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp")
    ]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pool = tmp_path / "pool"
    pool.mkdir()
    slots = [
        {
            "MyType": "Machine",
            "Name": f"slot1@{name}",
            "Machine": name,
            "State": "Claimed" if number == 0 else "Unclaimed",
            "Activity": "Idle",
            "Cpus": 1,
            "Memory": 1024,
            "SlotWeight": 1,
            "Rank": 0.0,
            "CurrentRank": 0.0,
            "MyAddress": f"<10.0.0.{number + 1}:9618>",
            "StartdIpAddr": f"<10.0.0.{number + 1}:9618>",
            "LastHeardFrom": 1700000000,
            "Requirements": "\\/Expr(TARGET.RequestMemory <= MY.Memory)\\/",
        }
        for number, name in enumerate(NAMES)
    ]
    slots[0].update(RemoteUser=f"{NAMES[1]}@p", AccountingGroup=f"{NAMES[1]}@p", JobId="9.0")
    jobs = [
        {
            "MyType": "Job",
            "ClusterId": number + 1,
            "ProcId": 0,
            "Owner": name,
            "User": f"{name}@p",
            "JobStatus": 1,
            "JobUniverse": 5,
            "RequestCpus": 1,
            "RequestMemory": 5000 if number % 2 else 100,
            "QDate": 1699999000,
            "Requirements": f"\\/Expr(TARGET.Machine != {json.dumps(name)})\\/",
            "Rank": 0.0,
        }
        for number, name in enumerate(NAMES)
    ]
    users = [
        {
            "MyType": "Accounting",
            "Name": f"{name}@p",
            "Priority": 500.0 + number,
            "PriorityFactor": 1000.0,
            "WeightedResourcesUsed": 1.0,
            "LastUsageTime": 1700000000,
            "LastUpdate": 1700000000,
            "IsAccountingGroup": False,
            "AccountingGroup": "<none>",
        }
        for number, name in enumerate(NAMES)
    ]
    for file, ads in (("slots", slots), ("jobs", jobs), ("accounting", users)):
        (pool / f"{file}.ads").write_text(json.dumps(ads))
    config = 'GROUP_NAMES = a<b>, c\x1b[31m, d\u202ee\nPREEMPTION_RANK = "<i>\u202e\x1b[2J"\n'
    (pool / "condor_config").write_text(config)
    (tmp_path / "other").write_text("GROUP_NAMES = f\x1b[31m\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_names_are_harmless(command: str, shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(shlex.split(command))
    out, err = capsys.readouterr()
    assert out or err
    assert steers(out + err) == []


def test_names_are_whole(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    everybody = {f"{name}@p" for name in NAMES}
    # A name with a blank of any kind is no submitter's, as with the real negotiator.
    users = {name for name in everybody if name.split() == [name]}
    main(["negotiate", "pool", "--json"])
    data = json.loads(capsys.readouterr().out)
    assert {item["name"] for item in data["submitters"]} == users
    main(["negotiate", "pool", "--table", "submitters", "--format", "csv"])
    text = capsys.readouterr().out
    assert len(text.splitlines()) == 1 + len(users)
    rows = list(csv.reader(io.StringIO(text)))
    assert {row[0] for row in rows[1:]} == set(map(printable, users))
    main(["negotiate", "pool", "--wide"])
    text = capsys.readouterr().out
    assert [name for name in users if printable(name) not in text] == []
    main(["userprio", "pool", "-json"])
    assert {item["Name"] for item in json.loads(capsys.readouterr().out)} == everybody


def test_names_are_harmless_in_a_notebook_and_whole_in_data(shop: Path) -> None:
    pool = pieslice.read("pool")
    simulated = pieslice.simulate(pool, "capture", days=0.01)
    answers = [
        pool.negotiate(),
        pool.why("1.0"),
        pool.rank("2.0"),
        pool.quotas(),
        pool.diff(pool.with_config(Path("other"))),
        pieslice.check("pool"),
        pieslice.policy("pool"),
        simulated,
        simulated.users,
        simulated.events,
        pieslice.match(Table.from_file("pool/slots.ads"), "[Requirements = true]"),
        *(pool.negotiate().table(name) for name in ("submitters", "matches", "machines")),
    ]
    for answer in answers:
        shown = answer._repr_html_()
        assert "<b>" not in shown
        assert "<i>" not in shown
        assert steers(shown) == []
        assert steers(str(answer)) == []
        assert steers(repr(answer) + answer.to_json()) == []
    drawn = simulated.plot("slots").html
    assert steers(drawn) == []
    assert "<b>" not in drawn
    assert {f"slot1@{name}" for name in NAMES} >= set(pool.negotiate().matches["slot"])


def test_what_is_escaped() -> None:
    assert printable("a<b> Zürich\u00a0\U0001f600") == "a<b> Zürich\u00a0\U0001f600"
    assert printable("\x1b\n\t\x9b") == "\\x1b\\x0a\\x09\\x9b"
    assert printable("\u202e\u2028\U000e0041") == "\\u202e\\u2028\\U000e0041"
    # A byte that is no text is written as it came.
    assert printable("\udcff") == "\udcff"
    for name in NAMES:
        text = printable_json(json.dumps([name], ensure_ascii=False, indent=1))
        assert json.loads(text) == [name]
        assert steers(text) == []


@pytest.mark.parametrize("form", ["-modular", "-l"])
def test_records_are_shown_on_a_terminal_with_escapes(form: str, tmp_path: Path) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    record = {"Name": f"{NAMES[1]}@p", "Priority": 500.0, "LastUpdate": 1700000000}
    path = tmp_path / "accounting.ads"
    path.write_text(json.dumps([record]))
    for stream in (Terminal(), io.StringIO()):
        with redirect_stdout(stream):
            assert main(["userprio", str(path), form]) == 0
        shown = 'Name = "esc\\x1b[31mred\\x1b]0;title\\x07@p"\n'
        wanted = shown if stream.isatty() else f'Name = "{NAMES[1]}@p"\n'
        assert wanted in stream.getvalue()


@pytest.mark.parametrize(
    "words",
    ["show PREEMPTION_RANK", "show --raw PREEMPTION_RANK", "show", "show --trace PREEMPTION_RANK",
     "dump", "dump --trace"],
)  # fmt: skip
def test_values_of_knobs_are_shown_on_a_terminal_with_escapes(words: str, tmp_path: Path) -> None:
    """Programs get them as they are, but for what is told of a single one."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    path = tmp_path / "condor_config"
    path.write_text('PREEMPTION_RANK = strcat("\x1b[31mred", "\x07")\n')
    for stream in (Terminal(), io.StringIO()):
        with redirect_stdout(stream):
            assert main(["config", *words.split(), str(path)]) == 0
        shown = 'strcat("\\x1b[31mred", "\\x07")\n'
        raw = 'strcat("\x1b[31mred", "\x07")\n'
        wanted = shown if stream.isatty() or words == "show --trace PREEMPTION_RANK" else raw
        assert wanted in stream.getvalue()
