"""The checks of each task of module resnet_tensorrt. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial

from hotloop.checks.resnet_tensorrt import (
    builds,
    departures,
    engines,
    exported_files,
    graph_figures,
    halves,
    in_torch,
    made_builds,
    nano,
    quantized,
    rewriting,
    session_options,
    sessions,
)
from hotloop.checks.resnet_tensorrt.exported_files import Export
from hotloop.judge.rung import following
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.answers_from import AnswersFrom
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.judge.rungs.holds import Holds
from hotloop.judge.rungs.makes import Makes
from hotloop.judge.task import fills_tensor, returns_data

_with_opset = Export("Opset", exported_files.OPSETS)
export = returns_data(
    sound=_with_opset.holds(exported_files.sound),
    correct=_with_opset.holds(exported_files.correct, "sound"),
)

first_departure = returns_data(correct=HiddenAnswers(departures.questions))

read_graph = returns_data(
    structure=HiddenAnswers(partial(graph_figures.questions, keys=graph_figures.STRUCTURE)),
    costs=HiddenAnswers(partial(graph_figures.questions, keys=graph_figures.COSTS)),
)

fold_batchnorm = returns_data(
    structure=rewriting.folded,
    numbers=following("structure", partial(rewriting.folded, run=True)),
)

remove_noops = returns_data(
    identities=rewriting.cleaned,
    transposes=partial(rewriting.cleaned, transposes=True),
)

quantize = returns_data(
    sound=Holds(
        partial(quantized.looks, mismatch=quantized.structure_mismatch),
        "Integers of a fixed scale compute it, in a third of the size or less.",
    ),
    accurate=Holds(
        partial(quantized.looks, mismatch=quantized.accuracy_mismatch),
        "It is about as often right on hidden signs as with float32.",
        after=("sound",),
    ),
    fast_cpu=quantized.fast,
)

latency = returns_data(
    correct=Holds(sessions.looks, "The file gives the network's logits, for any number of images."),
    settings=AnswersFrom("session_options", session_options.questions, after=("correct",)),
    fast_cpu=sessions.fast(),
)

_with_batch = Export("Batch", nano.BATCHES)
jetson_nano = returns_data(
    fits=_with_batch.holds(nano.fits),
    correct=_with_batch.holds(nano.correct, "fits"),
    memory=HiddenAnswers(nano.about_memory, entry="memory_for"),
)

torch_gpu = fills_tensor(
    correct=in_torch.CORRECT,
    gpu_correct=in_torch.GPU_CORRECT,
    gpu_fast=in_torch.GPU_FAST,
)

engine = returns_data(
    half=Makes(halves.assignments, entry="in_half"),
    builds=engines.builds,
    gpu_fast=engines.fast,
)

slow_builds = returns_data(
    figures=Answers(made_builds.questions),
    diagnosis=AnswersFrom("diagnosis", builds.diagnosis_questions),
)
