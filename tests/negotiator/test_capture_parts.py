"""Parts of reading a capture by themselves: names, queues, submitter ads, recorded decisions."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from classad import ClassAd
from classad.source import Source
from negotiator.capture.ads import (
    LocatedAd,
    is_numbered,
    job_id,
    load_columns,
    number_of,
    scalar_of,
    split_up,
)
from negotiator.capture.agreement import (
    AdAge,
    DecisionDifference,
    Expected,
    ExpectedError,
    compare,
    parse_expected,
)
from negotiator.capture.files import CapturePaths, CaptureReader, Manifest, read_manifest
from negotiator.capture.schedds import make_queues, make_submitters, schedd_of
from negotiator.capture.slots import times_of
from negotiator.jobs.submitters import submitter_of
from policy.load import policy_from_knobs


def located(text: str) -> LocatedAd:
    return LocatedAd(ClassAd(f"[{text}]"), Source(text, "f", first_line=3))


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "scalar", "number"),
    [
        ("5", 5, 5), ("2.5", 2.5, 2.5), ('"a"', "a", None), ("true", True, None),
        ("false", False, None), ("1 + 1", 2, 2), ("undefined", None, None), ("error", None, None),
        ("{1}", None, None), ("Nowhere", None, None), ("0", 0, 0), ('""', "", None),
    ],
)  # fmt: skip
def test_what_an_attribute_is_by_itself(text: str, scalar: Any, number: Any) -> None:
    ad = located(f"A = {text}")
    found = scalar_of(ad.ad, "A")
    assert (found, found.__class__) == (scalar, scalar.__class__)
    assert (number_of(ad.ad, "A"), ad.number("A"), ad.value("A")) == (number, number, scalar)
    assert ad.text("A") == (scalar if isinstance(scalar, str) else None)


def test_times_are_numbers_that_end() -> None:
    ads = [located("A = 5; B = 7"), located('A = "6"'), located('B = real("INF"); A = 0')]
    assert list(times_of(ads, ("A", "B"))) == [5, 7, 0]
    assert list(times_of(ads, ("B",))) == [7]


def test_a_message_about_an_ad_points_to_it() -> None:
    problem = located("A = 1").problem("wrong")
    assert (problem.message, problem.severity) == ("wrong", "warning")
    assert (problem.line, problem.column) == (3, 1)


def test_one_ad_with_numbered_attributes_is_an_ad_for_each_record() -> None:
    big = located(
        'NumSubmittors = 3; Name10 = "j"; Name2 = "b"; Prio2 = 5; Prio3 = 6; Name0 = "z"; Last = 1'
    )
    assert is_numbered(big.ad)
    assert not is_numbered(located('Name1 = "a"').ad)
    found = split_up("accounting", [big, located('Name1 = "a"')])
    told = [(ad.text("Name"), ad.number("Prio"), ad.number("SubmittorId")) for ad in found]
    assert told == [("b", 5, 2), ("j", None, 10), (None, None, None)]
    assert {ad.source.first_line for ad in found} == {3}
    assert len(split_up("slots", [big])) == 1


# --- queues ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "schedd"),
    [
        ('GlobalJobId = "ap1#1.0#5"', "ap1"), ('GlobalJobId = "#1.0"', ""), ("", "here"),
        ('GlobalJobId = "ap1"', "here"), ("GlobalJobId = 5", "here"), ('GlobalJobId = ""', "here"),
    ],
)  # fmt: skip
def test_the_schedd_of_a_job(text: str, schedd: str) -> None:
    assert schedd_of(located(text), "here") == schedd


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('User = "u@d"; Owner = "u"', "u@d"),
        ('Owner = "u"', "u"),
        ('User = "u@d"; AccountingGroup = "g.u"', "g.u@d"),
        ('User = "u@d"; AccountingGroup = "g.u@e"', "g.u@e"),
        ('Owner = "u"; AccountingGroup = "g.u"', "g.u"),
        ('User = "u@d"; AccountingGroup = ""', "u@d"),
        ('AccountingGroup = "g.u"', "g.u"),
        ("", None),
    ],
)
def test_the_submitter_of_a_job(text: str, name: str | None) -> None:
    assert submitter_of(located(text).ad) == name


def test_the_number_of_a_job() -> None:
    texts = ("ClusterId = 1; ProcId = 0", "ClusterId = 0", "ProcId = 2", "")
    assert [job_id(located(text).ad) for text in texts] == ["1.0", "0.?", "?.2", "?.?"]


def test_queues_and_submitter_ads_are_made_of_jobs() -> None:
    idle, runs = 'User = "u@d"; JobStatus = 1', 'User = "u@d"; JobStatus = 2'
    jobs = [
        located(f'{idle}; GlobalJobId = "b#1"; RequestCpus = 2; JobPrio = 3'),
        located(f'{runs}; GlobalJobId = "a#1"; RequestCpus = 4; JobPrio = 9'),
        located(f'{idle}; GlobalJobId = "b#2"; RequestCpus = 5'),
        located(f'{idle}; GlobalJobId = "b#3"; JobPrio = 3'),
        located('User = "v@d"; JobStatus = 5; GlobalJobId = "b#4"'),
        located("JobStatus = 1"),
    ]
    queues = make_queues(jobs, "here")
    assert [(queue.name, len(queue.jobs)) for queue in queues] == [("b", 4), ("a", 1), ("here", 1)]
    schedds = [located('Name = "b"; MyAddress = "<b>"'), located('Name = "c"')]
    for knobs, prios in (({}, (None, None)), ({"USE_GLOBAL_JOB_PRIOS": "True"}, ("3,0", ""))):
        made = make_submitters(jobs, schedds, "here", policy_from_knobs(knobs).policy)
        names = ("Name", "ScheddName", "ScheddIpAddr", "IdleJobs", "WeightedIdleJobs")
        told = [[ad.raw(name) for name in names] for ad in made]
        assert told == [["u@d", "b", "<b>", 3, 8], ["u@d", "a", "<0.0.0.0:0>", 0, 0]]
        running = [(ad.raw("RunningJobs"), ad.raw("WeightedRunningJobs")) for ad in made]
        assert running == [(0, 0), (1, 4)]
        assert tuple(ad.raw("JobPrioArray") for ad in made) == prios
        assert {ad.raw("MyType") for ad in made} == {"Submitter"}


# --- recorded decisions ---------------------------------------------------------------------------

MATCH = {"job": "1.0", "submitter": "u@d", "slot": "s", "preempted": None}
REJECTION = {"job": "2.0", "submitter": "u@d", "reason": "no match found"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "an object with `matches` and `rejections` is expected"),
        ({"matches": 5}, "`matches` is not a list"),
        ({"matches": [5]}, "`matches[0]` is not an object"),
        ({"matches": [MATCH, {"job": "1.0"}]}, "`matches[1]` has no `submitter`"),
        ({"rejections": [MATCH]}, "`rejections[0]` has no `reason`"),
        ({"cycle_started_at": "5"}, "`cycle_started_at` is not a number of seconds"),
        ({"cycle_started_at": True}, "`cycle_started_at` is not a number of seconds"),
        ({"cycle_started_at": 2**62}, "`cycle_started_at` is not a number of seconds"),
        ({"cycle_started_at": float("nan")}, "`cycle_started_at` is not a number of seconds"),
    ],
)
def test_recorded_decisions_that_are_none(data: object, message: str) -> None:
    with pytest.raises(ExpectedError) as problem:
        parse_expected(data)
    assert str(problem.value) == message


def test_recorded_decisions() -> None:
    assert parse_expected({}) == Expected("of unknown version", (), (), None)
    data = {
        "negotiator": "25", "matches": [{**MATCH, "slot": 5}], "rejections": [REJECTION],
        "cycle_started_at": 7,
    }  # fmt: skip
    found = parse_expected(data)
    assert found.matches == (("1.0", "u@d", "5", None),)
    assert found.rejections == (("2.0", "u@d", "no match found"),)
    assert (found.negotiator, found.cycle_started_at) == ("25", 7.0)
    assert parse_expected({"cycle_started_at": 0}).cycle_started_at == 0.0
    assert parse_expected({"cycle_started_at": -5}).cycle_started_at == -5.0


def decided(matches: str, rejections: str = "") -> Any:
    """What a cycle decided: jobs by letters."""
    return SimpleNamespace(
        matches=[SimpleNamespace(job=it, submitter="u", slot="s", holder=None) for it in matches],
        rejections=[SimpleNamespace(job=it, submitter="u", text="no") for it in rejections],
    )


@pytest.mark.parametrize(
    ("ours", "theirs", "agreeing", "differing"),
    [
        (("ab", "c"), ("ab", "c"), 3, []),
        (("ab", ""), ("a", "c"), 1, [("match", True, 1), ("rejection", False, 0)]),
        (("a", "c"), ("ba", "cd"), 2, [("match", False, 0), ("rejection", False, 1)]),
        (("ab", ""), ("ba", ""), 1, [("match", False, 1), ("match", True, 0)]),
        (("", ""), ("ab", ""), 0, [("match", False, 0), ("match", False, 1)]),
        (("xy", ""), ("", ""), 0, [("match", True, 0), ("match", True, 1)]),
    ],
)
def test_decisions_agree_that_are_the_same_in_the_same_order(
    ours: tuple[str, str],
    theirs: tuple[str, str],
    agreeing: int,
    differing: list[tuple[str, bool, int]],
) -> None:
    expected = Expected(
        "25",
        tuple((it, "u", "s", None) for it in theirs[0]),
        tuple((it, "u", "no") for it in theirs[1]),
    )
    found = compare(decided(*ours), expected)
    told = sorted((it.kind, it.ours, it.position) for it in found.differences)
    assert (found.agreeing, told) == (agreeing, sorted(differing))
    assert found.expected == len("".join(theirs))
    assert found.extra == len("".join(ours)) - agreeing
    assert found.complete is (not differing)


@pytest.mark.parametrize(
    ("ages", "from_age"),
    [
        ([], None),
        ([(True, 5.0)], True),
        ([(True, 0.0)], False),
        ([(True, -5.0)], False),
        ([(True, None)], None),
        ([(False, None)], True),
        ([(True, None), (True, 5.0)], True),
        ([(True, -1.0), (True, 0.0)], False),
        ([(True, -1.0), (True, None)], None),
    ],
)
def test_whether_a_difference_can_come_from_the_age_of_a_capture(
    ages: list[tuple[bool, float | None]], from_age: bool | None
) -> None:
    ads = tuple(AdAge("slot", "s", there, older) for there, older in ages)
    difference = DecisionDifference("match", True, 0, ("1.0", "u", "s", None), ads)
    assert difference.from_age is from_age
    assert difference.fields() == {"job": "1.0", "submitter": "u", "slot": "s", "preempted": None}
    refused = DecisionDifference("rejection", True, 0, ("1.0", "u", "no"))
    assert refused.fields() == {"job": "1.0", "submitter": "u", "reason": "no"}


@pytest.mark.parametrize(
    ("ended", "times"),
    [("0", ()), ("-1", ()), ("0.5", (0.5,)), ("1", (1,)), ("true", ()), ('"1"', ()), ("null", ()),
     (str(2**62 - 1), (2**62 - 1,)), (str(2**62), ()), ("4.6e18", (4.6e18,)), ("4.7e18", ())],
)  # fmt: skip
def test_when_a_capture_ended_is_a_time_that_can_be(
    tmp_path: Path, ended: str, times: tuple[float, ...]
) -> None:
    (tmp_path / "capture.json").write_text(f'{{"ended": {ended}}}')
    assert read_manifest(CaptureReader(CapturePaths(tmp_path))) == Manifest(False, times)


def test_a_pool_is_called_as_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mypool").mkdir()
    monkeypatch.chdir(tmp_path / "mypool")
    names = {CapturePaths(folder).name() for folder in (Path("."), Path.cwd(), Path("../mypool"))}
    assert names == {"mypool"}


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("A = 1\n\nA = 2\n", True),
        ("107 1 CreationTimestamp 1\n101 1.0 Job Machine\n", False),
        ("101 1.0 Job Machine\n", False),
        ('[\n{"A": 1}\n]\n', False),
        ("\x1f\x8b", False),
    ],
)
def test_only_ads_in_long_form_are_read_in_columns(
    text: str, columns: bool, tmp_path: Path
) -> None:
    path = tmp_path / "ads"
    path.write_bytes(text.encode("latin-1"))
    assert (load_columns(path) is not None) is columns
    assert load_columns(tmp_path / "none") is None
