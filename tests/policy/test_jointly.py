"""Settings of one machine that go together: policies, daemons, folders, accounts."""

from __future__ import annotations

import pytest

from policy.lint.verdict import examine
from tests.policy.test_lint import ids, read

STARTD = "DAEMON_LIST = MASTER, STARTD\n"
SCHEDDS = "SCHEDD2 = $(SCHEDD)\nSCHEDD2_ARGS = -local-name fast\n"


def names(text: str) -> list[str]:
    return [name for name, _ in ids(text)]


def test_what_wants_a_hold_is_what_preempts() -> None:
    held = "WANT_HOLD = MemoryUsage > Memory || TotalJobRunTime > 86400\n"
    assert names(f"PREEMPT = MemoryUsage > Memory\n{held}") == ["P134"]
    for other in ("", " || LoadAvg > 9"):
        ended = f"MemoryUsage > Memory || TotalJobRunTime > 86400{other}"
        assert names(f"PREEMPT = {ended}\n{held}") == []
    assert names("PREEMPT = MemoryUsage > Memory\nWANT_HOLD = MemoryUsage > Memory\n") == []


def test_jobs_of_a_container_have_its_image() -> None:
    head = "SINGULARITY_JOB = TARGET.ContainerImage isnt undefined\nSINGULARITY_IMAGE_EXPR = "
    assert names(f"{head}TARGET.SingularityImage\n") == ["P134"]
    assert names(f"{head}TARGET.ContainerImage\n") == []
    assert names(f'{head}ifThenElse(TARGET.A =?= 1, TARGET.SingularityImage, "b")\n') == []


def test_a_requirement_takes_what_asks_for_nothing() -> None:
    head = "JOB_DEFAULT_REQUESTMEMORY = 2048\nSUBMIT_REQUIREMENT_NAMES = M\n"
    head += "SUBMIT_REQUIREMENT_M = JobUniverse == 5 && RequestMemory "
    assert names(f"{head}<= 1024\n") == ["P134"]
    assert names(f"{head}<= 4096\n") == []
    assert names(f"{head}>= 1024\n") == []


def test_a_daemon_with_a_local_name_has_no_settings_under_the_master_s() -> None:
    """condor_config_val of 25.14.1 finds SCHEDD2.MAX_JOBS_RUNNING with `-local-name SCHEDD2`."""
    own = "fast.SPOOL = /var/lib/fast\nfast.SCHEDD_NAME = fast\n"
    head = f"DAEMON_LIST = MASTER, SCHEDD, SCHEDD2\n{SCHEDDS}{own}"
    assert names(f"{head}SCHEDD2.MAX_JOBS_RUNNING = 7\n") == ["P221"]
    assert names(f"{head}fast.MAX_JOBS_RUNNING = 7\n") == []


def test_a_collector_passes_nothing_on_to_itself() -> None:
    """condor_collector of 25.14.1 logs `Not forwarding to View Server ... - self referential`."""
    head = "CONDOR_HOST = cm.x.org\nCOLLECTOR_HOST = cm.x.org:9618\nDAEMON_LIST = MASTER, COLLECTOR"
    assert names(f"{head}\nCONDOR_VIEW_HOST = cm.x.org:9618\n") == ["P241"]
    assert names(f"{head}\nCONDOR_VIEW_HOST = view.x.org\n") == []
    child = f"{head}, C1\nC1 = $(COLLECTOR)\nC1_ARGS = -f -p 9621 -local-name c1\n"
    assert names(f"{child}c1.CONDOR_VIEW_HOST = cm.x.org:9621\n") == ["P241"]
    assert names(f"{child}c1.CONDOR_VIEW_HOST = $(COLLECTOR_HOST)\n") == []


def test_routed_jobs_go_to_another_schedd() -> None:
    head = "DAEMON_LIST = MASTER, SCHEDD, JOB_ROUTER\nCOLLECTOR_HOST = ce.x.org:9619\n"
    head += "SCHEDD_NAME = ce.x.org\nJOB_ROUTER_SCHEDD2_NAME = ce.x.org\n"
    assert names(f"{head}JOB_ROUTER_SCHEDD2_POOL = ce.x.org:9619\n") == ["P134"]
    assert names(f"{head}JOB_ROUTER_SCHEDD2_POOL = ce.x.org:9618\n") == []


