"""Hidden deployments to plan, and hidden pairs of /metrics readings to interpret."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from hotloop.judge.constants import constant
from hotloop.judge.questions import GivenFile, Question, figures_mismatch
from hotloop.judge.seeds import Rng

PRECISE = 1e-6
GIB = 1 << 30


# --- capacity -------------------------------------------------------------------------------------

MODELS = (
    # layers, heads, kv_heads, head_dim, parameters in billions
    (32, 32, 8, 128, 8.0),
    (80, 64, 8, 128, 70.6),
    (28, 24, 8, 128, 3.2),
    (36, 16, 2, 128, 3.1),
    (26, 8, 4, 256, 2.6),
    (40, 48, 1, 128, 15.5),
)
"""Shapes of published decoders, with eight to one key/value heads."""

MEMORIES = ((24, 864), (48, 864), (80, 3350), (141, 4800), (192, 8000))
"""Memory in GiB and bandwidth in GB/s of a GPU."""


def deployments(rng: Rng) -> Iterator[Question]:
    """Yield deployments; some fit, and for some not even the weights fit."""
    for index in range(12):
        layers, heads, kv_heads, head_dim, billions = MODELS[index % len(MODELS)]
        gpus = int(rng.choice([1, 2, 4, 8]))
        memory, bandwidth = MEMORIES[int(rng.integers(len(MEMORIES)))]
        weight_bytes = float(rng.choice([0.5, 1.0, 2.0]))
        if index == 1:  # 70 billion on a small GPU
            gpus, (memory, bandwidth) = 1, MEMORIES[0]
        share, reserved = round(float(rng.uniform(0.8, 0.95)), 2), float(rng.uniform(1.0, 4.0))
        if index == 2:  # the weights fit, and a few blocks, but no request
            gpus, (memory, bandwidth), weight_bytes = 1, MEMORIES[1], 2.0
            reserved = memory * share - billions * 2e9 / GIB - 0.05
        deployment = {
            "layers": layers,
            "heads": heads,
            "kv_heads": kv_heads,
            "head_dim": head_dim,
            "cache_bytes": 2 if index == 2 else int(rng.choice([1, 2])),
            "parameters": int(billions * 1e9),
            "weight_bytes": weight_bytes,
            "gpus": gpus,
            "memory_gib": memory,
            "share": share,
            "reserved_gib": round(reserved, 2),
            "bandwidth_gb_s": bandwidth,
            "block_size": 16 if index == 2 else int(rng.choice([16, 32, 128])),
            "prompt_tokens": int(rng.integers(3000, 30_000)),
            "output_tokens": int(rng.integers(50, 3000)),
        }
        if index == 3:  # requests that use little of their last block
            deployment |= {"block_size": 128, "prompt_tokens": int(rng.integers(80, 100))}
            deployment["output_tokens"] = 50
        want = planned(deployment)
        fits = "fits" if want["sequences"] else "does not fit"
        yield Question(
            f"{billions:g} billion parameters on {gpus} GPUs of {memory} GiB, which {fits}",
            (GivenFile("deployment.json", json.dumps(deployment).encode()),),
            partial(figures_mismatch, want, PRECISE),
        )


def planned(deployment: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the right plan; times are None if no sequence fits."""
    gpus = deployment["gpus"]
    own_heads = max(1, deployment["kv_heads"] / gpus)
    kv = 2 * deployment["layers"] * own_heads * deployment["head_dim"] * deployment["cache_bytes"]
    weights = deployment["parameters"] * deployment["weight_bytes"] / gpus
    room = (
        deployment["memory_gib"] * deployment["share"] - deployment["reserved_gib"]
    ) * GIB - weights
    blocks = max(0, math.floor(room / (kv * deployment["block_size"])))
    tokens = deployment["prompt_tokens"] + deployment["output_tokens"]
    sequences = blocks // math.ceil(tokens / deployment["block_size"])
    context = deployment["prompt_tokens"] + deployment["output_tokens"] / constant(
        "PART", 2, range(3, 13)
    )
    traffic = weights + sequences * context * kv
    step = traffic / (deployment["bandwidth_gb_s"] * 1e9)
    return {
        "kv_bytes_per_token": kv,
        "blocks": blocks,
        "sequences": sequences,
        "step_ms": 1000 * step if sequences else None,
        "tokens_per_s": sequences / step if sequences else None,
    }


# --- metrics --------------------------------------------------------------------------------------

COUNTERS = (
    *("steps", "step_seconds", "rows", "tokens", "blocks_in_use", "waiting", "requests"),
    *("prompt_tokens", "generation_tokens", "request_seconds"),
)
OTHERS = (
    'hotloop:requests_refused_total{{status="400"}} {}',
    'hotloop:requests_refused_total{{status="404"}} {}',
    "process_cpu_seconds_total {}",
    "hotloop:tokens_total_created {}",
)
"""Metric lines that no answer needs."""

