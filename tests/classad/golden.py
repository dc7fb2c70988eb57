"""Reading the golden vectors: cases of one topic, their inputs as objects, results as JSON.

The schema is that of tests/vectors/classad (one JSON object per line).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from classad.ad import ClassAd
from classad.errors import ClassAdParseError
from classad.evaluate import EvalContext, evaluate_full
from classad.expr import ExprTree
from classad.lists import ListValue
from classad.parser import parse_expression
from classad.values import UNDEFINED, AbsTime, RelTime, Value

FOLDER = Path(__file__).parents[1] / "vectors" / "classad"
#: Any instant will do: no recorded value depends on the clock.
NOW = 1_700_000_000.0


def cases(topic: str) -> Iterator[dict[str, Any]]:
    """The recorded cases of a topic."""
    with open(FOLDER / f"{topic}.jsonl", encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line, strict=False)


def context_of(case: dict[str, Any]) -> EvalContext:
    """Zone and semantics of a case."""
    return EvalContext(
        now=NOW, tz=ZoneInfo(case.get("tz", "UTC")), strict=case.get("semantics") == "new"
    )


def tree_of(text: str, case: dict[str, Any]) -> ExprTree:
    """An expression in the syntax of the case."""
    node = parse_expression(
        text,
        old=case.get("syntax") == "old",
        strict=case.get("semantics") == "new",
        tz=case.get("tz"),
    )
    return ExprTree.from_node(node)


def ad_of(attributes: dict[str, str] | None, case: dict[str, Any]) -> ClassAd | None:
    """An ad from texts, None for none."""
    if attributes is None:
        return None
    ad = ClassAd()
    for name, text in attributes.items():
        ad.insert(name, tree_of(text, case))
    return ad


def encode(value: Any) -> dict[str, Any]:
    """A value in the vectors' form."""
    if value.__class__ is Value:
        return {"type": "undefined" if value is UNDEFINED else "error", "value": None}
    if value.__class__ is bool:
        return {"type": "boolean", "value": value}
    if value.__class__ is int:
        return {"type": "integer", "value": value}
    if value.__class__ is float:
        return {"type": "real", "value": repr(value)}
    if value.__class__ is str:
        return {"type": "string", "value": value}
    if value.__class__ is AbsTime:
        return {"type": "abstime", "value": {"secs": value.secs, "offset": value.offset}}
    if value.__class__ is RelTime:
        return {"type": "reltime", "value": repr(value.secs)}
    from classad.unparse import unparse_value

    kind = "list" if isinstance(value, ListValue) else "classad"
    return {"type": kind, "value": unparse_value(value)}


PARSE_ERROR = {"type": "parse_error", "value": None}


def evaluate_case(case: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """Evaluate ``expr`` of a case in its ads: encoded value and whether evaluation succeeded."""
    try:
        tree = tree_of(case["expr"], case)
    except ClassAdParseError:
        return PARSE_ERROR, True
    my = ad_of(case.get("my"), case) or ClassAd()
    if case.get("chained_parent") is not None:
        my.chain(ad_of(case["chained_parent"], case))
    target = ad_of(case.get("target"), case)
    value, ok = evaluate_full(tree, my, target, context=context_of(case))
    return encode(value), ok


def check(
    topic: str,
    run: Callable[[dict[str, Any]], Any],
    wanted: Callable[[dict[str, Any]], Any],
    every: int = 1,
) -> None:
    """Fail with the first differing cases of a topic, if any; ``every``: try one in so many."""
    wrong, total = [], 0
    for case in islice(cases(topic), 0, None, every):
        total += 1
        got, expected = run(case), wanted(case)
        if got != expected:
            wrong.append(f"{case['id']}: {describe(case)}\n    got  {got}\n    want {expected}")
    shown = "\n  ".join(wrong[:8])
    assert not wrong, f"{len(wrong)} of {total} cases of {topic} differ:\n  {shown}"


def describe(case: dict[str, Any]) -> str:
    """The inputs of a case in one line."""
    keys = ("expr", "attr", "my", "target", "chained_parent", "left", "right", "tz", "syntax")
    text = ", ".join(f"{key}={case[key]!r}" for key in keys if case.get(key) is not None)
    return text if len(text) < 600 else text[:600] + "..."


def check_values(topic: str) -> None:
    """Evaluate every case of a topic and compare value and success."""
    check(topic, evaluate_case, lambda case: (case["value"], case.get("eval_ok", True)))