def test_every_machine_of_condor_had_has_a_collector() -> None:
    head = "DAEMON_LIST = MASTER, COLLECTOR, NEGOTIATOR, HAD\nMASTER_NEGOTIATOR_CONTROLLER = HAD\n"
    head += "HAD_ARGS = -p 51450\nHAD_LIST = a.x.org:51450, b.x.org:51450\nCOLLECTOR_HOST = a.x.org"
    assert names(f"{head}\n") == ["P134"]
    assert names(f"{head}, b.x.org\n") == []


@pytest.mark.parametrize("macro", ["EXECUTE", "LOG"])
def test_what_is_to_stay_is_not_in_spool(macro: str) -> None:
    """condor_preen of 25.14.1 removes from SPOOL what it does not know, with all in it."""
    spool = "SPOOL = /var/lib/condor/spool\n"
    for inside in ("$(SPOOL)/sub", "/var/lib/condor/spool/"):
        assert names(f"{spool}{macro} = {inside}\n") == ["P134"]
        for kept in ("PREEN =\n", "DAEMON_LIST = MASTER, SCHEDD\n" if macro == "EXECUTE" else ""):
            if kept:
                assert names(f"{spool}{kept}{macro} = {inside}\n") == []
    assert names(f"{spool}VALID_SPOOL_FILES = sub\n{macro} = $(SPOOL)/sub\n") == []
    assert names(f"{spool}{macro} = /var/lib/condor/spool2\n") == []


def test_accounts_for_jobs_alone_are_those_of_the_slots() -> None:
    head = f"{STARTD}SLOT1_USER = nobody\nSLOT1_1_USER = job1\n"
    assert names(f"{head}DEDICATED_EXECUTE_ACCOUNT_REGEXP = slot[0-9]+\n") == ["P134"]
    assert names(f"{head}DEDICATED_EXECUTE_ACCOUNT_REGEXP = job[0-9]+\n") == []


@pytest.mark.parametrize("level", ["WRITE", "ADMINISTRATOR"])
def test_what_is_let_in_is_not_denied(level: str) -> None:
    allow = f"UID_DOMAIN = x.org\nALLOW_{level} = *@x.org, eve@y.org\nDENY_{level} = "
    assert names(f"{allow}*@x.org\n") == ["P134"]
    assert names(f"{allow}bob@x.org\n") == []


def test_a_certificate_is_no_key() -> None:
    cert, key = "AUTH_SSL_SERVER_CERTFILE = /etc/", "AUTH_SSL_SERVER_KEYFILE = /etc/"
    assert names(f"{cert}hostkey.pem\n{key}hostkey.pem\n") == ["P134"]
    assert names(f"{cert}hostcert.pem\n{key}hostcert.pem\n") == ["P134"]
    assert names(f"{cert}hostcert.pem\n{key}hostkey.pem\n") == []
    assert names(f"{cert}both.pem\n{key}both.pem\n") == []


def test_ads_are_passed_on_before_they_are_gone() -> None:
    assert names("CLASSAD_LIFETIME = 900\nCOLLECTOR_FORWARD_INTERVAL = 1800\n") == ["P131"]
    assert names("CLASSAD_LIFETIME = 900\nCOLLECTOR_FORWARD_INTERVAL = 600\n") == []


def test_metrics_are_sums_and_peaks() -> None:
    """condor_startd of 25.14.1: `Unknown metric type 'MAX' for attribute`."""
    head = f"{STARTD}STARTD_CRON_JOBLIST = A\nSTARTD_CRON_A_EXECUTABLE = /usr/bin/a\n"
    head += "STARTD_CRON_A_PERIOD = 5m\nSTARTD_CRON_A_METRICS = "
    assert names(f"{head}MAX:Load, SUM:Calls\n") == ["P134"]
    assert names(f"{head}PEAK:Load, SUM:Calls\n") == []


