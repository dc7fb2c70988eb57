"""Checks what an expression refers to: attributes and functions.

Follows: ``policy.ephemeral``; the startd sees none of the negotiator's attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from classad.errors import Diagnostic, suggest
from classad.evaluation.functions import Builtin, load
from classad.language.operators import GUARDS
from classad.patterns import late_regex
from classad.syntax.nodes import Binary, Call, Node, Reference, bare
from policy.attributes import (
    Attribute,
    Availability,
    attribute_of_command,
    find_attribute,
    find_renamed,
    names_in,
)
from policy.data.tables import attribute_names
from policy.ephemeral import (
    EPHEMERAL,
    GROUP_USAGE,
    USER_USAGE,
    AdKind,
    Ephemeral,
    Presence,
    find_ephemeral,
)
from policy.knobs import matching as matching
from policy.knobs.declaration import Wanted
from policy.knobs.shares import GROUP_SORT_EXPR
from policy.lint.comparisons import NOTHINGS
from policy.lint.expressions import MacroExpression
from policy.lint.finding import ERROR, Advice, Finding, Meant, Per, finding, looks_at
from policy.lint.spelling import (
    begun,
    inflected,
    is_one_place,
    meant_by_words,
    near,
    reordered,
    with_other_end,
)
from policy.lint.trees import guarded, is_one_of_some, names, references, scope_of, sides, squeezed
from policy.lint.view import View
from policy.lint.vocabulary import Vocabulary, vocabulary, words
from policy.values.domain import UNDEFINED_ONLY

UNKNOWN_ATTRIBUTE: Final = Finding(
    "P401",
    "an attribute that nobody defines, spelled almost like one that exists",
    "An attribute that is in neither ad is undefined, and so is nearly everything computed from"
    " it.",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmiterUserPrio * 1.2\n",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n",
)
ELSEWHERE: Final = Finding(
    "P402",
    "an attribute of the negotiator where it does not exist",
    "The negotiator adds priorities, usage and quotas for the time of a match. Expressions that"
    " the startd or the schedd evaluate, constraints of the negotiator and slot weights do not see"
    " them. A START that reads SubmitterUserPrio is evaluated by both: the negotiator finds it in"
    " the request and matches, the startd finds it undefined and refuses the claim, in each cycle"
    " anew.",
    "START = RemoteUserPrio > 1000\n",
    "START = Owner =!= UNDEFINED\n",
    observed="Observed with 25.14.1: START with SubmitterUserPrio, in a pool with jobs. For other"
    " macros it follows from which daemon adds the attribute.",
)
NOT_NOW: Final = Finding(
    "P403",
    "an attribute that this configuration never defines",
    "Group attributes need GROUP_NAMES, `slot<i>_` attributes need NEGOTIATOR_CROSS_SLOT_PRIOS, or"
    " STARTD_SLOT_ATTRS where they are a slot's own.",
    "PREEMPTION_REQUIREMENTS = RemoteGroupResourcesInUse > RemoteGroupQuota\n",
    "GROUP_NAMES = group_a\nGROUP_QUOTA_group_a = 5\n"
    "PREEMPTION_REQUIREMENTS = RemoteGroupResourcesInUse > RemoteGroupQuota\n",
)
WRONG_AD: Final = Finding(
    "P404",
    "an attribute in the wrong ad",
    "In expressions of the negotiator MY is the slot and TARGET the request: `Remote...` attributes"
    " are in the slot, `Submitter...` attributes in the request.",
    "PREEMPTION_REQUIREMENTS = TARGET.RemoteUserPrio > MY.SubmitterUserPrio * 1.2\n",
    "PREEMPTION_REQUIREMENTS = MY.RemoteUserPrio > TARGET.SubmitterUserPrio * 1.2\n",
)
UNGUARDED: Final = Finding(
    "P405",
    "a rank that is undefined for free slots",
    "A slot that nobody uses has no `Remote...` attributes. A rank that uses one without a test is"
    " undefined there, and such slots come last.",
    "NEGOTIATOR_PRE_JOB_RANK = 1000 - RemoteUserPrio\n",
    "NEGOTIATOR_PRE_JOB_RANK = ifThenElse(isUndefined(RemoteUserPrio), 1000, -RemoteUserPrio)\n",
)
OLD_NAME: Final = Finding(
    "P408",
    "an attribute under its old name",
    "No daemon of 25.14.1 advertises an attribute of this name, so that it is undefined.",
    "START = VirtualMachineID == 1\n",
    "START = SlotID == 1\n",
)

_WHEN_USED: Final = (Presence.PREEMPTION, Presence.PREEMPTION_GROUPS)
#: Lengths of names that are slips by tighter rules, and from where one wrong letter is one.
_SHORT: Final = (3, 8)
_LONG_ENOUGH: Final = 6
_OWN_LENGTH: Final = 5
#: Two names of which one begins the other have so many letters at least.
_LONG: Final = 8
_VERY_LONG: Final = 10
_FEW_WORDS: Final = 3
#: Words that are attributes here and were meant as something else.
_WORDS: Final = {
    "time": "time()",
    **dict.fromkeys(("yes", "on", "enabled", "y", "t"), "True"),
    **dict.fromkeys(("no", "off", "disabled", "n", "f"), "False"),
    **dict.fromkeys(NOTHINGS, "undefined"),
}
#: What people call a property that their machines or jobs have.
_OF_ONES_OWN: Final = late_regex(r"(?:Has|Is|Want|Use|Needs?|Can|Allow)(?=[A-Z_])")
#: Macros that are there for expressions.
_HELPERS: Final = frozenset(
    (
        *("minute", "hour", "day", "week", "statetimer", "activitytimer", "activationtimer"),
        *("lastckpt", "startidletime", "continueidletime", "maxsuspendtime", "maxvacatetime"),
    )
)
#: What other languages call functions of this one.
_ELSEWHERE_CALLED: Final = {
    **dict.fromkeys(("if", "iif", "cond"), "ifThenElse"),
    **dict.fromkeys(("len", "length", "strlen"), "size"),
    **dict.fromkeys(("contains", "in"), "stringListMember"),
    **dict.fromkeys(("concat", "concatenate"), "strcat"),
    **dict.fromkeys(("lower", "lowercase"), "toLower"),
    **dict.fromkeys(("upper", "uppercase"), "toUpper"),
    **dict.fromkeys(("match", "matches", "regex"), "regexp"),
    **dict.fromkeys(("now",), "time"),
}
_DAEMON_FUNCTIONS: Final = frozenset(name.casefold() for name in (USER_USAGE, GROUP_USAGE))


@cache
def known_attributes() -> tuple[str, ...]:
    """Attributes of captured ads and those that the negotiator adds."""
    own = (entry.name for entry in EPHEMERAL if "<" not in entry.name)
    return (*attribute_names(), *own)


def _is_of_groups(one: MacroExpression) -> bool:
    """Does it see the ad of a group, of which another check knows?"""
    return one.setting.knob is GROUP_SORT_EXPR


@looks_at(Per.COMPARISON)
def both_of_the_job(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``TARGET.WantRack == TARGET.Rack`` where the slot has Rack."""
    if (one.use.my, one.use.target) != ("slot", "job") or _is_of_groups(one):
        return
    found = [side for side, _, _ in sides(node) if isinstance(side, Reference)]
    if len(found) < 2 or any(scope_of(side) != "target" for side in found):
        return
    for side in found:
        if side.name.casefold() in one.view.slot_attributes and find_attribute(side.name) is None:
            message = f"`TARGET.{side.name}` is the job's, and the slot has `{side.name}`"
            yield one.say(WRONG_AD, message, side, Meant(f"MY.{side.name}", one.shown(side)))


