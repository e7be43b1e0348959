"""What the judge asks of the tasks of module xla_vs_eager."""

from __future__ import annotations

from hotloop.checks.xla_vs_eager import (
    aliases,
    clocks,
    dumps,
    padding,
    profiles,
    recordings,
    speed,
    steps,
    streams,
)
from hotloop.judge.check import Candidate, Check
from hotloop.judge.levels import Level
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.answers_from import AnswersFrom
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.judge.rungs.makes import Makes

XLA = ("xla",)

# Provisional on every device that has no recorded run: module.yaml says where they come from.
STEP_LEVELS = (Level(5.0, 0.4), Level(10.0, 0.7), Level(20.0, 1.0))


def count_compilations() -> Check:
    """Programs that a stream of calls makes, and the argument to blame."""
    return Check(
        Candidate("read_calls", "recompiles.py", "json"),
        {
            "programs": HiddenAnswers(streams.count_questions),
            "culprit": HiddenAnswers(streams.culprit_questions),
        },
        extras=XLA,
    )


def bucket() -> Check:
    """Few programs for many sizes, and the same numbers in all of them."""
    return Check(
        Candidate("bucket_sizes", "buckets.py", "json"),
        {
            "budget": Answers(padding.budget_questions),
            "waste": Answers(padding.waste_questions, needs=("budget",)),
            "equal": Makes(padding.padded_programs, entry="export_padded"),
        },
        extras=XLA,
    )


def break_even() -> Check:
    """Compiling apart from running, and the step at which it has paid."""
    return Check(
        Candidate("break_even", "timings.py", "json"),
        {
            "times": Answers(clocks.time_questions),
            "steps": Answers(clocks.step_questions, needs=("times",)),
        },
    )


def read_hlo() -> Check:
    """Figures of what XLA has made, and causes of fusions that it has not."""
    return Check(
        Candidate("read_hlo", "hlo_reading.py", "json"),
        {
            "figures": Answers(dumps.figure_questions),
            "relayouts": Answers(dumps.relayout_questions),
            "unfused": AnswersFrom("why_not_fused", dumps.fusion_questions),
        },
    )


def annotate() -> Check:
    """Names in the program, and in a profile."""
    return Check(
        Candidate("export_annotated", "annotations.py", "json"),
        {
            "scopes": Makes(steps.annotated),
            "profile": profiles.ProfileRecorded("record", needs=("scopes",)),
        },
        extras=XLA,
    )


def host_transfer() -> Check:
    """A step that asked the host four times, as one program."""
    return Check(
        Candidate("export_step", "on_device.py", "json"),
        {
            "on_device": Makes(steps.on_device),
            "same": Makes(steps.guarded, needs=("on_device",)),
        },
        extras=XLA,
    )


def donate() -> Check:
    """State that a step takes over, and the bytes that this saves."""
    return Check(
        Candidate("export_donated", "donation.py", "json"),
        {
            "aliased": Makes(steps.donated),
            "bytes": HiddenAnswers(aliases.questions, entry="donations"),
        },
        extras=XLA,
    )


def compiled_step() -> Check:
    """Training steps against the same operations one at a time."""
    return Check(
        speed.TRAIN,
        {"correct": speed.correct(), "fast_cpu": speed.measured(STEP_LEVELS)},
        extras=XLA,
    )


def diagnose() -> Check:
    """Recorded runs: figures from made ones, causes of four sick ones."""
    return Check(
        Candidate("read_run", "runs.py", "json"),
        {
            "figures": Answers(recordings.figure_questions),
            "diagnosis": AnswersFrom("diagnosis", recordings.diagnosis_questions),
        },
    )
