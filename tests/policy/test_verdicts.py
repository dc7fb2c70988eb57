"""What is said of the daemons where a configuration has no place for it, or no end."""

from __future__ import annotations

import pytest
from attr import evolve

from classad.errors import Diagnostic
from policy.config import Config, load_config
from policy.io import builtin_library
from policy.knobs.readers import MAIN, reader_names
from policy.language.sources import MemorySources
from policy.lint.findings import lint
from policy.lint.verdict import examine
from policy.values.evaluation import DEEPEST
from tests.cases import every_case

#: The daemons of which every pool has some.
MAIN_ONES = ("master", "collector", "negotiator", "schedd", "startd")


def read(text: str) -> Config:
    return load_config(
        "a.conf", MemorySources({"a.conf": text}), builtin_library(), keep_going=True
    )


def test_the_last_line_is_not_above_the_first_one() -> None:
    text = "this says nothing\n# a comment \\"
    config = read(text)
    assert [(found.id, found.line, found.help) for found in lint(config)] == [("P101", 1, None)]


@pytest.mark.parametrize("depth", [5, DEEPEST + 1])
def test_a_condition_that_is_too_deep_is_not_evaluated_for_a_verdict(depth: int) -> None:
    text = f"START = {'!' * depth}noSuchFunction(Cpus)\n"
    config = read(text)
    (verdict,) = examine(config).verdicts
    assert verdict.starts
    assert verdict.qualified == (depth < DEEPEST)


def test_a_mistake_without_a_place_is_told_by_its_words() -> None:
    read = load_config("a.conf", MemorySources({"a.conf": "START = True\n"}), builtin_library())
    said = (Diagnostic("no such disk"), Diagnostic("too warm", severity="warning"))
    found = examine(evolve(read, diagnostics=said))
    assert [(it.id, it.message) for it in found.findings] == [
        ("P101", "no such disk"),
        ("P104", "too warm"),
    ]
    verdict = found.verdicts[-1]
    assert verdict.text == "condor_startd would not start: exit status 1, no such disk"


def verdicts_on(text: str) -> dict[str, str]:
    """What is said of each daemon."""
    config = read(text)
    return {str(one.daemon): one.text for one in examine(config).verdicts}


def test_only_daemons_that_daemon_list_starts_are_said_to_start() -> None:
    shared = "PRIORITY_HALFLIFE = 5000\nMAX_JOBS_RUNNING = 500\nSTART = True\n"
    found = verdicts_on(f"DAEMON_LIST = MASTER, STARTD\n{shared}")
    assert set(found) == {"condor_startd"}
    assert set(verdicts_on(shared)) == {"condor_negotiator", "condor_schedd", "condor_startd"}


@pytest.mark.parametrize(
    ("program", "is_named"),
    [
        ("/srv/pool/bin/go-schedd", True),
        ("$(SBIN)/schedd-with-limits.sh", True),
        ("/usr/local/sbin/condor_schedd", False),
        (r"C:\condor\bin\condor_schedd.exe", False),
        ("$(NOWHERE)/condor_schedd", False),
    ],
)
def test_a_verdict_on_a_daemon_holds_for_its_own_program(program: str, is_named: bool) -> None:
    text = f"DAEMON_LIST = MASTER, SCHEDD\nSCHEDD = {program}\nSCHEDD_INTERVAL = 60\n"
    texts = [one.text for one in examine(read(text)).verdicts if one.daemon.subsystem == "SCHEDD"]
    assert [one.endswith(" is that program") for one in texts] == [is_named]
    text += "SCHEDD_INTERVAL = 5m\n"  # at which the daemon ends, whatever runs in its place
    texts = [one.text for one in examine(read(text)).verdicts if one.daemon.subsystem == "SCHEDD"]
    assert not any(one.endswith(" is that program") for one in texts)


def test_a_daemon_of_another_name_is_known_by_its_program() -> None:
    second = "S2 = $(SCHEDD)\nS2_ARGS = -local-name s2\ns2.SPOOL = /var/spool/s2\n"
    found = verdicts_on(f"DAEMON_LIST = MASTER, S2\n{second}MAX_JOBS_RUNNING = 500\n")
    assert "condor_schedd" in found


def test_a_value_that_ends_a_daemon_is_told_where_that_does_not_run_too() -> None:
    found = verdicts_on("DAEMON_LIST = MASTER, STARTD\nPRIORITY_HALFLIFE = long\n")
    told = found["condor_negotiator"]
    assert "which DAEMON_LIST does not name" in told
    assert "would not start: exit status 4, line 2" in told
    assert found["condor_startd"] == "condor_startd would start"


def test_a_start_that_takes_no_job_says_nothing_of_a_host_without_a_startd() -> None:
    found = verdicts_on("DAEMON_LIST = MASTER, SCHEDD\nSTART = (\n")
    assert "condor_startd" not in found


