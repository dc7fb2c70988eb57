"""Checks the commands and expressions of job transforms and routes.

What is wrong with a line is found by the module that runs them, ``policy.transforms``.
Follows: the transform language of 25.14.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from classad.errors import ClassAdParseError, Diagnostic, suggest
from classad.evaluate import EvalContext
from policy.knobs.reading import Place
from policy.language.expressions import parse
from policy.language.numbers import integer_literal
from policy.lint.companions import is_routing
from policy.lint.expressions import has_body, is_old_body, parts, rules_in
from policy.lint.finding import ERROR, Advice, Meant, Per, finding, looks_at, meant
from policy.lint.reading import HOLE, NO_REFERENCE
from policy.lint.view import Setting, View
from policy.transforms.checking import faults, statements
from policy.transforms.lines import (
    COMMANDS,
    Command,
    ConditionalLine,
    MacroAssignment,
    TransformLine,
)
from policy.transforms.reach import too_late
from policy.transforms.routes import CONSTRAINT, NAMES, read_routes
from policy.transforms.running import FaultKind, TransformFault
from policy.universes import UNIVERSES
from policy.versions import parse_version

#: Since which version the old syntax is not taken, by what the macro begins with.
_OLD_UNTIL: Final = {"JOB_TRANSFORM_": "25.8.2", "JOB_ROUTER_": "25.0.0"}
_WORDS: Final[tuple[str, ...]] = (*COMMANDS, "if", "elif", "else", "endif")
_LAST_UNIVERSE: Final = 13
_ROUTES: Final = "JOB_ROUTER_ROUTE_"
#: What a route is told besides its commands, as assignments.
_OF_ROUTES: Final[tuple[str, ...]] = (
    *("MaxJobs", "MaxIdleJobs", "FailureRateThreshold", "JobFailureTest", "JobShouldBeSandboxed"),
    *("UseSharedX509UserProxy", "SharedX509UserProxy", "EditJobInPlace", "OverrideRoutingEntry"),
    *("GridResource", "Requirements", "TargetUniverse", "SendIDTokens"),
)
_REFERENCE: Final = re.compile(r"(?<!\$)\$\((\w+)\)")
_WITH_BLANKS: Final = re.compile(r"(?<!\$)\$\([ \t]*(\w+)[ \t]*\)")
_DEFINED: Final = re.compile(r"!?[ \t]*defined[ \t]+(\w+)", re.IGNORECASE)
#: Macros that every transform has.
_BUILT_IN: Final = frozenset(
    ("iterating", "row", "step", "item", "itemindex", "rules_file", "xform_id", "xformid", "dollar")
)


def _effect(setting: Setting) -> str:
    """What becomes of a body that fails."""
    macro = setting.macro.upper()
    if macro.startswith(_ROUTES):
        return "the router ignores such a route, or does not route the job"
    if macro.startswith("JOB_TRANSFORM_"):
        return "the schedd refuses every job that the transform is for"
    return "the router does not route the job then"


@finding(
    "P244",
    "a transform or a route with a command that does not exist",
    "A line is a command such as SET or DEFAULT, or an assignment to a macro of the transform. The"
    " schedd looks at transforms when a job is submitted, and then one that it cannot read is an"
    " error. The router ignores the route.",
    bad="JOB_TRANSFORM_NAMES = Mem\nJOB_TRANSFORM_Mem @=end\n  DEFUALT RequestMemory 2048\n@end\n",
    good="JOB_TRANSFORM_NAMES = Mem\nJOB_TRANSFORM_Mem @=end\n  DEFAULT RequestMemory 2048\n@end\n",
    observed="Observed with 25.14.1: its schedd logs `is not a valid transform keyword`, and"
    " condor_submit fails with `Failed to apply a required job transform`; condor_job_router_info"
    " says the same of a route and ignores it.",
    severity=ERROR,
)
def no_command(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Words at the beginning of a line that are no command, or what no route is told."""
    if not has_body(setting):
        return
    rules = rules_in(setting)
    for found in faults(rules, view.config.version):
        if isinstance(found.about, TransformFault) and found.about.kind is FaultKind.UNKNOWN:
            yield no_command.at(found.message, *_spot(found), _advice(setting, found))
    if setting.macro.upper().startswith(_ROUTES):
        yield from _misspelt(setting)
    for line, form in statements(rules):
        if isinstance(form, Command) and form.keyword == "UNIVERSE":
            yield from _no_universe(line, form.first)
        elif isinstance(form, MacroAssignment) and form.name.upper() == "UNIVERSE":
            yield from _no_universe(line, form.value)