KINDS: tuple[tuple[str, dict[str, tuple[float, float]]], ...] = (
    ("offered_load", {"waiting": (0.0, 0.9)}),
    ("offered_load", {"waiting": (0.96, 0.99), "rows": (0.95, 1.0)}),
    ("model", {"waiting": (1.0, 1.0)}),
    ("memory", {"waiting": (2.0, 30.0), "blocks": (0.9, 1.0)}),
    ("memory", {"waiting": (1.01, 1.04), "blocks": (0.852, 0.86), "rows": (0.95, 1.0)}),
    ("rows", {"waiting": (2.0, 30.0), "rows": (0.92, 1.0), "blocks": (0.84, 0.848)}),
    ("rows", {"waiting": (2.0, 30.0), "rows": (0.903, 0.91), "tokens": (0.95, 1.0)}),
    ("tokens", {"waiting": (2.0, 30.0), "tokens": (0.92, 1.0), "rows": (0.885, 0.897)}),
    ("tokens", {"waiting": (2.0, 30.0), "tokens": (0.903, 0.91)}),
    ("model", {"waiting": (2.0, 30.0), "tokens": (0.885, 0.897)}),
    ("model", {"waiting": (2.0, 30.0)}),
)
"""Properties of a server of each kind, including values on both sides of each threshold."""

USUAL = {"waiting": (2.0, 9.0), "rows": (0.3, 0.6), "tokens": (0.3, 0.6), "blocks": (0.2, 0.6)}


def metrics(rng: Rng) -> Iterator[Question]:
    """Yield servers of each kind in random order; two of them restarted between the readings."""
    restarted = set(map(int, rng.choice(len(KINDS), 2, replace=False)))
    for index in map(int, rng.permutation(len(KINDS))):
        limit, spans = KINDS[index]
        limits, change = _grown(rng, {**USUAL, **spans})
        uptime, seconds = float(rng.uniform(100, 5000)), float(rng.uniform(20, 900))
        before = {name: float(rng.integers(0, 10**6)) for name in COUNTERS}
        after = {name: before[name] + change[name] for name in COUNTERS}
        restarts = index in restarted
        if restarts:
            uptime, after = uptime + seconds, change
        texts = (
            _text(rng, limits, before, uptime),
            _text(rng, limits, after, seconds if restarts else uptime + seconds),
        )
        files = [GivenFile(f"{n}.prom", t.encode()) for n, t in zip("ab", texts, strict=True)]
        yield Question(
            f"a server limited by {limit}" + (", which was started again" if restarts else ""),
            tuple(files),
            partial(figures_mismatch, _read(limit, limits, change, seconds), PRECISE),
        )


def _grown(
    rng: Rng, spans: Mapping[str, tuple[float, float]]
) -> tuple[dict[str, int], dict[str, float]]:
    """Return a server's limits and the growth of its counters."""
    sampled = {name: float(rng.uniform(*span)) for name, span in spans.items()}
    limits = {
        "blocks": int(rng.integers(200, 5000)),
        "size": 16,
        "most_rows": int(rng.integers(16, 257)),
        "most_tokens": int(rng.integers(512, 8193)),
    }
    steps = int(rng.integers(2000, 50_000))
    tokens = round(sampled["tokens"] * limits["most_tokens"] * steps)
    generation = round(float(rng.uniform(0.05, 0.5)) * tokens)
    requests = int(rng.integers(50, 5000))
    change = {
        "steps": steps,
        "step_seconds": float(rng.uniform(5, 15)),
        "rows": round(sampled["rows"] * limits["most_rows"] * steps),
        "tokens": tokens,
        "blocks_in_use": round(sampled["blocks"] * limits["blocks"] * steps),
        "waiting": round(sampled["waiting"] * steps),
        "requests": requests,
        "prompt_tokens": tokens - generation,
        "generation_tokens": generation,
        "request_seconds": round(requests * float(rng.uniform(0.1, 20.0)), 3),
    }
    # A whole number would be rounded up after one order of the operations, and not after another.
    change["waiting"] += (change["rows"] + change["waiting"]) % steps == 0
    return limits, change


def _read(
    limit: str, limits: Mapping[str, int], change: Mapping[str, float], seconds: float
) -> dict[str, float | str | None]:
    rows, waiting, used = (
        change[name] / change["steps"] for name in ("rows", "waiting", "blocks_in_use")
    )
    settings: dict[str, Callable[[], tuple[str, int]]] = {
        "memory": lambda: ("blocks", math.ceil(used / rows * (rows + waiting))),
        "rows": lambda: ("most_rows", math.ceil(rows + waiting)),
        "tokens": lambda: (
            "most_tokens",
            constant("FACTOR", 2, range(3, 10)) * limits["most_tokens"],
        ),
    }
    setting, value = settings[limit]() if limit in settings else (None, None)
    return {
        "limit": limit,
        "setting": setting,
        "value": value,
        "tokens_per_s": change["generation_tokens"] / seconds,
        "request_s": change["request_seconds"] / change["requests"],
        "busy": change["step_seconds"] / seconds,
    }


def _text(rng: Rng, limits: Mapping[str, int], counters: Mapping[str, float], uptime: float) -> str:
    named = {f"limit_{name}": float(value) for name, value in limits.items()}
    named |= {"uptime_seconds": uptime}
    named |= {f"{name}_total": value for name, value in counters.items()}
    lines = [
        f"# TYPE hotloop:{name} {'counter' if name.endswith('_total') else 'gauge'}\n"
        f"hotloop:{name} {value!r}"
        for name, value in named.items()
    ]
    lines += [line.format(int(rng.integers(10**6))) for line in OTHERS if rng.random() < 0.6]
    return "\n".join(lines[int(i)] for i in rng.permutation(len(lines))) + "\n"