def test_what_is_for_no_daemon_in_particular_is_for_all() -> None:
    everybody = {f"condor_{name}" for name in MAIN_ONES}
    for text in ("use SECURITY : Strong\n", "ALLOW_READ = *\n", "# nothing\n"):
        assert set(verdicts_on(text)) == everybody


def test_what_one_daemon_beside_the_main_ones_reads_is_for_it() -> None:
    assert set(verdicts_on("JOB_ROUTER_MAX_JOBS = 4\n")) == {"condor_job_router"}
    assert set(verdicts_on("ROOSTER_INTERVAL = 60\n")) == {"condor_rooster"}
    both = verdicts_on("JOB_ROUTER_MAX_JOBS = 4\nMAX_JOBS_RUNNING = 500\n")
    assert set(both) == {"condor_job_router", "condor_schedd"}


@pytest.mark.parametrize("daemon", ["CREDD", "DEFRAG", "JOB_ROUTER", "ROOSTER", "SHARED_PORT"])
def test_what_every_daemon_reads_ends_those_beside_the_main_ones_too(daemon: str) -> None:
    """Seen with 25.14.1: each ends with status 4 at the text, and none looks at DETECTED_CORES."""
    for macro, ends in (
        ("SEC_DEFAULT_SESSION_DURATION = 10k", True),
        ("USE_SHARED_PORT = yes", True),
        ("DETECTED_CORES = 10k", False),
        ("TCP_KEEPALIVE_INTERVAL = 10k", daemon in ("CREDD", "DEFRAG")),
    ):
        told = verdicts_on(f"DAEMON_LIST = MASTER, {daemon}\n{macro}\n")
        assert "would not start: exit status 4, line 2" in told["condor_master"]
        name = f"condor_{daemon.lower()}"
        assert ("would not start: exit status 4, line 2" in told.get(name, "")) is ends


@pytest.mark.parametrize(
    "address",
    [
        *("256.1.1.1", "10.0.0.300", "10.0.0.0/8"),
        *("localhost", "cm.example.org", "$(CONDOR_HOST)", "$(FULL_HOSTNAME)"),
    ],
)
def test_all_daemons_end_at_an_interface_that_is_no_address(address: str) -> None:
    """Seen with 25.14.1: `Failed to determine my IP address`, status 4, at names of hosts, too."""
    address = address.replace("$(CONDOR_HOST)", "$(CONDOR_HOST)\nCONDOR_HOST = cm.example.org")
    told = verdicts_on(f"DAEMON_LIST = MASTER, SCHEDD, CREDD\nNETWORK_INTERFACE = {address}\n")
    assert all("would not start: exit status 4" in text for text in told.values())
    for fine in ("eth0, lo", "127.0.0.1", "*.1", "eth0.100", "br-lan.guest", "lo, cm.example.org"):
        told = verdicts_on(f"DAEMON_LIST = MASTER, SCHEDD\nNETWORK_INTERFACE = {fine}\n")
        assert not any("would not start" in text for text in told.values())


@pytest.mark.parametrize(
    "line",
    [
        "CONDOR_IDS = condor.condor",
        "NETWORK_INTERFACE = 10.0.0.0/8",
        "SEC_DEFAULT_ENCRYPTION = XYZ",
        "ENABLE_IPV4 = False\nENABLE_IPV6 = False",
    ],
)
def test_what_ends_every_daemon_is_an_error(line: str) -> None:
    text = f"DAEMON_LIST = MASTER, SCHEDD\n{line}\n"
    told = examine(read(text))
    assert {one.starts for one in told.verdicts} == {False}
    assert [one.severity for one in told.findings] == ["error"]


@pytest.mark.parametrize("setting", ["START = True", "JOB_ROUTER_MAX_JOBS = 3", "Site = 5", ""])
@pytest.mark.parametrize("line", ["my-name = 2", "; a comment", "word", "use ROLE : Nothing"])
def test_a_line_that_cannot_be_read_ends_every_daemon_of_the_host(setting: str, line: str) -> None:
    told = verdicts_on(f"{setting}\n{line}\n")
    assert all("would not start: exit status 1, line 2: " in text for text in told.values())
    assert told.keys() >= {f"condor_{name.lower()}" for name in MAIN}
    told = verdicts_on(f"{setting}\n{line}\nDAEMON_LIST = MASTER, SCHEDD\n")
    assert {"condor_master", "condor_schedd"} <= told.keys()
    assert "condor_collector" not in told


@pytest.mark.parametrize("ids", ["condor.condor", "condor", "64", "64,64", "64 . 64", "'64.64'"])
def test_no_daemon_starts_with_ids_that_are_not_two_numbers(ids: str) -> None:
    """Seen with 25.14.1: `badly formed value in CONDOR_IDS`, status 1."""
    told = verdicts_on(f"DAEMON_LIST = MASTER, SCHEDD\nCONDOR_IDS = {ids}\n")
    assert all("would not start: exit status 1, line 2: " in text for text in told.values())
    for fine in ("64.64", "64.64 # condor", ""):
        told = verdicts_on(f"DAEMON_LIST = MASTER, SCHEDD\nCONDOR_IDS = {fine}\n")
        assert not any("would not start" in text for text in told.values())


