"""Stands in for HTCondor's tools in tests: prints what a record of a real pool has, sorted."""

from __future__ import annotations

import itertools
import sys

from htcondor2 import Collector, Negotiator, RemoteParam, Schedd, classad


def located(name: str) -> classad.ClassAd:
    ad = classad.ClassAd()
    ad["Name"] = name
    return ad


def main(tool: str, words: list[str]) -> None:
    after = dict(itertools.pairwise(words))
    names = after.get("-attributes", "").split(",") if "-attributes" in after else []
    if tool == "condor_version":
        print("$CondorVersion: 25.14.1 recorded $")
    elif tool == "condor_config_val":
        for name, value in RemoteParam(located(after["-name"])).items():
            if value != "Not defined":
                print(f"{name} = {value}")
    else:
        if tool == "condor_userprio":
            ads = Negotiator(located("")).getPriorities()
        elif tool == "condor_q":
            ads = Schedd(located(after["-name"])).query("true", names)
        else:
            kind = "Negotiator" if "-direct" in after else "Any"
            ads = Collector("cm.campus.example").query(kind, after.get("-constraint"), names)
        print("\n".join(sorted(ad.printOld() for ad in ads)))


main(sys.argv[1], sys.argv[2:])
