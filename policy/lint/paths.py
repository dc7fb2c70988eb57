"""Checks paths: of programs that a daemon looks for in no PATH or that there are not, of folders
that jobs are to have.

Follows: the startd and the starter of 25.14.1, which run programs by their whole paths only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from classad.errors import ClassAdParseError, Diagnostic, suggest
from classad.patterns import late_regex
from classad.syntax.nodes import Node, Reference, bare
from policy.attributes import find_attribute
from policy.data.tables import builtin_table, programs
from policy.knobs.choices import HOOKS, SWITCHES
from policy.knobs.obsolete import find_obsolete
from policy.knobs.other_daemons import DAEMONS
from policy.knobs.readers import find_readers
from policy.language.expressions import begins_as_none, parse
from policy.lint.choices import has_hole
from policy.lint.finding import ERROR, Meant, Per, finding, looks_at
from policy.lint.reading import NO_REFERENCE
from policy.lint.security import as_name
from policy.lint.trees import ends, text_of
from policy.lint.view import ITEM, Item, Setting, View
from policy.values.domain import ANYTHING
from policy.values.evaluation import Evaluation

#: The list of programs that fetch what jobs name by URL, case-folded.
PLUGINS: Final = "filetransfer_plugins"
_HOOK: Final = rf"\w+_HOOK_(?:{'|'.join(HOOKS)})"
_CRON: Final = r"(?:STARTD|SCHEDD|BENCHMARKS)_CRON_\w+_EXECUTABLE"
_IS_CRON: Final = late_regex(_CRON, re.IGNORECASE)
_WRAPPER: Final = "USER_JOB_WRAPPER"
_STARTED: Final = late_regex(rf"{_CRON}|{_HOOK}|{_WRAPPER}", re.IGNORECASE)
#: Built-in values that are paths, and macros without one, although the parameter table does not
#: call them so.
_IN_A_FOLDER: Final = late_regex(r"\$\((S?BIN|LIBEXEC|LOG|SPOOL)\)/\S+|/usr(/bin/\S+)?")
_ALSO_PATHS: Final = frozenset(("event_log", "local_dir", "lock"))
#: What begins a whole path, of Windows too, and what only a running daemon knows.
_WHOLE: Final = late_regex(r"/|\\|[A-Za-z]:[\\/]|\$")
_FOLDERS: Final = (
    *("LOG", "SPOOL", "EXECUTE", "LOCK", "RUN", "LOCAL_DIR"),
    *("PER_JOB_HISTORY_DIR", "JOB_EPOCH_HISTORY_DIR"),
)
_BETWEEN_PATHS: Final = late_regex(r"[\s,]")
_BETWEEN_OPTIONS: Final = late_regex(r"[,:]")
_OF_HOSTS: Final = "LOCAL_DIR|RELEASE_DIR|LOG|SPOOL|EXECUTE|LOCK|RUN|ETC|LIB|LIBEXEC|S?BIN"
#: A folder of the host, and a name right behind it; a reference to one that lacks its first sign.
_JOINED: Final = late_regex(rf"\$\(({_OF_HOSTS})\)([A-Za-z]\w*)", re.IGNORECASE)
_UNMARKED: Final = late_regex(rf"(?<![$\w)])\((?:{_OF_HOSTS})\)(?=/)")
#: Ends of names of macros that are paths.
_PATHS: Final = late_regex(
    r"LOCK|RUN|(\w+_)?(LOG|SPOOL|EXECUTE|DIR|DIRECTORY|FILE|HISTORY)", re.IGNORECASE
)
_RELATIVE: Final = late_regex(r"\w+|[\w.-]+/[\w./+-]*")
_FILE: Final = late_regex(r"[\w.-]+(?:/[\w./+-]*)?")
_SECRET: Final = r"SEC_\w+_(?:DIRECTORY(?:_\w+)?|FILE)|AUTH_SSL_\w+(?:FILE|DIR)"
_IS_SECRET: Final = late_regex(_SECRET)
_SEVERAL: Final = late_regex(r"[,\s]\s*/")
#: What a program is told, behind it.
_OPTION: Final = late_regex(r"\s+-")
_QUOTES: Final = "\"'"
#: Ends of names of files, and of no folder.
_OF_CONFIGURATION: Final = late_regex(r"(?:\.(?:conf|config|cfg|local)|/condor_config)\Z")
_READ_ONLY: Final = ("ro", "readonly", "read-only", "read", "r")
_ANYWHERE: Final = "it is looked for in the folder that each daemon happens to run in"
_IN_QUOTES: Final = 'write all folders in one pair of quotes, as in `"/tmp, /var/tmp"`'


def is_path(macro: str) -> bool:
    """Is the value of a macro one path, of a program or a file?"""
    default, *types = builtin_table().get(macro.casefold(), [""])
    known = "path" in types or _IN_A_FOLDER.fullmatch(default) is not None
    return known or macro.casefold() in _ALSO_PATHS or _STARTED.fullmatch(macro) is not None


@finding(
    "P137",
    "a path that is not whole",
    "Jobs of a cron, hooks and plugins are programs that daemons run by their whole paths. They"
    " look for none in PATH or in LIBEXEC: what begins with no `/` is looked for in the folder"
    " that the daemon runs in, which is LOG for a job of a cron. No path has a `~` for somebody's"
    " home, none is a word for on or off, and LOG, SPOOL and EXECUTE are one folder each. What a"
    " container gets to see is a folder of the host, or that and its place in the container behind"
    " a colon, and `:ro` where it may not be written to. LOCAL_CONFIG_DIR is folders, and no files,"
    " patterns or quoted names.",
    bad="STARTD_CRON_JOBLIST = HEALTH\nSTARTD_CRON_HEALTH_EXECUTABLE = health.sh\n"
    "STARTD_CRON_HEALTH_PERIOD = 5m\n",
    good="STARTD_CRON_JOBLIST = HEALTH\nSTARTD_CRON_HEALTH_EXECUTABLE = $(LIBEXEC)/health.sh\n"
    "STARTD_CRON_HEALTH_PERIOD = 5m\n",
    of=rf"{_CRON}|{_HOOK}|{_WRAPPER}|{PLUGINS}|(?:STARTD|SCHEDD)_CRON_\w+_CWD",
    observed="Observed with 25.14.1: for `true` as a job of its cron the startd logs `Cannot access"
    " specified executable`; for a hook the starter logs `invalid path specified`, and starts no"
    " job; a plugin is skipped with `Failed to execute`; with `USER_JOB_WRAPPER = nice` or"
    " `/usr/bin/nice -n 5` it logs `Cannot find/execute`, and the job is idle again. With"
    " `LOG = ~/log` the master ends, and a schedd with two folders in SPOOL logs `Can't open"
    " address file` and ends, one with a relative PER_JOB_HISTORY_DIR writes none. Of `data:/data`"
    " the starter makes `--mount type=bind,source=data`, which Docker refuses, and of `/a:/b:RO` a"
    " folder that can be written to. With `LOCAL_CONFIG_DIR = /etc/condor/*` they start and read"
    " nothing there.",
)
def no_whole_path(view: View, setting: Setting) -> Iterator[Diagnostic]:
    if has_hole(setting.config, setting.entry):
        return  # another file may say where it is
    outcome = "the daemon does not run it"
    if setting.upper.endswith("_CWD"):
        outcome = "the job is not run"
    if setting.folded == PLUGINS:
        outcome = "it is skipped, and jobs cannot transfer what it is for"
    elif setting.upper == _WRAPPER:
        outcome = "no job starts, and each goes back to the queue"
    elif "_HOOK_" in setting.upper:
        outcome = "a hook that is not there ends condor_starter, and no job starts"
    items = setting.items()
    if not items and _IS_CRON.fullmatch(setting.macro):
        yield no_whole_path.named(setting.entry, f"{setting.macro} is empty: {outcome}")
    for item in items if setting.folded == PLUGINS else items[:1]:
        if _OPTION.match(setting.text(), item.end) and item is items[0]:
            message = f"{setting.macro} is one path, and `{setting.text().strip()}` is more"
            help_text = f"what follows the program belongs to {_of_arguments(setting.macro)}"
            if setting.upper == _WRAPPER:
                help_text = "it gets the job and its arguments; write a program that adds the rest"
            yield setting.say(no_whole_path, message, setting.whole(), help_text)
        elif item.text[0] not in _QUOTES and not _WHOLE.match(item.text):
            message = f"{setting.macro}: `{item.text}` is no whole path"
            help_text = f"write where it is, from `/` on; without that {outcome}"
            yield setting.say(no_whole_path, message, item, help_text)


@looks_at(Per.SETTING, of=r"DOCKER_VOLUME_DIR_(?!\w+_MOUNT_IF$)\w+")
def no_volume(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A folder of a container that Docker refuses; quotes around it are no part of it."""
    text = setting.text().strip()
    if not text or has_hole(setting.config, setting.entry):
        return
    host, *inside = text.strip(_QUOTES).split(":", 2)
    at = setting.text().index(host)
    for path in (host, *inside[:1]):
        if not path.startswith("/") or _BETWEEN_PATHS.search(path):
            message = f"{setting.macro}: `{path}` is no whole path"
            where = Item(path, at, at + len(path)) if path else setting.whole()
            help_text = "Docker refuses it, and no container starts; write it as in `/data:/mnt`"
            yield setting.say(no_whole_path, message, where, help_text)
            return
        at += len(path) + 1
    for option in _BETWEEN_OPTIONS.split(inside[1]) if inside[1:] else ():
        if ":" in inside[1] or (option != "ro" and option.casefold() in _READ_ONLY):
            message = f"{setting.macro}: `{inside[1]}` is ignored, and jobs may write to `{host}`"
            where = Item(inside[1], at, at + len(inside[1]))
            yield setting.say(no_whole_path, message, where, "it is `ro`")
            return


