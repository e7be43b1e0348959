"""The checks of each task of module yolo_on_mobile. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial

from hotloop.checks.yolo_on_mobile import (
    audits,
    departures,
    engines,
    fitting,
    integer_litert,
    pictures,
    published,
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
from hotloop.judge.rung import Rung
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.answers_from import AnswersFrom
from hotloop.judge.rungs.correct import Correct
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.judge.rungs.holds import Holds
from hotloop.judge.task import returns_data, returns_tensor

letterbox = returns_tensor(
    picture=Correct(pictures.cases, pictures.truth, pictures.tolerance),
    boxes=AnswersFrom("to_frame", pictures.questions),
)

decode = returns_tensor(table=Correct(tables.cases, tables.truth, tables.tolerance))

nms = returns_data(
    scored=Answers(partial(suppression.questions, crowded=False)),
    suppressed=Answers(partial(suppression.questions, crowded=True)),
)

in_graph = returns_data(
    interface=Holds(
        partial(whole_file.looks, mismatch=whole_file.interface_mismatch),
        "Its ends have names, types and sizes that are known.",
    ),
    boxes=Holds(
        partial(whole_file.looks, mismatch=whole_file.boxes_mismatch),
        "It gives the right boxes for hidden images and limits.",
        after=("interface",),
    ),
)

bisect = returns_data(
    right=Holds(
        partial(departures.looks, few=False),
        "The right tensor of all {count} hidden conversions.",
    ),
    few=Holds(
        partial(departures.looks, few=True),
        "The right tensor of {count} more, in as few looks as are needed.",
        after=("right",),
    ),
)

replace = returns_data(
    activations=Holds(
        partial(rewriting.looks, kind="activations"),
        "All hidden graphs compute the same, with operators of the delegate.",
    ),
    stem=Holds(
        partial(rewriting.looks, kind="stem"),
        "Each hidden stem is one convolution, and the same.",
    ),
)

quantize = returns_data(
    sound=Holds(
        partial(quantized.looks, mismatch=quantized.structure_mismatch),
        "Its convolutions compute with integers of a fixed scale, in half of the size.",
    ),
    accurate=Holds(
        partial(quantized.looks, mismatch=quantized.accuracy_mismatch),
        "It sees about as much on hidden scenes as with float32.",
        after=("sound",),
    ),
)

speed = returns_data(
    correct=Holds(speeds.looks, "The file gives the detector's table, in both sizes."),
    settings=AnswersFrom("session_options", session_options.questions, after=("correct",)),
    fast_cpu=speeds.fast(),
    engine=engines.builds,
    gpu_fast=engines.fast,
)

audit = returns_data(
    delegate=HiddenAnswers(partial(audits.questions, keys=audits.DELEGATE)),
    costs=HiddenAnswers(partial(audits.questions, keys=audits.COSTS)),
)

fit = returns_data(
    card=Holds(fitting.kept, "It keeps to the card."),
    sees=Holds(fitting.sees, "It sees what the card asks for.", after=("card",)),
    fast_cpu=fitting.fast,
)


def _file_and_runs(runtime: runtimes.Runtime) -> dict[str, Rung]:
    return {
        "file": Holds(runtime.reads, "The file holds what was asked for."),
        "runs": Holds(runtime.runs, "It computes what the network does.", after=("file",)),
    }


openvino = returns_data(**_file_and_runs(runtimes.OPENVINO))

litert = returns_data(
    **_file_and_runs(runtimes.LITERT),
    small=Holds(small_litert.looks, "It is small, and sees.", after=("runs",)),
)

litert_int8 = returns_data(
    file=Holds(
        partial(integer_litert.looks, mismatch=integer_litert.structure_mismatch),
        "It computes with bytes from end to end, with a scale for each channel.",
    ),
    sees=Holds(
        partial(integer_litert.looks, mismatch=integer_litert.sight_mismatch),
        "It sees about as much on hidden scenes as with float32.",
        after=("file",),
    ),
)

coreml = returns_data(
    file=Holds(runtimes.COREML.reads, "Its specification says what was asked for.")
)

executorch = returns_data(**_file_and_runs(runtimes.EXECUTORCH))

yolov5n = returns_data(
    network=Holds(published.network, "Its stem, its convolutions and their weights are YOLOv5n's."),
    table=Holds(published.tables, "It gives the network's table.", after=("network",)),
    openvino=Holds(published.openvino, "OpenVINO's files give the network's table."),
    litert=Holds(published.litert, "LiteRT's file gives the network's maps."),
    coreml=Holds(published.coreml, "Its specification says what was asked for."),
)

diagnose = returns_data(
    figures=Answers(recorded.questions),
    diagnosis=AnswersFrom("diagnosis", recorded.diagnosis_questions),
)
