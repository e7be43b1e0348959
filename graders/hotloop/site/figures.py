"""Figures in prose: `{{ run MODULE DEVICE CANDIDATE TASK RUNG FIELD }}` becomes a measured value.

All six words are needed, in this order:

    MODULE     the module of the run
    DEVICE     the run's file name without suffix; or `gpu`, the first run on a GPU
    CANDIDATE  `reference`, or the name of a wrong answer
    TASK RUNG  as in module.yaml
    FIELD      a key of FIELDS below

The value gets a footnote with device, date and versions, which says if the code has changed since.
A misspelt or missing name stops the build; a device on which this module was not measured gives
"not yet measured on this device". Code blocks are not changed.
"""

import re
from collections.abc import Callable, Mapping

from hotloop import curriculum
from hotloop.core.verdict import Verdict
from hotloop.site.recorded import NOT_MEASURED_HERE, circumstances, devices, recorded

ANY_GPU = "gpu"
GRAMMAR = "{{ run MODULE DEVICE CANDIDATE TASK RUNG FIELD }}"

_FIGURE = re.compile(r"(?<!`)\{\{\s*run\b(?P<words>[^{}]*)\}\}")
_FENCE = re.compile(r"^\s*(?P<mark>`{3,}|~{3,})")

Value = Callable[[curriculum.Measurement], str | None]
Shown = Callable[[str, str, curriculum.Run], str]
"""Makes the text for a value from the value, the name of its run and the run."""


class FigureError(ValueError):
    """An invalid figure; the message begins with `file:line:`."""


def _ratio(m: curriculum.Measurement) -> str | None:
    if m.ratio is None:
        return None
    return f"{m.ratio.estimate:.2f}× ({m.ratio.low:.2f} to {m.ratio.high:.2f})"


def _speedup(m: curriculum.Measurement) -> str | None:
    return None if m.ratio is None else f"{m.ratio.estimate:.2f}×"


def _measured(name: str, unit: str) -> Value:
    def value(m: curriculum.Measurement) -> str | None:
        found: float | None = getattr(m, name)
        return None if found is None else f"{three_digits(found)} {unit}"

    return value


def _share(m: curriculum.Measurement) -> str | None:
    return None if m.fraction_of_limit is None else f"{m.fraction_of_limit:.0%}"


FIELDS: Mapping[str, Value] = {
    "verdict": lambda m: f"`{m.verdict}`",
    "sentence": lambda m: m.sentence,
    "ratio": _ratio,
    "speedup": _speedup,
    "p20_ms": _measured("p20_ms", "ms"),
    "p50_ms": _measured("p50_ms", "ms"),
    "p80_ms": _measured("p80_ms", "ms"),
    "baseline_p50_ms": _measured("baseline_p50_ms", "ms"),
    "gb_per_s": _measured("gb_per_s", "GB/s"),
    "gflop_per_s": _measured("gflop_per_s", "GFLOP/s"),
    "fraction_of_limit": _share,
}


def three_digits(value: float) -> str:
    """Format a value with three significant digits, or as an integer from 100 on."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def insert(text: str, place: str) -> str:
    """Return the page with its figures, and a footnote for each run that they come from.

    place: the file's name, for errors. Raises FigureError for an invalid figure.
    """
    notes: dict[str, str] = {}

    def noted(value: str, name: str, run: curriculum.Run) -> str:
        note = f"run-{run.module}-{name.rpartition('/')[2]}"
        notes[note] = circumstances(run)
        return f"{value}[^{note}]"

    lines = _told_lines(text, place, noted)
    if notes:
        lines += ["", *(f"[^{name}]: {told}" for name, told in notes.items()), ""]
    return "\n".join(lines)


def plain(text: str, place: str) -> str:
    """As `insert`, without footnotes.

    For notebooks, and for readers who lack the solutions that a run's code is compared with.
    """
    return "\n".join(_told_lines(text, place, lambda value, _name, _run: value))


def _told_lines(text: str, place: str, shown: Shown) -> list[str]:
    fence = ""
    lines: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        fence = _fence_after(line, fence)
        lines.append(line if fence else _told_line(line, f"{place}:{number}", shown))
    return lines


def _fence_after(line: str, fence: str) -> str:
    """Return the fence of the code block that continues after `line`; empty outside."""
    found = _FENCE.match(line)
    if found is None:
        return fence
    mark = found["mark"]
    if not fence:
        return mark
    return "" if mark.startswith(fence) else fence


def _told_line(line: str, place: str, shown: Shown) -> str:
    def told(match: re.Match[str]) -> str:
        return _figure(match["words"].split(), place, shown)

    done = _FIGURE.sub(told, line)
    if re.search(r"(?<!`)\{\{\s*run\b", done):
        raise FigureError(f"{place}: this is no figure; it would be {GRAMMAR} on one line")
    return done


def _figure(words: list[str], place: str, shown: Shown) -> str:
    if len(words) != 6:
        raise FigureError(f"{place}: a figure is {GRAMMAR}, and this one has {len(words)} words")
    module, device, candidate, task, rung, field = words
    if field not in FIELDS:
        raise FigureError(f"{place}: there is no field {field!r}; there are {', '.join(FIELDS)}")
    name, run = _run(module, device, place)
    _refuse_unknown_rung(module, task, rung, place)
    if run is None:
        return NOT_MEASURED_HERE
    found = _measurement(run, candidate, task, rung)
    if found is None:
        raise FigureError(f"{place}: {name} has no measurement of {candidate}, {task}.{rung}")
    if found.verdict is Verdict.NOT_MEASURED:
        return NOT_MEASURED_HERE
    value = FIELDS[field](found)
    if value is None:
        raise FigureError(f"{place}: {name} has no {field} for {candidate}, {task}.{rung}")
    return shown(value, name, run)


def _run(module: str, device: str, place: str) -> tuple[str, curriculum.Run | None]:
    """Return the run's name and the run; None if this module was not measured on that device."""
    try:
        curriculum.folder(module)
    except KeyError as error:
        raise FigureError(f"{place}: {error.args[0]}") from None
    found = recorded(module)
    if device == ANY_GPU:
        on_gpu = next((name for name, run in found.items() if run.kind == "gpu"), ANY_GPU)
        return f"{module}/{on_gpu}", found.get(on_gpu)
    if device not in devices():
        known = ", ".join(sorted(devices()))
        raise FigureError(f"{place}: nothing was recorded on {device!r}; devices: {known}")
    return f"{module}/{device}", found.get(device)


def _refuse_unknown_rung(module: str, task: str, rung: str, place: str) -> None:
    try:
        rungs = [each.id for each in curriculum.load_module(module).task(task).rungs]
    except KeyError as error:
        raise FigureError(f"{place}: {error.args[0]}") from None
    if rung not in rungs:
        raise FigureError(f"{place}: {module}.{task} has no rung {rung!r}")


def _measurement(
    run: curriculum.Run, candidate: str, task: str, rung: str
) -> curriculum.Measurement | None:
    for found in run.measurements:
        if (found.candidate, found.task, found.rung) == (candidate, task, rung):
            return found
    return None
