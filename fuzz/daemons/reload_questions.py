"""Lists what ``fuzz.daemons.reload`` asks: macros with two values, and how the effect is seen.

A round is one pool that runs: its questions do not get in each other's way.
"""

from __future__ import annotations

from typing import Final

from attr import frozen

#: The pool of all rounds, with short intervals.
BASE: Final = """\
RELEASE_DIR = /usr
LIB = /usr/lib/condor
LIBEXEC = /usr/libexec/condor
LOCAL_DIR = @DIR@
LOG = @DIR@/log
SPOOL = @DIR@/spool
EXECUTE = @DIR@/execute
RUN = @DIR@/run
LOCK = @DIR@/lock
LOCAL_CONFIG_DIR =
DAEMON_LIST = MASTER, COLLECTOR, NEGOTIATOR, SCHEDD, STARTD
CONDOR_HOST = 127.0.0.1
COLLECTOR_HOST = 127.0.0.1:@PORT0@
NETWORK_INTERFACE = 127.0.0.1
ENABLE_IPV6 = False
NO_DNS = True
DEFAULT_DOMAIN_NAME = ask.test
NETWORK_HOSTNAME = host.ask.test
UID_DOMAIN = ask.test
FILESYSTEM_DOMAIN = ask.test
USE_SHARED_PORT = False
use SECURITY : HOST_BASED
ALLOW_READ = *
ALLOW_WRITE = *
ALLOW_ADMINISTRATOR = *
ALLOW_NEGOTIATOR = *
ALLOW_DAEMON = *
ALLOW_ADVERTISE_MASTER = *
ALLOW_ADVERTISE_SCHEDD = *
ALLOW_ADVERTISE_STARTD = *
SEC_DEFAULT_AUTHENTICATION = OPTIONAL
SEC_DEFAULT_AUTHENTICATION_METHODS = FS, CLAIMTOBE
SEC_CLIENT_AUTHENTICATION_METHODS = FS, CLAIMTOBE
CGROUP_ALL_DAEMONS = False
BASE_CGROUP =
USE_PROCD = False
PROCD_ADDRESS = @DIR@/run/procd
ENABLE_KERNEL_TUNING = False
STARTD_ENFORCE_DISK_LIMITS = False
MOUNT_UNDER_SCRATCH =
RUNBENCHMARKS = False
STARTD_CRON_JOBLIST =
SCHEDD_CRON_JOBLIST =
CONDOR_ADMIN =
MAIL =
NUM_CPUS = 4
MEMORY = 4096
UPDATE_INTERVAL = 3
UPDATE_OFFSET = 0
MASTER_UPDATE_INTERVAL = 3
COLLECTOR_UPDATE_INTERVAL = 3
NEGOTIATOR_UPDATE_INTERVAL = 3
NEGOTIATOR_INTERVAL = 5
NEGOTIATOR_MIN_INTERVAL = 1
NEGOTIATOR_CYCLE_DELAY = 1
SCHEDD_INTERVAL = 3
SCHEDD_MIN_INTERVAL = 1
PERIODIC_EXPR_INTERVAL = 3
PRIORITY_HALFLIFE = 5000
"""


@frozen
class Question:
    """A macro, its two values, and the command whose output tells which of them counts; ``daemon``:
    whom that asks, where several read the macro."""

    macro: str
    values: tuple[str, str]
    look: str
    daemon: str = ""


@frozen
class Round:
    """Questions for one pool; ``more``: further lines for it, ``prepare``: a command at first."""

    name: str
    questions: tuple[Question, ...]
    more: str = ""
    prepare: str = "true"
    settle: float = 4.0

    def text(self, which: int) -> str:
        """The lines with the first or the second values."""
        lines = (f"{one.macro} = {one.values[which]}\n" for one in self.questions)
        return self.more + "".join(lines)


def _ad(kind: str, attribute: str) -> str:
    return f"condor_status {kind} -af {attribute} | head -1"


