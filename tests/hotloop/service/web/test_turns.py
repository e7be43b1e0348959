"""The order is fair: nearest deadline, then the learner served least recently."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotloop.service.web.turns import WaitingWork, in_turn

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def waiting(work: int, account: int, minute: int, deadline: int | None = None) -> WaitingWork:
    due = None if deadline is None else NOON + timedelta(days=deadline)
    return WaitingWork(work, str(work), account, NOON + timedelta(minutes=minute), due)


def order(*given: WaitingWork, served: dict[int, int] | None = None) -> list[int]:
    at = {who: NOON - timedelta(minutes=ago) for who, ago in (served or {}).items()}
    return [one.work for one in in_turn(given, at)]


def test_without_anything_else_who_comes_first_is_first() -> None:
    assert order(waiting(1, 7, 5), waiting(2, 8, 3), waiting(3, 9, 4)) == [2, 3, 1]


def test_learners_take_turns() -> None:
    many = [waiting(number, 7, number) for number in range(4)]
    assert order(*many, waiting(10, 8, 8), waiting(11, 9, 9)) == [0, 10, 11, 1, 2, 3]


def test_who_was_served_least_recently_is_next() -> None:
    three = [waiting(number, number, number) for number in (1, 2, 3)]
    assert order(*three, served={1: 5, 2: 20}) == [3, 2, 1]


def test_the_nearest_deadline_is_first_and_none_is_last() -> None:
    found = order(waiting(1, 1, 0), waiting(2, 2, 1, 9), waiting(3, 3, 2, 2), waiting(4, 4, 3, 9))
    assert found == [3, 2, 4, 1]


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 30)), max_size=30))
def test_everything_comes_once_and_nobody_is_two_turns_ahead(works: list[tuple[int, int]]) -> None:
    given = [waiting(number, who, minute) for number, (who, minute) in enumerate(works)]
    found = in_turn(given, {})
    assert sorted(one.work for one in found) == list(range(len(works)))
    left = {who: sum(one.owner == who for one in given) for who in range(5)}
    had = dict.fromkeys(range(5), 0)
    for one in found:
        # Learners who still wait had at most one turn less.
        assert all(had[one.owner] <= had[who] for who in left if left[who] > had[who])
        had[one.owner] += 1
