"""Reading the accountant's transaction log (``Accountantnew.log``).

What lives here: which records of the log count, in which state a crash leaves them, and the table
they add up to.
Inputs: the text of the log and its name.  Outputs: ``AccountantLog``: per key (``Customer.<name>``,
``Resource.<slot>``, ``Accountant.``) the attributes as expression text, and the diagnostics.
Never here: priorities and usage (that is ``accounting``), opening files, writing logs.
Follows: the log reader of HTCondor 25.14.1, as the recorded log recovery cases show it.
"""

from __future__ import annotations

import re
from typing import Final

from attr import Factory, frozen

from classad.errors import ClassAdParseError, Diagnostic
from classad.source import Source

Table = dict[str, dict[str, str]]

_NEW_AD: Final = "101"
_DESTROY: Final = "102"
_SET: Final = "103"
_DELETE: Final = "104"
_BEGIN: Final = "105"
_END: Final = "106"
_HEADER: Final = "107"
#: How many words follow the operation number (the last of a ``103`` is the rest of the line).
_OPERANDS: Final = {_NEW_AD: 3, _DESTROY: 1, _SET: 3, _DELETE: 2, _HEADER: 3}
_PLAIN_VALUE: Final = re.compile(r'-?[0-9]+(\.[0-9]*([eE][-+]?[0-9]+)?)?|"[^"\\]*"|true|false')


_CUT: Final = "the last line is cut short; dropped"


class DamagedLogError(Exception):
    """A log with which the real negotiator would refuse to start."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


@frozen
class AccountantLog:
    """What a log adds up to.  ``table``: key -> attribute -> expression text."""

    table: Table
    #: Seconds since the epoch of the last priority update, None when the log has none.
    last_update: int | None
    diagnostics: tuple[Diagnostic, ...] = ()

    def of_kind(self, kind: str) -> Table:
        """The records whose key starts with ``kind.``, under the rest of the key."""
        prefix = f"{kind}."
        return {k[len(prefix) :]: v for k, v in self.table.items() if k.startswith(prefix)}


@frozen
class _Record:
    """One line: operation number and its words."""

    op: str
    words: tuple[str, ...]


@frozen
class _State:
    table: Table = Factory(dict)
    pending: list[_Record] = Factory(list)
    diagnostics: list[Diagnostic] = Factory(list)


def read_log(text: str, name: str = "Accountantnew.log") -> AccountantLog:
    """Replay a log.  Raises ``DamagedLogError`` where the real negotiator would not start."""
    source = Source(text, name)
    state = _State()
    inside = eaten = False
    begin = transaction = 0
    while begin < len(text):
        stop = text.find("\n", begin)
        line = text[begin : stop if stop >= 0 else len(text)]
        record = _parse(line) if stop >= 0 and not eaten else None
        if record is None:
            _damage(state, source, begin, line, terminated=stop >= 0)
            break
        # A new ad with one type word takes the first word of the next line as the other one.
        eaten = record.op == _NEW_AD and len(record.words) == 2
        if record.op == _BEGIN:
            if inside:
                _warn(state, source, begin, line, "a transaction begins inside another; ignored")
            else:
                inside, transaction = True, begin
        elif record.op == _END:
            if not inside:
                _warn(state, source, begin, line, "a transaction ends that never began; ignored")
            for item in state.pending:
                _apply(state.table, item)
            state.pending.clear()
            inside = False
        elif inside:
            state.pending.append(record)
        else:
            _apply(state.table, record)
        begin = stop + 1
    if inside:
        _unfinished(state, source, transaction)
    return AccountantLog(state.table, _last_update(state.table), tuple(state.diagnostics))


def _parse(line: str) -> _Record | None:
    """The record on a line, None when it is damaged."""
    op, blank, rest = line.lstrip(" \t").partition(" ")
    if op in (_BEGIN, _END):
        # The blank after the number belongs to the record: without it the line counts as cut.
        return _Record(op, ()) if blank else None
    wanted = _OPERANDS.get(op)
    if wanted is None:
        return None
    words = tuple(rest.split(None, wanted - 1))
    if len(words) != wanted and not (op == _NEW_AD and len(words) == 2):
        return None
    if op == _SET and not _is_expression(words[2]):
        return None
    return _Record(op, words)


def _is_expression(text: str) -> bool:
    if _PLAIN_VALUE.fullmatch(text):
        return True
    from classad.parser import parse_expression

    try:
        parse_expression(text, old=True)
    except ClassAdParseError:
        return False
    return True


def _apply(table: Table, record: _Record) -> None:
    """Carry out one record; what names an ad that is not there does nothing."""
    if record.op == _HEADER:
        return
    key = record.words[0]
    if record.op == _NEW_AD:
        table.setdefault(key, {})
    elif record.op == _DESTROY:
        table.pop(key, None)
    elif key not in table:
        return
    elif record.op == _SET:
        table[key][record.words[1]] = record.words[2].rstrip()
    else:
        table[key].pop(record.words[1], None)


def _damage(state: _State, source: Source, begin: int, line: str, *, terminated: bool) -> None:
    """Report a damaged record; fatal when a finished transaction comes after it."""
    rest = source.text[begin + len(line) + 1 :]
    end = begin + len(line)
    if terminated and re.search(r"^[ \t]*106", rest, re.MULTILINE):
        raise DamagedLogError(
            Diagnostic(
                "damaged record before a finished transaction; the negotiator would not start",
                source,
                begin,
                end,
                help="repair or remove the line, or give the priorities with --accounting",
            )
        )
    lines = rest.count("\n")
    if not terminated:
        _warn(state, source, begin, line, _CUT)
        return
    after = f" with the {lines} lines after it" if lines else ""
    _warn(state, source, begin, line, f"damaged record; dropped{after}")


def _unfinished(state: _State, source: Source, begin: int) -> None:
    """One message for a last transaction without end, instead of one for its last line."""
    cut = [item for item in state.diagnostics if item.start > begin and item.message == _CUT]
    for item in cut:
        state.diagnostics.remove(item)
    message = (
        "the log ends inside this transaction, as a copy of a log in use may; "
        f"its {len(state.pending) + len(cut)} records are dropped"
    )
    severity = "note" if cut or not state.diagnostics else "warning"
    state.diagnostics.append(Diagnostic(message, source, begin, begin + 4, severity=severity))


def _warn(state: _State, source: Source, begin: int, line: str, message: str) -> None:
    end = begin + max(1, len(line))
    state.diagnostics.append(Diagnostic(message, source, begin, end, severity="warning"))


def _last_update(table: Table) -> int | None:
    text = table.get("Accountant.", {}).get("LastUpdateTime", "")
    return int(text) if re.fullmatch(r"-?[0-9]+", text) else None
