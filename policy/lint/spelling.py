"""Finds the known name that another one means, word by word: cut, spelt out, or a word left out.

What is one letter away is found by ``policy.lint.names.near``.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from functools import cache, cached_property, lru_cache
from itertools import accumulate, chain
from typing import Final, NamedTuple, TypeVar

from classad import patterns
from classad.errors import is_one_edit
from classad.patterns import late_regex
from policy.knobs import FAMILIES
from policy.knobs.declaration import Knob
from policy.knobs.lists import LISTS

_WORDS: Final = late_regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
DIGITS: Final = late_regex(r"\d+")
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
#: Of so many characters one edit leaves the first three or the last three as they are.
SHORTEST: Final = 8
#: An index of more names is kept from one run of a command to the next.
_MANY: Final = 200
#: Of fewer names there is none.
_FEW: Final = 50
_EDGE: Final = 3
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
#: Words that stand for each other in names.
_LIKE: Final = (
    *(frozenset(("user", "owner")), frozenset(("interval", "period"))),
    *(frozenset(("dir", "directory", "folder")), frozenset(("arguments", "args"))),
    frozenset(("host", "machine", "node")),
)

#: The words of a name.
Words = tuple[str, ...]


@lru_cache(maxsize=10_000)
def words(name: str) -> Words:
    """The words of a name, case-folded: of ``RemoteWallClockTime``, of ``MAX_JOBS_RUNNING``."""
    letters = name.replace("_", "")
    if letters.isascii() and letters.isalpha() and (letters.isupper() or letters.islower()):
        return tuple(filter(None, name.casefold().split("_")))
    return tuple(map(str.casefold, _WORDS.findall(name)))


class _Index(NamedTuple):
    """Names by parts of them, which are case-folded."""

    by_begin: dict[str, list[str]]
    #: By how long they are and their first or last characters.
    by_size_and_begin: dict[tuple[int, str], list[str]]
    by_size_and_tail: dict[tuple[int, str], list[str]]
    by_end: dict[str, list[str]]
    by_words: dict[Words, str]
    #: Their words by how many these are and the first or last of them.
    by_first: dict[tuple[int, str], list[Words]]
    by_last: dict[tuple[int, str], list[Words]]


def _indexed(text: str) -> tuple[object, ...]:
    """What an index has of the names that are the lines of a text."""
    names = text.split("\n")
    by_words = {words(name): name for name in reversed(names)}
    some = list(filter(None, by_words))
    return (
        _grouped(names, lambda name: name[:_EDGE].casefold()),
        _grouped(names, lambda name: (len(name), name[:_EDGE].casefold())),
        _grouped(names, lambda name: (len(name), name[-_EDGE:].casefold())),
        _grouped(names, lambda name: name.casefold().partition("_")[2]),
        by_words,
        _grouped(some, lambda theirs: (len(theirs), theirs[0])),
        _grouped(some, lambda theirs: (len(theirs), theirs[-1])),
    )


class Vocabulary:
    """Known names, by their words and lengths."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names: Final = tuple(names)
        #: The last words that were asked about: several questions about one name follow.
        self._beside: tuple[Words, list[tuple[int, Words]]] = (), []

    @cached_property
    def folded(self) -> frozenset[str]:
        """The names, case-folded."""
        return frozenset(map(str.casefold, self.names))

    @cached_property
    def index(self) -> _Index:
        """The names by parts of them."""
        text = "\n".join(self.names)
        # Each run of a command has the same thousands of macros.
        is_kept = len(self.names) > _MANY
        return _Index._make(patterns.kept(text, _indexed) if is_kept else _indexed(text))

    @property
    def by_words(self) -> dict[Words, str]:
        """The names by their words; of several with the same ones the first."""
        return self.index.by_words

    def beginning_as(self, name: str) -> list[str]:
        """The names that have the first characters of another one, in any case."""
        return self.index.by_begin.get(name[:_EDGE].casefold(), [])

    def near(self, name: str) -> list[str]:
        """Those of which a name of ``SHORTEST`` characters or more may be one edit away."""
        if len(self.names) < _FEW:
            return list(self.names)
        begin, tail = name[:_EDGE].casefold(), name[-_EDGE:].casefold()
        found: list[str] = []
        for size in range(len(name) - 1, len(name) + 2):
            found += self.index.by_size_and_begin.get((size, begin), ())
            found += self.index.by_size_and_tail.get((size, tail), ())
        return found

    def beside(self, mine: Words) -> list[tuple[int, Words]]:
        """The words of names that differ from these in one place, with that place."""
        if self._beside[0] != mine:
            self._beside = mine, self._differing(mine)
        return self._beside[1]

    @cached_property
    def _words(self) -> frozenset[str]:
        """The words of all names: most that an administrator thinks of are none."""
        return frozenset(chain.from_iterable(self.by_words))

    def _differing(self, mine: Words) -> list[tuple[int, Words]]:
        own = [at for at, word in enumerate(mine) if word not in self._words]
        found: list[tuple[int, Words]] = []
        for at in (own or range(len(mine))) if len(own) < 2 else ():
            before, behind = mine[:at], mine[at + 1 :]
            alike = [one for one in self._like(mine, len(mine)) if one[:at] == before]
            found += [(at, one) for one in alike if one[at + 1 :] == behind and one[at] != mine[at]]
        return found

    def with_one_more(self, mine: Words) -> list[Words]:
        """The words of names that have these, and one more."""
        if not self._words.issuperset(mine):
            return []
        are_there = set(mine).issubset
        return [
            theirs
            for theirs in filter(are_there, self._like(mine, len(mine) + 1))
            if any(theirs[:at] + theirs[at + 1 :] == mine for at in range(len(theirs)))
        ]

    def _like(self, mine: Words, count: int) -> Iterable[Words]:
        """The words of names of so many, of which the first or the last is one of these."""
        if count <= 1:
            return self._alone
        begun = self.index.by_first.get((count, mine[0]), [])
        ended = self.index.by_last.get((count, mine[-1]), ())
        return begun + [one for one in ended if one[0] != mine[0]]

    @cached_property
    def _alone(self) -> list[Words]:
        """The words of names of one word."""
        return [theirs for theirs in self.by_words if len(theirs) == 1]

    def reordered(self, mine: Words) -> list[Words]:
        """The words of names that are the same ones in another order."""
        if not self._words.issuperset(mine):
            return []
        ordered, are_mine = sorted(mine), set(mine).issuperset
        found = (self.index.by_first.get((len(mine), word), ()) for word in dict.fromkeys(mine))
        alike = filter(are_mine, chain.from_iterable(found))
        return self.in_order([one for one in alike if sorted(one) == ordered and one != mine])

    def in_order(self, some: list[Words]) -> list[Words]:
        """Some words of names, in the order of the names."""
        if len(some) < 2:
            return some
        wanted = set(some)
        return [one for one in self.by_words if one in wanted]


_Item = TypeVar("_Item")
_Key = TypeVar("_Key")


def _grouped(items: Iterable[_Item], key: Callable[[_Item], _Key]) -> dict[_Key, list[_Item]]:
    found: dict[_Key, list[_Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


@lru_cache(maxsize=64)
def vocabulary(names: tuple[str, ...]) -> Vocabulary:
    """The same names again are the same vocabulary: reports of one pool ask for few of them."""
    return Vocabulary(names)


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
    stem = _alike(one, other)
    return stem >= _STEM and {one[stem:], other[stem:]} <= _ENDINGS


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
    return _grouped(ends, lambda one: one[1])


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
