"""What a `Correct` takes from its runner, and what it refuses to be made of."""

import numpy as np
import pytest

from hotloop.judge.compare import Tolerance
from hotloop.judge.cuda_kernel import CudaLaunch
from hotloop.judge.oracle import Oracle
from hotloop.judge.rung import after
from hotloop.judge.rungs.correct import Correct
from hotloop.judge.rungs.in_simulator import InSimulator
from hotloop.judge.rungs.on_gpu import OnGpu


def nothing(_rng: np.random.Generator) -> list[object]:
    return []


def same(x):
    return x


def exactly(_case: object) -> Tolerance:
    return Tolerance(0.0, 0.0)


def test_a_function_in_numpy_needs_a_tolerance() -> None:
    with pytest.raises(TypeError, match="needs `tolerance`"):
        Correct(nothing, same)
    Correct(nothing, Oracle({}, "oracle.py").function("train", lambda *_: None))


def test_on_a_gpu_it_comes_after_the_check_on_the_cpu() -> None:
    assert after(Correct(nothing, same, exactly)) == ()
    assert after(Correct(nothing, same, exactly, on=OnGpu())) == ("correct",)
    assert after(Correct(nothing, same, exactly, on=OnGpu(), after=("twice",))) == ("twice",)
    simulator = InSimulator(CudaLaunch((), block=32))
    assert after(Correct(nothing, same, exactly, on=simulator)) == ()
