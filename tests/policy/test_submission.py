"""Submission under another configuration: requirements, defaults, transforms."""

from __future__ import annotations

import pytest

from classad.ads.ad import Ad
from classad.evaluate import EvalContext
from policy.transforms.acceptance import judge, read_requirements
from policy.transforms.job import text_of
from policy.transforms.resubmission import Resubmission, resubmitted
from tests.policy.test_lint import ids
from tests.policy.test_transforms import NOW, ad_of, config_of

REQUIREMENTS = """\
SUBMIT_REQUIREMENT_NAMES = AskDisk, Memory, NotChris
SUBMIT_REQUIREMENT_AskDisk = RequestDisk isnt undefined
SUBMIT_REQUIREMENT_AskDisk_REASON = "say request_disk"
SUBMIT_REQUIREMENT_Memory = TARGET.RequestMemory >= 1024
SUBMIT_REQUIREMENT_Memory_REASON = strcat("Asked for ", TARGET.RequestMemory, " MB")
SUBMIT_REQUIREMENT_NotChris = JOB.Owner != "chris" && SCHEDD.Name == "s1"
"""
SCHEDD = 'Name = "s1"\n'
GOOD = 'Owner = "dora"\nRequestDisk = 5\nRequestMemory = 2048\n'


@pytest.mark.parametrize(
    ("job", "refusal"),
    [
        (GOOD, None),
        (GOOD.replace("RequestDisk = 5\n", ""), ("AskDisk", "say request_disk")),
        (GOOD.replace("2048", "512"), ("Memory", "Asked for 512 MB")),
        (GOOD.replace("dora", "chris"), ("NotChris", "not met")),
        (
            GOOD.replace("RequestMemory = 2048\n", ""),
            ("Memory", "Submit requirement Memory evaluated to non-boolean"),
        ),
    ],
)
def test_a_job_is_taken_if_it_meets_every_requirement(
    job: str, refusal: tuple[str, str] | None
) -> None:
    """As a schedd of 25.14.1 takes and refuses them."""
    requirements, problems = read_requirements(config_of(REQUIREMENTS))
    found = judge(requirements, ad_of(job), ad_of(SCHEDD), NOW).refusal
    assert problems == []
    assert (None if found is None else (found.requirement.name, found.reason)) == refusal


def test_a_requirement_may_only_warn() -> None:
    text = REQUIREMENTS + "SUBMIT_REQUIREMENT_AskDisk_IS_WARNING = True\n"
    requirements, _ = read_requirements(config_of(text))
    job = ad_of(GOOD.replace("RequestDisk = 5\n", ""))
    verdict = judge(requirements, job, ad_of(SCHEDD), NOW)
    assert verdict.refusal is None
    assert [one.reason for one in verdict.warnings] == ["say request_disk"]


def test_requirements_that_the_schedd_ignores_are_said() -> None:
    text = "SUBMIT_REQUIREMENT_NAMES = A B\nSUBMIT_REQUIREMENT_A = (\n"
    requirements, problems = read_requirements(config_of(text))
    assert (requirements, [one.line for one in problems]) == ([], [2, None])


# --- jobs under another configuration -------------------------------------------------------------

JOBS = [
    'ClusterId = 1\nProcId = 0\nOwner = "dora"\nRequestMemory = 128\nDept = "bio"\n',
    'ClusterId = 1\nProcId = 1\nOwner = "dora"\nRequestMemory = 128\nDept = "bio"\n',
    'ClusterId = 2\nProcId = 0\nOwner = "eva"\nRequestMemory = 9000\nRoute = "x"\n',
]


def under(after: str, before: str = "") -> Resubmission:
    ads: list[Ad] = [ad_of(text) for text in JOBS]
    return resubmitted(ads, config_of(before), config_of(after), ad_of(SCHEDD), NOW)


def changes(found: Resubmission) -> list[dict[str, str | None]]:
    return [
        {one.attribute: None if one.after is None else text_of(one.after) for one in job.changes}
        for job in found.jobs
    ]


def test_the_same_configuration_changes_nothing() -> None:
    text = REQUIREMENTS.replace("AskDisk, Memory, NotChris", "")
    assert changes(under(text, text)) == [{}, {}, {}]


def test_transforms_run_on_whole_jobs_in_their_order() -> None:
    text = (
        "JOB_TRANSFORM_NAMES = Cap Group\nJOB_TRANSFORM_Group = SET AcctGroup Dept\n"
        "JOB_TRANSFORM_Cap @=e\nREQUIREMENTS RequestMemory > 4000\nSET RequestMemory 4000\n@e\n"
    )
    found = under(text)
    group = {"AcctGroup": "Dept"}
    assert changes(found) == [group, group, {**group, "RequestMemory": "4000"}]
    assert [[course.applied for course in job.courses] for job in found.jobs] == [
        [False, True],
        [False, True],
        [True, True],
    ]


def test_what_a_default_gave_is_the_default_of_the_other_configuration() -> None:
    found = under('JOB_DEFAULT_REQUESTMEMORY = 256\nSUBMIT_ATTRS = Site\nSite = "here"\n')
    new = {"RequestMemory": "256", "Site": '"here"'}
    assert changes(found) == [new, new, {"Site": '"here"'}]
    gone = under("", 'SUBMIT_ATTRS = Route\nRoute = "x"\n')
    assert changes(gone) == [{}, {}, {"Route": None}]


def test_a_job_that_would_be_refused_says_which_line_does_it() -> None:
    text = (
        "SUBMIT_REQUIREMENT_NAMES = Small\nSUBMIT_REQUIREMENT_Small = RequestMemory < 5000\n"
        "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T @=e\nREQUIREMENTS ProcId == 1\nRENAME Old\n@e\n"
    )
    found = under(text)
    assert [job.refusal and job.refusal.line for job in found.jobs] == [None, 6, 2]


def test_transforms_whose_effects_stay_are_named() -> None:
    before = "JOB_TRANSFORM_NAMES = A B C\n" + "".join(
        f"JOB_TRANSFORM_{name} = SET {name} 1\n" for name in "ABC"
    )
    after = before.replace("SET B 1", "SET B 2").replace("A B C", "A B")
    assert under(after, before).kept == ("JOB_TRANSFORM_B", "JOB_TRANSFORM_C")
    assert isinstance(NOW, EvalContext)


@pytest.mark.parametrize("test", ["== 0", "=?= 0", "<= 0", "< 1"])
@pytest.mark.parametrize("name", ["TARGET.RequestGPUs", "RequestGPUs"])
def test_a_job_that_wants_no_gpu_has_no_number_of_gpus(name: str, test: str) -> None:
    assert ids(f"START = {name} {test}\n") == [("P434", 1)]
    for clean in (f"({name} ?: 0) {test}", f"{name} =?= undefined || {name} {test}"):
        assert "P434" not in [one for one, _ in ids(f"START = {clean}\n")]
