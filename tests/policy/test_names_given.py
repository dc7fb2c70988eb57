"""Names that a configuration gives: of schedds, of limits, of expressions that are latched."""

from __future__ import annotations

import pytest

from pieslice.policies.blocks import blocks
from tests.policy.test_lint import found, ids

LISTED = "STARTD_ATTRS = $(STARTD_ATTRS), DedicatedScheduler\n"
WHOLE = "DAEMON_LIST = MASTER, SCHEDD, STARTD, JOB_ROUTER\n"


@pytest.mark.parametrize(
    "value",
    [
        '"DedicatedScheduler@"',
        '"submit.example.edu"',
        '"DedicatedScheduler"',
        '""',
        '"Dedicated@s"',
    ],
)
@pytest.mark.parametrize("listed", ["", LISTED])
def test_parallel_jobs_run_where_a_schedd_is_named(value: str, listed: str) -> None:
    assert ids(f"DedicatedScheduler = {value}\n{listed}") == [("P130", 1)]


@pytest.mark.parametrize(
    "value",
    [
        *('"DedicatedScheduler@submit.example.edu"', '"dedicatedscheduler@s1@submit.example.edu"'),
        *('"DedicatedScheduler@$(FULL_HOSTNAME)"', 'strcat("DedicatedScheduler@", "s")', ""),
    ],
)
@pytest.mark.parametrize("listed", ["", LISTED])
def test_a_schedd_has_any_name(value: str, listed: str) -> None:
    """The startd publishes it without being told: SYSTEM_STARTD_ATTRS lists it."""
    assert found(f"DedicatedScheduler = {value}\n{listed}") == []


@pytest.mark.parametrize("listed", ["", LISTED])
def test_the_name_of_a_schedd_stands_in_quotes(listed: str) -> None:
    [item] = found(f"DedicatedScheduler = DedicatedScheduler@submit.example.edu\n{listed}")
    assert item.line == 1


@pytest.mark.parametrize("name", ["3D", "3d.x", "x.3d", "2024"])
def test_no_job_can_ask_for_a_limit_whose_name_is_none(name: str) -> None:
    assert ids(f"{name}_LIMIT = 5\n") == [("P130", 1)]


@pytest.mark.parametrize("name", ["D3", "x.d3", "matlab", "Large_Files", "x_3"])
def test_it_can_ask_for_any_other(name: str) -> None:
    assert found(f"{name}_LIMIT = 5\nCONCURRENCY_LIMIT_DEFAULT_x = 7\n") == []


@pytest.mark.parametrize("name", ["Nowhere", "State", "TotalLoadAvg"])
def test_what_is_latched_is_a_macro_and_no_attribute(name: str) -> None:
    [item] = found(f"{WHOLE}STARTD_LATCH_EXPRS = {name}\n")
    assert (item.id, item.severity) == ("P211", "warning")
    assert found(f"{WHOLE}STARTD_LATCH_EXPRS = {name}\n{name} = Cpus > 5\n") == []


@pytest.mark.parametrize("slot", ["SLOT1", "SLOT_TYPE_1"])
def test_a_slot_has_a_list_of_attributes_for_itself(slot: str) -> None:
    text = f"{WHOLE}NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = 100%\n{slot}_STARTD_ATTRS = Rack\n"
    assert ids(text) == [("P211", 4)]
    assert found(f"{text}Rack = 5\n") == []
    assert found(f"{text}{slot}_Rack = 5\n") == []


ROUTE = (
    "JOB_ROUTER_ROUTE_NAMES = Here\nJOB_ROUTER_ROUTE_Here @=end\n  REQUIREMENTS true\n  {}\n@end\n"
)


@pytest.mark.parametrize("line", ["SET Site 1", "MaxJobs = 50", "EVALSET Site 1 + 1"])
def test_a_route_that_names_no_universe_needs_a_place_in_the_grid(line: str) -> None:
    """It is one of the grid universe."""
    [item] = found(f"{WHOLE}{ROUTE.format(line)}")
    assert (item.id, item.line) == ("P250", 3)


