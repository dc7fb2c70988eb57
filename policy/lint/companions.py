"""Checks macros that do nothing without another one.

Follows: 25.14.1, where the daemons take these without a word.  The startd was asked about types of
slots, SUSPEND and WANT_HOLD, the schedd about SETTABLE_ATTRS_*, the negotiator about remote users;
what is off or empty by default is so in the parameter table.  The rest follows the manual.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from classad.errors import Diagnostic
from classad.patterns import any_of, late_regex
from policy.explain.roles import is_whole, may_run
from policy.knobs.declaration import Wanted
from policy.knobs.lists import memberships
from policy.knobs.readers import JUDGED
from policy.language.about import EVERY
from policy.language.numbers import read_boolean, saturated
from policy.lint.finding import ERROR, Joined, finding
from policy.lint.view import Item, Setting, View
from policy.values.domain import ANYTHING
from policy.values.evaluation import Evaluation

_OF_GROUPS: Final = ("MIN_TRACKING_GID", "MAX_TRACKING_GID")
_RESOURCES: Final = "MACHINE_RESOURCE_NAMES"
_OF_TYPE: Final = late_regex(r"NUM_SLOTS_TYPE_\d+", re.IGNORECASE)
#: Whether there is what a macro needs, under this name, for whoever reads the setting.
_Test = Callable[[View, Setting, str], bool]


def _is_set(view: View, setting: Setting, name: str) -> bool:
    return bool(setting.beside(name)) or name.casefold() in view.defined


def _is_decided(view: View, setting: Setting, name: str) -> bool:
    """Do the files turn a switch on or off?  Off is on purpose."""
    return name.casefold() in view.of_macro


def _is_true(view: View, setting: Setting, name: str) -> bool:
    default = setting.config.scope.table.default(name)
    built_in = "" if default is None else default.raw
    # The other one may have the prefix of the daemon that both are for.
    others = (one.text() for one in view.of_macro.get(name.casefold(), ()))
    texts = (setting.beside(name).strip() or built_in, *others)
    return any(text.strip().casefold() not in ("", "false", "0") for text in texts)


def _is_listed(view: View, setting: Setting, name: str) -> bool:
    """May DAEMON_LIST name the daemon?

    Files are often shared by all machines of a pool: only what a central manager leaves out says
    something.
    """
    started = setting.beside("DAEMON_LIST").casefold()
    manages = view.names_daemons and "negotiator" in started
    return not manages or name.casefold() in view.words


def _is_replicating(view: View, setting: Setting, name: str) -> bool:
    """May it be started?  That condor_had ends without a list of replicas is said elsewhere."""
    lacks = bool(setting.beside("HAD_LIST")) and not setting.beside("REPLICATION_LIST")
    return lacks or _is_listed(view, setting, name)


def _is_prefix(view: View, setting: Setting, name: str) -> bool:
    """Does any macro begin so?"""
    return any(one.startswith(name.casefold()) for one in view.defined)


def _is_not_off(view: View, setting: Setting, name: str) -> bool:
    return setting.beside(name).strip().casefold() not in ("false", "0")


def _shares_a_port(view: View, setting: Setting, name: str) -> bool:
    """Is condor_shared_port started: by condor_master of its own accord, or by DAEMON_LIST?"""
    evaluate = setting.config.scope.functions.evaluate
    started = _names(setting.beside("DAEMON_LIST").casefold(), "shared_port")
    # One daemon alone may share its port with others.
    texts = [setting.beside(name), *(one.text() for one in view.of_macro.get(name.casefold(), ()))]
    return started or any(read_boolean(text, evaluate) is not False for text in texts)


def _is_not_set(view: View, setting: Setting, name: str) -> bool:
    return name.casefold() not in view.defined


def _is_listed_resource(view: View, setting: Setting, name: str) -> bool:
    """Does the list of resources have one?  Without a list all count."""
    listed = setting.beside(_RESOURCES).casefold().strip()
    others = any(one.entry.extends_unread for one in view.of_macro.get(_RESOURCES.casefold(), ()))
    return not listed or others or _names(listed, name)


def _are_types_alike(view: View, setting: Setting, name: str) -> bool:
    """Do no types of slots say how many there are, or do they say the same?  Of types that are all
    without slots NUM_SLOTS is read.  A single slot is what files for all machines begin with."""
    table = view.config.scope.table
    types = [one.name for one in table if _OF_TYPE.fullmatch(one.name)]
    many = [setting.beside(name).strip() for name in types]
    text = setting.text().strip()
    if text == "1" or not many or not all(map(str.isdigit, (text, *many))):
        return True
    return sum(map(saturated, many)) in (0, saturated(text))


def _is_published(view: View, setting: Setting, name: str) -> bool:
    """Is it in a list of slots, or is there no slot on this host?"""
    return setting.folded in view.slot_attributes or not may_run(view.config, "STARTD")


def _is_mounted(view: View, setting: Setting, name: str) -> bool:
    """Is any volume mounted?  That one is of no list at all is told elsewhere."""
    listed = setting.beside("DOCKER_VOLUMES").casefold()
    return bool(setting.beside("DOCKER_MOUNT_VOLUMES").strip()) or not _names(listed, name)


def _has_thin_pool(view: View, setting: Setting, name: str) -> bool:
    """Are volumes thick, as by default, or is there a pool for thin ones?"""
    thin = setting.beside("LVM_USE_THIN_PROVISIONING").strip().casefold()
    return thin in ("", "false", "0") or _is_set(view, setting, name)


def _is_custom(view: View, setting: Setting, name: str) -> bool:
    return setting.beside(name).strip().casefold() == "custom"


def _has_expression(view: View, setting: Setting, name: str) -> bool:
    """Is there a limit of one's own where the policy goes by one, and are there control groups?"""
    is_off = "base_cgroup" in view.defined and not setting.beside("BASE_CGROUP").strip()
    other = setting.text().strip().casefold() != "custom"
    return is_off or other or _is_set(view, setting, name)


