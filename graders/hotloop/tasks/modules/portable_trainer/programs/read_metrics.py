"""Read metrics in Prometheus' text format with its own Python client."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families


def metrics(path: str) -> dict[str, Any]:
    """Return {"types": by family name, "samples": a list of [name, labels, value]}."""
    types: dict[str, str] = {}
    samples: list[list[Any]] = []
    for family in text_string_to_metric_families(Path(path).read_text(encoding="utf-8")):
        types[family.name] = family.type
        samples += [[s.name, dict(s.labels), float(s.value)] for s in family.samples]
    return {"types": types, "samples": samples}
