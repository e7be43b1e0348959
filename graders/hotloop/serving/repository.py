"""Checks a model repository without a server; problems have file, line and column.

It reports what the server would refuse, and what it would accept and serve incorrectly. Files are
read but never executed; symbolic links are not followed.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import islice
from pathlib import Path

from hotloop.serving import model_config, model_rules, onnx_signature, wiring
from hotloop.serving.model_config import ModelConfig, Tensor
from hotloop.serving.onnx_signature import OnnxModel, Signature
from hotloop.serving.problem import Problem

BACKENDS = {"python": "model.py", "onnxruntime": "model.onnx"}
"""The backends of this server, with the file that each expects in a version folder."""
PLATFORMS = {"onnxruntime_onnx": "onnxruntime"}
"""Older platform names, with their backends."""
_MOST_BYTES = 64 << 10
_MOST_SOURCE = 1 << 20
_MOST_PROBLEMS = 100
"""Most problems to report: a hostile configuration makes each one expensive."""


def check(folder: Path) -> list[Problem]:
    """Return all problems, sorted by position. With none, the server should load the repository."""
    models = [path for path in sorted(folder.iterdir()) if path.is_dir() and not path.is_symlink()]
    models = [path for path in models if not path.name.startswith(".")]
    if not models:
        return [Problem(".", 0, 0, "there is no model: each is a folder with a config.pbtxt")]
    problems: list[Problem] = []
    served: dict[str, list[int]] = {}
    configs: dict[str, ModelConfig] = {}
    for model in models:
        found = read_config(folder, model.name)
        if isinstance(found, Problem):
            problems.append(found)
        else:
            configs[model.name] = found
            served[model.name] = found.served(_versions(model))
    broken = {model.name for model in models} - configs.keys()
    found = (
        problem
        for name in configs
        for problem in _of_model_and_wiring(folder, name, configs, served, broken)
    )
    problems += islice(found, _MOST_PROBLEMS)
    return sorted(set(problems))


def _of_model_and_wiring(
    folder: Path,
    name: str,
    configs: Mapping[str, ModelConfig],
    served: Mapping[str, Sequence[int]],
    broken: Set[str],
) -> Iterator[Problem]:
    config = configs[name]
    yield from _of_model(folder, name, config)
    if config.is_ensemble and not broken & {step.model for step in config.steps}:
        yield from wiring.check(config, configs, served)


def read_config(folder: Path, model: str) -> ModelConfig | Problem:
    """Read a model's configuration, or return the problem with it."""
    path = folder / model / model_config.FILE
    file = f"{model}/{model_config.FILE}"
    if not _is_file(path):
        return Problem(file, 0, 0, "it is missing: without it the model has no name and no inputs")
    if path.stat().st_size > _MOST_BYTES:
        return Problem(file, 0, 0, f"it has more than {_MOST_BYTES >> 10} KiB")
    try:
        return model_config.read(path.read_text(encoding="utf-8"), file)
    except UnicodeDecodeError:
        return Problem(file, 0, 0, "it is no text in UTF-8")


def _of_model(folder: Path, name: str, config: ModelConfig) -> Iterator[Problem]:
    if config.name not in ("", name):
        text = f"the name is {config.name!r}, and the folder's is {name!r}: they must be the same"
        yield config.problem(text, "name")
    yield from _tensors(config)
    yield from model_rules.check(config)
    versions = _versions(folder / name)
    yield from _version_folders(folder / name, config, versions)
    if config.is_ensemble:
        yield from _missing_tensors(config)
        yield from _ensemble_fields(config)
        return
    backend = _backend(folder / name, config, versions)
    if backend == "python":
        yield from _unsaid(folder / name, config, versions)
    if backend not in BACKENDS:
        yield _unknown_backend(config)
        return
    yield from _version_files(folder / name, config, versions, backend)


def _backend(model: Path, config: ModelConfig, versions: Sequence[int]) -> str:
    """Return the backend; infer it from files, as the server does, if it is not configured."""
    if config.backend or config.platform:
        return config.backend or PLATFORMS.get(config.platform, "")
    for backend, file in sorted(BACKENDS.items()):
        found = _is_file(model / str(versions[0]) / file) if versions else False
        if config.model_file == file or (found and not config.model_file):
            return backend
    return ""


def _unsaid(model: Path, config: ModelConfig, versions: Sequence[int]) -> Iterator[Problem]:
    """Report tensors that model.py uses but the configuration does not declare.

    The server accepts that if there is a function `auto_complete_config`, and the onnxruntime
    backend reads them from the model: section "Auto-Generated Model Configuration".
    """
    file = model / str(versions[0] if versions else 1) / (config.model_file or BACKENDS["python"])
    source = _start(file) if _is_file(file) and "/" not in config.model_file else b""
    if b"auto_complete_config" in source:
        return
    if not config.inputs and b"get_input_tensor" not in source and config.outputs:
        return
    yield from _missing_tensors(config)


