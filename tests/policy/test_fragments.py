"""Files that add to what others set: nothing is said of values that nobody here can know."""

from __future__ import annotations

from pieslice.policies.blocks import blocks
from policy.lint.verdict import examine
from tests.cases import every_case
from tests.policy.test_lint import read

CONDITIONS = (
    *("START", "SUSPEND", "CONTINUE", "PREEMPT", "KILL", "WANT_SUSPEND", "WANT_VACATE"),
    *("PREEMPTION_REQUIREMENTS", "START_LOCAL_UNIVERSE", "START_SCHEDULER_UNIVERSE"),
)
ADDITIONS = (
    "{0} = $({0}) && (JobUniverse == 5)\n",
    "{0} = ($({0})) || (JobUniverse == 5)\n",
    "{0} = (JobUniverse == 5) && ( $({1}) )\n",
    "{0} += && (JobUniverse == 5)\n",
    "{0} = $({0}) && (JobUniverse == 5)\n{0} = $({0}) && (JobPrio > 3)\n",
    "{0} = ifThenElse(JobUniverse == 7, False, $({0}))\n",
    "{0} = !($({0})) && JobUniverse == 5\n",
)


@every_case("macro, form", [(macro, form) for macro in CONDITIONS for form in ADDITIONS])
def test_the_built_in_value_is_no_proof_where_a_file_adds_to_the_one_from_before(
    macro: str, form: str
) -> None:
    examined = examine(read(form.format(macro, macro.lower())))
    assert examined.findings == []
    assert all(one.starts and one.cause is None for one in examined.verdicts)
    assert examined.fragment is not None


@every_case("text", [
    "WANT_SUSPEND = $(WANT_SUSPEND) && A > 1\nSUSPEND = $(WANT_SUSPEND) && JobUniverse == 5\n",
    "STARTD.START = $(START) && JobUniverse == 5\n",
    "DAEMON_LIST = MASTER, STARTD\nSUSPEND = $(SUSPEND) && JobUniverse == 5\n",
    "SLOTS_START = $(PREEMPT) || True\nPREEMPT = $(PREEMPT) && JobUniverse == 5\n",
])  # fmt: skip
def test_neither_is_it_where_another_macro_has_the_sum(text: str) -> None:
    assert examine(read(text)).findings == []


@every_case("text, id_", [
    ("START = $(START) && JobUniverse == 5 && False\n", "P418"),
    ("START = $(START) && 3 > 4 && Cpus > 1\n", "P410"),
    ("WANT_SUSPEND = Cpus < 4 && False\nWANT_SUSPEND = $(WANT_SUSPEND) && Cpus > 2\n", "P418"),
    ("START = $(START) && Memry > 4\n", "P401"),
    ("SUSPEND = JobUniverse == 5\n", "P241"),
])  # fmt: skip
def test_what_no_value_from_before_can_change_is_told(text: str, id_: str) -> None:
    assert id_ in {one.id for one in examine(read(text)).findings}


# --- lists of names -------------------------------------------------------------------------------

CRON = "STARTD_CRON_{0}_EXECUTABLE = /bin/x\nSTARTD_CRON_{0}_PERIOD = 5m\n"
#: Lists of names with what defines the names A and B in each.
LISTED = {
    **dict.fromkeys(
        ("STARTD_ATTRS", "SCHEDD_ATTRS", "MASTER_ATTRS", "NEGOTIATOR_ATTRS", "SUBMIT_ATTRS"),
        "A = 1\nB = 2\n",
    ),
    "JOB_TRANSFORM_NAMES": "JOB_TRANSFORM_A = SET X 1\nJOB_TRANSFORM_B = SET Y 1\n",
    "SUBMIT_REQUIREMENT_NAMES": "SUBMIT_REQUIREMENT_A = true\nSUBMIT_REQUIREMENT_B = true\n",
    "STARTD_CRON_JOBLIST": CRON.format("A") + CRON.format("B"),
}


def said(text: str) -> list[tuple[str | None, str, str]]:
    """The findings: number, severity and the characters that each is about."""
    found = examine(read(text)).findings
    return [(one.id, one.severity, one.source.text[one.start : one.end]) for one in found]  # type: ignore[union-attr]


