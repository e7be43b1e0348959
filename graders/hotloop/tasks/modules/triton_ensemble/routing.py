"""Questions about which users get the canary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np

from hotloop.judge.questions import Plain, Question, shown

USERS, MANY_USERS = 6000, 12_000
STABLE, CANARY = "topics", "topics_canary"
_SIGMAS = 6
"""Tolerance of a share in standard deviations; one in 500 million right answers exceeds it."""

TINY = 0.003
"""A share that whole percents cannot express."""


def questions(rng: np.random.Generator) -> Iterator[Question]:
    """Yield questions about shares, their growth and independent experiments."""
    users = _users(rng, USERS)
    first, second = (f"bert-{int(rng.integers(1 << 20))}" for _ in range(2))
    small, large = float(rng.uniform(0.04, 0.1)), float(rng.uniform(0.25, 0.6))
    answers: dict[str, set[str]] = {}

    def share_of(name: str, share: float) -> Question:
        # In random order, because a user's position must not matter.
        shuffled = [users[int(place)] for place in rng.permutation(len(users))]

        def mismatch(answer: object) -> str | None:
            chosen = _canary(answer, shuffled)
            if isinstance(chosen, str):
                return chosen
            answers[name] = chosen
            return _share_mismatch(len(chosen), USERS, share) or _growth_mismatch(answers)

        experiment = second if name == "other" else first
        label = f"{share:.1%} of {len(users)} users"
        return Question(label, (shuffled, share, experiment), mismatch)

    def among_few() -> Question:
        """Ask about a few users, because the other users in the list must not matter either.

        Half of these users have the canary, so taking a share of this list is far off.
        """
        others = [user for user in users if user not in answers["small"]]
        few = [*answers["small"], *others[: len(answers["small"])]]
        shuffled = [few[int(place)] for place in rng.permutation(len(few))]

        def mismatch(answer: object) -> str | None:
            chosen = _canary(answer, shuffled)
            if isinstance(chosen, str):
                return chosen
            if chosen == answers["small"]:
                return None
            return "asked about few of the users, others get it: each must keep their version"

        return Question(f"{small:.1%} of {len(few)} users", (shuffled, small, first), mismatch)

    yield share_of("small", small)
    yield share_of("again", small)
    yield among_few()
    yield share_of("large", large)
    yield share_of("other", small)
    for share in (0.0, 1.0):
        yield share_of("all", share)
    yield _tiny_share(_users(rng, MANY_USERS), first)


def _tiny_share(users: list[str], experiment: str) -> Question:
    """Ask for a share so small that hash buckets must be fine."""

    def mismatch(answer: object) -> str | None:
        chosen = _canary(answer, users)
        return chosen if isinstance(chosen, str) else _share_mismatch(len(chosen), len(users), TINY)

    return Question(f"{TINY:.1%} of {len(users)} users", (users, TINY, experiment), mismatch)


def _users(rng: np.random.Generator, count: int) -> list[str]:
    return [f"{kind}-{int(rng.integers(1 << 40))}" for kind in ("user", "id") * (count // 2)]


def some_users(rng: np.random.Generator) -> tuple[Plain, ...]:
    """Return the arguments of one call."""
    users = [f"user-{int(rng.integers(1 << 40))}" for _ in range(200)]
    return users, 0.5, f"bert-{int(rng.integers(1 << 20))}"


def _canary(answer: object, users: Sequence[str]) -> set[str] | str:
    if not isinstance(answer, list):
        return f"it must return a list, not {shown(answer)}"
    names = cast("list[object]", answer)
    if len(names) != len(users):
        return f"{len(names)} answers for {len(users)} users"
    for name in names:
        if name not in (STABLE, CANARY):
            return f"{shown(name)} is no ensemble"
    return {user for user, name in zip(users, names, strict=True) if name == CANARY}


def _share_mismatch(chosen: int, users: int, share: float) -> str | None:
    allowed = _SIGMAS * (share * (1 - share) * users) ** 0.5
    if abs(chosen - share * users) <= allowed:
        return None
    return f"{chosen / users:.1%} get the canary, and it should be {share:.1%}"


def _growth_mismatch(answers: dict[str, set[str]]) -> str | None:
    small = answers.get("small", set[str]())
    if "again" in answers and answers["again"] != small:
        return "asked again in another order, other users get it: each must keep their version"
    if "large" in answers and not small <= answers["large"]:
        return "some who had the canary lost it when the share grew"
    if "other" in answers and len(small & answers["other"]) > len(small) / 2:
        return "another experiment meets the same users: its name must have a say"
    return None
