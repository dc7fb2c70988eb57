"""Lists bugs to plant, one at a time, and what should notice each; one file for each room.

``by``: ``conform FILES`` runs recorded vectors, ``fuzz TARGET`` a target's few cases, ``tests
FILES`` tests.  A text stands exactly once in its file, which a test checks.

Outputs: ``MUTATIONS``.
"""

from __future__ import annotations

from typing import Final

from fuzz.mutations import classad, csrc, negotiator, pieslice, policy
from fuzz.mutations.mutation import Mutation

__all__ = ["MUTATIONS", "Mutation"]

MUTATIONS: Final = (
    *classad.MUTATIONS,
    *csrc.MUTATIONS,
    *policy.MUTATIONS,
    *negotiator.MUTATIONS,
    *pieslice.MUTATIONS,
)