@looks_at(Per.EXPRESSION)
def named(one: MacroExpression) -> Iterator[Diagnostic]:
    """Attributes that nobody has, or that this expression does not see; each once."""
    guards = (n for n in one.of_kind(Binary) if n.operator in GUARDS)
    safe, maybe = guarded(one.nodes), one.asked_for
    tested = maybe.union(*map(names, guards))
    said: set[str] = set()
    for node in () if _is_of_groups(one) else one.references:
        folded = node.name.casefold()
        if folded in said or (node.base is not None and scope_of(node) is None):
            continue
        entry = find_ephemeral(node.name)
        if entry is not None:
            found = _misplaced(one, entry, scope_of(node), folded in safe)
        else:
            asked = scope_of(node) == "target" and folded in tested
            asked = asked or (one.use.my == "job" and folded in maybe)
            found = _unknown(one, node.name, asked=asked)
        if found is not None:
            said.add(folded)
            kind, message, help_text = found
            yield one.say(kind, message, node, help_text)


@finding(
    "P407",
    "an attribute that the ad does not have",
    "In a startd's expressions MY is the slot and TARGET the job, in those of the schedd MY is the"
    " job and there is no TARGET. What is looked for in the wrong one is undefined.",
    "START = MY.RequestMemory < 4096\n",
    "START = TARGET.RequestMemory < 4096\n",
    observed="Observed with 25.14.1, with jobs: what MY and TARGET are in START, in"
    " START_LOCAL_UNIVERSE and SUBMIT_REQUIREMENT_*. Nothing is said of SCHEDD_PREEMPTION_*: two"
    " tries with the daemons contradicted each other.",
    per=Per.EXPRESSION,
)
def not_there(one: MacroExpression) -> Iterator[Diagnostic]:
    """Attributes that HTCondor knows and the ad never has."""
    said = set(one.asked_for)
    yield from _no_scope(one)
    for node in () if _is_of_groups(one) else one.references:
        folded, scope = node.name.casefold(), scope_of(node)
        if folded in said or (node.base is not None and scope is None) or node.absolute:
            continue
        row = find_attribute(node.name)
        if row is None or find_ephemeral(node.name) is not None:
            continue
        if one.part is not None and row.ads.get("slot") is Availability.SOMETIMES:
            continue  # what some slots have for their own reasons a job may have, too
        if _is_of_the_running_job(one, row, scope):
            message = (
                f"`MY.{node.name}` is that of the job on the slot: it is there only in a claim"
            )
            advice: Advice = Meant(f"TARGET.{node.name}", one.shown(node))
        elif one.surroundings.look_up(scope or "", node.name)[1] == UNDEFINED_ONLY:
            shown = f"{scope.upper()}.{node.name}" if scope else node.name
            message = f"`{shown}` is undefined here: {_whereabouts(one, row)}"
            advice = _instead(one, scope, node.name)
        else:
            continue
        said.add(folded)
        yield one.say(not_there, message, node, advice)


