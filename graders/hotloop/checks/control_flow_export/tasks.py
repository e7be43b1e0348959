"""The checks of each task of module control_flow_export. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial

from hotloop.checks.control_flow_export import (
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
from hotloop.checks.control_flow_export.decoding import BASELINE, REFEREE, cases, disagreement
from hotloop.checks.control_flow_export.models import ModelFile, exported, scripted
from hotloop.checks.control_flow_export.ways import scaled_truth_of, truth_of
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.answers_from import AnswersFrom
from hotloop.judge.rungs.gpu_correct import GpuCorrect
from hotloop.judge.rungs.gpu_fast import GpuFast
from hotloop.judge.rungs.gpu_refereed import GpuRefereed, GpuRefereedFast
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.judge.rungs.holds import Holds
from hotloop.judge.rungs.kernel_calls import KernelCalls
from hotloop.judge.rungs.kernel_correct import KernelCorrect
from hotloop.judge.rungs.refereed import Refereed
from hotloop.judge.rungs.traffic import Traffic
from hotloop.judge.task import fills_tensor, returns_data

RIGHT = "It says what the source says, on all ways and for lengths at the edges."
SPARED = "What leaves after one layer is spared the others."

show_the_trap = returns_data(correct=HiddenAnswers(trap.questions))

_scripted = ModelFile("model.pt")
script_it = returns_data(
    correct=_scripted.stands(partial(models.right_everywhere, scripted, scaled_truth_of), RIGHT),
    saves=_scripted.stands(partial(models.wastes_nothing, scripted), SPARED, "correct"),
)

_unbroken = ModelFile("model.pt2", "mend")
graph_breaks = returns_data(
    found=HiddenAnswers(breaks.questions),
    mended=_unbroken.stands(breaks.one_graph, "One graph for all sizes, and it says the same."),
)

_exported = ModelFile("model.pt2")
export = returns_data(
    dynamic=_exported.stands(models.dynamic, "An archive of plain data, free in both sizes."),
    correct=_exported.stands(
        partial(models.right_everywhere, exported, truth_of), RIGHT, "dynamic"
    ),
    saves=_exported.stands(partial(models.wastes_nothing, exported), SPARED, "correct"),
)

package = returns_data(
    correct=Holds(packages.right, "The package says what the source says, on all ways."),
    fast_cpu=packages.fast_cpu,
    serves=Holds(
        packages.served, "Each message gets the answer that it would get alone.", ("correct",)
    ),
    cold_start=packages.cold_start,
)

freeze = returns_data(figures=HiddenAnswers(old_files.figures))

_step = ModelFile("step.pt2", "export_step")
decode_graphs = fills_tensor(
    replayable=_step.stands(
        decoding.replayable, "Fixed shapes, no decisions, and right step by step."
    ),
    correct=Refereed(cases, REFEREE, "generate", disagreement, after=("replayable",)),
    gpu_correct=GpuRefereed(cases, REFEREE, "generate", disagreement),
    gpu_fast=GpuRefereedFast(
        decoding.timed(), BASELINE, REFEREE, "generate", disagreement, decoding.fewest_flops
    ),
)

_sparsemax = KernelCalls(
    sparse.cases, sparse.counted_case, sparse.sparsemax, sparse.tolerance, counted_calls=2
)
loop_in_kernel = fills_tensor(
    correct=KernelCorrect(_sparsemax),
    traffic=Traffic(_sparsemax, sparse.bytes_of_case),
    gpu_correct=GpuCorrect(sparse.cases, sparse.sparsemax, sparse.tolerance),
    gpu_fast=GpuFast(sparse.on_gpu(), sparse.LOOP, sparse.bytes_of_call),
)

_alone = (deciding.cases, deciding.REFEREE, "one_by_one", deciding.disagreement)
decide_on_gpu = fills_tensor(
    correct=Refereed(*_alone),
    gpu_correct=GpuRefereed(*_alone),
    gpu_fast=GpuRefereedFast(
        deciding.timed(),
        deciding.ALONE,
        deciding.REFEREE,
        "one_by_one",
        deciding.disagreement,
        deciding.fewest_flops,
    ),
)

_routed_script = ModelFile("routed.pt", "to_torchscript")
_routed_export = ModelFile("routed.pt2", "to_export")
hugging_face = returns_data(
    torchscript=_routed_script.stands(partial(routed.right_everywhere, scripted), RIGHT),
    dynamic=_routed_export.stands(models.dynamic, "An archive of plain data, free in both sizes."),
    correct=_routed_export.stands(partial(routed.right_everywhere, exported), RIGHT, "dynamic"),
)

migration = returns_data(
    inventory=HiddenAnswers(old_files.inventories),
    successors=AnswersFrom("successors", successors.questions),
)

diagnose = returns_data(correct=Answers(diagnoses.questions))