def _slot(macro: str, first: str, second: str, attribute: str) -> Question:
    return Question(macro, (first, second), f"condor_status -af {attribute} | head -1")


def _debug(daemon: str, log: str, before: str = "") -> Question:
    """Whether lines of a log have their category in front."""
    look = f"grep -ac '(D_ALWAYS' $DIR/log/{log} | sed 's/[1-9].*/some/'"
    return Question(f"{daemon}_DEBUG", (before, f"{before} D_CAT".strip()), look)


def _log(daemon: str, text: str) -> str:
    """Whether the newest line of a log that has a text has it in another way."""
    return f"grep -ah '{text}' $DIR/log/{daemon} | tail -1 | sed 's/.*{text}//'"


def _speed(kind: str) -> str:
    """Whether a daemon updates its ad at least twice in ten seconds."""
    look = f"condor_status {kind} -af UpdateSequenceNumber | head -1"
    return f"a=$({look}); sleep 10; b=$({look}); [ $((b - a)) -ge 2 ] && echo fast || echo slow"


def _file(path: str) -> str:
    return f"[ -s {path} ] && echo there || echo not there"


_SUBMIT: Final = (
    "printf 'executable=/bin/sleep\\narguments=600\\n{more}\\nqueue\\n' >s;"
    " condor_submit -terse s 2>&1"
)


def _submit(more: str = "") -> str:
    return _SUBMIT.format(more=more)


def _alone(*questions: Question, more: str = "", **fields: object) -> tuple[Round, ...]:
    """A round for each question."""
    return tuple(
        Round(one.macro.lower(), (one,), more, **fields)  # type: ignore[arg-type]
        for one in questions
    )


