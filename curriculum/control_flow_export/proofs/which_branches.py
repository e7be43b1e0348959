"""The encoder traced, scripted and exported, on inputs that go each of its ways."""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parent))
from encoders.kit import encoder, message_that, messages, portable, refused, scripted


def main() -> None:
    """One example, and inputs that differ from it at one decision each."""
    model = encoder.load(0)
    example = (message_that(model, early=False), torch.tensor(encoder.CAUSAL))
    folder = Path(tempfile.mkdtemp())
    scripted.scripted(0, str(folder / "old.pt"))
    portable.export(0, str(folder / "new.pt2"))
    with warnings.catch_warnings():
        # That it keeps one path only is what is shown here.
        warnings.simplefilter("ignore", torch.jit.TracerWarning)
        traced = torch.jit.trace(model, example, check_trace=False)
    forms = {
        "traced": traced,
        "scripted": torch.jit.load(folder / "old.pt"),
        "exported": torch.export.load(folder / "new.pt2").module(),
    }
    tried = {
        "the example": example,
        "another kind": (example[0], torch.tensor(encoder.BOTH_WAYS)),
        "a long message": (messages(1, 60), torch.tensor(encoder.CAUSAL)),
        "one that exits early": (message_that(model, early=True), torch.tensor(encoder.CAUSAL)),
    }
    for what, given in tried.items():
        right = {
            name: bool(torch.allclose(form(*given), model(*given), atol=1e-4))
            for name, form in forms.items()
        }
        said = ", ".join(f"{name} {'right' if ok else 'wrong'}" for name, ok in right.items())
        print(f"{what:22} {said}")
        assert right["scripted"]
        assert right["exported"]
        assert right["traced"] == (what == "the example")
    print("scripting the unmodified source:", refused(lambda: torch.jit.script(model)))
    print("exporting it:", refused(lambda: torch.export.export(model, example)))


if __name__ == "__main__":
    main()
