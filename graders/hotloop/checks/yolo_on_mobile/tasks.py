"""What the judge asks of the tasks of module yolo_on_mobile."""

from __future__ import annotations

from functools import partial

from hotloop.checks.yolo_on_mobile import (
    audits,
    departures,
    engines,
    fitting,
    integer_litert,
    pictures,
    quantized,
    recorded,
    rewriting,
    runtimes,
    session_options,
    small_litert,
    speeds,
    suppression,
    tables,
    whole_file,
)
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import Check
from hotloop.judge.compare import Tolerance
from hotloop.judge.levels import Level
from hotloop.judge.rung import Rung
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.answers_from import AnswersFrom
from hotloop.judge.rungs.correct import Correct
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.judge.rungs.holds import Holds
from hotloop.variants.variant import Variant

# Provisional on every device that has no recorded run: module.yaml says where they come from.
CPU_LEVELS = (Level(1.2, 0.5), Level(1.65, 1.0))
FIT_LEVELS = (Level(0.8, 1.0),)
ENGINE_LEVELS = (Level(2.0, 0.5), Level(3.5, 1.0), Level(5.0, 0.0))


def letterbox(variant: Variant | None = None) -> Check:
    """A frame as the network wants it, and its boxes back in the frame."""
    padding = _number(variant, "PAD")
    truth = partial(pictures.truth, padding=pictures.PADDING if padding is None else padding)
    return Check(
        Candidate("letterbox", file="camera.py"),
        {
            "picture": Correct(
                pictures.cases, truth, lambda _case: Tolerance(0.0, pictures.MOST_OFF)
            ),
            "boxes": AnswersFrom("to_frame", pictures.questions),
        },
    )


def decode(variant: Variant | None = None) -> Check:
    """The maps of the head as a table of boxes."""
    masked = _number(variant, "MASKED")
    cases = partial(tables.cases, masks=masked is not None)
    truth = partial(tables.truth, masked=masked)
    return Check(
        Candidate("decode", file="boxes.py"),
        {"table": Correct(cases, truth, tables.tolerance)},
    )


def nms(variant: Variant | None = None) -> Check:
    """A table of boxes without what says the same twice."""
    questions = partial(suppression.questions, points=_number(variant, "POINTS") or 1)
    return Check(
        Candidate("nms", file="boxes.py", style="json"),
        {
            "scored": Answers(partial(questions, crowded=False)),
            "suppressed": Answers(partial(questions, crowded=True)),
        },
    )


def bisect(variant: Variant | None = None) -> Check:
    """Where a conversion departs, in few looks."""
    looks = partial(departures.looks, nothing=_number(variant, "NOTHING"))
    return Check(
        Candidate("next_look", file="departure.py", style="json"),
        {
            "right": Holds(
                partial(looks, few=False),
                "The right tensor of all {count} hidden conversions.",
            ),
            "few": Holds(
                partial(looks, few=True),
                "The right tensor of {count} more, in as few looks as are needed.",
                after=("right",),
            ),
        },
    )


def replace(variant: Variant | None = None) -> Check:
    """Graphs without what a delegate lacks."""
    looks = partial(rewriting.looks, version=_number(variant, "REPLACED_VERSION") or 0)
    return Check(
        Candidate("replace_unsupported", file="rewrites.py", style="json"),
        {
            "activations": Holds(
                partial(looks, kind="activations"),
                "All hidden graphs compute the same, with operators of the delegate.",
            ),
            "stem": Holds(
                partial(looks, kind="stem"),
                "Each hidden stem is one convolution, and the same.",
            ),
        },
        extras=("onnx",),
    )


def audit(variant: Variant | None = None) -> Check:
    """A model against the card of a device."""
    delegate = partial(
        audits.questions, keys=audits.DELEGATE, runs=_number(variant, "AUDIT_RUNS") or 1
    )
    return Check(
        Candidate("audit", file="budget.py", style="json"),
        {
            "delegate": HiddenAnswers(delegate),
            "costs": HiddenAnswers(partial(audits.questions, keys=audits.COSTS)),
        },
        extras=("onnx",),
    )


def quantize() -> Check:
    """The detector with 8-bit integers."""
    return Check(
        Candidate("quantize", file="quantize.py", style="json"),
        {
            "sound": Holds(
                partial(quantized.looks, complaint=quantized.structure_complaint),
                "Its convolutions compute with integers of a fixed scale, in half of the size.",
            ),
            "accurate": Holds(
                partial(quantized.looks, complaint=quantized.accuracy_complaint),
                "It sees about as much on hidden scenes as with float32.",
                after=("sound",),
            ),
        },
        extras=("onnx",),
    )


