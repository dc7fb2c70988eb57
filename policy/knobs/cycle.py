"""Declares the knobs of a cycle's course: requests, autoclusters, time and housekeeping.

Follows: the negotiator and schedd macros of the manual, read in 25.14.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from policy.knobs.declaration import knob_row
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


USE_GLOBAL_JOB_PRIOS: Final = knob_row("USE_GLOBAL_JOB_PRIOS")
MAX_GLOBAL_JOB_PRIOS: Final = knob_row("MAX_GLOBAL_JOB_PRIOS")
USE_RESOURCE_REQUEST_COUNTS: Final = knob_row("USE_RESOURCE_REQUEST_COUNTS")
NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE: Final = knob_row("NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE")
NEGOTIATOR_PREFETCH_REQUESTS: Final = knob_row("NEGOTIATOR_PREFETCH_REQUESTS")
NEGOTIATE_ALL_JOBS_IN_CLUSTER: Final = knob_row("NEGOTIATE_ALL_JOBS_IN_CLUSTER")
MAX_JOBS_RUNNING: Final = knob_row("MAX_JOBS_RUNNING")
MAX_CONCURRENT_UPLOADS_PER_USER: Final = knob_row("MAX_CONCURRENT_UPLOADS_PER_USER")
SIGNIFICANT_ATTRIBUTES: Final = knob_row("SIGNIFICANT_ATTRIBUTES")
ADD_SIGNIFICANT_ATTRIBUTES: Final = knob_row("ADD_SIGNIFICANT_ATTRIBUTES")
REMOVE_SIGNIFICANT_ATTRIBUTES: Final = knob_row("REMOVE_SIGNIFICANT_ATTRIBUTES")
REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX: Final = knob_row("REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX")
STARTD_JOB_ATTRS: Final = knob_row("STARTD_JOB_ATTRS")
SYSTEM_STARTD_JOB_ATTRS: Final = knob_row("SYSTEM_STARTD_JOB_ATTRS")
START_VANILLA_UNIVERSE: Final = knob_row("START_VANILLA_UNIVERSE")
SCHEDD_SLOT_WEIGHT: Final = knob_row("SCHEDD_SLOT_WEIGHT")
SCHEDD_USE_SLOT_WEIGHT: Final = knob_row("SCHEDD_USE_SLOT_WEIGHT")
NEGOTIATOR_INTERVAL: Final = knob_row("NEGOTIATOR_INTERVAL")
NEGOTIATOR_MIN_INTERVAL: Final = knob_row("NEGOTIATOR_MIN_INTERVAL")
NEGOTIATOR_CYCLE_DELAY: Final = knob_row("NEGOTIATOR_CYCLE_DELAY")
NEGOTIATOR_TIMEOUT: Final = knob_row("NEGOTIATOR_TIMEOUT")
NEGOTIATOR_MAX_TIME_PER_CYCLE: Final = knob_row("NEGOTIATOR_MAX_TIME_PER_CYCLE")
NEGOTIATOR_MAX_TIME_PER_SUBMITTER: Final = knob_row("NEGOTIATOR_MAX_TIME_PER_SUBMITTER")
NEGOTIATOR_MAX_TIME_PER_SCHEDD: Final = knob_row("NEGOTIATOR_MAX_TIME_PER_SCHEDD")
NEGOTIATOR_MAX_TIME_PER_PIESPIN: Final = knob_row("NEGOTIATOR_MAX_TIME_PER_PIESPIN")


HOUSEKEEPING: Final = tuple(
    knob_row(name)
    for name in (
        "NEGOTIATOR_PREFETCH_REQUESTS_TIMEOUT",
        "NEGOTIATOR_PREFETCH_REQUESTS_MAX_TIME",
        "NEGOTIATOR_INFORM_STARTD",
        "MATCH_TIMEOUT",
        "NEGOTIATOR_USE_NONBLOCKING_STARTD_CONTACT",
        "NEGOTIATION_CYCLE_STATS_LENGTH",
        "NEGOTIATOR_UPDATE_INTERVAL",
        "NEGOTIATOR_UPDATE_AFTER_CYCLE",
        "NEGOTIATOR_ADVERTISE_ACCOUNTING",
        "NEGOTIATOR_SOCKET_CACHE_SIZE",
        "NEGOTIATOR_READ_CONFIG_BEFORE_CYCLE",
        "NEGOTIATOR_NAME",
        "NEGOTIATOR_DEBUG",
        "COLLECTOR_HOST_FOR_NEGOTIATOR",
        "NEG_SLEEP",
        "INSERT_NEGOTIATOR_CYCLE_TEST_DURATION",
        "ACCOUNTANT_DATABASE_FILE",
        "MAX_ACCOUNTANT_DATABASE_SIZE",
        "NICE_USER_ACCOUNTING_GROUP_NAME",
    )
)


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
