"""Records a learner's decoding step: which operators, on which tensors.

What is recorded with has the sizes of the hidden problem and other values in it: numbers that the
learner's Python reads off a tensor are wrong in the replay.
"""

from __future__ import annotations

import importlib.util
import json
import tempfile
from pathlib import Path
from types import ModuleType

import decoder
import recording
import torch

torch.set_num_threads(1)


def record(path: str, rows: int, layers: int, heads: int, width: int, longest: int) -> str:
    """A file with what is launched once, and at each step. path: of the learner's file."""
    own = _loaded(path)
    vocabulary = 7 + rows
    shapes = decoder.shapes(vocabulary, layers, width, longest)
    weights = {name: torch.randn(shape) / 4 for name, shape in shapes.items()}
    made = recording.record(
        own.prepare,
        own.step,
        weights,
        torch.randint(vocabulary, (rows,)),
        torch.randint(longest // 2, (rows,)),
        torch.randn(layers, rows, 2, heads, longest, width // heads),
        torch.empty(rows, vocabulary),
    )
    told = Path(tempfile.mkdtemp()) / "plan.json"
    told.write_text(json.dumps({"once": made.once, "each": made.each}))
    return str(told)


def _loaded(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("decoding", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
