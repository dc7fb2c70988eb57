"""Dask workers that are real jobs, by the recipe: `make check-live ROOT=DIR`, as root."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

import pytest

import pieslice
from tests.live.traffic import pool

PORT = int(os.environ.get("PORT", "9770"))
HERE = Path(__file__).parents[2]
#: The files that jobs see as we do: these sources, the packages, the Python.
SEEN = (str(HERE), sys.prefix, sys.base_prefix)
NODES = "n1 8 32768 1 TRUE 0\nn2 4 16384 0 TRUE 0\n"


@pytest.mark.skipif("/usr" in SEEN, reason="the pool has a /usr of its own: use another Python")
def test_a_sweep_on_jobs_is_that_without_them(tmp_path: Path) -> None:
    recipe = HERE / "examples" / "dask_on_htcondor.py"
    about = runpy.run_path(str(recipe))
    alone = pieslice.sweep(about["JOBS"], about["SETTINGS"], seeds=[1, 2], jobs=1, **about["POOL"])
    folder = tmp_path / "pool"
    folder.mkdir()
    (folder / "nodes").write_text(NODES)
    path = "export PYTHONPATH="
    absent = folder / "home" / "alice" / "absent"
    words = ("env", f"PYTHONPATH={HERE}", sys.executable, str(recipe), "--address", "127.0.0.1")
    more = ("--workers", "2", "--log-directory", "logs", "--before")
    try:
        pool("start", folder, PORT=str(PORT), INTERVAL="5", SEEN="\n".join(SEEN))
        found = pool("run", folder, "alice", *words, *more, f"{path}{HERE}")
        # Jobs that do not find the packages say so, they do not come and go for ever.
        absent.mkdir()
        (absent / "pieslice.py").write_text('raise ImportError("absent")')
        with pytest.raises(
            RuntimeError, match="workers cannot import pieslice: ImportError: absent"
        ):
            pool("run", folder, "alice", *words, *more, f"{path}/mnt/home/alice/absent")
        history = pool("run", folder, "alice", "condor_history", "-af", "ExitBySignal", "Owner")
    finally:
        pool("stop", folder)
    assert found == f"{alone}\n"
    assert history.split().count("alice") == 4
    assert (folder / "home" / "alice" / "logs").is_dir()
