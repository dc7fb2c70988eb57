"""Says what each version of HTCondor has of names, defaults and templates.

Follows: the parameter tables of 23.9.6, 24.0.23, 25.0.13 and 25.14.1, the templates of 23.9.6 and
25.14.1, and HTCondor's notes on its releases.  A version between recorded ones has what the newest
recorded one before it has, but for changes whose version is known.  ``policy/data/README.md`` says
how the tables were made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from itertools import compress, repeat
from typing import Final, TypeAlias

from classad.patterns import late_regex
from policy.data.tables import older_template_texts, template_texts, version_rows
from policy.language.templates import Template, Templates, template_set
from policy.versions import NEWEST, RECORDED, Version, parse_version, recorded_version

#: Default, type and range, as far as the parameter table has them.
Row: TypeAlias = "list[str]"

#: Recorded releases, newest first: the columns of the table.
_COLUMNS: Final = tuple(reversed(RECORDED))
#: The only one of them whose templates and programs were at hand.
_WITH_PROGRAMS: Final = RECORDED[0]
_SAME, _READ, _UNRECORDED = "=", "read", "?"

#: From which version on a name or its default is as in 25.14.1, where that is known.
SINCE: Final[Mapping[str, str]] = {
    "ASSUME_COMPATIBLE_MULTIFILE_PLUGINS": "25.6.1",
    "CHECK_REACTIVATE_AFTER_CHECKPOINT": "25.5.1",
    "DAGMAN_METRICS_FILE_VERSION": "24.2.1",
    "DAGMAN_PRINT_JOB_TABLE_INTERVAL": "24.4.0",
    "DAGMAN_USE_OLD_FILE_PARSER": "25.6.1",
    "DOCKER_SKIP_IMAGE_ARCH_CHECK": "24.1.1",
    "FORCE_NEGOTIATOR_SLOT_WEIGHT": "25.5.1",
    "JOB_DEFAULT_REQUESTDISK": "25.2.1",
    "JOB_DEFAULT_REQUESTMEMORY": "25.2.1",
    "MAX_CONCURRENT_UPLOADS_PER_USER": "25.11.0",
    "REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX": "25.5.1",
    "SCHEDD_ENABLE_PER_USER_MATCH_LIMITS": "25.11.0",
    "SCHEDULER_UNIVERSE_COOL_DOWN_DURATION": "25.10.1",
    "SEC_USE_LOW_DATA_MODE": "25.8.2",
    "SHADOW_LOG_RECONNECT": "25.8.2",
    "SHADOW_RECONNECT_LOG": "25.8.2",
    "SINGULARITY_ADD_ROCM_FLAG": "25.8.2",
    "SINGULARITY_USE_LAUNCHER": "24.3.0",
    "STARTER_DISABLE_USER_SUPPLIED_TRANSFER_PLUGINS": "25.11.0",
    "STARTER_NESTED_SCRATCH": "25.4.0",
    "USING_LIBRARIAN": "25.11.0",
}
#: Names that begin so are as new.
_SINCE_FAMILIES: Final = {"librarian": "25.11.0"}
_BEGINS: Final = tuple(_SINCE_FAMILIES)
_OF_FAMILIES: Final = late_regex(rf"\n((?:{'|'.join(_BEGINS)}).*)")
#: From which version on a name is no longer read, where that is known.
UNTIL: Final[Mapping[str, str]] = {
    "DAGMAN_COPY_TO_SPOOL": "25.8.2",
    "JOB_ROUTER_USE_DEPRECATED_ROUTER_ENTRIES": "25.0.0",
    "NAMED_CHROOT": "25.5.1",
    "STARTD_SENDS_ALIVES": "25.4.0",
    "STARTER_HANDLES_ALIVES": "25.4.0",
    "USERLOG_FILE_CACHE_CLEAR_INTERVAL": "25.6.1",
    "USERLOG_FILE_CACHE_MAX": "25.6.1",
}
#: Names that one daemon reads only since some version, and others in all.
SINCE_OF_DAEMON: Final[Mapping[tuple[str, str], str]] = {
    ("REMOVE_SIGNIFICANT_ATTRIBUTES", "NEGOTIATOR"): "25.5.1",
}
#: Defaults that differ between recorded releases by how they were built, not by their version: the
#: tables say so of the first four, and the others name the release itself and what it ran on.
OF_THE_BUILD: Final = frozenset(
    (
        *("HAVE_EXT_KRB5", "PYTHON3_MODULE_SUFFIX", "PYTHON3_VERSION_MINOR"),
        *("SEC_DEFAULT_AUTHENTICATION_METHODS", "CONDOR_BUILD_PLATFORM", "CONDOR_VERSION"),
    )
)

#: From which version on a template is as in 25.14.1: new, or with another text.  The macros of the
#: last two are in no table before 25.14.1.
_TEMPLATES_SINCE: Final[Mapping[str, str]] = {
    "feature:defaultcheckpointdestination": "24.1.1",
    "feature:librarian": "25.11.0",
    "feature:setjobattrfromusermap": "25.8.2",
    "security:recommended": "24.0.0",
    "security:recommended_v24_0": "24.0.0",
}
_NEWER_THAN_25_0: Final = frozenset(("feature:metricd", "feature:pelicanretrypolicy"))
#: Templates that 23.9.6 does not have.
_NEW: Final = frozenset(
    (
        *("feature:assignprojectname", "feature:defaultcheckpointdestination"),
        *("feature:policy_hours_to_start", "policy:desktop_hours", "policy:desktop_idle"),
        *("feature:librarian", "security:recommended", "security:recommended_v24_0"),
        *_NEWER_THAN_25_0,
    )
)


@cache
def _cells() -> Mapping[str, tuple[str, tuple[Row | str | None, ...]]]:
    """The table by case-folded names: the name as spelled, and what each release has of it."""
    return {name.casefold(): (name, tuple(cells)) for name, cells in version_rows().items()}


@cache
def _facts() -> tuple[Mapping[str, Version], Mapping[str, Version]]:
    since, until = (
        {name.casefold(): parse_version(text) for name, text in facts.items()}
        for facts in (SINCE, UNTIL)
    )
    return since, until


def _since(folded: str) -> Version | None:
    """From which version on a macro or its default is as in 25.14.1, if that is known."""
    found = _facts()[0].get(folded)
    if found is None:
        family = _SINCE_FAMILIES.get(folded.partition("_")[0])
        found = None if family is None else parse_version(family)
    return found


def _until(folded: str) -> Version | None:
    """From which version on a macro is no longer read, if that is known."""
    return _facts()[1].get(folded)


@lru_cache(maxsize=10_000)
def _cell(macro: str, version: Version) -> Row | str | None:
    """What a version has of a macro; ``=`` stands for what 25.14.1 has."""
    folded = macro.casefold()
    begin, end, record = _since(folded), _until(folded), recorded_version(version)
    _, cells = _cells().get(folded, ("", ()))
    found: Row | str | None = _SAME
    for release, cell in zip(_COLUMNS, cells, strict=False):
        found = found if cell == _SAME else cell
        if release == record:
            break
    if end is not None and version >= end:
        return None
    if begin is None:
        return found
    if version < begin:
        return None if found == _UNRECORDED else found
    # A table that should have its row has none, or it came after the table.
    return found if record >= begin and found is not None else _READ if record >= begin else _SAME


@cache
def _told() -> frozenset[str]:
    """The folded names of macros, but for families, of which versions differ."""
    return frozenset().union(_cells(), *_facts())


def _differs(folded: str) -> bool:
    """Do versions differ in a macro, as far as is known?"""
    return folded in _told() or folded.startswith(_BEGINS)


def read_by(version: Version, macros: Iterable[str]) -> list[str]:
    """Those of some macros that a version reads, as ``is_read`` has it."""
    names = [*macros]
    # Of thousands few differ, so that there is no loop over all.
    text = "\n".join(names).casefold()
    folded = text.split("\n")
    differ = {*_told().intersection(folded), *_OF_FAMILIES.findall(f"\n{text}")}
    read = {macro: _cell(macro, version) is not None for macro in differ}
    return [*compress(names, map(read.get, folded, repeat(True)))]


def is_read(macro: str, version: Version, daemon: str = "") -> bool:
    """Whether a version reads a macro, as far as is known; of one daemon, if it is named.

    Macros that no version reads, and those of which nothing is recorded, are not told from others.
    """
    late = first_reading(macro, daemon, version) is not None if daemon else False
    return not late and (not _differs(macro.casefold()) or _cell(macro, version) is not None)


def first_reading(macro: str, daemon: str, version: Version) -> Version | None:
    """The first version whose daemon reads a macro that others read before; None unless later."""
    text = SINCE_OF_DAEMON.get((macro.upper(), daemon))
    first = None if text is None else parse_version(text)
    return first if first is not None and first > version else None


def has_row(macro: str, version: Version) -> bool:
    """Whether a version has a default of its own or that of 25.14.1 for a macro."""
    return _cell(macro, version) not in (None, _READ, _UNRECORDED)


@lru_cache(maxsize=8)
def _changed_rows(version: Version) -> tuple[tuple[str, Row | None], ...]:
    """The rows of a version that are not those of 25.14.1; None where it has none."""
    if version == NEWEST:
        return ()
    cells = ((name, _cell(name, version)) for name, _ in _cells().values())
    return tuple((name, c if isinstance(c, list) else None) for name, c in cells if c != _SAME)


def changed_row(macro: str, version: Version) -> Row | None:
    """The row of a macro in the table of a version, if it is another one than in 25.14.1's."""
    found = _cell(macro, version)
    return found if isinstance(found, list) else None