@looks_at(Per.ITEM, of="LOCAL_CONFIG_DIR")
def no_folder_of_files(setting: Setting, item: Item) -> Iterator[Diagnostic]:
    """What is no folder with files of a configuration: daemons read nothing and say nothing."""
    path = item.text.strip(_QUOTES)
    is_file = _OF_CONFIGURATION.search(path) is not None
    if "*" in path or path != item.text or is_file:
        message = f"LOCAL_CONFIG_DIR: `{item.text}` is no folder, and nothing is read there"
        advice = "it takes folders, as `/etc/condor/config.d`, and reads all files in them"
        if is_file:
            advice = f"`LOCAL_CONFIG_FILE = {path}` reads a file"
        yield setting.say(no_whole_path, message, item, advice)


def _of_arguments(macro: str) -> str:
    """The macro with the arguments of a program."""
    head = macro.upper().removesuffix("EXECUTABLE")
    return f"{macro[: len(head)]}ARGS" if len(head) < len(macro) else f"{macro}_ARGS"


#: What parts folders elsewhere.
_PARTING: Final = late_regex(r"[;:](?=/|$)")


@finding(
    "P138",
    "folders for jobs that are none",
    "MOUNT_UNDER_SCRATCH is an expression that comes to a text with the folders that each job gets"
    " for itself; what begins with no expression is that text itself, and what stands behind one"
    " is passed over. Where it comes to anything else, no job starts. What is no whole path of a"
    " folder is passed over, too.",
    bad='MOUNT_UNDER_SCRATCH = "tmp, /var/tmp"\n',
    good='MOUNT_UNDER_SCRATCH = "/tmp, /var/tmp"\n',
    of="MOUNT_UNDER_SCRATCH",
    observed="Observed with 25.14.1: its starter logs `MOUNT_UNDER_SCRATCH does not evaluate to a"
    " string` and `Failed to start job`, or `Unable to add mapping`; `/tmp, /var/tmp` without"
    " quotes does as it does with them. With `/` a job is held: `Failed to execute '/bin/ls'`.",
)
def no_folders(view: View, setting: Setting) -> Iterator[Diagnostic]:
    text = setting.text()
    if not text.strip() or has_hole(setting.config, setting.entry):
        return
    tree, end = _parsed(text)
    if tree is not None and not _may_be_text(view, tree):
        shown = text[tree.start : tree.end]
        message = f"`{shown}` comes to no text, so no job starts"
        found = setting.say(no_folders, message, tree, _IN_QUOTES)
        found.severity = ERROR
        yield found
        return
    behind = Item(text[end:].strip(" ,"), end, len(text))
    if tree is not None and behind.text:
        message = f"`{behind.text}` stands behind the expression and is passed over"
        yield setting.say(no_folders, message, behind, _IN_QUOTES)
    parts = [(0, len(text))]
    if tree is not None:
        texts = (bare(one) for one in ends(tree) if text_of(one) is not None)
        parts = [(one.start + 1, one.end - 1) for one in texts]
    for item in (Item.of(it) for part in parts for it in ITEM.finditer(text, *part)):
        if (sign := _PARTING.search(item.text)) is not None:
            message = f"`{sign[0]}` is a part of the path `{item.text}`"
            yield setting.say(no_folders, message, item, "folders stand between commas")
        elif not item.text.strip("/"):
            found = setting.say(no_folders, f"`{item.text}` is all that a job needs to start", item)
            found.severity = ERROR
            yield found
        elif not _WHOLE.match(item.text):
            help_text = "condor_starter passes over what is not there, so no job gets it"
            yield setting.say(no_folders, f"`{item.text}` is no whole path", item, help_text)


