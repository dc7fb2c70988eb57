"""Writes ``worked.txt``, what tables do for their answers: ``python -m tests.classad.worked``.

A chapter begins with ``==`` and the name of its rows (``ROWS``).  A question stands behind ``?``:
what is asked, an expression, and behind ``;`` the partner's attributes.  Behind ``|`` follows what
it took: rows found, texts parsed, plans made, single evaluations, programs over combinations, rows
asked one by one, and by how many bytes more is kept then.  What is asked again takes nothing; what
has changed takes what it concerns.  More than before is slower: look why.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from classad import ClassAd, EvalContext, ExprTree
from classad.binding.batch import _Evaluator
from classad.loading.long_form import load_long
from classad.table import Table
from classad.table import table as tables
from classad.table.answers import predicates, valuations, variants
from classad.table.arrays import vectors
from classad.table.dependence import conjuncts
from classad.table.expressions import shapes
from classad.table.sampling import programs, sampler
from classad.table.store import columns, parts, store

WORKED = Path(__file__).parent / "worked.txt"
CONTEXT = EvalContext(now=1_700_000_000)
#: What is counted: where it is, its name there, as what.
_COUNTED: Final[tuple[tuple[Any, str, str], ...]] = (
    (conjuncts, "parse", "parsed"),
    (shapes, "Shape", "shapes"),
    (variants, "make_plan", "plans"),
    (_Evaluator, "value", "evaluations"),
    (sampler, "run", "programs"),
    (tables, "half_match", "asked"),
    (tables, "symmetric_match", "asked"),
    (tables, "evaluate", "asked"),
    (valuations, "evaluate", "asked"),
    (valuations, "binary", "pairs of values"),
    (vectors, "apply", "applied"),
    (programs, "apply", "applied"),
    (vectors, "_set", "values put"),
    (vectors, "logical", "values judged"),
    (predicates, "verdict_of", "verdicts"),
    (columns, "_order", "columns"),
    (store, "Part", "parts"),
    (parts, "_combined", "joints"),
)
_ORDER: Final = tuple(dict.fromkeys(name for *_, name in _COUNTED))


def ad(text: str) -> ClassAd:
    """An ad of its attributes."""
    return ClassAd(f"[{text}]")


def row(text: str) -> ClassAd:
    """An ad whose expressions are texts that nobody has parsed yet, as those of files are."""
    found = ad(text)
    for part in text.split("; ") if "[" not in text else ():
        name, _, value = part.partition(" = ")
        if not value.isdigit():
            found[name] = ExprTree(value)
    return found


def _with_lists(n: int) -> str:
    gpus = "; ".join(f"GPU{k} = [Mem = {4 * (k + n % 3)}]" for k in range(2))
    return f"{gpus}; GPUs = {{GPU0, GPU1}}; Cpus = {n % 4}; Requirements = true"


def _spelled(number: int) -> str:
    """One of the spellings of a word in small and large letters."""
    return "".join(c.upper() if number >> k & 1 else c for k, c in enumerate("abcde"))


def _bounds(n: int) -> str:
    """Columns with just as many values as there are limits to what is done for them."""
    text = f'"t{n % 17}"'
    cells: dict[str, object] = {
        "A": n if n < 257 else text,
        "B": n if n < 256 else text,
        "C": n if n < 274 else f'"t{n}"',
        "D": n if n < 273 else f'"t{n}"',
        "S": f'"s{n % 60}' + ("x" if n % 60 < 17 else "") + '"',
        **{name: n % size for name, size in zip("EFGH", (11, 12, 13, 2), strict=True)},
        "T": f'"{_spelled(n % 16)}"' if n < 200 else f'"z{n % 40}"',
        "U": f'"{_spelled(n % 17)}"' if n < 200 else f'"z{n % 40}"',
        "X": f"E + {n % 64}",
        "Y": f"E + {n % 65}",
    }
    return "; ".join(f"{name} = {value}" for name, value in cells.items())


def _leads(count: int) -> str:
    """Attributes that consist of the next one."""
    links = [f"S{n} = TARGET.V > {n} && S{n + 1}" for n in range(count)]
    return "; ".join([*links, f"S{count} = true"])


#: The text of row n, by chapter.
ROWS: Final[dict[str, tuple[int, Callable[[int], str]]]] = {
    "numbers": (40, lambda n: f"A = {n * 7 % 40}; B = {n % 5}; C = {n % 3}.5; Q = 7"),
    "many numbers": (400, lambda n: f"A = {n * 7 % 400}; B = {n % 20}; C = {n % 9}"),
    "texts": (40, lambda n: f'S = "s{n % 25}"; T = "{"ab"[n % 2]}"; A = {n}'),
    "expressions": (
        36,
        lambda n: f"A = {n}; X = {('A > 3', 'TARGET.V > A', '5', 'B + 1')[n % 4]}; B = {n % 3}",
    ),
    "requirements": (
        36,
        lambda n: (
            f"A = {n % 6}; Start = {('A > 2', 'TARGET.V > 1 && A < 5', 'true')[n % 3]}; "
            f"Requirements = TARGET.V > {n % 4} && Start"
        ),
    ),
    "constants": (
        40,
        lambda n: f"A = {n % 6}; Requirements = TARGET.V > {n % 12} && TARGET.W != {n % 2}",
    ),
    "lists": (24, _with_lists),
    "circles": (24, lambda n: f"A = {n}; X = Y; Y = {('X', 'A', 'X + A')[n % 3]}"),
    "opaque": (12, lambda n: f"A = {n}; X = {('unparse(A)', 'random(9) < 9', 'A')[n % 3]}"),
    "loaded": (40, lambda n: f"A = {n * 7 % 40}; B = {n % 5}; X = A + B"),
    "little room": (40, lambda n: f"A = {n * 7 % 40}; B = {n % 5}; Requirements = TARGET.V > A"),
    "bounds": (290, _bounds),
    "deep": (
        12,
        lambda n: f"A = {n}; Requirements = {' && '.join([f'TARGET.V > {n}'] * (96 + n))}",
    ),
    "parentheses": (
        16,
        lambda n: (
            f"A = {n}; Requirements = {'(' * (92 + n)}TARGET.V > {n} && TARGET.W{')' * (92 + n)}"
        ),
    ),
    "deeper": (12, lambda n: f"A = {n}; Requirements = S0; {_leads(28 + n)}"),
    "templates": (
        24,
        lambda n: (
            f"A = {n}; Requirements = TARGET.V > {n % 7} && TARGET.W > {n % 8} "
            f"&& TARGET.U > {n % 9}"
        ),
    ),
    "clock": (
        24,
        lambda n: (
            f"A = {n}; Requirements = TARGET.V > {n % 3} && time() > {1_700_000_000 + n} "
            "&& TARGET.W > A && (TARGET.V > 4 || time() % 2 == 0)"
        ),
    ),
    "placed": (30, lambda n: f"A = {n * 7 % 40}; B = {n % 5}; X = {('A + 1', '5')[n % 2]}"),
}


class Over:
    """Rows of another table backwards, with changes."""

    def __init__(self, ads: list[ClassAd]) -> None:
        self.table = Table(ads)
        self.places = array("i", range(len(ads)))[::-1]
        self.changes: dict[str, dict[int, Any]] = {}

    @property
    def base(self) -> store.Store:
        """Where the rows stand."""
        return self.table.store

    @property
    def names(self) -> list[str]:
        """What is otherwise in some row."""
        return list(self.changes)

    def ad(self, row: int) -> ClassAd:
        """A row as an ad."""
        found = self.table.ad(self.places[row]).duplicate()
        for name, cells in self.changes.items():
            if row in cells:
                found[name] = cells[row]
        return found

    def changed(self, name: str) -> dict[int, Any]:
        """What is otherwise for an attribute."""
        return self.changes.get(name, {})


#: The tables that are placed over other rows, with these.
OVER: Final[dict[int, tuple[Table, Over]]] = {}


class Counting:
    """Counts of what is done."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._stack = ExitStack()

    def __enter__(self) -> Counting:
        for home, name, what in _COUNTED:
            self._stack.enter_context(patch.object(home, name, self._counted(home, name, what)))
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def _counted(self, home: Any, name: str, what: str) -> Any:
        original = getattr(home, name)

        def counted(*args: Any, **named: Any) -> Any:
            self.counts[what] += 1
            return original(*args, **named)

        return counted


