"""Limits and conditions that leave nothing, and settings of one host that go together."""

from __future__ import annotations

import pytest

from tests.policy.test_jointly import names
from tests.policy.test_lint import examine, ids, read


def test_a_machine_keeps_some_of_its_memory_for_jobs() -> None:
    """condor_startd of 25.14.1 ends with `Can't compute physical memory` and status 4."""
    assert names("MEMORY = 4096\nRESERVED_MEMORY = 1024\n") == []
    assert names("RESERVED_MEMORY = 4096\n") == []
    for kept in ("4096", "4 * 1024", "5000"):
        seen = examine(
            read(f"DAEMON_LIST = MASTER, STARTD\nMEMORY = 4096\nRESERVED_MEMORY = {kept}\n")
        )
        assert [one.id for one in seen.findings] == ["P131"]
        [startd] = [one for one in seen.verdicts if one.daemon.subsystem == "STARTD"]
        assert (startd.starts, startd.status) == (False, 4)


@pytest.mark.parametrize("macro", ["SUBMITTED", "PER_OWNER", "PER_SUBMISSION"])
def test_no_jobs_is_no_sign_for_any_number(macro: str) -> None:
    """condor_submit of 25.14.1 fails with each of them at 0: `would exceed MAX_JOBS_...`."""
    for none in (0, -1):
        assert names(f"MAX_JOBS_{macro} = {none}\n") == ["P132"]
    assert names(f"MAX_JOBS_{macro} = 10\n") == []


def test_below_0_no_job_runs_and_0_is_for_an_access_point_that_drains() -> None:
    """condor_schedd of 25.14.1 leaves matched jobs idle at MAX_JOBS_RUNNING = -1."""
    assert names("MAX_JOBS_RUNNING = -1\n") == ["P132"]
    assert names("MAX_JOBS_RUNNING = 0\n") == []


def test_machines_that_are_whole_are_not_drained() -> None:
    head = "DAEMON_LIST = MASTER, DEFRAG\nDEFRAG_DRAINING_MACHINES_PER_HOUR = 2\n"
    head += "DEFRAG_WHOLE_MACHINE_EXPR = Cpus >= 8\nDEFRAG_REQUIREMENTS = PartitionableSlot"
    assert names(f"{head} && TotalCpus >= 16\n") == []
    assert names(f"{head} && Cpus >= 4\n") == []
    for more in ("Cpus >= 8", "Cpus > 8", "8 <= Cpus"):
        assert names(f"{head} && {more}\n") == ["P134"]


def test_jobs_are_released_by_a_code_that_a_hold_gives() -> None:
    head = "DAEMON_LIST = MASTER, SCHEDD\nSYSTEM_PERIODIC_HOLD_NAMES = A\n"
    head += "SYSTEM_PERIODIC_HOLD_A = JobStatus == 2 && NumJobStarts > 9\n"
    head += "SYSTEM_PERIODIC_HOLD_A_SUBCODE = 7\n"
    head += "SYSTEM_PERIODIC_RELEASE = HoldReasonCode == {} && HoldReasonSubCode == {}"
    head += " && NumHolds < 4 && time() - EnteredCurrentStatus > 600\n"
    assert names(head.format(26, 8)) == ["P410"]
    for by, sub in ((26, 7), (26, 0), (3, 8)):
        assert names(head.format(by, sub)) == []


def test_a_machine_sleeps_in_a_state_that_there_is() -> None:
    head = "HIBERNATE_CHECK_INTERVAL = 300\nHIBERNATE = "
    for state in ("RAM", "s3", "OFF", "5"):
        assert names(f'{head}ifThenElse(KeyboardIdle > 7200, "{state}", "NONE")\n') == []
    assert names(f'{head}KeyboardIdle > 7200 ? "ASLEEP" : "NONE"\n') == ["P130"]
    assert names(f'{head}ifThenElse(State == "Unclaimed", "RAM", "AWAKE")\n') == ["P130"]


def test_the_credd_is_looked_for_where_it_listens() -> None:
    head = "DAEMON_LIST = MASTER, CREDD\nCREDD_ARGS = -p 9620 -f\nCREDD_HOST = c.x.org"
    assert names(f"{head}:9621\n") == ["P134"]
    assert names(f"{head}:9620\n") == names(f"{head}\n") == []


