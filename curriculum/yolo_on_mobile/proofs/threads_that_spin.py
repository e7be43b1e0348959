"""What ONNX Runtime's threads do after a call: CPU time that passes while nobody computes."""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import onnxruntime
import torch

sys.path.append(str(Path(__file__).parent))
from detecting.kit import trained

CALLS, PAUSE_S = 60, 0.004


def exported(path: Path) -> None:
    """The network without its decoding."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            trained(), (torch.zeros(1, 3, 128, 128),), path, dynamo=False, input_names=["pictures"]
        )


def cpu_share_of_pauses(path: Path, spinning: bool) -> float:
    """CPU time in the pauses between calls, as a share of the pauses; of two threads."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    options.add_session_config_entry("session.intra_op.allow_spinning", str(int(spinning)))
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    fed = {"pictures": np.zeros((1, 3, 128, 128), np.float32)}
    used = paused = 0.0
    for _ in range(CALLS):
        session.run(None, fed)
        cpu, wall = time.process_time(), time.perf_counter()
        time.sleep(PAUSE_S)
        used += time.process_time() - cpu
        paused += time.perf_counter() - wall
    return used / paused


def main() -> None:
    """With spinning and without."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "detector.onnx"
        exported(path)
        spun, slept = (cpu_share_of_pauses(path, spinning) for spinning in (True, False))
    print(f"measured: while idle, spinning threads use {spun:.0%} of a core, sleeping {slept:.0%}")
    assert spun > 3 * slept
    print("spinning threads use at least three times as much as sleeping ones")


if __name__ == "__main__":
    main()
