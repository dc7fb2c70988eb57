"""Defines functions that ask about users; their answers come from the evaluation's context.

``EvalContext.home_of`` is a function from user name to home directory or None;
``EvalContext.user_maps`` maps the folded name of a map to a mapping, or function, from user name
to a string of comma-separated groups.
Follows: the ClassAd language reference, ``userHome`` and ``userMap``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from classad.evaluation.functions import ENVIRONMENT, builtin
from classad.evaluation.state import EvalState
from classad.language.limits import EvaluationFailure
from classad.language.names import fold_name
from classad.language.values import ERROR, UNDEFINED, ClassAdValue

#: Folded names of maps -> what a user is in each.
UserMaps: TypeAlias = Mapping[str, Mapping[str, str] | Callable[[str], str | None]]


@builtin(
    "userHome",
    args=(0, None),
    fails=True,
    reads=ENVIRONMENT,
    exceptional="without a known user the default, if it is a string with text; else undefined, "
    "or error for a name that is neither string nor undefined; a call without arguments or with "
    "more than two fails the whole evaluation",
    examples=['userHome("nobody-here", "/tmp") -> "/tmp"'],
)
def user_home(state: EvalState, *arguments: ClassAdValue) -> ClassAdValue:
    """The home directory of a user, or the default."""
    if not 1 <= len(arguments) <= 2:
        raise EvaluationFailure("userHome takes one or two arguments")
    name = arguments[0]
    home_of = state.context.home_of
    if name.__class__ is str:
        home = home_of(name) if home_of is not None else None
        if home:
            return home
    default = arguments[1] if len(arguments) == 2 else None
    if default.__class__ is str and default:
        return default
    return UNDEFINED if name.__class__ is str or name is UNDEFINED else ERROR


@builtin(
    "userMap",
    args=(2, 4),
    reads=ENVIRONMENT,
    exceptional="an error in the first two arguments gives error; without a mapping the default "
    "(whatever its type) or undefined",
    examples=['userMap("groups", "ann", "physics", "none") -> "none"'],
)
def user_map(
    state: EvalState, table: ClassAdValue, user: ClassAdValue, *choice: ClassAdValue
) -> ClassAdValue:
    """The groups of a user in a map; with a preferred group, that one or else the first.

    The fourth argument is the default for a user without groups.
    """
    if table is ERROR or user is ERROR:
        return ERROR
    default = choice[1] if len(choice) == 2 else UNDEFINED
    groups = None
    if table.__class__ is str and user.__class__ is str:
        groups = _groups(state.context.user_maps, table, user)
    if groups is None:
        return default
    if not choice:
        return groups
    items = [item for item in (item.strip() for item in groups.split(",")) if item]
    if choice[0].__class__ is str:
        for item in items:
            if fold_name(item) == fold_name(choice[0]):
                return item
    return items[0] if items else default


def _groups(maps: UserMaps | None, table: str, user: str) -> str | None:
    chosen = None if maps is None else maps.get(fold_name(table))
    if chosen is None:
        return None
    groups = chosen(user) if callable(chosen) else chosen.get(user)
    return groups if isinstance(groups, str) else None
