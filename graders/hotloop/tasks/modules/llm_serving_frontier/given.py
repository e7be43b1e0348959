"""The simulators that learners are given, loaded from the package's own files."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from typing import Any

from hotloop.core import paths
from hotloop.judge.judge_fault import JudgeFault


@cache
def given_module(name: str) -> Any:
    """Return a module of the exercise's folder."""
    path = paths.exercises() / "llm_serving_frontier" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"hotloop_llm_{name}", path)
    if spec is None or spec.loader is None:
        raise JudgeFault(f"{path} is missing")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for their types
    spec.loader.exec_module(module)
    return module
