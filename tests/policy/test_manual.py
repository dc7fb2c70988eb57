"""What the manual has as an example is right, and what it warns of is told.

The forms are those of the manual's examples; what daemons do with each was asked of 25.14.1.
"""

from __future__ import annotations

from policy.lint.verdict import examine
from tests.cases import every_case
from tests.policy.test_lint import read


def ids(text: str, *, fragment: bool | None = None) -> set[tuple[str | None, str]]:
    """The findings about a configuration: numbers and severities."""
    return {(one.id, one.severity) for one in examine(read(text), fragment=fragment).findings}


# --- examples -------------------------------------------------------------------------------------


@every_case("name", ["LOCAL_DIR", "LOG", "TILDE", "SPOOL"])
def test_a_folder_that_only_the_machine_knows_ends_no_daemon(name: str) -> None:
    found = examine(read(f"include : $({name})/more.conf\nSTART = True\n"))
    assert [(one.id, one.severity) for one in found.findings] == [("P912", "warning")]
    assert found.starts


@every_case("target", ["/no/such/file", "$(NOWHERE)/more.conf"])
def test_a_file_that_is_not_where_the_include_says_ends_daemons(target: str) -> None:
    assert not examine(read(f"include : {target}\n")).starts


@every_case("condition", ["! defined STUFF", "$(STUFF)\nelse", "defined OTHER\nelif ! defined X"])
def test_an_error_depends_on_what_a_program_prints_before_it(condition: str) -> None:
    asks = f"if {condition}\n  error : stuff is needed\nendif\n"
    found = examine(read(f"include command : perl stuff.pl\n{asks}"))
    assert found.starts
    assert {(one.id, one.severity) for one in found.findings} >= {
        ("P910", "warning"),
        ("P104", "warning"),
    }
    assert not examine(read(asks)).starts
    assert not examine(read("include command : perl stuff.pl\nerror : stop\n")).starts


@every_case("shares", [
    (0.33334, 0.66667), (0.3334, 0.3333, 0.3334), (0.16667,) * 6, (0.5, 0.5), (1.0,),
])  # fmt: skip
def test_shares_that_were_rounded_sum_to_one(shares: tuple[float, ...]) -> None:
    assert ids(_quotas(shares)) == set()


@every_case("shares", [(0.5, 0.51), (0.34, 0.34, 0.34), (0.75, 0.5), (0.9, 0.102)])
def test_shares_of_more_than_the_pool_are_told(shares: tuple[float, ...]) -> None:
    assert ids(_quotas(shares)) == {("P305", "warning")}


def _quotas(shares: tuple[float, ...]) -> str:
    groups = [f"group_{letter}" for letter, _ in zip("abcdef", shares, strict=False)]
    quotas = zip(groups, shares, strict=True)
    return f"GROUP_NAMES = {', '.join(groups)}\n" + "".join(
        f"GROUP_QUOTA_DYNAMIC_{group} = {share}\n" for group, share in quotas
    )


@every_case("form", ["SLOT_TYPE_{}_{}", "slot_type_{}_{}", "SLOT{}_{}"])
def test_an_attribute_may_be_given_for_each_slot_or_type_of_slots(form: str) -> None:
    types = "".join(f"SLOT_TYPE_{n} = cpus=1\nNUM_SLOTS_TYPE_{n} = 1\n" for n in (1, 2))
    values = "".join(f'{form.format(n, "Class")} = "{n}"\n' for n in (1, 2))
    assert ids(f"NUM_CPUS = 2\nSTARTD_ATTRS = Class\n{types}{values}") == set()
    other = values.replace("Class", "Klass")
    assert ("P211", "warning") in ids(f"NUM_CPUS = 2\nSTARTD_ATTRS = Class\n{types}{other}")


def test_another_file_may_declare_the_resources_of_a_type() -> None:
    text = "SLOT_TYPE_1 = cogs=50%, actuator=6, 50%\nNUM_SLOTS_TYPE_1 = 1\n"
    assert ids(text, fragment=True) == {("P242", "note")}
    assert ids(text, fragment=False) == {("P242", "warning")}


@every_case("detail", ["PARTITIONABLE", "CONSUMPTION_POLICY", "START"])
def test_another_file_may_make_the_slots_of_which_this_one_has_details(detail: str) -> None:
    assert ids(f"SLOT_TYPE_1_{detail} = True\n", fragment=True) == set()
    alone = f"SLOT_TYPE_1 = 100%\nSLOT_TYPE_1_{detail} = True\n"
    assert ids(alone, fragment=True) == {("P241", "note")}


# --- traps ----------------------------------------------------------------------------------------


@every_case("value", [
    'Owner == "bob"', 'TARGET.Owner == "bob"', "JobUniverse == 5", 'Owner == "bob" || False',
    '1 + "a"', '"yes"', "undefined",
])  # fmt: skip
def test_a_startd_ends_where_is_owner_is_no_condition_without_a_job(value: str) -> None:
    """As that of 25.14.1: `Invalid evaluation of IsOwner was marked as fatal`."""
    for name in ("IS_OWNER", "IsOwner"):
        found = examine(read(f"{name} = {value}\n"))
        assert ("P117", "error") in {(one.id, one.severity) for one in found.findings}
        [verdict] = [one for one in found.verdicts if one.daemon.subsystem == "STARTD"]
        assert (verdict.starts, verdict.status) == (False, 0)


@every_case("value", [
    "START =?= False", "False", "KeyboardIdle < 60", 'Owner =?= "bob"', 'Owner == "bob" || True',
    'State == "Owner" && Owner == "bob"', "MyOwnAttribute > 3", "$(ElsewhereDefined)",
])  # fmt: skip
def test_it_takes_is_owner_that_may_be_a_condition_without_a_job(value: str) -> None:
    assert all(one.id != "P117" for one in examine(read(f"IS_OWNER = {value}\n")).findings)


@every_case("macro", ["START", "SUSPEND", "CONTINUE", "PREEMPT", "KILL", "WANT_VACATE", "CpuBusy"])
def test_no_other_condition_of_a_startd_ends_it_without_a_job(macro: str) -> None:
    found = examine(read(f'{macro} = Owner == "bob"\n'))
    assert found.starts
