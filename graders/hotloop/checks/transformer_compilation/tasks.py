"""The checks of each task of module transformer_compilation.

Points, levels and needs: module.yaml.
"""

from __future__ import annotations

from functools import partial

from hotloop.checks.transformer_compilation import (
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
from hotloop.checks.transformer_compilation.decoding import LaunchLevel
from hotloop.checks.transformer_compilation.replay import pays
from hotloop.checks.transformer_compilation.tensor_cores import feeds_tensor_cores
from hotloop.checks.transformer_compilation.tuning import regret
from hotloop.judge.rung import following
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.correct import Correct
from hotloop.judge.rungs.cuda_operator import Called
from hotloop.judge.rungs.fast import Fast
from hotloop.judge.rungs.gpu_correct import GpuCorrect
from hotloop.judge.rungs.gpu_fast import GpuFast
from hotloop.judge.rungs.gpu_refereed import GpuRefereed, GpuRefereedFast
from hotloop.judge.rungs.holds import Holds
from hotloop.judge.rungs.kernel_calls import KernelCalls
from hotloop.judge.rungs.kernel_correct import KernelCorrect
from hotloop.judge.rungs.refereed import Refereed
from hotloop.judge.rungs.traffic import ByteLevel, Traffic
from hotloop.judge.task import fills_tensor, returns_data

# --- attention ------------------------------------------------------------------------------------

count_bytes = returns_data(
    bytes=Answers(accounts.byte_questions),
    times=Answers(accounts.time_questions, after=("bytes",)),
)

tiled_attention = fills_tensor(
    correct=Correct(attentions.capped_cases, attentions.capped_attention, attentions.tolerance),
    fast_cpu=Fast(
        speeds.ON_CPU,
        speeds.CAPPED,
        speeds.bytes_of_call,
        fewest_flops=speeds.flops_of_call,
        seconds=60.0,
    ),
    gpu_correct=GpuCorrect(
        attentions.capped_cases, attentions.capped_attention, attentions.tolerance
    ),
    gpu_fast=GpuFast(
        speeds.CAPPED_ON_GPU,
        speeds.CAPPED,
        speeds.bytes_of_call,
        fewest_flops=speeds.flops_of_call,
    ),
)

_forward = KernelCalls(
    attentions.kernel_cases,
    attentions.counted_case,
    attentions.attention,
    attentions.tolerance,
    attentions.compiled_case,
    counted_calls=2,
)
flash_forward = fills_tensor(
    correct=KernelCorrect(_forward),
    traffic=Traffic(
        _forward,
        attentions.fewest_bytes,
        (ByteLevel(2.8, 1.0), ByteLevel(4.6, 0.5)),
        advice="Hold 64 queries or more in a program, and read no keys that none of them sees.",
    ),
    compiles=partial(feeds_tensor_cores, calls=_forward),
    gpu_correct=GpuCorrect(attentions.gpu_cases, attentions.attention, attentions.tolerance),
    gpu_fast=GpuFast(
        speeds.ON_GPU, speeds.FUSED, speeds.bytes_of_call, fewest_flops=speeds.flops_of_call
    ),
)

_backward = KernelCalls(
    gradients.cases,
    gradients.counted_case,
    gradients.gradients,
    gradients.tolerance,
    gradients.compiled_case,
    counted_calls=2,
)
flash_backward = fills_tensor(
    correct=KernelCorrect(_backward),
    traffic=Traffic(
        _backward,
        attentions.fewest_bytes,
        (ByteLevel(3.3, 1.0), ByteLevel(5.2, 0.5)),
        advice="Compute weights again instead of storing them, and skip blocks that nobody sees.",
    ),
    compiles=partial(feeds_tensor_cores, calls=_backward),
    gpu_correct=GpuCorrect(gradients.gpu_cases, gradients.gradients, gradients.tolerance),
    gpu_fast=Called(
        "attention_gradients",
        GpuFast(
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

fuse_pass = returns_data(
    same=Answers(fusing.same_questions), fewest=Answers(fusing.fewest_questions, after=("same",))
)

read_output = returns_data(
    kernels=Answers(outputs.kernel_questions),
    bytes=Answers(outputs.byte_questions, after=("kernels",)),
    reused=Answers(outputs.reuse_questions, after=("kernels",)),
)

learned_costs = returns_data(regret=partial(regret, most=1.35))

compile_policy = returns_data(
    once=partial(pays, streams=streams.few_calls, most=2.0),
    mixed=following("once", partial(pays, streams=streams.mixed_calls, most=1.75)),
)

cold_start = returns_data(
    starts=Answers(cold_starts.start_questions),
    breaks_even=Answers(cold_starts.even_questions, after=("starts",)),
    measured=cold_starts.measures_starts,
)

few_graphs = returns_data(
    correct=serving.right_answers,
    graphs=partial(serving.few_graphs, most=2),
    padding=partial(serving.little_padding, most=1.3),
)

# --- decoding -------------------------------------------------------------------------------------

eight_bits = returns_data(
    rounded=Answers(e4m3.plain_questions),
    scaled=Answers(e4m3.uneven_questions, after=("rounded",)),
)

_whole = (decoding.cases, decoding.REFEREE, "whole", decoding.disagreement)
decode_step = fills_tensor(
    correct=Holds(
        decoding.looks, "Its recording is right for all {count} hidden groups of requests."
    ),
    launches=partial(
        decoding.few_launches, levels=(LaunchLevel(10, 8, 1.0), LaunchLevel(14, 10, 0.5))
    ),
    generates=Refereed(*_whole, after=("correct",)),
    gpu_correct=GpuRefereed(*_whole, after=("generates",)),
    gpu_fast=GpuRefereedFast(
        decoding.TIMED,
        decoding.GROWN,
        decoding.REFEREE,
        "grown",
        decoding.disagreement,
        decoding.fewest_flops,
    ),
)
