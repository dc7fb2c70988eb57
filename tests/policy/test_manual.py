"""What the manual has as an example is right, and what it warns of is told.

The forms are those of the manual's examples; what daemons do with each was asked of 25.14.1.
"""

from __future__ import annotations

from policy.lint.verdict import examine
from tests.cases import every_case
from tests.policy.test_lint import read


def ids(text: str, *, fragment: bool | None = None) -> set[tuple[str | None, str]]:
    """The findings about a configuration: numbers and severities."""
    return {(one.id, one.severity) for one in examine(read(text), fragment=fragment).findings}


# --- examples -------------------------------------------------------------------------------------


@every_case("name", ["LOCAL_DIR", "LOG", "TILDE", "SPOOL"])
def test_a_folder_that_only_the_machine_knows_ends_no_daemon(name: str) -> None:
    found = examine(read(f"include : $({name})/more.conf\nSTART = True\n"))
    assert [(one.id, one.severity) for one in found.findings] == [("P912", "warning")]
    assert found.starts


@every_case("target", ["/no/such/file", "$(NOWHERE)/more.conf"])
def test_a_file_that_is_not_where_the_include_says_ends_daemons(target: str) -> None:
    assert not examine(read(f"include : {target}\n")).starts


@every_case("condition", ["! defined STUFF", "$(STUFF)\nelse", "defined OTHER\nelif ! defined X"])
def test_an_error_depends_on_what_a_program_prints_before_it(condition: str) -> None:
    asks = f"if {condition}\n  error : stuff is needed\nendif\n"
    found = examine(read(f"include command : perl stuff.pl\n{asks}"))
    assert found.starts
    assert {(one.id, one.severity) for one in found.findings} >= {
        ("P910", "warning"),
        ("P104", "warning"),
    }
    assert not examine(read(asks)).starts
    assert not examine(read("include command : perl stuff.pl\nerror : stop\n")).starts


@every_case("shares", [
    (0.33334, 0.66667), (0.3334, 0.3333, 0.3334), (0.16667,) * 6, (0.5, 0.5), (1.0,),
])  # fmt: skip
def test_shares_that_were_rounded_sum_to_one(shares: tuple[float, ...]) -> None:
    assert ids(_quotas(shares)) == set()


@every_case("shares", [(0.5, 0.51), (0.34, 0.34, 0.34), (0.75, 0.5), (0.9, 0.102)])
def test_shares_of_more_than_the_pool_are_told(shares: tuple[float, ...]) -> None:
    assert ids(_quotas(shares)) == {("P305", "warning")}


def _quotas(shares: tuple[float, ...]) -> str:
    groups = [f"group_{letter}" for letter, _ in zip("abcdef", shares, strict=False)]
    quotas = zip(groups, shares, strict=True)
    return f"GROUP_NAMES = {', '.join(groups)}\n" + "".join(
        f"GROUP_QUOTA_DYNAMIC_{group} = {share}\n" for group, share in quotas
    )


@every_case("form", ["SLOT_TYPE_{}_{}", "slot_type_{}_{}", "SLOT{}_{}"])
def test_an_attribute_may_be_given_for_each_slot_or_type_of_slots(form: str) -> None:
    types = "".join(f"SLOT_TYPE_{n} = cpus=1\nNUM_SLOTS_TYPE_{n} = 1\n" for n in (1, 2))
    values = "".join(f'{form.format(n, "Class")} = "{n}"\n' for n in (1, 2))
    assert ids(f"NUM_CPUS = 2\nSTARTD_ATTRS = Class\n{types}{values}") == set()
    other = values.replace("Class", "Klass")
    assert ("P211", "warning") in ids(f"NUM_CPUS = 2\nSTARTD_ATTRS = Class\n{types}{other}")


def test_another_file_may_declare_the_resources_of_a_type() -> None:
    text = "SLOT_TYPE_1 = cogs=50%, actuator=6, 50%\nNUM_SLOTS_TYPE_1 = 1\n"
    assert ids(text, fragment=True) == {("P242", "note")}
    assert ids(text, fragment=False) == {("P242", "warning")}


