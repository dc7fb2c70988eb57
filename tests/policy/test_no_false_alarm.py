"""What is right, close to what is wrong: of each of these nothing may be said."""

from __future__ import annotations

from policy.io import builtin_library
from policy.lint.findings import lint
from policy.lint.verdict import examine
from tests.cases import every_case
from tests.policy.test_lint import read

TRANSFORM = "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T @=end\n"
#: Attributes as sites have them, in none of HTCondor's own ads.
OF_SITES = (
    *("Dept", "Site", "Rack", "GPUModel", "NodeHealthy", "NodeOnline", "HasBigMem", "HasGpu"),
    *("WantGpu", "WantFlocking", "maxWallTime", "MaxWallTimeMins", "Project", "OldNode"),
    *("Department", "Room", "Cluster", "NodeType", "IsInteractive", "LongJob", "JobClass"),
    *("Experiment", "Queue", "WantWholeNode", "HasScratch", "HasCVMFS", "IsGpuNode", "Team"),
)
EXPRESSIONS = (
    'DAEMON_LIST = MASTER, STARTD\nSTART = TARGET.{0} =?= "x" || {0} > 4\n',
    "DAEMON_LIST = MASTER, STARTD\nSTART = {0} =?= True\n",
    "SYSTEM_PERIODIC_REMOVE = {0} =?= True && NumJobStarts > 5\n",
    'SYSTEM_PERIODIC_HOLD = {0} == "x"\n',
    "SUBMIT_REQUIREMENT_NAMES = A\nSUBMIT_REQUIREMENT_A = {0} isnt undefined\n",
    "SUBMIT_REQUIREMENT_NAMES = A\nSUBMIT_REQUIREMENT_A = TARGET.{0} isnt undefined\n",
    'RANK = ({0} =?= "x") * 10\n',
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2 && {0} =!= True\n",
    TRANSFORM + '  EVALSET AccountingGroup strcat("group_", {0}, ".", Owner)\n@end\n',
    TRANSFORM + "  REQUIREMENTS {0} =?= True\n  SET Tagged True\n@end\n",
)


@every_case("name, text", [(name, text) for name in OF_SITES for text in EXPRESSIONS])
def test_a_name_that_htcondor_does_not_know_is_anybodys(name: str, text: str) -> None:
    examined = examine(read(text.format(name)))
    assert examined.findings == []
    assert not any(one.qualified for one in examined.verdicts)


LEVELS = ("READ", "WRITE", "NEGOTIATOR", "ADMINISTRATOR", "CONFIG", "DAEMON", "CLIENT",
          "ADVERTISE_MASTER", "ADVERTISE_SCHEDD", "ADVERTISE_STARTD")  # fmt: skip


@every_case("level, daemon", [
    (level, daemon)
    for level in LEVELS
    for daemon in ("MASTER", "COLLECTOR", "NEGOTIATOR", "SCHEDD", "STARTD")
])  # fmt: skip
def test_every_daemon_reads_the_lists_of_every_level(level: str, daemon: str) -> None:
    """As each daemon of 25.14.1 logs with D_SECURITY."""
    text = (
        f"{daemon}.ALLOW_{level} = condor@site.example/10.9.9.9\n{daemon}.DENY_{level} = 10.9.9.8\n"
    )
    assert lint(read(text)) == []


