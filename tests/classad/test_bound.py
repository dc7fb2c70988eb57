"""What the Python interface does with every kind of value is what ``bound.txt`` says.

``python -m tests.classad.bound`` writes the file anew; whoever does so reads the diff.
"""

from __future__ import annotations

import difflib

import pytest

from tests.classad.bound import BOUND, lines


def test_the_interface_does_what_it_did() -> None:
    wanted = BOUND.read_text(encoding="utf-8").splitlines()
    found = list(lines())
    if found != wanted:
        changes = list(difflib.unified_diff(wanted, found, "kept", "now", n=0, lineterm=""))
        pytest.fail("\n".join(changes[:60]))
