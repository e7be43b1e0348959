"""Secret texts: made of the tokenizer's words, of every kind, and never repeated."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotloop.tasks.modules.triton_ensemble.random_texts import (
    FEWEST_WORDS,
    MOST_WORDS,
    awkward,
    sentence,
    words,
)

SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.slow
@given(SEEDS)
def test_a_sentence_has_words_that_the_network_knows(seed: int) -> None:
    found = sentence(np.random.default_rng(seed)).split(" ")
    assert FEWEST_WORDS <= len(found) <= MOST_WORDS
    assert set(found) <= set(words())


@given(SEEDS)
def test_none_is_empty_and_all_can_be_sent(seed: int) -> None:
    for make in (sentence, awkward):
        text = make(np.random.default_rng(seed))
        assert text.strip()
        assert len(text.encode()) < 2000


@pytest.mark.slow
def test_they_are_many_and_no_two_alike() -> None:
    rng = np.random.default_rng()
    texts = [make(rng) for make in (sentence, awkward) for _ in range(2000)]
    assert len(set(texts)) == len(texts)
    assert len(words()) > 500


def test_awkward_ones_are_of_every_kind() -> None:
    rng = np.random.default_rng(0)
    texts = [awkward(rng) for _ in range(200)]
    for sign in ("🙂", "中文", "\t", "[1.5e-3]"):
        assert any(sign in text for text in texts)
    assert any(len(text.split()) > 60 for text in texts)
