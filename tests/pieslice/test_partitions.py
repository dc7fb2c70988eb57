"""`pieslice.match`, `select` and `rank` of tables in parts; `sweep` on a cluster.

The parts answer as one table would, also on workers of which one dies.  The packages are extras.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import random
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pieslice
from classad import ClassAd, ExprTree, Table

ROOT = Path(__file__).parents[2]
SLOTS = 400
JOB = "[RequestMemory = 2000; Requirements = TARGET.Memory >= RequestMemory; Rank = TARGET.Mips]"


def slots() -> list[ClassAd]:
    rng = random.Random(7)
    return [
        ClassAd(
            {
                "Name": f"slot1@node{number:03}",
                "Memory": rng.choice((1000, 2000, 4000)),
                # Many are equal.
                "Mips": rng.randrange(40),
                "Requirements": ExprTree("TARGET.RequestMemory <= MY.Memory && Mips != 13"),
                **({"Gpus": 1} if number % 50 == 0 else {}),
            }
        )
        for number in range(SLOTS)
    ]


ADS = slots()
WHOLE = Table(ADS)
#: Of different sizes, one of them empty.
PARTS = [Table(ADS[:150]), Table(ADS[150:151]), Table([]), Table(ADS[151:])]
FIRST = (0, 150, 151, 151)


def expected(*, ranked: bool) -> list[tuple[Any, ...]]:
    """The rows of the whole table, in the order of their numbers or of their ranks."""
    job = ClassAd(JOB)
    rows = list(WHOLE.match(job))
    if ranked:
        rows.sort(key=lambda row: -ADS[row]["Mips"])
    return [(row, ADS[row]["Name"]) for row in rows]


def numbered(found: Any, first: tuple[int, ...]) -> list[tuple[Any, ...]]:
    """The rows of an answer with their numbers in the whole table."""
    return [(first[row["part"]] + row["row"], row["Name"]) for row in found.table]


def check(source: Any, first: tuple[int, ...], client: Any = None) -> None:
    found = pieslice.match(source, JOB, client=client)
    assert found.size == SLOTS
    assert found.fitting == len(found) == len(expected(ranked=False))
    assert numbered(found, first) == expected(ranked=False)
    few = pieslice.match(source, JOB, limit=5, client=client)
    assert few.fitting == found.fitting
    assert numbered(few, first) == expected(ranked=False)[:5]
    best = pieslice.rank(source, ClassAd(JOB), limit=60, attributes=["Name", "Mips"], client=client)
    assert numbered(best, first) == expected(ranked=True)[:60]
    assert best.table["rank"] == best.table["Mips"]
    everything = pieslice.rank(source, JOB, limit=None, client=client)
    assert numbered(everything, first) == expected(ranked=True)
    gpus = pieslice.select(source, "Gpus > 0", attributes=["Name", "Gpus", "No"], client=client)
    assert [row[0] for row in numbered(gpus, first)] == list(range(0, SLOTS, 50))
    assert gpus.table["Gpus"] == [1] * 8
    assert set(gpus.table["No"]) == {None}


def test_parts_answer_as_one_table() -> None:
    check(WHOLE, (0,))
    check(PARTS, FIRST)
    found = pieslice.rank(PARTS, {"Requirements": True, "Rank": 3}, limit=2)
    assert repr(found).startswith("<Found ")
    assert "in 4 parts" in repr(found)
    assert pickle.loads(pickle.dumps(found)).to_dict() == found.to_dict()


def test_what_cannot_be_asked(tmp_path: Path) -> None:
    for wrong in (
        lambda: pieslice.match(PARTS, "[a = ", limit=1),
        lambda: pieslice.select(PARTS, "1 +"),
        lambda: pieslice.rank(PARTS, JOB, limit=-1),
        lambda: pieslice.match(ADS, JOB),
    ):
        with pytest.raises(pieslice.Error):
            wrong()
    pytest.importorskip("pyarrow.parquet", reason="the extra `arrow` is optional")
    (tmp_path / "text").write_text("Name,Cpus\n")
    with pytest.raises(pieslice.ReadError, match=r"no whole Parquet file; classad\.Table\."):
        pieslice.match(tmp_path / "text", JOB)
    for path in (tmp_path, tmp_path / "no.parquet"):
        with pytest.raises(pieslice.ReadError, match=str(path)):
            pieslice.match(path, JOB)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files with row groups of 100."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra `arrow` is optional")
    for name, rows in (("a", ADS[:250]), ("b", ADS[250:])):
        parquet.write_table(
            Table(rows).to_arrow(), tmp_path / f"{name}.parquet", row_group_size=100
        )
    return tmp_path


ROW_GROUPS = (0, 100, 200, 250, 350)


def test_a_frame_is_a_table_of_one_part() -> None:
    pytest.importorskip("pyarrow", reason="the extra `arrow` is optional")
    check(WHOLE.to_arrow(), (0,))


def test_row_groups_of_parquet_files_are_parts(folder: Path) -> None:
    check(folder, ROW_GROUPS)
    assert pieslice.match(str(folder / "b.parquet"), JOB).size == 150


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Of a cluster of two processes."""
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is optional")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with (
        distributed.LocalCluster(processes=True, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@contextlib.contextmanager
def losing_one(client: Any) -> Iterator[None]:
    """Kill a worker as soon as both are at work."""
    workers = client.run(os.getpid)
    killed = []

    def kill() -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if len([tasks for tasks in client.processing().values() if tasks]) > 1:
                os.kill(min(workers.values()), signal.SIGKILL)
                killed.append(min(workers.values()))
                return
            time.sleep(0.01)

    thread = threading.Thread(target=kill)
    thread.start()
    yield
    thread.join()
    assert killed


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_loses_a_worker_sweeps_to_the_same_table(client: Any) -> None:
    jobs = [{"user": "a", "backlog": 60, "run_time": 600}, {"user": "b", "per_hour": 60}]
    settings = {"PRIORITY_HALFLIFE": [600, 86400], "NEGOTIATOR_INTERVAL": [60, 120]}

    def sweep(**where: Any) -> Any:
        return pieslice.sweep(8, jobs, settings, days=0.2, seeds=[1, 2], tries=3, **where)

    client.wait_for_workers(2)
    with losing_one(client):
        found = sweep(client=client)
    assert found.failed == ()
    assert len(found.rows) == 8
    assert found.table.rows == sweep(jobs=1).table.rows


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_answers_as_one_table(client: Any, folder: Path) -> None:
    client.wait_for_workers(2)
    check(PARTS, FIRST, client)
    check(folder, ROW_GROUPS, client)
    with losing_one(client):
        many = pieslice.rank([WHOLE] * 200, JOB, limit=300, client=client)
    assert many.size == 200 * SLOTS
    top = max(ad["Mips"] for _, ad in zip(range(SLOTS), ADS, strict=True) if ad["Memory"] >= 2000)
    assert many.table["rank"][0] == top


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_partitions_of_a_dask_dataframe_are_parts(client: Any, folder: Path) -> None:
    frames = pytest.importorskip("dask.dataframe", reason="dask's own extra `dataframe`")
    frame = frames.read_parquet([str(folder / "a.parquet"), str(folder / "b.parquet")])
    first = (0, 250) if frame.npartitions == 2 else ROW_GROUPS
    check(frame, first)
    client.wait_for_workers(2)
    check(frame, first, client)
