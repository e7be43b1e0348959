"""Allowed imports: few for the judge, none of Hotloop's in sandboxed code."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "graders" / "hotloop"
HEAVY = ("pydantic", "yaml", "typer", "rich", "jupytext", "nbformat", "nbgrader", "torch", "triton")
LIGHT = {"judge": {"numpy"}, "tasks/modules": {"numpy"}, "sandbox": {"pyseccomp"}}
ALSO = {"judge/gpu/arithmetic.py": {"torch"}}
"""The judge computes on the GPU if there is one."""
ELSEWHERE = (
    *(PACKAGE / "tasks" / "modules").glob("*/programs"),
    *(PACKAGE / "tasks" / "modules").glob("*/baselines.py"),
    PACKAGE / "author" / "external" / "programs",
    PACKAGE / "judge" / "onnx" / "trusted",
    PACKAGE / "engines" / "serving" / "backends",
    PACKAGE / "engines" / "serving" / "trial_repository",
)
"""Code that runs in a worker or in another environment, and is never imported here."""


def imported(path: Path) -> set[str]:
    """Return all modules that a file imports, also in functions, but not only for type checking."""
    found: set[str] = set()
    for node in _run_time_nodes(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def _run_time_nodes(node: ast.AST) -> list[ast.AST]:
    nodes: list[ast.AST] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        nodes += [child, *_run_time_nodes(child)]
    return nodes


def top_level(name: str) -> str:
    return name.partition(".")[0]


def files(folder: str) -> list[Path]:
    return [
        p for p in sorted((PACKAGE / folder).rglob("*.py")) if not set(ELSEWHERE) & {p, *p.parents}
    ]


@pytest.mark.slow
@pytest.mark.parametrize("folder", LIGHT)
def test_judge_and_sandbox_import_only_the_standard_library_and_little_more(folder: str) -> None:
    trusted = "trusted"  # our programs that run in a worker, not in the judge
    for path in files(folder):
        if trusted in path.parts:
            continue
        foreign = {top_level(name) for name in imported(path)} - sys.stdlib_module_names
        also = ALSO.get(str(path.relative_to(PACKAGE)), set[str]())
        assert foreign <= LIGHT[folder] | also | {"hotloop"}, path


@pytest.mark.slow
def test_packages_import_only_those_below_them() -> None:
    """Checks build on the judge, the judge on workers and the sandbox, and all on core."""
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports"],
        cwd=PACKAGE.parents[1],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_the_package_itself_imports_only_both_kinds_of_check() -> None:
    ours = {n for n in imported(PACKAGE / "__init__.py") if top_level(n) == "hotloop"}
    assert ours == {"hotloop.learn.notebook", "hotloop.worker"}


@pytest.mark.slow
def test_the_judge_starts_without_the_course_and_the_command_line() -> None:
    blocked = "; ".join(f"sys.modules[{name!r}] = None" for name in HEAVY)
    program = (
        f"import sys; {blocked}\n"
        "import hotloop.judge.service, hotloop.tasks.modules.fused_softmax.tasks\n"
        "import hotloop.learn.notebook\n"
        "print('fine')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert done.stdout.strip() == "fine", done.stderr


@pytest.mark.slow
def test_whatever_is_imported_is_declared() -> None:
    """An undeclared package works only if something else happens to install it."""
    project = tomllib.loads((PACKAGE.parents[1] / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    groups = (
        *("bank", "course", "cuda", "local", "lti", "mcp", "onnx", "serve", "serving", "takehome"),
        *("site", "xla"),
    )
    lines = [*project["dependencies"], *(line for group in groups for line in extras[group])]
    declared = {canonical(re.split(r"[\s<>=!~;\[]", line)[0]) for line in lines}
    providers = packages_distributions()
    undeclared: set[str] = set()
    for path in files("."):
        for name in {top_level(name) for name in imported(path)} - sys.stdlib_module_names:
            names = {canonical(provider) for provider in providers.get(name, [name])}
            if name != "hotloop" and not names & declared:
                undeclared.add(f"{path.relative_to(PACKAGE)} imports {name}")
    assert undeclared == set()


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize(
    "path",
    sorted((PACKAGE / "tasks" / "modules").glob("*/tasks.py")),
    ids=lambda path: path.parent.name,
)
def test_a_task_is_written_with_authoring_and_its_own_module(path: Path) -> None:
    """As a task outside of the package is, so that there is one way to write one."""
    own = f"hotloop.tasks.modules.{path.parent.name}"
    ours = {name for name in imported(path) if top_level(name) == "hotloop"}
    assert {name for name in ours if not name.startswith(own)} == {"hotloop.tasks"}, path
    assert "\nfrom hotloop.tasks import authoring as hl\n" in path.read_text(encoding="utf-8")
