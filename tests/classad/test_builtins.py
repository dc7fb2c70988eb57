"""The declarations of the builtin functions: complete, documented, with examples that hold."""

from __future__ import annotations

import subprocess
import sys
from math import inf
from pathlib import Path
from typing import Any

import pytest

from classad import ClassAd, ExprTree
from classad.analysis.flatten import flatten
from classad.evaluate import EvalContext, evaluate, evaluate_exactly, evaluate_full
from classad.evaluation.functions import FAMILIES, Builtin, load
from classad.formats.unparse import unparse_value
from classad.language.values import ERROR, UNDEFINED
from classad.table import Table
from docs.written.functions import functions_page
from tests.cases import every_case

ROOT = Path(__file__).parents[2]
FUNCTIONS = sorted(load().values(), key=lambda function: function.name)
EXAMPLES = [(function.name, line) for function in FUNCTIONS for line in function.examples]


def value_of(text: str, **context: Any) -> Any:
    return evaluate(text, context=EvalContext(**{"now": 1.7e9, **context}))


def test_all_functions_of_25_14_1_are_there() -> None:
    assert len(FUNCTIONS) == 94


@every_case("function", FUNCTIONS, name=lambda function: function.name)
def test_declarations_are_complete(function: Builtin) -> None:
    assert function.family in FAMILIES
    assert function.doc.endswith(".")
    assert function.exceptional
    assert not function.exceptional.endswith(".")
    assert function.examples
    assert all(" -> " in line for line in function.examples)


@every_case("name, line", EXAMPLES)
def test_examples_hold(name: str, line: str) -> None:
    expression, _, printed = line.rpartition(" -> ")
    assert f"{name.lower()}(" in expression.lower() or name == "ceiling"
    assert unparse_value(value_of(expression)) == printed


@every_case("function", FUNCTIONS, name=lambda function: function.name)
def test_a_wrong_number_of_arguments_is_an_error_value(function: Builtin) -> None:
    counts = [function.min_args - 1]
    if function.max_args is not None:
        counts.append(function.max_args + 1)
    for count in counts:
        if count < 0:
            continue
        call = f"{function.name}({', '.join(['1'] * count)})"
        assert value_of(call) is ERROR, call


def test_names_are_found_in_any_case() -> None:
    assert value_of('VERSIONgt("2", "1")') is True
    assert value_of("IFTHENELSE(true, 1, 2)") == 1


def test_the_function_reference_is_current() -> None:
    written = (ROOT / "docs" / "functions.md").read_text("utf-8")
    assert written == functions_page(), "run: python -m docs.written functions > docs/functions.md"