def test_the_shared_port_daemon_ends_at_a_bad_number_of_descriptors() -> None:
    listed = "DAEMON_LIST = MASTER, SHARED_PORT\n"
    bad = verdicts_on(f"{listed}SHARED_PORT_MAX_FILE_DESCRIPTORS = 10k\n")["condor_shared_port"]
    assert bad.startswith("condor_shared_port would not start: exit status 4, line 2: ")
    good = verdicts_on(f"{listed}SHARED_PORT_MAX_FILE_DESCRIPTORS = 10000\n")
    assert good["condor_shared_port"] == "condor_shared_port would start"


def test_a_daemon_that_finds_no_list_of_its_machines_ends_well() -> None:
    listed = "DAEMON_LIST = MASTER, NEGOTIATOR, HAD\nMASTER_NEGOTIATOR_CONTROLLER = HAD\n"
    told = verdicts_on(listed)["condor_had"]
    assert told.startswith("condor_had would not start: exit status 0, line 1: ")
    lists = "HAD_ARGS = -p 51450\nHAD_LIST = a.x:51450, b.x:51450\n"
    assert verdicts_on(f"{listed}{lists}")["condor_had"] == "condor_had would start"


@pytest.mark.parametrize(
    ("macro", "daemon"),
    [
        ("SCHEDD_INTERVAL = 60", "schedd"),
        ("FLOCK_TO = cm.example.edu", "schedd"),
        ("FLOCK_FROM = *.example.edu", "schedd"),
        ("SYSTEM_PERIODIC_REMOVE = JobStatus == 5", "schedd"),
        ("JOB_DEFAULT_REQUESTMEMORY = 512", "schedd"),
        ("NEGOTIATOR_INTERVAL = 60", "negotiator"),
        ("COLLECTOR_UPDATE_INTERVAL = 60", "collector"),
        ("MASTER_UPDATE_INTERVAL = 60", "master"),
        ("DEFRAG_INTERVAL = 600", "defrag"),
    ],
)
def test_a_macro_that_is_a_daemons_by_its_name_is_for_it_beside_others(
    macro: str, daemon: str
) -> None:
    for text in (f"START = True\n{macro}\n", f"{macro}\nSTART = True\n"):
        assert set(verdicts_on(text)) == {f"condor_{daemon}", "condor_startd"}


@every_case(
    "size",
    ["big", "1.5 Mb", "10,000", "-1", '"10 Mb"', "10 Mb Gb", "1 month", "10M3", "5 * 3", "3days2"],
)
def test_a_daemon_ends_at_a_size_of_its_log_that_is_none(size: str) -> None:
    # Asked of every daemon of 25.14.1: status 44.
    for macro, daemon in (
        ("MAX_STARTD_LOG", "STARTD"),
        ("MAX_NEGOTIATOR_MATCH_LOG", "NEGOTIATOR"),
        ("MAX_SCHEDD_AUDIT_LOG", "SCHEDD"),
        ("MAX_SHARED_PORT_LOG", "SHARED_PORT"),
    ):
        (verdict,) = examine(read(f"{macro} = {size}\n")).verdicts
        assert (verdict.daemon.subsystem, verdict.starts) == (daemon, False)
        assert "exit status 44" in verdict.text
    every = examine(read(f"MAX_STARTD_LOG = 5 Mb\nMAX_DEFAULT_LOG = {size}\n")).verdicts
    assert {one.daemon.subsystem for one in every if not one.starts} == set(MAIN)


@every_case("size", [
    "10 Mb", "10MB", "10 MiB", "10Mb;", "0x10000", "+10000000", "100000000", "", "10 Gigs", "10T",
    "10M", "10k9", "1.5Mb", "1000.5", "3MB/day",
])  # fmt: skip
def test_a_daemon_takes_a_number_with_a_unit_for_the_size_of_its_log(size: str) -> None:
    for macro in ("MAX_STARTD_LOG", "MAX_DEFAULT_LOG", "MAX_SHADOW_LOG"):
        seen = examine(read(f"{macro} = {size}\n"))
        assert all(one.starts for one in seen.verdicts)
        assert not any(one.severity == "error" for one in seen.findings)


@every_case("time", ["2 days", "1 min", "1 weeks", "5m", "10 MI", "24h", "90 s"])
def test_the_log_of_one_daemon_takes_a_time_and_that_of_all_does_not(time: str) -> None:
    """Asked of 25.14.1: a lower-case m is minutes, and MAX_DEFAULT_LOG has to be a size."""
    for macro, ended in (("MAX_STARTD_LOG", ()), ("MAX_DEFAULT_LOG", MAIN)):
        seen = examine(read(f"{macro} = {time}\n"))
        assert {one.daemon.subsystem for one in seen.verdicts if not one.starts} == set(ended)
        assert all(one.status == 44 for one in seen.verdicts if not one.starts)