@pytest.mark.parametrize(
    "line",
    [
        *("UNIVERSE VANILLA", "TargetUniverse = 5", "SET JobUniverse 5", "universe vanilla"),
        *('GridResource = "batch slurm"', 'SET GridResource "batch slurm"'),
    ],
)
def test_it_may_name_a_universe_or_a_place(line: str) -> None:
    assert found(f"{WHOLE}{ROUTE.format(line)}") == []


def test_transforms_of_all_routes_may_name_it() -> None:
    transform = (
        "JOB_ROUTER_POST_ROUTE_TRANSFORM_NAMES = T\n"
        "JOB_ROUTER_TRANSFORM_T @=end\n  SET JobUniverse 5\n@end\n"
    )
    assert found(f"{WHOLE}{ROUTE.format('SET Site 1')}{transform}") == []


@pytest.mark.parametrize("macro", ["ALLOW_WRITE", "DENY_READ", "ALLOW_DAEMON"])
@pytest.mark.parametrize(
    "host", ["10.0.0.1-10.0.0.9", "10.0.0.1-9", "10.*.0.1", "10.*.*.1", ".example.edu", "a@b/.edu"]
)
def test_a_range_a_part_and_a_dot_fit_no_host(macro: str, host: str) -> None:
    [item] = found(f"{macro} = {host}\n")
    assert (item.id, "fits no host" in item.message) == ("P235", True)


@pytest.mark.parametrize(
    "host",
    [
        *("10.0.0.*", "10.*", "10.0.0.0/24", "*.example.edu", "a-1.example.edu", "condor@*/*.edu"),
        *("node-1", "1-2.example.edu", "10.0.0.1", "[fe80::1]", "*"),
    ],
)
def test_hosts_patterns_and_networks_do(host: str) -> None:
    assert found(f"ALLOW_WRITE = {host}\n") == []


@pytest.mark.parametrize("macro", ["CONDOR_HOST", "COLLECTOR_HOST", "FLOCK_TO"])
def test_a_host_is_no_address_of_the_web(macro: str) -> None:
    [item] = found(f"{macro} = https://cm.example.edu/\n")
    assert (item.id, item.help) == ("P235", "did you mean `cm.example.edu`?")


@pytest.mark.parametrize("macro", ["SLOT1_USER", "SLOT12_USER", "SLOT1_3_USER"])
def test_a_user_of_a_slot_has_no_quotes(macro: str) -> None:
    """The starter finds no user of that name."""
    assert ids(f'{macro} = "nobody1"\n') == [("P213", 1)]
    assert found(f"{macro} = nobody1\n") == []


@pytest.mark.parametrize("pattern", ["*", "slot[", "(slot", "slot**"])
def test_accounts_for_jobs_are_a_pattern(pattern: str) -> None:
    assert ids(f"DEDICATED_EXECUTE_ACCOUNT_REGEXP = {pattern}\n") == [("P426", 1)]


@pytest.mark.parametrize("pattern", ["slot[0-9]+", "nobody", ".*", "^(a|b)$"])
def test_any_pattern_may_name_them(pattern: str) -> None:
    assert found(f"DEDICATED_EXECUTE_ACCOUNT_REGEXP = {pattern}\n") == []


@pytest.mark.parametrize("macro", ["HA_LOCK_URL", "HA_SCHEDD_LOCK_URL"])
def test_a_lock_that_machines_share_is_a_file(macro: str) -> None:
    listed = "MASTER_HA_LIST = SCHEDD\n"
    [item] = found(f"{listed}{macro} = /shared/lock\n")
    assert (item.id, item.severity) == ("P130", "error")
    assert found(f"{listed}{macro} = file:/shared/lock\n") == []


CRON = (
    "STARTD_CRON_JOBLIST = X\nSTARTD_CRON_X_EXECUTABLE = /bin/true\nSTARTD_CRON_X_PERIOD = 5m\n"
    "STARTD_CRON_X_ENV = {}\n"
)