@every_case("name, signs", [(name, sign) for name in LISTED for sign in ("&&", "||", "+", "&")])
def test_signs_between_names_are_passed_over_and_names_with_signs_are_none(
    name: str, signs: str
) -> None:
    """As the daemons of 25.14.1: of `A && B` both are taken, of `A&&B` nothing is."""
    apart = f"{name} = A {signs} B {signs} $({name})\n{LISTED[name]}"
    assert said(apart) == [("P211", "note", signs)]
    together = f"{name} = A{signs}B, A, B\n{LISTED[name]}"
    assert said(together) == [("P211", "warning", f"A{signs}B")]


@every_case("name", LISTED)
def test_a_list_that_lists_its_own_name_means_its_value(name: str) -> None:
    found = examine(read(f"{name} = {name}, A, B\n{LISTED[name]}")).findings
    assert [one.help for one in found] == [f"did you mean `$({name})`?"]
    assert all(one.edit is not None and one.edit.text == f"$({name})" for one in found)


@every_case("value, help_text", [
    ("Dell R750", "a text needs quotes"),
    ("node7, rack 4", "a text needs quotes"),
    ("(5 + 3", "a `)` is missing"),
    ("{1, 2", "a `}` is missing"),
    ("ifThenElse(Cpus > 3, 1", "a `)` is missing"),
    ("Cpus > 3 &&", None),
    ("Cpus >= >= 3", None),
])  # fmt: skip
def test_only_a_text_is_told_to_need_quotes(value: str, help_text: str | None) -> None:
    [found] = examine(read(f"STARTD_ATTRS = Rack\nRack = {value}\n")).findings
    assert (found.id, found.help) == ("P217", help_text)


# --- names of the past ----------------------------------------------------------------------------


@every_case("text", [
    "ALLOW_WRITE = a.x, *.b.x\nHOSTALLOW_WRITE = *.b.x a.x\n",
    "ALLOW_WRITE = a.x, *.b.x\nHOSTALLOW_WRITE = A.x\n",
    "ALLOW_READ = *\nHOSTALLOW_READ = *.b.x\n",
    "DENY_WRITE = bad.x, worse.x\nHOSTDENY_WRITE = bad.x\n",
    "ALLOW_ADMINISTRATOR = cm.x, a.x\nALLOW_OWNER = a.x\n",
    "ENABLE_SOAP = False\n",
    "ENABLE_WEB_SERVER = 0\n",
    "QUILL_ENABLED = FALSE\n",
    "USE_CKPT_SERVER = False\n",
    "GLEXEC_JOB = false\n",
    "SCHEDD.ENABLE_SOAP = False\n",
])  # fmt: skip
def test_an_old_name_that_loses_nothing_is_not_told(text: str) -> None:
    assert said(text) == []


@every_case("text", [
    "ALLOW_WRITE = a.x\nHOSTALLOW_WRITE = a.x, b.x\n",
    "HOSTALLOW_WRITE = a.x\n",
    "HOST_ALLOW_WRITE = a.x\n",
    "HOSTS_ALLOW_WRITE = a.x\n",
    "DENY_WRITE = bad.x\nHOSTDENY_WRITE = bad.x, worse.x\n",
    "ENABLE_SOAP = True\n",
    "GLEXEC_JOB = $(USES_IT)\nUSES_IT = True\n",
    "QUILL_NAME = q\n",
    "STARTD_SENDS_ALIVES = False\n",
])  # fmt: skip
def test_an_old_name_that_asks_for_something_is_told(text: str) -> None:
    assert [id_ for id_, _, _ in said(text)] == ["P205"]


# --- attributes and macros ------------------------------------------------------------------------


@every_case("expression", [
    "START = (Widgets == 5) && JobUniverse == 5\n",
    "PREEMPT = TotalTimeClaimedBusy > Widgets\n",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2 && Widgets > 3\n",
    "SYSTEM_PERIODIC_HOLD = JobStatus == 2 && NumJobStarts > widgets\n",
])  # fmt: skip
def test_a_macro_of_which_only_the_bare_name_is_used_is_meant_by_its_value(expression: str) -> None:
    """A bare name is an attribute for every daemon, and macros are none of their own accord."""
    [found] = examine(read(f"Widgets = 5\n{expression}")).findings
    assert found.id == "P214"
    assert (found.help or "").startswith("`$(Widgets)` is its value")
    assert ("STARTD_ATTRS" in (found.help or "")) == (
        expression[:3] in ("STA", "PRE") and not expression.startswith("PREEMPTION")
    )


