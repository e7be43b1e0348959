"""Runs of CLIP: which architectures are drawn, and which runs count as the right one."""

import io
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hotloop.tasks.modules.portable_trainer import clip_runs

pytest.importorskip("safetensors")

Arrays = dict[str, np.ndarray[Any, Any]]


def test_drawn_architectures_fit() -> None:
    for seed in range(20):
        config: Any = clip_runs.config(np.random.default_rng(seed))
        for tower in (config["text_config"], config["vision_config"]):
            assert tower["hidden_size"] % tower["num_attention_heads"] == 0
        vision = config["vision_config"]
        assert vision["image_size"] % vision["patch_size"] == 0


def test_captions_end_where_a_reader_of_the_last_token_does_not_look() -> None:
    file = clip_runs.batches(np.random.default_rng(3), 4)
    with np.load(io.BytesIO(file.data)) as arrays:
        tokens, pixels = arrays["tokens"], arrays["pixels"]
    assert len(tokens) == len(pixels) == 4
    assert ((tokens == clip_runs.END).sum(-1) == 1).all()
    assert (tokens[..., -1] != clip_runs.END).any()
    assert tokens.max() < clip_runs.VOCABULARY


def run() -> Arrays:
    """Return a run of two steps, whose second array of weights gets no gradient."""
    return {
        "losses": np.array([1.5, 1.25]),
        "model.a": np.array([[1.0, -2.0], [0.5, 4.0]]),
        "model.b": np.array(0.25),
        "velocity.a": np.array([[0.1, -0.2], [0.0, 0.4]]),
        "velocity.b": np.array(1e-9),
    }


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, None),
        ({"velocity.b": np.array(2e-7)}, None),
        ({"model.a": np.array([[1.0, -2.0], [0.505, 4.0]])}, None),
        ({"model.a": np.array([[1.0, -2.0], [0.515, 4.0]])}, "model.a[1, 0] is 0.515"),
        ({"velocity.a": np.zeros((2, 2))}, "velocity.a[0, 0] is 0 "),
        ({"velocity.b": np.array(np.nan)}, "velocity.b"),
        ({"model.b": np.array([0.25])}, "model.b is float32 [1]"),
        ({"losses": np.array([1.5, 1.26])}, "the loss of step 1 is 1.26"),
        ({"losses": np.array([1.5])}, "losses is float32 [1]"),
        ({"model.b": None}, "it has no model.b"),
    ],
)
def test_a_run_is_compared_with_the_right_one(
    tmp_path: Path,
    load_file: Callable[[Path], ModuleType],
    change: dict[str, np.ndarray[Any, Any] | None],
    words: str | None,
) -> None:
    from safetensors.numpy import save_file

    changed = {**run(), **change}
    theirs = {k: np.array(a, np.float32) for k, a in changed.items() if a is not None}
    save_file(theirs, tmp_path / "theirs")
    save_file(run(), tmp_path / "right")
    reading = load_file(clip_runs.PROGRAMS / "clip_reading.py")
    mismatch = reading.mismatch(str(tmp_path / "theirs"), str(tmp_path / "right"))
    assert mismatch is None if words is None else words in (mismatch or "")