def builtin_rows(version: Version, newest: Mapping[str, Row]) -> dict[str, Row]:
    """The parameter table of a version, by HTCondor's names; ``newest`` is that of 25.14.1."""
    rows = dict(newest)
    for name, row in _changed_rows(version):
        if row is None:
            rows.pop(name, None)
        else:
            rows[name] = row
    if version < NEWEST:
        rows["CONDOR_VERSION"] = [str(version)]
    return rows


def first_reader(macro: str, version: Version) -> str:
    """For a macro that a version does not read: which one is the first that does."""
    begin, own = _since(macro.casefold()), SINCE_OF_DAEMON.get((macro.upper(), "NEGOTIATOR"))
    if begin is None and own is not None:
        return f"read by condor_negotiator since {own}"
    if begin is not None and begin > version:
        return f"read since {begin}"
    later = [release for release in RECORDED if release > version and is_read(macro, release)]
    if not later:
        return ""
    lacking = [release for release in RECORDED if version < release < later[0]]
    return f"read since a version after {max([version, *lacking])} (known to {later[0]})"


def last_reader(macro: str, version: Version) -> str:
    """For a macro that a version does not read: when it was given up."""
    end = _until(macro.casefold())
    if end is not None and end <= version:
        return f"not read since {end}"
    earlier = [release for release in RECORDED if release < version and is_read(macro, release)]
    return f"not read since a version after {earlier[-1]}" if earlier else ""


