"""Random calls of the builtin functions, ours against the real library's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from classad.ads.ad import ListValue
from classad.errors import ClassAdParseError
from classad.evaluate import EvalContext, evaluate_full
from classad.formats.unparse import pretty
from classad.language.times import int32_of_real
from classad.language.values import RelTime
from classad.syntax.parser import parse_expression
from tests.classad.builtin_cases import call, functions

ROOT = Path(__file__).parents[2]
CALLS = 40
#: Instants beyond the years of a C int, where HTCondor prints uninitialised memory (D-301).
BEYOND = ("9223372036854775807", "1e300")

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        find_spec("classad2") is None,
        reason="the real ClassAd library is not installed (htcondor on PyPI)",
    ),
]


def real_values(expressions: list[str], zone: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("real_library.py"))],
        input=json.dumps(expressions),
        env=os.environ | {"TZ": zone, "CONDOR_CONFIG": "ONLY_ENV", "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=True,
    )
    answers: list[str] = json.loads(done.stdout)
    return answers


def whole_seconds(value: Any) -> Any:
    """The real binding rounds relative times to whole seconds of 32 bits."""
    if value.__class__ is RelTime:
        return RelTime(float(int32_of_real(value.secs)))
    if value.__class__ is ListValue:
        return ListValue([whole_seconds(item) for item in value])
    return value


def our_value(expression: str, zone: ZoneInfo) -> str:
    try:
        node = parse_expression(expression, tz=zone)
    except ClassAdParseError:
        return "PARSE"
    value, succeeded = evaluate_full(node, context=EvalContext(now=1.7e9, tz=zone))
    return pretty(whole_seconds(value)) if succeeded else "FAIL"


@pytest.mark.slow
@pytest.mark.parametrize("zone", ["UTC", "America/Chicago", "Asia/Kolkata"])
def test_random_calls_agree(zone: str) -> None:
    rng = Random(f"builtins in {zone}")
    expressions = [call(rng, function) for function in functions() for _ in range(CALLS)]
    expressions = [
        expression
        for expression in expressions
        if not expression.startswith(("splitTime", "formatTime"))
        or not any(number in expression for number in BEYOND)
    ]
    info = ZoneInfo(zone)
    differing = [
        f"{expression}: {real!r} is {ours!r} here"
        for expression, real in zip(expressions, real_values(expressions, zone), strict=True)
        if (ours := our_value(expression, info)) != real
    ]
    assert not differing, "\n".join(differing)


@pytest.mark.parametrize(
    "zone",
    ["Europe/London", "Europe/Dublin", "Africa/Casablanca", "Europe/Paris", "America/New_York"],
)
def test_the_names_of_standard_time_agree(zone: str) -> None:
    """Also in the years in which it was always summer, and those that changed what is standard."""
    rng = Random(f"seconds in {zone}")
    times = [rng.randrange(-1_800_000_000, 1_900_000_000) for _ in range(CALLS)]
    times += range(-1_000_000_000, -750_000_000, 10_000_000)
    expressions = [f'formatTime({secs}, "%F %T %Z")' for secs in times]
    ours = [our_value(expression, ZoneInfo(zone)) for expression in expressions]
    assert dict(zip(expressions, ours, strict=True)) == dict(
        zip(expressions, real_values(expressions, zone), strict=True)
    )


def test_lists_that_fail_as_a_whole_agree() -> None:
    """An attribute that refers to another, hundreds of times, evaluates to nothing at all."""
    chain = "; ".join(f"A{number} = A{number + 1}" for number in range(500))
    asked = [
        "countMatches(true, A0)", "evalInEachContext(1, A0)", "isError(countMatches(true, A0))",
        "size(evalInEachContext(1, A0))", "true || countMatches(true, A0)",
        "ifThenElse(countMatches(true, A0) >= 0, 1, 2)", "countMatches(a > 0, A0) =?= 0",
        "{countMatches(true, A0)}[0]", "countMatches(A0, {[b = 1]})", "A0", "isError(A0)",
    ]  # fmt: skip
    texts = [f"[{chain}; A500 = {{[a = 1]}}; x = {text}].x" for text in asked]
    found = dict(zip(asked, real_values(texts, "UTC"), strict=True))
    ours = [our_value(text, ZoneInfo("UTC")) for text in texts]
    assert found == dict(zip(asked, ours, strict=True))
    assert (found["countMatches(true, A0)"], found["A0"]) == ("error", "FAIL")
