"""Values are shown in the zone of the machine."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from classad.binding import ambient


@pytest.mark.parametrize(
    ("zone", "offset", "name"),
    [
        ("America/New_York", -4, "America/New_York"), (":Europe/Berlin", 2, "Europe/Berlin"),
        ("UTC", 0, "UTC"), ("", 0, None), ("/usr/share/zoneinfo/Asia/Tokyo", None, "Asia/Tokyo"),
        ("Not/AZone", None, None),
    ],
)  # fmt: skip
def test_the_zone_of_the_machine(
    zone: str, offset: int | None, name: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked for twice: it is kept by the name in the environment."""
    monkeypatch.setenv("TZ", zone)
    summer = datetime(2024, 7, 1, tzinfo=UTC)
    for _ in range(2):
        found = summer.astimezone(ambient.current_context().tz).utcoffset()
        if offset is not None:
            assert found == timedelta(hours=offset)
        assert ambient.zone_name() == name
        assert ambient.current_context().literal_zone() == name
