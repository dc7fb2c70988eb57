"""Checks types of slots: resources that the machine does not have, or not so many of them.

Follows: the startd of 25.14.1, which makes the slots that it can and logs the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING, Final, NamedTuple

from classad.errors import Diagnostic, suggest
from classad.patterns import late_regex
from policy.config import Config
from policy.explain.roles import is_whole
from policy.knobs.reading import split_list
from policy.language.numbers import integer_literal, read_boolean, saturated
from policy.lint.choices import has_hole
from policy.lint.finding import Advice, Joined, Meant, Per, finding, looks_at, meant, use_of
from policy.lint.lists import NOT_DEFINED
from policy.lint.units import GIGABYTES
from policy.lint.view import Item, Setting, View, unread_setting

if TYPE_CHECKING:
    from fractions import Fraction  # which takes longer to import than most modules of ours

_TYPE: Final = r"SLOT_TYPE_\d+"
_OF_A_TYPE: Final = late_regex(_TYPE, re.IGNORECASE)
_MANY_OF_TYPE: Final = late_regex(r"NUM_SLOTS_TYPE_\d+", re.IGNORECASE)
_SHARE: Final = late_regex(
    r"\s*(?:[A-Za-z_][\w:-]*\s*=\s*)?(?:\d+(?:\.\d+)?%?|\d+/\d+|auto|share|\d*\.\d+)"
    r"(?:\s*[KMGT]B?)?(?:\s*:\s*[^,]*)?\s*",
    re.IGNORECASE,
)
#: Several shares with blanks between them.
_LIST: Final = late_regex(r"=[^=]*\s+[A-Za-z_]\w*\s*=")
#: A number, and behind it a part of something else, of which it becomes the part.
_BOTH: Final = late_regex(r"(\w+)\s*=\s*([\d.]+)\s[^=%/]*=\s*[\d.]+(%|/\d+)")
#: What stands between commas and line ends, without the blanks around it.
_BETWEEN_COMMAS: Final = late_regex(r"[^,\s]([^,\n]*[^,\s])?")
#: Shares without commas; blanks around an `=` part nothing.
_BETWEEN_BLANKS: Final = late_regex(r"\S+(?:\s*=\s*\S+)?")


@finding(
    "P133",
    "a slot type with words that are no shares",
    "A type is a list of `name=number`, `name=part` and one part for the rest, between commas; it"
    " is no expression. Of a number the digits at its beginning count, and a word without `=` makes"
    " a slot of next to nothing. Blanks stand for commas only where there is no comma.",
    bad="NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus 2, memory 50%\n",
    good="NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=2, memory=50%\n",
    of=_TYPE,
    observed="Observed with 25.14.1: of `cpus=4 - 2` its startd makes a slot with 4 CPUs, of `cpus"
    " 2, mem 50%` one with 1 CPU and 1 MiB; of `cpus=25% ram=512, swap=10%` one with all memory,"
    " of `cpus=2 ram=512` one with 512 MiB, and of `cpus=16 disk=50%, swap=10%` one with 16 % of"
    " the CPUs.",
)
def no_share(view: View, setting: Setting) -> Iterator[Diagnostic]:
    if has_hole(setting.config, setting.entry):
        return  # that is said, and what it leaves is no word of the file
    text = setting.text()
    for words in map(Item.of, _BETWEEN_COMMAS.finditer(text)):
        broken = _HALF_A_CPU.fullmatch(words.text)
        if broken is not None:
            message = f"a slot with {broken[1]} CPUs has {broken[2]}, and the rest is nobody's"
            yield setting.say(no_share, message, words)
        if "$" in words.text or _SHARE.fullmatch(words.text):
            continue
        if _LIST.search(words.text) is None:
            yield setting.say(no_share, f"`{words.text}` is no share of the machine", words)
        elif "," in text:
            message = f"of `{words.text}` only what stands before the first blank is read"
            if (both := _BOTH.fullmatch(words.text)) is not None:
                message = f"`{words.text}` is read as `{both[1]}={both[2]}{both[3]}`"
            yield setting.say(no_share, message, words, "write a comma in place of the blank")


_HALF_A_CPU: Final = late_regex(r"\s*c\w*\s*=\s*((\d+)\.\d*[1-9]\d*)\s*", re.IGNORECASE)


# --- types of slots -------------------------------------------------------------------------------

_RESOURCE: Final = late_regex(r"\s*([A-Za-z_]\w*)\s*=\s*([^,\s]+)")
_PART: Final = late_regex(r"(\d{1,18}(?:\.\d{1,18})?)%|(\d{1,18})/(\d{1,18})")
_SOME: Final = 2
_SIZED: Final = {"cpus": ("CPUs", "NUM_CPUS is"), "memory": ("MiB", "MEMORY is")}
_ALWAYS: Final = ("cpus", "memory", "swap", "disk")
_SIZE: Final = late_regex(r"(\d{1,18})\s*([KMGT]?)B?", re.IGNORECASE)
#: KiB in each; a number alone is MiB, or it is of what has no unit.
_SIZES: Final = {"": 1024, "K": 1, "M": 1024, "G": 1024**2, "T": 1024**3}
#: What the startd takes the first letter of a resource for.
_LETTERS: Final = {
    "c": "cpus", "m": "memory", "r": "memory", "s": "swap", "v": "swap", "d": "disk", "g": "gpus",
}  # fmt: skip
#: What every machine has, as the startd abbreviates it.
_FULL: Final = frozenset(
    (
        *("c", "cpu", "cpus", "m", "mem", "memory", "r", "ram", "s", "swap", "v", "vm"),
        *("virt", "virtualmemory", "virtual_memory", "d", "disk", "gpus"),
    )
)


@finding(
    "P242",
    "a slot type with a resource that the machine does not have",
    "Besides cpus, memory, disk, swap and gpus a slot has what MACHINE_RESOURCE_<name> or"
    " MACHINE_RESOURCE_INVENTORY_<name> declares. Where a type takes a number of another one, the"
    " startd logs `Unknown attribute`, and makes no slot of this type; a part of it, and `auto`, it"
    " passes over.",
    "NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=100%, scratch=100%\n",
    "MACHINE_RESOURCE_scratch = 500\nNUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=100%, scratch=100%\n",
    of=_TYPE,
    elsewhere=True,
)
def no_resource(view: View, setting: Setting) -> Iterator[Diagnostic]:
    for share in _undeclared(setting.text(), view.defined):
        message = f"no MACHINE_RESOURCE_{share[1]} says how much of it there is"
        made = "the slots are made without it"
        advice: Advice = "the startd makes no slot of this type" if _counts(share[2]) else made
        if share[1].casefold() == "gpu":
            message, advice = f"the startd knows no `{share[1]}`", Meant("gpus", share[1])
        yield setting.say(no_resource, message, Item.of(share, 1), advice)


def _undeclared(text: str, defined: Set[str]) -> Iterator[re.Match[str]]:
    """The shares of resources that no machine has of itself, and no macro declares."""
    for share in _RESOURCE.finditer(text):
        if share[1].casefold() not in _FULL and not _is_declared(share[1], defined):
            yield share


def _counts(value: str) -> bool:
    """Is it a number of something, and not a part of it or a word?"""
    return _part(value) is None and value.strip("0.")[:1].isdigit()


@finding(
    "P243",
    "types of slots that need more than the machine",
    "The startd makes slots until the machine is given away. For the others it logs `Can't allocate"
    " slot` and goes on with fewer slots, or with one of what is left where it is the first of its"
    " type. A part without a name is that part of"
    " everything that has no share of its own, and a slot has a CPU at least. Types with"
    " SLOT_TYPE_<n>_BACKFILL share the machine a second time. Told is what exceeds NUM_CPUS, MEMORY"
    " or MACHINE_RESOURCE_<name>, and shares of more than 100 %. Of CPUs the startd keeps a whole"
    " number: where a slot takes a fraction, the rest of that CPU is lost to the others, so that"
    " 16 CPUs make two slots of `1/3`, and not three.",
    "NUM_CPUS = 8\nNUM_SLOTS_TYPE_1 = 3\nSLOT_TYPE_1 = cpus=4\n",
    "NUM_CPUS = 8\nNUM_SLOTS_TYPE_1 = 2\nSLOT_TYPE_1 = cpus=4\n",
    per=Per.CONFIGURATION,
    observed="Observed with 25.14.1: its startd with `100%` twice, `75%, cpus=1`, memory, a number"
    " and a list of a resource of one's own, `auto` for more slots than CPUs, backfill.",
)
def too_many(view: View) -> Iterator[Diagnostic]:
    """Types that take what those before them have left none of; each prefix has its own."""
    taken: dict[_Pot, Fraction] = {}
    cores: dict[_Pot, int] = {}
    on_their_own: dict[_Pot, Setting] = {}
    for setting, many, demands in _kinds_of_slots(view):
        evaluate = view.config.scope.functions.evaluate
        second = read_boolean(setting.beside(f"{setting.macro}_BACKFILL"), evaluate) is True
        for name in _ALWAYS if many else ():
            if name not in demands:
                on_their_own.setdefault((setting.prefix, second, name), setting)
        for name, demand in demands.items():
            has = _amount(setting, name)
            key = setting.prefix, second, name
            before = taken.get(key, _fraction(0))
            taken_all = before >= 1 and many * demand.amount > 0  # however much there is
            if not demand.is_share and not has and not taken_all:
                continue
            whole = 1 if demand.is_share else has or demand.amount
            taken[key] = before + many * (demand.amount / whole)
            message, made = "", many
            if name == "cpus" and has:
                each = max(demand.amount * (has if demand.is_share else 1), _fraction(1))
                made, cores[key] = _made_of(cores.get(key, has), each, many)
            if before <= 1 < taken[key]:
                message = f"the types of slots take {float(taken[key]):.0%} of the {name}"
                if not demand.is_share and not before:
                    what, macro = _SIZED.get(name, (name, f"MACHINE_RESOURCE_{name} has"))
                    message = f"the slots need {many * demand.amount} {what}, {macro} {has}"
            elif made < many and before <= 1:
                message = f"of {many} slots {made} get their CPUs: what one leaves is rounded down"
            if message:
                yield _exceeding(view, setting, message, demand.where)
                break
    for key in (one for one in on_their_own if taken.get(one) == 1):
        # Named shares go first, whatever the order of the types.
        message = f"the types of slots take all of the {key[2]}, and leave none to this one"
        yield _exceeding(view, on_their_own[key], message, on_their_own[key].whole())


def _made_of(left: int, each: Fraction, many: int) -> tuple[int, int]:
    """How many slots the startd makes of some CPUs, and what is left of these: it has a number of
    whole ones, of which a part goes with every slot that takes a fraction.  The last one may have
    what is that fraction too little."""
    lost = -int(-each // 1)
    made, rest = divmod(left, lost)
    made += int(each) <= rest
    return (made, rest) if made < many else (many, max(left - many * lost, 0))


def _kinds_of_slots(view: View) -> Iterator[tuple[Setting, int, dict[str, SlotShare]]]:
    """Each type of slots, or what NUM_SLOTS makes without types, with how many there are and what
    one takes."""
    by_templates = [one for one in view.config.scope.table if one.template is not None]
    typed = any(name.startswith("num_slots_type_") for name in view.defined)
    typed = typed or any(_MANY_OF_TYPE.fullmatch(one.name) for one in by_templates)
    types = [unread_setting(view.config, one) for one in by_templates if _is_type(one.name)]
    of_all = (one for one in (*view.settings, *types) if _makes_slots(one.macro))
    for setting in sorted(of_all, key=_number_of_type):
        macro = setting.upper
        if _is_type(macro) and not has_hole(setting.config, setting.entry):
            if any(_counts(share[2]) for share in _undeclared(setting.text(), view.defined)):
                continue  # no slot of it is made
            many = _number(setting.beside(f"NUM_SLOTS_{macro.partition('_')[2]}"))
            yield setting, many, _demands(setting, view.defined)
        elif not _is_type(macro) and not typed and _amount(setting, "cpus"):
            yield setting, _number(setting.text()), {"cpus": _at_least_one(setting)}


def _makes_slots(macro: str) -> bool:
    return _is_type(macro) or macro.upper() == "NUM_SLOTS"


def _number_of_type(setting: Setting) -> int:
    """The startd makes slots in the order of the types' numbers."""
    return saturated(setting.macro.rpartition("_")[2]) if _is_type(setting.macro) else 0


