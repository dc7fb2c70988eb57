"""User maps: the recorded answers of ``userMap``, and where maps come from."""

from __future__ import annotations

from typing import Any

import pytest

from classad.evaluate import EvalContext, evaluate
from classad.formats.unparse import unparse_value
from policy.config import config_from_mapping
from policy.io import builtin_library
from policy.language.sources import MemorySources
from policy.language.table import Context
from policy.maps.user_maps import UserMaps, parse_user_map, read_user_maps
from tests.policy.config_vectors import load_vectors

CASES = load_vectors("usermap.json")["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_answers_agree(case: dict[str, Any]) -> None:
    maps = UserMaps({case["map_name"]: parse_user_map(case["map"])})
    context = EvalContext(user_maps=maps)
    found = {text: unparse_value(evaluate(text, context=context)) for text in case["results"]}
    assert found == case["results"]


def test_quoted_fields_prefixes_and_methods() -> None:
    text = '* "two words" "a \\"b\\""\nclaim alice x\n* al y\n'
    maps = parse_user_map(text)
    assert maps["*"].get("two words") == 'a "b"'
    assert maps["claim"].get("alice") == "x"
    assert parse_user_map(text, prefix=True)["*"].get("alice") == "y"


def test_a_map_lists_its_literal_names_once() -> None:
    found = parse_user_map("@include /more\n* bob g1\n* /b.*/ g2\n* bob g3\n")["*"]
    assert (list(found), len(found), dict(found)) == (["bob"], 1, {"bob": "g1"})


def test_a_pattern_that_is_given_up_is_about_nobody() -> None:
    found = parse_user_map("* /^(a+)+$/ g1\n* /b/ g2\n")["*"]
    assert [found.get(name) for name in ("aaa", "a" * 60 + "b")] == ["g1", "g2"]


def test_maps_are_named_by_the_configuration() -> None:
    config = config_from_mapping(
        {
            "NEGOTIATOR_CLASSAD_USER_MAP_NAMES": "Groups Inline Gone",
            "CLASSAD_USER_MAPFILE_Groups": "/groups.map",
            "CLASSAD_USER_MAPDATA_Inline": "* bob g2",
            "CLASSAD_USER_MAPFILE_Gone": "/gone",
        },
        builtin_library(),
        context=Context("NEGOTIATOR"),
    )
    files = {"/groups.map": "* alice g1\n@include /more\n", "/more/a": "* carol g3\n"}
    maps = read_user_maps(config, MemorySources(files))
    assert sorted(maps) == ["groups", "inline"]
    assert [maps["GROUPS"].get(user) for user in ("alice", "carol", "bob")] == ["g1", "g3", None]
    assert maps["inline"].get("bob") == "g2"