def test_what_begins_otherwise_is_from_no_job_of_a_cron() -> None:
    head = f"{STARTD}STARTD_CRON_JOBLIST = A\nSTARTD_CRON_A_EXECUTABLE = /usr/bin/a\n"
    head += "STARTD_CRON_A_PERIOD = 5m\nSTARTD_CRON_A_PREFIX = NodeHealth_\nSTART = "
    assert names(f"{head}Node_Healthy =?= True\n") == ["P401"]
    assert names(f"{head}NodeHealth_Ok =?= True\n") == []
    assert names(f"{head}TARGET.Node_Healthy =?= True\n") == []


def test_the_dedicated_scheduler_is_in_slots_by_itself() -> None:
    """SYSTEM_STARTD_ATTRS of 25.14.1 and 23.9.6 has it; parallel groups are to be listed."""
    assert names(f'{STARTD}DedicatedScheduler = "DedicatedScheduler@a.x.org"\n') == []
    group = f'{STARTD}ParallelSchedulingGroup = "rack1"\n'
    assert names(group) == ["P241"]
    assert names(f"{group}STARTD_ATTRS = ParallelSchedulingGroup\n") == []


def test_a_limit_of_one_s_own_is_an_expression() -> None:
    head = f"{STARTD}CGROUP_MEMORY_LIMIT_POLICY = "
    assert names(f"{head}custom\n") == ["P241"]
    assert names(f"{head}custom\nCGROUP_HARD_MEMORY_LIMIT_EXPR = Memory * 2\n") == []
    assert names(f"{head}hard\n") == []


def test_what_one_type_of_slots_takes_whole_no_other_has() -> None:
    """condor_startd of 25.14.1 makes a broken slot of the second type."""
    head = (
        f"{STARTD}NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=50%, gpus=100%\nNUM_SLOTS_TYPE_2 = 1\n"
    )
    assert names(f"{head}SLOT_TYPE_2 = cpus=25%, gpus=1\n") == ["P243"]
    assert names(f"{head}SLOT_TYPE_2 = cpus=25%, gpus=0\n") == []


def test_a_transform_has_made_what_it_asks_for() -> None:
    def body(name: str, *lines: str) -> str:
        return "\n".join((f"JOB_TRANSFORM_{name} @=end", *lines, "@end\n"))

    both = 'EVALSET AcctGroup "a"', 'EVALSET AccountingGroup strcat(AcctGroup, ".", Owner)'
    assert names("JOB_TRANSFORM_NAMES = T\n" + body("T", *reversed(both))) == ["P252"]
    assert names("JOB_TRANSFORM_NAMES = T\n" + body("T", *both)) == []
    # The value of before is kept.
    kept = "EVALSET OldGroup AcctGroup", 'SET AcctGroup "a"'
    assert names("JOB_TRANSFORM_NAMES = T\n" + body("T", *kept)) == []

    makes = body("Makes", 'EVALSET Team "a"')
    asks = body("Asks", 'REQUIREMENTS Team == "a"', "SET WantTeam True")
    assert names(f"JOB_TRANSFORM_NAMES = Asks Makes\n{makes}{asks}") == ["P252"]
    assert names(f"JOB_TRANSFORM_NAMES = Makes Asks\n{makes}{asks}") == []
    absent = body("Asks", "REQUIREMENTS Team is undefined", "SET WantTeam True")
    assert names(f"JOB_TRANSFORM_NAMES = Asks Makes\n{makes}{absent}") == []


def test_a_variable_of_a_transform_is_set_before_it_is_used() -> None:
    uses, other = 'SET Lim "$(Lim)"', "JOB_TRANSFORM_B = SET X 5\n"
    for lines, found in ((f"{uses}\nLim = a", ["P120"]), (f"Lim = a\n{uses}", [])):
        body = f"JOB_TRANSFORM_A @=end\n{lines}\n@end\n"
        assert names(f"JOB_TRANSFORM_NAMES = A B\n{body}{other}") == found


def test_machines_tell_of_themselves_while_their_ads_live() -> None:
    """UPDATE_INTERVAL of 25.14.1 is 300 seconds where nobody sets it."""
    assert names("CLASSAD_LIFETIME = 240\n") == ["P131"]
    assert names("CLASSAD_LIFETIME = 240\nUPDATE_INTERVAL = 60\n") == []
    assert names("CLASSAD_LIFETIME = 900\n") == []


