"""What daemons can agree on when they connect: what one thing needs, and what needs nothing."""

from __future__ import annotations

import pytest

from policy.lint.findings import brought
from tests.policy.test_lint import found, ids

NEEDED = {
    "AUTHENTICATION": ["NEGOTIATION"],
    "ENCRYPTION": ["NEGOTIATION", "AUTHENTICATION"],
    "INTEGRITY": ["NEGOTIATION", "AUTHENTICATION"],
}
PAIRS = [(thing, needed) for thing, all_ in NEEDED.items() for needed in all_]
CONTEXTS = ("DEFAULT", "CLIENT", "READ", "DAEMON")


@pytest.mark.parametrize(("thing", "needed"), PAIRS)
@pytest.mark.parametrize("context", CONTEXTS)
def test_what_is_required_cannot_need_what_is_never_done(
    context: str, thing: str, needed: str
) -> None:
    """Wherever the two stand, in the context or for all of them."""
    for first, second in ((context, context), ("DEFAULT", context), (context, "DEFAULT")):
        [item] = found(f"SEC_{first}_{needed} = never\nSEC_{second}_{thing} = REQUIRED\n")
        assert (item.id, item.severity) == ("P237", "error")
        assert f"SEC_{first}_{needed} is NEVER" in item.message
        assert f"SEC_{second}_{thing} is REQUIRED" in item.message


@pytest.mark.parametrize(("thing", "needed"), PAIRS)
@pytest.mark.parametrize("level", ["OPTIONAL", "PREFERRED", "NEVER"])
def test_what_is_not_required_needs_nothing(thing: str, needed: str, level: str) -> None:
    assert found(f"SEC_DEFAULT_{needed} = NEVER\nSEC_DEFAULT_{thing} = {level}\n") == []


@pytest.mark.parametrize("context", CONTEXTS[1:])
def test_a_context_that_has_a_level_of_its_own_needs_nothing_of_the_default(context: str) -> None:
    text = f"SEC_DEFAULT_NEGOTIATION = NEVER\nSEC_{context}_NEGOTIATION = REQUIRED\n"
    assert found(f"{text}SEC_{context}_AUTHENTICATION = REQUIRED\n") == []


def test_what_a_template_requires_needs_as_much() -> None:
    [item] = found("use SECURITY : Recommended\nSEC_CLIENT_AUTHENTICATION = NEVER\n")
    assert (item.id, item.line) == ("P237", 2)
    assert found("use SECURITY : Recommended\nSEC_CLIENT_AUTHENTICATION = REQUIRED\n") == []


ALONE = [
    "SEC_DEFAULT_AUTHENTICATION_METHODS = PASSWORD\n",
    "SEC_CLIENT_AUTHENTICATION_METHODS = password\n",
    "SEC_WRITE_AUTHENTICATION_METHODS = PASSWORD\n",
    "SEC_DEFAULT_AUTHENTICATION_METHODS = FS, PASSWORD\n"
    "SEC_CLIENT_AUTHENTICATION_METHODS = PASSWORD\n",
    "SEC_DEFAULT_AUTHENTICATION = REQUIRED\nSEC_DEFAULT_AUTHENTICATION_METHODS = PASSWORD\n",
]
AND_MORE = [
    "SEC_DEFAULT_AUTHENTICATION_METHODS = FS, PASSWORD\n",
    "SEC_DEFAULT_AUTHENTICATION_METHODS = IDTOKENS\n",
    "SEC_DAEMON_AUTHENTICATION_METHODS = PASSWORD\n",
    "SEC_NEGOTIATOR_AUTHENTICATION_METHODS = PASSWORD\n",
    "SEC_DEFAULT_AUTHENTICATION = NEVER\nSEC_DEFAULT_AUTHENTICATION_METHODS = PASSWORD\n",
]
ACCESS_POINTS = ["DAEMON_LIST = MASTER, SCHEDD\n", "use ROLE : Submit\n", "use ROLE : Personal\n"]


@pytest.mark.parametrize("host", ACCESS_POINTS)
@pytest.mark.parametrize("methods", ALONE)
def test_with_password_alone_nobody_submits(host: str, methods: str) -> None:
    """Asked of 25.14.1: a user cannot read the password, and root is condor, who has no jobs."""
    told = [item for item in found(host + methods) if "PASSWORD alone" in item.message]
    assert [(item.id, item.severity) for item in told] == [("P134", "warning")]


