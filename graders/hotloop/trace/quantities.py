"""Times, sizes and shares as people read them."""

from __future__ import annotations

_TIME_UNITS = ((1e6, "s"), (1e3, "ms"), (1.0, "µs"))
_BYTE_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def time_text(microseconds: float) -> str:
    """Three digits and a unit: `2.57 ms`."""
    for size, unit in _TIME_UNITS:
        if abs(microseconds) >= size:
            return f"{_digits(microseconds / size)} {unit}"
    return f"{microseconds * 1000:.0f} ns" if microseconds else "0 µs"


def bytes_text(count: int) -> str:
    """Three digits and a unit: `1.78 MiB`."""
    for size, unit in _BYTE_UNITS:
        if abs(count) >= size:
            return f"{_digits(count / size)} {unit}"
    return f"{count} bytes"


def share_text(share: float) -> str:
    """A percentage: `29.0 %`."""
    return f"{share * 100:.1f} %"


def _digits(value: float) -> str:
    places = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:,.{places}f}"