@every_case("detail", ["PARTITIONABLE", "CONSUMPTION_POLICY", "START"])
def test_another_file_may_make_the_slots_of_which_this_one_has_details(detail: str) -> None:
    assert ids(f"SLOT_TYPE_1_{detail} = True\n", fragment=True) == set()
    alone = f"SLOT_TYPE_1 = 100%\nSLOT_TYPE_1_{detail} = True\n"
    assert ids(alone, fragment=True) == {("P241", "note")}


# --- traps ----------------------------------------------------------------------------------------


@every_case("value", [
    'Owner == "bob"', 'TARGET.Owner == "bob"', "JobUniverse == 5", 'Owner == "bob" || False',
    '1 + "a"', '"yes"', "undefined",
])  # fmt: skip
def test_a_startd_ends_where_is_owner_is_no_condition_without_a_job(value: str) -> None:
    """As that of 25.14.1: `Invalid evaluation of IsOwner was marked as fatal`."""
    for name in ("IS_OWNER", "IsOwner"):
        found = examine(read(f"{name} = {value}\n"))
        assert ("P117", "error") in {(one.id, one.severity) for one in found.findings}
        [verdict] = [one for one in found.verdicts if one.daemon.subsystem == "STARTD"]
        assert (verdict.starts, verdict.status) == (False, 0)


@every_case("value", [
    "START =?= False", "False", "KeyboardIdle < 60", 'Owner =?= "bob"', 'Owner == "bob" || True',
    'State == "Owner" && Owner == "bob"', "MyOwnAttribute > 3", "$(ElsewhereDefined)",
])  # fmt: skip
def test_it_takes_is_owner_that_may_be_a_condition_without_a_job(value: str) -> None:
    assert all(one.id != "P117" for one in examine(read(f"IS_OWNER = {value}\n")).findings)


@every_case("macro", ["START", "SUSPEND", "CONTINUE", "PREEMPT", "KILL", "WANT_VACATE", "CpuBusy"])
def test_no_other_condition_of_a_startd_ends_it_without_a_job(macro: str) -> None:
    found = examine(read(f'{macro} = Owner == "bob"\n'))
    assert found.starts


LISTS = "DAEMON_LIST = MASTER, COLLECTOR, NEGOTIATOR, SCHEDD, STARTD\n"


@every_case("text, needs", [
    ("ABSENT_REQUIREMENTS = True\n", "COLLECTOR_PERSISTENT_AD_LOG = $(SPOOL)/ads\n"),
    ("ABSENT_REQUIREMENTS = MyType == \"Machine\"\n", "OFFLINE_LOG = $(SPOOL)/ads\n"),
    ("MASTER_HA_LIST = SCHEDD\n", "HA_LOCK_URL = file:/share/spool\n"),
    ("ParallelSchedulingGroup = \"switch1\"\n", "STARTD_ATTRS = ParallelSchedulingGroup\n"),
    ("LVM_VOLUME_GROUP_NAME = vg\n", "STARTD_ENFORCE_DISK_LIMITS = True\n"),
    ("LVM_HIDE_MOUNT = True\n", "STARTD_ENFORCE_DISK_LIMITS = True\n"),
    (
        "LVM_VOLUME_GROUP_NAME = vg\nSTARTD_ENFORCE_DISK_LIMITS = True\n"
        "LVM_USE_THIN_PROVISIONING = True\n",
        "LVM_THINPOOL_NAME = pool\n",
    ),
    ("STARTD_PRINT_ADS_FILTER = static\n", "STARTD_PRINT_ADS_ON_SHUTDOWN = True\n"),
    ("MIN_TRACKING_GID = 750\nMAX_TRACKING_GID = 757\n", "USE_GID_PROCESS_TRACKING = True\n"),
    ("SCHEDD_PREEMPTION_REQUIREMENTS = True\n", "SCHEDD_PREEMPTION_RANK = 0.0\n"),
    ("SCHEDD_PREEMPTION_RANK = 0.0\n", "SCHEDD_PREEMPTION_REQUIREMENTS = True\n"),
    ("SLOT4_JOB_HOOK_KEYWORD = WEB\n", "WEB_HOOK_FETCH_WORK = /usr/bin/fetch\n"),
    (f"{LISTS}DEFRAG_INTERVAL = 300\n", f"{LISTS}DAEMON_LIST = $(DAEMON_LIST), DEFRAG\n"
     "DEFRAG_DRAINING_MACHINES_PER_HOUR = 1\n"),
])  # fmt: skip
def test_what_the_manual_says_to_be_needed_is_missed_where_it_is_not(text: str, needs: str) -> None:
    alone = {one for one in ids(text, fragment=False) if one[0] == "P241"}
    assert alone == {("P241", "warning")}
    assert all(one != "P241" for one, _ in ids(text + needs, fragment=False))
    assert all(one != "P241" for one, _ in ids(needs + text, fragment=False))