@every_case("text", [
    # A log of one category, as 25.14.1 opens it.
    "COLLECTOR_AUDIT_LOG = /var/log/condor/CollectorAudit\n",
    "NEGOTIATOR_FULLDEBUG_LOG = $(LOG)/NegotiatorFull\nMAX_NEGOTIATOR_FULLDEBUG_LOG = 5 Mb\n",
    "SCHEDD_COMMAND_LOG = $(LOG)/SchedCommands\nMAX_NUM_SCHEDD_COMMAND_LOG = 3\n",
    "STARTD_SECURITY_LOG = $(LOG)/StartSecurity\nTRUNC_STARTD_SECURITY_LOG_ON_OPEN = True\n",
    # `+` in front adds to the built-in list, and to that one only.
    "DC_DAEMON_LIST =+ N2\n",
    "DC_DAEMON_LIST = +N2 SCHEDD2\n",
    # Whose default is taken away, may be missing in a job.
    *(
        f"JOB_DEFAULT_{name.upper()} = {nothing}\nSUBMIT_REQUIREMENT_NAMES = A\n"
        f"SUBMIT_REQUIREMENT_A = {asked.format(name)}\n"
        for name in ("RequestDisk", "RequestMemory", "RequestCpus")
        for nothing in ("undefined", "UNDEFINED", "")
        for asked in ("{0} isnt undefined", "!isUndefined(TARGET.{0})", "JOB.{0} =!= undefined")
    ),
    "JOB_DEFAULT_REQUESTMEMORY = undefined\nSTART = TARGET.RequestMemory =!= undefined\n",
    "JOB_DEFAULT_REQUESTCPUS =\nSYSTEM_PERIODIC_HOLD = isUndefined(RequestCpus)\n",
    TRANSFORM + "  DELETE RequestDisk\n@end\nSYSTEM_PERIODIC_HOLD = RequestDisk is undefined\n",
    TRANSFORM
    + "  RENAME RequestDisk OldDisk\n@end\nSYSTEM_PERIODIC_HOLD = RequestDisk is undefined\n",
    # Each daemon puts its own name in front.
    *(
        f"{prefix}.{setting}\n"
        for prefix in ("$(LOCALNAME)", "$(SUBSYSTEM)")
        for setting in ("CONDOR_VIEW_HOST = a.x", "START = False", "NUM_CPUS = 3")
    ),
    # condor_submit copies these into the job, where they are evaluated at each match.
    *(
        f"{macro} = ifThenElse({of} =!= undefined && {of} > 4000, 5000, 4000)\n"
        for macro in ("JOB_DEFAULT_REQUESTMEMORY", "JOB_DEFAULT_REQUESTCPUS", "APPEND_RANK",
                      "JOB_DEFAULT_REQUESTDISK", "JOB_DEFAULT_LEASE_DURATION", "DEFAULT_RANK")
        for of in ("MemoryUsage", "MY.NumJobStarts", "DiskUsage")
    ),
    # Both ads have names in submit requirements.
    "SUBMIT_REQUIREMENT_NAMES = A\n"
    'SUBMIT_REQUIREMENT_A = JOB.Owner != "chris" && SCHEDD.TotalJobAds < 4\n'
    'SUBMIT_REQUIREMENT_A_REASON = strcat(JOB.Owner, " on ", SCHEDD.Name)\n',
    # A variable of the block, and of another one behind it.
    TRANSFORM + "  EVALMACRO Big RequestMemory > 4000\n"
    "  if $(Big)\n    SET Big True\n  endif\n@end\n",
    # The negotiator adds usage to the request for the time of a match, and a job's Requirements
    # see it, whoever wrote them.
    'APPEND_REQUIREMENTS = isUndefined(SubmitterUserResourcesInUse) || Owner == "root" || '
    "SubmitterUserResourcesInUse < 20\n",
    "SUBMIT_ATTRS = Requirements\nAPPEND_REQ_VANILLA = (SubmitterUserPrio ?: 0) < 100\n",
    # An attribute that pilots bring.
    "SINGULARITY_JOB = HAS_SINGULARITY ?: false\n",
    # What a list has in the end counts, whoever adds to it afterwards.
    "STARTD_CRON_JOBLIST = $(STARTD_CRON_JOBLIST) CVMFS\n"
    "STARTD_CRON_CVMFS_EXECUTABLE = /usr/bin/a\nSTARTD_CRON_CVMFS_PERIOD = 5m\nuse feature: GPUs\n",
])  # fmt: skip
def test_what_is_right_is_not_mentioned(text: str) -> None:
    assert [(one.id, one.message) for one in lint(read(text))] == []


CIRCLE = "START = $(A)\nA = $(B)\nB = $(A)\n"


def test_only_daemons_that_read_a_macro_without_end_hang() -> None:
    """condor_startd 25.14.1 hangs at such a START; negotiator and schedd start."""
    hanging = {
        daemon: " hangs " in examine(
            read(CIRCLE).seen_by(daemon), asked=True
        ).verdicts[0].text
        for daemon in ("NEGOTIATOR", "SCHEDD", "COLLECTOR", "MASTER", "STARTD")
    }  # fmt: skip
    assert hanging == {**dict.fromkeys(hanging, False), "STARTD": True}