def test_a_part_of_the_cycle_is_no_longer_than_the_cycle() -> None:
    head = "NEGOTIATOR_MAX_TIME_PER_CYCLE = 1200\nNEGOTIATOR_MAX_TIME_PER_PIESPIN = "
    assert names(f"{head}12000\n") == ["P131"]
    assert names(f"{head}120\n") == []


def test_the_queue_of_a_schedd_is_in_its_spool() -> None:
    head = "DAEMON_LIST = MASTER, SCHEDD, JOB_ROUTER\nJOB_ROUTER_SCHEDD2_SPOOL = /var/lib/condor\n"
    log = "JOB_ROUTER_SCHEDD2_JOB_QUEUE_LOG = /var/lib/"
    assert names(f"{head}{log}condor-ce/job_queue.log\n") == ["P134"]
    assert names(f"{head}{log}condor/job_queue.log\n") == []


def test_slots_have_accounts_of_their_own_or_share_one() -> None:
    head = f"{STARTD}SLOT1_1_USER = job1\nSLOT1_2_USER = job2\nSLOT1_3_USER = job"
    assert names(f"{head}2\n") == ["P134"]
    assert names(f"{head}3\n") == []
    assert names(f"{STARTD}SLOT1_1_USER = job\nSLOT1_2_USER = job\n") == []


def test_two_kinds_of_daemons_have_two_logs() -> None:
    head = "LOG = /var/log/condor\nDAEMON_LIST = MASTER, SCHEDD\n"
    assert names(f"{head}SHADOW_LOG = $(LOG)/SchedLog\n") == ["P134"]
    assert names(f"{head}SHADOW_LOG = $(LOG)/ShadowLog\n") == []
    assert names(f"{head}SCHEDD_LOG = $(LOG)/A\nSHADOW_LOG = $(LOG)/A\n") == ["P134"]


def test_a_keyboard_is_connected_to_the_slots_that_ask_for_it() -> None:
    none = "SLOTS_CONNECTED_TO_KEYBOARD = 0\nSLOTS_CONNECTED_TO_CONSOLE = 0\n"
    assert names(f"{none}START = KeyboardIdle > 900\n") == ["P134"]
    assert names(f"{none}START = TARGET.RequestCpus < 3\n") == []
    assert names("SLOTS_CONNECTED_TO_KEYBOARD = 1\nSTART = KeyboardIdle > 900\n") == []


def test_a_domain_is_no_host() -> None:
    head = "UID_DOMAIN = x.org\nCONDOR_HOST = cm.x.org\nALLOW_WRITE = "
    assert names(f"{head}$(UID_DOMAIN)\n") == ["P235"]
    for text in ("*.$(UID_DOMAIN)", "*@$(UID_DOMAIN)", "a.$(UID_DOMAIN)"):
        assert names(f"{head}{text}\n") == []


def test_a_folder_of_certificates_is_no_file() -> None:
    assert names("AUTH_SSL_CLIENT_CADIR = /etc/grid-security/ca.pem\n") == ["P134"]
    assert names("AUTH_SSL_CLIENT_CADIR = /etc/grid-security/certificates\n") == []


def test_a_daemon_has_a_program() -> None:
    head = "DAEMON_LIST = MASTER, SCHEDD, EXTRA\nEXTRA = "
    assert "P120" in names(f"{head}$(EXTRA_PROGRAM)\n")
    assert "P120" not in names(f"{head}$(EXTRA_PROGRAM)\nEXTRA_PROGRAM = /usr/sbin/extra\n")


def test_a_template_makes_slots_of_one_type() -> None:
    first = f"{STARTD}use FEATURE : PartitionableSlot(1, 50%)\n"
    assert names(f"{first}use FEATURE : StaticSlots(1, 2, 10%)\n") == ["P223"]
    assert names(f"{first}use FEATURE : StaticSlots(2, 2, 10%)\n") == []


