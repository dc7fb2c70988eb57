"""Names that are meant by others, and slips in conditions: what check says, and what it leaves."""

from __future__ import annotations

import pytest

from policy.lint.spelling import inflected, meant_by_words
from policy.lint.vocabulary import Vocabulary, vocabulary, words
from tests.policy.test_lint import found, ids

KNOWN = ("LoadAvg", "JobUniverse", "RemoteWallClockTime", "HoldReasonCode", "MAX_JOBS_RUNNING")


def test_the_words_of_names() -> None:
    assert words("RemoteWallClockTime") == ("remote", "wall", "clock", "time")
    assert words("x509UserProxyVOName") == ("x", "509", "user", "proxy", "vo", "name")
    assert words("MAX_JOBS_RUNNING") == ("max", "jobs", "running")


def test_one_word_in_another_form() -> None:
    known = vocabulary(("WANT_SUSPEND", "SUSPEND", "MAX_JOBS_RUNNING"))
    assert inflected("WANT_SUSPENDED", known) == "WANT_SUSPEND"
    # A word alone may be a macro of its own.
    assert inflected("SUSPENDED", known) is None
    assert inflected("", known) is None
    assert inflected("MAX_JOB_RUN", known) is None


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("LoadAverage", "LoadAvg"),
        ("Universe", "JobUniverse"),
        ("RemoteWallTime", "RemoteWallClockTime"),
        ("HoldCode", "HoldReasonCode"),
        ("MAX_JOBS_RUN", "MAX_JOBS_RUNNING"),
        ("LoadAvg", None),
        ("LoadSum", None),
        ("Code", None),
        ("WallClock", None),
    ],
)
def test_a_name_is_meant_by_its_words(name: str, meant: str | None) -> None:
    assert meant_by_words(name, Vocabulary(KNOWN)) == meant


def test_a_name_that_fits_two_others_is_neither() -> None:
    assert meant_by_words("JobDate", Vocabulary(("JobStartDate", "JobQueueDate"))) is None
    both = "MAX_JOBS_RUNNING", "MAX_JOBS_RUNNABLE"
    assert [meant_by_words("MAX_JOBS_RUN", Vocabulary((name,))) for name in both] == [*both]
    assert meant_by_words("MAX_JOBS_RUN", Vocabulary(both)) is None


@pytest.mark.parametrize(
    ("text", "help_text"),
    [
        ("START = TARGET.Universe == 5\n", "did you mean `JobUniverse`?"),
        (
            "IsGPULab = True\nSTARTD_ATTRS = IsGPULab\nSTART = MY.IsGPULb\n",
            "did you mean `IsGPULab`?",
        ),
        ("NEGOTIATOR_CONSIDER_PREEMPT = False\n", "did you mean `NEGOTIATOR_CONSIDER_PREEMPTION`?"),
        ("STARTD.GROUP_NAMES = a\n", "condor_negotiator does"),
        ("START = 4 <= Cpus <= 16\n", "write `4 <= Cpus && Cpus <= 16`"),
        ("SYSTEM_PERIODIC_HOLD = JobStatus != 1 || JobStatus != 2\n", "did you mean `&&`?"),
    ],
)
def test_what_is_meant_is_said(text: str, help_text: str) -> None:
    assert [item.help for item in found(text)] == [help_text]


@pytest.mark.parametrize(
    "text",
    [
        "START = ClockMin >= 480 && ClockMin < 1440\n",
        "START = ClockDay > 0 && ClockDay <= 6\n",
        "START = TARGET.Priority =?= 5 || TARGET.WantX\n",
        "SYSTEM_PERIODIC_HOLD = JobStatus != 1 || JobUniverse != 2\n",
    ],
)
def test_what_is_meant_so_is_left(text: str) -> None:
    assert ids(text) == []


