"""Which boxes of a table the judge keeps, and its messages about answers."""

import io
from collections.abc import Callable

import numpy as np
import pytest

from hotloop.judge.questions import GivenFile
from hotloop.tasks.modules.yolo_on_mobile import suppression, whole_file


def table(*rows: tuple[float, ...]) -> np.ndarray:
    return np.array(rows, np.float64)


CHAIN = table(
    (10, 10, 20, 20, 0.9, 1.0, 0.0),
    (16, 10, 20, 20, 0.8, 1.0, 0.0),
    (22, 10, 20, 20, 0.7, 1.0, 0.0),
)


def test_what_is_suppressed_does_not_suppress() -> None:
    kept = suppression.nms(CHAIN, 0.1, 0.5, 100)
    assert kept[:, 4].tolist() == [0.9, 0.7]


def test_another_class_suppresses_nothing() -> None:
    other = CHAIN.copy()
    other[1, 5:] = (0.0, 1.0)
    assert len(suppression.nms(other, 0.1, 0.5, 100)) == 3


def test_floor_and_most() -> None:
    assert len(suppression.nms(CHAIN, 0.75, 0.9, 100)) == 2
    assert len(suppression.nms(CHAIN, 0.1, 0.9, 1)) == 1


def test_right_answers_pass_and_others_do_not() -> None:
    for crowded in (False, True):
        for question in suppression.questions(np.random.default_rng(5), crowded=crowded):
            given, floor, overlap, most = question.arguments
            assert isinstance(given, GivenFile)
            rows = np.load(io.BytesIO(given.data)).astype(np.float64)
            limits = float(str(floor)), float(str(overlap)), int(str(most))
            answer = suppression.nms(rows, *limits).tolist()
            assert question.mismatch(answer) is None
            assert question.mismatch(answer[1:]) is not None
            assert question.mismatch([[*answer[0][:5], answer[0][5] + 1], *answer[1:]])
            assert question.mismatch([[*answer[0][:4], "x", 1.0], *answer[1:]])
            assert question.mismatch("boxes")


def test_crowds_hold_what_they_are_for() -> None:
    """In each judging, boxes are suppressed, and boxes are cut."""
    cut = suppressed = 0
    for question in suppression.questions(np.random.default_rng(9), crowded=True):
        given, floor, overlap, most = question.arguments
        assert isinstance(given, GivenFile)
        rows = np.load(io.BytesIO(given.data)).astype(np.float64)
        whole = suppression.nms(rows, float(str(floor)), float(str(overlap)), 10_000)
        sure = int((rows[:, 4] * rows[:, 5:].max(1) > float(str(floor))).sum())
        suppressed += len(whole) < sure
        cut += len(whole) > int(str(most))
    assert suppressed > 6
    assert cut >= 1


def cut_before(rows: np.ndarray, floor: float, overlap: float, most: int) -> list[list[float]]:
    scores = rows[:, 4] * rows[:, 5:].max(1)
    surest = rows[np.argsort(-scores, kind="stable")][: min(most, int((scores > floor).sum()))]
    return suppression.nms(surest, floor, overlap, most).tolist()


def suppressed_suppress(
    rows: np.ndarray, floor: float, overlap: float, most: int
) -> list[list[float]]:
    sure = suppression.nms(rows, floor, 1.0, 1000)
    kept = [
        box
        for place, box in enumerate(sure)
        if all(o[5] != box[5] or suppression.shared(box, o) <= overlap for o in sure[:place])
    ]
    return [box.tolist() for box in kept[:most]]


@pytest.mark.slow
@pytest.mark.parametrize("mistake", [cut_before, suppressed_suppress])
def test_every_judging_shows_who_takes_the_wrong_order(mistake: Callable[..., object]) -> None:
    for seed in range(40):
        found = []
        for question in suppression.questions(np.random.default_rng(seed), crowded=True):
            given, floor, overlap, most = question.arguments
            assert isinstance(given, GivenFile)
            rows = np.load(io.BytesIO(given.data)).astype(np.float64)
            answer = mistake(rows, float(str(floor)), float(str(overlap)), int(str(most)))
            found.append(question.mismatch(answer))
        assert sum(said is not None for said in found) >= 4


UNSURE = table(
    (10, 10, 20, 20, 0.9, 1.0, 0.0),
    (60, 10, 20, 20, 0.8, 0.4, 0.5),
    (90, 10, 20, 20, 0.7, 1.0, 0.0),
)


def test_a_second_class_shows_where_it_is_above_the_floor_and_there_is_room() -> None:
    assert suppression.shows_the_classes(UNSURE, 0.3, 0.5, 4)
    assert not suppression.shows_the_classes(UNSURE, 0.35, 0.5, 4)
    assert not suppression.shows_the_classes(UNSURE, 0.3, 0.5, 2)
    assert not suppression.shows_the_classes(CHAIN, 0.1, 0.5, 100)


def test_pictures_are_sampled_until_a_second_class_shows() -> None:
    unsure = table((10, 10, 20, 20, 1.0, 0.99, 0.98))
    sampled = iter([[CHAIN], [CHAIN, CHAIN], [CHAIN, unsure]])
    _, tables, limits = whole_file.sampled(np.random.default_rng(2), lambda _seed: next(sampled), 3)
    assert len(tables) == len(limits) == 2
    assert tables[1] is unsure
    assert next(sampled, None) is None


def test_limits_keep_the_same_boxes_where_classes_are_moved_apart() -> None:
    # 7680 pixels a class, as YOLOv5 does it: float32 then rounds a corner to 1/256 of a pixel.
    rng = np.random.default_rng(3)
    for _ in range(40):
        centers = rng.uniform(20, 40, (30, 2))
        sizes = rng.uniform(10, 14, (30, 2))
        crowd = np.column_stack((centers, sizes, rng.uniform(0.1, 1, 30), np.ones(30)))
        floor, overlap = whole_file._limits(rng, crowd, 6)  # pyright: ignore[reportPrivateUsage]
        moved = np.round(crowd * 256) / 256
        moved[:, 4] = crowd[:, 4]
        kept = suppression.nms(crowd, floor, overlap, 6)
        assert np.array_equal(kept[:, 4], suppression.nms(moved, floor, overlap, 6)[:, 4])
