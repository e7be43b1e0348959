"""The checks of each task of profile_training_loop. Points, levels and needs: module.yaml."""

from __future__ import annotations

from hotloop.checks.profile_training_loop import (
    augmentation,
    clocks,
    loops,
    recordings,
    resnet50,
    traces,
)
from hotloop.checks.profile_training_loop.given_files import (
    AUGMENT_CHAIN,
    SLOW_AUGMENT,
    SLOW_LOOP,
)
from hotloop.checks.profile_training_loop.loops import CPU_RUN, GPU_RUN, REFEREE
from hotloop.checks.profile_training_loop.network import RESNET50, SMALL
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.correct import Correct
from hotloop.judge.rungs.fast import Fast
from hotloop.judge.rungs.gpu_correct import GpuCorrect
from hotloop.judge.rungs.gpu_fast import GpuFast
from hotloop.judge.rungs.gpu_refereed import GpuRefereed, GpuRefereedFast
from hotloop.judge.rungs.learns import Learns
from hotloop.judge.rungs.refereed import Refereed
from hotloop.judge.rungs.refereed_fast import RefereedFast
from hotloop.judge.rungs.trace_read import TraceRead
from hotloop.judge.rungs.trace_recorded import TraceRecorded
from hotloop.judge.task import fills_tensor, returns_data

honest_clock = returns_data(correct=Answers(clocks.questions))

instrument = returns_data(correct=TraceRecorded(traces.range_prefix))

read_trace = returns_data(
    correct=Answers(traces.questions),
    own=TraceRead("record", traces.mismatch),
)

diagnose = returns_data(correct=Answers(recordings.questions))

augment = fills_tensor(
    correct=Correct(augmentation.cases, augmentation.augmented, augmentation.tolerance),
    fast_cpu=Fast(
        augmentation.TIMED,
        SLOW_AUGMENT,
        augmentation.fewest_bytes,
    ),
    gpu_correct=GpuCorrect(augmentation.cases, augmentation.augmented, augmentation.tolerance),
    gpu_fast=GpuFast(augmentation.ON_GPU, AUGMENT_CHAIN, augmentation.written_bytes, seconds=90.0),
)

_timed = Fast(
    loops.timed(*CPU_RUN),
    SLOW_LOOP,
    lambda spec: spec.out.bytes,
    fewest_flops=SMALL.flops,
    after=("learns",),
    seconds=90.0,
)
train = fills_tensor(
    correct=Refereed(SMALL.cases, REFEREE, "train", SMALL.disagreement),
    learns=Learns(SMALL.exam, REFEREE, "train", "accuracy", margin=0.1),
    fast_cpu=RefereedFast(_timed, REFEREE, "train", SMALL.disagreement),
    gpu_correct=GpuRefereed(RESNET50.cases, REFEREE, "train", RESNET50.disagreement),
    gpu_fast=GpuRefereedFast(
        loops.timed(*GPU_RUN),
        SLOW_LOOP,
        REFEREE,
        "train",
        RESNET50.disagreement,
        RESNET50.flops,
    ),
)

profile_resnet = returns_data(float32=resnet50.float32, bfloat16=resnet50.bfloat16)