def test_what_lacks_an_operand_says_why() -> None:
    by_id = {one.id: one for one in found('RANK = (TARGET.Owner =?= "ann") + $(RANK)\n')}
    assert by_id.keys() == {"P113", "P120"}
    hole = by_id["P120"]
    assert (hole.line, hole.column) == (1, 35)
    assert hole.message == "`$(RANK)` has no value before and leaves a hole in RANK"
    [cut] = found('#PREEMPT_VANILLA = (X && \\\n  (Activity == "Suspended")\n')
    assert cut.help == "line 1 is a comment, which its backslash does not continue"
    assert ids("START = TARGET.IsMine || ($(START))\n") == []


def test_a_macro_of_the_pool_is_a_note() -> None:
    [item] = found("CONDOR_VIEW_HOST = $(CONDOR_HOST):9619\n")
    assert (item.id, item.severity) == ("P120", "note")


def test_a_list_of_another_file_is_lost_if_what_it_named_is_defined() -> None:
    first = "HasScratch = True\nSTARTD_ATTRS = HasScratch, Cpus\nALLOW_READ = a\n"
    second = "include : first.conf\nSite = 5\nSTARTD_ATTRS = Site\nALLOW_READ = b\n"
    [item] = found(second, {"first.conf": first})
    assert (item.id, item.line) == ("P222", 3)
    assert item.message == "STARTD_ATTRS is set again and loses `HasScratch`"
    added = second.replace("STARTD_ATTRS = ", "STARTD_ATTRS = $(STARTD_ATTRS) ")
    assert found(added, {"first.conf": first}) == []


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("SITE_HOOK_PREPAREJOB", "SITE_HOOK_PREPARE_JOB"),
        ("SITE_HOOK_UPDATE_JOBINFO", "SITE_HOOK_UPDATE_JOB_INFO"),
        ("SITE_HOOK_JOB_EXITS", "SITE_HOOK_JOB_EXIT"),
        ("Other_HOOK_FETCH_WROK", "Other_HOOK_FETCH_WORK"),
    ],
)
def test_a_hook_is_known_by_what_follows_its_keyword(wrong: str, meant: str) -> None:
    keyword = wrong.partition("_")[0]
    use = f"STARTD_JOB_HOOK_KEYWORD = {keyword}\n"
    [said] = found(f"{use}{wrong} = /usr/libexec/hook\n")
    assert (said.id, said.line) == ("P201", 2)
    assert meant in str(said.help)
    assert found(f"{use}{meant} = /usr/libexec/hook\n") == []


def test_a_hook_of_another_name_is_a_macro_of_ones_own() -> None:
    own = "STARTD_JOB_HOOK_KEYWORD = A\nA_HOOK_FETCH_WORK = /usr/bin/true\nA_HOOK_HOME = /opt\n"
    assert found(own) == []


@pytest.mark.parametrize("name", ["START", "PREEMPT", "SLOT_WEIGHT", "RANK", "CLAIM_WORKLIFE"])
def test_a_slot_type_stands_before_what_is_set_for_it(name: str) -> None:
    """Asked of 25.14.1: its startd publishes Start and SlotWeight of SLOT_TYPE_1_* alone."""
    slots = "SLOT_TYPE_1"
    types = "NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = 100%\n"
    [said] = found(f"{types}{name}_{slots} = 10\n")
    assert (said.id, said.line) == ("P201", 3)
    assert said.help == f"did you mean `{slots}_{name}`?"
    own = f"{types}{name}_{slots} = 10\n{slots}_{name} = $({name}_{slots})\n"
    assert found(own) == []


@pytest.mark.parametrize("name", ["START", "RANK", "SUSPEND", "PREEMPT"])
def test_a_slot_has_no_policy_of_its_own(name: str) -> None:
    """Asked of 25.14.1: with SLOT1_SUSPEND = True a job on slot1 goes on; with
    SLOT_TYPE_2_SUSPEND = True one on a slot of that type is suspended."""
    [said] = found(f"SLOT1_{name} = False\n")
    assert (said.id, said.line) == ("P201", 1)
    assert f"SLOT_TYPE_<N>_{name}" in (said.help or "")
    assert found(f"SLOT1_{name} = False\nSLOT_TYPE_1_{name} = $(SLOT1_{name})\n")[1:] == []
    assert found(f"STARTD_ATTRS = {name}\n{name} = False\nSLOT1_{name} = False\n") == []
    assert found(f"SLOT1_USER = a\nSLOT1_EXECUTE = /a/x\nSLOT1_{name}_SHOWN = 1\n") == []


