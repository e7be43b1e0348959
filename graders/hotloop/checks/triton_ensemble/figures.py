"""What two readings of /metrics say about a model in between: the judge's own way to compute it."""

from __future__ import annotations

from dataclasses import dataclass

from hotloop.core.wire import as_message
from hotloop.judge.questions import number_complaint, shown
from hotloop.serving import metrics

RELATIVE = 1e-3
ABSOLUTE = 1e-6


@dataclass(frozen=True)
class Figures:
    """What the learner's `figures` is to return; the names are the keys.

    Times are microseconds of as many successful requests as are asked for. What cannot be said,
    since nothing happened, is None.
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

    def complaint(self, answer: object) -> str | None:
        """What is wrong with an answer."""
        told = as_message(answer)
        if told is None:
            return f"it returned {shown(answer)}, not a dict"
        for key, want in vars(self).items():
            if key not in told:
                return f"{key} is missing in the dict"
            found = number_complaint(key, told[key], want, RELATIVE, ABSOLUTE)
            if found is not None:
                return found
        return None


@dataclass(frozen=True)
class Asked:
    """What is asked for: the time of how many requests, and the rows of how many seconds."""

    requests: int = 1
    seconds: int = 1


PLAIN = Asked()


def figures_of(
    before: str, after: str, model: str, seconds: float, asked: Asked = PLAIN
) -> Figures:
    """ValueError when a text is no reading."""
    first, last = metrics.parse(before), metrics.parse(after)

    def grown(name: str) -> float:
        key = f"nv_inference_{name}"
        return metrics.value(last, key, model=model) - metrics.value(first, key, model=model)

    def each(name: str) -> float | None:
        return _per(asked.requests * grown(f"{name}_duration_us"), grown("request_success"))

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
        rows_per_s=asked.seconds * grown("count") / seconds,
    )


def _per(part: float, whole: float) -> float | None:
    return part / whole if whole else None
