"""Checks conditions as a whole: constants in disguise, and what no free slot can ever fulfil.

It speaks last, and only of expressions in whose parts no other check has found the cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from attr import evolve

from classad.errors import Diagnostic
from policy.knobs.declaration import Wanted
from policy.lint.expressions import MacroExpression
from policy.lint.finding import WARNING, Finding
from policy.lint.trees import comparisons, names
from policy.values.evaluation import Evaluation

NEVER_AT_ALL: Final = Finding(
    "P418",
    WARNING,
    "a condition that is never true",
    "It looks at attributes, and comes to false, undefined or error whatever they are. Where that"
    " is meant, `False` says it.",
    "ACCEPT = False\nSTART = TARGET.RequestCpus < 8 && $(ACCEPT)\n",
    "ACCEPT = True\nSTART = TARGET.RequestCpus < 8 && $(ACCEPT)\n",
)
ALWAYS_AT_ALL: Final = Finding(
    "P419",
    WARNING,
    "a condition that is always true",
    "It looks at attributes, and is true whatever they are. Where that is meant, `True` says it.",
    "ANYBODY = True\nSTART = TARGET.RequestCpus < 8 || $(ANYBODY)\n",
    "ANYBODY = False\nSTART = TARGET.RequestCpus < 8 || $(ANYBODY)\n",
)

_CONDITIONS: Final = frozenset((Wanted.TRUTH, Wanted.CONDITION))


def check_wholes(expressions: Iterable[MacroExpression]) -> Iterator[Diagnostic]:
    """Everything about whole conditions."""
    for one in expressions:
        if one.said or one.how.use.wanted not in _CONDITIONS or one.has_holes:
            continue
        value = one.evaluation.value.condition()
        speaks = bool(names(one.tree)) or any(True for _ in comparisons(one.tree))
        if not speaks:
            continue
        if value.truths == {True} and not value.undefined and not value.error:
            if _extends_default(one):
                continue
            message = f"{one.name} is true whatever its attributes are"
            yield one.say(ALWAYS_AT_ALL, message, one.tree)
        elif True not in value.truths and not _extends_default(one):
            yield one.say(NEVER_AT_ALL, f"{one.name} is never true", one.tree)
        elif one.name.casefold() == "start" and _never_when_free(one):
            message = f"{one.name} is never true for a free slot and an idle job"
            yield one.say(NEVER_AT_ALL, message, one.tree)


def _extends_default(one: MacroExpression) -> bool:
    """Does it add to the built-in value, as in ``WANT_SUSPEND = $(WANT_SUSPEND) && ...``?"""
    entry = one.setting.entry
    return entry.previous is None and entry.written not in (None, entry.raw)


def _never_when_free(one: MacroExpression) -> bool:
    free = Evaluation(one.tree, evolve(one.surroundings, free=True).look_up)
    return True not in free.value.condition().truths