def _start(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(_MOST_SOURCE)


def _missing_tensors(config: ModelConfig) -> Iterator[Problem]:
    for field, tensors in (("input", config.inputs), ("output", config.outputs)):
        if not tensors:
            yield config.problem(f"it has no {field}: add `{field} [ {{ … }} ]`")


def _tensors(config: ModelConfig) -> Iterator[Problem]:
    for field, tensors in (("input", config.inputs), ("output", config.outputs)):
        seen: set[str] = set()
        for index, tensor in enumerate(tensors):
            if not tensor.name:
                yield config.problem(f"the {field} needs a name", field, index)
            elif tensor.name in seen:
                text = f"{field} {tensor.name!r} is there twice"
                yield config.problem(text, field, index, "name")
            seen.add(tensor.name)
            if tensor.data_type == "TYPE_INVALID":
                text = f"{field} {tensor.name!r} needs a data_type"
                yield config.problem(text, field, index, "data_type")
            yield from _dims(config, field, index, tensor)


def _dims(config: ModelConfig, field: str, index: int, tensor: Tensor) -> Iterator[Problem]:
    if not tensor.dims:
        text = f"{field} {tensor.name!r} needs dims: [ 1 ] for one value a row"
        yield config.problem(text, field, index, "dims")
    for number, size in enumerate(tensor.dims):
        if size == 0 or size < -1:
            text = f"a dimension is at least 1, or -1 for any size, and not {size}"
            yield config.problem(text, field, index, "dims", number)


def _ensemble_fields(config: ModelConfig) -> Iterator[Problem]:
    if config.platform != "ensemble":
        text = 'a model with ensemble_scheduling needs platform: "ensemble"'
        yield config.problem(text, "platform")
    if config.backend:
        yield config.problem("an ensemble has no backend of its own", "backend")
    for field in ("dynamic_batching", "instance_group", "optimization", "model_warmup"):
        if config.place.fields.get(field):
            text = f"an ensemble runs nothing itself: {field} belongs to its models"
            yield config.problem(text, field)


def _unknown_backend(config: ModelConfig) -> Problem:
    known = ", ".join(f'backend: "{name}"' for name in BACKENDS)
    if config.backend:
        text = f"this server has no backend {config.backend!r}; it has {known}"
        return config.problem(text, "backend")
    if config.platform:
        text = (
            f'this server has no platform {config.platform!r}; it has {known}, platform: "ensemble"'
        )
        return config.problem(text, "platform")
    return config.problem(f'nothing says what runs it: {known} or platform: "ensemble"')


def _versions(model: Path) -> list[int]:
    """Return the versions that the server sees: folders named by a number without leading zeros."""
    return sorted(
        int(path.name)
        for path in model.iterdir()
        if path.is_dir() and path.name.isascii() and path.name.isdecimal() and path.name[0] != "0"
    )


def _version_folders(model: Path, config: ModelConfig, versions: list[int]) -> Iterator[Problem]:
    if not versions:
        hint = "; an ensemble needs one too, if with nothing in it" if config.is_ensemble else ""
        yield Problem(model.name, 0, 0, f"there is no version: make a folder called 1{hint}")
    for path in sorted(model.iterdir()):
        if path.is_dir() and path.name.isdecimal() and path.name.startswith("0"):
            text = "the server ignores a version that begins with 0: name it as a plain number"
            yield Problem(f"{model.name}/{path.name}", 0, 0, text)
    for index, version in enumerate(config.specific_versions):
        if version not in versions:
            yield config.problem(
                f"version {version} is asked for, and there is no folder {version}",
                *("version_policy", "specific", "versions", index),
            )


def _version_files(
    model: Path, config: ModelConfig, versions: list[int], backend: str
) -> Iterator[Problem]:
    name = config.model_file or BACKENDS[backend]
    if "/" in name:
        text = "a version's file lies in the version's folder: a name without a folder is wanted"
        yield config.problem(text, "default_model_filename")
        return
    for version in versions:
        file = model / str(version) / name
        shown = f"{model.name}/{version}/{name}"
        if not _is_file(file):
            yield Problem(shown, 0, 0, f"it is missing, and backend {backend!r} runs it")
        elif backend == "onnxruntime":
            try:
                onnx = onnx_signature.read(file)
            except ValueError as error:
                yield Problem(shown, 0, 0, str(error))
                continue
            yield from _against_model(config, onnx, shown)


def _against_model(config: ModelConfig, onnx: OnnxModel, shown: str) -> Iterator[Problem]:
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
        missing = by_name.keys() - {tensor.name for tensor in declared} - _of_sequences(config)
        if field == "input" and declared:
            for name in sorted(missing):
                yield config.problem(f"{shown} has an input {name!r} too: add it", field)


def _of_sequences(config: ModelConfig) -> set[str]:
    """Return inputs that the sequence batcher supplies: its controls and its state."""
    batcher = config.message.sequence_batching
    controls = {control_input.name for control_input in batcher.control_input}
    return controls | {state.input_name for state in batcher.state}


def _against_signature(
    config: ModelConfig, where: tuple[str, int], tensor: Tensor, signature: Signature
) -> Iterator[Problem]:
    if tensor.data_type not in (signature.data_type, "TYPE_INVALID"):
        text = f"{tensor.name!r} is {signature.data_type} in the model, not {tensor.data_type}"
        yield config.problem(text, *where, "data_type")
    full = config.model_shape(tensor)
    fits = len(full) == len(signature.shape) and all(
        size in (want, -1) for want, size in zip(full, signature.shape, strict=True)
    )
    if fits or not tensor.dims:
        return
    model = wiring.shown(signature.shape)
    text = f"{tensor.name!r} has the shape {model} in the model, and {wiring.shown(full)} here"
    if config.max_batch_size > 0:
        text += ": max_batch_size puts the batch dimension in front of dims by itself"
    elif full == signature.shape[1:]:
        text += ": with max_batch_size 0 dims has the batch dimension, too"
    yield config.problem(text, *where, "dims")


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and not path.parent.is_symlink()