@pytest.mark.parametrize("daemon", ["SCHEDD", "MASTER", "JOB_ROUTER", "NEGOTIATOR"])
def test_how_many_logs_a_daemon_keeps_and_how_long_it_waits(daemon: str) -> None:
    [said] = found(f"{daemon}_NUM_LOGS = 5\n")
    assert said.id == "P205"
    assert f"use `MAX_NUM_{daemon}_LOG`" in (said.help or "")
    assert found(f"MAX_NUM_{daemon}_LOG = 5\n{daemon}_TIMEOUT_MULTIPLIER = 2\n") == []
    [said] = found(f"{daemon}_TIMEOUT_MULTILIER = 2\n")
    assert (said.id, said.help) == ("P201", f"did you mean `{daemon}_TIMEOUT_MULTIPLIER`?")


UNQUOTED = ["CERN-PROD", "group_physics.atlas", "some-word", "a.b.c", "UKI-SCOTGRID-GLASGOW"]


@pytest.mark.parametrize("text", UNQUOTED)
def test_a_text_with_a_dot_or_dash_has_quotes_where_it_is_all_there_is(text: str) -> None:
    for form in ("STARTD_ATTRS = Site\nSite = {}\n", "SUBMIT_ATTRS = Lab\nLab = {}\n"):
        assert [(said.id, said.line) for said in found(form.format(text))] == [("P412", 2)]
        assert found(form.format(f'"{text}"')) == []


@pytest.mark.parametrize("text", ["Memory-Cpus", "MY.load", "TotalUsed-HaveUsed", "Memory-1"])
def test_attributes_may_be_subtracted(text: str) -> None:
    assert "P412" not in [said.id for said in found(f"STARTD_ATTRS = Left\nLeft = {text}\n")]


@pytest.mark.parametrize("name", ["COLLECTOR_NAME", "UID_DOMAIN", "SCHEDD_NAME"])
def test_a_name_is_given_once_in_a_file(name: str) -> None:
    first, second = f"{name} = a.x\n", f"{name} = b.x\n"
    assert [(said.id, said.line) for said in found(first + second)] == [("P203", 1)]
    assert "P203" not in [said.id for said in found(first + first)]
    assert "P203" not in [said.id for said in found(second, {"first.conf": first})]


LISTS_OF_ADS = ("STARTD_JOB_ATTRS", "PROTECTED_JOB_ATTRS", "ADD_SIGNIFICANT_ATTRIBUTES")


@pytest.mark.parametrize("listed", LISTS_OF_ADS)
def test_a_list_of_attributes_of_ads_has_names_that_ads_have_or_the_sites_own(listed: str) -> None:
    for slip in ("RequestCpu", "AcctGruop", "ProjectNmae"):
        assert ids(f"{listed} = ImageSize, {slip}\n") == [("P401", 1)]
    for name in ("RequestCpus", "AcctGroup", "GLIDEIN_Site", "Experiment", "WantX"):
        assert ids(f"{listed} = ImageSize, {name}\n") == []


@pytest.mark.parametrize("word", ["None", "null", "nil"])
def test_words_of_other_languages_for_nothing_mean_what_can_stand_there(word: str) -> None:
    [one] = found(f"RANK = {word}\n")
    assert (one.id, one.help) == ("P401", "did you mean `0`?")
    [one] = found(f"START = RemoteOwner =?= {word}\n")
    assert (one.id, one.help) == ("P401", "did you mean `undefined`?")
    [one] = found(f"STARTD_ATTRS = Cluster\nCluster = {word}\n")
    assert (one.id, one.help) == ("P412", f'did you mean `"{word}"`?')


