"""Asks ``userprio`` for drawn states of the accountant with every option, and makes every change.

What it says is kept in ``retold/userprio.txt``: ``python -m tests.pieslice.states`` asks anew.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from pieslice.priorities.command import userprio_command
from tests.pieslice.keeping import Kept, Told

KEPT: Final = Kept("userprio")
#: The last update of all states, and the time of changes.
LAST: Final = 1_700_000_000
NOW: Final = LAST + 60
HOUR, DAY = 3600, 86_400

_GROUPS: Final = ("<none>", "g", "g.sub", "g.sub.low", "h", "physics_department")
_USERS: Final = (
    "ann@x", "bob@x", "ann@y.example", "g.ann@x", "g.sub.cid@x", "g.sub.low.dot@x", "h.eve@x",
    "physics_department.fay@x", "nice-user.bob@x", "Zoë@x", "o'neil@x",
    "somebody.with.a.name.of.some.length@a.domain.of.some.length.example", "no_such_group.ann@x",
)  # fmt: skip
_WEIGHTS: Final = ("0.0", "1.0", "2.5", "99999.0", "1234567.0")
#: What a record may have, and values on both sides of what makes a difference.
_ATTRIBUTES: Final[dict[str, tuple[str, ...]]] = {
    "Priority": ("0.0", "0.5", "0.500001", "12.25", "123456.75", "98765432.125"),
    "PriorityFactor": ("0.0", "0.5", "1.0", "1000.0", "1e9"),
    "ResourcesUsed": ("0", "1", "12"),
    "WeightedResourcesUsed": _WEIGHTS,
    "HierWeightedResourcesUsed": _WEIGHTS,
    "AccumulatedUsage": ("0.0", "3600.0", "123456789.0"),
    "WeightedAccumulatedUsage": ("0.0", "1800.0", "36000000000000.0"),
    "BeginUsageTime": ("0", "1", str(LAST - 400 * DAY), str(LAST)),
    "LastUsageTime": (
        "0", str(LAST), str(LAST - 59), str(LAST - HOUR), str(LAST - DAY), str(LAST - DAY - 1),
        str(LAST - 400 * DAY), str(LAST + 100),
    ),
    "Ceiling": ("-2", "-1", "0", "7", "1234567890"),
    "Floor": ("-1", "0", "3", "1234567890"),
    "CeilingLeaseExpiration": ("0", str(NOW - 1), str(NOW), str(NOW + 1)),
    "CeilingPreLeaseValue": ("-1", "5"),
    "FloorLeaseExpiration": ("0", str(NOW + 900)),
    "FloorPreLeaseValue": ("0", "2"),
    "PriorityFactorLeaseExpiration": ("0", str(NOW), str(NOW + 900)),
    "PriorityFactorPreLeaseValue": ("10.0",),
    "UnchargedTime": ("0", "30"),
    "WeightedUnchargedTime": ("0.0", "45.0"),
    "SubmitterLimit": ("4.0",),
    "SubmitterShare": ("0.25",),
}  # fmt: skip
_CONFIGS: Final = (
    "",
    "GROUP_NAMES = g, g.sub, h\nGROUP_QUOTA_g = 10\nGROUP_QUOTA_g.sub = 4.5\nGROUP_QUOTA_h = 3\n",
    "GROUP_NAMES = g, g.sub, g.sub.low, physics_department\nGROUP_QUOTA_DYNAMIC_g = 0.5\n"
    "GROUP_QUOTA_DYNAMIC_g.sub = 0.25\nGROUP_ACCEPT_SURPLUS = True\nGROUP_AUTOREGROUP_g = True\n"
    "GROUP_ACCEPT_SURPLUS_g.sub = False\nGROUP_PRIO_FACTOR_g = 3\nNICE_USER_PRIO_FACTOR = 77\n",
    "GROUP_NAMES = h\nGROUP_QUOTA_h = 8\nGROUP_AUTOREGROUP = True\nDEFAULT_PRIO_FACTOR = 20\n"
    "REMOTE_PRIO_FACTOR = 50\nACCOUNTANT_LOCAL_DOMAIN = x\n",
)
#: Options of the table, alone and together.
_SHOWN: Final = """\
-all
-allusers
-allusers --wide
-allusers -all --wide
-allusers -most --width 60
-allusers -all --width 100
-allusers -all --width 130
-allusers -all --width 40
-usage
-allusers -usage --wide
-allusers -priority --wide
-allusers -priority -flat --wide
-allusers -priority -hierarchical --wide
-allusers -quotas --wide
-allusers -quotas -usage --wide
-allusers -sortkey -order -groupid --wide
-allusers -surplus --wide
-allusers -flat -all --wide
-allusers -flat -usage -order --wide
-allusers -grouporder -all --wide
-allusers -hierarchical -usage -order --wide
-grouprollup -all --wide
-grouprollup -usage -quotas --wide
-grouprollup -long
-long
-modular
-json
-allusers -af Name Priority
-allusers -af:tn Name Ceiling Floor
-allusers -af:lrV Name PriorityFactor
-allusers -constraint 'Priority > 10' -all --wide
-constraint 'IsAccountingGroup' -all
-name nobody -all
ann -usage --wide
ann@x g.ann@x -all --wide
ANN -all --wide
<none> g -quotas --wide
-activefrom 11 14 2023 -usage --wide
-activefrom 10 1 22 -all --wide
-activefrom 1 1 2030 -all
-most --now 1700086400
-most --now 1700086401
-usage --now 2023-11-14T22:13:20
-getreslist ann@x
-getreslist g.sub.cid@x --now 1700090061
-getreslist ann
"""
_USER: Final = ("ann@x", "g.ann@x", "new@x")
#: Changes, with a name in the place of the dots.
_CHANGES: Final = """\
-setprio ... 12.5
-setprio ... -1
-setprio ... nan
-setfactor ... 1
-setfactor ... 0.999
-setfactor ... 8 -duration 100
-setfactor ... 8 -duration 0
-setfactor ... 8 -duration -1
-setfloor ... 0
-setfloor ... -1
-setfloor ... 6
-setfloor ... 6 -duration 1
-setceiling ... 0
-setceiling ... -1
-setceiling ... -2
-setceiling ... 4 -duration 3600
-setceiling ... 4.5
-cancelceilinglease ...
-cancelfloorlease ...
-cancelfactorlease ...
-setaccum ... 0
-setaccum ... -0.5
-setaccum ... 7200
-setbegin ... 5
-setlast ... 6
-setlast ... six
-resetusage ...
-delete ...
-setprio ... 1 -setfactor ... 2
"""


def _text(value: str) -> str:
    return f'"{value}"'


def drawn_log(random: Random) -> str:
    """A log with records that chance draws."""
    lines = ["107 1 CreationTimestamp 1600000000"]

    def ad(key: str, attributes: dict[str, str]) -> None:
        lines.append(f"101 {key} * *")
        lines.extend(f"103 {key} {name} {value}" for name, value in attributes.items())

    ad("Accountant.", {"LastUpdateTime": str(LAST)})
    names = [*_GROUPS, *_USERS]
    random.shuffle(names)
    for name in names:
        if random.random() < 0.25:
            continue
        found = {}
        for attribute, values in _ATTRIBUTES.items():
            if random.random() < (0.3 if "Lease" in attribute else 0.8):
                found[attribute] = random.choice(values)
        ad(f"Customer.{name}", found)
    for number, user in enumerate(("ann@x", "ann@x", "g.sub.cid@x", "bob@x")):
        start = LAST - random.choice((0, 59, HOUR, DAY, 10 * DAY + 5 * HOUR + 61))
        of = {"RemoteUser": _text(user), "SlotWeight": "1.5", "StartTime": str(start)}
        ad(f"Resource.slot{number}@node@<127.0.0.1:9618?alias=node>", of)
    return "".join(f"{line}\n" for line in lines)


def drawn_ads(random: Random) -> str:
    """Accounting ads of some groups, as the collector has them."""
    ads = []
    for name in _GROUPS:
        if random.random() < 0.5:
            facts = {
                "Name": _text(name),
                "IsAccountingGroup": "true",
                "AccountingGroup": _text(name),
                "NegotiatorName": _text(random.choice(("nobody", "somebody"))),
                "Priority": random.choice(_ATTRIBUTES["Priority"]),
                "PriorityFactor": "1.0",
                "ConfigQuota": random.choice(("0.0", "0.25", "12.0")),
                "EffectiveQuota": random.choice(("0.0", "7.5", "12345678.0")),
                "SubtreeQuota": "3.0",
                "GroupSortKey": random.choice(
                    ("0.0", "1.5", "3.40282e+38", "340282346638528859811704183484516925440.0")
                ),
                "SurplusPolicy": _text(random.choice(("no", "byquota", "regroup", "other"))),
                "Requested": random.choice(("0.0", "15.0", "12345678901.0")),
                "LastUpdate": str(LAST - random.choice((0, 5))),
            }
            ads.append("".join(f"{key} = {value}\n" for key, value in facts.items()))
    return "\n".join(ads)


def states() -> Iterator[tuple[str, dict[str, str]]]:
    """The files of each state, by name."""
    for number in range(4):
        random = Random(number)
        files = {"Accountantnew.log": drawn_log(random), "condor_config": _CONFIGS[number % 4]}
        if number % 3:
            files["accounting.ads"] = drawn_ads(random)
        yield f"state {number}", files


def questions(number: int) -> Iterator[str]:
    """What a state is asked; one of three has the changes as well."""
    yield from _SHOWN.splitlines()
    for place, change in enumerate(_CHANGES.splitlines()):
        yield f"{change.replace('...', _USER[(place + number) % 3])} --now {NOW}"
    yield f"-resetall --now {NOW}"


def answered(files: dict[str, str], number: int) -> dict[str, Told]:
    """The answers about a state; a change is written into a copy of the log and read back."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for words in questions(number):
            changing = words.endswith(f" {NOW}")
            for name, text in files.items():
                Path(folder, name).write_text(text, encoding="utf-8", newline="\n")
            lines = _run([folder, *shlex.split(words)], folder)
            if changing:
                after = Path(folder, "Accountantnew.log").read_text(encoding="utf-8")
                lines += after.removeprefix(files["Accountantnew.log"]).splitlines()
            found[words] = Told(tuple(lines))
    return found


def _run(arguments: list[str], folder: str) -> list[str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = userprio_command(arguments, out, err)
    said = f"{out.getvalue()}! {err.getvalue()}" if err.getvalue() else out.getvalue()
    return [*said.replace(folder, "FOLDER").splitlines(), *([f"status {status}"] if status else [])]


@contextlib.contextmanager
def universal_time() -> Iterator[None]:
    """Times of the day as at Greenwich."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()


if __name__ == "__main__":
    with universal_time():
        KEPT.write((name, answered(files, number)) for number, (name, files) in enumerate(states()))
