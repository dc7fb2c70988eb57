"""Tells which families of addresses (4 for IPv4, 6 for IPv6) a daemon can be reached by.

condor_negotiator 25.14.1 passes over slots whose ``MyAddress`` has no family in common with the
schedd's address, without a word.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import ip_address
from typing import Final

from classad import ClassAd
from classad.evaluate import EvalContext
from classad.patterns import late_regex

#: The address of a slot is in the first of these that is a string.
_OF_SLOTS: Final = ("MyAddress", "StartdIpAddr")
#: Stands for every family: nothing is known.
ANY: Final = frozenset({4, 6})
#: Stands in for a schedd whose address no ad tells.
NO_ADDRESS: Final = "<0.0.0.0:0>"
#: What most addresses are, told faster than by the library.
_OCTET: Final = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4_TEXT: Final = rf"(?:{_OCTET}\.){{3}}{_OCTET}"
_IPV4: Final = late_regex(_IPV4_TEXT)
_USUAL: Final = late_regex(
    rf"<{_IPV4_TEXT}:[0-9]+(?:\?addrs={_IPV4_TEXT}-[0-9]+(?:&(?!addrs=)[^&<>?]*)*)?>"
)
_JUST_IPV4: Final = frozenset({4})
_PARAMETER: Final = "addrs="


@lru_cache(maxsize=100_000)
def families(text: str) -> frozenset[int]:
    """The families of the address itself and of those behind ``addrs=``."""
    if _USUAL.fullmatch(text):
        return _JUST_IPV4
    plain, _, rest = text.strip("<>").partition("?")
    found = {_family(plain.rpartition(":")[0] or plain)}
    for parameter in rest.split("&"):
        if parameter.startswith(_PARAMETER):
            for item in parameter.removeprefix(_PARAMETER).split("+"):
                host = item.rpartition("-")[0]
                found.add(_family(host.replace("-", ":") if host[:1] == "[" else host))
    return frozenset(found - {0})


def _family(host: str) -> int:
    """4 or 6, 0 for what is no address."""
    if _IPV4.fullmatch(host):
        return 4
    try:
        return ip_address(host.strip("[]")).version
    except ValueError:
        return 0


def slot_families(ad: ClassAd, context: EvalContext) -> frozenset[int]:
    """The families of a slot; every one if the ad has no address."""
    for name in _OF_SLOTS:
        if ad.raw(name) is not None:
            text = ad.get_string(name, context=context)
            if text is not None:
                return families(text)
    return ANY


def schedd_families(address: str) -> frozenset[int]:
    """The families of the schedd at the address in a submitter ad; every one if that says none.

    The real negotiator could not ask such a schedd at all; in a saved pool the address may have
    been replaced.
    """
    return ANY if address == NO_ADDRESS else families(address) or ANY
