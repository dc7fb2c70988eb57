"""Lists the bugs to plant in pieslice/: the commands.

Outputs: ``MUTATIONS``.
"""

from __future__ import annotations

from typing import Final

from fuzz.mutations.mutation import Mutation

MUTATIONS: Final = (
    Mutation(
        "pieslice/simulation/matching.py", "            group_turns=state.group_turns,\n", "",
        "tests tests/pieslice/test_simulate.py",
    ),
    # Among whole numbers, what is equal is short of nothing.
    Mutation(
        "pieslice/why/clauses/findings.py", "        by -= 1\n", "        by -= 0\n",
        "tests tests/pieslice/test_why_requests.py -k short_by",
    ),
    # A rejection before hides that the schedd has no room left.
    Mutation(
        "pieslice/why/requests/fates.py", "(Unasked.JOB_PRIO, Unasked.ROOM,", "(Unasked.JOB_PRIO,",
        "tests tests/pieslice/test_why_requests.py -k first_ten_lines_have_it",
    ),
    # A name moves the cursor of the reader's terminal.
    Mutation(
        "pieslice/terminal.py",
        "    return text if text.isprintable() else text.translate(_ESCAPES)\n",
        "    return text\n",
        "tests tests/pieslice/test_hostile_names.py",
    ),
    # A configuration from Python stands below that of the pool.
    Mutation(
        "pieslice/api/pool.py",
        "texts=(*paths.texts, (name, text)))",
        "texts=((name, text), *paths.texts))",
        "tests tests/pieslice/test_api.py",
    ),
    # A clause is said to gain slots that another clause refuses, too.
    Mutation(
        "pieslice/why/clauses/table.py",
        "len(failing - more)",
        "len(failing)",
        "tests tests/pieslice/test_poolmatch.py",
    ),
    # A value is suggested with which a strict comparison is still false.
    Mutation(
        "pieslice/why/clauses/values.py",
        "math.ceil(value) - 1",
        "math.ceil(value)",
        "tests tests/pieslice/test_poolmatch.py",
    ),
    # Changes are told as they were thought of, without trying them on slots that match already.
    Mutation(
        "pieslice/why/clauses/change.py",
        "gained = matching - self.found.matching",
        "gained = matching",
        "tests tests/pieslice/test_poolmatch.py",
    ),
)  # fmt: skip