@every_case("text", [
    # Old names that say nothing, or what is said under the new one, too.
    "HOSTALLOW_WRITE =\nALLOW_WRITE = *.example.edu\n",
    "HOSTALLOW_READ = *.example.edu\nALLOW_READ = *.example.edu\n",
    "ALLOW_OWNER = $(ALLOW_ADMINISTRATOR)\nALLOW_ADMINISTRATOR = admin.example.edu\n",
    # A plain value of the file with a condition for one kind of jobs in front, as in the manual.
    *(
        f"WANT_SUSPEND = True\n{name} = {value}\n"
        f'{name} = (Scheduler {sign} "d@h") {logic} ($({name}))\n'
        for name in ("SUSPEND", "PREEMPT", "START")
        for value, sign, logic in (("False", "=!=", "&&"), ("TRUE", "=?=", "||"))
    ),
    # A list that lets in everybody lets in those that it had before, too.
    *(
        f"ALLOW_WRITE = *.example.edu\nALLOW_WRITE = {everybody}\n"
        for everybody in ("*", "*@*", "*/*", "*, cm.example.edu")
    ),
    # An item of a list for a macro of HTCondor's own that may be set elsewhere.
    "ALLOW_WRITE = $(FLOCK_FROM), *.example.edu\n",
    "ALLOW_ADMINISTRATOR = root@cm $(CONDOR_HOST)\n",
    # Where things lie, for a daemon that may be started here one day.
    "DAEMON_LIST = MASTER, COLLECTOR, NEGOTIATOR\nGANGLIAD_METRICS_CONFIG_DIR = /etc/condor/g\n",
    # What is greater by default is no limit of the other.
    "NEGOTIATOR_MAX_TIME_PER_PIESPIN = 90\nNEGOTIATOR_MAX_TIME_PER_SUBMITTER = 60\n",
    # Attributes that a program of the startd may publish.
    "STARTD_CRON_JOBLIST = H\nSTARTD_CRON_H_EXECUTABLE = /usr/bin/h\nSTARTD_CRON_H_PERIOD = 5m\n"
    "STARTD_ATTRS = Healthy, DiskIsGood\n",
])  # fmt: skip
def test_what_does_no_harm_is_not_mentioned(text: str) -> None:
    assert [(one.id, one.message) for one in lint(read(text))] == []


OTHER = "STARTD_ATTRS = Rack, Room\nRack = 7\nRoom = 4\nNext = 5\ninclude : mine\n"


def test_a_later_file_may_replace_a_list_on_purpose() -> None:
    """One that keeps some items, or none, is meant; another one may have lost them."""
    said = {
        mine: [one.id for one in lint(read(OTHER, {"mine": f"STARTD_ATTRS = {mine}\n"}))]
        for mine in ("Rack", "", "Next")
    }
    assert said == {"Rack": [], "": [], "Next": ["P222"]}


def test_what_a_file_that_is_not_here_may_say_is_a_note() -> None:
    text = "LOCAL_CONFIG_FILE = /etc/condor/host\nDAEMON_LIST = MASTER, COLLECTOR, NEGOTIATOR\n"
    found = examine(read(f"{text}DEFRAG_INTERVAL = 60\n")).findings
    assert {(one.id, one.severity) for one in found} == {("P912", "warning"), ("P241", "note")}


def test_a_file_that_adds_to_the_expression_of_another_is_a_fragment() -> None:
    text = "SYSTEM_PERIODIC_REMOVE = $(SYSTEM_PERIODIC_REMOVE) || JobStatus == 5\n"
    found = examine(read(text))
    assert found.fragment is not None
    assert [(one.id, one.severity) for one in found.findings] == [("P120", "note")]
    whole = examine(read(f"DAEMON_LIST = MASTER, SCHEDD\n{text}"))
    assert whole.fragment is None
    assert {one.severity for one in whole.findings} == {"warning", "error"}


@every_case("raw", ["$ENV(NUM)", "$ENV(NUM) + 1", "$(SLOTS)"])
def test_a_bad_value_from_the_environment_says_which_variable_to_give(raw: str) -> None:
    text = f"NUM_CPUS = {raw}\nSLOTS = $ENV(NUM)\n"
    [found] = lint(read(text, environment={"HOME": "/root"}))
    assert "NUM is not in the environment" in found.message
    assert "$ENV(NUM:...)" in (found.help or "")
    assert lint(read(text.replace("NUM)", "NUM:4)"))) == []
    assert lint(read(text, environment={"NUM": "4"})) == []