@pytest.mark.parametrize("methods", ALONE)
@pytest.mark.parametrize("host", ["", "DAEMON_LIST = MASTER, STARTD\n", "use ROLE : Execute\n"])
def test_who_takes_no_jobs_may_have_password_alone(host: str, methods: str) -> None:
    assert found(host + methods) == []


@pytest.mark.parametrize("methods", AND_MORE)
def test_another_method_of_users_is_enough(methods: str) -> None:
    assert found(f"DAEMON_LIST = MASTER, SCHEDD\n{methods}") == []


@pytest.mark.parametrize("verb", ["ALLOW", "DENY"])
def test_a_list_of_who_may_do_what_is_for_a_level(verb: str) -> None:
    """Asked of 25.14.1 and 23.9.6: with D_SECURITY the schedd logs each list that it takes."""
    for word in ("REMOTE_SUBMIT", "QUEUE", "submitter"):
        for text in ("*", "*.example.edu", "alice@example.edu", "10.3.0.0/16"):
            assert ids(f"{verb}_{word} = {text}\n") == [("P238", 1)]
        assert ids(f"{verb}_{word} = True\n") == []  # a macro of the site's own
        assert ids(f"{verb}_{word} = *.x.org\n{verb}_WRITE = $({verb}_{word})\n") == []
    for level in ("WRITE", "READ_SCHEDD", "SOAP", "CLIENT", "OWNER", "DEFAULT"):
        assert "P238" not in [name for name, _ in ids(f"{verb}_{level} = alice@x.org\n")]


@pytest.mark.parametrize("user", ["root", "nobody", "nobody*", "Anonymous"])
def test_a_user_has_an_at_sign(user: str) -> None:
    """Asked of 25.14.1: of `nobody*` the schedd logs `deny WRITE: */nobody*`."""
    for name in ("DENY_WRITE", "SCHEDD.DENY_WRITE", "ALLOW_READ"):
        assert ids(f"{name} = 10.3.*, {user}\n") == [("P235", 1)]
        assert ids(f"{name} = 10.3.*, {user}@*, {user}@example.edu/10.3.*, node1\n") == []


COLLECTOR = "RELEASE_DIR = /usr\nLOCAL_DIR = /srv\nDAEMON_LIST = MASTER, COLLECTOR, NEGOTIATOR\n"
LETS_IN = [
    f"{form}{level}{behind}"
    for level in ("DAEMON", "ADVERTISE_STARTD")
    for form, behind in (("ALLOW_", ""), ("ALLOW_", "_COLLECTOR"), ("COLLECTOR.ALLOW_", ""))
]


@pytest.mark.parametrize("written", ["ALLOW_WRITE", "ALLOW_WRITE_COLLECTOR"])
def test_a_collector_takes_ads_of_who_is_in_a_list_for_daemons(written: str) -> None:
    """Asked of the collectors of 25.14.1 and 23.9.6, with condor_advertise."""
    [item] = found(f"{COLLECTOR}{written} = *\n")
    assert (item.id, item.line, item.severity) == ("P255", 4, "warning")
    for name in LETS_IN:
        assert found(f"{COLLECTOR}{written} = *\n{name} = *.x.org\n") == []
    for template in ("recommended", "host_based", "user_based"):
        assert found(f"{COLLECTOR}use security: {template}\n{written} = *\n") == []


@pytest.mark.parametrize("own", ["$(FULL_HOSTNAME)", "localhost", "condor@x.org/127.0.0.1"])
def test_a_manager_without_startds_lets_in_daemons_of_other_machines(own: str) -> None:
    for name in LETS_IN[:1] + LETS_IN[3:4]:
        [item] = found(f"{COLLECTOR}{name} = {own}, $(IP_ADDRESS)\n")
        assert (item.id, item.line, item.severity) == ("P255", 4, "warning")
        for more in ("*.x.org", "node7.x.org", "condor_pool@x.org"):
            assert found(f"{COLLECTOR}{name} = {own}, {more}\n") == []
    both = f"{COLLECTOR}ALLOW_DAEMON = {own}\nALLOW_ADVERTISE_STARTD = *.x.org\n"
    assert found(both) == []
    children = f"{COLLECTOR}use FEATURE: ChildCollector(1)\nCOLLECTOR.ALLOW_DAEMON = {own}\n"
    assert "P255" not in [item.id for item in found(children)]
    assert found(f"DAEMON_LIST = MASTER, COLLECTOR, STARTD\nALLOW_DAEMON = {own}\n") == []


