"""A pool that is recorded, for commands that talk to daemons, and a browser."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

RECORDED = Path(__file__).parents[1] / "live" / "recorded"
#: What the recorded collector answers to.
POOL = "cm.campus.example"


@cache
def _record() -> bytes:
    return gzip.decompress((RECORDED / "pool.json.gz").read_bytes())


#: Changes the record before a command reads it.
Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Puts a record where the bindings that stand in for HTCondor's look for it."""

    def place(change: Change | None = None) -> Path:
        folder = tmp_path / "recorded"
        folder.mkdir(exist_ok=True)
        text = _record()
        if change is not None:
            whole = json.loads(text)
            change(whole)
            text = json.dumps(whole).encode()
        (folder / "pool.json").write_bytes(text)
        monkeypatch.setenv("PYTHONPATH", str(RECORDED))
        monkeypatch.setenv("RECORDED_POOL", str(folder))
        return folder

    return place


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; of a module, as no other event loop may run beside it."""
    from tests.pieslice.browsing import chromium

    with chromium() as found:
        yield found