#: What people take for the name of an ad.
_NO_SCOPES: Final = frozenset(("job", "schedd", "slot", "machine", "startd"))


def _no_scope(one: MacroExpression) -> Iterator[Diagnostic]:
    """``JOB.Owner``, where only submit requirements call the job so; the first one."""
    if one.part is not None or (one.use.my == "schedd" and one.use.at_submission):
        return
    for node in one.references:
        base = node.base
        if node.scope not in _NO_SCOPES or _is_published(one.view, node.scope):
            continue
        assert isinstance(base, Reference)
        right = next((scope for scope, kind in _scopes(one) if kind == node.scope), None)
        advice = None if right is None else Meant(f"{right}.{node.name}", one.shown(node))
        message = f"`{one.shown(node)}` is undefined: {base.name} is no ad here"
        yield one.say(not_there, message, node, advice)
        return


def _scopes(one: MacroExpression) -> Iterator[tuple[str, str]]:
    """MY and TARGET with each name that their ads may be called by."""
    for scope, kind in (("MY", one.use.my), ("TARGET", one.use.target)):
        kind = "job" if kind == "request" else kind
        yield from ((scope, name) for name in (kind, *_ALSO.get(kind, ())))


_ALSO: Final = {"slot": ("machine", "startd")}


def _whereabouts(one: MacroExpression, row: Attribute) -> str:
    """Which ads have the attribute, or that it comes later."""
    if one.use.at_submission and row.ads.get("job") is Availability.LATER:
        return f"a job that was never started has no {row.name}"
    return f"{row.name} is in " + " and ".join(_OWNERS[kind] for kind in row.ads)