def test_ads_of_the_same_machine_and_of_other_daemons_need_no_list() -> None:
    for daemons in ("MASTER", "MASTER, SCHEDD", "MASTER, COLLECTOR, STARTD, SCHEDD"):
        assert found(f"RELEASE_DIR = /usr\nDAEMON_LIST = {daemons}\nALLOW_WRITE = *\n") == []


def test_a_file_that_is_read_after_that_of_a_package_may_find_a_list_for_daemons_there() -> None:
    [item] = found(f"{COLLECTOR.partition('LOCAL')[2].partition(chr(10))[2]}ALLOW_WRITE = *\n")
    assert (item.severity, brought(item)) == ("note", "ALLOW_DAEMON for the ads of other machines")


@pytest.mark.parametrize("place", ["cm.example.edu:9618", "10.3.0.1:*", "http://cm.example.edu"])
def test_who_comes_has_no_port(place: str) -> None:
    """Asked of the collector of 25.14.1: `localhost:9618` lets nobody of localhost in."""
    for item in (place, f"alice@x.org/{place}"):
        if "//" not in item or item is place:
            assert ids(f"ALLOW_READ = *.x.org, {item}\n") == [("P235", 1)]
    assert ids("ALLOW_READ = fe80::1, 2001:db8::/32, cm.example.edu, 10.3.0.0/255.255.0.0\n") == []


def test_a_port_alone_is_no_host() -> None:
    assert ids("COLLECTOR_HOST = cm.example.edu 9618\n") == [("P235", 1)]
    assert ids("COLLECTOR_HOST = cm.example.edu:9618\n") == []


@pytest.mark.parametrize("quote", ['"', "'"])
def test_every_daemon_ends_at_an_interface_in_quotes(quote: str) -> None:
    """Asked of 25.14.1: status 4, also where the address is one of the machine."""
    lines = f"DAEMON_LIST = MASTER, SCHEDD\nNETWORK_INTERFACE = {quote}127.*{quote}\n"
    assert [(one.id, one.severity) for one in found(lines)] == [("P235", "error")]


def test_methods_of_which_there_is_none_let_nobody_authenticate() -> None:
    [one] = found("SEC_DEFAULT_AUTHENTICATION_METHODS = GSI\n")
    assert "nobody can authenticate" in one.message
    [one] = found("SEC_DEFAULT_AUTHENTICATION_METHODS = GSI, FS\n")
    assert "passed over" in one.message


@pytest.mark.parametrize("macro", ["UID_DOMAIN", "FILESYSTEM_DOMAIN", "EMAIL_DOMAIN"])
def test_a_domain_is_one_name(macro: str) -> None:
    for text in ("*.example.org", "@example.org", "a.org, b.org", "a.org b.org"):
        assert ids(f"{macro} = {text}\n") == [("P235", 1)]
    for text in ("example.org", "$(FULL_HOSTNAME)", "*"):
        assert ids(f"{macro} = {text}\n") == []


@pytest.mark.parametrize("item", ["*/cs.example.edu/*", "bob/cs.example.edu/10.3.*"])
def test_a_user_and_a_domain_have_an_at_sign_between_them(item: str) -> None:
    """Asked of the collector of 25.14.1: `*/cs.wisc.edu/*` lets nobody of it in."""
    for verb in ("ALLOW", "DENY"):
        assert ids(f"{verb}_READ = *.x.org, {item}\n") == [("P235", 1)]
        assert ids(f"{verb}_READ = *.x.org, {item.replace('/', '@', 1)}\n") == []
    assert ids("ALLOW_READ = */10.3.0.0/16, bob@x.org/10.3.0.0/255.255.0.0, 10.3.0.0/16\n") == []