def test_a_condition_that_ends_the_starter_of_a_job_keeps_no_daemon_from_starting() -> None:
    volumes = "DOCKER_VOLUMES = D\nDOCKER_VOLUME_DIR_D = /d\nDOCKER_MOUNT_VOLUMES = D\n"
    seen = examine(read(f"{volumes}DOCKER_VOLUME_DIR_D_MOUNT_IF = WantsIt\n"))
    assert "P117" in [one.id for one in seen.findings]
    assert all(one.starts for one in seen.verdicts)


@every_case("line, ended", [
    ("MAX_NUM_STARTD_LOG = many", "STARTD"),
    ("MAX_NUM_SCHEDD_LOG = -1", "SCHEDD"),
    ("MAX_NUM_NEGOTIATOR_MATCH_LOG = 3 days", "NEGOTIATOR"),
    ("TRUNC_HAD_LOG_ON_OPEN = maybe", "HAD"),
])  # fmt: skip
def test_a_daemon_ends_at_a_number_of_old_logs_that_is_none(line: str, ended: str) -> None:
    (verdict,) = examine(read(f"{line}\n")).verdicts
    assert (verdict.daemon.subsystem, verdict.starts) == (ended, False)
    assert "exit status 4," in verdict.text


@every_case(
    "macro", ["MAX_STARTER_LOG = big", "MAX_NUM_SHADOW_LOG = many", "MAX_GRIDMANAGER_LOG = -1"]
)
def test_how_the_logs_of_jobs_are_rotated_ends_what_runs_them(macro: str) -> None:
    seen = examine(read(f"{macro}\n"))
    assert all(one.starts for one in seen.verdicts)
    (found,) = seen.findings
    assert (found.severity, found.id) == ("error", "P110")


@every_case("lines, starts", [
    ("SLOT_TYPE_2_SLOT_WEIGHT = (", True),
    ("NUM_SLOTS_TYPE_2 = 0\nSLOT_TYPE_2_SLOT_WEIGHT = (", True),
    ("NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_2_SLOT_WEIGHT = (", True),
    ("NUM_SLOTS_TYPE_2 = 1\nSLOT_TYPE_2_SLOT_WEIGHT = (", False),
    ("NUM_SLOTS_TYPE_2 = 2 - 1\nSLOT_TYPE_2_SLOT_WEIGHT = (", False),
    ("SLOT_TYPE_0_SLOT_WEIGHT = (", False),
    ("NUM_SLOTS_TYPE_1 = 0\nSLOT_TYPE_0_SLOT_WEIGHT = (", False),
    ("NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_0_SLOT_WEIGHT = (", True),
])  # fmt: skip
def test_the_weight_of_a_type_ends_the_startd_that_makes_such_slots(
    lines: str, starts: bool
) -> None:
    # Asked of condor_startd of 25.14.1; slots that NUM_SLOTS makes are of type 0.
    seen = examine(read(f"{lines}\n"))
    assert [one.starts for one in seen.verdicts] == [starts]
    assert ("P113" if starts else "P111") in {one.id for one in seen.findings}


@every_case("lines, starts", [
    # Asked of condor_schedd of 25.14.1, which begins with its log.
    ("FILE_TRANSFER_DISK_LOAD_THROTTLE = 2", True),
    ("FILE_TRANSFER_DISK_LOAD_THROTTLE = 1e1 to 2e1", True),
    ("FILE_TRANSFER_DISK_LOAD_THROTTLE =", True),
    ("FILE_TRANSFER_DISK_LOAD_THROTTLE = 3 to 2", False),
    ("FILE_TRANSFER_DISK_LOAD_THROTTLE = 2-3", False),
    ("FILE_TRANSFER_DISK_LOAD_THROTTLE = 1 + 1", False),
    ("FILE_TRANSFER_DISK_LOAD_THROTTLE = -1", False),
    ("SCHEDD_COLLECT_STATS_BY_Owner = Owner", True),
    ("SCHEDD_COLLECT_STATS_FOR_X = a b", True),
    ("SCHEDD_COLLECT_STATS_FOR_X = a )", True),
    ("SCHEDD_COLLECT_STATS_FOR_X = a &&", False),
    ("SCHEDD_COLLECT_STATS_BY_X = f(a", False),
    ("SCHEDD_EXPIRE_STATS_BY_X = x", True),
    ("SCHEDD_COLLECT_STATS_BY_X = Owner\nSCHEDD_EXPIRE_STATS_BY_X = x", False),
    ("SUBMIT_REQUIREMENT_R_IS_WARNING = x", True),
    ("SUBMIT_REQUIREMENT_NAMES = R\nSUBMIT_REQUIREMENT_R_IS_WARNING = x", True),
    ("SUBMIT_REQUIREMENT_NAMES = R\nSUBMIT_REQUIREMENT_R = (\n"
     "SUBMIT_REQUIREMENT_R_IS_WARNING = x", True),
    ("SUBMIT_REQUIREMENT_NAMES = Q r\nSUBMIT_REQUIREMENT_R = true\n"
     "SUBMIT_REQUIREMENT_R_IS_WARNING = x", False),
])  # fmt: skip
def test_the_schedd_ends_at_what_it_comes_to(lines: str, starts: bool) -> None:
    assert {one.starts for one in examine(read(f"{lines}\n")).verdicts} == {starts}


