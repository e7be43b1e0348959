"""Replaces the template's task in a new module with those of a problem.

Of the author's own problem `answer/` becomes the reference, and each folder of `wrong/` a wrong
answer; of a public set it is the problem's own code, and zeros.
"""

import json
import re
import shutil
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from hotloop.author.external import PROGRAMS, SUBMISSION, forms
from hotloop.author.new_module import from_own_problem
from hotloop.core.user_error import UserError
from hotloop.tasks.own_problem import ANSWER, WRONG
from hotloop.tasks.problem import FILE, load_problem

TEMPLATE_TASK = "row_means"

_SOLUTION_CELL = re.compile(
    r'# %% nbgrader=\{[^\n]*"solution": true.*?### END SOLUTION\n+', re.DOTALL
)
_SECTION = re.compile(r"^# %% \[markdown\]\n# ## 1\. Means of rows\n.*", re.DOTALL | re.MULTILINE)
_STATEMENT = re.compile(r"^# Write `row_means\(x\)`.*?(?=^#$)", re.DOTALL | re.MULTILINE)
_TASKS = re.compile(r"^tasks:\n.*?(?=^hardware:)", re.DOTALL | re.MULTILINE)
_STUBS = {
    "kernelbench": (
        "import torch",
        "class ModelNew(torch.nn.Module):",
        "    def forward(self, *inputs):",
        "        raise NotImplementedError({key!r})",
    ),
    "gpu_mode": ("def custom_kernel(data):", "    raise NotImplementedError({key!r})"),
    "flashinfer": ("def run(*inputs):", "    raise NotImplementedError({key!r})"),
}
_ZEROS = {
    "kernelbench": "right = ModelNew.forward\n"
    "ModelNew.forward = lambda self, *x: 0 * right(self, *x)",
    "gpu_mode": "right = custom_kernel\ncustom_kernel = lambda data: 0 * right(data)",
    "flashinfer": "right = run\nrun = lambda *inputs: tuple(0 * y for y in right(*inputs))",
}


def checks(problem: forms.External, folder: Path) -> list[Path]:
    """Write the checks of the problem into the folder, and return the files."""
    if problem.form == "hotloop":
        # What an answer is timed against may be any file beside tasks.py.
        left_out = shutil.ignore_patterns(ANSWER, WRONG, "__pycache__", ".*")
        shutil.copytree(problem.path, folder, ignore=left_out)
    else:
        forms.write(problem, folder, graded=True)
    (folder / "__init__.py").touch()
    # module.yaml describes the tasks already.
    (folder / FILE).unlink()
    return [path for path in folder.rglob("*") if path.is_file()]


def solutions(problem: forms.External, module: str) -> Iterator[tuple[str, bytes]]:
    """Yield file names and contents: the reference, and wrong answers.

    Raises UserError if the author's own problem has no `answer/` with each task's files.
    """
    if problem.form == "hotloop":
        yield from from_own_problem.solutions(problem.path, module)
        return
    key, right = f"{module}.{problem.name}", forms.own_code(problem)
    stub = "".join(f"### STUB {line.format(key=key)}\n" for line in _STUBS[problem.form])
    region = f"### BEGIN SOLUTION {key}\n{{stub}}{{text}}\n\n\n### END SOLUTION\n"
    yield SUBMISSION, f'"""Your answer."""\n\n{region.format(stub=stub, text=right)}'.encode()
    wrong = region.format(stub="", text=f"{right}\n\n\n{_ZEROS[problem.form]}")
    head = f'"""Zeros of the right shape.\n\nfails: {problem.name}.correct\n"""\n\n'
    yield "wrong/zeros.py", (head + wrong).encode()


def given_files(problem: forms.External) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file that the problem's code needs beside it."""
    if problem.form == "hotloop":
        yield from from_own_problem.given_files(problem.path)
        return
    for name, content in forms.submission(problem, PROGRAMS / forms.ADAPTER).items():
        if name != SUBMISSION:
            yield name, content


def adapted(problem: forms.External, path: Path, text: str) -> str:
    """Return the text of a template's file, changed to be about the problem's tasks.

    Raises UserError for a form that is judged only.
    """
    if problem.form not in ("hotloop", *_STUBS):
        raise UserError(f"A module cannot be made from {problem.path}: `hotloop judge` takes it.")
    described = _described(problem)
    tasks = described["tasks"]
    if path.name == "module.yaml":
        drafts = [{**task, **_draft(task)} for task in tasks]
        listed = yaml.safe_dump(drafts, sort_keys=False, allow_unicode=True)
        needs = f"needs: {json.dumps(described['needs'])}\n\n" if described.get("needs") else ""
        text = _TASKS.sub(lambda _: f"{needs}tasks:\n" + textwrap.indent(listed, "  ") + "\n", text)
    if path.name == "lab.py":
        text = _SECTION.sub(lambda found: _sections(_SOLUTION_CELL.sub("", found[0]), tasks), text)
    return text.replace(TEMPLATE_TASK, str(tasks[0]["id"]))


def _described(problem: forms.External) -> dict[str, Any]:
    """Return the contents of `problem.yaml`, without what a person grades by a rubric."""
    if problem.form != "hotloop":
        return forms.described(problem, graded=True)
    load_problem(problem.path)  # so that its mistakes are told with their lines
    document = yaml.safe_load((problem.path / FILE).read_text(encoding="utf-8"))
    code = [task for task in document["tasks"] if task.get("kind", "code") == "code"]
    return {**document, "tasks": code}


def _draft(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return what module.yaml says of a task and problem.yaml does not, to be rewritten."""
    return {
        "goal": f"{task['title']}, in your own code.",
        "kind": "code",
        "minutes": 30,
        "difficulty": 3,
        "importance": 3,
        "hints": [
            "Which bytes must be moved at least once?",
            "What does the problem's own code move?",
            f"Write the answer into `{_answered_in(task)}`.",
        ],
    }


def _sections(template: str, tasks: list[dict[str, Any]]) -> str:
    """Return the notebook's section of each task."""
    sections: list[str] = []
    for number, task in enumerate(tasks, 1):
        statement = f"# Write `{task['entry']}` into `{_answered_in(task)}`: {task['title']}.\n"
        text = _STATEMENT.sub(lambda _, statement=statement: statement, template)
        points = sum(check["points"] for check in task["checks"])
        text = text.replace("1. Means of rows", f"{number}. {task['title']}")
        text = text.replace('"points": 5', f'"points": {points}')
        sections.append(text.replace(TEMPLATE_TASK, task["id"]))
    return "\n".join(sections)


def _answered_in(task: Mapping[str, Any]) -> str:
    """Return the file that a learner writes: of a public problem the last one is the adapter."""
    files = task["files"]
    return str(files[0] if SUBMISSION in files else files[-1])
