"""Rules for models of the onnxruntime backend: the file itself, and the configuration for it."""

from collections.abc import Iterator
from dataclasses import replace
from os.path import realpath
from pathlib import Path

from hotloop.engines.serving import ensemble_wiring
from hotloop.engines.serving.model_config import ModelConfig, ModelTensor
from hotloop.engines.serving.onnx_signature import OnnxModel, Signature
from hotloop.engines.serving.problem import RepositoryProblem
from hotloop.engines.serving.repository_files import RepositoryFiles, holds

MOST_IR_VERSION = 13
MOST_OPSETS = {"": 26, "ai.onnx": 26, "ai.onnx.ml": 5}
"""The newest versions that the server's onnxruntime reads; `requirements.txt` pins it."""
DEFAULT_BATCH = 4
"""max_batch_size that the backend takes for a model that can batch, if it is not configured."""
_IN_FOLDER = "model.onnx"


def model_file(files: RepositoryFiles, path: Path) -> Path:
    """Return the model's file: a folder of that name holds it, with the files of its weights."""
    return path / _IN_FOLDER if files.is_folder(path) else path


def completed(config: ModelConfig, onnx: OnnxModel) -> ModelConfig:
    """Return the configuration with what the backend takes from the model.

    Section "Auto-Generated Model Configuration": only if inputs or outputs are not configured.
    """
    if config.is_complete:
        return config
    batch = config.max_batch_size
    if batch == 0 and onnx.can_batch:
        batch = DEFAULT_BATCH
    return replace(
        config,
        max_batch_size=batch,
        inputs=config.inputs or tuple(_declared(each, batch) for each in onnx.inputs),
        outputs=config.outputs or tuple(_declared(each, batch) for each in onnx.outputs),
    )


def _declared(signature: Signature, batch: int) -> ModelTensor:
    dims = signature.shape[1:] if batch > 0 else signature.shape
    if dims:
        return ModelTensor(signature.name, signature.data_type, dims)
    return ModelTensor(signature.name, signature.data_type, (1,), reshape=())


def check(
    config: ModelConfig, onnx: OnnxModel, file: Path, shown: str
) -> Iterator[RepositoryProblem]:
    """Yield the problems of a model's file, and of its completed configuration.

    file: the model's; shown: its path in the repository.
    """
    declared = {"input", "output"} <= config.place.fields.keys()
    yield from _versions(onnx, shown)
    yield from _external_data(onnx, file, shown)
    if config.max_batch_size > 0 and not (onnx.can_batch or declared):
        text = f"{shown} cannot batch: the first dimension of all its tensors must be variable"
        yield config.problem(text, "max_batch_size")
        return
    yield from _tensors(config, onnx, shown)


def _versions(onnx: OnnxModel, shown: str) -> Iterator[RepositoryProblem]:
    if onnx.ir_version > MOST_IR_VERSION:
        text = (
            f"its IR version is {onnx.ir_version}; the server's onnxruntime reads up to "
            f"{MOST_IR_VERSION}"
        )
        yield RepositoryProblem(shown, 0, 0, text)
    if not onnx.opsets:
        yield RepositoryProblem(shown, 0, 0, "it names no opset, and needs one")
    for domain, version in onnx.opsets.items():
        if version > (most := MOST_OPSETS.get(domain, version)):
            text = (
                f"it is of opset {version} of {domain or 'ai.onnx'}; the server's onnxruntime "
                f"reads up to {most}: export it with an older opset_version"
            )
            yield RepositoryProblem(shown, 0, 0, text)


def _external_data(onnx: OnnxModel, file: Path, shown: str) -> Iterator[RepositoryProblem]:
    """The files of weights lie in the model's own folder."""
    folder = file.parent.resolve()
    for name in sorted({weight.file for weight in onnx.external}):
        weights = [weight for weight in onnx.external if weight.file == name]
        first, end = weights[0].weight, max(weight.end for weight in weights)
        path = Path(realpath(folder / name.replace("\0", "")))
        if not name:
            text = f"weight {first!r} is in another file, and no location says which"
        elif name.startswith("/") or not path.is_relative_to(folder):
            text = f"weight {first!r} is in {name!r}, which is outside of the model's folder"
        elif not holds(path.is_file):
            text = f"weight {first!r} is in {name!r}, which is missing beside it"
        elif (size := path.stat().st_size) < end:
            text = f"{name!r} has {size} bytes, and the model's weights need {end}"
        else:
            continue
        yield RepositoryProblem(shown, 0, 0, text)


def _tensors(config: ModelConfig, onnx: OnnxModel, shown: str) -> Iterator[RepositoryProblem]:
    for field, declared, actual in (
        ("input", config.inputs, onnx.inputs),
        ("output", config.outputs, onnx.outputs),
    ):
        by_name = {signature.name: signature for signature in actual}
        for index, tensor in enumerate(declared):
            signature = by_name.get(tensor.name)
            if signature is None and field == "input" and tensor.name in onnx.initialized:
                continue
            if signature is None:
                text = f"{shown} has no {field} {tensor.name!r}; it has {', '.join(by_name)}"
                yield config.problem(text, field, index, "name")
                continue
            yield from _against_signature(config, (field, index), tensor, signature)
        missing = by_name.keys() - {tensor.name for tensor in declared} - config.of_sequences
        if field == "input" and declared:
            for name in sorted(missing):
                yield config.problem(f"{shown} has an input {name!r} too: add it", field)


def _against_signature(
    config: ModelConfig, where: tuple[str, int], tensor: ModelTensor, signature: Signature
) -> Iterator[RepositoryProblem]:
    if tensor.data_type not in (signature.data_type, "TYPE_INVALID"):
        text = f"{tensor.name!r} is {signature.data_type} in the model, not {tensor.data_type}"
        yield config.problem(text, *where, "data_type")
    full = config.model_shape(tensor)
    fits = len(full) == len(signature.shape) and all(
        size in (want, -1) for want, size in zip(full, signature.shape, strict=True)
    )
    if fits or not tensor.dims:
        return
    model = ensemble_wiring.shown(signature.shape)
    here = ensemble_wiring.shown(full)
    text = f"{tensor.name!r} has the shape {model} in the model, and {here} here"
    if config.max_batch_size > 0:
        text += ": max_batch_size puts the batch dimension in front of dims by itself"
    elif full == signature.shape[1:]:
        text += ": with max_batch_size 0 dims has the batch dimension, too"
    yield config.problem(text, *where, "dims")
