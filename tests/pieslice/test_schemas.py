"""Every JSON output has a schema, and says nothing that its schema does not know.

``OUTPUTS`` has a command for each parser that prints JSON; a parser without one fails, and so does
a schema that nothing prints.
"""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import pieslice
from classad import Table
from pieslice.api.schemas import document_classes
from pieslice.cli import build_parser, main
from pieslice.reports.result import Result
from pieslice.simulation.answers import Simulated
from tests.cases import every_case

jsonschema = pytest.importorskip("jsonschema")

ROOT = Path(__file__).parents[2]
SCHEMAS: dict[str, dict[str, Any]] = {name: pieslice.schema(name) for name in document_classes()}

TOUR, CAMPUS = "examples/tour", "examples/campus"
WORKLOAD = "examples/workloads/two-users.toml"
SIMULATED = f"3 --workload {WORKLOAD} --days 0.02"
FLAWED = "examples/policies/flawed"
MAP = (
    "-D SCHEDD_CLASSAD_USER_MAP_NAMES=Groups"
    r" -D 'CLASSAD_USER_MAPDATA_Groups=* /^(ann|bob)$/ group_physics.\1,group_guests'"
    " --subsys SCHEDD --map-name Groups"
)
#: A configuration with transforms and routes, and jobs.
ROUTED = "examples/transforms/condor_config examples/transforms/jobs.ads"
TRIED = (
    "-a CurrentTime=200 -a EnteredCurrentState=0 -a SubmitterGroup=undefined"
    " -a RemoteGroup=undefined"
)

