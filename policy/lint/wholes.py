"""Checks conditions as a whole: constants in disguise, and what no free slot can ever fulfil.

They speak last, and only of expressions in whose parts no other check has found the cause.  Nor
does any look into what is nested deeper than an evaluation goes, whose end is an error.
Follows: the limit of 25.14.1 of 400 operators under way, which versions before 25.13.2 do not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from attr import evolve

from classad.errors import Diagnostic
from classad.language.bounds import MAX_DEPTH
from classad.language.rules import language_of
from classad.patterns import late_regex
from policy.knobs.declaration import Wanted
from policy.language.table import Definition
from policy.lint.expressions import MacroExpression
from policy.lint.finding import EVERY_OTHER, Finding, Per, finding

ALWAYS_AT_ALL: Final = Finding(
    "P419",
    "a condition that is always true",
    "It looks at attributes, and is true whatever they are. Where that is meant, `True` says it. A"
    " plain True of what removes, holds or vacates jobs is for every one, and that of IS_OWNER for"
    " every slot.",
    "ANYBODY = True\nSTART = TARGET.RequestCpus < 8 || $(ANYBODY)\n",
    "ANYBODY = False\nSTART = TARGET.RequestCpus < 8 || $(ANYBODY)\n",
    observed="Observed with 25.14.1: with IS_OWNER = True no slot is matched, whatever START is.",
)
TOO_DEEP: Final = Finding(
    "P429",
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
#: What is done to jobs, and what becomes of all of them where that is True.
_MEANS: Final = {"hold": "is put on hold", "remove": "is removed", "vacate": "is stopped"}
_FOR_ALL: Final = late_regex(rf"SYSTEM_PERIODIC_(?:{'|'.join(_MEANS)})(?:_|$)", re.IGNORECASE)
#: What keeps a slot for the owner of its machine, under both of its names.
_OWNED: Final = ("is_owner", "isowner")
_CONDITIONS: Final = frozenset((Wanted.TRUTH, Wanted.CONDITION))


@finding(
    "P418",
    "a condition that is never true",
    "It looks at attributes, and comes to false, undefined or error whatever they are. Where that"
    " is meant, `False` says it.",
    "ACCEPT = False\nSTART = TARGET.RequestCpus < 8 && $(ACCEPT)\n",
    "ACCEPT = True\nSTART = TARGET.RequestCpus < 8 && $(ACCEPT)\n",
    per=Per.EXPRESSION,
    after=(EVERY_OTHER, "P501"),
)
def never_at_all(one: MacroExpression) -> Iterator[Diagnostic]:
    speaks = bool(one.names) or bool(one.comparisons)
    if one.use.wanted not in _CONDITIONS or one.has_holes:
        return
    value = one.evaluation.value.condition()
    if not speaks:
        if _FOR_ALL.match(one.name) and value.truths == {True}:
            verb = one.name.split("_")[2].lower()
            yield one.say(ALWAYS_AT_ALL, f"{one.name} is true: every job {_MEANS[verb]}", one.tree)
        elif one.name.casefold() in _OWNED and value.truths == {True}:
            message = f"{one.name} is true: all slots stay in the state Owner and take no jobs"
            yield one.say(ALWAYS_AT_ALL, message, one.tree)
        return
    if value.truths == {True} and not value.undefined and not value.error:
        if not _extends_plain(one):
            message = f"{one.name} is true whatever its attributes are"
            yield one.say(ALWAYS_AT_ALL, message, one.tree)
    elif _is_switched_off(one):
        return
    elif True not in value.truths and not _extends_plain(one):
        yield one.say(never_at_all, f"{one.name} is never true", one.tree)
    elif one.name.casefold() == "start" and _never_when_free(one):
        message = f"{one.name} is never true for a free slot and an idle job"
        yield one.say(never_at_all, message, one.tree)


def _extends_plain(one: MacroExpression) -> bool:
    """Does it add to a plain True or False of the file, which says what is meant?"""
    entry, before = one.setting.entry, one.setting.entry.previous
    return before is not None and _plain(before) is not None and entry.extends


def _is_switched_off(one: MacroExpression) -> bool:
    """Was there a plain False of the file?"""
    before = one.setting.entry.previous
    return before is not None and _plain(before) is False and _extends_plain(one)


def _plain(entry: Definition) -> bool | None:
    """The value of a definition that is True or False."""
    return {"true": True, "false": False}.get(entry.raw.strip().casefold())


def _never_when_free(one: MacroExpression) -> bool:
    free = one.evaluated(evolve(one.surroundings, free=True))
    return True not in free.value.condition().truths


def too_deep(one: MacroExpression) -> Iterator[Diagnostic]:
    """What there is to say of an expression into which no other check looks."""
    if language_of(one.setting.config.version).operators_use_levels:
        message = f"{one.name} is nested {one.height - 1} operators deep"
        most = f"more than {MAX_DEPTH} of them under way"
        help_text = f"an evaluation that has {most} ends in an error"
        yield one.say(TOO_DEEP, message, one.tree, help_text)
