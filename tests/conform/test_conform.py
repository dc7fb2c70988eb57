"""The conformance runner: every golden case about the language, and what the runner says."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from attr import evolve

from negotiator.groups.tree import group_tree
from negotiator.model.result import Pie
from policy.load import policy_from_knobs
from tests.conform.command import main
from tests.conform.language.evaluation import LANGUAGE_KINDS
from tests.conform.language.printing import PRINTING_KINDS
from tests.conform.negotiation.quotas import _Pool
from tests.conform.negotiation.scenarios import _recorded_rounds
from tests.conform.runner import UnreadableVectors, check_case, outcomes, run

KINDS = (*LANGUAGE_KINDS, *PRINTING_KINDS)
ROOM = Path(__file__).parents[1] / "vectors" / "classad"
GOOD = {"id": "t:1", "expr": "1 + 1", "value": {"type": "integer", "value": 2}, "unparsed": "2"}


def command(*arguments: str) -> int:
    return main(arguments)


def write(path: Path, *cases: object) -> Path:
    path.write_text("\n".join(json.dumps(case) for case in cases), encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(ROOM.glob("*.jsonl")), ids=lambda path: path.stem)
def test_golden_vectors(path: Path) -> None:
    summary = run([path], KINDS)
    assert [outcome.id for outcome in summary.failures] == []
    assert summary.passed == sum(1 for line in path.read_text("utf-8").split("\n") if line)


def test_folder_lines_and_compressed_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "a.jsonl", GOOD, {**GOOD, "id": "t:2"})
    (tmp_path / "b.json.gz").write_bytes(gzip.compress(json.dumps([GOOD, GOOD]).encode()))
    (tmp_path / "README.md").write_text("no vectors", encoding="utf-8")
    assert command(str(tmp_path)) == 0
    assert capsys.readouterr().out == "4 passed, 0 failed\n"


def test_failure_shows_expected_and_actual(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "a.jsonl", {**GOOD, "unparsed": "3"}, GOOD)
    assert command(str(path)) == 1
    assert capsys.readouterr().out == (
        f"FAIL {path}: t:1 (evaluation)\n"
        '  unparsed\n    expected: "3"\n    actual:   "2"\n'
        '  unparsed_old\n    expected: "3"\n    actual:   "2"\n'
        "1 passed, 1 failed\n"
    )


def test_json_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "a.jsonl", GOOD, {"id": "t:2", "colour": "red"})
    assert command("--json", str(path)) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["passed"] == report["failed"] == 1
    assert report["kinds"] == {
        "evaluation": {"passed": 1, "failed": 0},
        "unknown": {"passed": 0, "failed": 1},
    }
    assert report["failures"][0]["mismatches"] == [
        {"field": "kind", "expected": "a known kind of case", "actual": "colour, id"}
    ]


GOOD_ORDER = {"keys": [1, 3, 2], "order": [1, 2, 0]}


@pytest.mark.slow
def test_a_pool_that_differs_by_its_age_passes_with_a_note(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pool = "tests/vectors/pools/campus-partitionable"
    assert command(pool) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"NOTE {pool}/expected.json: campus-partitionable (captured pool)\n")
    assert told.endswith("1 passed, 0 failed\n")
    assert command(pool, "--json") == 0
    noted = json.loads(capsys.readouterr().out)["noted"]
    assert [item["field"] for item in noted[0]["mismatches"]] == ["match 17", "match 19"]


def test_a_record_without_autocluster_ids_is_said_to_lack_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the ids the changed rejection is a failure; without them nobody can tell."""
    case = json.loads(Path("tests/vectors/negotiation/autocluster-negotiate-all.json").read_text())
    path = tmp_path / "case.json"
    (cycle,) = case["observed"]["cycles"]
    cycle["rejections"][0]["job"] = "9.9"
    path.write_text(json.dumps(case))
    assert command(str(path)) == 1
    for request in cycle["requests"]:
        del request["autocluster"]
    path.write_text(json.dumps(case))
    capsys.readouterr()
    assert command(str(path)) == 0
    assert "the record lacks the schedd's autocluster ids" in capsys.readouterr().out
    cycle["trimmed"] = ["slot1@nowhere"]
    path.write_text(json.dumps(case))
    assert command(str(path)) == 1


def test_which_rounds_a_recording_has() -> None:
    """Behind a round for floors the log shows the end of a round by its quota nowhere."""
    floors = Pie("a", 0, True, (), stopped_by_quota=True, stopped_by_pie=False)
    by_quota = evolve(floors, floor_round=False)
    by_pie = evolve(by_quota, stopped_by_quota=False, stopped_by_pie=True)
    assert _recorded_rounds([floors, by_quota])[1] == [floors]
    assert _recorded_rounds([floors, by_pie]) == ({0: 0, 1: 1}, [floors, by_pie])
    assert _recorded_rounds([evolve(floors, stopped_by_quota=False), by_pie])[0] == {0: 0, 1: 0}
    assert _recorded_rounds([floors, evolve(by_quota, group="b")])[0] == {0: 0, 1: 1}


def test_orders_of_the_sort_are_a_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sort.json"
    cases = {"about": "", "equal": {"2": [0, 1], "3": [2, 1, 0]}, "mixed": [GOOD_ORDER]}
    path.write_text(json.dumps(cases))
    assert command(str(path)) == 1
    told = capsys.readouterr().out
    assert f"FAIL {path}: equal 3 (order of equal elements)" in told
    assert "2 passed, 1 failed" in told


