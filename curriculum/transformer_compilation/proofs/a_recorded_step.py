"""What a recording of a decoding step holds: launches, and numbers that Python has put in."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import torch

sys.path.append(str(Path(__file__).parents[3] / "solutions" / "transformer_compilation"))
import decoder
import recording

SOLUTIONS = Path(recording.__file__).parent


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


def launched(name: str, layers: int) -> int:
    """Kernels of a step as a file has it."""
    own = _loaded(SOLUTIONS / name)
    rows, width, heads, longest = 3, 32, 2, 16
    shapes = decoder.shapes(50, layers, width, longest)
    weights = {key: torch.randn(shape) for key, shape in shapes.items()}
    token, place = torch.zeros(rows, dtype=torch.int64), torch.zeros(rows, dtype=torch.int64)
    cache = torch.zeros(layers, rows, 2, heads, longest, width // heads)
    out = torch.zeros(rows, 50)
    return recording.record(own.prepare, own.step, weights, token, place, cache, out).launches


def _loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Print places and launches."""
    assert replayed(by_tensor) == 5
    assert replayed(by_number) == 2
    print("recorded with place 2, repeated with place 5:")
    print("the place as a tensor: row 5; as a number of Python: row 2, without an error")
    try:
        replayed(asked)
    except RuntimeError as error:
        print(f"place.item(): {error}")
    else:
        raise AssertionError("item() was recorded")
    for said, name in (
        ("one operation a line", "wrong/decode_one_operation_a_line.py"),
        ("products and writes made one", "decoding.py"),
    ):
        one, two = launched(name, 1), launched(name, 2)
        print(f"{said}: {two - one} kernels a layer, {2 * one - two} beside")
    assert launched("decoding.py", 4) < 0.6 * launched("wrong/decode_one_operation_a_line.py", 4)


if __name__ == "__main__":
    main()
