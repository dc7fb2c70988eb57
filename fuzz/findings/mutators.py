"""Plants one fault in a clean configuration, everywhere that a fault of its class can stand.

Inputs: the text of a file.  Outputs: ``Mutation``, the text with the fault and the lines where a
finding may stand.  What is a fault is told by the tables here, not by the code that is judged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from attr import field, frozen

from fuzz.findings.tables import (
    ATTRIBUTES,
    BOOLEANS,
    COMPANIONS,
    DEAD,
    DEFAULTED,
    ENTRIES,
    EXPRESSIONS,
    FAMILIES,
    INTEGERS,
    LISTS,
    ONE_DAEMON,
    READERS,
    SECONDS,
)


@frozen
class Statement:
    """``name = value`` of a text: where its name and its value begin, its lines from 1."""

    name: str
    value: str
    at: int
    value_at: int
    line: int
    last: int

    @property
    def plain(self) -> str:
        """The name without a daemon's or a local name's prefix, in upper case."""
        return self.name.rpartition(".")[2].upper()


@frozen
class Mutation:
    """A text with one fault; a finding in one of ``lines`` finds it."""

    text: str
    lines: tuple[int, ...]
    told: str = field(kw_only=True)


Mutator = Callable[[str, Sequence[Statement]], Iterator[Mutation]]
_STATEMENT: Final = re.compile(r"^[ \t]*([\w.]+)[ \t]*=(?![=?!~])[ \t]*", re.MULTILINE)
_BLOCK: Final = re.compile(r"@=(\w+)\n.*?\n[ \t]*@\1", re.DOTALL)
_WORD: Final = re.compile(
    r"(?<![\w$(.\"])(?:(MY|TARGET)\.)?([A-Za-z]\w*)(?![\w(\"])", re.IGNORECASE
)


def statements(text: str) -> list[Statement]:
    """The assignments of a text, those of blocks left out."""
    blocked = [match.span() for match in _BLOCK.finditer(text)]
    found = []
    for match in _STATEMENT.finditer(text):
        if any(start <= match.start() < end for start, end in blocked):
            continue
        end = _end(text, match.end())
        first = text.count("\n", 0, match.start(1)) + 1
        value = text[match.end() : end]
        found.append(
            Statement(
                match[1], value, match.start(1), match.end(), first, first + value.count("\n")
            )
        )
    return found


def _end(text: str, start: int) -> int:
    while True:
        end = text.find("\n", start)
        if end < 0:
            return len(text)
        if not text[start:end].rstrip().endswith("\\"):
            return end
        start = end + 1


def _changed(
    text: str, statement: Statement, start: int, end: int, new: str, *, name: bool = False
) -> Mutation:
    """The text with ``new`` for a part of a statement's value, or of its name."""
    base = statement.at if name else statement.value_at
    old = text[base + start : base + end]
    return Mutation(
        text[: base + start] + new + text[base + end :],
        tuple(range(statement.line, statement.last + 1)),
        told=f"{statement.name}: `{old}` -> `{new}`",
    )


def _without(text: str, statement: Statement) -> str:
    """The text with a comment of the same length for a statement."""
    start = text.rfind("\n", 0, statement.at) + 1
    end = statement.value_at + len(statement.value)
    return text[:start] + "#" * (end - start) + text[end:]


