"""Writes the explanations of ``explained.txt``: ``python -m tests.classad.explained``.

A case is an expression behind ``?``, and the lines of its explanation behind ``|``.  It is
evaluated for a job in a match with a slot; behind ``?1`` without a slot, behind ``?0`` without
either.  Expressions are written by hand, explanations are looked at when they change.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from classad import ClassAd
from classad.analysis.explain import explain

EXPLAINED = Path(__file__).parent / "explained.txt"
CLUSTER = '[Owner = Oner; Cmd = "c"; RequestDisk = 5]'
JOB = """[RequestMemory = 2048; Twice = RequestMemory * 2; Nested = [a = 1; b = cc; c = [d = a]];
    List = {1, x, RequestMemory + 1}; Loop = 1 + Loop; Ping = Pong; Pong = Ping; Empty = undefined;
    Bad = error; Text = "text"; Asks = TARGET.Rank; Half = 0.5; No = false; Deep = Twice + Twice;
    Long = "0123456789012345678901234567890123456789012345678901234567890123456789"]"""
SLOT = '[Memory = 4096; Rank = MY.Memroy * 2; Cpus = 8; Sees = TARGET.Twice; Name = "s"]'


def explained(question: str) -> str:
    """The case of a question, as it stands in the file."""
    sides, _, expression = question.partition(" ")
    job, slot = ClassAd(JOB), ClassAd(SLOT)
    job.chain(ClassAd(CLUSTER))
    my, target = (job if sides != "?0" else None), (slot if sides == "?" else None)
    lines = explain(expression, my, target).render().splitlines()
    return "\n".join([question, *(f"| {line}".rstrip() for line in lines)]) + "\n"


def questions() -> Iterator[str]:
    """The first lines of all cases."""
    for line in EXPLAINED.read_text(encoding="utf-8").splitlines():
        if line.startswith("?"):
            yield line


if __name__ == "__main__":
    EXPLAINED.write_text("\n".join(map(explained, questions())), encoding="utf-8")
