"""Finds the known name that another one means, word by word: cut, spelt out, or a word left out.

One letter may be away, or more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from functools import cache, lru_cache
from itertools import accumulate
from typing import Final

from classad.errors import is_one_edit, suggest
from classad.patterns import late_regex
from policy.knobs import FAMILIES
from policy.knobs.choices import hook
from policy.knobs.declaration import Knob
from policy.knobs.lists import LISTS
from policy.knobs.other_daemons import OTHER_KNOBS
from policy.knobs.readers import find_readers
from policy.lint.vocabulary import DIGITS, Vocabulary, Words, grouped, words

#: A cut word has so many letters at least, one that stands alone so many.
_CUT: Final = 2
_ALONE: Final = 3
#: What a word has behind its stem in another form of it, and the least letters of a stem.
_ENDINGS: Final = frozenset(
    ("", "s", "es", "ed", "d", "ing", "er", "r", "ion", "or", "able", "ment", "e", "y", "ies")
)
_STEM: Final = 4
#: A name of one word has so many letters before it may lack another word.
_TELLING: Final = 8
_PLACE: Final = 2
#: From this length on the head of a family says alone what is meant; less of it than that may be a
#: name of its own.
_TELLING_HEAD: Final = 20
_OWN_HEAD: Final = 12
#: An end of a name says from this length on alone what is meant.
_END: Final = 12
#: Letters that a name may have more at its beginning than the one that is meant.
_AHEAD: Final = 4
#: Daemons by what they are called in words.
_DAEMONS_CALLED: Final = {
    "scheduler": "SCHEDD", "sched": "SCHEDD", "ganglia": "GANGLIAD", "defragmenter": "DEFRAG",
}  # fmt: skip
#: What SEC_<LEVEL>_ macros have behind their first word.
_OF_CONNECTIONS: Final = frozenset(
    (
        *("default", "client", "read", "write", "daemon", "negotiator", "administrator", "config"),
        *("advertise", "owner"),
    )
)
#: Commands of submit files, and the macro that gives a value to jobs without one, if there is one.
_OF_SUBMIT_FILES: Final = {
    **dict.fromkeys(
        ("when_to_transfer_output", "transfer_input_files", "notify_user", "getenv"), ""
    ),
    **dict.fromkeys(("nice_user", "accounting_group", "concurrency_limits", "leave_in_queue"), ""),
    **dict.fromkeys(("on_exit_hold", "on_exit_remove", "max_retries", "transfer_executable"), ""),
    **{
        f"request_{what}": f"JOB_DEFAULT_REQUEST{what.upper()}"
        for what in ("cpus", "disk", "memory")
    },
    **{
        f"periodic_{verb}": f"SYSTEM_PERIODIC_{verb.upper()}"
        for verb in ("hold", "release", "remove", "vacate")
    },
    "should_transfer_files": "SUBMIT_DEFAULT_SHOULD_TRANSFER_FILES",
    "notification": "JOB_DEFAULT_NOTIFICATION",
    "job_lease_duration": "JOB_DEFAULT_LEASE_DURATION",
}
_VERY_SHORT: Final = 4
#: Short names of macros that are no expressions.
_COMMON: Final = ("NUM_CPUS", "MEMORY", "DISK", "NUM_SLOTS", "EXECUTE", "SPOOL")
#: Folders that each host has.
_FOLDERS: Final = ("LOG", "SPOOL", "EXECUTE", "LOCK", "RUN", "LOCAL_DIR", "RELEASE_DIR")
#: Names of fewer characters are near to too many.
SHORTEST: Final = 8
#: The slots that a macro is for, behind its name in place of before it.
_SLOT_BEHIND: Final = late_regex(r"(\w+?)_(SLOT_TYPE_\d+)", re.IGNORECASE)
#: Words that stand for each other in names.
_LIKE: Final = (
    *(frozenset(("user", "owner", "submitter")), frozenset(("interval", "period"))),
    *(frozenset(("dir", "directory", "folder")), frozenset(("arguments", "args"))),
    frozenset(("host", "machine", "node")),
)


def meant_by_words(name: str, known: Vocabulary, *, shorter: bool = True) -> str | None:
    """The only known name of which the words fit, or the only one that a word begins; else None.

    ``shorter``: the name may lack a word.
    """
    mine, by_words = words(name), known.by_words
    fits = [theirs for at, theirs in known.beside(mine) if _is_cut(mine, theirs, at)]
    if shorter and (len(mine) != 1 or len(mine[0]) >= _TELLING):
        fits += known.with_one_more(mine)
    found = {by_words[theirs] for theirs in fits}
    if len(found) > 1:
        found = {spelled for spelled in found if _is_begun(mine, words(spelled))}
    return found.pop() if len(found) == 1 else None


def _is_begun(mine: Words, theirs: Words) -> bool:
    """Does the word that is another one begin as the other does, as account and accounting?"""
    pairs = zip(mine, theirs, strict=False)
    return len(mine) == len(theirs) and all(a.startswith(b) or b.startswith(a) for a, b in pairs)


def inflected(name: str, known: Vocabulary) -> str | None:
    """The known name of the same words, one of them in another form: WANT_SUSPENDED."""
    mine = words(name)
    if len(mine) < 2:
        return None
    fits = [theirs for at, theirs in known.beside(mine) if _is_form(mine[at], theirs[at])]
    return known.by_words[known.in_order(fits)[0]] if fits else None


def _is_form(one: str, other: str) -> bool:
    """Are two words forms of one: negotiator and negotiation, limit and limits?"""
    stems = range(_STEM, _alike(one, other) + 1)
    return any({one[stem:], other[stem:]} <= _ENDINGS for stem in stems)


def of_submit_files(name: str) -> str | None:
    """The macro for a command of submit files that stands as one; empty if there is none for it,
    None if it is no such command."""
    return _OF_SUBMIT_FILES.get(name.casefold())


def with_like_word(name: str, known: Vocabulary) -> str | None:
    """The only known name in which one word is another for the same: MAX_JOBS_PER_USER."""
    mine = words(name)
    if len(mine) < 3:
        return None
    alike = [
        known.by_words[theirs]
        for at, theirs in known.beside(mine)
        if any(pair.issuperset((mine[at], theirs[at])) for pair in _LIKE)
    ]
    return alike[0] if len(alike) == 1 else None


def reordered(name: str, known: Vocabulary) -> str | None:
    """The known name of the same words in another order: GROUP_DYNAMIC_QUOTA."""
    mine = words(name)
    if len(set(mine)) < 2:
        return None
    fits = known.reordered(mine)
    return known.by_words[fits[0]] if fits else None


def begun(name: str, known: Iterable[str]) -> str | None:
    """An attribute whose name is cut short, or goes on in the middle of a word."""
    if len(name) < SHORTEST:
        return None
    for item in known:
        shorter, longer = sorted((name, item), key=len)
        begins = len(item) >= SHORTEST and longer.casefold().startswith(shorter.casefold())
        if begins and longer[len(shorter) :].islower():
            return item
    return None


def without_first(name: str, known: Vocabulary) -> str | None:
    """The only name that has one word more at its beginning: CLIENT_AUTHENTICATION_METHODS."""
    head, _, rest = name.casefold().partition("_")
    if len(name) < _END or not rest:
        return None
    if head in _OF_CONNECTIONS and f"default_{rest}" in known.index.by_end:
        return f"SEC_{name}"
    found = known.index.by_end.get(f"{head}_{rest}", ())
    return found[0] if len(found) == 1 else None


def with_other_end(name: str, known: Iterable[str]) -> str | None:
    """The only known name that is the same but for a few letters more or less at its beginning:
    LivAcctSubGroup beside AcctSubGroup."""
    ends = [
        one
        for one in known
        for short, long in [sorted((name.casefold(), one.casefold()), key=len)]
        if len(short) >= _END and long.endswith(short) and 0 < len(long) - len(short) <= _AHEAD
    ]
    return ends[0] if len(ends) == 1 else None


def is_one_place(name: str, known: str) -> bool:
    """Are two names the same but for a letter or two of each in one place?"""
    short, long = sorted((name.casefold(), known.casefold()), key=len)
    begin = _alike(short, long)
    end = _alike(short[begin:][::-1], long[begin:][::-1])
    return begin + end < len(short) and len(long) - begin - end <= _PLACE


def _alike(one: str, other: str) -> int:
    """How many letters two words begin with in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _is_cut(mine: Words, theirs: Words, at: int) -> bool:
    """Is the word that is another one a shorter or longer form of the other's?"""
    short, long = sorted((mine[at], theirs[at]), key=len)
    if len(mine) == 1:
        return len(short) >= _ALONE and long.startswith(short) and short in mine
    return len(long) > len(short) >= _CUT and short[0] == long[0] and _is_within(short, long)


