"""Judge, checks, workers and sandbox start with only torch, triton, numpy and pyseccomp.

A GPU machine runs them from a source checkout, without the dependencies of curriculum, course and
command line; torch and triton are imported by worker processes and for computing on a GPU, not at
the start.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hotloop.tasks import modules as checks

ABSENT = (
    "click",
    "ipykernel",
    "IPython",
    "jupyter_client",
    "jupytext",
    "nbclient",
    "nbconvert",
    "nbformat",
    "nbgrader",
    "pydantic",
    "rich",
    "sqlalchemy",
    "traitlets",
    "typer",
    "yaml",
    "zmq",
)
LATER = ("torch", "triton")
"""Installed, but too slow to import before they are needed."""

CHECKS = Path(checks.__file__).parent
IMPORTED_LATER = {
    "hotloop.worker.cells",
    "hotloop.worker.kernel",
    "hotloop.worker.notebook_worker",
    "hotloop.worker.torch_graph_record",
    "hotloop.worker.torch_graph_replay",
    "hotloop.worker.torch_operations",
    "hotloop.worker.torch_record",
    "hotloop.worker.torch_replay",
    "hotloop.worker.work_record",
    *(f"hotloop.tasks.modules.{p.parent.name}.baselines" for p in CHECKS.glob("*/baselines.py")),
}
"""What runs a notebook's cells needs ipykernel; the others run in workers that have torch."""

TREES = ("hotloop.judge", "hotloop.tasks.modules", "hotloop.worker", "hotloop.sandbox")

PROGRAM = """
import importlib, json, pkgutil, sys, traceback
absent, trees, skipped = json.loads(sys.argv[1])
for name in absent:
    sys.modules[name] = None
failed, imported = {}, []

def load(name):
    try:
        imported.append(importlib.import_module(name).__name__)
    except ImportError:
        failed[name] = traceback.format_exc(limit=-3)

for tree in trees:
    load(tree)
    for module in pkgutil.walk_packages(getattr(sys.modules.get(tree), "__path__", ()), f"{tree}."):
        if module.name not in skipped:
            load(module.name)
ours = sorted(name for name in sys.modules if name.startswith("hotloop"))
print(json.dumps({"failed": failed, "imported": imported, "ours": ours}))
"""


def import_without(absent: tuple[str, ...], *trees: str) -> dict[str, Any]:
    """Import every module of the trees in a new process in which `absent` cannot be imported."""
    arguments = json.dumps([absent, trees, sorted(IMPORTED_LATER)])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_all_that_judges_starts_without_what_a_gpu_machine_lacks() -> None:
    found = import_without(ABSENT + LATER, *TREES)
    assert found["failed"] == {}
    expected = {
        "hotloop.judge.__main__",
        "hotloop.judge.gpu.card",
        "hotloop.judge.checks.gpu_fast",
        "hotloop.judge.service",
        "hotloop.tasks.modules.fused_softmax.tasks",
        "hotloop.worker.__main__",
        "hotloop.worker.check",
        "hotloop.worker.triton_replay",
        "hotloop.sandbox.launch",
    }
    assert expected <= set(found["imported"])


@pytest.mark.slow
def test_a_worker_loads_nothing_of_hotloop_but_itself_and_core() -> None:
    found = import_without(ABSENT + LATER, "hotloop.worker")
    own = ("hotloop", "hotloop.core", "hotloop.worker")
    strangers = {".".join(name.split(".")[:2]) for name in found["ours"]} - set(own)
    assert strangers == set()


def test_what_is_blocked_here_is_missed() -> None:
    """Otherwise the tests above would show nothing."""
    assert "pydantic" in str(import_without(ABSENT, "hotloop.tasks.curriculum")["failed"])
