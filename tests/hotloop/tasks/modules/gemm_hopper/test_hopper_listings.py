"""Hidden excerpts of SASS: the counts depend on an excerpt's first and last line."""

import numpy as np
import pytest

from hotloop.judge.questions import GivenFile
from hotloop.tasks.modules.gemm_hopper import listings


@pytest.mark.parametrize("seed", range(10))
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


def test_every_kind_occurs() -> None:
    texts = [path.read_text(encoding="utf-8") for path in listings.LISTINGS.glob("*.sass")]
    total = listings.counts([line for text in texts for line in text.splitlines()])
    assert all(total.values()), total
