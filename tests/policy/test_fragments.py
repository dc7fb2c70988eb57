"""Files that add to what others set: nothing is said of values that nobody here can know."""

from __future__ import annotations

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
