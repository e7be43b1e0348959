"""The first screen: a verdict with its speed, a data race that was found, and a question.

The verdict is read from a recorded run, the race from the recorded output of a program that the
tests run again. The README shows the same verdict as a picture:

    python -m hotloop.site.showcase > site/pages/assets/verdict.svg
"""

import re
from collections.abc import Mapping
from html import escape, unescape
from typing import Any

from hotloop.core import paths, svg
from hotloop.learn.bank.catalog import catalog
from hotloop.tasks import curriculum
from hotloop.tasks.problem import CheckEntry, LevelEntry
from hotloop.tasks.recorded import recorded
from hotloop.verdicts.picture import speed_svg
from hotloop.verdicts.render_record import prose

PLACE = "<!-- showcase -->"

SPEED = ("fused_softmax", "nvidia_h200", "reference", "triton_forward", "gpu_fast")
RACE = "fused_softmax/proofs/what_the_checker_says.txt"
KERNEL = "fused_softmax/bugs/tree_sum.cu"
QUESTION = "fused_softmax.neighboring_lanes"


def section() -> list[str]:
    """Return three panels, as HTML. Raises ValueError if a run or a question is missing."""
    return ['<div class="showcase">', _verdict(), _race(), _question(), "</div>"]


def picture() -> str:
    """Return the verdict as an SVG file of its own, for light and dark pages."""
    run, measurement, drawn = _speed()
    module, _, _, task, _ = SPEED
    head, _, rest = drawn.partition(">")
    width, height = (float(size) for size in re.findall(r'viewBox="0 0 (\S+) (\S+)"', head)[0])
    [description] = re.findall(r'aria-label="([^"]*)"', head)
    badge = svg.element("tspan", str(measurement.verdict), fill="#2da44e", font_weight="bold")
    place = f" {module}.{task} on an {escape(run.device)}"
    colors = "svg{color:#1f2328}@media (prefers-color-scheme:dark){svg{color:#e6edf3}}"
    parts = [
        svg.element("style", colors),
        svg.element("text", badge, place, x=8, y=20, fill=svg.PAGE),
        svg.text(8, 38, measurement.sentence),
        svg.element("g", rest.removesuffix("</svg>"), transform="translate(0 52)"),
    ]
    return svg.picture(width, height + 52, parts, unescape(description), width=600)


def _speed() -> tuple[curriculum.RecordedRun, curriculum.Measurement, str]:
    """Return the run, its measurement and the drawing of its speed."""
    run, measurement = _measurement(*SPEED)
    module, _, _, task, check = SPEED
    drawn = speed_svg(
        _evidence(measurement, run.device, curriculum.load_module(module).task(task).checks)
    )
    if drawn is None:
        raise ValueError(f"{module}.{task}.{check} has no speed in the run of {run.device}")
    return run, measurement, drawn


def _verdict() -> str:
    run, measurement, drawn = _speed()
    module, _, _, task, _ = SPEED
    return _panel(
        "A verdict has an interval, and the distance to the hardware's limit",
        f"<p><strong>{measurement.verdict}</strong> {module}.{task}: "
        f"{escape(measurement.sentence)}</p>{drawn}",
        f"Measured on an {escape(run.device)}",
        "results.md",
    )


def _race() -> str:
    """Show the report below the kernel, from its head to the lines that the report names."""
    report = (paths.curriculum() / RACE).read_text(encoding="utf-8")
    kernel = paths.curriculum() / KERNEL
    sentence, *accesses = report.strip().split("\n")
    named = [int(line) for line in re.findall(rf"{re.escape(kernel.name)}:(\d+)", report)]
    if not named:
        raise ValueError(f"{RACE} names no line of {kernel.name}")
    lines = kernel.read_text(encoding="utf-8").split("\n")
    before = lines[: min(named)]
    head = max(number for number, line in enumerate(before, start=1) if "__global__" in line)
    shown = range(head, max(named) + 4)
    code = "\n".join(f"{number} {lines[number - 1]}" for number in shown)
    places = "\n".join(map(str.strip, accesses))
    kind, _, report_text = sentence.partition(": ")
    return _panel(
        "A data race is found without a GPU, with its lines",
        f"<pre><code>{escape(code)}</code></pre>"
        f"<p><code>hotloop cuda run --check {kernel.name}</code></p>"
        f"<p><strong>{kind}</strong> {prose(report_text)}</p>"
        f"<pre><code>{escape(places)}</code></pre>",
        "Nine kernels with one bug each",
        "modules/fused_softmax/find_the_bug.md",
    )


def _question() -> str:
    entry = next((e for e in catalog() if e.key == QUESTION), None)
    if entry is None:
        raise ValueError(f"there is no question {QUESTION}")
    question = entry.question
    strong = " ".join(re.split(r"(?<=[.?!])\s+", question.say)[:2])
    weak = question.weak_answers[0]
    return _panel(
        "A question, a strong answer, and what weak answers reveal",
        f"<p><strong>{escape(question.title)}</strong></p>"
        f"<p>Strong: “{escape(strong)}”</p>"
        f"<p>Weak: “{escape(weak.says)}”. Reveals: {escape(weak.reveals)}.</p>",
        "All questions, with rubrics and follow-ups",
        "questions/index.md",
    )


def _panel(title: str, body: str, link: str, page: str) -> str:
    address = page.replace("index.md", "index.html").replace(".md", ".html")
    more = f'<p><a href="{address}">{link}</a></p>'
    return f"<section><h2>{escape(title)}</h2>{body}{more}</section>"


def _measurement(
    module: str, device: str, candidate: str, task: str, check: str
) -> tuple[curriculum.RecordedRun, curriculum.Measurement]:
    run = recorded(module).get(device)
    wanted = (candidate, task, check)
    for measurement in run.measurements if run else ():
        if (measurement.candidate, measurement.task, measurement.check) == wanted:
            assert run is not None
            return run, measurement
    raise ValueError(f"no run of {device} has {module}.{task}.{check} of {candidate}")


def _evidence(
    measurement: curriculum.Measurement, device: str, checks: list[CheckEntry]
) -> Mapping[str, Any]:
    """Convert a measurement to the fields that the picture of a verdict needs."""
    assert measurement.ratio is not None
    assert measurement.p50_ms is not None
    assert measurement.baseline_p50_ms is not None
    check = next(check for check in checks if check.id == measurement.check)
    fraction = measurement.fraction_of_limit
    return {
        "baseline_seconds": {"p50": measurement.baseline_p50_ms / 1e3},
        "candidate_seconds": {"p50": measurement.p50_ms / 1e3},
        "ratio": measurement.ratio.estimate,
        "interval": [measurement.ratio.low, measurement.ratio.high],
        "gb_per_s": measurement.gb_per_s,
        "fraction_of_limit": fraction,
        "limit_ratio": measurement.ratio.estimate / fraction if fraction else None,
        "levels": [level.model_dump() for level in _levels(check, device)],
    }


def _levels(check: CheckEntry, device: str) -> list[LevelEntry]:
    assert check.threshold is not None
    own = (each.levels for each in check.threshold.devices if each.device == device)
    return next(own, check.threshold.levels)


if __name__ == "__main__":
    print(picture())
