"""``pieslice page``: a pool on a page that says what the commands say and needs nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pieslice.cli import main
from tests.pieslice.test_runreport import Reader

CAMPUS = "examples/campus"
EVIL = "<script>x()</script>"


def made(target: Path, *words: str) -> str:
    assert main(["page", *words, "-o", str(target)]) == 0
    return target.read_text()


def told(capsys: pytest.CaptureFixture[str], table: str) -> list[dict[str, object]]:
    capsys.readouterr()
    assert main(["negotiate", CAMPUS, "--table", table, "--json"]) == 0
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)["tables"][table]
    return found


def rows(text: str) -> list[list[str]]:
    """The cells of all rows of all tables."""
    cells = (re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", text))
    return [[re.sub(r"<[^>]*>", "", cell) for cell in row] for row in cells if row]


def test_it_says_of_users_and_groups_what_negotiate_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = made(tmp_path / "p.html", CAMPUS)
    users = {row[0]: row for row in rows(text) if len(row) == 8}
    for user in told(capsys, "users"):
        shown = users[str(user["user"])]
        matched, waiting = f"{user['matched_weight']:g}", str(user["idle_jobs"])
        assert (shown[2], shown[4], shown[6]) == (f"{user['usage']:g}", matched, waiting)
    quotas = {row[0].replace("&lt;none&gt;", "<none>"): row for row in rows(text) if len(row) == 7}
    for group in told(capsys, "quotas"):
        shown = quotas[str(group["group"])]
        assert (shown[2], shown[4]) == (f"{group['effective_quota']:g}", f"{group['usage']:g}")


def test_each_kind_of_job_that_waits_has_a_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = made(tmp_path / "p.html", CAMPUS)
    waiting = {(row[0], row[1]): row for row in rows(text) if len(row) == 6}
    kinds = told(capsys, "autoclusters")
    assert {(kind["user"], kind["job"]) for kind in kinds} == set(waiting)
    assert all(row[-1] for row in waiting.values())
    for kind in kinds:
        if kind["never"]:
            assert waiting[str(kind["user"]), str(kind["job"])][-1].startswith(
                "no slot of the pool"
            )
    for rejection in told(capsys, "rejections"):
        assert str(rejection["reason"]) in text


def test_it_needs_nothing_else_and_no_script(tmp_path: Path) -> None:
    text = made(tmp_path / "p.html", CAMPUS)
    reader = Reader(text)
    assert not {tag for tag, _ in reader.attributes} & {"script", "img", "link", "iframe"}
    assert not re.search(r"https?://|@import|src=|url\(", text)
    assert text.index("20 matches") < text.index("<table")


def test_names_do_no_harm(tmp_path: Path) -> None:
    for name in ("slots", "jobs"):
        ads = Path(CAMPUS, f"{name}.ads").read_text()
        (tmp_path / f"{name}.ads").write_text(ads.replace("frank@campus.example", EVIL))
    text = made(tmp_path / "p.html", str(tmp_path))
    assert EVIL not in text
    assert EVIL in Reader(text).text


def test_it_is_bounded_however_many_users_there_are(tmp_path: Path) -> None:
    (job,) = re.findall(r"(?s)\A(.*?\n)\n", Path(CAMPUS, "jobs.ads").read_text())
    job = re.sub(r"(?m)^(User|Owner|AccountingGroup|AcctGroup|GlobalJobId|ClusterId) .*\n", "", job)
    ads = (
        f'{job}User = "u{number}@x"\nOwner = "u{number}"\nClusterId = {number}\n'
        f'GlobalJobId = "s#{number}.0#1"\n'
        for number in range(1, 251)
    )
    (tmp_path / "jobs.ads").write_text("\n".join(ads))
    (tmp_path / "slots.ads").write_text(Path(CAMPUS, "slots.ads").read_text())
    text = made(tmp_path / "p.html", str(tmp_path))
    assert re.search(r"and \d+ more users", text)
    assert len(text) < 200_000


def test_the_score_of_a_shadow_is_on_it_and_its_log_stays_as_it_is(tmp_path: Path) -> None:
    """Another process is writing to the log: what looks torn may be a line in the making."""
    cycle = {
        "time": 1000, "age": 1.0, "predicted": 3, "matches": 3, "seen": 3, "agreeing": 3,
        "predicted_rejections": 0, "rejections": 0, "moved": {}, "only_predicted": [],
        "only_seen": [],
    }  # fmt: skip
    log = tmp_path / "shadow.jsonl"
    log.write_text(json.dumps(cycle) + '\n{"time": 10')
    before = log.read_bytes()
    text = Reader(made(tmp_path / "p.html", CAMPUS, "--log", str(log))).text
    assert "00:16:40 exact   matches 3/3" in text
    assert log.read_bytes() == before


def test_a_log_that_is_not_there_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["page", CAMPUS, "--log", str(tmp_path / "none"), "-o", "-"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "none: no such log of `pieslice shadow`" in err
