"""The checks of each task of module sparse_attention_op. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial

from hotloop.checks.sparse_attention_op import (
    counted,
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
from hotloop.checks.sparse_attention_op.exports import DECOMPOSED, FUNCTION, NODE, RIGHT
from hotloop.checks.sparse_attention_op.patterns import exact, gradient_tolerance, tolerance
from hotloop.judge.rungs.answers_from import AnswersFrom
from hotloop.judge.rungs.compiles import Compiles
from hotloop.judge.rungs.correct import Correct
from hotloop.judge.rungs.cuda_operator import Called
from hotloop.judge.rungs.gpu_correct import GpuCorrect
from hotloop.judge.rungs.gpu_fast import GpuFast
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.judge.rungs.holds import Holds
from hotloop.judge.rungs.kernel_calls import KernelCalls
from hotloop.judge.rungs.kernel_correct import KernelCorrect
from hotloop.judge.rungs.makes import Makes
from hotloop.judge.rungs.traffic import ByteLevel, Traffic
from hotloop.judge.task import fills_tensor, returns_data, returns_tensor

CORRECT = ("correct",)

# --- in PyTorch and Triton ------------------------------------------------------------------------

reference = returns_tensor(
    mask=Called("kept", Correct(references.mask_cases, truth.kept_as_numbers, exact)),
    correct=Correct(references.cases, truth.attention, tolerance, after=("mask",)),
    gpu_correct=GpuCorrect(references.cases, truth.attention, tolerance),
)

_exported = Correct(
    operators.side_by_side, truth.heads_side_by_side, tolerance, after=CORRECT, case_timeout_s=120
)
_gradient = Correct(operators.gradients, truth.gradients, gradient_tolerance, after=CORRECT)
_compiled = Correct(
    operators.few_gradients,
    truth.gradients_of_doubled,
    gradient_tolerance,
    after=("gradient",),
    case_timeout_s=180,
)
_gpu_gradient = GpuCorrect(
    operators.gradients, truth.gradients, gradient_tolerance, after=("gradient", "gpu_correct")
)
_gpu_compiled = GpuCorrect(
    operators.few_gradients,
    truth.gradients_of_doubled,
    gradient_tolerance,
    after=("compiled", "gpu_gradient"),
    case_timeout_s=180,
)
operator = returns_tensor(
    correct=Correct(operators.cases, truth.attention, tolerance),
    exported=Called("exported", _exported),
    gradient=Called("gradient", _gradient),
    compiled=Called("compiled_gradient", _compiled),
    opcheck=operators.opcheck,
    gpu_correct=GpuCorrect(operators.cases, truth.attention, tolerance),
    gpu_gradient=Called("gradient", _gpu_gradient),
    gpu_compiled=Called("compiled_gradient", _gpu_compiled),
)

_calls = KernelCalls(
    kernels.cases,
    kernels.thin,
    truth.attention_over_lists,
    tolerance,
    kernels.for_a_compiler,
    timeout_s=kernels.CASE_S,
)
_against_dense = GpuFast(
    speeds.KEPT,
    speeds.DENSE,
    speeds.fewest_bytes,
    fewest_flops=speeds.fewest_flops,
    baseline_truth=speeds.dense_attention,
    seconds=120.0,
)
_against_flex = GpuFast(
    speeds.KEPT,
    speeds.FLEX,
    speeds.fewest_bytes,
    fewest_flops=speeds.fewest_flops,
    seconds=120.0,
)
_causal_against_dense = GpuFast(
    speeds.KEPT_CAUSAL,
    speeds.DENSE,
    speeds.fewest_causal_bytes,
    fewest_flops=speeds.fewest_causal_flops,
    baseline_truth=speeds.dense_attention,
)
kernel = fills_tensor(
    correct=KernelCorrect(_calls),
    traffic=Traffic(
        _calls,
        kernels.fewest_bytes,
        (ByteLevel(1.1, 1.0), ByteLevel(1.6, 0.5)),
        "Load keys and values of listed blocks only, and the queries once.",
    ),
    compiles=Compiles(_calls),
    gpu_correct=GpuCorrect(kernels.gpu_cases, truth.attention_over_lists, tolerance),
    gpu_fast=Called("attend_kept", _against_dense, "destination"),
    gpu_flex=Called("attend_kept", _against_flex, "destination"),
    gpu_causal=Called("attend_kept", _causal_against_dense, "destination"),
)

# --- in ONNX --------------------------------------------------------------------------------------

decomposition = returns_data(
    standard=DECOMPOSED.stands(exports.standard, "Operators of ONNX's own, and free sizes."),
    correct=DECOMPOSED.stands(exports.correct, RIGHT, "standard"),
)

function = returns_data(
    whole=FUNCTION.stands(exports.one_function, "One node, and the function behind it."),
    correct=FUNCTION.stands(exports.correct, RIGHT, "whole"),
    attributes=FUNCTION.stands(
        exports.other_attributes,
        "Another block length in the node is another one in the function.",
        "correct",
    ),
)

node = returns_data(
    node=NODE.stands(exports.bare_node, "One node with its attributes, version and free sizes."),
    correct=NODE.stands(exports.correct_with_ours, RIGHT, "node"),
)

shape_inference = returns_data(
    inferred=Makes(shapes.assignments),
    refused=HiddenAnswers(shapes.questions, entry="problems", after=("inferred",)),
)

silent = returns_data(
    found=HiddenAnswers(silences.questions),
    mended=silences.DECIDING.stands(
        silences.decides_by_its_inputs,
        "It decides for the inputs that it gets, at any length.",
        "found",
    ),
)

fallback = returns_data(
    negotiated=AnswersFrom("negotiate", fallbacks.questions),
    partitioned=Makes(fallbacks.assignments, entry="partition", after=("negotiated",)),
)

# --- in runtimes ----------------------------------------------------------------------------------

_right = Correct(cpu_kernels.cases, cpu_kernels.attention, cpu_kernels.tolerance)
_untouched = Correct(
    cpu_kernels.poisoned, cpu_kernels.without_poison, cpu_kernels.tolerance, after=CORRECT
)
cpu_kernel = fills_tensor(
    correct=_right,
    untouched=_untouched,
    traffic=partial(counted.counted_loads, alone=(_right, _untouched)),
)

custom_op = returns_data(correct=Makes(custom_ops.assignments))

native_op = returns_tensor(
    found=Holds(native_ops.found, "ONNX Runtime finds the operator, and runs a node of it."),
    correct=Holds(
        native_ops.models, "Right for {count} hidden models, whose nodes differ.", ("found",)
    ),
    shapes=Holds(native_ops.shapes, "Right for every shape, in two sessions in turns.", CORRECT),
)

plugin = returns_tensor(**plugins.rungs(plugins.CPP), tensorrt=plugins.compiles)
plugin_python = returns_tensor(**plugins.rungs(plugins.PYTHON))