@pytest.mark.parametrize("text", ["A=1,B=2", "A=1, B=2", '"A=1;B=2"', '"A=1; B=2"'])
def test_variables_have_a_semicolon_between_or_in_quotes_a_blank(text: str) -> None:
    assert ids(CRON.format(text)) == [("P130", 4)]
    assert ids(f"STARTER_JOB_ENVIRONMENT = {text}\n") == [("P130", 1)]


@pytest.mark.parametrize(
    "text", ["A=1;B=2", '"A=1 B=2"', "A=1,2", "A=1", "\"A='1; B=2'\"", "A=x,y;B=2", "$(X)"]
)
def test_commas_and_semicolons_may_be_parts_of_values(text: str) -> None:
    for one in (CRON.format(text), f"STARTER_JOB_ENVIRONMENT = {text}\n"):
        assert "P130" not in [name for name, _ in ids(one)]


@pytest.mark.parametrize("macro", ["UPDATE_INTERVAL", "MASTER_UPDATE_INTERVAL", "SCHEDD_INTERVAL"])
def test_ads_live_until_the_next_ones(macro: str) -> None:
    assert ids(f"{macro} = 1200\nCLASSAD_LIFETIME = 900\n") == [("P131", 1)]
    assert found(f"{macro} = 300\nCLASSAD_LIFETIME = 900\n") == []


JOB = (
    "{0}_CRON_JOBLIST = X\n{0}_CRON_X_EXECUTABLE = /bin/true\n{0}_CRON_X_PERIOD = {1}\n"
    "{0}_CRON_X_MODE = {2}\n"
)


@pytest.mark.parametrize("period", ["0", "0s", "00m"])
def test_a_periodic_job_of_a_cron_needs_a_time(period: str) -> None:
    assert ids(JOB.format("STARTD", period, "Periodic")) == [("P130", 3)]
    assert found(JOB.format("STARTD", period, "WaitForExit")) == []
    assert found(JOB.format("STARTD", period, "OneShot")) == []


@pytest.mark.parametrize("slots", ["slot1", "1, slot2", "one", "slot_type_1"])
def test_slots_of_a_job_of_a_cron_are_numbers(slots: str) -> None:
    text = JOB.format("STARTD", "5m", "Periodic")
    assert ids(f"{text}STARTD_CRON_X_SLOTS = {slots}\n") == [("P130", 5)]
    assert found(f"{text}STARTD_CRON_X_SLOTS = 1, 2\n") == []


@pytest.mark.parametrize("daemon", ["STARTD", "SCHEDD"])
@pytest.mark.parametrize("load", ["10%", "high", "200", "-1"])
def test_a_daemon_ends_at_a_load_of_its_cron_that_is_no_share(daemon: str, load: str) -> None:
    text = JOB.format(daemon, "5m", "Periodic")
    [item] = found(f"{text}{daemon}_CRON_X_JOB_LOAD = {load}\n")
    assert (item.id, item.severity) == ("P110", "error")
    for right in ("0.1", "0", "0.05 + 0.05", "100"):
        assert found(f"{text}{daemon}_CRON_X_JOB_LOAD = {right}\n") == []


def test_it_does_not_read_the_load_of_a_job_that_is_not_listed() -> None:
    text = JOB.format("STARTD", "5m", "Periodic")
    assert "P110" not in [name for name, _ in ids(f"{text}STARTD_CRON_Y_JOB_LOAD = high\n")]


TWO_TYPES = (
    "NUM_SLOTS_TYPE_1 = 2\nSLOT_TYPE_1 = cpus=1\n"
    "NUM_SLOTS_TYPE_2 = 1\nSLOT_TYPE_2 = cpus=50%\nSLOT_TYPE_2_PARTITIONABLE = True\n"
)
WORKER = "DAEMON_LIST = MASTER, STARTD\n"