def test_the_reason_of_a_policy_has_its_name() -> None:
    head = "SYSTEM_PERIODIC_HOLD_NAMES = Disk\nSYSTEM_PERIODIC_HOLD_Disk = DiskUsage > 9000000\n"
    assert names(f"{head}SYSTEM_PERIODIC_HOLD_Disc_SUBCODE = 5\n") == ["P212"]
    assert names(f"{head}SYSTEM_PERIODIC_HOLD_Disk_SUBCODE = 5\n") == []


def test_ads_are_passed_on_by_their_types() -> None:
    assert names("CONDOR_VIEW_CLASSAD_TYPES = Machines,Submitter\n") == ["P134"]
    assert names("CONDOR_VIEW_CLASSAD_TYPES = Machine,Submitter\n") == []


def test_a_map_is_where_its_path_says() -> None:
    assert names("CERTIFICATE_MAPFILE = condor_mapfile\n") == ["P137"]
    assert names("CERTIFICATE_MAPFILE = /etc/condor/condor_mapfile\n") == []


def test_a_slot_has_more_memory_than_a_percentage() -> None:
    head = f"{STARTD}NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=90%, memory="
    assert names(f"{head}90\n") == ["P606"]
    assert names(f"{head}90%\n") == names(f"{head}4096\n") == []


def test_a_disk_without_a_unit_is_in_kibibytes() -> None:
    """condor_startd of 25.14.1 takes 4096 for 4096 KiB, and 4096M and 4G for 4194304 KiB."""
    head = f"{STARTD}NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=4, disk="
    assert names(f"{head}4096\n") == ["P606"]
    for clean in ("4096M", "4G", "90000000", "25%", "1/4", "auto", "4096%"):
        assert "P606" not in names(f"{head}{clean}\n")


def test_the_startd_calls_its_gpus_so() -> None:
    """condor_startd of 25.14.1: `Unknown attribute "gpu" in slot type 1`."""
    head = f"{STARTD}NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=90%, "
    assert names(f"{head}gpu=100%\n") == ["P242"]
    assert names(f"{head}gpus=100%\n") == []


def test_a_second_schedd_has_a_name_of_its_own() -> None:
    """The collector of 25.14.1 shows one of two schedds where neither has SCHEDD_NAME."""
    head = f"DAEMON_LIST = MASTER, SCHEDD, SCHEDD2\n{SCHEDDS}fast.SPOOL = /var/lib/fast\n"
    assert names(head) == ["P134"]
    assert names(f"{head}fast.SCHEDD_NAME = fast\n") == []


def test_a_central_manager_has_a_collector() -> None:
    head = "CONDOR_HOST = $(FULL_HOSTNAME)\nDAEMON_LIST = MASTER, NEGOTIATOR"
    assert names(f"{head}\n") == ["P134"]
    assert names(f"{head}, COLLECTOR\n") == []
    assert names(f"{head}\nCOLLECTOR_HOST = cm.x.org\n") == []


def test_a_quote_in_an_environment_has_its_end() -> None:
    """condor_starter of 25.14.1: `Unbalanced quote starting here`."""
    assert names('STARTER_JOB_ENVIRONMENT = "A=1 B=\'x y"\n') == ["P130"]
    assert names("STARTER_JOB_ENVIRONMENT = \"A=1 B='x y'\"\n") == []


def test_daemons_of_two_machines_have_another_method_than_fs() -> None:
    head = f"{STARTD}CONDOR_HOST = cm.x.org\nSEC_DEFAULT_AUTHENTICATION = REQUIRED\n"
    macro = "SEC_DEFAULT_AUTHENTICATION_METHODS"
    assert names(f"{head}{macro} = FS\n") == ["P134"]
    assert names(f"{head}{macro} = FS, IDTOKENS\n") == []
    optional = head.replace("REQUIRED", "OPTIONAL")
    assert names(f"{optional}{macro} = FS\n") == []


@pytest.mark.parametrize("macro", ["CONDOR_HOST", "FLOCK_TO"])
def test_a_user_is_no_host(macro: str) -> None:
    assert "P235" in names(f"{macro} = condor@cm.x.org\n")
    assert "P235" not in names(f"{macro} = cm.x.org\n")