def is_routing(view: View, setting: Setting, name: str) -> bool:
    """May DAEMON_LIST name the daemon?  What a schedd's machine leaves out says something."""
    started = setting.beside("DAEMON_LIST").casefold()
    return not (view.names_daemons and "schedd" in started) or _names(started, name)


def _is_controlling(view: View, setting: Setting, name: str) -> bool:
    """Does DAEMON_LIST name the daemon that controls another one?  That condor_master ends where it
    starts the other one alone is told elsewhere."""
    started, controller = setting.beside("DAEMON_LIST").casefold(), setting.text().strip()
    either = _names(started, controller) or _names(started, name)
    return not view.names_daemons or either


_BETWEEN: Final = late_regex(r"[\s,]+")


def _names(started: str, name: str) -> bool:
    return name.casefold() in _BETWEEN.split(started)


def _is_periodic(view: View, setting: Setting, name: str) -> bool:
    """Has the job of a cron a period, if its mode asks for one, as the default does?  WaitForExit
    does."""
    mode = setting.beside(name.replace("_PERIOD", "_MODE")).strip().casefold()
    return mode not in ("", "periodic", "waitforexit") or bool(setting.beside(name).strip())


def _has_hooks(view: View, setting: Setting, name: str) -> bool:
    """Is there any hook under the keyword, wherever the keyword comes from a file of ours?"""
    return _is_prefix(view, setting, f"{setting.text().strip()}_HOOK_")


class Companion(NamedTuple):
    """Macros that do nothing unless ``test`` of one of ``others`` holds; ``sure``: daemons were
    asked, or nobody reads the macros then."""

    macros: re.Pattern[str]
    others: tuple[str, ...]
    test: _Test
    help: str
    sure: bool


def _need(macros: str, test: _Test, *others: str, help: str, sure: bool = True) -> Companion:
    return Companion(late_regex(macros, re.IGNORECASE), others, test, help, sure)