@pytest.mark.parametrize(
    ("slots", "line"),
    [
        (TWO_TYPES, "SLOT4_USER = worker4"),
        (TWO_TYPES, "slot0_user = worker"),
        (TWO_TYPES, "SLOT4_1_USER = worker"),
        (TWO_TYPES, "SLOT9_EXECUTE = /scratch/9"),
        (TWO_TYPES, "SLOT3_USER = worker3"),  # it is cut into slot3_1, slot3_2 and so on
        (TWO_TYPES, "SLOT1_1_USER = worker"),  # and slot1 is not
        (TWO_TYPES, "STARTD_ATTRS = Rack\nSLOT4_Rack = 5\nRack = 4"),
        ("NUM_SLOTS = 2\n", "SLOT3_USER = worker"),
        ("NUM_SLOTS = 2\n", "SLOT1_USER = worker"),
        (WORKER, "SLOT1_USER = worker"),
        ("use FEATURE : PartitionableSlot(1, 50%)\n", "SLOT1_USER = worker"),
        ("use FEATURE : StaticSlots(1, 2, 50%)\n", "SLOT3_USER = worker"),
    ],
)
def test_what_is_for_a_slot_needs_that_slot(slots: str, line: str) -> None:
    (item,) = found(f"{slots}{line}\n")
    assert item.id == "P253"


@pytest.mark.parametrize(
    ("slots", "line"),
    [
        (TWO_TYPES, "SLOT1_USER = worker\nSLOT2_USER = other\nSLOT3_7_USER = third"),
        (TWO_TYPES, "SLOT3_EXECUTE = /scratch/3\nSLOT3_JOB_HOOK_KEYWORD ="),
        (TWO_TYPES, "STARTD_ATTRS = Rack\nSLOT3_Rack = 5\nRack = 4"),
        (TWO_TYPES, "SLOT4_USER ="),
        (WORKER, "SLOT1_1_USER = worker"),
        ("", "SLOT12_USER = worker"),  # another file may make the slots
        ("NUM_SLOTS = $(NUM_CPUS)\n", "SLOT12_USER = worker"),
        ("STARTD_RESOURCE_PREFIX = node\nNUM_SLOTS = 1\n", "SLOT1_USER = worker"),
    ],
)
def test_a_slot_that_there_is_or_may_be_has_its_own(slots: str, line: str) -> None:
    assert found(f"{slots}{line}\n") == []


def test_accounts_of_slots_that_are_not_made_are_one_cause() -> None:
    accounts = "".join(f"SLOT{number}_USER = osg\n" for number in range(1, 17))
    (block,) = blocks(found(f"{WORKER}{accounts}"))
    assert len(block.more) == 15


@pytest.mark.parametrize("beside", ["", "DEDICATED_EXECUTE_ACCOUNT_REGEXP = slot[0-9]+\n"])
def test_accounts_for_jobs_alone_are_no_boolean_today(beside: str) -> None:
    for text in ("True", "TRUE", "False"):
        (item,) = found(f"{beside}EXECUTE_LOGIN_IS_DEDICATED = {text}\n")
        assert (item.id, item.edit) == ("P204", None)
        assert "DEDICATED_EXECUTE_ACCOUNT_REGEXP" in (item.help or "")


COMMANDS = [
    *(("request_memory", "RequestMemory"), ("Request_Cpus", "RequestCpus")),
    *(("should_transfer_files", "ShouldTransferFiles"), ("transfer_input_files", "TransferInput")),
    *(("max_retries", "JobMaxRetries"), ("periodic_hold", "PeriodicHold")),
    *(("concurrency_limits", "ConcurrencyLimits"), ("initialdir", "Iwd")),
]
TRANSFORM = "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T @=end\n{}\n@end\n"


@pytest.mark.parametrize(("command", "attribute"), COMMANDS)
def test_a_command_of_submit_files_is_no_attribute_of_jobs(command: str, attribute: str) -> None:
    """The job has an attribute of that name more, and none of what it asks for is changed."""
    for text in (
        f"SUBMIT_ATTRS = $(SUBMIT_ATTRS) {command}\n{command} = 5\n",
        TRANSFORM.format(f"SET {command} 5"),
        TRANSFORM.format(f"DEFAULT {command} 5"),
    ):
        (item,) = found(text)
        assert (item.id, item.help) == ("P401", f"did you mean `{attribute}`?")
        assert [one.id for one in found(text.replace(command, attribute))] == []


