"""Measures tables of ads from Arrow and to Arrow, beside pyarrow's own copy of the same columns.

Run: ``python benchmarks/bench_arrow.py [ROWS ...]``, by default ``1000000``.  Eight columns: names
that are all different, two strings of few words, two integers, one of them with nulls, a real, a
boolean, a time.  Rows: ``in`` (``Table.from_arrow``), ``out`` (``to_arrow``), that after a row was
replaced, ``select``, ``match`` from Arrow to the answer, ``ads`` (every ad made), and
``copy``: pyarrow writes the columns to memory and reads them (IPC).  ``parts``: the same rows as
ten tables, asked by ``pieslice.select`` and one by one, and read from ten chunks.  ``wide``: a
twentieth of the rows with 4,000 attributes, 50 in each row; also out of ads.  ``memory``: what a
table keeps beside the Arrow table that it was made from, in a process of its own.  Agreement: each
column that comes out equals the one that went in; parts find as many rows as the whole.  Without
pyarrow there is nothing to measure.  A table, then JSON lines; CPU seconds of all threads, best of
five; no test looks at them.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pieslice
from classad import ClassAd, Table

ROWS: list[dict[str, Any]] = []
WISH = 'Cpus >= 4 && State == "Unclaimed" && LoadAvg < 0.5'
PARTS = 10
#: Attributes of a wide table; one row in so many has each.
WIDE = 4000
APART = 80
JOB = "[RequestCpus = 4; RequestMemory = 500; Requirements = TARGET.Cpus >= RequestCpus]"


def columns(rows: int) -> Any:
    """An Arrow table, the same each time."""
    import pyarrow as pa
    import pyarrow.compute as pc

    def numbers(below: int, seed: int) -> Any:
        return pc.floor(pc.multiply(pc.random(rows, initializer=seed), below)).cast(pa.int64())

    def words(listed: list[str], seed: int) -> Any:
        return pa.DictionaryArray.from_arrays(numbers(len(listed), seed).cast(pa.int32()), listed)

    disk = numbers(10**9, 6)
    return pa.table(
        {
            "Name": pa.array([f"slot{row}@host" for row in range(rows)]),
            "State": words(["Claimed", "Unclaimed", "Owner", "Drained"], 1),
            "Arch": words(["X86_64", "aarch64"], 2).cast(pa.string()),
            "Cpus": pc.power(2, numbers(7, 3)),
            "Disk": pc.if_else(pc.less(disk, 10**8), pa.scalar(None, pa.int64()), disk),
            "LoadAvg": pc.random(rows, initializer=5),
            "Offline": pc.less(pc.random(rows, initializer=7), 0.1),
            "LastHeard": numbers(10**5, 8).cast(pa.timestamp("s", "UTC")),
        }
    )


def seconds(run: Callable[[], object], times: int = 5) -> float:
    """The best CPU time of some runs."""
    found = []
    for _ in range(times):
        gc.collect()
        begin = time.process_time()
        result = run()
        found.append(time.process_time() - begin)
        del result
    return min(found)


def copied(table: Any) -> Any:
    """A copy by pyarrow."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return pa.ipc.open_stream(sink.getvalue()).read_all()


def agree(one: Any, other: Any) -> bool:
    """Whether two Arrow tables have the same columns, coded by dictionaries or not."""
    return one.num_rows == other.num_rows and all(
        one.column(name).cast(other.column(name).type).equals(other.column(name))
        for name in other.column_names
    )


def report(rows: int, what: str, passed: float, copy: float, same: bool | None = None) -> None:
    """One row, and the same as JSON for the end."""
    agreement = "-" if same is None else "yes" if same else "NO"
    print(
        f"{what:22}{rows:9}{agreement:>6}{passed:10.3f}{copy:12.3f}{passed / copy:9.1f}", flush=True
    )
    row = {"row": what, "rows": rows, "seconds": passed, "same": same}
    ROWS.append(row | {"copy_s": copy, "ratio": passed / copy})