_COMPANIONS: Final = (
    _need(
        "REMOTE_PRIO_FACTOR", _is_set, "ACCOUNTANT_LOCAL_DOMAIN",
        help="without ACCOUNTANT_LOCAL_DOMAIN no submitter is remote",
    ),
    _need(
        "GROUP_(SORT_EXPR|ACCEPT_SURPLUS|AUTOREGROUP)|GROUP_QUOTA_(MAX_ALLOCATION_ROUNDS|"
        "ROUND_ROBIN_RATE)",
        _is_set, "GROUP_NAMES", help="without GROUP_NAMES there are no groups",
    ),
    _need(
        r"SLOT_TYPE_([1-9]\d*)(_\w+)?", _is_set, r"NUM_SLOTS_TYPE_\1",
        help=r"without NUM_SLOTS_TYPE_\1 the startd makes no slot of this type",
    ),
    _need(
        "CGROUP_HARD_MEMORY_LIMIT_EXPR", _is_custom, "CGROUP_MEMORY_LIMIT_POLICY",
        help="the manual: with CGROUP_MEMORY_LIMIT_POLICY = custom only", sure=False,
    ),
    _need(
        "CGROUP_MEMORY_LIMIT_POLICY", _has_expression, "CGROUP_HARD_MEMORY_LIMIT_EXPR",
        help="`custom` goes by CGROUP_HARD_MEMORY_LIMIT_EXPR, and there is none: no job is limited",
    ),
    _need(
        "START_BACKFILL|EVICT_BACKFILL|BACKFILL_SYSTEM", _is_decided, "ENABLE_BACKFILL",
        help="the manual: without ENABLE_BACKFILL = True there is no backfill", sure=False,
    ),
    _need(
        "ENABLE_BACKFILL", _is_set, "BACKFILL_SYSTEM",
        help="condor_startd lacks a BACKFILL_SYSTEM, and knows none any more;"
        " SLOT_TYPE_<N>_BACKFILL makes slots for jobs that give way",
    ),
    _need(
        r"SLOT\d+_CPU_AFFINITY", _is_true, "ENFORCE_CPU_AFFINITY",
        help="without ENFORCE_CPU_AFFINITY = True jobs run on any CPU",
    ),
    _need(
        "CCB_REQUIRED_TO_START", _is_set, "CCB_ADDRESS",
        help="without CCB_ADDRESS no broker is asked for",
    ),
    _need(
        "CCB_REQUIRED_TO_START", _is_decided, "USE_SHARED_PORT",
        help="it counts with USE_SHARED_PORT = False only",
    ),
    *(
        _need(
            rf"{daemon}_(?!METRICS_CONFIG_DIR)\w+", _is_listed, daemon,
            help=f"{daemon} is not in DAEMON_LIST",
        )
        for daemon in ("DEFRAG", "ROOSTER", "GANGLIAD", "REPLICATION")
    ),
    _need(
        "HAD_USE_REPLICATION", _is_replicating, "REPLICATION",
        help="REPLICATION is not in DAEMON_LIST, so nothing is replicated",
    ),
    *(
        _need(
            f"SYSTEM_PERIODIC_{verb}_(REASON|SUBCODE)", _is_set,
            f"SYSTEM_PERIODIC_{verb}", f"SYSTEM_PERIODIC_{verb}_NAMES",
            help=f"without SYSTEM_PERIODIC_{verb} it is asked of no job",
        )
        for verb in ("HOLD", "REMOVE", "RELEASE", "VACATE")
    ),
    _need(
        "SYSTEM_PERIODIC_(HOLD|REMOVE|RELEASE|VACATE)(_NAMES)?", _is_true, "PERIODIC_EXPR_INTERVAL",
        help="PERIODIC_EXPR_INTERVAL is 0, so the schedd asks it of no job",
    ),
    _need(
        "ROTATE_HISTORY_(DAILY|MONTHLY)|MAX_HISTORY_(LOG|ROTATIONS)", _is_true,
        "ENABLE_HISTORY_ROTATION",
        help="ENABLE_HISTORY_ROTATION is False, so the history grows in one file",
    ),
    *(
        _need(
            f"{ours}{one}PORT", _is_set, f"{ours}{other}PORT",
            help=f"without {ours}{other}PORT there is no range of ports",
        )
        for ours in ("", "IN_", "OUT_")
        for one, other in (("LOW", "HIGH"), ("HIGH", "LOW"))
    ),
    _need(
        "ENABLE_(RUNTIME|PERSISTENT)_CONFIG", _is_prefix, "SETTABLE_ATTRS_",
        help="without SETTABLE_ATTRS_* nothing may be set",
    ),
    _need(
        "SUSPEND", _is_true, "WANT_SUSPEND",
        help="WANT_SUSPEND is False, so nothing is suspended",
    ),
    _need("WANT_HOLD_(REASON|SUBCODE)", _is_set, "WANT_HOLD", help="no WANT_HOLD holds jobs"),
    _need(
        "WANT_HOLD(_REASON|_SUBCODE)?", _is_true, "PREEMPT",
        help="PREEMPT is False, so no job is ended that could be put on hold",
    ),
    *(
        _need(
            rf"{daemon}_CRON_(\w+)_EXECUTABLE", _is_periodic, rf"{daemon}_CRON_\1_PERIOD",
            help=rf"without {daemon}_CRON_\1_PERIOD a job is skipped that is Periodic, as by"
            " default, or WaitForExit",
        )
        for daemon in ("STARTD", "SCHEDD")
    ),
    _need(
        "HIBERNATE", _is_true, "HIBERNATE_CHECK_INTERVAL",
        help="without HIBERNATE_CHECK_INTERVAL, which is 0, the startd never looks at it",
        sure=False,
    ),
    _need(
        "POOL_HISTORY_(DIR|MAX_STORAGE|SAMPLING_INTERVAL)", _is_true, "KEEP_POOL_HISTORY",
        help="without KEEP_POOL_HISTORY = True the collector keeps no history", sure=False,
    ),
    _need(
        "EVENT_LOG_(MAX_(SIZE|ROTATIONS)|USE_XML|FORMAT_OPTIONS|JOB_AD_INFORMATION_ATTRS|FSYNC|"
        "LOCKING|ROTATION_LOCK|COUNT_EVENTS|FORCE_CLOSE)",
        _is_set, "EVENT_LOG", help="without EVENT_LOG there is no such log", sure=False,
    ),
    _need(
        "START(ER_DEFAULT|ER|D)(_JOB)?_HOOK_KEYWORD|JOB_ROUTER(_JOB)?_HOOK_KEYWORD|"
        r"SCHEDD(_JOB)?_HOOK_KEYWORD|SLOT\d+_JOB_HOOK_KEYWORD",
        _has_hooks, "",
        help="no macro begins with the keyword and `_HOOK_`", sure=False,
    ),
    _need(
        r"JOB_ROUTER_ROUTE_(?!NAMES)\w+", is_routing, "JOB_ROUTER",
        help="JOB_ROUTER is not in DAEMON_LIST",
    ),
    _need(
        r"MASTER_(\w+)_CONTROLLER", _is_controlling, r"\1",
        help="DAEMON_LIST lacks the daemon that should start and stop it",
    ),
    _need(
        "PREEMPTION_(REQUIREMENTS|RANK)|ALLOW_PSLOT_PREEMPTION"
        "|NEGOTIATOR_CONSIDER_EARLY_PREEMPTION", _is_true,
        "NEGOTIATOR_CONSIDER_PREEMPTION",
        help="NEGOTIATOR_CONSIDER_PREEMPTION is False, so no claimed slot is looked at",
    ),
    _need(
        "ABSENT_REQUIREMENTS", _is_set, "COLLECTOR_PERSISTENT_AD_LOG", "OFFLINE_LOG",
        help="without COLLECTOR_PERSISTENT_AD_LOG the collector keeps no absent ads",
    ),
    _need(
        r"MASTER_HA_(\w+)", _is_set, "HA_LOCK_URL", "HA_SCHEDD_LOCK_URL",
        help="without HA_LOCK_URL there is no lock, and every machine runs the daemon",
    ),
    _need(
        "ParallelSchedulingGroup", _is_published, "STARTD_ATTRS",
        help="the schedd looks for it in the slots: add it to STARTD_ATTRS",
    ),
    _need(
        "LVM_(VOLUME_GROUP_NAME|THINPOOL_NAME|BACKING_FILE|BACKING_FILE_SIZE_MB|"
        "USE_THIN_PROVISIONING|THIN_LV_EXTRA_SIZE_MB|THICK_LV_MARGIN|HIDE_MOUNT)",
        _is_true, "STARTD_ENFORCE_DISK_LIMITS",
        help="the manual: with STARTD_ENFORCE_DISK_LIMITS = True only", sure=False,
    ),
    _need(
        "LVM_VOLUME_GROUP_NAME", _has_thin_pool, "LVM_THINPOOL_NAME",
        help="the manual: with LVM_USE_THIN_PROVISIONING it takes LVM_THINPOOL_NAME, too, or else"
        " LVM_BACKING_FILE is used", sure=False,
    ),
    _need(
        "LVM_THIN_LV_EXTRA_SIZE_MB", _is_true, "LVM_USE_THIN_PROVISIONING",
        help="the manual: with LVM_USE_THIN_PROVISIONING = True only", sure=False,
    ),
    _need(
        "PRIVATE_NETWORK_INTERFACE", _is_decided, "PRIVATE_NETWORK_NAME",
        help="the manual: who is in the network of PRIVATE_NETWORK_NAME goes there", sure=False,
    ),
    _need(
        "STARTD_PRINT_ADS_FILTER", _is_true, "STARTD_PRINT_ADS_ON_SHUTDOWN",
        help="without STARTD_PRINT_ADS_ON_SHUTDOWN = True no ads are printed", sure=False,
    ),
    _need(
        "MIN_TRACKING_GID|MAX_TRACKING_GID", _is_true, "USE_GID_PROCESS_TRACKING",
        help="without USE_GID_PROCESS_TRACKING = True no job gets such a group", sure=False,
    ),
    *(
        _need(
            f"SCHEDD_PREEMPTION_{one}", _is_set, f"SCHEDD_PREEMPTION_{other}",
            help=f"the manual: without SCHEDD_PREEMPTION_{other} the dedicated scheduler preempts"
            " nothing", sure=False,
        )
        for one, other in (("REQUIREMENTS", "RANK"), ("RANK", "REQUIREMENTS"))
    ),
    _need(
        "ALLOW_PSLOT_PREEMPTION", _is_not_off, "ADVERTISE_PSLOT_ROLLUP_INFORMATION",
        help="with ADVERTISE_PSLOT_ROLLUP_INFORMATION = False the negotiator does not see the"
        " dynamic slots", sure=False,
    ),
    _need(
        r"MACHINE_RESOURCE_(?:INVENTORY_)?(?!NAMES$)(\w+)", _is_listed_resource, r"\1",
        help="MACHINE_RESOURCE_NAMES does not list it",
    ),
    _need(
        "NUM_SLOTS", _are_types_alike, "NUM_SLOTS_TYPE_1",
        help="the types of slots say how many there are",
    ),
    _need(
        "MAX_NUM_CPUS", _is_not_set, "NUM_CPUS",
        help="the manual: it is ignored where NUM_CPUS is set", sure=False,
    ),
    _need(
        r"DOCKER_VOLUME_DIR_(\w+)_MOUNT_IF", _is_set, r"DOCKER_VOLUME_DIR_\1",
        help=r"without DOCKER_VOLUME_DIR_\1 there is nothing to mount",
    ),
    _need(
        r"DOCKER_VOLUME_DIR_(\w+)", _is_mounted, r"\1",
        help="without DOCKER_MOUNT_VOLUMES no volume is mounted, and slots say that they have it",
    ),
    _need(
        "SHARED_PORT_(PORT|ARGS|DEFAULT_ID|MAX_WORKERS|MAX_FILE_DESCRIPTORS)", _shares_a_port,
        "USE_SHARED_PORT",
        help="with USE_SHARED_PORT = False condor_shared_port is not started",
    ),
    _need(
        r"SETTABLE_ATTRS_\w+", _is_true, "ENABLE_RUNTIME_CONFIG", "ENABLE_PERSISTENT_CONFIG",
        help="without ENABLE_RUNTIME_CONFIG or ENABLE_PERSISTENT_CONFIG nothing can be set",
    ),
)  # fmt: skip
#: The macros of any of them, and the list of the daemons, one of which may have nothing to do.
_NEEDING: Final = (
    f"DAEMON_LIST|USE_GID_PROCESS_TRACKING|{any_of(need.macros for need in _COMPANIONS).pattern}"
)


