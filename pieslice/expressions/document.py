"""Says what JSON has of the value of an expression.

Inputs: a value.  Outputs: ``Evaluated``.
"""

from __future__ import annotations

from typing import ClassVar

from attr import field, frozen

from classad.analysis.explanation import ExplanationData
from pieslice.reports.document import SPARSE, Document
from policy.versions import Followed


@frozen
class Evaluated(Document):
    """The value of an expression; ``ok``: whether the evaluation came to an end."""

    schema: ClassVar[str] = "pieslice/eval/1"
    followed: Followed
    expression: str
    type: str
    #: As HTCondor's JSON writes ClassAd values.
    value: object
    text: str
    ok: bool
    why: ExplanationData | None = field(default=None, metadata=SPARSE)