def test_importing_classad_declares_no_function() -> None:
    program = (
        "import sys, classad; "
        "print([name for name in sys.modules if name.startswith('classad.builtins.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


# --- what comes from the context ---------------------------------------------------------------


def test_the_clock_and_the_zone_are_the_contexts() -> None:
    from zoneinfo import ZoneInfo

    chicago = ZoneInfo("America/Chicago")
    assert value_of("time()", now=1583652600.9) == 1583652600
    assert unparse_value(value_of("absTime()", now=1583652600.0, tz=chicago)) == (
        'absTime("2020-03-08T01:30:00-06:00")'
    )
    assert unparse_value(value_of("dayTime()", now=1583652600.0, tz=chicago)) == (
        'relTime("01:30:00")'
    )
    assert unparse_value(value_of("timezoneOffset()", now=1583652600.0, tz=chicago)) == (
        'relTime("-06:00:00")'
    )
    assert value_of("formatTime()", now=0.0) == "Thu Jan  1 00:00:00 1970"


def test_without_a_clock_asking_for_the_time_fails() -> None:
    assert evaluate_full("isError(time())") == (ERROR, False)


def test_random_numbers_come_from_the_seed() -> None:
    draws = "{random(10), random(10), random(), random(2.5)}"
    first = value_of(f"join({draws})", seed=7)
    assert first == value_of(f"join({draws})", seed=7)
    assert first != value_of(f"join({draws})", seed=8)
    for seed in range(50):
        assert value_of("random(3)", seed=seed) in (0, 1, 2)
        assert 0.0 <= value_of("random(0.5)", seed=seed) <= 0.5


@pytest.mark.parametrize("bound", ["0", "-1", "0.0", 'real("NaN")'])
def test_random_below_nothing_fails_the_whole_evaluation(bound: str) -> None:
    assert evaluate_full(f"isError(random({bound}))") == (ERROR, False)


def test_user_home_asks_the_context() -> None:
    homes = {"ann": "/home/ann"}
    assert value_of('userHome("ann")', home_of=homes.get) == "/home/ann"
    assert value_of('userHome("bob")', home_of=homes.get) is UNDEFINED
    assert value_of('userHome("bob", "/tmp")', home_of=homes.get) == "/tmp"
    assert value_of('userHome("bob", "")', home_of=homes.get) is UNDEFINED
    assert value_of('userHome(error, "/tmp")') == "/tmp"
    assert value_of("userHome(1)") is ERROR
    assert evaluate_full('isError(userHome("a", "b", "c"))') == (ERROR, False)


def test_user_map_asks_the_context() -> None:
    maps = {"groups": {"ann": "physics, Chem", "eve": ""}}
    assert value_of('userMap("Groups", "ann")', user_maps=maps) == "physics, Chem"
    assert value_of('userMap("groups", "ann", "chem")', user_maps=maps) == "Chem"
    assert value_of('userMap("groups", "ann", "bio")', user_maps=maps) == "physics"
    assert value_of('userMap("groups", "ann", undefined)', user_maps=maps) == "physics"
    assert value_of('userMap("groups", "bob", "bio")', user_maps=maps) is UNDEFINED
    assert value_of('userMap("groups", "bob", "bio", 5)', user_maps=maps) == 5
    assert value_of('userMap("groups", "eve", "bio", "none")', user_maps=maps) == "none"
    assert value_of('userMap("other", "ann", "bio", "none")', user_maps=maps) == "none"
    assert value_of('userMap(error, "ann", "bio", "none")', user_maps=maps) is ERROR


@every_case("call, value", [
        ('userMap(1, "ann")', UNDEFINED), ('userMap("groups", 1)', UNDEFINED),
        ('userMap(undefined, "ann", "x", "none")', "none"), ('userMap("groups", undefined)',
        UNDEFINED),
        ('userMap("groups", 1, "bio", "none")', "none"), ('userMap(1, "ann", "bio", "none")',
        "none"),
        ('userMap("groups", error, "bio", "none")', ERROR), ('userMap("groups", "ann", error)',
        "a"),
        ('userMap("groups", "ann", 1, 2)', "a"), ('userMap("groups", "ann", "B", 2)', "b"),
        ('userMap("groups", "ann", "c")', "a"), ('userMap("groups", "cid", "b")', UNDEFINED),
        ('userMap("groups", "cid", "b", "none")', "none"), ('userMap("made", "ann")', "ann's, all"),
        ('userMap("made", "ann", "ALL")', "all"), ('userMap("made", "nobody", "x", 7)', 7),
        ('userMap("odd", "ann")', UNDEFINED), ('userMap("groups", "ANN")', UNDEFINED),
        ('userMap("groups", "ann", error, error)', "a"), ('userMap("groups", "bob", "a", error)',
        ERROR),
        ('userHome("ann")', "/home/ann"), ('userHome("ann", "/tmp")', "/home/ann"),
        ('userHome("empty", "/tmp")', "/tmp"), ('userHome("bob", 5)', UNDEFINED),
        ('userHome(undefined)', UNDEFINED), ('userHome(undefined, "/x")', "/x"),
        ('userHome(error)', ERROR), ('userHome(5, "")', ERROR), ('userHome("bob", undefined)',
        UNDEFINED),
    ])  # fmt: skip
def test_users_of_any_kind(call: str, value: object) -> None:
    maps = {
        "groups": {"ann": " a ,b,", "cid": " , "},
        "made": lambda user: f"{user}'s, all" if user == "ann" else None,
        "odd": {"ann": 5},
    }
    homes = {"ann": "/home/ann", "empty": ""}
    found = value_of(call, user_maps=maps, home_of=homes.get)
    assert found is value or (found.__class__, found) == (value.__class__, value)


def test_debug_tells_the_context() -> None:
    told: list[tuple[str, Any]] = []
    assert value_of("debug(1 + 1) * 3", debug_sink=lambda *what: told.append(what)) == 6
    assert told == [("1 + 1", 2)]


# --- texts that are not ASCII ----------------------------------------------------------------


def test_strings_are_bytes_underneath() -> None:
    assert value_of('size("Zürich")') == 7
    assert value_of('substr("Zürich", 2)') == "\udcbcrich"
    assert value_of('strcat(substr("Zürich", 0, 2), substr("Zürich", 2))') == "Zürich"
    assert value_of('strcat(substr("ü", 0, 1), substr("ü", 1)) =?= "ü"') is True
    assert value_of('toUpper("Zürich")') == "ZüRICH"
    assert value_of('toLower("ÄB")') == "Äb"
    assert value_of('strcmp("é", "z")') == 1
    assert value_of('versioncmp("é", "z")') < 0


def test_selecting_from_a_list_that_a_function_made() -> None:
    """D-303: HTCondor reads freed memory here."""
    assert unparse_value(value_of('split("a b").x')) == "{ error,error }"
    assert evaluate("unresolved(l.x)", ExprTree('[l = split("a b")]').eval()) == ""
    assert value_of("evalInEachContext([b = 1], {[x = 1]})[0].b") == 1
    assert value_of("evalInEachContext({4}, {[x = 1]})[0][0]") == 4


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # MY is the other ad now, and TARGET is this one.
        ("countMatches(TARGET.X, {[c = 8]}) + TARGET.me", 2),
        ("countMatches(TARGET.X, {[c = 8]}) + MY.me", 3),
        ("countMatches(TARGET.X, {[c = 8]}) + me", 3),
        ("size(evalInEachContext(TARGET.X, {[c = 8]})) + me", 3),
        ("countMatches(.RIGHT.X, {[c = 8]}) + .RIGHT.me", 3),
        ("countMatches(R, {[c = 8]}) + me", 3),
        ("countMatches(TARGET.X, {[c = 8]}) >= TARGET.R", UNDEFINED),
        ("countMatches(TARGET.X, MY.A)", 0),
        # Where nothing is found it is the ad around both, which has only LEFT and RIGHT.
        ("countMatches(nosuch, {[c = 8]}) + me", UNDEFINED),
        ("countMatches(nosuch, {[c = 8]}) + LEFT.me", 1),
        ("countMatches(MY.nosuch, A) + me", UNDEFINED),
        ("countMatches(y, A)", 0),
        ("strcat(unresolved(nosuch) ?: 5, me)", UNDEFINED),
        # What stands before it, in another attribute or behind an own one is evaluated here.
        ("me + countMatches(TARGET.X, {[c = 8]})", 2),
        ("Counted + me", 2),
        ("countMatches(MY.Own, A) + me", 3),
    ],
)
def test_after_counting_matches_of_an_attribute_of_another_ad(text: str, value: object) -> None:
    """What follows in the expression is evaluated where the search for the attribute ended."""
    my = (
        "[A = {[c = 8], [c = 7]}; me = 1; Own = c > 1; Counted = countMatches(TARGET.X, {[c = 8]})]"
    )
    target = "[X = c >= 8; R = 1; me = 2]"
    ads = ExprTree(my).eval(), ExprTree(target).eval()
    assert evaluate(text, *ads) == value
    assert evaluate_exactly(ExprTree(text), ads[0], *ads, EvalContext())[0] == value


