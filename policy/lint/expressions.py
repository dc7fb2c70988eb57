"""Finds every expression that the configuration holds, and evaluates it over all that can be.

Policies of the daemons, families such as SYSTEM_PERIODIC_HOLD_<name>, attributes that STARTD_ATTRS
and its like publish.
Inputs: a ``View``.  Outputs: ``MacroExpression``, an expression with its use, its abstract
evaluation, and the way from its nodes to the characters of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property, partial
from typing import Any, Final, NamedTuple, TypeVar

from attr import define, field

from classad.errors import ClassAdParseError, Diagnostic
from classad.language.operators import COMPARISONS
from classad.patterns import late_regex
from classad.source import Source
from classad.syntax.nodes import AdExpr, Binary, Node, Reference, height, walk
from policy.attributes import DATE, FIRST_DATE, LAST_DATE
from policy.knobs.declaration import Use, Wanted
from policy.knobs.lists import memberships
from policy.knobs.other_daemons import DAEMONS
from policy.knobs.reading import Place
from policy.knobs.uses import find_use
from policy.language import statements
from policy.language.expressions import parse
from policy.language.lines import LogicalLine, lines_with_conditions
from policy.language.macros import ExpansionError
from policy.language.scope import Scope
from policy.language.statements import Statement, StatementError
from policy.language.table import Definition
from policy.lint.finding import Advice, Finding
from policy.lint.trees import (
    Holes,
    is_scope,
    matched,
    names,
    pattern,
    tree_of,
    words_of,
    words_of_pattern,
)
from policy.lint.view import HOLDERS, Setting, View, is_own, unread_setting
from policy.transforms.lines import Command, TransformLine
from policy.values.domain import ANYTHING, Abstract, of_its_kinds, single_number
from policy.values.evaluation import DEEPEST, Evaluation
from policy.values.surroundings import Surroundings, set_by_files, undefaulted

N = TypeVar("N", bound=Node)

#: Where a reference or a function of macros begins.
_REFERS: Final = late_regex(r"\$\w*\(")
#: What asks whether an attribute is there, or does without it.
_TESTS: Final = (
    *("isUndefined($x)", "$x ?: $y", "$x =?= undefined", "$x =!= undefined"),
    *("$x =?= error", "$x =!= error"),
)
#: The longest text of a part that a message has.
_SHOWN: Final = 80
_PUBLISHED: Final = Use("slot", "job", Wanted.ANY, moment="as an attribute of the slot")
_SUBMITTED: Final = Use("job", "slot", Wanted.ANY, moment="as an attribute of the job")
_OF_DAEMON: Final = Use("either", "", Wanted.ANY, moment="as an attribute of the daemon")
#: What every daemon asks of each ad that it sends.
_SHUTDOWN: Final = ("daemon_shutdown", "daemon_shutdown_fast")
#: What is known of these ads; of those of other daemons nothing is.
_SENT: Final = {"STARTD": "slot", "SCHEDD": "schedd"}


class ExpressionPart(NamedTuple):
    """``name`` says what it is; the line has it from ``start`` on."""

    name: str
    text: str
    use: Use
    line: TransformLine
    start: int

    def place(self, start: int, end: int) -> Place:
        """Where some characters of it stand; those behind its end at its last one."""
        last = max(0, len(self.text) - 1)
        begin = min(start, last)
        stop = min(max(end, begin + 1), last + 1)
        return self.line.spot(self.start + begin, self.start + stop)


@define(slots=False)
class MacroExpression:
    """An expression that a setting holds; ``own_names`` are the attributes that the
    configuration publishes, ``said`` the findings about it so far.

    ``part`` is the part of the value that it is, None for the whole.
    """

    view: View
    setting: Setting
    text: str
    tree: Node
    use: Use
    surroundings: Surroundings
    own_names: tuple[str, ...] = ()
    said: set[str] = field(factory=set)
    part: ExpressionPart | None = None
    _of_kind: dict[type[Node], tuple[Any, ...]] = field(factory=dict, init=False, repr=False)

    @cached_property
    def evaluation(self) -> Evaluation:
        """What it and its parts can come to."""
        return self.evaluated(self.surroundings)

    def evaluated(self, surroundings: Surroundings) -> Evaluation:
        """The same elsewhere."""
        return Evaluation(self.tree, surroundings.look_up, self._unread)

    @cached_property
    def _unread(self) -> frozenset[int]:
        """The nodes, by ``id()``, that stand for what another file has, to which it adds."""
        if self.part is not None or not self.view.extends_unread:
            return frozenset()
        unread = self.setting.origins.unread()
        inside = (node for node in self.nodes if unread and all(unread[node.start : node.end]))
        return frozenset(map(id, inside))

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """All its nodes, each before those below it."""
        return tuple(walk(self.tree))

    def of_kind(self, kind: type[N]) -> tuple[N, ...]:
        """Those of a class: many checks look at the same ones."""
        found: tuple[N, ...] | None = self._of_kind.get(kind)
        if found is None:
            found = tuple(node for node in self.nodes if isinstance(node, kind))
            self._of_kind[kind] = found
        return found

    @cached_property
    def comparisons(self) -> tuple[Binary, ...]:
        """The comparisons among its nodes."""
        return tuple(node for node in self.of_kind(Binary) if node.operator in COMPARISONS)

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """All its references to attributes of the ads that it is evaluated in: the scopes MY and
        TARGET are none, and what an ad in it refers to it has itself, or who looks at it."""
        inner = {id(node) for ad in self.of_kind(AdExpr) for node in walk(ad)}
        own = (node for node in self.of_kind(Reference) if id(node) not in inner)
        return tuple(node for node in own if not is_scope(node))

    @cached_property
    def names(self) -> frozenset[str]:
        """The case-folded names of all attributes that it refers to."""
        return frozenset(node.name.casefold() for node in self.references)

    @cached_property
    def asked_for(self) -> frozenset[str]:
        """Those of which it asks whether they are there."""
        return frozenset(name for node, _ in self.find(*_TESTS) for name in names(node))

    @cached_property
    def words(self) -> frozenset[str]:
        """The names and operators in it, as ``words_of`` has them."""
        return words_of(self.nodes)

    def find(self, *patterns: str) -> Iterator[tuple[Node, Holes]]:
        """The nodes that look like one of the patterns, with what stands in the holes."""
        for text in patterns:
            if not words_of_pattern(text) <= self.words:
                continue
            wanted = pattern(text)
            for node in self.of_kind(type(wanted)):
                holes = matched(wanted, node)
                if holes is not None:
                    yield node, holes

    @cached_property
    def height(self) -> int:
        """How deep it is nested."""
        return height(self.tree)

    @property
    def is_too_deep(self) -> bool:
        """Is it nested deeper than an evaluation goes?"""
        return self.height > DEEPEST

    @property
    def name(self) -> str:
        """The macro that holds it, and which part it is."""
        if self.part is not None:
            return f"{self.part.name} of {self.setting.macro}"
        return self.setting.name

    @cached_property
    def macros(self) -> list[tuple[str, ...]]:
        """For each character, the references to macros that it comes from."""
        whole = self.part is None
        found = self.setting.origins.references() if whole else None
        return [()] * len(self.text) if found is None else found

    @property
    def has_holes(self) -> bool:
        """Does it refer to a macro that nobody defines?"""
        used = self.setting.config.scope.used_by(self.setting.entry)
        return any(found is None for _, found in used)

    def spot(self, node: Node) -> Place:
        """Where a node stands in the files."""
        return self.place(node.start, node.end)

    def place(self, start: int, end: int) -> Place:
        """Where ``start:end`` of the text stands in the files."""
        if self.part is not None:
            return self.part.place(start, end)
        return self.setting.place(start, end, self.text)

    def shown(self, node: Node) -> str:
        """The text of a node as it is written, in one line and cut short."""
        text = " ".join(self.text[node.start : node.end].split())
        return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."

    def say(self, kind: Finding, message: str, node: Node, help: Advice = None) -> Diagnostic:
        """A finding about a part of it."""
        self.said.add(kind.id)
        setting = self.setting
        about = {"macro": setting.macro, "definition": setting.entry}
        return kind.at(message, *self.spot(node), help, **about)


def expressions_in(view: View) -> Iterator[MacroExpression]:
    """Every expression, in the order of the settings; those of untaken branches come last."""
    published, missing = _published(view), undefaulted(view.config)
    own = tuple(sorted(view.own_names.values()))
    slots, jobs, daemons = view.slot_attributes, view.job_attributes, view.daemon_attributes
    passed_over = [unread_setting(view.config, entry) for entry in untaken(view)]
    # One attribute is asked for in many expressions, and at each of its nodes often.
    around = cache(partial(Surroundings, published=published, undefaulted=missing))

    held = set(map(id, bodies_in(view)))
    settings = [(setting, True) for setting in view.settings]
    settings += [(setting, False) for setting in passed_over]
    for setting, taken in settings:
        for part in parts(setting) if taken and id(setting) in held else ():
            tree = tree_of(part.text)
            if tree is not None:
                where = around(part.use)
                yield MacroExpression(
                    *(view, setting, part.text, tree, part.use, where, own), part=part
                )
        use = find_use(setting.macro)
        folded = setting.folded
        if use is None and folded in slots:
            use = _PUBLISHED
        elif use is None and folded in jobs:
            use = _SUBMITTED
        elif use is None and folded in daemons:
            use = _OF_DAEMON
        elif folded in _SHUTDOWN:
            use = _of_shutdown((setting.prefix or "").upper())
        if use is None:
            continue
        parsed = _parsed(setting) if taken else _read(setting)
        if parsed is None:
            continue
        text, tree = parsed
        found = MacroExpression(view, setting, text, tree, use, around(use), own)
        if taken or not found.has_holes:
            yield found


def _of_shutdown(daemon: str) -> Use:
    """How a daemon evaluates DAEMON_SHUTDOWN, each its own where none is named."""
    who = f"the {daemon.lower()}" if daemon in DAEMONS else "a daemon"
    ad = _SENT.get(daemon, "either")
    return Use(ad, "", Wanted.CONDITION, moment=f"when {who} sends an ad")


def _parsed(setting: Setting) -> tuple[str, Node] | None:
    if setting.reading is not None and setting.tree is not None:
        return setting.reading.text, setting.tree
    if setting.knob is not None and setting.knob.use is not None:
        return None
    return _read(setting)


def _read(setting: Setting) -> tuple[str, Node] | None:
    try:
        expanded = setting.config.expand(setting.entry)
        if expanded.problems or not expanded.text.strip():
            return None
        return expanded.text, parse(expanded.text).node
    except (ExpansionError, ClassAdParseError):
        return None


def _published(view: View) -> Mapping[str, Abstract]:
    """What is known of attributes that the configuration puts into ads."""
    values = {name: _value_of(view, name) for name in view.slot_attributes}
    return {**{name: set_by_files(name) for name in view.own_names}, **values}


def _value_of(view: View, name: str) -> Abstract:
    """The kinds of values that a macro in STARTD_ATTRS gives to its attribute."""
    settings = view.of_macro.get(name, [])
    parsed = _parsed(settings[0]) if len(settings) == 1 else None
    if parsed is None or settings[0].entry.previous is not None:
        return ANYTHING
    value = Evaluation(parsed[1], lambda scope, name: ((scope, name), ANYTHING)).value
    found, number = of_its_kinds(value), single_number(value)
    dated = number is not None and FIRST_DATE <= number < LAST_DATE
    return found._replace(unit=DATE) if dated else found


# --- bodies of job transforms and of routes of the job router -------------------------------------

#: What holds such a body, as a pattern for checks.
HELD: Final = f"(?:{'|'.join(HOLDERS)}).*"
_ROUTED: Final = "when a job is transformed"
_OF_COMMANDS: Final = {
    "REQUIREMENTS": Use("job", "", Wanted.CONDITION, moment=_ROUTED),
    "EVALSET": Use("job", "", Wanted.ANY, moment=_ROUTED),
    "EVALMACRO": Use("job", "", Wanted.ANY, moment=_ROUTED),
    "SET": Use("job", "slot", Wanted.ANY, moment="as an attribute of the job"),
    "DEFAULT": Use("job", "slot", Wanted.ANY, moment="as an attribute of the job"),
}
#: What the macros of routes begin with.
ROUTES: Final = "JOB_ROUTER_ROUTE_"
#: The router asks it of a job in more than one way: as MY, and in a constraint as TARGET.
_OF_ROUTES: Final = Use("either", "either", Wanted.CONDITION, moment=_ROUTED)


def bodies_in(view: View) -> list[Setting]:
    """The settings that hold a transform in the language of commands."""
    return list(filter(has_body, view.holders))


def has_body(setting: Setting) -> bool:
    """Does the macro hold a transform in the language of commands?"""
    return _is_holder(setting) and not setting.entry.raw.lstrip().startswith("[")


def is_old_body(setting: Setting) -> bool:
    """Does it hold one in the old syntax, an ad in brackets?"""
    return _is_holder(setting) and setting.entry.raw.lstrip().startswith("[")


def _is_holder(setting: Setting) -> bool:
    return setting.upper.startswith(HOLDERS) and bool(memberships(setting.macro))


def parts(setting: Setting) -> Iterator[ExpressionPart]:
    """The expressions of a body, but those that the transform puts together itself."""
    if not has_body(setting):
        return
    routed = setting.upper.startswith(ROUTES)
    for line, form in setting.statements:
        if not isinstance(form, Command) or form.keyword not in _OF_COMMANDS:
            continue
        whole = form.keyword == "REQUIREMENTS"
        text, at = (form.first, form.first_at) if whole else (form.rest, form.rest_at)
        if text and not _REFERS.search(text) and not (whole and text[0] in ":="):
            name = form.keyword if whole else f"{form.keyword} {form.first}"
            use = _OF_ROUTES if whole and routed else _OF_COMMANDS[form.keyword]
            yield ExpressionPart(name, text, use, line, at)


# --- branches of an `if` that are not taken -------------------------------------------------------

_CONDITIONAL: Final = late_regex(r"\s*(if|elif|else|endif)\b", re.IGNORECASE)


def untaken(view: View) -> Iterator[Definition]:
    """The plain assignments that were passed over, in the order of the files."""
    scope = view.config.scope
    own = [link for entry in scope.table for link in entry.chain() if is_own(link)]
    taken = {(id(link.source), link.start) for link in own}
    for source in view.config.texts:
        for line, statement in _conditional(source) if source.quoted else ():
            start = line.offset(statement.value_start)
            if (id(source), start) not in taken and statements.is_identifier(statement.name):
                yield _definition(scope, source, line, statement)


def _conditional(source: Source) -> Iterator[tuple[LogicalLine, Statement]]:
    """The plain assignments between an ``if`` and its ``endif``."""
    depth, end_tag = 0, ""
    for line in lines_with_conditions(source):
        if end_tag:
            end_tag = "" if line.text == end_tag else end_tag
            continue
        word = _CONDITIONAL.match(line.text) if line.text.lstrip()[:1] in "iIeE" else None
        if word is not None:
            depth += {"if": 1, "endif": -1}.get(word[1].lower(), 0)
            continue
        if depth <= 0 and "@=" not in line.text:
            continue  # no value, and no block begins
        try:
            statement = statements.parse(line.text)
        except StatementError:
            continue
        if statement is None:
            continue
        if statement.operator == "@=":
            end_tag = statement.end_tag
        elif statement.operator == "=" and depth > 0 and statement.value:
            yield line, statement


def _definition(
    scope: Scope, source: Source, line: LogicalLine, statement: Statement
) -> Definition:
    start = line.offset(statement.value_start)
    return Definition(
        name=statement.name,
        raw=scope.resolve_self(statement.name, statement.value),
        origin=source.name,
        line=line.line,
        source=source,
        start=start,
        end=max(start, line.offset(len(line.text) - 1) + 1),
        written=statement.value,
        previous=scope.table.get(statement.name),
    )
