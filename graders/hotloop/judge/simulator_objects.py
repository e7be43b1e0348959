"""The simulator's own objects, which every judging would build anew otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hotloop.cudasim import build
from hotloop.cudasim.problem import ToolMissing
from hotloop.judge.verdict import Ruling, Verdict


def prebuilt(on_progress: Callable[[str], None]) -> Path:
    """The folder that holds them. Ruling NOT_MEASURED where there is no compiler."""
    on_progress("preparing the simulator")
    try:
        return build.runtime()
    except ToolMissing as missing:
        raise Ruling(Verdict.NOT_MEASURED, str(missing)) from None