@every_case("text", [
    "NUM_CPUS = $ENV(NUM)\n",
    "STARTD_NOCLAIM_SHUTDOWN = $INT(TIME)\nTIME = $ENV(NUM)\n",
    "SLOT_TYPE_1 = cpus=$ENV(NUM)\nNUM_SLOTS_TYPE_1 = 1\n",
    "STARTD_ATTRS = $ENV(NUM)\n",
    "GROUP_NAMES = $ENV(NUM)\nGROUP_QUOTA_a = 5\n",
    "SEC_DEFAULT_AUTHENTICATION_METHODS = FS, $ENV(NUM)\n",
    "START = Cpus > $(LEAST)\nLEAST = $ENV(NUM)\n",
    "RANK = $ENV(NUM) * Memory\n",
    "include : $ENV(NUM)/more\n",
    "if $ENV(NUM)\nSTART = True\nendif\n",
    "DAEMON_LIST = MASTER, $ENV(NUM)\n",
])  # fmt: skip
def test_nobody_knows_the_environment_of_a_daemon_unless_it_is_given(text: str) -> None:
    found = examine(read(text))
    assert found.findings == []
    for verdict in found.verdicts:
        assert verdict.starts
        assert verdict.qualified == ("NUM of the environment" in verdict.text)
    assert any(verdict.qualified for verdict in found.verdicts)
    assert examine(read(text, environment={"HOME": "/root"})).findings


def test_what_is_wrong_whatever_the_environment_has_is_said() -> None:
    found = examine(read("NUM_CPUS = many\nSTART = Cpus > $ENV(NUM) && State == Unclaimed\n"))
    assert [one.id for one in found.findings] == ["P110", "P412"]
    assert [one.starts for one in found.verdicts] == [False]
    assert not any(one.qualified for one in examine(read("LOG = $ENV(NUM)/log\n")).verdicts)


#: Templates that need arguments, with some.
WITH_ARGUMENTS = (
    "FEATURE : AssignAccountingGroup(groups)", "FEATURE : GPUs(-extra)",
    "FEATURE : AssignProjectName(Projects, /etc/condor/p.map)",
    "FEATURE : ContinuousCronHook(STARTD_CRON, Health, /usr/libexec/h)",
    "FEATURE : Monitor(M, Periodic, 5m, /usr/libexec/m, SUM)",
    "FEATURE : PeriodicCronHook(SCHEDD_CRON, Health, 5m, /usr/libexec/h)",
    "FEATURE : ScheddCronContinuous(Health, /usr/libexec/h)",
    "FEATURE : ScheddCronOneShot(Health, /usr/libexec/h)",
    "FEATURE : ScheddCronPeriodic(Health, 1h, /usr/libexec/h)",
    "FEATURE : StartdCronContinuous(Health, /usr/libexec/h)",
    "FEATURE : StartdCronOneShot(Health, /usr/libexec/h)",
    "FEATURE : StartdCronPeriodic(Health, 1h, /usr/libexec/h)",
    "FEATURE : ScheddUsermapFile(groups, /etc/condor/groups.map)",
    "FEATURE : SetJobAttrFromUsermap(Dept, Owner, groups, /etc/condor/m)",
    "FEATURE : PartitionableSlot(1, 50%)", "FEATURE : StaticSlots(1)",
    "POLICY : PREEMPT_IF_RUNTIME_EXCEEDS(24*3600)", "POLICY : LIMIT_JOB_RUNTIMES(3600)",
    "POLICY : PREEMPT_IF(TOO_BIG, TOO_LONG)",
    "POLICY : WANT_HOLD_IF(TOO_BIG, 102, memory used more than requested)",
)  # fmt: skip


@every_case("name", WITH_ARGUMENTS)
def test_what_a_template_of_htcondor_sets_is_right(name: str) -> None:
    roles = "".join(f"use ROLE : {role}\n" for role in ("CentralManager", "Execute", "Submit"))
    named = "TOO_BIG = MemoryUsage > RequestMemory\n" if "TOO_BIG" in name else ""
    assert lint(read(f"{named}use {name}\n")) == []
    assert lint(read(f"CONDOR_HOST = cm.example.edu\n{named}{roles}use {name}\n")) == []


def test_templates_without_arguments_say_what_they_lack_and_no_more() -> None:
    known = builtin_library().templates
    names = [f"{kind} : {name}" for kind in known.categories for name in known.names(kind)]
    said = {one.id for name in names for one in lint(read(f"use {name}\n"))}
    assert len(names) > 60
    assert said == {"P101", "P104"}


