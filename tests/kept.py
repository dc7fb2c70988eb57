"""Writes kept answers anew: ``python -m tests.kept``, or ``python -m tests.kept policy lines``.

A kept answer is what a module of ``tests`` says of many inputs, as text; a test compares it.  After
a change that is meant to change answers run this, and read the diff as a user would: what it shows
is what the change does.  Words choose the modules that have one of them in their names.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
#: Who writes which files; of `answered` some are written by others below.
WRITERS: Final = {
    "tests.classad.bound": "tests/classad/bound.txt",
    "tests.classad.explained": "tests/classad/explained.txt",
    "tests.classad.kept_answers": "tests/classad/kept/*.txt",
    "tests.classad.worked": "tests/classad/worked.txt",
    "tests.negotiator.changed": "tests/negotiator/changed.txt",
    "tests.negotiator.numbers": "tests/negotiator/numbers.txt",
    "tests.negotiator.phrases": "tests/negotiator/phrases.txt",
    "tests.negotiator.reading": "tests/negotiator/reading.txt",
    "tests.negotiator.recorded": "tests/negotiator/recorded.txt",
    "tests.pieslice.answers": "tests/pieslice/answered/*.txt",
    "tests.pieslice.drawn_pools": "tests/pieslice/retold/drawn*.txt",
    "tests.pieslice.policy_answers": "tests/pieslice/answered/policies.txt",
    "tests.pieslice.retold": "tests/pieslice/retold/why*.txt",
    "tests.pieslice.searched": "tests/pieslice/answered/fuzz.txt",
    "tests.pieslice.shown": "tests/pieslice/answered/histories.txt",
    "tests.pieslice.simulations": "tests/pieslice/simulated/runs.txt",
    "tests.pieslice.states": "tests/pieslice/retold/userprio*.txt",
    "tests.pieslice.told": "tests/pieslice/answered/told.txt",
    "tests.policy.declared": "tests/policy/corpus/declared.txt",
    "tests.policy.lines": "tests/policy/corpus/lines.txt",
    "tests.policy.many": "tests/policy/corpus/many.txt",
    "tests.policy.policies": "tests/policy/corpus/policies.txt",
    "tests.policy.reports": "tests/policy/corpus/reports.txt",
    "tests.policy.sets": "tests/policy/corpus/sets.txt",
    "tests.policy.tables": "tests/policy/corpus/tables.txt",
    "tests.policy.variants": "tests/policy/corpus/variants.txt",
    "tests.policy.verdicts": "tests/policy/corpus/verdicts.txt",
}
#: Those that print what they would write.
PRINTED: Final = ("tests.policy.reports",)


def main(words: Sequence[str]) -> int:
    """Write what the words choose, all without any; the exit status."""
    chosen = [it for it in WRITERS if not words or any(word in it for word in words)]
    if not chosen:
        print(f"no module has one of these words in its name: {' '.join(words)}", file=sys.stderr)
        return 2
    for module in chosen:
        print(module, flush=True)
        run = subprocess.run([sys.executable, "-m", module], cwd=ROOT, check=False, text=True,
                             stdout=subprocess.PIPE)  # fmt: skip
        if run.returncode:
            print(f"{module} failed, and its files may be half written", file=sys.stderr)
            return 1
        if module in PRINTED:
            (ROOT / WRITERS[module]).write_text(run.stdout, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
