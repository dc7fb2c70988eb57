"""Job lists, which read equal values once, are those of jobs read one by one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classad import ClassAd, ExprTree
from classad.evaluate import EvalContext, as_tree
from classad.language.values import ERROR, UNDEFINED
from negotiator.jobs.autoclusters import (
    AutoclusterTable,
    job_attributes,
)
from negotiator.jobs.lists import READ_BY_SCHEDD, job_list, job_lists, queued_job
from negotiator.jobs.readiness import runnable, served
from negotiator.jobs.requests import JobList, ScheddRoom, ShownAttributes
from negotiator.jobs.start_vanilla import VanillaStart
from negotiator.jobs.submitters import submitter_of
from negotiator.model.snapshot import ScheddQueue
from policy.load import policy_from_knobs
from tests.negotiator import scenarios

CONTEXT = EvalContext(now=1000.0)
POLICY = policy_from_knobs({}).policy
NUMBERED = ("clusterid", "procid")
#: Values that Python takes for equal to others of which a schedd thinks otherwise.
VALUES: tuple[Any, ...] = (
    None, 0, 1, 2, True, False, 1.0, 2.0, -0.0, UNDEFINED, ERROR, "a@b", "2", 1000,
    ExprTree("1 + 1"),
)  # fmt: skip


def _job(number: int, **given: Any) -> ClassAd:
    job = ClassAd({"User": "a@b", "JobStatus": 1})
    for name, value in (given | {"ClusterId": 1, "ProcId": number}).items():
        if value is not None:
            job.insert(name, value)
    return job


def _order(jobs: list[ClassAd], matched: frozenset[tuple[int, int]] = frozenset()) -> list[int]:
    """The numbers of the jobs that are offered, in the order in which they stand."""
    queues = (ScheddQueue("schedd", tuple(jobs), matched=matched),)
    lists = job_lists(queues, frozenset(), POLICY, CONTEXT, flatten=False)
    return [job.proc for each in lists.values() for job in each.waiting]


def test_a_priority_of_two_is_not_one_that_is_missing() -> None:
    assert _order([_job(0), _job(1, JobPrio=2)]) == [1, 0]
    assert _order([_job(0, PostJobPrio2=-1), _job(1)]) == [1, 0]
    assert _order([_job(0, JobPrio=UNDEFINED), _job(1, PostJobPrio1=2)]) == [1, 0]


@pytest.mark.parametrize(
    ("one", "other"), [(1.2, 1.5), (2**32 + 1, 1), (-0.5, 0), (0, UNDEFINED), (2**63 - 1, -1)]
)
def test_priorities_are_integers_of_32_bits(one: object, other: object) -> None:
    for name in ("PreJobPrio1", "PreJobPrio2", "JobPrio", "PostJobPrio1", "PostJobPrio2"):
        for first, second in ((one, other), (other, one)):
            assert _order([_job(0, **{name: first}), _job(1, **{name: second})]) == [0, 1]
    assert _order([_job(0, JobPrio=2**31), _job(1, JobPrio=-5), _job(2, JobPrio=3)]) == [2, 1, 0]


@pytest.mark.parametrize(
    ("knobs", "left"),
    [
        ({}, {"site"}),
        ({"REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX": "_x$"}, {"site", "slot1_y"}),
        ({"REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX": ""}, {"site", "slot1_x", "slot1_y"}),
    ],
)
def test_what_a_schedd_removes_from_the_significant_attributes(
    knobs: dict[str, str], left: set[str]
) -> None:
    knobs = {"REMOVE_SIGNIFICANT_ATTRIBUTES": "MEMORYUSAGE", **knobs}
    names = frozenset({"site", "memoryusage", "slot1_x", "slot1_y"})
    assert job_attributes(names, policy_from_knobs(knobs).policy) & names == left


def test_a_job_that_has_a_match_already_is_not_offered() -> None:
    jobs = [_job(number) for number in range(4)]
    assert _order(jobs, frozenset({(1, 0), (1, 2), (2, 1), (0, 3)})) == [1, 3]


def test_two_hosts_are_not_those_of_a_job_that_says_nothing() -> None:
    assert _order([_job(0, CurrentHosts=1), _job(1, CurrentHosts=1, MaxHosts=2)]) == [1]


def test_a_no_op_job_is_not_offered() -> None:
    """D-507: whenever its schedd was started."""
    assert _order([_job(0, IsNoopJob=True), _job(1, IsNoopJob=False)]) == [1]


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from([name for name in READ_BY_SCHEDD if name not in NUMBERED]),
            st.sampled_from(VALUES),
            max_size=4,
        ),
        max_size=6,
    )
)
def test_any_jobs(given: list[dict[str, Any]]) -> None:
    jobs = [_job(number, **values) for number, values in enumerate(given)]
    wanted: dict[str, list[Any]] = {}
    for job in jobs:
        if runnable(job, CONTEXT) and (name := submitter_of(job, CONTEXT)) is not None:
            wanted.setdefault(name, []).append(queued_job(job, None, CONTEXT))
    for some in wanted.values():
        some.sort(key=lambda job: job.order)
    assert _order(jobs) == [job.proc for some in wanted.values() for job in some]


@given(st.lists(st.tuples(*[st.sampled_from(VALUES)] * 2), max_size=8))
def test_autoclusters_are_those_of_the_texts(pairs: list[tuple[Any, Any]]) -> None:
    jobs = [_job(number, A=a, B=b) for number, (a, b) in enumerate(pairs)]
    table = AutoclusterTable(frozenset({"a", "b"}))
    texts: dict[tuple[str, ...], int] = {}
    for job in jobs:
        told = tuple(repr(job.raw(name)) if job.raw(name) is not None else "" for name in "AB")
        assert table.id_of(job) == texts.setdefault(told, len(texts) + 1)


def test_what_another_job_refers_to_tells_no_jobs_apart() -> None:
    """Only what the job's own significant attributes refer to does, through others as well."""
    table = AutoclusterTable(frozenset({"rank"}))
    texts = ("1", "1", "A + 1", "A + 1", "A")
    jobs = [
        _job(number, A=ExprTree("B"), B=number, Rank=ExprTree(t)) for number, t in enumerate(texts)
    ]
    assert [table.id_of(job) for job in jobs] == [1, 1, 2, 3, 4]
    assert table.attributes_of(1) == ("rank",)
    assert table.attributes_of(4) == ("a", "b", "rank")


