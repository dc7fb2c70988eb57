"""Checks statements, values and expressions that a daemon stumbles over.

It numbers what the reader and the typed values report, and finds a few traps that they take in
silence.
Follows: golden vectors ``negotiator-startup``, ``continuation``, ``func`` and ``macro``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from classad.errors import Diagnostic, suggest
from classad.patterns import late_regex
from policy.explain.roles import may_run
from policy.knobs.declaration import KnobKind
from policy.knobs.lists import LISTS, is_list
from policy.knobs.readers import find_readers, longer_name
from policy.knobs.reading import IGNORED, behind_expression
from policy.knobs.uses import find_use
from policy.language.about import NOT_RUN, about, change_about
from policy.language.expressions import text_behind
from policy.language.macros import FUNCTIONS
from policy.language.numbers import read_boolean
from policy.lint.endings import WEIGHT_OF_TYPE, status_at_start
from policy.lint.finding import ERROR, WARNING, Finding, Joined, Meant, Per, finding, looks_at
from policy.lint.view import Setting, View, covering

UNREADABLE: Final = Finding(
    "P101",
    "a statement that cannot be read",
    "Every daemon and tool refuses the whole configuration at the first such line, with exit"
    " status 1.",
    "PRIORITY_HALFLIFE = 3600\nthis line says nothing\n",
    "PRIORITY_HALFLIFE = 3600\n# this line says nothing\n",
    silenceable=False,
    severity=ERROR,
)
IGNORED_WORDS: Final = Finding(
    "P102",
    "words before the operator that are ignored",
    "The name is the first word only; what stands between it and the `=` is passed over in"
    " silence.",
    "PRIORITY HALFLIFE = 3600\n",
    "PRIORITY_HALFLIFE = 3600\n",
)
LEAKING_COMMENT: Final = Finding(
    "P103",
    "a comment that ends a continued value",
    "A comment line inside a continuation must end in a backslash like the other lines. Otherwise"
    " the value ends there, and the last character of the comment becomes part of it.",
    "NEGOTIATOR_NAME = main \\\n# not the old one\n",
    "NEGOTIATOR_NAME = main \\\n# not the old one \\\n\n",
)
SAID: Final = Finding(
    "P104",
    "a warning while reading",
    "The reader goes on, as the tools of HTCondor do; `warning :` statements appear here too.",
    "warning : this pool moves on Monday\n",
    "# this pool moves on Monday\n",
    joined=Joined.BY_HELP,
)
OPEN_END: Final = Finding(
    "P105",
    "a last line without a newline that would mean something else with one",
    "A line that no newline ends is taken as it stands. Blanks around it are not removed (one in"
    " front makes it unreadable, one behind becomes part of the value and hides the end of a"
    " block), and a backslash at its end stays.",
    "NEGOTIATOR_NAME = main \\",
    "NEGOTIATOR_NAME = main\n",
)
NUL: Final = Finding(
    "P106",
    "a NUL byte",
    "The rest of its line is not read, and the next line is joined to what stands before. Lines"
    " below are counted as HTCondor counts them: the two are one.",
    "NEGOTIATOR_NAME = main\0\n\n",
    "NEGOTIATOR_NAME = main\n",
)
INVALID: Final = Finding(
    "P110",
    "a value that ends a daemon",
    "A boolean is `True` or `False` (or 1, 0, or an expression), never `yes` or `on`; a number has"
    " no unit; a dynamic quota lies between 0 and 1. Each daemon that reads the macro ends, with"
    " exit status 4, and no other one.",
    "NEGOTIATOR_CONSIDER_PREEMPTION = yes\n",
    "NEGOTIATOR_CONSIDER_PREEMPTION = True\n",
    silenceable=False,
    observed="Observed with 25.14.1: each main daemon was asked about a bad value of each macro"
    " that it reads at its start.",
    severity=ERROR,
)
SYNTAX: Final = Finding(
    "P111",
    "a policy expression that does not parse",
    "condor_negotiator ends with exit status 4, and so do condor_defrag, condor_rooster and, at"
    " MachineMaxVacateTime and what a consumption policy uses, the startd, while condor_config_val"
    " prints the text without complaint.",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > && True\n",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n",
    silenceable=False,
    observed="Observed with 25.14.1: condor_negotiator, condor_defrag, condor_rooster and"
    " condor_startd, each started with such an expression, end.",
    severity=ERROR,
)
NOT_USED: Final = Finding(
    "P112",
    "an invalid value that is passed over",
    "The daemon goes on with the default, or without the setting.",
    "LICENSE_LIMIT = six\n",
    "LICENSE_LIMIT = 6\n",
)
BROKEN: Final = Finding(
    "P113",
    "an expression that does not parse and ends no daemon",
    "The startd logs `Invalid expression` and lives on. Without a START the slot's Requirements are"
    " an error and it takes no job; without a RANK all jobs have Rank 0; what PREEMPT, WANT_HOLD,"
    " SYSTEM_PERIODIC_HOLD and the like should do is not done, and for SYSTEM_PERIODIC_* the schedd"
    " logs nothing. It logs that it ignores a SUBMIT_REQUIREMENT_<name>, and that it takes the"
    " default of START_LOCAL_UNIVERSE and START_SCHEDULER_UNIVERSE.",
    "START = KeyboardIdle > (15 * 60\n",
    "START = KeyboardIdle > (15 * 60)\n",
    observed="Observed with 25.14.1: its startd and schedd with such expressions and a job that"
    " waits. condor_submit refuses a job for a broken APPEND_RANK, DEFAULT_RANK,"
    " JOB_DEFAULT_REQUESTCPUS or JOB_DEFAULT_REQUESTMEMORY. Not asked about: what"
    " condor_job_router and the starter read, and other macros of condor_submit.",
    severity=ERROR,
)
ENDLESS: Final = Finding(
    "P114",
    "an expansion that never ends",
    "Macros that refer to each other in a circle make every daemon and tool that reads one of them"
    " hang or crash.",
    "SITE_SIZE = $(SITE_BASE)\nSITE_BASE = $(SITE_SIZE)\n",
    "SITE_SIZE = $(SITE_BASE)\nSITE_BASE = 5\n",
    severity=ERROR,
)
BEHIND: Final = Finding(
    IGNORED,
    "text behind an expression that is ignored",
    "Behind a complete conditional the daemons stop reading: what follows has no effect, and"
    " neither they nor condor_config_val say so. Behind any other expression such text ends the"
    " daemon or breaks the expression.",
    "PREEMPTION_RANK = TotalJobRunTime > 3600 ? 1 : 100) - Cpus\n",
    "PREEMPTION_RANK = (TotalJobRunTime > 3600 ? 1 : 100) - Cpus\n",
    observed="Observed with 25.14.1: condor_negotiator, started with text behind a conditional in"
    " an expression, an integer and a boolean, runs.",
    severity=ERROR,
)
HOLE: Final = Finding(
    "P120",
    "an undefined macro",
    "A reference to a macro that nobody defines expands to nothing and leaves a hole: a condition"
    " is false or does not parse, a limit is its default, a path begins at the root. `$(MINUTE)`"
    " and `$(HOUR)` are built in, `$(DAY)` is not.",
    "PREEMPTION_REQUIREMENTS = TotalJobRunTime > 600$(DAY) && RemoteUserPrio > SubmitterUserPrio\n",
    "DAY = 86400\n"
    "PREEMPTION_REQUIREMENTS = TotalJobRunTime > $(DAY) && RemoteUserPrio > SubmitterUserPrio\n",
    elsewhere=True,
    brought="$({name})",
    joined=Joined.BY_HOLE,
)
NO_REFERENCE: Final = Finding(
    "P121",
    "a reference that stays as text",
    "A default may hold only letters, digits, blanks, `_ . / $ , : \\` and groups in parentheses."
    " With another character, `-` or `@` for instance, the whole is not a reference, whether there"
    " is such a macro or not. So it is with other signs in the name, of `$ENV(NAME)`, too.",
    'PREEMPTION_RANK = strcat("x", "$(SITE:a-b)") == "x" ? 1 : 2\n',
    'SITE = a-b\nPREEMPTION_RANK = strcat("x", "$(SITE)") == "x" ? 1 : 2\n',
)

#: Findings about expressions that do not parse.
_OF_EXPRESSIONS: Final = ("P111", "P113", "P217", "P245")
#: Signs of other languages where an expression does not parse, and what to write.
_SIGNS: Final = (
    (late_regex("#"), "comments are lines of their own"),
    (late_regex("[\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb]"), 'quotes are written `"`'),
    (late_regex(r"and\b", re.IGNORECASE), "and is written `&&`"),
    (late_regex(r"or\b", re.IGNORECASE), "or is written `||`"),
    (
        late_regex(r"in\b", re.IGNORECASE),
        "whether a list has an item is told by `member(item, list)`",
    ),
    (late_regex(r"=~"), "patterns are for regexp()"),
    (late_regex(r"=<"), "at most is written `<=`"),
    (late_regex(r"=>"), "at least is written `>=`"),
    (late_regex(r"(?<![=!<>?])=(?![=?!])"), "equality is written `==`"),
    (late_regex(r"(?<=<)>"), "inequality is written `!=`"),
)
_NOT: Final = late_regex(r"\bnot\s+$", re.IGNORECASE)
#: How far before a mistake `not` may stand.
_BEFORE: Final = 20
_ASSIGNMENT: Final = late_regex(r"(?<=\n)[ \t]*([A-Za-z][\w.]*)[ \t]*=(?![=?!])")
_PARTITIONABLE = late_regex(r"SLOT_TYPE_\d+_PARTITIONABLE", re.IGNORECASE)
#: The startd knows no backfill system any more.
_BACKFILL: Final = "backfill_system"
#: What condor_submit puts into jobs, and refuses them for.
_SUBMITTED: Final = frozenset(
    ("APPEND_RANK", "DEFAULT_RANK", "JOB_DEFAULT_REQUESTCPUS", "JOB_DEFAULT_REQUESTMEMORY")
)
#: Daemons that end at any expression of theirs that does not parse.
_STRICT: Final = ("DEFRAG", "ROOSTER")
_OF_SLOTS = late_regex(r"SLOT(?:_TYPE_)?\d+_", re.IGNORECASE)
#: What an expression has and a text without quotes has not.
_OPERATORS: Final = late_regex(r"&&|\|\||[=!<>]=|=[?!]=|[<>()\[{#]")
_TRAILING = late_regex(r"\s#(?:\s|$)")
_REMAINS = late_regex(r"(?<!\$)\$\w*\(")
_NESTED = late_regex(r"(?<!\$)\$([A-Z][A-Z_]*)\([^)]*\(")
#: The function that takes a name of a file apart, as its letters say.
_OF_FILES = late_regex(r"F[fpdnxqabuw]*", re.IGNORECASE)
_CALLED = late_regex(r"(?<!\$)\$([A-Za-z_]+)\(")


def numbered(found: Diagnostic, *, reading: bool) -> Diagnostic:
    """A diagnostic of the reader (``reading``) or of the typed values, with its number."""
    if about(found).kind == NOT_RUN:
        found.id, found.severity = "P910", WARNING
    elif found.id is None and found.severity == "error":
        found.id = UNREADABLE.id if reading else INVALID.id
    elif found.id is None:
        found.id = SAID.id if reading else NOT_USED.id
    return found


def note_other_languages(findings: Sequence[Diagnostic]) -> None:
    """Say what was meant where an expression does not parse at a sign of another language."""
    for one in findings:
        if one.id not in _OF_EXPRESSIONS or one.source is None:
            continue
        text = one.source.text
        for sign, meant in _SIGNS:
            if sign.match(text, one.start):
                one.message += f": {meant}"
                break
        else:
            if _NOT.search(text, one.start - _BEFORE, one.start):
                one.message += ": not is written `!`"


def note_lost_backslashes(findings: Sequence[Diagnostic]) -> None:
    """Say where a statement that cannot be read may belong to the value above it."""
    cut = {(one.source, one.line) for one in findings if one.id in (SYNTAX.id, BROKEN.id)}
    for one in findings:
        if one.id != UNREADABLE.id or one.help is not None or one.source is None:
            continue
        assert one.line is not None
        above = one.line - 1
        if (one.source, above) in cut:
            one.help = f"to go on here, line {above} needs a backslash at its end"
        elif _is_continued_comment(one.source.text.split("\n"), above):
            one.help = f"line {above} is a comment, which its backslash does not continue"


def _is_continued_comment(lines: Sequence[str], number: int) -> bool:
    """Is the line of that number, from 1, a comment with a backslash at its end?"""
    line = lines[number - 1].strip() if number > 0 else ""
    return line.startswith("#") and line.endswith("\\")


@looks_at(Per.SETTING)
def value(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A value that its readers cannot use, or use otherwise than it looks."""
    is_invalid = setting.reading is not None and setting.reading.diagnostic is not None
    if is_invalid and not is_own_limit(view, setting.macro):
        yield from _invalid(setting)
    yield from _not_taken(view, setting)
    yield from _unparsable(setting)
    yield from _behind(setting)
    problem = setting.endless
    if problem is not None and setting.reading is None:
        circle = tuple(map(str.casefold, problem.chain))
        yield ENDLESS.on(setting.entry, str(problem), circle=circle)
    elif problem is None and "$" in setting.entry.raw:
        yield from _references(setting)


