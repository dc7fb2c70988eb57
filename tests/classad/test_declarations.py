"""What a declaration says of a function is so, and nobody repeats it elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from datetime import timedelta, timezone
from pathlib import Path
from random import Random
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest

from classad import ClassAd, EvalContext
from classad.analysis.explain import explain
from classad.analysis.explanation import because
from classad.evaluate import evaluate
from classad.evaluation.functions import (
    CHANCE,
    CLOCK,
    ENVIRONMENT,
    FUNCTIONS,
    NOTHING,
    TEXT,
    ZONE,
    Builtin,
    Reads,
    builtin,
    load,
)
from classad.formats.unparse import unparse_value
from classad.strategies.texts import LITERALS, CallShape, shapes
from classad.table import Table
from tests.cases import every_case

ROOT: Final = Path(__file__).parents[2]
VECTORS: Final = ROOT / "tests" / "vectors" / "classad"
#: Calls of each function that are tried in every context.
CALLS: Final = 60
AD: Final = "[x = 1; y = x + z; A0 = 5; A1 = 2.5; b = unresolved(y)]"


#: It has summer time, which the offset of a zone depends on.
CHICAGO: Final = ZoneInfo("America/Chicago")


def context(**changes: Any) -> EvalContext:
    return EvalContext(**{"now": 1_700_000_000.0, "tz": CHICAGO, "seed": 1, **changes})


#: For each cause the same surroundings but for it; every field of a time differs in the zones.
OTHERS: Final[dict[Reads, dict[str, Any]]] = {
    CLOCK: {"now": 1_600_050_505.0},
    ZONE: {"tz": timezone(timedelta(hours=13, minutes=31, seconds=29))},
    CHANCE: {"seed": 2},
    ENVIRONMENT: {
        "user_maps": {"groups": {"ann": "physics,chem"}},
        "home_of": lambda name: f"/home/{name}",
    },
}


def calls(shape: CallShape) -> Iterator[str]:
    """The calls of the examples, one without arguments, and some with literals of any kind."""
    rng = Random(shape.name)
    yield from (f"{shape.name}({', '.join(call)})" for call in shape.calls)
    if shape.least == 0:
        yield f"{shape.name}()"
    if shape.least <= 1 <= shape.most:
        yield from (f"{shape.name}(({text}))" for texts in LITERALS.values() for text in texts)
    kinds = [kind for call in shape.kinds for kind in call]
    for _ in range(CALLS):
        parts = []
        for _ in range(rng.randint(shape.least, shape.most)):
            kind = rng.choice(kinds) if kinds and rng.random() < 0.7 else rng.choice([*LITERALS])
            parts.append(rng.choice(LITERALS[kind]))
        if shape.name.lower().endswith("time") and len(parts) == 1 and parts[0].startswith('"'):
            continue  # such a literal is read by the parser
        yield f"{shape.name}({', '.join(parts)})"
    if TEXT in load()[shape.name.lower()].reads:
        yield from (f'{shape.name}("{text}")' for text in ("time()", "random()"))
        yield f'{shape.name}("splitTime(7).Seconds")'
        yield f"""{shape.name}("userHome(strcat(\\"a\\"))")"""


SHAPES: Final = shapes(steady=False)


@pytest.mark.slow
@every_case("name", SHAPES)
def test_a_function_reads_what_it_says(name: str) -> None:
    """What makes a difference is declared, and what is declared makes a difference."""
    declared, ad = load()[name], ClassAd(AD)
    seen = NOTHING
    for text in calls(SHAPES[name]):
        base = unparse_value(evaluate(text, ad, context=context()))
        for cause, change in OTHERS.items():
            if unparse_value(evaluate(text, ad, context=context(**change))) != base:
                assert declared.varies_with(cause), f"{text} depends on {cause}"
                alone = text.endswith("()")
                assert alone or TEXT in declared.reads or cause in declared.reads, text
                seen |= cause
    wanted = ~NOTHING if TEXT in declared.reads else declared.ever_reads
    for cause in OTHERS:
        assert cause in seen or cause not in wanted, f"{name} never showed that it reads {cause}"


# --- a function that somebody adds ----------------------------------------------------------------


@pytest.fixture
def declare() -> Iterator[Callable[..., Any]]:
    """Declares functions for the time of one test."""
    before = dict(load())
    yield builtin
    FUNCTIONS.clear()
    FUNCTIONS.update(before)


ROWS: Final = 60


def rows() -> list[ClassAd]:
    return [ClassAd({"A": number, "T": 3600 * number}) for number in range(ROWS)]


def selected(table: Table, text: str, **changes: Any) -> None:
    """A table and its rows one by one select the same."""
    alone = [
        row
        for row, ad in enumerate(rows())
        if evaluate(text, ad, context=context(**changes)) is True
    ]
    assert alone
    assert list(table.select(text, context=context(**changes))) == alone


@pytest.mark.parametrize("reads", [CLOCK, CLOCK | ZONE])
def test_a_table_under_two_clocks(declare: Callable[..., Any], reads: Reads) -> None:
    @declare("soonerThan", args=1, reads=reads)
    def sooner(state: Any, value: Any) -> bool:
        return bool(value < state.now())

    table = Table(rows())
    for now in (10.0, 30.0, 10.0, 50.0):
        selected(table, "soonerThan(A)", now=now)
        selected(table, "soonerThan(A + 1) && A > 3", now=now)


def test_a_table_under_two_zones() -> None:
    table = Table(rows())
    for hours in (0, 5, -7, 5):
        selected(table, "splitTime(T).Hours == 22", tz=timezone(timedelta(hours=hours)))
        selected(table, "getHours(absTime(T)) == 3", tz=timezone(timedelta(hours=hours)))


def test_a_table_under_two_clocks_with_a_function_of_the_context() -> None:
    table = Table(rows())

    def sooner(state: Any, value: Any) -> bool:
        return bool(value < state.now())

    template = load()["isundefined"]
    own = {"soonerthan": template._replace(name="soonerThan", impl=sooner, form=None, reads=CLOCK)}
    for now in (10.0, 30.0):
        selected(table, "soonerThan(A)", now=now, functions=own)


def test_an_unknown_function_beside_an_own_one_has_its_clear_error() -> None:
    own: dict[str, Builtin] = {"halved": load()["isundefined"]._replace(name="halved", form=None)}
    reason = because(explain("halve(1)", ClassAd(), context=context(functions=own)))
    assert reason is not None
    assert reason.text == "`halve` is not a function"
    assert reason.help == "did you mean `halved`?"


# --- where names of functions may stand -----------------------------------------------------------

#: Words that are names of functions, too; a collection of some of them is no table of functions.
WORDS: Final = {
    "kinds of values": {"real", "string", "time", "int", "bool", "abstime", "reltime"},
    "fields of a priority record, which HTCondor names so": {"floor", "ceiling"},
    "macro functions of the configuration": {"int", "real", "string", "eval", "substr"},
    "fields of an expression's shape": {"random", "size"},
    "builtin functions of Python": {"min", "max", "any", "all"},
}


def collections(tree: ast.AST) -> Iterator[tuple[int, set[str]]]:
    """The texts in each literal set, list, tuple, dictionary and in each split text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Set | ast.List | ast.Tuple):
            parts: list[Any] = list(node.elts)
        elif isinstance(node, ast.Dict):
            parts = list(node.keys)
        elif isinstance(node, ast.MatchOr):
            parts = [part.value for part in node.patterns if isinstance(part, ast.MatchValue)]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            text = node.func.value
            if node.func.attr == "split" and isinstance(text, ast.Constant):
                yield node.lineno, {word.lower() for word in str(text.value).split()}
            continue
        else:
            continue
        values = [part.value for part in parts if isinstance(part, ast.Constant)]
        yield node.lineno, {value.lower() for value in values if isinstance(value, str)}


def test_a_function_is_declared_once() -> None:
    with pytest.raises(ValueError, match="builtin Size is declared twice"):
        builtin("Size", args=1)(lambda state, value: value)


@pytest.mark.slow
def test_no_table_repeats_the_names_of_functions() -> None:
    names, wrong = set(load()), []
    for package in ("classad", "policy", "negotiator", "pieslice", "fuzz"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.parent.name == "builtins":
                continue
            for line, texts in collections(ast.parse(path.read_text("utf-8"))):
                found = texts & names
                if len(found) > 1 and not any(found <= words for words in WORDS.values()):
                    wrong.append(f"{path.relative_to(ROOT)}:{line}: {', '.join(sorted(found))}")
    assert not wrong, "ask the declarations instead:\n" + "\n".join(wrong)


@pytest.fixture(scope="module")
def vectors() -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted(VECTORS.glob("*.jsonl"))).lower()


@every_case("name", sorted(load()))
def test_every_function_has_a_vector(name: str, vectors: str) -> None:
    assert f"{name}(" in vectors
