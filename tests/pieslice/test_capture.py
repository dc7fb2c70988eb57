"""`pieslice capture`, against bindings that answer from the record of a real pool."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from classad import ClassAd
from negotiator.io import CapturePaths, read_capture
from pieslice.cli import main
from pieslice.live import daemons
from pieslice.live.capture import read
from pieslice.live.daemons import Bindings, DaemonError, Daemons, Located, Reply, why_refused
from pieslice.live.names import WantedAttributes, expressions, is_secret, names_in, temporary
from pieslice.live.taking import Memory, _Course, take
from tests.pieslice.test_schemas import validate

Place = Callable[..., Path]
POOL = "cm.campus.example"
#: What users pass to their jobs, as the record has it.
PRIVATE = ("secret-environment", "/bin/sleep", "/mnt/home", "Environment", "Args", "Iwd")


def capture(folder: Path, *options: str) -> int:
    return main(["capture", POOL, str(folder), *options])


def trouble(**of: str) -> Callable[[dict[str, Any]], object]:
    return lambda whole: whole.update(trouble={name.replace("_", " "): v for name, v in of.items()})


def errors(capsys: pytest.CaptureFixture[str]) -> str:
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


# --- what is read -----------------------------------------------------------------------------


def test_a_capture_is_a_pool(
    recorded: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(lambda whole: whole["params"]["s2@live.test"].update(whole["params"]["s1@live.test"]))
    folder = tmp_path / "now"
    assert capture(folder) == 0
    out = capsys.readouterr().out
    assert "15 slots, 5 submitters, 34 jobs" in out
    assert "2 of 2 schedds answered" in out
    assert main(["negotiate", str(folder), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert len(answer["matches"]) == 15
    manifest = json.loads((folder / "capture.json").read_text())
    assert manifest["missing"] == []
    assert manifest["began"] < manifest["ended"]
    assert manifest["versions"]["cm.live.test"].startswith("$CondorVersion: 25.14.1")
    assert answer["now"] == pytest.approx(manifest["ended"], abs=0.01)


def test_the_order_is_that_of_the_collector(recorded: Place, tmp_path: Path) -> None:
    recorded()
    folder = tmp_path / "now"
    capture(folder)
    found = read(folder)
    for part, ads in (
        ("slots", read_capture(CapturePaths(folder)).snapshot.slots),
        ("submitters", read_capture(CapturePaths(folder)).snapshot.submitters),
    ):
        names = [ad.get_string("Name") for ad in found.ads(part)]
        assert [ad.get_string("Name") for ad in ads] == names
        assert names != sorted(filter(None, names))
    # Without a manifest the order of the file is taken for that of first hearing.
    (folder / "capture.json").unlink()
    slots = read_capture(CapturePaths(folder)).snapshot.slots
    assert [ad.get_string("Name") for ad in slots] != [
        ad.get_string("Name") for ad in found.ads("slots")
    ]


def test_what_users_pass_to_jobs_and_claim_ids_stay_out(recorded: Place, tmp_path: Path) -> None:
    place = recorded()
    text = (place / "pool.json").read_text()
    assert all(word in text for word in PRIVATE)
    for options in ((), ("--all",)):
        folder = tmp_path / f"now{len(options)}"
        capture(folder, *options)
        for path in folder.iterdir():
            text = path.read_text()
            assert not [word for word in PRIVATE if word in text], path
            assert not [name for name in re.findall(r"\w+", text) if is_secret(name)], path
            assert "#23#secret" not in text


def test_what_the_policy_mentions_is_asked_for(recorded: Place, tmp_path: Path) -> None:
    recorded(
        lambda whole: whole["params"]["cm.live.test"].update(
            PREEMPTION_RANK="ifThenElse(TARGET.Environment =?= undefined, 0, 1)"
        )
    )
    folder = tmp_path / "now"
    capture(folder)
    jobs = (folder / "jobs.ads").read_text()
    assert "Environment = " in jobs
    assert "Iwd = " not in jobs


def test_what_start_vanilla_universe_mentions_is_asked_for(recorded: Place, tmp_path: Path) -> None:
    rule = "JOB.Iwd =!= undefined && SLOT.Node =!= 1"
    recorded(lambda whole: whole["params"]["s1@live.test"].update(START_VANILLA_UNIVERSE=rule))
    folder = tmp_path / "now"
    capture(folder)
    assert "Iwd = " in (folder / "jobs.ads").read_text()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("TARGET.Memory >= RequestMemory", {"Memory", "RequestMemory"}),
        ('JOB.Kind =!= "b" && SLOT.Node =!= 1', {"JOB", "Kind", "SLOT", "Node"}),
        ("1 +", set()),
    ],
)
def test_attributes_of_ads_that_an_expression_names_are_asked_for(
    text: str, names: set[str]
) -> None:
    assert set(names_in(text)) == names


def record_of(name: str, **values: object) -> str:
    """An accounting record as the negotiator tells it."""
    told = {"Priority": 500.0, "PriorityFactor": 1000.0, "ResourcesUsed": 0, **values}
    return f'Name = "{name}"\n' + "".join(f"{name} = {value}\n" for name, value in told.items())


def accounting(folder: Path) -> dict[str, ClassAd]:
    capture(folder)
    return {ad.get_string("Name") or "": ad for ad in read(folder).ads("accounting")}


@pytest.mark.slow
@pytest.mark.parametrize("count", [9, 10, 28, 200])
def test_all_accounting_records_are_read(count: int, recorded: Place, tmp_path: Path) -> None:
    names = [f"user{number}@live.test" for number in range(count)]
    told = [
        record_of(name, PriorityFactor=1000.0 + number, WeightedResourcesUsed=float(number))
        for number, name in enumerate(names)
    ]
    recorded(lambda whole: whole["states"][0].update(priorities="\n".join(told), updated=1234))
    found = accounting(tmp_path / "now")
    assert set(names) <= set(found)
    for number, name in enumerate(names):
        values = {
            what: found[name].get_number(what)
            for what in ("PriorityFactor", "WeightedResourcesUsed", "LastUpdate", "Priority")
        }
        assert values == {
            "PriorityFactor": 1000 + number,
            "WeightedResourcesUsed": number,
            "LastUpdate": 1234,
            "Priority": 500,
        }


def test_a_record_is_the_negotiators_with_its_time_and_no_older_copy_is_mixed_in(
    recorded: Place, tmp_path: Path
) -> None:
    """The collector keeps the copy of a submitter who has no jobs any more as it was."""

    def change(whole: dict[str, Any]) -> None:
        state = whole["states"][0] = whole["states"][2]
        copy = 'Name = "{}"\nMyType = "Accounting"\nPriority = 900000.0\n{}LastUpdate = {}\n'
        used = "ResourcesUsed = 7\nUnchargedTime = -5\n"
        state["updated"] = 2000
        state["ads"] += "\n".join(
            (
                *("", copy.format("old@x", used, 1000), copy.format("new@x", used, 2000)),
                copy.format("gone@x", used, 2000),
                copy.format("old@x", 'NegotiatorName = "another"\n', 2000),
            )
        )
        state["priorities"] = "\n".join((record_of("old@x"), record_of("new@x")))

    recorded(change)
    found = accounting(tmp_path / "now")
    names = ("Priority", "ResourcesUsed", "LastUpdate", "UnchargedTime")
    told = {
        name: tuple(ad.get_number(what) for what in names)
        for name, ad in found.items()
        if name.endswith("@x")
    }
    # A copy as of the same time may have what the negotiator does not tell.
    assert told == {"old@x": (500, 0, 2000, None), "new@x": (500, 0, 2000, -5)}


def test_a_factor_that_was_set_after_the_last_cycle_counts(recorded: Place, tmp_path: Path) -> None:
    def change(whole: dict[str, Any]) -> None:
        state = whole["states"][2]
        whole["states"] = [state]
        state["priorities"] = state["priorities"].replace(
            "PriorityFactor = 1000.0", "PriorityFactor = 4000.0"
        )

    recorded(change)
    users = [ad for name, ad in accounting(tmp_path / "now").items() if "@" in name]
    assert users
    for ad in users:
        assert ad.get_number("PriorityFactor") == 4000.0
        assert (ad.get_number("LastUpdate") or 0) > 1.7e9


def test_configurations_are_read_again_only_after_a_reconfiguration(recorded: Place) -> None:
    place = recorded()
    memory = Memory()
    with Bindings(POOL) as daemons:
        take(daemons, memory)
        first = daemons.questions
        take(daemons, memory)
        second = daemons.questions - first
        assert second < first
        text = (place / "pool.json").read_text()
        (place / "pool.json").write_text(
            text.replace("DaemonLastReconfigTime = 1", "DaemonLastReconfigTime = 2")
        )
        take(daemons, memory)
        assert daemons.questions - first - second > second


def test_macros_with_dots_are_kept(recorded: Place, tmp_path: Path) -> None:
    recorded()
    folder = tmp_path / "now"
    capture(folder)
    config = (folder / "condor_config").read_text()
    assert "\nGROUP_QUOTA_DYNAMIC_group_a.sub = 0.5\n" in config
    assert "Not defined" not in config
    pool = read_capture(CapturePaths(folder))
    assert {group.name for group in pool.policy.groups} >= {"group_a.sub", "group_b"}


def test_a_value_of_several_lines_stays_one(recorded: Place, tmp_path: Path) -> None:
    recorded(lambda whole: whole["params"]["cm.live.test"].update(PREEMPTION_RANK="1 +\n  Cpus"))
    folder = tmp_path / "now"
    capture(folder)
    assert "PREEMPTION_RANK @=end\n1 +\n  Cpus\n@end\n" in (folder / "condor_config").read_text()


def test_expressions_are_told_from_plain_values() -> None:
    text = 'A = 1\nB = "x"\nC = -2.5\nD = true\nE = Cpus * 2\nF = "a" + Name\nG = {1, X}\n'
    assert list(expressions(text)) == ["Cpus * 2", '"a" + Name', "{1, X}"]
    wanted = WantedAttributes()
    assert wanted.learn_ads(text)
    assert {"Cpus", "Name", "X"} <= set(wanted.of_jobs())
    assert not wanted.learn_ads(text)
    wanted.learn(["ClaimId =!= undefined"])
    assert "ClaimId" not in wanted.of_jobs()


def test_names_of_secrets_are_told_from_names_that_contain_theirs() -> None:
    for secret in ("ClaimId", "ChildClaimIds", "claimidlist", "PublicClaimId", "ClaimId12"):
        assert is_secret(secret), secret
    for secret in ("Capability", "_condor_PrivRemoteAdminCapability", "TransferKey"):
        assert is_secret(secret), secret
    for known in ("KeepClaimIdle", "GPUsMinCapability", "CUDACapability", "RequireGPUs"):
        assert not is_secret(known), known
    assert "KeepClaimIdle" in WantedAttributes().of_jobs()


def test_an_anonymous_capture_is_the_same_pool(
    recorded: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(whole: dict[str, Any]) -> None:
        whole["states"] = whole["states"][1:]
        text = json.dumps(whole["states"]).replace("carol", "carol.von.aachen")
        whole["states"] = json.loads(text)

    recorded(change)
    plain, masked = tmp_path / "plain", tmp_path / "masked"
    capture(plain)
    capture(masked, "--anonymize")
    names = ("alice", "bob", "carol", "aachen", "dave", "erin", "live.test", "127.0.0.1", "/mnt")
    assert all(name in (plain / "jobs.ads").read_text() for name in names[:4])
    for path in masked.iterdir():
        text = path.read_text()
        assert not [name for name in names if name in text], path
        assert not re.search(r"\bn[1-5]\b|\bs[12]\b", text), path
    capsys.readouterr()
    found = []
    for folder in (plain, masked):
        assert main(["negotiate", str(folder), "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        found.append([(match["job"], match["cost"], match["kind"]) for match in answer["matches"]])
        assert "group_b." in json.dumps(answer)
    assert found[0] == found[1] != []


@pytest.mark.slow
def test_a_capture_from_tools_says_what_it_loses(
    recorded: Place,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    recorded()
    tools = Path(__file__).parents[1] / "live" / "recorded" / "tools.py"
    for name in ("version", "status", "q", "config_val", "userprio"):
        script = tmp_path / f"condor_{name}"
        script.write_text(f'#!/bin/sh\nexec {sys.executable} {tools} condor_{name} "$@"\n')
        script.chmod(0o755)
    folders = [tmp_path / "bound", tmp_path / "printed"]
    capture(folders[0])
    with monkeypatch.context() as changed:
        changed.setenv("PATH", str(tmp_path), prepend=os.pathsep)
        assert capture(folders[1], "--from-tools") == 1
    assert "no tool lists them" in " ".join(capsys.readouterr().out.split())
    bound, printed = map(read, folders)
    assert printed.manifest["order"] == "sorted"
    for part in ("slots", "submitters", "schedds", "jobs"):
        told = [sorted(ad.get_string("Name") or "" for ad in x.ads(part)) for x in (bound, printed)]
        assert told[0] == told[1]
    configs = [x.config.partition("# of the schedd")[0] for x in (bound, printed)]
    assert configs[0] == configs[1] != ""
    assert "ClaimId" not in "".join(printed.parts.values())
    assert main(["negotiate", str(folders[1]), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["matches"]) == 15
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    assert capture(tmp_path / "third", "--from-tools") == 2
    assert capsys.readouterr().err == ("error: condor_version: there is no such tool here\n")


# --- jobs that have a match already -----------------------------------------------------------


def claimed(folder: Path, *claims: dict[str, object]) -> set[tuple[int, int]]:
    texts = [
        "".join(f"{n} = {v!r}\n".replace("'", '"') for n, v in claim.items()) for claim in claims
    ]
    (folder / "claims.ads").write_text("\n".join(texts))
    queues = read_capture(CapturePaths(folder)).snapshot.queues
    return {number for queue in queues for number in queue.matched}


def request(slot: str, cluster: int, proc: int) -> dict[str, object]:
    return {
        "Name": slot,
        "State": "Unclaimed",
        "ScheddName": "s1@live.test",
        "_condor_RESOURCE_CLUSTER": cluster,
        "_condor_RESOURCE_PROC": proc,
    }


def test_jobs_with_a_match_are_not_offered(
    recorded: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded()
    folder = tmp_path / "now"
    capture(folder)
    # Two claims name the first job of their request; two jobs have one, whichever they are.
    text = (folder / "jobs.ads").read_text()
    clusters = re.compile(r"(ClusterId = (\d+)\n)")
    (folder / "jobs.ads").write_text(clusters.sub(r"\1AutoClusterId = \2\n", text))
    assert claimed(folder, request("slot1@n1", 1, 0), request("slot1@n2", 1, 0)) == {(1, 0), (1, 1)}
    capsys.readouterr()
    assert main(["why", str(folder), "s1@live.test#1.1"]) == 0
    assert "its schedd has a match for it already" in " ".join(capsys.readouterr().out.split())
    assert main(["negotiate", str(folder), "--json"]) == 0
    matched = {m["job"] for m in json.loads(capsys.readouterr().out)["matches"]}
    assert "1.2" in matched
    # The job that is named may have gone.
    assert claimed(folder, request("slot1@n1", 1, 99)) == {(1, 0)}
    # The rest of a partitionable slot is for the next job like the one that has the newest part.
    jobs = (folder / "jobs.ads").read_text()
    runs = 'ProcId = 0\nJobStatus = 2\nRemoteHost = "slot1_1@n1"\n'
    own, foreign = jobs.split("s1@live.test#2.0#")
    head, _, tail = own.rpartition("ProcId = 0\n")
    tail = tail.replace("JobStatus = 1\n", "")
    (folder / "jobs.ads").write_text(f"{head}{runs}{tail}s1@live.test#2.0#{foreign}")
    part = granted("slot1_1@n1", "bob@live.test")
    rest = {"Name": "slot1@n1", "State": "Unclaimed", "ScheddName": "s1@live.test"}
    assert claimed(folder, part) == set()
    assert claimed(folder, part, rest) == {(2, 1)}
    # Where that one's job does not run yet both are for jobs of its user, now that it was granted.
    other = granted("slot2_1@n1", "bob@live.test"), {**rest, "Name": "slot2@n1"}
    assert claimed(folder, *other) == {(2, 1), (2, 2)}
    assert claimed(folder, {**other[0], "EnteredCurrentState": 1}, other[1]) == {(2, 1)}
    # One that was granted just now is for a job of its user, an older one for none.
    assert claimed(folder, granted("slot2@n1", "bob@live.test")) == {(2, 1)}
    now = max(int(told) for told in re.findall(r"ServerTime = (\d+)", jobs))
    assert claimed(folder, granted("slot2@n1", "bob@live.test", since=now - 2)) == {(2, 1)}
    assert claimed(folder, granted("slot2@n1", "bob@live.test", since=now - 3)) == set()
    assert claimed(folder, granted("slot2@n1", "bob@live.test", since=1)) == set()
    # One that preempts shows who was there; its own job runs, or it is still asked for.
    theirs = {"RemoteUser": "ann@live.test", **request("slot1_1@n1", 2, 0)}
    assert claimed(folder, theirs) == set()
    assert claimed(folder, {**theirs, "Name": "slot3@n1"}) == {(2, 1)}


def granted(slot: str, user: str, since: int = 2_000_000_000) -> dict[str, object]:
    return {
        "Name": slot,
        "State": "Claimed",
        "ScheddName": "s1@live.test",
        "RemoteUser": user,
        "EnteredCurrentState": since,
    }


def test_a_claim_of_a_running_job_takes_no_other(recorded: Place, tmp_path: Path) -> None:
    def change(whole: dict[str, Any]) -> None:
        whole["states"] = whole["states"][2:]

    recorded(change)
    folder = tmp_path / "now"
    capture(folder)
    pool = read_capture(CapturePaths(folder))
    running = [ad for queue in pool.snapshot.queues for ad in queue.jobs if _running(ad)]
    assert running
    assert all(not queue.matched for queue in pool.snapshot.queues)


def _running(ad: ClassAd) -> bool:
    return ad.get_number("JobStatus") == 2


# --- trouble ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("of", "lacks"),
    [
        ({"s2@live.test": "hang"}, "jobs: s2@live.test: no answer within 5 s"),
        ({"s2@live.test": "end"}, "jobs: s2@live.test: the process that asks ended in the middle"),
        ({"s2@live.test": "no\nmore"}, "jobs: s2@live.test: no more"),
        ({"claims of s2@live.test": "unknown command"}, "claims: s2@live.test: unknown command"),
        ({"priorities": "denied"}, "accounting records as they are now: negotiator: denied"),
        ({"negotiator": "denied"}, "last cycle: negotiator: denied"),
        ({"configuration of cm.live.test": "denied"}, "configuration: cm.live.test: denied"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_capture_says_what_it_lacks(
    of: dict[str, str],
    lacks: str,
    recorded: Place,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    recorded(lambda whole: whole.update(trouble=of))
    folder = tmp_path / "now"
    # On a busy machine the process that asks needs some of the time for its start.
    assert capture(folder, "--timeout", "5" if "within" in lacks else "60", "--json") == 1
    answer = json.loads(capsys.readouterr().out)
    assert lacks in answer["missing"]
    whole = "s2@live.test" not in of
    assert answer["schedds"] == {"asked": 2, "answered": 2 if whole else 1}
    assert main(["negotiate", str(folder)]) == 0
    assert f"not in the capture: {lacks}" in " ".join(capsys.readouterr().err.split())


@pytest.mark.slow
def test_only_what_daemons_did_not_answer_is_silence(recorded: Place, tmp_path: Path) -> None:
    """The two schedds of the record have one macro with two values: that is known."""
    for number, (of, silent) in enumerate(
        [
            ({}, []),
            ({"s1@live.test": "gone"}, ["jobs: s1@live.test: gone"]),
            ({"claims of s1@live.test": "no"}, ["claims: s1@live.test: no"]),
            ({"configuration of s1@live.test": "no"}, ["configuration: s1@live.test: no"]),
        ]
    ):
        recorded(lambda whole, of=of: whole.update(trouble=of))
        folder = tmp_path / f"now{number}"
        capture(folder)
        manifest = read(folder).manifest
        assert manifest["silent"] == silent
        assert set(silent) <= set(manifest["missing"])


def test_a_schedd_that_has_started_just_now_is_said_with_every_prediction(
    recorded: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(whole: dict[str, Any]) -> None:
        state = whole["states"][0]
        now = f"DaemonStartTime = {int(time.time())}"
        kind = 'MyType = "Scheduler"'
        blocks = state["ads"].split("\n\n")
        changed = [re.sub(r"DaemonStartTime = \d+", now, it) if kind in it else it for it in blocks]
        state["ads"] = "\n\n".join(changed)

    recorded(change)
    capture(tmp_path / "now")
    capsys.readouterr()
    assert main(["negotiate", str(tmp_path / "now")]) == 0
    err = " ".join(capsys.readouterr().err.split())
    for name in ("s1@live.test", "s2@live.test"):
        assert f"uncertain: schedd {name} has started just now" in err


def test_a_strict_capture_is_whole_or_none(
    recorded: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(lambda whole: whole.update(trouble={"s2@live.test": "gone"}))
    assert capture(tmp_path / "now", "--strict") == 2
    assert errors(capsys) == "error: not the whole pool: jobs: s2@live.test: gone\n"
    assert not (tmp_path / "now").exists()
    recorded()
    assert capture(tmp_path / "now", "--strict") in (0, 1)
    assert (tmp_path / "now").exists()


@pytest.mark.slow
@pytest.mark.parametrize("what", ["", "claims of ", "configuration of "])
def test_schedds_are_asked_at_the_same_time(what: str, recorded: Place) -> None:
    names = ("s1@live.test", "s2@live.test")
    recorded(lambda whole: whole.update(trouble={f"{what}{name}": "meet" for name in names}))
    with Bindings(POOL) as daemons:
        found = take(daemons, Memory())
        assert found.manifest["silent"] == []
        assert found.manifest["answered"] == 2
        assert daemons.questions == 21


def test_a_schedd_has_its_time_once_in_a_capture(recorded: Place) -> None:
    """One that hangs over its configuration is not asked for its jobs as well."""
    recorded(lambda whole: whole.update(trouble={"configuration of s1@live.test": "hang"}))
    with Bindings(POOL, timeout=5) as daemons:
        found = take(daemons, Memory())
    assert found.manifest["silent"] == ["configuration: s1@live.test: no answer within 5 s"]
    assert "jobs: s1@live.test: not asked, as it had not answered" in found.manifest["missing"]
    assert found.manifest["answered"] == 1
    assert "s2@live.test#" in found.parts["jobs"]
    assert "s1@live.test#" not in found.parts["jobs"]


def test_ctrl_c_waits_for_no_schedd(recorded: Place) -> None:
    recorded(lambda whole: whole.update(trouble={"s1@live.test": "hang"}))
    began = time.monotonic()

    def ask(daemons: Daemons, schedd: Located) -> None:
        if schedd["Name"] == "s2@live.test":
            raise KeyboardInterrupt
        daemons.jobs(schedd, [])

    with Bindings(POOL, timeout=50) as daemons, pytest.raises(KeyboardInterrupt):
        daemons.each([{"Name": "s2@live.test"}, {"Name": "s1@live.test"}], ask)
    assert time.monotonic() - began < 25


def test_ctrl_c_ends_a_process_that_is_just_beginning(
    recorded: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(lambda whole: whole.update(trouble={"s1@live.test": "hang"}))
    began = time.monotonic()
    begin, beginning = subprocess.Popen, threading.Event()

    def begin_late(*words: Any, **more: Any) -> Any:
        beginning.set()
        while not daemons._stopped and time.monotonic() < began + 20:
            time.sleep(0.01)
        return begin(*words, **more)

    def ask(daemons: Daemons, schedd: Located) -> None:
        if schedd["Name"] == "s2@live.test":
            beginning.wait(20)
            raise KeyboardInterrupt
        daemons.jobs(schedd, [])

    monkeypatch.setattr(subprocess, "Popen", begin_late)
    with Bindings(POOL, timeout=50) as daemons, pytest.raises(KeyboardInterrupt):
        daemons.each([{"Name": "s2@live.test"}, {"Name": "s1@live.test"}], ask)
    assert time.monotonic() - began < 25


@pytest.mark.parametrize(
    ("pool", "said"),
    [
        ("127.0.0.1:1", "collector 127.0.0.1:1: nobody answers at port 1 of 127.0.0.1 (connec"),
        ("cm.campus.example", "collector cm.campus.example: denied"),
    ],
)
def test_without_a_collector_there_is_no_capture(
    pool: str, said: str, recorded: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(trouble(collector="denied"))
    assert main(["capture", pool, str(tmp_path / "now")]) == 2
    assert errors(capsys).startswith(f"error: {said}")
    assert not (tmp_path / "now").exists()


def test_nothing_is_overwritten(
    recorded: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded()
    (tmp_path / "now").mkdir()
    (tmp_path / "now" / "mine").write_text("mine")
    assert capture(tmp_path / "now") == 2
    assert "exists already, and a capture overwrites nothing" in errors(capsys)
    assert [path.name for path in (tmp_path / "now").iterdir()] == ["mine"]


def test_a_full_disk_leaves_nothing(
    recorded: Place,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    recorded()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device", str(tmp_path / "now"))

    monkeypatch.setattr(os, "fsync", full)
    before = sorted(tmp_path.iterdir())
    assert capture(tmp_path / "now") == 2
    assert "no space left on device" in errors(capsys)
    assert sorted(tmp_path.iterdir()) == before


def test_a_token_that_is_not_there(
    recorded: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded()
    assert capture(tmp_path / "now", "--token", str(tmp_path / "token")) == 2
    assert errors(capsys).endswith("token: no such file or directory\n")


def token(head: dict[str, object], body: dict[str, object]) -> str:
    texts = [base64.urlsafe_b64encode(json.dumps(it).encode()).decode() for it in (head, body)]
    return ".".join([*(text.rstrip("=") for text in texts), "c2lnbmF0dXJl"])


OURS: dict[str, object] = {"iss": "live.test", "sub": "reader@x", "scope": "condor:/READ"}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (None, "--token names a file with a token that has READ rights"),
        ({**OURS, "iss": "other.pool"}, "of another pool: it is from `other.pool`, and this pool"),
        ({**OURS, "exp": 1000}, "the token has expired"),
        ({**OURS, "scope": "condor:/ADVERTISE_STARTD"}, "no READ right, only ADVERTISE_STARTD"),
        (OURS, "it refuses the token of `reader@x`: who has no READ right"),
    ],
)
def test_why_a_collector_refuses(
    body: dict[str, object] | None,
    said: str,
    recorded: Place,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    no = "Failed communication with collector."
    known = 'TrustDomain = "live.test"\nIssuerKeys = "POOL, OLD"'
    recorded(
        lambda whole: whole.update(trouble={"collector": no}, ping={"READ": None, "ALLOW": known})
    )
    monkeypatch.setattr(daemons, "why_not_reached", lambda pool: None)
    words = []
    if body is not None:
        (tmp_path / "token").write_text(token({"kid": "POOL"}, body))
        words = ["--token", str(tmp_path / "token")]
    assert capture(tmp_path / "now", *words) == 2
    assert said in errors(capsys)


def test_a_key_that_the_pool_does_not_have() -> None:
    text = token({"kid": "THEIRS"}, OURS)
    found = why_refused(text, {"trust": "live.test", "keys": ["POOL"], "read": False}, 0)
    assert found == "the token is of another pool: this one has no key `THEIRS`"


def test_the_port_of_another_daemon(
    recorded: Place,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    recorded(trouble(collector="Failed communication with collector."))
    monkeypatch.setattr(daemons, "why_not_reached", lambda pool: None)
    assert capture(tmp_path / "now") == 2
    assert "a daemon answers there that is no collector" in errors(capsys)


def test_a_collector_that_restarts_is_told_from_a_wrong_port(
    recorded: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = recorded()
    monkeypatch.setattr(daemons, "why_not_reached", lambda pool: "nobody answers")
    for asked_before, said in ((False, "is that the collector's port?"), (True, "restarting")):
        recorded()
        with Bindings(POOL) as asked:
            if asked_before:
                asked.ads('MyType == "Negotiator"', [])
            whole = json.loads((place / "pool.json").read_text())
            whole["trouble"] = {"collector": "Failed communication with collector."}
            (place / "pool.json").write_text(json.dumps(whole))
            with pytest.raises(DaemonError, match=re.escape(said)):
                asked.ads('MyType == "Negotiator"', [])


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "the file is empty"), ("# a\n\n", "the file is empty"), ("hello", "there is no token")],
)
def test_a_file_without_a_token(
    text: str, said: str, recorded: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded()
    path = tmp_path / "token"
    path.write_text(text)
    assert capture(tmp_path / "now", "--token", str(path)) == 2
    assert errors(capsys).startswith(f"error: {path}: {said}")


def test_an_ad_that_does_not_parse_is_told_when_it_is_read(
    recorded: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(whole: dict[str, Any]) -> None:
        state = whole["states"][0]
        state["ads"] = state["ads"].replace("SlotWeight = Cpus\n", "SlotWeight = Cpus +\n", 1)

    recorded(change)
    folder = tmp_path / "now"
    assert capture(folder) in (0, 1)
    capsys.readouterr()
    main(["negotiate", str(folder)])
    assert "slots.ads:" in capsys.readouterr().err


def test_a_process_that_asks_is_ended(recorded: Place) -> None:
    recorded(lambda whole: whole.update(trouble={"s1@live.test": "hang"}))
    with Bindings(POOL, timeout=60) as daemons:
        daemons.hello()
        process = daemons._process
        assert process is not None
        daemons.timeout = 0.5
        with pytest.raises(DaemonError, match=r"no answer within 0\.5 s"):
            daemons.jobs({"Name": "s1@live.test"}, [])
        assert process.poll() is not None
        daemons.timeout = 60
        assert daemons.hello()["pool"] == POOL
        last = daemons._process
    assert last is not None
    assert last.poll() is not None


def test_a_manifest_that_is_none_is_told(
    recorded: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded()
    capture(tmp_path / "now")
    capsys.readouterr()
    for text in ("[1]", "{", '{"missing": 3, "ended": true, "order": 4}'):
        (tmp_path / "now" / "capture.json").write_text(text)
        assert main(["negotiate", str(tmp_path / "now")]) == 0
        told = "not the manifest of a capture; not used" in capsys.readouterr().err
        assert told == (text[1:2] != '"')


def test_the_answer_as_json_fits_its_schema(
    recorded: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded()
    capture(tmp_path / "now", "--json")
    assert validate(json.loads(capsys.readouterr().out)) == "capture"


def test_answers_to_a_part_are_added_up() -> None:
    course = _Course()
    for seconds, size in ((0.25, 10), (0.5, 7)):
        course.note("jobs", Reply("", {}, 1, size, seconds, 1000.0 + seconds))
    told = {"queries": 2, "bytes": 17, "seconds": 0.75, "at": 1000.5}
    assert course.parts == {"jobs": told}


def test_folders_of_killed_processes_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    names = (f"pieslice-token-{ended.pid}-ab1", f"pieslice-pool-{os.getpid()}-ab1", "pieslice-x")
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "token").write_text("secret")
    with temporary("token") as place:
        assert os.stat(place).st_mode & 0o77 == 0
        left = {path.name for path in tmp_path.iterdir()}
        assert left == {*names[1:], Path(place).name}
    assert not Path(place).exists()