@finding(
    "P241",
    "a macro without the one that it needs",
    "Some macros only count together with another: REMOTE_PRIO_FACTOR with ACCOUNTANT_LOCAL_DOMAIN,"
    " SLOT_TYPE_1 with NUM_SLOTS_TYPE_1, DEFRAG_INTERVAL with DEFRAG in DAEMON_LIST. Alone they do"
    " nothing, and no daemon says so. With SLOT_TYPE_1 alone a startd makes one partitionable slot"
    " of the whole machine; it suspends no job by SUSPEND while WANT_SUSPEND is False, and holds"
    " none by WANT_HOLD while PREEMPT is False.",
    bad="REMOTE_PRIO_FACTOR = 10000\n",
    good="ACCOUNTANT_LOCAL_DOMAIN = example.edu\nREMOTE_PRIO_FACTOR = 10000\n",
    elsewhere=True,
    observed="Observed with 25.14.1: types of slots, SUSPEND and WANT_HOLD with jobs on the"
    " slots; changing a schedd by SETTABLE_ATTRS_* without ENABLE_RUNTIME_CONFIG is refused;"
    " without ACCOUNTANT_LOCAL_DOMAIN the factor of a remote user is DEFAULT_PRIO_FACTOR. Groups"
    " and preemption are those of recorded cycles; what a daemon reads that is not started, nobody"
    " reads. Of backfill and control groups, which follow from the manual, the report says `may`.",
    joined=Joined.BY_HELP,
    of=_NEEDING,
)
def alone(view: View, setting: Setting) -> Iterator[Diagnostic]:
    macro = setting.upper
    if macro == "DAEMON_LIST":
        yield from _draining(setting)
    text = setting.text().strip()
    if not text or text.casefold() in ("false", "0", '"none"') or setting.is_unread:
        return  # it asks for nothing, or nobody
    if macro == "ENABLE_PERSISTENT_CONFIG" and _has_no_place(view, setting):
        message = "no daemon starts: nothing says where what is set for good is kept"
        what = {"needs": "PERSISTENT_CONFIG_DIR", "ends": EVERY, "status": 1}
        yield alone.named(setting.entry, message, "set PERSISTENT_CONFIG_DIR", **what)
    if macro == "ENABLE_PERSISTENT_CONFIG":
        return  # the startd keeps by it where it was rehomed
    if macro == "USE_GID_PROCESS_TRACKING" and is_whole(view.config):
        lacking = [one for one in _OF_GROUPS if not setting.beside(one).strip("0 ")]
        if lacking and not _is_never_true(setting):
            message = "a condor_master that root starts ends: there is no range of groups"
            said = alone.named(setting.entry, message, f"set {lacking[0]}", needs=lacking[0])
            said.severity = ERROR
            yield said
    if setting.extends_unread or _is_left_out(view, setting):
        return  # what it needs may be where that is which it adds to; or nobody reads it
    for need in _COMPANIONS:
        found = need.macros.fullmatch(setting.macro)
        if found is None or any(
            need.test(view, setting, found.expand(other)) for other in need.others
        ):
            continue
        default = None if need.sure else setting.config.scope.table.default(setting.macro)
        if _is_never_true(setting) or (default and default.raw.casefold() == text.casefold()):
            return  # it asks for nothing either
        message = f"{setting.macro} {'has' if need.sure else 'may have'} no effect"
        needs = found.expand(need.others[0])
        yield alone.named(setting.entry, message, found.expand(need.help), needs=needs)


