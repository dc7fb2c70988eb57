"""Makes rough traffic in a real pool, by seed: what administrators and many users do at once.

Thirty users with and without groups, eight machines of several kinds; late materialization,
concurrency limits, holds, edits, drains, factors, floors, ceilings.  Every seed has a policy of its
own: quotas, surplus, preemption by priority and by the ranks of machines, ranks of the negotiator.

Inputs: the folder of a pool, a seed.  Outputs: a configuration, machines, lines of what was done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from tests.live.traffic import Traffic, pool

USERS = tuple(f"u{number:02}" for number in range(1, 31))
GROUPS = ("group_a", "group_a.sub", "group_a.dev", "group_b", "group_b.x", "group_c")
LIMITS = ("license", "license:2", "tool", "tool,license", "sw.matlab", "half:0.5")
MACHINES = ("n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8")
#: As ``live_pool.sh`` reads them: name cpus memory partitionable START RANK.
NODES = """\
n1 16 65536 1 TRUE 0
n2 8 32768 1 TRUE 0
n3 32 262144 1 TARGET.RequestMemory>=2048 TARGET.RequestMemory
n4 8 16384 0 TRUE 0
n5 4 8192 0 TARGET.RequestMemory<=2048 (TARGET.Owner=="u05")
n6 12 49152 1 TRUE (TARGET.AcctGroup=?="group_b")*10
n7 4 4096 1 TARGET.JobPrio>=0 0
n8 2 8192 0 TRUE TARGET.JobPrio
"""
_CONFIG = """\
GROUP_NAMES = group_a, group_a.sub, group_a.dev, group_b, group_b.x, group_c
GROUP_QUOTA_DYNAMIC_group_a = 0.4
GROUP_QUOTA_DYNAMIC_group_a.sub = 0.5
GROUP_QUOTA_DYNAMIC_group_a.dev = 0.2
GROUP_QUOTA_group_b = 20
GROUP_QUOTA_group_b.x = 8
GROUP_QUOTA_DYNAMIC_group_c = 0.1
LICENSE_LIMIT = 3
TOOL_LIMIT = 5
SW_LIMIT = 4
HALF_LIMIT = 2
CONCURRENCY_LIMIT_DEFAULT = 6
SCHEDD_ALLOW_LATE_MATERIALIZE = True
MAXJOBRETIREMENTTIME = 15
"""
#: Of each line one is chosen by the seed.
_CHOICES = (
    ("GROUP_ACCEPT_SURPLUS = True", "GROUP_ACCEPT_SURPLUS = False"),
    ("GROUP_ACCEPT_SURPLUS_group_c = False", "GROUP_AUTOREGROUP_group_b = True", ""),
    (
        "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2",
        "PREEMPTION_REQUIREMENTS = (CurrentTime - EnteredCurrentState) > 30"
        " && RemoteUserPrio > SubmitterUserPrio",
        "PREEMPTION_REQUIREMENTS = SubmitterGroup =!= RemoteGroup"
        " && RemoteGroupResourcesInUse > RemoteGroupQuota",
    ),
    ("PREEMPTION_RANK = -TotalJobRunTime", "PREEMPTION_RANK = RemoteUserPrio * 1000 - Cpus", ""),
    ("ALLOW_PSLOT_PREEMPTION = True", "", ""),
    ("NEGOTIATOR_CONSIDER_EARLY_PREEMPTION = True", ""),
    ("NEGOTIATOR_PRE_JOB_RANK = -SlotID", "NEGOTIATOR_PRE_JOB_RANK = 0", "", ""),
    ("NEGOTIATOR_POST_JOB_RANK = -Cpus", "NEGOTIATOR_POST_JOB_RANK = Node", ""),
    ("SLOT_WEIGHT = Cpus + Memory / 8192", "SLOT_WEIGHT = Cpus", ""),
    ("NEGOTIATOR_DEPTH_FIRST = True", "", ""),
    ("GROUP_PRIO_FACTOR_group_a = 300", "NICE_USER_PRIO_FACTOR = 50000", ""),
    ('GROUP_SORT_EXPR = ifThenElse(AccountingGroup=="<none>", 0, GroupQuota)', "", ""),
    ("CLAIM_PARTITIONABLE_LEFTOVERS = False", "", ""),
    ("NEGOTIATOR_CYCLE_DELAY = 1\nNEGOTIATOR_USE_WEIGHTED_DEMAND = False", "", ""),
)


def configuration(seed: int) -> str:
    """The policy of a seed."""
    random = Random(f"policy {seed}")
    return _CONFIG + "".join(f"{random.choice(lines)}\n" for lines in _CHOICES)


class Rough(Traffic):
    """Rough traffic; ``schedds``: how many the pool has."""

    def __init__(self, folder: Path, seed: int, schedds: int = 2) -> None:
        super().__init__(folder, seed, schedds)
        self.lengths = (60, 300, 900, 1800, 3600)
        self.filled = False

    def burst(self) -> Iterator[str]:
        """A few actions."""
        often: tuple[Callable[[], str], ...] = (self.submit,) * 8
        acts = (*often, self.make, self.make, self.remove, self.hold, self.edit, self.weigh,
                self.weigh, self.account, self.drain)  # fmt: skip
        # The first burst fills the pool; now and then nobody does anything.
        count = self.random.choice((0, 0, 1, 1, 2, 3, 4)) if self.filled else 40
        self.filled = True
        for _ in range(count):
            yield self.random.choice(acts)()

    def schedd(self) -> str:
        return f"s{self.random.randint(1, self.schedds)}@live.test"

    def lines(self) -> dict[str, str]:
        """What a submission asks for."""
        choose, chance = self.random.choice, self.random.random
        lines = {
            "executable": "/bin/sleep",
            "arguments": str(choose(self.lengths)),
            "request_cpus": str(choose((1, 1, 1, 1, 2, 3, 4, 8))),
            "request_memory": str(choose((64, 128, 512, 2048, 4096, 20000))),
            "request_disk": "1000",
            "rank": choose(("0", "Memory", "-SlotID", "Cpus", "Node * 2", "KFlops")),
            "priority": str(choose((0, 0, 0, 5, -3))),
        }
        if chance() < 0.5:
            lines["accounting_group"] = choose(GROUPS)
        if chance() < 0.2:
            lines["concurrency_limits"] = choose(LIMITS)
        if chance() < 0.25:
            lines["requirements"] = choose(
                ("Node > 1", "Cpus >= 4", "Node =!= 4", "TARGET.Memory > 8000", "Node % 2 == 0",
                 'TARGET.Machine =!= MY.LastRemoteHost && Node < 7')
            )  # fmt: skip
        if chance() < 0.05:
            lines["nice_user"] = "true"
            lines.pop("accounting_group", None)
        return lines

    def submit(self) -> str:
        """Some jobs of a user."""
        return self._submit(self.lines(), self.random.choice((1, 1, 2, 3, 6, 12)))

    def make(self) -> str:
        """A factory: a few jobs of many at a time."""
        limit = self.random.choice(("max_idle", "max_materialize"))
        lines = {**self.lines(), limit: str(self.random.choice((1, 2, 5)))}
        return f"factory: {self._submit(lines, self.random.choice((8, 20, 40)))}"

    def _submit(self, lines: dict[str, str], count: int) -> str:
        text = "".join(f"{name} = {value}\n" for name, value in lines.items())
        user, schedd = self.random.choice(USERS), self.schedd()
        ids = pool("submit", self.folder, user, "-name", schedd, text=f"{text}queue {count}\n")
        return f"{user} submits {ids.strip()} to {schedd}: {lines}"

    def remove(self) -> str:
        """All jobs of a user with one schedd."""
        return self._run("root", "condor_rm", "-name", self.schedd(), self.random.choice(USERS))

    def hold(self) -> str:
        """Hold the jobs of a user, or release all that are held."""
        schedd, user = self.schedd(), self.random.choice(USERS)
        if self.random.random() < 0.5:
            return self._run("root", "condor_hold", "-name", schedd, user)
        return self._run("root", "condor_release", "-name", schedd, "-all")

    def edit(self) -> str:
        """Change what jobs ask for."""
        change = self.random.choice((("JobPrio", "7"), ("RequestMemory", "300"), ("Rank", "Cpus")))
        user = self.random.choice(USERS)
        return self._run("root", "condor_qedit", "-name", self.schedd(), user, *change)

    def weigh(self) -> str:
        """The priority factor of a submitter."""
        factor = self.random.choice(("500", "1000", "3000", "20000"))
        return self._run("condor", "condor_userprio", "-setfactor", self._submitter(), factor)

    def account(self) -> str:
        """A floor, a ceiling or a priority of a submitter."""
        what, number = self.random.choice(
            (("-setceil", "6"), ("-setceil", "-1"), ("-setfloor", "3"), ("-setprio", "40"))
        )
        return self._run("condor", "condor_userprio", what, self._submitter(), number)

    def drain(self) -> str:
        """Drain a machine, or let one be used again."""
        machine = f"slot1@{self.random.choice(MACHINES)}@cm.live.test"
        how = self.random.choice((("-graceful",), ("-quick",), ("-cancel",), ("-cancel",)))
        return self._run("condor", "condor_drain", *how, machine)

    def _submitter(self) -> str:
        """A user, or one in a group."""
        user = f"{self.random.choice(USERS)}@live.test"
        if self.random.random() < 0.6:
            return user
        return f"{self.random.choice(GROUPS)}.{user}"

    def _run(self, user: str, *words: str) -> str:
        try:
            pool("run", self.folder, user, *words)
        except RuntimeError as problem:
            return f"{' '.join(words)}: {str(problem).strip()[-160:]}"
        return " ".join(words)
