"""Names what the language means by version of HTCondor: one value, ``LanguageRules``.

An evaluation takes the rules from its context (``EvalContext(language=...)``), a parse as an
argument.  Without any they are the newest ones.

Inputs: numbers of versions.  Outputs: ``LanguageRules``.
Follows: what 23.9.6, 24.0.23, 25.0.13 and 25.14.1 answered (vectors ``versions/classad.json``).
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from classad.language.bounds import MAX_WORK

__all__ = [
    "BEFORE_24_0",
    "BEFORE_25_13_2",
    "NEWEST",
    "LanguageRules",
    "NestingRules",
    "language_of",
]


class NestingRules(NamedTuple):
    """How deeply a text may be nested.

    ``levels``: what the parser allows.  ``bracket``, ``prefix``, ``elvis``: the levels that a
    bracket, a prefix operator and ``?:`` use up for what stands to the right of them; a conditional
    uses one.  ``calls``: calls that may be nested, None if only the levels bound them.
    """

    levels: int = 500
    bracket: int = 3
    prefix: int = 1
    elvis: int = 1
    calls: int | None = None


class LanguageRules(NamedTuple):
    """What differs by version in reading and evaluating expressions.

    ``since``: the first version that has all of these.
    ``self_reference_fails``: an evaluation that follows a reference to an attribute that is being
    evaluated fails as a whole; otherwise that reference is undefined.
    ``operators_use_levels``: operators and parentheses use up a level each while evaluating, as
    references do.
    ``most_work``: nodes that one evaluation may visit.
    ``blank_in_elvis``: ``? :`` is the operator ``?:``; otherwise a conditional without a middle,
    which binds weakest.
    ``names_in_any_case``: functions that compare versions are known in any case of their letters;
    otherwise as documented only.
    ``elvis_flattens``: ``?:`` is flattened as the operator that it is; otherwise as a conditional
    without a middle: a known left operand that is true fails, one that is false leaves the right
    one, one that is no condition is an error.
    ``nesting``: of texts.
    """

    since: tuple[int, int, int]
    self_reference_fails: bool = False
    operators_use_levels: bool = True
    most_work: int = MAX_WORK
    blank_in_elvis: bool = True
    names_in_any_case: bool = True
    elvis_flattens: bool = True
    nesting: NestingRules = NestingRules()


#: The rules of 25.14.1.
NEWEST: Final = LanguageRules((25, 13, 2))
#: 24.0.23 and 25.0.13 were asked.  There is no bound on work: ours lets 24 doublings pass, and ends
#: what would keep a daemon busy for minutes.
BEFORE_25_13_2: Final = LanguageRules(
    since=(24, 0, 0),
    self_reference_fails=True,
    operators_use_levels=False,
    most_work=100_000_000,
    blank_in_elvis=False,
    names_in_any_case=False,
    elvis_flattens=False,
    nesting=NestingRules(levels=1000, bracket=1, prefix=0, elvis=0, calls=400),
)
#: 23.9.6 was asked; which version lifted its bound on ``?:`` is not known.
BEFORE_24_0: Final = BEFORE_25_13_2._replace(
    since=(0, 0, 0), nesting=BEFORE_25_13_2.nesting._replace(elvis=1)
)


@cache
def language_of(version: tuple[int, int, int]) -> LanguageRules:
    """The rules of a version, given by its three numbers.

    >>> language_of((25, 0, 13)).self_reference_fails
    True
    """
    for rules in (NEWEST, BEFORE_25_13_2):
        if version >= rules.since:
            return rules
    return BEFORE_24_0


# --- ways of reading a text, numbered as in csrc/kernels.h: the parser is told a sum of them ---

#: Strings are in old syntax.
OLD: Final = 1
#: Integers and argument lists are as in strict semantics.
STRICT: Final = 2
#: Text behind a complete expression is ignored.
PREFIX: Final = 4
#: Text behind a conditional is refused, as it is behind every other expression.
WHOLE: Final = 16
