"""One session in a process of its own, which is then recorded: its log goes to standard error.

    python session_run.py MODEL THREADS

Writes profile.json and signature.json into the current folder.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import onnxruntime

RUNS = 12
CROPS = 8


def main(model: str, threads: int) -> None:
    """Everything that `InferenceSession` says, and what each node took in each run."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 0
    options.enable_profiling = True
    options.profile_file_prefix = "profile"
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(0)
    pictures = rng.standard_normal((CROPS, 3, 64, 64), dtype=np.float32)
    for _ in range(RUNS):
        session.run(None, {"pictures": pictures})
    Path(session.end_profiling()).rename("profile.json")
    signature = {
        side: [[each.name, each.type, [str(size) for size in each.shape]] for each in values]
        for side, values in (("inputs", session.get_inputs()), ("outputs", session.get_outputs()))
    }
    Path("signature.json").write_text(json.dumps(signature), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
