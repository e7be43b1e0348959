"""Shared parts of all sites' pages: the style sheet and time formats."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

STYLE = Path(__file__).with_name("site.css")


def moment(value: datetime | None) -> str:
    """Format a time to the minute in UTC; "–" for None."""
    return "–" if value is None else f"{value.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def until(value: datetime) -> str:
    """Format the time left in a suitable unit, or return "over"."""
    left = value - datetime.now(UTC)
    if left <= timedelta():
        return "over"
    if left >= timedelta(days=2):
        return f"{left.days} days left"
    hours, minutes = divmod(int(left.total_seconds()) // 60, 60)
    return f"{hours} h {minutes} min left" if hours else f"{minutes} min left"
