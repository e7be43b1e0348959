"""What a verdict's card says is next."""

from datetime import UTC, datetime

import pytest

from hotloop.core.verdict import Verdict
from hotloop.learn.bank import catalog
from hotloop.learn.learning.after_check import steps, steps_after
from hotloop.learn.learning.standing import overview
from hotloop.learn.practice import store
from hotloop.learn.practice.state import PracticeRecord, Review
from hotloop.learn.practice.verdicts import VerdictLine
from hotloop.tasks import curriculum

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
MODULE = "first_kernels"
KEYS = [f"{MODULE}.{task.id}" for task in curriculum.load_module(MODULE).tasks]
GRADED = [
    f"{MODULE}.{task.id}" for task in curriculum.load_module(MODULE).tasks if task.kind == "code"
]


def _line(task: str, points: float = 10) -> VerdictLine:
    verdict = "passed" if points else "wrong_answer"
    values = {"verdict": verdict, "points": points, "pending": 0, "possible": 10}
    return VerdictLine.model_validate({"at": NOW, "task": task, "by": "notebook", **values})


def _commands(
    lines: list[VerdictLine], *keys: str, state: PracticeRecord | None = None
) -> list[str]:
    state = state or PracticeRecord()
    return [step.command for step in steps(overview(state, lines, NOW), state, keys)]


def test_a_passed_task_names_the_next_one_and_a_question_that_it_practices() -> None:
    first, second, *_ = GRADED
    following, question = _commands([_line(first)], first)
    assert following == f"hotloop check {second}"
    related = [entry.key for entry in catalog.related(first)]
    assert question.removeprefix("hotloop questions show ") in related


def test_a_task_that_failed_is_not_left_for_another_one() -> None:
    commands = _commands([_line(GRADED[0], 0)], GRADED[0])
    assert [command for command in commands if command.startswith("hotloop check")] == [
        f"hotloop check {GRADED[0]}"
    ]


@pytest.mark.parametrize(
    ("verdict", "state", "what"),
    [
        ("wrong_answer", "not started", "Write “"),
        ("wrong_answer", "wrong answer", "Go on with “"),
        ("undecided", "undecided (pending)", "Check “"),
        ("not_measured", "not measured (pending)", "Continue with “"),
    ],
)
def test_what_is_next_for_a_task_depends_on_its_state(verdict: str, state: str, what: str) -> None:
    line = _line(GRADED[0], 0).model_copy(update={"verdict": Verdict(verdict), "state": state})
    first, *_ = steps(overview(PracticeRecord(), [line], NOW), PracticeRecord(), [GRADED[0]])
    assert first.what.startswith(what)


def test_after_a_whole_module_its_first_open_task_is_next() -> None:
    lines = [_line(key, 0 if key == GRADED[2] else 10) for key in GRADED]
    assert _commands(lines, *GRADED)[0] == f"hotloop check {GRADED[2]}"


def test_a_complete_module_leads_to_another_one() -> None:
    first = _commands([_line(key) for key in GRADED], GRADED[-1])[0]
    assert first.startswith("hotloop start ")
    assert MODULE not in first


def test_a_question_that_was_marked_gives_way_and_what_is_due_is_told() -> None:
    task = next(key for key in GRADED if len(catalog.related(key)) > 1)
    marked, *others = [entry.key for entry in catalog.related(task)]
    review = Review(question=marked, at=NOW, mark=3, seconds=9, language="en")
    state = PracticeRecord(reviews=[review], due={marked: NOW})
    commands = _commands([_line(task, 0)], task, state=state)
    assert commands == [
        f"hotloop check {task}",
        f"hotloop questions show {others[0]}",
        "hotloop interview",
    ]


@pytest.mark.parametrize("key", KEYS)
def test_every_task_has_something_next(
    key: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
    steps_after([key])


def test_a_practice_record_that_cannot_be_read_withholds_nothing(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
    store.path().parent.mkdir(parents=True)
    store.path().write_text("{")
    assert isinstance(steps_after([GRADED[0]]), list)
