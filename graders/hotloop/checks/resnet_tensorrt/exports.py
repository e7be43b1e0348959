"""The rungs of the tasks that are written in export.py."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from hotloop.checks.resnet_tensorrt import engines, exported_files, halves, nano
from hotloop.checks.resnet_tensorrt.exported_files import OPSETS, Export
from hotloop.judge.candidate import Candidate
from hotloop.judge.levels import Level
from hotloop.judge.rung import Rung
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.judge.rungs.makes import Makes

FILE = "export.py"
EXPORT = Candidate("export", FILE, "json")
NANO = Candidate("export_for_nano", FILE, "json")
ENGINE = Candidate("build_engine", FILE, "json")

# Provisional on every card: module.yaml says where they come from.
ENGINE_LEVELS = (Level(2.0, 0.5), Level(3.0, 1.0), Level(3.5, 0.0))


def export_rungs() -> Mapping[str, Rung]:
    """One export, in an opset that is drawn."""
    made = Export(EXPORT.name, "Opset", OPSETS)
    return {
        "sound": made.stands(exported_files.sound),
        "correct": made.stands(exported_files.correct, "sound"),
    }


def nano_rungs() -> Mapping[str, Rung]:
    """One export for the board, with a batch that is drawn, and questions about memory."""
    made = Export(NANO.name, "Batch", nano.BATCHES)
    return {
        "fits": made.stands(nano.fits),
        "correct": made.stands(nano.correct, "fits"),
        "memory": HiddenAnswers(nano.about_memory, entry="memory_for"),
    }


def engine_rungs() -> Mapping[str, Rung]:
    """The conversion runs anywhere; what follows needs TensorRT and a card."""
    return {
        "half": Makes(halves.assignments, entry="in_half"),
        "builds": engines.builds,
        "gpu_fast": partial(engines.fast, levels=ENGINE_LEVELS),
    }
