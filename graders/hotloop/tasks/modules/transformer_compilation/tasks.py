"""The checks of each task of module transformer_compilation.

Points, levels and needs: module.yaml.
"""

from __future__ import annotations

from functools import partial

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.transformer_compilation import (
    attention_costs,
    attentions,
    cold_starts,
    decoding,
    e4m3,
    fusing,
    gradients,
    outputs,
    serving,
    speeds,
    streams,
)
from hotloop.tasks.modules.transformer_compilation.replay import pays
from hotloop.tasks.modules.transformer_compilation.tensor_cores import feeds_tensor_cores
from hotloop.tasks.modules.transformer_compilation.tuning import regret

# --- attention ------------------------------------------------------------------------------------

count_bytes = hl.returns_data(
    bytes=hl.Answers(partial(attention_costs.questions, keys=attention_costs.BYTES)),
    times=hl.Answers(
        partial(attention_costs.questions, keys=attention_costs.TIMES), after=("bytes",)
    ),
)

_capped = hl.Truth(attentions.capped_cases, attentions.capped_attention, attentions.tolerance)
tiled_attention = hl.fills_tensor(
    correct=hl.Correct(_capped),
    fast_cpu=hl.Fast(
        speeds.ON_CPU,
        speeds.CAPPED,
        fewest_flops=speeds.flops_of_call,
        seconds=60.0,
    ),
    gpu_correct=hl.Correct(_capped, on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(
        speeds.CAPPED_ON_GPU,
        speeds.CAPPED,
        fewest_flops=speeds.flops_of_call,
    ),
)

_attention = hl.Truth(attentions.kernel_cases, attentions.attention, attentions.tolerance)
_forward = hl.TritonKernelCalls(
    _attention, attentions.counted_case, attentions.compiled_case, counted_calls=2
)
flash_forward = hl.triton_kernel(
    _forward,
    advice="Hold 64 queries or more in a program, and read no keys that none of them sees.",
    compiles=feeds_tensor_cores.bind(calls=_forward),
    gpu_correct=hl.Correct(_attention.of(attentions.gpu_cases), on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(speeds.ON_GPU, speeds.FUSED, fewest_flops=speeds.flops_of_call),
)

_gradients = hl.Truth(gradients.cases, gradients.gradients, gradients.tolerance)
_backward = hl.TritonKernelCalls(
    _gradients, gradients.counted_case, gradients.compiled_case, counted_calls=2
)
flash_backward = hl.triton_kernel(
    _backward,
    advice="Compute weights again instead of storing them, and skip blocks that nobody sees.",
    compiles=feeds_tensor_cores.bind(calls=_backward),
    gpu_correct=hl.Correct(_gradients.of(gradients.gpu_cases), on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(
        speeds.GRADIENTS_ON_GPU,
        speeds.FUSED_GRADIENTS,
        fewest_flops=speeds.flops_of_gradients,
        seconds=120.0,
        entry="attention_gradients",
    ),
)

# --- compilers ------------------------------------------------------------------------------------

fuse_pass = hl.returns_data(
    same=hl.Answers(fusing.questions),
    fewest=hl.Answers(partial(fusing.questions, fewest=True), after=("same",)),
)

read_output = hl.returns_data(
    kernels=hl.Answers(partial(outputs.questions, mismatch=outputs.kernels_mismatch)),
    bytes=hl.Answers(
        partial(outputs.questions, mismatch=outputs.bytes_mismatch), after=("kernels",)
    ),
    reused=hl.Answers(
        partial(outputs.questions, mismatch=outputs.reuse_mismatch), after=("kernels",)
    ),
)

learned_costs = hl.returns_data(regret=regret.bind(most=1.35))

compile_policy = hl.returns_data(
    once=pays.bind(streams=streams.few_calls, most=2.0),
    mixed=hl.following("once", pays.bind(streams=streams.mixed_calls, most=1.75)),
)

cold_start = hl.returns_data(
    starts=hl.Answers(partial(cold_starts.questions, keys=cold_starts.STARTS)),
    breaks_even=hl.Answers(
        partial(cold_starts.questions, keys=cold_starts.BREAK_EVEN), after=("starts",)
    ),
    measured=cold_starts.measures_starts,
)

few_graphs = hl.returns_data(
    correct=serving.right_answers,
    graphs=serving.few_graphs.bind(most=2),
    padding=serving.little_padding.bind(most=1.3),
)

# --- decoding -------------------------------------------------------------------------------------

eight_bits = hl.returns_data(
    rounded=hl.Answers(e4m3.plain_questions),
    scaled=hl.Answers(e4m3.uneven_questions, after=("rounded",)),
)

_generated = hl.Truth(decoding.cases, decoding.WHOLE)
decode_step = hl.fills_tensor(
    correct=hl.Assertions(
        decoding.assertions, "Its recording is right for all {count} hidden groups of requests."
    ),
    launches=decoding.few_launches,
    generates=hl.Correct(_generated, after=("correct",)),
    gpu_correct=hl.Correct(_generated, on=hl.OnGpuFromHost(), after=("generates",)),
    gpu_fast=hl.GpuFastFromHost(
        decoding.TIMED, decoding.GROWN, decoding.TIMED_TRUTH, decoding.fewest_flops
    ),
)