@every_case("other", ["MAX_JOBS_RUNNING = x", "CONDOR_IDS = x", "MAX_NUM_SCHEDD_LOG = x"])
def test_a_daemon_ends_at_its_log_before_anything_else(other: str) -> None:
    for lines in (f"{other}\nMAX_SCHEDD_LOG = big\n", f"MAX_SCHEDD_LOG = big\n{other}\n"):
        statuses = {one.daemon.subsystem: one.status for one in examine(read(lines)).verdicts}
        assert statuses["SCHEDD"] == 44


@every_case("line, daemon", [
    ("COLLECTOR_REQUIREMENTS = a b", "COLLECTOR"),
    ("ABSENT_REQUIREMENTS = (", "COLLECTOR"),
    ("KEEP_POOL_HISTORY = True\nPOOL_HISTORY_MAX_STORAGE = x", "COLLECTOR"),
    ("MASTER_HA_LIST = FOO", "MASTER"),
    ("SHARED_PORT_MAX_WORKERS = -1", "SHARED_PORT"),
    ("NEGOTIATOR_USE_SHARED_PORT = x", "NEGOTIATOR"),
    ("MASTER_USE_SHARED_PORT = x", "MASTER"),
    ("MASTER_ENVIRONMENT = A", "MASTER"),
    ("MASTER_ENVIRONMENT = A=1;B", "MASTER"),
    ("MASTER_ENVIRONMENT = =1", "MASTER"),
    ('MASTER_ENVIRONMENT = "A=1" x', "MASTER"),
    ("MASTER_ENVIRONMENT = \"A='1\"", "MASTER"),
    ('DAEMON_LIST = MASTER SCHEDD\nSCHEDD_ENVIRONMENT = "A"', "MASTER"),
    ("SEC_CREDENTIAL_DIRECTORY_KRB = /c\nSEC_CREDENTIAL_SWEEP_INTERVAL = x", "CREDD"),
    ("ROOSTER_WAKEUP_CMD =", "ROOSTER"),
    ("ROOSTER_WAKEUP_CMD = /bin/x", "ROOSTER"),
    ("ROOSTER_WAKEUP_CMD = '/bin/x'", "ROOSTER"),
    ('ROOSTER_WAKEUP_CMD = "/bin/x" y', "ROOSTER"),
    ("ROOSTER_WAKEUP_CMD = \"/bin/x 'y\"", "ROOSTER"),
    ("DAEMON_LIST =", "MASTER"),
    ("DAEMON_LIST = ,", "MASTER"),
    ("DAEMON_LIST = MASTER, FOO\nuse ROLE : Execute", "MASTER"),
    ("NEGOTIATOR_CYCLE_DELAY = -1", "NEGOTIATOR"),
    ("NEGOTIATOR_INFORM_STARTD = x", "NEGOTIATOR"),
    ("MAX_ACCOUNTANT_DATABASE_SIZE = x", "NEGOTIATOR"),
    ("NEGOTIATOR_TIMEOUT = 1 +", "NEGOTIATOR"),
    ("NEGOTIATOR_READ_CONFIG_BEFORE_CYCLE = x", "NEGOTIATOR"),
    ("PREEN_INTERVAL = 0", "MASTER"),
    ("PERIODIC_EXPR_TIMESLICE = 10", "SCHEDD"),
    ("SCHEDD_INTERVAL_TIMESLICE = -0.1", "SCHEDD"),
    ("TRANSFER_IO_REPORT_TIMESPANS = 60", "SCHEDD"),
    ("TRANSFER_IO_REPORT_TIMESPANS = 1m:60 1h", "SCHEDD"),
])  # fmt: skip
def test_a_daemon_ends_at_what_it_reads_at_its_start(line: str, daemon: str) -> None:
    # Asked of the daemons of 25.14.1.
    seen = examine(read(f"{line}\n"))
    (verdict,) = [one for one in seen.verdicts if not one.starts]
    assert (verdict.daemon.subsystem, verdict.status) == (daemon, 4)
    assert "DAEMON_LIST does not name" not in verdict.text
    assert [one.severity for one in seen.findings if one.id in ("P110", "P111")] == ["error"]