def _is_one_path(macro: str) -> bool:
    """The same by the end of its name, where it is read as a text; other checks tell of some."""
    upper = macro.upper()
    told = upper in (*_FOLDERS, *DAEMONS, "LOCAL_CONFIG_FILE")
    told = told or bool(_STARTED.fullmatch(macro) or _IS_SECRET.fullmatch(upper))
    readers = find_readers(macro) if _PATHS.fullmatch(macro) else None
    return not told and (is_path(macro) or (readers is not None and readers.kind == "string"))


#: What stands in a folder of HTCondor's programs.
_IN_PROGRAMS: Final = late_regex(
    r"(?:\$\((?:S?BIN|LIBEXEC)\)|/usr/s?bin|/usr/libexec/condor)/([A-Za-z][\w.+-]*[A-Za-z])(?![\w./])"
)


@finding(
    "P139",
    "a program that HTCondor does not have, spelled almost like one",
    "Its packages put their programs into SBIN, BIN and LIBEXEC. condor_master cannot start a"
    " daemon whose program is not there, nor the startd a job of its cron.",
    bad="PREEN = $(SBIN)/condor_pren\n",
    good="PREEN = $(SBIN)/condor_preen\n",
    per=Per.CONFIGURATION,
    observed="Observed with 25.14.1: where MACHINE_RESOURCE_INVENTORY_<name> has a program that is"
    " not there, its startd ends with status 4; its master logs `not executable` of a daemon.",
)
def unknown_program(view: View) -> Iterator[Diagnostic]:
    """Slips in names of programs, in settings that somebody reads."""
    for setting in view.settings:
        raw = setting.entry.raw
        if "BIN)/" not in raw and "LIBEXEC)/" not in raw and "/condor" not in raw:
            continue
        for name in dict.fromkeys(_IN_PROGRAMS.findall(raw)):
            meant = None if name in programs() else suggest(name, programs())
            if meant is not None:
                at = setting.text().find(name)
                where = Item(name, at, at + len(name)) if at >= 0 else setting.whole()
                message = f"HTCondor has no program `{name}`"
                gone = find_obsolete(meant.removeprefix("condor_"))
                advice = Meant(meant, name) if gone is None else f"`{meant}`: {gone.why}"
                yield setting.say(unknown_program, message, where, advice)


