"""The checks of each task of module sparse_attention_op. Points, levels and needs: module.yaml."""

from __future__ import annotations

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.sparse_attention_op import (
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
    silent_exports,
    speeds,
    standalone_kernel,
    truth,
)
from hotloop.tasks.modules.sparse_attention_op.exports import DECOMPOSED, FUNCTION, NODE, RIGHT
from hotloop.tasks.modules.sparse_attention_op.patterns import exact, gradient_tolerance, tolerance

CORRECT = ("correct",)

# --- in PyTorch and Triton ------------------------------------------------------------------------

_attention = hl.Truth(references.cases, truth.attention, tolerance)
reference = hl.returns_tensor(
    mask=hl.Correct(hl.Truth(references.mask_cases, truth.kept_as_numbers, exact), entry="kept"),
    correct=hl.Correct(_attention, after=("mask",)),
    gpu_correct=hl.Correct(_attention, on=hl.OnGpu()),
)

_operator = _attention.of(operators.cases)
_gradients = hl.Truth(operators.gradients, truth.gradients, gradient_tolerance)
_of_doubled = hl.Truth(operators.few_gradients, truth.gradients_of_doubled, gradient_tolerance)
operator = hl.returns_tensor(
    correct=hl.Correct(_operator),
    exported=hl.Correct(
        hl.Truth(operators.side_by_side, truth.heads_side_by_side, tolerance),
        after=CORRECT,
        case_timeout_s=120,
        entry="exported",
    ),
    gradient=hl.Correct(_gradients, after=CORRECT, entry="gradient"),
    compiled=hl.Correct(
        _of_doubled, after=("gradient",), case_timeout_s=180, entry="compiled_gradient"
    ),
    gpu_correct=hl.Correct(_operator, on=hl.OnGpu()),
    gpu_gradient=hl.Correct(
        _gradients, on=hl.OnGpu(), after=("gradient", "gpu_correct"), entry="gradient"
    ),
    gpu_compiled=hl.Correct(
        _of_doubled,
        on=hl.OnGpu(),
        after=("compiled", "gpu_gradient"),
        case_timeout_s=180,
        entry="compiled_gradient",
    ),
)

_listed = hl.Truth(kernels.cases, truth.attention_over_lists, tolerance)
_against_dense = hl.GpuFast(
    speeds.KEPT,
    speeds.DENSE,
    fewest_flops=speeds.fewest_flops,
    baseline_truth=speeds.dense_attention,
    seconds=120.0,
    entry="attend_kept",
)
_against_flex = hl.GpuFast(
    speeds.KEPT,
    speeds.FLEX,
    fewest_flops=speeds.fewest_flops,
    seconds=120.0,
    entry="attend_kept",
)
_causal_against_dense = hl.GpuFast(
    speeds.KEPT_CAUSAL,
    speeds.DENSE,
    speeds.fewest_causal_bytes,
    fewest_flops=speeds.fewest_causal_flops,
    baseline_truth=speeds.dense_attention,
    entry="attend_kept",
)
kernel = hl.triton_kernel(
    hl.TritonKernelCalls(_listed, kernels.thin, kernels.for_a_compiler, timeout_s=kernels.CASE_S),
    fewest_bytes=kernels.fewest_bytes,
    advice="Load keys and values of listed blocks only, and the queries once.",
    gpu_correct=hl.Correct(_listed.of(kernels.gpu_cases), on=hl.OnGpu()),
    gpu_fast=_against_dense,
    gpu_flex=_against_flex,
    gpu_causal=_causal_against_dense,
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
    found=hl.HiddenAnswers(silent_exports.questions, shares=True),
    mended=silent_exports.DECIDING.holds(
        silent_exports.decides_by_its_inputs,
        "It decides for the inputs that it gets, at any length.",
    ),
)

fallback = hl.returns_data(
    negotiated=hl.Answers(fallbacks.questions, entry="negotiate"),
    partitioned=hl.WritesFiles(fallbacks.assignments),
)

# --- in runtimes ----------------------------------------------------------------------------------

_right = hl.Correct(hl.Truth(cpu_kernels.cases, cpu_kernels.attention, cpu_kernels.tolerance))
_untouched = hl.Correct(
    hl.Truth(cpu_kernels.poisoned, cpu_kernels.without_poison, cpu_kernels.tolerance), after=CORRECT
)
cpu_kernel = hl.fills_tensor(
    correct=_right,
    untouched=_untouched,
    alone=standalone_kernel.alone.bind(of=(_right, _untouched)),
)

custom_op = hl.returns_data(correct=hl.WritesFiles(custom_ops.assignments))

native_op = hl.returns_tensor(
    found=hl.Assertions(
        native_ops.found, "ONNX Runtime finds the operator, and runs a node of it."
    ),
    correct=hl.Assertions(
        native_ops.models,
        "Right for {count} hidden models, whose nodes differ.",
        after=("found",),
    ),
    shapes=hl.Assertions(
        native_ops.shapes, "Right for every shape, in two sessions in turns.", after=CORRECT
    ),
)

plugin = hl.returns_tensor(**plugins.checks(plugins.CPP), tensorrt=plugins.compiles)
plugin_python = hl.returns_tensor(**plugins.checks(plugins.PYTHON))