def test_a_list_that_takes_in_one_that_is_gone_says_which_one_there_is() -> None:
    [one] = found("ALLOW_ADMINISTRATOR = $(ALLOW_OWNER)\n")
    assert (one.id, "ALLOW_ADMINISTRATOR" in (one.help or "")) == ("P120", True)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Machine == node1.example.org", "node1.example.org"),
        ("TARGET.RemoteHost != bad.example.org", "bad.example.org"),
        ("TARGET.AcctGroup =?= group_x.y", "group_x.y"),
        ("cern-prod == TARGET.ProjectName", "cern-prod"),
    ],
)
def test_words_with_dots_or_dashes_beside_a_text_lack_their_quotes(text: str, word: str) -> None:
    (said,) = found(f"START = {text}\n")
    assert (said.id, said.help) == ("P412", f'did you mean `"{word}"`?')


@pytest.mark.parametrize("text", ["TARGET.Grid.Owner", "MY.SiteOwner", "RemoteUser"])
def test_an_attribute_beside_a_text_needs_no_quotes(text: str) -> None:
    assert "P412" not in [said.id for said in found(f"START = TARGET.Owner == {text}\n")]


@pytest.mark.parametrize("macro", ["CONTINUE", "TRUST_UID_DOMAIN", "SLOT_TYPE_1", "ALL_DEBUG"])
def test_what_daemons_read_is_set_once_in_a_file(macro: str) -> None:
    first, second = f"{macro} = False\n", f"{macro} = True\n"
    assert ("P203", 1) in [(said.id, said.line) for said in found(first + second)]
    for others in ("", f"if version > 9.0\n{first}endif\n"):
        assert "P203" not in [said.id for said in found(others + second)]
    # The value of the default in another case builds on nothing.
    assert ("P203", 1) in [(said.id, said.line) for said in found("START = false\nSTART = true\n")]


@pytest.mark.parametrize(("hook", "meant"), [("FETCH_JOB", "FETCH_WORK"), ("EVICT", "EVICT_CLAIM")])
def test_a_hook_is_told_by_its_first_word(hook: str, meant: str) -> None:
    (said,) = found(f"SITE_HOOK_{hook} = /usr/libexec/site\n")
    assert (said.id, said.help) == ("P201", f"did you mean `SITE_HOOK_{meant}`?")
    assert found("GIT_HOOK_COMMIT = /usr/libexec/site\n") == []


@pytest.mark.parametrize("statement", ["use = FEATURE : GPUs", "include = /etc/condor/x.conf"])
def test_a_statement_with_an_equals_sign_is_a_macro(statement: str) -> None:
    assert [said.id for said in found(f"{statement}\n")] == ["P201"]
    assert found("INCLUDE = $(RELEASE_DIR)/include\n") == []  # the folder of headers


def test_a_prefix_is_no_word_of_a_path() -> None:
    text = "SCHEDD1.SPOOL = /var/spool/1\nEXECUTE = /var/spool/2\n"
    assert ("P221", 1) in [(said.id, said.line) for said in found(text)]


@pytest.mark.parametrize(
    "macro", ["DEDICATED_EXECUTE_ACCOUNT_REGEXP", "LOCAL_CONFIG_DIR_EXCLUDE_REGEXP"]
)
def test_quotes_belong_to_a_regular_expression(macro: str) -> None:
    assert [said.id for said in found(f'{macro} = "slot.*"\n')] == ["P213"]
    assert found(f"{macro} = slot.*\n") == []


@pytest.mark.parametrize("macro", ["STARTD_CRON_X_ENV", "SCHEDD_ENVIRONMENT"])
def test_blanks_part_variables_in_double_quotes_alone(macro: str) -> None:
    """Of `A=1 B=2` a job of the cron of 25.14.1 has one variable, A."""
    assert ("P130", 1) in ids(f"{macro} = A=1 B=2\n")
    for text in ('"A=1 B=2"', "A=1;B=2", "A=x y z"):
        assert ("P130", 1) not in ids(f"{macro} = {text}\n")


