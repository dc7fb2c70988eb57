"""Finds expressions that are nested deeper than an evaluation goes.

No other check looks into these: whatever stands in them, an evaluation that gets to their end is
an error.  Follows: the limit of 25.14.1 of 400 operators under way, which versions before 25.13.2
do not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from classad.errors import Diagnostic
from classad.language.bounds import MAX_DEPTH
from classad.language.rules import language_of
from policy.lint.expressions import MacroExpression
from policy.lint.finding import WARNING, Finding

TOO_DEEP: Final = Finding(
    "P429",
    WARNING,
    "an expression that is nested deeper than an evaluation goes",
    f"An evaluation with more than {MAX_DEPTH} operators under way is an error, and so is all that"
    " needs it. A chain such as `A || B || C` is nested as many times as it has operators.",
    "TEN = + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1\n"
    "FIFTY = $(TEN) $(TEN) $(TEN) $(TEN) $(TEN)\n"
    "RANK = TARGET.JobPrio + 1 $(FIFTY) $(FIFTY) $(FIFTY) $(FIFTY) \\\n"
    "  $(FIFTY) $(FIFTY) $(FIFTY) $(FIFTY)\n",
    "RANK = TARGET.JobPrio + 401\n",
    observed="Observed with 25.14.1: its library adds up 400 such terms, and no more.",
)


def check_depths(expressions: Iterable[MacroExpression]) -> Iterator[Diagnostic]:
    """Everything that is nested too deeply."""
    for one in expressions:
        rules = language_of(one.setting.config.version)
        if one.is_too_deep and rules.operators_use_levels:
            message = f"{one.name} is nested {one.height - 1} operators deep"
            help_text = (
                f"an evaluation that has more than {MAX_DEPTH} of them under way ends in an error"
            )
            yield one.say(TOO_DEEP, message, one.tree, help_text)