@pytest.mark.parametrize("item", ["@x.org", "*.x.org/*", "condor/10.3.0.5", "cm.x.org/10.3.*"])
def test_a_user_has_a_name_and_a_domain(item: str) -> None:
    """As the collector of 25.14.1 logs: what stands before a slash is a user, and no host."""
    for verb in ("ALLOW", "DENY"):
        assert ids(f"{verb}_READ = *.x.org, {item}\n") == [("P235", 1)]
    for right in ("*@x.org", "*/*.x.org", "*/10.3.0.5", "condor@x.org/10.3.*", "con*/10.3.0.5"):
        assert ids(f"ALLOW_READ = *.y.org, {right}\n") == []


def test_who_is_a_user_in_one_list_is_no_host_in_another() -> None:
    assert ids("ALLOW_READ = ada@*\nALLOW_WRITE = ada\n") == [("P235", 2)]
    assert ids("ALLOW_READ = ada@*\nALLOW_WRITE = ada@x.org, bob\n") == []
    assert ids("ALLOW_READ = cm@x.org/*, cm.x.org\nALLOW_WRITE = cm\n") == []


def test_an_old_list_is_told_where_a_template_alone_lets_in_everybody() -> None:
    old = "HOSTALLOW_READ = *.x.org\n"
    assert ids(f"use SECURITY : recommended\n{old}") == [("P205", 2)]
    assert ids(f"{old}ALLOW_READ = *\n") == []


def test_a_mask_is_whole() -> None:
    """Asked of the collector of 25.14.1: `127.0.0.0/255.255` lets nobody in."""
    assert ids("ALLOW_READ = 10.3.0.0/255.255\n") == [("P235", 1)]
    assert ids("ALLOW_READ = a@x.org/10.3.0.0/255.0\n") == [("P235", 1)]
    assert ids("ALLOW_READ = 10.3.0.0/255.255.0.0, 10.3.0.0/16, 10.3.\n") == []


def test_not_everybody_is_an_administrator_who_may_not_write() -> None:
    assert ids("ALLOW_ADMINISTRATOR = *\nALLOW_WRITE = *.x.org\n") == [("P235", 1)]
    assert ids("ALLOW_ADMINISTRATOR = *\nALLOW_WRITE = *\n") == []
    assert ids("ALLOW_ADMINISTRATOR = root@x.org\nALLOW_WRITE = *.x.org\n") == []


@pytest.mark.parametrize("where", ["COLLECTOR_HOST", "CONDOR_HOST"])
def test_users_of_one_machine_are_known_to_no_collector_elsewhere(where: str) -> None:
    """FS has a file made that both sides see; methods that there are not are passed over."""
    head = "DAEMON_LIST = MASTER, SCHEDD\nSEC_DEFAULT_AUTHENTICATION = REQUIRED\n"
    elsewhere, ways = f"{head}{where} = cm.x.org\n", "SEC_DEFAULT_AUTHENTICATION_METHODS ="
    for only in ("FS", "fs, GSI", "GSI FS"):
        assert ("P134", 4) in ids(f"{elsewhere}{ways} {only}\n")
    assert ids(f"{elsewhere}{ways} FS, IDTOKENS\n") == []
    assert ids(f"{elsewhere.replace('REQUIRED', 'PREFERRED')}{ways} FS\n") == []
    own = head.replace("SCHEDD", "SCHEDD, COLLECTOR")
    assert ids(f"{own}{where} = $(FULL_HOSTNAME)\n{ways} FS\n") == []


def test_who_connects_goes_by_the_methods_and_the_level_of_clients() -> None:
    """By those of DEFAULT where CLIENT has none; what a daemon takes is no part of it."""
    head = "DAEMON_LIST = MASTER, SCHEDD\nCOLLECTOR_HOST = cm.x.org\n"
    required = "SEC_DEFAULT_AUTHENTICATION = REQUIRED\n"
    default, client = (f"SEC_{level}_AUTHENTICATION_METHODS =" for level in ("DEFAULT", "CLIENT"))
    text = f"{head}{required}{default} FS, SSL\n{client} FS\n"
    assert ("P134", 5) in ids(text)
    for good in (
        f"{required}{default} FS\n{client} FS, IDTOKENS\n",
        f"{required}SEC_CLIENT_AUTHENTICATION = OPTIONAL\n{default} FS\n",
        f"{required}{default} IDTOKENS\nSEC_DAEMON_AUTHENTICATION_METHODS = FS\n",
    ):
        message = "FS is for daemons of one machine"
        assert not any(message in one.message for one in found(f"{head}{good}"))
