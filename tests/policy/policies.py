"""Writes what the small policies of ``corpus/policies.txt`` come to.

A case is a configuration of a few lines (``%%`` as in ``tables.py``), and behind ``>`` what comes
of it beyond the policy without any settings: fields, findings, settings that are not acted upon,
sentences of the explanation with their places, differences, values as the tools have them.  An
empty line ends a case; ``python -m tests.policy.policies`` writes the file anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from attr import fields

from classad.errors import Diagnostic
from policy.config import Config
from policy.data.tables import builtin_table
from policy.explain.difference import compare
from policy.explain.explanation import explain_others, explain_policy, only_set
from policy.explain.sentences import Sentence
from policy.explain.settings import changed
from policy.groups import EffectiveQuotas, GroupSpec
from policy.knobs.tool_values import table_row, tool_value
from policy.language.table import Context
from policy.load import PolicyLoad, load_policy
from policy.model import NegotiatorPolicy
from tests.policy.tables import Case, read, taken_apart, visible
from tests.policy.tables import cases as cases_of

POLICIES = Path(__file__).parent / "corpus" / "policies.txt"
#: Names of limits that every policy is asked for.
_LIMITS = ("a", "A.b", "a.q", "q.a", "x.y", "X.z", "z.x", "other")


def cases() -> Iterator[Case]:
    """All cases, in the order of the file."""
    return cases_of(POLICIES)


#: Policies from which others are told: without settings, with a group, with preemption.
_BASES = (
    "",
    "GROUP_NAMES = g\nGROUP_QUOTA_g = 1\n",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio\n",
)


@cache
def _base(number: int) -> tuple[Config, PolicyLoad, tuple[Sentence, ...]]:
    context = Context("NEGOTIATOR")
    config = read(taken_apart(_BASES[number])._replace(context=context))
    loaded = load_policy(config)
    return config, loaded, explain_policy(config, loaded)


def said(text: str) -> str:
    """What the policy of a configuration comes to."""
    if text.startswith("%% each"):
        return "".join(f"> {line} => {_alone(line)}\n" for line in text.splitlines()[1:])
    setup = taken_apart(text)
    context = Context("NEGOTIATOR") if setup.context == Context() else setup.context
    config = read(setup._replace(context=context))
    loaded = load_policy(config, local_name=context.local_name)
    if "%% all" in text:
        bases = (_base(number)[2] for number in range(3))
        return "".join(f"> {_sentence(one, False)}\n" for it in bases for one in it)
    lines = [
        *_fields(loaded.policy),
        *(_finding("", found) for found in config.diagnostics),
        *(_finding("", found) for found in loaded.diagnostics),
        *(f"not acted upon: {one.macro} = {one.text}: {one.reason}" for one in loaded.unsupported),
        *_explained(config, loaded),
        *_compared(config),
        *_values(config),
    ]
    if not loaded.daemon_starts:
        lines.append("the negotiator does not start")
    return "".join(f"> {visible(line)}\n" for line in lines) or "> nothing\n"


def _alone(line: str) -> str:
    """The fields that a line changes, and what is found in it."""
    setup = taken_apart(f"{line}\n")._replace(context=Context("NEGOTIATOR"))
    loaded = load_policy(read(setup))
    ignored = (f"not acted upon: {one.macro} = {one.text}" for one in loaded.unsupported)
    found = (_finding("", item) for item in loaded.diagnostics)
    return "; ".join([*_fields(loaded.policy), *found, *ignored]) or "nothing"


def _finding(head: str, found: Diagnostic) -> str:
    place = f"{found.line}:{found.column}+{found.end - found.start}" if found.source else "nowhere"
    text = found.message if found.help is None else f"{found.message} -- {found.help}"
    return f"{head}! {found.severity} {found.id or ''} {place} {text}"


def _fields(policy: NegotiatorPolicy) -> Iterator[str]:
    usual = _base(0)[1].policy
    for one in fields(NegotiatorPolicy):
        value, other = getattr(policy, one.name), getattr(usual, one.name)
        if one.name == "groups":
            yield from (f"{'.' * 3} {_group(group)}" for group in value)
        elif one.name == "concurrency_limits":
            limits = [f"{name} {value.maximum(name):g}" for name in _LIMITS]
            if limits != [f"{name} {other.maximum(name):g}" for name in _LIMITS]:
                maxima, defaults = dict(value.maxima), dict(value.set_defaults)
                yield f"limits: {', '.join(limits)}; {maxima} {defaults}"
        elif one.name == "user_maps":
            yield from (f"map {name} {sorted(value[name])}" for name in value)
        elif _shown(value) != _shown(other):
            yield f"{one.name}: {_shown(value)}"


def _group(group: GroupSpec) -> str:
    shown = [f"group {group.name} of {group.parent}: {list(group.children)}"]
    for name in ("static_quota", "dynamic_quota", "prio_factor"):
        value = getattr(group, name)
        shown += [] if value is None else [f"{name} {value:g}"]
    shown += [name for name in ("accept_surplus", "autoregroup") if getattr(group, name)]
    return ", ".join(shown)


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))})"
    return repr(value) if isinstance(value, str) else str(value)


def _explained(config: Config, loaded: PolicyLoad) -> Iterator[str]:
    """The sentences that the policy without any has not, and whether files have a part in them."""
    quotas = None
    if loaded.policy.groups:
        names = [group.name for group in loaded.policy.groups]
        own = {name: 10.0 / (1 + at) for at, name in enumerate(names)}
        quotas = EffectiveQuotas(40.0, own, {name: 2.0 * own[name] for name in own})
    told = explain_policy(config, loaded)
    set_here = only_set(told)
    usual = min((_base(number)[2] for number in range(3)), key=lambda it: len({*it} ^ {*told}))
    yield from (_sentence(one, one in set_here) for one in told if one not in usual)
    gone = [one.text[:20] for one in usual if one not in told]
    yield from [f"gone: {len(gone)}, {gone[0]}"] if gone else []
    numbers = explain_policy(config, loaded, quotas) if quotas else told
    yield from (f"with numbers: {one.text}" for one in numbers if one not in told)
    yield from (_sentence(one, one in set_here) for one in explain_others(config, told))


def _sentence(one: Sentence, is_set: bool) -> str:
    title = one.topic.partition(" ")[0]
    places = (f"{it.knob} {it.place()}" if it.file else it.knob for it in one.origins)
    origins = ", ".join(dict.fromkeys(places))
    mark = "-" if is_set else "~"
    text = one.text if len(one.text) < 120 else f"{one.text[:80]}...{one.text[-30:]}"
    return f"{mark} {title}: {'. ' * one.depth}{text} [{origins}]"


def _compared(config: Config) -> Iterator[str]:
    found = compare(_base(0)[0], config)
    for one in found.different:
        reader = one.doc.rpartition(";")[2] if "; " in one.doc else ""
        yield f"differs: {one.macro}: {one.left} | {one.right}{reader}"
    more = compare(_base(0)[0], config, everything=True).different[len(found.different) :]
    yield from (f"reworded: {name}" for name in found.reworded)
    yield from (f"beyond: {name}" for name in found.beyond)
    yield from (f"beyond: {one.macro}: {one.left} | {one.right}" for one in more)


def _values(config: Config) -> Iterator[str]:
    """Values as the tools read them, by the type in the table."""
    for one in changed(config):
        row = table_row(one.name, builtin_table())
        if row is not None and row.type and one.value is not None:
            yield f"as a tool: {one.name} {tool_value(config, one.name, row)!r}"


def write(of: Iterable[Case]) -> None:
    """Write the cases with what is said of them now."""
    written = [case._replace(said=said(case.config)).written for case in of]
    POLICIES.write_text("\n".join(written), encoding="utf-8")


if __name__ == "__main__":
    write(cases())
