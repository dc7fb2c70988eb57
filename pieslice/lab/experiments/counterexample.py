"""Makes a pool of the situation in which a policy breaks a property: a slot, its holder, who asks.

What submitters hold besides is a slot of their own that takes no job; quotas are static.

Inputs: a case of ``pieslice fuzz``.  Outputs: texts of files of a capture, how they are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from attr import evolve

from classad import ClassAd
from classad.files.ads import format_ad
from negotiator.io import CapturePaths
from pieslice.between.pool import show_claim, show_time
from pieslice.fuzzing.case import FuzzCase, Party
from pieslice.fuzzing.cycle import first_slot_ad, job_ad, others_of
from pieslice.inputs.moments import write_files
from pieslice.inputs.pool import PoolReading
from pieslice.inputs.sorting import Inputs
from pieslice.lab.texts import EditedTexts, PolicyFiles
from policy.versions import Followed

#: The configuration that is read after the policy: quotas of the case.
QUOTAS: Final = "counterexample.config"
#: What the page had after all files when it was searched.
_EDITED: Final = "edited.config"
_DOMAIN: Final = "pool"


def pool_files(case: FuzzCase) -> dict[str, str]:
    """The files of the pool by name."""
    texts = {
        "slots.ads": _ads(_slots(case)),
        "jobs.ads": _ads(_jobs(case)),
        "accounting.ads": _ads(_records(case)),
    }
    if case.quotas:
        texts[QUOTAS] = "".join(_quotas(case))
    return texts


def written(
    place: Path,
    files: Mapping[str, str],
    policy: PolicyFiles,
    texts: EditedTexts,
    *,
    version: Followed,
) -> PoolReading:
    """Write the files into a folder that they make: how they are read, with the policy searched.

    Its overlay is a file there, so that the page has one of its own.
    """
    files = dict(files)
    if texts.overlay.strip():
        files[_EDITED] = texts.overlay if texts.overlay.endswith("\n") else f"{texts.overlay}\n"
    write_files(place, files)
    own = policy.reading_with(evolve(texts, overlay="")).inputs.paths
    root = own.find("config")
    more = [place / name for name in (_EDITED, QUOTAS) if name in files]
    paths = CapturePaths(
        place,
        {} if root is None else {"config": root},
        overlays=(*own.overlays, *more),
        texts=own.texts,
        defines=own.defines,
        contents=own.contents,
    )
    return PoolReading(Inputs(paths), policy.now, version=version)


def _ads(ads: Iterator[ClassAd]) -> str:
    return "\n".join(map(format_ad, ads))


def _slots(case: FuzzCase) -> Iterator[ClassAd]:
    yield first_slot_ad(case)
    held = [(party.user, party.usage) for party in case.parties]
    held += [(others_of(group), usage) for group, usage in case.others.items()]
    for number, (user, weight) in enumerate(held, 1):
        if weight > 0:
            ad = ClassAd()
            ad.insert("MyType", "Machine")
            ad.insert("Name", f"slot1@held{number}")
            ad.insert("Requirements", False)
            ad.insert("SlotWeight", float(weight))
            ad.insert("Cpus", max(1, round(weight)))
            show_claim(ad, user, 0.0, "", case.now, case.now)
            show_time(ad, case.now)
            yield ad


def _jobs(case: FuzzCase) -> Iterator[ClassAd]:
    """The jobs of all who ask; the first party's runs on the slot, unless that is free."""
    for number, party in enumerate(case.parties, 1):
        ad = job_ad(party)
        ad.insert("MyType", "Job")
        ad.insert("ClusterId", number)
        ad.insert("ProcId", 0)
        running = number == 1 and not case.free
        for name, value in (("JobStatus", 2 if running else 1), ("JobUniverse", 5)):
            if running or name not in party.job:
                ad.insert(name, value)
        if "QDate" not in party.job:
            ad.insert("QDate", case.now)
        _name_user(ad, party)
        yield ad


def _name_user(ad: ClassAd, party: Party) -> None:
    """Say whose job it is, and of which group."""
    whole, _, domain = party.user.rpartition("@")
    group, _, user = whole.rpartition(".")
    ad.insert("User", f"{user}@{domain or _DOMAIN}")
    if group:
        ad.insert("AcctGroup", group)
        ad.insert("AcctGroupUser", user)
        ad.insert("AccountingGroup", whole)


def _records(case: FuzzCase) -> Iterator[ClassAd]:
    for party in case.parties:
        ad = ClassAd()
        ad.insert("MyType", "Accounting")
        ad.insert("Name", party.user)
        ad.insert("Priority", float(party.priority))
        ad.insert("PriorityFactor", 1.0)
        ad.insert("LastUpdate", case.now)
        ad.insert("LastHeardFrom", case.now)
        yield ad


def _quotas(case: FuzzCase) -> Iterator[str]:
    yield "# The quotas of the counterexample.\nNEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = true\n"
    for group, quota in case.quotas.items():
        if group != "<none>":
            yield f"GROUP_QUOTA_{group} = {quota:g}\n"
