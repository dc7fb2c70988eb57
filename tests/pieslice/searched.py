"""Asks ``pieslice fuzz`` about small policies: what it tries, what it draws, what it finds.

``python -m tests.pieslice.searched`` writes the answers to ``answered/fuzz.txt`` anew.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from classad.files.ads import read_ads
from pieslice.cli import main
from pieslice.fuzzing.agreement import word
from pieslice.fuzzing.case import Case, Party
from pieslice.fuzzing.choose import Named, NoSuchProperty, chosen
from pieslice.fuzzing.sample import draw_sample
from pieslice.fuzzing.schema import Schema, built_in, learn
from pieslice.fuzzing.study import Intent, study_of, value_text
from pieslice.inputs.configuration import Reader, read_configuration

ROOT: Final = Path(__file__).parents[2]
KEPT: Final = Path(__file__).parent / "answered" / "fuzz.txt"
POLICIES: Final = ROOT / "examples" / "policies"

_GROUPS: Final = "GROUP_NAMES = g, h\nGROUP_QUOTA_g = 4\nGROUP_QUOTA_DYNAMIC_h = 0.3\n"
_P: Final = "PREEMPTION_REQUIREMENTS = "
#: Policies, and further words of the command line.
MADE: Final = (
    (_P + "RemoteUserPrio > SubmitterUserPrio * 1.5 && TotalJobRunTime > 7200\n", "--margin 50"),
    (_P + "RemoteUserPrio > SubmitterUserPrio * 1.5 && TotalJobRunTime > 7200\n", "--margin 51"),
    (_P + "TotalJobRunTime > 7199\n", "--min-run-time 7200 --property guard"),
    (_P + "TotalJobRunTime >= 600 && RemoteUserPrio - SubmitterUserPrio > 5\n", "--margin 0"),
    (_P + "MY.EnteredCurrentState < time() - 600 && RemoteUserPrio > 20\n", ""),
    (_P + "time() - JobStart > 1800 && SubmitterUserPrio * 2 < RemoteUserPrio\n", ""),
    (_P + "TARGET.NiceUser =!= True && MY.Cpus >= 4 && MY.Department == \"physics\"\n", ""),
    (_P + "stringListMember(TARGET.Owner, \"ann, bob\") && Memory > 2000\n", ""),
    (_P + "RemoteUserPrio > SubmitterUserPrio * (Cpus > 8 ? 2 : 1.1)\n", "--property margin"),
    (_P + "RemoteUserPrio > SubmitterUserPrio\nPREEMPTION_RANK = -TotalJobRunTime / Cpus\n", ""),
    (_P + "False\nNEGOTIATOR_PRE_JOB_RANK = KFlops / (LoadAvg - 0.5)\n", ""),
    (_P + "False\nNEGOTIATOR_POST_JOB_RANK = ifThenElse(HasGpu, 1, \"no\")\n", ""),
    ("START = TARGET.RequestMemory <= MY.Memory && TARGET.ImageSize < 30000\n", ""),
    ("START = (KeyboardIdle > 900) || TARGET.WantIdle\n", "--knob START"),
    ("START = TARGET.QDate > 1699990000 && ClockMin < 480\nRANK = TARGET.JobPrio * 10\n", ""),
    ("RANK = (TARGET.Owner == \"ann\") * 10 + (TARGET.AcctGroup =?= \"physics\")\n", ""),
    ("RANK = TARGET.Urgent\n" + _P + "MY.Rank < 5\n", "--property no-thrash"),
    ("SYSTEM_PERIODIC_REMOVE = NumJobStarts > 5 || DiskUsage / NumHolds > 10\n", ""),
    ("SYSTEM_PERIODIC_HOLD = RemoteWallClockTime > MaxRuntime && JobStatus == 2\n", ""),
    ("SYSTEM_PERIODIC_RELEASE = HoldReasonCode == 13 && time() - EnteredCurrentStatus > 60\n", ""),
    (_GROUPS + _P + "RemoteGroupResourcesInUse > RemoteGroupQuota * 1.1\n", ""),
    (_GROUPS + _P + "SubmitterGroupResourcesInUse < SubmitterGroupQuota\n", ""),
    (_GROUPS + _P + "SubmitterGroup != RemoteGroup && RemoteUserPrio > 100\n", ""),
    (
        _GROUPS
        + _P
        + "(SubmitterGroupResourcesInUse + SlotWeight <= SubmitterGroupQuota && "
        "RemoteGroupResourcesInUse > RemoteGroupQuota) || "
        "(SubmitterGroup =?= RemoteGroup && RemoteUserPrio > "
        "SubmitterUserPrio * 1.3)\n",
        "--margin 25",
    ),
    (_GROUPS + "GROUP_SORT_EXPR = GroupQuota / GroupResourcesInUse\n" + _P + "False\n", ""),
    (_GROUPS + _P + "TARGET.Owner == \"ann\"\n", "--property quota-safe --property total"),
    (_P + "RemoteUserPrio > 2 && SubmitterUserPrio < 9\n", "--property monotone:RemoteUserPrio"),
    (
        _P + "Memory % 2048 == 0 && Cpus > 3\n",
        "--property monotone:Cpus --property monotone:-Memory",
    ),
    (_P + "Memory > 2048\nPREEMPTION_RANK = random(3)\n", "--property stable-declared"),
    (_P + "time() % 2 == 0\nPREEMPTION_REQUIREMENTS_STABLE = True\n", "--property stable-declared"),
    (
        _P + "RemoteUserPrio > SubmitterUserPrio\nPREEMPTION_RANK = 1\n",
        "--property 'holds:Verdict != \"priority\" || RunTime > 60'",
    ),
    (
        "START = TARGET.RequestCpus > 1\n",
        "--property 'holds:MY.Cpus > 1 && TARGET.RequestCpus < 16'",
    ),
    (_P + "Cpus > 4\nSTARTD_ATTRS = Site\nSite = \"north\"\n", "--property same:other"),
    (_P + "Cpus > 3\nRANK = TARGET.JobPrio\nPREEMPTION_RANK = 2\n", "--property same:other"),
    (_P + "Site == \"north\"\nSTARTD_ATTRS = Site\nSite = \"north\"\n", ""),
    (_P + "MY.Bonus > 3 && TARGET.Bonus < 3\nSTARTD_JOB_ATTRS = Bonus, NiceUser\n", ""),
    ("NEGOTIATOR_CONSIDER_PREEMPTION = False\n" + _P + "True\nRANK = TARGET.JobPrio\n", ""),
    ("NEGOTIATOR_INTERVAL = 20\nPRIORITY_HALFLIFE = 100\n" + _P + "RemoteUserPrio > 3\n", ""),
    (_P + "RemoteUserPrio > SubmitterUserPrio * 1.2 && Cpus > 1 && WantGpu\n", "--pool pool"),
    ("START = TARGET.Shape == MY.Shape && Sites =?= undefined\n", "--pool pool --json"),
    (_P + "TotalJobRunTime > 3600 || RemoteUserPrio > 30\n", "--json"),
)  # fmt: skip
_OTHER: Final = _P + 'Cpus >= 4\nSTARTD_ATTRS = Site\nSite = "south"\nPREEMPTION_RANK = 3\n'


def _pool() -> dict[str, str]:
    """A captured pool with values of all kinds."""
    slots, jobs = [], []
    for number in range(15):
        ad = f'Name = "s{number}"\nCpus = {number % 5 + 1}\nMemory = {1000 + 37 * number}\n'
        ad += f"Shape = {'round' if number % 2 else 'Cpus * 2'!r}\n".replace("'", '"')
        ad += "Load = Cpus / 4.0\nNear = TARGET.Site == Machine\nBroken = 1 / 0\n"
        ad += f"Sites = {{ 1, {number} }}\nWhole = {'true' if number % 3 else 'false'}\n"
        ad += f"Big = {'x' * (number % 2)}{number * 10.5}\n" if number % 2 == 0 else ""
        slots.append(ad)
        job = f'ClusterId = {number}\nOwner = "u{number % 4}"\nRequestCpus = {number % 3 + 1}\n'
        job += "WantGpu = RequestCpus > 1\n" if number < 9 else ""
        job += f'Shape = "{"round" if number % 2 else "flat"}"\n'
        jobs.append(job)
    return {"pool/slots.ads": "\n".join(slots), "pool/jobs.ads": "\n".join(jobs)}


#: What is drawn from where a policy names no number; told of others only.
_USUAL: Final = {
    "sizes": "1 0.5 10 100 1000 10000",
    "ratios": "1 1.0001 1.001 1.01 1.1 2 10 1.2 1.20012 1.1988",
    "usage": "0 1 2 4 5 16 100",
    "seconds": "0 1 60 600 86400",
}
#: A number in which the last digits may be of the machine.
_LONG: Final = re.compile(r"\d+\.\d{9,}")


class Question(NamedTuple):
    """A policy to search, by text or by its file among the examples."""

    name: str
    text: str
    words: tuple[str, ...]


def questions() -> list[Question]:
    """What is asked."""
    found = []
    for path in sorted(POLICIES.glob("*/*")):
        text = path.read_text(encoding="utf-8")
        found.append(Question(path.name, text, ()))
    for number, (text, words) in enumerate(MADE):
        found.append(Question(f"made {number}", text, tuple(shlex.split(words))))
    return found


def answer(question: Question) -> str:
    """What is tried, drawn and found."""
    before = Path.cwd()
    out, err = io.StringIO(), io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for name, text in {"policy": question.text, "other": _OTHER, **_pool()}.items():
                Path(name).parent.mkdir(exist_ok=True)
                Path(name).write_text(text, encoding="utf-8")
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                words = ["fuzz", "policy", "--examples", "2000", "--seed", "7", "--width", "100"]
                status = main([*words, *question.words])
            lines = [f"==> {question.name} {shlex.join(question.words)}".rstrip()]
            lines += [f"  | {line}" for line in question.text.splitlines() if line[:1] != "#"]
            lines += _tried(question)
        finally:
            os.chdir(before)
    lines += [out.getvalue() + err.getvalue() + f"status {status}"]
    return _LONG.sub(lambda found: f"{float(found[0]):.9g}", "\n".join(lines)) + "\n"


def _tried(question: Question) -> Iterator[str]:
    """The study, and one small sample of it."""
    schema = built_in()
    if "--pool" in question.words:
        slots, jobs = (list(read_ads(f"pool/{name}.ads")) for name in ("slots", "jobs"))
        schema = learn(slots, jobs, "pool")
        yield from _attributes(schema)
    study = study_of(read_configuration("policy", Reader()), schema, Intent())
    yield f"run time {study.intent.min_run_time}, pauses {study.intent.pauses}"
    for subject in study.subjects:
        claimed = ", claimed" * subject.claimed
        yield f"{subject.macro}: {subject.where.name} {subject.wanted.name}{claimed}"
    for side, domains in (("slot", study.domains.slot), ("job", study.domains.job)):
        for name, values in domains.items():
            yield f"{side} {name}: {' '.join(map(value_text, values))}"
    for what, usual in _USUAL.items():
        shown = " ".join(f"{value:.9g}" for value in getattr(study.domains, what))
        if shown != usual:
            yield f"{what}: {shown}"
    with contextlib.suppress(NoSuchProperty):
        yield f"usual: {' '.join(test.title() for test in chosen(study, (), Named()))}"
    sample = draw_sample(study, Random(question.name), 4)
    yield f"others {_pairs(sample.others)}, quotas {_pairs(sample.cases[0].quotas)}"
    yield f"people {'; '.join(map(_party, sample.people[:4]))}"
    for column in (0, 3):
        yield f"case {_case(sample.case(column, column))}"
    for subject in study.pairs():
        rows = sample.values(subject.tree)
        shown = (" ".join(value_text(value) for value in row) for row in rows)
        yield f"{subject.macro}: {' | '.join(shown)}"
    table = [[word(sample.verdict(row, column)) for column in range(4)] for row in range(4)]
    yield f"verdicts {' | '.join(map(' '.join, table))}"


def _attributes(schema: Schema, word: str = "learnt ") -> Iterator[str]:
    for side, known in (("slot", schema.slot), ("job", schema.job)):
        for found in known.values():
            missing = ", or none" * found.missing
            yield f"{word}{side} {found.name}: {' '.join(map(value_text, found.values))}{missing}"


def usual() -> str:
    """What slots and jobs look like where no pool is named."""
    return "\n".join(["==> what is built in", *_attributes(built_in(), ""), ""])


def _pairs(values: Any) -> str:
    return " ".join(f"{name}={value:g}" for name, value in values.items())


def _party(party: Party) -> str:
    job = " ".join(f"{name}={value_text(value)}" for name, value in party.job.items())
    return f"{party.user} {party.priority:.9g} {party.usage:g} {job}".rstrip()


def _case(case: Case) -> str:
    slot = " ".join(f"{name}={value_text(value)}" for name, value in case.slot.items())
    times = f"{case.run_time}/{case.claim_age}/{case.pause}{' free' * case.free}"
    return f"{times} {_pairs(case.others)} [{slot}] {'; '.join(map(_party, case.parties))}"


def kept() -> dict[str, str]:
    """The answers that are kept, by name."""
    parts = KEPT.read_text(encoding="utf-8").removesuffix("\n")[4:].split("\n==> ")
    whole = (f"==> {part}\n" for part in parts)
    names = [*(it.name for it in questions()), "built in"]
    return dict(zip(names, whole, strict=True))


if __name__ == "__main__":
    KEPT.write_text("".join([*map(answer, questions()), usual()]), encoding="utf-8")
