"""Checks of a monitor's summary, sketches, dashboard, and files for Prometheus and TensorBoard."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from hotloop.core.wire import Message, as_list, as_message
from hotloop.judge.checks.assertions import Assertion
from hotloop.judge.questions import GivenFile, Question, ask_plainly, number_mismatch, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.judge.written_files import Assignment, files_written
from hotloop.tasks.modules.portable_trainer.given_files import METRICS, SCALARS
from hotloop.tasks.modules.portable_trainer.streams import (
    QUANTILES,
    Event,
    RunFigures,
    RunShape,
    as_bytes,
    quantile,
    stream,
    truth,
)

Sample = tuple[str, frozenset[tuple[str, str]]]
Compare = Callable[[object], str | None]

WHOLE = ("steps", "lost_steps", "compiles", "recompiles", "fallbacks", "restarts")
EXACTLY = 1e-9
SINGLE = 1e-6
"""TensorBoard stores a curve's values in float32."""
SKETCH_BYTES, SKETCH_ERROR = 16 * 1024, 0.01
SKETCHED_STEPS = 6000
THREE_DIGITS = 0.006
COLUMNS = 80
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?(e[+-]?\d+)?|inf)", re.IGNORECASE)
BUCKETS = ("0.01", "0.03", "0.1", "0.3", "1.0", "3.0", "10.0", "+Inf")

RUNS = {
    "A short run": RunShape(steps=40, restarts=0, fallbacks=1, recompiles=1),
    "A run that was restarted": RunShape(steps=300),
    "A run that compiles again and again": RunShape(
        steps=200, recompiles=30, restarts=2, recompute="selective"
    ),
    "A run on one device, with slow steps": RunShape(devices=1, slow=0.12, seconds=0.02),
}


# --- figures --------------------------------------------------------------------------------------


def figures(rng: Rng) -> Iterator[Question]:
    """Yield questions about the `summary` of each kind of run."""
    for label, events in _runs(rng):
        yield Question(label, (_file(events),), _figures_mismatch(truth(events)))


def _figures_mismatch(right: RunFigures) -> Compare:
    def mismatch(answer: object) -> str | None:
        reported = as_message(answer)
        if reported is None:
            return f"the answer is {shown(answer)}, not a dict"
        for key, want in right.figures().items():
            relative = 0.0 if key in WHOLE else EXACTLY
            wrong = number_mismatch(repr(key), reported.get(key), want, relative)
            if wrong is not None:
                return wrong
        return None

    return mismatch


# --- sketches -------------------------------------------------------------------------------------


def merged(session: Session) -> Iterator[Assertion]:
    """Yield checks: sketches of each job's ranks, merged to quantiles of all of its steps."""
    rng = session.rng()
    plain = RunShape(SKETCHED_STEPS, devices=1, restarts=0, fallbacks=0, recompiles=2)
    wide = replace(plain, slow=0.0, seconds=0.3, spread=2.0)
    jobs = {
        "A job with a straggler": [replace(plain, seconds=0.1)] * 3 + [replace(plain, seconds=0.9)],
        "A job whose ranks ran for unequally long": [
            replace(plain, steps=steps, seconds=seconds)
            for steps, seconds in ((4000, 0.05), (700, 0.2), (150, 2.0))
        ],
        "A job with steps of all lengths": [wide] * 2,
    }
    for label, shapes in jobs.items():
        ranks = [stream(rng, shape) for shape in shapes]
        yield Assertion(label, lambda ranks=ranks: _merged_mismatch(ranks, session))


def _merged_mismatch(ranks: list[list[Event]], session: Session) -> str | None:
    assignments = [
        Assignment(f"Rank {n}", (_file(events),), "sketch.json", lambda _data: None)
        for n, events in enumerate(ranks)
    ]
    sketches = files_written(assignments, session.of("sketch"))
    largest = max(map(len, sketches))
    if largest > SKETCH_BYTES:
        return f"a sketch has {largest} bytes, and may have {SKETCH_BYTES}"
    files = [GivenFile(f"rank{n}.json", data) for n, data in enumerate(sketches)]
    worker = session.of("merged_quantiles").worker()
    reported = as_message(ask_plainly(worker, files, session.timeout(30.0))) or {}
    seconds = [event["seconds"] for events in ranks for event in truth(events).steady]
    for name, q in QUANTILES.items():
        want = quantile(seconds, q)
        wrong = number_mismatch(f"{name!r} of all ranks", reported.get(name), want, SKETCH_ERROR)
        if wrong is not None:
            return wrong
    return None