#: Schema -> commands that print it.
OUTPUTS = {
    "alert": [],
    "alerts": [],
    "capture": [],
    "check": [],
    "checks": [
        f"check --format json {FLAWED}/claim_timer {FLAWED}/usage_compared",
        f"check --format json {CAMPUS}/condor_config",
        "check --format json --reload examples/reload/running examples/reload/new",
        f"check --format json --condor-version 24.0 --upgrade 25.14 {FLAWED}/claim_timer",
    ],
    "config": [
        f"config show --json --trace NEGOTIATOR_INTERVAL PREEMPTION_RANK {TOUR}",
        f"config dump --json {TOUR}",
        f"config summary --json {CAMPUS}",
    ],
    "rules": ["rules --json P505", "rules --json"],
    "config-info": ["config info --json NEGOTIATOR_INTERVAL GROUP_QUOTA_a START"],
    "cycles": [f"negotiate {TOUR} --cycles 2 --json"],
    "diff": [
        f"diff {TOUR} --config {TOUR}/no_preemption --json",
        f"diff {TOUR} {CAMPUS} --json",
    ],
    "doctor": ["doctor --json"],
    "eval": ["eval --json --why 'a && 1 < 2' 'strcat(1, {x, 2})' 'absTime(0)' '1 +* 2 / error'"],
    "forecast": [
        "forecast --user A=100 --user B=100@24h --pool 100 --hours 48 --json",
        f"forecast {CAMPUS} --hours 1 --json",
    ],
    "found": [],
    "fuzz": [
        f"fuzz {FLAWED}/claim_timer --examples 200 --json",
        f"fuzz {FLAWED}/no_margin --examples 200 --json",
    ],
    "history": [],
    "history-job": [],
    "map-test": [f"map test {MAP} {CAMPUS} ann zed --json"],
    "negotiate": [
        f"negotiate {TOUR} --json",
        f"negotiate {CAMPUS} --json --table users --table groups --table machines --table quotas"
        " --table submitters --table matches --table rejections",
        "negotiate examples/scenarios/two_users.json --json",
        f"negotiate {TOUR} --json -D NEGOTIATOR_MAX_TIME_PER_SUBMITTER=1"
        " --seconds-per-request 2 -D NEGOTIATOR_JOB_CONSTRAINT=true",
    ],
    "negotiators": [f"negotiate {TOUR} --local-name A --local-name B --json"],
    "policy": [f"policy explain {CAMPUS} --json", f"policy explain {TOUR} --json --slots 10"],
    "policy-diff": [
        f"policy diff --json {TOUR}/condor_config {TOUR}/no_preemption",
        f"policy diff --json --all {CAMPUS}/condor_config {CAMPUS}/no_preemption",
    ],
    "policy-eval": [
        f"policy eval {CAMPUS} PREEMPTION_RANK --my {CAMPUS}/slots.ads -a RemoteUserPrio=60 --json",
        f"policy eval {CAMPUS} PREEMPTION_REQUIREMENTS {TRIED} --json --why",
    ],
    "policy-grid": [
        f"policy eval {CAMPUS} PREEMPTION_REQUIREMENTS {TRIED}"
        " --grid RemoteUserPrio=0.5:100:6,SubmitterUserPrio=0.5:100 --json"
    ],
    "quotas": [f"quotas {TOUR} --json", f"quotas {CAMPUS} --json"],
    "rank": [f"rank {TOUR} 12.0 --json", f"rank {CAMPUS} 8.0 --json", f"rank {CAMPUS} 15.5 --json"],
    "route": [
        f"route {ROUTED} --json",
        f"route {ROUTED} --json --ignore-prior-routing -D JOB_ROUTER_ROUTE_Cloud=FOO",
    ],
    "report": ["report run/a run/b -o page.html --json"],
    "shadow": [],
    "shadow-cycle": [],
    "watch": [],
    "watch-cycle": [],
    "simulate": [f"simulate {SIMULATED} --json"],
    "simulate-compare": [
        f"simulate {SIMULATED} -o run --json --compare {CAMPUS}/condor_config"
        f" {CAMPUS}/no_preemption",
        f"simulate {SIMULATED} --seeds 2 --json --compare {CAMPUS}/condor_config"
        f" {TOUR}/condor_config",
    ],
    "simulate-seeds": [f"simulate {SIMULATED} --seeds 2 --json"],
    "sweep": [f"sweep {SIMULATED} --set PRIORITY_HALFLIFE=1,2 --jobs 1 --json"],
    "table": [],
    "transform": [
        f"transform {ROUTED} --json",
        f"transform {ROUTED} --json --tool -D JOB_TRANSFORM_Old=RENAME",
    ],
    "userprio": [],
    "versions": ["versions --json", "versions 24.0 25.0 --json"],
    "when": [],
    "why": [
        *(f"why {TOUR} {number}.0 --json" for number in (3, 4, 5, 10, 11, 12, 13, 14, 15, 16)),
        f"why {TOUR} 16.0 slot1@node3 --json",
        f"why {CAMPUS} 8.0 --json",
    ],
    "why-jobs": [f"why {TOUR} --user frank --json", f"why {CAMPUS} --user alice --json"],
}  # fmt: skip

