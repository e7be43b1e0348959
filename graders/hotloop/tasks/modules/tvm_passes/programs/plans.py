"""A module of random functions, and the plan by which `graph_runs` calls them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

import bare_tvm  # noqa: F401
import tvm


class Plan:
    """Calls of functions, with numbers from one pool."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.parts: list[list[Any]] = []
        self.pool = 0

    def array(self, shape: Sequence[int], dtype: str) -> dict[str, Any]:
        """Return an argument that takes the pool's next numbers."""
        start = self.pool
        self.pool += prod(shape)
        return {"shape": list(shape), "dtype": dtype, "at": start}

    def call(self, name: str, arguments: list[Any], results: list[tuple[list[int], str]]) -> None:
        """Add a call. results: shapes and dtypes of the tensors that it gives."""
        self.calls.append({"name": name, "arguments": arguments})
        self.parts += [[name, dtype, prod(shape)] for shape, dtype in results]

    def written(self, module: tvm.IRModule) -> dict[str, Any]:
        """Write the module and the plan to files; return their paths, and the numbers' numbers.

        pool: how many numbers the calls take. parts: function, dtype and element count of each
        output.
        """
        folder = Path(tempfile.mkdtemp())
        (folder / "module.json").write_text(tvm.ir.save_json(module))
        (folder / "plan.json").write_text(json.dumps(self.calls))
        paths = {name: str(folder / f"{name}.json") for name in ("module", "plan")}
        return {**paths, "pool": self.pool, "parts": self.parts}
