"""Makes random traffic in a small real pool, by seed: submissions, removals, factors.

Inputs: the folder of a pool that ``live_pool.sh`` started; ROOT in the environment.  Outputs: what
it did, a line each.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

SCRIPT = Path(__file__).with_name("live_pool.sh")
USERS = ("alice", "bob", "carol", "dave", "erin")
GROUPS = ("", "", "", "group_a.sub", "group_a", "group_b")
#: A configuration that has a little of everything.
EXTRA = """\
GROUP_NAMES = group_a, group_a.sub, group_b
GROUP_QUOTA_DYNAMIC_group_a = 0.5
GROUP_QUOTA_DYNAMIC_group_a.sub = 0.5
GROUP_QUOTA_group_b = 20
GROUP_ACCEPT_SURPLUS = True
LICENSE_LIMIT = 3
PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2
"""


def pool(verb: str, folder: Path, *words: str, text: str = "", **environment: str) -> str:
    """Run ``live_pool.sh``."""
    done = subprocess.run(
        ["bash", str(SCRIPT), verb, str(folder), *words],
        input=text,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
        timeout=600,
    )
    if done.returncode:
        raise RuntimeError(f"{verb} {' '.join(words)}: {done.stdout}{done.stderr}")
    return done.stdout


class Traffic:
    """Random traffic; ``schedds``: how many the pool has."""

    def __init__(self, folder: Path, seed: int, schedds: int = 1, *, grouped: bool = True) -> None:
        self.folder = folder
        self.random = Random(seed)
        self.schedds = schedds
        self.groups = GROUPS if grouped else ("",)
        #: Seconds that jobs run: pools of odd seeds are livelier.
        self.lengths = (5, 20, 40, 90) if seed % 2 else (60, 200, 600)

    def burst(self) -> Iterator[str]:
        """A few actions."""
        for _ in range(self.random.choice((0, 0, 1, 1, 2, 3))):
            act = self.random.choice(
                (self.submit, self.submit, self.submit, self.remove, self.weigh)
            )
            yield act()

    def submit(self) -> str:
        """Some jobs of a user."""
        choose = self.random.choice
        user, group = choose(USERS), choose(self.groups)
        lines = {
            "executable": "/bin/sleep",
            "arguments": str(choose(self.lengths)),
            "request_cpus": str(choose((1, 1, 1, 2, 4))),
            "request_memory": str(choose((128, 512, 2048, 4096))),
            "request_disk": "1000",
            "rank": choose(("0", "Memory", "-SlotID", "Cpus")),
            "priority": str(choose((0, 0, 0, 5, -3))),
        }
        if group:
            lines["accounting_group"] = group
        if self.random.random() < 0.15:
            lines["concurrency_limits"] = "license"
        if self.random.random() < 0.2:
            lines["requirements"] = choose(("Node > 1", "Cpus >= 4", "Node =!= 4"))
        count = choose((1, 2, 5, 12))
        text = "".join(f"{name} = {value}\n" for name, value in lines.items())
        schedd = f"s{self.random.randint(1, self.schedds)}@live.test"
        ids = pool("submit", self.folder, user, "-name", schedd, text=f"{text}queue {count}\n")
        return f"{user} submits {ids.strip()} to {schedd}"

    def remove(self) -> str:
        """All jobs of a user with one schedd."""
        user = self.random.choice(USERS)
        schedd = f"s{self.random.randint(1, self.schedds)}@live.test"
        try:
            pool("run", self.folder, "root", "condor_rm", "-name", schedd, user)
        except RuntimeError:
            return f"{user} has no jobs with {schedd}"
        return f"{user} removes the jobs with {schedd}"

    def weigh(self) -> str:
        """The priority factor of a user."""
        user, factor = self.random.choice(USERS), self.random.choice(("500", "1000", "3000"))
        pool(
            "run",
            self.folder,
            "condor",
            "condor_userprio",
            "-setfactor",
            f"{user}@live.test",
            factor,
        )
        return f"{user} has factor {factor}"