def _is_within(short: str, long: str) -> bool:
    """Are the letters of one in the other, in their order, as those of avg in average?"""
    letters = iter(long)
    return all(letter in letters for letter in short)


def of_family(macro: str) -> str | None:
    """The member of a family that is meant by its words in another order or form.

    A family that has its member in front, as ``MATLAB_LIMIT``, takes it for one word.
    """
    parts = macro.split("_")
    stems = _stems_of(macro)
    for family, head, known, theirs in _families():
        count = known.count("_") + 1
        if len(parts) <= count or not (head or len(parts) == 2) or stems.isdisjoint(theirs):
            continue
        turned = not head and parts[0].casefold() == known
        if head or turned:
            form, member = parts[:count], parts[count:]
        else:
            form, member = parts[-count:], parts[:-count]
        mine = "_".join(form).casefold()
        if turned or (mine != known and _are_forms(mine, known)):
            return family.of("_".join(member))
    return None


@cache
def _families() -> list[tuple[Knob, str, str, frozenset[str]]]:
    """The families, the longest first, each with what stands before the member in its name, and
    the case-folded words beside it with their stems."""
    found = []
    for family in sorted(FAMILIES, key=lambda one: -len(one.name)):
        head, _, rest = family.name.partition("<")
        known = (head or rest.partition(">")[2]).strip("_").casefold()
        found.append((family, head, known, _stems_of(known)))
    return found


