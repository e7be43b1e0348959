"""The checks of each task of module tvm_passes. Points, levels and needs: module.yaml."""

from __future__ import annotations

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.tvm_passes import (
    cost_models,
    gpu_products,
    importing,
    partitions,
    passes,
    products,
    readings,
    search_budgets,
)

naive_matmul = hl.returns_data(
    correct=hl.WritesFiles(products.written),
    read=hl.HiddenAnswers(readings.functions, entry="read_tir"),
)

schedule = hl.returns_data(
    correct=hl.WritesFiles(products.scheduled),
    # Fewer rows than 512³ and 1024³, which take the naive product seconds a call.
    fast_512=products.fast((256, 512, 512)),
    fast_1024=products.fast((64, 1024, 1024)),
)

cuda_source = hl.returns_data(
    correct=hl.WritesFiles(products.for_threads),
    compiles=products.generates_cuda,
    gpu_fast=gpu_products.fast,
)

import_network = hl.returns_data(
    sound=importing.holds("imported", importing.unsound),
    correct=importing.holds("imported", importing.wrong, "sound"),
    legalized=importing.holds("lowered", importing.not_lowered, "correct"),
    facts=hl.HiddenAnswers(importing.fact_questions, entry="facts", after=("legalized",)),
)

fuse_multiply_add = hl.returns_data(**passes.checks(passes.FUSION))

tir_pass = hl.returns_data(**passes.checks(passes.GUARDS))

tune = hl.returns_data(
    figures=hl.HiddenAnswers(readings.tunings),
    own=hl.WritesFiles(products.replayed, entry="replayed"),
)

equal_budgets = hl.returns_data(compared=hl.Answers(search_budgets.searches))

cost_model = hl.returns_data(
    leads=cost_models.leads.bind(least=0.2),
    drives=hl.WritesFiles(products.searched, entry="tuned", timeout_s=300.0),
)

partition = hl.returns_data(
    sound=hl.Assertions(partitions.structure, "Right on all {count} hidden graphs."),
    correct=hl.Assertions(
        partitions.meaning,
        "Every value reaches its place, and the numbers are right.",
        after=("sound",),
    ),
    idempotent=hl.Assertions(
        partitions.repetition, "Nothing is left for a second time.", after=("sound",)
    ),
    cheap=partitions.cheap,
)