def _advice(setting: Setting, found: Diagnostic) -> Advice:
    """What to write in place of a word that is no command."""
    assert found.source is not None
    word = found.source.text[found.start : found.end]
    known = next((name for name in _OF_ROUTES if name.casefold() == word.casefold()), None)
    if known is not None and setting.macro.upper().startswith(_ROUTES):
        return f"it is an assignment: `{known} = ...`"
    return meant(word, _WORDS, _effect(setting))


def _misspelt(setting: Setting) -> Iterator[Diagnostic]:
    """Assignments of a route that nobody reads, and that nearly are what the router looks at."""
    used = setting.entry.raw.casefold()
    for line, form in statements(rules_in(setting)):
        if isinstance(form, MacroAssignment) and f"$({form.name}".casefold() not in used:
            name = suggest(form.name, _OF_ROUTES)
            if name is not None and name.casefold() != form.name.casefold():
                message = f"`{form.name}` is nothing that the router looks at"
                spot = line.spot(0, len(form.name))
                yield no_command.at(message, *spot, Meant(name, form.name))


def _no_universe(line: TransformLine, text: str) -> Iterator[Diagnostic]:
    words = text.lstrip(":= \t").split()
    word = words[0] if words else ""
    is_known = not word or word.casefold() in UNIVERSES or word.startswith("$")
    if not is_known and not 0 < (integer_literal(word) or 0) <= _LAST_UNIVERSE:
        at = line.text.find(word, len("UNIVERSE"))
        spot = line.spot(at, at + len(word))
        yield no_command.at(f"there is no universe `{word}`", *spot, meant(word, UNIVERSES))


