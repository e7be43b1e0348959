"""Levels of speed checks from recorded runs, by device.

The rule: a level is above 1.15 times the most that a naive solution can reach, and below 0.85 times
the least that the reference reached, so that neither noise nor day-to-day variation decides. Naive
solutions are those that the run calls too slow, and the baseline itself (at 1) if levels are
multiples of it.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hotloop.core import whole_file
from hotloop.core.verdict import Verdict
from hotloop.tasks import curriculum
from hotloop.tasks.curriculum import RecordedRun
from hotloop.tasks.problem import CheckEntry, DeviceLevels, LevelEntry, Threshold

ABOVE_NAIVE = 1.15
BELOW_REFERENCE = 0.85
REFERENCE = "reference"
STEP = 0.05
"""Levels that are moved are rounded to multiples of this."""

_NEAR = 1e-9


@dataclass(frozen=True)
class Calibrated:
    """What a run implies for one check. low, high: bounds of every level, as ratios.

    levels: levels that satisfy the rule, with the shares of module.yaml; empty if there are none.
    """

    module: str
    task: str
    check: str
    device: str
    low: float
    high: float
    levels: tuple[LevelEntry, ...]

    @property
    def sentence(self) -> str:
        """The levels in one line for people."""
        if not self.levels:
            return f"none lies above {self.low:.2f} (naive) and below {self.high:.2f} (reference)"
        levels = ", ".join(f"{level.ratio:g}" for level in self.levels)
        return f"{levels} (between {self.low:.2f} and {self.high:.2f})"


def calibrate(module: str, runs: Iterable[RecordedRun] | None = None) -> list[Calibrated]:
    """Return the levels of each speed check on a GPU for each recorded GPU run, in that order.

    runs: by default the module's recorded runs.
    """
    recorded = curriculum.runs(module) if runs is None else runs
    on_gpu = [run for run in recorded if run.kind == "gpu"]
    return [
        calibrated
        for task in curriculum.load_module(module).tasks
        for check in task.checks
        if check.needs_gpu and check.threshold is not None
        for run in on_gpu
        if (calibrated := _of(run, task.id, check, check.threshold)) is not None
    ]


def _of(run: RecordedRun, task: str, check: CheckEntry, threshold: Threshold) -> Calibrated | None:
    """Return None if the run has no speed of the reference."""
    of_check = [m for m in run.measurements if (m.task, m.check) == (task, check.id) and m.ratio]
    reference = next((m.ratio for m in of_check if m.candidate == REFERENCE), None)
    if reference is None:
        return None
    slow = [
        m.ratio.high
        for m in of_check
        if m.ratio and m.verdict is Verdict.TOO_SLOW and m.candidate != REFERENCE
    ]
    # Levels below 1 are fractions of a fast baseline, which a naive solution does not reach.
    naive = 1.0 if min(level.ratio for level in threshold.levels) >= 1 else 0.0
    low = ABOVE_NAIVE * max([naive, *slow])
    high = BELOW_REFERENCE * reference.low
    levels = _between(threshold.levels, low, high)
    return Calibrated(run.module, task, check.id, run.device, low, high, levels)


def _between(declared: Sequence[LevelEntry], low: float, high: float) -> tuple[LevelEntry, ...]:
    """Return the declared levels, each moved between the bounds if it is not.

    If moving would merge two of them, all are spread evenly, as ratios.
    """
    first = STEP * (math.floor(low / STEP + _NEAR) + 1)
    last = STEP * (math.ceil(high / STEP - _NEAR) - 1)
    if first > last + _NEAR:
        return ()
    ratios = [level.ratio for level in declared]
    moved = [min(max(ratio, first), last) for ratio in ratios]
    if len(set(moved)) < len(moved):
        growth = (last / first) ** (1 / (len(moved) - 1))
        moved = [STEP * round(first * growth**index / STEP) for index in range(len(moved))]
    # If two still coincide, they become one, with the larger share.
    shares = {round(ratio, 2): level.earned for ratio, level in zip(moved, declared, strict=True)}
    return tuple(LevelEntry(ratio=ratio, earned=earned) for ratio, earned in shares.items())


def write(results: Sequence[Calibrated]) -> list[Path]:
    """Write levels into module.yaml, replacing those of the same device. Returns changed files."""
    written: dict[Path, None] = {}
    for calibrated in results:
        if not calibrated.levels:
            continue
        path = curriculum.folder(calibrated.module) / "module.yaml"
        text = path.read_text(encoding="utf-8")
        whole_file.replace(path, with_levels(text, calibrated).encode())
        written[path] = None
    curriculum.load_module.cache_clear()
    for path in written:
        curriculum.load_module(path.parent.name)
    return list(written)


def with_levels(text: str, calibrated: Calibrated) -> str:
    """Return module.yaml with one device's levels, as a line below `devices:` (added if missing).

    Everything else is unchanged, including comments.
    """
    lines = text.splitlines()
    at, indent = _levels_line(lines, calibrated.task, calibrated.check)
    own = DeviceLevels(device=calibrated.device, levels=list(calibrated.levels))
    pairs = ", ".join(f"{{ratio: {lv.ratio:g}, earned: {lv.earned:g}}}" for lv in own.levels)
    entry = f"{indent}  - {{device: {own.device}, levels: [{pairs}]}}"
    devices = at + 1
    if devices >= len(lines) or lines[devices] != f"{indent}devices:":
        lines.insert(devices, f"{indent}devices:")
    mine = re.compile(rf"{indent}  - \{{device: {re.escape(own.device)}, ")
    end = devices + 1
    while end < len(lines) and lines[end].startswith(f"{indent}  - "):
        if mine.match(lines[end]):
            del lines[end]
        else:
            end += 1
    lines.insert(end, entry)
    return "\n".join(lines) + "\n"


def _levels_line(lines: Sequence[str], task: str, check: str) -> tuple[int, str]:
    """Return the line number (from 0) and indentation of the check's `levels:`.

    Raises ValueError if there is none.
    """
    inside_task = inside_check = False
    for number, line in enumerate(lines):
        if re.match(r"  - id: ", line):
            inside_task, inside_check = line.split(": ", 1)[1].strip() == task, False
        elif re.match(r"      - id: ", line):
            inside_check = inside_task and line.split(": ", 1)[1].strip() == check
        elif inside_check and (match := re.match(r"( +)levels: \[", line)):
            return number, match[1]
    raise ValueError(f"module.yaml has no `levels:` of {task}.{check} on a line of its own")
