"""Lists the bugs to plant in csrc/: the C core.

Outputs: ``MUTATIONS``.
"""

from __future__ import annotations

from typing import Final

from fuzz.mutations.mutation import Mutation

_SELECT: Final = "csrc/select.c"

MUTATIONS: Final = (
    Mutation(
        "csrc/load.c", "    if (code == CA_OK && whole)\n", "    if (code == CA_LOOK && whole)\n",
        "tests tests/classad/test_traps.py -k each_ad",
    ),
    Mutation(
        "csrc/operate.c", "z == (double)INFINITY || op", "op",
        "tests tests/classad/test_table_vectors.py",
    ),
    Mutation(
        _SELECT, "return sorted->stable && left < right;", "return sorted->stable && left > right;",
        "fuzz kernels",
    ),
    Mutation(
        _SELECT, "        if (sorted->stable && (a != a) != (b != b))\n            return b != b;",
        "", "fuzz kernels",
    ),
    Mutation(
        _SELECT, "enum { INSERTION_LENGTH = 16 };", "enum { INSERTION_LENGTH = 15 };",
        "fuzz kernels",
    ),
    Mutation(
        _SELECT, "if (length % 2 == 0 && child == (length - 2) / 2)", "if (0)",
        "tests tests/csrc/test_kernels.py",
    ),
    Mutation(
        "csrc/load.c", "scale += below ? -exponent : exponent;", "scale += exponent;",
        "tests tests/csrc/test_load.py",
    ),
    Mutation(
        "csrc/load.c", "value / TEN[-scale]", "value * (1 / TEN[-scale])",
        "tests tests/csrc/test_load.py",
    ),
    Mutation(
        "csrc/load.c", "*dropping = !blank;", "*dropping = 0;", "tests tests/csrc/test_load.py",
    ),
    Mutation(
        "csrc/lex.c", "ca_same_word(word, \"isnt\", 4) ? CA_T_META_NOT_EQUAL",
        "ca_same_word(word, \"isnt\", 4) ? CA_T_META_EQUAL",
        "tests tests/csrc/test_parse.py",
    ),
    Mutation(
        "csrc/lex.c", "            at += 2;\n        } else {",
        "            at += 1;\n        } else {",
        "tests tests/csrc/test_parse.py",
    ),
    # Integers are compared as doubles, of which some near 2^62 are one.
    Mutation(
        "csrc/operate.c", "        less = a.payload < b.payload, same",
        "        less = (double)a.payload < (double)b.payload, same",
        "tests tests/classad/test_table_vectors.py -k one_number_as_doubles",
    ),
)  # fmt: skip
