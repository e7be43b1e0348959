"""The questions about the canary accept right routings and say what is wrong with others."""

import hashlib
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_check
from hotloop.judge.checks.answers import Answers
from hotloop.judge.session import Session
from hotloop.tasks.modules.triton_ensemble import routing
from hotloop.tasks.modules.triton_ensemble.reproducibility import Stable
from hotloop.tasks.modules.triton_ensemble.routing import CANARY, STABLE, USERS
from hotloop.tasks.render import submission

Route = Callable[[Sequence[str], float, str], Any]
SessionOver = Callable[..., Session]
SEEDS = 60
CANDIDATE = Candidate("route", "routing.py", "json")


def place(*parts: object) -> float:
    digest = hashlib.sha256("/".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def named(chosen: Sequence[bool]) -> list[str]:
    return [CANARY if yes else STABLE for yes in chosen]


def right(users: Sequence[str], share: float, experiment: str) -> list[str]:
    return named([place(experiment, user) < share for user in users])


def first_mismatch(route: Route, seed: int = 0) -> str | None:
    for question in routing.questions(np.random.default_rng(seed)):
        arguments: Any = question.arguments
        mismatch = question.mismatch(route(*arguments))
        if mismatch is not None:
            return mismatch
    return None


# --- right ones -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_right_routing_is_never_refused() -> None:
    assert [first_mismatch(right, seed) for seed in range(SEEDS)] == [None] * SEEDS


@pytest.mark.slow
def test_nor_is_the_solution_nor_another_hash() -> None:
    names: dict[str, Any] = {}
    exec(submission("triton_ensemble")["routing.py"].decode(), names)

    def by_md5(users: Sequence[str], share: float, experiment: str) -> list[str]:
        hashes = [hashlib.md5(f"{user}:{experiment}".encode()).hexdigest() for user in users]
        return named([int(text[:8], 16) % 10_000 < share * 10_000 for text in hashes])

    for route in (names["route"], by_md5):
        assert [first_mismatch(route, seed) for seed in range(20)] == [None] * 20


# --- wrong ones -----------------------------------------------------------------------------------


def at_random(users: Sequence[str], share: float, experiment: str) -> list[str]:
    return named([random.random() < share for _ in users])


def by_place_in_the_list(users: Sequence[str], share: float, experiment: str) -> list[str]:
    """Routes by a seeded generator: looks stable, but depends on the position in the list."""
    rng = random.Random(experiment)
    return named([rng.random() < share for _ in users])


def the_first_ones(users: Sequence[str], share: float, experiment: str) -> list[str]:
    return named([number < share * len(users) for number in range(len(users))])


def share_in_the_hash(users: Sequence[str], share: float, experiment: str) -> list[str]:
    return named([place(experiment, user, share) < share for user in users])


def experiment_ignored(users: Sequence[str], share: float, experiment: str) -> list[str]:
    return named([place(user) < share for user in users])


def everybody(users: Sequence[str], share: float, experiment: str) -> list[str]:
    return named([True] * len(users))


def nobody(users: Sequence[str], share: float, experiment: str) -> list[str]:
    return named([False] * len(users))


def a_hundredth_of_the_share(users: Sequence[str], share: float, experiment: str) -> list[str]:
    return right(users, share / 100, experiment)


def the_others(users: Sequence[str], share: float, experiment: str) -> list[str]:
    return named([place(experiment, user) >= share for user in users])


def never_nobody(users: Sequence[str], share: float, experiment: str) -> list[str]:
    return named([place(experiment, user) <= max(share, 0.01) for user in users])


def by_percents(users: Sequence[str], share: float, experiment: str) -> list[str]:
    return named([int(100 * place(experiment, user)) < 100 * share for user in users])


WRONG: list[tuple[Route, str]] = [
    (at_random, "asked again in another order"),
    (by_place_in_the_list, "asked again in another order"),
    (the_first_ones, "asked again in another order"),
    (share_in_the_hash, "lost it when the share grew"),
    (experiment_ignored, "another experiment meets the same users"),
    (everybody, "100.0% get the canary"),
    (nobody, "0.0% get the canary"),
    (a_hundredth_of_the_share, "and it should be"),
    (the_others, "and it should be"),
    (never_nobody, "and it should be 0.0%"),
    (by_percents, "and it should be 0.3%"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("route", "said"), WRONG, ids=[r.__name__ for r, _ in WRONG])
def test_each_mistake_is_named_whatever_the_seed(route: Route, said: str) -> None:
    for seed in range(6):
        mismatch = first_mismatch(route, seed)
        assert mismatch is not None
        assert said in mismatch


@pytest.mark.slow
@pytest.mark.parametrize("factor", [0.6, 0.8, 1.25, 1.6])
def test_shares_that_are_off_are_seen(factor: float) -> None:
    """If they are off by a fifth, the larger share shows it."""

    def off(users: Sequence[str], share: float, experiment: str) -> list[str]:
        return right(users, share * factor if share < 1 else share, experiment)

    assert all("and it should be" in str(first_mismatch(off, seed)) for seed in range(6))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, "must return a list"),
        ("topics", "must return a list"),
        ({"topics": 1}, "must return a list"),
        ([], f"0 answers for {USERS} users"),
        ([STABLE] * (USERS + 1), f"{USERS + 1} answers"),
        ([0] * USERS, "0 is no ensemble"),
        ([[STABLE]] * USERS, "is no ensemble"),
        ([{}] * USERS, "{} is no ensemble"),
        (["topics_canary "] * USERS, "is no ensemble"),
    ],
)
def test_wrong_types(answer: object, said: str) -> None:
    assert said in str(first_mismatch(lambda *_: answer))


PLAIN = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(answer=PLAIN, many=st.booleans())
def test_any_answer_gets_a_sentence(answer: object, many: bool) -> None:
    mismatch = first_mismatch(lambda *_: [answer] * USERS if many else answer)
    assert mismatch
    assert len(mismatch) < 200


# --- in processes ---------------------------------------------------------------------------------

# Of one text: a tuple's hash mixes so little that two experiments sometimes get the same users.
SALTED = """
def route(users, share, experiment):
    chosen = [hash(f"{experiment} {user}") % 2**32 / 2**32 < share for user in users]
    return ["topics_canary" if yes else "topics" for yes in chosen]
"""


@pytest.mark.slow
def test_a_salted_hash_is_stable_in_one_process_only(
    session_over: SessionOver, tmp_path: Path
) -> None:
    (tmp_path / "routing.py").write_text(SALTED)
    session = session_over(tmp_path)
    assert (
        judge_check("correct", Answers(routing.questions), session.about(CANDIDATE)).earned == 1.0
    )
    with pytest.raises(Ruling, match="A second process answers differently") as caught:
        Stable(routing.some_users)(session.about(CANDIDATE))
    assert caught.value.verdict is Verdict.WRONG_ANSWER


@pytest.mark.slow
def test_the_solution_is_stable(session_over: SessionOver, tmp_path: Path) -> None:
    (tmp_path / "routing.py").write_bytes(submission("triton_ensemble")["routing.py"])
    session = session_over(tmp_path).about(CANDIDATE)
    assert judge_check("stable", Stable(routing.some_users), session).earned == 1.0
    first, second = session.worker(), session.another_worker()
    assert first.confined is not None
    assert second.confined is not None
    assert first.confined.pid != second.confined.pid
    session.close()
    assert second.confined.poll() is not None, "it ends with the session"