def _stems_of(name: str) -> frozenset[str]:
    """What the words of a name begin with; of forms of one word it is the same."""
    return frozenset(part[:_STEM] for part in name.casefold().split("_"))


def _are_forms(mine: str, known: str) -> bool:
    if _is_form(mine, known) or "_" not in known:
        return _is_form(mine, known)
    ours, theirs = words(mine), words(known)
    if sorted(ours) == sorted(theirs):
        return True
    others = [pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]]
    return len(ours) == len(theirs) and len(others) == 1 and _is_form(*others[0])


@cache
def _heads() -> tuple[str, ...]:
    """What stands before the member in the names of families."""
    heads = [family.name.partition("<")[0] for family in FAMILIES]
    heads += [pattern.partition("<")[0] for names in LISTS for pattern in names.defined_by]
    return tuple(heads)


@cache
def joined_heads() -> tuple[str, ...]:
    """Those of them that an underscore joins to the member, the longest first."""
    joined = {head for head in _heads() if head.endswith("_")}
    return tuple(sorted(joined, key=lambda head: (-len(head), head)))


@cache
def _stems() -> tuple[str, ...]:
    """The same without the underscore, case-folded."""
    return tuple(head[:-1].casefold() for head in joined_heads())


@cache
def _heads_at() -> dict[int, list[tuple[int, int, str]]]:
    """The long ones by where one that is a character longer or shorter may end, with their place in
    the order, and with that end."""
    long = [head for head in joined_heads() if len(head) >= _OWN_HEAD]
    ends = [
        (place, len(head) + more, head) for place, head in enumerate(long) for more in (-1, 0, 1)
    ]
    return grouped(ends, lambda one: one[1])


def family_slip(macro: str, groups: Mapping[str, int], listed: Container[str]) -> str | None:
    """The member of a family that a macro without the underscore before the member means."""
    folded = macro.casefold()
    begins = [at for at in range(1, len(folded)) if folded[at:] in groups] if groups else []
    ending = sorted(begins, key=lambda at: groups[folded[at:]])
    for head in _heads() if ending else ():
        for at in ending:
            if is_one_edit(folded[:at], head.casefold()):
                return head + macro[at:]
    for group in groups if folded.startswith("group_") else ():
        at = folded.find(f"_{group}_")
        rest = folded[:at] + folded[at + len(group) + 1 :] if at > 0 else ""
        if rest in _stems():
            return f"{rest.upper()}_{macro[at + 1 : at + 1 + len(group)]}"
    cuts = accumulate(len(part) + 1 for part in macro.split("_")[:-1])
    heads = sorted(one for cut in cuts for one in _heads_at().get(cut, ()))
    for _, cut, head in heads:
        if cut < len(macro) and is_one_edit(folded[:cut], head.casefold()):
            return head + macro[cut:]
    for head in joined_heads() if folded.startswith(_stems()) else ():
        rest = macro[len(head) - 1 :]
        if not folded.startswith(head[:-1].casefold()) or rest[:1] in ("", "_"):
            continue
        item = rest.casefold()
        words = (item[:end] for end in range(1, len(item) + 1) if item[end : end + 1] in ("", "_"))
        if any(word in listed or word in groups for word in words) or (
            len(head) >= _TELLING_HEAD and len(rest) > 1 and rest.casefold() not in ("ed", "es")
        ):
            return head + rest
    return None


