"""Checks the commands and expressions of job transforms and routes.

What is wrong with a line is found by the module that runs them, ``policy.transforms``.
Follows: the transform language of 25.14.1.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from classad.errors import ClassAdParseError, Diagnostic, suggest
from classad.patterns import late_regex
from policy.attributes import attribute_of_command, find_attribute
from policy.data.tables import attribute_names
from policy.knobs.reading import Place
from policy.language.expressions import parse
from policy.language.numbers import integer_literal
from policy.lint.attributes import UNKNOWN_ATTRIBUTE
from policy.lint.expressions import HELD, ROUTES, bodies_in, has_body, is_old_body, parts
from policy.lint.finding import (
    ERROR,
    Advice,
    Finding,
    Meant,
    Per,
    finding,
    looks_at,
    meant,
)
from policy.lint.reading import HOLE, NO_REFERENCE
from policy.lint.spelling import near
from policy.lint.trees import references, scope_of
from policy.lint.view import Setting, View
from policy.lint.vocabulary import vocabulary
from policy.transforms.lines import (
    COMMANDS,
    Command,
    ConditionalLine,
    Form,
    MacroAssignment,
    TransformLine,
)
from policy.universes import UNIVERSES
from policy.versions import Version, parse_version

if TYPE_CHECKING:
    from policy.transforms.running import FaultKind

#: Since which version the old syntax is not taken, by what the macro begins with.
_OLD_UNTIL: Final = {"JOB_TRANSFORM_": "25.8.2", "JOB_ROUTER_": "25.0.0"}
_WORDS: Final[tuple[str, ...]] = (*COMMANDS, "if", "elif", "else", "endif")
_LAST_UNIVERSE: Final = 13
#: What a route is told besides its commands, as assignments.
_OFROUTES: Final[tuple[str, ...]] = (
    *("MaxJobs", "MaxIdleJobs", "FailureRateThreshold", "JobFailureTest", "JobShouldBeSandboxed"),
    *("UseSharedX509UserProxy", "SharedX509UserProxy", "EditJobInPlace", "OverrideRoutingEntry"),
    *("GridResource", "Requirements", "TargetUniverse", "SendIDTokens"),
)
_REFERENCE: Final = late_regex(r"(?<!\$)\$\((\w+)\)")
_DEFAULTED: Final = late_regex(r"(?<!\$)\$\((\w+):([^()$]*)\)")
#: What the jobs of a gateway have besides.
_OF_GATEWAYS: Final = frozenset(("maxmemory", "maxwalltime", "xcount", "remote_queue"))
_ANY: Final = late_regex(r"\$\w*\([+-]?(\w+)")
_WITH_BLANKS: Final = late_regex(r"(?<!\$)\$\([ \t]*(\w+)[ \t]*\)")
_DEFINED: Final = late_regex(r"!?[ \t]*defined[ \t]+(\w+)", re.IGNORECASE)
#: Macros that every transform has.
_BUILT_IN: Final = frozenset(
    ("iterating", "row", "step", "item", "itemindex", "rules_file", "xform_id", "xformid", "dollar")
)


def _effect(setting: Setting) -> str:
    """What becomes of a body that fails."""
    macro = setting.upper
    if macro.startswith(ROUTES):
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
    of=HELD,
)
def no_command(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Words at the beginning of a line that are no command, or what no route is told."""
    if not has_body(setting):
        return
    from policy.transforms.running import FaultKind  # which few configurations need

    for found, kind in _faults(setting, view.config.version):
        if kind is FaultKind.UNKNOWN:
            yield no_command.at(found.message, *_spot(found), _advice(setting, found))
    if setting.upper.startswith(ROUTES):
        yield from _misspelt(setting)
    for line, form in setting.statements:
        if isinstance(form, Command) and form.keyword == "UNIVERSE":
            yield from _no_universe(line, form.first)
        elif isinstance(form, MacroAssignment) and form.name.upper() == "UNIVERSE":
            yield from _no_universe(line, form.value)


def _advice(setting: Setting, found: Diagnostic) -> Advice:
    """What to write in place of a word that is no command."""
    assert found.source is not None
    word = found.source.text[found.start : found.end]
    known = next((name for name in _OFROUTES if name.casefold() == word.casefold()), None)
    if known is not None and setting.upper.startswith(ROUTES):
        return f"it is an assignment: `{known} = ...`"
    return meant(word, _WORDS, _effect(setting))


