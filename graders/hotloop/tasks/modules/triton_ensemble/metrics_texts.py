"""Two readings of /metrics with known counts in between, as tritonserver 2.51 would write them.

Counts are sampled first, and texts are built from them. The counts before the first reading are
many times those in between, and differ from them in every ratio.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

Rng = np.random.Generator

REASONS = ("OTHER", "BACKEND", "REJECTED", "CANCELED")
MODELS = ("bert", "preprocess", "postprocess", "topics", "reranker", "detector")
DURATIONS = ("queue", "compute_input", "compute_infer", "compute_output")

_HELP = {
    "nv_inference_request_success": "Number of successful inference requests, all batch sizes",
    "nv_inference_request_failure": "Number of failed inference requests, all batch sizes",
    "nv_inference_count": "Number of inferences performed (does not include cached requests)",
    "nv_inference_exec_count": "Number of model executions performed (does not include cached "
    "requests)",
    "nv_inference_request_duration_us": "Cumulative inference request duration in microseconds "
    "(includes cached requests)",
    "nv_inference_queue_duration_us": "Cumulative inference queuing duration in microseconds "
    "(includes cached requests)",
    "nv_inference_compute_input_duration_us": "Cumulative compute input duration in microseconds "
    "(does not include cached requests)",
    "nv_inference_compute_infer_duration_us": "Cumulative compute inference duration in "
    "microseconds (does not include cached requests)",
    "nv_inference_compute_output_duration_us": "Cumulative inference compute output duration in "
    "microseconds (does not include cached requests)",
}
"""The server's help text for each family, in its order."""

Labels = dict[str, str]
Lines = list[tuple[str, Labels, str]]


@dataclass(frozen=True)
class Story:
    """What happens to the model in question between the readings.

    versions, gpus: each version on each GPU has its own counters. new_version: one version was
    loaded in between and is missing in the first reading.
    rows: per request. cached: the share of requests answered from the cache.
    idle: no request succeeded in between. disorder: labels and families come in any order, and the
    model in question comes last.
    """

    versions: int = 1
    gpus: int = 0
    new_version: bool = False
    rows: int = 1
    cached: float = 0.0
    idle: bool = False
    disorder: bool = False


@dataclass
class Counters:
    """A server's counts for one model, version and GPU."""

    requests: int = 0
    rows: int = 0
    executions: int = 0
    failures: dict[str, int] = field(default_factory=lambda: dict.fromkeys(REASONS, 0))
    microseconds: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_TIMES, 0))

    def __add__(self, other: Counters) -> Counters:
        """Return the sum of both."""
        return Counters(
            self.requests + other.requests,
            self.rows + other.rows,
            self.executions + other.executions,
            {key: count + other.failures[key] for key, count in self.failures.items()},
            {key: us + other.microseconds[key] for key, us in self.microseconds.items()},
        )


_TIMES = ("request", *DURATIONS)


