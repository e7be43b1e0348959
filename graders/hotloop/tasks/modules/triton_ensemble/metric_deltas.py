"""Figures of a model between two readings of /metrics, as the judge computes them."""

from __future__ import annotations

from dataclasses import dataclass

from hotloop.core.wire import as_message
from hotloop.engines.serving import metrics
from hotloop.judge.constants import constant
from hotloop.judge.questions import number_mismatch, shown

RELATIVE = 1e-3
ABSOLUTE = 1e-6


@dataclass(frozen=True)
class Figures:
    """What the learner's `metric_deltas` must return; the field names are the keys.

    Times are microseconds per successful request; in a variant, per several requests, and the rows
    per several seconds. A figure without any events is None.
    """

    requests: float
    failed: float
    mean_batch: float | None
    request_us: float | None
    queue_us: float | None
    input_us: float | None
    infer_us: float | None
    output_us: float | None
    queue_share: float | None
    rows_per_s: float

    def mismatch(self, answer: object) -> str | None:
        """Return a message about the first wrong or missing figure, or None."""
        reported = as_message(answer)
        if reported is None:
            return f"it returned {shown(answer)}, not a dict"
        for key, want in vars(self).items():
            if key not in reported:
                return f"{key} is missing in the dict"
            mismatch = number_mismatch(key, reported[key], want, RELATIVE, ABSOLUTE)
            if mismatch is not None:
                return mismatch
        return None


def figures_of(before: str, after: str, model: str, seconds: float) -> Figures:
    """Compute a model's figures. Raises ValueError if a text is not a reading of /metrics."""
    requests = constant("REQUESTS", 1, range(2, 61))
    first, last = metrics.parse(before), metrics.parse(after)

    def grown(name: str) -> float:
        key = f"nv_inference_{name}"
        return metrics.value(last, key, model=model) - metrics.value(first, key, model=model)

    def each(name: str) -> float | None:
        return _per(requests * grown(f"{name}_duration_us"), grown("request_success"))

    return Figures(
        requests=grown("request_success"),
        failed=grown("request_failure"),
        mean_batch=_per(grown("count"), grown("exec_count")),
        request_us=each("request"),
        queue_us=each("queue"),
        input_us=each("compute_input"),
        infer_us=each("compute_infer"),
        output_us=each("compute_output"),
        queue_share=_per(grown("queue_duration_us"), grown("request_duration_us")),
        rows_per_s=constant("SECONDS", 1, range(2, 61)) * grown("count") / seconds,
    )


def _per(part: float, whole: float) -> float | None:
    return part / whole if whole else None
