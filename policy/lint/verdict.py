"""Gives the daemons' own verdicts on a configuration: would they start?

Inputs: a ``Config`` read to its end, over lines that cannot be read.
Outputs: ``Examination``: a ``Verdict`` for each daemon that is asked, or whose macros the files
set, and all findings.
Follows: golden vectors ``negotiator-startup``: exit status 1 where the configuration cannot be
read, 4 where a value ends the daemon; the other daemons of 25.14.1 do the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from posixpath import basename, splitext
from typing import Final

from attr import evolve, frozen

from classad.errors import Diagnostic
from classad.language.operators import IDENTITY
from classad.source import Source
from classad.syntax.nodes import Binary, Call, Node, Unary, bare, walk
from policy.config import Config
from policy.explain.roles import Host, host_of, is_whole, readers_of
from policy.explain.words import listing
from policy.knobs.lists import memberships
from policy.knobs.readers import JUDGED, MAIN, NO_LOG, ON_THEIR_OWN, ended_besides, find_readers
from policy.knobs.reading import EXPANDED
from policy.language.about import EVERY, about
from policy.lint import environment, reading
from policy.lint.agreement import DISAGREE
from policy.lint.attributes import unknown_function
from policy.lint.choices import above, no_word
from policy.lint.endings import Daemon, Ending, find_endings, negotiator_loads
from policy.lint.environment import lacking, with_environment
from policy.lint.expressions import MacroExpression, expressions_in
from policy.lint.finding import NOTE
from policy.lint.findings import all_findings
from policy.lint.fragments import Fragment, macro_of, recognised, soften
from policy.lint.holes import is_of_the_pool
from policy.lint.kinds import value_ends
from policy.lint.reading import BROKEN, ENDLESS
from policy.lint.support import NOT_HERE, NOT_RUN
from policy.lint.texts import broken_pattern
from policy.lint.view import Setting, View, view
from policy.lint.wholes import never_at_all

#: A macro that more daemons than these read says of none of them that the files are for it.
_FEW = 2
#: Findings that may say of a main daemon that it ends.
_ENDING: Final = (value_ends.id, no_word.id, above.id)
#: What macros of the daemons begin with.
_BEGINS: Final = tuple(f"{daemon}_" for daemon in JUDGED)


@frozen
class Verdict:
    """``status`` is the exit status, ``cause`` what keeps the daemon from starting or its work;
    ``text`` names lines of the first file alone, and ends in ``caveat``: what was not there."""

    daemon: Daemon
    starts: bool
    status: int
    text: str
    cause: Diagnostic | None = None
    caveat: str = ""

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
    expressions = tuple(expressions_in(seen))
    lacks, found = lacking(config), all_findings(seen, loads, endings, expressions)
    findings, variables = with_environment(lacks, found)
    endings = [one for one in endings if not lacks(one.found)]
    host = host_of(config)
    endings += _besides(endings, host)
    # Daemons beside the main ones end at values of which a finding says so, and some of these do.
    late, told = (DISAGREE.id, value_ends.id), {id(one.found) for one in endings}
    endings += [
        Ending(Daemon(about(found).ends), found, 0 if found.id in late else 4)
        for found in findings
        if about(found).ends in ON_THEIR_OWN
        or (about(found).ends in MAIN and found.id in _ENDING and id(found) not in told)
    ]
    part = Fragment(asked=True) if fragment else None
    if fragment is None:
        part = recognised(seen, findings)
    elsewhere = environment.left_out(config)
    left_out = any(found.id in (NOT_RUN.id, NOT_HERE.id) for found in findings)
    variables = list(dict.fromkeys((*variables, *elsewhere)))
    whole = is_whole(config)
    # Which host is the central manager, and the like, stands in one file for all.
    holes = [one for one in findings if one.id == reading.HOLE.id and one.severity == NOTE]
    passed = {id(one) for one in holes if any(map(is_of_the_pool, about(one).names))}
    if part is not None or left_out or elsewhere:
        findings, unfinished = soften(seen, findings)
        endings = [one for one in endings if macro_of(one.found) not in unfinished]
    named = whole and (seen.names_daemons or "daemon_list" not in seen.defined)
    findings = [one for one in findings if named or id(one) not in passed]
    context = config.context
    daemons = [Daemon(context.subsystem, context.local_name)]
    unreadable = [one for one in config.diagnostics if one.severity == "error" and not lacks(one)]
    if not asked:
        concerned = _concerned(seen, endings, _always(host, findings, bool(unreadable)))
        if host.listed is not None and not host.adds:
            concerned = _at_work(host, concerned, endings)
        daemons = concerned or _any_of(host)
    parts = (left_out, "what was left out"), (part is not None, "the files that complete this")
    missing = [text for is_absent, text in parts if is_absent][:1]
    missing += [f"{listing(variables)} of the environment (--environment)"] if variables else []
    tail = f", as far as can be told without {listing(missing)}" if missing else ""
    root = config.files[0] if config.files else ""
    useless = takes_no_job(seen, findings, expressions) if Daemon("STARTD") in daemons else None
    circle = circle_of(seen, findings)
    verdicts = [
        _verdict(one, unreadable, endings, findings, tail, root, useless, circle) for one in daemons
    ]
    if not asked and host.listed is not None and not host.adds:
        verdicts = [_placed(one, host) for one in verdicts]
    return Examination(tuple(_of_program(one, config) for one in verdicts), findings, part)


def _besides(endings: Iterable[Ending], host: Host) -> Iterator[Ending]:
    """What ends the main daemons and others that DAEMON_LIST starts, as it is read by all."""
    of_macros: dict[str, list[Ending]] = {}
    for ending in endings:
        of_macros.setdefault(macro_of(ending.found), []).append(ending)
    for macro, same in of_macros.items():
        if {one.daemon.subsystem for one in same}.issuperset(MAIN):
            for name in filter(host.runs, ended_besides(macro)):
                yield same[0]._replace(daemon=Daemon(name))


def _always(host: Host, findings: Iterable[Diagnostic], unreadable: bool) -> list[str]:
    """The daemons that may end whatever they are for; at what all take, others of the host too."""
    all_end = any(about(one).ends == EVERY for one in findings)
    others = (name for name in JUDGED if name in ON_THEIR_OWN and host.runs(name))
    return [*(MAIN if unreadable or all_end else ()), *(others if all_end else ())]


def _concerned(seen: View, endings: Iterable[Ending], always: Iterable[str]) -> list[Daemon]:
    """The daemons that some macro is for, those that a value ends, and ``always`` some."""
    found = {ending.daemon: None for ending in endings}
    read: dict[tuple[str, str | None], None] = {}
    own = seen.config.context.local_name if seen.is_asked("NEGOTIATOR") else None
    for setting in seen.settings:
        names = _readers_of(setting)
        for name in names if len(names) <= _FEW else ():
            # Of daemons other than negotiators, several with local names share their verdict.
            local = (setting.local_name or own) if name == "NEGOTIATOR" else None
            read[name, local] = None
    found.update(dict.fromkeys(Daemon(*pair) for pair in read))
    there = {one.subsystem for one in found}
    found.update(dict.fromkeys(Daemon(name) for name in always if name not in there))
    order = (*MAIN, *ON_THEIR_OWN)
    return sorted(found, key=lambda one: (order.index(one.subsystem), one.local_name or ""))


def _at_work(host: Host, concerned: list[Daemon], endings: Iterable[Ending]) -> list[Daemon]:
    """The daemons that DAEMON_LIST starts and the files are for, else the main ones of it; and
    those besides that a value ends."""
    ended = {ending.daemon for ending in endings}
    found = [one for one in concerned if host.runs(one.subsystem) or one in ended]
    main = {one.subsystem for one in found if one.subsystem in MAIN}
    if "MASTER" in main or host.runs(*main):
        return found
    return [*(Daemon(name) for name in MAIN if host.runs(name)), *found]


def _any_of(host: Host) -> list[Daemon]:
    """The daemons that what is for none in particular may end."""
    if host.listed is None and not host.adds:
        return [Daemon(name) for name in MAIN]
    here = [Daemon(name) for name in JUDGED if host.runs(name) and name != "MASTER"]
    return here if host.adds else [Daemon("MASTER"), *here]


def _placed(verdict: Verdict, host: Host) -> Verdict:
    """A verdict that says of a daemon that does not run here that it does not."""
    daemon = verdict.daemon
    if verdict.starts or host.runs(daemon.subsystem) or daemon.subsystem == "MASTER":
        return verdict  # the master reads the list, whatever is in it
    text = verdict.text.removeprefix(str(daemon))
    return evolve(verdict, text=f"{daemon}, which DAEMON_LIST does not name,{text}")


def _of_program(verdict: Verdict, config: Config) -> Verdict:
    """The verdict; where the files name a program with another name than the daemon's, it holds if
    that is the daemon all the same: a script around it, or an implementation of somebody else."""
    macro = verdict.daemon.subsystem
    entry = config.lookup(macro) if verdict.starts else None
    path = "" if entry is None or entry.is_builtin else config.text(macro) or ""
    name, _ = splitext(basename(path.replace("\\", "/").rstrip("/")))
    if name.casefold() in ("", f"condor_{macro.lower()}") or "$" in path:
        return verdict
    return evolve(verdict, text=f"{verdict.text}, if `{path}` is that program")


def _readers_of(setting: Setting) -> set[str]:
    """The daemons that read a definition, of those that verdicts are given on."""
    macro, prefix = setting.upper, setting.prefix
    if macro.endswith("_HOST"):
        return set()  # all daemons are told where a host is
    if macro in JUDGED:
        return {"MASTER"}  # the path of a program
    if prefix or find_readers(setting.macro) is None:
        begin = f"{(prefix or macro).upper()}_"
        if begin.startswith(_BEGINS):
            return {one for one in JUDGED if begin.startswith(f"{one}_")}
    if setting.knob is not None:
        return {setting.knob.read_by}.intersection(JUDGED)
    return set(readers_of(setting.macro).intersection(JUDGED))


def _verdict(
    daemon: Daemon,
    unreadable: list[Diagnostic],
    endings: Iterable[Ending],
    findings: Iterable[Diagnostic],
    tail: str,
    root: str,
    useless: Diagnostic | None,
    circle: _Circle | None,
) -> Verdict:
    ended = [(ending.status, ending.found) for ending in endings if ending.daemon == daemon]
    everybody = (found for found in findings if about(found).ends == EVERY)
    ended += [(about(found).status, found) for found in everybody]
    ended.sort(key=lambda one: one[0] != NO_LOG)
    reasons = [*((1, found) for found in unreadable), *ended]
    if reasons:
        status, cause = reasons[0]
        text = f"{daemon} would not start: exit status {status}, {_at(cause, root)}"
        return Verdict(daemon, False, status, text, cause)
    if circle is not None and daemon.subsystem in circle[1]:
        text = f"{daemon} hangs if it reads this: {_at(circle[0], root)}"
        return Verdict(daemon, False, 0, text, circle[0])
    if useless is not None and daemon.subsystem == "STARTD":
        text = f"{daemon} would start, but take no jobs: {_at(useless, root)}"
        return Verdict(daemon, True, 0, text, useless)
    return Verdict(daemon, True, 0, f"{daemon} would start{tail}", caveat=tail)


#: Macros that refer to each other without end, and the daemons that read one that needs them.  The
#: others never expand it: the negotiator starts where START has no end.
_Circle = tuple[Diagnostic, set[str]]


def circle_of(seen: View, findings: Iterable[Diagnostic]) -> _Circle | None:
    """The first circle, if there is one."""
    found = next((one for one in findings if one.id == ENDLESS.id), None)
    if found is None:
        return None
    readers: set[str] = set()
    for setting in (one for one in seen.settings if one.endless is not None):
        known = find_readers(setting.macro)
        readers |= known.daemons if known is not None else frozenset()
        readers |= {setting.knob.read_by} if setting.knob is not None else set()
        readers |= {names.daemon for names, _ in memberships(setting.macro)}
        if setting.folded in seen.slot_attributes:
            readers.add("STARTD")
    return found, readers


def _at(found: Diagnostic, root: str) -> str:
    if found.source is None:
        return found.message
    name = found.source.name.removesuffix(EXPANDED)
    place = f"line {found.line}" if name == root else f"{name}:{found.line}"
    return f"{place}: {found.message}"


# --- slots that take no job -----------------------------------------------------------------------

#: Findings by the characters that they are about.
_At = dict[tuple[str, int, int], Diagnostic]


def takes_no_job(
    view: View, findings: list[Diagnostic], expressions: Iterable[MacroExpression]
) -> Diagnostic | None:
    """Why no job can fulfil START, if none can."""
    taken = {id(setting) for setting in view.settings}  # but for branches that are not
    conditions = tuple(
        one for one in expressions if one.name.casefold() == "start" and id(one.setting) in taken
    )
    places = {_characters(*one.spot(one.tree)) for one in conditions}
    for found in findings:
        is_broken = found.id == BROKEN.id and about(found).macro.casefold() == "start"
        place = _characters(found.source, found.start, found.end)
        if is_broken or (found.id == never_at_all.id and place in places):
            return found
    return _within(conditions, findings)


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
