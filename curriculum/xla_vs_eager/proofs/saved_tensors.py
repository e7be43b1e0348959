"""What the recorded trial of PyTorch/XLA found: which dump shows fusions, and what is counted."""

from __future__ import annotations

import re
from pathlib import Path

RECORD = Path(__file__).parents[1] / "recordings" / "torch_xla_trial.txt"


def main() -> None:
    """Print the lines that the answer rests on."""
    text = RECORD.read_text(encoding="utf-8")
    for name in ("compilations", "dumps"):
        (line,) = [each for each in text.splitlines() if each.startswith(name)]
        print(line.removeprefix(name).strip())
    before, after = map(int, re.findall(r"(\d+) fusions", text))
    assert before == 0
    assert after > 0
    assert "of one shape: CompileTime 1 samples; of 5 shapes: 5" in text


if __name__ == "__main__":
    main()
