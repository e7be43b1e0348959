from datetime import UTC, datetime, timedelta

import pytest

from hotloop.learn.bank import catalog
from hotloop.learn.learning.next_steps import steps
from hotloop.learn.learning.standing import overview
from hotloop.learn.practice.state import PlacementResult, PracticeRecord, Review
from hotloop.learn.practice.verdicts import VerdictLine
from hotloop.tasks import curriculum

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
FIRST, SECOND = "profile_training_loop", "triton_ensemble"
TRACK = "framework_internals"


def _line(task: str, verdict: str = "passed", points: float = 10) -> VerdictLine:
    values = {"verdict": verdict, "points": points, "pending": 0, "possible": 10}
    return VerdictLine.model_validate({"at": NOW, "task": task, "by": "command", **values})


def _lines(module: str) -> list[VerdictLine]:
    tasks = [task for task in curriculum.load_module(module).tasks if task.kind == "code"]
    return [_line(f"{module}.{task.id}") for task in tasks]


def _reviews(module: str, mark: int, count: int) -> list[Review]:
    keys = [entry.key for entry in catalog.catalog() if entry.module == module][:count]
    return [Review(question=k, at=NOW, mark=mark, seconds=9, language="en") for k in keys]


def _placement(start: str | None, *known: str) -> PlacementResult:
    values = {"at": NOW, "track": TRACK, "known": known, "start": start}
    return PlacementResult.model_validate({**values, "answers": []})


def _commands(
    state: PracticeRecord, lines: list[VerdictLine], track: str | None = None
) -> list[str]:
    return [step.command for step in steps(overview(state, lines, NOW), track)]


@pytest.mark.parametrize(
    ("done", "reviews", "placed", "level"),
    [
        (0, [], False, "not begun"),
        (0, [], True, "placed"),
        (1, [], True, "begun"),
        (0, _reviews(FIRST, 1, 5), False, "begun"),
        (0, _reviews(FIRST, 4, 2), False, "begun"),
        (0, _reviews(FIRST, 3, 3), False, "known"),
        (99, [], False, "known"),
        (99, _reviews(FIRST, 4, 3), False, "firm"),
    ],
)
def test_a_module_is_as_firm_as_what_was_done_for_it(
    done: int, reviews: list[Review], placed: bool, level: str
) -> None:
    placements = [_placement(SECOND, "beginner")] if placed else []
    standing = overview(
        PracticeRecord(reviews=reviews, placements=placements), _lines(FIRST)[:done], NOW
    )
    assert standing.modules[FIRST].level == level
    mine = next(each for each in standing.concepts if each.concept.id == "profiling")
    assert mine.level == level


def test_a_concept_is_as_firm_as_the_module_that_is_furthest() -> None:
    standing = overview(PracticeRecord(), [*_lines(FIRST), _lines(SECOND)[0]], NOW)
    shared = next(each for each in standing.concepts if each.concept.id == "measuring_speed")
    assert len(shared.modules) > 1
    assert shared.level == "known"


def test_a_task_stays_done_when_a_later_try_fails() -> None:
    task = _lines(FIRST)[0].task
    standing = overview(PracticeRecord(), [_line(task), _line(task, "wrong_answer", 0)], NOW)
    (found,) = [each for each in standing.modules[FIRST].tasks if each.key == task]
    assert found.done
    assert found.last is not None
    assert found.last.verdict == "wrong_answer"


def test_practice_is_counted_by_module_and_track() -> None:
    reviews = _reviews(FIRST, 2, 2) + _reviews(FIRST, 4, 1)
    late = [each.model_copy(update={"at": LATER}) for each in reviews[2:]]
    standing = overview(PracticeRecord(reviews=reviews[:2] + late), [], NOW)
    questions = standing.modules[FIRST].questions
    assert (questions.practised, questions.mean) == (2, 3.0)
    (track,) = [each for each in standing.tracks if each.id == TRACK]
    assert track.questions.practised == 2
    assert track.questions.of > questions.of


def test_records_of_what_no_longer_exists_do_no_harm() -> None:
    gone = Review(question="gone.question", at=NOW, mark=3, seconds=9, language="en")
    state = PracticeRecord(reviews=[gone], placements=[_placement("gone", "beginner")])
    standing = overview(state, [_line("gone.task")], NOW)
    assert standing.due == 0
    assert standing.modules[FIRST].placed
    assert not standing.modules[SECOND].placed


def test_of_a_beginner_nothing_is_known_so_a_test_is_proposed() -> None:
    assert _commands(PracticeRecord(), [])[0] == f"hotloop placement {TRACK}"
    assert _commands(PracticeRecord(), [], "model_conversion") == [
        "hotloop placement model_conversion",
        "hotloop start resnet_tensorrt",
    ]


def test_what_is_due_comes_first() -> None:
    reviews = _reviews(FIRST, 3, 2)
    state = PracticeRecord(
        reviews=reviews, due={reviews[0].question: NOW, reviews[1].question: LATER}
    )
    standing = overview(state, [], NOW)
    assert (standing.due, standing.modules[FIRST].questions.due) == (1, 1)
    assert steps(standing)[0].what == "Practice 1 question"
    assert steps(standing)[0].command == "hotloop interview"


def test_one_goes_on_with_what_was_begun() -> None:
    lines = _lines(FIRST)
    assert f"hotloop check {lines[1].task}" in _commands(PracticeRecord(), lines[:1])


def test_a_module_opens_the_next_one() -> None:
    commands = _commands(PracticeRecord(), _lines(FIRST))
    assert f"hotloop start {SECOND}" in commands
    assert f"hotloop interview --track {TRACK}" in commands


def test_a_placement_opens_the_module_where_it_says() -> None:
    state = PracticeRecord(placements=[_placement("fused_softmax", "beginner", "intermediate")])
    assert _commands(state, [])[0] == "hotloop start fused_softmax"


def test_a_module_that_asks_for_another_waits_for_it() -> None:
    """A learner placed high who lacks the prerequisite is sent to it first."""
    state = PracticeRecord(placements=[_placement(SECOND)])
    assert _commands(state, [])[0] == f"hotloop start {FIRST}"


def test_a_task_that_was_checked_untouched_is_not_started_and_begins_nothing() -> None:
    task = _lines(FIRST)[0].task
    untouched = _line(task, "wrong_answer", 0).model_copy(update={"state": "not started"})
    standing = overview(PracticeRecord(), [untouched], NOW)
    (found,) = [each for each in standing.modules[FIRST].tasks if each.key == task]
    assert found.state == "not started"
    assert standing.modules[FIRST].level == "not begun"
    begun = overview(PracticeRecord(), [untouched, _lines(FIRST)[1]], NOW)
    whys = [step.why for step in steps(begun)]
    assert any("this one is not started" in why for why in whys)
    assert not any("wrong" in why for why in whys)
