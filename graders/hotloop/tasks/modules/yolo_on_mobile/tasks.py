"""The checks of each task of module yolo_on_mobile. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.yolo_on_mobile import (
    audits,
    engines,
    fitting,
    graph_bisection,
    integer_litert,
    pictures,
    published,
    quantized,
    recorded,
    rewriting,
    runtimes,
    small_litert,
    speeds,
    suppression,
    tables,
    whole_file,
)

letterbox = hl.returns_tensor(
    picture=hl.Correct(hl.Truth(pictures.cases, pictures.truth, pictures.tolerance)),
    boxes=hl.Answers(pictures.questions, entry="to_frame"),
)

decode = hl.returns_tensor(table=hl.Correct(hl.Truth(tables.cases, tables.truth, tables.tolerance)))

nms = hl.returns_data(
    scored=hl.Answers(partial(suppression.questions, crowded=False)),
    suppressed=hl.Answers(partial(suppression.questions, crowded=True)),
)

in_graph = hl.returns_data(
    interface=whole_file.FILE.holds(
        whole_file.interface_mismatch, "Its ends have names, types and sizes that are known."
    ),
    boxes=whole_file.FILE.holds(
        whole_file.boxes_mismatch,
        "It gives the right boxes for hidden images and limits.",
        "interface",
    ),
)

bisect = hl.returns_data(
    right=hl.Assertions(
        partial(graph_bisection.looks, few=False),
        "The right tensor of all {count} hidden conversions.",
    ),
    few=hl.Assertions(
        partial(graph_bisection.looks, few=True),
        "The right tensor of {count} more, in as few looks as are needed.",
        after=("right",),
    ),
)

replace = hl.returns_data(
    activations=hl.Assertions(
        partial(rewriting.looks, kind="activations"),
        "All hidden graphs compute the same, with operators of the delegate.",
    ),
    stem=hl.Assertions(
        partial(rewriting.looks, kind="stem"),
        "Each hidden stem is one convolution, and the same.",
    ),
)

quantize = hl.returns_data(
    sound=quantized.FILE.holds(
        quantized.structure_mismatch,
        "Its convolutions compute with integers of a fixed scale, in half of the size.",
    ),
    accurate=quantized.FILE.holds(
        quantized.accuracy_mismatch,
        "It sees about as much on hidden scenes as with float32.",
        "sound",
    ),
)

speed = hl.returns_data(
    correct=hl.Assertions(speeds.looks, "The file gives the detector's table, in both sizes."),
    settings=speeds.SETTINGS,
    fast_cpu=speeds.fast(),
    engine=engines.builds,
    gpu_fast=engines.fast,
)

audit = hl.returns_data(
    delegate=hl.HiddenAnswers(partial(audits.questions, keys=audits.DELEGATE)),
    costs=hl.HiddenAnswers(partial(audits.questions, keys=audits.COSTS)),
)

fit = hl.returns_data(
    card=fitting.FILE.holds(fitting.card_mismatch, "It keeps to the card."),
    sees=fitting.FILE.holds(fitting.sight_mismatch, "It sees what the card asks for.", "card"),
    fast_cpu=fitting.fast,
)


def _file_and_runs(runtime: runtimes.Runtime) -> dict[str, hl.CheckFunction]:
    return {
        "file": hl.Assertions(runtime.reads, "The file holds what was asked for."),
        "runs": hl.Assertions(runtime.runs, "It computes what the network does.", after=("file",)),
    }


openvino = hl.returns_data(**_file_and_runs(runtimes.OPENVINO))

litert = hl.returns_data(
    **_file_and_runs(runtimes.LITERT),
    small=hl.Assertions(small_litert.looks, "It is small, and sees.", after=("runs",)),
)

litert_int8 = hl.returns_data(
    file=integer_litert.FILE.holds(
        integer_litert.structure_mismatch,
        "It computes with bytes from end to end, with a scale for each channel.",
    ),
    sees=integer_litert.FILE.holds(
        integer_litert.sight_mismatch,
        "It sees about as much on hidden scenes as with float32.",
        "file",
    ),
)

coreml = hl.returns_data(
    file=hl.Assertions(runtimes.COREML.reads, "Its specification says what was asked for.")
)

executorch = hl.returns_data(**_file_and_runs(runtimes.EXECUTORCH))

yolov5n = hl.returns_data(
    network=published.FILE.holds(
        published.network_mismatch, "Its stem, its convolutions and their weights are YOLOv5n's."
    ),
    table=hl.Assertions(published.tables, "It gives the network's table.", after=("network",)),
    openvino=hl.Assertions(published.openvino, "OpenVINO's files give the network's table."),
    litert=hl.Assertions(published.litert, "LiteRT's file gives the network's maps."),
    coreml=hl.Assertions(published.coreml, "Its specification says what was asked for."),
)

diagnose = hl.returns_data(
    figures=hl.Answers(recorded.questions),
    diagnosis=recorded.DIAGNOSIS,
)
