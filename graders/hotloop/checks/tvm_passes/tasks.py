"""The checks of each task of module tvm_passes. Points, levels and needs: module.yaml."""

from __future__ import annotations

from hotloop.checks.tvm_passes import (
    gpu_products,
    importing,
    partitions,
    passes,
    products,
    readings,
)
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.judge.rungs.holds import Holds
from hotloop.judge.rungs.makes import Makes
from hotloop.judge.task import returns_data

naive_matmul = returns_data(
    correct=Makes(products.written),
    read=HiddenAnswers(readings.functions, entry="read_tir"),
)

schedule = returns_data(
    correct=Makes(products.scheduled),
    # Fewer rows than 512³ and 1024³, which take the naive product seconds a call.
    fast_512=products.fast((256, 512, 512)),
    fast_1024=products.fast((64, 1024, 1024)),
)

cuda_source = returns_data(
    correct=Makes(products.for_threads),
    compiles=products.generates_cuda,
    gpu_fast=gpu_products.fast,
)

import_network = returns_data(
    sound=importing.holds("imported", importing.unsound),
    correct=importing.holds("imported", importing.wrong, "sound"),
    legalized=importing.holds("lowered", importing.not_lowered, "correct"),
    facts=HiddenAnswers(importing.fact_questions, entry="facts", after=("legalized",)),
)

fuse_multiply_add = returns_data(**passes.rungs(passes.FUSION))

tir_pass = returns_data(**passes.rungs(passes.GUARDS))

tune = returns_data(
    figures=HiddenAnswers(readings.tunings),
    own=Makes(products.replayed, entry="replayed"),
)

partition = returns_data(
    sound=Holds(partitions.structure, "Right on all {count} hidden graphs."),
    correct=Holds(
        partitions.meaning, "Every value reaches its place, and the numbers are right.", ("sound",)
    ),
    idempotent=Holds(partitions.repetition, "Nothing is left for a second time.", ("sound",)),
    cheap=partitions.cheap,
)
