"""Checks how the tensors of an ensemble connect its models."""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from hotloop.engines.serving.model_config import EnsembleStep, ModelConfig, ModelTensor
from hotloop.engines.serving.positions import Step
from hotloop.engines.serving.problem import RepositoryProblem

STEPS = "ensemble_scheduling"


@dataclass(frozen=True)
class _Source:
    """The producer of an ensemble tensor. step: -1 for the request.

    shape: with the batch dimension; dims: without it.
    """

    step: int
    label: str
    data_type: str
    shape: tuple[int, ...]
    dims: tuple[int, ...] = ()


def check(
    ensemble: ModelConfig,
    models: Mapping[str, ModelConfig],
    served: Mapping[str, Sequence[int]],
) -> Iterator[RepositoryProblem]:
    """Yield all problems in the wiring of an ensemble.

    models: configurations that could be parsed, by folder. served: available versions of each
    model.
    """
    if not ensemble.steps:
        yield ensemble.problem("an ensemble needs ensemble_scheduling with at least one step")
        return
    sources = _requested(ensemble)
    for index, step in enumerate(ensemble.steps):
        model = models.get(step.model)
        if model is None:
            yield _unknown(ensemble, index, step, models)
            for name in step.outputs.values():
                sources.setdefault(name, _Source(index, f"model {step.model!r}", "", ()))
            continue
        if model.is_complete:
            yield from _keys(ensemble, index, step, model)
        yield from _version(ensemble, index, step, served[step.model])
        yield from _batch_sizes(ensemble, index, model)
        yield from _collect(ensemble, index, step, model, sources)
    yield from _consumers(ensemble, models, sources)
    yield from _results(ensemble, sources)
    yield from _circles(ensemble, sources)
    yield from _itself(ensemble, models)
    yield from _decoupled(ensemble, models, sources)


def _requested(ensemble: ModelConfig) -> dict[str, _Source]:
    return {
        tensor.name: _Source(
            -1, "the request", tensor.data_type, ensemble.shape(tensor), tensor.dims
        )
        for tensor in ensemble.inputs
    }


def _unknown(
    ensemble: ModelConfig, index: int, step: EnsembleStep, models: Mapping[str, ModelConfig]
) -> RepositoryProblem:
    path = (STEPS, "step", index, "model_name")
    if not step.model:
        return ensemble.problem("a step needs a model_name", *path)
    text = f"there is no model {step.model!r} in the repository{_near(step.model, models)}"
    return ensemble.problem(text, *path)


def _keys(
    ensemble: ModelConfig, index: int, step: EnsembleStep, model: ModelConfig
) -> Iterator[RepositoryProblem]:
    """Check that map keys are the model's tensor names and that every required input is fed."""
    for field, mapped, own in (
        ("input_map", step.inputs, model.inputs),
        ("output_map", step.outputs, model.outputs),
    ):
        names = [tensor.name for tensor in own]
        for key, entry in ensemble.entries(field, STEPS, "step", index).items():
            if key not in names:
                what = field.removesuffix("_map")
                hint = _near(key, names)
                typo = difflib.get_close_matches(key, names, n=1, cutoff=0.8)
                if mapped.get(key) in names and not typo:
                    hint = ": key and value are swapped; the key is the model's name"
                text = f"model {step.model!r} has no {what} {key!r}{hint}"
                yield ensemble.problem(text, STEPS, "step", index, field, entry, "key")
    for tensor in model.inputs:
        if tensor.name not in step.inputs and not tensor.optional:
            text = f"input {tensor.name!r} of model {step.model!r} gets nothing: add an input_map"
            yield ensemble.problem(text, STEPS, "step", index)
    if not step.outputs:
        yield ensemble.problem(
            "the step has no output_map: nothing of it is used", STEPS, "step", index
        )


def _version(
    ensemble: ModelConfig, index: int, step: EnsembleStep, served: Sequence[int]
) -> Iterator[RepositoryProblem]:
    """Check that the model version is available. -1 means the newest one; unsaid, it is 0."""
    if step.version != -1 and step.version not in served:
        available = ", ".join(map(str, served)) or "none"
        text = (
            f"version {step.version} of model {step.model!r} is not available: by its folders and "
            f"its version_policy there is {available}; -1 is the newest"
        )
        yield ensemble.problem(text, STEPS, "step", index, "model_version")


