"""Settings that have to agree: interfaces and protocols, factors, who comes as whom."""

from __future__ import annotations

import pytest

from policy.lint.verdict import examine
from tests.cases import every_case
from tests.policy.test_lint import found, ids, read

WORKER = "DAEMON_LIST = MASTER, STARTD\nCONDOR_HOST = cm.example.edu\n"


@every_case("lines", [
    "ENABLE_IPV4 = False\nNETWORK_INTERFACE = 10.1.2.3",
    "ENABLE_IPV4 = False\nENABLE_IPV6 = True\nNETWORK_INTERFACE = 10.1.*",
    "ENABLE_IPV6 = True\nNETWORK_INTERFACE = 10.1.2.3",
    "ENABLE_IPV6 = False\nNETWORK_INTERFACE = ::1",
    "ENABLE_IPV6 = auto\nENABLE_IPV4 = True\nNETWORK_INTERFACE = fe80::1:2",
])  # fmt: skip
def test_every_daemon_ends_at_an_interface_of_a_protocol_that_cannot_be(lines: str) -> None:
    # Asked of the daemons of 25.14.1.
    listed = "DAEMON_LIST = MASTER, SCHEDD, JOB_ROUTER\n"
    for more in ("", "MAX_JOBS_RUNNING = 5\n", "START = True\n"):
        ended = {
            one.daemon.subsystem: one.status
            for one in examine(read(f"{listed}{lines}\n{more}")).verdicts
            if not one.starts
        }
        assert ended == {"MASTER": 4, "SCHEDD": 4, "JOB_ROUTER": 4}


@every_case("lines", [
    "NETWORK_INTERFACE = 10.1.2.3",
    "ENABLE_IPV4 = auto\nENABLE_IPV6 = auto\nNETWORK_INTERFACE = 10.1.2.3",
    "ENABLE_IPV4 = True\nENABLE_IPV6 = False\nNETWORK_INTERFACE = 10.1.2.*",
    "ENABLE_IPV4 = False\nENABLE_IPV6 = True\nNETWORK_INTERFACE = ::1",
    "ENABLE_IPV4 = False\nENABLE_IPV6 = True\nNETWORK_INTERFACE = *",
    "ENABLE_IPV4 = False\nENABLE_IPV6 = True\nNETWORK_INTERFACE = eth0",
])  # fmt: skip
def test_an_interface_of_a_protocol_that_is_on_ends_nobody(lines: str) -> None:
    assert found(f"DAEMON_LIST = MASTER, SCHEDD\n{lines}\n") == []


@pytest.mark.parametrize("interface", ["127.0.0.1", "127.*", "::1", "lo", "127.0.1.1"])
def test_a_machine_of_a_pool_has_an_address_that_others_reach(interface: str) -> None:
    (item,) = found(f"{WORKER}NETWORK_INTERFACE = {interface}\n")
    assert (item.id, item.line) == ("P134", 3)


@every_case("lines", [
    WORKER.replace("cm.example.edu", "127.0.0.1") + "NETWORK_INTERFACE = 127.0.0.1\n",
    WORKER.replace("cm.example.edu", "localhost") + "NETWORK_INTERFACE = lo\n",
    WORKER.replace("cm.example.edu", "$(FULL_HOSTNAME)") + "NETWORK_INTERFACE = 127.0.0.1\n",
    WORKER.replace("STARTD", "STARTD, COLLECTOR") + "NETWORK_INTERFACE = 127.0.0.1\n",
    "CONDOR_HOST = cm.example.edu\nNETWORK_INTERFACE = 127.0.0.1\n",  # a part of a configuration
    WORKER + "NETWORK_INTERFACE = 10.1.*\n",
])  # fmt: skip
def test_a_pool_of_one_machine_needs_no_other_address(lines: str) -> None:
    assert found(lines) == []


@every_case("lines, line", [
    ("DEFAULT_PRIO_FACTOR = 1000\nNICE_USER_PRIO_FACTOR = 10\n", 2),
    ("NICE_USER_PRIO_FACTOR = 999.5\n", 1),  # the default of the others is 1000
    ("DEFAULT_PRIO_FACTOR = 1e11\n", 1),
])  # fmt: skip
def test_nice_users_have_a_worse_factor_than_others(lines: str, line: int) -> None:
    (item,) = found(lines)
    assert (item.id, item.line) == ("P131", line)