def _is_of_the_running_job(one: MacroExpression, row: Attribute, scope: str | None) -> bool:
    """Does START or RANK look at the job on the slot in place of the one that is offered?"""
    if scope != "my" or one.name.casefold() not in ("start", "rank"):
        return False
    if row.ads.get("slot") is not Availability.CLAIMED or "job" not in row.ads:
        return False
    folded = row.name.casefold()
    return not any(
        _refers(node.left, "target", folded) or _refers(node.right, "target", folded)
        for node in one.comparisons
        if _refers(node.left, "my", folded) or _refers(node.right, "my", folded)
    )


def _refers(node: Node, scope: str, folded: str) -> bool:
    """Is ``MY.NAME`` or ``TARGET.NAME`` in it?"""
    found = (one for one in references(node) if one.name.casefold() == folded)
    return any(scope_of(one) == scope for one in found)


def _instead(one: MacroExpression, scope: str | None, name: str) -> str:
    """The other scope, if the attribute is there; else when the expression is evaluated."""
    other = {"my": "target", "target": "my"}.get(scope or "")
    if other is None or one.surroundings.look_up(other, name)[1] == UNDEFINED_ONLY:
        return f"{one.name} is evaluated {one.use.moment}"
    return f"did you mean `{other.upper()}.{name}`?"


_OWNERS: Final = {
    "slot": "the slot ad",
    "job": "the job ad",
    "schedd": "the schedd's ad",
    "submitter": "submitter ads",
}
_Found = tuple[Finding, str, Advice] | None


def _misplaced(one: MacroExpression, entry: Ephemeral, scope: str | None, safe: bool) -> _Found:
    name, setting, view = entry.name, one.setting, one.view
    use = None if setting.knob is None or not setting.knob.matches else setting.knob.use
    if use is None:
        local = entry.presence is Presence.CLAIM or entry.ad is AdKind.MATCH
        if local or entry.kept or safe:
            return None
        refused = setting.upper == "START" and entry.ad is AdKind.REQUEST
        help_text = "; the startd, without it, refuses the claim" if refused else ""
        message = f"`{name}` does not exist for {setting.name}"
        side = "request" if entry.ad is AdKind.REQUEST else "slot ad"
        where = f"the negotiator adds it to the {side} while it matches"
        return ELSEWHERE, message, where + help_text
    grouped = entry.presence in (Presence.GROUPS, Presence.PREEMPTION_GROUPS)
    known = not view.extends_unread  # else the file to which it adds may have what is lacking
    if grouped and not view.groups and not safe and known:
        return NOT_NOW, f"`{name}` is undefined: GROUP_NAMES is empty", None
    crossing = bool(view.value(matching.NEGOTIATOR_CROSS_SLOT_PRIOS))
    if entry.presence is Presence.CROSS_SLOT and not crossing and known:
        return NOT_NOW, f"`{name}` needs NEGOTIATOR_CROSS_SLOT_PRIOS", None
    wrong = {AdKind.REQUEST: "my", AdKind.SLOT: "target"}.get(entry.ad)
    if scope is not None and scope == wrong:
        right = "TARGET" if wrong == "my" else "MY"
        return WRONG_AD, f"`{scope.upper()}.{name}` is undefined", f"it is `{right}.{name}`"
    safe = safe or use.claimed_only or entry.name == "CurrentRank"
    if entry.presence in _WHEN_USED and not safe:
        message = f"`{name}` makes {setting.name} undefined for slots that are free"
        return UNGUARDED, message, f"test it: `ifThenElse(isUndefined({name}), ..., ...)`"
    return None