@every_case("text", [
    "STARTD_ATTRS = Widgets\nSTART = Widgets == 5 && JobUniverse == 5\n",
    "SUBMIT_ATTRS = Widgets\nSYSTEM_PERIODIC_HOLD = NumJobStarts > Widgets\n",
    "START = Widgets == 5 && JobUniverse == 5\nRANK = $(Widgets) + TARGET.JobPrio\n",
    "START = TARGET.Widgets == 5 && JobUniverse == 5\n",
    "START = $(Widgets) == 5 && JobUniverse == 5\n",
    "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T = SET Widgets 5\n"
    "SYSTEM_PERIODIC_HOLD = NumJobStarts > Widgets\n",
])  # fmt: skip
def test_a_name_that_some_ad_has_and_a_macro_with_a_use_are_left_alone(text: str) -> None:
    assert "P214" not in {id_ for id_, _, _ in said(f"Widgets = 5\n{text}")}


@every_case("text, ids", [
    ('STARTD.DAEMON_SHUTDOWN = State == "Unclaimed" && Activity == "Idle"\n', []),
    ("STARTD.DAEMON_SHUTDOWN_FAST = TotalRunningJobs == 0\n", ["P407"]),
    ("SCHEDD.DAEMON_SHUTDOWN = TotalRunningJobs == 0 && TotalIdleJobs == 0\n", []),
    ('SCHEDD.DAEMON_SHUTDOWN_FAST = State == "Unclaimed"\n', ["P407"]),
    ("MASTER.DAEMON_SHUTDOWN = STARTD_StartTime =?= 0\n", []),
    ("MASTER.DAEMON_SHUTDOWN = DaemonStrtTime > 0\n", ["P401"]),
    ('DAEMON_SHUTDOWN = Sttae == "Unclaimed"\n', ["P401"]),
    ('DAEMON_SHUTDOWN = State == "Unclaimed"\n', []),
])  # fmt: skip
def test_a_daemon_asks_for_its_end_in_the_ads_that_it_sends(text: str, ids: list[str]) -> None:
    """Seen of 25.14.1: its startd, schedd, master and negotiator; the collector never asks."""
    assert [id_ for id_, _, _ in said(text)] == ids


@every_case("name, instead", [
    ("SEC_ADVERTISE_AUTHENTICATION", ""),
    ("SEC_ADVERTISE_COLLECTOR_ENCRYPTION", ""),
    ("SEC_STARTD_INTEGRITY", ""),
    ("SEC_ADVERTISE_SCHEDD_METHODS", "SEC_ADVERTISE_SCHEDD_AUTHENTICATION_METHODS"),
    ("SEC_CLIENT_METHODS", "SEC_CLIENT_AUTHENTICATION_METHODS"),
    ("SHADOW_STANDARD_JOB_DEBUG", ""),
    ("DAGMAN_GENERATE_RESCUE_DAG", ""),
    ("COLLECTOR_SOCKET_CACHE_SIZE", "COLLECTOR_MAX_FILE_DESCRIPTORS"),
    ("ENABLE_GRID_MONITOR", "Globus"),
    ("GT2_GAHP", "Globus"),
    ("CREAM_GAHP_LOG", "grid"),
    ("NET_REMAP_ENABLE", "CCB_ADDRESS"),
    ("SMP_NUM_CPUS", "NUM_CPUS"),
    ("STARTD_VM_ATTRS", "STARTD_SLOT_ATTRS"),
    ("VMWARE_PERL", "VMware"),
    ("DBMSD_LOG", "Quill"),
    ("CKPT_PROBE", "standard universe"),
    ("MAX_HDFS_LOG", "HDFS"),
    ("IGNORE_LEAF_OOM", "gone"),
    ("JAVA_BENCHMARK_TIME", "gone"),
    ("GLIDEIN_SERVER_URLS", "gone"),
    ("MAX_NUM_DEFAULT_LOG", "MAX_NUM_<daemon>_LOG"),
    ("NEGOTIATOR_HOST", "COLLECTOR_HOST"),
    ("ENABLE_FILE_TRANSFER", "should_transfer_files"),
])  # fmt: skip
def test_a_name_that_no_program_of_25_14_1_holds_or_makes_is_told(name: str, instead: str) -> None:
    """Settings of security are made of levels: that of ADVERTISE_STARTD counts, and that of
    ADVERTISE does not, as a tool that sends an ad shows."""
    [found] = examine(read(f"{name} = REQUIRED\n")).findings
    assert found.id == "P205"
    assert instead in (found.help or "")


