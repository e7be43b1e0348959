"""A moment as files hold it: UTC, in milliseconds, as JavaScript's `toISOString` writes it."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, PlainSerializer


def to_milliseconds(moment: datetime) -> datetime:
    """The moment in UTC, as exact as a page in a browser can write it.

    ValueError for one that lies beyond the calendar once it is in UTC.
    """
    try:
        moment = moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("a moment beyond the calendar") from None
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def written(moment: datetime) -> str:
    """As JavaScript's `toISOString` writes it."""
    text = to_milliseconds(moment).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


Moment = Annotated[
    AwareDatetime,
    AfterValidator(to_milliseconds),
    PlainSerializer(written, return_type=str, when_used="json"),
]
