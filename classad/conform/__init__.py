"""Running recorded cases against this implementation.

``runner`` reads vector files and counts; ``language`` knows the cases about the ClassAd language.
The other packages bring the kinds of their own rooms; the command line joins them.
"""

from classad.conform.runner import Case, Kind, Mismatch, Outcome, Summary, run

__all__ = ["Case", "Kind", "Mismatch", "Outcome", "Summary", "run"]
