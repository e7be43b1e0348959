"""The loop that learners put ranges around: short, healthy, and each phase on its own."""

import json
import subprocess
import sys
from typing import Any

import pytest

from hotloop.core import paths

FOLDER = paths.exercises() / "profile_training_loop"


START = f"""
import json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, {str(FOLDER)!r})
import torch
torch.set_num_threads(1)
"""


def _run(program: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", START + program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_it_yields_after_each_step_and_learns() -> None:
    """Twelve steps lower the loss of pictures that were not seen; without updates they do not."""
    found = _run(
        """
from torch.nn.functional import cross_entropy
from watched_loop import MEAN, DEVIATION, Training, steps

class Still(Training):
    def update(self):
        pass

def loss_after(training, count):
    numbers = list(steps(count, training=training))
    images = training.pictures.test_images.movedim(3, 1).float().sub_(MEAN).div_(DEVIATION)
    with torch.inference_mode():
        return numbers, float(cross_entropy(training.model(images), training.pictures.test_labels))

print(json.dumps([loss_after(Training(), 0), loss_after(Training(), 12), loss_after(Still(), 12)]))
"""
    )
    (nothing, before), (numbers, after), (_, still) = found
    assert nothing == []
    assert numbers == list(range(12))
    assert after < 0.8 * before
    assert still > 0.95 * before


@pytest.mark.slow
def test_each_phase_is_called_once_a_step_in_order() -> None:
    found = _run(
        """
from watched_loop import Training, steps

called = []

def noted(name):
    def method(self, *arguments):
        called.append(name)
        return getattr(Training, name)(self, *arguments)
    return method

Noted = type("Noted", (Training,), {n: noted(n) for n in ("load", "forward", "backward", "update")})
after = [len(called) for _ in steps(3, training=Noted(4))]
print(json.dumps([called, after]))
"""
    )
    called, after = found
    assert called == ["load", "forward", "backward", "update"] * 3
    assert after == [4, 8, 12]


@pytest.mark.slow
def test_more_steps_than_pictures_start_over() -> None:
    found = _run(
        """
from watched_loop import Training
training = Training(1000)
print(json.dumps([training.load(step)[0].shape[0] for step in range(3)]))
"""
    )
    assert found == [1000] * 3
