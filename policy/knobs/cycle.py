"""Declares the knobs of a cycle's course: requests, autoclusters, time and housekeeping.

Follows: the negotiator and schedd macros of the manual, read in 25.14.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from attr import frozen

from policy.knobs.declaration import Kind, Knob, Need
from policy.knobs.fields import (
    expression,
    flag,
    integer,
    integer_if_set,
    names,
    names_if_any,
    regular_expression,
)

if TYPE_CHECKING:
    from classad.ads.expression import Expression

_ONE_CYCLE = "one cycle is computed at one instant"

USE_GLOBAL_JOB_PRIOS: Final = Knob(
    "USE_GLOBAL_JOB_PRIOS",
    Kind.BOOL,
    "false",
    "Compares JobPrio across schedds for submitters of equal priority",
    need=Need.OPTIONAL,
)
MAX_GLOBAL_JOB_PRIOS: Final = Knob(
    "MAX_GLOBAL_JOB_PRIOS",
    Kind.INT,
    "500",
    "Limits how many different job priorities a schedd announces per submitter",
    need=Need.IRRELEVANT,
    read_by="SCHEDD",
)
USE_RESOURCE_REQUEST_COUNTS: Final = Knob(
    "USE_RESOURCE_REQUEST_COUNTS",
    Kind.BOOL,
    "true",
    "Lets one request stand for all like jobs",
    need=Need.OPTIONAL,
)
NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE: Final = Knob(
    "NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE",
    Kind.INT,
    "200",
    "Fetches this many requests from a schedd at once",
    "requests",
    Need.OPTIONAL,
    minimum=1.0,
    maximum=2147483647.0,
)
NEGOTIATOR_PREFETCH_REQUESTS: Final = Knob(
    "NEGOTIATOR_PREFETCH_REQUESTS",
    Kind.BOOL,
    "true",
    "Fetches the first requests of every submitter ahead of each spin",
    need=Need.OPTIONAL,
)
NEGOTIATE_ALL_JOBS_IN_CLUSTER: Final = Knob(
    "NEGOTIATE_ALL_JOBS_IN_CLUSTER",
    Kind.BOOL,
    "",
    "Offers further jobs of an autocluster after one was rejected",
    need=Need.OPTIONAL,
    read_by="SCHEDD",
    differs="with request lists it no longer prevents the negotiator from skipping them",
)
MAX_JOBS_RUNNING: Final = Knob(
    "MAX_JOBS_RUNNING",
    Kind.INT,
    "MIN({$(DETECTED_MEMORY), 10000})",
    "Limits how many jobs of a schedd run at once, and so what it asks for; the default, which"
    " depends on the schedd's machine, is not applied",
    unit="jobs",
    need=Need.OPTIONAL,
    read_by="SCHEDD",
)
MAX_CONCURRENT_UPLOADS_PER_USER: Final = Knob(
    "MAX_CONCURRENT_UPLOADS_PER_USER",
    Kind.INT,
    "$(MAX_CONCURRENT_UPLOADS:100)/5",
    "Limits for how many jobs at once a schedd asks for one submitter; 0 is no limit",
    unit="jobs",
    minimum=0.0,
    maximum=2147483647.0,
    need=Need.OPTIONAL,
    read_by="SCHEDD",
)
SIGNIFICANT_ATTRIBUTES: Final = Knob(
    "SIGNIFICANT_ATTRIBUTES",
    Kind.LIST,
    None,
    "Replaces all attributes by which a schedd tells autoclusters apart, Requirements and Rank too",
    need=Need.OPTIONAL,
    read_by="SCHEDD",
    in_table=False,
)
ADD_SIGNIFICANT_ATTRIBUTES: Final = Knob(
    "ADD_SIGNIFICANT_ATTRIBUTES",
    Kind.LIST,
    None,
    "Adds attributes by which a schedd tells autoclusters apart",
    need=Need.OPTIONAL,
    read_by="SCHEDD",
    in_table=False,
)
REMOVE_SIGNIFICANT_ATTRIBUTES: Final = Knob(
    "REMOVE_SIGNIFICANT_ATTRIBUTES",
    Kind.LIST,
    "CpusUsage,DiskUsage,GPUsUsage,MemoryUsage,ResidentSetSize",
    "Removes attributes by which a schedd would tell autoclusters apart",
    need=Need.OPTIONAL,
)
REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX: Final = Knob(
    "REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX",
    Kind.STRING,
    "^Slot[0-9]*_",
    "Removes attributes that match from those which tell autoclusters apart",
    need=Need.OPTIONAL,
)
STARTD_JOB_ATTRS: Final = Knob(
    "STARTD_JOB_ATTRS",
    Kind.LIST,
    "",
    "Copies job attributes into slot ads",
    need=Need.IRRELEVANT,
    read_by="STARTD",
    honoured=False,
    reason="captured slot ads have the attributes already",
)
SYSTEM_STARTD_JOB_ATTRS: Final = Knob(
    "SYSTEM_STARTD_JOB_ATTRS",
    Kind.LIST,
    "ImageSize, ExecutableSize, JobUniverse, NiceUser, CPUsUsage, ResidentSetSize,"
    " ProportionalSetSizeKb, MemoryUsage, DiskUsage, StdoutMtime, StderrMtime,"
    " ScratchDirFileCount",
    "Copies further job attributes into slot ads",
    need=Need.IRRELEVANT,
    read_by="STARTD",
    honoured=False,
    reason="captured slot ads have the attributes already",
)
START_VANILLA_UNIVERSE: Final = Knob(
    "START_VANILLA_UNIVERSE",
    Kind.EXPR,
    None,
    "Says on which slots (SLOT) a schedd starts a vanilla job; what it asks of JOB is significant",
    need=Need.OPTIONAL,
    read_by="SCHEDD",
    in_table=False,
    fatal=False,
)
SCHEDD_SLOT_WEIGHT: Final = Knob(
    "SCHEDD_SLOT_WEIGHT",
    Kind.EXPR,
    "",
    "Weighs idle jobs in submitter ads, which the demand of groups is made of",
    unit="weighted slots",
    need=Need.OPTIONAL,
    read_by="SCHEDD",
    fatal=False,
)
SCHEDD_USE_SLOT_WEIGHT: Final = Knob(
    "SCHEDD_USE_SLOT_WEIGHT",
    Kind.BOOL,
    "true",
    "Weighs idle jobs in submitter ads by SCHEDD_SLOT_WEIGHT or SLOT_WEIGHT, not by RequestCpus",
    need=Need.OPTIONAL,
    read_by="SCHEDD",
)
NEGOTIATOR_INTERVAL: Final = Knob(
    "NEGOTIATOR_INTERVAL",
    Kind.INT,
    "60",
    "Starts a cycle this often",
    unit="s",
    need=Need.IRRELEVANT,
    honoured=False,
    reason=_ONE_CYCLE,
    plausible=(1, 7200),
)
NEGOTIATOR_MIN_INTERVAL: Final = Knob(
    "NEGOTIATOR_MIN_INTERVAL",
    Kind.INT,
    "5",
    "Waits at least this long between cycles that schedds ask for",
    unit="s",
    need=Need.IRRELEVANT,
    honoured=False,
    reason=_ONE_CYCLE,
    plausible=(0, 7200),
)
NEGOTIATOR_CYCLE_DELAY: Final = Knob(
    "NEGOTIATOR_CYCLE_DELAY",
    Kind.INT,
    "20",
    "Waits at least this long after the end of a cycle",
    unit="s",
    need=Need.IRRELEVANT,
    in_table=False,
    honoured=False,
    reason=_ONE_CYCLE,
    plausible=(0, 7200),
)
NEGOTIATOR_TIMEOUT: Final = Knob(
    "NEGOTIATOR_TIMEOUT",
    Kind.INT,
    "30",
    "Gives up on a silent schedd after this time",
    unit="s",
    need=Need.IRRELEVANT,
)
NEGOTIATOR_MAX_TIME_PER_CYCLE: Final = Knob(
    "NEGOTIATOR_MAX_TIME_PER_CYCLE",
    Kind.INT,
    "1200",
    "Ends a cycle that takes longer",
    unit="s",
    need=Need.OPTIONAL,
)
NEGOTIATOR_MAX_TIME_PER_SUBMITTER: Final = Knob(
    "NEGOTIATOR_MAX_TIME_PER_SUBMITTER",
    Kind.INT,
    "60",
    "Ends the turns of a submitter ad",
    unit="s",
    need=Need.OPTIONAL,
)
NEGOTIATOR_MAX_TIME_PER_SCHEDD: Final = Knob(
    "NEGOTIATOR_MAX_TIME_PER_SCHEDD",
    Kind.INT,
    "120",
    "Ends the turns of a schedd",
    unit="s",
    need=Need.OPTIONAL,
)
NEGOTIATOR_MAX_TIME_PER_PIESPIN: Final = Knob(
    "NEGOTIATOR_MAX_TIME_PER_PIESPIN",
    Kind.INT,
    "120",
    "Ends a single turn",
    unit="s",
    need=Need.OPTIONAL,
)


def _irrelevant(
    name: str, kind: Kind, default: str | None, doc: str, unit: str = "", table: bool = True
) -> Knob:
    return Knob(name, kind, default, doc, unit, Need.IRRELEVANT, in_table=table)


HOUSEKEEPING: Final = (
    _irrelevant(
        "NEGOTIATOR_PREFETCH_REQUESTS_TIMEOUT",
        Kind.INT,
        "$(NEGOTIATOR_TIMEOUT)",
        "Gives up on a schedd while prefetching",
        "s",
        False,
    ),
    _irrelevant(
        "NEGOTIATOR_PREFETCH_REQUESTS_MAX_TIME", Kind.INT, "60", "Ends the prefetching", "s"
    ),
    _irrelevant(
        "NEGOTIATOR_INFORM_STARTD", Kind.BOOL, "false", "Tells startds about their matches"
    ),
    _irrelevant("MATCH_TIMEOUT", Kind.INT, "120", "Drops a match that nobody claims", "s"),
    _irrelevant(
        "NEGOTIATOR_USE_NONBLOCKING_STARTD_CONTACT",
        Kind.BOOL,
        "true",
        "Tells startds about matches without waiting",
    ),
    _irrelevant(
        "NEGOTIATION_CYCLE_STATS_LENGTH", Kind.INT, "3", "Keeps statistics of this many cycles"
    ),
    _irrelevant(
        "NEGOTIATOR_UPDATE_INTERVAL", Kind.INT, "300", "Sends the negotiator's ad this often", "s"
    ),
    _irrelevant(
        "NEGOTIATOR_UPDATE_AFTER_CYCLE", Kind.BOOL, "false", "Sends it after every cycle too"
    ),
    _irrelevant(
        "NEGOTIATOR_ADVERTISE_ACCOUNTING",
        Kind.BOOL,
        "true",
        "Sends accounting ads after every cycle",
        table=False,
    ),
    _irrelevant(
        "NEGOTIATOR_SOCKET_CACHE_SIZE", Kind.INT, "500", "Keeps this many connections open"
    ),
    _irrelevant(
        "NEGOTIATOR_READ_CONFIG_BEFORE_CYCLE",
        Kind.BOOL,
        "false",
        "Reads the configuration again before every cycle",
    ),
    _irrelevant(
        "NEGOTIATOR_NAME", Kind.STRING, None, "Names this negotiator in its ad", table=False
    ),
    _irrelevant("NEGOTIATOR_DEBUG", Kind.STRING, "D_MATCH", "Selects what goes to the log"),
    _irrelevant(
        "COLLECTOR_HOST_FOR_NEGOTIATOR",
        Kind.STRING,
        "$(FULL_HOSTNAME)",
        "Says which collector to ask",
    ),
    _irrelevant("NEG_SLEEP", Kind.INT, "0", "Delays the cycle for testing", "s", False),
    _irrelevant(
        "INSERT_NEGOTIATOR_CYCLE_TEST_DURATION",
        Kind.INT,
        "0",
        "Lengthens the cycle for testing",
        "s",
        False,
    ),
    _irrelevant(
        "ACCOUNTANT_DATABASE_FILE",
        Kind.STRING,
        "$(SPOOL)/Accountantnew.log",
        "Names the file with priorities and usage",
    ),
    _irrelevant(
        "MAX_ACCOUNTANT_DATABASE_SIZE", Kind.INT, "1000000", "Compacts that file beyond", "bytes"
    ),
    _irrelevant(
        "NICE_USER_ACCOUNTING_GROUP_NAME",
        Kind.STRING,
        "nice-user",
        "Names the group that submit gives to nice users",
    ),
)


@frozen(kw_only=True, eq=False, slots=False)
class CyclePolicy:
    """Requests, autoclusters and time."""

    # Requests.
    use_resource_request_counts: bool = flag(USE_RESOURCE_REQUEST_COUNTS)
    resource_request_list_size: int = integer(NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE)
    prefetch_requests: bool = flag(NEGOTIATOR_PREFETCH_REQUESTS)
    use_global_job_prios: bool = flag(USE_GLOBAL_JOB_PRIOS)
    max_global_job_prios: int = integer(MAX_GLOBAL_JOB_PRIOS)
    negotiate_all_jobs_in_cluster: bool = flag(NEGOTIATE_ALL_JOBS_IN_CLUSTER)
    #: Jobs of a schedd that may run at once; None unless it is set.
    max_jobs_running: int | None = integer_if_set(MAX_JOBS_RUNNING)
    #: Jobs that a schedd asks for at a time per submitter; 0 is no limit.
    max_concurrent_uploads_per_user: int = integer(MAX_CONCURRENT_UPLOADS_PER_USER)

    #: What a schedd weighs an idle job by; None: by the slot weight.
    schedd_slot_weight: Expression | None = expression(SCHEDD_SLOT_WEIGHT)
    #: Whether a schedd weighs idle jobs by expressions at all.
    schedd_use_slot_weight: bool = flag(SCHEDD_USE_SLOT_WEIGHT)

    # Autoclusters; ``significant_attributes`` None: the negotiator's own list.
    significant_attributes: tuple[str, ...] | None = names_if_any(SIGNIFICANT_ATTRIBUTES)
    add_significant_attributes: tuple[str, ...] = names(ADD_SIGNIFICANT_ATTRIBUTES)
    remove_significant_attributes: tuple[str, ...] = names(REMOVE_SIGNIFICANT_ATTRIBUTES)
    remove_significant_attributes_regex: str = regular_expression(
        REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX
    )
    start_vanilla_universe: Expression | None = expression(START_VANILLA_UNIVERSE)

    # Time between cycles.
    interval_seconds: int = integer(NEGOTIATOR_INTERVAL)
    min_interval_seconds: int = integer(NEGOTIATOR_MIN_INTERVAL)
    cycle_delay_seconds: int = integer(NEGOTIATOR_CYCLE_DELAY)

    # Time within a cycle; each is an upper limit.
    max_time_per_cycle_seconds: int = integer(NEGOTIATOR_MAX_TIME_PER_CYCLE)
    max_time_per_submitter_seconds: int = integer(NEGOTIATOR_MAX_TIME_PER_SUBMITTER)
    max_time_per_schedd_seconds: int = integer(NEGOTIATOR_MAX_TIME_PER_SCHEDD)
    max_time_per_pie_spin_seconds: int = integer(NEGOTIATOR_MAX_TIME_PER_PIESPIN)
