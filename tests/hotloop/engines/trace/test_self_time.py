"""Self time and depth, against a reference that examines every nanosecond."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotloop.engines.trace.nesting import nesting
from hotloop.engines.trace.spans import Spans

Raw = list[tuple[int, int, int]]

_EVENTS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 30), st.integers(0, 15)), max_size=14
)


def spans(events: Raw) -> Spans:
    lane, start, duration = (np.array([e[i] for e in events], dtype=np.int64) for i in range(3))
    return Spans(np.arange(len(events)), lane, start, duration, np.zeros(len(events), np.int64))


def reference(events: Raw) -> list[int]:
    """Attribute each nanosecond of a thread to the running event that started last."""
    own = [0] * len(events)
    for lane in {event[0] for event in events}:
        for now in range(50):
            running = [
                (start, -duration, row)
                for row, (its, start, duration) in enumerate(events)
                if its == lane and start <= now < start + duration
            ]
            if running:
                own[max(running)[2]] += 1
    return own


@pytest.mark.slow
@given(_EVENTS)
def test_self_time_is_that_of_the_reference(events: Raw) -> None:
    assert nesting(spans(events)).own.tolist() == reference(events)


@pytest.mark.slow
@given(_EVENTS)
def test_all_self_time_together_is_the_time_in_which_anything_ran(events: Raw) -> None:
    covered = {(lane, t) for lane, start, length in events for t in range(start, start + length)}
    assert int(nesting(spans(events)).own.sum()) == len(covered)


@pytest.mark.slow
@given(_EVENTS)
def test_bars_of_one_depth_never_overlap(events: Raw) -> None:
    depth = nesting(spans(events)).depth.tolist()
    taken: set[tuple[int, int, int]] = set()
    for (lane, start, length), level in zip(events, depth, strict=True):
        cells = {(lane, level, t) for t in range(start, start + length)}
        assert not cells & taken
        taken |= cells


def test_a_parent_with_two_children_and_a_grandchild() -> None:
    found = nesting(spans([(0, 0, 100), (0, 10, 30), (0, 15, 5), (0, 50, 20), (1, 0, 7)]))
    assert found.own.tolist() == [50, 25, 5, 20, 7]
    assert found.depth.tolist() == [0, 1, 2, 1, 0]


def test_a_child_that_ends_a_nanosecond_late_is_not_counted_twice() -> None:
    assert nesting(spans([(0, 0, 10), (0, 4, 7)])).own.tolist() == [4, 7]


def test_what_starts_where_another_ends_lies_beside_it() -> None:
    assert nesting(spans([(0, 0, 10), (0, 10, 10), (0, 20, 5)])).depth.tolist() == [0, 0, 0]