@pytest.mark.parametrize(
    ("written", "numbers"),
    [
        ([None, None], [1, 2]),  # Size, which a job wrote that does not wait
        (["Site", "Site"], [1, 2]),
        (["SITE , kind", "site"], [1, 2]),  # in common: Site
        (["Kind,Size", "Kind"], [1, 1]),
        (["Kind", "Size"], [1, 1]),  # nothing in common
    ],
)
def test_a_schedd_goes_by_the_attributes_that_it_wrote_into_its_jobs(
    written: list[str | None], numbers: list[int]
) -> None:
    jobs = [
        _job(0, Kind="k", Site="a", Size=1, AutoClusterAttrs=written[0]),
        _job(1, Kind="k", Site="b", Size=2, AutoClusterAttrs=written[1]),
    ]
    # Counts only where no waiting job wrote anything.
    jobs.append(_job(2, JobStatus=2, AutoClusterAttrs="Size"))
    queues = (ScheddQueue("schedd", tuple(jobs)),)
    names = frozenset({"kind"})
    (found,) = job_lists(queues, names, POLICY, CONTEXT, flatten=False).values()
    assert [job.autocluster for job in found.waiting] == numbers


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (7, 7), (-7, -7), (2**40 + 1, 2**40 + 1), (7.9, 7), (-7.9, -7), (True, 1), (False, 0),
        (UNDEFINED, 0), (ERROR, 0), ("7", 0), (float("inf"), 0), (ExprTree("3 + 4.5"), 7),
    ],
)  # fmt: skip
def test_the_numbers_of_a_job_are_whole(value: Any, number: int) -> None:
    """What is cut off or no number at all: a job has a place in the queue in any case."""
    ad = ClassAd({"User": "a@b", "JobStatus": 1})
    ad.insert("ClusterId", value)
    ad.insert("ProcId", value)
    queued = queued_job(ad, None, CONTEXT)
    assert [(type(it), it) for it in (queued.cluster, queued.proc)] == [(int, number)] * 2


def test_a_request_has_what_its_job_inherits() -> None:
    cluster = ClassAd({"ClusterId": 1, "RequestCpus": 4, "Owner": "a", "Site": "north"})
    job = ClassAd({"ProcId": 0, "Site": "south"})
    job.chain(cluster)
    table = AutoclusterTable(frozenset({"requestcpus", "site"}))
    queued = queued_job(job, table, CONTEXT)
    ad = job_list(ShownAttributes(table), POLICY, None).request_for(queued).ad
    assert (ad["RequestCpus"], ad["Site"], ad["ClusterId"]) == (4, "south", 1)
    assert len(job) == 2


@pytest.mark.parametrize(
    ("text", "universe", "wanted"),
    [
        ("JOB.A == 1", 5, True),
        ("JOB.A > 1", 5, False),
        ("JOB.A > 1", 9, True),
        ("true || SLOT.Cpus > 1", 5, True),
        ("SLOT.Cpus > JOB.A", 5, "TARGET.Cpus > 1"),
        ("slot.Cpus > {1, SLOT.B}[JOB.A]", 5, "TARGET.Cpus > {1, TARGET.B}[1]"),
        ("MY.A == Memory", 5, "MY.A == Memory"),
        ("undefined", 5, "undefined"),
        ("5", 5, True),
    ],
)
def test_where_vanilla_jobs_start(text: str, universe: int, wanted: bool | str) -> None:
    job = ClassAd({"A": 1, "JobUniverse": universe})
    found = VanillaStart(ExprTree(text), CONTEXT).condition(job)
    expected = ExprTree(wanted) if isinstance(wanted, str) else wanted
    assert str(found) == str(expected)


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("JOB.A == 1", True),
        ("JOB.A > 1", False),
        ("SLOT.Cpus > JOB.A", True),
        ("SLOT.Cpus > 4", False),
        ("Cpus > 1", False),
        ("undefined", False),
        ("5", True),
    ],
)
def test_a_schedd_starts_vanilla_jobs_where_it_may(text: str, starts: bool) -> None:
    job, slot = ClassAd({"A": 1, "JobUniverse": 5}), ClassAd({"Cpus": 4})
    assert VanillaStart(ExprTree(text), CONTEXT).allows(job, slot) is starts
    assert VanillaStart(ExprTree(text), CONTEXT).allows(ClassAd({"JobUniverse": 9}), slot)


