"""Write the generated trace and the generated Nsight Systems export that learners look at.

    python curriculum/profile_training_loop/recordings/generate_examples.py

Nothing here is recorded: both come from the simulations that also make the hidden files, with a
seed of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from hotloop.core import paths
from hotloop.tasks.modules.profile_training_loop import nsys_answers, viewed

SEED = 20261130
FOLDER = paths.exercises() / "profile_training_loop"


def files() -> Iterator[tuple[Path, bytes]]:
    """Yield path and content of each file."""
    rng = np.random.default_rng(SEED)
    loop = next(viewed.decisive(rng))
    yield FOLDER / "generated_run.pt.trace.json", json.dumps(loop.document()).encode() + b"\n"
    yield FOLDER / "generated_run.sqlite", nsys_answers.decisive(rng).sqlite()


if __name__ == "__main__":
    for path, content in files():
        path.write_bytes(content)
        print(f"{path.name}: {len(content):,} bytes")
