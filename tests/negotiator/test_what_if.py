"""What another configuration of startds and schedds makes of a captured pool."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from classad import ClassAd
from negotiator.capture.files import CapturePaths, ConfigPaths
from negotiator.io import Capture, InputError, read_capture
from negotiator.model.loaded_slots import LoadedSlots
from negotiator.whatif.jobs import Loss

SLOT = """\
Name = "slot{number}@{machine}"
Machine = "{machine}"
State = "Unclaimed"
Cpus = 4
Memory = 8000
SlotWeight = Cpus
Rank = 0
Start = {start}
Requirements = Start && WithinResourceLimits
WithinResourceLimits = true
SlotTypeID = {number}
SlotID = {number}
MyCurrentTime = 1790000000
"""
JOB = """\
ClusterId = {cluster}
ProcId = {proc}
Owner = "{owner}"
User = "{owner}@x"
JobStatus = {status}
JobUniverse = 5
RequestCpus = {cpus}
RequestMemory = 1000
AutoClusterId = 1
GlobalJobId = "s1#{cluster}.{proc}#1"
Requirements = true
"""


def job(cluster: int, proc: int, **values: Any) -> str:
    filled = {"owner": "ann", "status": 1, "cpus": 1, **values}
    return JOB.format(cluster=cluster, proc=proc, **filled)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    slots = [
        SLOT.format(number=number, machine=machine, start="true" if number < 2 else "Cpus > 1")
        for machine in ("n1", "n2")
        for number in (1, 2)
    ]
    jobs = [job(1, 0), job(1, 1, cpus=3), job(2, 0, owner="bob"), job(3, 0, status=2)]
    (tmp_path / "slots.ads").write_text("\n".join(slots))
    (tmp_path / "jobs.ads").write_text("\n".join(jobs))
    (tmp_path / "condor_config").write_text("NEGOTIATOR_INTERVAL = 60\n")
    return tmp_path


def under(folder: Path, text: str, *, before: str = "", where: str = "") -> Capture:
    own = [ConfigPaths(texts=(("own", before),) if before else ())]
    texts = (*own[0].texts, ("new", text))
    return read_capture(CapturePaths(folder, texts=texts, before=tuple(own), where=where))


def cells(pool: Capture, name: str) -> dict[str, str]:
    """What slots advertise, by name."""
    return {str(ad.raw("Name")): str(ad.raw(name)) for ad in pool.snapshot.slots}


def in_columns(pool: Capture) -> bool:
    return isinstance(pool.snapshot.slots, LoadedSlots)


def waiting(pool: Capture) -> dict[str, ClassAd]:
    ads = [ad for queue in pool.snapshot.queues for ad in queue.jobs]
    return {
        f"{ad.raw('ClusterId')}.{ad.raw('ProcId')}": ad for ad in ads if ad.raw("JobStatus") == 1
    }


def told(pool: Capture) -> Any:
    assert pool.what_if is not None
    return pool.what_if


def test_start_is_written_into_every_slot_and_columns_stay_columns(folder: Path) -> None:
    pool = under(folder, "START = TARGET.RequestCpus < 2\n")
    assert set(cells(pool, "Start").values()) == {"TARGET.RequestCpus < 2"}
    assert in_columns(pool)
    (change,) = told(pool).attributes
    assert (change.attribute, {*change.before}, change.slots, change.machines) == (
        "Start", {"true", "Cpus > 1"}, 4, 2,
    )  # fmt: skip
    assert told(pool).startds_unknown


def test_ads_in_any_form_get_the_same(folder: Path) -> None:
    text = 'START = TARGET.RequestCpus < 2\nSTARTD_ATTRS = Site\nSite = "x"\n'
    columns = under(folder, text)
    slots = (folder / "slots.ads").read_text()
    (folder / "slots.ads").write_text(f"{slots}\n{slots.split(chr(10) * 2)[0]}\n")  # a slot twice
    ads = under(folder, text)
    assert not in_columns(ads)
    assert list(columns.snapshot.slots) == list(ads.snapshot.slots)


def test_what_both_configurations_say_stays_as_it_was_captured(folder: Path) -> None:
    pool = under(folder, "RANK = 5\n", before="START = False\nRANK = 4\n")
    assert set(cells(pool, "Start").values()) == {"True", "Cpus > 1"}
    assert set(cells(pool, "Rank").values()) == {"5"}
    assert not told(pool).startds_unknown


def test_what_is_set_no_more_gets_its_default_or_goes(folder: Path) -> None:
    before = "STARTD_ATTRS = Site\nSite = 3\nSTART = Site > 2\n"
    pool = under(folder, "STARTD_ATTRS =\nSTART =\n", before=before)
    assert set(cells(pool, "Site").values()) == {"None"}
    assert set(cells(pool, "Start").values()) == {"True"}


def test_slot_types_and_machines_are_told_apart(folder: Path) -> None:
    pool = under(folder, "SLOT_TYPE_2_START = False\n", where='Machine == "n1"')
    assert {name for name, text in cells(pool, "Start").items() if text == "False"} == {"slot2@n1"}
    assert (told(pool).machines, told(pool).of) == (1, 2)


def test_machines_that_are_not_meant_keep_their_claims_as_they_were(folder: Path) -> None:
    pool = under(folder, "CLAIM_WORKLIFE = 7\n", where='Machine == "n1"')
    assert pool.policy.claims.worklife == 7
    assert {name: one.worklife for name, one in pool.of_machines.items()} == {"n2": 1200}
    assert [one.macro for one in told(pool).between] == ["CLAIM_WORKLIFE"]


def test_a_startd_with_a_local_name_has_its_own(folder: Path) -> None:
    pool = under(folder, "a.STARTD_NAME = n2\na.START = False\n")
    assert {name for name, text in cells(pool, "Start").items() if text == "False"} == {
        "slot1@n2", "slot2@n2",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("requirements", "limits", "then"),
    [
        ("Cpus > 0", True, "Start && WithinResourceLimits"),
        ("TARGET.RequestCpus < 9", False, "Start && (TARGET.RequestCpus < 9)"),
        ("true", False, "Start"),
        ("START && Cpus > 2", False, "START && Cpus > 2"),
    ],
)
def test_slots_that_do_not_require_start_do_then(
    folder: Path, requirements: str, limits: bool, then: str
) -> None:
    text = (folder / "slots.ads").read_text().replace("Start && WithinResourceLimits", requirements)
    text = text if limits else text.replace("WithinResourceLimits = true\n", "")
    (folder / "slots.ads").write_text(text)
    pool = under(folder, "START = False\n")
    assert set(cells(pool, "Requirements").values()) == {then}


def test_what_is_set_for_types_is_not_written_where_no_type_is_told(folder: Path) -> None:
    text = (folder / "slots.ads").read_text()
    (folder / "slots.ads").write_text(text.replace("SlotTypeID = 1\n", ""))
    pool = under(folder, "SLOT_TYPE_1_START = False\nSLOT_TYPE_2_START = False\n")
    assert told(pool).untyped == 2
    assert sum(text == "False" for text in cells(pool, "Start").values()) == 2


def test_names_that_no_ad_has_are_pointed_out(folder: Path) -> None:
    pool = under(
        folder, "START = MY.Sitte == 1 && TARGET.Kind == 2 && Cpus > 0 && Owner != Nobody\n"
    )
    found = {(one.name, one.of) for one in told(pool).unknown_names}
    assert found == {("Sitte", "slot"), ("Kind", "job"), ("Nobody", "slot or job")}


def test_names_that_conditions_on_jobs_read_and_no_job_has_are_pointed_out(folder: Path) -> None:
    text = (
        "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T @=e\nREQUIREMENTS Kind == 2\nSET A 1\n@e\n"
        "SUBMIT_REQUIREMENT_NAMES = S\nSUBMIT_REQUIREMENT_S = JOB.RequestCpus > 0 || Sort == 1\n"
        "SYSTEM_PERIODIC_HOLD = RequestCpus > Most\n"
    )
    found = {(one.reader, one.name) for one in told(under(folder, text)).unknown_names}
    assert found == {
        ("JOB_TRANSFORM_T", "Kind"),
        ("SUBMIT_REQUIREMENT_S", "Sort"),
        ("SYSTEM_PERIODIC_HOLD", "Most"),
    }


def test_names_that_jobs_come_to_read_and_no_slot_has_are_pointed_out(folder: Path) -> None:
    pool = under(folder, "APPEND_REQUIREMENTS = TARGET.Nodde >= 2 && TARGET.Cpus > 0\n")
    found = {(one.reader, one.name, one.of) for one in told(pool).unknown_names}
    assert found == {("Requirements", "Nodde", "slot")}


def test_macros_of_each_machine_are_pointed_out(folder: Path) -> None:
    text = 'START = MY.Machine == "$(FULL_HOSTNAME)" && Cpus > $(Least)\nLeast = $(DETECTED_CPUS)\n'
    found = [(one.reader, one.name) for one in told(under(folder, text)).host_macros]
    assert found == [("START", "FULL_HOSTNAME"), ("START", "DETECTED_CPUS")]


def test_who_knows_nothing_of_submissions_says_that_jobs_may_be_through_them(folder: Path) -> None:
    transform = "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T = SET A 1\n"
    assert told(under(folder, transform)).schedds_unknown
    assert not told(under(folder, transform, before="SUBMIT_ATTRS = B\n")).schedds_unknown


def test_waiting_jobs_are_submitted_again_and_running_ones_are_not(folder: Path) -> None:
    text = (
        "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T @=e\nREQUIREMENTS RequestCpus > 2\n"
        'SET AccountingGroup "big.ann"\n@e\n'
    )
    pool = under(folder, text)
    assert waiting(pool)["1.1"].raw("AccountingGroup") == "big.ann"
    assert waiting(pool)["1.1"].raw("AutoClusterId") is None
    assert waiting(pool)["1.0"].raw("AutoClusterId") == 1
    (changed,) = told(pool).jobs.changed
    assert (changed.jobs, changed.by) == (("1.1",), ("T",))
    counts = {
        ad.raw("Name"): (ad.raw("IdleJobs"), ad.raw("RunningJobs"))
        for ad in pool.snapshot.submitters
    }
    assert counts == {"ann@x": (1, 1), "bob@x": (1, 0), "big.ann@x": (1, 0)}


def test_transforms_that_both_have_do_not_run_again(folder: Path) -> None:
    twice = "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T = EVALSET RequestMemory RequestMemory * 2\n"
    more = f"{twice}SUBMIT_REQUIREMENT_NAMES = S\nSUBMIT_REQUIREMENT_S = true\n"
    pool = under(folder, more, before=twice)
    assert {ad.raw("RequestMemory") for ad in waiting(pool).values()} == {1000}


@pytest.mark.parametrize(
    ("text", "fate", "why"),
    [
        (
            "SUBMIT_REQUIREMENT_NAMES = S\nSUBMIT_REQUIREMENT_S = RequestCpus < 2\n"
            'SUBMIT_REQUIREMENT_S_REASON = "too large"\n',
            Loss.REFUSED,
            "submit requirement S: too large",
        ),
        ("SYSTEM_PERIODIC_HOLD = RequestCpus > 2\n", Loss.HELD, "SYSTEM_PERIODIC_HOLD"),
        (
            "SYSTEM_PERIODIC_REMOVE_NAMES = A\nSYSTEM_PERIODIC_REMOVE_A = RequestCpus > 2\n",
            Loss.REMOVED,
            "SYSTEM_PERIODIC_REMOVE_A",
        ),
    ],
)
def test_jobs_that_are_not_taken_are_named_and_do_not_wait(
    folder: Path, text: str, fate: Loss, why: str
) -> None:
    pool = under(folder, text)
    assert sorted(waiting(pool)) == ["1.0", "2.0"]
    (lost,) = told(pool).jobs.lost
    assert (lost.fate, lost.why, lost.jobs) == (fate, why, ("1.1",))
    idle = {ad.raw("Name"): ad.raw("IdleJobs") for ad in pool.snapshot.submitters}
    assert idle["ann@x"] == 1


def test_append_requirements_are_joined_with_those_of_waiting_jobs(folder: Path) -> None:
    pool = under(folder, "APPEND_REQUIREMENTS = TARGET.Cpus > 3\n")
    assert {str(ad.raw("Requirements")) for ad in waiting(pool).values()} == {
        "(TARGET.Cpus > 3) && (true)"
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SLOT_WEIGHT = 2 *\n", "condor_startd would not start"),
        ("PRIORITY_HALFLIFE = soon\n", "condor_negotiator would not start"),
        ("if x\nendif\n", "no daemon would start"),
    ],
)
def test_a_configuration_that_a_daemon_would_not_start_with_is_refused(
    folder: Path, text: str, said: str
) -> None:
    with pytest.raises(InputError) as caught:
        under(folder, text)
    helps: Sequence[str] = [one.help or "" for one in caught.value.diagnostics]
    assert any(said in one for one in helps)


def test_what_keeps_the_own_configuration_from_starting_refuses_no_other(folder: Path) -> None:
    (folder / "condor_config").write_text("PRIORITY_HALFLIFE = soon\n")
    assert set(cells(under(folder, "START = False\n"), "Start").values()) == {"False"}


def test_a_condition_for_machines_that_does_not_parse_is_refused(folder: Path) -> None:
    with pytest.raises(InputError):
        under(folder, "START = False\n", where="Machine ==")


def test_the_pool_itself_is_no_what_if(folder: Path) -> None:
    assert read_capture(CapturePaths(folder)).what_if is None