@every_case("name", ["EC2_GAHP", "ARC_GAHP", "BATCH_GAHP", "GRIDMANAGER_JOB_PROBE_INTERVAL"])
def test_what_other_grids_have_of_their_own_is_read(name: str) -> None:
    assert said(f"{name} = /usr/sbin/x\n" if "GAHP" in name else f"{name} = 60\n") == []


@every_case("verb", ["ALLOW", "DENY"])
def test_advertise_is_a_level_with_the_name_of_an_ad_alone(verb: str) -> None:
    [found] = examine(read(f"{verb}_ADVERTISE = *.x\n")).findings
    assert (found.id, found.severity) == ("P238", "warning")
    for ad in ("MASTER", "SCHEDD", "STARTD"):
        assert f"ADVERTISE_{ad}" in (found.help or "")
        assert said(f"{verb}_ADVERTISE_{ad} = *.x\n") == []
    list_ = f"{verb}_ADVERTISE = *.x\n{verb}_ADVERTISE_STARTD = $({verb}_ADVERTISE)\n"
    assert said(list_) == []  # another list has it


@every_case("folder", ["LOG", "SPOOL", "EXECUTE", "LOCK"])
def test_a_folder_of_a_host_has_no_condor_before_its_name(folder: str) -> None:
    text = f"CONDOR_{folder} = /srv/condor/x\n"
    [found] = examine(read(text)).findings
    assert (found.id, found.help) == ("P201", f"did you mean `{folder}`?")
    assert said(f"{text}{folder} = $(CONDOR_{folder})\n") == []
    assert said("CONDOR_SITE = /srv/condor/x\n") == []  # a name of the site's own


@every_case("level, what", [
    (level, what)
    for level in ("ADVERTISE_MASTER", "ADVERTISE_SCHEDD", "ADVERTISE_STARTD", "CLIENT", "DEFAULT",
                  "READ", "WRITE", "DAEMON", "NEGOTIATOR", "ADMINISTRATOR", "CONFIG")
    for what in ("AUTHENTICATION", "INTEGRITY", "NEGOTIATION")
])  # fmt: skip
def test_settings_of_security_of_every_level_are_read(level: str, what: str) -> None:
    assert said(f"SEC_{level}_{what} = REQUIRED\nALLOW_SOAP = cm.x\n") == []


# --- what a fragment leaves open ------------------------------------------------------------------

ROUTE = (
    "JOB_ROUTER_ROUTE_NAMES = Pool\nJOB_ROUTER_ROUTE_Pool @=jrt\n  UNIVERSE VANILLA\n"
    "  SET Site 1\n@jrt\n"
)


@every_case("more, ids", [
    ("", []),
    ("JOB_ROUTER_PRE_ROUTE_TRANSFORM_NAMES = $(JOB_ROUTER_PRE_ROUTE_TRANSFORM_NAMES)\n", []),
    ("DAEMON_LIST = MASTER, SCHEDD, JOB_ROUTER\nJOB_ROUTER_SOURCE_JOB_CONSTRAINT = Routed\n", []),
    ("DAEMON_LIST = MASTER, SCHEDD, JOB_ROUTER\n", ["P248"]),
])  # fmt: skip
def test_a_route_without_requirements_is_told_where_nothing_else_may_ask(
    more: str, ids: list[str]
) -> None:
    """The files of HTCondor-CE set JOB_ROUTER_SOURCE_JOB_CONSTRAINT, and its routes need none."""
    assert [id_ for id_, _, _ in said(more + ROUTE)] == ids


