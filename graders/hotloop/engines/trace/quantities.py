"""Formats times and shares."""

_TIME_UNITS = ((1e6, "s"), (1e3, "ms"), (1.0, "µs"))


def time_text(microseconds: float) -> str:
    """Format a time with three digits and a unit: `2.57 ms`."""
    for size, unit in _TIME_UNITS:
        if abs(microseconds) >= size:
            value = microseconds / size
            places = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
            return f"{value:,.{places}f} {unit}"
    return f"{microseconds * 1000:.0f} ns" if microseconds else "0 µs"


def share_text(share: float) -> str:
    """Format a fraction as a percentage: `29.0 %`."""
    return f"{share * 100:.1f} %"
