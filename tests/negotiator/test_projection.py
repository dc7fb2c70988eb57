"""Projections: the same for ads that share their names as for others."""

from __future__ import annotations

from classad import ClassAd
from classad.files.ads import read_long
from negotiator.jobs.autoclusters import AutoclusterTable, Projections


def test_a_projection_has_what_is_there_and_what_is_added() -> None:
    ad, same = read_long("Memory = 2\nCPUS = 4\nOwner = u\n\nMemory = 3\nCPUS = 5\nOwner = v\n")
    projections = Projections({"cpus", "memory", "disk"}, {"autoclusterid": "AutoClusterId"})
    found = projections.of(ad._names)
    assert found.keys == ("cpus", "memory")
    assert found.pick(ad._attrs) == (4, 2)
    assert list(found.names.values()) == ["CPUS", "Memory", "AutoClusterId"]
    assert projections.of(same._names) is found
    alone = projections.of(dict(ad._names))
    assert (alone.keys, alone.names) == (found.keys, found.names)


def test_a_projection_may_have_one_attribute_or_none() -> None:
    projections = Projections({"cpus"})
    for ad, values in ((ClassAd({"Cpus": 1}), (1,)), (ClassAd({"Memory": 1}), ())):
        assert projections.of(ad._names).pick(ad._attrs) == values


def test_an_added_name_is_spelled_as_the_ad_has_it() -> None:
    (ad,) = read_long("AUTOCLUSTERID = 4\n")
    projections = Projections({"autoclusterid"}, {"autoclusterid": "AutoClusterId"})
    assert list(projections.of(ad._names).names.values()) == ["AUTOCLUSTERID"]


def test_jobs_that_inherit_are_told_apart_by_what_they_inherit() -> None:
    cluster, other = ClassAd({"RequestCpus": 1}), ClassAd({"RequestCpus": 2})
    heirs = [ClassAd({"ProcId": number}) for number in range(3)]
    for heir, above in zip(heirs, (cluster, other, cluster), strict=True):
        heir.chain(above)
    table = AutoclusterTable(frozenset({"requestcpus", "requestmemory"}))
    assert [table.id_of(ad) for ad in [*heirs, cluster]] == [1, 2, 1, 1]


def test_values_that_python_calls_equal_are_of_other_autoclusters() -> None:
    table = AutoclusterTable(frozenset({"x"}))
    values: list[object] = [1, True, "1", 1.0, 0, False, "0", 0.0]
    assert [table.id_of(ClassAd({"X": value})) for value in values] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert [table.id_of(ClassAd({"X": value})) for value in values] == [1, 2, 3, 4, 5, 6, 7, 8]