def test_a_list_loses_what_the_file_says_and_not_what_that_is_here() -> None:
    text = "ALLOW_WRITE = $(FULL_HOSTNAME), $(IP_ADDRESS)\nALLOW_WRITE = cm.example.edu\n"
    [found] = lint(read(text))
    assert found.id == "P222"
    assert "`$(FULL_HOSTNAME)`, `$(IP_ADDRESS)`" in found.message


def test_a_hole_that_is_more_than_an_item_of_a_list_is_mentioned() -> None:
    for text in ("ALLOW_WRITE = $(FLOCK_FROM)\n", "ALLOW_WRITE = *.$(CONDOR_HOST), cm\n"):
        assert [one.id for one in lint(read(text))] == ["P120"]


ROUTES = "DAEMON_LIST = MASTER, JOB_ROUTER\nJOB_ROUTER_SOURCE_JOB_CONSTRAINT = JobUniverse == 5\n"
ROUTED = "JOB_ROUTER_ROUTE_NAMES = A, B\nJOB_ROUTER_ROUTE_A @=e\n  UNIVERSE VANILLA\n{0}@e\n"
BEHIND = "JOB_ROUTER_ROUTE_B @=e\n  UNIVERSE VANILLA\n@e\n"


@every_case(
    "text",
    [
        # An attribute of one's own, which is close to one of HTCondor's.
        TRANSFORM + "  SET JobIsRunning JobStatus == 2\n  SET Left JobIsRunning ? 1 : 2\n@end\n",
        # A variable that the routes of other files set.
        "JOB_ROUTER_POST_ROUTE_TRANSFORM_NAMES = Queue\nJOB_ROUTER_TRANSFORM_Queue @=e\n"
        '  EVALSET BatchQueue "$(default_queue)"\n@e\n',
        # A route for what is too much for the one before it.
        ROUTES + ROUTED.format("  MaxJobs = 20\n") + BEHIND,
        ROUTES + ROUTED.format("") + BEHIND + "JOB_ROUTER_DEFAULT_MAX_JOBS_PER_ROUTE = 200\n",
    ],
)
def test_what_gateways_do_with_transforms_and_routes_is_right(text: str) -> None:
    assert lint(read(text)) == []


def test_a_constraint_may_be_in_another_file_than_a_route() -> None:
    route = "JOB_ROUTER_ROUTE_NAMES = A\nJOB_ROUTER_ROUTE_A = UNIVERSE VANILLA\n"
    said = [lint(read(text + route)) for text in ("", "DAEMON_LIST = MASTER, JOB_ROUTER\n")]
    assert [[(one.id, one.severity) for one in found] for found in said] == [
        [],
        [("P248", "error")],
    ]


def test_a_route_that_is_given_more_room_is_not_meant_to_leave_jobs_to_others() -> None:
    more = ROUTES + ROUTED.format("  MaxJobs = 1000\n") + BEHIND
    assert [item.id for item in lint(read(more))] == ["P249"]


def test_a_list_that_adds_to_that_of_another_file_may_have_what_that_defines() -> None:
    adding = "STARTD_ATTRS = $(STARTD_ATTRS), HasMatlabx\n"
    severities = {
        whole: [(one.id, one.severity) for one in examine(read(whole + adding)).findings]
        for whole in ("", "RELEASE_DIR = /usr\n", "STARTD_ATTRS = Memory\n")
    }
    warned = [("P211", "warning")]
    assert severities == {
        "": [("P211", "note")],
        "RELEASE_DIR = /usr\n": warned,
        "STARTD_ATTRS = Memory\n": warned,
    }
    near = examine(read(f"{adding}HasMatlaby = True\n")).findings
    assert [(one.id, one.severity) for one in near] == warned


def test_a_daemon_list_that_adds_daemons_is_that_of_no_whole_host() -> None:
    adding = "DAEMON_LIST = $(DAEMON_LIST), CREDD\n"
    found = examine(read(adding))
    assert str(found.fragment) == "its DAEMON_LIST adds to that of another file"
    assert [one.daemon.subsystem for one in found.verdicts] == ["CREDD"]
    assert examine(read(f"DAEMON_LIST = MASTER\n{adding}")).fragment is None
    assert examine(read("DAEMON_LIST = $(DAEMON_LIST), STARTD\n")).fragment is None