@every_case("text, ids", [
    # A switch that is off, and what it switched.
    ("JOB_ROUTER_USE_DEPRECATED_ROUTER_ENTRIES = False\n", []),
    ("JOB_ROUTER_USE_DEPRECATED_ROUTER_ENTRIES = 0\nJOB_ROUTER_DEFAULTS = [MaxJobs = 5]\n", []),
    ("JOB_ROUTER_USE_DEPRECATED_ROUTER_ENTRIES = True\n", ["P206"]),
    ("JOB_ROUTER_DEFAULTS = [MaxJobs = 5]\n", ["P205"]),
    # Old names that speak of each other.
    ("HOSTALLOW_READ = a.x\nHOSTALLOW_WRITE = $(HOSTALLOW_READ), b.x\n", ["P205", "P205"]),
    ("GSI_DAEMON_NAME = $(GSI_DAEMON_NAME), $(NOWHERE), /CN=x\n", ["P205"]),
    ("HOSTALLOW_READ = a.x\nHOSTALLOW_WRITE = b.x\nALLOW_WRITE = $(HOSTALLOW_READ), b.x\n", []),
])  # fmt: skip
def test_what_is_off_asks_for_nothing_and_what_nobody_reads_uses_nothing(
    text: str, ids: list[str]
) -> None:
    assert [id_ for id_, _, _ in said(text)] == ids


@every_case("include", [
    "include ifexist : $ENV(SITE_CONFIG)\n",
    "INCLUDE IFEXIST: $ENV(SITE_DIR)/more.conf\n",
])  # fmt: skip
def test_no_verdict_rests_on_a_file_that_the_environment_names(include: str) -> None:
    text = f"DAEMON_LIST = MASTER, STARTD\n{include}STARTD_NOCLAIM_SHUTDOWN = $(IDLE) * 60\n"
    examined = examine(read(text))
    assert examined.starts
    assert [(one.id, one.severity) for one in examined.findings] == [("P120", "note")]
    assert all("of the environment" in one.text for one in examined.verdicts)
    known = examine(read(text, environment={"SITE_CONFIG": "/none", "SITE_DIR": "/none"}))
    assert not known.starts


@every_case("text, ids", [
    ("START = TARGET.Want_MPI =!= True || MY.Has_MPI =?= True\n", []),
    ("START = MY.Has_MPI =?= True\n", ["P401"]),
    ("START = TARGET.Request_Memory < 4096 && MY.Total_Memory > 9000\n", ["P401", "P401"]),
])  # fmt: skip
def test_names_in_pairs_are_a_sites_own(text: str, ids: list[str]) -> None:
    assert [id_ for id_, _, _ in said(text)] == ids


BODY = "JOB_ROUTER_ROUTE_NAMES = A\nJOB_ROUTER_ROUTE_A @=end\n  UNIVERSE VANILLA\n{0}@end\n"


@every_case("lines, ids", [
    ('  SET AcctSubGroup "x"\n  EVALSET AccountingGroup strcat("g", LivAcctSubGroup)\n', ["P401"]),
    ('  SET SiteAcctSubGroup "x"\n  EVALSET AccountingGroup strcat("g", AcctSubGroup)\n', ["P401"]),
    # What is set is used, or is far from what is asked for.
    ('  SET AcctSubGroup "x"\n  EVALSET AccountingGroup strcat(AcctSubGroup, LivAcctSubGroup)\n',
     []),
    ('  SET SubGroup "x"\n  EVALSET AccountingGroup strcat("g", LivAcctSubGroup)\n', []),
])  # fmt: skip
def test_a_body_that_sets_a_name_and_asks_for_one_with_another_beginning(
    lines: str, ids: list[str]
) -> None:
    """What nothing sets is undefined, and strcat() of it, too."""
    assert [id_ for id_, _, _ in said(BODY.format(lines))] == ids
    transform = f"JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T @=end\n{lines}@end\n"
    assert [id_ for id_, _, _ in said(transform)] == ids


@every_case("text", [
    "START = TRUE\nSUSPEND = FALSE\nPREEMPT = False\nKILL = FALSE\n",
    "START=true\nWANT_SUSPEND = false\n",
    "PREEMPTION_REQUIREMENTS = FALSE\nRANK = 0\n",
])  # fmt: skip
def test_a_file_that_repeats_a_built_in_value_in_another_spelling_adds_to_nothing(
    text: str,
) -> None:
    examined = examine(read(text))
    assert examined.fragment is None
    assert examined.findings == []