def _exceeding(view: View, setting: Setting, message: str, where: Item) -> Diagnostic:
    """What is said of a type; of one that a template makes, where it is used."""
    help_text = "the startd makes fewer slots, or smaller ones, and logs `Can't allocate`"
    use = use_of(view.config, setting.entry) if setting.entry.template else None
    if use is None:
        return setting.say(too_many, message, where, help_text)
    return too_many.at(message, *use[1:], help_text, macro=setting.macro)


_WITHOUT_SIGN: Final = late_regex(r"(?i)\bm(?:em(?:ory)?)?\s*=\s*(\d{1,3})(?=\s*(?:,|$))")
_WHOLE: Final = 100
#: A disk that no machine is divided into: less than 100 MB.
_DISK: Final = late_regex(r"(?i)\bd(?:isk)?\s*=\s*([1-9]\d{0,4})(?=\s*(?:,|$))")


@looks_at(Per.SETTING, of=_TYPE)
def without_percent(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``cpus=90%, memory=90``, which are 90 MiB; ``disk=4096``, which are 4 MiB."""
    disk = _DISK.search(setting.text())
    if disk is not None:
        message = f"a slot of {setting.macro} has {disk[1]} KiB of disk"
        yield setting.say(GIGABYTES, message, Item.of(disk, 1), "write a unit, as in `10G`, or `%`")
    found = _WITHOUT_SIGN.search(setting.text())
    if found is not None and 0 < int(found[1]) <= _WHOLE and "%" in setting.text():
        message = f"a slot of {setting.macro} has {found[1]} MiB of memory"
        yield setting.say(GIGABYTES, message, Item.of(found, 1), f"did you mean `{found[1]}%`?")


#: What is given away: by a prefix, a first or a second time, of a resource.
_Pot = tuple[str | None, bool, str]


def _is_type(macro: str) -> bool:
    return macro[:4].upper() == "SLOT" and _OF_A_TYPE.fullmatch(macro) is not None


@looks_at(Per.SETTING, of=r"OFFLINE_MACHINE_RESOURCE_\w+")
def not_its_own(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A thing that is to be offline and that the machine does not have, in the very letters."""
    whole = setting.upper.removeprefix("OFFLINE_")
    items = split_list(setting.beside(whole))
    if len(items) < _SOME or integer_literal(items[0]) is not None:
        return  # a number of things without names, or one alone
    for item in setting.items():
        if item.text not in items:
            message = f"{setting.macro} lists `{item.text}`, which is not in {whole}"
            advice = meant(item.text, items, f"there are {', '.join(items)}; all stay online")
            yield setting.say(NOT_DEFINED, message, item, advice, names=(item.text,))


@looks_at(Per.SETTING, of=r"ENVIRONMENT_(?:VALUE_)?FOR_(?:UN)?ASSIGNED\w+")
def for_no_resource(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``ENVIRONMENT_FOR_AssignedNvmes`` where the resource is called nvme."""
    name = setting.folded.rpartition("assigned")[2]
    kinds = ("machine_resource_", "machine_resource_inventory_")
    has = {one.removeprefix(kind) for kind in kinds for one in view.defined if one.startswith(kind)}
    has |= {"gpus", *map(str.casefold, split_list(setting.beside("MACHINE_RESOURCE_NAMES")))}
    near = None if name in has else suggest(name, sorted(has))
    if near is not None:
        message = f"the machine has no resource `{name}`, and has `{near}`"
        yield no_resource.named(setting.entry, message, "jobs get no such variable")


# --- slots by their numbers -----------------------------------------------------------------------

#: What is for one slot, by its number, or for a dynamic slot of it.
_OF_A_SLOT: Final = r"SLOT(\d+)(?:_(\d+))?_([A-Za-z]\w*)"
_FOR_ONE: Final = late_regex(_OF_A_SLOT, re.IGNORECASE)
#: The startd asks for these by the number of the slot, condor_starter for the account by its name.
_BY_NUMBER: Final = ("EXECUTE", "JOB_HOOK_KEYWORD", "STARTD_ATTRS", "STARTD_EXPRS")
_ACCOUNT: Final = "USER"
_OF_DYNAMIC: Final = late_regex(r"slot\d+_\d+_user")
#: Whose account runs the jobs of a slot that is cut into others.
_ACCOUNTS: Final = "the account of the jobs in {0}_1 is SLOT{1}_1_USER"
#: Types that slots may have, and the one of those that NUM_SLOTS makes.
_TYPES: Final = range(1, 11)
_MANY: Final = 10_000
_NO_TYPE: Final = 0


@finding(
    "P253",
    "a macro for a slot that the startd does not make",
    "Slots are numbered from 1 in the order of their types. Jobs do not run in a partitionable"
    " slot, but in the dynamic ones that it is cut into: the account of the first of slot1 is"
    " SLOT1_1_USER. The default, and NUM_SLOTS, make partitionable slots.",
    joined=Joined.BY_NEED,
    bad="NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = 100%\nSLOT_TYPE_1_PARTITIONABLE = True\n"
    "SLOT1_USER = slot1\n",
    good="NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = 100%\nSLOT_TYPE_1_PARTITIONABLE = True\n"
    "SLOT1_1_USER = slot1\n",
    of=_OF_A_SLOT,
    elsewhere=True,
    observed="Observed with 25.14.1 and jobs on its slots: with `SLOT1_USER = dave` and"
    " `SLOT1_1_USER = erin` a job in slot1_1 runs as erin, one in slot1_2 as nobody, and one"
    " in a static slot1 as dave.",
)
def no_slot(view: View, setting: Setting) -> Iterator[Diagnostic]:
    found = _FOR_ONE.fullmatch(setting.macro)
    made = _made(view, setting)
    if found is None or not made or not setting.text().strip():
        return
    number, what = integer_literal(found[1]) or 0, found[3].upper()
    if what == _ACCOUNT and found[2] is None and any(map(_OF_DYNAMIC.fullmatch, view.defined)):
        return  # the file is for machines with slots of both kinds
    if what not in (*_BY_NUMBER, _ACCOUNT) and found[3].casefold() not in view.slot_attributes:
        return  # a name that only looks like one
    like_first = what == _ACCOUNT and setting.text() == setting.beside("SLOT1_USER")
    if number > len(made) and like_first and not any(made):
        return  # the slots that there are have the same account
    if not 1 <= number <= len(made):
        many = "one slot" if len(made) == 1 else f"{len(made)} slots"
        message = f"there is no slot{number}: the startd makes {many}"
        advice = _ACCOUNTS.format("slot1", 1) if what == _ACCOUNT and made == [True] else None
        yield no_slot.named(setting.entry, message, advice, needs="NUM_SLOTS")
    elif what == _ACCOUNT and made[number - 1] is (found[2] is None):
        if "startd_resource_prefix" in view.defined:
            return  # slots have other names
        name = f"slot{number}"
        message = f"{name} is partitionable, and jobs run in {name}_1, {name}_2 and so on"
        advice = _ACCOUNTS.format(name, number)
        if found[2] is not None:
            message, advice = f"{name} is static, and not cut into {name}_{found[2]}", ""
        yield no_slot.named(setting.entry, message, advice or None)


def _made(view: View, setting: Setting) -> list[bool]:
    """The slots in their order, each with whether it is partitionable; none where nobody says so,
    or a slot is a second one of the same."""
    if setting.prefix is not None and setting.prefix.upper() != "STARTD":
        return []
    of_types = [number for number in _TYPES if setting.beside(f"NUM_SLOTS_TYPE_{number}")]
    made: list[bool] = []
    for number in of_types or [_NO_TYPE]:
        macro = f"NUM_SLOTS_TYPE_{number}" if of_types else "NUM_SLOTS"
        text = setting.beside(macro)
        many = 1 if not text and is_whole(view.config) else integer_literal(text)
        type_ = f"SLOT_TYPE_{number}"
        unknown = many is None or many > _MANY or is_assumed(setting.config, macro)
        if many is None or unknown or f"{type_}_backfill".casefold() in view.defined:
            return []
        cut = view.is_on(f"{type_}_PARTITIONABLE", "STARTD", not of_types)
        made += [cut] * many
    return made


class SlotShare(NamedTuple):
    """What a slot takes of a resource: so much of it, or a share of the machine's."""

    amount: Fraction
    is_share: bool
    where: Item


def _fraction(number: int | str, over: int | None = None) -> Fraction:
    from fractions import Fraction

    return Fraction(number) if over is None else Fraction(int(number), over)


def _at_least_one(setting: Setting) -> SlotShare:
    return SlotShare(_fraction(1), False, setting.whole())


def _demands(setting: Setting, defined: Set[str]) -> dict[str, SlotShare]:
    """What a slot of a type takes of each resource, as far as that can be told: nothing of one that
    nobody declares.  Blanks stand for commas where there is no comma."""
    found: dict[str, SlotShare] = {"cpus": _at_least_one(setting)}
    named: set[str] = set()
    rest: SlotShare | None = None
    between = _BETWEEN_COMMAS if "," in setting.text() else _BETWEEN_BLANKS
    for words in map(Item.of, between.finditer(setting.text())):
        share = _RESOURCE.match(words.text)
        value = words.text.strip() if share is None else share[2]
        part, size = _part(value), _SIZE.fullmatch(value)
        if share is None:
            rest = rest if part is None else SlotShare(part, True, words)
            continue
        name = share[1].casefold()
        name = _LETTERS[name[0]] if name in _FULL else name
        if name not in _FULL and not _is_declared(name, defined):
            continue
        named.add(name)
        if part is not None:
            found[name] = SlotShare(part, True, words)
        elif size is not None and name not in ("disk", "swap"):
            found[name] = SlotShare(
                _fraction(int(size[1]) * _SIZES[size[2].upper()], 1024), False, words
            )
    if rest is not None:
        found.update({name: rest for name in _ALWAYS if name not in named})
    return found


def _is_declared(name: str, defined: Set[str]) -> bool:
    """Does a macro say how much of a resource of the site's own there is?"""
    kinds = ("", "inventory_")
    return not defined.isdisjoint(f"machine_resource_{kind}{name.casefold()}" for kind in kinds)


def _amount(setting: Setting, name: str) -> int:
    """How much of a resource the machine has; 0 if nobody says so."""
    if name in _SIZED:
        macro = _SIZED[name][1].partition(" ")[0]
        has = _number(setting.beside(macro))
        return 0 if not has or is_assumed(setting.config, macro) else has
    text = setting.beside(f"MACHINE_RESOURCE_{name}")
    counted = integer_literal(text) is not None
    return _number(text) if counted else len(split_list(text))


def _part(text: str) -> Fraction | None:
    """A part of the machine, ``75%`` or ``1/4``; None for a number or for `auto`."""
    found = _PART.fullmatch(text)
    if found is None or (found[3] is not None and not int(found[3])):
        return None
    return _fraction(found[1]) / 100 if found[1] else _fraction(int(found[2]), int(found[3]))


def _number(text: str) -> int:
    return max(integer_literal(text) or 0, 0)


def is_assumed(config: Config, name: str) -> bool:
    """Does a number come from the machine, of which the caller has told nothing, or from a macro
    that nobody defines?"""
    entry = config.lookup(name)
    return entry is not None and (has_hole(config, entry) or config.is_assumed(entry))
