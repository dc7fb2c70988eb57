"""Checks the commands and expressions of job transforms and routes.

Follows: the transform language of 25.14.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from classad.errors import ClassAdParseError, Diagnostic, suggest
from policy.knobs.reading import Place
from policy.language.expressions import parse
from policy.language.numbers import integer_literal
from policy.lint.expressions import has_body, is_old_body, parts
from policy.lint.finding import ERROR, Meant, Per, finding, looks_at, meant
from policy.lint.reading import HOLE
from policy.lint.view import Setting, View
from policy.versions import parse_version

#: Since which version the old syntax is not taken, by what the macro begins with.
_OLD_UNTIL: Final = {"JOB_TRANSFORM_": "25.8.2", "JOB_ROUTER_": "25.0.0"}
_COMMANDS: Final[tuple[str, ...]] = (
    *("NAME", "REQUIREMENTS", "UNIVERSE", "SET", "DEFAULT", "EVALSET", "EVALMACRO", "COPY"),
    *("RENAME", "DELETE", "TRANSFORM", "if", "elif", "else", "endif"),
)
_UNIVERSES: Final = (
    *("vanilla", "scheduler", "local", "grid", "java", "vm", "parallel", "docker", "container"),
)
_LAST_UNIVERSE: Final = 13
#: What a route is told besides its commands, as assignments.
_OF_ROUTES: Final[tuple[str, ...]] = (
    *("MaxJobs", "MaxIdleJobs", "FailureRateThreshold", "JobFailureTest", "JobShouldBeSandboxed"),
    *("UseSharedX509UserProxy", "SharedX509UserProxy", "EditJobInPlace", "OverrideRoutingEntry"),
    *("GridResource", "Requirements", "TargetUniverse", "SendIDTokens"),
)
_ASSIGNED: Final = re.compile(r"(?m)^[ \t]*(\w+)[ \t]*=")
_UNIVERSE: Final = re.compile(r"(?im)^[ \t]*universe[ \t]+[=:]?[ \t]*([\w$]+)")
_REFERENCE: Final = re.compile(r"(?<!\$)\$\((\w+)\)")
#: What defines a macro within a transform.
_OWN: Final = re.compile(r"(?im)^[ \t]*(?:evalmacro[ \t]+(\w+)|(\w+)[ \t]*=)")
#: Macros that every transform has.
_BUILT_IN: Final = frozenset(
    ("iterating", "row", "step", "item", "itemindex", "rules_file", "xform_id", "xformid", "dollar")
)
_LINE: Final = re.compile(r"(?m)^[ \t]*([A-Za-z]\w*)[ \t]+(?![=:@+])\S")


@finding(
    "P244",
    "a transform or a route with a command that does not exist",
    "A line is a command such as SET or DEFAULT, or an assignment to a macro of the transform. The"
    " schedd looks at transforms when a job is submitted, and then one that it cannot read is an"
    " error.",
    bad="JOB_TRANSFORM_NAMES = Mem\nJOB_TRANSFORM_Mem @=end\n  DEFUALT RequestMemory 2048\n@end\n",
    good="JOB_TRANSFORM_NAMES = Mem\nJOB_TRANSFORM_Mem @=end\n  DEFAULT RequestMemory 2048\n@end\n",
    observed="Observed with 25.14.1: its schedd logs `is not a valid transform keyword`, and"
    " condor_submit fails with `Failed to apply a required job transform`. Routes were not asked"
    " about.",
)
def no_command(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Words at the beginning of a line that are nearly a command, or what a route is told."""
    raw = setting.entry.raw
    if not has_body(setting):
        return
    words: list[tuple[re.Match[str], tuple[str, ...], str]]
    words = [(line, _COMMANDS, "no command of a transform") for line in _LINE.finditer(raw)]
    if setting.macro.upper().startswith("JOB_ROUTER_ROUTE_"):
        lines, used = _ASSIGNED.finditer(raw), raw.casefold()
        own = (line for line in lines if f"$({line[1]}".casefold() not in used)
        words += [(line, _OF_ROUTES, "nothing that the router looks at") for line in own]
    for line, known, what in words:
        name = suggest(line[1], known)
        if name is not None:
            place, advice = _place(setting, line), Meant(name, line[1])
            yield no_command.at(f"`{line[1]}` is {what}", *place, advice)
    for line in _UNIVERSE.finditer(raw):
        is_known = line[1].casefold() in _UNIVERSES or line[1].startswith("$")
        if not is_known and not 0 < (integer_literal(line[1]) or 0) <= _LAST_UNIVERSE:
            message = f"there is no universe `{line[1]}`"
            place = _place(setting, line)
            yield no_command.at(message, *place, meant(line[1], _UNIVERSES))


@looks_at(Per.SETTING)
def holes(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """References to macros that neither the transform nor a file defines."""
    raw = setting.entry.raw
    own = {name.casefold() for found in _OWN.findall(raw) for name in found if name}
    for found in _REFERENCE.finditer(raw) if has_body(setting) else ():
        name = found[1].casefold()
        known = name in own or name in _BUILT_IN or name.isdigit() or name in view.defined
        if not known and view.config.lookup(found[1]) is None:
            message = f"`$({found[1]})` is not defined and leaves a hole in {setting.macro}"
            about = {"macro": setting.macro, "names": (found[1],)}
            yield HOLE.at(message, *_place(setting, found, 0), **about)


def _place(setting: Setting, line: re.Match[str], group: int = 1) -> Place:
    """Where the word stands in the block; blanks at the beginnings of lines are gone from it."""
    source, begin, written = setting.entry.source, setting.entry.start, line[0].lstrip()
    if source is None or written not in source.text[begin:]:
        return setting.place(*line.span(group), setting.entry.raw)
    start = source.text.index(written, begin) + len(written) - (line.end() - line.start(group))
    return source, start, start + len(line[group])


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
