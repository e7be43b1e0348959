"""The checks of each task of profile_training_loop. Points, levels and needs: module.yaml."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.profile_training_loop import (
    augmentation,
    cifar_training,
    clocks,
    loops,
    nsys_answers,
    photo_loading,
    recordings,
    reports,
    resnet50,
    trace_recorded,
    traces,
    viewed,
)
from hotloop.tasks.modules.profile_training_loop.given_files import (
    AUGMENT_CHAIN,
    SLOW_AUGMENT,
    SLOW_LOOP,
)
from hotloop.tasks.modules.profile_training_loop.held_out_accuracy import Learns
from hotloop.tasks.modules.profile_training_loop.loops import CPU_RUN, GPU_RUN, ORACLE
from hotloop.tasks.modules.profile_training_loop.network import RESNET50, SMALL
from hotloop.tasks.modules.profile_training_loop.whole_calls import MORE_WINDOWS, FastWholeCalls

honest_clock = hl.returns_data(correct=hl.Answers(clocks.questions))

instrument = hl.returns_data(correct=trace_recorded.recorded)

read_trace = hl.returns_data(
    correct=hl.Answers(traces.questions), own=trace_recorded.read_by_candidate
)

diagnose = hl.returns_data(correct=recordings.DIAGNOSIS)

_augmented = hl.Truth(augmentation.cases, augmentation.augmented, augmentation.tolerance)
augment = hl.fills_tensor(
    correct=hl.Correct(_augmented),
    fast_cpu=hl.Fast(
        augmentation.TIMED,
        SLOW_AUGMENT,
        augmentation.fewest_bytes,
    ),
    gpu_correct=hl.Correct(_augmented, on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(
        augmentation.ON_GPU, AUGMENT_CHAIN, augmentation.written_bytes, seconds=90.0
    ),
)

_on_two_cores = partial(
    FastWholeCalls,
    baseline=photo_loading.SLOW_PHOTOS,
    oracle=photo_loading.TRAINED,
    fewest_flops=photo_loading.flops,
    cores=photo_loading.CORES,
)
load_photos = hl.fills_tensor(
    correct=hl.Correct(hl.Truth(photo_loading.cases, photo_loading.TRAINED)),
    overlap=_on_two_cores(photo_loading.timed(photo_loading.ONE_EPOCH)),
    short_epochs=_on_two_cores(photo_loading.timed(photo_loading.SHORT_EPOCHS)),
    prefetch=hl.Answers(photo_loading.prefetch_questions, entry="prefetch"),
    gpu_pinned=photo_loading.GPU_PINNED,
)

_timed = hl.Fast(
    loops.timed(*CPU_RUN),
    SLOW_LOOP,
    lambda spec: spec.out.bytes,
    fewest_flops=SMALL.flops,
    after=("learns",),
    seconds=90.0,
    oracle=ORACLE.function("train", SMALL.disagreement),
)
train = hl.fills_tensor(
    correct=hl.Correct(hl.Truth(SMALL.cases, ORACLE.function("train", SMALL.disagreement))),
    learns=Learns(SMALL.exam, ORACLE, "train", "accuracy", margin=0.1),
    fast_cpu=_timed,
    channels_last=FastWholeCalls(
        loops.timed(*CPU_RUN),
        cifar_training.without("channels_last"),
        ORACLE.function("train", SMALL.disagreement),
        SMALL.flops,
        after=("learns",),
        pace=MORE_WINDOWS,
    ),
    gpu_correct=hl.Correct(
        hl.Truth(RESNET50.cases, ORACLE.function("train", RESNET50.disagreement)),
        on=hl.OnGpuFromHost(),
    ),
    gpu_fast=hl.GpuFastFromHost(
        loops.timed(*GPU_RUN),
        SLOW_LOOP,
        ORACLE.function("train", RESNET50.disagreement),
        RESNET50.flops,
    ),
)

train_resnet50 = hl.fills_tensor(
    correct=hl.Correct(hl.Truth(cifar_training.cases, cifar_training.TRAINED)),
    fast_cpu=FastWholeCalls(
        cifar_training.timed(*cifar_training.ON_CPU),
        cifar_training.SLOW_CIFAR,
        cifar_training.TRAINED,
        cifar_training.flops,
    ),
    gpu_correct=hl.Correct(
        hl.Truth(cifar_training.on_gpu_cases, cifar_training.TRAINED), on=hl.OnGpuFromHost()
    ),
    gpu_mixed=cifar_training.against("mixed_precision"),
    gpu_compile=cifar_training.against("compile"),
    gpu_benchmark=cifar_training.against("benchmark"),
)

profile_resnet = hl.returns_data(float32=resnet50.float32, bfloat16=resnet50.bfloat16)


def _viewed(entry: str, answer: Callable[[viewed.Viewed], viewed.Answer]) -> hl.Check:
    return hl.Answers(partial(viewed.questions, answer), entry=entry)


timeline = hl.returns_data(
    gap=_viewed("gap", viewed.Viewed.gap),
    wait=_viewed("wait", viewed.Viewed.wait),
    memory=_viewed("memory_peak", viewed.Viewed.memory_peak),
    overview=_viewed("overview", viewed.Viewed.overview),
)


def _exported(
    entry: str, answer: Callable[[nsys_answers.NsysAnswers], nsys_answers.Answer]
) -> hl.Check:
    return hl.Answers(partial(nsys_answers.questions, answer), entry=entry)


nsight_systems = hl.returns_data(
    launch_gaps=_exported("launch_gaps", nsys_answers.NsysAnswers.launch_gaps),
    copies=_exported("copies", nsys_answers.NsysAnswers.copies),
    waiting_range=_exported("waiting_range", nsys_answers.NsysAnswers.waiting_range),
)
measured_report = hl.returns_data(correct=hl.Answers(reports.questions), own=reports.own)