def test_the_record_of_usage_has_one_name() -> None:
    assert names("STATE_FILE = $(SPOOL)/Accountantnew.log\n") == []
    assert names("STATE_FILE = $(SPOOL)/AccountantNew.log\n") == ["P134"]


def test_a_second_schedd_of_the_own_name_is_in_another_pool() -> None:
    head = "DAEMON_LIST = MASTER, SCHEDD, JOB_ROUTER\nSCHEDD_NAME = ce\n"
    assert names(f"{head}JOB_ROUTER_SCHEDD2_NAME = ce\n") == ["P134"]
    assert names(f"{head}JOB_ROUTER_SCHEDD2_NAME = batch\n") == []
    pool = "JOB_ROUTER_SCHEDD2_POOL = cm.x.org:9618\n"
    assert names(f"{head}JOB_ROUTER_SCHEDD2_NAME = ce\n{pool}") == []


def test_names_without_dns_need_a_domain() -> None:
    """The schedd of 25.14.1 crashes; slots are called `slot1@` and have no Machine."""
    for daemon, status in (("SCHEDD", 139), ("STARTD", None)):
        head = f"DAEMON_LIST = MASTER, {daemon}\nCONDOR_HOST = cm.x.org\nNO_DNS = True\n"
        seen = examine(read(head))
        assert [one.id for one in seen.findings] == ["P134"]
        [found] = [one for one in seen.verdicts if one.daemon.subsystem == daemon]
        assert (found.starts, found.status or None) == (status is None, status)
        assert names(f"{head}DEFAULT_DOMAIN_NAME = x.org\n") == []


def test_every_account_of_a_slot_is_one_of_the_pattern() -> None:
    head = "NUM_SLOTS_TYPE_1 = 2\nSLOT_TYPE_1 = 1/2\nSLOT_TYPE_1_PARTITIONABLE = False\n"
    head += "SLOT1_USER = slot1\nSLOT2_USER = slot2\n"
    assert names(f"{head}DEDICATED_EXECUTE_ACCOUNT_REGEXP = slot[12]\n") == []
    assert names(f"{head}DEDICATED_EXECUTE_ACCOUNT_REGEXP = slot1\n") == ["P134"]


def test_schedds_that_flock_here_may_say_so() -> None:
    head = "DAEMON_LIST = MASTER, COLLECTOR, NEGOTIATOR\nFLOCK_FROM = a.y.org\n"
    assert names(f"{head}ALLOW_ADVERTISE_SCHEDD = *.x.org\n") == ["P134"]
    for hosts in ("*.x.org, $(FLOCK_FROM)", "*", "*.x.org, *.y.org", "condor@x.org"):
        assert "P134" not in names(f"{head}ALLOW_ADVERTISE_SCHEDD = {hosts}\n")


@pytest.mark.parametrize("text", ["EE-2", "rack-12", "CERN-PROD"])
def test_a_text_that_is_published_has_quotes(text: str) -> None:
    assert names(f"Where = {text}\nSTARTD_ATTRS = Where\n") == ["P412"]
    assert names(f'Where = "{text}"\nSTARTD_ATTRS = Where\n') == []


def test_a_pattern_comes_first_where_a_text_has_another_in_its_place() -> None:
    for text in ('AcctGroup ?: ""', "TARGET.Team", 'TARGET.Team ?: "x"'):
        assert names(f'START = regexp({text}, "^group_")\n') == ["P421"]
        assert names(f'START = regexp("^group_", {text})\n') in ([], ["P434"])
    assert names('START = regexp(TARGET.Pattern, "alice")\n') == []


def test_a_requirement_takes_jobs_without_the_attribute_that_it_chooses_by() -> None:
    head = "SUBMIT_REQUIREMENT_NAMES = R\nSUBMIT_REQUIREMENT_R = "
    for choice in ("ifThenElse({}, {}, {})", "{} ? {} : {}"):
        assert names(head + choice.format("WantBig", "RequestCpus < 9", "RequestCpus < 5")) == [
            "P434"
        ]
        for asked in ("WantBig ?: False", "WantBig =?= True", "RequestCpus > 2"):
            text = choice.format(f"({asked})", "RequestMemory < 9999", "RequestMemory < 5555")
            assert names(head + text) == []


