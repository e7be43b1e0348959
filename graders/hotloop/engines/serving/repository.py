"""Checks a model repository without a server; problems have file, line and column.

It reports what the server would refuse, and what it would accept and serve incorrectly. Files are
read but never executed.
"""

import os
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import cast

from hotloop.engines.serving import (
    ensemble_wiring,
    model_config,
    model_rules,
    onnx_rules,
    onnx_signature,
    python_source,
    sample_rules,
)
from hotloop.engines.serving.model_config import ModelConfig, ModelTensor, value_name
from hotloop.engines.serving.onnx_signature import OnnxModel
from hotloop.engines.serving.positions import Step
from hotloop.engines.serving.problem import RepositoryProblem
from hotloop.engines.serving.repository_files import RepositoryFiles, holds

BACKENDS = {"python": "model.py", "onnxruntime": "model.onnx"}
"""The backends of this server, with the file that each expects in a version folder."""
PLATFORMS = {"onnxruntime_onnx": "onnxruntime"}
"""Older platform names, with their backends."""
_ENVIRONMENT = "EXECUTION_ENV_PATH"
_MODEL_FOLDER = "$$TRITON_MODEL_DIRECTORY"
_MOST_BYTES = 64 << 10
_MOST_SOURCE = 1 << 20
_MOST_PROBLEMS = 100
"""Most problems to report: a hostile configuration makes each one expensive."""


def check(folder: Path, *, confined: bool = False) -> list[RepositoryProblem]:
    """Return all problems, sorted by position. With none, the server should load the repository.

    confined: for a server in the sandbox, which sees a copy without symbolic links, and no GPU.
    Otherwise links are followed, as the server does, and this machine's GPUs count.
    """
    files = RepositoryFiles(folder, follow_links=not confined)
    models = [path for path in sorted(folder.iterdir()) if files.is_folder(path)]
    models = [path for path in models if not path.name.startswith(".")]
    if not models:
        return [
            RepositoryProblem(".", 0, 0, "there is no model: each is a folder with a config.pbtxt")
        ]
    gpus = 0 if confined else _gpus_here()
    problems: list[RepositoryProblem] = []
    readable: dict[str, _Model] = {}
    for path in models:
        model = _read(files, path)
        if isinstance(model, RepositoryProblem):
            problems.append(model)
        else:
            readable[path.name] = model
    broken = {path.name for path in models} - readable.keys()
    further = (
        problem
        for model in readable.values()
        for problem in chain(_of_model(files, model, gpus), _of_wiring(model, readable, broken))
    )
    problems += islice(further, _MOST_PROBLEMS)
    return sorted(set(problems))


@dataclass(frozen=True)
class _Model:
    """A model's folder. config: as written. completed: with what the server reads from the model.

    versions: those that the server sees. onnx: version -> the model, or the problem with it.
    """

    path: Path
    config: ModelConfig
    completed: ModelConfig
    versions: list[int]
    backend: str
    onnx: Mapping[int, OnnxModel | RepositoryProblem]


def _read(files: RepositoryFiles, path: Path) -> _Model | RepositoryProblem:
    config = read_config(files.root, path.name, files)
    versions = _versions(files, path)
    if isinstance(config, RepositoryProblem):
        there = os.path.lexists(path / model_config.FILE)
        if there or not _needs_no_config(files, path, versions):
            return config
        config = cast(ModelConfig, model_config.read("", f"{path.name}/{model_config.FILE}"))
    backend = _backend(files, path, config, versions)
    onnx = _onnx(files, path, config, versions) if backend == "onnxruntime" else {}
    first = next((each for each in onnx.values() if isinstance(each, OnnxModel)), None)
    completed = onnx_rules.completed(config, first) if first is not None else config
    return _Model(path, config, completed, versions, backend, onnx)


def _needs_no_config(files: RepositoryFiles, path: Path, versions: Sequence[int]) -> bool:
    """True if the server needs no config.pbtxt: the model tells its inputs and outputs itself."""
    if not versions:
        return False
    folder = path / str(versions[0])
    source = folder / BACKENDS["python"]
    if files.is_file(source):
        return python_source.completes_config(source)
    return files.is_file(onnx_rules.model_file(files, folder / BACKENDS["onnxruntime"]))


def _onnx(
    files: RepositoryFiles, path: Path, config: ModelConfig, versions: Sequence[int]
) -> dict[int, OnnxModel | RepositoryProblem]:
    """Read the versions' models, apart from missing ones."""
    onnx: dict[int, OnnxModel | RepositoryProblem] = {}
    name = config.model_file or BACKENDS["onnxruntime"]
    for version in versions if "/" not in name else ():
        file = onnx_rules.model_file(files, path / str(version) / name)
        if files.is_file(file):
            try:
                onnx[version] = onnx_signature.read(file)
            except ValueError as error:
                shown = str(file.relative_to(files.root))
                onnx[version] = RepositoryProblem(shown, 0, 0, str(error))
    return onnx


