"""Lists bugs to plant, one at a time, and what should notice each; one file for each room
and one for bounds, which bugs of all rooms are about.

``by``: ``conform FILES`` runs recorded vectors, ``fuzz TARGET`` a target's few cases, ``tests
FILES`` tests.  A text stands exactly once in its file, which a test checks.

Outputs: ``MUTATIONS``.
"""

from __future__ import annotations

from typing import Final

from fuzz.mutations import bounds, classad, csrc, negotiator, pieslice, policy
from fuzz.mutations.mutation import Mutation

__all__ = ["MUTATIONS", "Mutation"]

MUTATIONS: Final = (
    *classad.MUTATIONS,
    *csrc.MUTATIONS,
    *policy.MUTATIONS,
    *negotiator.MUTATIONS,
    *pieslice.MUTATIONS,
    *bounds.MUTATIONS,
)