def test_flattening_behind_the_count_of_an_attribute_of_the_partner() -> None:
    """There the partner is named by its place, so that a match finds it from wherever it is."""
    slot = ExprTree("[Gpus = {[c = 8]}; Room = 4]").eval()
    text = "countMatches(TARGET.Need, Gpus) >= TARGET.Count && TARGET.Size <= Room"
    flat = flatten(slot, ExprTree(text), inline=True, partner="RIGHT")
    assert flat.tree is not None
    job = ExprTree("[Need = c > 7; Count = 1; Size = 3]").eval()
    assert evaluate(text, slot, job) is UNDEFINED
    assert evaluate(flat.tree, slot, job) is True


def test_matching_custom_resources() -> None:
    """The use for which HTCondor has countMatches: the job's condition on each of a slot's GPUs."""
    job = ExprTree("[RequireGPUs = Capability >= 7.5; RequestGPUs = 2]").eval()
    slot = ExprTree("[AvailableGPUs = {[Capability = 7.5], [Capability = 8.6], [x = 1]}]").eval()
    condition = "countMatches(MY.RequireGPUs, TARGET.AvailableGPUs) >= RequestGPUs"
    assert evaluate(condition, job, slot) is True
    assert evaluate("countMatches(RequireGPUs, AvailableGPUs)", job, slot) == 2
    assert evaluate("countMatches(TARGET.RequireGPUs, MY.AvailableGPUs)", slot, job) == 0


def test_an_expression_of_the_job_finds_the_job_from_within_an_ad_of_the_slot() -> None:
    """As 25.14.1 does: the nested ad, what is around it, and then the ad that asks."""
    my = "[Need = Cap >= MinCap; MinCap = 8.0; Both = 1; Sum = Both + Own; Own = 40]"
    job = ExprTree(my).eval()
    slot = ExprTree("[A = [Cap = 8.0]; B = [Cap = 7.5]; Gpus = {A, B}; Both = 2]").eval()
    assert evaluate("countMatches(MY.Need, TARGET.Gpus)", job, slot) == 1
    assert evaluate("sum(evalInEachContext(Sum, TARGET.Gpus))", job, slot) == 84


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('unresolved(.a)', "b"), ('unresolved(a, "")', False), ('unresolved(a, "B")', True),
        ('real("0x1p99999")', inf), ('real("-0x1p99999")', -inf), ('real("0x1.8p1")', 3.0),
    ],
)  # fmt: skip
def test_arguments_that_are_rare(text: str, value: object) -> None:
    assert evaluate(text, ClassAd("[a = b]")) == value


def test_columns_are_looked_at_once_for_all_questions() -> None:
    table = Table([ClassAd({"L": ["a", "b"], "S": "x" * 200}), ClassAd({"L": ["c"], "S": "yy"})])
    for text, rows in [
        ('member("a", L)', [0]), ('member("c", L)', [1]), ('regexp("^x+", S)', [0]),
        ('regexp("y", S)', [1]), ('stringListMember("yy", S)', [1]),
        ('stringListMember("z", S)', []),
    ]:  # fmt: skip
        assert list(table.select(text)) == rows, text