@pytest.mark.parametrize("name", ["my_project", "site_request", "Project", "_site"])
def test_an_attribute_of_ones_own_may_have_any_name(name: str) -> None:
    assert found(f"SUBMIT_ATTRS = $(SUBMIT_ATTRS) {name}\n{name} = 5\n") == []
    assert found(TRANSFORM.format(f"SET {name} 5")) == []


def test_what_expressions_ask_for_is_an_attribute_whatever_submit_files_call_so() -> None:
    asked = "START = TARGET.batch_name =!= 5\n"
    assert found(f"SUBMIT_ATTRS = batch_name\nbatch_name = 5\n{asked}") == []


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("$SUBSTRING(HOSTNAME,0,3)", None),
        ("a-$RANDOM_CHOISE(1,2)", "$RANDOM_CHOICE("),
        ("$UPPER(HOSTNAME)", None),
        ("$substr(HOSTNAME,0,3)", "$SUBSTR("),
        ("$env(HOME)", "$ENV("),
    ],
)
def test_what_is_no_function_stays_as_text(line: str, meant: str | None) -> None:
    """In these very letters: condor_config_val prints the text as it stands."""
    (item,) = found(f"NODE_NAME = {line}\nSTARTD_NAME = $(NODE_NAME)\n")
    assert (item.id, item.line) == ("P123", 1)
    assert item.help == (meant and f"did you mean `{meant}`?")


@pytest.mark.parametrize(
    "line",
    [
        *("$SUBSTR(HOSTNAME,0,3)", "$INT(NUM_CPUS)", "$ENV(HOME:none)", "$F(LOG)", "$Fqpnx(LOG)"),
        *("$CHOICE(0,a,b)", "$RANDOM_INTEGER(1,5)", "$BASENAME(LOG)", "$$(Memory)", "$(LOG)"),
        "$DOLLAR (HOME)",
    ],
)
def test_a_function_of_macros_is_known_by_its_name(line: str) -> None:
    assert [one.id for one in found(f"SITE_NAME = {line}\nX = $(SITE_NAME)\n")] == []


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ('TARGET.Owner == "alice@example.edu"', "User"),
        ('Owner =?= "alice@EXAMPLE.edu"', "User"),
        ('"bob@example.edu" == TARGET.Owner', "User"),
        ('TARGET.User == "alice"', "Owner"),
        ('User =!= "alice"', "Owner"),
    ],
)
def test_a_user_has_a_domain_and_an_owner_has_none(line: str, meant: str) -> None:
    (item,) = found(f"UID_DOMAIN = example.edu\nSTART = {line}\n")
    assert (item.line, item.help) == (2, f"did you mean `{meant}`?")


@pytest.mark.parametrize(
    "line",
    [
        'TARGET.Owner == "alice"',
        'TARGET.User == "alice@example.edu"',
        'TARGET.Owner == "alice@elsewhere.org"',  # so one of another domain may be called
        'TARGET.AcctGroup == "alice"',
    ],
)
def test_a_name_that_somebody_may_have_is_left_alone(line: str) -> None:
    assert found(f"UID_DOMAIN = example.edu\nSTART = {line}\n") == []


@pytest.mark.parametrize("words", ["include ifexist", "include"])
def test_an_include_takes_one_file_and_no_pattern(words: str) -> None:
    (item,) = found(f"UID_DOMAIN = a.b\n{words} : /etc/condor/site/*.conf\n")
    assert (item.line, "LOCAL_CONFIG_DIR" in (item.help or "")) == (2, True)
    assert found("include ifexist : /etc/condor/site/a.conf\n") == []
    assert found("include : a*.conf\n", {"a*.conf": "X = 1\n"}) == []


@pytest.mark.parametrize("words", ["include ifexist", "include"])
@pytest.mark.parametrize("end", ["", "/"])
def test_nothing_of_a_folder_is_included(words: str, end: str) -> None:
    """And the daemons of 25.14.1 start."""
    files = {"/etc/condor/site/a.conf": "START = (\n"}
    (item,) = found(f"{words} : /etc/condor/site{end}\nUID_DOMAIN = a.b\n", files)
    assert (item.id, item.line, item.severity) == ("P104", 1, "warning")