def _of_wiring(
    model: _Model, models: Mapping[str, _Model], broken: Set[str]
) -> Iterator[RepositoryProblem]:
    config = model.config
    if config.is_ensemble and not broken & {step.model for step in config.steps}:
        configs = {name: each.completed for name, each in models.items()}
        served = {name: each.config.served(each.versions) for name, each in models.items()}
        yield from ensemble_wiring.check(config, configs, served)


def _gpus_here() -> int:
    return len(list(Path("/dev").glob("nvidia[0-9]*")))


def read_config(
    folder: Path, model: str, files: RepositoryFiles | None = None
) -> ModelConfig | RepositoryProblem:
    """Read a model's configuration, or return the problem with it. files: by default, no links."""
    files = files or RepositoryFiles(folder, follow_links=False)
    path = folder / model / model_config.FILE
    file = f"{model}/{model_config.FILE}"
    if not files.is_file(path):
        text = f"{files.absence(path)}: without it the model has no name and no inputs"
        return RepositoryProblem(file, 0, 0, text)
    if path.stat().st_size > _MOST_BYTES:
        return RepositoryProblem(file, 0, 0, f"it has more than {_MOST_BYTES >> 10} KiB")
    try:
        return model_config.read(path.read_text(encoding="utf-8"), file)
    except UnicodeDecodeError:
        return RepositoryProblem(file, 0, 0, "it is no text in UTF-8")


def _of_model(files: RepositoryFiles, model: _Model, gpus: int) -> Iterator[RepositoryProblem]:
    config, name = model.config, model.path.name
    if config.name not in ("", name):
        text = f"the name is {config.name!r}, and the folder's is {name!r}: they must be the same"
        yield config.problem(text, "name")
    yield from _tensors(config)
    yield from model_rules.check(config)
    yield from _gpu_groups(config, gpus)
    yield from _version_folders(files, model)
    if config.is_ensemble:
        yield from _missing_tensors(config)
        yield from _ensemble_fields(config)
        return
    yield from sample_rules.check(model.completed, files)
    yield from _named_files(files, config)
    if model.backend == "python":
        yield from _undeclared(files, model)
    if model.backend not in BACKENDS:
        yield _unknown_backend(config)
        return
    yield from _version_files(files, model)


def _backend(
    files: RepositoryFiles, model: Path, config: ModelConfig, versions: Sequence[int]
) -> str:
    """Return the backend; infer it from files, as the server does, if it is not configured."""
    if config.backend or config.platform:
        return config.backend or PLATFORMS.get(config.platform, "")
    for backend, file in sorted(BACKENDS.items()):
        path = model / str(versions[0]) / file if versions else model / file
        exists = files.is_file(path) or (backend == "onnxruntime" and files.is_folder(path))
        if config.model_file == file or (exists and not config.model_file):
            return backend
    return ""


def _gpu_groups(config: ModelConfig, gpus: int) -> Iterator[RepositoryProblem]:
    for index, group in enumerate(config.message.instance_group):
        kind = value_name(group, "kind")
        place = ("instance_group", index)
        if gpus == 0 and (kind == "KIND_GPU" or (kind == "KIND_AUTO" and group.gpus)):
            yield config.problem("the server sees no GPU here: use KIND_CPU", *place, "kind")
        for number, gpu in enumerate(group.gpus if gpus else ()):
            if gpu >= gpus and kind in ("KIND_GPU", "KIND_AUTO"):
                text = f"there is no GPU {gpu}: the server sees {gpus} here, numbered from 0"
                yield config.problem(text, *place, "gpus", number)


def _named_files(files: RepositoryFiles, config: ModelConfig) -> Iterator[RepositoryProblem]:
    """Files that the configuration names: those of labels, and a Python environment."""
    for index, output in enumerate(config.message.output):
        if output.label_filename:
            place = ("output", index, "label_filename")
            yield from _named_file(files, config, output.label_filename, place)
    if config.backend == "python" and _ENVIRONMENT in config.message.parameters:
        name = config.message.parameters[_ENVIRONMENT].string_value
        place = ("parameters", config.entries("parameters").get(_ENVIRONMENT, 0), "value")
        inside = name.removeprefix(_MODEL_FOLDER)
        if inside != name:
            yield from _named_file(files, config, inside.lstrip("/"), place)
        elif files.follow_links and not holds(Path(name).exists):
            yield config.problem(f"{name}: it is missing", *place)