def test_a_macro_with_a_default_is_no_attribute_of_the_job() -> None:
    """condor_transform_ads of 25.14.1 sets 2000, whatever RequestMemory is."""
    head = "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T @=end\n  {}SET Memory0 {}\n@end\n"
    assert ids(head.format("", "$(RequestMemory:2000)")) == [("P252", 3)]
    for own, text in (
        ("", "$(MY.RequestMemory:2000)"),
        ("RequestMemory = 5\n  ", "$(RequestMemory:2000)"),
        ("", "$(Anything:2000)"),
    ):
        assert ids(head.format(own, text)) == []


@pytest.mark.parametrize("line", ["SET", "EVALSET", "DEFAULT"])
def test_the_type_of_an_attribute_that_a_transform_sets_is_known(line: str) -> None:
    head = f"JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T = {line} RequestMemory 8192\n"
    head += "SUBMIT_REQUIREMENT_NAMES = R\nSUBMIT_REQUIREMENT_R = RequestMemory <= "
    assert names(f'{head}"8 GB"\n') == ["P410"]
    assert names(f"{head}9000\n") == []


def test_a_text_of_the_job_needs_quotes_in_a_transform() -> None:
    """condor_transform_ads of 25.14.1 makes `Team = alice` of `SET Team $(MY.Owner)`."""
    head = "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T @=end\n  {}\n@end\n"
    for wrong in (
        "SET Team0 $(MY.Owner)",
        'EVALSET Team0 strcat("x.", $(MY.Owner))',
        "DEFAULT Team0 $(MY.Owner:nobody)",
    ):
        assert ids(head.format(wrong)) == [("P252", 3)]
    for right in (
        'SET Team0 "$(MY.Owner)"',
        'EVALSET Team0 strcat("\\"", Owner)',
        "SET Size0 $(MY.RequestMemory)",
        'SET Team0 "\\"$(MY.Owner)"',
    ):
        assert ids(head.format(right)) == []


def test_a_text_is_never_undefined() -> None:
    for condition in ('isUndefined("ProjectName")', 'isError("QDate")'):
        head = "SYSTEM_PERIODIC_HOLD = NumJobStarts > 9 ||"
        assert "P424" in names(f"{head} {condition}\n")
    assert names("SYSTEM_PERIODIC_HOLD = NumJobStarts > 9 || isUndefined(ProjectName)\n") == []


def test_a_hook_has_its_words_in_order() -> None:
    head = "STARTER_DEFAULT_JOB_HOOK_KEYWORD = SITE\nSITE_HOOK_JOB_EXIT = /bin/x\n"
    assert names(f"{head}SITE_HOOK_JOB_PREPARE = /bin/y\n") == ["P201"]
    assert names(f"{head}SITE_HOOK_PREPARE_JOB = /bin/y\n") == []


def test_a_member_of_a_family_is_known_by_its_head() -> None:
    head = "SUBMIT_REQUIREMENT_NAMES = R\nSUBMIT_REQUIREMENT_R = RequestMemory < 9000\n"
    assert names(f'{head}SUBMIT_REQUIREMENTS_R_REASON = "x"\n') == ["P202"]
    assert names(f'{head}SUBMIT_REQUIREMENT_R_REASON = "x"\n') == []


def test_one_machine_has_one_top_level() -> None:
    head = "UID_DOMAIN = hpc.x.edu\nALLOW_WRITE = *@hpc.x.edu\nALLOW_DAEMON = condor@hpc.x."
    assert names(f"{head}com\n") == ["P256"]
    assert names(f"{head}edu\n") == []
    assert names(f"{head}com, *@hpc.x.com\nDENY_WRITE = *.hpc.x.com\n") == []


@pytest.mark.parametrize("delay", ["CYCLE_DELAY", "MIN_INTERVAL"])
def test_cycles_come_as_often_as_the_interval_says(delay: str) -> None:
    head = f"NEGOTIATOR_INTERVAL = 60\nNEGOTIATOR_{delay} = "
    assert names(f"{head}2000\n") == ["P131"]
    assert names(f"{head}20\n") == []
    # As small test pools have it: the delay is less than the built-in one.
    assert names("NEGOTIATOR_INTERVAL = 2\nNEGOTIATOR_CYCLE_DELAY = 5\n") == []


@pytest.mark.parametrize("macro", ["KERBEROS_SERVER_KEYTAB", "AUTH_SSL_SERVER_CERTFILE"])
def test_a_key_has_a_whole_path(macro: str) -> None:
    assert names(f"{macro} = etc/host.cert\n") == ["P137"]
    assert names(f"{macro} = /etc/host.cert\n") == []


