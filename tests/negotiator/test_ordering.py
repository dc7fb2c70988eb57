"""The order of groups with equal keys is the C++ library's, above 16 groups not a stable one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from negotiator.model.arithmetic import ascending

TIES = Path(__file__).parents[1] / "vectors" / "quotas" / "order_ties.json"


@pytest.mark.parametrize("case", json.loads(TIES.read_text())["cases"], ids=lambda c: c["id"])
def test_ties(case: dict[str, Any]) -> None:
    assert ascending([case["keys"]]) == case["order"]
