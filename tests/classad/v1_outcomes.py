"""What small programs for version 1 of HTCondor's bindings give; records it anew when it is run.

``v1_programs.jsonl`` has the programs, what the real module made of each (its first line says
which), and, where that differs, what is made of it here, and why.  Run with that module, this
prints the lines of the programs as they are then.
"""

from __future__ import annotations

import json
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).with_name("v1_programs.jsonl")
NAMES = ("ClassAd", "ExprTree", "Value", "Attribute", "Literal", "Function")


def outcome(program: str, module: Any) -> list[Any]:
    """What the last line of a program gives, or the exception that ends the program."""
    *before, last = program.split("\n")
    names = {"classad": module, **{name: getattr(module, name) for name in NAMES}}
    try:
        exec("\n".join(before), names)
        return told(eval(last, names), module)
    except Exception as problem:
        # Boost's own exception for wrong arguments is a TypeError.
        kind = type(problem).__name__
        return ["raises", "TypeError" if kind == "ArgumentError" else kind]


def told(value: Any, module: Any) -> list[Any]:
    """A value as JSON, with its type."""
    if isinstance(value, module.ClassAd):
        return [
            "ClassAd",
            {name: told(value.lookup(name), module) for name in sorted(value.keys())},
        ]
    if isinstance(value, module.ExprTree):
        return ["ExprTree", str(value)]
    if isinstance(value, module.Value):
        return ["Value", str(value)]
    if isinstance(value, dict):
        return ["dict", {name: told(item, module) for name, item in sorted(value.items())}]
    if isinstance(value, list | tuple):
        return [type(value).__name__, [told(item, module) for item in value]]
    if isinstance(value, float):
        return ["float", repr(value)]
    if hasattr(value, "isoformat"):
        return ["datetime", value.isoformat()]
    return [type(value).__name__, value]


def recorded() -> list[dict[str, Any]]:
    return [json.loads(line) for line in PROGRAMS.read_text().splitlines()[1:]]


if __name__ == "__main__":
    import_module("htcondor")
    real = import_module("classad")
    warnings.simplefilter("ignore")
    for row in recorded():
        print(json.dumps({**row, "v1": outcome(row["program"], real)}))
