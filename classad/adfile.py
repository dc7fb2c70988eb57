"""Reading ads from text in any of HTCondor's forms.

Inputs: a text or lines, and the name of their origin.  Outputs: iterators of ads.  The forms
themselves live in ``classad.formats``.
"""

from __future__ import annotations

from classad.formats.long import LongReader, read_long

__all__ = ["LongReader", "read_long"]
