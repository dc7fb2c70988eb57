"""Jobs that are made up from what runs, for a pool of which only slots are known."""

from __future__ import annotations

from classad import ClassAd
from negotiator.capture.made_up import MARK, made_up_jobs


def slot(name: str, **values: object) -> ClassAd:
    ad = ClassAd({"Name": name, "State": "Claimed", "Cpus": 1, "Memory": 1024})
    for attribute, value in values.items():
        ad.insert(attribute, value)
    return ad


def numbers(jobs: list[ClassAd]) -> list[tuple[object, object, object]]:
    return [tuple(job[name] for name in ("ClusterId", "ProcId", "JobStatus")) for job in jobs]  # type: ignore[misc]


def test_each_claim_is_a_job_that_runs_and_one_that_waits() -> None:
    slots = [
        slot("slot1@a", RemoteOwner="ann@x", JobId="7.0"),
        slot("slot2@a", RemoteOwner="ann@x", JobId="7.1"),
        slot("slot3@a", RemoteOwner="ann@x", JobId="9.0", Cpus=4),
        slot("slot4@a", State="Unclaimed", RemoteOwner="old@x"),
        slot("slot5@a", State="Owner"),
    ]
    jobs = made_up_jobs(slots)
    running, waiting = numbers(jobs[:3]), numbers(jobs[3:])
    assert running == [(7, 0, 2), (7, 1, 2), (9, 0, 2)]
    # Those that ask for the same are one cluster.
    assert waiting == [(10, 0, 1), (10, 1, 1), (11, 0, 1)]
    assert all(job[MARK] is True for job in jobs)
    assert [job["RequestCpus"] for job in jobs] == [1, 1, 4, 1, 1, 4]


def test_a_job_is_of_the_user_and_group_that_the_claim_shows() -> None:
    shown = slot(
        "slot1_1@a",
        SlotType="Dynamic",
        RemoteOwner="ann@x",
        RemoteUser="physics.hep.ann@x",
        AccountingGroup="physics.hep.ann@x",
        GlobalJobId="ap7#12.3#1000",
        JobId="12.3",
        JobStart=2000,
        ConcurrencyLimits="license",
        GPUs=2,
        Disk=5000,
        Arch="X86_64",
        OpSys="LINUX",
        Requirements=True,
    )
    first, second = made_up_jobs([shown])
    for job in (first, second):
        assert job["Owner"] == "ann"
        assert job["AccountingGroup"] == "physics.hep.ann"
        assert job["ConcurrencyLimits"] == "license"
        assert (job["RequestGPUs"], job["RequestDisk"]) == (2, 5000)
        assert job["QDate"] == 2000
        assert str(job["GlobalJobId"]).startswith("ap7#")
        assert shown.matches(job)
        assert not ClassAd({**dict(shown.items()), "Arch": "aarch64"}).matches(job)
        assert not ClassAd({**dict(shown.items()), "GPUs": 1}).matches(job)
    assert first["RemoteHost"] == "slot1_1@a"
    assert "RemoteHost" not in second


def test_a_user_without_a_group_has_none() -> None:
    for job in made_up_jobs([slot("slot1@a", RemoteUser="ann@x", RemoteOwner="ann@x")]):
        assert "AccountingGroup" not in job
        assert job["User"] == "ann@x"


def test_a_claim_whose_job_is_not_shown_has_a_number_of_its_own() -> None:
    slots = [
        slot("slot1@a", RemoteOwner="ann@x", JobId="7.0"),
        slot("slot2@a", RemoteOwner="ann@x", JobId="7.0"),
        slot("slot3@a", RemoteOwner="ann@x", JobId="seven"),
        slot("slot4@a", RemoteOwner="ann@x"),
    ]
    jobs = made_up_jobs(slots)
    assert len({(job["ClusterId"], job["ProcId"]) for job in jobs}) == len(jobs) == 8
    assert all(job["JobUniverse"] == 5 for job in jobs)


def test_nobody_has_anything() -> None:
    assert made_up_jobs([slot("slot1@a", State="Unclaimed")]) == []
