"""Reads a problem in Hotloop's own form, or of a public set, which it converts to that form.

    tests/docs/layer_norm                     a folder with `problem.yaml` and `tasks.py`
    KernelBench/level1/40_LayerNorm.py        a file with `class Model`
    problems/pmpp_v2/prefixsum_py             a folder with `task.yml` and `reference.py`
    definitions/rmsnorm/rmsnorm_h4096.json    a definition, with workloads/…/rmsnorm_h4096.jsonl
    tasks/layernorm/func_forward.py           a task of robust-kbench, with config_forward.json
    problems-h100/05_topk_bitonic             a folder of KernelBench-Hard, with `problem.yaml`
    challenges/easy/1_vector_add              a folder of LeetGPU, with `challenge.py`

Of a public set nothing is imported here: it runs in a sandboxed worker (`checks.py`).
"""

import ast
import json
import re
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, cast

import yaml

from hotloop.author.external import (
    PROGRAMS,
    SUBMISSION,
    flashinfer,
    kernelbench_hard,
    leetgpu,
    robust_kbench,
)
from hotloop.core.user_error import UserError
from hotloop.tasks.problem import FILE

Form = Literal[
    "hotloop",
    "kernelbench",
    "gpu_mode",
    "flashinfer",
    "robust_kbench",
    "kernelbench_hard",
    "leetgpu",
]


class Reader(Protocol):
    """A module that reads problems of one form."""

    def matches(self, path: Path, /) -> bool:
        """Return whether a path is such a problem."""
        ...

    def title(self, path: Path, /) -> str:
        """Return its name in reports."""
        ...

    def copy(self, path: Path, target: Path, /) -> None:
        """Write the files that the judge takes."""
        ...

    def own_code(self, path: Path, /) -> str:
        """Return the problem's own code as a submission to it."""
        ...


READERS: dict[Form, Reader] = {
    "robust_kbench": robust_kbench,
    "kernelbench_hard": kernelbench_hard,
    "leetgpu": leetgpu,
}

ADAPTER = "hotloop_adapter.py"
BENCHMARKS = 2
"""How many of task.yml's benchmarks are also checked for correctness, if they fit."""

GIVEN = "given"
TASK = "task.yml"
TESTS = "hotloop_tests.json"

_TASKS = '''"""How {title} is judged; the problem's own files are in `{given}`."""

from pathlib import Path

from hotloop.author.external.tasks import {form}

{name} = {form}(Path(__file__).parent / "{given}", graded={graded})
'''


CHECKS: list[dict[str, Any]] = [
    {"id": "correct", "points": 1, "what": "Right on hidden inputs, on a CPU."},
    {"id": "gpu_correct", "points": 1, "needs_gpu": True, "what": "Right on a GPU."},
    {
        "id": "gpu_fast",
        "points": 2,
        "needs_gpu": True,
        "what": "Faster than the problem's own code.",
        "threshold": {
            "against": "the problem's own code, eager",
            "levels": [{"ratio": 1.0, "earned": 0.5}, {"ratio": 2.0, "earned": 1.0}],
            "provisional": True,
            "reason": "The p of fast_p that papers on KernelBench report most.",
        },
    },
    {
        "id": "gpu_fast_compiled",
        "points": 2,
        "needs_gpu": True,
        "what": "Faster than torch.compile makes the problem's own code.",
        "threshold": {
            "against": "the problem's own code under torch.compile",
            "levels": [{"ratio": 1.0, "earned": 1.0}],
            "provisional": True,
            "reason": "Whoever has torch.compile needs a kernel only if it is faster.",
        },
    },
]


OWN = "own_kernels"
OWN_CHECK: dict[str, Any] = {
    "id": OWN,
    "points": 1,
    "what": "Kernels of its own do the work. Evidence about honest code, so no part of a grade.",
}


@dataclass(frozen=True)
class External:
    """A problem outside the curriculum.

    path: its file or folder; name: a valid Python identifier.
    """

    form: Form
    path: Path
    name: str

    @property
    def title(self) -> str:
        """The name in reports."""
        if self.form in READERS:
            return READERS[self.form].title(self.path)
        if self.form == "flashinfer":
            return flashinfer.title(self.path)
        return self.path.stem if self.path.is_file() else self.path.name


def find(path: Path) -> External:
    """Return the problem at a path. Raises UserError if its format is unknown."""
    for form, reader in READERS.items():
        if reader.matches(path):
            return External(form, path, _identifier(reader.title(path)))
    if path.is_dir() and flashinfer.is_definition(path / flashinfer.SOL_DEFINITION):
        path = path / flashinfer.SOL_DEFINITION
    name = _identifier(path.stem if path.is_file() else path.name)
    if (path / FILE).is_file():
        return External("hotloop", path, name)
    if path.is_file() and path.suffix == ".py" and _defines(path, "Model", "get_inputs"):
        return External("kernelbench", path, name)
    if (path / TASK).is_file() and (path / "reference.py").is_file():
        return External("gpu_mode", path, name)
    if path.suffix == ".json" and flashinfer.is_definition(path):
        return External("flashinfer", path, _identifier(flashinfer.title(path)))
    raise UserError(
        f"{path} is no problem in a form that is known: expected a folder with `problem.yaml` and "
        "`tasks.py`, a KernelBench file with `class Model` and `get_inputs`, a GPU MODE folder "
        "with `task.yml` and `reference.py`, a definition of FlashInfer-Bench or SOL-ExecBench, "
        "`func_forward.py` or `func_backward.py` of robust-kbench, a KernelBench-Hard folder with "
        "`problem.yaml`, `shapes.py` and `reference.py`, or a LeetGPU folder with `challenge.py`."
    )