def test_folders_for_jobs_stand_between_commas() -> None:
    assert names(f"{STARTD}MOUNT_UNDER_SCRATCH = /tmp; /var/tmp\n") == ["P138"]
    assert names(f"{STARTD}MOUNT_UNDER_SCRATCH = /tmp;/var/tmp\n") == ["P138"]
    assert names(f'{STARTD}MOUNT_UNDER_SCRATCH = "/tmp:/var/tmp"\n') == ["P138"]
    assert names(f"{STARTD}MOUNT_UNDER_SCRATCH = /tmp, /var/tmp\n") == []


def test_no_job_has_another_root_than_the_machine() -> None:
    """With it jobs of 25.14.1 are held: `Failed to execute '/bin/ls'`."""
    for folders in ("/", '"/"', "/tmp, /"):
        assert names(f"{STARTD}MOUNT_UNDER_SCRATCH = {folders}\n") == ["P138"]


def test_a_setting_begins_on_a_line_of_its_own() -> None:
    """Asked of a schedd of 25.14.1, whose file had lost the end of a line."""
    for text in ("root, condorSCHEDD_INTERVAL = 120", "root MAX_JOBS_RUNNING=5"):
        assert names(f"QUEUE_SUPER_USERS = {text}\n") == ["P107"]
    assert names("ALLOW_READ = *.x.org ALLOW_CONFIG = a@x.org/*.x.org\n") == ["P107"]
    assert names("SCHEDD_ENVIRONMENT = _CONDOR_MAX_JOBS_RUNNING=5\n") == []
    assert names('START = TARGET.WantX == "MAX_JOBS_RUNNING = 5"\n') == []


def test_a_port_of_the_collector_is_said_once() -> None:
    """Asked of 25.14.1: of two ports the one in COLLECTOR_HOST counts."""
    head = "CONDOR_HOST = cm.example.org\nDAEMON_LIST = MASTER, COLLECTOR\nCOLLECTOR_PORT = 9620\n"
    assert ids(f"{head}COLLECTOR_HOST = $(CONDOR_HOST):9619\n") == [("P134", 3)]
    for port in ("", ":9620", ":$(COLLECTOR_PORT)", ":9620, other.example.org:9619"):
        assert ids(f"{head}COLLECTOR_HOST = $(CONDOR_HOST){port}\n") == []


def test_the_name_of_a_submitter_is_a_text() -> None:
    assert names("NEGOTIATOR_SUBMITTER_CONSTRAINT = Name == alice\n") == ["P412"]
    assert names('NEGOTIATOR_SUBMITTER_CONSTRAINT = Name == "alice@x.org"\n') == []


@pytest.mark.parametrize("daemon", ["STARTD", "SCHEDD", "COLLECTOR", "NEGOTIATOR", "MASTER"])
def test_a_log_is_a_file(daemon: str) -> None:
    """Asked of condor_startd of 25.14.1: `Cannot open log file`, exit status 4."""
    head = "DAEMON_LIST = MASTER, STARTD, SCHEDD, COLLECTOR, NEGOTIATOR\nLOG = /srv/log\n"
    head = f"{head}{daemon}_LOG = "
    for folder in ("/srv/log", "/srv/other/", "$(LOG)", "$(LOG)/"):
        result = examine(read(f"{head}{folder}\n"))
        assert [one.id for one in result.findings] == ["P130"]
        ended = [one.daemon.subsystem for one in result.verdicts if not one.starts]
        assert ended == [daemon]
    assert examine(read(f"{head}$(LOG)/{daemon}Log\n")).findings == []


def test_what_a_template_sets_is_changed_behind_it() -> None:
    for line in ("use POLICY : Desktop", "use POLICY : Always_Run_Jobs"):
        assert ids(f"START = TARGET.RequestCpus < 4\n{line}\n") == [("P203", 1)]
        assert "P203" not in names(f"{line}\nSTART = TARGET.RequestCpus < 4\n")
    # Templates that add to a condition keep what was there.
    added = "PREEMPT = MemoryUsage > Memory\nuse POLICY : Preempt_If_Cpus_Exceeded\n"
    assert "P203" not in names(added)
    guarded = "if version >= 9.0\nSTART = TARGET.RequestCpus < 4\nendif\nuse POLICY : Desktop\n"
    assert "P203" not in names(guarded)
    chosen = "START = TARGET.RequestCpus < 4\nif version >= 9.0\nuse POLICY : Desktop\nendif\n"
    assert "P203" not in names(chosen)


