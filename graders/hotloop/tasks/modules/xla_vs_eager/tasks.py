"""The checks of each task of module xla_vs_eager. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.xla_vs_eager import (
    aliases,
    clocks,
    dumps,
    gpu_steps,
    lazy,
    lazy_profiles,
    mnist,
    padding,
    pallas,
    profiles,
    recordings,
    speed,
    steps,
    streams,
    vocabulary,
)

compiled_step = hl.fills_tensor(
    "jax",
    correct=hl.Correct(hl.Truth(speed.cases, speed.ORACLE.function("train", speed.mismatch))),
    fast_cpu=speed.TIMED_STEPS,
    gpu_correct=hl.Correct(
        hl.Truth(speed.cases, speed.ORACLE.function("train", speed.mismatch_on_gpu)),
        on=hl.OnGpuFromHost(),
    ),
    gpu_fast=hl.GpuFastFromHost(
        speed.timed(speed.GPU_STEPS),
        speed.EAGER,
        speed.ORACLE.function("train", speed.mismatch_on_gpu),
        speed.flops_of_call,
    ),
)

break_even = hl.returns_data(
    times=hl.Answers(partial(clocks.questions, keys=clocks.TIMES)),
    steps=hl.Answers(partial(clocks.questions, keys=clocks.STEPS), after=("times",)),
)

count_compilations = hl.returns_data(
    programs=hl.HiddenAnswers(partial(streams.questions, keys=("programs",))),
    culprit=hl.HiddenAnswers(partial(streams.questions, keys=("culprit", "cause"))),
)

bucket = hl.returns_data(
    budget=hl.Answers(partial(padding.questions, mismatch=padding.budget_mismatch)),
    waste=hl.Answers(
        partial(padding.questions, mismatch=padding.waste_mismatch), after=("budget",)
    ),
    equal=hl.WritesFiles(padding.padded_programs, entry="export_padded"),
)

read_hlo = hl.returns_data(
    figures=hl.Answers(dumps.figure_questions),
    relayouts=hl.Answers(dumps.relayout_questions),
    unfused=hl.Answers(dumps.fusion_questions, entry="why_not_fused"),
)

_losses = hl.Truth(vocabulary.cases, vocabulary.losses, vocabulary.tolerance)
fused_loss = hl.returns_tensor(
    "jax",
    correct=hl.Correct(_losses),
    gpu_correct=hl.Correct(_losses, on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(vocabulary.ON_GPU, vocabulary.EAGER, vocabulary.read_bytes),
)

annotate = hl.returns_data(
    scopes=hl.WritesFiles(steps.annotated),
    profile=profiles.recorded,
)

host_transfer = hl.returns_data(
    "jax",
    on_device=hl.WritesFiles(steps.on_device),
    same=hl.WritesFiles(steps.guarded, after=("on_device",)),
    gpu_same=hl.Correct(
        hl.Truth(gpu_steps.cases, speed.ORACLE.function(gpu_steps.FUNCTION, gpu_steps.mismatch)),
        on=hl.OnGpuFromHost(gpu_steps.ENTRANT),
        after=("same",),
    ),
    gpu_fast=hl.GpuFastFromHost(
        gpu_steps.TIMED,
        gpu_steps.SLOW,
        speed.ORACLE.function(gpu_steps.FUNCTION, gpu_steps.mismatch),
        speed.flops_of_call,
        after=("gpu_same",),
        entrant=gpu_steps.ENTRANT,
    ),
)

donate = hl.returns_data(
    aliased=hl.WritesFiles(steps.donated),
    bytes=hl.HiddenAnswers(aliases.questions, entry="donations"),
)

diagnose = hl.returns_data(
    figures=hl.Answers(recordings.figure_questions),
    diagnosis=recordings.DIAGNOSIS,
)

pallas_pipeline = hl.returns_data(
    right=hl.WritesFiles(pallas.right),
    races=hl.WritesFiles(pallas.races, after=("right",)),
    overlapped=hl.WritesFiles(pallas.overlapped, after=("races",)),
)

torch_xla_step = hl.fills_tensor(
    correct=hl.Correct(hl.Truth(speed.cases, speed.ORACLE.function("train", speed.mismatch))),
    graph=hl.Answers(lazy.graph_questions, entry="step_hlo", after=("correct",)),
)

torch_xla_report = hl.returns_data(
    figures=hl.HiddenAnswers(partial(lazy.report_questions, keys=lazy.FIGURES)),
    cause=hl.HiddenAnswers(partial(lazy.report_questions, keys=("cause",))),
)

mnist_cnn = hl.returns_data(
    correct=hl.HiddenAnswers(partial(mnist.loss_questions, kinds=("eager", "xla"))),
    own=mnist.recorded,
    times=hl.HiddenAnswers(partial(mnist.split_questions, keys=mnist.FIGURES), entry="split"),
    pays=hl.HiddenAnswers(
        partial(mnist.split_questions, keys=mnist.STEPS), entry="split", after=("times",)
    ),
)

xla_profile = hl.returns_data(
    recorded=lazy_profiles.recorded,
    split=hl.HiddenAnswers(lazy_profiles.split_questions, entry="split"),
)
