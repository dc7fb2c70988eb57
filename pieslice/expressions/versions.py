"""Says by which rules of the language ``pieslice eval`` and ``select`` evaluate.

Inputs: what ``--condor-version`` was given.  Outputs: ``LanguageRules``, and a note if nothing is
recorded of the version.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from classad.language.rules import LanguageRules, language_of

if TYPE_CHECKING:
    from policy.versions import Followed


def rules_of(followed: Followed, notes: IO[str] | None) -> LanguageRules:
    """The rules of a version; ``notes``: where to say what is unsure."""
    if followed.note and notes is not None:
        notes.write(f"note: {followed.note}\n")
    return language_of(followed.version)
