"""Published configurations with which models were trained.

GPT: table 1 of https://arxiv.org/abs/2104.04473 (layers, hidden, heads, tensor, pipeline, GPUs,
batch), and examples/sc21/run_table_1.sh in https://github.com/NVIDIA/Megatron-LM (sequences per
micro-batch; full recomputation). Llama 3 405B: tables 3 and 4 of https://arxiv.org/abs/2407.21783,
and section 3.3.2: one layer less in the first and in the last stage, gradients and optimizer
sharded. One sequence per micro-batch is our assumption there.
"""

from __future__ import annotations

from typing import Any

from hotloop.tasks.modules.portable_trainer.costs import Tower

Document = dict[str, Any]

MEGATRON: dict[str, tuple[int, int, int, int, int, int, int, int]] = {
    "1.7B": (24, 2304, 24, 1, 1, 32, 512, 16),
    "3.6B": (30, 3072, 32, 2, 1, 64, 512, 16),
    "7.5B": (36, 4096, 32, 4, 1, 128, 512, 16),
    "18.4B": (40, 6144, 48, 8, 1, 256, 1024, 8),
    "39.1B": (48, 8192, 64, 8, 2, 512, 1536, 4),
    "76.1B": (60, 10240, 80, 8, 4, 1024, 1792, 2),
    "145.6B": (80, 12288, 96, 8, 8, 1536, 2304, 2),
    "310.1B": (96, 16384, 128, 8, 16, 1920, 2160, 1),
    "529.6B": (105, 20480, 128, 8, 35, 2520, 2520, 1),
    "1008.0B": (128, 25600, 160, 8, 64, 3072, 3072, 1),
}
LLAMA: dict[str, int] = {"Llama 3 405B, 8192 GPUs": 64, "Llama 3 405B, 16384 GPUs": 128}
"""Data-parallel groups."""

NAMES = (*MEGATRON, *LLAMA)


def published(name: str) -> Document:
    """Return model, cluster, batch and plan as plain data."""
    if name in LLAMA:
        return _llama(LLAMA[name])
    layers, hidden, heads, tensor, pipeline, gpus, batch, micro_batch = MEGATRON[name]
    tower = Tower(layers, hidden, heads, heads, 4 * hidden, gated=False, tokens=2048)
    return {
        "model": {"towers": [vars(tower)], "vocabulary": 51200, "tied": True},
        "cluster": _cluster(gpus, 312e12, 300e9, 25e9),
        "batch": batch,
        "plan": {
            "tensor": tensor,
            "pipeline": pipeline,
            "data": gpus // (tensor * pipeline),
            "micro_batch": micro_batch,
            "zero": 0,
            "stages": [layers // pipeline] * pipeline,
            "recompute": ["full"] * pipeline,
        },
    }


def _llama(data: int) -> Document:
    tower = Tower(126, 16384, 128, 8, 53248, gated=True, tokens=8192)
    return {
        "model": {"towers": [vars(tower)], "vocabulary": 128256, "tied": False},
        "cluster": _cluster(128 * data, 989e12, 450e9, 50e9),
        "batch": 2048,
        "plan": {
            "tensor": 8,
            "pipeline": 16,
            "data": data,
            "micro_batch": 1,
            "zero": 2,
            "stages": [7, *[8] * 14, 7],
            "recompute": ["selective"] * 16,
        },
    }


def _cluster(devices: int, peak: float, fast: float, slow: float) -> Document:
    """Return a cluster of 8-GPU nodes.

    Sustaining 0.6 of the peak, and the latencies, are assumptions.
    """
    return {
        "devices": devices,
        "node": 8,
        "memory_bytes": 80e9,
        "flops": 0.6 * peak,
        "fast": {"bandwidth": fast, "latency": 5e-6},
        "slow": {"bandwidth": slow, "latency": 2e-5},
        "links": {"tensor": 1, "data": 1, "pipeline": 1},
    }