def slips(word: str) -> str:
    """A word as a hasty hand writes it: two letters change places."""
    for index in range(len(word) // 2, len(word) - 1):
        if word[index].lower() != word[index + 1].lower() and "_" not in word[index : index + 2]:
            return word[:index] + word[index + 1] + word[index] + word[index + 2 :]
    return word + word[-1]


def _expressions(statements: Sequence[Statement]) -> Iterator[Statement]:
    return (item for item in statements if EXPRESSIONS.fullmatch(item.plain))


def misspelt_attribute(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in _expressions(items):
        for match in _WORD.finditer(item.value):
            if match[2].lower() in ATTRIBUTES and not _in_string(item.value, match.start()):
                yield _changed(text, item, match.start(2), match.end(2), slips(match[2]))


def _in_string(value: str, index: int) -> bool:
    return value.count('"', 0, index) % 2 == 1


def misspelt_knob(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in items:
        if "." not in item.name and item.plain in (*INTEGERS, *BOOLEANS, *ONE_DAEMON):
            yield _changed(text, item, 0, len(item.name), slips(item.name), name=True)


def family_without_underscore(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in items:
        match = FAMILIES.match(item.name)
        if match is not None:
            yield _changed(text, item, match.end() - 1, match.end(), "", name=True)


def misspelt_group(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in items:
        if item.plain != "GROUP_NAMES":
            continue
        for match in re.finditer(r"[A-Za-z][\w.]{3,}", item.value):
            if "#" in item.value[: match.start()].rpartition("\n")[2]:
                continue
            slip = slips(match[0])
            changed = _changed(text, item, match.start(), match.end(), slip)
            others = tuple(
                other.line for other in items if other.name.lower().endswith(match[0].lower())
            )
            yield Mutation(changed.text, changed.lines + others, told=changed.told)


def undefined_macro(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    """The definition of a macro goes that others refer to."""
    for item in items:
        if (
            item.plain in (*_KNOWN, *DEFAULTED)
            or sum(other.name == item.name for other in items) > 1
        ):
            continue
        reference = f"$({item.name})"
        users = [other for other in items if reference.lower() in other.value.lower()]
        if not users or "\n" in item.value or item in users:
            continue
        gone = _without(text, item)
        lines = tuple(line for other in users for line in range(other.line, other.last + 1))
        yield Mutation(gone, lines, told=f"{item.name} is no longer defined")


def integer_with_unit(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in items:
        if item.plain in INTEGERS and re.fullmatch(r"\d+", item.value):
            for unit in ("k", "m", " seconds"):
                yield _changed(text, item, 0, len(item.value), item.value + unit)


def boolean_in_words(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in items:
        if item.plain in BOOLEANS and item.value.lower() in ("true", "false"):
            new = "yes" if item.value.lower() == "true" else "off"
            yield _changed(text, item, 0, len(item.value), new)


def my_and_target_swapped(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in _expressions(items):
        if item.plain.startswith(("SYSTEM_PERIODIC", "SUBMIT_REQ", "SCHEDD_", "TRANSFER")):
            continue
        for match in _WORD.finditer(item.value):
            where = ATTRIBUTES.get(match[2].lower())
            if match[1] is None or where not in ("machine", "job"):
                continue
            new = "TARGET" if match[1].upper() == "MY" else "MY"
            if (new == "MY") == (where == "job"):
                yield _changed(text, item, match.start(1), match.end(1), new)


def quoted_attribute(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in _expressions(items):
        for match in _WORD.finditer(item.value):
            known = match[2].lower() in ATTRIBUTES and not _in_string(item.value, match.start())
            if known and re.match(r"\s*[<>]", item.value[match.end() :]):
                yield _changed(text, item, match.start(), match.end(), f'"{match[0]}"')


def quoted_list(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in items:
        if item.plain in LISTS and item.value and "$" not in item.value and "\n" not in item.value:
            yield _changed(text, item, 0, len(item.value), f'"{item.value}"')


def other_case(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    """A state or an activity in lower case, compared strictly."""
    for item in _expressions(items):
        for match in re.finditer(
            r'(=\?=|=!=|==|!=)(\s*)"(Claimed|Unclaimed|Owner|Idle|Busy|Suspended)"', item.value
        ):
            strict = {"==": "=?=", "!=": "=!="}.get(match[1], match[1])
            new = f'{strict}{match[2]}"{match[3].lower()}"'
            yield _changed(text, item, match.start(), match.end(), new)


def loose_undefined(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in _expressions(items):
        for match in re.finditer(r"(=\?=|=!=)(?=\s*undefined\b)", item.value, re.IGNORECASE):
            new = "==" if match[1] == "=?=" else "!="
            yield _changed(text, item, match.start(), match.end(), new)


def date_as_duration(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in _expressions(items):
        for match in re.finditer(r"time\(\)\s*-\s*(?=\w+\)*\s*>)", item.value):
            yield _changed(text, item, match.start(), match.end(), "")


def hours_for_seconds(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in items:
        if item.plain in SECONDS and re.fullmatch(r"\d{4,7}", item.value):
            hours = int(item.value) // 3600
            if hours:
                yield _changed(text, item, 0, len(item.value), str(hours))


def bytes_for_megabytes(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in _expressions(items):
        for match in re.finditer(
            r"(?:RequestMemory|MemoryUsage|TotalMemory)\s*[<>]=?\s*(\d+)\b(?!\s*\*)", item.value
        ):
            new = str(int(match[1]) * 2**20)
            yield _changed(text, item, match.start(1), match.end(1), new)


def equals_plus(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in items:
        match = re.match(rf"\$\({re.escape(item.name)}\)[, ]*", item.value, re.IGNORECASE)
        if match is not None and "\n" not in item.value:
            changed = _changed(text, item, 0, match.end(), "+ ")
            yield Mutation(changed.text.replace("= + ", "=+ "), changed.lines, told="=+")


def parenthesis_lost(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in _expressions(items):
        at = item.value.rfind(")")
        if at >= 0:
            yield _changed(text, item, at, at + 1, "")


def and_in_words(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in _expressions(items):
        for match in re.finditer(r"&&", item.value):
            yield _changed(text, item, match.start(), match.end(), "AND")


def single_ampersand(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in _expressions(items):
        for match in re.finditer(r"&&|\|\|", item.value):
            yield _changed(text, item, match.start(), match.end(), match[0][0])


def single_equals(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in _expressions(items):
        for match in re.finditer(r"(?<![=!?<>])==(?!=)", item.value):
            yield _changed(text, item, match.start(), match.end(), "=")


def listed_but_gone(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    """The definition of an attribute goes that STARTD_ATTRS or SUBMIT_ATTRS publishes."""
    for item in items:
        if item.plain not in ("STARTD_ATTRS", "SUBMIT_ATTRS"):
            continue
        for word in re.findall(r"(?<![\w(])\w+(?![\w)])", item.value):
            own = [other for other in items if other.name == word]
            if len(own) != 1 or "\n" in own[0].value or f"$({word})" in text:
                continue
            yield Mutation(
                _without(text, own[0]),
                tuple(range(item.line, item.last + 1)),
                told=f"{word} is not defined",
            )


def second_assignment(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    """A list that added to what stands above replaces it."""
    for index, item in enumerate(items):
        earlier = [other for other in items[:index] if other.name == item.name]
        match = re.match(rf"\$\({re.escape(item.name)}\)[, ]*", item.value, re.IGNORECASE)
        if earlier and match is not None and match.end() < len(item.value):
            changed = _changed(text, item, 0, match.end(), "")
            lines = changed.lines + tuple(other.line for other in earlier)
            yield Mutation(changed.text, lines, told=changed.told)


def arguments_swapped(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in _expressions(items):
        for match in re.finditer(
            r"(?:stringListI?Member|regexp)\(\s*([^,()\"]+|\"[^\"]*\")\s*,\s*([^,()\"]+|\"[^\"]*\")\s*\)",
            item.value,
        ):
            if match[1].startswith('"') == match[2].startswith('"'):
                continue
            new = f"{match[2]}, {match[1]}"
            yield _changed(text, item, match.start(1), match.end(2), new)


def comment_behind(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in items:
        known = item.plain in INTEGERS or item.plain in BOOLEANS
        if item.value and (known or EXPRESSIONS.fullmatch(item.plain)):
            end = len(item.value)
            yield _changed(text, item, end, end, "   # as agreed")


def unquoted_string(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in _expressions(items):
        for match in re.finditer(r'(?<=[=!]=) *"([A-Za-z]\w*)"', item.value):
            yield _changed(text, item, match.start(), match.end(), f" {match[1]}")


def integer_division(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in _expressions(items):
        for match in re.finditer(r"(?<=\* )1\.(?:2|5|05)\b|\b1\.(?:2|5|05)(?= \*)", item.value):
            new = {"1.2": "(6 / 5)", "1.5": "(3 / 2)", "1.05": "(21 / 20)"}[match[0]]
            yield _changed(text, item, match.start(), match.end(), new)


def priorities_turned(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in items:
        if item.plain != "PREEMPTION_REQUIREMENTS":
            continue
        for match in re.finditer(r"RemoteUserPrio (>)", item.value):
            yield _changed(text, item, match.start(1), match.end(1), "<")


def foreign_prefix(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in items:
        if item.plain in READERS and "." not in item.name:
            wrong = "STARTD" if READERS[item.plain] != "STARTD" else "NEGOTIATOR"
            yield _changed(text, item, 0, 0, f"{wrong}.", name=True)


def misspelt_function(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in _expressions(items):
        for match in re.finditer(
            r"\b(ifThenElse|stringListI?Member|isUndefined|regexp)(?=\()", item.value
        ):
            yield _changed(text, item, match.start(), match.end(), slips(match[0]))


def status_that_is_none(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in _expressions(items):
        for match in re.finditer(r"(?:JobStatus|JobUniverse) == (\d+)", item.value):
            yield _changed(text, item, match.start(1), match.end(1), "55")


def unknown_level(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    """A level that begins with none of the letters that count: a daemon ends with status 4."""
    for item in items:
        if item.plain.startswith("SEC_") and item.value in ("REQUIRED", "OPTIONAL"):
            yield _changed(text, item, 0, len(item.value), "mandatory")


def term_never_true(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    for item in _expressions(items):
        for match in re.finditer(r"&& ", item.value):
            yield _changed(text, item, match.end(), match.end(), "(1 > 2) && ")


def contradiction(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    """A bound beside one that excludes it."""
    for item in _expressions(items):
        for match in re.finditer(r"((?:TARGET\.)?Request\w+) <=? (\d+)\b(?! *[*/+-])", item.value):
            yield _changed(
                text, item, match.end(), match.end(), f" && {match[1]} > {int(match[2]) + 1}"
            )


def drowning_factor(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    """A factor of a rank so great that single precision loses the other terms."""
    for item in items:
        if item.plain not in ("NEGOTIATOR_PRE_JOB_RANK", "NEGOTIATOR_POST_JOB_RANK"):
            continue
        for match in re.finditer(r"\b(\d{3,7})(?= \* )", item.value):
            yield _changed(text, item, match.end(), match.end(), "0" * 12)


def asks(statement: Statement) -> bool:
    """Does it ask for anything?  A list of daemons does if it has condor_defrag."""
    if statement.plain == "DAEMON_LIST":
        return "DEFRAG" in statement.value
    return statement.value.strip("()").lower() not in ("false", "$(no)")


def companion_gone(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    """A knob goes without which another one does nothing."""
    names = {item.name.upper(): item for item in items}
    for needed, needing in COMPANIONS.items():
        item = names.get(needed)
        others = [names[name] for name in needing if name in names and asks(names[name])]
        if item is not None and others and "\n" not in item.value:
            lines = tuple(other.line for other in others)
            yield Mutation(_without(text, item), lines, told=f"{needed} is no longer set")


def unknown_entry(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    """A list names something that nothing defines."""
    for item in items:
        if item.plain in ENTRIES:
            end = len(item.value.rstrip(", "))
            yield _changed(text, item, end, len(item.value), ", Nowhere")


def security_lost(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    """A second assignment to a list of hosts takes away what the first allowed."""
    for item in items:
        once = sum(other.name == item.name for other in items) == 1
        if once and item.plain.startswith(("ALLOW_", "DENY_")) and len(item.value) > 1:
            end = item.value_at + len(item.value)
            again = f"\n{item.name} = other.example.net"
            lines = (*range(item.line, item.last + 1), item.last + 1)
            yield Mutation(text[:end] + again + text[end:], lines, told=again.strip())


def dead_name(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    """A name that older versions read."""
    for item in items:
        old = DEAD.get(item.plain)
        if old is not None and "." not in item.name:
            yield _changed(text, item, 0, len(item.name), old, name=True)


def not_there_yet(text: str, items: Sequence[Statement]) -> Iterator[Mutation]:
    """The startd is asked for a priority, which only the negotiator knows."""
    for item in items:
        if item.plain in ("START", "RANK", "PREEMPT") and item.value:
            yield _changed(text, item, 0, 0, "(SubmitterUserPrio < 1000) && ")


_KNOWN: Final = frozenset((*INTEGERS, *BOOLEANS, *LISTS, *ONE_DAEMON, *READERS))
#: Class of fault -> what plants it.
MUTATORS: Final[Mapping[str, Mutator]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        and_in_words, arguments_swapped, boolean_in_words, bytes_for_megabytes, comment_behind,
        companion_gone, contradiction, date_as_duration, dead_name, drowning_factor, equals_plus,
        family_without_underscore, foreign_prefix, hours_for_seconds, integer_division,
        integer_with_unit, listed_but_gone, loose_undefined, misspelt_attribute,
        misspelt_function, misspelt_group, misspelt_knob, my_and_target_swapped, not_there_yet,
        other_case, parenthesis_lost, priorities_turned, quoted_attribute, quoted_list,
        second_assignment, security_lost, single_ampersand, single_equals, status_that_is_none,
        term_never_true, undefined_macro, unknown_entry, unknown_level, unquoted_string,
    )
}  # fmt: skip
