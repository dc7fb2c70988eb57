"""Reads knobs out of a configuration: text to checked value.

When a default stands in, what is invalid, what is said about it and where that points.
Inputs: a ``Config`` and a ``Knob``.  Outputs: ``Reading``, the value with its definition and at
most one diagnostic.
Follows: typed parameter reading of 25.14.1 (golden vectors ``typed``, ``negotiator-startup``).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from attr import evolve

from classad.errors import ClassAdParseError, Diagnostic
from classad.language.rules import LanguageRules, language_of
from classad.patterns import late_regex
from classad.source import Source
from policy.config import Config
from policy.history import has_row, is_read
from policy.knobs.declaration import Knob, KnobKind
from policy.language import expressions
from policy.language.about import About
from policy.language.lines import BLANKS
from policy.language.macros import ExpansionError
from policy.language.numbers import (
    INT32,
    Evaluate,
    clamp,
    leading_boolean,
    read_boolean,
    read_double,
    read_integer,
)
from policy.language.origins import Origins
from policy.language.table import Definition
from policy.versions import NEWEST

if TYPE_CHECKING:
    from classad.ads.expression import Expression

#: Source, first character, and the one behind the last.
Place = tuple[Source | None, int, int]
#: A longer default is not shown in a sentence.
_SHOWN: Final = 60
#: Ends the name of a source that is the expanded value, not the file's text.
EXPANDED: Final = " (expanded)"
#: The finding about text behind an expression, which ends no daemon.
IGNORED: Final = "P116"
#: What may be written as an expression.
_EXPRESSIONS: Final = (KnobKind.EXPR, KnobKind.BOOL, KnobKind.INT, KnobKind.DOUBLE)
#: What a knob is that a version does not know: no bound, no condition.
_NOTHING: Final = {
    KnobKind.BOOL: False,
    KnobKind.INT: 0,
    KnobKind.DOUBLE: 0.0,
    KnobKind.LEADING: 0.0,
}
#: Units are known by their first letter, M by two; behind the third character only letters follow.
SIZE = late_regex(
    r"\+?(?:0x[\da-f]+|\d+(?!\d))\s*(?:m|(?:[^\sm]\S?|m[bi])(?:\S[a-z]*)?)?", re.IGNORECASE
)
#: What is no size: a lower-case `m` is minutes, as `mi` is before anything but a `b`.
_TIME = late_regex(r"\+?\d+\s*(?:[shdwSHDW]\w*|m|[mM][iI](?![bB])\S*)")
#: A function macro up to the parenthesis that ends it.
_CALL = late_regex(r"(?<!\$)\$[A-Z_]+\([^)]*\)?")
#: How the logs of all daemons are rotated, where none says it for its own.
_OF_ALL_LOGS: Final = "max_default_log"
_BETWEEN_ITEMS = late_regex(r"[,\s]+")
_LEADING_NUMBER = late_regex(r"[ \t\n\v\f\r]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


class Reading(NamedTuple):
    """What came out of reading one macro.

    ``value`` is the default's when the text was invalid or empty.  ``definition`` is None when
    neither the configuration nor HTCondor's table has the macro.  ``ignored`` points at text behind
    an expression, which the daemons read as if it were not there.
    """

    macro: str
    value: object
    text: str
    definition: Definition | None
    diagnostic: Diagnostic | None = None
    ignored: Diagnostic | None = None

    def boolean(self) -> bool:
        """The value of a ``Kind.BOOL`` knob; False without value or default."""
        return bool(self.value)

    def integer(self) -> int:
        """The value of a ``Kind.INT`` knob."""
        assert isinstance(self.value, int)
        return self.value

    def number(self) -> float:
        """The value of a ``Kind.DOUBLE`` or ``Kind.LEADING`` knob."""
        assert isinstance(self.value, int | float)
        return float(self.value)

    def number_or_none(self) -> float | None:
        """The same for a knob without default."""
        return None if self.value is None else self.number()

    def names(self) -> tuple[str, ...]:
        """The value of a ``Kind.LIST`` knob."""
        return tuple(split_list(self.text))

    def expression(self) -> Expression | None:
        """The value of a ``Kind.EXPR`` knob; None when it is set to nothing."""
        from classad.ads.expression import Expression

        return self.value if isinstance(self.value, Expression) else None


class _Invalid(Exception):  # noqa: N818 - never leaves this module
    """``fails``: a function macro does, at which every daemon ends that reads it."""

    def __init__(
        self,
        why: str,
        start: int = 0,
        end: int | None = None,
        circle: tuple[str, ...] = (),
        *,
        fails: bool = False,
    ) -> None:
        super().__init__(why)
        self.start = start
        self.end = end
        self.circle = tuple(map(str.casefold, circle))
        self.fails = fails


def split_list(text: str) -> list[str]:
    """A list at commas and white space."""
    return [part for part in _BETWEEN_ITEMS.split(text) if part]


def read_knob(config: Config, knob: Knob, macro: str | None = None) -> Reading:
    """The value of a knob, or of the member ``macro`` of a family."""
    macro = macro or knob.name
    key, declared = (id(knob), macro), knob
    known, read = config.readings.get(key, (None, None))
    if known is knob and isinstance(read, Reading):
        return read
    if config.version < NEWEST and not has_row(macro, config.version):
        if not is_read(macro, config.version):
            return Reading(macro, _NOTHING.get(knob.kind), "", None)
        knob = evolve(knob, default=None)
    definition = config.lookup(macro)
    if definition is not None and definition.is_builtin and knob.default is None:
        definition = None  # the table is of another version
    evaluate = config.scope.functions.evaluate
    if definition is None:
        return Reading(macro, _default(config, knob, evaluate), knob.default or "", None)
    try:
        expanded = config.expand(definition)
        if expanded.problems:
            raise _Invalid(expanded.problems[0], fails=True)
        value = _value(knob, expanded.text, evaluate, language_of(config.version))
    except ExpansionError as endless:
        invalid = _Invalid(str(endless), circle=endless.chain)
        problem = _diagnostic(config, knob, macro, definition, "", invalid)
        return Reading(macro, _default(config, knob, evaluate), "", definition, problem)
    except _Invalid as invalid:
        problem = _diagnostic(config, knob, macro, definition, expanded.text, invalid)
        fallback = _fallback(config, knob, expanded.text, evaluate)
        return Reading(macro, fallback, expanded.text, definition, problem)
    if value is None and knob.kind not in (KnobKind.EXPR, KnobKind.LIST, KnobKind.STRING):
        value = _default(config, knob, evaluate)
    ignored = _ignored(config, knob, macro, definition, expanded.text)
    found = Reading(macro, value, expanded.text, definition, ignored=ignored)
    if ignored is None and expanded.lasting:  # a finding is of one report, which may change it
        config.readings[key] = declared, found
    return found


def _ignored(
    config: Config, knob: Knob, macro: str, definition: Definition, text: str
) -> Diagnostic | None:
    found = expressions.text_behind(text) if knob.kind in _EXPRESSIONS else None
    if found is None:
        return None
    where = _blamed(config, definition, text, _Invalid(found.message, found.start, found.end))
    return behind_expression(macro, found, where)


def behind_expression(macro: str, finding: Diagnostic, where: Place) -> Diagnostic:
    """The finding about text that the daemons ignore behind the expression of a macro."""
    help_text = "the daemons ignore the text behind a complete conditional, and so does this report"
    about = About(macro=macro)
    return Diagnostic(
        f"{macro}: {finding.message}", *where, id=IGNORED, help=help_text, about=about
    )


def in_force(knob: Knob, reading: Reading) -> Reading:
    """A reading as if the macro were not set, if the default is in force for what it is set to."""
    if reading.diagnostic is None:
        return reading
    if knob.kind is KnobKind.BOOL and leading_boolean(reading.text) is not None:
        return reading
    return reading._replace(text=knob.default or "", definition=None)


def default_value(config: Config, knob: Knob) -> object:
    """The value of a knob that is not set."""
    return _default(config, knob, config.scope.functions.evaluate)


def _default(config: Config, knob: Knob, evaluate: Evaluate) -> object:
    """A default that refers to a macro with a bad value is read as if that were not set."""
    if not knob.default:
        return None
    language = language_of(config.version)
    try:
        return _value(knob, config.scope.expand(knob.default), evaluate, language)
    except (_Invalid, ExpansionError):
        built_in = evolve(config.scope, table=config.scope.table.built_in())
        return _value(knob, built_in.expand(knob.default), evaluate, language)


def _fallback(config: Config, knob: Knob, text: str, evaluate: Evaluate) -> object:
    """What a tool goes on with; a daemon aborts instead."""
    if knob.kind is KnobKind.BOOL:
        head = leading_boolean(text)
        if head is not None:
            return head
    return _default(config, knob, evaluate)


def _value(knob: Knob, text: str, evaluate: Evaluate, language: LanguageRules) -> object:
    """The value of an expanded text; None if it is empty."""
    bare = text.strip(BLANKS)
    if not bare:
        return None
    if knob.kind is KnobKind.BOOL:
        return _required(read_boolean(text, evaluate), bare, "a boolean")
    if knob.kind is KnobKind.INT:
        whole = int(_required(read_integer(bare, evaluate), bare, "an integer"))
        if not knob.wide and clamp(whole, INT32) != whole:
            raise _Invalid(f"{whole} does not fit into 32 bits")
        return _in_range(knob, whole)
    if knob.kind is KnobKind.DOUBLE:
        number = float(_required(read_double(bare, evaluate), bare, "a number"))
        return _in_range(knob, number)
    if knob.kind is KnobKind.LEADING:
        found = _LEADING_NUMBER.match(text)
        return float(found[0]) if found else 0.0
    if knob.kind is KnobKind.EXPR:
        return _expression(text, language)
    if knob.kind is KnobKind.SIZE and not SIZE.fullmatch(bare):
        raise _Invalid(f"`{bare}` is neither a size such as `10 Mb` nor a time such as `2 days`")
    if knob.name.casefold() == _OF_ALL_LOGS and _TIME.fullmatch(bare):
        raise _Invalid(f"`{bare}` is a time, and no size such as `10 Mb`")
    return text


def _expression(text: str, language: LanguageRules) -> Expression:
    try:
        return expressions.parse(text, language=language)
    except ClassAdParseError as mistake:
        found = mistake.diagnostic
        assert found is not None
        raise _Invalid(found.message, found.start, found.end) from None


def _required(value: bool | int | float | None, text: str, what: str) -> bool | int | float:
    if value is None:
        raise _Invalid(f"`{text}` is not {what}")
    return value


def _in_range(knob: Knob, value: float) -> float:
    if knob.minimum is not None and value < knob.minimum:
        raise _Invalid(f"{value:g} is below {knob.minimum:g}")
    if knob.maximum is not None and value > knob.maximum:
        raise _Invalid(f"{value:g} is above {knob.maximum:g}")
    return value


def _diagnostic(
    config: Config, knob: Knob, macro: str, definition: Definition, text: str, invalid: _Invalid
) -> Diagnostic:
    source, start, end = _blamed(config, definition, text, invalid)
    default = f"with the default `{knob.default}`" if knob.default else "without it"
    if len(default) > _SHOWN:
        default = "with its default"
    daemon = f"condor_{knob.read_by.lower()}"
    about = About(macro=macro, definition=definition, circle=invalid.circle)
    severity, id_ = "error", "P111" if knob.kind is KnobKind.EXPR else "P110"
    if knob.broken and not invalid.fails:
        id_ = "P113"
        help_text = f"{daemon} hangs when it reads this" if invalid.circle else knob.broken
    elif knob.fatal or invalid.fails:
        about = evolve(about, ends=knob.read_by, goes_on=f"this report goes on {default}")
        help_text = f"{daemon} ends when it reads this; {about.goes_on}"
    else:
        severity, id_ = "warning", "P112"
        help_text = f"{daemon} goes on, and so does this report, {default}"
    return Diagnostic(
        *(f"{macro}: {invalid}", source, start, end),
        severity=severity,
        id=id_,
        help=help_text,
        about=about,
    )


def _blamed(config: Config, definition: Definition, text: str, invalid: _Invalid) -> Place:
    """Where the characters to blame stand; for the end of the text, what the last one is before."""
    if invalid.fails:
        return call_place(definition)
    begin, stop = invalid.start, len(text) if invalid.end is None else invalid.end
    origins = Origins(config.scope, definition)
    found = origins.locate(begin, stop)
    if found is not None:
        return found
    if invalid.end is not None and begin >= len(text) > 0:
        last = origins.locate(len(text) - 1, len(text))
        if last is not None:
            return last[0], last[2], last[2] + 1
    return place(definition, text, invalid.start, invalid.end)


def call_place(definition: Definition) -> Place:
    """Where a value calls its first function macro; all of a value that calls none itself."""
    source = definition.source
    if source is None:
        return place(definition, definition.raw)
    found = _CALL.search(source.text, definition.start, definition.end)
    begin, end = (definition.start, definition.end) if found is None else found.span()
    return source, begin, max(end, begin + 1)


def place(definition: Definition, text: str, start: int = 0, end: int | None = None) -> Place:
    """Where characters ``start:end`` of the expanded value are: in the file if it stands there."""
    source = definition.source
    if source is None:
        # A value without end is shown as it was set.
        given = text or definition.raw
        return Source(given, definition.origin), start, len(given) if end is None else end
    written = source.text[definition.start : definition.end]
    if written != text:
        if not text or end is None:
            return source, definition.start, definition.end
        shown = Source(text, f"{definition.origin}{EXPANDED}", first_line=definition.line or 1)
        return shown, start, end
    stop = len(text) if end is None else end
    return source, definition.start + start, definition.start + stop
