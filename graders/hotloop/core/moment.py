"""Timestamps as stored in files: UTC, in milliseconds, like JavaScript's `toISOString`."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, PlainSerializer


def to_milliseconds(moment: datetime) -> datetime:
    """Return the timestamp in UTC, truncated to the milliseconds that a browser can write.

    Raises ValueError if it is outside the calendar once it is in UTC.
    """
    try:
        moment = moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("a moment beyond the calendar") from None
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def written(moment: datetime) -> str:
    """Return the text that JavaScript's `toISOString` would write."""
    text = to_milliseconds(moment).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


Moment = Annotated[
    AwareDatetime,
    AfterValidator(to_milliseconds),
    PlainSerializer(written, return_type=str, when_used="json"),
]
