"""Reads the times that nbgrader records of hand-ins, which learners' accounts write."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, available_timezones

from dateutil import parser, tz

FORMAT = "%Y-%m-%d %H:%M:%S.%f UTC"
"""nbgrader's own, in UTC."""

_DEFAULTS = datetime(2000, 1, 1, 1, 1), datetime(2001, 2, 2, 2, 2)
"""What is missing in a text is taken from here: a text that gives two times is not whole."""


def moment(text: str, zone: str = "UTC") -> datetime | None:
    """Return the time as naive UTC; None if it is no whole time, or in a zone that is not known.

    zone: in which the course's `c.Exchange.timezone` lets nbgrader write. Abbreviations such as IST
    mean several zones, and are read as this one's only.
    """
    try:
        first, second = (_parse(text, zone, default) for default in _DEFAULTS)
    except (ValueError, OverflowError, TypeError, ArithmeticError):
        return None
    return first if first == second else None


def _parse(text: str, zone: str, default: datetime) -> datetime:
    rest, _, last = text.rpartition(" ")
    is_named = "/" in last and last in available_timezones()
    without = ZoneInfo(last) if is_named else UTC
    abbreviations: set[str] = set()

    def find(name: str | None, offset: int | None) -> tzinfo | None:
        if offset is not None:
            return tz.tzoffset(name, offset)
        if name is None:
            return without
        abbreviations.add(name)
        return tz.gettz(zone)

    aware = parser.parse(rest if is_named else text, default=default, tzinfos=find)
    if aware.tzinfo is None or not abbreviations <= {aware.tzname()}:
        raise ValueError(f"{text}: a zone that {zone} does not know")
    return aware.astimezone(UTC).replace(tzinfo=None)