def test_the_name_of_whom_a_transfer_is_counted_for_is_no_sum() -> None:
    (item,) = found('TRANSFER_QUEUE_USER_EXPR = "Owner_" + Owner\n')
    assert item.id == "P425"
    assert found('TRANSFER_QUEUE_USER_EXPR = strcat("Owner_", Owner)\n') == []


@pytest.mark.parametrize("path", ["/var/log/condor/nodes.log", "$(LOG)/nodes.log", "/x/@(OWNER)"])
def test_each_dag_has_a_log_of_its_own(path: str) -> None:
    """One that begins later empties it, and condor_dagman of 25.14.1 aborts the one before."""
    (item,) = found(f"DAGMAN_DEFAULT_NODE_LOG = {path}\n")
    assert item.id == "P130"


@pytest.mark.parametrize(
    "path", ["@(DAG_DIR)/@(DAG_FILE).nodes.log", "/x/@(CLUSTER).log", "@(dag_file).log"]
)
def test_a_log_may_have_the_name_of_its_dag(path: str) -> None:
    assert found(f"DAGMAN_DEFAULT_NODE_LOG = {path}\n") == []


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        *(("FULL_HOSTNAME", "NETWORK_HOSTNAME"), ("hostname", "NETWORK_HOSTNAME")),
        *(("IP_ADDRESS", "NETWORK_INTERFACE"), ("IPv6_Address", "NETWORK_INTERFACE")),
    ],
)
def test_what_each_reader_finds_on_its_machine_is_told(name: str, instead: str) -> None:
    """As condor_config_val of 25.14.1 shows."""
    (item,) = found(f"{name} = a.b\n")
    assert (item.id, item.line) == ("P254", 1)
    assert instead in (item.help or "")
    assert found(f"{name} = a.b\nPID = 4711\nPPID = 1\n") == [], "a dump has all of them"


@pytest.mark.parametrize("name", ["DETECTED_MEMORY", "ARCH", "OPSYS", "UNAME_ARCH"])
def test_what_was_found_before_the_files_may_be_set(name: str) -> None:
    assert found(f"{name} = 7\n") == []


@pytest.mark.parametrize("macro", ["SCHEDD_DEBUG", "ALL_DEBUG"])
def test_a_setting_that_stands_in_another_ones_value_is_one_finding(macro: str) -> None:
    (item,) = found(f"{macro} = D_FULLDEBUG MAX_KBDD_LOG            = 1000000\n")
    assert (item.id, item.line) == ("P130", 1)
    assert "another setting" in (item.help or "")
    assert len(found(f"{macro} = D_FULLDEBUGG D_COMAND\n")) == 2


@pytest.mark.parametrize(
    ("cpus", "odd"), [("0-3", 1), ("0-1, 4-5", 2), ("0,1", 0), ("0 1, 2", 0), ("0x", 1)]
)
def test_the_cpus_of_a_slot_are_numbers(cpus: str, odd: int) -> None:
    """A job of 25.14.1 with `0-1` may run on CPU 0 alone."""
    assert ids(f"ENFORCE_CPU_AFFINITY = True\nSLOT1_CPU_AFFINITY = {cpus}\n") == [("P130", 2)] * odd


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("REQUEST_MEMORY", "JOB_DEFAULT_REQUESTMEMORY"),
        ("Periodic_Hold", "SYSTEM_PERIODIC_HOLD"),
        ("SHOULD_TRANSFER_FILES", "SUBMIT_DEFAULT_SHOULD_TRANSFER_FILES"),
        ("MAX_JOBS_PER_USER", "MAX_JOBS_PER_OWNER"),
        ("when_to_transfer_output", "a command of submit files"),
        ("MATCH_DEBUG", "D_MATCH"),
    ],
)
def test_what_is_a_name_elsewhere_is_no_macro(written: str, meant: str) -> None:
    """condor_submit of 25.14.1 takes none of its commands from the configuration."""
    [item] = found(f"{written} = D_FULLDEBUG\n")
    assert (item.id, item.line) == ("P201", 1)
    assert meant in (item.help or "")
    used = f"{written} = 100\nJOB_DEFAULT_REQUESTMEMORY = $({written})\n"
    assert all(item.id != "P201" for item in found(used))


