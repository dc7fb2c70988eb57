"""What is read of a captured pool, and said of it, when one thing in it is changed."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import unified_diff
from itertools import groupby

import pytest

from tests.negotiator import reading

#: The changes of each file in both pools.
BY_FILE = {
    head: list(group)
    for head, group in groupby(reading.cases(), lambda case: (case[0], case[1].partition(" ")[0]))
}
KEPT = dict(zip(reading.cases(), reading.kept(), strict=True))


@pytest.mark.parametrize("cases", BY_FILE.values(), ids=[" ".join(head) for head in BY_FILE])
def test_what_is_read_of_a_changed_pool(cases: Sequence[tuple[str, str]]) -> None:
    """See ``tests.negotiator.reading``."""
    kept = [line for case in cases for line in KEPT[case].splitlines()]
    found = [line for case in cases for line in reading.answer(*case).splitlines()]
    if kept != found:
        pytest.fail("\n".join(unified_diff(kept, found, "kept", "now", lineterm="")))