class BuiltReadings:
    """A pair of readings.

    before, after: the texts. model: the model in question. seconds: time between the readings.
    gained: the model's counts in between.
    """

    def __init__(self, rng: Rng, story: Story) -> None:
        self._rng, self._story = rng, story
        self.model = str(rng.choice(MODELS))
        self.seconds = round(float(rng.uniform(5, 90)), 2)
        start: dict[_Place, Counters] = {}
        grown: dict[_Place, Counters] = {}
        for place, own in self._places():
            start[place] = self._long_ago(own)
            grown[place] = self._in_between(story) if own else self._in_between(Story(rows=2))
        self.gained = sum((c for p, c in grown.items() if p.model == self.model), Counters())
        missing = set[_Place]()
        if story.new_version:
            last = max((p.version for p in start if p.model == self.model), key=int)
            missing = {p for p in start if p.model == self.model and p.version == last}
            start |= dict.fromkeys(missing, Counters())
        self.before = self._text({p: counts for p, counts in start.items() if p not in missing})
        self.after = self._text({place: start[place] + grown[place] for place in start})

    # --- counts -----------------------------------------------------------------------------------

    def _places(self) -> Iterator[tuple[_Place, bool]]:
        """Yield the places that have counters, with True for those of the model in question."""
        gpus = [f"GPU-{self._hex(8)}-{self._hex(4)}" for _ in range(self._story.gpus)]
        first = int(self._rng.integers(1, 9))
        for version in range(first, first + self._story.versions):
            for gpu in gpus or [""]:
                yield _Place(self.model, str(version), gpu), True
        others = [name for name in MODELS if name != self.model][:2]
        for name in (*others, f"{self.model}_large", f"old_{self.model}"):
            yield _Place(name, str(first), gpus[0] if gpus else ""), False

    def _long_ago(self, own: bool) -> Counters:
        """Return counts before the first reading: many, in small batches, with a short queue."""
        executions = int(self._rng.integers(20_000, 90_000))
        rows = executions + int(self._rng.integers(0, executions // 4))
        failures = {reason: own * int(self._rng.integers(200, 900)) for reason in REASONS}
        times = self._times(rows, queue=(20.0, 90.0), infer=(300.0, 900.0))
        return Counters(rows, rows, executions, failures, times)

    def _in_between(self, story: Story) -> Counters:
        """Return counts between the readings: large batches, and a long queue."""
        failures = {reason: int(self._rng.integers(1, 30)) for reason in REASONS}
        if story.idle:
            return Counters(failures={**failures, "REJECTED": int(self._rng.integers(5, 30))})
        executions = int(self._rng.integers(150, 900))
        executed = int(executions * self._rng.uniform(1.6, 4.0))
        if story.cached == 1:
            executions, executed = 0, 0
            hits = int(self._rng.integers(200, 900))
        else:
            hits = int(executed * story.cached / (1 - story.cached))
        times = self._times(executed, queue=(900.0, 9000.0), infer=(2000.0, 9000.0))
        for name in ("request", "queue"):
            times[name] += hits * int(self._rng.integers(60, 300))
        times["request"] += hits * 90
        return Counters(executed + hits, executed * story.rows, executions, failures, times)

    def _times(
        self, requests: int, queue: tuple[float, float], infer: tuple[float, float]
    ) -> dict[str, int]:
        """Return all requests' microseconds; `request` also includes the server's own overhead."""
        ranges = (queue, (20.0, 200.0), infer, (30.0, 400.0))
        each = {
            name: float(self._rng.uniform(*span))
            for name, span in zip(DURATIONS, ranges, strict=True)
        }
        each["request"] = sum(each.values()) * float(self._rng.uniform(1.05, 1.3))
        return {name: int(requests * each[name]) for name in _TIMES}

    # --- texts ------------------------------------------------------------------------------------

    def _text(self, counters: Mapping[_Place, Counters]) -> str:
        families: dict[str, Lines] = {}
        for place, counts in counters.items():
            for name, labels, value in _samples(place, counts):
                families.setdefault(name, []).append((name, labels, value))
        lines: list[str] = []
        for name, help_text in _HELP.items():
            lines += [f"# HELP {name} {help_text}", f"# TYPE {name} counter"]
            rows = families.get(name, [])
            rows = [rows[int(i)] for i in self._rng.permutation(len(rows))]
            if self._story.disorder:
                rows.sort(key=lambda row: row[1]["model"] == self.model)
            lines += [self._line(*row) for row in rows]
        unrelated = self._unrelated(list(counters))
        lines = [*unrelated, *lines] if self._story.disorder else [*lines, *unrelated]
        return "\n".join(lines) + "\n"

    def _line(self, name: str, labels: Labels, value: str) -> str:
        keys = sorted(labels)
        if self._story.disorder:
            keys = [str(key) for key in self._rng.permutation(keys)]
        pairs = ",".join(f'{key}="{labels[key]}"' for key in keys)
        return f"{name}{{{pairs}}} {value}" if labels else f"{name} {value}"

    def _unrelated(self, places: list[_Place]) -> list[str]:
        """Return gauges, summaries, and counters of the cache, the GPUs and the machine."""
        lines: list[str] = []
        for place in places:
            labels = place.labels()
            some = [str(int(n)) for n in self._rng.integers(10, 1 << 20, 5)]
            lines += [
                self._line("nv_inference_pending_request_count", labels, some[0]),
                self._line("nv_inference_request_summary_us_count", labels, some[1]),
                self._line("nv_inference_queue_summary_us_sum", labels, some[2]),
                self._line("nv_inference_queue_summary_us", {**labels, "quantile": "0.5"}, some[3]),
                self._line("nv_cache_num_hits_per_model", labels, some[4]),
            ]
        for gpu in sorted({place.gpu for place in places if place.gpu}):
            labels = {"gpu_uuid": gpu}
            lines.append(self._line("nv_gpu_utilization", labels, f"{self._rng.uniform():.6f}"))
            lines.append(
                self._line("nv_energy_consumption", labels, f"{1e4 * self._rng.uniform()}")
            )
        lines.append(f"nv_cpu_utilization {self._rng.uniform()}")
        return ["# TYPE nv_inference_pending_request_count gauge", *lines]

    def _hex(self, digits: int) -> str:
        return "".join("0123456789abcdef"[int(i)] for i in self._rng.integers(0, 16, digits))


@dataclass(frozen=True)
class _Place:
    model: str
    version: str
    gpu: str

    def labels(self) -> Labels:
        own = {"model": self.model, "version": self.version}
        return {**own, "gpu_uuid": self.gpu} if self.gpu else own


def _samples(place: _Place, counts: Counters) -> Iterator[tuple[str, Labels, str]]:
    labels = place.labels()
    for name, value in (
        ("request_success", counts.requests),
        ("count", counts.rows),
        ("exec_count", counts.executions),
        *((f"{name}_duration_us", counts.microseconds[name]) for name in _TIMES),
    ):
        yield f"nv_inference_{name}", labels, str(value)
    for reason, count in counts.failures.items():
        yield "nv_inference_request_failure", {**labels, "reason": reason}, str(count)
