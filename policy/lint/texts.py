"""Checks texts in expressions: quotes where none belong, sums of texts, patterns.

Follows: the ClassAd language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from classad.builtins.pcre import compile_pattern
from classad.errors import Diagnostic, is_one_edit, numbered_alike, suggest
from classad.evaluation.functions import InlineForm, form_of, lookup_function
from classad.language.operators import COMPARISONS, EQUALITY, IDENTITY, ORDER
from classad.patterns import late_regex
from classad.syntax.nodes import Binary, Call, Literal, Node, Reference, bare, walk
from policy.attributes import find_attribute
from policy.ephemeral import find_ephemeral
from policy.knobs.declaration import Wanted
from policy.knobs.lists import is_list
from policy.knobs.readers import find_readers
from policy.knobs.uses import find_use
from policy.lint.comparisons import NEVER_TRUE, OTHER_CASE, is_group
from policy.lint.expressions import MacroExpression
from policy.lint.finding import Finding, Meant, Per, Repair, finding, looks_at
from policy.lint.lists import NOT_DEFINED
from policy.lint.slips import is_number, type_of
from policy.lint.trees import ends, number, scope_of, sides, takes_pattern, text_of
from policy.lint.view import Item, Setting, View

QUOTED_NAME: Final = Finding(
    "P424",
    "a quoted attribute name",
    "In quotes it is a text, which is compared as such.",
    'START = "RequestMemory" < 4096\n',
    "START = RequestMemory < 4096\n",
)
#: What names have as a pattern only.
_WILD: Final = late_regex(r"[\w/=][.]?\*|\*[.]?\w|^\^\w|[.]\*")
_OF_FILES: Final = late_regex(r"\^?[\w.@-]*[A-Za-z_-]\*")
_SIGNS: Final = late_regex(r"[^\w\s]+")
_EQUAL: Final = ("==", "=?=")
_PLAIN_TEXT: Final = late_regex(r'"([^"\\]+)"')
_LIMIT: Final = late_regex(r"[A-Za-z]\w*_LIMIT", re.IGNORECASE)
_NUMBERS: Final = ("integer", "real")


@finding(
    "P425",
    "a sum of texts or of a time",
    "`+` adds numbers; with a text it is an error, and so it is between a number and currentTime(),"
    " which is no number of seconds as time() is. strcat() joins.",
    "SYSTEM_PERIODIC_HOLD = MemoryUsage > 2 * RequestMemory\n"
    'SYSTEM_PERIODIC_HOLD_REASON = "too large: " + MemoryUsage\n',
    "SYSTEM_PERIODIC_HOLD = MemoryUsage > 2 * RequestMemory\n"
    'SYSTEM_PERIODIC_HOLD_REASON = strcat("too large: ", MemoryUsage)\n',
    per=Per.BINARY,
)
def text_sum(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``"text" + x``, and the clock as a time."""
    parts = [bare(node.left), bare(node.right)]
    clock = any(isinstance(x, Call) and x.name.casefold() == "currenttime" for x in parts)
    counted = any(is_number(part) or type_of(part) in _NUMBERS for part in parts)
    message = f"`{one.shown(node)}` is an error"
    if clock and counted and node.operator in ("+", "-"):
        yield one.say(text_sum, message, node, "did you mean `time()`?")
    elif node.operator == "+" and any(text_of(part) is not None for part in parts):
        yield one.say(text_sum, message, node, "join texts with strcat()")


@finding(
    "P426",
    "a pattern that does not compile",
    "regexp() and its relatives are an error then, and so is the condition that needs them.",
    'START = regexp("^(atlas|cms$", TARGET.Owner)\n',
    'START = regexp("^(atlas|cms)$", TARGET.Owner)\n',
    observed="Observed with 25.14.1: classad_eval prints `error`.",
    per=Per.CALL,
)
def broken_pattern(one: MacroExpression, node: Call) -> Iterator[Diagnostic]:
    pattern = bare(node.args[0]) if takes_pattern(node) and node.args else node
    text = text_of(pattern)
    if text is not None and compile_pattern(text, "") is None:
        message = f"the pattern of `{node.name}` does not compile"
        yield one.say(broken_pattern, message, pattern, f"`{node.name}` is an error")


