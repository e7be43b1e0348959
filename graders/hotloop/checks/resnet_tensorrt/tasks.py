"""What the judge asks of the tasks of module resnet_tensorrt."""

from __future__ import annotations

from functools import partial

from hotloop.checks.resnet_tensorrt import (
    builds,
    departures,
    exports,
    graph_figures,
    made_builds,
    quantized,
    rewriting,
    session_options,
    sessions,
)
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import Check
from hotloop.judge.levels import Level
from hotloop.judge.rung import following
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.answers_from import AnswersFrom
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.judge.rungs.holds import Holds
from hotloop.variants.variant import Variant

# Provisional on every device that has no recorded run: module.yaml says where they come from.
INT8_LEVELS = (Level(1.2, 0.5), Level(1.4, 1.0))
LATENCY_LEVELS = (Level(1.8, 0.5), Level(2.4, 1.0))


def export() -> Check:
    """The network with its preprocessing, as ONNX."""
    return Check(exports.EXPORT, exports.export_rungs(), extras=("onnx",))


def first_departure(variant: Variant | None = None) -> Check:
    """The first tensor in which two models part."""
    agreed = None
    if variant is not None and variant.constants:
        agreed = int(variant.constants["AGREED"])
    return Check(
        Candidate("first_departure", file="graph_reading.py", style="json"),
        {"correct": HiddenAnswers(partial(departures.questions, agreed=agreed))},
        extras=("onnx",),
    )


def read_graph(variant: Variant | None = None) -> Check:
    """What can be fused and folded in a graph, and what it costs."""
    asked = graph_figures.PLAIN
    if variant is not None and variant.constants:
        values = variant.constants
        codes = int(values["OUTSIDE"]), int(values["CONSUMERS"])
        asked = graph_figures.Asked(str(values["ACTIVATION"]), *codes)
    return Check(
        Candidate("read_graph", file="graph_reading.py", style="json"),
        {
            "structure": HiddenAnswers(partial(graph_figures.about_structure, asked=asked)),
            "costs": HiddenAnswers(graph_figures.about_costs),
        },
        extras=("onnx",),
    )


def fold_batchnorm(variant: Variant | None = None) -> Check:
    """Normalizations into the convolutions before them."""
    versions = int(variant.constants["FOLDED"]) if variant is not None and variant.constants else 0
    return Check(
        Candidate("fold_batchnorm", file=rewriting.FILE, style="json"),
        {
            "structure": partial(rewriting.folded, versions=versions),
            "numbers": following(
                "structure", partial(rewriting.folded, versions=versions, run=True)
            ),
        },
        extras=("onnx",),
    )


def remove_noops(variant: Variant | None = None) -> Check:
    """Nodes that do nothing out of the graph."""
    versions = int(variant.constants["REMOVED"]) if variant is not None and variant.constants else 0
    return Check(
        Candidate("remove_noops", file=rewriting.FILE, style="json"),
        {
            "identities": partial(rewriting.cleaned, versions=versions),
            "transposes": partial(rewriting.cleaned, versions=versions, transposes=True),
        },
        extras=("onnx",),
    )


def quantize() -> Check:
    """The network with 8-bit integers."""
    return Check(
        Candidate("quantize", "quantize.py", "json"),
        {
            "sound": Holds(
                partial(quantized.looks, complaint=quantized.structure_complaint),
                "Integers of a fixed scale compute it, in a third of the size or less.",
            ),
            "accurate": Holds(
                partial(quantized.looks, complaint=quantized.accuracy_complaint),
                "It is about as often right on hidden signs as with float32.",
                after=("sound",),
            ),
            "fast_cpu": partial(quantized.fast, levels=INT8_LEVELS),
        },
        extras=("onnx",),
    )


def latency() -> Check:
    """The network in ONNX Runtime, with options that the learner chose."""
    return Check(
        Candidate("prepare", "session.py", "json"),
        {
            "correct": Holds(
                sessions.looks, "The file gives the network's logits, for any number of pictures."
            ),
            "settings": AnswersFrom(
                "session_options", session_options.questions, after=("correct",)
            ),
            "fast_cpu": sessions.measured(LATENCY_LEVELS),
        },
        extras=("onnx",),
    )


def jetson_nano() -> Check:
    """The network within the limits of a board, and what it needs of its memory."""
    return Check(exports.NANO, exports.nano_rungs(), extras=("onnx",))


def engine() -> Check:
    """The network as a TensorRT engine, and the conversion to float16 before it."""
    return Check(exports.ENGINE, exports.engine_rungs(), extras=("onnx",))


def slow_builds(variant: Variant | None = None) -> Check:
    """Logs and profiles of sessions: figures from made ones, causes of four recorded ones."""
    asked = builds.PLAIN
    if variant is not None and variant.constants:
        values = variant.constants
        asked = builds.Asked(int(values["RUNS"]), int(values["RANK"]))
    return Check(
        Candidate("read_build", "build_logs.py", "json"),
        {
            "figures": Answers(partial(made_builds.questions, asked=asked)),
            "diagnosis": AnswersFrom("diagnosis", builds.diagnosis_questions),
        },
    )