#: Commands that need daemons or a history; their own tests ask ``validate``.
ELSEWHERE = {
    "pieslice capture", "pieslice history", "pieslice shadow", "pieslice watch", "pieslice when",
}  # fmt: skip
#: What prints JSON of another kind: ads, records as HTCondor's tools print them.
FOREIGN = {"pieslice select", "pieslice userprio"}


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the examples seem to be."""
    for name in ("examples", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def validate(document: Mapping[str, Any]) -> str:
    """The name of the schema of a document that fits it."""
    name = str(document["schema"]).split("/")[1]
    schema = SCHEMAS[name]
    jsonschema.validate(document, schema, jsonschema.Draft202012Validator)
    return name


def documents(text: str) -> list[dict[str, Any]]:
    """The document, or one on each line."""
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, commands in OUTPUTS.items() if commands])
@pytest.mark.usefixtures("scratch")
def test_what_a_command_prints_fits_its_schema(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if name == "report":
        main(shlex.split(OUTPUTS["simulate-compare"][0]))
        capsys.readouterr()
    for command in OUTPUTS[name]:
        main(shlex.split(command))
        found = documents(capsys.readouterr().out)
        assert found
        assert {validate(one) for one in found} == {name}


@pytest.mark.slow
@pytest.mark.usefixtures("scratch")
def test_what_programs_get_fits_its_schema() -> None:
    pool = pieslice.read(TOUR)
    cycle, ranked = pool.negotiate(), pool.rank("15.0")
    jobs = [{"user": "a", "backlog": 9}, {"user": "b", "backlog": 9}]
    several = pieslice.simulate(3, jobs, {"x": None, "y": None, "z": None}, days=0.02, seeds=2)
    answers: list[tuple[Result, str]] = [
        (cycle, "negotiate"),
        (pool.diff(pool.with_config({"PREEMPTION_REQUIREMENTS": True})), "diff"),
        (pool.why("11.0"), "why"),
        (pool.survey(user="frank"), "why-jobs"),
        (ranked, "rank"),
        (pool.quotas(), "quotas"),
        (pieslice.check(TOUR), "check"),
        (pieslice.check(f"{FLAWED}/claim_timer"), "check"),
        (pieslice.policy(TOUR), "policy"),
        (pieslice.userprio(TOUR, "-all", "-allusers"), "userprio"),
        (pieslice.userprio(CAMPUS), "userprio"),
        (several, "simulate-compare"),
        (pieslice.rank(Table.from_file(f"{TOUR}/slots.ads"), "[Requirements = true]"), "found"),
        *((table, "table") for table in (cycle.matches, several.events, several.series)),
        *((table, "table") for table in (ranked.slots, several.metrics, several.runs)),
    ]
    for answer, name in answers:
        assert validate(json.loads(answer.to_json())) == name
        assert validate(answer.to_dict()) == name


def printing(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parsers below one that have an option for JSON."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub in dict.fromkeys(action.choices.values()):
                yield from printing(sub)
    words = {word for action in parser._actions for word in action.option_strings}
    forms = {form for action in parser._actions for form in action.choices or ()}
    if "--json" in words or "json" in forms:
        yield parser


def test_every_command_that_prints_json_is_tried() -> None:
    wanted = {parser.prog for parser in printing(build_parser())} - FOREIGN - ELSEWHERE
    tried = [f"pieslice {command}" for commands in OUTPUTS.values() for command in commands]
    assert {
        name for name in wanted if not any(one.startswith(f"{name} ") for one in tried)
    } == set()


def result_classes(found: type[Result] = Result) -> Iterator[type[Result]]:
    for sub in found.__subclasses__():
        yield sub
        yield from result_classes(sub)


def test_every_schema_is_used_and_every_answer_has_one() -> None:
    for module in pkgutil.walk_packages(pieslice.__path__, "pieslice."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    answers = {one.schema for one in result_classes() if one is not Simulated}
    assert answers <= {f"pieslice/{name}/1" for name in SCHEMAS}
    assert set(SCHEMAS) == set(OUTPUTS)


def objects(schema: object) -> Iterator[Mapping[str, Any]]:
    """The parts of a schema that are about objects."""
    if isinstance(schema, dict):
        kinds = schema.get("type", ())
        if "object" in ([kinds] if isinstance(kinds, str) else kinds):
            yield schema
        for part in schema.values():
            yield from objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from objects(part)


@pytest.mark.slow
@every_case("name", SCHEMAS)
def test_a_schema_is_sound_and_takes_no_other_field(name: str) -> None:
    schema = SCHEMAS[name]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:pieslice:{name}:1"
    assert schema["properties"]["schema"] == {"const": f"pieslice/{name}/1"}
    assert schema["description"].endswith(".")
    for part in objects(schema):
        # Its fields are known; others are names, and their values are of one form.
        assert part["additionalProperties"] is False or part["additionalProperties"]
        assert set(part.get("required", ())) <= set(part.get("properties", ()))


def test_an_unknown_field_fails() -> None:
    table = {"schema": "pieslice/table/1", "title": "a", "columns": ["b"], "rows": [[1]]}
    assert validate(table) == "table"
    for wrong in ({**table, "more": 1}, {**table, "title": None}, {**table, "rows": [[{}]]}):
        with pytest.raises(jsonschema.ValidationError):
            validate(wrong)


def test_the_page_lists_every_schema() -> None:
    page = (ROOT / "docs" / "schemas.md").read_text()
    for name in SCHEMAS:
        assert f"`pieslice/{name}/1`" in page