@every_case("lines", [
    "DEFAULT_PRIO_FACTOR = 1000\nNICE_USER_PRIO_FACTOR = 10000000\n",
    "DEFAULT_PRIO_FACTOR = 10\nNICE_USER_PRIO_FACTOR = 10\n",
    "DEFAULT_PRIO_FACTOR = 1\nNICE_USER_PRIO_FACTOR = 1e6\n",
    "DEFAULT_PRIO_FACTOR = 500\n",
])  # fmt: skip
def test_a_factor_that_is_greater_for_nice_users_is_right(lines: str) -> None:
    assert found(lines) == []


NEVER = "SEC_DEFAULT_AUTHENTICATION = NEVER\n"
PASSWORD = "SEC_DEFAULT_AUTHENTICATION_METHODS = PASSWORD\n"


@every_case("lines", [
    f"{NEVER}ALLOW_WRITE = *@example.edu\n",
    f"{NEVER}ALLOW_ADMINISTRATOR = root@example.edu/cm.example.edu\n",
    f"{NEVER}ALLOW_DAEMON_SCHEDD = condor_pool@*\n",
    "SEC_WRITE_AUTHENTICATION = NEVER\nALLOW_WRITE = bob@example.edu, alice@example.edu\n",
    f"{PASSWORD}ALLOW_DAEMON = condor_pool@example.edu\n",
    f"{PASSWORD}UID_DOMAIN = example.edu\nALLOW_DAEMON = condor_pool@$(UID_DOMAIN)\n",
    f"{PASSWORD}ALLOW_DAEMON = condor@example.edu/*.example.edu\n",
    "SEC_DAEMON_AUTHENTICATION_METHODS = PASSWORD\nALLOW_DAEMON = alice@*\n",
    "SEC_DEFAULT_AUTHENTICATION_METHODS = FS, PASSWORD\nALLOW_DAEMON = condor_pool@x.org/*\n",
])  # fmt: skip
def test_a_user_as_whom_nobody_comes_lets_nobody_in(lines: str) -> None:
    # Asked of condor_collector of 25.14.1 and 23.9.6.
    (item,) = found(lines)
    assert item.id == "P240"


@every_case("lines", [
    f"{NEVER}ALLOW_WRITE = *.example.edu, 10.1.*, *\n",
    f"{NEVER}ALLOW_WRITE = *@*, unauthenticated@unmapped, */cm.example.edu\n",
    f"{NEVER}ALLOW_DAEMON = condor@child, condor@family\n",
    f"{NEVER}SEC_WRITE_AUTHENTICATION = REQUIRED\nALLOW_WRITE = *@example.edu\n",
    f"{NEVER}DENY_WRITE = *@example.edu\n",
    f"{NEVER}ALLOW_WRITE = alice@example.edu, *.example.edu\n",
    f"{PASSWORD}ALLOW_DAEMON = condor_pool@example.edu, condor@password\n",
    f"{PASSWORD}ALLOW_DAEMON = condor_pool@example.edu/*, */cm.example.edu\n",
    "ALLOW_WRITE = *@example.edu\n",
    f"{PASSWORD}ALLOW_DAEMON = condor@password, condor_pool@password/*.example.edu\n",
    f"{PASSWORD}ALLOW_DAEMON = condor_pool@*, *@*\n",
    f"{PASSWORD}CERTIFICATE_MAPFILE = /etc/condor/map\nALLOW_DAEMON = condor@example.edu\n",
    "SEC_DEFAULT_AUTHENTICATION_METHODS = PASSWORD, FS\nALLOW_DAEMON = condor@example.edu\n",
    "SEC_DEFAULT_AUTHENTICATION_METHODS = PASSWORD, FS\nALLOW_DAEMON = condor_pool@*/*\n",
    "SEC_DEFAULT_AUTHENTICATION_METHODS = PASSWORD, IDTOKENS\nALLOW_DAEMON = condor_pool@x.org\n",
    f"{PASSWORD}SEC_WRITE_AUTHENTICATION_METHODS = FS\nALLOW_WRITE = a@example.edu\n",
])  # fmt: skip
def test_an_entry_that_may_fit_somebody_is_left_alone(lines: str) -> None:
    assert [item.id for item in found(lines)] == []