def measure(rows: int) -> None:
    """The rows of one size."""
    arrow = columns(rows)
    table = Table.from_arrow(arrow)
    copy = seconds(lambda: copied(arrow))
    report(rows, "copy", copy, copy, agree(copied(arrow), arrow))
    report(rows, "in", seconds(lambda: Table.from_arrow(arrow)), copy)
    report(rows, "out", seconds(table.to_arrow), copy, agree(table.to_arrow(), arrow))
    fresh = Table.from_arrow(arrow)
    fresh.replace(rows // 2, fresh.ad(rows // 2))
    report(
        rows, "out, a row replaced", seconds(fresh.to_arrow), copy, agree(fresh.to_arrow(), arrow)
    )
    report(rows, "select", seconds(lambda: Table.from_arrow(arrow).select(WISH), 2), copy)
    job = ClassAd(JOB)
    report(rows, "match", seconds(lambda: Table.from_arrow(arrow).accepted_by(job), 2), copy)
    report(rows, "ads", seconds(lambda: sum(1 for _ in table.ads()), 1), copy)
    in_parts(rows, arrow, copy)
    wide(rows // 20)
    memory(rows)


def in_parts(rows: int, arrow: Any, copy: float) -> None:
    """The same rows as ten tables."""
    import pyarrow as pa

    size = -(-rows // PARTS)
    slices = [arrow.slice(start, size) for start in range(0, rows, size)]
    chunks = pa.concat_tables(slices)
    passed = seconds(lambda: Table.from_arrow(chunks))
    report(rows, "parts: in", passed, copy, agree(Table.from_arrow(chunks).to_arrow(), arrow))

    def parts() -> list[Table]:
        return [Table.from_arrow(one) for one in slices]

    whole = Table.from_arrow(arrow)
    passed = seconds(lambda: pieslice.select(parts(), WISH, limit=10), 2)
    found = pieslice.select(parts(), WISH, limit=10).fitting
    report(rows, "parts: select", passed, copy, found == len(whole.select(WISH)))
    job = ClassAd(JOB)
    passed = seconds(lambda: [part.accepted_by(job) for part in parts()], 2)
    found = sum(len(part.accepted_by(job)) for part in parts())
    report(rows, "parts: match", passed, copy, found == len(whole.accepted_by(job)))


def wide_columns(rows: int) -> Any:
    """An Arrow table of many attributes that few rows have."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = {"Name": pa.array([f"slot{row}" for row in range(rows)])}
    for first in range(APART):
        there: list[int | None] = [None] * rows
        there[first::APART] = range(first, rows, APART)
        numbers = pa.array(there, pa.int64())
        for number in range(first, WIDE, APART):
            found[f"A{number:04}"] = pc.add(numbers, number)
    return pa.table({name: found[name] for name in sorted(found)})


def wide(rows: int) -> None:
    """The rows of a wide table."""
    arrow = wide_columns(rows)
    table = Table.from_arrow(arrow)
    copy = seconds(lambda: copied(arrow), 1)
    report(rows, "wide: in", seconds(lambda: Table.from_arrow(arrow), 1), copy)
    report(rows, "wide: out", seconds(table.to_arrow, 1), copy, agree(table.to_arrow(), arrow))
    of_ads = Table(list(table.ads()))
    passed = seconds(of_ads.to_arrow, 1)
    report(rows, "wide: out, of ads", passed, copy, agree(of_ads.to_arrow(), arrow))


#: Run in a new process, since memory that was used before is there already.
ONCE = """
import gc, json, sys
sys.path[:0] = sys.argv[2:]
from bench_arrow import columns
from classad import Table
def resident():
    gc.collect()
    with open("/proc/self/statm") as lines:
        return int(lines.read().split()[1]) * 4096
Table.from_arrow(columns(10)).to_arrow()
arrow = columns(int(sys.argv[1]))
before = resident()
table = Table.from_arrow(arrow)
print(json.dumps([arrow.nbytes, resident() - before]))
"""


def memory(rows: int) -> None:
    """How much memory a table takes beside the Arrow table that it was made from."""
    command = [sys.executable, "-c", ONCE, str(rows), *sys.path]
    try:
        done = subprocess.run(command, check=True, capture_output=True)
    except subprocess.CalledProcessError:  # a system without /proc
        return
    size, more = json.loads(done.stdout)
    print(f"{'memory':22}{rows:9}      {size / 1e6:.0f} MB of Arrow, {more / 1e6:.0f} MB beside it")
    ROWS.append({"row": "memory", "rows": rows, "bytes": size, "more": more / size})


def main() -> int:
    """Measure, and print a table and JSON lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=int, nargs="*", default=[1_000_000])
    args = parser.parse_args()
    try:
        import pyarrow
    except ImportError:
        print("pyarrow is not installed: there is nothing to measure")
        return 0
    print(f"CPython {platform.python_version()}, pyarrow {pyarrow.__version__}")
    print(f"{'':22}{'rows':>9}{'same':>6}{'seconds':>10}{'copy':>12}{'ratio':>9}")
    for rows in args.rows:
        measure(rows)
    for row in ROWS:
        print(json.dumps(row))
    return 1 if any(row.get("same") is False for row in ROWS) else 0


if __name__ == "__main__":
    sys.exit(main())