_SLOTS: Final = Round(
    "slots",
    (
        _slot("START", "true", 'Owner == "x"', "Start"),
        _slot("RANK", "0", "JobPrio", "Rank"),
        _slot("SLOT_WEIGHT", "Cpus", "Cpus + 1", "SlotWeight"),
        _slot("MAXJOBRETIREMENTTIME", "10", "20", "MaxJobRetirementTime"),
        _slot("MACHINEMAXVACATETIME", "10", "20", "MachineMaxVacateTime"),
        _slot("Alpha", "1", "2", "Alpha"),
        _slot("STARTD_ATTRS", "Alpha", "Alpha, Beta", "Beta"),
        _slot("STARTD_CRON_JOBLIST", "more", "more, here", "Here"),
        _debug("STARTD", "StartLog"),
        _debug("MASTER", "MasterLog"),
        _debug("COLLECTOR", "CollectorLog"),
        _slot("STARTD_CRON_more_ARGS", "More=1", "More=2", "More"),
        Question("STARTD_ADDRESS_FILE", ("@DIR@/run/one", "@DIR@/run/two"), _file("$DIR/run/two")),
    ),
    "STARTD_CRON_JOBLIST = more\nSTARTD_CRON_more_EXECUTABLE = /bin/echo\n"
    "STARTD_CRON_more_PERIOD = 2\nBeta = 5\nSTARTD_CRON_here_EXECUTABLE = /bin/echo\n"
    "STARTD_CRON_here_ARGS = Here=1\n"
    "STARTD_CRON_here_PERIOD = 2\n",
)
_SCHEDD: Final = Round(
    "schedd",
    (
        Question("MAX_JOBS_RUNNING", ("100", "7"), _ad("-schedd", "MaxJobsRunning")),
        Question("SCHEDD_ATTRS", ("Alpha", "Alpha, Beta"), _ad("-schedd", "Beta")),
        Question("START_LOCAL_UNIVERSE", ("true", "false"), _ad("-schedd", "StartLocalUniverse")),
        Question("START_SCHEDULER_UNIVERSE", ("true", "false"),
                 _ad("-schedd", "StartSchedulerUniverse")),
        Question("SCHEDD_CRON_JOBLIST", ("other", "other, here"), _ad("-schedd", "Here")),
        _debug("SCHEDD", "SchedLog"),
        Question("SYSTEM_PERIODIC_HOLD", ("false", "WantHold is true"),
                 "condor_q -all -af JobStatus -const 'WantHold is true'"),
        Question("SYSTEM_PERIODIC_REMOVE", ("false", "WantRemove is true"),
                 "condor_q -all -af JobStatus -const 'WantRemove is true'"),
        Question("SYSTEM_PERIODIC_RELEASE", ("false", "WantRelease is true"),
                 "condor_q -all -af JobStatus -const 'WantRelease is true'"),
        Question("JOB_TRANSFORM_u", ("SET Other 1", "SET Other 2"),
                 _submit("+Plain=1") + " >/dev/null; condor_q -all -af Other | tail -1"),
        Question("JOB_TRANSFORM_NAMES", ("u", "u, t"),
                 _submit("+Plain=1") + " >/dev/null; condor_q -all -af Transformed | tail -1"),
    ),
    "Alpha = 1\nBeta = 5\nSCHEDD_CRON_here_EXECUTABLE = /bin/echo\n"
    "SCHEDD_CRON_other_EXECUTABLE = /bin/true\nSCHEDD_CRON_other_PERIOD = 60\n"
    "SCHEDD_CRON_here_ARGS = Here=1\nSCHEDD_CRON_here_PERIOD = 2\nSTART = false\n"
    "JOB_TRANSFORM_t = SET Transformed 1\n",
    "; ".join((_submit("+WantHold=true"), _submit("+WantRemove=true"),
               _submit("+WantRelease=true\\nhold=true"))),
)  # fmt: skip
_QUOTAS: Final = "condor_userprio -allusers -all -l | grep -a '^AccountingGroup\\|^ConfigQuota'"
_NEGOTIATOR: Final = Round(
    "negotiator",
    (
        Question("PREEMPTION_REQUIREMENTS", ("false", "RemoteUserPrio > 5"),
                 _log("NegotiatorLog", "PREEMPTION_REQUIREMENTS = ")),
        Question("NEGOTIATOR_PRE_JOB_RANK", ("1", "2"),
                 _log("NegotiatorLog", "NEGOTIATOR_PRE_JOB_RANK = ")),
        Question("NEGOTIATOR_POST_JOB_RANK", ("1", "2"),
                 _log("NegotiatorLog", "NEGOTIATOR_POST_JOB_RANK = ")),
        Question("PREEMPTION_RANK", ("1", "2"), _log("NegotiatorLog", "PREEMPTION_RANK = ")),
        Question("PRIORITY_HALFLIFE", ("5000", "6000"), _log("NegotiatorLog", "HALFLIFE=")),
        Question("DEFAULT_PRIO_FACTOR", ("1000", "7"),
                 "condor_userprio -allusers -all | awk '/^nobody/ {print $4}'"),
        Question("GROUP_NAMES", ("a, c", "a, c, b"),
                 "condor_userprio -allusers -all | awk '{print $1}' | grep -c '^b$'"),
        Question("GROUP_QUOTA_a", ("1", "2"), _QUOTAS + " | grep -A1 '\"a\"' | tail -1"),
        Question("x_LIMIT", ("0", "5"),
                 "condor_q -all -af JobStatus -const 'ConcurrencyLimits isnt undefined'"),
        _debug("NEGOTIATOR", "NegotiatorLog", "D_FULLDEBUG D_ACCOUNTANT"),
        Question("GROUP_QUOTA_DYNAMIC_c", ("0.25", "0.5"),
                 _QUOTAS + " | grep -A1 '\"c\"' | tail -1"),
    ),
    "GROUP_ACCEPT_SURPLUS = true\n",
    "; ".join((_submit("concurrency_limits=x"), _submit())),
    12.0,
)  # fmt: skip
_PLACES: Final = Round(
    "logs",
    tuple(
        Question(f"{daemon}_LOG", (f"@DIR@/log/{old}", f"@DIR@/log/New{old}"),
                 _file(f"$DIR/log/New{old}"))
        for daemon, old in (("MASTER", "MasterLog"), ("COLLECTOR", "CollectorLog"),
                            ("NEGOTIATOR", "NegotiatorLog"), ("SCHEDD", "SchedLog"),
                            ("STARTD", "StartLog"))
    ),
)  # fmt: skip
_RUNNING: Final = "condor_q -all -af JobStatus | head -1"
_PING: Final = "condor_ping -type {} -verbose READ 2>&1 | grep -a '{}' | head -1"
_REFUSED: Final = _submit() + " | grep -ac -i 'max\\|limit'"
_ALONE: Final = (
    *_alone(
        _slot("NUM_CPUS", "4", "8", "TotalCpus"),
        _slot("MEMORY", "4096", "8192", "TotalMemory"),
        _slot("RESERVED_MEMORY", "0", "1000", "TotalMemory"),
        _slot("MACHINE_RESOURCE_gadget", "2", "5", "TotalGadget"),
        _slot("STARTD_NAME", "one", "two", "Name"),
        _slot("FILESYSTEM_DOMAIN", "ask.test", "other.test", "FileSystemDomain"),
        _slot("UID_DOMAIN", "ask.test", "other.test", "UidDomain"),
        _slot("NETWORK_HOSTNAME", "host.ask.test", "other.ask.test", "Machine"),
        _slot("NETWORK_INTERFACE", "127.0.0.1", "127.0.0.2", "MyAddress | cut -d: -f1"),
        _slot("HIGHPORT", "10960", "10980",
              "MyAddress | sed 's/.*:\\([0-9]*\\)?.*/\\1/' | awk '{print ($1 > 10960)}'"),
        _slot("USE_SHARED_PORT", "false", "true", "MyAddress | grep -c sock="),
        Question("NUM_SLOTS", ("1", "2"), "condor_status -af Name | wc -l"),
        Question("UPDATE_INTERVAL", ("300", "3"), _speed("-startd")),
        Question("SCHEDD_INTERVAL", ("300", "3"), _speed("-schedd")),
        Question("MASTER_UPDATE_INTERVAL", ("300", "3"), _speed("-master")),
        Question("NEGOTIATOR_UPDATE_INTERVAL", ("300", "3"), _speed("-negotiator")),
        # The next cycle may be due by the old interval.
        Question("NEGOTIATOR_INTERVAL", ("30", "4"),
                 "f=$DIR/log/NegotiatorLog; sleep 30; a=$(grep -c 'Started Negot' $f); sleep 14;"
                 " b=$(grep -c 'Started Negot' $f); [ $((b - a)) -ge 2 ] && echo fast ||"
                 " echo slow"),
        Question("SCHEDD_NAME", ("one@ask.test", "two@ask.test"), _ad("-schedd", "Name")),
        Question("NEGOTIATOR_NAME", ("one", "two"), _ad("-negotiator", "Name")),
        Question("COLLECTOR_NAME", ("one", "two"), _ad("-collector", "Name")),
        Question("MASTER_NAME", ("one", "two"), _ad("-master", "Name")),
        Question("MASTER_ATTRS", ("Alpha", "Alpha, Beta"), _ad("-master", "Beta")),
        Question("DAEMON_LIST", ("MASTER, COLLECTOR, NEGOTIATOR, SCHEDD, STARTD",
                                 "MASTER, COLLECTOR, NEGOTIATOR, SCHEDD, STARTD, DEFRAG"),
                 "cat /proc/[0-9]*/comm | grep -c condor_defrag"),
        Question("STARTD_ARGS", ("-f -local-name one", "-f -local-name two"),
                 "for p in /proc/[0-9]*; do grep -qs condor_startd $p/comm &&"
                 " tr '\\0' ' ' <$p/cmdline; done"),
        Question("COLLECTOR_HOST", ("127.0.0.1:@PORT0@", "127.0.0.1:@PORT1@"),
                 "condor_status -pool 127.0.0.1:@PORT1@ -collector -af Name | grep -c ask.test"),
        Question("SPOOL", ("@DIR@/spool", "@DIR@/spool2"), _file("$DIR/spool2/job_queue.log")),
        Question("LOG", ("@DIR@/log", "@DIR@/log2"), _file("$DIR/log2/StartLog")),
        Question("PERIODIC_EXPR_INTERVAL", ("1000", "3"),
                 _submit() + " >/dev/null; sleep 8; condor_q -all -af JobStatus | tail -1"),
        Question("DENY_READ", ("", "*"), "condor_ping -type collector READ 2>&1 | tail -1"),
        Question("SEC_READ_AUTHENTICATION", ("NEVER", "REQUIRED"),
                 _PING.format("startd", "Authentication:")),
        Question("SEC_READ_ENCRYPTION", ("NEVER", "REQUIRED"),
                 _PING.format("startd", "Encryption:")),
        Question("ALLOW_READ", ("*", "nobody@none.test"),
                 "condor_ping -type collector READ 2>&1 | grep -ac succeeded"),
        Question("JOB_DEFAULT_REQUESTMEMORY", ("100", "200"),
                 _submit() + " >/dev/null; condor_q -all -af RequestMemory | tail -1"),
        Question("SUBMIT_ATTRS", ("Alpha", "Alpha, Beta"),
                 _submit() + " >/dev/null; condor_q -all -af Beta | tail -1"),
        Question("SEC_READ_AUTHENTICATION_METHODS", ("CLAIMTOBE", "FS"),
                 _PING.format("startd", "Authentication:")),
        more="Beta = 5\nAlpha = 1\nLOWPORT = 10940\nHIGHPORT = 10970\n"
        "SYSTEM_PERIODIC_HOLD = true\nSTART = false\n",
        prepare="mkdir -p $DIR/spool2 $DIR/log2",
    ),
    *_alone(
        _slot("SLOT_TYPE_1", "cpus=4", "cpus=2", "Cpus"),
        _slot("SLOT_TYPE_1_START", "true", "JobPrio > 0", "Start"),
        _slot("SLOT_TYPE_1_PARTITIONABLE", "false", "true", "PartitionableSlot"),
        more="NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=4\n",
    ),
    *_alone(
        Question("NUM_SLOTS_TYPE_1", ("1", "2"), "condor_status -af Name | wc -l"),
        more="SLOT_TYPE_1 = cpus=1, mem=10%\n",
    ),
    *_alone(
        Question("SUBMIT_REQUIREMENT_NAMES", ("", "r"), _submit() + " | grep -ac refused"),
        Question("MAX_JOBS_PER_OWNER", ("100", "0"), _REFUSED),
        Question("MAX_JOBS_PER_SUBMISSION", ("100", "0"), _REFUSED),
        Question("MAX_JOBS_SUBMITTED", ("100", "0"), _REFUSED),
        Question("HISTORY", ("@DIR@/spool/h1", "@DIR@/spool/h2"),
                 _submit() + " >/dev/null; condor_rm -all >/dev/null; sleep 4; "
                 + _file("$DIR/spool/h2")),
        Question("JOB_QUEUE_LOG", ("@DIR@/spool/q1", "@DIR@/spool/q2"), _file("$DIR/spool/q2")),
        more='SUBMIT_REQUIREMENT_r = false\nSUBMIT_REQUIREMENT_r_REASON = "refused"\nSTART=false\n',
    ),
    *_alone(
        Question("PREEMPT", ("false", "true"),
                 "condor_q -all -af NumShadowStarts | sort -n | tail -1"),
        more="WANT_SUSPEND = false\nWANT_VACATE = true\nPOLLING_INTERVAL = 3\n",
        prepare=_submit("request_memory=10\\nrequest_disk=1"),
        settle=14.0,
    ),
    *_alone(
        Question("SUSPEND", ("false", "true"), "condor_status -af Activity | sort | tail -1"),
        Question("NEGOTIATOR_SLOT_CONSTRAINT", ("false", "true"), _RUNNING),
        Question("NEGOTIATOR_JOB_CONSTRAINT", ("false", "true"), _RUNNING),
        Question("NEGOTIATOR_SUBMITTER_CONSTRAINT", ("false", "true"), _RUNNING),
        Question("EXECUTE", ("@DIR@/execute", "@DIR@/execute2"),
                 "ls $DIR/execute2 | grep -c dir_"),
        more="WANT_SUSPEND = true\nWANT_VACATE = true\nPOLLING_INTERVAL = 3\n",
        prepare="mkdir -p $DIR/execute2; "
                + "; ".join([_submit("request_memory=10\\nrequest_disk=1")] * 2),
        settle=14.0,
    ),
)  # fmt: skip
_DAEMONS: Final = "MASTER, COLLECTOR, NEGOTIATOR, SCHEDD, STARTD"
_MAIN: Final = ("master", "collector", "negotiator", "schedd", "startd")
#: Keeps where the daemons are, since the collector may not tell any more.
_ADDRESSES: Final = "sleep 6; " + "; ".join(
    f"condor_status -{name} -af MyAddress | head -1 >{name}.addr" for name in _MAIN
)


