"""The checks of each task of module control_flow_export. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.control_flow_export import (
    breaks,
    decoding,
    diagnoses,
    early_exit,
    models,
    old_files,
    packages,
    routed_classifier,
    sparse,
    successors,
    trace_counterexample,
)
from hotloop.tasks.modules.control_flow_export.decoding import BASELINE, GENERATED, cases
from hotloop.tasks.modules.control_flow_export.encoder_paths import scaled_truth_of, truth_of
from hotloop.tasks.modules.control_flow_export.models import ModelFile, exported, scripted

RIGHT = "It says what the source says, on all ways and for lengths at the edges."
SPARED = "What leaves after one layer is spared the others."

show_the_trap = hl.returns_data(correct=hl.HiddenAnswers(trace_counterexample.questions))

_scripted = ModelFile("model.pt")
script_it = hl.returns_data(
    correct=_scripted.stands(partial(models.right_everywhere, scripted, scaled_truth_of), RIGHT),
    saves=_scripted.stands(partial(models.wastes_nothing, scripted), SPARED, "correct"),
)

_unbroken = ModelFile("model.pt2", "mend")
graph_breaks = hl.returns_data(
    found=hl.HiddenAnswers(breaks.questions),
    mended=_unbroken.stands(breaks.one_graph, "One graph for all sizes, and it says the same."),
)

_exported = ModelFile("model.pt2")
export = hl.returns_data(
    dynamic=_exported.stands(models.dynamic, "An archive of plain data, free in both sizes."),
    correct=_exported.stands(
        partial(models.right_everywhere, exported, truth_of), RIGHT, "dynamic"
    ),
    saves=_exported.stands(partial(models.wastes_nothing, exported), SPARED, "correct"),
)

package = hl.returns_data(
    correct=hl.Assertions(packages.right, "The package says what the source says, on all ways."),
    fast_cpu=packages.fast_cpu,
    serves=hl.Assertions(
        packages.served, "Each message gets the answer that it would get alone.", after=("correct",)
    ),
    cold_start=packages.cold_start,
)

freeze = hl.returns_data(figures=hl.HiddenAnswers(old_files.figures))

_step = ModelFile("step.pt2", "export_step")
decode_graphs = hl.fills_tensor(
    replayable=_step.stands(
        decoding.replayable, "Fixed shapes, no decisions, and right step by step."
    ),
    correct=hl.Correct(hl.Truth(cases, GENERATED)),
    gpu_correct=hl.Correct(hl.Truth(cases, GENERATED), on=hl.OnGpuFromHost()),
    gpu_fast=hl.GpuFastFromHost(decoding.timed(), BASELINE, GENERATED, decoding.fewest_flops),
)

loop_in_kernel = hl.triton_kernel(
    hl.TritonKernelCalls(
        hl.Truth(sparse.cases, sparse.sparsemax, sparse.tolerance),
        sparse.counted_case,
        counted_calls=2,
    ),
    targets=(),
    gpu_fast=hl.GpuFast(sparse.on_gpu(), sparse.LOOP),
)

_alone = early_exit.ORACLE.function("one_by_one", early_exit.disagreement)
_decided = hl.Truth(early_exit.cases, _alone)
decide_on_gpu = hl.fills_tensor(
    correct=hl.Correct(_decided),
    gpu_correct=hl.Correct(_decided, on=hl.OnGpuFromHost()),
    gpu_fast=hl.GpuFastFromHost(
        early_exit.timed(), early_exit.ALONE, _alone, early_exit.fewest_flops
    ),
)

_routed_script = ModelFile("routed.pt", "to_torchscript")
_routed_export = ModelFile("routed.pt2")
hugging_face = hl.returns_data(
    torchscript=_routed_script.stands(partial(routed_classifier.right_everywhere, scripted), RIGHT),
    dynamic=_routed_export.stands(models.dynamic, "An archive of plain data, free in both sizes."),
    correct=_routed_export.stands(
        partial(routed_classifier.right_everywhere, exported), RIGHT, "dynamic"
    ),
)

migration = hl.returns_data(
    inventory=hl.HiddenAnswers(old_files.inventories),
    successors=hl.Answers(successors.questions, entry="successors", shares=True),
)

diagnose = hl.returns_data(correct=diagnoses.DIAGNOSIS)
