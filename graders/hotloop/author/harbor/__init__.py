"""Writes a task as a folder in Harbor's format, for training or evaluating a model on it.

    task.toml, instruction.md       settings of the harness, and the prompt for the model
    environment/                    the container that the model works in, with the exercise
    tests/                          the container that judges afterwards: test.sh writes the reward
    solution/                       the reference, for Harbor's `oracle` agent

The two containers share only the files that the task names. Source of the format:
https://www.harborframework.com/docs/tasks.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

from hotloop import __version__
from hotloop.core.user_error import UserError
from hotloop.judge.files import lay_out
from hotloop.tasks import render
from hotloop.tasks.curriculum import Module, Task
from hotloop.tasks.problem import CheckEntry

PARTS = Path(__file__).parent / "parts"
WORK = "/app"
"""Folder in the containers where the model edits the exercise, and the verifier reads it."""

ASKED = "asked.json"


def write(module: Module, task: Task, folder: Path, *, gpu: bool = False) -> Path:
    """Write the folder of a code task and return it.

    gpu: reward checks on a GPU too, which the verifier's machine must then have. Raises UserError
    if the folder exists, or if no check is left without a GPU.
    """
    if folder.exists():
        raise UserError(f"{folder} is there already: name a new folder.")
    checks = [check for check in task.checks if gpu or not check.needs_gpu]
    if not checks:
        raise UserError(f"All checks of {module.id}.{task.id} need a GPU: add --gpu.")
    words = _words(module, task, checks)
    for source in sorted(path for path in PARTS.rglob("*") if path.is_file()):
        text = source.read_text(encoding="utf-8")
        target = folder / source.relative_to(PARTS)
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.suffix == ".template":
            target = target.with_suffix("")
            text = Template(text).substitute(words)
        target.write_text(text, encoding="utf-8")
    job = {"module": module.id, "task": task.id, "gpu": gpu}
    (folder / "tests" / ASKED).write_text(json.dumps(job, indent=1) + "\n", encoding="utf-8")
    lay_out(render.render(module.id), folder / "environment" / "exercise")
    solved = render.solved_in_part(module.id, [task.id])
    lay_out({name: solved[name] for name in task.files}, folder / "solution" / "files")
    for script in ("tests/test.sh", "solution/solve.sh"):
        (folder / script).chmod(0o755)
    return folder


def _words(module: Module, task: Task, checks: Sequence[CheckEntry]) -> Mapping[str, str]:
    needs = {need for check in checks for need in module.needs_of(check)}
    groups = ",".join(["local", *sorted(needs)])
    promises = "\n".join(f"- `{check.id}`: {check.asked}" for check in checks)
    return {
        "name": f"hotloop/{module.id}-{task.id}".replace("_", "-"),
        "title": json.dumps(f"{module.title}: {task.title}"),
        "heading": task.title,
        "goal": task.goal,
        "entry": str(task.entry),
        "files": ", ".join(f"`{WORK}/{name}`" for name in task.files),
        "artifacts": json.dumps([f"{WORK}/{name}" for name in task.files]),
        "checks": promises,
        "id": f"{module.id}.{task.id}",
        "seconds": str(60 * task.minutes),
        "install": f"hotloop[{groups}]=={__version__}",
        "work": WORK,
    }
