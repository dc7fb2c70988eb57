"""Writes the knob reference, ``docs/knobs.md``, from the declarations.

``python -m docs.written knobs`` prints it.

Inputs: ``policy.knobs`` and ``policy.ephemeral``.  Outputs: the page as Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from policy.data.tables import meanings
from policy.ephemeral import EPHEMERAL, Ephemeral
from policy.knobs import KNOBS, declared
from policy.knobs import cycle as knobs_cycle
from policy.knobs import matching as knobs_matching
from policy.knobs import shares as knobs_shares
from policy.knobs.declaration import Knob, Need
from policy.knobs.parameters import find_parameter

_INTRODUCTION = """\
<!-- Written by `python -m docs.written knobs`; edit the declarations in policy/knobs. -->

# Knobs

Every configuration macro that influences a negotiation cycle, as HTCondor 25.14.1 reads it, and
whether `pieslice negotiate` acts on it. Defaults are the raw texts of HTCondor's parameter table;
"(program)" marks a default that stands in the program instead, so that `condor_config_val` calls
the macro not defined.

`condor_negotiator` aborts with exit status 4 at an invalid value unless the table says it goes
on. pieslice reports the place, uses the default and goes on.
"""

_SECTIONS = (
    ("Matching", knobs_matching),
    ("Shares: priorities, quotas, limits", knobs_shares),
    ("The course of a cycle", knobs_cycle),
)

_OTHERS = """\
## All other macros

They have no part in a negotiation cycle. Defaults are those of HTCondor's parameter table; "none"
marks a macro that only the programs know. `pieslice config info KNOB` prints the same.
"""

_EPHEMERAL = """\
## Attributes the negotiator adds

These exist only while a cycle runs; expressions of the negotiator, and the job's own Rank and
Requirements, may refer to them. "32-bit" marks values that went through single precision.
"""


def knob_page() -> str:
    """The whole page."""
    parts = [_INTRODUCTION]
    for title, module in _SECTIONS:
        parts.append(f"## {title}\n")
        parts.append("\n".join(_table(declared(module))) + "\n")
    parts.append("## Not honoured\n")
    parts.append("\n".join(_missing()) + "\n")
    parts.append(_OTHERS)
    parts.append("\n".join(_other_macros()) + "\n")
    parts.append(_EPHEMERAL)
    parts.append("\n".join(_attributes(EPHEMERAL)) + "\n")
    return "\n".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _table(knobs: Iterable[Knob]) -> Iterator[str]:
    yield "| Knob | Type | Default | Meaning | Honoured |"
    yield "|---|---|---|---|---|"
    for knob in knobs:
        honoured = "yes" if knob.honoured else "no"
        if knob.need is Need.IRRELEVANT:
            honoured = "no effect on one cycle"
        cells = (f"`{knob.name}`", _type(knob), _default(knob), _meaning(knob), honoured)
        yield "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _other_macros() -> Iterator[str]:
    yield "| Macro | Type | Default | Read by | Meaning |"
    yield "|---|---|---|---|---|"
    for name in meanings():
        known = find_parameter(name)
        if known is None or name.casefold() in KNOBS:
            continue
        kind = ", ".join(part for part in (known.type, known.range, known.unit) if part)
        default = "none" if known.default is None else _code(known.default)
        cells = (f"`{name}`", kind, default, known.reader, known.doc)
        yield "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _code(text: str) -> str:
    joined = " ".join(text.split())
    return f"`{joined}`" if joined else "empty"


def _type(knob: Knob) -> str:
    parts = [knob.kind.value]
    if knob.minimum is not None and knob.maximum is not None:
        parts.append(f"{knob.minimum:g} to {knob.maximum:g}")
    elif knob.minimum is not None:
        parts.append(f"from {knob.minimum:g}")
    if knob.unit:
        parts.append(knob.unit)
    return ", ".join(parts)


def _default(knob: Knob) -> str:
    if knob.default is None:
        return "none"
    shown = f"`{knob.default}`" if knob.default else "empty"
    return shown if knob.in_table else f"{shown} (program)"


def _meaning(knob: Knob) -> str:
    sentences = [knob.doc, knob.differs]
    if knob.read_by != "NEGOTIATOR":
        sentences.append(f"read by the {knob.read_by.lower()}")
    if not knob.fatal and knob.need is not Need.IRRELEVANT:
        sentences.append("the daemon goes on after an invalid value")
    return "; ".join(sentence for sentence in sentences if sentence)


def _missing() -> Iterator[str]:
    """What changes a cycle of HTCondor and not one of pieslice."""
    for _, module in _SECTIONS:
        for knob in declared(module):
            if not knob.honoured and knob.need is not Need.IRRELEVANT:
                yield f"- `{knob.name}`: {knob.reason}"


def _attributes(entries: Iterable[Ephemeral]) -> Iterator[str]:
    yield "| Attribute | Type | In the | There when | Meaning |"
    yield "|---|---|---|---|---|"
    for entry in entries:
        kind = ", ".join(part for part in (entry.type, entry.unit) if part)
        if entry.rounded:
            kind += ", 32-bit"
        cells = (f"`{entry.name}`", kind, entry.ad.value, entry.presence.value, entry.doc)
        yield "| " + " | ".join(_cell(cell) for cell in cells) + " |"
