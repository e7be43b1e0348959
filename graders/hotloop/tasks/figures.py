"""Figures in prose: a key in double braces becomes the value that was recorded under it.

`{{ run MODULE DEVICE CANDIDATE TASK CHECK FIELD }}` is a value of a recorded run. All six words are
required, in this order:

  MODULE     the module of the run
  DEVICE     the run's file name without suffix; or `gpu`, the first run on a GPU
  CANDIDATE  `reference`, or the name of a wrong answer
  TASK CHECK  as in module.yaml
  FIELD      a key of FIELDS below

The value gets a footnote with device, date and versions, which says if the code has changed since
the run. A misspelt or missing figure stops the build; a device on which the module, or a check of
its reference, was not measured gives "not yet measured on this device".

`{{ proof MODULE.PROGRAM WORD... }}` is a number of what a proof program printed, see
`hotloop.tasks.proof_figures`. Its unit is left out where the text goes on with one in words, such
as “percent”. Code blocks are left unchanged.
"""

import re
from collections.abc import Callable, Mapping

from hotloop.core.verdict import Verdict
from hotloop.tasks import curriculum, proof_figures
from hotloop.tasks.recorded import NOT_MEASURED_HERE, circumstances, devices, recorded

ANY_GPU = "gpu"
_REFERENCE = "reference"
GRAMMAR = "{{ run MODULE DEVICE CANDIDATE TASK CHECK FIELD }}"

FIGURE = re.compile(
    r"(?<!`)\{\{\s*(?P<kind>run|proof)\b(?P<words>[^{}]*)\}\}"
    r"(?P<unit>\s?(?:(?:percent|times|(?:micro|milli)?seconds)\b|倍|毫秒|微秒|秒))?"
)
_FENCE = re.compile(r"^\s*(?P<mark>`{3,}|~{3,})")

Value = Callable[[curriculum.Measurement], str | None]
Shown = Callable[[str, str, curriculum.RecordedRun], str]
"""Return the text for a value, given the value, the run's name and the run."""


class FigureError(ValueError):
    """A figure that cannot be resolved; the message begins with `file:line:`."""


def _ratio(m: curriculum.Measurement) -> str | None:
    if m.ratio is None:
        return None
    return f"{m.ratio.estimate:.2f}× ({m.ratio.low:.2f} to {m.ratio.high:.2f})"


def _speedup(m: curriculum.Measurement) -> str | None:
    return None if m.ratio is None else f"{m.ratio.estimate:.2f}×"


def _measured(name: str, unit: str) -> Value:
    def value(m: curriculum.Measurement) -> str | None:
        number: float | None = getattr(m, name)
        return None if number is None else f"{three_digits(number)} {unit}"

    return value


def _share(m: curriculum.Measurement) -> str | None:
    return None if m.fraction_of_limit is None else f"{m.fraction_of_limit:.0%}"


def _copy(m: curriculum.Measurement) -> str | None:
    """What a copy reached beside the measurement."""
    if m.gb_per_s is None or not m.fraction_of_limit:
        return None
    return f"{three_digits(m.gb_per_s / m.fraction_of_limit / 1e3)} TB/s"


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
    "copy": _copy,
    "fraction_of_limit": _share,
}


