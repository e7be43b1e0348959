"""Photos are coded as the learner's file decodes them, and the queue is PyTorch's."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from hotloop.core import paths
from hotloop.judge.checks.correct import InputTensor
from hotloop.tasks.modules.profile_training_loop.photo_loading import (
    ONE_EPOCH,
    ROOM,
    SHORT_EPOCHS,
    SIDE,
    cases,
    epoch_ms,
    prefetch_questions,
)


@pytest.fixture(scope="module")
def photos(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    return load_file(paths.exercises() / "profile_training_loop" / "photos.py")


def test_hidden_photos_are_files_that_the_learners_decoder_reads(photos: ModuleType) -> None:
    assert (photos.SIDE, photos.ROOM) == (SIDE, ROOM)
    files, *_ = next(iter(cases(np.random.default_rng(1)))).arguments
    assert isinstance(files, InputTensor)
    found = [photos.decode(row.tobytes()) for row in files.values[:4]]
    assert all(photo.shape == (SIDE, SIDE, 3) for photo in found)
    assert all(photo.std() > 10 for photo in found)
    assert not np.array_equal(found[0], found[1])


def test_a_photo_is_nearly_the_picture_that_was_encoded(photos: ModuleType) -> None:
    y, x = np.mgrid[:SIDE, :SIDE]
    image = np.stack([y, x, (x + y) // 2], axis=2).astype(np.uint8)
    found = photos.decode(photos.encode(image) + bytes(9))
    assert np.abs(found.astype(int) - image).mean() < 2


def test_both_timed_calls_decode_as_many_photos() -> None:
    assert np.prod(ONE_EPOCH) == np.prod(SHORT_EPOCHS)


def test_no_photo_of_a_call_is_used_twice() -> None:
    for case in cases(np.random.default_rng(2)):
        files, _, plan, *_ = case.arguments
        assert isinstance(files, InputTensor)
        assert isinstance(plan, InputTensor)
        assert sorted(plan.values.ravel()) == list(range(len(files.values)))


def test_a_queue_bridges_a_burst_and_does_not_raise_the_rate() -> None:
    burst = [30.0] * 12 + [140.0] * 4 + [30.0] * 8
    lengths = [epoch_ms(burst, 30.0, 2, factor) for factor in (1, 2, 4, 8)]
    assert lengths == [910.0, 850.0, 760.0, 760.0]
    slow = [70.0] * 20
    assert epoch_ms(slow, 30.0, 2, 1) == epoch_ms(slow, 30.0, 2, 8)


def test_questions_tell_factors_apart() -> None:
    rng = np.random.default_rng(3)
    keep = set[int]()
    for question in prefetch_questions(rng):
        load, step, workers, most = question.arguments
        lengths = [epoch_ms(load, step, workers, f) for f in range(1, most + 1)]  # pyright: ignore[reportArgumentType, reportCallIssue, reportOperatorIssue]
        right = 1 + next(i for i, ms in enumerate(lengths) if ms <= 1.01 * min(lengths))
        keep.add(right)
        answer = {"epoch_ms": lengths, "prefetch_factor": right}
        assert question.mismatch(answer) is None
        assert question.mismatch({**answer, "prefetch_factor": right + 1}) is not None
        assert question.mismatch({**answer, "epoch_ms": lengths[1:]}) is not None
    assert len(keep) > 1