@every_case("text", [
    "ADVERTISE_PSLOT_ROLLUP_INFORMATION = False\nALLOW_PSLOT_PREEMPTION = True\n",
    "NUM_CPUS = 8\nMAX_NUM_CPUS = 4\n",
    "MAX_NUM_CPUS = 4\nNUM_CPUS = $(DETECTED_CPUS)\n",
])  # fmt: skip
def test_a_macro_that_another_one_switches_off_is_told(text: str) -> None:
    assert ("P241", "warning") in ids(text, fragment=False)
    [_, kept] = sorted(text.splitlines(), key=lambda line: "PSLOT_PRE" in line or "MAX" in line)
    assert ids(f"{kept}\n", fragment=False) == set()


@every_case("macro, words", [
    ("JOB_SPOOL_PERMISSIONS", ("user", "Group", "world")),
    ("SLOT_CONFIG_FAILURE_MODE", ("CLEAR", "continue", "ABORT")),
    ("ENABLE_STARTD_DAEMON_AD", ("True", "false", "auto")),
    ("LINUX_HIBERNATION_METHOD", ("pm-utils", "/sys", "/proc")),
    ("STARTD_CRON_AUTOPUBLISH", ("Never", "always", "IF_CHANGED")),
    ("HANDLE_QUERY_IN_PROC_POLICY", ("always", "True", "small_table", "SMALL_TABLE_OR_QUERY")),
    ("STARTD_PRINT_ADS_FILTER", ("static", "static, dynamic", "partitionable dynamic")),
    ("VM_TYPE", ("kvm", "Xen")),
    ("LVM_HIDE_MOUNT", ("Auto", "True", "False")),
])  # fmt: skip
def test_macros_take_the_words_of_the_manual(macro: str, words: tuple[str, ...]) -> None:
    for word in words:
        assert all(one != "P130" for one, _ in ids(f"{macro} = {word}\n"))
    for word in ("sometimes", f"{words[0]}x"):
        assert ("P130", "warning") in ids(f"{macro} = {word}\n")


@every_case("no", ["False", "false", "0", "1 == 2"])
def test_daemons_end_without_a_protocol(no: str) -> None:
    off = f"ENABLE_IPV4 = {no}\n"
    found = examine(read(f"{off}ENABLE_IPV6 = {no}\n"))
    assert [(one.starts, one.status) for one in found.verdicts] == [(False, 4)] * 5
    assert examine(read(off)).starts
    assert examine(read(f"{off}ENABLE_IPV6 = auto\n")).starts


def test_the_master_starts_no_program_of_another_daemon() -> None:
    for name in ("TRANSFERER", "SHADOW", "Starter", "GRIDMANAGER", "PREEN"):
        assert ("P215", "warning") in ids(f"{LISTS}DAEMON_LIST = $(DAEMON_LIST) {name}\n")


