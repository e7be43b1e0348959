"""Does the static check hold on NVIDIA's own model repositories? Named faults, and false alarms.

    git clone --depth 1 https://github.com/triton-inference-server/server
    python tests/benchmarks/model_repositories.py server [other clones …]

The faults are those that `qa/L0_model_config` labels, each with the message that the server must
give. False alarms are counted over all other configurations in the clones that the Python or the
onnxruntime backend runs, and ensembles whose models are all there. Models are laid out as NVIDIA's
test scripts do it: with a version, and with `model.py` or `model.onnx` in it. A folder that has
another name than its model is no false alarm: the scripts rename it, and the server refuses it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hotloop.serving import model_config, repository
from hotloop.serving.model_config import ModelConfig

LABELLED = ("noautofill_platform", "autofill_noplatform/ensemble")
NOT_LOADED = ("noautofill_platform", "autofill_noplatform", "special_cases")
LAYOUT = ("is missing, and backend", "this server has no", "nothing says what runs it")
"""Problems of a clone without its model files, and of backends that this server does not have."""


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    result: dict[str, object] = {}
    cases = arguments.clones[0] / "qa" / "L0_model_config"
    for name in LABELLED:
        folders = [f for f in sorted((cases / name).iterdir()) if list(f.glob("expected*"))]
        missed = [folder.name for folder in folders if not _named(folder)]
        result[name] = {"labelled": len(folders), "missed": missed}
    judged, alarms = 0, list[str]()
    for clone in arguments.clones:
        for folder in sorted({path.parent.parent for path in clone.rglob(model_config.FILE)}):
            if not any(f"L0_model_config/{name}" in folder.as_posix() for name in NOT_LOADED):
                count, found = _alarms(folder)
                judged, alarms = judged + count, alarms + found
    result["sound"] = {"models": judged, "alarms": alarms}
    print(json.dumps(result, indent=1) if arguments.json else _table(result))


def _named(folder: Path) -> bool:
    """True where the check finds anything but what only the clone lacks."""
    models = [path for path in folder.iterdir() if (path / model_config.FILE).is_file()] or [folder]
    with tempfile.TemporaryDirectory() as made:
        _lay_out(models, Path(made))
        found = repository.check(Path(made))
    return any(not any(said in problem.text for said in LAYOUT) for problem in found)


def _alarms(folder: Path) -> tuple[int, list[str]]:
    """How many models of a repository are in scope, and what is said of them."""
    models = [path for path in sorted(folder.iterdir()) if (path / model_config.FILE).is_file()]
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        _lay_out(models, root)
        scope = set(_in_scope(root, [model.name for model in models]))
        found = [
            f"{folder.as_posix()}: {problem}"
            for problem in repository.check(root)
            if problem.file.partition("/")[0] in scope
            and "they must be the same" not in problem.text
            and LAYOUT[0] not in problem.text
        ]
    return len(scope), found


def _in_scope(root: Path, models: list[str]) -> Iterator[str]:
    for name in models:
        config = repository.read_config(root, name)
        if not isinstance(config, ModelConfig):
            continue
        files = [root / name / "1" / file for file in repository.BACKENDS.values()]
        unnamed = not config.backend and not config.platform and any(f.is_file() for f in files)
        backend = config.backend or repository.PLATFORMS.get(config.platform)
        whole = config.is_ensemble and all((root / step.model).is_dir() for step in config.steps)
        if whole or unnamed or backend in repository.BACKENDS:
            yield name


def _lay_out(models: list[Path], root: Path) -> None:
    for model in models:
        copy = shutil.copytree(model, root / model.name, symlinks=True)
        for path in copy.glob("expected*"):
            path.unlink()
        if not any(path.is_dir() and path.name.isdecimal() for path in copy.iterdir()):
            (copy / "1").mkdir()
        for version in [path for path in copy.iterdir() if path.name.isdecimal()]:
            for file in repository.BACKENDS.values():
                if (copy / file).is_file() and not (version / file).exists():
                    shutil.copyfile(copy / file, version / file)


def _table(result: dict[str, object]) -> str:
    return "\n".join(f"{name}: {json.dumps(found)}" for name, found in result.items())


if __name__ == "__main__":
    main()