@pytest.mark.parametrize("text", ["undefined", "1.5", "error", '"3"', "1 + 1"])
def test_a_scenario_with_odd_priorities(text: str) -> None:
    jobs = [{"submitter": "a", "ad": {"JobPrio": prio}} for prio in ("1", text)]
    scenario = {"slots": [{"name": "slot1@m"}], "jobs": jobs, "config": {}}
    cycle: dict[str, list[str]] = {"slot_order": [], "submitter_order": []}
    result = scenarios.run({"scenario": scenario, "observed": {"cycles": [cycle]}})
    assert len(result.matches) == 1


@pytest.mark.parametrize("universe", range(-1, 17))
def test_which_universes_ask_for_slots(universe: int) -> None:
    """A grid job does not, with WantMatching neither; for a parallel one another submitter does."""
    job = _job(0, JobUniverse=universe, WantMatching=True)
    assert _order([job, _job(1)]) == ([0, 1] if universe in {1, 2, 3, 4, 5, 6, 10, 13} else [1])


@pytest.mark.parametrize(
    ("managed", "external"),
    [
        ('"External"', True), ('"external"', False), ('"Schedd"', False), ('"External "', False),
        ('strcat("Ext", "ernal")', True), ("undefined", False), ("error", False), ("true", True),
        ("false", False), ("1", True), ("-1", True), ("0", False), ("1.5", True), ("0.0", False),
        ('{"External"}', False), ("[a = 1]", False), ("External", False),
    ],
)  # fmt: skip
def test_what_something_else_manages_asks_for_no_slots(managed: str, external: bool) -> None:
    job = _job(0, Managed=as_tree(managed))
    assert _order([job, _job(1)]) == ([1] if external else [0, 1])
    assert served(ClassAd(f"[JobUniverse = 5; Managed = {managed}]"), CONTEXT) is not external


def test_a_list_by_itself_is_that_of_a_default_policy() -> None:
    """Of jobs that nobody configured anything for; a request list has 200 by default."""
    one, other = JobList({}, None), job_list(None, POLICY, ScheddRoom())
    for name in ("constraint", "counts", "batch_size", "ahead", "all_in_cluster"):
        assert getattr(one, name) == getattr(other, name), name
    assert (one.batch_size, one.counts, one.all_in_cluster) == (200, True, False)


#: Expressions of a job, and the attributes that a schedd of 25.14.1 (and 23.9.6) sent of it.
CIRCLES = [
    ("Rank = Extra + Cc; Cc = Dd + More + Cc + Last", "Cc Dd Extra More Rank"),
    ("Rank = Cc + Extra; Cc = MY.Cc; Requirements = More == 2", "Cc More Rank Requirements"),
    ("Rank = true || Cc; Cc = Cc; Requirements = Cc || Extra == 1", "Cc Rank Requirements"),
    ("Rank = Extra; FlockTo = A; A = FlockTo", "A Extra FlockTo Rank"),
    ("Rank = [a = Extra; b = a].b + f(MY.More, Last, Cc); Cc = Cc", "Cc Extra Last More Rank"),
    ("Rank = TARGET.Cc + A; A = B + Extra; B = More + Last", "A B Extra Last More Rank"),
    ("Rank = A + A; A = B + B; B = Extra; FlockTo = FlockTo && Dd", "A B Extra FlockTo Rank"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sent"), CIRCLES)
def test_what_an_attribute_refers_to_behind_a_circle_is_not_found(text: str, sent: str) -> None:
    job = ClassAd(f"[{text}; Extra = 1; More = 2; Last = 3; Dd = 4]")
    names = job_attributes(frozenset(), policy_from_knobs({}).policy)
    table = AutoclusterTable(names)
    for _ in range(2):  # also when it is known
        found = table.attributes_of(table.id_of(job))
        assert sorted(found) == sent.lower().split()


def test_a_circle_of_one_job_is_none_of_another() -> None:
    table = AutoclusterTable(job_attributes(frozenset(), policy_from_knobs({}).policy))
    shared = ExprTree("A + Extra")
    one = ClassAd({"Rank": shared, "A": ExprTree("Rank"), "Extra": 1})
    other = ClassAd({"Rank": shared, "A": ExprTree("2 + 3"), "Extra": 1})
    assert set(table.attributes_of(table.id_of(one))) == {"rank", "a"}
    assert set(table.attributes_of(table.id_of(other))) == {"rank", "a", "extra"}
