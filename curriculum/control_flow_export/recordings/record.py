"""Records the four failures again: each program with its lines counted, and what it said.

    python curriculum/control_flow_export/recordings/record.py

Which letter has which program stands in failures.json alone, from which the
judge's key is written.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

from hotloop.judge import answer_key
from hotloop.tasks.modules.control_flow_export.diagnoses import DIAGNOSIS

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = Path(__file__).parent / "programs"
KNOWN = Path(__file__).with_name("failures.json")
GIVEN = ROOT / "exercises/control_flow_export"
LOGS = "recompiles"
MOST_LINES = 120


def main() -> None:
    """All four."""
    truth = json.loads(KNOWN.read_text(encoding="utf-8"))
    answer_key.write(DIAGNOSIS.key, truth)
    for letter, known in truth.items():
        text = recorded(PROGRAMS / f"{known['cause']}.py")
        assert known["name"] in text, f"{known['name']} does not stand in the log"
        (GIVEN / f"failure_{letter}.txt").write_text(text, encoding="utf-8")


def recorded(program: Path) -> str:
    """The program and its log. Paths are shortened, and times and process ids left out."""
    source = program.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "program.py"
        copy.write_text(source, encoding="utf-8")
        ran = subprocess.run(
            [sys.executable, str(copy)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "TORCH_LOGS": LOGS},
        )
        said = re.sub(r"[\w/]*tmp\w+/program\.py", "program.py", ran.stderr)
    packages = str(Path(torch.__file__).parents[1])
    said = said.replace(packages, "site-packages")
    said = re.sub(r"^[VEW]\d+ [\d:.]+ \d+ (site-packages/)?", "", said, flags=re.MULTILINE)
    counted = "".join(f"{n:3} {line}\n" for n, line in enumerate(source.splitlines(), start=1))
    log = "\n".join(line.rstrip() for line in said.splitlines()[-MOST_LINES:])
    return f"torch {torch.__version__}, program.py:\n\n{counted}\nWhat it said:\n\n{log}\n"


if __name__ == "__main__":
    main()
