"""Checks names of macros: slips, what nobody reads any more, what is set in vain.

Follows: the parameter table of 25.14.1 and what else its daemons were seen to read.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from functools import cache, lru_cache
from typing import Final, NamedTuple

from classad.errors import Diagnostic, is_one_edit, suggest
from classad.patterns import late_regex
from policy.config import Config
from policy.data.tables import folded_attribute_names, meanings
from policy.history import first_reader, first_reading, is_read, last_reader, read_by
from policy.knobs import KNOBS, find_knob
from policy.knobs.choices import CRON_PARTS, LOG_CATEGORIES, RESERVED
from policy.knobs.lists import is_list, memberships
from policy.knobs.obsolete import SWITCHES, Obsolete, find_obsolete
from policy.knobs.other_daemons import DAEMONS, OTHER_KNOBS
from policy.knobs.readers import find_readers, longer_name, reader_names
from policy.knobs.shares import NAME_LIMIT
from policy.language.about import about
from policy.language.numbers import integer_literal, read_boolean
from policy.language.table import COMMAND_LINE_ORIGIN
from policy.lint.finding import (
    Advice,
    Finding,
    Joined,
    Meant,
    Per,
    Repair,
    looks_at,
)
from policy.lint.spelling import (
    family_slip,
    joined_heads,
    meant_by_words,
    meant_less_surely,
    meant_name,
    of_submit_files,
    with_underscores,
)
from policy.lint.view import ITEM, Setting, View, is_own, view
from policy.lint.vocabulary import Vocabulary, vocabulary
from policy.versions import NEWEST, Version, parse_version

UNKNOWN: Final = Finding(
    "P201",
    "a macro that nobody reads, spelled almost like one that is read",
    "HTCondor takes any name in silence. A name that no daemon knows and no other macro refers to"
    " has no effect, and neither has a command of submit files.",
    "PREEMPTION_REQUIREMENT = RemoteUserPrio > SubmitterUserPrio * 1.2\n",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n",
)
UNDERSCORES: Final = Finding(
    "P202",
    "a macro with an underscore missing or too many",
    "Case does not matter in names of macros, underscores do.",
    "NEGOTIATOR_PREJOB_RANK = Memory\n",
    "NEGOTIATOR_PRE_JOB_RANK = Memory\n",
)
DEPRECATED: Final = Finding(
    "P204",
    "a macro under its old name",
    "The old name is still read, or was until lately; the new one wins where both are set.",
    "GROUP_DYNAMIC_MACH_CONSTRAINT = Memory > 1024\n",
    "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT = Memory > 1024\n",
)
DEAD: Final = Finding(
    "P205",
    "a macro that no daemon reads any more",
    "It stands in old configurations and manuals and has no effect in 25.14.1.",
    "NUM_VIRTUAL_MACHINES = 2\n",
    "NUM_SLOTS = 2\n",
    joined=Joined.BY_HELP,
)
UNREAD: Final = Finding(
    "P206",
    "a macro that this version of HTCondor does not read",
    "Another version reads it: an older one, or one that is newer than the one that is followed"
    " (`--condor-version`). The finding says since when, as far as the parameter tables of 23.9.6,"
    " 24.0.23, 25.0.13 and 25.14.1 and the notes on releases tell.",
    "NAMED_CHROOT = /srv/chroot\n",
    "# NAMED_CHROOT = /srv/chroot\n",
    observed="Observed with the tools of the four versions: their parameter tables; and which names"
    " the programs of 23.9.6 and 25.14.1 hold. The daemons were not asked about each name.",
)
#: Findings about a name that no daemon reads.
OF_NOBODY: Final = frozenset((UNKNOWN.id, UNDERSCORES.id, DEAD.id, UNREAD.id))
_NO_MACRO: Final = "is not a macro that HTCondor reads"
#: Macros that each daemon has of its own, ``*`` for its name.
_OF_EACH: Final = (
    *("*", "*_LOG", "*_DEBUG", "*_ARGS", "*_ADDRESS_FILE", "*_ENVIRONMENT", "*_ATTRS"),
    *("MAX_*_LOG", "MAX_NUM_*_LOG", "TRUNC_*_LOG_ON_OPEN", "*_TIMEOUT_MULTIPLIER"),
    "*_NOT_RESPONDING_TIMEOUT",
)
#: The log of one category alone, with what bounds it: COLLECTOR_AUDIT_LOG.
_OF_CATEGORY: Final = late_regex(
    rf"(?:MAX_(?:NUM_)?|TRUNC_)?(?:{'|'.join(sorted(DAEMONS))})_"
    rf"(?:{'|'.join(name.removeprefix('D_') for name in LOG_CATEGORIES)})_LOG(?:_ON_OPEN)?",
    re.IGNORECASE,
)
_OF_LOGS: Final = ("_log", "_log_on_open")
#: A macro for one slot alone.
_ONE_SLOT: Final = late_regex(r"SLOT\d+_(\w+)", re.IGNORECASE)
#: Ends of macros that each daemon in DAEMON_LIST may have.
_OF_DAEMONS: Final = frozenset(("args", "environment", "log", "debug", "address_file", "env"))
_CRON: Final = late_regex(r"(STARTD|SCHEDD)_CRON_(?!JOBLIST)", re.IGNORECASE)


#: What parts of a job of a cron are called by other systems.
_PARTS_ELSEWHERE: Final = {
    "interval": "PERIOD", "command": "EXECUTABLE", "program": "EXECUTABLE", "arguments": "ARGS",
}  # fmt: skip


class _Known(NamedTuple):
    """The names that daemons read: by their words, without underscores, and case-folded together
    with those of attributes, which stand in configurations, too (SlotWeight, for instance)."""

    spelled: Vocabulary
    squeezed: dict[str, str]
    folded: frozenset[str]


@cache
def _known(defaults: tuple[str, ...], version: Version) -> _Known:
    """The same for the macros that have a built-in default in a version, made once."""
    known = [knob.name for knob in KNOBS.values()]
    known += [knob.name for knob in OTHER_KNOBS.values()]
    known += [*meanings(), *reader_names(), *defaults]
    known = read_by(version, dict.fromkeys(known))
    known += _of_each().values()
    known.reverse()
    known = list(dict(zip(map(str.casefold, known), known, strict=True)).values())
    text = "\n".join(known).casefold()
    squeezed = dict(zip(text.replace("_", "").split("\n"), known, strict=True))
    # MaxJobsRunning is an attribute; where no value speaks of it, MAX_JOBS_RUNNING is meant.
    folded = (folded_attribute_names() - squeezed.keys()).union(text.split("\n"))
    return _Known(vocabulary(tuple(known)), squeezed, folded)


@cache
def _of_each() -> dict[str, str]:
    """The macros that each daemon has of its own, by case-folded name."""
    names = (form.replace("*", daemon) for form in _OF_EACH for daemon in sorted(DAEMONS))
    return {name.casefold(): name for name in names}


def _known_to(config: Config) -> _Known:
    """The names that the version of a configuration reads."""
    return _known(tuple(config.scope.table.default_names()), config.version)


@looks_at(Per.CONFIGURATION)
def name(view: View) -> Iterator[Diagnostic]:
    """What is wrong with each name first of all."""
    for setting in view.settings:
        found = _doubt(view, setting)
        if found is not None:
            yield found
            yield from _earlier(found, setting)


def _earlier(found: Diagnostic, setting: Setting) -> Iterator[Diagnostic]:
    """The lines above under the same old name, which the last one replaces or adds to."""
    kind = {DEPRECATED.id: DEPRECATED, DEAD.id: DEAD}.get(found.id or "")
    before = setting.entry.chain() if kind is not None else ()
    for entry in before:
        if kind is not None and entry is not setting.entry and is_own(entry):
            same = {"kind": about(found).kind, "version": about(found).version}
            yield kind.named(entry, found.message, found.help, **same)


def _doubt(view: View, setting: Setting) -> Diagnostic | None:
    """What is wrong with a name."""
    found = _obsolete(view, setting) or _unread(view, setting) or _cut_limit(view, setting)
    found = found or _of_one_slot(view, setting)
    if found is None and not _is_known(view, setting):
        found = _slip(view, setting)
    return found


def doubted(
    config: Config, sources: Container[str] | None = (), *, texts: Container[str] = ()
) -> Iterator[Diagnostic]:
    """The findings about the names of macros on the command line, and in some sources.

    ``sources``: the names of files and texts, None for all that there are; ``texts``: those that
    are no files.  There and on the command line, where it is an error, a finding is also a macro
    that is near no other name and that no value refers to; a file may have such for programs of its
    own.
    """
    doubtful = [
        entry
        for entry in config.scope.table
        if (
            sources is None
            or entry.origin == COMMAND_LINE_ORIGIN
            or (entry.source is not None and entry.source.name in sources)
        )
        and is_own(entry)
        and not _is_plainly_read(config, entry.name)
    ]
    if not doubtful:
        return
    looked = view(config)
    for setting in looked.settings:
        if not any(setting.entry is entry for entry in doubtful):
            continue
        found, source = _doubt(looked, setting), setting.entry.source
        asked = setting.entry.origin == COMMAND_LINE_ORIGIN
        alone = asked or (source is not None and source.name in texts)
        if found is None and alone and not _may_be_known(looked, setting):
            message = f"`{setting.macro}` {_NO_MACRO}, and nothing refers to it"
            found = UNKNOWN.named(setting.entry, message)
        if found is not None:
            if asked and found.id != DEPRECATED.id:
                found.severity = "error"
            yield found


def _may_be_known(view: View, setting: Setting) -> bool:
    """Whether a daemon reads it, or would if its middle part stood in some list."""
    macro = setting.folded
    heads = (head.casefold() for head in joined_heads())
    return _is_known(view, setting) or macro.startswith(tuple(heads))


def _is_plainly_read(config: Config, macro: str) -> bool:
    """Whether a glance shows that a daemon reads it, under this name."""
    knob = find_knob(macro)
    if find_obsolete(macro) is not None or (knob is not None and knob.replaced_by):
        return False
    return knob is not None or config.scope.table.default(macro) is not None


def _obsolete(view: View, setting: Setting) -> Diagnostic | None:
    macro, knob, version = setting.macro, setting.knob, view.config.version
    found = find_obsolete(macro)
    if found is None and knob is not None and knob.replaced_by:
        found = Obsolete(knob.replaced_by, alias=True)
    if found is None or (not found.alias and _is_used(view, setting)):
        return None  # other values may refer to it
    if suggest(macro, ("CONCURRENCY_LIMIT_DEFAULT",)) is not None:
        return None  # a slip of a macro that is read
    was_read = view.config.scope.table.default(macro) is not None
    if version < NEWEST and (version < parse_version(found.since) if found.since else was_read):
        # The version that is followed reads it, perhaps only where another macro is true.
        text = view.config.text(found.switch) if found.switch else "true"
        if read_boolean(text or "", view.config.scope.functions.evaluate):
            return None
        message = f"`{macro}` is read by {version} only where {found.switch} is true"
        return DEAD.named(setting.entry, message, str(found), version=True)
    if not found.alias and _is_harmless(setting, found):
        return None
    if found.alias:
        advice: Advice = str(found)
        written = (setting.entry.written or "").casefold()
        if not found.rule and f"$({macro}".casefold() not in written:
            advice = Repair(found.instead, macro, str(found))
        return DEPRECATED.named(setting.entry, f"`{macro}` is an old name", advice)
    what = "is read by no daemon" if find_readers(macro) is None else "is no longer supported"
    help_text = str(found) or None
    if setting.entry.raw.strip().casefold() == f"$({found.instead})".casefold():
        help_text = f"leave it out: `{found.instead}` is what is read"
    return DEAD.named(setting.entry, f"`{macro}` {what}", help_text, kind=found.rule)


def _is_used(view: View, setting: Setting) -> bool:
    """Has the value of a macro its name among its words that some daemon reads?"""
    if not is_spoken_of(view, setting):
        return False
    word = re.compile(rf"(?<!\w){re.escape(setting.macro)}(?!\w)", re.IGNORECASE)
    users = [one for one in view.settings if one is not setting and word.search(one.entry.raw)]
    gone = (find_obsolete(one.macro) for one in users)
    return not users or any(found is None or found.alias for found in gone)


def _is_harmless(setting: Setting, found: Obsolete) -> bool:
    """Does it say nothing, or to no daemon of the host, or what the name of today says as well?"""
    from policy.explain.roles import may_read

    entry, now = setting.entry, setting.config.lookup(found.instead)
    written = entry.raw if entry.written is None else entry.written
    gone = [found.why and setting.text(), found.switch and setting.beside(found.switch)]
    here = not found.instead or may_read(setting.config, found.instead)
    if not (here and written.strip()) or any(_is_off(setting, text) for text in gone):
        return True
    if found.so and setting.text().strip().casefold() == found.so.casefold():
        return not found.with_ or bool(setting.beside(found.with_).strip())
    own = now is not None and not now.is_builtin
    texts = [setting.text(), setting.beside(found.instead)]
    if is_list(found.instead):
        old, new = (set(ITEM.findall(text.casefold())) for text in texts)
        return own and (old <= new or ("*" in new and now is not None and not now.template))
    return own and texts[0].strip() == texts[1].strip()


def _is_off(setting: Setting, text: str) -> bool:
    return read_boolean(text, setting.config.scope.functions.evaluate) is False


def _unread(view: View, setting: Setting) -> Diagnostic | None:
    """A macro that other versions read."""
    version, macro = view.config.version, setting.macro
    daemon = (setting.prefix or "").upper()
    if macro.casefold() in _of_each() or find_obsolete(macro) is not None:
        return None  # its master reads it, or the daemon under its own name; old names are told
    if not is_read(macro, version, daemon):
        when = first_reader(macro, version) or last_reader(macro, version)
        switched_off = macro.casefold() in SWITCHES and _is_off(setting, setting.text())
        if is_spoken_of(view, setting) or switched_off:
            return None
        message = f"`{macro}` is not known to {version}: {when}"
        return UNREAD.named(setting.entry, message, version=True)
    first = None if daemon else first_reading(macro, "NEGOTIATOR", version)
    if first is None:
        return None
    message = f"`{macro}` is read by condor_schedd alone in {version}"
    help_text = f"condor_negotiator reads it since {first}"
    return UNREAD.named(setting.entry, message, help_text, version=True)


def _cut_limit(view: View, setting: Setting) -> Diagnostic | None:
    """A macro without its last word that looks like a concurrency limit, with a word for it."""
    reading = setting.reading
    if setting.knob is not NAME_LIMIT or reading is None or reading.diagnostic is None:
        return None
    if (meant := longer_name(setting.macro)) is None or setting.folded in view.words:
        return None
    message = f"`{setting.macro}` is a concurrency limit, and `{reading.text}` is no number"
    return UNKNOWN.named(setting.entry, message, Meant(meant, setting.macro))


def is_spoken_of(view: View, setting: Setting) -> bool:
    """Has another value its name among its words?"""
    folded = setting.folded
    if folded not in view.words:
        return False
    if folded.isidentifier():
        return view.speakers.get(folded, setting) is not setting
    word = re.compile(rf"(?<!\w){re.escape(setting.macro)}(?!\w)", re.IGNORECASE)
    return any(word.search(one.entry.raw) for one in view.settings if one is not setting)


def _is_known(view: View, setting: Setting) -> bool:
    """Does a daemon read it, or another value speak of it?"""
    if find_knob(setting.macro) or find_readers(setting.macro):
        return True
    macro = setting.folded
    named = macro in view.config.once(_known_to).folded
    named = named or (macro.endswith(_OF_LOGS) and _OF_CATEGORY.fullmatch(macro) is not None)
    if named or (macro.startswith("machine_") and RESERVED.fullmatch(macro) is not None):
        return True
    consumed = macro.rpartition("consumption_")[2]  # a resource of the machine
    own = consumed == "gpus" or f"machine_resource_{consumed}" in view.defined
    if own and consumed != macro:
        from policy.knobs.uses import find_use  # which few names need

        if find_use(macro) is not None:
            return True
    if _cron_part(view, macro) is not None:
        return False  # the job is listed, and no job has such a part
    if macro in view.words or setting.entry.name.casefold() in view.words:
        return True
    if _of_daemon(view, macro) or memberships(macro):
        return True
    # SYSTEM_PERIODIC_HOLD_NAMES = MEM makes names like SYSTEM_PERIODIC_HOLD_MEM.
    named = any(map(f"_{macro}_".__contains__, _between_underscores(view.listed)))
    return named and family_slip(macro, view.folded_groups, view.listed) is None


@lru_cache(maxsize=4)
def _between_underscores(listed: frozenset[str]) -> tuple[str, ...]:
    return tuple(f"_{word}_" for word in listed)


def _cron_part(view: View, macro: str) -> str | None:
    """What a job of a cron has under a name that is none: the whole name without that end."""
    found = _CRON.match(macro)
    if found is None or memberships(macro):
        return None
    heads = [f"{found[0]}{item}_".casefold() for item in view.listed]
    return max((head for head in heads if macro.casefold().startswith(head)), default=None, key=len)


def _of_daemon(view: View, macro: str) -> bool:
    """Is it NAME_ARGS, NAME_ENVIRONMENT or the like of a daemon that DAEMON_LIST may name?"""
    name, _, end = macro.rpartition("_")
    if name == "condor":
        return False  # no daemon is called so, and many a path has the word
    return end in _OF_DAEMONS and (name in view.words or name in view.defined)


def _slip(view: View, setting: Setting) -> Diagnostic | None:
    known, macro, head = view.config.once(_known_to), setting.macro, _cron_part(view, setting.macro)
    if head is not None:
        part = macro[len(head) :]
        meant = _PARTS_ELSEWHERE.get(part.casefold())
        meant = meant or suggest(part, CRON_PARTS) or meant_by_words(part, vocabulary(CRON_PARTS))
        advice = Meant(f"{macro[: len(head)]}{meant}", macro) if meant else None
        message, has = f"a job of a cron has no `{part}`", f"it has {', '.join(CRON_PARTS)}"
        return UNKNOWN.named(setting.entry, message, advice or has)
    kind, meant = UNDERSCORES, with_underscores(macro, known.squeezed)
    meant = meant or family_slip(macro, view.folded_groups, view.listed)
    if meant is None:
        kind, words = UNKNOWN, known.spelled
        meant = meant_name(macro, words) or _nearly_limit(setting)
        meant = meant or meant_less_surely(macro, words)
    message = f"`{macro}` {_NO_MACRO}"
    if meant is not None:
        return kind.named(setting.entry, message, Meant(meant, macro))
    if of_submit_files(macro) is not None:
        help_text = "it is a command of submit files; a transform or SUBMIT_ATTRS is for all jobs"
        return UNKNOWN.named(setting.entry, message, help_text)
    if daemon := _daemon_before(view, macro):
        dotted = f"{daemon}.{macro[len(daemon) + 1 :]}"
        return UNKNOWN.named(setting.entry, message, Meant(dotted, macro))
    category = f"D_{macro.upper().removesuffix('_DEBUG')}"
    if category in LOG_CATEGORIES and macro.upper().endswith("_DEBUG"):
        help_text = f"no daemon is called so; `{category}` is a word for <daemon>_DEBUG"
        return UNKNOWN.named(setting.entry, message, help_text)
    return None


def _daemon_before(view: View, macro: str) -> str:
    """The daemon that a name has before a macro that it reads, with no dot: SCHEDD_SPOOL."""
    for daemon in DAEMONS:
        found = macro.upper().startswith(f"{daemon}_")
        readers = find_readers(macro[len(daemon) + 1 :]) if found else None
        if readers is not None and daemon in readers.daemons:
            from policy.explain.roles import is_whole  # which few names need

            return daemon if is_whole(view.config) else ""
    return ""


def _of_one_slot(view: View, setting: Setting) -> Diagnostic | None:
    """SLOT1_START: a startd has policies for types of slots only, and attributes for one slot."""
    macro = setting.macro
    slot = _ONE_SLOT.fullmatch(macro) if macro[:1] in "sS" else None
    if slot is None or is_spoken_of(view, setting):
        return None
    lists = ("STARTD_ATTRS", "STARTD_SLOT_ATTRS", f"{slot[0][: slot.start(1)]}STARTD_ATTRS")
    if slot[1].casefold() in ITEM.findall(" ".join(map(setting.beside, lists)).casefold()):
        return None
    if (row := OTHER_KNOBS.get(slot[1].casefold())) is None or row.read_by != "STARTD":
        return None
    help_text = f"a startd reads {row.name}, and SLOT_TYPE_<N>_{row.name} for a type of slots"
    return UNKNOWN.named(setting.entry, f"`{setting.macro}` {_NO_MACRO}", help_text)


def _nearly_limit(setting: Setting) -> str | None:
    """The concurrency limit that a number is meant as: MATLAB_LIMT, MATLAB.LIMIT."""
    head, _, end = setting.macro.rpartition("_")
    slip = is_one_edit(end.casefold(), "limit") and not end.casefold().endswith("limits")
    if setting.folded.endswith(".limit"):
        head, slip = setting.macro[: -len(".limit")], True
    is_one = slip and integer_literal(setting.text().strip()) is not None
    return f"{head}_LIMIT" if head and is_one else None