def _unknown(one: MacroExpression, name: str, *, asked: bool) -> _Found:
    """``asked``: it is said to be missing in some ads, and may be somebody's own."""
    folded, view, is_macro = name.casefold(), one.view, one.view.config.lookup(name) is not None
    if _is_published(view, folded):
        return None
    if one.part is not None and folded in one.surroundings.published:
        return None
    if folded in _HELPERS and is_macro:
        message = f"`{name}` is a macro, and no attribute that {one.name} could see"
        return UNKNOWN_ATTRIBUTE, message, Meant(f"$({name})", name)
    if is_macro:
        return None
    renamed = find_renamed(name)
    if renamed is not None:
        now, since = renamed[0].name, renamed[1]
        help_text = f"since {since} it is `{now}`" if since else f"it is `{now}` now"
        return OLD_NAME, f"`{name}` is an old name", help_text
    whole = folded in NOTHINGS and isinstance(bare(one.tree), Reference)
    published = whole and one.use.wanted is Wanted.ANY  # a text without quotes
    if published or find_attribute(name) is not None or find_ephemeral(name) is not None:
        return None
    meant = _WORDS.get(folded) or attribute_of_command(name) or _near(one, name)
    if one.use.my == "either" and meant and squeezed(meant) == squeezed(name):
        return None  # a gateway's ad has grid_resource
    meant = "0" if whole and one.use.wanted is Wanted.NUMBER else meant
    # Users may well have an attribute of their own whose name is longer or shorter.
    if meant is None and not asked:
        meant = begun(name, vocabulary(known_attributes()).beginning_as(name))
    if meant is None:
        kinds = {"job" if it == "request" else it for it in (one.use.my, one.use.target)}
        usual = _usual(frozenset(kinds))
        short = _OF_ONES_OWN.match(name) is None
        long = asked or len(words(name)) > _FEW_WORDS
        meant = inflected(name, usual) if long else None
        meant = meant if meant or asked else meant_by_words(name, usual, shorter=short)
        if meant is None and not asked and not _is_of_ones_own(one, name):
            meant = reordered(name, vocabulary(known_attributes()))
    if meant is None and not asked and len(name) >= _VERY_LONG:
        # Nobody has attributes of their own that are so like those of the negotiator.
        alike = (row.name for row in EPHEMERAL if is_one_place(name, row.name))
        meant = next(alike, None)
    if meant is None and one.part is not None:
        own = with_other_end(name, one.own_names)
        meant = None if own is None or one.view.uses(own) else own
    meant = meant or _spelled_before(one, name)
    if meant is None or (squeezed(name) == squeezed(meant) and is_one_of_some(one.tree, name)):
        return None
    return UNKNOWN_ATTRIBUTE, f"unknown attribute `{name}` in {one.name}", Meant(meant, name)


def _is_of_ones_own(one: MacroExpression, name: str) -> bool:
    """Does another name that nobody knows begin with the same word, as names of one site do?"""
    first, known = words(name)[:1], vocabulary(known_attributes())
    others = {node.name for node in one.references if words(node.name)[:1] == first}
    return any(find_attribute(it) is None and reordered(it, known) is None for it in others)


@cache
def _usual(kinds: frozenset[str]) -> Vocabulary:
    """The attributes that ads of some kinds have."""
    return Vocabulary(names_in(kinds))


def _near(one: MacroExpression, name: str) -> str | None:
    """The attribute that a name is a slip of: of the configuration, which may have a shorter name,
    or of the tables, as these spell it."""
    own = near(name, vocabulary(one.own_names))
    own = own or (suggest(name, one.own_names) if len(name) >= _OWN_LENGTH else None)
    row = None if own is None else find_attribute(own)
    own = own if row is None else row.name  # not Requestgpus
    return own or near(name, vocabulary(known_attributes())) or _nearly(name)