@pytest.mark.parametrize("host", ["node*.*.example.edu", "*a*b", "a*b*", "*.x*.*.edu", "n*.*"])
def test_a_second_star_is_a_letter_but_for_one_at_each_end(host: str) -> None:
    (item,) = found(f"ALLOW_READ = {host}\n")
    assert item.id == "P235"


@pytest.mark.parametrize(
    "host", ["*.example.edu", "node*.example.edu", "node-*", "*.x.*", "*x*", "*/*.a.b"]
)
def test_a_star_may_be_anywhere_in_a_name(host: str) -> None:
    assert found(f"ALLOW_READ = {host}\n") == []


@pytest.mark.parametrize("macro", ["SEC_TOKEN_ISSUER_KEY", "SEC_TOKEN_AP_SIGNING_KEY_NAME"])
def test_a_key_is_named_without_its_folder(macro: str) -> None:
    (item,) = found(f"{macro} = /etc/condor/passwords.d/SITE\n")
    assert (item.id, item.edit is not None) == ("P239", True)
    assert found(f"{macro} = SITE\n") == []


GPUS = "MACHINE_RESOURCE_GPUs = CUDA0, CUDA1\n"


@pytest.mark.parametrize("text", ["CUDA2", "GPU1", "cuda1", "1"])
def test_a_thing_that_the_machine_does_not_have_is_not_offline(text: str) -> None:
    # The startd of 25.14.1 counts 2 of them still.
    (item,) = found(f"{GPUS}OFFLINE_MACHINE_RESOURCE_GPUs = {text}\n")
    assert (item.id, item.line) == ("P211", 2)


@every_case("lines", [
    f"{GPUS}OFFLINE_MACHINE_RESOURCE_GPUs = CUDA1\n",
    f"{GPUS}OFFLINE_MACHINE_RESOURCE_GPUs = CUDA1, CUDA0\n",
    f"{GPUS}OFFLINE_MACHINE_RESOURCE_GPUs =\n",
    "MACHINE_RESOURCE_licenses = 4\nOFFLINE_MACHINE_RESOURCE_licenses = 2\n",
    "use FEATURE : GPUs\nOFFLINE_MACHINE_RESOURCE_GPUs = GPU-5d1c\n",  # the machine tells
])  # fmt: skip
def test_a_thing_that_the_machine_has_or_may_have_may_be_offline(lines: str) -> None:
    assert found(lines) == []


@pytest.mark.parametrize(
    ("written", "column"), [("$(CONDOR_HOST)", 1), ("b.example.org, cm.example.edu", 27)]
)
def test_a_pool_that_flocks_to_itself_is_told_in_its_list(written: str, column: int) -> None:
    host = "DAEMON_LIST = MASTER, SCHEDD\nCONDOR_HOST = cm.example.edu\n"
    (item,) = found(f"{host}FLOCK_TO = {written}\n")
    assert (item.id, item.line, item.column) == ("P134", 3, column)
    assert "FLOCK_TO names `cm.example.edu`" in item.message


def test_an_old_list_that_only_repeats_the_new_one_can_go() -> None:
    (item,) = found("ALLOW_OWNER = $(ALLOW_ADMINISTRATOR)\n")
    assert (item.id, item.help) == ("P205", "leave it out: `ALLOW_ADMINISTRATOR` is what is read")
    (item,) = found("ALLOW_OWNER = $(FULL_HOSTNAME), $(ALLOW_ADMINISTRATOR)\n")
    assert item.help == "use `ALLOW_ADMINISTRATOR`"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("macro", ["CONDOR_HOST", "COLLECTOR_HOST"])