@pytest.mark.parametrize("macro", ["UPDATE_INTERVAL", "MASTER_UPDATE_INTERVAL", "SCHEDD_INTERVAL"])
def test_ads_live_until_the_next_ones(macro: str) -> None:
    assert ids(f"{macro} = 3600\n") == [("P131", 1)]
    assert ids(f"{macro} = 900\n") == []
    assert ids(f"{macro} = 3600\nCLASSAD_LIFETIME = 7200\n") == []


@pytest.mark.parametrize("macro", ["HISTORY", "STARTD_HISTORY", "JOB_EPOCH_HISTORY"])
def test_a_history_is_a_file(macro: str) -> None:
    for folder in ("$(SPOOL)", "$(LOG)/", "/srv/history/"):
        assert ids(f"{macro} = {folder}\n") == [("P130", 1)]
    assert ids(f"{macro} = $(SPOOL)/history\n") == []


def test_a_number_in_quotes_is_no_number() -> None:
    hold = "SYSTEM_PERIODIC_HOLD = JobStatus == 2 && MaxTime < {}\n"
    other = "START = (TARGET.MaxTime ?: 3600) < 7200\n"
    assert ids(hold.format('"600"') + other) == [("P428", 1)]
    assert ids(hold.format("600") + other) == []
    given = "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T = SET MaxTime {}\n"
    assert ids(given.format('"600"') + other) == [("P428", 2)]
    assert ids(given.format("600") + other) == ids(given.format('"600"')) == []
    # Where nothing tells that it is a number, it may be a text.
    assert ids(hold.format('"600"')) == []


def test_time_is_in_seconds() -> None:
    head = "DAEMON_LIST = MASTER, STARTD\nPREEMPT = time() > "
    assert ids(f"{head}1796100000000\n") == [("P605", 2)]
    assert ids(f"{head}1796100000\n") == []


@pytest.mark.parametrize("end", ["1796100000000", "3600", "179610000"])
def test_an_instant_that_is_published_is_in_seconds(end: str) -> None:
    text = "DAEMON_LIST = MASTER, STARTD\nSTARTD_ATTRS = ToDie\nToDie = {}\n{}\n"
    for line in ("START = time() + 600 < ToDie", "PREEMPT = ToDie < time()"):
        assert ids(text.format(end, line)) == [("P605", 4)]
        assert ids(text.format("1796100000", line)) == []
    assert ids(text.format(end, "START = TARGET.MaxTime < ToDie")) == []


def test_variables_are_for_resources_that_the_machine_has() -> None:
    head = "MACHINE_RESOURCE_NAMES = nvme\nMACHINE_RESOURCE_nvme = a b\n"
    assert ids(f"{head}ENVIRONMENT_FOR_AssignedNvmes = X\n") == [("P242", 3)]
    for name in ("nvme", "NVME", "GPUs", "FPGA"):
        assert ids(f"{head}ENVIRONMENT_FOR_Assigned{name} = X\n") == []


def test_a_conflict_of_slots_is_a_text() -> None:
    text = "SLOT_TYPE_2_PREEMPT = ResourceConflict {}\nNUM_SLOTS_TYPE_2 = 1\nSLOT_TYPE_2 = 1\n"
    assert ids(text.format("== True")) == [("P410", 1)]
    assert ids(text.format("=!= undefined")) == []


def test_a_policy_beside_those_of_all_types_is_asked_for_by_no_slot() -> None:
    head = "CONDOR_HOST = cm.x.org\nDAEMON_LIST = MASTER, STARTD\nSTART = TARGET.X > 5\n"
    head = f"{head}NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = 50%\n"
    own = "SLOT_TYPE_1_START = {}Cpus > 4\n"
    assert ids(head + own.format("")) == [("P241", 3)]
    assert ids(head + own.format("$(START) && ")) == []
    assert ids(f"{head}{own.format('')}NUM_SLOTS_TYPE_2 = 1\nSLOT_TYPE_2 = 50%\n") == []


