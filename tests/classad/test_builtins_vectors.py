"""The builtin functions against the golden vectors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from classad.ad import ClassAd
from classad.errors import ClassAdParseError
from classad.evaluate import EvalContext, evaluate_full
from classad.expr import ExprTree
from classad.parser import parse_expression
from classad.unparse import unparse_value

VECTORS = Path(__file__).parents[1] / "vectors" / "classad"
NAMES = ("fn1", "fn2", "fn_good", "fn_ad", "time", "time_tz")


def cases(name: str) -> Iterator[dict[str, Any]]:
    with (VECTORS / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def built(attributes: dict[str, str] | None, zone: str) -> ClassAd | None:
    if attributes is None:
        return None
    ad = ClassAd()
    for name, text in attributes.items():
        ad.insert(name, ExprTree.from_node(parse_expression(text, tz=zone)))
    return ad


def outcome(case: dict[str, Any]) -> tuple[str | None, bool]:
    zone = case.get("tz", "UTC")
    my, target = built(case["my"], zone), built(case["target"], zone)
    try:
        node = parse_expression(case["expr"], tz=zone)
    except ClassAdParseError:
        return None, True
    context = EvalContext(now=1.7e9, tz=ZoneInfo(zone))
    value, succeeded = evaluate_full(node, my, target, context=context)
    return unparse_value(value), succeeded


@pytest.mark.parametrize("name", NAMES)
def test_vectors(name: str) -> None:
    count = 0
    for case in cases(name):
        count += 1
        assert outcome(case) == (case["unparsed"], case.get("eval_ok", True)), case["expr"]
    assert count > 100
