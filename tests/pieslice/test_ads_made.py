"""A command makes the ads of the slots that it shows; what it counts it looks up in columns.

Of a job that fits nowhere it is asked whether it would fit if all slots were free and whole: for
that they are made.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from classad.loading.columns import LoadedColumns
from pieslice.cli import main

SLOTS = 300
SLOT = """\
MyType = "Machine"
Name = "slot1@node{number}"
Machine = "node{number}"
Cpus = {cpus}
Memory = {memory}
Disk = 1000000
SlotWeight = Cpus
State = "Unclaimed"
LastHeardFrom = 1700000100
Activity = "Idle"
BackfillSlot = false
Requirements = TARGET.RequestCpus <= MY.Cpus
"""
JOB = """\
ClusterId = {number}
ProcId = {proc}
AutoClusterId = {number}
JobStatus = 1
Owner = "{owner}"
User = "{owner}@pool"
QDate = 1700000000
RequestCpus = {cpus}
RequestMemory = 100
Requirements = TARGET.Memory >= RequestMemory{more}
"""
#: How many slots an answer shows at most: those of the three matches, some examples.
SHOWN = 20


@pytest.fixture
def big(tmp_path: Path) -> Path:
    """A pool of many slots of which three are matched, and a job that wants one of these."""
    slots = [SLOT.format(number=n, cpus=1 + n % 4, memory=500 * (1 + n % 3)) for n in range(SLOTS)]
    one = ' && TARGET.Name == "slot1@node3"'
    jobs = [
        (1, 0, "alice", 1, ""),
        (2, 0, "bob", 2, ""),
        *((3, n, "carol", 1, one) for n in (0, 1)),
    ]
    (tmp_path / "slots.ads").write_text("\n".join(slots))
    (tmp_path / "jobs.ads").write_text(
        "\n".join(
            JOB.format(number=number, proc=proc, owner=owner, cpus=cpus, more=more)
            for number, proc, owner, cpus, more in jobs
        )
    )
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        "negotiate {}", "negotiate {} --json", "negotiate {} --summary",
        "negotiate {} --table machines", "negotiate {} --table autoclusters", "why {} 3.1",
        "why {} 1.0", "why {} --user carol@pool", "rank {} 1.0", "quotas {}",
        "diff {} -D PRIORITY_HALFLIFE=60",
    ],
)  # fmt: skip
def test_no_more_ads_of_slots_are_made_than_are_shown(
    words: str, big: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = 0
    one, many = LoadedColumns.ad, LoadedColumns._batch

    def ad(self: LoadedColumns, *which: Any) -> Any:
        nonlocal made
        made += 1
        return one(self, *which)

    def batch(self: LoadedColumns, new: Any, start: int, stop: int, memory: Any) -> Any:
        nonlocal made
        made += stop - start
        return many(self, new, start, stop, memory)

    monkeypatch.setattr(LoadedColumns, "ad", ad)
    monkeypatch.setattr(LoadedColumns, "_batch", batch)
    assert main(words.format(big).split()) in (0, 1)
    assert capsys.readouterr().out
    assert made <= SHOWN
