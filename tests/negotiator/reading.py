"""What is read of a small captured pool in which one thing is changed at a time.

The pool is the folder ``reading``; ``full`` is all of it, ``bare`` lacks what others can stand in
for.  ``reading.txt`` has what is read of both in full, and then for each change what differs from
that, line by line, and what is said about it.  ``python -m tests.negotiator.reading`` writes it
anew.  A change is the name of a file and

    2 Cpus = 5       the attribute of the ad with that number, from 1 on; without a text it is gone
    2 & TEXT         another line at the end of that ad
    line 3 = TEXT    another line; without a text it is gone
    gone, empty, twice, as FORM
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from classad import ClassAd
from classad.errors import Diagnostic
from classad.files.ads import read_ads
from classad.formats.json import format_json
from classad.formats.new import format_new
from classad.formats.xml import format_xml
from negotiator.accounting.log import changes
from negotiator.capture.ages import dated
from negotiator.capture.agreement import compare
from negotiator.capture.renewal import renewed
from negotiator.cycle import negotiate
from negotiator.io import Capture, CapturePaths, InputError, read_capture
from negotiator.model.snapshot import AccountantState
from tests.negotiator import whole

POOL: Final = Path(__file__).with_name("reading")
KEPT: Final = Path(__file__).with_name("reading.txt")
#: The files of the pool that is full, and those of the one that is bare.
FULL: Final = tuple(sorted(path.name for path in POOL.iterdir()))
#: Those whose changes are also seen in the comparison with what the real negotiator did.
_COMPARED: Final = ("", "slots.ads", "expected.json")
BARE: Final = ("accounting.ads", "condor_config", "jobs.ads", "schedds.ads", "slots.ads")
_MAP: Final = "SCHEDD.JOB_TRANSFORM_NAMES"

# --- the changes ----------------------------------------------------------------------------------

_NOT_TEXTS: Final = ("", "undefined", "5", '""')
_NOT_NUMBERS: Final = ("", "error", '"x"', "-1", "0", "2.75", "1e30", "true")
_READ: Final = {
    "slots.ads": {
        "Name": (*_NOT_TEXTS, '"slot1@a"', 'strcat("x", "@y")'),
        "LastHeardFrom": _NOT_NUMBERS,
        "MyCurrentTime": (*_NOT_NUMBERS, "1699999715", "1699999915"),
        "Activity": ('"Idle"',),
        "TotalJobRunTime": ("", "2.75", '"x"'),
        "RetirementTimeRemaining": ("", "100", "2.75", "1000"),
        "ChildName": ("",),
    },
    "jobs.ads": {
        "ClusterId": _NOT_NUMBERS,
        "ProcId": ("", '"x"', "7"),
        "JobStatus": (*_NOT_NUMBERS, "1", "2"),
        "Requirements": ("", "undefined"),
        "GlobalJobId": (*_NOT_TEXTS, '"#1"', '"ap2#9.9#1"', '"ap3"'),
        "User": (*_NOT_TEXTS, '"zed"', '"carol@other"'),
        "Owner": (*_NOT_TEXTS, '"dave"', '"zed"'),
        "AccountingGroup": (*_NOT_TEXTS, '"g.x.u"', '"h.v@pool"'),
        "AcctGroup": ('"g"', '"G"', '"h"', '"other"', "undefined"),
        "AcctGroupUser": ('"alice"', "5"),
        "RequestCpus": ("", "3", '"x"', "2.5", "-1"),
        "JobPrio": ("", '"x"', "-7", "2.5"),
        "AutoClusterId": ("", "1", '"x"', "2.5"),
        "ServerTime": ("", "1700000302", "1700000400", '"x"'),
        "RemoteHost": ("", '"slot1_2@b"', '"slot1@a"'),
    },
    "submitters.ads": {
        "Name": (*_NOT_TEXTS, '"alice@pool"', '"nobody@pool"'),
        "ScheddName": (*_NOT_TEXTS, '"ap2"'),
        "ScheddIpAddr": _NOT_TEXTS,
        "IdleJobs": ("", '"x"', "1", "7"),
        "WeightedIdleJobs": ("", "0.5"),
        "LastHeardFrom": ("1700000400", '"x"'),
    },
    "schedds.ads": {
        "Name": (*_NOT_TEXTS, '"ap9"'),
        "MyAddress": _NOT_TEXTS,
        "MyCurrentTime": ("", "1700000500"),
    },
    "accounting.ads": {
        "Name": (*_NOT_TEXTS, '"alice@pool"', '"h"'),
        "Priority": _NOT_NUMBERS,
        "PriorityFactor": (*_NOT_NUMBERS, "0.99", "1"),
        "ResourcesUsed": (*_NOT_NUMBERS, "2"),
        "WeightedResourcesUsed": (*_NOT_NUMBERS, "3.0"),
        "HierWeightedResourcesUsed": ("1.5",),
        "AccumulatedUsage": ("", '"x"', "2.5"),
        "WeightedAccumulatedUsage": ("", '"x"'),
        "UnchargedTime": ("", "0", "2.75", '"x"'),
        "WeightedUnchargedTime": ("", "0", "1"),
        "BeginUsageTime": ("", "-1", "1e30"),
        "LastUsageTime": ("", "2.75"),
        "LastUpdate": (*_NOT_NUMBERS, "1700000240", "1700000600"),
        "Ceiling": ("0", "-1", '"x"', "2.75"),
        "Floor": ("0", "-1", '"x"', "2.75"),
        "CeilingLeaseExpiration": ("5", "0", "1", "-1"),
        "FloorLeaseExpiration": ("5",),
        "PriorityFactorLeaseExpiration": ("5",),
        "EffectiveQuota": ("", '"x"', "0", "-1"),
    },
    "claims.ads": {
        "Name": (*_NOT_TEXTS, '"slot1@b"', '"slot1_3@b"'),
        "ScheddName": ("", '"ap1"', '"ap2"'),
        "RemoteUser": ("", '"alice@pool"', '"dave@pool"'),
        "AccountingGroup": ("", '"alice@pool"'),
        "EnteredCurrentState": ("", "1700000301", "1700000302", "1700000303", "1700000306", '"x"'),
        "_condor_RESOURCE_CLUSTER": ("", "0", "2", "9", "4", "6", '"x"'),
        "_condor_RESOURCE_PROC": ("", "1", "7"),
    },
    "negotiator.ads": {"MyCurrentTime": ("", "1700000900", "1e30", '"x"')},
}
#: Texts of a whole file that is one value, or of the first line of another one.
_LINES: Final = {
    "capture.json": """\