def with_underscores(macro: str, squeezed: dict[str, str]) -> str | None:
    """The name that differs in underscores only; slot types are known by the first of them."""
    folded = macro.casefold().replace("_", "")
    found = squeezed.get(folded)
    if found is not None:
        return found
    first = squeezed.get(DIGITS.sub("1", folded))
    numbers = [] if first is None else DIGITS.findall(macro)
    if first is None or first.count("1") != len(numbers):
        return None
    meant = DIGITS.sub(lambda _: numbers.pop(0), first)
    return None if meant.casefold() == macro.casefold() else meant


def by_words(macro: str, known: Vocabulary) -> str | None:
    """The known name that a macro of several words means."""
    cut = meant_by_words(macro, known) if macro.count("_") > 1 else None
    # The daemon's own name in place of what the daemon is called.
    called, _, rest = macro.partition("_")
    daemon = _DAEMONS_CALLED.get(called.casefold())
    wanted = f"{daemon}_{rest}".casefold()
    names = known.names if cut is None and daemon is not None else ()
    cut = cut or next((name for name in names if name.casefold() == wanted), None)
    return cut or inflected(macro, known) or reordered(macro, known) or of_family(macro)


def near(name: str, known: Vocabulary) -> str | None:
    """The known name that ``name`` is a slip of; numbers in names do not make a slip."""
    if len(name) < SHORTEST or name.casefold() in known.folded:
        return None
    meant = suggest(name, known.near(name))
    if meant is None or DIGITS.sub("", meant.casefold()) == DIGITS.sub("", name.casefold()):
        return None
    return meant


def _near_short(name: str) -> str | None:
    """The same for a short name: of the macros that every administrator sets."""
    if not _VERY_SHORT <= len(name) < SHORTEST or any(char.isdigit() for char in name):
        return None
    known = (*(knob.name for knob in OTHER_KNOBS.values()), *_COMMON)
    return suggest(name, [item for item in known if len(item) >= _VERY_SHORT])


def _of_slot_type(macro: str, known: Vocabulary) -> str | None:
    """What a macro of a slot type or slot means: SLOT_TYPE_1_SLOT_WIEGHT, START_SLOT_TYPE_1."""
    if "slot" not in macro.casefold():
        return None
    from policy.knobs.uses import find_use, without_slot_type

    behind = _SLOT_BEHIND.fullmatch(macro)
    if behind is not None and find_use(f"{behind[2]}_{behind[1]}") is not None:
        return f"{behind[2]}_{behind[1]}"
    if not macro.casefold().startswith("slot"):
        return None
    inner = without_slot_type(macro)
    meant = None if inner == macro else near(inner, known)
    head = macro[: len(macro) - len(inner)]
    if meant is not None and find_use(meant) is not None:
        return f"{head}{meant}"
    # What is no expression is known of the first type.
    first = near(f"{_FIRST_TYPE}{inner}", known) if inner != macro else None
    if first is None or not first.startswith(_FIRST_TYPE):
        return None
    return f"{head}{first[len(_FIRST_TYPE) :]}"


_FIRST_TYPE: Final = "SLOT_TYPE_1_"


def _folder(macro: str) -> str | None:
    """What a name with CONDOR_ before it means: CONDOR_LOG, or _CONDOR_START of an environment."""
    head, _, rest = macro.upper().lstrip("_").partition("_")
    known = find_readers(rest) is not None if macro.startswith("_") else rest in _FOLDERS
    return rest if head == "CONDOR" and known else None


#: Finds the known name that another one means.
_Finder = Callable[[str, Vocabulary], str | None]


def _same_by_shape(find: _Finder) -> _Finder:
    """Find what a name means, or else that it means nothing, once for all numbers in it."""
    look = lru_cache(maxsize=1000)(find)

    def found(name: str, known: Vocabulary) -> str | None:
        shape = known.shape(name)
        return None if shape != name and look(shape, known) is None else find(name, known)

    return found


@_same_by_shape
def meant_name(macro: str, known: Vocabulary) -> str | None:
    """The known name that a name is a slip of, or means by its words."""
    return near(macro, known) or _near_short(macro) or by_words(macro, known)


@_same_by_shape
def meant_less_surely(macro: str, known: Vocabulary) -> str | None:
    """The same where it is no other name with a slip."""
    found = without_first(macro, known) or _of_slot_type(macro, known) or hook(macro)
    return found or _folder(macro) or of_submit_files(macro) or with_like_word(macro, known)
