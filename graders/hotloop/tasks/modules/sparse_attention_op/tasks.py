"""The checks of each task of module sparse_attention_op. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.sparse_attention_op import (
    alone,
    cpu_kernels,
    custom_ops,
    exports,
    fallbacks,
    kernels,
    native_ops,
    operators,
    plugins,
    references,
    shapes,
    silences,
    speeds,
    truth,
)
from hotloop.tasks.modules.sparse_attention_op.exports import DECOMPOSED, FUNCTION, NODE, RIGHT
from hotloop.tasks.modules.sparse_attention_op.patterns import exact, gradient_tolerance, tolerance

CORRECT = ("correct",)

# --- in PyTorch and Triton ------------------------------------------------------------------------

reference = hl.returns_tensor(
    mask=hl.ForFunction("kept", hl.Correct(references.mask_cases, truth.kept_as_numbers, exact)),
    correct=hl.Correct(references.cases, truth.attention, tolerance, after=("mask",)),
    gpu_correct=hl.Correct(references.cases, truth.attention, tolerance, on=hl.OnGpu()),
)

_exported = hl.Correct(
    operators.side_by_side, truth.heads_side_by_side, tolerance, after=CORRECT, case_timeout_s=120
)
_gradient = hl.Correct(operators.gradients, truth.gradients, gradient_tolerance, after=CORRECT)
_compiled = hl.Correct(
    operators.few_gradients,
    truth.gradients_of_doubled,
    gradient_tolerance,
    after=("gradient",),
    case_timeout_s=180,
)
_gpu_gradient = hl.Correct(
    operators.gradients,
    truth.gradients,
    gradient_tolerance,
    on=hl.OnGpu(),
    after=("gradient", "gpu_correct"),
)
_gpu_compiled = hl.Correct(
    operators.few_gradients,
    truth.gradients_of_doubled,
    gradient_tolerance,
    on=hl.OnGpu(),
    after=("compiled", "gpu_gradient"),
    case_timeout_s=180,
)
operator = hl.returns_tensor(
    correct=hl.Correct(operators.cases, truth.attention, tolerance),
    exported=hl.ForFunction("exported", _exported),
    gradient=hl.ForFunction("gradient", _gradient),
    compiled=hl.ForFunction("compiled_gradient", _compiled),
    gpu_correct=hl.Correct(operators.cases, truth.attention, tolerance, on=hl.OnGpu()),
    gpu_gradient=hl.ForFunction("gradient", _gpu_gradient),
    gpu_compiled=hl.ForFunction("compiled_gradient", _gpu_compiled),
)

_calls = hl.TritonKernelCalls(
    kernels.cases,
    kernels.thin,
    truth.attention_over_lists,
    tolerance,
    kernels.for_a_compiler,
    timeout_s=kernels.CASE_S,
)
_against_dense = hl.GpuFast(
    speeds.KEPT,
    speeds.DENSE,
    speeds.fewest_bytes,
    fewest_flops=speeds.fewest_flops,
    baseline_truth=speeds.dense_attention,
    seconds=120.0,
)
_against_flex = hl.GpuFast(
    speeds.KEPT,
    speeds.FLEX,
    speeds.fewest_bytes,
    fewest_flops=speeds.fewest_flops,
    seconds=120.0,
)
_causal_against_dense = hl.GpuFast(
    speeds.KEPT_CAUSAL,
    speeds.DENSE,
    speeds.fewest_causal_bytes,
    fewest_flops=speeds.fewest_causal_flops,
    baseline_truth=speeds.dense_attention,
)
kernel = hl.fills_tensor(
    correct=hl.TritonKernelCorrect(_calls),
    traffic=hl.TritonTraffic(
        _calls,
        kernels.fewest_bytes,
        "Load keys and values of listed blocks only, and the queries once.",
    ),
    compiles=hl.TritonCompiles(_calls),
    gpu_correct=hl.Correct(kernels.gpu_cases, truth.attention_over_lists, tolerance, on=hl.OnGpu()),
    gpu_fast=hl.ForFunction("attend_kept", _against_dense, "destination"),
    gpu_flex=hl.ForFunction("attend_kept", _against_flex, "destination"),
    gpu_causal=hl.ForFunction("attend_kept", _causal_against_dense, "destination"),
)

# --- in ONNX --------------------------------------------------------------------------------------

decomposition = hl.returns_data(
    standard=DECOMPOSED.holds(exports.standard, "Operators of ONNX's own, and free sizes."),
    correct=DECOMPOSED.holds(exports.correct, RIGHT, "standard"),
)

function = hl.returns_data(
    whole=FUNCTION.holds(exports.one_function, "One node, and the function behind it."),
    correct=FUNCTION.holds(exports.correct, RIGHT, "whole"),
    attributes=FUNCTION.holds(
        exports.other_attributes,
        "Another block length in the node is another one in the function.",
        "correct",
    ),
)

node = hl.returns_data(
    node=NODE.holds(exports.bare_node, "One node with its attributes, version and free sizes."),
    correct=NODE.holds(exports.correct_with_ours, RIGHT, "node"),
)

shape_inference = hl.returns_data(
    inferred=hl.WritesFiles(shapes.assignments),
    refused=hl.HiddenAnswers(shapes.questions, entry="problems"),
)

silent = hl.returns_data(
    found=hl.HiddenAnswers(silences.questions, shares=True),
    mended=silences.DECIDING.holds(
        silences.decides_by_its_inputs, "It decides for the inputs that it gets, at any length."
    ),
)

fallback = hl.returns_data(
    negotiated=hl.Answers(fallbacks.questions, "negotiate"),
    partitioned=hl.WritesFiles(fallbacks.assignments),
)

# --- in runtimes ----------------------------------------------------------------------------------

_right = hl.Correct(cpu_kernels.cases, cpu_kernels.attention, cpu_kernels.tolerance)
_untouched = hl.Correct(
    cpu_kernels.poisoned, cpu_kernels.without_poison, cpu_kernels.tolerance, after=CORRECT
)
cpu_kernel = hl.fills_tensor(
    correct=_right,
    untouched=_untouched,
    alone=partial(alone.alone, of=(_right, _untouched)),
)

custom_op = hl.returns_data(correct=hl.WritesFiles(custom_ops.assignments))

native_op = hl.returns_tensor(
    found=hl.Assertions(
        native_ops.found, "ONNX Runtime finds the operator, and runs a node of it."
    ),
    correct=hl.Assertions(
        native_ops.models, "Right for {count} hidden models, whose nodes differ.", ("found",)
    ),
    shapes=hl.Assertions(
        native_ops.shapes, "Right for every shape, in two sessions in turns.", CORRECT
    ),
)

plugin = hl.returns_tensor(**plugins.rungs(plugins.CPP), tensorrt=plugins.compiles)
plugin_python = hl.returns_tensor(**plugins.rungs(plugins.PYTHON))
