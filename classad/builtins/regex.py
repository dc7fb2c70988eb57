"""Defines functions that match and replace with regular expressions.

Options are letters: ``i`` ignores case, ``m`` lets ``^`` and ``$`` match at lines, ``s`` lets a
dot match newlines, ``x`` allows blanks and comments in the pattern; others are ignored.  Bytes
above 127 are characters of their own.
Follows: the ClassAd language reference; measured on 25.14.1 (vectors ``fn2``, ``fn_good``).
"""

from __future__ import annotations

from collections.abc import Sequence

from classad.builtins.pcre import OPTIONS, SHORT, GaveUp, Pattern, PatternMatch, compile_pattern
from classad.builtins.stringlists import items_of
from classad.builtins.support import either_exceptional, is_list, shared_texts
from classad.evaluation.functions import (
    ArgumentColumn,
    Booleans,
    Implementation,
    ResultKind,
    builtin,
)
from classad.evaluation.state import EvalState
from classad.language import bounds
from classad.language.values import (
    ERROR,
    UNDEFINED,
    ClassAdValue,
    Truth,
    Value,
    from_bytes,
    to_bytes,
)


def _compiled(pattern: str, options: str) -> Pattern | None:
    if not options:
        return compile_pattern(pattern, "")
    return compile_pattern(pattern, "".join(letter for letter in OPTIONS if letter in options))


def _matches(pattern: Pattern, subject: str) -> Truth:
    """Whether the pattern matches somewhere, or error if the engine gave up."""
    try:
        return pattern.matches(to_bytes(subject))
    except GaveUp:
        return ERROR


def _many_subjects(given: Sequence[ArgumentColumn]) -> list[ClassAdValue] | None:
    """One pattern in many subjects, if its search cannot fail: none is long."""
    texts, fixed = given[1].texts(), shared_texts([given[0], *given[2:]])
    compiled = None if texts is None or fixed is None else _compiled(fixed[0], "".join(fixed[1:]))
    if texts is None or compiled is None or compiled.quick is None:
        return None
    memo = given[1].memo
    subjects = memo.get("bytes")
    if not isinstance(subjects, list):
        subjects = memo["bytes"] = list(map(to_bytes, texts))
        memo["short"] = max(map(len, subjects)) <= SHORT
    if not memo["short"]:
        return None
    find = compiled.quick
    return Booleans([find(subject) is not None for subject in subjects])


def _strings(*values: ClassAdValue) -> list[str] | Value:
    """The arguments if all are strings, else the exceptional value that they call for."""
    texts = [value for value in values if isinstance(value, str)]
    return texts if len(texts) == len(values) else either_exceptional(*values) or ERROR


@builtin(
    "regexp",
    args=(2, 3),
    result=ResultKind.CONDITION,
    bulk=_many_subjects,
    exceptional="undefined gives undefined; error, other types and an ill-formed pattern error",
    examples=[
        'regexp("^el[0-9]$", "el9") -> true',
        'regexp("LINUX", "linux", "i") -> true',
        'regexp("(", "a") -> error',
    ],
)
def regexp(
    state: EvalState, pattern: ClassAdValue, subject: ClassAdValue, options: ClassAdValue = ""
) -> ClassAdValue:
    """Whether the pattern matches somewhere in the second argument."""
    texts = _strings(pattern, subject, options)
    if isinstance(texts, Value):
        return texts
    compiled = _compiled(texts[0], texts[2])
    return ERROR if compiled is None else _matches(compiled, texts[1])


@builtin(
    "regexpMember",
    args=(2, 3),
    result=ResultKind.CONDITION,
    exceptional="undefined members make a result that is not true undefined; a member of "
    "another type before the first match gives error; an ill-formed pattern is false",
    examples=[
        'regexpMember("^b", {"a", "bc"}) -> true',
        'regexpMember("a", {undefined, "b"}) -> undefined',
    ],
)
def regexp_member(
    state: EvalState, pattern: ClassAdValue, members: ClassAdValue, options: ClassAdValue = ""
) -> ClassAdValue:
    """Whether the pattern matches some member of the list."""
    found = either_exceptional(pattern, members, options)
    if found is not None:
        return found
    if pattern.__class__ is not str or options.__class__ is not str or not is_list(members):
        return ERROR
    compiled = _compiled(pattern, options)
    missing = False
    for item in members.values(state):
        if item is UNDEFINED:
            missing = True
        elif item.__class__ is not str:
            return ERROR
        elif compiled is not None and _matches(compiled, item) is True:
            return True
    return UNDEFINED if missing else False


