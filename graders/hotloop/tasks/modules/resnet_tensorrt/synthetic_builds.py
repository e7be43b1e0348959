"""Synthetic recordings, whose figures cannot be known in advance, to test `read_build`."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from hotloop.judge.questions import GivenFile, Question
from hotloop.tasks.modules.resnet_tensorrt import builds

Rng = np.random.Generator

OPS: tuple[str, ...] = (
    "Conv",
    "BatchNormalization",
    "Relu",
    "Add",
    "MaxPool",
    "ReorderOutput",
    "Gemm",
    "Cast",
)
TRANSFORMERS = (
    "Level1_RuleBasedTransformer",
    "ConstantFolding",
    "ConvActivationFusion",
    "NchwcTransformer",
    "TransposeOptimizer",
    "MatMulAddFusion",
)
_POOL = (
    "OrtThreadPoolParams {{ thread_pool_size: {} auto_set_affinity: 0 allow_spinning: 1 "
    "spin_duration_us: -1 spin_backoff_max: 1 dynamic_block_base_: 0 stack_size: 0 affinity_str:  "
    "set_denormal_as_zero: 0 }}"
)
_BASIC = "Applying graph transformer {} on step {}."
_CHANGED = "GraphTransformer {} modified: {} with status: OK"
_TALK = (
    "Saving initialized tensors.",
    "Done saving initialized tensors",
    "Removing initializer 'warning_lamp.weight'. It is no longer used by any node.",
    "Session successfully initialized.",
)


def questions(rng: Rng) -> Iterator[Question]:
    """Yield questions about recordings, one of them in the format of older releases."""
    for label, fences in (("a recording", False), ("another one", False), ("an older one", True)):
        recording = made(rng, fences=fences)
        data = gzip.compress(json.dumps(recording).encode(), 1, mtime=0)
        yield Question(
            f"read_build on {label}",
            (GivenFile("build.json.gz", data),),
            partial(builds.reading_mismatch, recording=recording),
        )


def made(rng: Rng, *, fences: bool) -> dict[str, Any]:
    """Return a recording.

    fences: with the additional events that older releases write for each node.
    """
    intra, inter = (int(n) for n in rng.choice(np.arange(1, 33), 2, replace=False))
    return {
        "log": list(_log(rng, intra, inter)),
        "profile": list(_profile(rng, fences)),
        "inputs": [["pictures", "tensor(float)", ["n", "3", "64", "64"]]],
        "outputs": [["logits", "tensor(float)", ["n", "10"]]],
        "machine": {"processor": "made", "cores": 2},
    }


def _log(rng: Rng, intra: int, inter: int) -> Iterator[str]:
    level = int(rng.integers(0, 5))
    yield _line(
        "I",
        "TraceSessionOptions",
        "Session Options {  execution_mode:0 execution_order:DEFAULT enable_profiling:1 "
        f"graph_optimization_level:{level} intra_op_param:{_POOL.format(intra)} "
        f"inter_op_param:{_POOL.format(inter)} use_per_session_threads:1 config_options: {{  }} }}",
    )
    for number in range(int(rng.integers(0, 9))):
        message = f"Initializer layer{number}.weight appears in graph inputs and will not be"
        yield _line("W", "Graph", f"{message} treated as constant value/weight.")
    for step in (1, 2):
        for name in rng.permutation(TRANSFORMERS):
            yield _line("V", "ApplyTransformers", _BASIC.format(name, step))
            yield _line("I", "Apply", _CHANGED.format(name, int(rng.random() < 0.4)))
    for message in rng.permutation(_TALK):
        yield _line("I", "SaveInitializedTensors", message)


def _line(level: str, where: str, message: str) -> str:
    file = "inference_session.cc:777"
    return f"2026-11-22 00:44:25.455622825 [{level}:onnxruntime:, {file} {where}] {message}"


def _profile(rng: Rng, fences: bool) -> Iterator[dict[str, Any]]:
    yield _event("Session", "model_loading_uri", int(rng.integers(5_000, 20_000)))
    yield _event("Session", "session_initialization", int(rng.integers(20_000, 90_000)))
    nodes, weights, slowest = _network(rng)
    for run in range(int(rng.integers(5, 12))):
        total = 0
        for number, op in enumerate(nodes):
            lasted = int(rng.integers(8, 13) * weights[op] * (9 if run == 0 else 1))
            total += lasted
            name = f"/layer{number}/{op}"
            if fences:
                yield _event("Node", f"{name}_fence_before", 1, op)
            yield _event("Node", f"{name}_kernel_time", lasted, op)
            if fences:
                yield _event("Node", f"{name}_fence_after", 1, op)
        yield _event("Session", "SequentialExecutor::Execute", total + 40)
        yield _event("Session", "model_run", total + int(rng.integers(50, 90)))
    # Ignoring the last event changes the shares.
    lasted = int(rng.integers(40_000, 80_000))
    yield _event("Node", f"/last/{slowest}_kernel_time", lasted, slowest)


def _network(rng: Rng) -> tuple[list[str], dict[str, int], str]:
    """Return the nodes' types, the weight of each type, and the type with the most time in all.

    That type is neither the alphabetically first or last, nor the type of the first or last node.
    """
    while True:
        nodes = [str(rng.choice(OPS)) for _ in range(int(rng.integers(12, 40)))]
        sampled = rng.permutation(2 ** np.arange(len(OPS))).tolist()
        weights = dict(zip(OPS, sampled, strict=True))
        slowest = max(OPS, key=lambda op: nodes.count(op) * weights[op])
        if slowest not in {min(nodes), max(nodes), nodes[0], nodes[-1]}:
            return nodes, weights, slowest


def _event(category: str, name: str, lasted: int, op: str = "") -> dict[str, Any]:
    args = {"op_name": op, "provider": "CPUExecutionProvider"} if op else {}
    return {"cat": category, "ph": "X", "pid": 1, "tid": 1, "dur": lasted, "name": name} | {
        "args": args
    }
