"""An old file opens, says that it is legacy, and holds names that the new one has to match."""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parent))
from encoders.kit import encoder, messages, migration, portable, scripted


def main() -> None:
    """The old form and the new one of the same weights."""
    folder = Path(tempfile.mkdtemp())
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        scripted.scripted(0, str(folder / "old.pt"))
        old = torch.jit.load(folder / "old.pt")
    deprecated = [w for w in said if issubclass(w.category, DeprecationWarning)]
    named = sorted({str(w.message).split("`")[1] for w in deprecated})
    print("deprecated:", *named)
    assert "torch.jit.script" in named
    print(migration.inventory(str(folder / "old.pt")))
    portable.export(0, str(folder / "new.pt2"))
    new = torch.export.load(folder / "new.pt2").module()
    worst = 0.0
    for kind in range(3):
        for length in (1, 20, 32, 33, 90):
            given = (messages(2, length), torch.tensor(kind))
            worst = max(worst, float((old(*given) - new(*given)).abs().max()))
    print(f"old against new, three kinds and five lengths: {worst:.0e}")
    assert worst < 1e-4
    model = encoder.load(0)
    assert sum(v.numel() for v in model.parameters()) == sum(v.numel() for v in old.parameters())


if __name__ == "__main__":
    main()