def _spelled_before(one: MacroExpression, name: str) -> str | None:
    """What an expression above has in its place with a letter more, less or exchanged: a name of
    the site's own in two spellings."""
    if len(name) < _LONG or not name.isalpha():
        return None
    folded = name.casefold()
    plural = {f"{folded}s", folded.removesuffix("s"), folded}
    by_length = one.view.plain_words
    alike = (by_length.get(len(name) + more, ()) for more in (-1, 0, 1))
    found = suggest(name, (word for words in alike for word in words if word not in plural))
    if found is None or find_attribute(found) is not None:
        return None
    if len(found) == len(name) and sorted(found) != sorted(folded):
        return None  # another letter may be meant
    for setting in one.view.settings:
        used = re.findall(rf"(?i)\b(?:{name}|{found})\b", setting.entry.raw)
        if used:
            return None if used[0].casefold() == folded else str(used[0])
    return None


def _nearly(name: str) -> str | None:
    """The usual attribute that a short name is a slip of: two letters exchanged, one too many or
    too few, or, from six letters on, one wrong."""
    folded = name.casefold()
    if not _SHORT[0] <= len(name) < _SHORT[1]:
        return None
    usual = names_in(frozenset(("slot", "job")))
    return next((known for known in usual if _is_slip(folded, known.casefold())), None)


def _is_slip(name: str, known: str) -> bool:
    if name[0] != known[0] or len(known) < _SHORT[0]:
        return False
    if len(name) != len(known):
        shorter, longer = sorted((name, known), key=len)
        return any(longer[:at] + longer[at + 1 :] == shorter for at in range(len(longer)))
    wrong = [at for at, (a, b) in enumerate(zip(name, known, strict=True)) if a != b]
    if len(wrong) == 2 and wrong[1] == wrong[0] + 1:
        return name[wrong[0]] == known[wrong[1]] and name[wrong[1]] == known[wrong[0]]
    return len(wrong) == 1 and len(name) >= _LONG_ENOUGH


def _is_published(view: View, folded: str) -> bool:
    """Does the configuration define an attribute of this name, for some daemon?"""
    return folded in view.of_macro or folded in view.published or folded.startswith(view.prefixes)


@finding(
    "P406",
    "a function that does not exist, or with a wrong number of arguments",
    "Such a call is an error value, and so is nearly everything computed from it.",
    "NEGOTIATOR_PRE_JOB_RANK = ifThen(PartitionableSlot, 1, 0)\n",
    "NEGOTIATOR_PRE_JOB_RANK = ifThenElse(PartitionableSlot, 1, 0)\n",
    per=Per.CALL,
    severity=ERROR,
)
def unknown_function(one: MacroExpression, node: Call) -> Iterator[Diagnostic]:
    folded, declared = node.name.casefold(), load().get(node.name.casefold())
    if folded in _DAEMON_FUNCTIONS:
        return
    if declared is None:
        meant = _ELSEWHERE_CALLED.get(folded)
        meant = meant or suggest(node.name, [known.name for known in load().values()])
        advice = None if meant is None else Meant(meant, node.name)
        yield one.say(unknown_function, f"no function `{node.name}`", node, advice)
    elif not declared.accepts(len(node.args)):
        message = f"`{node.name}` takes {_arguments(declared)}, not {len(node.args)}"
        yield one.say(unknown_function, message, node)


def _arguments(declared: Builtin) -> str:
    """How many arguments a function takes, in words."""
    if declared.max_args == 0:
        return "no argument"
    if declared.arity != "1":
        return f"{declared.arity} arguments"
    of_list = any(f"{declared.name}({{" in example for example in declared.examples)
    return "1 argument, a list" if of_list else "1 argument"
