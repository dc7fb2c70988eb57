"""Lists the findings of ``pieslice check``, or explains some: ``pieslice rules``.

Inputs: numbers of findings.  Outputs: their titles, or what they mean with examples.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pieslice.command_line import EXIT_OK
from pieslice.inputs.configuration import Misuse, guarded
from pieslice.inputs.options import add_width

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands
    from policy.lint.finding import Finding


def add_commands(subcommands: Subcommands) -> None:
    """Add ``rules``."""
    rules = subcommands.add_parser(
        "rules",
        help="list what check looks for, or explain a finding",
        description="List the numbered findings of `pieslice check`, or say what some of them"
        " mean, with a configuration that has it and one that does not.",
        examples=(
            ("pieslice rules", "all findings"),
            ("pieslice rules P505", "what one of them means"),
        ),
    )
    rules.add_argument("ids", nargs="*", metavar="ID", help="the number of a finding, such as P505")
    rules.add_argument("--json", action="store_true", help="print JSON")
    add_width(rules)
    rules.set_defaults(run=_rules)


@guarded
def _rules(args: argparse.Namespace) -> int:
    from pieslice.policies.documents import RuleListing
    from pieslice.policies.texts import wrapped_lines
    from pieslice.reports.output import chosen_width
    from policy.lint.findings import FINDINGS

    found = [*map(finding_of, args.ids)] or [*FINDINGS.values()]
    if args.json:
        sys.stdout.write(RuleListing(found).to_json())
        return EXIT_OK
    lines = _explained(found) if args.ids else _titles(found)
    width = chosen_width(args, sys.stdout)
    sys.stdout.writelines(f"{line}\n" for line in wrapped_lines(lines, width))
    return EXIT_OK


def finding_of(text: str) -> Finding:
    """The finding of a number; raises ``Misuse``."""
    from pieslice.reports.names import did_you_mean
    from policy.lint.findings import FINDINGS

    found = FINDINGS.get(text.upper())
    if found is None:
        hint = did_you_mean(text.upper(), FINDINGS) or "; `pieslice rules` lists them"
        raise Misuse(f"there is no finding `{text}`{hint}")
    return found


def _titles(findings: Sequence[Finding]) -> Iterator[str]:
    return (f"{one.id} {one.severity:<7} {one.title}" for one in findings)


def _explained(findings: Sequence[Finding]) -> Iterator[str]:
    for place, one in enumerate(findings):
        if place:
            yield ""
        yield from explanation(one)


def explanation(finding: Finding) -> Iterator[str]:
    """What a finding means, as lines."""
    yield f"{finding.id} {finding.severity}: {finding.title}"
    yield f"  {' '.join(finding.doc.split())}"
    for title, text in (("wrong", finding.bad), ("right", finding.good)):
        yield f"  {title}:"
        yield from (f"    {line}" for line in text.rstrip("\n").split("\n"))
    if finding.observed:
        yield f"  observed: {' '.join(finding.observed.split())}"
