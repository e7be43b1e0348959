"""A kernel's versions in one table: what each moves, how fast it is, and why.

A module's `ladders.yaml` names the versions. Times are those of recorded runs on a GPU, and "not
measured" where there is none. In a lesson the line `<!-- ladder: ID -->` becomes the table.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal

from pydantic import Field

from hotloop.core.document import Identifier, Strict, Text
from hotloop.core.yaml_lines import load
from hotloop.site.bounds import CARDS, Bound, bounds
from hotloop.site.markdown import table
from hotloop.site.runs import CLOCK
from hotloop.tasks import curriculum, figures
from hotloop.tasks.recorded import recorded

FILE = "ladders.yaml"
PLACE = re.compile(r"(?m)^<!-- ladder: (\w+) -->$")
NOT_MEASURED = "not measured"
_ABOVE = "The versions side by side; what was counted needs no GPU, and times are of recorded runs:"


class Version(Strict):
    """A row.

    check: module.task.check, whose recorded run has the time. side: whose time, the reference's or
    that of the baseline beside it. counted: what was counted of it without a GPU, by default what
    the check counts. why: why it is as fast as it is.
    """

    version: Text
    check: Text | None = None
    side: Literal["reference", "baseline"] = "reference"
    counted: Text | None = None
    why: Text


class Ladder(Strict):
    """The versions of a kernel, the slowest first."""

    id: Identifier
    versions: list[Version] = Field(min_length=2)


class Ladders(Strict):
    """The content of a module's ladders.yaml."""

    ladders: list[Ladder]


def ladders(module: str) -> list[Ladder]:
    """Return the module's ladders; none if it has no ladders.yaml."""
    path = curriculum.folder(module) / FILE
    if not path.is_file():
        return []
    return load(path, Ladders, lambda text: figures.plain(text, str(path))).ladders


def insert(text: str, module: str) -> str:
    """Return a lesson with its ladders. Raises KeyError for a ladder that the module lacks."""
    by_id = {ladder.id: ladder for ladder in ladders(module)}
    return PLACE.sub(lambda match: "\n".join(_table(by_id[match[1]].versions)), text)


def _table(versions: Sequence[Version]) -> list[str]:
    devices = sorted({m[0] for v in versions if (m := _measured(v)) is not None})
    heads = (
        "version",
        "counted",
        f"time of a call, {devices[0]}" if devices else "time of a call on a GPU",
        "rate",
        "of the ceiling",
        "why",
    )
    lines = table(heads, [row(version) for version in versions])
    return [_ABOVE, "", *lines, *(["", CLOCK] if devices else [])]


def row(version: Version) -> tuple[str, ...]:
    """Return the version's cells."""
    bound = _bound(version.check)
    counted = version.counted or ("" if bound is None else _work(bound))
    measured = _measured(version)
    if measured is None:
        return version.version, counted, *([NOT_MEASURED] * 3), version.why
    _, m, time = measured
    assert m.p50_ms is not None
    rate = ""
    if bound is not None and bound.flops and _by_arithmetic(bound):
        flops = bound.flops if m.gflop_per_s is None else m.gflop_per_s * m.p50_ms * 1e6
        rate = f"{figures.three_digits(flops / time / 1e9)} TFLOP/s"
    elif m.gb_per_s is not None:
        rate = f"{figures.three_digits(m.gb_per_s * m.p50_ms / time)} GB/s"
    share = (m.fraction_of_limit or 0) * m.p50_ms / time
    shown = f"{share:.0%}" if share >= 0.01 else "under 1%"
    return (
        version.version,
        counted,
        f"{figures.three_digits(time)} ms",
        rate,
        shown,
        version.why,
    )


def _measured(version: Version) -> tuple[str, curriculum.Measurement, float] | None:
    """Return the device, the reference's measurement and the version's milliseconds."""
    if version.check is None:
        return None
    module, task, check = version.check.split(".")
    for run in recorded(module).values():
        for m in run.measurements if run.kind == "gpu" else ():
            if (m.candidate, m.task, m.check) != ("reference", task, check):
                continue
            time = m.p50_ms if version.side == "reference" else m.baseline_p50_ms
            if m.p50_ms is not None and time is not None:
                return run.device, m, time
    return None


@cache
def _bounds(module: str) -> dict[str, Bound]:
    found = bounds(curriculum.load_module(module))
    return {f"{module}.{bound.task}.{bound.check}": bound for bound in found}


def _bound(check: str | None) -> Bound | None:
    return None if check is None else _bounds(check.partition(".")[0]).get(check)


def _work(bound: Bound) -> str:
    moved = f"{bound.moved / 1e6:,.0f} MB"
    return f"{moved}, {bound.flops / 1e9:,.0f} GFLOP" if bound.flops else moved


def _by_arithmetic(bound: Bound) -> bool:
    """Return whether arithmetic takes longer than the bytes, on the H200 as on its neighbors."""
    card = next(card for card in CARDS if card.name == "H200")
    rate = card.half_tflop_per_s if bound.half else card.single_tflop_per_s
    return bound.flops / (rate * 1e12) > bound.moved / (card.gb_per_s * 1e9)
