"""What an administrator knows of names: which knobs are integers, which attributes are in which ad.

Written by hand from the manual, apart from the tables of ``policy``: those are what is judged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_RECORDED: Final = Path(__file__).parents[2] / "tests" / "vectors" / "config" / "defaults.json"
#: Knobs that a daemon reads as an integer when it starts.
INTEGERS: Final = (
    "NEGOTIATOR_INTERVAL", "NEGOTIATOR_CYCLE_DELAY", "NEGOTIATOR_MIN_INTERVAL",
    "NEGOTIATOR_MAX_TIME_PER_SUBMITTER", "NEGOTIATOR_MAX_TIME_PER_PIESPIN",
    "NEGOTIATOR_MAX_TIME_PER_CYCLE", "MAX_JOBS_RUNNING", "MAX_JOBS_SUBMITTED",
    "MAX_JOBS_PER_OWNER", "MAX_JOBS_PER_SUBMISSION", "JOB_START_DELAY", "JOB_START_COUNT",
    "SCHEDD_INTERVAL", "SCHEDD_MIN_INTERVAL", "PERIODIC_EXPR_INTERVAL",
    "MAX_PERIODIC_EXPR_INTERVAL", "NUM_CPUS", "MEMORY", "STARTD_NOCLAIM_SHUTDOWN",
    "COLLECTOR_QUERY_WORKERS", "SCHEDD_QUERY_WORKERS",
)  # fmt: skip
#: Knobs that a daemon reads as a boolean when it starts.
BOOLEANS: Final = (
    "NEGOTIATOR_CONSIDER_PREEMPTION", "NEGOTIATOR_CONSIDER_EARLY_PREEMPTION",
    "NEGOTIATOR_USE_SLOT_WEIGHTS", "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION",
    "NEGOTIATOR_INFORM_STARTD", "NEGOTIATOR_DEPTH_FIRST", "GROUP_ACCEPT_SURPLUS",
    "GROUP_AUTOREGROUP", "ALLOW_PSLOT_PREEMPTION", "CLAIM_PARTITIONABLE_LEFTOVERS",
)  # fmt: skip
#: Knobs in seconds where a few hours or days are usual.
SECONDS: Final = (
    "MAXJOBRETIREMENTTIME", "PRIORITY_HALFLIFE", "CLAIM_WORKLIFE", "SHADOW_WORKLIFE",
    "OFFLINE_EXPIRE_ADS_AFTER",
)  # fmt: skip
#: Knobs that hold an expression.
EXPRESSIONS: Final = re.compile(
    r"START|RANK|PREEMPT|SUSPEND|CONTINUE|KILL|WANT_HOLD|WANT_SUSPEND|MAXJOBRETIREMENTTIME"
    r"|SYSTEM_PERIODIC_(?:HOLD|REMOVE|RELEASE|VACATE)|PREEMPTION_(?:REQUIREMENTS|RANK)"
    r"|NEGOTIATOR_(?:PRE|POST)_JOB_RANK|NEGOTIATOR_(?:SLOT|JOB|SUBMITTER)_CONSTRAINT"
    r"|GROUP_SORT_EXPR|SLOT_WEIGHT|DEFRAG_(?:REQUIREMENTS|RANK|WHOLE_MACHINE_EXPR)"
)
#: Prefixes of families whose members are named by the site; the underscore at the end is needed.
FAMILIES: Final = re.compile(
    r"GROUP_QUOTA_DYNAMIC_|GROUP_QUOTA_(?!DYNAMIC|MAX|ROUND)|GROUP_ACCEPT_SURPLUS_|GROUP_PRIO_FACTOR_"
    r"|NUM_SLOTS_TYPE_|SLOT_TYPE_|CONCURRENCY_LIMIT_DEFAULT_|STARTD_CRON_(?!JOBLIST|MAX)",
    re.IGNORECASE,
)
#: Knobs that are lists of names, which take no quotes.
LISTS: Final = (
    "GROUP_NAMES", "STARTD_ATTRS", "SUBMIT_ATTRS", "DAEMON_LIST", "JOB_TRANSFORM_NAMES",
    "SUBMIT_REQUIREMENT_NAMES", "STARTD_CRON_JOBLIST", "SYSTEM_PERIODIC_HOLD_NAMES",
    "COLLECTOR_HOST", "ALLOW_WRITE", "ALLOW_DAEMON", "SEC_DEFAULT_AUTHENTICATION_METHODS",
    "SCHEDD_CLASSAD_USER_MAP_NAMES", "DOCKER_VOLUMES", "MACHINE_RESOURCE_NAMES",
)  # fmt: skip
#: Knobs that only one daemon reads, and that daemon.
READERS: Final[Mapping[str, str]] = {
    "PREEMPTION_REQUIREMENTS": "NEGOTIATOR",
    "PREEMPTION_RANK": "NEGOTIATOR",
    "NEGOTIATOR_INTERVAL": "NEGOTIATOR",
    "NEGOTIATOR_POST_JOB_RANK": "NEGOTIATOR",
    "GROUP_NAMES": "NEGOTIATOR",
    "PRIORITY_HALFLIFE": "NEGOTIATOR",
    "SYSTEM_PERIODIC_HOLD": "SCHEDD",
    "SYSTEM_PERIODIC_REMOVE": "SCHEDD",
    "MAX_JOBS_RUNNING": "SCHEDD",
    "JOB_TRANSFORM_NAMES": "SCHEDD",
    "START": "STARTD",
    "RANK": "STARTD",
    "PREEMPT": "STARTD",
    "NUM_CPUS": "STARTD",
    "CLAIM_WORKLIFE": "STARTD",
    "STARTD_ATTRS": "STARTD",
}
#: Further knobs whose names may be misspelt.
ONE_DAEMON: Final = (
    "PREEMPTION_REQUIREMENTS", "PREEMPTION_RANK", "NEGOTIATOR_POST_JOB_RANK",
    "NEGOTIATOR_PRE_JOB_RANK", "GROUP_NAMES", "PRIORITY_HALFLIFE", "SYSTEM_PERIODIC_HOLD",
    "SYSTEM_PERIODIC_REMOVE", "MAXJOBRETIREMENTTIME", "CLAIM_WORKLIFE", "STARTD_ATTRS",
    "SUSPEND", "CONTINUE", "SEC_DEFAULT_AUTHENTICATION", "DEFAULT_PRIO_FACTOR",
)  # fmt: skip
#: Knob -> those that do nothing without it.
COMPANIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "NUM_SLOTS_TYPE_1": ("SLOT_TYPE_1", "SLOT_TYPE_1_PARTITIONABLE"),
    "NUM_SLOTS_TYPE_2": ("SLOT_TYPE_2", "SLOT_TYPE_2_PARTITIONABLE"),
    "ACCOUNTANT_LOCAL_DOMAIN": ("REMOTE_PRIO_FACTOR",),
    "CGROUP_MEMORY_LIMIT_POLICY": ("CGROUP_HARD_MEMORY_LIMIT_EXPR",),
    "WANT_SUSPEND": ("SUSPEND", "CONTINUE"),
    "ENABLE_PERSISTENT_CONFIG": ("STARTD.SETTABLE_ATTRS_ADMINISTRATOR",),
    "SYSTEM_PERIODIC_HOLD": ("SYSTEM_PERIODIC_HOLD_REASON",),
    "SYSTEM_PERIODIC_REMOVE": ("SYSTEM_PERIODIC_REMOVE_REASON",),
    "DEFRAG_DRAINING_MACHINES_PER_HOUR": ("DAEMON_LIST",),
}
#: Macros with a default in 25.14.1, as recorded; they may go without harm.
DEFAULTED: Final = frozenset(
    name.upper() for name in json.loads(_RECORDED.read_text(encoding="utf-8"))["params"]
)
#: Lists whose entries must be defined elsewhere.
ENTRIES: Final = (
    "STARTD_ATTRS", "JOB_TRANSFORM_NAMES", "SUBMIT_REQUIREMENT_NAMES", "STARTD_CRON_JOBLIST",
    "GROUP_NAMES", "SYSTEM_PERIODIC_HOLD_NAMES", "DOCKER_VOLUMES", "SUBMIT_ATTRS",
)  # fmt: skip
#: Knob -> a name that 25.14.1 does not read.
DEAD: Final[Mapping[str, str]] = {
    "ALLOW_WRITE": "HOSTALLOW_WRITE",
    "ALLOW_READ": "HOSTALLOW_READ",
    "ALLOW_ADMINISTRATOR": "HOSTALLOW_ADMINISTRATOR",
    "DENY_WRITE": "HOSTDENY_WRITE",
    "DEFRAG_DRAINING_SCHEDULE": "DEFRAG_SCHEDULE",
    "NUM_SLOTS": "NUM_VIRTUAL_MACHINES",
    "NUM_SLOTS_TYPE_1": "NUM_VIRTUAL_MACHINES_TYPE_1",
    "CGROUP_HARD_MEMORY_LIMIT_EXPR": "CGROUP_SOFT_MEMORY_LIMIT_EXPR",
}
_MACHINE: Final = (
    "KeyboardIdle LoadAvg CondorLoadAvg Cpus Memory Disk State Activity TotalMemory TotalCpus"
    " EnteredCurrentState EnteredCurrentActivity ClockMin ClockDay PartitionableSlot KFlops SlotID"
    " RemoteUserPrio RemoteOwner TotalJobRunTime RemoteGroup RemoteGroupQuota Offline"
    " RemoteGroupResourcesInUse TotalGPUs GPUs"
)
_JOB: Final = (
    "RequestMemory RequestCpus RequestDisk RequestGPUs Owner JobPrio JobUniverse JobStatus QDate"
    " EnteredCurrentStatus JobCurrentStartDate JobStartDate NumJobStarts HoldReasonCode AcctGroup"
    " NumSystemHolds ResidentSetSize MemoryUsage DiskUsage SubmitterUserPrio SubmitterGroup"
    " SubmitterGroupQuota SubmitterGroupResourcesInUse"
)
#: Attributes in lower case, and the ad that has them.
ATTRIBUTES: Final[Mapping[str, str]] = {
    **{name.lower(): "machine" for name in _MACHINE.split()},
    **{name.lower(): "job" for name in _JOB.split()},
    **dict.fromkeys(("accountinggroup", "groupquota", "groupresourcesinuse"), "group"),
}