@every_case("name", ["Cpus", "cpu", "MEMORY", "Mem", "ram", "Disk", "Swap"])
def test_a_resource_that_every_machine_has_may_not_be_made_again(name: str) -> None:
    """Asked of condor_startd of 25.14.1, of each name."""
    for macro in (f"MACHINE_RESOURCE_{name}", f"MACHINE_RESOURCE_INVENTORY_{name}"):
        seen = examine(read(f"DAEMON_LIST = MASTER, STARTD\n{macro} = 8\n"))
        ended = [one for one in seen.verdicts if not one.starts]
        assert [(one.daemon.subsystem, one.status) for one in ended] == [("STARTD", 4)]
        assert [(one.id, one.severity) for one in seen.findings] == [("P130", "error")]


@every_case("lines", [
    "MASTER_ENVIRONMENT = A=1; B=2;",
    "MASTER_ENVIRONMENT = A=1 B",
    'MASTER_ENVIRONMENT = ""',
    'MASTER_ENVIRONMENT = "A=1 ""B=2"',
    "MASTER_ENVIRONMENT = \"A='1 2' B=''\"",
    "DAEMON_LIST = MASTER\nSCHEDD_ENVIRONMENT = A",
    "FLOCK_COLLECTOR_HOSTS = a.example.edu",  # another file may name the negotiators
    "FLOCK_TO = a.example.edu\nFLOCK_COLLECTOR_HOSTS = a.example.edu, b.example.edu",
    "FLOCK_TO = a.example.edu\nFLOCK_COLLECTOR_HOSTS =",
    'ROOSTER_WAKEUP_CMD = "/bin/x"',
    'ROOSTER_WAKEUP_CMD = "/bin/x \'a b\' ""y"""',
    "SEC_CREDENTIAL_DIRECTORY_OAUTH = /c\nSEC_CREDENTIAL_SWEEP_INTERVAL = x",
    "CREDD_CACHE_LOCALLY = x",
    "CREDMON_ALLOW_SPECIAL_CHAR_NAMES = x",
    "LOCAL_CREDMON_TOKEN_USE_JSON = x",
    "POOL_HISTORY_SAMPLING_INTERVAL = x",
    "KEEP_POOL_HISTORY = False\nPOOL_HISTORY_SAMPLING_INTERVAL = x",
    "MASTER_HA_LIST = FOO\nFOO = /bin/foo",
    "DAEMON_LIST = MASTER, FOO\nuse ROLE : Execute\nFOO = /bin/foo",
    "MASTER_HA_LIST = SCHEDD",
    "DAEMON_LIST =\nDAEMON_LIST = $(DAEMON_LIST) MASTER",
    "TCP_FORWARDING_HOST = gw.example.edu",
    "TCP_FORWARDING_HOST = 10.1.2.3",
    "TCP_FORWARDING_HOST = fe80::1",
    "DAEMON_LIST = MASTER\nENABLE_PERSISTENT_CONFIG = True\nPERSISTENT_CONFIG_DIR = /var/p",
    "DAEMON_LIST = MASTER\nENABLE_PERSISTENT_CONFIG = True\nMASTER_CONFIG = /var/p/master",
    "ENABLE_PERSISTENT_CONFIG = True",  # another file may say where
    "PREEN_INTERVAL =",
    "PREEN_INTERVAL = -5",
    "PERIODIC_EXPR_TIMESLICE = 0.5",
    *(f"ENABLE_IPV6 = {word}" for word in ("auto", "Auto", "TRUE", "1", "2", "1 == 1", "$(X)")),
    *(f"MACHINE_RESOURCE_{name} = 3" for name in ("Cores", "Swaps", "GPUs", "vm", "Disks")),
    "DCSTATISTICS_TIMESPANS = 1m:60, 1h:3600 a b: 5,",
    "TRANSFER_IO_REPORT_TIMESPANS = 1m : 60",
    "USERID_MAP = alice=1000,1000 bob=5,5,6,7 carol=+1,-1,?",
    "USERID_MAP =",
    "HA_LOCK_URL = /share/lock",  # nobody takes it
    "MASTER_HA_LIST = SCHEDD\nHA_LOCK_URL = /x\nHA_SCHEDD_LOCK_URL = file:/x",
    "MASTER_NEGOTIATOR_CONTROLLER = HAD",  # another file may start it
    "DAEMON_LIST = MASTER\nMASTER_NEGOTIATOR_CONTROLLER = HAD",
    "DAEMON_LIST = MASTER SCHEDD\nMASTER_SCHEDD_CONTROLLER = master",
    "NUM_SLOTS = 0\nIS_OWNER = (",
    "NUM_SLOTS = 0\nNUM_SLOTS_TYPE_1 = 0\nIsOwner = (",
    "HIGHPORT = x",
    "IN_LOWPORT = 9000\nIN_HIGHPORT = 9100\nOUT_LOWPORT = 9000\nOUT_HIGHPORT = 9100\n"
    "LOWPORT = x\nHIGHPORT = y",
])  # fmt: skip
def test_what_has_its_other_half_or_is_not_read_ends_nobody(lines: str) -> None:
    assert all(one.starts for one in examine(read(f"{lines}\n")).verdicts)