def test_the_address_of_a_relay_is_one() -> None:
    assert names("TCP_FORWARDING_HOST = 192.0.2.317\n") == ["P235"]
    assert names("TCP_FORWARDING_HOST = 192.0.2.17\n") == []


def test_words_in_another_form_are_slips_of_a_long_name() -> None:
    head = (
        "SYSTEM_PERIODIC_VACATE = JobStatus == 2 && time() - JobCurrentStartExecut{}Date > 86400\n"
    )
    assert names(head.format("ion")) == ["P401"]
    assert names(head.format("ing")) == []


@pytest.mark.parametrize(
    "choice", ['Cpus > 8 ? large : "small"', 'ifThenElse(Cpus > 8, "large", small)']
)
def test_beside_a_text_another_one_is_meant(choice: str) -> None:
    assert names(f"Size = {choice}\nSTARTD_ATTRS = Size\n") == ["P412"]
    quoted = choice.replace("large :", '"large" :').replace(", small)", ', "small")')
    assert names(f"Size = {quoted}\nSTARTD_ATTRS = Size\n") == []


def test_a_condition_is_compared_with_no_text() -> None:
    head = "WANT_SUSPEND = LoadAvg > 3\nCONTINUE = LoadAvg < 1\nSUSPEND = LoadAvg > 2 && "
    assert names(f'{head}WANT_SUSPEND == "True"\n') == ["P424"]
    assert names(f"{head}WANT_SUSPEND == True\n") == []


def test_each_text_of_a_choice_is_folders() -> None:
    choice = 'MOUNT_UNDER_SCRATCH = ifThenElse(TARGET.Big =?= True, "{}tmp", "/tmp,/var/tmp")\n'
    assert names(choice.format("/")) == []
    assert names(choice.format("")) == ["P138"]


def test_the_collector_takes_ads_of_every_type() -> None:
    head = "DAEMON_LIST = MASTER, COLLECTOR, NEGOTIATOR\nCOLLECTOR_REQUIREMENTS = MyType "
    assert names(f'{head}=?= "Machine" && TotalCpus > 1\n') == ["P134"]
    assert names(f'{head}=!= "Machine" || TotalCpus > 1\n') == []


def test_what_stands_for_a_number_is_one() -> None:
    head = "SUBMIT_REQUIREMENT_NAMES = R\nSUBMIT_REQUIREMENT_R = (Cores ?: "
    assert names(f'{head}"1") >= 8\n') == ["P428"]
    assert names(f"{head}1) >= 8\n") == names(f'{head}"1") == "8"\n') == []


@pytest.mark.parametrize("text", ["/atlas/*", "/atlas/Role=*", "group_a.*"])
def test_a_pattern_is_compared_with_nothing(text: str) -> None:
    head = "START = TARGET.Team == "
    assert names(f'{head}"{text}"\n') == ["P427"]
    assert names(f'{head}"{text.rstrip("*")}"\n') == []


def test_ads_of_gateways_have_names_of_their_own() -> None:
    head = "COLLECTOR_REQUIREMENTS = isString(TARGET.grid_resource) && "
    assert names(f"{head}isString(TARGET.CondorVersion)\n") == []
    assert names(f"{head}isString(TARGET.CondorVersoin)\n") == ["P401"]


def test_a_startd_may_keep_what_nobody_sets() -> None:
    """It keeps by ENABLE_PERSISTENT_CONFIG where it was rehomed."""
    head = "DAEMON_LIST = MASTER, STARTD\nPERSISTENT_CONFIG_DIR = /srv/set\n"
    assert names(f"{head}ENABLE_PERSISTENT_CONFIG = True\n") == []


def test_a_value_that_no_daemon_of_the_host_reads_has_no_unit() -> None:
    for line in ("MaxJobRetirementTime = 30", "RESERVED_DISK = 10"):
        assert names(f"DAEMON_LIST = MASTER, SCHEDD\n{line}\n") == []
    assert names("DAEMON_LIST = MASTER, STARTD\nMaxJobRetirementTime = 30\n") == ["P601"]


def test_what_is_so_in_any_case_needs_nothing() -> None:
    assert names("LVM_HIDE_MOUNT = AUTO\n") == []
    assert names("LVM_HIDE_MOUNT = True\n") == ["P241"]
