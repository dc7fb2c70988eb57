"""Which idle jobs the schedd has a claim for, by the kinds of claims that there are."""

from __future__ import annotations

import pytest

from classad import ClassAd
from classad.source import Source
from negotiator.capture.ads import LocatedAd
from negotiator.capture.schedds import with_matches
from negotiator.model.snapshot import JobNumber, ScheddQueue
from tests.cases import every_case

NOW = 1000


def job(
    number: str, user: str, *more: str, autocluster: int = 1, asked_at: int | None = NOW
) -> ClassAd:
    cluster, proc = number.split(".")
    lines = [f"ClusterId = {cluster}", f"ProcId = {proc}", f'User = "{user}@test"']
    lines += [f"AutoClusterId = {autocluster}"]
    lines += [] if asked_at is None else [f"ServerTime = {asked_at}"]
    return ClassAd("[" + "; ".join([*lines, *(more or ["JobStatus = 1"])]) + "]")


#: Three jobs of ada, of two autoclusters, three of bob; another one of bob runs.
JOBS = (
    *(job("1.0", "ada", asked_at=NOW - 9), job("1.1", "ada", asked_at=None)),
    job("2.0", "ada", autocluster=2),
    *(job("3.0", "bob", autocluster=3), job("3.1", "bob", autocluster=3)),
    job("4.0", "bob", autocluster=4),
    job("4.1", "bob", "JobStatus = 2", 'RemoteHost = "slot1_7@m"', autocluster=4),
)


def claim(name: str, user: str = "", entered: int | None = NOW, asked: str = "") -> str:
    found = f'Name = "{name}"; ScheddName = "s"'
    if entered is not None:
        found += f"; EnteredCurrentState = {entered}"
    if user:
        found += f'; RemoteUser = "{user}@test"'
    if asked:
        cluster, proc = asked.split(".")
        found += f"; _condor_RESOURCE_CLUSTER = {cluster}; _condor_RESOURCE_PROC = {proc}"
    return f"[{found}]"


def matched(*claims: str) -> list[JobNumber]:
    located = [LocatedAd(ClassAd(text), Source(text, "claims")) for text in claims]
    [queue] = with_matches([ScheddQueue("s", JOBS)], located)
    return sorted(queue.matched)


@every_case(
    "claims, jobs",
    [
        # Asked for: as many jobs of the autocluster as there are claims, in the order of the queue.
        ([claim("slot1@m", asked="1.1")], [(1, 0)]),
        ([claim("slot1@m", asked="1.0"), claim("slot2@m", asked="1.0")], [(1, 0), (1, 1)]),
        ([claim(f"slot{n}@m", asked="1.0") for n in range(5)], [(1, 0), (1, 1)]),
        # The first job of the request is gone: another one of its cluster tells the autocluster.
        ([claim("slot1@m", asked="2.7")], [(2, 0)]),
        ([claim("slot1@m", asked="9.0")], []),
        # A job of the user runs there already.
        ([claim("slot1_7@m", asked="4.0")], []),
        ([claim("slot1_7@m", asked="1.0")], [(1, 0)]),
        # Just granted: the first of the user's idle jobs; three seconds later it is released.
        ([claim("slot1@m", "bob")], [(3, 0)]),
        ([claim("slot1@m", "bob", NOW - 2)], [(3, 0)]),
        ([claim("slot1@m", "bob", NOW - 3)], []),
        ([claim("slot1@m", "bob", None)], []),
        ([claim("slot1_7@m", "bob")], []),
        ([claim("slot1@m", "cyd")], []),
        # The rest of a partitionable slot: a job like the one that has the newest part.
        ([claim("slot1@m"), claim("slot1_7@m", "bob")], [(4, 0)]),
        ([claim("slot1@m"), claim("slot1_7@m", "bob"), claim("slot2@m")], [(4, 0)]),
        # The newest part has no job yet: a job of its user.
        ([claim("slot1@m"), claim("slot1_1@m", "ada", NOW - 9)], [(1, 0)]),
        ([claim("slot1@m"), claim("slot1_1@m", "ada")], [(1, 0), (1, 1)]),
        (
            [claim("slot1@m"), claim("slot1_7@m", "bob", 5), claim("slot1_1@m", "ada", 6)],
            [(1, 0)],
        ),
        (
            [claim("slot1@m"), claim("slot1_1@m", "ada", 5), claim("slot1_7@m", "bob", 6)],
            [(4, 0)],
        ),
        ([claim("slot1@m"), claim("slot1_1@other", "ada", NOW - 9)], []),
        ([claim("slot1@m")], []),
    ],
)
def test_idle_jobs_that_have_a_claim(claims: list[str], jobs: list[JobNumber]) -> None:
    assert matched(*claims) == jobs


