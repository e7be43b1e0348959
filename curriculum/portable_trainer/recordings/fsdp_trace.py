"""Records the step of a sharded model that the notebook reads: two processes, gloo, no GPU.

Run it from a clone: python curriculum/portable_trainer/recordings/fsdp_trace.py
"""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

from hotloop.tasks.modules.portable_trainer.given_files import PROGRAMS

RECORDED: Any = runpy.run_path(str(PROGRAMS / "fsdp_recording.py"))["recorded"]
TARGET = Path(__file__).parents[3] / "exercises" / "portable_trainer" / "fsdp_trace.json"
MODEL = {
    "names": ["block0", "block1", "block2", "block3"],
    "width": 256,
    "samples": 256,
    "keep": [],
    "forward": [],
    "at_once": True,
}


def main() -> None:
    """Times differ from run to run, and gathers do not. Arguments of events are left out."""
    (path,) = RECORDED([MODEL])
    trace = json.loads(Path(path).read_text(encoding="utf-8"))
    events = [
        {k: v for k, v in e.items() if k != "args"} for e in trace["traceEvents"] if e["ph"] == "X"
    ]
    TARGET.write_text(json.dumps({"traceEvents": events}, separators=(",", ":")), encoding="utf-8")


if __name__ == "__main__":
    main()
