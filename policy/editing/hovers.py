"""Tells what is known of the word at a character: its meaning, its bounds, its value here.

Inputs: a ``Config``, a text of it as it is now, an offset; how many ads of a pool have which
attributes.  Outputs: ``Hover``, words for people without any markup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import inf
from typing import Final

from attr import frozen

from classad.evaluation.functions import lookup_function
from classad.source import Source
from policy.attributes import Attribute, Availability, find_attribute
from policy.config import Config
from policy.editing.subjects import Subject, SubjectKind, choice_of, reader_of, subject_at, use_of
from policy.editing.texts import Kind, tokens, word_at
from policy.ephemeral import Ephemeral, find_ephemeral
from policy.explain.settings import counting
from policy.groups import read_groups
from policy.history import templates_of
from policy.knobs.declaration import Use
from policy.knobs.parameters import find_parameter
from policy.knobs.readers import find_readers
from policy.language.macros import ExpansionError
from policy.lint.findings import FINDINGS

#: Kind of ad -> attribute, spelled as there -> how many ads have it.
Ads = Mapping[str, Mapping[str, int]]
NO_ADS: Final[Ads] = {}
#: A longer value is cut.
_SHOWN: Final = 400
#: So many definitions that one replaces are told.
_EARLIER: Final = 5
#: What an ad of ``Use`` is called.
_CALLED: Final = {
    "slot": "the slot", "job": "the job", "request": "the request of a job", "schedd": "the schedd",
    "submitter": "the submitter", "group": "the group", "either": "the slot or the job",
    "": "nothing",
}  # fmt: skip
#: The kinds of ads in the tables by what ``Use`` calls them.
KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "slot": ("slot",), "job": ("job",), "request": ("job",), "schedd": ("schedd",),
    "submitter": ("submitter",), "either": ("slot", "job"),
}  # fmt: skip
_WHEN: Final = {
    Availability.ALWAYS: "always",
    Availability.SOMETIMES: "sometimes",
    Availability.CLAIMED: "while somebody uses the slot",
    Availability.LATER: "not yet when the job is submitted",
}
#: The functions of configurations: what stands in the parentheses, and what comes of it.
OPERATIONS: Final = {
    "ENV": ("NAME:default", "the variable of the environment"),
    "INT": ("NAME,format", "the value of a macro as an integer"),
    "REAL": ("NAME,format", "the value of a macro as a real number"),
    "STRING": ("NAME,format", "the value of a macro evaluated to a string"),
    "EVAL": ("NAME", "the value of a macro evaluated as an expression"),
    "SUBSTR": ("NAME,start,length", "a part of the value of a macro"),
    "CHOICE": ("INDEX,item,item", "the item of a list at an index, from 0"),
    "RANDOM_CHOICE": ("item,item", "one of the items by chance, at each reading"),
    "RANDOM_INTEGER": ("low,high,step", "an integer by chance, at each reading"),
    "BASENAME": ("NAME", "the last part of a path"),
    "DIRNAME": ("NAME", "a path without its last part"),
    "F": ("NAME", "parts of a path: p folder, n name, x extension, d last folder, q quoted, ..."),
}


@frozen
class Hover:
    """What is said of the word at ``start:end``: a heading of code, sentences, facts by label.

    ``example``: lines of code.
    """

    start: int
    end: int
    heading: str
    text: str
    facts: tuple[tuple[str, str], ...] = ()
    example: tuple[str, ...] = ()


def hover(config: Config, source: Source, offset: int, ads: Ads = NO_ADS) -> Hover | None:
    """What is known of the word at a character; None where nothing is."""
    subject = subject_at(config, source, offset)
    if subject is None:
        return None
    return _TELLERS[subject.about](config, subject, ads)


def expression_hover(text: str, offset: int, ads: Ads = NO_ADS) -> Hover | None:
    """What is known of the word at a character of an expression, or of ads."""
    token = word_at(tokens(text, 0, len(text)), offset)
    if token is None:
        return None
    if token.kind is Kind.FUNCTION:
        return function_hover(token.text, token.start, token.end)
    is_name = token.kind is Kind.ATTRIBUTE
    return attribute_hover(token.text, ads, token.start, token.end) if is_name else None


def _macro(config: Config, subject: Subject, _: Ads) -> Hover:
    return macro_hover(config, subject.name, subject.start, subject.end)


def macro_hover(config: Config, name: str, start: int = 0, end: int = 0) -> Hover:
    """What is known of a macro, whether it is set or not."""
    setting = reader_of(config, name)
    known, readers = find_parameter(setting.macro, config.version), find_readers(setting.macro)
    facts: list[tuple[str, str]] = []
    text = "a macro of this configuration"
    if known is not None:
        text = known.doc
        parts = (known.type, known.range and f"range {known.range}", known.unit)
        facts.append(("type", ", ".join(filter(None, parts))))
        default = "none" if known.default is None else known.default or "empty"
        facts.append(("default", _short(default)))
    daemons = sorted(readers.daemons) if readers is not None else [known.reader] if known else []
    if daemons:
        facts.append(("read by", ", ".join(daemons)))
    choice = choice_of(name)
    if choice is not None:
        facts.append(("values", _short(", ".join(choice.words))))
    use = use_of(config, name)
    if use is not None:
        facts.append(("evaluated", _evaluated(use)))
    facts += _value(setting.config, setting.macro)
    return Hover(start, end, name, text, tuple(facts))


def _evaluated(use: Use) -> str:
    target = f", TARGET {_CALLED.get(use.target, use.target)}" if use.target else ""
    when = f"; {use.moment}" if use.moment else ""
    return f"MY is {_CALLED.get(use.my, use.my)}{target}{when}"


def _value(reader: Config, macro: str) -> Iterator[tuple[str, str]]:
    """The value that a macro has here, where it was set, and what that replaced."""
    written = reader.lookup(macro)
    if written is None:
        yield "value here", "not defined"
        return
    definition = counting(reader, written)
    try:
        yield "value here", _short(reader.expand(definition).text) or "empty"
    except ExpansionError as endless:
        yield "value here", str(endless)
    yield "set at", definition.place()
    earlier = list(written.chain())[1:]
    for one in earlier[:_EARLIER]:
        yield "replaces", f"{_short(one.raw) or 'empty'} ({one.place()})"
    if len(earlier) > _EARLIER:
        yield "replaces", f"{len(earlier) - _EARLIER} more"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _group(config: Config, subject: Subject, _: Ads) -> Hover:
    groups = read_groups(config).groups
    wanted = subject.name.casefold()
    found = next((one for one in groups if one.name.casefold() == wanted), None)
    if found is None:
        text = "an accounting group that GROUP_NAMES does not have"
        return Hover(subject.start, subject.end, subject.name, text)
    facts = []
    if found.static_quota is not None:
        facts.append(("quota", f"{found.static_quota:g} weighted slots"))
    elif found.dynamic_quota is not None:
        facts.append(("quota", f"{found.dynamic_quota:g} of its parent's"))
    facts.append(("accepts surplus", "yes" if found.accept_surplus else "no"))
    facts.append(("negotiates once more without a group", "yes" if found.autoregroup else "no"))
    if found.prio_factor is not None:
        facts.append(("priority factor", f"{found.prio_factor:g}"))
    below = [groups[at].name for at in found.children]
    if below:
        facts.append(("groups below it", ", ".join(below)))
    return Hover(subject.start, subject.end, found.name, "an accounting group", tuple(facts))


def _attribute(config: Config, subject: Subject, ads: Ads) -> Hover | None:
    found = attribute_hover(subject.name, ads, subject.start, subject.end)
    if found is not None:
        return found
    if config.lookup(subject.name) is not None:
        return macro_hover(config, subject.name, subject.start, subject.end)
    return None


def attribute_hover(name: str, ads: Ads = NO_ADS, start: int = 0, end: int = 0) -> Hover | None:
    """What is known of an attribute of ads; None of one that is up to the user."""
    row, added = find_attribute(name), find_ephemeral(name)
    facts = [*_of_row(row)] if row is not None else []
    text = "an attribute of ads"
    if added is not None:
        text = added.doc
        facts = [*_of_ephemeral(added), *facts]
    for kind, counts in ads.items():
        spelled = next((one for one in counts if one.casefold() == name.casefold()), None)
        if spelled is not None:
            facts.append(("in the pool", f"in {counts[spelled]} ads of kind {kind}"))
    if row is None and added is None and not facts:
        return None
    spelling = row.name if row is not None else added.name if added is not None else name
    return Hover(start, end, spelling, text, tuple(facts))


def _of_row(row: Attribute) -> Iterator[tuple[str, str]]:
    kind = ", ".join(filter(None, (row.type, row.unit)))
    if kind:
        yield "type", kind
    low, high = row.range
    if (low, high) != (-inf, inf):
        above = "" if high == inf else f" to {high:g}"
        yield "range", f"{low:g}{above}" if above else f"from {low:g}"
    if row.spellings:
        yield "values", ", ".join(row.spellings)
    for kind, when in row.ads.items():
        yield f"in the ad of a {kind}", _WHEN[when]


def _of_ephemeral(added: Ephemeral) -> Iterator[tuple[str, str]]:
    yield "type", ", ".join(filter(None, (added.type, added.unit)))
    yield f"in the ad of the {added.ad.value}", f"during a cycle: {added.presence.value}"


def _function(_: Config, subject: Subject, ads: Ads) -> Hover | None:
    return function_hover(subject.name, subject.start, subject.end)


def function_hover(name: str, start: int = 0, end: int = 0) -> Hover | None:
    """What is known of a function of the ClassAd language."""
    found = lookup_function(name)
    if found is None:
        return None
    count = "1 argument" if found.arity == "1" else f"{found.arity} arguments"
    text = " ".join(found.doc.split())
    facts = (("undefined and error", found.exceptional),)
    return Hover(start, end, f"{found.name}({count})", text, facts, found.examples)


def _operation(_: Config, subject: Subject, ads: Ads) -> Hover | None:
    known = OPERATIONS.get(subject.name if subject.name in OPERATIONS else subject.name[:1])
    if known is None:
        return None
    heading = f"${subject.name}({known[0]})"
    return Hover(subject.start, subject.end, heading, known[1])


def _scope(config: Config, subject: Subject, ads: Ads) -> Hover:
    use, is_my = use_of(config, subject.holder), subject.name.casefold() == "my"
    heading = "MY" if is_my else "TARGET"
    text = f"nobody knows where {subject.holder} is evaluated"
    if use is not None:
        ad = use.my if is_my else use.target
        text = f"{_CALLED.get(ad, ad)} in {subject.holder}"
    moment = (("evaluated", use.moment),) if use is not None and use.moment else ()
    return Hover(subject.start, subject.end, heading, text, moment)


def _template(config: Config, subject: Subject, ads: Ads) -> Hover | None:
    found = templates_of(config.version).find(subject.scope, subject.name)
    if found is None:
        return None
    heading = f"use {found.category} : {found.name}"
    lines = tuple(line for line in found.text.splitlines() if not line.startswith("#"))
    text = "a template, which stands for these lines"
    return Hover(subject.start, subject.end, heading, text, (), lines)


def _finding(_: Config, subject: Subject, ads: Ads) -> Hover | None:
    found = FINDINGS.get(subject.name)
    if found is None:
        return None
    text = f"{found.title}. {' '.join(found.doc.split())}"
    return Hover(subject.start, subject.end, found.id, text)


def _word(_: Config, subject: Subject, ads: Ads) -> Hover | None:
    choice = choice_of(subject.holder)
    if choice is None:
        return None
    facts = (("values", ", ".join(choice.words)), ("another word", choice.otherwise))
    text = f"a word that {subject.holder} takes"
    return Hover(subject.start, subject.end, subject.name, text, facts)


_TELLERS: Final[Mapping[SubjectKind, Callable[[Config, Subject, Ads], Hover | None]]] = {
    SubjectKind.MACRO: _macro,
    SubjectKind.GROUP: _group,
    SubjectKind.ATTRIBUTE: _attribute,
    SubjectKind.FUNCTION: _function,
    SubjectKind.OPERATION: _operation,
    SubjectKind.SCOPE: _scope,
    SubjectKind.TEMPLATE: _template,
    SubjectKind.FINDING: _finding,
    SubjectKind.WORD: _word,
}
