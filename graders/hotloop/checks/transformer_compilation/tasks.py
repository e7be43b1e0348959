"""What the judge asks of the tasks of module transformer_compilation."""

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
from hotloop.checks.transformer_compilation.replay import pays
from hotloop.checks.transformer_compilation.tensor_cores import feeds_tensor_cores
from hotloop.checks.transformer_compilation.tuning import regret
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import Check
from hotloop.judge.levels import Level
from hotloop.judge.rung import following
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.correct import Correct
from hotloop.judge.rungs.gpu_correct import GpuCorrect
from hotloop.judge.rungs.kernel_calls import KernelCalls
from hotloop.judge.rungs.kernel_correct import KernelCorrect
from hotloop.judge.rungs.traffic import ByteLevel, Traffic
from hotloop.variants.variant import Variant

KERNELS = "flash_triton.py"

# Provisional on every device that has no recorded run: module.yaml says where they come from.
CPU_LEVELS = (Level(1.2, 0.5), Level(1.5, 1.0))
GPU_LEVELS = (Level(2.0, 0.4), Level(3.5, 0.7), Level(5.0, 1.0))
BACKWARD_KERNELS = "flash_backward.py"
BACKWARD_READS = (ByteLevel(3.3, 1.0), ByteLevel(5.2, 0.5))
READS = (ByteLevel(2.8, 1.0), ByteLevel(4.6, 0.5))
DECODE_LEVELS = (Level(1.5, 0.4), Level(3.0, 1.0))
LAUNCHES = (decoding.LaunchLevel(10, 8, 1.0), decoding.LaunchLevel(14, 10, 0.5))


def count_bytes(variant: Variant | None = None) -> Check:
    """Bytes and least times, before anything is run."""
    bytes_of = partial(accounts.byte_questions, layers=_number(variant, "LAYERS") or 1)
    return Check(
        Candidate("account", "attention_cost.py", "json"),
        {
            "bytes": Answers(bytes_of),
            "times": Answers(accounts.time_questions, after=("bytes",)),
        },
    )


def tiled_attention(variant: Variant | None = None) -> Check:
    """Tiles and the online softmax, in PyTorch."""
    truth = partial(attentions.capped_attention, empty=_number(variant, "EMPTY") or 0)
    return Check(
        Candidate("attention", "tiled.py", "destination"),
        {
            "correct": Correct(attentions.capped_cases, truth, attentions.tolerance),
            "fast_cpu": speeds.fast_cpu(CPU_LEVELS),
        },
        programs={"g++": "g++"},  # for who has torch.compile fuse within a tile
    )


def flash_forward(variant: Variant | None = None) -> Check:
    """The same as one kernel in OpenAI Triton."""
    truth = partial(attentions.attention, empty=_number(variant, "EMPTY") or 0)
    calls = KernelCalls(
        attentions.kernel_cases,
        attentions.counted_case,
        truth,
        attentions.tolerance,
        attentions.compiled_case,
        counted_calls=2,
    )
    traffic = Traffic(
        calls,
        attentions.fewest_bytes,
        READS,
        advice="Hold 64 queries or more in a program, and read no keys that none of them sees.",
    )
    return Check(
        Candidate("attention", KERNELS, "destination"),
        {
            "correct": KernelCorrect(calls),
            "traffic": traffic,
            "compiles": partial(feeds_tensor_cores, calls=calls),
            "gpu_correct": GpuCorrect(attentions.gpu_cases, truth, attentions.tolerance),
            "gpu_fast": speeds.gpu_fast(GPU_LEVELS),
        },
    )


def flash_backward(variant: Variant | None = None) -> Check:
    """Its gradients, with the weights computed again."""
    scaled = _number(variant, "LOSS_SCALE") or 1
    truth = partial(gradients.gradients, loss_scale=scaled)
    tolerance = partial(gradients.tolerance, loss_scale=scaled)
    calls = KernelCalls(
        gradients.cases,
        gradients.counted_case,
        truth,
        tolerance,
        gradients.compiled_case,
        counted_calls=2,
    )
    traffic = Traffic(
        calls,
        attentions.fewest_bytes,
        BACKWARD_READS,
        advice="Compute weights again instead of storing them, and skip blocks that nobody sees.",
    )
    return Check(
        Candidate("gradients", BACKWARD_KERNELS, "destination"),
        {
            "correct": KernelCorrect(calls),
            "traffic": traffic,
            "compiles": partial(feeds_tensor_cores, calls=calls),
            "gpu_correct": GpuCorrect(gradients.gpu_cases, truth, tolerance),
        },
    )