x
[]
{}
{"ended": true}
{"ended": -1, "order": "as it came"}
{"ended": 1700000999}
{"ended": "1"}
{"missing": "x"}
{"missing": ["a", 5]}""",
    "expected.json": """\
{"x
[]
{}
{"matches": {}}
{"matches": [5]}
{"matches": [{"job": "1.0"}]}
{"matches": [], "rejections": 1}
{"rejections": [{"job": "1.0", "submitter": "a"}]}
{"cycle_started_at": true}
{"cycle_started_at": "x"}
{"cycle_started_at": 1e30}
{"cycle_started_at": NaN}
{"cycle_started_at": 0}
{"cycle_started_at": 5.5}
{"negotiator": 5}""",
    "groups.map": """\
*
* bob
x bob g
* /(/ g
* bob g,h
* BOB g
* /b.*/ h""",
    "condor_config": """\
A B
X = $(
@include none
UPDATE_INTERVAL = x
UPDATE_INTERVAL = 0
UPDATE_INTERVAL = 1
SCHEDD.SUBMIT_REQUIREMENT_NAMES = x
SCHEDD.JOB_TRANSFORM_NAMES = none
SCHEDD.CLASSAD_USER_MAPFILE_AssignAccountingGroup = other.map
ALLOW_PSLOT_PREEMPTION = True
NEGOTIATE_ALL_JOBS_IN_CLUSTER = True
GROUP_NAMES =
include : more
include command : date
LOCAL_CONFIG_FILE = /etc/x
USE_GLOBAL_JOB_PRIOS = True
SCHEDD_SLOT_WEIGHT = 3
STARTD_AD_REEVAL_EXPR = True""",
    "Accountantnew.log": "999 x\n105\n107",
}
#: What stands for the value of a line of the log.
_VALUES: Final = ("0", "-1", "2.75", '"x"', "error", "x y")
_FORMS: Final = ("json", "new", "xml", "gz", "blank", "crlf")


def cases() -> Iterator[tuple[str, str]]:
    """Which pool is changed, and how."""
    for pool, files in (("full", FULL), ("bare", BARE)):
        yield pool, ""
        for file in files:
            yield from ((pool, f"{file} {change}") for change in _changes_of(pool, file))


def _changes_of(pool: str, file: str) -> Iterator[str]:
    yield from ("gone", "empty", "twice")
    text = (POOL / file).read_text()
    if file.endswith(".ads"):
        yield from (f"as {form}" for form in _FORMS)
        yield from ("1 & Cpus = (1 +", "1 & what is this", "1 & =", '1 & Name = "a')
        for number, ad in enumerate(text.split("\n\n"), 1):
            present = {line.partition(" =")[0] for line in ad.splitlines()}
            yield from _of_ad(pool, number, _READ[file], present)
        return
    lines = text.splitlines()
    yield from (f"line 1 = {line}" for line in _LINES[file].splitlines())
    if file == "Accountantnew.log":
        for number, line in enumerate(lines, 1):
            yield f"line {number} ="
            if line.startswith("103 "):
                head = line.rpartition(" ")[0]
                texts = [text for i, text in enumerate(_VALUES) if i % 2 == number % 2]
                yield from (f"line {number} = {head} {text}" for text in texts)
    elif file == "condor_config":
        yield from (f"line {number} =" for number in range(1, len(lines) + 1))


def _of_ad(
    pool: str, n: int, read: Mapping[str, Sequence[str]], present: set[str]
) -> Iterator[str]:
    """The changes of an ad; each value is tried in some of the ads."""
    for name, texts in read.items():
        for i, text in enumerate(texts):
            if (n + i) % (5 if pool == "bare" else 3) == 0 and (text or name in present):
                yield f"{n} {name} = {text}".rstrip()


# --- their doing ----------------------------------------------------------------------------------


def _change(path: Path, how: str) -> None:
    text = path.read_text()
    if how == "gone":
        path.unlink()
    elif how == "empty":
        path.write_text("")
    elif how == "twice":
        path.write_text(f"{text}\n{text}")
    elif how.startswith("as "):
        path.write_bytes(_in_form(path, how[3:]))
    elif how.startswith("line "):
        place, _, new = how[5:].partition(" =")
        lines = text.splitlines()
        lines[int(place) - 1 : int(place)] = [new.strip()] if new else []
        # A file that is one value is replaced as a whole.
        whole = path.suffix == ".json"
        path.write_text((new.strip() if whole else "\n".join(lines)) + "\n")
    else:
        number, _, rest = how.partition(" ")
        ads = text.split("\n\n")
        ads[int(number) - 1] = _with(ads[int(number) - 1].strip("\n"), rest)
        path.write_text("\n\n".join(ads))


def _with(ad: str, change: str) -> str:
    """The text of an ad with another line."""
    if change.startswith("& "):
        return f"{ad}\n{change[2:]}\n"
    name, _, value = change.partition(" =")
    lines = [line for line in ad.splitlines() if line.partition(" =")[0] != name]
    return "\n".join([*lines, f"{name} ={value}"] if value else lines) + "\n"


def _in_form(path: Path, form: str) -> bytes:
    """The ads of a file in another form."""
    raw = path.read_bytes()
    if form == "gz":
        return gzip.compress(raw, mtime=0)
    if form == "crlf":
        return raw.replace(b"\n", b"\r\n")
    if form == "blank":
        return b"\n# a word\n\n" + raw.replace(b"\n\n", b"\n  \n\n# another\n")
    ads = list(read_ads(path))
    texts: dict[str, Any] = {
        "json": lambda: "[" + ",\n".join(map(format_json, ads)) + "]",
        "new": lambda: "{" + ",\n".join(map(format_new, ads)) + "}",
        "xml": lambda: "<classads>" + "\n".join(map(format_xml, ads)) + "</classads>",
    }
    found: str = texts[form]()
    return found.encode()


# --- what is read ---------------------------------------------------------------------------------


@cache
def _folder(pool: str) -> tuple[Path, TemporaryDirectory[str]]:
    """A folder with the files of a pool, which is gone when the program ends."""
    kept = TemporaryDirectory()
    folder = Path(kept.name) / "pool"
    folder.mkdir()
    for name in FULL if pool == "full" else BARE:
        (folder / name).write_text(_usual_text(pool, name))
    return folder, kept


def _usual_text(pool: str, name: str) -> str:
    text = (POOL / name).read_text()
    return text.replace(_MAP, "X") if pool == "bare" else text


def read(pool: str, change: str) -> tuple[list[str], list[str]]:
    """What is read of a pool, and what is said about it."""
    folder, _ = _folder(pool)
    name, _, how = change.partition(" ")
    if name:
        _change(folder / name, how)
    try:
        capture = read_capture(CapturePaths(folder))
    except InputError as problem:
        return ["nothing"], [_said(item, folder) for item in problem.diagnostics]
    finally:
        if name:
            (folder / name).write_text(_usual_text(pool, name))
    found = list(_lines(capture))
    if name in _COMPARED:
        found += _compared(capture)
    told = [_said(item, folder) for item in capture.diagnostics]
    return [line.replace(f"{folder}/", "") for line in found], told


def _said(problem: Diagnostic, folder: Path) -> str:
    lines = problem.render().replace(f"{folder}/", "").splitlines()
    return "\n".join(line[:160] for line in lines)


def _lines(capture: Capture) -> Iterator[str]:
    facts, snapshot = capture.facts, capture.snapshot
    yield f"pool: {facts.machines} machines, {facts.slots} slots, {facts.users} users"
    yield f"jobs: {facts.jobs}, {facts.idle_jobs} of them idle"
    yield f"now: {facts.now} {facts.now_from}"
    groups = [f"{group.name} {group.static_quota}" for group in capture.policy.groups]
    yield f"policy: {groups} {capture.policy.priority_halflife_seconds}"
    yield from (f"not honoured: {item}" for item in capture.unsupported)
    yield from (_slot(ad) for ad in snapshot.slots)
    for ad in snapshot.submitters:
        told = [ad.get_string("Name"), ad.get_string("ScheddName"), ad.get_string("ScheddIpAddr")]
        told += [ad.get_number("IdleJobs"), ad.get_number("WeightedIdleJobs")]
        yield f"submitter: {_words(told)} {whole.mark(str(ad))}"
    for queue in snapshot.queues:
        yield f"queue {queue.name}: {len(queue.jobs)} jobs, matched {sorted(queue.matched)}"
        for ad in queue.jobs:
            told = [ad.get_number("ClusterId"), ad.get_number("ProcId"), ad.get_string("User")]
            yield f"job: {_words([*told, ad.get_string('AccountingGroup')])} {whole.mark(str(ad))}"
    for record in changes(AccountantState(), snapshot.accountant):
        if record.words[-1] != "*":
            yield " ".join(record.words)
    yield f"previous quotas: {snapshot.previous_quotas}"
    for item in capture.assignments.assigned:
        yield f"assigned: {item.schedd} {item.before} {item.after} {item.place} {item.jobs}"
    for refusal in capture.assignments.refused:
        yield f"refused: {refusal.schedd} {refusal.submitter}, {refusal.why} {refusal.jobs}"


def _words(told: Sequence[object]) -> str:
    return " ".join("-" if item is None else str(item) for item in told)


def _slot(ad: ClassAd) -> str:
    told = [ad.get_string("Name"), *(ad.get_number(name) for name in _READ["slots.ads"])]
    return f"slot: {_words(told)} {whole.mark(str(ad))}"


_OF_COMPARED: Final = ("renewed", "agreement", "decision")


def _compared(capture: Capture) -> Iterator[str]:
    """The slots that are older than the cycle, and what sets ours apart from the real one."""
    expected = capture.expected
    if expected is None:
        return
    started = expected.cycle_started_at
    if started is not None:
        newer = renewed(capture.snapshot, started, capture.update_interval)
        yield f"renewed: {newer.slots}"
        yield from ("renewed " + _slot(ad) for ad in newer.snapshot.slots)
    result = negotiate(capture.snapshot, capture.policy, now=capture.facts.now, engine="reference")
    agreement = dated(compare(result, expected), capture.snapshot, started)
    yield f"agreement: {agreement.agreeing} of {agreement.expected}, {agreement.extra} more"
    for item in agreement.differences:
        ages = [f"{ad.what} {ad.name} {ad.there} {ad.older}" for ad in item.ads]
        yield f"decision {item.position}: {item.kind} {item.ours} {item.decision}, {ages}"


def answers() -> Iterator[str]:
    """What each change does."""
    for pool, change in cases():
        yield answer(pool, change)


@cache
def _usual(pool: str, compared: bool) -> tuple[list[str], list[str]]:
    found, said = read(pool, "")
    return found if compared else [
        line for line in found if not line.startswith(_OF_COMPARED)
    ], said


def answer(pool: str, change: str) -> str:
    """What differs from the pool without the change, and what is said besides."""
    compared = change.partition(" ")[0] in _COMPARED
    lines, told = _usual(pool, compared) if change else ([], [])
    found, said = read(pool, change)
    text = [f"{pool}: {change}".rstrip()[:160], *(f"  {line}" for line in _differing(lines, found))]
    text += [f"  no longer: {item.splitlines()[0]}" for item in told if item not in said]
    text += [f"  {line}" for item in said if item not in told for line in item.splitlines()]
    return "\n".join(text)


#: Of what differs more, only a mark is kept.
_MOST: Final = 5


def _differing(before: list[str], after: list[str]) -> list[str]:
    if not before or after == ["nothing"]:
        return after
    found = [line for line in unified_diff(before, after, lineterm="", n=0) if line[:2] != "@@"]
    shown, rest = found[2 : _MOST + 2], found[_MOST + 2 :]
    return [*shown, f"... {whole.mark(str(rest))}"] if rest else shown


def kept() -> list[str]:
    """The answers of the file."""
    return KEPT.read_text().rstrip("\n").split("\n\n")


if __name__ == "__main__":
    KEPT.write_text("\n\n".join(answers()) + "\n")