def test_a_route_of_the_old_way_is_told_once() -> None:
    old = 'JOB_ROUTER_ENTRIES @=e\n[\n name = "A";\n GridResource = "batch slurm";\n]\n@e\n'
    assert [one[0] for one in said(f"{old}JOB_ROUTER_ROUTE_NAMES = A\n")] == ["P205"]
    assert [one[0] for one in said(f"{old}JOB_ROUTER_ROUTE_NAMES = A, B\n")] == ["P205", "P211"]


def test_a_number_with_a_comment_behind_it_needs_no_quotes() -> None:
    found = examine(read("STARTD_ATTRS = Scale\nScale = 1.4  # above average\n")).findings
    assert {one.id for one in found} == {"P115", "P217"}
    assert not any("quotes" in (one.help or "") for one in found)


# --- a DAEMON_LIST that adds to another one -------------------------------------------------------

HAD = "HAD_ARGS = -p 51450\nHAD_LIST = a.x:51450, b.x:51450\nMASTER_NEGOTIATOR_CONTROLLER = HAD\n"


@every_case("daemons, more", [
    ("HAD", HAD),
    ("HAD", HAD.replace("MASTER_NEGOTIATOR_CONTROLLER = HAD\n", "")),
    ("NEGOTIATOR, COLLECTOR", "DEFRAG_INTERVAL = 600\n"),
    ("SCHEDD", "JOB_ROUTER_ROUTE_NAMES = A\nJOB_ROUTER_ROUTE_A = UNIVERSE VANILLA\n"
     "JOB_ROUTER_SOURCE_JOB_CONSTRAINT = true\n"),
    ("NEGOTIATOR", "ROOSTER_INTERVAL = 60\n"),
])  # fmt: skip
def test_what_a_daemon_list_lacks_is_told_only_where_it_is_the_whole_list(
    daemons: str, more: str
) -> None:
    assert said(f"DAEMON_LIST = MASTER, {daemons}\n{more}") != []
    for adding in ("DAEMON_LIST = $(DAEMON_LIST), ", "DAEMON_LIST += , "):
        assert said(f"{adding}{daemons}\n{more}") == []


@every_case("clause", [
    "SubmitterGroupResourcesInUse < SubmitterGroupQuota && RemoteGroupResourcesInUse > 1",
    "SubmitterGroup =?= RemoteGroup && RemoteGroupQuota > 3",
    "slot1_RemoteUserPrio > 3",
])  # fmt: skip
def test_a_clause_that_is_added_to_a_policy_may_need_what_the_other_file_sets(clause: str) -> None:
    alone = f"PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2 && ({clause})\n"
    assert {one[0] for one in said(alone)} == {"P403"}
    assert said(f"PREEMPTION_REQUIREMENTS = $(PREEMPTION_REQUIREMENTS) && ({clause})\n") == []


def test_what_comes_of_a_hole_is_told_with_it_also_in_the_lines_below() -> None:
    text = (
        "Idle = ((KeyboardIdle > 900) && $(Nowhere) \\\n    && (Cpus > 3))\n"
        "HIBERNATE_CHECK_INTERVAL = 300\nHIBERNATE = ifThenElse($(Idle), 3, 0)\n"
    )
    found = examine(read(text)).findings
    assert [one.id for one in found] == ["P120", "P113"]
    [block] = blocks(found)
    assert block.first is found[0]


@every_case("text, told", [
    ('SUSPEND = FALSE\nSUSPEND = Scheduler =!= "x" && ($(SUSPEND))\n', False),
    ("SUSPEND = (Cpus > 3) && False\n", False),
    ("SUSPEND = False\nSUSPEND = KeyboardIdle < 9 || $(SUSPEND)\n", True),
    ("PREEMPT = False\nWANT_HOLD = False\nWANT_HOLD = $(WANT_HOLD) && Cpus > 3\n", False),
])  # fmt: skip
def test_a_condition_that_asks_for_nothing_needs_no_other_macro(text: str, told: bool) -> None:
    found = {one[0] for one in said(f"WANT_SUSPEND = False\n{text}")}
    assert ("P241" in found) is told


OLD_BODY = """JOB_TRANSFORM_NAMES = Tag
JOB_TRANSFORM_Tag @=end
[
  {line}
]
@end
SUBMIT_REQUIREMENT_NAMES = Tagged
SUBMIT_REQUIREMENT_Tagged = Owner =?= TagUser
"""


