"""Sizes of one in an example, and what the exporter believes about them."""

from __future__ import annotations

import sys
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parent))
from encoders.kit import encoder, messages, portable, refused

KIND = torch.tensor(encoder.CAUSAL)


def exported(example: torch.Tensor, *, strict: bool) -> torch.nn.Module:
    """Free batch and length."""
    free = {0: torch.export.Dim("n", max=64), 1: torch.export.Dim("length", max=128)}
    model = portable.Portable(encoder.load(0))
    program = torch.export.export(
        model, (example, KIND), dynamic_shapes=(free, None), strict=strict
    )
    return program.module()


def main() -> None:
    """With an example of one message, and of two; strict, and not."""
    error = refused(lambda: exported(messages(1, 20), strict=True))
    print("example of one message, dynamic batch:", error)
    one = (messages(1, 9), KIND)
    for strict in (True, False):
        program = exported(messages(2, 20), strict=strict)
        program(messages(5, 9), KIND)
        try:
            program(*one)
            said = "answers one message"
        except RuntimeError as failure:
            said = str(failure).splitlines()[0][:72]
        print(f"example of two, strict={strict!s:5}: {said}")
        assert (said == "answers one message") is strict


if __name__ == "__main__":
    main()