def is_own_limit(view: View, macro: str) -> bool:
    """Is it no concurrency limit: a helper such as SITE_LIMIT, which other values refer to, or a
    macro without its last word?"""
    if not macro.casefold().endswith("_limit"):
        return False
    # A name of any thing may be one of a limit: who reads no limits has none.
    if not may_run(view.config, "NEGOTIATOR"):
        return True
    return macro.casefold() in view.words or longer_name(macro) is not None


def _invalid(setting: Setting) -> Iterator[Diagnostic]:
    """An invalid value that its daemon goes on with, or does without."""
    reading, knob = setting.reading, setting.knob
    if reading is None or reading.diagnostic is None or knob is None or _cut_short(setting):
        return
    if setting.is_unread:
        return
    found, readers = reading.diagnostic, find_readers(setting.macro)
    if setting.problems and readers is not None and knob.read_by in readers.at_start:
        return  # its daemon ends at its start, which is told
    if knob.broken or not knob.fatal:
        yield found
    elif knob.read_by == "NEGOTIATOR" or status_at_start(setting.config, knob) is None:
        # If it is read at the start, there is a finding with the same words before this one.
        found.id, found.severity = NOT_USED.id, NOT_USED.severity
        daemon = f"condor_{knob.read_by.lower()}"
        found.help = f"{daemon} ends when it reads this, which need not be at its start"
        change_about(found, ends="")
        yield found


