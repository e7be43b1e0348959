"""One key determines each query's output, whatever is drawn, with the requested scores."""

import numpy as np
import pytest

from hotloop.judge.adversarial import attention, recurrences
from hotloop.judge.adversarial.reductions import places

HEIGHT = 120.0


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.parametrize(("keys", "width"), [(1, 16), (7, 16), (300, 16), (130, 64)])
def test_one_key_is_above_all_others(keys: int, width: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    k = attention.keys_alike(rng, (keys, width))
    deciding = places(rng, keys, 50)
    q = attention.pointing(k, deciding, 0.25, HEIGHT)
    scores = 0.25 * q @ k.T
    assert (scores.argmax(1) == deciding).all()
    first = scores.max(1)
    scores[np.arange(50), deciding] = -np.inf
    assert (first - scores.max(1) > 0.999 * HEIGHT).all()


def test_scores_are_those_that_are_asked_for() -> None:
    rng = np.random.default_rng(3)
    asked = recurrences.staircases(rng, 200, 50.0, 2)
    q, k = attention.scored(rng, asked, 30, 16, 0.25)
    found = 0.25 * q @ k.transpose(0, 2, 1)
    assert np.abs(found - asked[:, None]).max() < 5