def further(folder: Path) -> list[Path]:
    """Return all problems below a folder whose form has a reader."""
    paths = [*folder.rglob("*.py"), *folder.rglob("problem.yaml")]
    found = {each for path in paths for each in (path, path.parent)}
    return [each for each in found if any(reader.matches(each) for reader in READERS.values())]


def _identifier(title: str) -> str:
    name = re.sub(r"\W+", "_", title).strip("_").lower()
    return name if name[:1].isalpha() else f"problem_{name}"


@contextmanager
def own_form(problem: External) -> Generator[Path]:
    """Yield the folder with the problem's `problem.yaml` and `tasks.py`, as the judge takes it."""
    if problem.form == "hotloop":
        yield problem.path
        return
    with tempfile.TemporaryDirectory(prefix="hotloop-") as scratch:
        folder = Path(scratch) / problem.name
        write(problem, folder)
        yield folder


def write(problem: External, folder: Path, *, graded: bool = False) -> None:
    """Write the problem of a public set in Hotloop's own form.

    graded: somebody's points depend on the verdict.
    """
    target = folder / GIVEN
    target.mkdir(parents=True)
    if problem.form in READERS:
        READERS[problem.form].copy(problem.path, target)
    elif problem.form == "kernelbench":
        shutil.copyfile(problem.path, target / "problem.py")
    elif problem.form == "flashinfer":
        shutil.copyfile(problem.path, target / "definition.json")
        (target / TESTS).write_text(json.dumps(flashinfer.calls(problem.path)))
    else:
        _copy_gpu_mode(problem.path, target)
    words = {"title": problem.title, "given": GIVEN, "form": problem.form, "name": problem.name}
    (folder / "tasks.py").write_text(_TASKS.format(graded=graded, **words), encoding="utf-8")
    text = yaml.safe_dump(described(problem, graded=graded), sort_keys=False)
    (folder / FILE).write_text(text)


def submission(problem: External, file: Path) -> dict[str, bytes]:
    """Return the files handed to the judge for a submission: it, its imports, and the adapter.

    In GPU MODE's sets, its imports are all files that task.yml names, as on GPU MODE's server. A
    solution in FlashInfer-Bench's JSON format brings its own.
    """
    ours = [PROGRAMS / name for name in (ADAPTER, "hotloop_structure.py", "hotloop_without_gpu.py")]
    beside = _named(problem.path) if problem.form == "gpu_mode" else {}
    files = {**beside, SUBMISSION: file, **{path.name: path for path in ours}}
    contents = {name: path.read_bytes() for name, path in files.items()}
    return {**contents, **flashinfer.sources(file)} if file.suffix == ".json" else contents


def described(problem: External, *, graded: bool) -> dict[str, Any]:
    """Return the contents of its `problem.yaml`."""
    first, *others = CHECKS
    return {
        "id": problem.name,
        "title": problem.title,
        "tasks": [
            {
                "id": problem.name,
                "title": problem.title,
                "entry": problem.form,
                "files": [SUBMISSION, ADAPTER],
                "checks": CHECKS if graded else [first, OWN_CHECK, *others],
            }
        ],
    }


def _copy_gpu_mode(folder: Path, target: Path) -> None:
    """Copy the files that task.yml names, and its tests as JSON: the judge reads no YAML."""
    for name, path in _named(folder).items():
        shutil.copyfile(path, target / name)
    reported = _task_yml(folder)
    tests: list[Any] = reported.get("tests") or []
    if not tests:
        raise UserError(f"{folder / TASK} has no `tests`: sizes of inputs are needed.")
    # Without these, a submission that is right for small inputs only would pass.
    timed = list(reported.get("benchmarks") or [])[:BENCHMARKS]
    (target / TESTS).write_text(json.dumps([*tests, *timed]))


def _named(folder: Path) -> dict[str, Path]:
    """Return the Python files that task.yml names, by the names under which they are imported."""
    files: dict[str, Path] = {}
    for entry in _task_yml(folder).get("files", []):
        name, source = Path(str(entry.get("name", ""))).name, str(entry.get("source", ""))
        if source.startswith("@") or not name.endswith(".py"):
            continue
        files[name] = path = (folder / source).resolve()
        if not path.is_file() or _all_sets(folder.resolve()) not in path.parents:
            raise UserError(f"{folder / TASK} names {source}, which is not in its set.")
    if "reference.py" not in files:
        raise UserError(f"{folder / TASK} does not list its reference.py.")
    return files


def _all_sets(folder: Path) -> Path:
    """Return the folder whose files a problem may name: `problems` with all sets, or its set."""
    return next((each for each in folder.parents if each.name == "problems"), folder.parent)


def _task_yml(folder: Path) -> dict[str, Any]:
    path = folder / TASK
    try:
        reported = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise UserError(f"{path} is no YAML: {error}") from None
    if not isinstance(reported, dict):
        raise UserError(f"{path}: expected a mapping, got {type(cast(object, reported)).__name__}.")
    return cast(dict[str, Any], reported)


def _defines(path: Path, *names: str) -> bool:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is no Python: {error}") from None
    names_defined = {getattr(node, "name", "") for node in tree.body}
    return names_defined.issuperset(names)


def own_code(problem: External) -> str:
    """Return a public problem's own code as a submission to it.

    Raises UserError if it has none, as a backward task of robust-kbench.
    """
    if problem.form in READERS:
        return READERS[problem.form].own_code(problem.path)
    if problem.form == "kernelbench":
        text = problem.path.read_text(encoding="utf-8")
        return re.sub(r"\bModel\b", "ModelNew", text).strip()
    if problem.form == "flashinfer":
        return str(json.loads(problem.path.read_text(encoding="utf-8"))["reference"]).strip()
    return (
        "from reference import ref_kernel\n\n\n"
        "def custom_kernel(data):\n    return ref_kernel(data)"
    )
