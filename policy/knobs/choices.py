"""Says which words, numbers and forms a macro takes, if not any, and which macro bounds another.

Follows: the manual and the names that the programs of 25.14.1 hold; where a daemon ends at another
value, ``policy.knobs.readers`` says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from classad.builtins.pcre import compile_pattern
from classad.errors import suggest
from classad.patterns import any_of, late_regex

#: Categories and flags of a log, as the library of 25.14.1 spells them.
LOG_CATEGORIES: Final = (
    *("D_ALWAYS", "D_ERROR", "D_STATUS", "D_ZKM", "D_JOB", "D_MACHINE", "D_CONFIG", "D_PROTOCOL"),
    *("D_PRIV", "D_DAEMONCORE", "D_FULLDEBUG", "D_SECURITY", "D_COMMAND", "D_MATCH", "D_NETWORK"),
    *("D_KEYBOARD", "D_PROCFAMILY", "D_IDLE", "D_THREADS", "D_ACCOUNTANT", "D_SYSCALLS", "D_CRON"),
    *("D_HOSTNAME", "D_PERF_TRACE", "D_LOAD", "D_AUDIT", "D_TEST", "D_STATS", "D_MATERIALIZE"),
    *("D_PID", "D_FDS", "D_TIMESTAMP", "D_SUB_SECOND", "D_CAT", "D_CATEGORY", "D_LEVEL", "D_IDENT"),
    *("D_NOHEADER", "D_BACKTRACE", "D_FAILURE", "D_ALL", "D_ANY"),
)
#: Categories of the past, which are passed over without harm.
_OLD_CATEGORIES: Final = (
    *("D_CKPT", "D_EXPR", "D_LOG", "D_NFS", "D_NODATE", "D_PROC", "D_UPDOWN", "D_DYE", "D_SECONDS"),
)
#: What turns something on or off, case-folded, and names no file and no host.
SWITCHES: Final = frozenset(("true", "false", "yes", "no", "on", "off"))
_SWITCH: Final = ("True", "False", "T", "F", "Yes", "No", "1", "0")
_FORMATS: Final = ("XML", "JSON", "CLASSAD", "LEGACY", "UTC", "ISO_DATE", "SUB_SECOND")


class Choice(NamedTuple):
    """The words that macros of some names take, whatever their case.

    ``many``: any number of them, between commas and blanks.  ``otherwise`` says what becomes of
    another word; ``ends`` is the daemon that ends at it, if one does.
    """

    macros: re.Pattern[str]
    words: tuple[str, ...]
    otherwise: str
    many: bool = False
    ends: str = ""

    def strange(self, items: Iterable[str]) -> list[str]:
        """The items that are none of the words."""
        known = {word.casefold() for word in (*self.words, *_OLD_CATEGORIES)}
        return [item for item in items if item.casefold() not in known]


def _choice(macros: str, *words: str, otherwise: str, many: bool = False, ends: str = "") -> Choice:
    return Choice(late_regex(macros, re.IGNORECASE), words, otherwise, many, ends)


CHOICES: Final = (
    _choice(
        r"(STARTD|SCHEDD|BENCHMARKS)_CRON_\w+_MODE|BENCHMARKS_\w+_MODE",
        *("Periodic", "WaitForExit", "OneShot", "OnDemand"),
        otherwise="the job is not started",
    ),
    _choice(
        "STARTD_CRON_AUTOPUBLISH", "Never", "Always", "If_Changed",
        otherwise="`NEVER` counts",
    ),
    _choice(
        "HANDLE_QUERY_IN_PROC_POLICY",
        *("always", "never", "true", "false", "small_table", "small_query"),
        *("small_table_and_query", "small_table_or_query"),
        otherwise="`SMALL_TABLE_OR_QUERY` counts",
    ),
    _choice(
        "DEFRAG_DRAINING_SCHEDULE", "graceful", "quick", "fast",
        otherwise="condor_defrag ends when it reads this", ends="DEFRAG",
    ),
    _choice(
        r"(STARTD|SCHEDD)_CRON_\w+_(RECONFIG|RECONFIG_RERUN|KILL)",
        *_SWITCH,
        otherwise="it is passed over",
    ),
    _choice(
        "CGROUP_MEMORY_LIMIT_POLICY", "hard", "soft", "custom", "none",
        otherwise="the memory of jobs is not limited",
    ),
    _choice(
        "VM_TYPE", "kvm", "xen",
        otherwise="the machine takes no job of the vm universe",
    ),
    _choice(
        "JOB_DEFAULT_NOTIFICATION", "never", "always", "complete", "error",
        otherwise="condor_submit does not take it",
    ),
    _choice(
        "DEFAULT_UNIVERSE", "vanilla", "docker", "container", "scheduler", "local", "parallel",
        *("grid", "java", "vm", "mpi", *map(str, range(1, 14))),
        otherwise="condor_submit ends with it, for a job that names no universe",
    ),
    _choice(
        "MASTER_NEW_BINARY_RESTART", "graceful", "peaceful", "never", "fast",
        otherwise="condor_master uses `graceful`",
    ),
    _choice(
        "JOB_(EXECDIR|SPOOL)_PERMISSIONS", "user", "group", "world",
        otherwise="`user` counts",
    ),
    _choice(
        "SLOT_CONFIG_FAILURE_MODE", "CLEAR", "CONTINUE", "ABORT",
        otherwise="`CONTINUE` counts",
    ),
    _choice(
        "ENABLE_STARTD_DAEMON_AD", *_SWITCH, "auto",
        otherwise="`auto` counts",
    ),
    _choice(
        "LVM_HIDE_MOUNT", *_SWITCH, "auto",
        otherwise="`auto` counts",
    ),
    _choice(
        "STARTD_PRINT_ADS_FILTER", "static", "partitionable", "dynamic",
        otherwise="it is passed over", many=True,
    ),
    _choice(
        "LINUX_HIBERNATION_METHOD", "pm-utils", "/sys", "/proc",
        otherwise="the machine does not hibernate",
    ),
    _choice(
        "(EVENT_LOG|DEFAULT_USERLOG)_FORMAT_OPTIONS", *_FORMATS,
        otherwise="it is passed over", many=True,
    ),
    _choice(
        r"(ALL|MASTER|COLLECTOR|NEGOTIATOR|SCHEDD|STARTD|STARTER|SHADOW|TOOL|SUBMIT|GRIDMANAGER|"
        r"JOB_ROUTER|CREDD|SHARED_PORT|DEFRAG|HAD|REPLICATION|ROOSTER|GANGLIAD|DEFAULT)_DEBUG",
        *LOG_CATEGORIES,
        otherwise="there is no such category, and nothing is logged for it", many=True,
    ),
)  # fmt: skip
#: The macros of any of them.
HAS_CHOICE: Final = any_of((choice.macros for choice in CHOICES), re.IGNORECASE)
#: What a job of a daemon's cron is described by, behind ``STARTD_CRON_<name>_``.
CRON_PARTS: Final = (
    *("EXECUTABLE", "ARGS", "ENV", "CWD", "MODE", "PERIOD", "PREFIX", "SLOTS", "RECONFIG", "KILL"),
    *("RECONFIG_RERUN", "JOB_LOAD", "CONDITION", "METRICS"),
)
#: Programs around the work and the jobs of a machine and of the job router, behind the keyword and
#: ``_HOOK_``; and what may stand behind each.
HOOKS: Final = (
    *("FETCH_WORK", "REPLY_FETCH", "EVICT_CLAIM", "PREPARE_JOB", "PREPARE_JOB_BEFORE_TRANSFER"),
    *("UPDATE_JOB_INFO", "JOB_EXIT", "SHADOW_PREPARE_JOB"),
    *("TRANSLATE_JOB", "JOB_FINALIZE", "JOB_CLEANUP"),
)
_HOOKS: Final = tuple(f"{name}{part}" for part in ("", "_ARGS", "_TIMEOUT") for name in HOOKS)
#: What condor_gpu_discovery may be told, for what a slot gets; each may be cut.
DISCOVERY: Final = (
    *("properties", "extra", "dynamic", "mixed", "nested", "not-nested", "device", "tag", "prefix"),
    *("cuda", "hip", "opencl", "uuid", "short-uuid", "by-index", "simulate", "config", "repeat"),
    *("divide", "packed", "cron", "help", "verbose", "diagnostic", "nvcuda", "cudart"),
    "dirty-environment",
)
#: What every machine has, under each of its names, and no resource may be called as.
RESERVED: Final = late_regex(
    r"MACHINE_RESOURCE_(?:INVENTORY_)?(CPUS?|MEM(?:ORY)?|RAM|SWAP|DISK)", re.IGNORECASE
)
#: How long between two runs of a job; condor_startd does not start it with another text.
#: What follows the first letter of a unit is passed over, as in `5min`.
CRON_PERIOD: Final = late_regex(r"-?\d+(?:[smh].*)?", re.IGNORECASE)
CRON_PERIODS: Final = late_regex(r"(STARTD|SCHEDD|BENCHMARKS)_CRON_\w+_PERIOD", re.IGNORECASE)
#: Macros of which the first may not be greater than the second, if both are set.
_ORDERED: Final = (
    *((f"{way}LOWPORT", f"{way}HIGHPORT") for way in ("", "IN_", "OUT_")),
    ("NEGOTIATOR_MIN_INTERVAL", "NEGOTIATOR_INTERVAL"),
    ("NEGOTIATOR_MAX_TIME_PER_PIESPIN", "NEGOTIATOR_MAX_TIME_PER_SUBMITTER"),
    ("NEGOTIATOR_MAX_TIME_PER_SUBMITTER", "NEGOTIATOR_MAX_TIME_PER_CYCLE"),
    ("NEGOTIATOR_MAX_TIME_PER_PIESPIN", "NEGOTIATOR_MAX_TIME_PER_CYCLE"),
    ("MAX_JOBS_PER_SUBMISSION", "MAX_JOBS_PER_OWNER"),
    ("MAX_JOBS_PER_OWNER", "MAX_JOBS_SUBMITTED"),
    ("UPDATE_INTERVAL", "CLASSAD_LIFETIME"),
    ("MASTER_UPDATE_INTERVAL", "CLASSAD_LIFETIME"),
    ("SCHEDD_INTERVAL", "CLASSAD_LIFETIME"),
    ("MIN_TRACKING_GID", "MAX_TRACKING_GID"),
    ("PERIODIC_EXPR_INTERVAL", "MAX_PERIODIC_EXPR_INTERVAL"),
    ("SCHEDD_CLUSTER_INITIAL_VALUE", "SCHEDD_CLUSTER_MAXIMUM_VALUE"),
    ("COLLECTOR_QUERY_WORKERS_RESERVE_FOR_HIGH_PRIO", "COLLECTOR_QUERY_WORKERS"),
    ("HA_POLL_PERIOD", "HA_LOCK_HOLD_TIME"),
)
#: The upper bounds of a macro, by its case-folded name.
UPPER_BOUNDS: Final[dict[str, list[str]]] = {}
for _low, _high in _ORDERED:
    UPPER_BOUNDS.setdefault(_low.casefold(), []).append(_high)
#: Numbers that have bounds of their own, whatever a daemon says of them.
BOUNDS: Final = (
    (late_regex(r"\w*RENICE_INCREMENT", re.IGNORECASE), 0, 19, "a nice value"),
    (
        late_regex(r"(\w*_)?(LOWPORT|HIGHPORT)|COLLECTOR_PORT|SHARED_PORT_PORT", re.IGNORECASE),
        0, 65535, "a port",
    ),
)  # fmt: skip


def hook(macro: str) -> str | None:
    """The hook that one of a keyword means: SITE_HOOK_PREPAREJOB."""
    keyword, mark, name = macro.upper().rpartition("_HOOK_")
    if not (keyword and mark) or name in _HOOKS:
        return None
    bare = name.replace("_", "")
    meant = next((one for one in _HOOKS if one.replace("_", "") == bare), None)
    words = sorted(name.split("_"))
    meant = meant or next((one for one in _HOOKS if sorted(one.split("_")) == words), None)
    meant = meant or suggest(name, _HOOKS) or _of_first_word(name)
    return None if meant is None else macro[: len(macro) - len(name)] + meant


def _of_first_word(name: str) -> str | None:
    """The hook that alone begins with the same word: FETCH_JOB is FETCH_WORK."""
    begin = f"{name.partition('_')[0]}_"
    alike = [one for one in HOOKS if one.startswith(begin)]
    return alike[0] if alike and all(one.startswith(alike[0]) for one in alike) else None


# --- texts that have a form ----------------------------------------------------------------------

_LOAD: Final = late_regex(
    r"((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(?:\s+to\s+((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?))?"
)
#: A command with its arguments in double quotes, in which both kinds of quotes are doubled.
_COMMAND: Final = late_regex(r'"(?:[^"\']|""|\'(?:[^\'"]|\'\'|"")*\')*"')
#: Spans of time, a name and a number of seconds each: the name is all before the colon.
SPANS: Final = late_regex(r"[\s,]*(?:[^:]*:\s*[+-]?\d+(?![^\s,])[\s,]*)*$")
NO_SPANS: Final = "it is a list of names and seconds, as in `1m:60 1h:3600`"
_NUMBER: Final = r"[+-]?\d+"
_USER: Final = rf"[^\s,=]*={_NUMBER},{_NUMBER}(?:,(?:\?\S*|(?:{_NUMBER}(?:,{_NUMBER})*)?,?))?"
#: Users, the numbers of each and of its groups: blanks stand between users only.
USERS: Final = late_regex(rf"(?:{_USER}(?: +{_USER})*)? *$")
NO_USERS: Final = "it is users with the numbers of user and groups, as in `alice=1000,1000`"


def _is_load(text: str) -> bool:
    """Is it a load, or a lower and a higher one?"""
    found = _LOAD.fullmatch(text)
    return found is not None and (found[2] is None or float(found[1]) <= float(found[2]))


#: Whose text it is, what may be written, and what anything else is.
FORMS: Final[Mapping[str, tuple[str, Callable[[str], bool], str]]] = {
    "QUEUE_SUPER_USER_MAY_IMPERSONATE": (
        "SCHEDD",
        lambda text: not text or compile_pattern(text, "") is not None,
        "not a regular expression",
    ),
    "FILE_TRANSFER_DISK_LOAD_THROTTLE": (
        "SCHEDD",
        lambda text: not text or _is_load(text),
        "neither a load, as `2.0` is, nor a lower and a higher one, as `2.0 to 3.0`",
    ),
    "TRANSFER_IO_REPORT_TIMESPANS": (
        "SCHEDD",
        lambda text: SPANS.match(text) is not None,
        "no list of names and seconds, as `1m:60 1h:3600` is",
    ),
    "PREEN_INTERVAL": (
        "MASTER",
        lambda text: not text or bool(text.strip("+0")),
        "no time between two runs; `PREEN =` without a program turns condor_preen off",
    ),
    "ROOSTER_WAKEUP_CMD": (
        "ROOSTER",
        lambda text: _COMMAND.fullmatch(text) is not None,
        'no command in double quotes, as `"$(BIN)/condor_power -d -i"` is',
    ),
}
