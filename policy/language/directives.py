"""The keyword statements: ``include``, ``use``, ``error`` and ``warning``.

Inputs: the pass that met the statement.  Outputs: more text read, or diagnostics.
Never here: running programs (a ``Sources`` may), writing cache files.
Follows: condor_config_val 25.14.1 (golden vectors ``include``, ``errors``, ``use``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from classad.errors import Diagnostic
from policy.language.lines import BLANKS, LogicalLine
from policy.language.reader import MAX_DEPTH
from policy.language.sources import ProgramsNotRun
from policy.language.statements import Statement, StatementError

if TYPE_CHECKING:
    from policy.language.reader import Pass


def carry_out(reading: Pass, statement: Statement, line: LogicalLine) -> None:
    """Carry out one keyword statement."""
    if statement.name == "include":
        _include(reading, statement, line)
    elif statement.name == "use":
        category = reading.reader.scope.expand(statement.words).strip(BLANKS)
        reading.use_template(category, statement.value, line)
    else:
        text = reading.reader.scope.expand(statement.value)
        if statement.name == "warning" and reading.place.template:
            reading.assign(statement, text, line)
        start, end = line.offset(0), line.offset(len(line.text) - 1) + 1
        reading.reader.problem(
            Diagnostic(
                f"the configuration says `{text}`",
                line.source,
                start,
                end,
                severity=statement.name,
            )
        )


def _include(reading: Pass, statement: Statement, line: LogicalLine) -> None:
    whole = len(line.text)
    optional, command, rest = _options(statement.words)
    if rest:
        raise StatementError(f"`{rest}` is not an option of include", 0, whole)
    target = reading.reader.scope.expand(statement.value)
    if target.rstrip(BLANKS).endswith("|"):
        command, target = True, target.rstrip(BLANKS)[:-1].strip(BLANKS)
    if reading.place.depth + 1 >= MAX_DEPTH:
        raise StatementError("includes nested too deep", 0, whole)
    text = _output(reading, target, whole) if command else reading.reader.sources.read(target)
    if text is not None:
        reading.include_text(target, text)
    elif not optional:
        kind = "run" if command else "read"
        problem = f"cannot {kind} `{target}`"
        raise StatementError(
            problem, statement.value_start, whole, None if command else _beside(reading, target)
        )


def _beside(reading: Pass, target: str) -> str | None:
    """What to write if the file lies in the folder of the root file."""
    root = reading.reader.scope.lookup("CONFIG_ROOT")
    if root is None or target.startswith("/"):
        return None
    if reading.reader.sources.read(f"{root.raw}/{target}") is None:
        return None
    return (
        "a relative name is looked for in the folder that the daemon runs in; "
        f"`$(CONFIG_ROOT)/{target}` is beside the root file"
    )


def _options(words: str) -> tuple[bool, bool, str]:
    """Is a missing target fine, is it a program, and the words not understood."""
    rest = words.split()
    optional = command = False
    if rest and rest[0] in ("ifexist", "ifexists"):
        optional, rest = True, rest[1:]
    if rest and rest[0] in ("command", "output"):
        command, rest = True, rest[1:]
        if len(rest) >= 2 and rest[0] == "into":
            # The cache file would only be read by the next start; it is neither used nor made.
            rest = rest[2:]
    return optional, command, " ".join(rest)


def _output(reading: Pass, command: str, whole: int) -> str | None:
    try:
        return reading.reader.sources.run(command)
    except ProgramsNotRun:
        raise StatementError(
            f"`{command}` is not run",
            0,
            whole,
            "put the output of the program in a file and include that, or give --allow-commands",
        ) from None
