"""Writes counterexamples as text and as JSON data.

Inputs: an ``Outcome``.  Outputs: lines; plain data for JSON.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from attr import Factory, frozen

from pieslice.data import JsonObject
from pieslice.fuzzing.finding import Finding, Step
from pieslice.fuzzing.search import Outcome
from pieslice.reports.layout import wrap
from pieslice.reports.versions import version_data
from policy.versions import Followed


@frozen
class Reading:
    """How a policy is read: where it is, the options of reading as words, by which version."""

    path: str
    options: tuple[str, ...] = ()
    followed: Followed = Factory(Followed)


def outcome_lines(outcome: Outcome, policy: Reading, seed: int, width: int) -> Iterator[str]:
    """Everything as text."""
    yield f"{policy.path}: {policy.followed}"
    for finding in outcome.findings:
        yield from finding_lines(finding, policy, width)
        yield ""
    kept = [
        name for name, _ in outcome.tested if name not in {f.property for f in outcome.findings}
    ]
    pairs = f"{outcome.examples:,} pairs, seed {seed}"
    if outcome.findings:
        broken = ", ".join(dict.fromkeys(finding.property for finding in outcome.findings))
        yield f"broken: {broken} ({pairs})"
    if kept:
        yield f"no counterexample: {', '.join(kept)}" + ("" if outcome.findings else f" ({pairs})")


def finding_lines(finding: Finding, policy: Reading, width: int) -> Iterator[str]:
    """One counterexample."""
    yield from wrap(f"{finding.property}: {finding.says}", width, "  ")
    yield f"  {finding.macro}, {finding.place}"
    yield from wrap(f"  clause: {' '.join(finding.clause.split())}", width, "    ")
    for number, step in enumerate(finding.steps, 1):
        head = f"{number}. " if len(finding.steps) > 1 else ""
        when = f"after {step.at} s " if step.at else ""
        yield f"  {head}{when}{step.sentence}"
        for title, values in ((step.side, step.my), ("job", step.target)):
            for name, value in _plain(step, values).items():
                yield f"     {title:>5}  {name} = {value}"
        for name in sorted(step.added):
            value = step.my.get(name, step.target.get(name, ""))
            yield f"     cycle  {name} = {value}"
    found = commands(finding, policy)
    if found:
        yield "  replay:"
    for line in found:
        yield from _continued(line, width)


def _continued(line: str, width: int) -> Iterator[str]:
    """A command for a shell, its lines ended by backslashes between words."""
    text = "    "
    for word in map(shlex.quote, shlex.split(line)):
        if text.strip() and len(text) + len(word) + 3 > width:
            yield f"{text} \\"
            text = f"      {word}"
        else:
            text += f" {word}" if text.strip() else word
    yield text


def _plain(step: Step, values: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if name not in step.added}


def commands(finding: Finding, policy: Reading) -> list[str]:
    """A command for each step that evaluates it again."""
    return [command(step, policy) for step in finding.steps if step.value]


def command(step: Step, policy: Reading) -> str:
    """The command that evaluates a step again."""
    words = ["pieslice", "policy", "eval", step.policy or policy.path, step.macro, *policy.options]
    if step.define:
        words += ["-D", f"{step.macro}={step.define}"]
    for scope, values in (("MY", step.my), ("TARGET", step.target)):
        for name, value in values.items():
            words += ["-a", f"{name if name in step.added else f'{scope}.{name}'}={value}"]
    words += ["--now", str(step.now)]
    return shlex.join(words)


def outcome_data(outcome: Outcome, policy: Reading, seed: int) -> JsonObject:
    """Everything as plain data."""
    return {
        "policy": policy.path,
        **version_data(policy.followed),
        "seed": seed,
        "pairs": outcome.examples,
        "properties": [{"name": name, "says": says} for name, says in outcome.tested],
        "counterexamples": [_finding_data(finding, policy) for finding in outcome.findings],
    }


def _finding_data(finding: Finding, policy: Reading) -> JsonObject:
    return {
        "property": finding.property,
        "macro": finding.macro,
        "place": finding.place,
        "clause": finding.clause,
        "says": finding.says,
        "steps": [
            {
                "after": step.at,
                "now": step.now,
                "macro": step.macro,
                "says": step.sentence,
                "value": step.value,
                "slot" if step.side == "slot" else "my": _plain(step, step.my),
                "job": _plain(step, step.target),
                "cycle": {
                    name: step.my.get(name, step.target.get(name)) for name in sorted(step.added)
                },
                "replay": command(step, policy) if step.value else None,
            }
            for step in finding.steps
        ],
    }