def _batch_sizes(
    ensemble: ModelConfig, index: int, model: ModelConfig
) -> Iterator[RepositoryProblem]:
    if 0 < model.max_batch_size < ensemble.max_batch_size:
        yield ensemble.problem(
            f"the ensemble allows batches of {ensemble.max_batch_size}, its model "
            f"{ensemble.steps[index].model!r} only {model.max_batch_size}",
            "max_batch_size",
        )


def _collect(
    ensemble: ModelConfig,
    index: int,
    step: EnsembleStep,
    model: ModelConfig,
    sources: dict[str, _Source],
) -> Iterator[RepositoryProblem]:
    """Record the step's outputs as sources; no tensor may be produced twice."""
    outputs = {tensor.name: tensor for tensor in model.outputs}
    for key, entry in ensemble.entries("output_map", STEPS, "step", index).items():
        tensor, name = outputs.get(key), step.outputs.get(key, "")
        path = (STEPS, "step", index, "output_map", entry, "value")
        if name in sources:
            label = sources[name].label
            yield ensemble.problem(f"tensor {name!r} is made twice: {label} has it already", *path)
        elif tensor is not None:
            label = f"model {step.model!r}"
            sources[name] = _Source(
                index, label, tensor.data_type, model.shape(tensor), tensor.dims
            )
        else:
            sources[name] = _Source(index, f"model {step.model!r}", "", ())


def _consumers(
    ensemble: ModelConfig, models: Mapping[str, ModelConfig], sources: Mapping[str, _Source]
) -> Iterator[RepositoryProblem]:
    used: set[str] = set()
    for index, step in enumerate(ensemble.steps):
        model = models.get(step.model)
        inputs = {tensor.name: tensor for tensor in model.inputs} if model is not None else {}
        for key, entry in ensemble.entries("input_map", STEPS, "step", index).items():
            name = step.inputs.get(key, "")
            used.add(name)
            path = (STEPS, "step", index, "input_map", entry, "value")
            source, tensor = sources.get(name), inputs.get(key)
            if source is None:
                text = f"nothing makes tensor {name!r}{_near(name, sources)}"
                yield ensemble.problem(text, *path)
            elif tensor is not None and model is not None:
                consumer = f"input {key!r} of model {step.model!r}"
                shape = model.shape(tensor)
                yield from _meet(ensemble, name, source, consumer, tensor, shape, (path, path))
    requested = {name for name, source in sources.items() if source.step < 0}
    for number, tensor in enumerate(ensemble.inputs):
        if tensor.name in requested - used:
            text = f"input {tensor.name!r} goes to no step"
            yield ensemble.problem(text, "input", number, "name")
    yield from _unused(ensemble, used | {tensor.name for tensor in ensemble.outputs})


def _unused(ensemble: ModelConfig, used: Set[str]) -> Iterator[RepositoryProblem]:
    for index, step in enumerate(ensemble.steps):
        for key, entry in ensemble.entries("output_map", STEPS, "step", index).items():
            if (name := step.outputs.get(key, "")) not in used:
                text = f"tensor {name!r} is unused: no step takes it, and it is no output"
                yield ensemble.problem(text, STEPS, "step", index, "output_map", entry, "value")


def _results(ensemble: ModelConfig, sources: Mapping[str, _Source]) -> Iterator[RepositoryProblem]:
    for number, tensor in enumerate(ensemble.outputs):
        source = sources.get(tensor.name)
        if source is None:
            text = f"no step makes output {tensor.name!r}{_near(tensor.name, sources)}"
            yield ensemble.problem(text, "output", number, "name")
            continue
        shape = ensemble.shape(tensor)
        consumer = f"output {tensor.name!r} of the ensemble"
        places = (("output", number, "data_type"), ("output", number, "dims"))
        yield from _meet(ensemble, tensor.name, source, consumer, tensor, shape, places)


