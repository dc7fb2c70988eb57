"""Differences from the real library that are known, by their number in DIVERGENCES.md.

What is decided here: which difference that a comparison finds is one of those.  A predicate is as
narrow as the text of a case allows; a test reads the numbers in DIVERGENCES.md.
Inputs: the case and both answers as ``fuzz.peer`` writes them.  Outputs: the number, or "".
Never here: excuses without a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from classad.invent import Case

Predicate = Callable[[Case, Any, Any], bool]


def _far_instants(case: Case, ours: Any, theirs: Any) -> bool:
    # What was written: the instant, a large year, or the fields of a structure not filled in.
    return bool(
        re.search(r"splitTime|formatTime", _text(case), re.IGNORECASE)
        and re.search(r"\d{8,}|\d{5}|>>|<<|~", str(ours) + str(theirs) + _text(case))
    )


def _search_in_a_match(case: Case, ours: Any, theirs: Any) -> bool:
    names = r"\b(countMatches|evalInEachContext|unresolved)\b"
    return bool(case.target and re.search(names, _text(case), re.IGNORECASE))


def _cut_in_a_list(case: Case, ours: Any, theirs: Any) -> bool:
    return bool(_cut(ours) == _cut(theirs))


def _cut(answer: Any) -> Any:
    """An answer with the fractions of reals in lists left out."""
    if isinstance(answer, list):
        if len(answer) == 2 and answer[0] == "float" and re.fullmatch(r"-?\d+\.\d+", answer[1]):
            return ["float", float(int(float(answer[1])))]
        return [_cut(part) for part in answer]
    return answer


def _selected_list(case: Case, ours: Any, theirs: Any) -> bool:
    makes_lists = r"\b(split\w*|argsToList|evalInEachContext)\("
    return bool(re.search(makes_lists, _text(case)) and re.search(r"\.[xyz]\b|\[", _text(case)))


def _version_of_pcre(case: Case, ours: Any, theirs: Any) -> bool:
    return bool(re.search(r"\breplaceAll\b|\bregexps\b", _text(case)) and "(b)?" in _text(case))


KNOWN: Final[dict[str, Predicate]] = {
    "D-301": _far_instants,
    "D-303": _selected_list,
    "D-304": _search_in_a_match,
    "D-306": _version_of_pcre,
    "D-107": _cut_in_a_list,
}


def known(case: Case, ours: Any, theirs: Any) -> str:
    """The number of the first entry that covers a difference."""
    for number, covers in KNOWN.items():
        if covers(case, ours, theirs):
            return number
    return ""


def _text(case: Case) -> str:
    return " ".join(case)