# --- Prometheus -----------------------------------------------------------------------------------


def metrics(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Yield assignments: Prometheus files at the end of each run, and just before its restart."""
    for label, events in _runs(rng):
        yield _metrics_assignment(label, events, session)
        later = next((n for n, e in enumerate(events) if e["event"] == "restart"), None)
        if later is not None:
            early = f"{label}, scraped just before it was"
            yield _metrics_assignment(early, events[:later], session)


def _metrics_assignment(label: str, events: list[Event], session: Session) -> Assignment:
    want = _samples(truth(events))

    def mismatch(data: bytes) -> str | None:
        file = GivenFile("metrics.prom", data)
        reader = METRICS.given(session, "reads metrics")
        parsed = as_message(reader.ask("metrics", file)) or {}
        return _types_mismatch(parsed) or _samples_mismatch(parsed, want)

    return Assignment(label, (_file(events),), "metrics.prom", mismatch)


TYPES = {
    **dict.fromkeys(("steps", "tokens", "recompiles", "compile_seconds"), "counter"),
    **dict.fromkeys(("fallbacks", "restarts"), "counter"),
    **dict.fromkeys(("step", "mfu", "memory_peak_bytes"), "gauge"),
    "step_seconds": "histogram",
}

_FAMILIES = {f"trainer_{name}" for name in TYPES}
_PARTS = re.compile(r"_(total|bucket|sum|count)$")
"""What a sample's name has behind that of its family."""


def _types_mismatch(parsed: Message) -> str | None:
    types = as_message(parsed.get("types")) or {}
    for name, kind in TYPES.items():
        got = types.get(f"trainer_{name}")
        if got != kind and (got is not None or name != "fallbacks"):
            total = "_total" if kind == "counter" else ""
            return f"trainer_{name}{total} is read as {shown(got)} and should be a {kind}"
    return None


def _samples_mismatch(parsed: Message, want: dict[Sample, float]) -> str | None:
    got: dict[Sample, float] = {}
    for name, labels, value in map(as_list, as_list(parsed.get("samples"))):
        sample = _sample(str(name), as_message(labels) or {})
        if sample in got:
            return f"{_shown_sample(sample)} is there twice"
        got[sample] = value
    for sample, right in want.items():
        if sample not in got:
            return f"{_shown_sample(sample)} is missing"
        wrong = number_mismatch(_shown_sample(sample), got[sample], right, EXACTLY)
        if wrong is not None:
            return wrong
    # Other metrics may be there, such as the times of creation that Prometheus' client writes.
    extra = next((s for s in got if s not in want and _PARTS.sub("", s[0]) in _FAMILIES), None)
    return f"{_shown_sample(extra)} is unexpected" if extra else None


def _samples(right: RunFigures) -> dict[Sample, float]:
    seconds = [event["seconds"] for event in right.steady]
    samples: dict[Sample, float] = {
        _sample("steps_total"): len(right.ran),
        _sample("tokens_total"): sum(event["tokens"] for event in right.ran),
        _sample("compile_seconds_total"): right.compile_s,
        _sample("restarts_total"): right.restarts,
        _sample("step"): right.ran[-1]["step"],
        _sample("mfu"): right.mfu,
        _sample("step_seconds_sum"): sum(seconds),
        _sample("step_seconds_count"): len(seconds),
    }
    for graph, count in right.compiles.items():
        samples[_sample("recompiles_total", {"graph": graph})] = count - 1
    for key, count in right.fallbacks.items():
        before, after, reason = key
        labels = {"from": before, "to": after, "reason": reason}
        samples[_sample("fallbacks_total", labels)] = count
    for device, peak in enumerate(right.memory):
        samples[_sample("memory_peak_bytes", {"device": str(device)})] = peak
    for end in BUCKETS:
        inside = sum(s <= float(end) for s in seconds)
        samples[_sample("step_seconds_bucket", {"le": end})] = inside
    return samples


def _sample(name: str, labels: dict[str, Any] | None = None) -> Sample:
    """Return a sample's key. `le` is normalized as a number, so that 1 and 1.0 are one bucket."""
    texts = {key: str(value) for key, value in (labels or {}).items()}
    if "le" in texts and _NUMBER.fullmatch(texts["le"]):
        texts["le"] = f"{float(texts['le']):g}"
    full = name if name.startswith("trainer_") else f"trainer_{name}"
    return full, frozenset(texts.items())


def _shown_sample(sample: Sample) -> str:
    name, labels = sample
    texts = ", ".join(f"{key}={shown(value)}" for key, value in sorted(labels))
    return f"{name}{{{texts}}}" if texts else name


# --- TensorBoard ----------------------------------------------------------------------------------


def curves(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Yield assignments: event files for TensorBoard."""
    for label, events in _runs(rng):
        yield _curves_assignment(label, events, session)


def _curves_assignment(label: str, events: list[Event], session: Session) -> Assignment:
    name = "events.out.tfevents.monitor"
    last = sorted(truth(events).last.items())
    want = {
        "step/seconds": [(n, e["at"], e["seconds"]) for n, e in last],
        "step/loss": [(n, e["at"], e["loss"]) for n, e in last],
        "memory/peak_bytes": [(n, e["at"], max(e["memory_bytes"])) for n, e in last],
    }

    def mismatch(data: bytes) -> str | None:
        reader = SCALARS.given(session, "reads curves")
        curves = as_message(reader.ask("scalars", GivenFile(name, data))) or {}
        for tag, points in want.items():
            wrong = _curve_mismatch(tag, [as_list(p) for p in as_list(curves.get(tag))], points)
            if wrong is not None:
                return wrong
        return None

    return Assignment(label, (_file(events),), name, mismatch)


def _curve_mismatch(
    tag: str, got: list[list[Any]], want: list[tuple[int, float, float]]
) -> str | None:
    if len(got) != len(want):
        return f"{tag!r} has {len(got)} points, and {len(want)} steps count"
    for (step, at, value), right in zip(got, want, strict=True):
        if step != right[0]:
            return f"{tag!r} has step {step:.0f} where step {right[0]} should be"
        wrong = number_mismatch(f"{tag!r} at step {right[0]}", value, right[2], SINGLE, 1e-9)
        wrong = wrong or number_mismatch(f"its wall_time at step {right[0]}", at, right[1], SINGLE)
        if wrong is not None:
            return wrong
    return None


# --- dashboard ------------------------------------------------------------------------------------


def dashboards(rng: Rng) -> Iterator[Question]:
    """Yield questions about the text of `dashboard` for each kind of run."""
    for label, events in _runs(rng):
        yield Question(label, (_file(events),), _dashboard_mismatch(truth(events)))


def _dashboard_mismatch(right: RunFigures) -> Compare:
    figures = right.figures()
    want = {
        "steps": figures["steps"],
        "lost steps": figures["lost_steps"],
        "p50": 1e3 * figures["p50_s"],
        "p95": 1e3 * figures["p95_s"],
        "p99": 1e3 * figures["p99_s"],
        "MFU": 100 * figures["mfu"],
        "recompiles": figures["recompiles"],
        "goodput": figures["goodput"],
        "memory": figures["memory_peak_bytes"] / 1e9,
        "fallbacks": figures["fallbacks"],
    }

    def mismatch(answer: object) -> str | None:
        if not isinstance(answer, str):
            return f"the answer is {shown(answer)}, not a text"
        if "\x1b" in answer:
            return "there are escape codes in it; it should be without colors"
        lines = answer.splitlines()
        wide = next((line for line in lines if len(line) > COLUMNS), None)
        if wide is not None:
            return f"a line has {len(wide)} characters, more than {COLUMNS}"
        for label, number in want.items():
            relative = 0.0 if isinstance(number, int) else THREE_DIGITS
            wrong = _line_mismatch(label, lines, number, relative)
            if wrong is not None:
                return wrong
        return None

    return mismatch


def _line_mismatch(label: str, lines: list[str], want: float, relative: float) -> str | None:
    unit = r"(?:\W*[(\[][^)\]]*[)\]])?"
    read = re.compile(rf"^\W*{label}{unit}\W+?(\d+(?:\.\d*)?)(?![\d,.])", re.IGNORECASE)
    numbers = [match[1] for line in lines if (match := read.search(line))]
    if len(numbers) != 1:
        return f"{len(numbers)} lines have the label {label!r} and a figure behind it, not one"
    return number_mismatch(f"{label!r}", float(numbers[0]), want, relative)


# --- runs -----------------------------------------------------------------------------------------


def _runs(rng: Rng) -> Iterator[tuple[str, list[Event]]]:
    for label, shape in RUNS.items():
        yield label, stream(rng, shape)


def _file(events: list[Event]) -> GivenFile:
    return GivenFile("events.jsonl", as_bytes(events))
