"""Replaying golden cases in a way of one's own: every so many cases of a topic, compared.

The whole of the vectors is run by test_conform.py; this is for tests that evaluate them otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from classad import ClassAd, ExprTree
from tests.conform.language import comparison
from tests.conform.language.comparison import context_of
from tests.conform.language.encode import PARSE_ERROR, encode

__all__ = ["PARSE_ERROR", "ad_of", "check", "context_of", "encode", "tree_of"]

FOLDER = Path(__file__).parents[1] / "vectors" / "classad"


def cases(topic: str) -> Iterator[dict[str, Any]]:
    """The recorded cases of a topic."""
    with open(FOLDER / f"{topic}.jsonl", encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)


def tree_of(text: str, case: dict[str, Any]) -> ExprTree:
    """An expression in the syntax of the case."""
    return comparison.tree_of(case, text)


def ad_of(attributes: dict[str, str] | None, case: dict[str, Any]) -> ClassAd | None:
    """An ad from texts, None for none."""
    return None if attributes is None else comparison.ad_of(case, attributes)


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
            inputs = {key: case[key] for key in case if key not in ("value", "unparsed")}
            wrong.append(f"{str(inputs)[:600]}\n    got  {got}\n    want {expected}")
    shown = "\n  ".join(wrong[:8])
    assert not wrong, f"{len(wrong)} of {total} cases of {topic} differ:\n  {shown}"
