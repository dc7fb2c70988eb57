"""Gives the daemons' own verdicts on a configuration: would they start?

Inputs: a ``Config`` read to its end, over lines that cannot be read.  Outputs: ``Examination``: a
``Verdict`` for each daemon that is asked, or whose macros the files set, and all findings.
Follows: golden vectors ``negotiator-startup``: exit status 1 where the configuration cannot be
read, 4 where a value ends the daemon; the other daemons of 25.14.1 do the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from attr import frozen

from classad.errors import Diagnostic
from classad.language.operators import IDENTITY
from classad.source import Source
from classad.syntax.nodes import Binary, Call, Node, Unary, bare, walk
from policy.config import Config
from policy.knobs.readers import MAIN, ON_THEIR_OWN, find_readers
from policy.knobs.reading import EXPANDED
from policy.language.about import EVERY, about
from policy.lint.attributes import unknown_function
from policy.lint.endings import Daemon, Ending, find_endings, negotiator_loads
from policy.lint.expressions import MacroExpression, expressions_in
from policy.lint.findings import all_findings
from policy.lint.fragments import Fragment, macro_of, recognised, soften
from policy.lint.reading import BROKEN, ENDLESS
from policy.lint.support import NOT_HERE, NOT_RUN
from policy.lint.texts import broken_pattern
from policy.lint.view import Setting, View, view
from policy.lint.wholes import never_at_all

#: A macro that more daemons than these read says of none of them that the files are for it.
_FEW = 2


@frozen
class Verdict:
    """``status`` is the exit status where the daemon does not start; ``text`` names lines of the
    configuration's first file without the file."""

    daemon: Daemon
    starts: bool
    status: int
    text: str
    #: What keeps it from starting, or from its work.
    cause: Diagnostic | None = None

    @property
    def qualified(self) -> bool:
        """Is there more to say than that it would start?"""
        return self.text != f"{self.daemon} would start"


@frozen
class Examination:
    """The verdicts, in the order in which a pool needs the daemons, and the findings.

    ``fragment`` says why the configuration is taken for one that others complete, if it is.
    """

    verdicts: tuple[Verdict, ...]
    findings: list[Diagnostic]
    fragment: Fragment | None = None

    @property
    def starts(self) -> bool:
        """Would all of them start?"""
        return all(verdict.starts for verdict in self.verdicts)


def examine(config: Config, *, asked: bool = False, fragment: bool | None = None) -> Examination:
    """The verdicts and the findings; ``asked``: only of the daemon that the configuration is
    read for, else of all whose macros the files set; ``fragment``: whether other files complete
    it, None to go by what it lacks."""
    seen = view(config)
    loads = negotiator_loads(seen)
    endings = list(find_endings(seen, loads))
    findings = all_findings(seen, loads, endings)
    endings += _endings_told(findings)
    part = Fragment(asked=True) if fragment else None
    if fragment is None:
        part = recognised(seen, findings)
    if part is not None:
        findings, unfinished = soften(seen, findings)
        endings = [one for one in endings if macro_of(one.found) not in unfinished]
    context = config.context
    daemons = [Daemon(context.subsystem, context.local_name)]
    if not asked:
        daemons = _with_others(_concerned(seen, endings), _started(seen)) or daemons
    unreadable = [found for found in config.diagnostics if found.severity == "error"]
    if unreadable and not asked and len(daemons) == 1 and not _concerned(seen, endings):
        daemons = [Daemon(name) for name in MAIN]  # it is unreadable for all
    left_out = any(found.id in (NOT_RUN.id, NOT_HERE.id) for found in findings)
    missing = "what was left out" if left_out else "the files that complete this"
    tail = f", as far as can be told without {missing}" if left_out or part is not None else ""
    root = config.files[0] if config.files else ""
    useless = takes_no_job(seen, findings) if Daemon("STARTD") in daemons else None
    verdicts = [
        _verdict(one, unreadable, endings, findings, tail, root, useless) for one in daemons
    ]
    return Examination(tuple(verdicts), findings, part)


def _concerned(seen: View, endings: Iterable[Ending]) -> list[Daemon]:
    """The daemons that some macro is for, and those that a value ends."""
    found = {ending.daemon: None for ending in endings}
    own = seen.config.context.local_name if seen.is_asked("NEGOTIATOR") else None
    for setting in seen.settings:
        names = _readers_of(setting)
        for name in names if len(names) <= _FEW else ():
            # Of daemons other than negotiators, several with local names share their verdict.
            local = (setting.local_name or own) if name == "NEGOTIATOR" else None
            found.setdefault(Daemon(name, local))
    order = (*MAIN, *ON_THEIR_OWN)
    return sorted(found, key=lambda one: (order.index(one.subsystem), one.local_name or ""))


def _with_others(concerned: list[Daemon], started: list[Daemon]) -> list[Daemon]:
    """The daemons concerned, and the main ones that are started if none of these is."""
    main = [daemon for daemon in concerned if daemon.subsystem in MAIN]
    return concerned if main else [*started, *concerned]


def _endings_told(findings: Iterable[Diagnostic]) -> Iterator[Ending]:
    """The values at which a finding says that a daemon beside the main ones ends."""
    for found in findings:
        if about(found).ends in ON_THEIR_OWN:
            yield Ending(Daemon(about(found).ends), found)


