"""``import classad`` stays light: the heavy packages are imported when they are first needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HEAVY = ("attr", "attrs", "lark", "shtab", "pcre2", "zoneinfo", "inspect", "subprocess", "json")
#: Of our own, what is needed only when something is built or evaluated.
LATER = ("classad.language.operators", "classad.language.times", "classad.syntax.nodes")

PROGRAM = f"""
import sys
before = set(sys.modules)
import classad
early = [name for name in {LATER} if name in sys.modules]
classad.ClassAd, classad.ExprTree, classad.parseAds
print(early, [name for name in {HEAVY} if name in sys.modules and name not in before])
"""


def test_heavy_packages_are_not_imported() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, '.'){PROGRAM}"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout.strip() == "[] []"
