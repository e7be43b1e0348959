"""Replaces the template's task in a new module with a problem of a public set."""

import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import yaml

from hotloop.author.external import PROGRAMS, SUBMISSION, forms
from hotloop.tasks.problem import FILE

TEMPLATE_TASK = "row_means"

_CELL = re.compile(r'# %% nbgrader=\{[^\n]*"solution": true.*?### END SOLUTION\n+', re.DOTALL)
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
    forms.write(problem, folder, graded=True)
    (folder / "__init__.py").write_text('"""The checks of a problem of a public set."""\n')
    # module.yaml describes the task already.
    (folder / FILE).unlink()
    return [path for path in folder.rglob("*") if path.is_file()]


def solutions(problem: forms.External, module: str) -> Iterator[tuple[str, str]]:
    """Yield file names and texts: the problem's code as the reference, and a wrong answer."""
    key, right = f"{module}.{problem.name}", _reference(problem)
    stub = "".join(f"### STUB {line.format(key=key)}\n" for line in _STUBS[problem.form])
    region = f"### BEGIN SOLUTION {key}\n{{stub}}{{text}}\n\n\n### END SOLUTION\n"
    yield SUBMISSION, f'"""Your answer."""\n\n{region.format(stub=stub, text=right)}'
    wrong = region.format(stub="", text=f"{right}\n\n\n{_ZEROS[problem.form]}")
    said = f'"""Zeros of the right shape.\n\nfails: {problem.name}.correct\n"""\n\n'
    yield "wrong/zeros.py", said + wrong


def given(problem: forms.External) -> Iterator[tuple[str, str]]:
    """Yield name and text of each file that the problem's code needs beside it."""
    for name, content in forms.submission(problem, PROGRAMS / forms.ADAPTER).items():
        if name != SUBMISSION:
            yield name, content.decode()


def adapted(problem: forms.External, path: Path, text: str) -> str:
    """Return the text of a template's file, changed to be about this task."""
    if path.name == "module.yaml":
        task = forms.described(problem)["tasks"][0]
        task |= {"goal": f"{problem.title}, in your own code.", "kind": "code", "minutes": 30}
        task |= {"difficulty": 3, "importance": 3, "hints": [
            "Which bytes must be moved at least once?", "What does the problem's own code move?",
            f"Write the answer into `{SUBMISSION}`."]}  # fmt: skip
        listed = yaml.safe_dump([task], sort_keys=False, allow_unicode=True)
        text = _TASKS.sub(lambda _: "tasks:\n" + textwrap.indent(listed, "  ") + "\n", text)
    if path.name == "lab.py":
        points = sum(rung["points"] for rung in forms.RUNGS)
        text = _CELL.sub("", text).replace('"points": 5', f'"points": {points}')
    return text.replace(TEMPLATE_TASK, problem.name)


def _reference(problem: forms.External) -> str:
    if problem.form == "kernelbench":
        text = problem.path.read_text(encoding="utf-8")
        return re.sub(r"\bModel\b", "ModelNew", text).strip()
    if problem.form == "flashinfer":
        return str(json.loads(problem.path.read_text(encoding="utf-8"))["reference"]).strip()
    return (
        "from reference import ref_kernel\n\n\n"
        "def custom_kernel(data):\n    return ref_kernel(data)"
    )