@every_case("text", [
    "ALLOW_READ = */$(CONDOR_HOST)\nALLOW_DAEMON = condor@*/$(CONDOR_HOST)\n",
    "ALLOW_WRITE = $(FRIENDLY_DAEMONS)\n",
    "DENY_WRITE = $(UNMAPPED_USERS)\n",
])  # fmt: skip
def test_macros_that_one_file_sets_for_all_are_not_missed_in_a_part(text: str) -> None:
    assert examine(read(text)).findings == []
    whole = examine(read(f"DAEMON_LIST = MASTER, SCHEDD\n{text}")).findings
    assert {(one.id, one.severity) for one in whole} == {("P120", "note")}


POOL_PASSWORD = "condor_pool@*/*"


@every_case("text", [
    # The hosts of ALLOW_*, as `use SECURITY : HOST_BASED` takes them; the pool is elsewhere.
    f"CONDOR_HOST = {POOL_PASSWORD}\nCOLLECTOR_HOST = cm.example.edu\n",
    "CONDOR_HOST = 10.3.*\nCOLLECTOR_HOST = cm.example.edu:9619\n",
    "COLLECTOR_HOST = cm.example.edu\nCONDOR_HOST = *.example.edu $(FULL_HOSTNAME)\n",
])  # fmt: skip
def test_a_condor_host_to_which_nobody_connects_may_be_a_pattern(text: str) -> None:
    assert lint(read(text)) == []


@every_case("text", [
    "CONDOR_HOST = 10.3.*\n",
    "CONDOR_HOST = 10.3.*\nCOLLECTOR_HOST = $(CONDOR_HOST):9619\n",
    "CONDOR_HOST = *.example.edu\nCOLLECTOR_HOST = cm.example.edu, $(CONDOR_HOST)\n",
    "COLLECTOR_HOST = *.example.edu\n",
])  # fmt: skip
def test_a_pattern_to_which_daemons_should_connect_is_told(text: str) -> None:
    assert "P235" in {one.id for one in lint(read(text))}


def test_one_central_manager_in_the_place_of_another_one_adds_to_no_list() -> None:
    """The earlier one has no effect; to keep both would be a pool with two."""
    for first, second in (("$(CONDOR_HOST)", "127.0.0.1:0"), ("a.example.edu", "b.example.edu")):
        text = f"CONDOR_HOST = a\nCOLLECTOR_HOST = {first}\nCOLLECTOR_HOST = {second}\n"
        assert [(one.id, one.line) for one in lint(read(text))] == [("P203", 2)]
    two = "COLLECTOR_HOST = a.example.edu, b.example.edu\nCOLLECTOR_HOST = b.example.edu\n"
    assert [(one.id, one.line) for one in lint(read(two))] == [("P222", 2)]


@every_case("end", ["EXECUTABLE = /usr/bin/health", "PERIOD = 5m", "ARGS = -v"])
def test_what_no_list_names_lacks_nothing_besides(end: str) -> None:
    for daemon in ("STARTD", "SCHEDD"):
        lists = (
            f"{daemon}_CRON_JOBLIST = LOAD\n{daemon}_CRON_LOAD_EXECUTABLE = /usr/bin/load\n"
            f"{daemon}_CRON_LOAD_PERIOD = 1m\n"
        )
        found = lint(read(f"{lists}{daemon}_CRON_HEALTH_{end}\n"))
        assert [(one.id, one.line) for one in found] == [("P212", 4)]


def test_a_job_of_the_list_still_needs_its_period() -> None:
    text = "STARTD_CRON_JOBLIST = LOAD\nSTARTD_CRON_LOAD_EXECUTABLE = /usr/bin/load\n"
    assert [one.id for one in lint(read(text))] == ["P241"]


@every_case("daemons, macro, told", [
    ("SCHEDD, STARTD", "PREEMPT", True),
    ("SCHEDD, STARTD", "PREEMPTION_REQUIREMENTS", False),
    ("SCHEDD, STARTD", "PREEMPTION_RANK", False),
    ("COLLECTOR, NEGOTIATOR", "PREEMPT", False),
    ("COLLECTOR, NEGOTIATOR", "START", False),
    ("COLLECTOR, NEGOTIATOR", "PREEMPTION_REQUIREMENTS", True),
    ("COLLECTOR, NEGOTIATOR", "SYSTEM_PERIODIC_HOLD", False),
    ("SCHEDD", "SYSTEM_PERIODIC_HOLD", True),
])  # fmt: skip
def test_a_hole_counts_where_a_daemon_of_the_host_reads_it(
    daemons: str, macro: str, told: bool
) -> None:
    hole = f"{macro} = $(UWCS_{macro})\n"
    found = {one.id for one in lint(read(f"DAEMON_LIST = MASTER, {daemons}\n{hole}"))}
    assert ("P120" in found) == told
    assert "P120" in {one.id for one in lint(read(hole))}  # who knows which daemons run


