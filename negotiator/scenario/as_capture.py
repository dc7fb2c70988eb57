"""Makes a pool of a scenario: that of its first cycle, with the recorded decisions.

Without a recording the slots are in the order of the collector's walk.

Inputs: the object of the file, paths and definitions that replace its configuration, the time.
Outputs: ``Capture``; raises ``InputError`` for a file that is no scenario after all.
Follows: the README beside the recorded negotiation scenarios.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from classad.errors import ClassAdParseError
from negotiator.capture.agreement import Expected, ExpectedError, parse_expected
from negotiator.capture.configuration import (
    LoadedPolicy,
    capture_policy,
    configurations_before,
)
from negotiator.capture.files import CapturePaths, CaptureReader, ConfigPaths
from negotiator.capture.slots import pool_order
from negotiator.io import Capture, OtherNegotiator, under_other_configurations
from negotiator.model.snapshot import PoolFacts, UnsupportedKnob, machine_of
from negotiator.scenario.expand import Scenario, expand_jobs, expand_slots
from negotiator.scenario.read import (
    BASE_KNOBS,
    NOW,
    AdMaker,
    accountant_of,
    snapshot_of,
    version_of,
    warmed,
)
from policy.config import Config
from policy.dialects import HTCONDOR, Dialect
from policy.io import builtin_library
from policy.load import PolicyLoad, policy_from_knobs
from policy.versions import NOT_GIVEN, Followed, followed_version, parse_version


def scenario_capture(
    data: Scenario,
    paths: CapturePaths,
    *,
    now: float | None = None,
    local_names: Sequence[str] = (),
    dialect: Dialect = HTCONDOR,
    version: Followed | None = None,
    fallback: Followed = NOT_GIVEN,
) -> Capture:
    """The pool before the first cycle; see the module."""
    reader = CaptureReader(paths, dialect, version=version, fallback=fallback)
    try:
        return _capture(data, reader, now, local_names)
    except ClassAdParseError as problem:
        raise reader.stop(f"{paths.title}: not a scenario: {problem}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise reader.stop(f"{paths.title}: not a scenario: {_words(problem)}") from None


def _words(problem: Exception) -> str:
    text = " ".join(str(problem).split())
    return f"no `{text.strip(chr(39))}`" if isinstance(problem, KeyError) else text


def _capture(
    data: Scenario, reader: CaptureReader, now: float | None, local_names: Sequence[str]
) -> Capture:
    scenario, cycles = data["scenario"], data.get("observed", {}).get("cycles", [])
    seen = cycles[0] if cycles else {}
    make = AdMaker()
    slots = list(expand_slots(scenario, scenario["slots"]))
    if not seen:
        slots = [slots[i] for i in pool_order([slot.name for slot in slots])]
    jobs = list(expand_jobs(scenario, scenario.get("jobs", [])))
    moment = float(NOW) if now is None else now
    knobs = scenario.get("config", {})
    names: list[str | None] = [*local_names] or [None]
    followed = _followed(data, reader)
    loaded, *more = (_policy(knobs, reader, moment, followed, name) for name in names)
    accountant = accountant_of(scenario, slots, make, loaded.policy)
    snapshot = snapshot_of(scenario, seen, slots, jobs, accountant, make, loaded.policy)
    snapshot = warmed(scenario, seen, snapshot, loaded.policy, moment)
    machines = {machine_of(slot.name) for slot in slots}
    facts = PoolFacts(
        name=str(scenario.get("name") or reader.paths.title),
        machines=len(machines),
        slots=len(slots),
        users=len({job.submitter for job in jobs}),
        jobs=len(jobs),
        idle_jobs=sum(job.attributes.get("JobStatus") == "1" for job in jobs),
        now=moment,
        now_from="that of all scenarios" if now is None else "as given",
        dialect=reader.dialect,
        version=followed,
    )
    capture = Capture(
        snapshot,
        loaded.policy,
        facts,
        tuple(reader.diagnostics),
        loaded.unsupported,
        _expected(data, seen),
        "the recording",
        local_name=names[0],
        others=tuple(
            OtherNegotiator(str(name), item.policy, item.unsupported)
            for name, item in zip(names[1:], more, strict=True)
        ),
    )
    before = _before(knobs, reader, moment, followed, names[0])
    return under_other_configurations(capture, reader, [*before, loaded.config])


def _followed(data: Scenario, reader: CaptureReader) -> Followed:
    """The version that is given, else that of the scenario or of its recording."""
    if reader.version is not None:
        found = reader.version
    elif "condor_version" in data["scenario"]:
        version = parse_version(str(data["scenario"]["condor_version"]))
        found = followed_version(version, "the scenario says so")
    elif data.get("observed", {}).get("negotiator"):
        found = followed_version(version_of(data), "the recording's")
    else:
        return reader.fallback
    if found.note:
        reader.warn(found.note, severity="note")
    return found


def _policy(
    knobs: Mapping[str, str],
    reader: CaptureReader,
    now: float,
    followed: Followed,
    local_name: str | None,
) -> LoadedPolicy:
    """The scenario's own policy with the definitions given, or that of a configuration."""
    paths = reader.paths.config
    if paths.root is not None:
        return capture_policy(reader, now, followed, local_name)
    found = _own_policy(knobs, reader, paths, followed, local_name)
    reader.diagnostics.extend(found.diagnostics)
    unsupported = tuple(
        UnsupportedKnob(item.macro, item.text, "the scenario", item.reason)
        for item in found.unsupported
    )
    return LoadedPolicy(found.policy, unsupported, (), found.config)


def _own_policy(
    knobs: Mapping[str, str],
    reader: CaptureReader,
    paths: ConfigPaths,
    followed: Followed,
    local_name: str | None,
) -> PolicyLoad:
    return policy_from_knobs(
        {**BASE_KNOBS, **knobs, **dict(paths.defines)},
        builtin_library(followed.version) if paths.texts else None,
        dialect=reader.dialect,
        version=followed.version,
        local_name=local_name,
        more=dict(paths.texts),
    )


def _before(
    knobs: Mapping[str, str],
    reader: CaptureReader,
    now: float,
    followed: Followed,
    local_name: str | None,
) -> list[Config]:
    """The configurations of before: the scenario's own, and others in place of it."""
    files = configurations_before(reader, now, followed, local_name)
    return [
        _own_policy(knobs, reader, paths, followed, local_name).config
        if paths.root is None
        else config
        for paths, config in zip(reader.paths.before, files, strict=True)
    ]


def _expected(data: Scenario, seen: Scenario) -> Expected | None:
    """The recorded decisions of the first cycle."""
    if not seen:
        return None
    version = data["observed"].get("negotiator", "")
    try:
        decided = {key: seen.get(key, []) for key in ("matches", "rejections")}
        return parse_expected({**decided, "negotiator": version})
    except ExpectedError:
        return None