def _not_taken(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A word for true that the startd does not take for one, without saying so; a backfill
    system, none of which is built in."""
    folded = setting.folded
    of_slots = folded.startswith("slot") and _PARTITIONABLE.fullmatch(folded) is not None
    if not of_slots and folded != _BACKFILL:
        return
    text, is_truth = setting.text(), view.config.scope.functions.evaluate
    what = ""
    if of_slots and text and read_boolean(text, is_truth) is None:
        what, help_text = "not a boolean", "condor_startd makes a static slot of it, in silence"
    elif not of_slots and text:
        is_on = view.is_on("ENABLE_BACKFILL", "STARTD", False)
        if not is_on and "enable_backfill" in view.of_macro:
            return  # it is turned off on purpose
        says = "says so and " if is_on else ""
        what, help_text = "not supported", f"condor_startd {says}ignores it"
    if what:
        message = f"{setting.macro}: `{text}` is {what}"
        yield setting.say(NOT_USED, message, setting.whole(), help_text)


def _unparsable(setting: Setting) -> Iterator[Diagnostic]:
    """An expression that no declaration of a knob covers: condor_defrag's, those of slot types."""
    covered = setting.knob is not None and setting.knob.kind is KnobKind.EXPR
    if covered or find_use(setting.macro) is None or setting.endless is not None:
        return
    broken = setting.unparsable()
    if broken is None:
        return
    daemon, macro, help_text = setting.macro.partition("_")[0].upper(), setting.macro, None
    if daemon in _STRICT:
        help_text = f"condor_{daemon.lower()} ends when it reads this"
        yield setting.say(SYNTAX, *broken, help_text, ends=daemon)
        return
    if macro.upper() in _SUBMITTED:
        help_text = "condor_submit ends with it: jobs cannot be submitted"
    elif WEIGHT_OF_TYPE.fullmatch(macro):
        help_text = "condor_startd ends when it makes slots of this type"
    elif _OF_SLOTS.match(macro):
        help_text = "condor_startd does without it and says nothing"
    yield setting.say(BROKEN, *broken, help_text)


def _behind(setting: Setting) -> Iterator[Diagnostic]:
    """Text behind a number or a boolean that is written as an expression."""
    if setting.reading is not None:
        if setting.reading.ignored is not None and not setting.is_unread:
            yield setting.reading.ignored
        return
    readers = find_readers(setting.macro)
    if readers is None or not readers.is_expression or setting.endless is not None:
        return
    found = text_behind(setting.text())
    if found is not None and setting.unparsable() is None:
        where = setting.place(found.start, found.end)
        yield behind_expression(setting.macro, found, where)


def _cut_short(setting: Setting) -> bool:
    """Is there a finding for the cause?"""
    return any(called[1] in FUNCTIONS for called in _NESTED.finditer(setting.entry.raw))


@finding(
    "P217",
    "an attribute whose value does not parse",
    "The value of a macro in STARTD_ATTRS, SCHEDD_ATTRS and the like is an expression; a text needs"
    " quotes. The daemon logs `Failed to insert ClassAd attribute`, and the ad is without it.",
    "STARTD_ATTRS = Model\nModel = Dell R750\n",
    'STARTD_ATTRS = Model\nModel = "Dell R750"\n',
    observed="Observed with 25.14.1: its startd logs `CONFIGURATION PROBLEM: Failed to insert"
    " ClassAd attribute` and goes on.",
    per=Per.CONFIGURATION,
)
def no_value(view: View) -> Iterator[Diagnostic]:
    """Attributes whose macros hold no expression."""
    lists, listed = [names for names in LISTS if names.lists_attributes], view.items
    published = set().union(*(listed.get(names.name, set()) for names in lists))
    for setting in view.settings:
        named = setting.folded in published and setting.knob is None
        broken = setting.unparsable() if named else None
        if broken is None or setting.mistake is None:
            continue
        name = setting.macro
        itself = [item for item in setting.items() if item.text.casefold() == name.casefold()]
        if itself and is_list(name):
            message = f"{name} lists its own name, and its value is no expression"
            yield setting.say(no_value, message, itself[0], Meant(f"$({name})", itself[0].text))
            continue
        is_text = not _OPERATORS.search(setting.text())
        help_text = "a text needs quotes" if is_text else setting.mistake.help
        yield setting.say(no_value, *broken, help_text)


@finding(
    "P115",
    "a comment behind a value",
    "Only a line that begins with `#` is a comment; behind a value it is part of the value.",
    "NEGOTIATOR_NAME = main # the only one\n",
    "# the only one\nNEGOTIATOR_NAME = main\n",
    holding="#",
)
def trailing_comment(view: View, setting: Setting) -> Iterator[Diagnostic]:
    entry, reading = setting.entry, setting.reading
    written = entry.written if entry.written is not None else entry.raw
    if "\n" in entry.raw or '"' in written or setting.upper.startswith("JOB_TRANSFORM"):
        return
    if reading is not None and reading.diagnostic is not None:
        return
    found = _TRAILING.search(" " + written)
    if found is not None and setting.endless is None:
        message = f"`{written[max(0, found.start()) :].strip()}` is part of the value"
        help_text = "put the comment on a line of its own, above"
        yield trailing_comment.on(entry, message, help_text)


@finding(
    "P107",
    "a value that takes in the next assignment",
    "A backslash at the end of the last line of a value makes the next line a part of it, whatever"
    " that says, and so does a lost end of a line.",
    "ALLOW_READ = *.example.edu, \\\nALLOW_WRITE = cm.example.edu\n",
    "ALLOW_READ = *.example.edu\nALLOW_WRITE = cm.example.edu\n",
)
def swallowed(view: View, setting: Setting) -> Iterator[Diagnostic]:
    entry, source = setting.entry, setting.entry.source
    if source is None or "\n" in entry.raw or "\n" not in source.text[entry.start : entry.end]:
        return  # it is in one line
    for found in _ASSIGNMENT.finditer(source.text, entry.start, entry.end):
        is_macro = covering(found[1]) is not None or find_readers(found[1]) is not None
        before = source.text[entry.start : found.start()]
        if is_macro and setting.endless is None and before.count("[") <= before.count("]"):
            name, place = f"`{found[1]} =`", (source, *found.span(1))
            message = f"{setting.macro} goes on here and takes {name} for a part of its value"
            help_text = "the line above ends in a backslash"
            yield swallowed.at(message, *place, help_text, macro=setting.macro)


def _references(setting: Setting) -> Iterator[Diagnostic]:
    """References of an expression that are none."""
    reading = setting.reading
    is_expression = setting.knob is not None and setting.knob.kind is KnobKind.EXPR
    if reading is not None and is_expression and _REMAINS.search(reading.text):
        message = f"{setting.name} keeps a reference that is not one: `{reading.text}`"
        yield NO_REFERENCE.on(setting.entry, message)


@finding(
    "P123",
    "a function macro that there is not",
    "Function macros are written in upper case: INT, REAL, STRING, EVAL, SUBSTR, CHOICE,"
    " RANDOM_CHOICE, RANDOM_INTEGER, BASENAME, DIRNAME, ENV, and F with letters behind it. With any"
    " other name or spelling they stay as text.",
    "BASE = 30\nNEGOTIATOR_NAME = n$int(BASE)\n",
    "BASE = 30\nNEGOTIATOR_NAME = n$INT(BASE)\n",
    holding="$",
)
def no_function(view: View, setting: Setting) -> Iterator[Diagnostic]:
    for found in _CALLED.finditer(setting.entry.raw):
        upper = found[1].upper()
        if found[1] in FUNCTIONS or _OF_FILES.fullmatch(found[1]) or setting.endless is not None:
            continue
        if upper not in FUNCTIONS and setting.knob is not None and setting.knob.use is not None:
            continue  # what an expression keeps of it is told
        known = upper if upper in FUNCTIONS else suggest(upper, FUNCTIONS)
        advice = None if known is None else Meant(f"${known}(", found[0])
        message = f"`{found[0]}` is not a function macro"
        yield no_function.on(setting.entry, message, advice)


@finding(
    "P122",
    "parentheses inside a function macro",
    "The body of a function macro ends at the first closing parenthesis, also at one that belongs"
    " to a reference inside. Give the inner expression a name of its own.",
    "BASE = /srv\nNEGOTIATOR_NAME = n$BASENAME($(BASE)/a)\n",
    "BASE = /srv\nOURS = $(BASE)/a\nNEGOTIATOR_NAME = n$BASENAME(OURS)\n",
    holding="$",
)
def nested_body(view: View, setting: Setting) -> Iterator[Diagnostic]:
    for found in _NESTED.finditer(setting.entry.raw):
        if found[1] in FUNCTIONS and found[1] != "ENV" and setting.endless is None:
            message = f"the body of `${found[1]}(` ends at its first `)`"
            help_text = "name the inner expression and use the name"
            yield nested_body.on(setting.entry, message, help_text)
