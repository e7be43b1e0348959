"""The checks of each task of module resnet_tensorrt. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.resnet_tensorrt import (
    builds,
    engines,
    exported_files,
    first_divergence,
    float16_conversion,
    graph_figures,
    jetson_nano,
    nano_resnet50,
    quantized,
    rewriting,
    sessions,
    synthetic_builds,
    torch_resnet50,
    trtexec_logs,
)
from hotloop.tasks.modules.resnet_tensorrt.exported_files import DONE

_with_opset = exported_files.export("Opset", exported_files.OPSETS)
export = hl.returns_data(
    sound=_with_opset.holds(exported_files.sound, DONE),
    correct=_with_opset.holds(exported_files.correct, DONE, "sound"),
)

first_departure = hl.returns_data(correct=hl.HiddenAnswers(first_divergence.questions))

read_graph = hl.returns_data(
    structure=hl.HiddenAnswers(partial(graph_figures.questions, keys=graph_figures.STRUCTURE)),
    costs=hl.HiddenAnswers(partial(graph_figures.questions, keys=graph_figures.COSTS)),
)

fold_batchnorm = hl.returns_data(
    structure=rewriting.folded,
    numbers=hl.following("structure", partial(rewriting.folded, run=True)),
)

remove_noops = hl.returns_data(
    identities=rewriting.cleaned,
    transposes=partial(rewriting.cleaned, transposes=True),
)

quantize = hl.returns_data(
    sound=quantized.FILE.holds(
        quantized.structure_mismatch,
        "Integers of a fixed scale compute it, in a third of the size or less.",
    ),
    accurate=quantized.FILE.holds(
        quantized.accuracy_mismatch,
        "It is about as often right on hidden signs as with float32.",
        "sound",
    ),
    fast_cpu=quantized.fast,
)

latency = hl.returns_data(
    correct=sessions.FILE.holds(
        sessions.mismatch, "The file gives the network's logits, for any number of images."
    ),
    settings=sessions.SETTINGS,
    fast_cpu=sessions.FAST,
)

_with_batch = exported_files.export("Batch", jetson_nano.BATCHES)
jetson_nano = hl.returns_data(
    fits=_with_batch.holds(jetson_nano.fits, DONE),
    correct=_with_batch.holds(jetson_nano.correct, DONE, "fits"),
    memory=hl.HiddenAnswers(jetson_nano.about_memory, entry="memory_for"),
)

nano_resnet50 = hl.returns_data(
    budget=hl.Answers(nano_resnet50.budgets, entry="nano_budget"),
    sound=nano_resnet50.FILE.holds(
        nano_resnet50.structure_mismatch,
        "Calibrated integers compute the published network, in opset 13 or older.",
    ),
    accurate=nano_resnet50.FILE.holds(
        nano_resnet50.accuracy_mismatch,
        "Its logits and classes are near those of float32.",
        "sound",
    ),
)

torch_gpu = hl.fills_tensor(
    correct=torch_resnet50.CORRECT,
    gpu_correct=torch_resnet50.GPU_CORRECT,
    gpu_fast=torch_resnet50.GPU_FAST,
)

engine = hl.returns_data(
    half=hl.WritesFiles(float16_conversion.assignments, entry="in_half"),
    builds=engines.builds,
    gpu_fast=engines.fast,
)

slow_builds = hl.returns_data(
    figures=hl.Answers(synthetic_builds.questions),
    diagnosis=builds.DIAGNOSIS,
)

trtexec_log = hl.returns_data(
    figures=hl.Answers(partial(trtexec_logs.questions, keys=trtexec_logs.FIGURES)),
    cause=hl.Answers(partial(trtexec_logs.questions, keys=("cause",))),
)
