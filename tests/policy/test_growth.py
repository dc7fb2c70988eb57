"""What `check` does grows as the configuration does, not as its square.

Calls are counted, not seconds: twice the configuration may take a little more than twice of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from policy.lint.findings import lint
from tests.policy.test_lint import found, read


def _conditions(line: str, joint: str, macro: str = "START") -> Callable[[int], str]:
    return lambda count: f"{macro} = " + joint.join(line.format(i) for i in range(count)) + "\n"


def _chain(step: str, last: str, end: str) -> Callable[[int], str]:
    """Macros that each refer to the next one; the first is called `M0`."""

    def text(count: int) -> str:
        steps = "".join(step.format(i, i + 1) for i in range(count))
        return f"{steps}M{count} = {last}\n{end}\n"

    return text


def _listed(macro: str, more: str = "") -> Callable[[int], str]:
    def text(count: int) -> str:
        names = ", ".join(f"item_{i}" for i in range(count))
        return f"{macro} = {names}\n" + "".join(more.format(i) for i in range(count))

    return text


GROWING = {
    "owners": _conditions('Owner == "u{}"', " || "),
    "attributes": _conditions("TARGET.x{} =!= undefined", " && "),
    "slips": _conditions("TARGET.RequestCpuss > {}", " && "),
    "times": _conditions("(time() - EnteredCurrentState) > {}*60", " && "),
    "weights": _conditions("(TARGET.Memory > {0}) * {0}", " + ", "RANK"),
    "priorities": _conditions(
        "RemoteUserPrio > SubmitterUserPrio * 1.{}", " || ", "PREEMPTION_REQUIREMENTS"
    ),
    "chain": _chain("M{0} = $(M{1}) && (Cpus > {0})\n", "true", "START = $(M0)"),
    "chain of names": _chain("M{0} = $(M{1})\n", "1", "START = $(M0) > 0"),
    "chain of items": _chain("M{0} = $(M{1}), item_{0}\n", "item", "STARTD_ATTRS = $(M0)"),
    "appended": lambda count: "START = true\n" + "START = $(START) && (x > 1)\n" * count,
    "appended to a helper": lambda count: (
        "X = true\n" + "X += && (Cpus > 1)\n" * count + "START = $(X)\n"
    ),
    "submitted": _listed("SUBMIT_ATTRS"),
    "routes": _listed(
        "JOB_ROUTER_ROUTE_NAMES",
        'JOB_ROUTER_ROUTE_item_{0} @=e\n UNIVERSE GRID\n GridResource = "condor h{0} h{0}"\n'
        ' REQUIREMENTS Owner == "u{0}"\n@e\n',
    ),
    "transforms": _listed(
        "JOB_TRANSFORM_NAMES",
        'JOB_TRANSFORM_item_{0} @=e\n REQUIREMENTS Owner == "u{0}"\n SET X{0} {0}\n@e\n',
    ),
    "submit requirements": _listed(
        "SUBMIT_REQUIREMENT_NAMES", "SUBMIT_REQUIREMENT_item_{0} = RequestMemory < {0}\n"
    ),
    "periodic holds": _listed(
        "SYSTEM_PERIODIC_HOLD_NAMES", "SYSTEM_PERIODIC_HOLD_item_{0} = NumJobStarts > {0}\n"
    ),
    "cron jobs": _listed("STARTD_CRON_JOBLIST", "STARTD_CRON_item_{0}_EXECUTABLE = /bin/true\n"),
    "groups": _listed("GROUP_NAMES", "GROUP_QUOTA_item_{0} = {0}\n"),
    "attributes of slots": _listed("STARTD_ATTRS", "item_{0} = {0}\n"),
    "names that nobody reads": lambda count: "".join(
        f"NO_SUCH_NAME_{i} = {i}\n" for i in range(count)
    ),
    "limits": lambda count: "".join(f"LIC{i}_LIMIT = {i}\n" for i in range(count)),
    "slot types": lambda count: "".join(
        f"SLOT_TYPE_{i} = cpus=1\nNUM_SLOTS_TYPE_{i} = 1\n" for i in range(1, count + 1)
    ),
    "hosts": lambda count: "ALLOW_WRITE = " + ", ".join(f"h{i}.example.org" for i in range(count)),
    "old names": lambda count: "".join(f"HOSTALLOW_WRITE_X{i} = h{i}\n" for i in range(count)),
    "references": lambda count: "".join(f"A{i} = $(B{i})\nB{i} = {i}\n" for i in range(count)),
}


def _calls(text: str) -> int:
    """How many functions are called to check a configuration."""
    config = read(text)
    number = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal number
        number += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        lint(config)
    finally:
        sys.setprofile(before)
    return number


@pytest.mark.slow
@pytest.mark.parametrize("name", GROWING)
def test_twice_the_configuration_takes_twice_the_work(name: str) -> None:
    text = GROWING[name]
    _calls(text(1))  # what is remembered for all
    little, some, more = (_calls(text(count)) for count in (10, 60, 110))
    # A square would add 2.4 times as much for the second fifty as for the first.
    assert more - some < 1.35 * (some - little)


@pytest.mark.parametrize("line", ["START = $(START) && (x > 1)\n", "START += && (x > 1)\n"])
def test_a_macro_may_be_appended_to_a_thousand_times(line: str) -> None:
    """Functions that call themselves for each earlier value ended in an error."""
    [item] = found("START = true\n" + line * 1000)
    assert (item.id, item.line) == ("P429", 1001)
    assert item.message == "START is nested 1002 operators deep"
