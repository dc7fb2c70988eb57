"""Dask workers that are HTCondor jobs, by the recipe: what is submitted, what a failure says.

Commands of HTCondor are played by scripts; `tests/live` runs it in a real pool.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

# Looked for and not imported: that takes Ctrl-C away from all other tests of this process.
if find_spec("dask_jobqueue") is None:
    pytest.skip("dask-jobqueue is optional", allow_module_level=True)

ROOT = Path(__file__).parents[2]
RUN = """
import sys
sys.path[:0] = ["examples", "."]
import dask_on_htcondor as recipe
recipe.LOOK = 0.2
recipe.main()
"""
SUBMITTED = "echo '1 job(s) submitted to cluster 7.'"


def run(commands: Path, *words: str, **scripts: str) -> subprocess.CompletedProcess[str]:
    """The recipe, beside commands of HTCondor that do what the scripts say."""
    commands.mkdir(exist_ok=True)
    for name, text in scripts.items():
        (commands / name).write_text(f"#!/bin/sh\n{text}\n")
        (commands / name).chmod(0o755)
    return subprocess.run(
        [sys.executable, "-c", RUN, "--address", "127.0.0.1", *words],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{commands}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_workers_have_a_submit_file(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    before = ("--before", "module load python", "--before", "export A='b c'")
    done = run(tmp_path / "none", "--show", "--log-directory", str(logs), *before)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[-1].casefold() == "queue"
    found = {
        name.strip().casefold(): value.strip()
        for name, equals, value in (line.partition("=") for line in lines)
        if equals
    }
    assert found["requestcpus"] == "MY.DaskWorkerCores"
    assert found["my.daskworkercores"] == "1"
    assert found["my.daskworkermemory"] == str(2 * 2**30)
    assert found["should_transfer_files"] == "no"
    assert found["executable"] == "/bin/sh"
    assert found["logdirectory"] == str(logs)
    assert found["error"] == "$(LogDirectory)/worker-$F(MY.JobId).err"
    shell = found["arguments"]
    assert shell.startswith("\"-c 'module load python; export A=''b c''; ")
    assert f"{sys.executable} -m distributed.cli.dask_worker tcp://127.0.0.1:" in shell
    assert "--death-timeout 300" in shell


def test_it_starts_on_an_access_point_only(tmp_path: Path) -> None:
    done = run(tmp_path / "none")
    said = "condor_submit is not on PATH: start this on an access point of the pool\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


def test_jobs_that_are_not_taken(tmp_path: Path) -> None:
    done = run(tmp_path, condor_submit="echo 'ERROR: no such schedd' >&2; exit 1")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[1:] == [
        "condor_submit did not take a job: ERROR: no such schedd"
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("queue", "held"), [("", ""), ("echo 5", " or are held")], ids=["ended", "held"]
)
def test_jobs_that_become_no_workers(tmp_path: Path, queue: str, held: str) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "worker-6.0.err").write_text("")
    (logs / "worker-7.0.err").write_text("Traceback\nModuleNotFoundError: no dask\n\n")
    done = run(
        tmp_path,
        *("--workers", "1", "--log-directory", str(logs)),
        condor_submit=SUBMITTED,
        condor_rm="exit 0",
        # The first answer is that the job is idle.
        condor_q=f"test -e {tmp_path}/asked || echo 1; touch {tmp_path}/asked; {queue}",
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "waiting for a worker; condor_q shows the jobs",
        f"all 1 jobs have ended{held}, no worker has come;"
        f" {logs}/worker-7.0.err ends with: ModuleNotFoundError: no dask",
    ]
