"""What the judge says of its loop and network, against a run of them."""

import sys
from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from hotloop.core import paths
from hotloop.judge.questions import GivenFile
from hotloop.tasks.modules.profile_training_loop import resnet50
from hotloop.tasks.modules.profile_training_loop.hidden_loops import (
    FLOAT32,
    UnseenLoop,
    UnseenNetwork,
)

Load = Callable[[Path], ModuleType]


def written(given: GivenFile, folder: Path) -> Path:
    path = folder / given.name
    path.write_bytes(given.data)
    return path


@pytest.mark.slow
def test_the_loop_allocates_what_the_judge_says(load_file: Load, tmp_path: Path) -> None:
    loop = UnseenLoop(77)
    training = load_file(written(loop.file(), tmp_path)).Training()
    for step, sizes in enumerate(islice(loop.allocated(), 3)):
        with torch.profiler.profile(profile_memory=True) as profiler:
            batch = training.load(step)
            training.backward(training.forward(batch))
            training.update()
        events: Any = profiler.events()
        assert sorted(sizes.values()) == sorted(
            event.cpu_memory_usage for event in events if event.name == "aten::zeros"
        )


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(resnet50.TYPES))
def test_the_network_convolves_what_the_judge_says(
    load_file: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.syspath_prepend(paths.exercises() / "profile_training_loop")  # pyright: ignore[reportUnknownMemberType]
    monkeypatch.delitem(sys.modules, "resnet", raising=False)
    network = UnseenNetwork(seed=3, width=4, blocks=(2, 3, 2, 2))
    given = load_file(written(network.file(), tmp_path))
    model = given.ResNet(given.RESNET50)
    convolutions: Counter[Any] = Counter()

    def note(module: Any, inputs: Any, output: Any) -> None:
        type_name = {torch.float32: FLOAT32, torch.bfloat16: "c10::BFloat16"}[output.dtype]
        convolutions[tuple(inputs[0].shape), tuple(module.weight.shape), type_name] += 1

    for module in model.modules():
        if isinstance(module, torch.nn.Conv2d):
            module.register_forward_hook(note)
    for call in islice(network.calls(2, resnet50.TYPES[kind]), 3):
        convolutions.clear()
        with torch.autocast("cpu", torch.bfloat16, enabled=kind == "bfloat16"):
            model(torch.zeros(2, 3, 32, 32))
        assert convolutions == call
    monkeypatch.delitem(sys.modules, "resnet", raising=False)