@every_case("line, status", [
    ("ENABLE_PERSISTENT_CONFIG = True", 1),
    ("TCP_FORWARDING_HOST = a b", 4),
    ("NETWORK_INTERFACE =", 4),
    ("NETWORK_INTERFACE = ,", 4),
    ("TCP_FORWARDING_HOST = 10.1.2.3:9618", 4),
    ("TCP_FORWARDING_HOST = 10.1.2.*", 4),
    ("TCP_FORWARDING_HOST = *", 4),
    ("TCP_FORWARDING_HOST = <10.1.2.3>", 4),
    ('TCP_FORWARDING_HOST = "10.1.2.3"', 4),
    ("TCP_FORWARDING_HOST = 10.1.2.0/24", 4),
    *((f"ENABLE_IPV6 = {word}", 4) for word in ("no", "yes", "T", "off", '"True"', "disabled")),
    ("ENABLE_IPV4 =", 4),
    ("ENABLE_IPV4 = $(NOT_SET_ANYWHERE)", 4),
    ("DCSTATISTICS_TIMESPANS = 1m=60", 4),
    ("DCSTATISTICS_TIMESPANS = 1m:60s", 4),
    ("DCSTATISTICS_TIMESPANS = 1m:60;1h:3600", 4),
    ("USERID_MAP = alice=1000", 4),
    ("USERID_MAP = alice=1000,users", 4),
    ("USERID_MAP = alice = 1000,1000", 4),
])  # fmt: skip
def test_every_daemon_ends_at_what_all_take_at_their_start(line: str, status: int) -> None:
    seen = examine(read(f"DAEMON_LIST = MASTER, STARTD\n{line}\n"))
    assert {(one.daemon.subsystem, one.status) for one in seen.verdicts} == {
        ("MASTER", status),
        ("STARTD", status),
    }


@every_case("line, ended", [
    ("DAEMON_SHUTDOWN = True", ["MASTER", "SCHEDD", "STARTD"]),
    ("DAEMON_SHUTDOWN_FAST = 1", ["MASTER", "SCHEDD", "STARTD"]),
    ("SCHEDD.DAEMON_SHUTDOWN = 5 > 3", ["SCHEDD"]),
    ("DAEMON_SHUTDOWN = True\nSTARTD.DAEMON_SHUTDOWN = False", ["MASTER", "SCHEDD"]),
    ("COLLECTOR.DAEMON_SHUTDOWN = True", []),
    ("DAEMON_SHUTDOWN = False", []),
    ("DAEMON_SHUTDOWN =", []),
    ("DAEMON_SHUTDOWN = time() - DaemonStartTime > 86400", []),
])  # fmt: skip
def test_a_daemon_whose_end_is_always_wanted_ends_with_its_first_ad(
    line: str, ended: list[str]
) -> None:
    """Asked: 25.14.1 ends with status 99 at once or after five seconds; its collector runs on."""
    seen = examine(read(f"DAEMON_LIST = MASTER, COLLECTOR, SCHEDD, STARTD\n{line}\n"))
    told = {one.daemon.subsystem: one.status for one in seen.verdicts if not one.starts}
    assert told == dict.fromkeys(ended, 99)
    assert [one.id for one in seen.findings if one.id == "P117"] == ["P117"] * bool(ended)


@every_case("lines, listening", [
    ("LOWPORT = 9000\nHIGHPORT = x", False),
    ("OUT_LOWPORT = x", False),
    ("OUT_LOWPORT = 9000\nOUT_HIGHPORT = x", False),
    ("IN_LOWPORT = 9000\nIN_HIGHPORT = 9100\nLOWPORT = x", False),
    ("USE_SHARED_PORT = False\nIN_LOWPORT = 9000\nIN_HIGHPORT = x", False),
    ("IN_LOWPORT = x", True),
    ("OUT_LOWPORT = 9000\nOUT_HIGHPORT = 9100\nLOWPORT = x", True),
])  # fmt: skip
def test_who_opens_a_port_ends_at_an_end_of_its_range_that_is_no_number(
    lines: str, listening: bool
) -> None:
    # Behind a shared port only the collector and the schedd listen on one of their own.
    ended = {one.daemon.subsystem for one in examine(read(f"{lines}\n")).verdicts if not one.starts}
    assert ended & set(MAIN) == ({"COLLECTOR", "SCHEDD"} if listening else set(MAIN))