@every_case("low, high", [
    ("SCHEDD_CLUSTER_INITIAL_VALUE", "SCHEDD_CLUSTER_MAXIMUM_VALUE"),
    ("COLLECTOR_QUERY_WORKERS_RESERVE_FOR_HIGH_PRIO", "COLLECTOR_QUERY_WORKERS"),
])  # fmt: skip
def test_a_part_is_no_greater_than_the_whole(low: str, high: str) -> None:
    """A schedd of 25.14.1 begins anew at its first number, a collector keeps fewer workers."""
    assert ids(f"{low} = 6\n{high} = 4\n") == {("P131", "warning")}
    assert ids(f"{low} = 4\n{high} = 6\n") == set()
    assert ids(f"{low} = 4\n{high} = 0\n") == set()


LIMIT, ALWAYS = "use POLICY : Limit_Job_Runtimes\n", "use POLICY : Always_Run_Jobs\n"
HOLDS = ("Hold_If_Memory_Exceeded", "Preempt_If_Memory_Exceeded", "Hold_If_Cpus_Exceeded")


@every_case("first, then", [
    (LIMIT, ALWAYS),
    (LIMIT, "use POLICY : Desktop\n"),
    *((f"use POLICY : {hold}\n", later) for hold in HOLDS for later in (LIMIT, ALWAYS)),
])  # fmt: skip
def test_a_template_of_all_jobs_comes_before_those_that_end_some(first: str, then: str) -> None:
    """As condor_config_val of 25.14.1 has PREEMPT behind both."""
    [found] = examine(read(first + then)).findings
    assert (found.id, found.line) == ("P223", 2)
    assert all(one != "P223" for one, _ in ids(then + first))


@every_case("order", [HOLDS, HOLDS[::-1], (*HOLDS, *HOLDS)])
def test_templates_that_add_conditions_go_together(order: tuple[str, ...]) -> None:
    text = "".join(f"use POLICY : {name}\n" for name in order)
    assert all(one != "P223" for one, _ in ids(ALWAYS + LIMIT + text))


@every_case("period, takes", [
    ("15*60", False), ("5 min", False), ("$(MINUTE)*5", False), ("hourly", False),
    ("5m", True), ("300", True), ("1h", True), ("90s", True),
])  # fmt: skip
def test_a_cron_job_of_a_template_has_a_number_and_a_unit_as_its_period(
    period: str, takes: bool
) -> None:
    """As the startd of 25.14.1: `Invalid period modifier`."""
    for daemon in ("Startd", "Schedd"):
        found = ids(f"use FEATURE : {daemon}CronPeriodic(HEALTH, {period}, /bin/health)\n")
        assert (("P130", "warning") in found) is not takes


@every_case("pattern, starts", [("(condor", False), ("[a-", False), ("^condor$", True), ("", True)])
def test_a_schedd_ends_at_names_for_its_superuser_that_are_no_pattern(
    pattern: str, starts: bool
) -> None:
    found = examine(read(f"QUEUE_SUPER_USER_MAY_IMPERSONATE = {pattern}\n"))
    assert found.starts is starts
    assert [one.daemon.subsystem for one in found.verdicts if not one.starts] == (
        [] if starts else ["SCHEDD"]
    )


def test_quotes_are_part_of_the_names_of_slots() -> None:
    assert ("P213", "warning") in ids('STARTD_RESOURCE_PREFIX = "slot"\n')
    assert ids("STARTD_RESOURCE_PREFIX = slot\n") == set()


ROLES = "use ROLE : CentralManager\nuse ROLE : Submit\nuse ROLE : Execute\nCONDOR_HOST = cm.x.org\n"


@every_case("macro, name", [
    ("START", "slot1_State"), ("SUSPEND", "SLOT2_Activity"), ("PREEMPT", "MY.slot12_State"),
])  # fmt: skip
def test_slots_have_of_each_other_what_startd_slot_attrs_lists(macro: str, name: str) -> None:
    text = f'{ROLES}WANT_SUSPEND = True\n{macro} = {name} =!= "Claimed" && LoadAvg < 2\n'
    assert ("P403", "warning") in ids(text)
    listed = f"STARTD_SLOT_ATTRS = {name.rpartition('_')[2].lower()}, Cpus\n"
    assert all(one != "P403" for one, _ in ids(listed + text))
    assert all(one != "P403" for one, _ in ids(text.replace(name, "slot1_MyOwn")))
