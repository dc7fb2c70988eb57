"""What commands say of recorded pools and drawn states, as it is kept in ``retold``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pieslice import drawn_pools, keeping, retold, states
from tests.pieslice.keeping import Kept, Told

STATES = list(states.states())


@pytest.mark.parametrize("number", range(len(STATES)))
def test_userprio_says_what_is_kept(number: int) -> None:
    name, files = STATES[number]
    with states.universal_time():
        now = states.answered(files, number)
    told = list(states.KEPT.differences(name, now))
    assert not told, "\n".join([*told, "if it is meant: python -m tests.pieslice.states"])


@pytest.mark.parametrize("name", list(retold.KEPT.answers))
def test_pools_answer_what_is_kept(name: str) -> None:
    now = retold.answered(name, retold.KEPT.answers[name])
    told = list(retold.KEPT.differences(name, now))
    assert not told, "\n".join([*told, "if it is meant: python -m tests.pieslice.retold"])


@pytest.mark.parametrize("number", range(drawn_pools.POOLS))
def test_drawn_pools_answer_what_is_kept(number: int) -> None:
    told = list(drawn_pools.KEPT.differences(f"pool {number}", drawn_pools.answered(number)))
    assert not told, "\n".join([*told, "if it is meant: python -m tests.pieslice.drawn_pools"])


def test_a_difference_shows_the_lines_of_before_and_of_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "FOLDER", tmp_path)
    before = Told(("one", "two", "x" * 200), {"count": "2", "same": "1"})
    Kept("it").write([("pool", {"why: 1.0": before, "gone": Told(())})])
    kept = Kept("it")
    assert not list(kept.differences("pool", {"why: 1.0": before, "gone": Told(())}))
    after = Told(("one", "three", "x" * 200), {"count": "3", "same": "1"})
    first, gone, new = kept.differences("pool", {"why: 1.0": after, "new": Told(())})
    assert first.splitlines() == [
        "pool: why: 1.0", "--- before", "+++ now", "@@ -1,3 +1,3 @@",
        " one", "-two", "+three", " " + "x" * 200, "count of the data is now 3",
    ]  # fmt: skip
    assert (gone, new) == ("pool: gone: not asked", "pool: new: not kept")
    short = Told(("one", "two"), {"same": "1"})
    (told,) = kept.differences("pool", {"why: 1.0": short, "gone": Told(())})
    assert "-(a line of more than 90 letters)" in told
    assert "2 fields of the data are now same" in told
