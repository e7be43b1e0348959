"""What a recording of a decoding step holds: launches, and numbers that Python has put in."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import torch

from hotloop.core import paths

sys.path += paths.beside_notebook("transformer_compilation")
import decoder
import recording

from hotloop.tasks import render

WRONG = paths.solutions() / "transformer_compilation/wrong/decode_one_operation_a_line.patch"


# --8<-- [start:places]
def by_tensor(cache: torch.Tensor, place: torch.Tensor, new: torch.Tensor) -> None:
    """The kernel reads the place."""
    cache.index_copy_(0, place, new)


def by_number(cache: torch.Tensor, place: torch.Tensor, new: torch.Tensor) -> None:
    """Python reads it, once."""
    cache[int(place.numpy()[0])] = new[0]


def asked(cache: torch.Tensor, place: torch.Tensor, new: torch.Tensor) -> None:
    """Python asks PyTorch, which would have to wait for the device."""
    cache[place.item()] = new[0]
    # --8<-- [end:places]


def replayed(write: Callable[..., None]) -> int:
    """Recorded with place 2, repeated with place 5: where does the row go?"""
    cache, place, new = torch.zeros(8, 4), torch.tensor([2]), torch.ones(1, 4)
    recorder = recording.Recorder([cache, place, new])
    with recorder:
        write(cache, place, new)
    cache.zero_()
    place.fill_(5)
    recording.repeat(recorder.ops, dict(enumerate(recorder.kept)))
    return int(cache.sum(1).argmax())


def launched(wrong: Path | None, layers: int) -> int:
    """Kernels of a step as the reference has it, or a wrong answer."""
    own = ModuleType("decoding")
    exec(render.submission("transformer_compilation", wrong)["decoding.py"], own.__dict__)  # noqa: S102
    rows, width, heads, longest = 3, 32, 2, 16
    shapes = decoder.shapes(50, layers, width, longest)
    weights = {key: torch.randn(shape) for key, shape in shapes.items()}
    token, place = torch.zeros(rows, dtype=torch.int64), torch.zeros(rows, dtype=torch.int64)
    cache = torch.zeros(layers, rows, 2, heads, longest, width // heads)
    out = torch.zeros(rows, 50)
    return recording.record(own.prepare, own.step, weights, token, place, cache, out).launches


def main() -> None:
    """Print places and launches."""
    assert replayed(by_tensor) == 5
    assert replayed(by_number) == 2
    print("captured at position 2, replayed at position 5:")
    print("position as a tensor: row 5; as a Python number: row 2, without an error")
    try:
        replayed(asked)
    except RuntimeError as error:
        print(f"position.item(): {error}")
    else:
        raise AssertionError("item() was recorded")
    for said, path in (("one operation per line", WRONG), ("matmuls and writes merged", None)):
        one, two = launched(path, 1), launched(path, 2)
        print(f"{said}: {two - one} kernels per layer, plus {2 * one - two}")
    assert launched(None, 4) < 0.6 * launched(WRONG, 4)


if __name__ == "__main__":
    main()
