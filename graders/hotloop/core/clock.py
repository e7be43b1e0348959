"""The judge's clock. One place, so that a window's two stamps come from the same counter."""

import time


def now() -> float:
    """Seconds on the raw monotonic clock, which no clock adjustment slews."""
    return time.clock_gettime(time.CLOCK_MONOTONIC_RAW)
