"""Each version of HTCondor by its own rules: what its daemons decided, how it is told."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pytest

from docs.written.versions import versions_page
from negotiator.engines import ENGINES
from negotiator.io import CapturePaths, InputError, read_capture
from negotiator.versions.negotiator import REMOVED_ATTRIBUTES
from negotiator.versions.rule import VersionRule
from negotiator.versions.table import RULES, changed_between
from pieslice.cli import main
from policy.load import policy_from_knobs
from policy.versions import (
    LINES,
    NEWEST,
    RECORDED,
    UnknownVersionError,
    Version,
    followed_version,
    parse_version,
)
from tests.conform.negotiation.course import play
from tests.conform.negotiation.scenarios import differences

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests" / "vectors"
FILES = sorted(
    path for line in ("25.0", "24.0", "23.9") for path in VECTORS.glob(f"negotiation-{line}/*.gz")
)
USAGE = ("CpusUsage", "DiskUsage", "GPUsUsage", "MemoryUsage", "ResidentSetSize")
#: Records are many: `make test` plays one in so many of them, `make test-long` all.
EVERY = 16
PLAYED = [
    pytest.param(path, every, id=f"{path.parent.name}/{path.stem}-{every}", marks=marks)
    for every, marks in ((EVERY, []), (1, [pytest.mark.slow, pytest.mark.long]))
    for path in FILES
]


def cases(path: Path) -> Iterator[dict[str, Any]]:
    for line in gzip.decompress(path.read_bytes()).splitlines():
        yield json.loads(line)


@cache
def newest() -> dict[str, dict[str, Any]]:
    """The recorded scenarios of 25.14.1 by name."""
    small = (json.loads(path.read_text()) for path in (VECTORS / "negotiation").glob("*.json"))
    wild = (case for path in (VECTORS / "negotiation-wild").glob("*.gz") for case in cases(path))
    wanted = {rule.scenario for rule in RULES}
    return {
        case["scenario"]["name"]: case
        for case in chain(small, wild)
        if case["scenario"]["name"] in wanted
    }


@pytest.mark.slow
@pytest.mark.parametrize(("path", "every"), PLAYED)
def test_a_version_decides_as_its_daemons_did(path: Path, every: int) -> None:
    wrong = []
    for case in islice(cases(path), 0, None, every):
        assert parse_version(case["observed"]["negotiator"]) in RECORDED
        if any(differences(cycle) for cycle in play(case)):
            wrong.append(case["scenario"]["name"])
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize(("path", "every"), PLAYED)
def test_both_engines_follow_a_version(path: Path, every: int) -> None:
    for case in islice(cases(path), 0, None, 4 * every):
        one, other = ([repr(c.result) for c in play(case, engine)] for engine in ENGINES)
        assert one == other, case["scenario"]["name"]


SHOWN = [rule for rule in RULES if rule.scenario]


def decided(case: dict[str, Any], version: Version) -> list[str]:
    """What a version decides, its requests and accounts included."""
    told = {**case, "observed": {**case["observed"], "negotiator": str(version)}}
    return [f"{played.offers}{played.result}" for played in play(told)]


def just_before(version: Version) -> Version:
    return (
        version._replace(patch=version.patch - 1)
        if version.patch
        else Version(version.major, version.minor - 1, 99)
    )


@pytest.mark.slow
@pytest.mark.parametrize("rule", SHOWN, ids=lambda rule: rule.number)
def test_the_scenario_of_a_rule_is_decided_otherwise_before_it(rule: VersionRule[object]) -> None:
    case = newest()[rule.scenario]
    assert decided(case, rule.since) != decided(case, just_before(rule.since))


def test_attributes_of_usage_tell_jobs_apart_up_to_25_4() -> None:
    """REMOVE_SIGNIFICANT_ATTRIBUTES has a default since 25.5.1, and what is set counts in all."""
    for version, removed in ((Version(25, 0, 13), ()), (NEWEST, USAGE)):
        policy = policy_from_knobs({}, version=version).policy
        assert REMOVED_ATTRIBUTES.of(version)(policy)[0] == removed
        policy = policy_from_knobs(
            {"REMOVE_SIGNIFICANT_ATTRIBUTES": "A, B"}, version=version
        ).policy
        assert REMOVED_ATTRIBUTES.of(version)(policy)[0] == ("A", "B")


def test_slots_say_the_floor_of_their_user_since_25_8_2() -> None:
    case = {
        "scenario": {
            "name": "x",
            "config": {"PREEMPTION_REQUIREMENTS": "RemoteUserFloor =!= undefined"},
            "slots": [{"name": "s@m", "ad": {"State": '"Claimed"', "RemoteUser": '"b@test"'}}],
            "jobs": [{"submitter": "a"}],
        },
        "observed": {"cycles": [{}]},
    }
    for version, count in ((Version(25, 8, 1), 0), (Version(25, 8, 2), 1)):
        case["observed"]["negotiator"] = str(version)
        (played,) = play(case)
        assert len(played.result.matches) == count


def test_a_version_has_the_rules_that_are_not_newer() -> None:
    for rule in RULES:
        assert rule.is_new(rule.since)
        assert not rule.is_new(just_before(rule.since))
        assert rule.of(rule.since) is rule.new
        assert rule.of(Version(23, 0, 0)) is rule.old
    assert [rule.number for rule in changed_between(Version(24, 0, 23), Version(25, 0, 13))] == [
        "13a",
        "13b",
        "13c",
    ]
    assert changed_between(NEWEST, NEWEST) == []


def test_no_long_term_line_has_the_rules_of_the_newest_version() -> None:
    for line in LINES:
        assert changed_between(parse_version(line), NEWEST)


def test_versions_are_ordered_by_their_numbers() -> None:
    assert parse_version("25.10.1") > parse_version("25.8.2")
    assert parse_version("$CondorVersion: 25.0.13 2026-08-19 BuildID: 7 $") == Version(25, 0, 13)
    assert parse_version("25.0") == Version(25, 0, 13)
    assert Version(25, 8, 2) < parse_version("25.8") < Version(25, 9, 0)
    assert str(parse_version("25.8")) == "25.8"


@pytest.mark.parametrize("text", ["", "25", "x", "25.0.13.1", "$CondorVersion: new $", "٢٥.٠"])
def test_a_text_without_a_version_is_refused(text: str) -> None:
    with pytest.raises(UnknownVersionError):
        parse_version(text)


def test_a_version_older_than_all_is_refused_and_a_newer_one_follows_the_newest() -> None:
    with pytest.raises(UnknownVersionError, match=r"older than 23\.0\.0"):
        followed_version(Version(22, 9, 0), "x")
    newer = followed_version(Version(26, 1, 0), "x")
    assert newer.version == NEWEST
    assert "26.1.0 is newer than 25.14.1" in newer.note
    between = followed_version(Version(25, 9, 0), "x")
    assert between.version == Version(25, 9, 0)
    assert "nothing is recorded of 25.9.0" in between.note
    assert followed_version(Version(24, 0, 5), "x").note == ""


# --- captures ---


def ad(**texts: str) -> str:
    return "".join(f"{name} = {text}\n" for name, text in texts.items()) + "\n"


def pool(
    folder: Path, negotiator: Sequence[str] = (), schedds: dict[str, str] | None = None
) -> Path:
    """A pool of 30 free slots, and 30 jobs at each schedd."""
    told = {"a": "", "b": ""} if schedds is None else schedds
    slots = (
        ad(
            Name=f'"slot{i}@m"',
            MyType='"Machine"',
            State='"Unclaimed"',
            Cpus="1",
            Memory="1024",
            Requirements="true",
            MyAddress='"<127.0.0.1:9>"',
            StartdIpAddr='"<127.0.0.1:9>"',
            MyCurrentTime="1790000000",
        )
        for i in range(60)
    )
    jobs = (
        ad(
            ClusterId=str(i),
            ProcId="0",
            JobStatus="1",
            JobUniverse="5",
            User=f'"{name}@d"',
            GlobalJobId=f'"{name}#{i}.0#1"',
            Requirements="true",
            RequestCpus="1",
        )
        for name in told
        for i in range(1, 31)
    )
    (folder / "slots.ads").write_text("".join(slots))
    (folder / "jobs.ads").write_text("".join(jobs))
    (folder / "schedds.ads").write_text(
        "".join(
            ad(Name=f'"{name}"', **({"CondorVersion": f'"{v}"'} if v else {}))
            for name, v in told.items()
        )
    )
    if negotiator:
        (folder / "negotiator.ads").write_text(
            "".join(ad(MyType='"Negotiator"', CondorVersion=f'"{text}"') for text in negotiator)
        )
    return folder


def full(version: str) -> str:
    return f"$CondorVersion: {version} 2026-01-01 $"


def matches(
    folder: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> tuple[dict[str, int], dict[str, Any]]:
    assert main(["negotiate", str(folder), "--json", *options]) == 0
    found = json.loads(capsys.readouterr().out)
    count: dict[str, int] = {}
    for match in found["matches"]:
        count[match["submitter"]] = count.get(match["submitter"], 0) + 1
    return count, found["pool"]


def test_a_pool_follows_the_version_of_its_negotiator(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, told = matches(pool(tmp_path, [full("24.0.5")]), capsys)
    assert told["condor_version"] == "24.0.5"
    assert told["condor_version_from"] == "CondorVersion of the negotiator's ad"


def test_a_schedd_follows_its_own_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Up to 25.10 a session may be given as many matches as there are jobs, since then 20."""
    folder = pool(tmp_path, [full("25.14.1")], {"a": full("25.0.13"), "b": full("25.14.1")})
    capture = read_capture(CapturePaths(folder))
    assert [queue.version for queue in capture.snapshot.queues] == [Version(25, 0, 13), None]
    count, _ = matches(folder, capsys)
    assert count["a@d"] == 30
    assert count["b@d"] == 20