def _misspelt(setting: Setting) -> Iterator[Diagnostic]:
    """Assignments of a route that nobody reads, and that nearly are what the router looks at."""
    used = setting.entry.raw.casefold()
    for line, form in setting.statements:
        if isinstance(form, MacroAssignment) and f"$({form.name}".casefold() not in used:
            name = suggest(form.name, _OFROUTES)
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
    of=HELD,
)
def failing(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Lines that end a run, or that are left out."""
    from policy.transforms.running import FaultKind

    for found, kind in _faults(setting, view.config.version) if has_body(setting) else ():
        if kind is FaultKind.UNKNOWN:
            continue
        is_left_out = kind in (FaultKind.REGEX, FaultKind.NAME)
        yield failing.at(
            found.message, *_spot(found), "" if is_left_out else _effect(setting),
            macro=setting.macro,
        )  # fmt: skip


@looks_at(Per.CONFIGURATION)
def holes(view: View) -> Iterator[Diagnostic]:
    """References to macros that neither a transform nor a file defines."""
    bodies = bodies_in(view)
    known: dict[str, set[str]] = {}
    families = [family_of(setting) for setting in bodies]
    for family, setting in zip(families, bodies, strict=True):
        known.setdefault(family, set()).update(_defines(setting))
    routes = any(setting.upper.startswith("JOB_ROUTER_ROUTE_") for setting in bodies)
    for family, setting in zip(families, bodies, strict=True):
        if routes or family == "schedd":  # routes of other files may set variables
            for line in setting.rules.written:
                yield from _line_holes(view, setting, line, known[family])


def family_of(setting: Setting) -> str:
    """The bodies that share their variables: those that a job comes through one after the other."""
    return "schedd" if setting.upper.startswith("JOB_TRANSFORM_") else "router"


def _defines(setting: Setting) -> Iterator[str]:
    """The variables that a body sets, and those for which it does something else without them."""
    for line, form in setting.statements:
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
    for found in _DEFAULTED.finditer(line.text):
        name = found[1].casefold()
        known = name in own or name in _BUILT_IN or name in view.defined
        of_job = name in _OF_GATEWAYS or find_attribute(name) is not None
        if of_job and not known and view.config.lookup(found[1]) is None:
            message = f"no macro is called {found[1]}, and it is `{found[2]}` for every job"
            meant_text = f"$(MY.{found[1]}:{found[2]})"
            yield OTHERWISE.at(message, *line.spot(*found.span()), Meant(meant_text, found[0]))
    for found in _WITH_BLANKS.finditer(line.text):
        if found[0] != f"$({found[1]})":
            message = f"`{found[0]}` has blanks in it, so it is no reference and stays as text"
            spot = line.spot(*found.span())
            yield NO_REFERENCE.at(message, *spot, Meant(f"$({found[1]})", found[0]))


def _faults(setting: Setting, version: Version) -> Iterator[tuple[Diagnostic, FaultKind]]:
    """What is wrong with the lines of a transform or route, each with its kind."""
    from policy.transforms.checking import faults
    from policy.transforms.running import TransformFault

    for found in faults(setting.rules, version):
        if isinstance(found.about, TransformFault):
            yield found, found.about.kind


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
    of=HELD,
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
    of=HELD,
)
def old_syntax(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """An ad in brackets where commands are taken."""
    raw, macro = setting.entry.raw, setting.upper
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


# --- lines that do nothing, or something else than they seem to -----------------------------------

NO_EFFECT: Final = Finding(
    "P251",
    "a line of a transform without effect",
    "The last REQUIREMENTS count, DELETE takes one attribute, COPY and RENAME of an attribute onto"
    " itself do nothing, and a variable that no line refers to is only a variable: `set_X = 5` was"
    " the old syntax of `SET X 5`. An attribute that a later line sets anew has that value alone.",
    "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T @=end\n  DELETE Rack Room\n@end\n",
    "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T @=end\n  DELETE Rack\n  DELETE Room\n@end\n",
    observed="Observed with condor_transform_ads of 25.14.1, which says nothing.",
)
OTHERWISE: Final = Finding(
    "P252",
    "a line of a transform that does something else than it seems to",
    "`SET MY.X` makes an attribute of the name `MY.X`. SET writes an expression as it is, and an"
    " attribute that refers to itself is undefined there; EVALSET computes it once, from what the"
    " job has. `$(MY.X)` of an attribute that no job has leaves a hole; `$(X:1)` is a macro X, and"
    " 1 where there is none. `COPY A = B` copies A to B.",
    "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T = SET RequestMemory RequestMemory * 2\n",
    "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T = EVALSET RequestMemory RequestMemory * 2\n",
    observed="Observed with condor_transform_ads of 25.14.1: the job has an attribute `MY.X`, or"
    " RequestMemory with the text `RequestMemory * 2`; with `COPY A = B` B has the value of A.",
)
_SETTING: Final = frozenset(("SET", "EVALSET"))
_ATTRIBUTES: Final = frozenset(("SET", "DEFAULT", "EVALSET", "COPY", "RENAME", "DELETE"))
_OLD_COMMAND: Final = late_regex(r"(eval_set|set|delete|copy)_(\w+)", re.IGNORECASE)
_OF_THE_JOB: Final = late_regex(r"\$\(MY\.(\w+)\)", re.IGNORECASE)
_NAMES: Final = late_regex(r"\w+")
_Line = tuple[TransformLine, Form]


@looks_at(Per.CONFIGURATION)
def lines(view: View) -> Iterator[Diagnostic]:
    """Each line of the bodies, besides what ends a run."""
    bodies = bodies_in(view)
    if not bodies:
        return
    own = view.own_names
    used = {found.casefold() for one in view.settings for found in _ANY.findall(one.entry.raw)}
    read = _read(bodies)
    for setting in bodies:
        written = setting.statements
        for at, (line, form) in enumerate(written):
            if isinstance(form, MacroAssignment):
                yield from _unread_variable(setting, line, form, used)
            elif isinstance(form, Command):
                yield from _replaced(written, at)
                yield from _arguments(line, form)
                yield from _attribute_names(line, form, own, read)
                yield from _of_matches(line, form, setting)


def _read(bodies: list[Setting]) -> set[str]:
    """The words of what commands set attributes to: who reads an attribute has given it a name."""
    return {
        word.casefold()
        for setting in bodies
        for _, form in setting.statements
        if isinstance(form, Command) and form.keyword in _SETTING
        for word in _NAMES.findall(form.rest)
    }


def _replaced(written: Sequence[_Line], at: int) -> Iterator[Diagnostic]:
    """REQUIREMENTS that others follow, an attribute that a later line sets whatever it was."""
    line, form = written[at]
    assert isinstance(form, Command)
    depth = sum(_deeper(one) for _, one in written[:at])
    for later, other in written[at + 1 :]:
        depth += _deeper(other)
        if not isinstance(other, Command) or depth:
            if depth < 0 or (form.keyword in _SETTING and _has_word(later.text, form.first)):
                return
            continue
        if form.keyword == other.keyword == "REQUIREMENTS":
            message = "these REQUIREMENTS are replaced by others, further down"
            yield NO_EFFECT.at(message, *line.spot(), "join them with `&&`")
            return
        same = form.first.casefold() == other.first.casefold()
        if form.keyword in _SETTING and other.keyword in _SETTING and same:
            if form.first and not _has_word(later.text[other.rest_at :], form.first):
                message = f"{form.first} is set again further down, whatever it was"
                yield NO_EFFECT.at(message, *line.spot())
            return
        if form.keyword in _SETTING and _has_word(later.text, form.first):
            return


def _has_word(text: str, word: str) -> bool:
    """Does a text have a word, in any case?"""
    if word.casefold() not in text.casefold():
        return False
    whole = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
    return whole.search(text) is not None


def _deeper(form: Form) -> int:
    """How a line changes the number of open conditionals."""
    word = form.word if isinstance(form, ConditionalLine) else ""
    return {"if": 1, "endif": -1}.get(word, 0)


def _arguments(line: TransformLine, form: Command) -> Iterator[Diagnostic]:
    if form.keyword == "DELETE" and form.rest:
        spot = line.spot(form.rest_at, len(line.text))
        message = f"DELETE takes one attribute, and `{form.rest}` is passed over"
        yield NO_EFFECT.at(message, *spot, "write a line for each")
    between = line.text[form.first_at + len(form.first) : form.rest_at]
    itself = form.first.casefold() == form.rest.casefold()
    moves = form.keyword in ("COPY", "RENAME") and form.pattern is None
    if moves and "=" in between and not itself:
        message = f"{form.keyword} makes `{form.rest}` of `{form.first}`, whatever the `=` says"
        spot = line.spot(form.first_at, len(line.text))
        help_text = f"`{form.keyword} {form.rest} {form.first}` makes {form.first} of {form.rest}"
        yield OTHERWISE.at(message, *spot, help_text)
    if form.keyword in ("COPY", "RENAME") and itself and form.first:
        yield NO_EFFECT.at(f"{form.keyword} of {form.first} onto itself", *line.spot())


def _unread_variable(
    setting: Setting, line: TransformLine, form: MacroAssignment, used: set[str]
) -> Iterator[Diagnostic]:
    """A variable that nobody refers to; of the router only an old command.

    Transforms that come with a gateway read those that routes set.
    """
    old, name = _OLD_COMMAND.fullmatch(form.name), form.name.lstrip("+-").casefold()
    is_routers = setting.upper.startswith("JOB_ROUTER_")
    if name in used or name in ("requirements", "universe") or (is_routers and old is None):
        return
    message = f"`{form.name} = ...` sets a variable, and no line refers to it"
    command = None if old is None else f"{old[1].upper().replace('_', '')} {old[2]}"
    help_text = "the command to set an attribute is `SET NAME VALUE`"
    help_text = f"the command is `{command} ...`" if command else help_text
    yield NO_EFFECT.at(message, *line.spot(0, len(form.name)), help_text)


def _attribute_names(
    line: TransformLine, form: Command, own: Container[str], read: set[str]
) -> Iterator[Diagnostic]:
    """Names with a scope, slips, and what refers to itself."""
    if form.keyword in _ATTRIBUTES and form.pattern is None and "$" not in form.first:
        spot = line.spot(form.first_at, form.first_at + len(form.first))
        scope, _, name = form.first.rpartition(".")
        if scope.casefold() in ("my", "target"):
            message = f"the attribute that it is about has the name `{form.first}`, with the dot"
            yield OTHERWISE.at(message, *spot, Meant(name, form.first))
        elif form.keyword not in _SETTING or name.casefold() not in read:
            yield from _slip(form.first, spot)
    for found in _OF_THE_JOB.finditer(line.text):
        if found[1].casefold() not in own:
            yield from _slip(found[1], line.spot(*found.span(1)))
    if form.keyword != "SET" or "$" in form.rest:
        return
    try:
        tree = parse(form.rest).node
    except ClassAdParseError:
        return
    for node in references(tree):
        if node.name.casefold() == form.first.casefold() and scope_of(node) in (None, "my"):
            message = f"{form.first} refers to itself, and is undefined here when it is evaluated"
            spot = line.spot(form.rest_at + node.start, form.rest_at + node.end)
            help_text = f"`EVALSET {form.first}` computes it from what the job has"
            if form.first.casefold() in ("requirements", "rank"):
                help_text = f"`$(MY.{form.first})` is what the job has"
            yield OTHERWISE.at(message, *spot, help_text)
            return


def _of_matches(line: TransformLine, form: Command, setting: Setting) -> Iterator[Diagnostic]:
    """What is asked of slots later: computed at once, or put in the place of the job's own."""
    name, spot = form.first, line.spot(0, form.first_at + len(form.first))
    if form.keyword == "EVALSET" and name.casefold() in ("requirements", "rank"):
        message = f"{name} is asked of slots, and EVALSET computes it here, where there is none"
        yield OTHERWISE.at(message, *spot, f"`SET {name}` writes the expression")
    elif form.keyword == "SET" and name.casefold() == "requirements" and "$" not in form.rest:
        at_submission = setting.upper.startswith("JOB_TRANSFORM_")
        kept = "my.requirements" in setting.text().casefold()
        if at_submission and not kept and "requirements" not in form.rest.casefold():
            message = f"the job's own {name} are lost"
            yield OTHERWISE.at(message, *spot, f"`$(MY.{name}) && (...)` adds to them")


def _slip(name: str, spot: Place) -> Iterator[Diagnostic]:
    """A name that is nearly one of HTCondor's attributes."""
    meant_name = attribute_of_command(name)
    if meant_name is None and not find_attribute(name):
        meant_name = near(name, vocabulary(attribute_names()))
    if meant_name is not None:
        message = f"no job has an attribute `{name}`"
        yield UNKNOWN_ATTRIBUTE.at(message, *spot, Meant(meant_name, name))