def test_the_name_of_a_group_stands_at_the_end_of_its_macros() -> None:
    group = "GROUP_NAMES = group_a, b\nGROUP_QUOTA_group_a = 5\nGROUP_QUOTA_b = 7\n"
    for name, meant in (("group_a", "GROUP_ACCEPT_SURPLUS_group_a"), ("b", "GROUP_AUTOREGROUP_b")):
        middle = meant.removeprefix("GROUP_").removesuffix(f"_{name}")
        [item] = found(f"{group}GROUP_{name}_{middle} = True\n")
        assert (item.id, item.line, meant in (item.help or "")) == ("P202", 4, True)


@pytest.mark.parametrize(
    ("attribute", "macro"),
    [("MaxJobsRunning", "MAX_JOBS_RUNNING"), ("StartLocalUniverse", "START_LOCAL_UNIVERSE")],
)
def test_an_attribute_that_a_daemon_makes_of_a_macro_is_not_that_macro(
    attribute: str, macro: str
) -> None:
    """Where another value speaks of it, it is a macro of the site's own."""
    [item] = found(f"{attribute} = 30\n")
    assert (item.id, item.line, macro in (item.help or "")) == ("P202", 1, True)
    assert found(f"{attribute} = 30\n{macro} = $({attribute})\n") == []


@pytest.mark.parametrize("which", ["", "P"])
def test_a_clause_that_jobs_have_to_fulfil_is_a_macro(which: str) -> None:
    """Asked of condor_startd of 25.14.1, which ignores one that is not there."""
    listed = f"{which}SLOT_REQUIREMENTS_CLAUSES = Healthy\n"
    assert ids(listed) == [("P211", 1)]
    assert found(f"{listed}Healthy = TARGET.RequestCpus < 9\n") == []
    assert ids(f"{listed}Healthy = (TARGET.RequestCpus < 9\n") == [("P217", 2)]


@pytest.mark.parametrize(
    "macro",
    [
        *("DEFAULT_DRAINING_START_EXPR", "STARTER_RLIMIT_AS", "GRIDMANAGER_SELECTION_EXPR"),
        "CURB_MATCHMAKING",
    ],
)
def test_an_expression_that_is_read_later_has_to_parse(macro: str) -> None:
    [item] = found(f"{macro} = (RequestCpus > 1\n")
    assert (item.id, item.line) == ("P113", 1)


@pytest.mark.parametrize("weight", ["Memory / 1024", "TARGET.Cpus", "Disk"])
def test_what_an_idle_job_weighs_is_told_by_the_job(weight: str) -> None:
    """A schedd of 25.14.1 warns, and weighs by RequestCpus."""
    assert [one for one, _ in ids(f"SCHEDD_SLOT_WEIGHT = {weight}\n")] == ["P407"]
    assert found("SCHEDD_SLOT_WEIGHT = RequestCpus + RequestMemory / 4096\n") == []


def test_the_weight_of_a_slot_has_an_underscore_in_its_name() -> None:
    """Asked of 25.14.1: with SlotWeight = Memory each slot weighs what SLOT_WEIGHT says."""
    [item] = found("SlotWeight = Memory\n")
    assert (item.id, "SLOT_WEIGHT" in (item.help or "")) == ("P205", True)
    assert found("STARTD_ATTRS = SlotWeight\nSlotWeight = Memory\n") == []


@pytest.mark.parametrize("macro", ["DOCKER_VOLUMES", "DOCKER_MOUNT_VOLUMES"])
def test_volumes_are_listed_by_names_and_not_by_folders(macro: str) -> None:
    assert ids(f"{macro} = /data, /scratch:/tmp\n") == [("P211", 1)] * 2


