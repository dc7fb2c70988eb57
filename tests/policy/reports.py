"""Prints what check says of every bad policy of the corpus: ``python -m tests.policy.reports``.

The output is kept in ``corpus/reports.txt``, which a test compares: a change of a message, a place,
a severity, a help or a verdict shows in the diff.
"""

from __future__ import annotations

import sys
from pathlib import Path

from policy.config import load_config
from policy.io import builtin_library
from policy.language.sources import MemorySources
from policy.language.table import Context
from policy.lint.findings import FINDINGS
from policy.lint.verdict import examine

CORPUS = Path(__file__).parent / "corpus"
KEPT = CORPUS / "reports.txt"


def report(text: str) -> str:
    """The findings in a configuration and what becomes of the daemons."""
    config = load_config(
        "pool.conf",
        MemorySources({"pool.conf": text}),
        builtin_library(),
        context=Context("NEGOTIATOR"),
        keep_going=True,
        leave_out=True,
    )
    examined = examine(config, asked=True)
    verdicts = (verdict.text for verdict in examined.verdicts if verdict.qualified)
    return "\n".join([*(item.render() for item in examined.findings), *verdicts])


def reports() -> str:
    """Everything that is kept."""
    texts = {path.name: path.read_text("utf-8") for path in sorted(CORPUS.glob("bad/*.conf"))}
    texts |= {finding.id: finding.bad for finding in FINDINGS.values()}
    return "\n".join(f"==> {name}\n{report(text)}\n" for name, text in texts.items())


if __name__ == "__main__":
    sys.stdout.write(reports())