def test_a_request_for_disk_is_in_kibibytes() -> None:
    assert ids("JOB_DEFAULT_REQUESTDISK = 10\n") == [("P606", 1)]
    for right in ("1", "1048576", "10 * 1024 * 1024", "DiskUsage"):
        assert ids(f"JOB_DEFAULT_REQUESTDISK = {right}\n") == []


def test_a_time_is_no_truth_value() -> None:
    head = "DAEMON_LIST = MASTER, STARTD\nMAXJOBRETIREMENTTIME = "
    assert ids(f"{head}TARGET.RequestCpus > 1\n") == [("P428", 2)]
    assert ids(f"{head}ifThenElse(TARGET.RequestCpus > 1, 7200, 3600)\n") == []
    assert ids(f"{head}(TARGET.RequestCpus > 1) * 7200\n") == []


def test_a_list_is_no_condition() -> None:
    start = "DAEMON_LIST = MASTER, STARTD\nSTART = TARGET.RequestCpus > 1 || {}\n"
    assert ids(start.format('split(TARGET.Owner, "@")')) == [("P432", 2)]
    assert ids(start.format('member("a", split(TARGET.Owner, "@"))')) == []


def test_jobs_of_backfill_slots_retire_soon() -> None:
    text = (
        "DAEMON_LIST = MASTER, STARTD\nNUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = 100%\n"
        "NUM_SLOTS_TYPE_2 = 1\nSLOT_TYPE_2 = 100%\nSLOT_TYPE_2_BACKFILL = True\n"
        "SLOT_TYPE_2_PREEMPT = ResourceConflict =!= undefined\n"
        "SLOT_TYPE_2_MAXJOBRETIREMENTTIME = {}\n"
    )
    assert ids(text.format(86400)) == [("P511", 8)]
    assert ids(text.format(60)) == []


def test_a_reason_for_holds_goes_with_a_condition() -> None:
    text = 'DAEMON_LIST = MASTER, STARTD\nPREEMPT = Cpus > 4\nWANT_HOLD_REASON = "a"\n'
    assert ids(text) == [("P241", 3)]
    assert ids(f"{text}WANT_HOLD = $(PREEMPT)\n") == []


def test_a_job_that_runs_once_has_no_period() -> None:
    head = "STARTD_CRON_JOBLIST = A\nSTARTD_CRON_A_EXECUTABLE = /a\nSTARTD_CRON_A_MODE = {}\n"
    assert ids(f"{head.format('OneShot')}STARTD_CRON_A_PERIOD = 5m\n") == [("P241", 4)]
    assert ids(f"{head.format('Periodic')}STARTD_CRON_A_PERIOD = 5m\n") == []
    assert ids(f"{head.format('OneShot')}STARTD_CRON_A_PERIOD = 0\n") == []


def test_each_line_of_extended_commands_has_a_type() -> None:
    """Asked of condor_schedd of 25.14.1, which stops reading at such a line."""
    text = 'EXTENDED_SUBMIT_COMMANDS @=end\n  # ours\n  LongJob = true\n{}  Site = "a"\n@end\n'
    assert ids(text.format("  Dept\n")) == [("P130", 4)]
    assert ids(text.format("")) == []


def test_a_slot_has_whole_cpus() -> None:
    """As the startd of 25.14.1 makes them: with cpus=1.5 the slot's Cpus is 1."""
    text = "NUM_CPUS = 8\nNUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = {}, memory=10%\n"
    assert ids(text.format("cpus=1.5")) == [("P133", 3)]
    assert ids(text.format("cpus=2.0")) == ids(text.format("cpus=12.5%")) == []


def test_a_concurrency_limit_ends_in_an_underscore_and_a_word() -> None:
    assert ids("MATLAB.LIMIT = 5\n") == [("P201", 1)]
    assert ids("MATLAB_LIMIT = 5\n") == ids("X.HTTP_PORT = 5\n") == []
