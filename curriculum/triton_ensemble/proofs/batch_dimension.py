"""max_batch_size, dims and the shapes that a client sends: who writes the batch dimension."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from hotloop.engines.serving.inference import Client

sys.path.append(str(Path(__file__).parent))
from live.real_server import Model, refusal, served

SUM = """
class TritonPythonModel:
    def execute(self, requests):
        return [answer(numbers(request) * 2) for request in requests]
"""


# --8<-- [start:shape]
def full_shape(max_batch_size: int, dims: list[int]) -> list[int]:
    """What a client must send, -1 for any size."""
    return [-1, *dims] if max_batch_size > 0 else dims


# --8<-- [end:shape]


def accepts(max_batch_size: int, dims: list[int], shape: list[int]) -> bool:
    """As the server decides for a request."""
    wanted = full_shape(max_batch_size, dims)
    if len(wanted) != len(shape) or (max_batch_size > 0 and shape[0] > max_batch_size):
        return False
    return all(want in (-1, size) for want, size in zip(wanted, shape, strict=True))


CONFIGS = {"batched": (8, [32]), "whole": (0, [-1, 32]), "twice": (8, [-1, 32])}
SHAPES = ([1, 32], [4, 32], [32], [9, 32], [4, 1, 32])


def model() -> dict[tuple[str, int], bool]:
    """A table of what fits."""
    found: dict[tuple[str, int], bool] = {}
    for name, (most, dims) in CONFIGS.items():
        for number, shape in enumerate(SHAPES):
            found[name, number] = accepts(most, dims, shape)
        fits = [shape for number, shape in enumerate(SHAPES) if found[name, number]]
        print(f"{name:8} max_batch_size: {most}  dims: {dims}  accepts {fits}")
    assert [found["batched", n] for n in range(5)] == [True, True, False, False, False]
    assert [found["whole", n] for n in range(5)] == [True, True, False, True, False]
    assert [found["twice", n] for n in range(5)] == [False, False, False, False, True]
    return found


def measured(expected: dict[tuple[str, int], bool]) -> None:
    """The server agrees, shape by shape."""

    def config(most: int, dims: list[int]) -> str:
        tensor = f"data_type: TYPE_FP32 dims: {dims}"
        return (
            f'backend: "python" max_batch_size: {most}\n'
            f'input [ {{ name: "X" {tensor} }} ] output [ {{ name: "Y" {tensor} }} ]\n'
            "instance_group [ { kind: KIND_CPU } ]"
        )

    models = {name: Model(config(*given), SUM) for name, given in CONFIGS.items()}
    told: dict[str, str] = {}
    with served(models) as running:
        if running is None:
            return
        server, _ = running
        with Client(server) as client:
            for (name, number), fits in expected.items():
                rows = _ones(SHAPES[number])
                if fits:
                    assert client.infer(name, {"X": rows})["Y"].shape == tuple(SHAPES[number])
                else:
                    told[f"{name} {SHAPES[number]}"] = refusal(client, name, rows)
    print(f"on the real server: the same {len(expected)} answers")
    for case in ("batched [32]", "batched [9, 32]", "twice [4, 32]"):
        text = told[case].partition("] ")[2] or told[case]
        print(f"{case}: {text.partition(' NOTE')[0]}")


def _ones(shape: list[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.ones(shape, np.float32)


if __name__ == "__main__":
    measured(model())