@builtin(
    "stringList_regexpMember",
    args=(2, 4),
    result=ResultKind.CONDITION,
    exceptional="anything but strings, undefined included, gives error; no items give undefined",
    examples=['stringList_regexpMember("^b", "a, bc") -> true'],
)
def string_list_regexp_member(
    state: EvalState,
    pattern: ClassAdValue,
    text: ClassAdValue,
    delimiters: ClassAdValue = ", ",
    options: ClassAdValue = "",
) -> ClassAdValue:
    """Whether the pattern matches some item of a string list; options in either case."""
    texts = _strings(pattern, text, delimiters, options)
    if isinstance(texts, Value):
        return ERROR
    compiled = _compiled(texts[0], texts[3].lower())
    if compiled is None:
        return ERROR
    items = items_of(texts[1], texts[2])
    return any(_matches(compiled, item) is True for item in items) if items else UNDEFINED


class _NoGroup(Exception):  # noqa: N818 - control flow inside this module
    """The replacement names a group that took no part in the match."""


def _expanded(replacement: bytes, subject: bytes, match: PatternMatch) -> bytes:
    """The replacement with ``\\0`` to ``\\9`` put in."""
    parts = replacement.split(b"\\")
    text = parts[0]
    for part in parts[1:]:
        if not part[:1].isdigit():
            text += b"\\" + part
            continue
        group = part[0] - 48
        if group >= len(match.spans):
            raise _NoGroup
        start, end = match.spans[group]
        text += (subject[start:end] if start >= 0 else b"") + part[1:]
    return text


def _replaced(pattern: Pattern, subject: bytes, replacement: bytes, options: str) -> bytes | None:
    """The expanded replacements, with the rest of the text if ``options`` has ``f``.

    With ``g`` all matches count.  From an empty match on only non-empty ones that follow without
    a gap are tried; failing that one byte is copied.  At the end of the text there is none: None.
    """
    everything, keep = "g" in options, "f" in options
    text = bytearray()
    at = 0
    after_empty = False
    while True:
        if after_empty:
            match = pattern.search_nonempty_at(subject, at)
            if match is None:
                if at >= len(subject):
                    return None
                text += subject[at : at + 1]
                at += 1
                after_empty = False
                continue
        else:
            match = pattern.search(subject, at)
            if match is None:
                break
        start, end = match.spans[0]
        if keep:
            text += subject[at:start]
        text += _expanded(replacement, subject, match)
        at = end
        after_empty = after_empty or start == end
        if bounds.entered:
            bounds.make_room(2 * len(text))
        if not everything:
            break
    if keep:
        text += subject[at:]
    return bytes(text)


_REPLACE_RULE = (
    "undefined gives undefined; error, other types, an ill-formed pattern and a group that took "
    "no part in the match give error"
)


def _declare_replacing(
    name: str, more: str, doc: str, *examples: str, exceptional: str = _REPLACE_RULE
) -> Implementation:
    """Declare a function that replaces, and return it; ``more``: what it adds to the options."""

    @builtin(
        name,
        args=(3, 4),
        result=ResultKind.TEXT,
        exceptional=exceptional,
        doc=doc,
        examples=examples,
    )
    def replacing(
        state: EvalState,
        pattern: ClassAdValue,
        subject: ClassAdValue,
        replacement: ClassAdValue,
        options: ClassAdValue = "",
    ) -> ClassAdValue:
        texts = _strings(pattern, subject, replacement, options)
        if isinstance(texts, Value):
            return texts
        compiled = _compiled(texts[0], texts[3])
        if compiled is None:
            return ERROR
        try:
            text = _replaced(compiled, to_bytes(texts[1]), to_bytes(texts[2]), texts[3] + more)
        except (GaveUp, _NoGroup):
            return ERROR
        return ERROR if text is None else from_bytes(text)

    return replacing


regexps = _declare_replacing(
    "regexps", "",
    """The replacement of the first match, ``\\0`` to ``\\9`` standing for groups; or ``""``.

    Option ``g``: the replacements of all matches; option ``f``: with the text around them.
    """,
    'regexps("a(.)c", "xabcx", "[\\\\1]") -> "[b]"',
    'regexps("a", "banana", "o", "fg") -> "bonono"',
    'regexps("z", "banana", "o") -> ""',
)  # fmt: skip
_declare_replacing(
    "replace", "f", "The text with the first match replaced.",
    'replace("a", "banana", "o") -> "bonana"',
)  # fmt: skip
replace_all = _declare_replacing(
    "replaceAll", "fg", "The text with all matches replaced.",
    'replaceAll("a", "banana", "o") -> "bonono"', 'replaceAll("a*", "baac", "X") -> error',
    exceptional=_REPLACE_RULE + ", and so does an empty match at the end",
)  # fmt: skip
