"""Defines functions that convert environment and argument strings, and that ask about users.

New (V2) quoting: words between blanks, single quotes around blanks, a doubled single quote inside
quotes for itself.  Old (V1): no quoting; environment entries between ``;``, or between the
character the string begins with if that is a punctuation mark.

What is known of users comes from the evaluation's context: ``EvalContext.home_of`` is a function
from user name to home directory or None; ``EvalContext.user_maps`` maps the folded name of a map to
a mapping, or function, from user name to a string of comma-separated groups.
Follows: condor_submit's ``environment`` and ``arguments``; the ClassAd language reference,
``userHome`` and ``userMap``; measured on 25.14.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias

from classad.builtins.support import is_list, new_list
from classad.evaluation.functions import ENVIRONMENT, builtin
from classad.evaluation.state import EvalState
from classad.language.bounds import EvaluationFailure
from classad.language.names import fold_name
from classad.language.times import wrap32
from classad.language.values import ERROR, UNDEFINED, ClassAdValue, to_bytes

_BLANKS: Final = " \t\n\r"
_SPACES: Final = " \t\n\v\f\r"
#: What an old-style environment string may begin with to say that this separates its entries.
_SEPARATORS: Final = "\x1f!#$%&*+,-/:;<>?@^`|~"


def split_words(text: str) -> list[str] | None:
    """The words of a V2 string, or None if a quote is not closed."""
    words = []
    word: str | None = None
    position = 0
    for piece in re.finditer(r"'((?:[^']++|'')*)'|[ \t\n\r]+|[^' \t\n\r]+", text):
        if piece.start() != position:
            return None
        position = piece.end()
        if piece.group()[0] in _BLANKS:
            if word is not None:
                words.append(word)
            word = None
        else:
            quoted = piece.group(1)
            plain = piece.group() if quoted is None else quoted.replace("''", "'")
            word = (word or "") + plain
    if position != len(text):
        return None
    return words if word is None else [*words, word]


def join_words(words: Iterable[str]) -> str:
    """A V2 string: only what needs quotes is put in quotes."""
    return " ".join(_quoted(word) if word else "''" for word in words)


def _quoted(word: str) -> str:
    return re.sub(r"[ \t\n\r']+", lambda found: "'" + found.group().replace("'", "''") + "'", word)


def _variable(entry: str) -> tuple[str, str | None] | None:
    """Name and value of an entry; a bare ``$$(...)`` has no value; None if ill-formed."""
    name, sign, value = entry.partition("=")
    if not sign:
        return (entry, None) if "$$" in entry else None
    return (name, value) if name else None


def _environment(entries: Iterable[str], variables: dict[str, str | None]) -> bool:
    """Add entries to an environment; whether all were well-formed."""
    for entry in entries:
        variable = _variable(entry)
        if variable is None:
            return False
        variables[variable[0]] = variable[1]
    return True


def _delimited(variables: dict[str, str | None]) -> str:
    """The V2 string of an environment, sorted by name."""
    entries = sorted(variables.items(), key=lambda item: to_bytes(item[0]))
    return join_words(name if value is None else f"{name}={value}" for name, value in entries)


def _old_entries(text: str) -> list[str]:
    """The entries of a V1 string; blanks before an entry go, empty entries do not count."""
    separator = ";"
    if text.startswith(tuple(_SEPARATORS)):
        separator, text = text[0], text[1:]
    pieces = re.split(f"[{re.escape(separator)}\n]", text)
    return [piece for piece in (piece.lstrip(_SPACES) for piece in pieces) if piece]


@builtin(
    "envV1ToV2",
    args=1,
    exceptional="undefined gives undefined; error, other types and an ill-formed text error",
    examples=['envV1ToV2("B=2;A=1 x") -> "A=1\' \'x B=2"'],
)
def env_v1_to_v2(state: EvalState, text: ClassAdValue) -> ClassAdValue:
    """An environment string in old syntax, rewritten in new syntax and sorted by name."""
    if text.__class__ is not str:
        return UNDEFINED if text is UNDEFINED else ERROR
    variables: dict[str, str | None] = {}
    return _delimited(variables) if _environment(_old_entries(text), variables) else ERROR


@builtin(
    "mergeEnvironment",
    args=(0, None),
    exceptional="undefined arguments are skipped; error, other types and an ill-formed text "
    "give error",
    examples=['mergeEnvironment("A=1 B=2", undefined, "B=3") -> "A=1 B=3"'],
)
def merge_environment(state: EvalState, *texts: ClassAdValue) -> ClassAdValue:
    """Environment strings in new syntax combined: the last value of a variable counts."""
    variables: dict[str, str | None] = {}
    for text in texts:
        if text is UNDEFINED:
            continue
        words = split_words(text) if text.__class__ is str else None
        if words is None or not _environment(words, variables):
            return ERROR
    return _delimited(variables)


def _syntax(version: ClassAdValue) -> int | None:
    syntax = wrap32(version) if version.__class__ is int else 0
    return syntax if syntax in (1, 2) else None


@builtin(
    "listToArgs",
    args=(1, 2),
    exceptional="undefined, error and members that are no strings give error",
    examples=[
        'listToArgs({"a", "b c"}) -> "a b\' \'c"',
        'listToArgs({"a b"}, 1) -> error',
    ],
)
def list_to_args(state: EvalState, words: ClassAdValue, version: ClassAdValue = 2) -> ClassAdValue:
    """A list of strings as an argument string, in new syntax or, with 1, in old syntax."""
    syntax = _syntax(version)
    if not is_list(words) or syntax is None:
        return ERROR
    members = words.values(state)
    if any(member.__class__ is not str for member in members):
        return ERROR
    if syntax == 2:
        return join_words(members)
    if any(blank in member for member in members for blank in _BLANKS):
        return ERROR
    # A blank is put only behind what is there already: empty words in front leave no trace.
    return " ".join(members).lstrip(" ")


@builtin(
    "argsToList",
    args=(1, 2),
    exceptional="undefined, error, other types and an unclosed quote give error",
    examples=['argsToList("a \'b c\'") -> { "a","b c" }', 'argsToList("\'a", 1) -> { "\'a" }'],
)
def args_to_list(state: EvalState, text: ClassAdValue, version: ClassAdValue = 2) -> ClassAdValue:
    """The words of an argument string in new syntax or, with 1, in old syntax."""
    syntax = _syntax(version)
    if text.__class__ is not str or syntax is None:
        return ERROR
    if syntax == 1:
        return new_list(word for word in re.split("[ \t\n\r]+", text) if word)
    words = split_words(text)
    return ERROR if words is None else new_list(words)


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
