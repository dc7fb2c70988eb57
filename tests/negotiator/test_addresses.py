"""Which kinds of address an address text offers; whole cycles are among the recorded ones."""

from __future__ import annotations

import pytest

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.pool.addresses import NO_ADDRESS, families, schedd_families, slot_families


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<192.0.2.1:9618>", {4}),
        ("<[2001:db8::1]:9618>", {6}),
        ("<192.0.2.1:9618?addrs=192.0.2.1-9618+[2001-db8--1]-9618&alias=host>", {4, 6}),
        ("<[2001:db8::1]:9618?noUDP&addrs=192.0.2.1-9618>", {4, 6}),
        ("<192.0.2.1>", {4}),
        ("192.0.2.1:9618", {4}),
        ("<host.example.org:9618>", set()),
        ("", set()),
    ],
)
def test_families(text: str, found: set[int]) -> None:
    assert families(text) == found


@pytest.mark.parametrize(
    ("ad", "found"),
    [
        ({}, {4, 6}),
        ({"StartdIpAddr": "<[::1]:1>"}, {6}),
        ({"MyAddress": "<192.0.2.1:1>", "StartdIpAddr": "<[::1]:1>"}, {4}),
        ({"MyAddress": 3, "StartdIpAddr": "<[::1]:1>"}, {6}),
        ({"MyAddress": "nonsense"}, set()),
    ],
)
def test_slot_without_an_address_is_reachable(ad: dict[str, object], found: set[int]) -> None:
    assert slot_families(ClassAd(ad), EvalContext(now=0.0)) == found


@pytest.mark.parametrize("address", ["", "somewhere", NO_ADDRESS])
def test_nothing_is_held_against_a_schedd_of_unknown_address(address: str) -> None:
    assert schedd_families(address) == {4, 6}
