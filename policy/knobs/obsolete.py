"""Lists macros under old names and macros that no program reads any more: since when, what instead.

Follows: the programs of 25.14.1, which read none of them, or read them only to warn; versions are
those of HTCondor's notes on upgrading and are left out where these do not say.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from classad.patterns import any_of, late_regex
from policy.knobs.other_daemons import DAEMONS
from policy.knobs.readers import find_readers

_NO_GSI: Final = "GSI is no longer supported"
_HOSTS: Final = "such names are without HOST today"
_ROUTES: Final = "routes are JOB_ROUTER_ROUTE_<name>, listed in JOB_ROUTER_ROUTE_NAMES"


class Obsolete(NamedTuple):
    """``instead`` is the macro to set now, ``why`` what became of the thing, ``since`` a version;
    any may be empty.  ``alias``: daemons still take it for the new one.  ``switch``: the macro that
    has to be true for versions before ``since`` to read it.  ``rule`` is how the names of all of a
    form are made those of today, or what the new macro takes in place of what the old one took.
    ``so``: with this value it asks for what is so today, if another macro, ``with_``, is set."""

    instead: str = ""
    why: str = ""
    since: str = ""
    alias: bool = False
    switch: str = ""
    rule: str = ""
    so: str = ""
    with_: str = ""

    def __str__(self) -> str:
        """What to do, for the help of a finding."""
        if self.alias:
            return f"it is called `{self.instead}` now" + (f": {self.rule}" if self.rule else "")
        if self.instead:
            if self.since:
                return f"since {self.since} it is `{self.instead}`"
            return f"use `{self.instead}`" + (f": {self.rule}" if self.rule else "")
        return f"since {self.since} {self.why}" if self.since else self.why


_OLD_ROUTES: Final = Obsolete(
    why=_ROUTES, since="25.0", switch="JOB_ROUTER_USE_DEPRECATED_ROUTER_ENTRIES"
)
_ONE_BY_ONE: Final = {
    "startd_exprs": Obsolete("STARTD_ATTRS", alias=True),
    "schedd_exprs": Obsolete("SCHEDD_ATTRS", alias=True),
    "submit_exprs": Obsolete("SUBMIT_ATTRS", alias=True),
    "startd_slot_exprs": Obsolete("STARTD_SLOT_ATTRS", alias=True),
    # condor_startd says that they are deprecated.
    "thinpool_name": Obsolete("LVM_THINPOOL_NAME", alias=True),
    "thinpool_volume_group_name": Obsolete("LVM_VOLUME_GROUP_NAME", alias=True),
    # condor_startd asks for it, and goes by the other one, which is Cpus where nobody sets it.
    "slotweight": Obsolete("SLOT_WEIGHT"),
    # No program of 23.9.6 or 25.14.1 has the name.
    "user_is_the_new_owner": Obsolete(),
    # condor_starter warns of it, and ignores it beside the new one.
    "execute_login_is_dedicated": Obsolete(
        "DEDICATED_EXECUTE_ACCOUNT_REGEXP", alias=True, rule="a pattern of names of accounts"
    ),
    # Only condor_c-gahp_worker_thread asks for it, and has no GSI either.
    "gsi_daemon_name": Obsolete(why=_NO_GSI),
    "hfs_max_allocation_rounds": Obsolete("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS"),
    "hfs_round_robin_rate": Obsolete("GROUP_QUOTA_ROUND_ROBIN_RATE"),
    "num_virtual_machines": Obsolete("NUM_SLOTS"),
    "defrag_schedule": Obsolete("DEFRAG_DRAINING_SCHEDULE"),
    "smp_num_cpus": Obsolete("NUM_CPUS"),
    "startd_vm_attrs": Obsolete("STARTD_SLOT_ATTRS"),
    "startd_vm_exprs": Obsolete("STARTD_SLOT_ATTRS"),
    "collector_socket_cache_size": Obsolete(
        why="the collector keeps as many connections as COLLECTOR_MAX_FILE_DESCRIPTORS allows"
    ),
    "job_router_defaults": _OLD_ROUTES,
    "job_router_entries": _OLD_ROUTES,
    "job_router_entries_file": _OLD_ROUTES,
    "job_router_entries_cmd": _OLD_ROUTES,
    "cgroup_soft_memory_limit_expr": Obsolete(),
    # The manual has this name, and condor_starter of 25.14.1 asks for the other one.
    "cgroup_low_memory_limit_expr": Obsolete("CGROUP_LOW_MEMORY_LIMIT"),
    "negotiator_traffic_limit": Obsolete(),
    "negotiator_simple_matching": Obsolete(),
    "enable_classad_extensions": Obsolete(),
    "startd_sends_alives": Obsolete(),
    "is_valid_checkpoint_platform": Obsolete(),
    "negotiator_traffic_interval": Obsolete(),
    "negotiator_host": Obsolete(why="daemons ask the collector of COLLECTOR_HOST where it is"),
    "enable_file_transfer": Obsolete(why="each job says it itself: should_transfer_files"),
    "use_ccb": Obsolete(
        why="daemons use CCB where CCB_ADDRESS names a broker", so="True", with_="CCB_ADDRESS"
    ),
    "starter_std": Obsolete(why="the standard universe is gone"),
    "myproxy_get_delegation": Obsolete(why=_NO_GSI),
    "dagman_generate_rescue_dag": Obsolete(
        why="condor_dagman writes a rescue DAG of its own accord", so="True"
    ),
}
#: The levels of access, for which daemons ask for settings of security.
_LEVELS: Final = (
    "read|write|negotiator|administrator|owner|config|daemon|soap|default|client"
    "|advertise_(?:master|schedd|startd)"
)
#: The same for names of one form; ``instead`` may refer to the groups of the pattern.
_FAMILIES: Final = (
    (late_regex(r"host(allow|deny)_owner(_\w+)?"), Obsolete(r"\1_administrator\2")),
    (late_regex(r"hosts?_?(allow|deny)_(\w+)"), Obsolete(r"\1_\2", rule=_HOSTS)),
    (late_regex(r"sec_(\w+)_encryption_methods"), Obsolete(r"sec_\1_crypto_methods")),
    (late_regex(r"(allow|deny)_owner(_\w+)?"), Obsolete(r"\1_administrator\2")),
    (late_regex(r"virtual_machine_type_(\d+)\w*"), Obsolete(r"slot_type_\1")),
    (
        late_regex(r"num_virtual_machines_type_(\d+)"),
        Obsolete(r"num_slots_type_\1"),
    ),
    (late_regex(r"vm\d+_\w+"), Obsolete(why="virtual machines are called slots")),
    (late_regex(r"quill\w*|dbmsd\w*"), Obsolete(why="Quill is gone")),
    (
        late_regex(r"(max_(num_)?)?ckpt_server\w*|use_ckpt_server|starter_chooses_ckpt_server"),
        Obsolete(why="checkpoint servers are gone with the standard universe"),
    ),
    (
        late_regex(
            r"(enable_)?grid_monitor\w*|gt(2|4|42|5)_gahp\w*|gram_version_detection"
            r"|gridmanager_max_jobmanagers_per_resource"
        ),
        Obsolete(why="Globus is no longer supported"),
    ),
    (
        late_regex(r"(amazon|boinc|cream|deltacloud|nordugrid|unicore)_gahp\w*"),
        Obsolete(why="its type of grid is gone"),
    ),
    (
        late_regex(r"gcb_\w+|net_remap_\w+|master_waits_for_gcb_broker"),
        Obsolete(why="GCB is gone, and CCB_ADDRESS does what it did"),
    ),
    (late_regex(r"vmware_\w+"), Obsolete(why="VMware is no longer supported")),
    (late_regex(r"gsi_\w+|gridmap|gss_assist_gridmap\w*"), Obsolete(why=_NO_GSI)),
    (late_regex(r"qmf_\w+"), Obsolete(why="the management by QMF is gone")),
    (late_regex(r"glexec(_job|_starter|_retries|_retry_delay)?"), Obsolete(why="glexec is gone")),
    (late_regex(r"concurrency_limit_(?!default)(\w+)"), Obsolete(r"\1_limit")),
    (
        late_regex(
            r"(master|collector|negotiator|schedd|startd)_(allow|deny)_"
            r"(read|write|daemon|administrator|negotiator|config|client|advertise_\w+)"
        ),
        Obsolete(r"\1.\2_\3", rule="today a dot follows the name of the daemon"),
    ),
    (
        late_regex(r"(max_(num_)?|trunc_)?hdfs\w*"),
        Obsolete(why="the HDFS daemon is gone"),
    ),
    (
        late_regex(r"ignore_leaf_oom|java_benchmark_time|glidein_server_urls"),
        Obsolete(why="what it was for is gone"),
    ),
    (
        late_regex(r"soap_\w*|enable_soap\w*|enable_web_server|web_root_dir"),
        Obsolete(why="the SOAP interface is gone"),
    ),
    (late_regex(r"stork\w*"), Obsolete(why="Stork is gone")),
    (late_regex(r"(max_(num_)?)?eventd\w*"), Obsolete(why="the event daemon is gone")),
    (late_regex(r"lease_?manager\w*"), Obsolete(why="the lease manager is gone")),
    (
        late_regex(r"condor_developers(_collector)?"),
        Obsolete(why="nothing is sent to HTCondor's developers", so="NONE"),
    ),
    (
        late_regex(rf"({'|'.join(sorted(DAEMONS)).lower()})_num_logs?"),
        Obsolete(r"max_num_\1_log", rule="the daemon's name stands inside"),
    ),
    (
        late_regex(r"max_num_(default_)?log"),
        Obsolete(why="MAX_NUM_<daemon>_LOG is, for each daemon"),
    ),
    (late_regex(rf"sec_({_LEVELS})_methods"), Obsolete(r"sec_\1_authentication_methods")),
    (
        late_regex(
            rf"sec_(?!(?:{_LEVELS})_)[a-z]\w*_"
            r"(?:authentication|encryption|integrity|negotiation)(?:_methods)?"
        ),
        Obsolete(why="behind SEC_ stands no level, as READ, WRITE, DAEMON, CLIENT or DEFAULT is"),
    ),
    (
        late_regex(r"(shadow|starter)_standard\w*|standard_universe\w*|ckpt_probe|use_afs"),
        Obsolete(why="the standard universe is gone"),
    ),
)
#: What old versions ask before they read another macro.
SWITCHES: Final = frozenset(row.switch.casefold() for row in _ONE_BY_ONE.values() if row.switch)
_OF_A_FAMILY: Final = any_of(pattern for pattern, _ in _FAMILIES)
#: Macros that were predefined for expressions, and now come with a template.
_OF_FRAGMENTS: Final = frozenset(
    (
        *("activationtimer", "consolebusy", "cpubusy", "cpuidle", "justcpu", "keyboardbusy"),
        *("keyboardnotbusy", "lastckpt", "machinebusy", "noncondorloadavg"),
    )
)


@lru_cache(maxsize=10_000)
def find_obsolete(macro: str) -> Obsolete | None:
    """What became of a macro; None if it is not known to be of the past."""
    folded = macro.casefold()
    found = _ONE_BY_ONE.get(folded)
    if found is not None or find_readers(macro) is not None:
        return found
    for family, row in _FAMILIES if _OF_A_FAMILY.fullmatch(folded) else ():
        matched = family.fullmatch(folded)
        if matched is not None:
            instead = matched.expand(row.instead).upper() if row.instead else ""
            return row._replace(instead=instead)
    return None


def once_predefined(macro: str) -> str | None:
    """What brings back a macro that configurations could refer to without defining it."""
    if macro.casefold() not in _OF_FRAGMENTS:
        return None
    return "since 23.0 only `use FEATURE : POLICY_EXPR_FRAGMENTS` defines it"