def test_who_is_its_own_central_manager_starts_a_collector(macro: str, host: str) -> None:
    text = f"{macro} = {host}\n"
    assert ids(f"{text}DAEMON_LIST = MASTER, STARTD\n") == [("P134", 1)]
    for other in (
        *("DAEMON_LIST = MASTER, COLLECTOR, STARTD\n", "DAEMON_LIST = MASTER\n", ""),
        "DAEMON_LIST = $(DAEMON_LIST), STARTD\n",  # another file may start one
        "DAEMON_LIST = MASTER, SCHEDD\nFLOCK_TO = cm.example.edu\n",
        "DAEMON_LIST = MASTER, STARTD\nNETWORK_INTERFACE = 127.0.0.1\n",  # another master may
    ):
        assert ("P134", 1) not in ids(text + other)
    tunnel = f"{macro} = {host}:19618\nDAEMON_LIST = MASTER, STARTD\n"
    assert ("P134", 1) not in ids(tunnel)


def test_what_renews_credentials_is_no_daemon_of_the_masters_kind() -> None:
    """condor_master of 25.14.1 starts what DC_DAEMON_LIST names with `-local-name`."""
    listed = "DAEMON_LIST = MASTER, SCHEDD, CREDD, CREDMON_OAUTH\n"
    program = "CREDMON_OAUTH = /usr/sbin/condor_credmon_oauth\n"
    for extended in ("$(DAEMON_LIST)", "+ CREDMON_OAUTH", "MASTER, SCHEDD, CREDMON_OAUTH"):
        said = [one for one, _ in ids(f"{listed}{program}DC_DAEMON_LIST = {extended}\n")]
        assert "P134" in said
    others = ids(f"{listed}{program}DC_DAEMON_LIST = MASTER, SCHEDD, CREDD\n")
    assert "P134" not in [one for one, _ in others]


def test_a_second_schedd_needs_a_job_queue_of_its_own() -> None:
    """The master of 25.14.1 gives it the local name that DAEMON_LIST has."""
    two = "DAEMON_LIST = MASTER, SCHEDD, SECOND\nSECOND = $(SCHEDD)\n"
    assert ("P134", 2) in ids(two)
    named = "SECOND_ARGS = -f -local-name other\nother.SPOOL = /var/spool/second\n"
    named += "other.SCHEDD_NAME = second\n"
    for given in (
        "SECOND.SPOOL = /var/spool/second\nSECOND.SCHEDD_NAME = second\n",
        named,
        "SECOND_ENVIRONMENT = _CONDOR_X=1\n",
    ):
        assert "P134" not in [name for name, _ in ids(two + given)]
    # In place of the first one it is the only one.
    assert ids("DAEMON_LIST = MASTER, SECOND\nSECOND = $(SCHEDD)\n") == []


def test_the_collector_is_behind_the_port_that_daemons_share() -> None:
    """Nobody reaches the collector of 25.14.1 otherwise; SHARED_PORT_PORT is not read there."""
    manager = "DAEMON_LIST = MASTER, COLLECTOR, NEGOTIATOR\n"
    assert ids(f"{manager}SHARED_PORT_ARGS = -p 9620\n") == [("P134", 2)]
    for given in ("SHARED_PORT_ARGS = -p 9618\n", "SHARED_PORT_PORT = 9620\n"):
        assert "P134" not in [name for name, _ in ids(f"{manager}{given}")]
    own = "SHARED_PORT_ARGS = -p 9620\nCOLLECTOR_HOST = cm.example.org:9620\n"
    alone = "SHARED_PORT_ARGS = -p 9620\nCOLLECTOR_USES_SHARED_PORT = False\n"
    for given in (own, alone):
        assert "P134" not in [name for name, _ in ids(f"{manager}{given}")]


def test_who_else_is_let_in_is_not_told_by_a_list_that_adds_to_another_file() -> None:
    flock = "FLOCK_TO = cm.other.org\n"
    assert ("P134", 2) in ids(f"{flock}ALLOW_NEGOTIATOR_SCHEDD = cm.example.org\n")
    more = "ALLOW_NEGOTIATOR_SCHEDD = $(ALLOW_NEGOTIATOR_SCHEDD), cm.example.org\n"
    assert "P134" not in [name for name, _ in ids(flock + more)]