def _named_file(
    files: RepositoryFiles, config: ModelConfig, name: str, place: tuple[Step, ...]
) -> Iterator[RepositoryProblem]:
    path = files.named(config.folder, name)
    if path is None:
        yield config.problem(f"{name!r} lies outside of the repository", *place)
    elif not files.is_file(path):
        yield config.problem(f"{config.folder}/{name}: {files.absence(path)}", *place)


def _undeclared(files: RepositoryFiles, model: _Model) -> Iterator[RepositoryProblem]:
    """Report tensors that model.py uses but the configuration does not declare.

    The server accepts that if there is a function `auto_complete_config`: section "Auto-Generated
    Model Configuration".
    """
    config = model.config
    name = config.model_file or BACKENDS["python"]
    file = model.path / str(model.versions[0] if model.versions else 1) / name
    source = b""
    if "/" not in name and files.is_file(file):
        with file.open("rb") as stream:
            source = stream.read(_MOST_SOURCE)
    if b"auto_complete_config" in source:
        return
    if not config.inputs and b"get_input_tensor" not in source and config.outputs:
        return
    yield from _missing_tensors(config)


def _missing_tensors(config: ModelConfig) -> Iterator[RepositoryProblem]:
    for field, tensors in (("input", config.inputs), ("output", config.outputs)):
        if not tensors:
            yield config.problem(f"it has no {field}: add `{field} [ {{ … }} ]`")


def _tensors(config: ModelConfig) -> Iterator[RepositoryProblem]:
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


def _dims(
    config: ModelConfig, field: str, index: int, tensor: ModelTensor
) -> Iterator[RepositoryProblem]:
    if not tensor.dims:
        text = f"{field} {tensor.name!r} needs dims: [ 1 ] for one value a row"
        yield config.problem(text, field, index, "dims")
    for number, size in enumerate(tensor.dims):
        if size == 0 or size < -1:
            text = f"a dimension is at least 1, or -1 for any size, and not {size}"
            yield config.problem(text, field, index, "dims", number)


def _ensemble_fields(config: ModelConfig) -> Iterator[RepositoryProblem]:
    if config.platform != "ensemble":
        text = 'a model with ensemble_scheduling needs platform: "ensemble"'
        yield config.problem(text, "platform")
    if config.backend:
        yield config.problem("an ensemble has no backend of its own", "backend")
    for field in ("dynamic_batching", "instance_group", "optimization", "model_warmup"):
        if config.place.fields.get(field):
            text = f"an ensemble runs nothing itself: {field} belongs to its models"
            yield config.problem(text, field)


def _unknown_backend(config: ModelConfig) -> RepositoryProblem:
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


def _versions(files: RepositoryFiles, model: Path) -> list[int]:
    """Return the versions that the server sees: folders named by a number without leading zeros."""
    return sorted(
        int(path.name)
        for path in model.iterdir()
        if path.name.isascii()
        and path.name.isdecimal()
        and path.name[0] != "0"
        and files.is_folder(path)
    )


def _version_folders(files: RepositoryFiles, model: _Model) -> Iterator[RepositoryProblem]:
    config, name, versions = model.config, model.path.name, model.versions
    if not versions:
        hint = "; an ensemble needs one too, if with nothing in it" if config.is_ensemble else ""
        yield RepositoryProblem(name, 0, 0, f"there is no version: make a folder called 1{hint}")
    for path in sorted(model.path.iterdir()):
        if path.name.isdecimal() and path.name.startswith("0") and files.is_folder(path):
            text = "the server ignores a version that begins with 0: name it as a plain number"
            yield RepositoryProblem(f"{name}/{path.name}", 0, 0, text)
    for index, version in enumerate(config.specific_versions):
        if version not in versions:
            yield config.problem(
                f"version {version} is asked for, and there is no folder {version}",
                *("version_policy", "specific", "versions", index),
            )
    if versions and not config.specific_versions and not config.served(versions):
        yield config.problem("this version_policy makes no version available", "version_policy")


def _version_files(files: RepositoryFiles, model: _Model) -> Iterator[RepositoryProblem]:
    config, backend = model.config, model.backend
    name = config.model_file or BACKENDS[backend]
    if "/" in name:
        text = "a version's file lies in the version's folder: a name without a folder is wanted"
        yield config.problem(text, "default_model_filename")
        return
    for version in model.versions:
        file = onnx_rules.model_file(files, model.path / str(version) / name)
        shown = str(file.relative_to(files.root))
        onnx = model.onnx.get(version)
        if not files.is_file(file):
            yield RepositoryProblem(
                shown, 0, 0, f"{files.absence(file)}, and backend {backend!r} runs it"
            )
        elif backend == "python":
            yield from python_source.check(file, shown)
        elif isinstance(onnx, RepositoryProblem):
            yield onnx
        elif onnx is not None:
            yield from onnx_rules.check(model.completed, onnx, file, shown)
