"""Stands in for HTCondor's bindings in tests: answers from a record of a real pool.

``RECORDED_POOL`` names the record, a file that ``tests/live/record.py`` made, or a folder with one
named ``pool.json`` and, beside it, ``state``: the number of the state that the pool is in.  Asking
for a cycle puts it into the next one.  ``trouble`` in the record says which daemons misbehave.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

PLACE = Path(os.environ["RECORDED_POOL"])
WORD = re.compile(r"[A-Za-z_]\w*")
#: What a collector sends whether it was asked for or not, and what nobody may store.
UNASKED = 'ClaimId = "<10.0.0.1:9618>#1795395214#23#secret"'

param: dict[str, str] = {"COLLECTOR_HOST": "cm.campus.example"}
AdType = SimpleNamespace(Any="Any", Negotiator="Negotiator")


def version() -> str:
    return "$CondorVersion: 25.14.1 recorded $"


class Literal(str):
    """The text of a value."""


class ClassAd:
    """An ad in long form."""

    def __init__(self, text: str = "") -> None:
        lines = (line.partition(" = ") for line in text.splitlines())
        self.values = {name: value for name, _, value in lines}

    def __setitem__(self, name: str, value: str) -> None:
        self.values[name] = value if isinstance(value, Literal) else f'"{value}"'

    def __getitem__(self, name: str) -> Any:
        value = self.values[name]
        return Literal(value) if isinstance(value, str) else value

    def keys(self) -> list[str]:
        return list(self.values)

    def text(self, name: str) -> str:
        return self.values.get(name, "").strip('"')

    def projected(self, names: Sequence[str], *, closed: bool) -> ClassAd:
        """The ad with some attributes; ``closed``: and what is mentioned in them."""
        if not names:
            return self
        found = ClassAd()
        todo = {name.lower() for name in names}
        while todo:
            more = {k: v for k, v in self.values.items() if k.lower() in todo}
            found.values |= more
            words = {word.lower() for v in more.values() for word in WORD.findall(v)}
            todo = words - {name.lower() for name in found.values} if closed else set()
            todo &= {name.lower() for name in self.values}
        return found

    def printOld(self) -> str:  # noqa: N802 - the name that the bindings have
        return "".join(f"{name} = {value}\n" for name, value in self.values.items())


classad = SimpleNamespace(ClassAd=ClassAd)


def record() -> dict[str, Any]:
    path = PLACE / "pool.json" if PLACE.is_dir() else PLACE
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)


def state() -> dict[str, Any]:
    """The record as of now."""
    whole = record()
    number = PLACE / "state"
    at = int(number.read_text()) if PLACE.is_dir() and number.exists() else 0
    return {**whole, **whole["states"][min(at, len(whole["states"]) - 1)]}


def ads(text: str) -> Iterator[ClassAd]:
    return (ClassAd(block) for block in text.strip("\n").split("\n\n") if block)


def behave(name: str) -> dict[str, Any]:
    """The record, unless a daemon is one that does not answer."""
    now = state()
    trouble = now.get("trouble", {}).get(name)
    if trouble == "hang":
        time.sleep(60)
    elif trouble == "end":
        os._exit(1)
    elif trouble == "meet":
        # Two daemons that only answer while both are asked.
        (PLACE / f"met {name}").touch()
        end = time.monotonic() + 20
        while len(list(PLACE.glob("met *"))) < 2:
            if time.monotonic() > end:
                raise OSError("asked alone")
            time.sleep(0.02)
    elif trouble is not None:
        raise OSError(trouble)
    return now


class Collector:
    def __init__(self, pool: str | ClassAd) -> None:
        self.pool = pool
        if not isinstance(pool, str):
            return
        if pool.partition(":")[0] != "cm.campus.example":
            raise OSError("Failed communication with collector.")

    def query(self, kind: str, constraint: str | None, names: Sequence[str]) -> list[ClassAd]:
        if kind == AdType.Negotiator:
            return [ad.projected(names, closed=False) for ad in ads(behave("negotiator")["direct"])]
        types = re.findall(r'"(\w+)"', constraint or "")
        found = [ad for ad in ads(behave("collector")["ads"]) if ad.text("MyType") in types]
        found = [ad.projected(names, closed=True) for ad in found]
        for ad in found:
            ad.values.update(ClassAd(UNASKED).values)
        return found


class Schedd:
    def __init__(self, ad: ClassAd) -> None:
        self.name = ad.text("Name")

    def query(self, constraint: str, names: Sequence[str]) -> list[ClassAd]:
        jobs = behave(self.name)["jobs"].get(self.name, "")
        return [ad.projected(names, closed=False) for ad in ads(jobs)]

    def get_claims(self, constraint: str, names: Sequence[str]) -> list[ClassAd]:
        claims = behave(f"claims of {self.name}")["claims"].get(self.name, "")
        return [ad.projected(names, closed=False) for ad in ads(claims)]

    def reschedule(self) -> None:
        behave("cycle")
        number = PLACE / "state"
        at = int(number.read_text()) if number.exists() else 0
        number.write_text(str(at + 1))


class Negotiator:
    def __init__(self, ad: ClassAd) -> None:
        self.ad = ad

    def getPriorities(self) -> list[ClassAd]:  # noqa: N802 - the name that the bindings have
        now = behave("priorities")
        numbered = ClassAd()
        for number, ad in enumerate(ads(now["priorities"]), 1):
            for name, value in ad.values.items():
                numbered.values[f"{name}{number}"] = value
        copies = re.findall(r"^LastUpdate = (\d+)$", now["ads"], re.MULTILINE)
        update = now.get("updated") or max(map(int, copies), default=None)
        if update is not None:
            numbered.values["LastUpdate"] = str(update)
        numbered.values["NumSubmittors"] = str(now["priorities"].count("Name = "))
        return list(_convert_numbered_attributes_to_list_of_ads(numbered))


def _convert_numbered_attributes_to_list_of_ads(numbered: ClassAd) -> list[ClassAd]:
    """As the bindings of 25.14.1 do it: only the last digit counts as the number."""
    found: dict[str, ClassAd] = {}
    for name in numbered.values:
        match = re.match(r"(.*)(\d+)", name)
        if match is not None:
            found.setdefault(match[2], ClassAd())[match[1]] = numbered[name]
    return list(found.values())


def ping(ad: ClassAd, right: str) -> ClassAd:
    """What the record has for a right; who has it otherwise has it."""
    said = record().get("ping", {}).get(right, "AuthorizationSucceeded = true")
    if said is None:
        raise OSError("Failed to start command.")
    found = ClassAd(said)
    found.values = {name: json.loads(value) for name, value in found.values.items()}
    return found


def RemoteParam(ad: ClassAd) -> dict[str, str]:  # noqa: N802 - the name that the bindings have
    return dict(behave(f"configuration of {ad.text('Name')}")["params"][ad.text("Name")])
