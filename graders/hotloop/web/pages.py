"""What the pages of every site have: their style, and how they write a moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

STYLE = Path(__file__).with_name("site.css")


def moment(value: datetime | None) -> str:
    """To the minute, in UTC."""
    return "–" if value is None else f"{value.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def until(value: datetime) -> str:
    """How long it is until then, in the unit that people would use."""
    left = value - datetime.now(UTC)
    if left <= timedelta():
        return "over"
    if left >= timedelta(days=2):
        return f"{left.days} days left"
    hours, minutes = divmod(int(left.total_seconds()) // 60, 60)
    return f"{hours} h {minutes} min left" if hours else f"{minutes} min left"
