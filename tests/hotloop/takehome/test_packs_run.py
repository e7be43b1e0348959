"""A pack of a few tasks can be worked on: its checks can be passed, and its cells run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hotloop.core import extras
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess
from hotloop.takehome.starter import chosen_files
from hotloop.tasks import curriculum, render
from hotloop.tasks.curriculum import Module, Task
from hotloop.tasks.local_judging import judge_submission
from hotloop.tasks.variants import Variant, draw

GOOD = {Verdict.PASSED, Verdict.NOT_MEASURED}


def with_all_it_builds_on(module: Module, task: str) -> set[str]:
    """Return the task, those that it builds on, and those whose files are handed in with more."""
    own = set(module.task(task).files)
    found = {task} | {each.id for each in module.tasks if each.files and own > set(each.files)}
    for name in module.task(task).builds_on:
        found |= with_all_it_builds_on(module, name)
    return found


def quick(task: Task) -> tuple[str, ...]:
    return tuple(
        check.id for check in task.checks if check.threshold is None and not check.needs_gpu
    )


def built(task: Task) -> bool:
    """Return whether a task that is judged builds on others."""
    return task.kind == "code" and bool(task.builds_on and quick(task))


def needs(module: Module, task: Task) -> list[str]:
    """Return the optional groups that are not installed."""
    checks = [check for check in task.checks if check.id in quick(task)]
    wanted = {need for check in checks for need in module.needs_of(check)}
    return sorted(need for need in wanted & extras.IMPORTED.keys() if extras.missing(need))


def say_what_was_left_out(missing: set[str]) -> None:
    """Skip, after all others were judged: a partial test must not count as passed."""
    if missing:
        names = sorted(missing)
        pytest.skip(f"tasks that need {', '.join(names)} were left out: {extras.remedy(names[0])}")


def falls_short(
    module: Module,
    task: Task,
    solved: set[str],
    judge: JudgeProcess,
    variant: Variant | None = None,
) -> list[str]:
    files = render.solved_in_part(module.id, solved, variant)
    record = judge_submission(
        files, module.id, [task.id], quick(task), judge=judge, variant=variant
    )[task.id]
    bad = [check for check in record.checks if check.verdict not in GOOD]
    return [f"{task.id}, {check.check}: {check.sentence}" for check in bad]


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", [module.id for module in curriculum.modules()])
def test_each_task_is_passed_in_a_candidates_variant_with_what_it_builds_on(
    name: str, judge: JudgeProcess
) -> None:
    """Nothing else is solved. A task accepts the others' answers in the candidate's variant."""
    module = curriculum.load_module(name)
    variant = draw(name, b"a team's secret key", "quiet-otter-41")
    found = [task for task in module.tasks if task.kind == "code" and quick(task)]
    assert found
    wrong: list[str] = []
    for task in found:
        if not needs(module, task):
            asked = with_all_it_builds_on(module, task.id)
            wrong += falls_short(module, task, asked, judge, variant)
    assert wrong == []
    say_what_was_left_out({need for task in found for need in needs(module, task)})


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", [m.id for m in curriculum.modules() if any(map(built, m.tasks))])
def test_no_task_is_passed_without_what_it_builds_on(name: str, judge: JudgeProcess) -> None:
    module = curriculum.load_module(name)
    found = [task for task in module.tasks if built(task)]
    passed = [
        f"{task.id} without {needed}"
        for task in found
        if not needs(module, task)
        for needed in task.builds_on
        if not falls_short(module, task, with_all_it_builds_on(module, task.id) - {needed}, judge)
    ]
    assert passed == []
    say_what_was_left_out({need for task in found for need in needs(module, task)})


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "control_flow_export.freeze",
        "ssa_passes.common",
        "ssa_passes.leave_ssa",
        "xla_vs_eager.annotate",
        "xla_vs_eager.host_transfer",
    ],
)
def test_the_cells_that_are_given_run(name: str, tmp_path: Path) -> None:
    """Cells that use another task's work, or a file made by it, are left out."""
    module_id, _, task = name.partition(".")
    module = curriculum.load_module(module_id)
    if missing := needs(module, module.task(task)):
        pytest.skip(
            f"the optional group {missing[0]} is not installed: {extras.remedy(missing[0])}"
        )
    asked = with_all_it_builds_on(module, task)
    files = chosen_files(render.solved_in_part(module_id, asked), module, asked)
    for file, data in files.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes(data)
    code = [
        "".join(cell["source"])
        for cell in json.loads(files["lab.ipynb"])["cells"]
        if cell["cell_type"] == "code" and not cell["metadata"].get("nbgrader", {}).get("grade")
    ]
    (tmp_path / "all_cells.py").write_text("\n\n".join(code))
    done = subprocess.run(
        [sys.executable, "all_cells.py"],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "MPLBACKEND": "agg"},
    )
    assert done.returncode == 0, done.stderr