def test_a_daemon_that_is_described_is_in_the_list_of_daemons() -> None:
    second = (
        "SECOND = $(SCHEDD)\nSECOND_ARGS = -f -local-name other\nother.SPOOL = /var/spool/other\n"
    )
    assert ids(f"DAEMON_LIST = MASTER, SCHEDD\n{second}") == [("P212", 2)]
    for listed in (
        "DAEMON_LIST = MASTER, SCHEDD, SECOND\n",
        "DAEMON_LIST = $(DAEMON_LIST), SCHEDD\n",
    ):
        assert "P212" not in [name for name, _ in ids(listed + second)]


def test_two_daemons_of_a_kind_have_a_log_each() -> None:
    second = (
        "DAEMON_LIST = MASTER, SCHEDD, SECOND\nSECOND = $(SCHEDD)\nSECOND_ARGS = -local-name x\n"
        "x.SPOOL = /var/spool/x\nx.SCHEDD_NAME = x\n"
    )
    assert ids(f"{second}x.SCHEDD_LOG = $(LOG)/SchedLog\n") == [("P134", 6)]
    assert ids(f"{second}x.SCHEDD_LOG = $(LOG)/SchedLog.x\n") == []
    child = 'C{0}_ENVIRONMENT = "_CONDOR_COLLECTOR_LOG=$(LOG)/C{1}Log"\n'
    assert ("P134", 2) in ids(child.format(1, 1) + child.format(2, 1))
    assert "P134" not in [name for name, _ in ids(child.format(1, 1) + child.format(2, 2))]


def test_a_log_whose_path_never_ends_is_nobodys() -> None:
    second = "DAEMON_LIST = MASTER, SCHEDD, S\nS = $(SCHEDD)\nS_ARGS = -local-name x\n"
    own = f"{second}x.SPOOL = /a\nx.SCHEDD_NAME = x\nx.SCHEDD_LOG = /x\n"
    endless = f"{own}SCHEDD_LOG = $(A)\nA = $(SCHEDD_LOG)\n"
    assert "P134" not in [name for name, _ in ids(endless)]


def test_what_runs_in_place_of_the_first_daemon_may_have_its_log() -> None:
    text = "DAEMON_LIST = MASTER, S\nS = $(SCHEDD)\nS_ARGS = -local-name x\nx.SPOOL = /a\n"
    assert ids(f"{text}x.SCHEDD_LOG = $(LOG)/SchedLog\n") == []


def test_the_beginning_of_an_address_ends_in_a_star() -> None:
    """Asked of 25.14.1: daemons end at `NETWORK_INTERFACE = 127.0.0.`."""
    assert ids("NETWORK_INTERFACE = 10.1.2.\n") == ids("NETWORK_INTERFACE = 10.\n") == [("P235", 1)]
    assert ids("NETWORK_INTERFACE = 10.1.2.*\n") == []


def test_a_machine_of_had_may_stand_in_angle_brackets() -> None:
    """Asked of 25.14.1: condor_had finds itself in `<host:port>,<host:port>`."""
    head = "DAEMON_LIST = MASTER, COLLECTOR, NEGOTIATOR, HAD\nMASTER_NEGOTIATOR_CONTROLLER = HAD\n"
    for form in ("10.3.0.5:{}", "<10.3.0.5:{}>", "<10.3.0.5:{}?alias=cm>"):
        listed = ", ".join(form.format(port) for port in (60101, 60102))
        assert ids(f"{head}HAD_ARGS = -p 60101\nHAD_LIST = {listed}\n") == []
        assert ids(f"{head}HAD_ARGS = -p 60109\nHAD_LIST = {listed}\n") != []
    assert ids(f"{head}HAD_ARGS = -p 60101\n") != []


