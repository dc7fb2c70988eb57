"""Writes the configuration of a daemon of the private pool.

The knobs keep the pool private, quick and repeatable.  Those of the scenario come behind them, so
that they win.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

#: The pool that the schedds belong to.
POOL: Final = "oracle.test"
DEBUG: Final = "D_ALWAYS D_FULLDEBUG D_MATCH D_MACHINE D_JOB D_ACCOUNTANT"

_BASE: Final = """\
LOG = $(LOCAL_DIR)/log
SPOOL = $(LOCAL_DIR)/spool
EXECUTE = $(LOCAL_DIR)/execute
LOCK = $(LOCAL_DIR)/lock
RUN = $(LOCAL_DIR)/run
RELEASE_DIR = /usr
BIN = /usr/bin
SBIN = /usr/sbin
LIB = /usr/lib/condor
LIBEXEC = /usr/libexec/condor
CONDOR_HOST = 127.0.0.1
COLLECTOR_HOST = 127.0.0.1:{collector_port}
NETWORK_INTERFACE = 127.0.0.1
BIND_ALL_INTERFACES = False
ENABLE_IPV6 = False
NO_DNS = True
DEFAULT_DOMAIN_NAME = {domain}
NETWORK_HOSTNAME = {pool}
USE_SHARED_PORT = False
UID_DOMAIN = {domain}
TRUST_UID_DOMAIN = True
SEC_DEFAULT_AUTHENTICATION = NEVER
SEC_DEFAULT_ENCRYPTION = NEVER
SEC_DEFAULT_INTEGRITY = NEVER
SEC_DEFAULT_NEGOTIATION = OPTIONAL
SEC_USE_FAMILY_SESSION = False
SEC_ENABLE_MATCH_PASSWORD_AUTHENTICATION = False
ALLOW_ADMINISTRATOR = *
ALLOW_READ = *
ALLOW_WRITE = *
ALLOW_NEGOTIATOR = *
ALLOW_DAEMON = *
ALLOW_ADVERTISE_MASTER = *
ALLOW_ADVERTISE_SCHEDD = *
ALLOW_ADVERTISE_STARTD = *
ALLOW_CONFIG = *
ALLOW_OWNER = *
COLLECTOR_LOG = $(LOG)/CollectorLog
NEGOTIATOR_LOG = $(LOG)/NegotiatorLog
SCHEDD_LOG = $(LOG)/SchedLog
NEGOTIATOR_INTERVAL = 100000
NEGOTIATOR_MIN_INTERVAL = 0
NEGOTIATOR_CYCLE_DELAY = 0
MAX_NEGOTIATOR_LOG = 0
MAX_SCHEDD_LOG = 0
COLLECTOR_DEBUG = D_ALWAYS
SCHEDD_DEBUG = D_ALWAYS
NEGOTIATOR_DEBUG = {negotiator_debug}
COLLECTOR_ADDRESS_FILE = $(LOG)/.collector_address
SCHEDD_ADDRESS_FILE = $(LOG)/.schedd_address
SCHEDD_MIN_INTERVAL = 0
SCHEDD_INTERVAL = 600
SCHEDD_INTERVAL_TIMESLICE = 1.0
MAX_JOBS_RUNNING = 1000000
SCHEDD_SEND_RESCHEDULE = False
CLASSAD_LIFETIME = 86400
SYSTEM_PERIODIC_REMOVE = False
PERIODIC_EXPR_INTERVAL = 0
# the schedd would otherwise ask for at most 20 matches per submitter
MAX_CONCURRENT_UPLOADS_PER_USER = 0
CURB_MATCHMAKING = False
GRACEFULLY_REMOVE_JOBS = False
# the schedd would otherwise start each plugin to ask what it can transfer
ENABLE_URL_TRANSFERS = False
FILETRANSFER_PLUGINS = /bin/false
# no decay between the seeding of the accountant and the cycle
PRIORITY_HALFLIFE = 1.0e18
ACCOUNTANT_LOCAL_DOMAIN =
"""


def configuration(
    folder: str, daemon: str, *, port: int, domain: str, debug: str, knobs: Mapping[str, str]
) -> str:
    """The configuration of the daemons in a folder; ``port``: the collector's."""
    base = _BASE.format(collector_port=port, domain=domain, pool=POOL, negotiator_debug=debug)
    schedd = daemon if daemon != "cm" else "s1"
    lines = [f"{name} = {text}\n" for name, text in knobs.items()]
    head = f"LOCAL_DIR = {folder}/{daemon}\n"
    return "".join([head, base, f"SCHEDD_NAME = {schedd}@{POOL}\n", *lines])