def test_a_version_that_is_given_is_that_of_all_daemons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = pool(tmp_path, [full("25.14.1")], {"a": full("25.0.13"), "b": full("25.14.1")})
    count, told = matches(folder, capsys, "--condor-version", "25.0")
    assert count == {"a@d": 30, "b@d": 30}
    assert told["condor_version"] == "25.0.13"
    count, _ = matches(folder, capsys, "--condor-version", "25.14.1")
    assert count == {"a@d": 20, "b@d": 20}


def test_a_pool_that_tells_no_version_follows_the_newest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, told = matches(pool(tmp_path), capsys)
    assert told["condor_version"] == "25.14.1"
    assert told["condor_version_from"] == "no version is given"


def test_a_condorversion_that_is_none_is_said_once(tmp_path: Path) -> None:
    folder = pool(tmp_path, ["of the day"], {"a": "?", "b": "!"})
    capture = read_capture(CapturePaths(folder))
    said = [item.message for item in capture.diagnostics if "CondorVersion" in item.message]
    assert len(said) == 2
    assert "no version of HTCondor" in said[0]
    assert said[1].endswith("and 1 more")
    assert capture.policy.version == NEWEST


def test_a_pool_of_an_older_negotiator_than_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"older than 23\.0\.0"):
        read_capture(CapturePaths(pool(tmp_path, [full("10.0.9")])))