@every_case("line", [
    'COPY_AcctGroupUser = "TagUser";',
    'copy_Owner="TagUser";',
    "EVAL_SET_TagUser = TagUser ?: Owner;",
    'set_TagUser = "nobody";',
])  # fmt: skip
def test_what_a_transform_of_the_old_language_sets_is_an_attribute_and_no_text(line: str) -> None:
    assert "P412" not in [id_ for id_, *_ in said(OLD_BODY.format(line=line))]


def test_a_word_that_no_transform_sets_is_one_without_quotes() -> None:
    told = said(OLD_BODY.format(line='set_Other = "nobody";'))
    assert [place for id_, _, place in told if id_ == "P412"] == ["TagUser"]


@every_case("text, lost", [
    ("MaxJobRetirementTime = 86400\n", False),
    ("MaxJobRetirementTime = $(MAX_JOB_RUNTIME)\n", False),
    ("MaxJobRetirementTime = $(ELSEWHERE)\n", False),
    ("MaxJobRetirementTime = 600\n", True),
    ("PREEMPT = False\n", True),
])  # fmt: skip
def test_a_retirement_of_the_jobs_whole_time_loses_nothing_of_its_limit(
    text: str, lost: bool
) -> None:
    """Limit_Job_Runtimes leaves jobs alone until their limit, and ends them there."""
    told = [id_ for id_, *_ in said(f"use POLICY : Limit_Job_Runtimes(3600)\n{text}")]
    assert ("P223" in told) is lost


@every_case("latch, advice", [
    ("", ", with `STARTD_LATCH_EXPRS = $(STARTD_LATCH_EXPRS) CpuBusy`"),
    ("STARTD_LATCH_EXPRS = CpuBusy\n", ""),
])  # fmt: skip
def test_the_time_of_a_busy_cpu_is_there_where_the_startd_latches_it(
    latch: str, advice: str
) -> None:
    """And since when it is not busy, where that is so: UWCS_DESKTOP asks which of the two it is."""
    text = f"{latch}CpuBusy = LoadAvg > 0.5\nSUSPEND = CpuBusyTime > 120\nWANT_SUSPEND = True\n"
    [found] = [one for one in examine(read(text)).findings if one.id == "P605"]
    assert found.help == f"`IfThenElse(CpuBusyValue is 1, time() - CpuBusyTime, 0)`{advice}"


def test_a_daemon_of_one_s_own_may_have_its_program_in_another_file() -> None:
    for name in ("SEC_CREDENTIAL_MONITOR", "OUR_DAEMON"):
        assert said(f"DAEMON_LIST = $(DAEMON_LIST), CREDD, {name}\n") == []
        assert said(f"DAEMON_LIST = MASTER, CREDD, {name}\n") != []
    assert said("DAEMON_LIST = $(DAEMON_LIST), CREDD, SHCEDD\n") != []


@every_case("daemon", ["QUILL", "CKPT_SERVER", "LEASEMANAGER", "STORK", "EVENTD"])
def test_a_daemon_that_there_is_no_more_is_not_started(daemon: str) -> None:
    head = f"DAEMON_LIST = MASTER, SCHEDD, {daemon}\n"
    [found] = examine(read(f"{head}{daemon} = /usr/sbin/x\n")).findings
    assert (found.id, found.line) == ("P215", 1)
    assert "any more" in found.message


def test_a_list_of_resources_is_made_by_a_program_that_is_there() -> None:
    line = "MACHINE_RESOURCE_INVENTORY_LIC = {}/licences\n"
    head = "DAEMON_LIST = MASTER, STARTD\n"
    assert said(head + line.format("$(NOWHERE)")) == [("P120", "warning", "$(NOWHERE)")]
    assert said(head + line.format("/srv/site")) == []


def test_a_machine_may_get_its_domain_from_what_is_not_read() -> None:
    head = "DAEMON_LIST = MASTER, STARTD\nNO_DNS = True\n"
    assert [kind for kind, *_ in said(head)] == ["P134"]
    assert "P134" not in [kind for kind, *_ in said(f"{head}include command : /srv/site/facts\n")]


def test_no_program_is_meant_that_there_is_no_more() -> None:
    [found] = examine(
        read("EVENTS = /usr/sbin/condor_events\nDAEMON_LIST = MASTER, EVENTS\n")
    ).findings
    assert (found.id, found.help) == ("P139", "`condor_eventd`: the event daemon is gone")
