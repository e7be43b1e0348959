"""The front page's examples: a verdict with its speed, a data race that was found, a question.

Verdict and race are read from recorded runs.
"""

from collections.abc import Mapping
from html import escape
from typing import Any

from hotloop import curriculum
from hotloop.bank.catalog import catalog
from hotloop.course.picture import speed_svg
from hotloop.course.render_record import prose
from hotloop.problem import Level, Rung
from hotloop.site.recorded import recorded

PLACE = "<!-- showcase -->"

SPEED = ("fused_softmax", "nvidia_h200", "reference", "triton_forward", "gpu_fast")
RACE = ("fused_softmax", "amd_epyc", "cuda_missing_barrier", "cuda_block", "clean")
QUESTION = "fused_softmax.why_subtract_the_maximum"


def section() -> list[str]:
    """Return three panels as HTML. Raises ValueError if a run or a question does not exist."""
    return ['<div class="showcase">', _verdict(), _race(), _question(), "</div>"]


def _verdict() -> str:
    run, found = _measurement(*SPEED)
    module, _, _, task, rung = SPEED
    drawn = speed_svg(_evidence(found, run.device, curriculum.load_module(module).task(task).rungs))
    if drawn is None:
        raise ValueError(f"{module}.{task}.{rung} has no speed in the run of {run.device}")
    return _panel(
        "A verdict has an interval, and the distance to the hardware's limit",
        f"<p><strong>{found.verdict}</strong> {module}.{task}: {escape(found.sentence)}</p>{drawn}",
        f"Measured on an {escape(run.device)}",
        "results.md",
    )


def _race() -> str:
    module, _, candidate, task, _ = RACE
    _, found = _measurement(*RACE)
    return _panel(
        "A data race is found without a GPU, with its lines",
        f"<p><strong>{found.verdict}</strong> {module}.{task}</p><p>{prose(found.sentence)}</p>",
        f"What the CUDA simulator says of {candidate}",
        "how-the-judge-works.md",
    )


def _question() -> str:
    entry = next((e for e in catalog() if e.key == QUESTION), None)
    if entry is None:
        raise ValueError(f"there is no question {QUESTION}")
    question = entry.question
    asked = f"<p><strong>{escape(question.title)}</strong></p>"
    weak = question.weak_answers[0]
    return _panel(
        "A question, a strong answer, and what weak answers reveal",
        f"{asked}<p>Weak: “{escape(weak.says)}”. It {escape(weak.reveals)}.</p>",
        "All questions, with rubrics and follow-ups",
        "questions/index.md",
    )


def _panel(title: str, body: str, link: str, page: str) -> str:
    address = page.replace("index.md", "index.html").replace(".md", ".html")
    more = f'<p><a href="{address}">{link}</a></p>'
    return f"<section><h2>{escape(title)}</h2>{body}{more}</section>"


def _measurement(
    module: str, device: str, candidate: str, task: str, rung: str
) -> tuple[curriculum.Run, curriculum.Measurement]:
    run = recorded(module).get(device)
    wanted = (candidate, task, rung)
    for found in run.measurements if run else ():
        if (found.candidate, found.task, found.rung) == wanted:
            assert run is not None
            return run, found
    raise ValueError(f"no run of {device} has {module}.{task}.{rung} of {candidate}")


def _evidence(found: curriculum.Measurement, device: str, rungs: list[Rung]) -> Mapping[str, Any]:
    """Return a measurement in the form that `speed_svg` draws."""
    assert found.ratio is not None
    assert found.p50_ms is not None
    assert found.baseline_p50_ms is not None
    rung = next(rung for rung in rungs if rung.id == found.rung)
    fraction = found.fraction_of_limit
    return {
        "baseline_seconds": {"p50": found.baseline_p50_ms / 1e3},
        "candidate_seconds": {"p50": found.p50_ms / 1e3},
        "ratio": found.ratio.estimate,
        "interval": [found.ratio.low, found.ratio.high],
        "gb_per_s": found.gb_per_s,
        "fraction_of_limit": fraction,
        "limit_ratio": found.ratio.estimate / fraction if fraction else None,
        "levels": [level.model_dump() for level in _levels(rung, device)],
    }


def _levels(rung: Rung, device: str) -> list[Level]:
    assert rung.threshold is not None
    own = (each.levels for each in rung.threshold.devices if each.device == device)
    return next(own, rung.threshold.levels)