# --- commands ---


def test_the_head_of_an_answer_says_which_version_is_followed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(pool(tmp_path, [full("24.0.23")]))
    assert main(["negotiate", folder]) == 0
    assert "follows 24.0.23: CondorVersion of the negotiator's ad" in capsys.readouterr().out
    assert main(["negotiate", folder, "--condor-version", "25.0"]) == 0
    assert "follows 25.0.13: --condor-version" in capsys.readouterr().out


def test_diff_tells_what_an_upgrade_changes_on_a_pool(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(pool(tmp_path))
    assert main(["diff", folder, "--versions", "25.0", "25.14.1", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    nets = {user["change"]["user"]: user["net"] for user in found["users"]}
    assert nets == {"a@d": -10, "b@d": -10}
    assert main(["diff", folder, "--versions", "24.0", "24.0"]) == 0


def test_diff_wants_no_version_besides_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--versions", "24.0", "25.0", "--condor-version", "25.0"]
    assert main(["diff", str(pool(tmp_path)), *options]) == 2
    assert "--versions names the version of each side" in capsys.readouterr().err


def test_versions_prints_the_rules_in_which_two_versions_differ(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["versions", "24.0", "25.0", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["versions"] == ["24.0.23", "25.0.13"]
    assert [rule["number"] for rule in found["rules"]] == ["13a", "13b", "13c"]
    assert main(["versions"]) == 0
    out = capsys.readouterr().out
    assert all(rule.name.split()[0] in out for rule in RULES)
    assert main(["versions", "24.0"]) == 2


def test_the_page_about_versions_is_written_from_the_table() -> None:
    written = (ROOT / "docs" / "versions.md").read_text()
    assert written == versions_page(), "run: python -m docs.written versions > docs/versions.md"


def test_a_setting_that_the_version_does_not_know_is_said_and_has_no_effect(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(pool(tmp_path))
    asked = ["-D", "MAX_CONCURRENT_UPLOADS_PER_USER=3", "--condor-version", "25.0"]
    assert main(["negotiate", folder, *asked, "-v"]) == 0
    out, err = capsys.readouterr()
    assert "MAX_CONCURRENT_UPLOADS_PER_USER is not known to 25.0.13" in err
    assert "a@d" in out
    assert main(["negotiate", folder, *asked[:2]]) == 0
    assert "not known" not in capsys.readouterr().err
