"""Reads the assignments in branches of an ``if`` that this reading of the files did not take.

They hold on another machine or with another version, where nobody may have looked yet.
Inputs: a ``View``.  Outputs: definitions that are in no table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from classad.source import Source
from policy.language import statements
from policy.language.lines import LineReader, LogicalLine
from policy.language.scope import Scope
from policy.language.statements import Statement, StatementError
from policy.language.table import Definition
from policy.lint.view import View, is_own

_CONDITIONAL: Final = re.compile(r"\s*(if|elif|else|endif)\b", re.IGNORECASE)


def untaken(view: View) -> Iterator[Definition]:
    """The plain assignments that were passed over, in the order of the files."""
    scope = view.config.scope
    own = [link for entry in scope.table for link in entry.chain() if is_own(link)]
    taken = {(id(link.source), link.start) for link in own}
    for source in view.config.texts:
        for line, statement in _conditional(source) if source.quoted else ():
            start = line.offset(statement.value_start)
            if (id(source), start) not in taken and statements.is_identifier(statement.name):
                yield _definition(scope, source, line, statement)


def _conditional(source: Source) -> Iterator[tuple[LogicalLine, Statement]]:
    """The plain assignments between an ``if`` and its ``endif``."""
    depth, end_tag = 0, ""
    for line in LineReader(source):
        if end_tag:
            end_tag = "" if line.text == end_tag else end_tag
            continue
        word = _CONDITIONAL.match(line.text)
        if word is not None:
            depth += {"if": 1, "endif": -1}.get(word[1].lower(), 0)
            continue
        try:
            statement = statements.parse(line.text)
        except StatementError:
            continue
        if statement is None:
            continue
        if statement.operator == "@=":
            end_tag = statement.end_tag
        elif statement.operator == "=" and depth > 0 and statement.value:
            yield line, statement


def _definition(
    scope: Scope, source: Source, line: LogicalLine, statement: Statement
) -> Definition:
    start = line.offset(statement.value_start)
    return Definition(
        name=statement.name,
        raw=scope.resolve_self(statement.name, statement.value),
        origin=source.name,
        line=line.line,
        source=source,
        start=start,
        end=max(start, line.offset(len(line.text) - 1) + 1),
        written=statement.value,
        previous=scope.table.get(statement.name),
    )
