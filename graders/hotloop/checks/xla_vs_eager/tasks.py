"""What the judge asks of the tasks of module xla_vs_eager."""

from __future__ import annotations

from functools import partial

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
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import Check
from hotloop.judge.levels import Level
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.answers_from import AnswersFrom
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.judge.rungs.makes import Makes
from hotloop.variants.variant import Variant

XLA = ("xla",)

# Provisional on every device that has no recorded run: module.yaml says where they come from.
STEP_LEVELS = (Level(5.0, 0.4), Level(10.0, 0.7), Level(20.0, 1.0))


def count_compilations(variant: Variant | None = None) -> Check:
    """Programs that a stream of calls makes, and the argument to blame."""
    count = partial(streams.count_questions, processes=_number(variant, "PROCESSES") or 1)
    return Check(
        Candidate("read_calls", "recompiles.py", "json"),
        {
            "programs": HiddenAnswers(count),
            "culprit": HiddenAnswers(streams.culprit_questions),
        },
        extras=XLA,
    )


def bucket(variant: Variant | None = None) -> Check:
    """Few programs for many sizes, and the same numbers in all of them."""
    unit = _number(variant, "SAMPLE_BYTES") or 1
    return Check(
        Candidate("bucket_sizes", "buckets.py", "json"),
        {
            "budget": Answers(partial(padding.budget_questions, unit=unit)),
            "waste": Answers(partial(padding.waste_questions, unit=unit), after=("budget",)),
            "equal": Makes(padding.padded_programs, entry="export_padded"),
        },
        extras=XLA,
    )


def break_even(variant: Variant | None = None) -> Check:
    """Compiling apart from running, and the step at which it has paid."""
    per = clocks.Per(_number(variant, "EAGER_STEPS") or 1, _number(variant, "FAST_STEPS") or 1)
    return Check(
        Candidate("break_even", "timings.py", "json"),
        {
            "times": Answers(partial(clocks.time_questions, per=per)),
            "steps": Answers(clocks.step_questions, after=("times",)),
        },
    )


def read_hlo(variant: Variant | None = None) -> Check:
    """Figures of what XLA has made, and causes of fusions that it has not."""
    figures = partial(dumps.figure_questions, runs=_number(variant, "RUNS") or 1)
    return Check(
        Candidate("read_hlo", "hlo_reading.py", "json"),
        {
            "figures": Answers(figures),
            "relayouts": Answers(dumps.relayout_questions),
            "unfused": AnswersFrom("why_not_fused", dumps.fusion_questions),
        },
    )


def annotate(variant: Variant | None = None) -> Check:
    """Names in the program, and in a profile."""
    number = _number(variant, "NUMBER")
    scopes = partial(steps.annotated, between=f"{number}_" if number else "")
    return Check(
        Candidate("export_annotated", "annotations.py", "json"),
        {
            "scopes": Makes(scopes),
            "profile": profiles.recorded,
        },
        extras=XLA,
    )


def host_transfer() -> Check:
    """A step that asked the host four times, as one program."""
    return Check(
        Candidate("export_step", "on_device.py", "json"),
        {
            "on_device": Makes(steps.on_device),
            "same": Makes(steps.guarded, after=("on_device",)),
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


def diagnose(variant: Variant | None = None) -> Check:
    """Recorded runs: figures from made ones, causes of four sick ones."""
    figures = partial(recordings.figure_questions, per=_number(variant, "MEDIAN_STEPS") or 1)
    return Check(
        Candidate("read_run", "runs.py", "json"),
        {
            "figures": Answers(figures),
            "diagnosis": AnswersFrom("diagnosis", recordings.diagnosis_questions),
        },
    )


def _number(variant: Variant | None, constant: str) -> int:
    """A variant's number; 0 without one."""
    return int(variant.constants[constant]) if variant is not None and variant.constants else 0
