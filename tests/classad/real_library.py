"""The real ClassAd library, in a process of its own, evaluating what it reads.

One JSON list of expressions in, one JSON list of printed values out; ``PARSE`` for a text that is
no expression, ``FAIL`` for an evaluation that fails as a whole.  The zone is that of the process.
"""

import importlib
import json
import sys


def main() -> None:
    # htcondor2 comes first: it switches the library to the meaning that the daemons use.
    importlib.import_module("htcondor2")
    classad2 = importlib.import_module("classad2")

    def printed(text: str) -> str:
        try:
            tree = classad2.ExprTree(text)
        except classad2.ClassAdException:
            return "PARSE"
        try:
            return str(tree.simplify())
        except classad2.ClassAdException:
            return "FAIL"

    json.dump([printed(text) for text in json.load(sys.stdin)], sys.stdout)


if __name__ == "__main__":
    main()
