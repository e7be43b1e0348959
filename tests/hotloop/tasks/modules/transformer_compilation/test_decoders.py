"""Sampled decoders: the truth agrees with the decoder that learners get, and traps are included."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import cast

import numpy as np
import pytest
import torch

from hotloop.core import paths
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats
from hotloop.judge.constants import constants
from hotloop.judge.program import Process
from hotloop.tasks.modules.transformer_compilation import decoders, decoding
from hotloop.tasks.modules.transformer_compilation.decoders import Sizes

GIVEN = paths.exercises() / "transformer_compilation"


@pytest.fixture
def given(load_file: Callable[[Path], ModuleType]) -> dict[str, ModuleType]:
    """decoder.py and recording.py, as a learner imports them."""
    return {name: load_file(GIVEN / f"{name}.py") for name in ("decoder", "recording")}


@pytest.mark.parametrize("seed", range(3))
def test_the_truth_is_that_of_the_given_decoder(given: dict[str, ModuleType], seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = decoders.sizes(rng, 3)
    sampled = decoders.weights(rng, size)
    shapes = given["decoder"].shapes(size.vocabulary, size.layers, size.width, size.longest)
    assert {name: values.shape for name, values in sampled.items()} == shapes
    assert list(sampled) == list(shapes)
    tokens = rng.integers(size.vocabulary, size=12)
    mine, _ = decoders.whole(sampled, size.heads, tokens)
    weights = {name: torch.from_numpy(values) for name, values in sampled.items()}
    theirs = given["decoder"].scores(weights, size.heads, torch.from_numpy(tokens)[None])
    assert np.abs(mine - theirs[0].numpy()).max() < 1e-9


def test_behind_a_prompt_lies_something_else() -> None:
    rng = np.random.default_rng(1)
    size = decoders.sizes(rng, 2)
    sampled = decoders.weights(rng, size)
    asked = decoders.request(rng, size, sampled, np.array([0, 5]), 4)
    again = decoders.request(rng, size, sampled, np.array([0, 5]), 4)
    assert asked.scores.shape == (2, 4, size.vocabulary)
    assert not np.isclose(asked.cache[:, 1, :, :, 5:], again.cache[:, 1, :, :, 5:]).any()
    assert np.abs(asked.cache).max() > 10


def test_each_judging_has_rows_at_different_places() -> None:
    for seed in range(20):
        prompts = [set(map(int, p.prompts)) for p in decoding.problems(np.random.default_rng(seed))]
        assert max(map(len, prompts)) == 5
        assert all(
            p.prompts.max() + p.steps <= p.size.longest
            for p in decoding.problems(np.random.default_rng(seed))
        )


def test_a_recording_repeats_what_was_launched(given: dict[str, ModuleType]) -> None:
    recording = given["recording"]
    x, y = torch.ones(3), torch.zeros(3)
    recorder = recording.Recorder([x, y])
    with recorder:
        y.copy_(x.view(3, 1).expand(3, 3).sum(0) * 2)
    x.fill_(5)
    recording.repeat(recorder.ops, dict(enumerate(recorder.kept)))
    assert y.tolist() == [30, 30, 30]
    launched = [op[0] for op in recorder.ops if recording.launches(op[0])]
    assert launched == ["aten.sum.dim_IntList", "aten.mul.Tensor", "aten.copy_.default"]


@pytest.mark.slow
@pytest.mark.parametrize("wait", [lambda x: x[0].item(), lambda x: x.nonzero(), lambda x: x[x > 0]])
def test_a_recording_does_not_wait(
    given: dict[str, ModuleType], wait: Callable[[torch.Tensor], object]
) -> None:
    x = torch.ones(3)
    with given["recording"].Recorder([x]), pytest.raises(RuntimeError, match="cannot wait"):
        wait(x)


def test_a_tensor_from_nowhere_is_refused(given: dict[str, ModuleType]) -> None:
    x = torch.ones(3)
    with given["recording"].Recorder([x]), pytest.raises(RuntimeError, match=r"torch\.full"):
        x + torch.tensor([1.0, 2.0, 3.0])


class Replays:
    """A process that answers with the right scores times a factor."""

    def __init__(self, size: Sizes, prompts: decoders.Tokens, gain: float) -> None:
        self.size, self.prompts, self.gain = size, prompts, gain

    def answer(self, _what: str, case: Case) -> Floats:
        values = [a.values for a in case.arguments if isinstance(a, InputTensor)]
        *sampled, _cache, _places, tokens = values
        names = decoders.weights(np.random.default_rng(0), self.size)
        given = dict(zip(names, sampled, strict=True))
        rows = [decoders.whole(given, self.size.heads, row)[0] for row in tokens]
        return self.gain * np.stack(rows)


@pytest.mark.parametrize("scale", [1, 2, 400])
def test_a_variant_scales_scores(scale: int) -> None:
    size = decoders.sizes(np.random.default_rng(1), 2)
    prompts = np.zeros(2, np.int64)
    problem = decoding.StepProblem("One", size, prompts, 4)

    def mismatch(gain: int) -> str | None:
        process = cast(Process, Replays(size, prompts, gain))
        with constants({"LOGIT_SCALE": scale}):
            return problem.mismatch(np.random.default_rng(3), process)

    assert mismatch(scale) is None
    assert "scores" in str(mismatch(scale + 1))
    assert "scores" in str(mismatch(scale - 1))