def test_the_first_group_may_go_on_with_the_rest_of_the_pool() -> None:
    """In a recorded division, groups that autoregroup negotiate once more as the root."""
    knobs = {
        "GROUP_NAMES": "a, b", "GROUP_QUOTA_a": "1", "GROUP_QUOTA_b": "1",
        "GROUP_AUTOREGROUP_a": "True", "GROUP_AUTOREGROUP_b": "False",
    }  # fmt: skip
    policy = policy_from_knobs(knobs).policy
    submitters = [{"Name": f"{group}.ann@test", "IdleJobs": 1} for group in "ab"]
    case = {"matcher": "greedy", "usage": {}, "submitters": submitters}
    pool = _Pool(case, group_tree(policy), policy)
    assert pool.waiting == {"<none>": ["a.ann@test"], "a": ["a.ann@test"], "b": ["b.ann@test"]}


def test_a_case_without_a_name_has_its_number(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", GOOD, {key: GOOD[key] for key in GOOD if key != "id"})
    assert [outcome.id for outcome in outcomes([path], KINDS)] == ["t:1", "#2"]
    assert check_case({}, KINDS).id == "#0"


def test_unknown_field_is_a_difference() -> None:
    outcome = check_case({**GOOD, "remark": "new"}, KINDS)
    assert [mismatch.field for mismatch in outcome.mismatches] == ["remark"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.jsonl", '{"id": 1}\n{', "a.jsonl:2: not JSON"),
        ("a.jsonl", "[1]", "a.jsonl:1: a case must be an object"),
        ("a.json", "{", "a.json: not JSON"),
        ("a.json", "3", "a.json: holds no cases"),
        ("a.json.gz", "plain", "a.json.gz: Not a gzipped file"),
    ],
)
def test_unreadable_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, message: str
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert command(str(path)) == 2
    assert message in capsys.readouterr().err


def test_missing_path_and_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(UnreadableVectors, match="no such file"):
        run([tmp_path / "nosuch"], KINDS)
    with pytest.raises(UnreadableVectors, match=r"no \.json or \.jsonl file"):
        run([tmp_path], KINDS)


# --- records of several versions, and records that nothing plays ----------------------------------

VERSIONS = Path("tests/vectors/versions/classad.json")
FAULT = {"id": "r", "kind": "transform", "family": "set", "spelling": "x", "tool_bug": "crash"}


def test_expressions_are_compared_with_each_version_that_was_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = json.loads(VERSIONS.read_text("utf-8"))
    record["cases"], record["limits"] = record["cases"][:1], record["limits"][:1]
    path = tmp_path / "classad.json"
    path.write_text(json.dumps(record))
    versions = len(record["cases"][0]["results"]) + len(record["limits"][0]) - 1
    assert command(str(path)) == 0
    assert capsys.readouterr().out == f"{versions} passed, 0 failed\n"
    record["cases"][0]["results"]["24.0.23"] = "7"
    record["limits"][0]["25.14.1"] -= 1
    path.write_text(json.dumps(record))
    assert command(str(path)) == 1
    told = capsys.readouterr().out
    assert f"{record['cases'][0]['expr']} in 24.0.23 (expression of a version)" in told
    assert f"{record['limits'][0]['what']} in 25.14.1 (limit of a version)" in told
    assert told.endswith(f"{versions - 2} passed, 2 failed\n")


def test_a_kind_that_is_not_played_is_said_once_and_neither_passes_nor_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "a.jsonl", GOOD, FAULT, FAULT)
    (tmp_path / "texts.json").write_text(json.dumps({"@job": 'Owner = "ann"'}))
    (tmp_path / "c.json").write_text(json.dumps({"about": "", "slot": {}, "checks": [{"id": "N"}]}))
    assert command(str(tmp_path)) == 0
    assert capsys.readouterr().out == (
        "not played: 2 of kind `fault of a tool`: the recorded tool itself breaks\n"
        "not played: 1 of kind `statement`: kind not supported\n"
        "1 passed, 0 failed\n"
    )
    assert command(str(tmp_path), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["kinds"] == {"evaluation": {"passed": 1, "failed": 0}}
    assert found["not_played"]["fault of a tool"]["cases"] == 2


def test_records_that_nothing_plays_are_no_proof(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "a.jsonl", FAULT)
    assert command(str(path)) == 2
    assert "there is no case that can be played" in capsys.readouterr().err


def test_json_shows_a_pie_that_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Frozen values are dictionaries of their fields."""
    case = json.loads(Path("tests/vectors/negotiation/groups-surplus.json").read_text("utf-8"))
    case["observed"]["cycles"][0]["pies"][0]["spins"].pop()
    path = tmp_path / "case.json"
    path.write_text(json.dumps(case))
    assert command(str(path), "--json") == 1
    (failure,) = json.loads(capsys.readouterr().out)["failures"]
    (pie,) = (item["actual"] for item in failure["mismatches"] if item["field"] == "pies[0].spins")
    assert len(pie["spins"]) == len(case["observed"]["cycles"][0]["pies"][0]["spins"]) + 1
