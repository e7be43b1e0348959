"""Repositories: the healthy one, and what each sickness changes in it.

`repositories/<cause>/` holds only the files that differ; the network and the tokenizer are those of
the module.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from hotloop.engines.serving.network_file import onnx_file
from hotloop.tasks.modules.triton_ensemble.given_files import PROGRAMS

HERE = Path(__file__).parent
REPOSITORIES = HERE / "repositories"
MODEL = HERE.parent / "model"
HEALTHY = "healthy"
STEPS = ("preprocess", "bert", "postprocess")
ENSEMBLE = "topics"


def lay_out(folder: Path, cause: str | None) -> None:
    """Write the repository of a sick deployment, or of a healthy one, to an empty folder."""
    shutil.copytree(PROGRAMS / "repository" / ENSEMBLE, folder / ENSEMBLE)
    shutil.copytree(REPOSITORIES / HEALTHY, folder, dirs_exist_ok=True)
    if cause is not None:
        shutil.copytree(REPOSITORIES / cause, folder, dirs_exist_ok=True)
    for model in (*STEPS, ENSEMBLE):
        (folder / model / "1").mkdir(exist_ok=True)
    (folder / "bert" / "1" / "model.onnx").write_bytes(onnx_file(MODEL))
    shutil.copyfile(MODEL / "tokenizer.json", folder / "preprocess" / "1" / "tokenizer.json")


TOLD_IN_TASK_1 = ("name", "backend", "platform", "input", "output", "ensemble_scheduling")


def configurations(folder: Path) -> dict[str, str]:
    """How every model is scheduled: its config.pbtxt without what task 1 asks for, by model."""
    return {
        model: scheduling((folder / model / "config.pbtxt").read_text(encoding="utf-8"))
        for model in (ENSEMBLE, *STEPS)
    }


def scheduling(text: str) -> str:
    """Without comments, names, tensors and wiring. A field begins at the start of a line."""
    kept: list[str] = []
    keeping = True
    for line in text.splitlines():
        if line[:1].isalpha():
            keeping = not line.startswith(TOLD_IN_TASK_1)
        if keeping and line.strip() and not line.startswith("#"):
            kept.append(line)
    return "\n".join(kept) + "\n"
