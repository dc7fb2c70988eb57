"""Finds which versions the daemons of a captured pool have.

CondorVersion of the negotiator's ad decides for the negotiator, that of the collector stands in for
it; each schedd has its own.  A version that was given counts for the whole pool.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from classad import ClassAd
from negotiator.capture.ads import LocatedAd
from negotiator.capture.reader import CaptureReader
from policy.versions import (
    Followed,
    UnknownVersionError,
    Version,
    followed_version,
    parse_version,
)

#: Whose ads of a capture tell the version of the negotiator, and what the ads are called.
_TELLERS: Final = (("Negotiator", "the negotiator's ad"), ("Collector", "the collector's ad"))


def pool_version(reader: CaptureReader) -> Followed:
    """The version that the negotiator of a captured pool has.

    Raises ``InputError`` for one of which nothing is known.
    """
    given = reader.version
    if given is None:
        given = _advertised(reader)
    if given.note:
        reader.warn(given.note, severity="note")
    return given


def _advertised(reader: CaptureReader) -> Followed:
    ads = reader.ads("negotiator") or []
    for kind, whose in _TELLERS:
        for ad in ads:
            text = ad.text("CondorVersion")
            if text is None or (ad.text("MyType") or "Negotiator") != kind:
                continue
            try:
                version = parse_version(text)
            except UnknownVersionError as problem:
                reader.diagnostics.append(ad.problem(f"CondorVersion of {whose}: {problem}"))
                continue
            try:
                return followed_version(version, f"CondorVersion of {whose}")
            except UnknownVersionError as problem:
                raise reader.stop(f"CondorVersion of {whose}: {problem}") from None
    return reader.fallback


def schedd_versions(
    reader: CaptureReader,
    schedds: Sequence[LocatedAd],
    submitters: Iterable[ClassAd],
    followed: Followed,
) -> Mapping[str, Version]:
    """The versions of schedds by name, where they are not that of the negotiator."""
    if reader.version is not None:
        return {}
    texts = {ad.get_string("ScheddName"): ad.get_string("CondorVersion") for ad in submitters}
    texts |= {ad.text("Name"): ad.text("CondorVersion") for ad in schedds}
    found: dict[str, Version] = {}
    wrong: list[str] = []
    for name, text in texts.items():
        if name is None or text is None:
            continue
        try:
            version = followed_version(parse_version(text), name).version
        except UnknownVersionError as problem:
            wrong.append(f"CondorVersion of schedd `{name}`: {problem}")
            continue
        if version != followed.version:
            found[name] = version
    if wrong:
        more = f", and {len(wrong) - 1} more" if wrong[1:] else ""
        reader.warn(f"{wrong[0]}{more}", help=f"the rules of {followed.version} are followed there")
    if found:
        told = ", ".join(f"{name} {version}" for name, version in sorted(found.items())[:4])
        more = f" and {len(found) - 4} more" if len(found) > 4 else ""
        text = f"schedds of other versions follow their own rules: {told}{more}"
        reader.warn(text, severity="note")
    return found