def _authorization(*levels: tuple[str, str, str]) -> Round:
    """Whether each daemon still takes commands of a level when a list of it changes."""
    questions = (
        Question(f"{list_}_{level}", values, _SUCCEEDS.format(name, level), name.upper())
        for list_, level, second in levels
        for values in (("*" if list_ == "ALLOW" else "", second),)
        for name in _MAIN
    )
    return Round(f"{levels[0][0]} {levels[0][1]}".lower(), tuple(questions), prepare=_ADDRESSES)


_SUCCEEDS: Final = 'condor_ping -addr "$(cat {}.addr)" {} 2>&1 | grep -ac succeeded'
_DEFRAG: Final = Round(
    "defrag",
    (
        Question("DEFRAG_INTERVAL", ("20", "3"),
                 "f=$DIR/log/DefragLog; sleep 20; a=$(grep -c 'Evaluating' $f); sleep 12;"
                 " b=$(grep -c 'Evaluating' $f); [ $((b - a)) -ge 3 ] && echo fast || echo slow"),
        Question("DEFRAG_WHOLE_MACHINE_EXPR", ("Cpus > 1", "Cpus > 100"),
                 "condor_status -defrag -af WholeMachines"),
    ),
    f"DAEMON_LIST = {_DAEMONS}, DEFRAG\nDEFRAG_DEBUG = D_FULLDEBUG\nDEFRAG_UPDATE_INTERVAL = 3\n"
    "DEFRAG_DRAINING_MACHINES_PER_HOUR = 60\n",
    settle=25.0,
)  # fmt: skip
_FEWER: Final = Round(
    "fewer daemons",
    (
        Question("DAEMON_LIST", (f"{_DAEMONS}, DEFRAG", _DAEMONS),
                 "cat /proc/[0-9]*/comm | grep -c condor_defrag"),
    ),
)  # fmt: skip
_ASKED_FOR: Final = Round(
    "requirement",
    (
        Question("SUBMIT_REQUIREMENT_r", ("true", "false"), _submit() + " | grep -ac refused"),
        Question("SUBMIT_REQUIREMENT_r_REASON", ('"no"', '"refused"'),
                 _submit() + " | grep -ac refused"),
    ),
    "SUBMIT_REQUIREMENT_NAMES = r\nSTART = false\n",
)  # fmt: skip
ROUNDS: Final = (
    _SLOTS, _SCHEDD, _NEGOTIATOR, _PLACES, _FEWER, _ASKED_FOR, _DEFRAG,
    _authorization(*(("ALLOW", level, "nobody@none.test")
                     for level in ("ADMINISTRATOR", "DAEMON", "NEGOTIATOR"))),
    _authorization(("DENY", "READ", "*")),
    _authorization(("DENY", "WRITE", "*")),
    *_ALONE,
)  # fmt: skip
