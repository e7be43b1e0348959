"""A hand-in's time is read as its zone says, or not at all: never as another zone's."""

from datetime import datetime
from pathlib import Path

import pytest

from hotloop.course.attempts.database import CONFIG_FILE
from hotloop.course.hand_in import time_of
from hotloop.course.timestamps import FORMAT, moment

TEN = datetime(2026, 11, 1, 10)


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("2026-11-01 10:00:00.000000 UTC", "UTC", TEN),
        ("2026-11-01 10:00:00 GMT", "UTC", TEN),
        ("2026-11-01T10:00:00Z", "UTC", TEN),
        ("2026-11-01 10:00:00", "UTC", TEN),
        ("2026-11-01 15:30:00 +0530", "UTC", TEN),
        ("2026-11-01 15:30 +05:30", "UTC", TEN),
        ("2026-11-01T02:00:00-08:00", "UTC", TEN),
        ("2026-11-01 11:00:00 Europe/Berlin", "UTC", TEN),
        ("2026-11-01 15:30:00 IST", "Asia/Kolkata", TEN),
        ("2026-11-01 11:00:00 CET", "Europe/Berlin", TEN),
        ("01 Nov 2026 10:00 UTC", "UTC", TEN),
        # The hour that is there twice when clocks go back.
        ("2026-10-25 02:30:00 CEST", "Europe/Berlin", datetime(2026, 10, 25, 0, 30)),
        ("2026-10-25 02:30:00 CET", "Europe/Berlin", datetime(2026, 10, 25, 1, 30)),
    ],
)
def test_whole_times_in_known_zones(text: str, zone: str, expected: datetime) -> None:
    assert moment(text, zone) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "11",
        "10:00",
        "10:00 UTC",
        "2026-11",
        "2026-11-01",
        "Friday",
        "2026-11-01 10:00:00 IST",
        "2026-11-01 10:00:00 PST",
        "2026-11-01 10:00:00 CEST",
        "2026-11-01 10:00:00 Mars/Phobos",
        "2026-11-01 10:00:00 ../../etc/localtime",
        "2026-11-01 10:00:00 Europe",
        "0001-01-01 00:00:00 +1400",
        "9999-12-31 23:59:59 -1200",
        "2026-13-01 10:00:00 UTC",
        "9" * 190,
    ],
)
def test_anything_else_is_no_time(text: str) -> None:
    assert moment(text) is None


def test_an_abbreviation_of_another_season_is_no_time() -> None:
    assert moment("2026-11-01 11:00:00 CEST", "Europe/Berlin") is None


def test_the_courses_zone_is_that_of_its_settings(tmp_path: Path) -> None:
    path = tmp_path / "submitted" / "ada" / "tiny" / "timestamp.txt"
    path.parent.mkdir(parents=True)
    path.write_text("2026-11-01 11:00:00 CET\n")
    assert time_of(path) == ""
    settings = "c = get_config()\nc.Exchange.timezone = 'Europe/Berlin'\n"
    (tmp_path / CONFIG_FILE).write_text(settings)
    assert time_of(path) == f"{TEN:{FORMAT}}"