def _started(seen: View) -> list[Daemon]:
    """The daemons that DAEMON_LIST names, if the files or their templates set it."""
    entry = seen.config.scope.table.exact("DAEMON_LIST")
    if entry is None or entry.is_builtin:
        return []
    listed = re.split(r"[\s,]+", (seen.config.text("DAEMON_LIST") or "").upper())
    return [Daemon(name) for name in MAIN if name in listed]


def _readers_of(setting: Setting) -> set[str]:
    """The main daemons that read a definition."""
    if setting.macro.upper().endswith("_HOST"):
        return set()  # all daemons are told where a host is
    prefix = (setting.prefix or setting.macro.partition("_")[0]).upper()
    if prefix in MAIN and (setting.prefix or find_readers(setting.macro) is None):
        return {prefix}
    if setting.knob is not None:
        return {setting.knob.read_by} & set(MAIN)
    readers = find_readers(setting.macro)
    return set() if readers is None else set(readers.daemons) & set(MAIN)


def _verdict(
    daemon: Daemon,
    unreadable: list[Diagnostic],
    endings: Iterable[Ending],
    findings: Iterable[Diagnostic],
    tail: str,
    root: str,
    useless: Diagnostic | None,
) -> Verdict:
    ended = [(ending.status, ending.found) for ending in endings if ending.daemon == daemon]
    ended += [(4, found) for found in findings if about(found).ends == EVERY]
    reasons = [*((1, found) for found in unreadable), *ended]
    if reasons:
        status, cause = reasons[0]
        text = f"{daemon} would not start: exit status {status}, {_at(cause, root)}"
        return Verdict(daemon, False, status, text, cause)
    endless = [found for found in findings if found.id == ENDLESS.id]
    if endless:
        text = f"{daemon} hangs if it reads this: {_at(endless[0], root)}"
        return Verdict(daemon, False, 0, text, endless[0])
    if useless is not None and daemon.subsystem == "STARTD":
        text = f"{daemon} would start, but take no jobs: {_at(useless, root)}"
        return Verdict(daemon, True, 0, text, useless)
    return Verdict(daemon, True, 0, f"{daemon} would start{tail}")


def _at(found: Diagnostic, root: str) -> str:
    if found.source is None:
        return found.message
    name = found.source.name.removesuffix(EXPANDED)
    place = f"line {found.line}" if name == root else f"{name}:{found.line}"
    return f"{place}: {found.message}"


# --- slots that take no job -----------------------------------------------------------------------

#: Findings by the characters that they are about.
_At = dict[tuple[str, int, int], Diagnostic]


def takes_no_job(view: View, findings: list[Diagnostic]) -> Diagnostic | None:
    """Why no job can fulfil START, if none can."""
    conditions = tuple(_conditions(view))
    places = {_characters(*one.spot(one.tree)) for one in conditions}
    told = (found for found in findings if _is_broken(found) or _is_never(found, places))
    return next(told, None) or _within(conditions, findings)


def _conditions(view: View) -> Iterator[MacroExpression]:
    """Every START, but for those of branches that are not taken."""
    taken = {id(setting) for setting in view.settings}
    for one in expressions_in(view):
        if one.name.casefold() == "start" and id(one.setting) in taken:
            yield one


def _is_broken(found: Diagnostic) -> bool:
    return found.id == BROKEN.id and about(found).macro.casefold() == "start"


def _is_never(found: Diagnostic, places: Collection[tuple[str, int, int]]) -> bool:
    place = _characters(found.source, found.start, found.end)
    return found.id == never_at_all.id and place in places


def _within(
    conditions: Iterable[MacroExpression], findings: Iterable[Diagnostic]
) -> Diagnostic | None:
    """What is found in a START that is never true because of it."""
    at: _At = {}
    for found in findings:
        at.setdefault(_characters(found.source, found.start, found.end), found)
    for one in conditions:
        if one.has_holes or one.is_too_deep:
            continue
        cause = _failing(one, one.tree, at)
        if cause is None and True not in one.evaluation.value.condition().truths:
            told = (at.get(_characters(*one.spot(node))) for node in walk(one.tree))
            cause = next(filter(None, told), None)
        if cause is not None:
            return cause
    return None


def _failing(one: MacroExpression, node: Node, at: _At) -> Diagnostic | None:
    """The call because of which a part of a condition is an error, so that it is never true."""
    node = bare(node)
    if isinstance(node, Call):
        found = at.get(_characters(*one.spot(node)))
        if found is not None and found.id == unknown_function.id:
            return found
        found = at.get(_characters(*one.spot(node.args[0]))) if node.args else None
        return found if found is not None and found.id == broken_pattern.id else None
    if isinstance(node, Unary):
        return _failing(one, node.operand, at)
    if not isinstance(node, Binary) or node.operator in IDENTITY:
        return None
    sides = [_failing(one, side, at) for side in (node.left, node.right)]
    if node.operator == "||" and not all(sides):
        return None
    return next(filter(None, sides), None)


def _characters(source: Source | None, start: int, end: int) -> tuple[str, int, int]:
    return "" if source is None else source.name, start, end