def table_of(chapter: str) -> Table:
    """The table of a chapter, new."""
    size, text = ROWS[chapter]
    if chapter == "placed":
        over = Over([row(text(n)) for n in range(size)])
        table = Table.placed(over)
        OVER[id(table)] = table, over
        return table
    if chapter != "loaded":
        budget = 30_000 if chapter == "little room" else 2**29
        return Table((row(text(n)) for n in range(size)), budget=budget)
    blocks = [text(n).replace("; ", "\n") for n in range(size)]
    return Table.from_columns(load_long(("\n\n".join(blocks) + "\n").encode()))


def answer(table: Table, question: str) -> str:
    """Ask, and say how much is found."""
    asked, _, attributes = question.partition(";")
    what, _, text = asked.strip().partition(" ")
    text = text.strip()
    partner = ad(attributes)
    if what == "replace":
        row = int(text)
        fresh = table.ad(row).duplicate()
        fresh.update(ad(attributes))
        table.replace(row, fresh)
        return "replaced"
    if what == "refresh":
        for name, value in ad(attributes)._attrs.items():
            OVER[id(table)][1].changes.setdefault(name, {})[int(text)] = value
        table.refresh()
        return "looked at again"
    if what == "ticks":
        times = [EvalContext(now=CONTEXT.now + n) for n in range(int(text))]  # type: ignore[operator]
        return f"{sum(len(table.accepting(partner, context=one)) for one in times)} rows"
    if what == "partners":
        ads = [ClassAd({"V": n % 9, "W": n, **partner._attrs}) for n in range(int(text))]
        return f"{sum(len(table.accepting(one, context=CONTEXT)) for one in ads)} rows"
    if what in ("match", "accepted"):
        partner["Requirements"] = ExprTree(text)
    if what == "ranks":
        partner["Rank"] = ExprTree(text)
    asks: dict[str, Callable[[], Any]] = {
        "select": lambda: table.select(text, partner, context=CONTEXT),
        "match": lambda: table.match(partner, context=CONTEXT),
        "accepted": lambda: table.accepted_by(partner, context=CONTEXT),
        "accepting": lambda: table.accepting(partner, context=CONTEXT),
        "numbers": lambda: table.numbers(text, partner, context=CONTEXT),
        "ranks": lambda: table.rank(partner, context=CONTEXT),
        "evaluate": lambda: table.evaluate(text, partner, context=CONTEXT)[1],
        "evaluate2": lambda: table.evaluate(text, partner, row_is="target", context=CONTEXT)[1],
        "apply": lambda: table.apply(lambda each: each.eval(text), [text])[1],
    }
    found = asks[what]()
    return f"{len(found)} found" if what in ("apply", "evaluate", "evaluate2") else _rows(found)


def _rows(found: Any) -> str:
    return f"{len(found)} rows" if not hasattr(found, "typecode") else f"sum {sum(found):g}"


def worked(lines: Iterator[str] | list[str]) -> Iterator[str]:
    """The lines of the file, with what each question takes written anew."""
    table = Table([])
    for line in lines:
        if line.startswith("|"):
            continue
        yield line
        if line.startswith("=="):
            table = table_of(line.removeprefix("==").strip())
        elif line.startswith("?"):
            before = table.held
            with Counting() as counting:
                said = answer(table, line.removeprefix("?").strip())
            counts = [f"{counting.counts[n]} {n}" for n in _ORDER if counting.counts[n]]
            yield "| " + ", ".join([said, *counts, f"held {table.held - before:+d}"])


if __name__ == "__main__":
    given = WORKED.read_text(encoding="utf-8").splitlines()
    WORKED.write_text("\n".join(worked(given)) + "\n", encoding="utf-8")