def test_of_conditions_only_those_count_that_are_looked_at_and_false() -> None:
    head = "DAEMON_LIST = MASTER, SCHEDD\n"
    inner = "if $(USE_X)\nMAX_JOBS_PER_OWNER = 5\nendif\n"
    assert ids(f"{head}{inner}") == [("P120", 2)]
    assert ids(f"{head}if version >= 9.0\n{inner}endif\n") == [("P120", 3)]
    for around in ("defined USE_X", "defined USE_Y", "version < 9.0"):
        assert ids(f"{head}if {around}\n{inner}endif\n") == []
    assert ids(f"{head}if defined USE_X\nMAX_JOBS_PER_OWNER = 5\nendif\n{inner}") == [("P120", 5)]
    taken = "if version >= 9.0\nMAX_JOBS_PER_OWNER = 5\nelif $(USE_X)\nRANK = 7\nendif\n"
    assert ids(f"{head}{taken}") == []
    assert ids(head + taken.replace(">=", "<")) == [("P120", 4)]
    # One that is true without the macro, and one that asks for it.
    for asked in ("! $(USE_X)", "defined $(USE_X)"):
        assert ids(head + inner.replace("$(USE_X)", asked)) == []


FAILING_OVER = (
    "DAEMON_LIST = MASTER, COLLECTOR, NEGOTIATOR, HAD\nMASTER_NEGOTIATOR_CONTROLLER = HAD\n"
    "HAD_ARGS = -p 51450\nCONDOR_HOST = {}\nHAD_LIST = cm1.x.org:51450, cm2.x.org:{}\n"
)


def test_each_machine_of_had_has_a_collector() -> None:
    assert ids(FAILING_OVER.format("cm1.x.org", 51450)) == [("P134", 4)]
    assert ids(FAILING_OVER.format("cm1.x.org, cm2.x.org", 51450)) == []


def test_another_machine_of_had_on_another_port_is_a_note() -> None:
    [one] = found(FAILING_OVER.format("cm1.x.org, cm2.x.org", 51451))
    assert (one.id, one.severity, one.line) == ("P134", "note", 5)


def test_negotiators_of_other_pools_are_let_in_as_users_of_their_hosts() -> None:
    head = "FLOCK_TO = cm.y.org\nALLOW_NEGOTIATOR_SCHEDD = condor@x.org/cm.x.org"
    assert ids(f"{head}\n") == [("P134", 2)]
    for more in ("condor@y.org/cm.y.org", "condor@y.org", "*/*.y.org", "condor@y.org/*"):
        assert ids(f"{head}, {more}\n") == []


def test_the_second_schedd_of_a_router_has_a_queue_of_its_own() -> None:
    head = "SPOOL = /var/spool\nCOLLECTOR_HOST = ce.x.org:9619\n"
    second = f"{head}JOB_ROUTER_SCHEDD2_POOL = cm.x.org\nJOB_ROUTER_SCHEDD2_SPOOL = "
    assert ids(f"{second}/var/spool/\n") == [("P134", 4)]
    assert ids(f"{second}/var/spool/b\n") == []
    assert ids(f"JOB_ROUTER_SCHEDD1_SPOOL = /var/spool/a\n{second}/var/spool\n") == []
    assert ids(f"{head}JOB_ROUTER_SCHEDD2_SPOOL = $(SPOOL)\n") == []


def test_had_runs_where_a_collector_runs() -> None:
    text = FAILING_OVER.format("cm1.x.org, cm2.x.org", 51450)
    assert ids(text.replace("COLLECTOR, ", "", 1)) == [("P134", 1)]


def test_a_collector_with_its_own_port_has_another_one_than_the_shared_port() -> None:
    """Asked of condor_master of 25.14.1: `Failed to listen`, and no collector is started."""
    text = (
        "DAEMON_LIST = MASTER, COLLECTOR\nCOLLECTOR_HOST = x.org:{}\nCOLLECTOR_USES_SHARED_PORT = "
    )
    assert ids(f"{text.format(9618)}False\n") == [("P134", 3)]
    assert ids(f"{text.format(9619)}False\n") == ids(f"{text.format(9618)}True\n") == []
    for other in ("SHARED_PORT_ARGS = -p 9620\n", "SHARED_PORT_PORT = 9620\n"):
        assert ids(f"{text.format(9618)}False\n{other}") == []


def test_who_makes_tokens_is_started() -> None:
    text = "LOCAL_CREDMON_PROVIDER_NAME = scitokens\nDAEMON_LIST = MASTER, SCHEDD"
    assert ids(f"{text}\n") == [("P134", 1)]
    assert ids(f"{text}, CREDMON_OAUTH\n") == []
    assert ids(f"{text}\nuse FEATURE : OAUTH\n") == []
