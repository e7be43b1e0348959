"""Hidden excerpts of PTX: the counts depend on an excerpt's first and last line."""

import numpy as np
import pytest

from hotloop.judge.questions import GivenFile
from hotloop.tasks.modules.gemm_tensor_cores import listings


@pytest.mark.parametrize("seed", range(20))
def test_who_skips_the_first_or_last_line_counts_wrong(seed: int) -> None:
    questions = list(listings.excerpts(np.random.default_rng(seed)))
    for number, question in enumerate(questions):
        (file,) = question.arguments
        assert isinstance(file, GivenFile)
        lines = file.data.decode().splitlines()
        assert question.mismatch(listings.counts(lines)) is None
        if number % 3:  # the others are whole listings, which begin and end with directives
            assert question.mismatch(listings.counts(lines[1:])) is not None
            assert question.mismatch(listings.counts(lines[:-1])) is not None
