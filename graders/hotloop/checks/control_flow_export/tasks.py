"""What the judge asks of the tasks of module control_flow_export."""

from __future__ import annotations

from functools import partial

from hotloop.checks.control_flow_export import (
    breaks,
    decoding,
    diagnoses,
    models,
    old_files,
    packages,
    successors,
    trap,
)
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import Check
from hotloop.judge.levels import Level
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.answers_from import AnswersFrom
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.variants.variant import Variant

# Provisional on every device that has no recorded run: module.yaml says where they come from.
PACKAGE_LEVELS = (Level(1.3, 0.5), Level(1.6, 1.0))
DECODE_LEVELS = (Level(1.5, 0.5), Level(2.5, 1.0))
COLD_START_LEVELS = (Level(3.0, 1.0),)

RIGHT = "It says what the source says, on all ways and for lengths at the edges."
SPARED = "What leaves after one layer is spared the others."


def show_the_trap(variant: Variant | None = None) -> Check:
    """Inputs for which a trace departs from its source."""
    questions = partial(trap.questions, first=_number(variant, "FIRST_TOKEN"))
    return Check(Candidate("departures", "trap.py", "json"), {"correct": HiddenAnswers(questions)})


def script_it(variant: Variant | None = None) -> Check:
    """The encoder in TorchScript."""
    right = partial(models.right_everywhere, models.scripted, scale=_number(variant, "SCALE") or 1)
    file = models.ModelFile("scripted", "model.pt")
    return Check(
        Candidate(file.entry, "scripted.py", "json"),
        {
            "correct": file.stands(right, RIGHT),
            "saves": file.stands(
                partial(models.wastes_nothing, models.scripted), SPARED, "correct"
            ),
        },
    )


def graph_breaks(variant: Variant | None = None) -> Check:
    """Where hidden programs break, and one that breaks no more."""
    found = partial(breaks.questions, first=_number(variant, "FIRST_LINE") or 1)
    file = models.ModelFile("mend", "model.pt2")
    return Check(
        Candidate("breaks", "graph_breaks.py", "json"),
        {
            "found": HiddenAnswers(found),
            "mended": file.stands(breaks.mended, "One graph for all sizes, and it says the same."),
        },
    )


def export() -> Check:
    """The encoder as one exported program, for any size."""
    file = models.ModelFile("export", "model.pt2")
    return Check(
        Candidate(file.entry, "portable.py", "json"),
        {
            "dynamic": file.stands(models.dynamic, "An archive of plain data, free in both sizes."),
            "correct": file.stands(
                partial(models.right_everywhere, models.exported), RIGHT, "dynamic"
            ),
            "saves": file.stands(
                partial(models.wastes_nothing, models.exported), SPARED, "correct"
            ),
        },
    )


def package() -> Check:
    """The exported program compiled ahead, and a service that has no source."""
    return Check(
        Candidate("package", "package_model.py", "json"),
        {
            "correct": packages.correct(),
            "fast_cpu": packages.measured(PACKAGE_LEVELS),
            "serves": packages.serves(),
            "cold_start": partial(packages.cold_start, levels=COLD_START_LEVELS),
        },
        programs={"g++": "g++"},
    )


def freeze(variant: Variant | None = None) -> Check:
    """What freezing makes of hidden TorchScript files."""
    figures = old_files.asked("figures", "nodes", _number(variant, "MODELS") or 1)
    return Check(Candidate("figures", "freezing.py", "json"), {"figures": figures})


def migration(variant: Variant | None = None) -> Check:
    """What has to be written anew, and in which words."""
    inventory = old_files.asked("inventory", "parameters", _number(variant, "NUMBER_BYTES") or 1)
    return Check(
        Candidate("inventory", "migration.py", "json"),
        {
            "inventory": inventory,
            "successors": AnswersFrom("successors", successors.questions),
        },
    )


def diagnose(variant: Variant | None = None) -> Check:
    """Causes of four recorded failures."""
    questions = partial(diagnoses.questions, first=_number(variant, "LOG_LINE") or 1)
    return Check(Candidate("diagnosis", "diagnosis.py", "json"), {"correct": Answers(questions)})


def decode_graphs() -> Check:
    """A decoder's step that a recording can repeat."""
    file = models.ModelFile("export_step", "step.pt2")
    return Check(
        Candidate("generate", "decode.py", "destination"),
        {
            "replayable": file.stands(
                decoding.replayable, "Fixed shapes, no decisions, and right step by step."
            ),
            "correct": decoding.correct(),
            "gpu_correct": decoding.gpu_correct(),
            "gpu_fast": decoding.gpu_fast(DECODE_LEVELS),
        },
    )


def _number(variant: Variant | None, constant: str) -> int | None:
    """A variant's number; None without one."""
    return int(variant.constants[constant]) if variant is not None and variant.constants else None