def _meet(
    ensemble: ModelConfig,
    name: str,
    source: _Source,
    consumer: str,
    tensor: ModelTensor,
    shape: tuple[int, ...],
    places: tuple[tuple[Step, ...], tuple[Step, ...]],
) -> Iterator[RepositoryProblem]:
    """Compare producer and consumer of a tensor. places: fields for type and shape problems."""
    if not source.data_type:
        return
    if source.data_type != tensor.data_type:
        yield ensemble.problem(
            f"tensor {name!r} is {source.data_type} from {source.label}, and {consumer} "
            f"is {tensor.data_type}",
            *places[0],
        )
    # A model without batching may have the batch dimension in its dims, or ignore it.
    if not agree(source.shape, shape) and not agree(source.dims, tensor.dims):
        yield ensemble.problem(
            f"tensor {name!r} has the shape {shown(source.shape)} from {source.label}, and "
            f"{consumer} {shown(shape)}",
            *places[1],
        )


def _circles(ensemble: ModelConfig, sources: Mapping[str, _Source]) -> Iterator[RepositoryProblem]:
    """Find steps that wait for each other, by removing runnable steps until none is left."""
    waiting = set(range(len(ensemble.steps)))
    while True:
        able = {
            index
            for index in waiting
            if not any(
                name in sources and sources[name].step in waiting
                for name in ensemble.steps[index].inputs.values()
            )
        }
        if not able:
            break
        waiting -= able
    if waiting:
        names = ", ".join(repr(ensemble.steps[index].model) for index in sorted(waiting))
        text = f"these steps wait for each other, and none can begin: {names}"
        yield ensemble.problem(text, STEPS, "step", min(waiting))


def _itself(
    ensemble: ModelConfig, models: Mapping[str, ModelConfig]
) -> Iterator[RepositoryProblem]:
    """Find an ensemble that one of its steps leads back to, directly or via other ensembles."""
    for index, first in enumerate(ensemble.steps):
        seen: set[str] = set()
        waiting = [first.model]
        while waiting:
            name = waiting.pop()
            model = models.get(name)
            if model is not None and name not in seen:
                seen.add(name)
                waiting += [step.model for step in model.steps]
        if ensemble.folder in seen:
            text = f"model {first.model!r} runs this ensemble again, and so without end"
            yield ensemble.problem(text, STEPS, "step", index, "model_name")


def _decoupled(
    ensemble: ModelConfig, models: Mapping[str, ModelConfig], sources: Mapping[str, _Source]
) -> Iterator[RepositoryProblem]:
    """Find steps whose inputs come from different decoupled models.

    A decoupled model sends any number of responses per request, so those cannot be combined.
    """
    origin: dict[str, int] = dict.fromkeys(
        (name for name, source in sources.items() if source.step < 0), -1
    )
    waiting = dict(enumerate(ensemble.steps))
    while ready := [i for i, step in waiting.items() if origin.keys() >= set(step.inputs.values())]:
        for index in ready:
            step = waiting.pop(index)
            origins = {origin[name] for name in step.inputs.values()}
            if len(origins) > 1:
                text = (
                    f"the inputs of model {step.model!r} come from different decoupled models, "
                    "which answer a request a different number of times"
                )
                yield ensemble.problem(text, STEPS, "step", index)
            model = models.get(step.model)
            decoupled = model is not None and model.message.model_transaction_policy.decoupled
            own = index if decoupled else min(origins, default=-1)
            origin |= dict.fromkeys(step.outputs.values(), own)


def agree(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    """Compare shapes as the server does: -1 matches any size."""
    return len(first) == len(second) and all(
        a == b or -1 in (a, b) for a, b in zip(first, second, strict=True)
    )


def shown(shape: Iterable[int]) -> str:
    """Format a shape for a message."""
    return f"[{', '.join(map(str, shape))}]"


def _near(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(name, names, n=2, cutoff=0.5)
    if near:
        return f": did you mean {' or '.join(map(repr, near))}?"
    return f"; there are: {', '.join(names)}" if names else ""
