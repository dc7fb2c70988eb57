"""Lists the bugs to plant in pieslice/: the commands.

Outputs: ``MUTATIONS``.
"""

from __future__ import annotations

from typing import Final

from fuzz.mutations.mutation import Mutation

MUTATIONS: Final = (
    Mutation(
        "pieslice/simulate/matching.py", "            group_turns=state.group_turns,\n", "",
        "tests tests/pieslice/test_simulate.py",
    ),
)  # fmt: skip