@every_case("macro", ["GSI_DAEMON_PROXY", "QUILL_DB_NAME", "NUM_VIRTUAL_MACHINES"])
def test_of_a_macro_that_nobody_reads_a_hole_is_no_matter(macro: str) -> None:
    assert [one.id for one in lint(read(f"{macro} = $(OF_SITE)/a\n"))] == ["P205"]


@every_case("list_", ["STARTD_ATTRS", "MASTER_ATTRS", "SCHEDD_ATTRS"])
def test_a_part_may_list_attributes_that_another_file_defines(list_: str) -> None:
    text = f"{list_} = SiteA, SiteB\nSiteA = 1\n"
    severities = {
        whole: [(one.id, one.severity) for one in examine(read(whole + text)).findings]
        for whole in ("", "DAEMON_LIST = MASTER, SCHEDD, STARTD\n")
    }
    assert [*severities.values()] == [[("P211", "note")], [("P211", "warning")]]


@every_case("program, told", [
    ("41232", True),
    ("condor_shared_port", True),
    ("/usr/libexec/condor/condor_shared_port", False),
    ("$(LIBEXEC)/condor_shared_port", False),
    ("C:\\\\condor\\\\bin\\\\condor_shared_port.exe", False),
])  # fmt: skip
def test_the_master_runs_what_has_a_path(program: str, told: bool) -> None:
    for name in ("SHARED_PORT", "NEGOTIATOR"):
        text = f"{name} = {program}\nDAEMON_LIST = MASTER, COLLECTOR, {name}\n"
        assert ("P215" in {one.id for one in lint(read(text))}) == told
    unlisted = text.replace(", NEGOTIATOR", "")
    assert "P215" not in {one.id for one in lint(read(unlisted))}


@every_case(
    "more", ["", "DAEMON_LIST = MASTER, COLLECTOR\n", "DAEMON_LIST = MASTER, SHARED_PORT\n"]
)
def test_the_collector_ends_without_the_program_that_shares_its_port(more: str) -> None:
    text = f"SHARED_PORT = 41232\n{more}"
    (item,) = [one for one in lint(read(text)) if one.id == "P215"]
    assert (item.severity, item.start) == ("error", text.index("41232"))
    assert "COLLECTOR" in {
        one.daemon.subsystem for one in examine(read(text)).verdicts if not one.starts
    }
    alone = read(f"{text}USE_SHARED_PORT = False\n")
    assert all(one.starts for one in examine(alone).verdicts)


@every_case(
    "quotes", ["\u201c\u201d", "\u201d\u201d", "\u201e\u201c", "\u2018\u2019", "\u00ab\u00bb"]
)
def test_quotes_of_a_text_processor_are_named(quotes: str) -> None:
    text = f"SINGULARITY_IMAGE_EXPR = {quotes[0]}/cvmfs/image.sif{quotes[1]}\n"
    (found,) = lint(read(text))
    assert found.id == "P113"
    assert found.message.endswith('quotes are written `"`')


@every_case("old, daemon", [
    ("HOSTALLOW_WRITE_STARTD = *.example.edu", "STARTD"),
    ("HOSTALLOW_READ_COLLECTOR = *.example.edu", "COLLECTOR"),
    ("NUM_VIRTUAL_MACHINES = 2", "STARTD"),
    ("DEFRAG_SCHEDULE = graceful", "DEFRAG"),
    ("XSW_LIMIT = 3\nCONCURRENCY_LIMIT_LICENSE = 3", "NEGOTIATOR"),
])  # fmt: skip
def test_an_old_name_is_told_where_a_daemon_would_read_the_new_one(old: str, daemon: str) -> None:
    for daemons, told in (("SCHEDD", False), (f"SCHEDD, {daemon}", True)):
        found = {one.id for one in lint(read(f"DAEMON_LIST = MASTER, {daemons}\n{old}\n"))}
        assert ("P205" in found) == told
    assert "P205" in {one.id for one in lint(read(f"{old}\n"))}