@looks_at(Per.SETTING)
def at_home(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``LOG = ~/log``: no shell reads a path, and a folder is one; ``EVENT_LOG = True``."""
    text, macro = setting.text().strip(), setting.upper
    is_folder = macro in _FOLDERS or (macro[:4] == "SLOT" and macro.endswith("_EXECUTE"))
    if text.casefold() in SWITCHES and _is_one_path(setting.macro):
        message = f"{setting.macro}: `{text}` is no path"
        help_text = as_name(text, "a file or a program")
        yield setting.say(no_whole_path, message, setting.whole(), help_text)
    elif text[:1] == "~" and is_path(setting.macro):
        message = f"{setting.macro}: `~` is a letter like others, and `{text}` is no whole path"
        help_text = "write the whole path; `$ENV(HOME)` is the home of whoever starts the daemons"
        yield setting.say(no_whole_path, message, setting.whole(), help_text)
    elif is_folder and _SEVERAL.search(text):
        message = f"{setting.macro} is one folder, and `{text}` are several"
        yield setting.say(no_whole_path, message, setting.whole(), "daemons take it for one name")
    elif (
        is_folder
        and _RELATIVE.fullmatch(text)
        and not has_hole(setting.config, setting.entry)
        and "$ENV" not in (setting.entry.written or "").upper()
    ):
        message = f"{setting.macro}: `{text}` is no whole path"
        yield setting.say(no_whole_path, message, setting.whole(), _ANYWHERE)


@looks_at(Per.SETTING, holding="(")
def without_dollar(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``SPOOL = (LOCAL_DIR)/spool``: parentheses alone refer to nothing."""
    text = setting.entry.written or setting.entry.raw
    found = _UNMARKED.search(text)
    if found is None or not (_PATHS.fullmatch(setting.macro) or is_path(setting.macro)):
        return
    message = f"`{found[0]}` lacks a `$`, so it is no reference and stays as text"
    expanded = setting.text()
    at = expanded.find(found[0])
    where = setting.whole() if at < 0 else Item(found[0], at, at + len(found[0]))
    yield setting.say(NO_REFERENCE, message, where, Meant(f"${found[0]}", found[0]))


@looks_at(Per.SETTING, of=_SECRET)
def secret_somewhere(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A secret or a certificate that each daemon and tool would look for where it runs."""
    text = setting.text().strip()
    if _FILE.fullmatch(text) and not has_hole(setting.config, setting.entry):
        message = f"{setting.macro}: `{text}` is no whole path"
        yield setting.say(no_whole_path, message, setting.whole(), _ANYWHERE)


@looks_at(Per.SETTING, holding="$")
def without_slash(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``LOG = $(LOCAL_DIR)log``: a folder and a name that nothing parts."""
    written = setting.entry.written or setting.entry.raw
    found = _JOINED.search(written)
    if found is None or setting.beside(found[1]).strip().endswith(("/", "\\")):
        return
    if _PATHS.fullmatch(setting.macro) or is_path(setting.macro):
        message = f"{setting.macro}: nothing parts the folder and the name in `{found[0]}`"
        help_text = f"write `$({found[1]})/{found[2]}`"
        yield no_whole_path.named(setting.entry, message, help_text)


def _parsed(text: str) -> tuple[Node | None, int]:
    """The expression that a text begins with, None if it begins with none, and where it ends."""
    if begins_as_none(text):
        return None, 0
    try:
        return bare(parse(text).node), len(text)
    except ClassAdParseError as mistake:
        end = 0 if mistake.diagnostic is None else mistake.diagnostic.start
    try:
        return bare(parse(text[:end]).node), end
    except ClassAdParseError:
        return None, 0


def _may_be_text(view: View, tree: Node) -> bool:
    """Can an expression come to a text? An attribute that nobody has comes to none."""
    if isinstance(tree, Reference) and tree.base is None:
        return find_attribute(tree.name) is not None or tree.name.casefold() in view.own_names
    return Evaluation(tree, lambda scope, name: ((scope, name), ANYTHING)).value.has_text
