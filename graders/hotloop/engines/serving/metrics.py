"""Parses a server's metrics: Prometheus text, and the statistics extension.

/metrics has counters but no histogram of batch sizes: inferences divided by executions is the mean
batch size. The sizes themselves are in the statistics (`/v2/models/NAME/stats`), by model.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

_LINE = re.compile(
    r"^(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(?P<labels>.*)\})?\s+(?P<value>\S+)(?:\s+-?\d+)?$"
)
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)')
_ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


@dataclass(frozen=True)
class MetricSample:
    """One line of /metrics."""

    name: str
    labels: Mapping[str, str]
    value: float


def parse(text: str) -> list[MetricSample]:
    """Parse all samples. Raises ValueError with the number of an invalid line."""
    samples: list[MetricSample] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.match(line.strip())
        if match is None:
            raise ValueError(f"line {number} is no metric: {line[:80]!r}")
        labels = _labels(match["labels"] or "", number)
        samples.append(MetricSample(match["name"], labels, _number(match)))
    return samples


def value(samples: Iterable[MetricSample], name: str, **labels: str) -> float:
    """Return the sum over all samples with this name and these labels; 0 if there are none."""
    wanted = labels.items()
    return sum(s.value for s in samples if s.name == name and wanted <= s.labels.items())


def batch_histogram(statistics: Mapping[str, Any], model: str) -> dict[int, int]:
    """Return executions by batch size, from a response of the statistics extension.

    Raises ValueError if the response is malformed.
    """
    histogram: dict[int, int] = {}
    try:
        for entry in statistics["model_stats"]:
            if entry["name"] != model:
                continue
            for batch in entry.get("batch_stats", ()):
                size, count = int(batch["batch_size"]), int(batch["compute_infer"]["count"])
                histogram[size] = histogram.get(size, 0) + count
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ValueError(f"no statistics: {type(error).__name__}: {error}") from None
    return dict(sorted(histogram.items()))


def fewer(after: Mapping[int, int], before: Mapping[int, int]) -> dict[int, int]:
    """Subtract an earlier histogram; zero differences are left out."""
    gained = {size: count - before.get(size, 0) for size, count in after.items()}
    return {size: count for size, count in gained.items() if count}


def _labels(text: str, number: int) -> dict[str, str]:
    labels: dict[str, str] = {}
    position = 0
    while position < len(text):
        match = _LABEL.match(text, position)
        if match is None:
            raise ValueError(f"line {number} has labels that cannot be read: {text[:80]!r}")
        labels[match[1]] = re.sub(r'\\[\\"n]', lambda m: _ESCAPES[m[0]], match[2])
        position = match.end()
    return labels


def _number(match: re.Match[str]) -> float:
    try:
        return float(cast(str, match["value"]).replace("Inf", "inf"))
    except ValueError:
        raise ValueError(f"{match['name']} is no number: {match['value'][:40]!r}") from None