def _has_no_place(view: View, setting: Setting) -> bool:
    """Is a setting that is to outlive the daemons kept nowhere, whatever other files say?"""
    evaluate = setting.config.scope.functions.evaluate
    places = (setting.beside("PERSISTENT_CONFIG_DIR"), *(
        setting.beside(f"{daemon}_CONFIG") for daemon in JUDGED
    ))  # fmt: skip
    is_on = read_boolean(setting.text(), evaluate) is True
    return is_on and is_whole(view.config) and not any(place.strip() for place in places)


def _is_left_out(view: View, setting: Setting) -> bool:
    """Is it for an item that its list, which has others, does not name?"""
    listed = [(view.items.get(names.name), item) for names, item in memberships(setting.macro)]
    named = any(item.casefold() in (known or ()) for known, item in listed)
    return not named and any(known for known, _ in listed)


def _is_never_true(setting: Setting) -> bool:
    """Is it a condition that is false whatever its attributes are, as `Cpus > 3 && False`?"""
    use = None if setting.knob is None else setting.knob.use
    if setting.tree is None or use is None or use.wanted not in (Wanted.TRUTH, Wanted.CONDITION):
        return False
    value = Evaluation(setting.tree, lambda scope, name: ((scope, name), ANYTHING)).value
    return True not in value.condition().truths


def _draining(setting: Setting) -> Iterator[Diagnostic]:
    """A condor_defrag that may drain no machine."""
    found = re.search(r"(?<![^\s,])DEFRAG(?![^\s,])", setting.text(), re.IGNORECASE)
    rate = setting.beside("DEFRAG_DRAINING_MACHINES_PER_HOUR")
    none = (rate or "0").strip() in ("0", "0.0")
    most = ("MAX_CONCURRENT_DRAINING", "MAX_WHOLE_MACHINES")
    zero = [one for one in most if setting.beside(f"DEFRAG_{one}").strip() == "0"]
    if found is not None and (none or zero):
        cause = "DRAINING_MACHINES_PER_HOUR" if none else zero[0]
        message, help_text = "condor_defrag drains no machine", f"DEFRAG_{cause} is 0"
        yield setting.say(alone, message, Item.of(found), help_text)