def compile_policy(variant: Variant | None = None) -> Check:
    """When to compile, and what for."""
    pool = _number(variant, "POOL") or 0
    return Check(
        Candidate("decide", "policy.py", "json"),
        {
            "once": partial(pays, streams=streams.few_calls, most=2.0, pool=pool),
            "mixed": following(
                "once", partial(pays, streams=streams.mixed_calls, most=1.75, pool=pool)
            ),
        },
    )


def learned_costs(variant: Variant | None = None) -> Check:
    """Schedules by a cost model that was learned within a budget."""
    revision = _number(variant, "REVISION") or 0
    return Check(
        Candidate("tune", "schedules.py", "json"),
        {"regret": partial(regret, most=1.35, revision=revision)},
    )


def fuse_pass(variant: Variant | None = None) -> Check:
    """Bias, gelu, residual and norm, in random graphs."""
    same = partial(fusing.same_questions, level=_number(variant, "LEVEL") or 0)
    return Check(
        Candidate("fuse", "fusion_pass.py", "json"),
        {
            "same": Answers(same),
            "fewest": Answers(fusing.fewest_questions, after=("same",)),
        },
    )


def eight_bits(variant: Variant | None = None) -> Check:
    """Keys in e4m3 with a scale a row."""
    first = _number(variant, "FIRST_CODE") or 0
    return Check(
        Candidate("to_fp8", "fp8.py", "json"),
        {
            "rounded": Answers(partial(e4m3.plain_questions, first=first)),
            "scaled": Answers(partial(e4m3.uneven_questions, first=first), after=("rounded",)),
        },
    )


def decode_step(variant: Variant | None = None) -> Check:
    """A decoding step that can be recorded, and the loop around it."""
    scale = _number(variant, "LOGIT_SCALE") or 1
    return Check(
        Candidate("generate", decoding.FILE, "destination"),
        {
            "correct": decoding.correct(scale),
            "launches": partial(decoding.few_launches, levels=LAUNCHES, logit_scale=scale),
            "generates": decoding.generates(),
            "gpu_correct": decoding.gpu_correct(),
            "gpu_fast": decoding.gpu_fast(DECODE_LEVELS),
        },
    )


def read_output(variant: Variant | None = None) -> Check:
    """What Inductor has written: kernels, bytes, and reused memory."""
    first = _number(variant, "FIRST_CALL") or 0
    kernels = partial(outputs.kernel_questions, first=first)
    moved = partial(outputs.byte_questions, first=first)
    return Check(
        Candidate("read_output", "output_code.py", "json"),
        {
            "kernels": Answers(kernels),
            "bytes": Answers(moved, after=("kernels",)),
            "reused": Answers(outputs.reuse_questions, after=("kernels",)),
        },
    )


def cold_start(variant: Variant | None = None) -> Check:
    """What a new process pays before its first answer, and when that has paid."""
    starts = partial(cold_starts.start_questions, calls=_number(variant, "TIMED_CALLS") or 1)
    return Check(
        Candidate("break_even", cold_starts.FILE, "json"),
        {
            "starts": Answers(starts),
            "breaks_even": Answers(cold_starts.even_questions, after=("starts",)),
            "measured": cold_starts.measures_starts,
        },
    )


def few_graphs(variant: Variant | None = None) -> Check:
    """A service that TorchDynamo compiles once for all sizes."""
    gain = _number(variant, "GAIN") or 1
    return Check(
        Candidate("make", serving.FILE, "json"),
        {
            "correct": partial(serving.right_answers, gain=gain),
            "graphs": partial(serving.few_graphs, most=2, gain=gain),
            "padding": partial(serving.little_padding, most=1.3, gain=gain),
        },
    )


def _number(variant: Variant | None, constant: str) -> int | None:
    """A variant's number; None without one."""
    return int(variant.constants[constant]) if variant is not None and variant.constants else None