def diagnose(variant: Variant | None = None) -> Check:
    """Recorded runs: figures from made ones, causes of four recorded ones."""
    figures = partial(recorded.questions, white=_number(variant, "WHITE") or 1)
    return Check(
        Candidate("read_run", file="runs.py", style="json"),
        {
            "figures": Answers(figures),
            "diagnosis": AnswersFrom("diagnosis", recorded.diagnosis_questions),
        },
    )


def in_graph(variant: Variant | None = None) -> Check:
    """The detector as one file, with decoding and suppression."""
    interface = partial(
        whole_file.interface_complaint, version=_number(variant, "MODEL_VERSION") or 0
    )
    return Check(
        Candidate("export", file="export.py", style="json"),
        {
            "interface": Holds(
                partial(whole_file.looks, complaint=interface),
                "Its ends have names, types and sizes that are known.",
            ),
            "boxes": Holds(
                partial(whole_file.looks, complaint=whole_file.boxes_complaint),
                "It gives the right boxes for hidden pictures and limits.",
                after=("interface",),
            ),
        },
        extras=("onnx",),
    )


def speed() -> Check:
    """The detector in ONNX Runtime against PyTorch, and as a TensorRT engine."""
    return Check(
        Candidate("prepare", file="speed.py", style="json"),
        {
            "correct": Holds(speeds.looks, "The file gives the detector's table, in both sizes."),
            "settings": AnswersFrom(
                "session_options", session_options.questions, after=("correct",)
            ),
            "fast_cpu": speeds.measured(CPU_LEVELS),
            "engine": engines.builds,
            "gpu_fast": partial(engines.fast, levels=ENGINE_LEVELS),
        },
        extras=("onnx",),
    )


def fit() -> Check:
    """The detector within the card of a device."""
    return Check(
        Candidate("fit", file="fit.py", style="json"),
        {
            "card": Holds(fitting.kept, "It keeps to the card."),
            "sees": Holds(fitting.sees, "It sees what the card asks for.", after=("card",)),
            "fast_cpu": partial(fitting.fast, levels=FIT_LEVELS),
        },
        extras=("onnx",),
    )


def openvino() -> Check:
    """The detector in OpenVINO."""
    return Check(
        Candidate("to_openvino", file="to_openvino.py", style="json"),
        _file_and_runs(runtimes.OPENVINO),
        extras=("openvino",),
    )


def litert() -> Check:
    """The detector in LiteRT, in floats and with 8-bit weights."""
    return Check(
        Candidate("to_litert", file="to_litert.py", style="json"),
        {
            **_file_and_runs(runtimes.LITERT),
            "small": Holds(small_litert.looks, "It is small, and sees.", after=("runs",)),
        },
        extras=("litert",),
    )


def litert_int8() -> Check:
    """The detector in LiteRT with integers from end to end."""
    return Check(
        Candidate("to_whole_numbers", file="to_litert_int8.py", style="json"),
        {
            "file": Holds(
                partial(integer_litert.looks, complaint=integer_litert.structure_complaint),
                "It computes with bytes from end to end, with a scale for each channel.",
            ),
            "sees": Holds(
                partial(integer_litert.looks, complaint=integer_litert.sight_complaint),
                "It sees about as much on hidden scenes as with float32.",
                after=("file",),
            ),
        },
        extras=("litert",),
    )


def coreml() -> Check:
    """The detector for Core ML: its specification."""
    return Check(
        Candidate("to_coreml", file="to_coreml.py", style="json"),
        {"file": Holds(runtimes.COREML.reads, "Its specification says what was asked for.")},
        extras=("coreml",),
    )


def executorch() -> Check:
    """The detector in ExecuTorch."""
    return Check(
        Candidate("to_executorch", file="to_executorch.py", style="json"),
        _file_and_runs(runtimes.EXECUTORCH),
        extras=("executorch",),
    )


def _file_and_runs(runtime: runtimes.Runtime) -> dict[str, Rung]:
    return {
        "file": Holds(runtime.reads, "The file holds what was asked for."),
        "runs": Holds(runtime.runs, "It computes what the network does.", after=("file",)),
    }


def _number(variant: Variant | None, constant: str) -> int | None:
    """A variant's number; None without one."""
    return int(variant.constants[constant]) if variant is not None and variant.constants else None
