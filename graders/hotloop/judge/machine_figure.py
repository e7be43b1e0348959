"""Figures of this machine, which a judge process measures once for all judgings of a check.

They do not depend on what is judged. So a class is measured against the same figures, and waits for
them once. None convicts: what costs a learner points is measured again with the candidate.
"""

import math
import time
from collections.abc import Callable

from hotloop.judge.session import Session

LONGEST_S = 3600.0
"""After so many seconds a figure is measured again: machines change, such as their clocks."""

RECENT_S = 60.0
"""A figure that convicts was measured in the same judging, at most so many seconds before."""

_known: dict[tuple[str | int, ...], tuple[float, float]] = {}
"""By check and name: a figure, and when it was measured."""


def machine_figure(
    session: Session, name: str, measure: Callable[[], float], at_most_s: float = LONGEST_S
) -> float:
    """Return what `measure` returns, or has returned before for the session's check.

    name: which figure of the check it is. at_most_s: how old it may be, in seconds.
    """
    variant = session.options.variant
    key = (
        str(session.options.folder),
        session.candidate.name,
        session.check_name,
        "" if variant is None else variant.digest,
        session.launcher.threads,
        name,
    )
    figure, measured_at = _known.get(key, (0.0, -math.inf))
    if time.monotonic() - measured_at >= at_most_s:
        figure = measure()
        _known[key] = figure, time.monotonic()
    return figure


def forget() -> None:
    """Measure every figure again."""
    _known.clear()
