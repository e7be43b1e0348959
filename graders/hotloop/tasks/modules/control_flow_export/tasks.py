"""The checks of each task of module control_flow_export. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.control_flow_export import (
    breaks,
    deciding,
    decoding,
    diagnoses,
    models,
    old_files,
    packages,
    routed,
    sparse,
    successors,
    trap,
)
from hotloop.tasks.modules.control_flow_export.decoding import BASELINE, ORACLE, cases, disagreement
from hotloop.tasks.modules.control_flow_export.models import ModelFile, exported, scripted
from hotloop.tasks.modules.control_flow_export.ways import scaled_truth_of, truth_of

RIGHT = "It says what the source says, on all ways and for lengths at the edges."
SPARED = "What leaves after one layer is spared the others."

show_the_trap = hl.returns_data(correct=hl.HiddenAnswers(trap.questions))

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
        packages.served, "Each message gets the answer that it would get alone.", ("correct",)
    ),
    cold_start=packages.cold_start,
)

freeze = hl.returns_data(figures=hl.HiddenAnswers(old_files.figures))

_step = ModelFile("step.pt2", "export_step")
decode_graphs = hl.fills_tensor(
    replayable=_step.stands(
        decoding.replayable, "Fixed shapes, no decisions, and right step by step."
    ),
    correct=hl.Correct(cases, ORACLE.function("generate", disagreement)),
    gpu_correct=hl.Correct(cases, ORACLE.function("generate", disagreement), on=hl.OnGpuFromHost()),
    gpu_fast=hl.GpuFastFromHost(
        decoding.timed(), BASELINE, ORACLE.function("generate", disagreement), decoding.fewest_flops
    ),
)

_sparsemax = hl.TritonKernelCalls(
    sparse.cases, sparse.counted_case, sparse.sparsemax, sparse.tolerance, counted_calls=2
)
loop_in_kernel = hl.fills_tensor(
    correct=hl.TritonKernelCorrect(_sparsemax),
    traffic=hl.TritonTraffic(_sparsemax, sparse.bytes_of_case),
    gpu_correct=hl.Correct(sparse.cases, sparse.sparsemax, sparse.tolerance, on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(sparse.on_gpu(), sparse.LOOP, sparse.bytes_of_call),
)

_alone = deciding.ORACLE.function("one_by_one", deciding.disagreement)
decide_on_gpu = hl.fills_tensor(
    correct=hl.Correct(deciding.cases, _alone),
    gpu_correct=hl.Correct(deciding.cases, _alone, on=hl.OnGpuFromHost()),
    gpu_fast=hl.GpuFastFromHost(deciding.timed(), deciding.ALONE, _alone, deciding.fewest_flops),
)

_routed_script = ModelFile("routed.pt", "to_torchscript")
_routed_export = ModelFile("routed.pt2")
hugging_face = hl.returns_data(
    torchscript=_routed_script.stands(partial(routed.right_everywhere, scripted), RIGHT),
    dynamic=_routed_export.stands(models.dynamic, "An archive of plain data, free in both sizes."),
    correct=_routed_export.stands(partial(routed.right_everywhere, exported), RIGHT, "dynamic"),
)

migration = hl.returns_data(
    inventory=hl.HiddenAnswers(old_files.inventories),
    successors=hl.Answers(successors.questions, "successors", shares=True),
)

diagnose = hl.returns_data(correct=hl.Answers(diagnoses.questions, shares=True))
