"""Reads the slots of a captured pool.

Ads without a name are skipped, of two with one name the later counts.  A file in long form in which
every slot has a name of its own is loaded into columns; the ads are made when they are wanted.

Inputs: a ``CaptureReader``.  Outputs: ``PoolSlots``.
Follows: the collector, which has one ad for each name.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Any, Final

from attr import frozen

from classad import ClassAd
from classad.loading.columns import LoadedColumns, Tag
from negotiator.capture.ads import LocatedAd, load_columns, number_of
from negotiator.capture.pool_order import pool_order
from negotiator.capture.reader import CaptureReader
from negotiator.model.loaded_slots import LoadedSlots

_STRINGS: Final = bytes([Tag.STRING])


@frozen(eq=False)
class PoolSlots:
    """``ads`` in pool order, and the ``names`` in the order of the file.

    ``times``: the values of the attributes that tell when an ad was made, in seconds.
    """

    ads: Sequence[ClassAd]
    names: Collection[str]
    times: Sequence[float]


def read_slots(reader: CaptureReader, times: Sequence[str], *, ordered: bool = False) -> PoolSlots:
    """The slots of a capture; ``times``: attributes that tell when an ad was made.

    ``ordered``: the file has them in pool order, which is computed otherwise.
    """
    path = reader.paths.find("slots")
    given = "slots" not in reader.paths.given and "slots" in reader.paths.ads
    loaded = None if path is None or given else load_columns(path)
    found = None if loaded is None else _in_columns(reader, loaded, times, ordered)
    if found is not None:
        return found
    named = _named(reader)
    order = range(len(named)) if ordered else pool_order(list(named))
    located = list(named.values())
    return PoolSlots(
        tuple(located[place].ad for place in order), named, list(times_of(located, times))
    )


def times_of(ads: Iterable[LocatedAd], names: Sequence[str]) -> Iterable[float]:
    """What ads say of when they were made."""
    found = (ad.number(name) for ad in ads for name in names)
    return (time for time in found if time is not None and math.isfinite(time))


# --- a file in columns ----------------------------------------------------------------------------


def _in_columns(
    reader: CaptureReader, loaded: LoadedColumns, times: Sequence[str], ordered: bool
) -> PoolSlots | None:
    """The slots of a file; None if they have to be looked at ad by ad."""
    names = plain_names(loaded)
    if names is None:
        return None
    for problem in loaded.diagnostics:
        problem.help = problem.help or "the line is left out, the rest of the ad is kept"
    reader.diagnostics.extend(loaded.diagnostics)
    order = array("i", range(len(names)) if ordered else pool_order(names))
    ads = LoadedSlots(loaded, order, [names[row] for row in order])
    table = ads.table()
    assert table is not None
    found: list[float] = []
    for name in times:
        if loaded.column(name) is not None:
            _, values = table.apply(partial(number_of, name=name), [name])
            found += [time for time in values if time is not None and math.isfinite(time)]
    return PoolSlots(ads, names, found)


def plain_names(loaded: LoadedColumns) -> list[Any] | None:
    """The names of all ads, if each has one of its own."""
    column = loaded.column("Name")
    if column is None or column.present != loaded.n_rows or bytes(column.tags).strip(_STRINGS):
        return None
    names = loaded.values(column)
    return names if len(set(names)) == len(names) and "" not in names else None


# --- ads ------------------------------------------------------------------------------------------


def _named(reader: CaptureReader) -> dict[str, LocatedAd]:
    """The ads by their names."""
    ads = reader.ads("slots")
    if ads is None:
        raise reader.stop(f"{reader.missing('slots')}: no such file; a cycle needs slot ads")
    named: dict[str, LocatedAd] = {}
    for ad in ads:
        name = ad.text("Name")
        if not name:
            reader.diagnostics.append(ad.problem("slot without a `Name`; skipped"))
        elif name in named:
            first = named[name].source.first_line
            message = f"slot `{name}` is in the file twice; the one of line {first} is replaced"
            reader.diagnostics.append(ad.problem(message))
            named[name] = ad
        else:
            named[name] = ad
    if not named:
        raise reader.stop(f"{reader.paths.find('slots')}: no slot in it")
    return named