@cache
def templates_of(version: Version) -> Templates:
    """The templates of a version.

    Where nobody recorded what a version has, it is the text of the recorded version before it, or
    of 25.14.1 if that has none, and the template says so when it is used.
    """
    newest = template_set(template_texts())
    if version >= NEWEST:
        return newest
    older = template_set(older_template_texts()).entries
    found = {}
    for key, template in newest.entries.items():
        one = _template_of(version, template, older.get(key))
        if one is not None:
            found[key] = one
    return Templates(found)


def _template_of(version: Version, newest: Template, older: Template | None) -> Template | None:
    name = f"{newest.category}:{newest.name}".casefold()
    begin = _TEMPLATES_SINCE.get(name)
    if (older is None and name not in _NEW) or (begin and version >= parse_version(begin)):
        return newest
    if recorded_version(version) == _WITH_PROGRAMS:
        return older
    if older is None and (begin or _is_older_than_record(name, version)):
        return None
    text_of = _WITH_PROGRAMS if older is not None else NEWEST
    said = f"what {version} has for this template is not recorded; it is taken from {text_of}"
    return (older or newest)._replace(unrecorded=said)


def _is_older_than_record(name: str, version: Version) -> bool:
    return name in _NEWER_THAN_25_0 and recorded_version(version) == version


def changed_defaults(
    old: Mapping[str, str], new: Mapping[str, str]
) -> Iterable[tuple[str, str | None, str | None]]:
    """The defaults that differ by version between two tables: name, old and new text."""
    for name in sorted({*old, *new}, key=str.casefold):
        before, after = old.get(name), new.get(name)
        if before != after and name not in OF_THE_BUILD:
            yield name, before, after