@pytest.mark.parametrize(
    "text",
    [
        *("$(SITE:/srv/condor-spool)", "$(MORE:root@example.edu)", "$(NOT-SET)", "$(A:b;c)"),
        *('$ENV(TMPDIR":/tmp)', '$ENV("HOME")', "$ENV(MY-VAR)", "$ENV( HOME )"),
    ],
)
def test_other_signs_make_no_reference(text: str) -> None:
    """As condor_config_val of 25.14.1 prints them."""
    said = [one.id for one in found(f"SPOOL = {text}/spool\nSITE = /x\n")]
    assert "P121" in said


@pytest.mark.parametrize(
    "text", ["$(SITE:/srv/condor_spool)", "$(SITE:a b.c:d,(e f))", "$ENV(HOME:/tmp)", "$$(X-Y)"]
)
def test_a_default_may_have_these_signs(text: str) -> None:
    assert all(one.id != "P121" for one in found(f"SPOOL = /x/{text}\nSITE = /x\n"))


def test_a_log_in_minutes_may_be_meant_in_megabytes() -> None:
    """Asked of 25.14.1: `5m` is minutes, `5M` and `5 Mb` are a size."""
    [item] = found("MAX_STARTD_LOG = 5m\n")
    assert (item.id, "5 Mb" in (item.help or "")) == ("P606", True)
    for size in ("5M", "5 Mb", "5 min", "2 days"):
        assert found(f"MAX_STARTD_LOG = {size}\n") == []


@pytest.mark.parametrize("macro", ["STARTD_DETECT_GPUS", "GPU_DISCOVERY_EXTRA"])
@pytest.mark.parametrize("text", ["True", "yes", "1", '"-extra"', "extra", "-bogus", "-extra -x"])
def test_gpus_are_found_by_options_and_by_no_switch(macro: str, text: str) -> None:
    """A startd of 25.14.1 says `invalid configuration`, or condor_gpu_discovery how it is used."""
    assert ids(f"{macro} = {text}\n") == [("P130", 1)]


@pytest.mark.parametrize(
    "text", ["-properties", "-prop -extra", "-divide 2", "-simulate:2,4 -cuda", "-tag GPUs", ""]
)
def test_options_of_the_discovery_of_gpus_may_be_cut(text: str) -> None:
    for macro in ("STARTD_DETECT_GPUS", "GPU_DISCOVERY_EXTRA"):
        assert found(f"{macro} = {text}\n") == []
    for off in ("False", "0"):
        assert found(f"STARTD_DETECT_GPUS = {off}\n") == []
        assert ids(f"GPU_DISCOVERY_EXTRA = {off}\n") == [("P130", 1)]


LIKE = {"a no-break space": "\u00a0", "no width": "\u200b", "a quote": "\u201c", "a mark": "\ufeff"}


@pytest.mark.parametrize("sign", LIKE)
@pytest.mark.parametrize("macro", ["UID_DOMAIN", "FLOCK_TO", "ALLOW_WRITE", "SPOOL"])
def test_a_sign_that_looks_like_another_is_a_part_of_a_name(macro: str, sign: str) -> None:
    """As condor_config_val of 25.14.1 has it."""
    assert ("P108", 1) in ids(f"{macro} = /a.example.edu{LIKE[sign]}\n")


def test_a_long_dash_begins_no_option() -> None:
    assert ids("SHARED_PORT_ARGS = \u2013p 9618\n") == [("P108", 1)]
    assert found("SHARED_PORT_ARGS = -p 9618\n") == []


@pytest.mark.parametrize(
    "line",
    [
        "COLLECTOR_NAME = Pool \u2013 Nord\u00a01",
        'SYSTEM_PERIODIC_HOLD_REASON = "zu viel \u201cSpeicher\u201d"',
        "UID_DOMAIN = m\u00fcller.example.edu",
        "OWN_TEXT = a\u00a0b",
    ],
)
def test_letters_and_texts_that_people_read_may_be_any(line: str) -> None:
    assert all(one != "P108" for one, _ in ids(f"{line}\n"))


def test_a_variable_of_the_environment_is_no_macro_in_a_file() -> None:
    [item] = found("_CONDOR_MAX_JOBS_RUNNING = 100\n")
    assert (item.id, "`MAX_JOBS_RUNNING`" in (item.help or "")) == ("P201", True)
    assert found("_CONDOR_OWN = 100\n") == []
