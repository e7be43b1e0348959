"""What the judge asks of the tasks of module tvm_passes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from hotloop.checks.tvm_passes import (
    gpu_products,
    importing,
    partitions,
    passes,
    products,
    readings,
)
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import Check
from hotloop.judge.levels import Level
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.judge.rungs.makes import Makes
from hotloop.variants.variant import Variant

MATMUL_FILE = "matmul.py"
FUSION = passes.Subject("relax", ("fuse_by_pattern", "fuse_by_mutator"))
GUARDS = passes.Subject("tir", ("apply",))

# Provisional on every device that has no recorded run: module.yaml says where they come from.
SCHEDULE_LEVELS = (Level(5.0, 0.4), Level(20.0, 0.7), Level(50.0, 1.0))
CUBLAS_LEVELS = (Level(0.4, 0.4), Level(0.6, 0.7), Level(0.8, 1.0))
"""Shares of the library's speed."""

TIMED_512 = (256, 512, 512)
TIMED_1024 = (64, 1024, 1024)
"""Parts of 512³ and 1024³: all rows take the naive product seconds a call, too long for windows."""

TVM = ("tvm",)


def naive_matmul() -> Check:
    """Three loops around a block, and what such functions say."""
    return Check(
        Candidate("save_naive", MATMUL_FILE, "json"),
        {
            "correct": Makes(products.written),
            "read": HiddenAnswers(readings.functions, entry="read_tir"),
        },
        extras=TVM,
    )


def schedule() -> Check:
    """The naive product made fast on a CPU."""
    return Check(
        Candidate("schedule", MATMUL_FILE, "json"),
        {
            "correct": Makes(products.scheduled),
            "fast_512": products.fast(TIMED_512, SCHEDULE_LEVELS, seconds=40.0),
            "fast_1024": products.fast(TIMED_1024, SCHEDULE_LEVELS, seconds=40.0),
        },
        extras=TVM,
    )


def cuda_source() -> Check:
    """The product for a GPU: right, compiled, and fast where there is one."""
    return Check(
        Candidate("cuda_source", MATMUL_FILE, "json"),
        {
            "correct": Makes(products.for_threads),
            "compiles": products.generates_cuda,
            "gpu_fast": partial(gpu_products.fast, levels=CUBLAS_LEVELS),
        },
        extras=TVM,
    )


def import_network(variant: Variant | None = None) -> Check:
    """A network from PyTorch to Relax, and from Relax to loops."""
    return importing.check(_number(variant, "IMPORTED"))


def fuse_multiply_add(variant: Variant | None = None) -> Check:
    """A Relax pass, written twice: a pattern, and a mutator."""
    candidate = Candidate("fuse_by_pattern", "relax_pass.py", "json")
    subject = replace(FUSION, revision=_number(variant, "FUSED"))
    return Check(candidate, passes.rungs(subject), extras=TVM)


def tir_pass(variant: Variant | None = None) -> Check:
    """A TIR pass that eliminates guards, and peels last iterations where that helps."""
    subject = replace(GUARDS, revision=_number(variant, "PEELED"))
    return Check(Candidate("apply", "tir_pass.py", "json"), passes.rungs(subject), extras=TVM)


def tune(variant: Variant | None = None) -> Check:
    """Recorded searches explained, and the best trace applied again."""
    asked = readings.PLAIN
    if variant is not None and variant.constants:
        values = variant.constants
        asked = readings.Asked(int(values["RANK"]), int(values["RUNS"]))
    return Check(
        Candidate("explain", MATMUL_FILE, "json"),
        {
            "figures": HiddenAnswers(partial(readings.tunings, asked=asked)),
            "own": Makes(products.replayed, entry="replayed"),
        },
        extras=TVM,
    )


def partition(variant: Variant | None = None) -> Check:
    """A graph divided between the host and an accelerator."""
    return partitions.check(_number(variant, "DEVICE"))


def _number(variant: Variant | None, constant: str) -> int:
    """A variant's number; 0 without one."""
    return int(variant.constants[constant]) if variant is not None and variant.constants else 0
