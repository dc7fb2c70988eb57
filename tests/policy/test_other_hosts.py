"""What other files, packages and hosts have: named where it is missing, and no fault of these."""

from __future__ import annotations

import pytest

from policy.explain.roles import host_of
from policy.lint.findings import brought, lint
from policy.lint.verdict import examine
from tests.policy.test_lint import read


def test_what_a_list_lacks_or_a_text_is_without_a_macro_is_named_and_no_fault() -> None:
    """A package, or the environment, may define it; a slip of a name that is set is a fault."""
    host = "DAEMON_LIST = MASTER, SCHEDD\n"
    for line in ("TCP_FORWARDING_HOST = $(PublicIP)", "ALLOW_READ = *.x.org, condor@$(OtherPool)"):
        [one] = examine(read(f"{host}{line}\n")).findings
        assert (one.id, one.help) == ("P120", None)
        assert brought(one) in ("$(PublicIP)", "$(OtherPool)")
    for line in (
        *("ALLOW_READ = *.x.org, condor@$(OtherPol)\nOtherPool = y.org", "SPOOL = $(Place)/spool"),
        *("MAX_JOBS_RUNNING = $(Many)", "START_LOCAL_UNIVERSE = $(Few) && True"),
    ):
        first = examine(read(f"{host}{line}\n")).findings[0]
        assert (first.id, first.severity, brought(first)) == ("P120", "warning", "")
    assert not brought(lint(read("DAEMON_LIST = MASTER, SCHEDD, $(Others)\n"))[0])


def test_an_expression_that_adds_to_itself_names_what_it_lacks() -> None:
    line = "COLLECTOR_REQUIREMENTS = $(COLLECTOR_REQUIREMENTS) || MyType == "
    text = f'DAEMON_LIST = MASTER, COLLECTOR\n{line}"a"\n{line}"b"\n'
    one = next(one for one in examine(read(text)).findings if one.id == "P120")
    assert (one.line, "$(COLLECTOR_REQUIREMENTS)" in one.message) == (2, True)


def test_a_macro_is_added_to_itself_in_parentheses() -> None:
    assert [one.id for one in lint(read("USERS_OF_SITE = $USERS_OF_SITE, alice\n"))] == ["P124"]
    assert lint(read("USERS_OF_SITE = $(USERS_OF_SITE), alice\n")) == []


def test_a_limit_counts_where_a_negotiator_may_run() -> None:
    limit = "MEMORY_LIMIT = hard\n"
    assert {one.id for one in lint(read(f"DAEMON_LIST = MASTER, STARTD\n{limit}"))} == set()
    assert {one.id for one in lint(read(f"DAEMON_LIST = MASTER, NEGOTIATOR\n{limit}"))} != set()


def test_accounts_of_slots_of_both_kinds_are_for_machines_of_both_kinds() -> None:
    accounts = "DAEMON_LIST = MASTER, STARTD\nSLOT1_USER = a\nSLOT2_USER = b\n"
    assert "P253" in {one.id for one in lint(read(accounts))}
    assert lint(read(f"{accounts}SLOT1_1_USER = a\nSLOT1_2_USER = b\n")) == []


def test_a_daemon_with_a_local_name_has_its_log_and_address_under_both_names() -> None:
    """Asked of condor_schedd of 25.14.1 with `-local-name X`; SCHEDD.X.SPOOL it does not read."""
    for own in ("SCHEDD_LOG", "SCHEDD_ADDRESS_FILE"):
        assert lint(read(f"SCHEDD.X.{own} = /srv/x/{own}\n")) == []
    assert [one.id for one in lint(read("SCHEDD.X.SPOOL = /srv/x\n"))] == ["P221"]


@pytest.mark.parametrize(("daemons", "title"), [
    ("COLLECTOR SCHEDD", "access point"),
    ("COLLECTOR NEGOTIATOR SCHEDD", "access point and central manager"),
    ("COLLECTOR", "collector"),
    ("COLLECTOR HAD STARTD", "central manager and execute node"),
])  # fmt: skip
def test_a_central_manager_beside_something_else_has_a_negotiator(daemons: str, title: str) -> None:
    assert host_of(read(f"DAEMON_LIST = MASTER {daemons}\n")).title == title


def test_verdicts_are_on_the_daemons_of_the_list_alone() -> None:
    verdicts = examine(read("DAEMON_LIST = MASTER GANGLIAD\nGANGLIAD_INTERVAL = 60\n")).verdicts
    assert {one.daemon.subsystem for one in verdicts} == {"MASTER"}
