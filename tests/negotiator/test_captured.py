"""The captured pool that comes with the examples: what the real negotiator decided next."""

from __future__ import annotations

from pathlib import Path

from negotiator.agreement import compare
from negotiator.cycle import negotiate
from negotiator.io import CapturePaths, read_capture

CAMPUS = Path(__file__).parents[2] / "examples" / "campus"


def test_campus() -> None:
    capture = read_capture(CapturePaths(CAMPUS))
    assert capture.expected is not None
    result = negotiate(capture.snapshot, capture.policy, now=capture.facts.now)
    agreement = compare(result, capture.expected)
    assert agreement.complete
    assert (len(result.matches), len(result.rejections)) == (20, 5)