@finding(
    "P247",
    "a line of a transform or a route that fails",
    "A command without its arguments, an `if` without `endif` or a pattern without its end is an"
    " error as soon as a run comes to it, and so is an `if` with an expression that is not true:"
    " conditions are `defined NAME`, versions, and macros that are true or false.",
    bad="JOB_TRANSFORM_NAMES = Old\nJOB_TRANSFORM_Old @=end\n  RENAME OldName\n@end\n",
    good="JOB_TRANSFORM_NAMES = Old\nJOB_TRANSFORM_Old @=end\n  RENAME OldName NewName\n@end\n",
    observed="Observed with 25.14.1: the schedd logs `ERROR applying transform`, and condor_submit"
    " fails; the router ignores the route, or does not route the job.",
    severity=ERROR,
)
def failing(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Lines that end a run, or that are left out."""
    for found in faults(rules_in(setting), view.config.version) if has_body(setting) else ():
        if not isinstance(found.about, TransformFault) or found.about.kind is FaultKind.UNKNOWN:
            continue
        is_left_out = found.about.kind is FaultKind.REGEX
        yield failing.at(
            found.message, *_spot(found), "" if is_left_out else _effect(setting),
            macro=setting.macro,
        )  # fmt: skip


@finding(
    "P248",
    "a route that takes no job, or a transform that takes all, for want of REQUIREMENTS",
    "`REQUIREMENTS = ...` sets a variable that nobody reads. The router ignores a route without"
    " REQUIREMENTS unless JOB_ROUTER_SOURCE_JOB_CONSTRAINT has a value; a transform without them is"
    " for every job.",
    bad="JOB_ROUTER_ROUTE_NAMES = Here\nJOB_ROUTER_ROUTE_Here @=end\n  UNIVERSE VANILLA\n"
    "  SET Site 1\n@end\nDAEMON_LIST = MASTER, JOB_ROUTER\n",
    good="JOB_ROUTER_ROUTE_NAMES = Here\nJOB_ROUTER_ROUTE_Here @=end\n  REQUIREMENTS true\n"
    "  UNIVERSE VANILLA\n  SET Site 1\n@end\nDAEMON_LIST = MASTER, JOB_ROUTER\n",
    observed="Observed with 25.14.1: `CONFIGURATION ERROR: Missing Requirements in job route.`",
    severity=ERROR,
)
def no_requirements(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Routes without REQUIREMENTS, and REQUIREMENTS that are an assignment."""
    if not has_body(setting):
        return
    rules = rules_in(setting)
    is_route = setting.macro.upper().startswith(_ROUTES)
    for line, form in statements(rules):
        name = form.name if isinstance(form, MacroAssignment) else ""
        if isinstance(form, Command) and form.first[:1] in (":", "="):
            name = form.keyword
        if name.upper() == "REQUIREMENTS" or (is_route and name.upper() == "UNIVERSE"):
            message = f"`{line.text[: len(name)]}` with a sign behind it is not the command"
            help_text = "without the sign it is, as in `REQUIREMENTS JobUniverse == 5`"
            spot = line.spot(0, len(name))
            yield no_requirements.at(message, *spot, help_text, macro=setting.macro)
            if name.upper() == "REQUIREMENTS":
                return
    if not is_route or not is_routing(view, setting, "JOB_ROUTER"):
        return
    if rules.requirements is None and not view.config.text(CONSTRAINT):
        message = f"{setting.macro} has no REQUIREMENTS, and the router ignores it"
        help_text = f"`REQUIREMENTS true` takes every job; {CONSTRAINT} may do without"
        entry = setting.entry
        if "\n" in entry.raw and entry.source is not None:
            spot = entry.source, entry.start, entry.start + len(entry.name)
            yield no_requirements.at(message, *spot, help_text, macro=setting.macro)
        else:
            yield no_requirements.named(entry, message, help_text)


@finding(
    "P249",
    "a route that no job can get",
    "Routes are tried in the order of JOB_ROUTER_ROUTE_NAMES, and a job gets the first one whose"
    " REQUIREMENTS are true and that has room. One that takes every job leaves none to those behind"
    " it, until it has its MaxJobs or MaxIdleJobs.",
    bad="JOB_ROUTER_ROUTE_NAMES = All, Some\nJOB_ROUTER_ROUTE_All @=end\n  REQUIREMENTS true\n"
    "  UNIVERSE VANILLA\n@end\nJOB_ROUTER_ROUTE_Some @=end\n  REQUIREMENTS JobPrio > 5\n"
    "  UNIVERSE VANILLA\n@end\nDAEMON_LIST = MASTER, JOB_ROUTER\n",
    good="JOB_ROUTER_ROUTE_NAMES = Some, All\nJOB_ROUTER_ROUTE_All @=end\n  REQUIREMENTS true\n"
    "  UNIVERSE VANILLA\n@end\nJOB_ROUTER_ROUTE_Some @=end\n  REQUIREMENTS JobPrio > 5\n"
    "  UNIVERSE VANILLA\n@end\nDAEMON_LIST = MASTER, JOB_ROUTER\n",
    observed="Observed with condor_job_router_info of 25.14.1, which gives every job to the first.",
    of=NAMES,
)
def unreachable(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Routes behind one that takes all of their jobs."""
    config = view.config.seen_by("JOB_ROUTER")
    if config.lookup(NAMES) is not setting.entry or not is_routing(view, setting, "JOB_ROUTER"):
        return
    for late in too_late(read_routes(config, EvalContext(), view.config.version)):
        names = tuple(route.name for route in late.routes)
        yield unreachable.on(setting.entry, late.sentence(), names=names)


@looks_at(Per.CONFIGURATION)
def holes(view: View) -> Iterator[Diagnostic]:
    """References to macros that neither a transform nor a file defines."""
    bodies = [setting for setting in view.settings if has_body(setting)]
    known: dict[str, set[str]] = {}
    for setting in bodies:
        known.setdefault(_family(setting), set()).update(_defines(setting))
    for setting in bodies:
        for line in rules_in(setting).written:
            yield from _line_holes(view, setting, line, known[_family(setting)])


def _family(setting: Setting) -> str:
    """The bodies that share their variables: those that a job comes through one after the other."""
    return "schedd" if setting.macro.upper().startswith("JOB_TRANSFORM_") else "router"


def _defines(setting: Setting) -> Iterator[str]:
    """The variables that a body sets, and those for which it does something else without them."""
    for line, form in statements(rules_in(setting)):
        if isinstance(form, MacroAssignment):
            yield form.name.casefold()
        elif isinstance(form, ConditionalLine):
            asked = _DEFINED.match(form.condition)
            if asked is not None:
                yield asked[1].casefold()
        elif isinstance(form, Command) and form.keyword == "EVALMACRO":
            yield form.first.casefold()
        elif isinstance(form, Command) and form.keyword == "TRANSFORM":
            yield from (word.casefold() for word in re.findall(r"\w+", line.text))


def _line_holes(
    view: View, setting: Setting, line: TransformLine, own: set[str]
) -> Iterator[Diagnostic]:
    for found in _REFERENCE.finditer(line.text):
        name = found[1].casefold()
        known = name in own or name in _BUILT_IN or name.isdigit() or name in view.defined
        if not known and view.config.lookup(found[1]) is None:
            message = f"`$({found[1]})` is not defined and leaves a hole in {setting.macro}"
            about = {"macro": setting.macro, "names": (found[1],)}
            yield HOLE.at(message, *line.spot(*found.span()), **about)
    for found in _WITH_BLANKS.finditer(line.text):
        if found[0] != f"$({found[1]})":
            message = f"`{found[0]}` has blanks in it, so it is no reference and stays as text"
            spot = line.spot(*found.span())
            yield NO_REFERENCE.at(message, *spot, Meant(f"$({found[1]})", found[0]))


def _spot(found: Diagnostic) -> Place:
    return found.source, found.start, found.end


@finding(
    "P245",
    "an expression of a transform or a route that does not parse",
    "A transform with such REQUIREMENTS is refused as a whole; a SET, DEFAULT or EVALSET is an"
    " error and sets nothing.",
    bad="JOB_TRANSFORM_NAMES = Mem\nJOB_TRANSFORM_Mem @=end\n  REQUIREMENTS JobUniverse == (5\n"
    "  SET RequestMemory 2048\n@end\n",
    good="JOB_TRANSFORM_NAMES = Mem\nJOB_TRANSFORM_Mem @=end\n  REQUIREMENTS JobUniverse == 5\n"
    "  SET RequestMemory 2048\n@end\n",
    observed="Observed with condor_transform_ads of 25.14.1, which refuses the rules, or says"
    " `invalid expression`, goes on and exits with status 1. The schedd was not asked.",
    severity=ERROR,
)
def no_expression(view: View, setting: Setting) -> Iterator[Diagnostic]:
    for part in parts(setting) if has_body(setting) else ():
        try:
            parse(part.text)
        except ClassAdParseError as mistake:
            found = mistake.diagnostic
            assert found is not None
            message = f"{part.name} of {setting.macro}: {found.message}"
            place = part.place(found.start, found.end)
            yield no_expression.at(message, *place, macro=setting.macro)


@finding(
    "P246",
    "a transform or a route in the old syntax",
    "Up to 25.7 a transform could be an ad in brackets, and so could a route before 25.0. Since"
    " then the schedd ignores such a transform, and jobs are what they were without it; the router"
    " ignores such a route.",
    bad='JOB_TRANSFORM_NAMES = Team\nJOB_TRANSFORM_Team = [ set_Team = "x"; ]\n',
    good='JOB_TRANSFORM_NAMES = Team\nJOB_TRANSFORM_Team = SET Team "x"\n',
    observed="Observed with 25.14.1: its schedd logs that the macro is in the ClassAd format, which"
    " is no longer supported, and condor_job_router_info has no such route. 23.9.6 converts both.",
    severity=ERROR,
)
def old_syntax(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """An ad in brackets where commands are taken."""
    raw, macro = setting.entry.raw, setting.macro.upper()
    until = next((last for head, last in _OLD_UNTIL.items() if macro.startswith(head)), None)
    if until is None or not is_old_body(setting):
        return
    if setting.config.version < parse_version(until):
        return
    who = "condor_schedd" if macro.startswith("JOB_TRANSFORM_") else "condor_job_router"
    message = f"{setting.macro} is in the old syntax, and {who} ignores it"
    help_text = f"since {until} it is lines of commands, such as `REQUIREMENTS JobUniverse == 5`"
    place = setting.place(raw.index("["), raw.index("[") + 1, raw)
    yield old_syntax.at(message, *place, f'{help_text} and `SET Team "x"`')
