"""Writes the run that the notebook's monitor reads. It is made up, as the judge's streams are.

Run it from a clone: python curriculum/portable_trainer/recordings/monitor_events.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hotloop.tasks.modules.portable_trainer.streams import RunShape, as_bytes, stream

TARGET = Path(__file__).parents[3] / "exercises" / "portable_trainer" / "monitor_recording.jsonl"
SHAPE = RunShape(steps=240, devices=4, restarts=1, fallbacks=1, recompiles=6)


def main() -> None:
    """The same run each time."""
    TARGET.write_bytes(as_bytes(stream(np.random.default_rng(11), SHAPE)))


if __name__ == "__main__":
    main()
