"""Record a learner's decoding step: which operators run on which tensors.

The recording uses the sizes of the hidden problem with other values, so numbers that the learner's
Python reads from a tensor are wrong in the replay.
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
    """Record the file at `path`; return the path of a JSON of its operators.

    They are those that run once and those that run at each step.
    """
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
    reported = Path(tempfile.mkdtemp()) / "plan.json"
    reported.write_text(json.dumps({"once": made.once, "each": made.each}))
    return str(reported)


def _loaded(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("decoding", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