@every_case("lines, daemon, status", [
    ("MASTER_HA_LIST = SCHEDD\nHA_LOCK_URL = /share/lock", "MASTER", 4),
    ("MASTER_HA_LIST = SCHEDD\nHA_LOCK_URL = FILE:/share/lock", "MASTER", 4),
    ("MASTER_HA_LIST = SCHEDD\nHA_SCHEDD_LOCK_URL = nfs:/x\nHA_LOCK_URL = file:/x", "MASTER", 4),
    ("DAEMON_LIST = MASTER NEGOTIATOR\nMASTER_NEGOTIATOR_CONTROLLER = HAD", "MASTER", 4),
    ("DAEMON_LIST = MASTER\nMASTER_MASTER_CONTROLLER = HAD", "MASTER", 4),
    ("DAEMON_LIST = MASTER SCHEDD\nMASTER_SCHEDD_CONTROLLER = collector", "MASTER", 4),
    ("NUM_SLOTS = 0\nNUM_SLOTS_TYPE_1 = 1\nIS_OWNER = (", "STARTD", 0),
    ("NUM_SLOTS = 1\nIsOwner = (", "STARTD", 0),
])  # fmt: skip
def test_a_daemon_ends_at_what_it_comes_to_by_other_macros(
    lines: str, daemon: str, status: int
) -> None:
    # Asked of the daemons of 25.14.1.
    (verdict,) = [one for one in examine(read(f"{lines}\n")).verdicts if not one.starts]
    assert (verdict.daemon.subsystem, verdict.status) == (daemon, status)


@every_case(
    "line", ["NETWORK_INTERFACE = $(OUR_IP)", "CONDOR_IDS = $(OUR_IDS)", "DAEMON_LIST = $(OURS)"]
)
def test_what_another_file_may_complete_ends_nobody(line: str) -> None:
    seen = examine(read(f"{line}\nUID_DOMAIN = $(OUR_DOMAIN)\n"))
    assert seen.fragment is not None
    assert all(one.starts for one in seen.verdicts)
    assert {one.id for one in seen.findings} == {"P120"}


def test_an_empty_interface_ends_a_host_whose_files_are_all_read() -> None:
    seen = examine(read("DAEMON_LIST = MASTER\nNETWORK_INTERFACE = $(OUR_IP)\n"))
    assert [one.starts for one in seen.verdicts] == [False]
    assert {one.id for one in seen.findings} == {"P120", "P130"}


@every_case("negotiators, collectors", [("", "a"), ("a, b", "a"), ("", "a b"), ("a b c", "a, b")])
def test_the_schedd_crashes_where_collectors_have_no_negotiators_or_too_many(
    negotiators: str, collectors: str
) -> None:
    # Asked of condor_schedd of 25.14.1 and of 23.9.6.
    hosts = f"FLOCK_NEGOTIATOR_HOSTS = {negotiators}\nFLOCK_COLLECTOR_HOSTS = {collectors}\n"
    seen = examine(read(f"DAEMON_LIST = MASTER, SCHEDD\n{hosts}"))
    statuses = {one.daemon.subsystem: one.status for one in seen.verdicts if not one.starts}
    assert statuses == {"SCHEDD": 139}
    assert [(one.id, one.severity) for one in seen.findings] == [("P134", "error")]


#: Macros whose values are looked at beside others, and some of all that programs read.
_LOOKED_AT = (
    *("DAEMON_LIST", "MASTER_HA_LIST", "SCHEDD_ENVIRONMENT", "NETWORK_INTERFACE", "CONDOR_IDS"),
    *("NUM_SLOTS_TYPE_1", "SLOT_TYPE_1", "SLOT_TYPE_0_SLOT_WEIGHT", "FLOCK_COLLECTOR_HOSTS"),
    *("FLOCK_TO", "SCHEDD_COLLECT_STATS_BY_A", "SUBMIT_REQUIREMENT_A_IS_WARNING", "MEMORY"),
    *sorted(reader_names())[::40],
)


@every_case("macro", _LOOKED_AT)
def test_a_value_without_end_is_told_wherever_it_stands(macro: str) -> None:
    circle = "A = $(B)\nB = $(A)\nSCHEDD_ENVIRONMENT = A=1\n"
    for more in ("", "DAEMON_LIST = MASTER, SCHEDD, STARTD\n", "use ROLE : Execute\n"):
        found = examine(read(f"{circle}{macro} = x $(A)\n{more}")).findings
        assert any("never ends" in one.message for one in found)


@every_case("knob", ["GROUP_ACCEPT_SURPLUS", "GROUP_AUTOREGROUP"])
def test_the_negotiator_reads_what_holds_for_all_groups_without_groups_too(knob: str) -> None:
    """Asked of 25.14.1: it ends at a value that is no boolean, with groups and without."""
    for more in ("", "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\n"):
        assert "would not start" in verdicts_on(f"{knob} = yes\n{more}")["condor_negotiator"]
        assert "would start" in verdicts_on(f"{knob} = True\n{more}")["condor_negotiator"]


@every_case(
    "path", ['"$(LOG)/X"', "'$(LOG)/X'", "$LOG/X", "${LOG}/X", "$(LOG/X", "$(LOG)", "$(LOG)/"]
)
def test_a_daemon_ends_without_a_file_for_its_log(path: str) -> None:
    """Asked of 25.14.1: `Cannot open log file`."""
    text = f"LOG = /var/log/condor\nSCHEDD_LOG = {path}\n"
    assert "would not start" in verdicts_on(text)["condor_schedd"]
    assert "would start" in verdicts_on(text.replace(path, "$(LOG)/X$(Y"))["condor_schedd"]
