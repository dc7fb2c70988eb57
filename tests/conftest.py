"""How random tests run: ``HYPOTHESIS_PROFILE=ci`` (the default), ``dev`` or ``deep``.

``ci`` tries the same examples every time, so a red suite means a change and not luck; ``dev`` new
ones; ``deep`` many.  None has a deadline: a busy machine is not a failure.

``pool`` is a pool of two machines and two users, as files that a test may spoil.
"""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Machines that run tests like to set it; what is compared here has no colours.
os.environ.pop("FORCE_COLOR", None)
# Tests keep nothing of what they read, and find nothing of what others have.
os.environ["PIESLICE_CACHE"] = ""

settings.register_profile(
    "ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("dev", deadline=None)
settings.register_profile("deep", deadline=None, max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_sessionstart() -> None:
    gc.disable()  # until all tests are collected: nothing of that is garbage


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests first: at the end there is something left to do for every process."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_collection_finish() -> None:
    """Thousands of tests and their modules are not walked again whenever garbage is collected."""
    gc.collect()
    gc.freeze()
    gc.enable()


SLOT = """\
MyType = "Machine"
Name = "{name}"
Machine = "{machine}"
State = "Unclaimed"
Activity = "Idle"
Cpus = 1
Memory = 1024
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
StartdIpAddr = "<10.0.0.1:9618>"
MyAddress = "<10.0.0.1:9618>"
LastHeardFrom = 1700000000
Requirements = TARGET.RequestMemory <= MY.Memory
"""

JOB = """\
MyType = "Job"
ClusterId = {cluster}
ProcId = 0
GlobalJobId = "ap1#{cluster}.0#1700000000"
JobStatus = 1
JobUniverse = 5
User = "{user}@pool"
Owner = "{user}"
RequestCpus = 1
RequestMemory = {memory}
Rank = 0.0
AutoClusterId = {cluster}
Requirements = true
"""

SUBMITTER = """\
MyType = "Submitter"
Name = "{user}@pool"
ScheddName = "ap1"
ScheddIpAddr = "<10.0.0.2:9618>"
IdleJobs = {idle}
RunningJobs = 0
WeightedIdleJobs = {idle}
"""

ACCOUNTING = """\
MyType = "Accounting"
Name = "{user}@pool"
Priority = {priority}
PriorityFactor = 1000.0
LastUpdate = 1700000060
"""


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    """A folder that ``pieslice negotiate`` reads without a word on standard error."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    names = [("slot1@a", "a"), ("slot2@a", "a"), ("slot1@b", "b")]
    slots = [SLOT.format(name=name, machine=machine) for name, machine in names]
    jobs = [
        JOB.format(cluster=1, user="alice", memory=512),
        JOB.format(cluster=2, user="bob", memory=512),
        JOB.format(cluster=3, user="bob", memory=4096),
    ]
    submitters = [SUBMITTER.format(user="alice", idle=1), SUBMITTER.format(user="bob", idle=2)]
    accounting = [
        ACCOUNTING.format(user="alice", priority=500.0),
        ACCOUNTING.format(user="bob", priority=1000.0),
    ]
    for file, ads in (
        ("slots.ads", slots),
        ("jobs.ads", jobs),
        ("submitters.ads", submitters),
        ("accounting.ads", accounting),
    ):
        (folder / file).write_text("\n".join(ads))
    (folder / "condor_config").write_text("NEGOTIATOR_CONSIDER_PREEMPTION = True\n")
    return folder