@every_case("old", ["HOSTALLOW_WRITE = *.example.edu", "ALLOW_OWNER = *.example.edu"])
def test_lists_that_every_daemon_would_read_are_told_on_every_host(old: str) -> None:
    for daemons in ("SCHEDD", "STARTD", "COLLECTOR, NEGOTIATOR"):
        text = f"DAEMON_LIST = MASTER, {daemons}\n{old}\n"
        assert [one.id for one in lint(read(text))] == ["P205"]


@every_case("name", ["COLLECTOR1", "SCHEDD2", "STARTD_A"])
def test_a_daemon_that_the_master_starts_under_a_name_reads_what_has_it_in_front(name: str) -> None:
    daemon = name.rstrip("12").removesuffix("_A")
    text = f"{name} = $({daemon})\nDAEMON_LIST = MASTER, {name}\n{name}.MAX_{daemon}_LOG = 20 Mb\n"
    assert [one for one in lint(read(text)) if one.id == "P221"] == []


def test_names_that_one_site_made_alike_are_no_slips_of_the_same_words_in_another_order() -> None:
    start = "START = (ProvisionedMemory =?= TARGET.RequestMemory)"
    own = "(ProvisionedNamespace =?= TARGET.RequestNamespace)"
    assert [one.id for one in lint(read(f"{start}\n"))] == ["P401"]
    assert [one.id for one in lint(read(f"{start} && {own}\n"))] == []


def test_an_ad_in_an_expression_has_attributes_of_its_own() -> None:
    catalog = "OSG_Catalog = { [ \\\n  Memory = 8053; \\\n  CPUs = 4; \\\n"
    catalog += "  Requirements = TARGET.RequestMemory <= Memory; \\\n] }\n"
    assert [one.id for one in lint(read(f"{catalog}SCHEDD_ATTRS = OSG_Catalog\n"))] == []
    taken = "ALLOW_READ = *.example.edu, \\\nMEMORY = 8053\n"
    assert [one.id for one in lint(read(taken))] == ["P107"]


@every_case("old, other", [
    ("CONDOR_DEVELOPERS = NONE", "CONDOR_DEVELOPERS = me@example.edu"),
    ("DAGMAN_GENERATE_RESCUE_DAG = True", "DAGMAN_GENERATE_RESCUE_DAG = maybe"),
    ("CCB_ADDRESS = cm\nUSE_CCB = true", "USE_CCB = true"),
])  # fmt: skip
def test_an_old_name_that_asks_for_what_is_so_today_is_not_told(old: str, other: str) -> None:
    assert [one.id for one in lint(read(f"{old}\n"))] == []
    assert [one.id for one in lint(read(f"{other}\n"))] == ["P205"]


def test_a_group_that_lives_on_the_surplus_needs_no_quota() -> None:
    groups = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 5\n"
    for more, severity in (("", "warning"), ("GROUP_ACCEPT_SURPLUS = True\n", "note")):
        [found] = lint(read(groups + more))
        assert (found.id, found.severity) == ("P303", severity)


def test_what_is_set_again_to_the_same_is_as_it_was() -> None:
    text = "CONDOR_HOST = cm.example.edu\nCREDD_HOST = $(CONDOR_HOST)\nCREDD_HOST = "
    assert [one.id for one in lint(read(f"{text}cm.example.edu\n"))] == []
    assert "P203" in [one.id for one in lint(read(f"{text}other.example.edu\n"))]


def test_the_account_of_slots_that_there_are_not_may_be_that_of_the_others() -> None:
    text = "NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=1\nSLOT1_USER = a\nSLOT2_USER = "
    assert [one.id for one in lint(read(f"{text}a\n"))] == []
    assert [one.id for one in lint(read(f"{text}b\n"))] == ["P253"]


def test_the_startd_of_windows_publishes_its_credd() -> None:
    assert [one.id for one in lint(read("STARTD_ATTRS = $(STARTD_ATTRS) LocalCredd\n"))] == []


@every_case("list_", ["DOCKER_VOLUMES = a", "GROUP_NAMES =", "STARTD_ATTRS = Site"])
def test_of_a_comment_in_a_list_only_that_is_told(list_: str) -> None:
    rest = "DOCKER_VOLUME_DIR_a = /x\nSite = 1\n"
    found = [one.id for one in lint(read(f"{list_} # Mount shared\n{rest}"))]
    assert "P115" in found
    assert not {"P211", "P136"} & {*found}