def test_claims_of_other_schedds_concern_nobody_here() -> None:
    text = claim("slot1@m", asked="1.0").replace('"s"', '"other"')
    queue = ScheddQueue("s", JOBS)
    [found] = with_matches([queue], [LocatedAd(ClassAd(text), Source(text, "claims"))])
    assert found is queue


def test_a_number_of_which_a_half_is_missing_names_no_job() -> None:
    half = claim("slot1@m", "ada", asked="2.0").replace("; _condor_RESOURCE_PROC = 0", "")
    assert matched(half) == [(1, 0)]
    nameless = ClassAd('[ClusterId = 1; User = "ada@test"; JobStatus = 1; AutoClusterId = 1]')
    text = claim("slot1@m", "ada")
    [found] = with_matches(
        [ScheddQueue("s", (nameless, *JOBS))], [LocatedAd(ClassAd(text), Source(text, "claims"))]
    )
    assert found.matched == {(1, 0)}


def test_where_no_job_tells_the_time_every_claim_is_new() -> None:
    queue = ScheddQueue("s", (job("1.0", "ada", asked_at=None), job("1.1", "ada", asked_at=None)))
    text = claim("slot1@m", "ada", 5)
    [found] = with_matches([queue], [LocatedAd(ClassAd(text), Source(text, "claims"))])
    assert found.matched == {(1, 0)}


def test_the_group_of_a_claim_is_its_user() -> None:
    """What a claim is charged to is the submitter, if it names one."""
    queue = ScheddQueue("s", (job("1.0", "ada", "JobStatus = 1", 'AcctGroup = "g"'), *JOBS[3:]))
    text = claim("slot1@m", "ada").replace("]", '; AccountingGroup = "bob@test"]')
    [found] = with_matches([queue], [LocatedAd(ClassAd(text), Source(text, "claims"))])
    assert found.matched == {(3, 0)}


def test_without_claims_nothing_is_noted() -> None:
    queue = ScheddQueue("s", JOBS)
    for claims in (None, []):
        assert with_matches([queue], claims) == (queue,)


@pytest.mark.parametrize(
    ("jobs", "first"),
    [
        ((job("1.1", "ada"), job("1.0", "ada")), (1, 0)),
        ((job("2.0", "ada"), job("1.5", "ada"), job("1.10", "ada")), (1, 5)),
        ((job("1.0", "ada"), job("1.1", "ada", "JobStatus = 1", "JobPrio = 5")), (1, 1)),
        ((job("1.0", "ada", "JobStatus = 1", "JobPrio = -5"), job("1.1", "ada")), (1, 1)),
        (
            (
                job("1.0", "ada", "JobStatus = 1", "JobPrio = 5"),
                job("1.1", "ada", "JobStatus = 1", "PreJobPrio1 = 1"),
                job("1.2", "ada", "JobStatus = 1", "PostJobPrio1 = 9"),
            ),
            (1, 1),
        ),
    ],
)
def test_the_job_that_is_offered_first_has_the_claim(
    jobs: tuple[ClassAd, ...], first: JobNumber
) -> None:
    """Wherever it stands in the file."""
    for text in (claim("slot1@m", "ada"), claim("slot1@m", asked=f"{first[0]}.{first[1]}")):
        located = [LocatedAd(ClassAd(text), Source(text, "claims"))]
        [found] = with_matches([ScheddQueue("s", jobs)], located)
        assert found.matched == {first}
