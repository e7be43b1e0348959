"""Records are in CIFAR-10's binary format."""

import numpy as np

from hotloop.judge.checks.correct import InputTensor
from hotloop.tasks.modules.profile_training_loop.cifar_training import RECORD, cases, records_of


def test_a_record_is_a_label_and_three_planes() -> None:
    images = np.arange(2 * 32 * 32 * 3, dtype=np.uint64).astype(np.uint8).reshape(2, 32, 32, 3)
    records = records_of(images, np.array([7, 2]))
    assert records.shape == (2, RECORD)
    assert records.dtype == np.uint8
    assert records[:, 0].tolist() == [7, 2]
    assert np.array_equal(records[1, 1:1025].reshape(32, 32), images[1, :, :, 0])
    assert np.array_equal(records[0, 2049:].reshape(32, 32), images[0, :, :, 2])


def test_cases_have_records_of_all_that_a_plan_asks_for() -> None:
    for case in cases(np.random.default_rng(1)):
        records, plan, *_ = case.arguments
        assert isinstance(records, InputTensor)
        assert isinstance(plan, InputTensor)
        assert records.values.shape[1] == RECORD
        assert plan.values[..., 0].max() < len(records.values)
