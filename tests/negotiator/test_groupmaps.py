"""Accounting groups by map: what jobs get, what their schedd would refuse, who is counted where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from negotiator.io import Capture, CapturePaths, read_capture
from pieslice.cli import main

CONFIG = "use FEATURE : AssignAccountingGroup(groups.map{check})\nGROUP_NAMES = g, h\n"
CONFIG += "GROUP_QUOTA_g = 2\nGROUP_QUOTA_h = 2\n"
MAP = "* alice g,h\n* bob h\n"


def capture(pool: Path, text: str = MAP, check: str = "") -> Capture:
    (pool / "condor_config").write_text(CONFIG.format(check=check))
    (pool / "groups.map").write_text(text)
    return read_capture(CapturePaths(pool))


def add(pool: Path, cluster: int, more: str) -> None:
    """Give a job more attributes."""
    path = pool / "jobs.ads"
    text = path.read_text()
    head = f"ClusterId = {cluster}\n"
    assert head in text
    path.write_text(text.replace(head, head + more))


def submitters(found: Capture) -> dict[str, Any]:
    ads = found.snapshot.submitters
    return {str(ad.evaluate_attr("Name")): ad.evaluate_attr("IdleJobs") for ad in ads}


def groups_of(found: Capture) -> list[Any]:
    return [job.get_string("AccountingGroup") for job in found.snapshot.queues[0].jobs]


def test_waiting_jobs_get_their_first_group(pool: Path) -> None:
    found = capture(pool)
    assert groups_of(found) == ["g.alice", "h.bob", "h.bob"]
    assert submitters(found) == {
        "alice@pool": 0, "bob@pool": 0, "g.alice@pool": 1, "h.bob@pool": 2,
    }  # fmt: skip
    one, two = found.assignments.assigned
    assert (one.before, one.after, one.jobs) == ("alice@pool", "g.alice@pool", ("1.0",))
    assert one.place.endswith("groups.map:1")
    assert two.jobs == ("2.0", "3.0")


def test_a_group_that_is_asked_for(pool: Path) -> None:
    add(pool, 1, 'AcctGroup = "H"\n')
    assert groups_of(capture(pool))[0] == "h.alice"


def test_whose_group_is_the_one_of_the_map_already_moves_nowhere(pool: Path) -> None:
    add(pool, 1, 'AccountingGroup = "g.alice"\n')
    found = capture(pool, "* alice g\n* bob h\n")
    assert found.snapshot.queues[0].jobs[0].get_string("AcctGroupUser") == "alice"
    assert [item.before for item in found.assignments.assigned] == ["bob@pool"]
    assert submitters(found) == {"alice@pool": 1, "bob@pool": 0, "h.bob@pool": 2}


def test_a_job_whose_group_is_empty_comes_from_its_user(pool: Path) -> None:
    add(pool, 1, 'AccountingGroup = ""\n')
    found = capture(pool)
    assert {item.before for item in found.assignments.assigned} == {"alice@pool", "bob@pool"}
    assert submitters(found)["alice@pool"] == 0


def test_jobs_go_to_the_submitter_that_there_is_and_need_none_to_come_from(pool: Path) -> None:
    """One that is made has the address of its schedd, also if no ad of the jobs' user tells it."""
    path = pool / "submitters.ads"
    _, bob = path.read_text().split("\n\n")
    path.write_text(f"{bob}\n{bob.replace('bob@', 'h.bob@')}")
    found = capture(pool)
    assert submitters(found) == {"bob@pool": 0, "g.alice@pool": 1, "h.bob@pool": 4}
    (made,) = (ad for ad in found.snapshot.submitters if ad["Name"] == "g.alice@pool")
    assert made["ScheddIpAddr"] == "<10.0.0.2:9618>"


def test_a_schedd_that_was_started_anew_has_two_ads(pool: Path) -> None:
    """Both stay, as in a cycle without a map."""
    path = pool / "submitters.ads"
    alice, bob = path.read_text().split("\n\n")
    path.write_text("\n\n".join([bob.replace("<10.0.0.2:9618>", "<10.0.0.2:1>"), alice, bob]))
    found = capture(pool)
    told = [(ad["Name"], ad["ScheddIpAddr"], ad["IdleJobs"]) for ad in found.snapshot.submitters]
    addresses = {address for name, address, _ in told if name == "bob@pool"}
    assert addresses == {"<10.0.0.2:1>", "<10.0.0.2:9618>"}
    assert sorted(idle for name, _, idle in told if name == "bob@pool") == [0, 2]
    assert [idle for name, _, idle in told if name == "h.bob@pool"] == [2]


def test_what_is_refused_stays_as_it_is(pool: Path) -> None:
    add(pool, 1, 'AcctGroup = "physics"\n')
    found = capture(pool, "* alice g\n")
    assert groups_of(found) == [None, None, None]
    whys = [(item.submitter, item.why, item.jobs) for item in found.assignments.refused]
    assert whys == [
        ("alice@pool", "`alice` may not ask for group `physics`", ("1.0",)),
        ("bob@pool", "no group for `bob` in the map", ("2.0", "3.0")),
    ]
    # Without the check the job gets its user's group.
    assert groups_of(capture(pool, "* alice g\n", ", false"))[0] == "g.alice"


def test_what_has_been_through_it_or_runs_is_left_alone(pool: Path) -> None:
    add(pool, 1, 'AcctGroupUser = "alice"\nAccountingGroup = "x.alice"\n')
    path = pool / "jobs.ads"
    before, mark, after = path.read_text().partition("ClusterId = 2\n")
    path.write_text(before + mark + after.replace("JobStatus = 1", "JobStatus = 2", 1))
    assert groups_of(capture(pool)) == ["x.alice", None, "h.bob"]


def test_without_the_file_jobs_keep_their_groups(pool: Path) -> None:
    (pool / "condor_config").write_text(CONFIG.format(check=""))
    found = read_capture(CapturePaths(pool))
    assert any("cannot read the map" in item.message for item in found.diagnostics)
    assert groups_of(found) == [None, None, None]


def test_the_result_says_so(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capture(pool)
    assert main(["negotiate", str(pool)]) == 0
    assert "  alice@pool -> g.alice@pool: 1 job (" in capsys.readouterr().out
    assert main(["negotiate", str(pool), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [item["after"] for item in data["assignments"]["assigned"]] == [
        "g.alice@pool", "h.bob@pool",
    ]  # fmt: skip
    assert {match["submitter"] for match in data["matches"]} == {"g.alice@pool", "h.bob@pool"}