def three_digits(value: float) -> str:
    """Format with three significant digits, as many as such a measurement supports."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def insert(text: str, place: str) -> str:
    """Return the page with its figures inserted, and a footnote for each run they come from.

    place: the file's name, for errors. Raises FigureError for a wrong figure.
    """
    notes: dict[str, str] = {}

    def noted(value: str, name: str, run: curriculum.RecordedRun) -> str:
        label = f"run-{run.module}-{name.rpartition('/')[2]}"
        notes[label] = circumstances(run)
        return f"{value}[^{label}]"

    lines = _lines_with_figures(text, place, noted)
    if notes:
        lines += ["", *(f"[^{name}]: {note}" for name, note in notes.items()), ""]
    return "\n".join(lines)


def plain(text: str, place: str) -> str:
    """Like `insert`, but insert the values without footnotes.

    For readers that show no footnotes, and for solutions, which runs are compared with.
    """
    return "\n".join(_lines_with_figures(text, place, lambda value, _name, _run: value))


def _lines_with_figures(text: str, place: str, shown: Shown) -> list[str]:
    fence = ""
    lines: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        fence = _fence_after(line, fence)
        lines.append(line if fence else _with_figures(line, f"{place}:{number}", shown))
    return lines


def _fence_after(line: str, fence: str) -> str:
    """Return the fence mark of the code block after `line`; empty outside a block."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    mark = match["mark"]
    if not fence:
        return mark
    return "" if mark.startswith(fence) else fence


def _with_figures(line: str, place: str, shown: Shown) -> str:
    text = FIGURE.sub(lambda match: _value(match, place, shown), line)
    if match := re.search(r"(?<!`)\{\{\s*(run|proof)\b", text):
        grammar = GRAMMAR if match[1] == "run" else proof_figures.GRAMMAR
        raise FigureError(f"{place}: this is no figure; it would be {grammar} on one line")
    return text


def _value(match: re.Match[str], place: str, shown: Shown) -> str:
    words, unit = match["words"].split(), match["unit"] or ""
    if match["kind"] == "run":
        return _of_run(words, place, shown) + unit
    try:
        return proof_figures.value(words, with_unit=not unit) + unit
    except ValueError as error:
        raise FigureError(f"{place}: {error}") from None


def _of_run(words: list[str], place: str, shown: Shown) -> str:
    if len(words) != 6:
        raise FigureError(f"{place}: a figure is {GRAMMAR}, and this one has {len(words)} words")
    module, device, candidate, task, check, field = words
    if field not in FIELDS:
        raise FigureError(f"{place}: there is no field {field!r}; there are {', '.join(FIELDS)}")
    name, run = _run(module, device, place)
    _refuse_unknown_check(module, task, check, place)
    if run is None:
        return NOT_MEASURED_HERE
    wanted = (candidate, task, check)
    matches = (m for m in run.measurements if (m.candidate, m.task, m.check) == wanted)
    measurement = next(matches, None)
    if measurement is None and candidate == _REFERENCE:
        return NOT_MEASURED_HERE
    if measurement is None:
        raise FigureError(f"{place}: {name} has no measurement of {candidate}, {task}.{check}")
    if measurement.verdict is Verdict.NOT_MEASURED:
        return NOT_MEASURED_HERE
    value = FIELDS[field](measurement)
    if value is None:
        raise FigureError(f"{place}: {name} has no {field} for {candidate}, {task}.{check}")
    return shown(value, name, run)


def _run(module: str, device: str, place: str) -> tuple[str, curriculum.RecordedRun | None]:
    """Return the run's name and the run, or None if the device did not measure this module.

    Raises FigureError for an unknown module or device.
    """
    try:
        curriculum.folder(module)
    except KeyError as error:
        raise FigureError(f"{place}: {error.args[0]}") from None
    runs = recorded(module)
    if device == ANY_GPU:
        on_gpu = next((name for name, run in runs.items() if run.kind == "gpu"), ANY_GPU)
        return f"{module}/{on_gpu}", runs.get(on_gpu)
    if device not in devices():
        known = ", ".join(sorted(devices()))
        raise FigureError(f"{place}: nothing was recorded on {device!r}; devices: {known}")
    return f"{module}/{device}", runs.get(device)


def _refuse_unknown_check(module: str, task: str, check: str, place: str) -> None:
    try:
        checks = [each.id for each in curriculum.load_module(module).task(task).checks]
    except KeyError as error:
        raise FigureError(f"{place}: {error.args[0]}") from None
    if check not in checks:
        raise FigureError(f"{place}: {module}.{task} has no check {check!r}")
