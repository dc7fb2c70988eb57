"""User maps of the negotiator, as a capture has them; whole cycles are among the recorded ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from negotiator.jobs.submitters import negotiated_name
from pieslice.cli import main
from policy.load import policy_from_knobs

KNOBS = {
    "NEGOTIATOR_CLASSAD_USER_MAP_NAMES": "GROUP_PREFIX",
    "CLASSAD_USER_MAPDATA_GROUP_PREFIX": "* example.org guests",
}


@pytest.mark.parametrize(
    ("name", "known_as"),
    [
        ("u@example.org", "guests.u@example.org"),
        ("g.u@example.org", "guests.g.u@example.org"),
        ("u@elsewhere.org", "u@elsewhere.org"),
        ("example.org", "example.org"),
    ],
)
def test_the_domain_is_looked_up(name: str, known_as: str) -> None:
    assert negotiated_name(name, policy_from_knobs(KNOBS).policy) == known_as


def test_a_map_that_is_not_named_does_nothing() -> None:
    knobs = {**KNOBS, "NEGOTIATOR_CLASSAD_USER_MAP_NAMES": "OTHER"}
    loaded = policy_from_knobs(knobs)
    assert negotiated_name("u@example.org", loaded.policy) == "u@example.org"
    assert [item.message for item in loaded.diagnostics] == [
        "NEGOTIATOR_CLASSAD_USER_MAP_NAMES: `OTHER` has no map"
    ]


def test_a_map_file_beside_the_configuration(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (pool / "groups.map").write_text("* pool physics\n")
    with (pool / "condor_config").open("a") as file:
        file.write("GROUP_NAMES = physics\nGROUP_QUOTA_physics = 1\n")
        file.write("NEGOTIATOR_CLASSAD_USER_MAP_NAMES = GROUP_PREFIX\n")
        file.write("CLASSAD_USER_MAPFILE_GROUP_PREFIX = groups.map\n")
    assert main(["negotiate", str(pool)]) == 0
    out = capsys.readouterr().out
    assert "physics.alice@pool" in out
    assert "not honoured yet: no knob" in out
    assert main(["why", str(pool), "2.0"]) == 0
    assert "job 2.0 of physics.bob@pool: matched" in capsys.readouterr().out
    (pool / "groups.map").unlink()
    assert main(["negotiate", str(pool)]) == 0
    assert "`GROUP_PREFIX` has no map" in capsys.readouterr().err
