"""The checks of each task of module xla_vs_eager. Points, levels and needs: module.yaml."""

from __future__ import annotations

from hotloop.checks.xla_vs_eager import (
    aliases,
    clocks,
    dumps,
    gpu_steps,
    lazy,
    padding,
    profiles,
    recordings,
    speed,
    steps,
    streams,
    vocabulary,
)
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.answers_from import AnswersFrom
from hotloop.judge.rungs.correct import Correct
from hotloop.judge.rungs.gpu_correct import GpuCorrect
from hotloop.judge.rungs.gpu_fast import GpuFast
from hotloop.judge.rungs.gpu_refereed import GpuRefereed, GpuRefereedFast
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.judge.rungs.makes import Makes
from hotloop.judge.rungs.refereed import Refereed
from hotloop.judge.rungs.refereed_fast import RefereedFast
from hotloop.judge.task import fills_tensor, returns_data, returns_tensor

compiled_step = fills_tensor(
    "jax",
    correct=Refereed(speed.cases, speed.REFEREE, "train", speed.mismatch),
    fast_cpu=RefereedFast(speed.TIMED_STEPS, speed.REFEREE, "train", speed.mismatch),
    gpu_correct=GpuRefereed(speed.cases, speed.REFEREE, "train", speed.mismatch_on_gpu),
    gpu_fast=GpuRefereedFast(
        speed.timed(speed.GPU_STEPS),
        speed.EAGER,
        speed.REFEREE,
        "train",
        speed.mismatch_on_gpu,
        speed.flops_of_call,
    ),
)

break_even = returns_data(
    times=Answers(clocks.time_questions),
    steps=Answers(clocks.step_questions, after=("times",)),
)

count_compilations = returns_data(
    programs=HiddenAnswers(streams.count_questions),
    culprit=HiddenAnswers(streams.culprit_questions),
)

bucket = returns_data(
    budget=Answers(padding.budget_questions),
    waste=Answers(padding.waste_questions, after=("budget",)),
    equal=Makes(padding.padded_programs, entry="export_padded"),
)

read_hlo = returns_data(
    figures=Answers(dumps.figure_questions),
    relayouts=Answers(dumps.relayout_questions),
    unfused=AnswersFrom("why_not_fused", dumps.fusion_questions),
)

fused_loss = returns_tensor(
    "jax",
    correct=Correct(vocabulary.cases, vocabulary.losses, vocabulary.tolerance),
    gpu_correct=GpuCorrect(vocabulary.cases, vocabulary.losses, vocabulary.tolerance),
    gpu_fast=GpuFast(vocabulary.ON_GPU, vocabulary.EAGER, vocabulary.read_bytes),
)

annotate = returns_data(
    scopes=Makes(steps.annotated),
    profile=profiles.recorded,
)

host_transfer = returns_data(
    "jax",
    on_device=Makes(steps.on_device),
    same=Makes(steps.guarded, after=("on_device",)),
    gpu_same=GpuRefereed(
        gpu_steps.cases,
        speed.REFEREE,
        gpu_steps.FUNCTION,
        gpu_steps.mismatch,
        after=("same",),
        entrant=gpu_steps.ENTRANT,
    ),
    gpu_fast=GpuRefereedFast(
        gpu_steps.TIMED,
        gpu_steps.SLOW,
        speed.REFEREE,
        gpu_steps.FUNCTION,
        gpu_steps.mismatch,
        speed.flops_of_call,
        after=("gpu_same",),
        entrant=gpu_steps.ENTRANT,
    ),
)

donate = returns_data(
    aliased=Makes(steps.donated),
    bytes=HiddenAnswers(aliases.questions, entry="donations"),
)

diagnose = returns_data(
    figures=Answers(recordings.figure_questions),
    diagnosis=AnswersFrom("diagnosis", recordings.diagnosis_questions),
)

torch_xla_step = fills_tensor(
    correct=Refereed(speed.cases, speed.REFEREE, "train", speed.mismatch),
    graph=AnswersFrom("step_hlo", lazy.graph_questions, after=("correct",)),
)

torch_xla_report = returns_data(
    figures=HiddenAnswers(lazy.figure_questions),
    cause=HiddenAnswers(lazy.cause_questions, after=("figures",)),
)