@pytest.mark.parametrize(
    "place", ["ALLOW_WRITE = *.{}", "FILESYSTEM_DOMAIN = {}", "SCHEDD_NAME = a.{}"]
)
def test_a_domain_one_letter_away_from_that_of_other_places_is_a_slip(place: str) -> None:
    pool = "UID_DOMAIN = example.org\nALLOW_READ = *.example.org\n"
    for slip in ("exmaple.org", "exampl.org", "exemple.org"):
        assert ("P256", 3) in ids(f"{pool}{place.format(slip)}\n")
    for other in ("example.org", "example.net", "example2.org", "cern.ch"):
        assert ("P256", 3) not in ids(f"{pool}{place.format(other)}\n")


@pytest.mark.parametrize("name", ["AlmaLinux9", "Rocky", "CentOS7", "Ubuntu22", "el9"])
def test_opsys_is_linux_whatever_the_distribution(name: str) -> None:
    assert [said.id for said in found(f'START = OpSys == "{name}"\n')] == ["P410"]
    for clean in (f'OpSysAndVer == "{name}"', 'OpSys == "LINUX"', f'OpSys != "{name}"'):
        assert found(f"START = {clean}\n") == []


def test_a_part_of_a_text_is_as_long_as_what_it_is_compared_with() -> None:
    assert [one.id for one in found('START = substr(Machine, 0, 3) == "farm"\n')] == ["P410"]
    for clean in ('substr(Machine, 0, 4) == "farm"', 'substr(Machine, 6, 9) == "farm"'):
        assert found(f"START = {clean}\n") == []


def test_items_of_a_list_are_parted_by_the_signs_that_are_given() -> None:
    assert [one.id for one in found('START = stringListMember(TARGET.Owner, "a,b", ";")\n')] == [
        "P410"
    ]
    for clean in ('"a;b", ";"', '"a,b", ",;"', '"a,b"', '"a", ";"'):
        assert found(f"START = stringListMember(TARGET.Owner, {clean})\n") == []


@pytest.mark.parametrize("name", ["STARTD_NUM_CPUS", "SCHEDD_SPOOL", "STARTD_DAEMON_SHUTDOWN"])
def test_a_dot_follows_the_name_of_a_daemon(name: str) -> None:
    """Asked of 25.14.1: its schedd ends by SCHEDD.DAEMON_SHUTDOWN, with no regard for the other."""
    whole = "CONDOR_HOST = cm.x.org\nDAEMON_LIST = MASTER, STARTD, SCHEDD\n"
    daemon, _, macro = name.partition("_")
    assert ids(f"{whole}{name} = 4\n") == [("P201", 3)]
    assert "P201" not in [one for one, _ in ids(f"{whole}{daemon}.{macro} = 4\n")]
    assert "P201" not in [one for one, _ in ids(f"{whole}{name} = 4\nSite = $({name})\n")]


@pytest.mark.parametrize("daemon", ["MASTER", "STARTD", "SCHEDD", "COLLECTOR", "NEGOTIATOR"])
def test_what_each_daemon_has_for_itself_has_no_dot(daemon: str) -> None:
    whole = "CONDOR_HOST = cm.x.org\nDAEMON_LIST = MASTER, STARTD, SCHEDD, COLLECTOR, NEGOTIATOR\n"
    ends = ("NOT_RESPONDING_TIMEOUT", "MAX_FILE_DESCRIPTORS", "LOCK", "LOG_KEEP_OPEN", "IP_ADDR")
    for end in ends:
        assert "P201" not in [one for one, _ in ids(f"{whole}{daemon}_{end} = 1000\n")]


def test_types_of_slots_are_known_by_any_number() -> None:
    text = "NUM_SLOTS_TYPE_2 = 1\nSLOT_TYPE_2 = 50%\nSLOT_TYPE_2_NAME_{} = a\n"
    assert ids(text.format("PREFX")) == [("P201", 3)]
    assert ids(text.format("PREFIX")) == []


def test_a_variable_of_the_environment_stands_in_parentheses() -> None:
    assert ids("LOCAL_DIR = $ENV{HOME}/condor\n") == [("P124", 1)]
    assert ids("LOCAL_DIR = $ENV(HOME)/condor\n") == []
