"""The checks of each task of module transformer_compilation.

Points, levels and needs: module.yaml.
"""

from __future__ import annotations

from functools import partial

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.transformer_compilation import (
    accounts,
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
    bytes=hl.Answers(accounts.byte_questions),
    times=hl.Answers(accounts.time_questions, after=("bytes",)),
)

tiled_attention = hl.fills_tensor(
    correct=hl.Correct(attentions.capped_cases, attentions.capped_attention, attentions.tolerance),
    fast_cpu=hl.Fast(
        speeds.ON_CPU,
        speeds.CAPPED,
        speeds.bytes_of_call,
        fewest_flops=speeds.flops_of_call,
        seconds=60.0,
    ),
    gpu_correct=hl.Correct(
        attentions.capped_cases, attentions.capped_attention, attentions.tolerance, on=hl.OnGpu()
    ),
    gpu_fast=hl.GpuFast(
        speeds.CAPPED_ON_GPU,
        speeds.CAPPED,
        speeds.bytes_of_call,
        fewest_flops=speeds.flops_of_call,
    ),
)

_forward = hl.TritonKernelCalls(
    attentions.kernel_cases,
    attentions.counted_case,
    attentions.attention,
    attentions.tolerance,
    attentions.compiled_case,
    counted_calls=2,
)
flash_forward = hl.fills_tensor(
    correct=hl.TritonKernelCorrect(_forward),
    traffic=hl.TritonTraffic(
        _forward,
        attentions.fewest_bytes,
        advice="Hold 64 queries or more in a program, and read no keys that none of them sees.",
    ),
    compiles=partial(feeds_tensor_cores, calls=_forward),
    gpu_correct=hl.Correct(
        attentions.gpu_cases, attentions.attention, attentions.tolerance, on=hl.OnGpu()
    ),
    gpu_fast=hl.GpuFast(
        speeds.ON_GPU, speeds.FUSED, speeds.bytes_of_call, fewest_flops=speeds.flops_of_call
    ),
)

_backward = hl.TritonKernelCalls(
    gradients.cases,
    gradients.counted_case,
    gradients.gradients,
    gradients.tolerance,
    gradients.compiled_case,
    counted_calls=2,
)
flash_backward = hl.fills_tensor(
    correct=hl.TritonKernelCorrect(_backward),
    traffic=hl.TritonTraffic(
        _backward,
        attentions.fewest_bytes,
        advice="Compute weights again instead of storing them, and skip blocks that nobody sees.",
    ),
    compiles=partial(feeds_tensor_cores, calls=_backward),
    gpu_correct=hl.Correct(
        gradients.gpu_cases, gradients.gradients, gradients.tolerance, on=hl.OnGpu()
    ),
    gpu_fast=hl.ForFunction(
        "attention_gradients",
        hl.GpuFast(
            speeds.GRADIENTS_ON_GPU,
            speeds.FUSED_GRADIENTS,
            speeds.bytes_of_call,
            fewest_flops=speeds.flops_of_gradients,
            seconds=120.0,
        ),
        "destination",
    ),
)

# --- compilers ------------------------------------------------------------------------------------

fuse_pass = hl.returns_data(
    same=hl.Answers(fusing.same_questions),
    fewest=hl.Answers(fusing.fewest_questions, after=("same",)),
)

read_output = hl.returns_data(
    kernels=hl.Answers(outputs.kernel_questions),
    bytes=hl.Answers(outputs.byte_questions, after=("kernels",)),
    reused=hl.Answers(outputs.reuse_questions, after=("kernels",)),
)

learned_costs = hl.returns_data(regret=partial(regret, most=1.35))

compile_policy = hl.returns_data(
    once=partial(pays, streams=streams.few_calls, most=2.0),
    mixed=hl.following("once", partial(pays, streams=streams.mixed_calls, most=1.75)),
)

cold_start = hl.returns_data(
    starts=hl.Answers(cold_starts.start_questions),
    breaks_even=hl.Answers(cold_starts.even_questions, after=("starts",)),
    measured=cold_starts.measures_starts,
)

few_graphs = hl.returns_data(
    correct=serving.right_answers,
    graphs=partial(serving.few_graphs, most=2),
    padding=partial(serving.little_padding, most=1.3),
)

# --- decoding -------------------------------------------------------------------------------------

eight_bits = hl.returns_data(
    rounded=hl.Answers(e4m3.plain_questions),
    scaled=hl.Answers(e4m3.uneven_questions, after=("rounded",)),
)

_whole = decoding.ORACLE.function("whole", decoding.disagreement)
decode_step = hl.fills_tensor(
    correct=hl.Assertions(
        decoding.looks, "Its recording is right for all {count} hidden groups of requests."
    ),
    launches=decoding.few_launches,
    generates=hl.Correct(decoding.cases, _whole, after=("correct",)),
    gpu_correct=hl.Correct(decoding.cases, _whole, on=hl.OnGpuFromHost(), after=("generates",)),
    gpu_fast=hl.GpuFastFromHost(
        decoding.TIMED,
        decoding.GROWN,
        decoding.ORACLE.function("grown", decoding.disagreement),
        decoding.fewest_flops,
    ),
)