@finding(
    "P436",
    "a pattern of files where a regular expression is read",
    "In a regular expression `*` repeats the sign before it, any number of times and none. The"
    " pattern `cms*` fits `cm`, and every text that has these letters; `^cms` is what begins so.",
    'START = regexp("cms*", TARGET.Owner)\n',
    'START = regexp("^cms", TARGET.Owner)\n',
    per=Per.CALL,
)
def as_files(one: MacroExpression, node: Call) -> Iterator[Diagnostic]:
    """``regexp("cms*", ...)``: words with a `*` behind and no other sign of a pattern."""
    pattern = bare(node.args[0]) if takes_pattern(node) and node.args else node
    text = text_of(pattern)
    if text is not None and _OF_FILES.fullmatch(text):
        message = f"`*` repeats the `{text[-2]}` of `{text}`, and stands for no other letters"
        yield one.say(as_files, message, pattern, Meant(f'"^{text[:-1].lstrip("^")}"', f'"{text}"'))


@looks_at(Per.SETTING, of="DEDICATED_EXECUTE_ACCOUNT_REGEXP")
def broken_accounts(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """The accounts that are there for jobs alone: the starter ends at what is no pattern."""
    text = setting.text().strip()
    if text and compile_pattern(text, "") is None:
        message = f"{setting.macro}: `{text}` does not compile"
        help_text = "condor_starter ends at it, and no job starts"
        yield setting.say(broken_pattern, message, setting.whole(), help_text)


@finding(
    "P427",
    "a pattern that is compared as a text",
    "`==` and `=?=` compare whole texts; `*` stands for nothing but itself there. regexp() and"
    " stringListMember() look for more.",
    'START = TARGET.AccountingGroup == "group_hep.*"\n',
    'START = regexp("^group_hep[.]", TARGET.AccountingGroup)\n',
    per=Per.COMPARISON,
)
def as_pattern(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``Machine == "*.example.edu"``."""
    for side, operator, other in sides(node):
        is_name = isinstance(side, Reference) and operator in EQUALITY | IDENTITY
        if is_name and _WILD.search(text_of(other) or ""):
            message = f"`{one.shown(other)}` is compared as it is, and nothing is called so"
            yield one.say(as_pattern, message, other, "a pattern is for regexp()")


@looks_at(Per.COMPARISON)
def of_another_name(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``Owner == "alice@example.edu"`` and ``User == "alice"``."""
    for side, operator, other in sides(node):
        text = text_of(other)
        if not isinstance(side, Reference) or not text or operator not in EQUALITY | IDENTITY:
            continue
        name, domain = side.name.casefold(), one.setting.beside("UID_DOMAIN").strip().casefold()
        user, at, rest = text.partition("@")
        if name == "owner" and user and rest and rest.casefold() == domain:
            message = f"`Owner` is a name without a domain, and never `{text}`"
            yield one.say(NEVER_TRUE, message, side, Meant("User", side.name))
        elif name == "user" and not at and domain and user.isidentifier():
            message = f"`User` has its domain, `{text}@{domain}`, and is never `{text}`"
            yield one.say(NEVER_TRUE, message, side, Meant("Owner", side.name))


@looks_at(Per.COMPARISON)
def of_own_text(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``Site =?= "Cern"`` where the slot has the Site that the same file calls CERN."""
    for side, operator, other in sides(node) if node.operator in EQUALITY | IDENTITY else ():
        text = text_of(other)
        own = _own_text(one, side) if text and isinstance(side, Reference) else None
        if text is None or own is None or own == text:
            continue
        name, message = one.shown(side), f'{one.shown(side)} is "{own}" here'
        if own.casefold() == text.casefold():
            if operator in IDENTITY:
                message = f"{message}, and `{operator}` looks at case"
                yield one.say(OTHER_CASE, message, node, Meant(f'"{own}"', one.shown(other)))
        elif is_one_edit(own.casefold(), text.casefold()) and numbered_alike(own, text):
            message = f"`{name} {operator} {one.shown(other)}`: {message}"
            yield one.say(NEVER_TRUE, message, node, Meant(f'"{own}"', one.shown(other)))


def _own_text(one: MacroExpression, side: Reference) -> str | None:
    """The text that the slot publishes under a name, if the file gives it once and for all."""
    folded, settings = side.name.casefold(), one.view.of_macro.get(side.name.casefold(), ())
    published = folded in one.view.slot_attributes and find_attribute(folded) is None
    if one.use.my != "slot" or scope_of(side) == "target" or not published or len(settings) != 1:
        return None
    (setting,) = settings
    plain = _PLAIN_TEXT.fullmatch(setting.text().strip())
    return plain[1] if plain is not None and setting.entry.previous is None else None


#: Names of distributions, which OpSys has none of.
_DISTRIBUTIONS: Final = late_regex(
    r"(?:alma|rocky|redhat|rhel|centos|scientific|fedora|debian|ubuntu|suse|opensuse|oracle|sl|el)"
    r"(?:linux)?[\d.]*",
    re.IGNORECASE,
)


@looks_at(Per.COMPARISON)
def no_distribution(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``OpSys == "AlmaLinux9"``: OpSys is LINUX for all of them."""
    for side, operator, other in sides(node):
        text = text_of(other)
        is_opsys = isinstance(side, Reference) and side.name.casefold() == "opsys"
        if is_opsys and text and operator in _EQUAL and _DISTRIBUTIONS.fullmatch(text):
            instead = "OpSysAndVer" if text[-1].isdigit() else "OpSysName"
            message = f'{one.shown(side)} is "LINUX" there, and never "{text}"'
            yield one.say(NEVER_TRUE, message, node, f"`{instead}` has the distribution")


@looks_at(Per.COMPARISON)
def of_another_length(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``substr(Machine, 0, 3) == "farm"``."""
    for side, operator, other in sides(node):
        text, args = text_of(other), side.args if isinstance(side, Call) else ()
        many = number(args[2]) if len(args) == 3 else None
        is_part = isinstance(side, Call) and side.name.casefold() == "substr"
        if is_part and text and operator in _EQUAL and many and 0 < many != len(text):
            if many > len(text) and number(args[1]) != 0:
                continue  # the end of a text may be shorter
            letters = f"{many:g} letter{'s' * (many != 1)}"
            message = f"`{one.shown(side)}` has {letters}, and `{text}` has {len(text)}"
            yield one.say(NEVER_TRUE, message, node, f"`{len(text)}` letters are meant")


@looks_at(Per.CALL)
def no_delimiter(one: MacroExpression, node: Call) -> Iterator[Diagnostic]:
    """``stringListMember(x, "a,b", ";")``."""
    function = lookup_function(node.name)
    if function is None or function.family != "stringlists":
        return
    for listed, signs in zip(node.args, node.args[1:], strict=False):
        text, between = text_of(listed), text_of(signs)
        parts = between is not None and _SIGNS.fullmatch(between) is not None
        if text and between and parts and "," in text and not set(between) & set(text):
            message = f"`{text}` is one item where `{between}` parts them"
            yield one.say(NEVER_TRUE, message, signs, "leave it out: a comma parts items")


@looks_at(Per.CALL)
def group_in_list(one: MacroExpression, node: Call) -> Iterator[Diagnostic]:
    """``member(AcctGroup, {"cms", "atls"})``."""
    item = bare(node.args[0]) if len(node.args) > 1 else None
    if isinstance(item, Reference) and is_group(one, item) and one.view.groups:
        for text in filter(None, map(text_of, walk(node.args[1]))):
            yield from _no_group(one, NEVER_TRUE, text, node.args[1])


@looks_at(Per.EXPRESSION)
def group_given(one: MacroExpression) -> Iterator[Diagnostic]:
    """``SET AcctGroup "atls"``, ``SET ConcurrencyLimits "licence:2"``."""
    name = one.setting.macro if one.part is None else one.part.name.partition(" ")[2]
    text, folded = text_of(one.tree), name.casefold()
    if text is not None and folded in ("acctgroup", "accountinggroup"):
        yield from _no_group(one, NOT_DEFINED, text, one.tree)
    elif text is not None and folded == "concurrencylimits":
        limits = [it.macro[:-6] for it in one.view.settings if _LIMIT.fullmatch(it.macro)]
        for item in re.findall(r"[\w.]+(?=:|\s*(?:,|$))", text):
            near = None if item.upper() in map(str.upper, limits) else suggest(item, limits)
            if near is not None and not item.isdigit():
                message = f"no {item}_LIMIT is set, and {near}_LIMIT is"
                yield one.say(NOT_DEFINED, message, one.tree, Meant(near.lower(), item))


def _no_group(one: MacroExpression, kind: Finding, text: str, where: Node) -> Iterator[Diagnostic]:
    """A slip of the name of a group."""
    groups = one.view.groups
    for name in re.findall(r"[\w.-]+", text):
        near = None if name.casefold() in one.view.folded_groups else suggest(name, groups)
        if near is not None and numbered_alike(near, name):
            yield one.say(kind, f"no group is called `{name}`", where, Meant(near, name))


@looks_at(Per.LITERAL)
def scoped_in_quotes(one: MacroExpression, node: Literal) -> Iterator[Diagnostic]:
    """``"TARGET.Owner"``."""
    text = text_of(node) or ""
    scope, dot, name = text.partition(".")
    if dot and scope.casefold() in ("my", "target") and find_attribute(name) is not None:
        message = f'`"{text}"` is a text, not the attribute'
        yield one.say(QUOTED_NAME, message, node, Meant(text, f'"{text}"'))


@looks_at(Per.COMPARISON)
def text_in_place(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``(xcount ?: "1") >= 8``: for jobs without it a text is compared with a number."""
    for side, operator, other in sides(node) if node.operator not in IDENTITY else ():
        kinds = [text_of(part) is not None for part in ends(side)]
        if is_number(other) and any(kinds) and len(kinds) > 1:
            wrong = next(part for part in ends(side) if text_of(part) is not None)
            message = f"`{one.shown(wrong)}` is a text, and `{operator}` of it and {{}} an error"
            yield one.say(only_text, message.format(one.shown(other)), wrong)


@looks_at(Per.COMPARISON)
def number_in_quotes(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``MaxRuntime <= "86400"`` of an attribute that these files take for a number elsewhere."""
    for side, operator, other in sides(node) if node.operator in ORDER else ():
        text = text_of(other) or ""
        named = isinstance(side, Reference) and _DIGITS.fullmatch(text) is not None
        if isinstance(side, Reference) and named and _counts(one, side.name):
            message = f'`"{text}"` is a text, and `{operator}` of it and a number an error'
            yield one.say(only_text, message, other, Meant(text, f'"{text}"'))


@looks_at(Per.EXPRESSION, of=r"JOB_(ROUTER|TRANSFORM)_\w+")
def given_in_quotes(one: MacroExpression) -> Iterator[Diagnostic]:
    """``SET MaxRuntime "86400"``, the same."""
    name = "" if one.part is None else one.part.name.partition(" ")[2]
    text = text_of(one.tree) or ""
    if name and _DIGITS.fullmatch(text) and _counts(one, name):
        message = f'`"{text}"` is a text, and elsewhere {name} is a number'
        yield one.say(only_text, message, one.tree, Meant(text, f'"{text}"'))


def _counts(one: MacroExpression, name: str) -> bool:
    """Do these files take an attribute of their own for a number somewhere?"""
    if find_attribute(name) is not None:
        return False  # of its type is told
    sums = re.compile(rf"(?i)(?<!\w){name}\)?\s*(?:\?:|[<>]=?|[-*/+])\s*\d")
    return any(sums.search(it.entry.raw) for it in one.view.settings)


_DIGITS: Final = late_regex(r"\d+(\.\d+)?")
_CONDITIONS: Final = frozenset(
    ("start", "suspend", "continue", "preempt", "kill", "want_suspend", "want_vacate", "want_hold")
)


@looks_at(Per.COMPARISON)
def condition_and_text(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``WANT_SUSPEND == "False"``."""
    for side, operator, other in sides(node) if one.use.my == "slot" else ():
        is_condition = isinstance(side, Reference) and side.name.casefold() in _CONDITIONS
        text = (text_of(other) or "").casefold()
        if is_condition and text in ("true", "false") and operator in EQUALITY | IDENTITY:
            message = f"`{one.shown(node)}` compares a condition with a text"
            advice = Meant(text.capitalize(), one.shown(other))
            yield one.say(QUOTED_NAME, message, other, advice)


@looks_at(Per.CALL)
def quoted_user(one: MacroExpression, node: Call) -> Iterator[Diagnostic]:
    """``userMap("Groups", "Owner")``: whom the map is asked for is an attribute."""
    text = text_of(node.args[1]) if node.name.casefold() == "usermap" and node.args[1:] else None
    if text is not None and find_attribute(text) is not None:
        message = f'`"{text}"` is a text, and the map is asked for a user of that name'
        yield one.say(QUOTED_NAME, message, node.args[1], Meant(text, f'"{text}"'))


@looks_at(Per.CALL)
def quoted_argument(one: MacroExpression, node: Call) -> Iterator[Diagnostic]:
    """``isUndefined("Owner")``, which is false of every text."""
    text = text_of(node.args[0]) if len(node.args) == 1 else None
    asks = form_of(node.name, 1) in (InlineForm.IS_UNDEFINED, InlineForm.IS_ERROR)
    if text is not None and asks and "." not in text:  # of which another check tells
        message = f'`"{text}"` is a text, and `{one.shown(node)}` is always false'
        advice = Meant(text, f'"{text}"') if find_attribute(text) is not None else None
        yield one.say(QUOTED_NAME, message, node.args[0], advice)


@looks_at(Per.BINARY)
def quoted(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``"RequestMemory" < 4096``."""
    for side, other in ((node.left, node.right), (node.right, node.left)):
        text = text_of(side)
        if text is None:
            continue
        is_value = text.casefold() in ("undefined", "error") and node.operator in COMPARISONS
        if is_value or _is_attribute(one, node, text, other):
            message = f'`"{text}"` is a text, not the {"value" if is_value else "attribute"}'
            yield one.say(QUOTED_NAME, message, bare(side), Meant(text, f'"{text}"'))


def _is_attribute(one: MacroExpression, node: Binary, text: str, other: Node) -> bool:
    """Is a text the name of an attribute, where a text makes no sense?"""
    row = find_attribute(text)
    own = text.casefold() in one.view.own_names
    if not own and row is None and find_ephemeral(text) is None:
        return False
    ordered = node.operator in ORDER and row is not None and row.type in _NUMBERS
    beside = one.evaluation.alone(other)
    no_text = ordered or (not beside.has_text and beside.defined)
    return no_text or isinstance(bare(other), Literal) or node.operator not in COMPARISONS


@finding(
    "P428",
    "an expression that comes to a text where a number or a condition is meant",
    "A rank that is a text counts as 0, a condition that is one is not true, and what compares an"
    " attribute with numbers is an error where it is a text.",
    'RANK = strcat("group_", TARGET.Owner)\n',
    'RANK = strcmp("group_x", TARGET.Owner) == 0\n',
    per=Per.EXPRESSION,
)
def only_text(one: MacroExpression) -> Iterator[Diagnostic]:
    top, value = text_of(one.tree), one.evaluation.value
    # A subcode is asked for when its expression holds, so that it may be undefined elsewhere.
    if one.use.wanted is Wanted.ANY and not one.setting.folded.endswith("_subcode"):
        return
    if top is not None:
        message = f"{one.name} is a text, and stands for no condition or number"
        yield one.say(QUOTED_NAME, message, one.tree, "take the quotes away")
    elif value.has_text and not (value.is_measured or value.truths or value.other):
        is_any = one.use.wanted is Wanted.ANY
        wanted = Wanted.NUMBER.value if is_any else one.use.wanted.value
        yield one.say(only_text, f"{one.name} comes to a text, and {wanted} is meant", one.tree)
    elif one.use.wanted is Wanted.NUMBER and value.has_text and value.is_measured:
        for end in (end for end in ends(one.tree) if text_of(end) is not None):
            message = f"{one.name} is a number, and `{one.shown(end)}` a text"
            yield one.say(only_text, message, end, "take the quotes away")
            return


@looks_at(Per.EXPRESSION, of=r"(SLOT_TYPE_\d+_)?(MAXJOBRETIREMENTTIME|MACHINEMAXVACATETIME)")
def truth_for_time(one: MacroExpression) -> Iterator[Diagnostic]:
    """``MAXJOBRETIREMENTTIME = TARGET.RequestGPUs > 0``: true is one second."""
    tree = bare(one.tree)
    if one.part is None and isinstance(tree, Binary) and tree.operator in COMPARISONS:
        message = f"{one.name} is true or false, which count as one second and none"
        yield one.say(only_text, message, one.tree, "`ifThenElse(..., 3600, 0)` chooses a time")


@looks_at(Per.EXPRESSION)
def text_for_number(one: MacroExpression) -> Iterator[Diagnostic]:
    """``SET RequestMemory "2048"``: an attribute of HTCondor's that is no text."""
    name = one.setting.macro if one.part is None else one.part.name.partition(" ")[2]
    row, value = find_attribute(name), one.evaluation.value
    kind = {"boolean": "true or false", "integer": "a number", "real": "a number"}
    wanted = "" if row is None or one.use.wanted is not Wanted.ANY else kind.get(row.type, "")
    if one.part is not None and name.casefold() in ("requirements", "rank"):
        wanted = "an expression"
    only = value.has_text and not (value.has_number or value.other)
    published = one.view.slot_attributes | one.view.job_attributes
    if not wanted or (one.part is None and name.casefold() not in published):
        return
    if only:
        yield one.say(only_text, f"{name} is {wanted}, and this comes to a text", one.tree)
        return
    chosen = (end for end in ends(one.tree) if end is not bare(one.tree))
    for end in chosen:
        if text_of(end) is not None:
            message = f"{name} is {wanted}, and `{one.shown(end)}` a text"
            yield one.say(only_text, message, end, "take the quotes away")
            return


#: Signs of web pages and word processors, what each is called, and what it looks like.
_LIKE: Final = (
    (late_regex("[\u00a0\u2007\u202f]"), "a no-break space", " "),
    (late_regex("[\u00ad\u200b-\u200d\u2060\ufeff]"), "a sign without width", ""),
    (late_regex(r"(?<!\S)[\u2010-\u2015\u2212]+(?=\w)"), "a dash", "-"),
    (late_regex("[\u201c-\u201f]"), "a curled quote", '"'),
)
#: Values that people read.
_FREE: Final = late_regex(
    r"COLLECTOR_NAME|\w*_REASON|JOB_(?:TRANSFORM|ROUTER)_\w+|SUBMIT_TEMPLATE_\w+", re.IGNORECASE
)


@finding(
    "P108",
    "a sign that looks like another one",
    "A no-break space, a sign without width, a long dash and a curled quote are no blank, no `-`"
    " and no quote for HTCondor, but a part of the name or path that they stand at. Web pages and"
    " word processors write them. In an expression they are told as what does not parse.",
    "UID_DOMAIN = example.edu\u00a0\n",
    "UID_DOMAIN = example.edu\n",
    observed="Observed with condor_config_val of 25.14.1, which has them in the value.",
    among=lambda view: (one for one in view.settings if not one.text().isascii()),
)
def look_alike(view: View, setting: Setting) -> Iterator[Diagnostic]:
    text = setting.text()
    if text.isascii() or _FREE.fullmatch(setting.macro) or find_use(setting.macro) is not None:
        return
    readers = find_readers(setting.macro)
    is_plain = readers is not None and readers.kind == "string"
    if not (is_plain or is_list(setting.macro) or setting.upper.endswith("_ARGS")):
        return
    for sign, what, meant in _LIKE:
        for found in sign.finditer(text):
            message = f"{setting.macro} has {what} in it, which is a part of the value"
            advice = Repair(
                meant, found[0], f"write `{meant}`" if meant.strip() else "leave it out"
            )
            yield setting.say(look_alike, message, Item.of(found), advice)
            return
