"""Manual marks: for written answers; for a judged cell only if a person changes it."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from bs4 import BeautifulSoup

from hotloop.course import dates
from hotloop.course.attempts import store as within
from hotloop.course.attempts.attempt import Kind, account
from hotloop.course.attempts.store import store
from hotloop.course.config import CONFIG_FILE
from hotloop.course.policy import utc_now

DAY = timedelta(days=1)


@pytest.fixture
def graded(desk: Any, make: SimpleNamespace) -> Any:
    desk.course.submit("ada", make.lab(explain="Because."))
    desk.course.grade()
    return desk


def comments_on(desk: Any, cell: str) -> list[Any]:
    rows = desk.get(f"comments?submission_id={desk.notebook('ada')}")
    return [row for row in rows if row["name"] == cell]


def total(desk: Any) -> tuple[float, float]:
    row = desk.get("submission/tiny/ada")
    return row["score"], row["pending"]


@pytest.mark.slow
def test_a_judged_cell_asks_for_no_mark(graded: Any) -> None:
    grades = graded.grades("ada")
    asked = [name for name, grade in grades.items() if grade["needs_manual_grade"]]
    assert asked == ["explain"]
    assert grades["gpu_answer"]["judge"] == "3 of 5 points, 2 pending"
    assert (grades["gpu_answer"]["judge_points"], grades["gpu_answer"]["pending"]) == (3, 2)
    assert [name for name, grade in grades.items() if grade["judged"]] == [
        name for name in grades if name != "explain"
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "change", [{"manual_score": 0}, {"manual_score": "5"}, {"extra_credit": 1}]
)
def test_an_accidental_mark_on_a_judged_cell_is_refused(graded: Any, change: Any) -> None:
    grade = graded.grades("ada")["gpu_answer"]
    answer = graded.put(grade, **change)
    assert answer.status == 409
    assert "Override" in answer.json["message"]
    assert graded.grades("ada")["gpu_answer"] == grade
    assert total(graded) == (12, 8)


@pytest.mark.slow
def test_a_request_that_changes_nothing_is_no_accident(graded: Any) -> None:
    grade = graded.grades("ada")["answer"]
    assert graded.put(grade).status == 200
    assert graded.grades("ada")["answer"] == grade


@pytest.mark.slow
def test_a_judged_cell_can_be_overridden_and_given_back(graded: Any) -> None:
    grade = graded.grades("ada")["gpu_answer"]
    answer = graded.put(grade, manual_score="4", override=True)
    assert answer.status == 200
    assert answer.json["manual_score"] == 4
    assert answer.json["judge"] == "3 of 5 points, 2 pending"
    assert answer.json["total"] == "13 of 20 points, 6 pending"
    assert total(graded) == (13, 6)
    overridden = graded.grades("ada")["gpu_answer"]
    # An override cannot be removed by accident either.
    assert graded.put(overridden, manual_score=None).status == 409
    assert graded.put(overridden, manual_score=None, override=True).status == 200
    assert total(graded) == (12, 8)
    assert graded.grades("ada")["gpu_answer"] == grade
    noted = [event.why for event in store(graded.course.root).events(kind=Kind.MARKED)]
    assert noted == [
        "gpu_answer: 4 points by hand; before: no points by hand",
        "gpu_answer: no points by hand; before: 4 points by hand",
    ]


@pytest.mark.slow
def test_feedback_says_that_a_person_overrode_the_judge(graded: Any) -> None:
    graded.put(graded.grades("ada")["gpu_answer"], manual_score=1, override=True)
    assert graded.ask("api/assignment/tiny/ada/generate_feedback", {}).json["success"]
    page = BeautifulSoup(graded.course.page("ada"), "html.parser").get_text()
    assert "1 of 5" in page
    assert "A person gave these points; the judge's are 3 of 5 points, 2 pending." in page


@pytest.mark.slow
def test_an_override_outlives_a_new_grading(graded: Any) -> None:
    graded.put(graded.grades("ada")["answer"], manual_score=1, override=True)
    graded.course.grade()
    answer = graded.grades("ada")["answer"]
    assert (answer["manual_score"], answer["judge"]) == (1, "4 of 4 points")
    assert not answer["needs_manual_grade"]


@pytest.mark.slow
def test_a_written_answer_is_marked(graded: Any) -> None:
    answer = graded.put(graded.grades("ada")["explain"], manual_score="4.5", extra_credit=1)
    assert answer.status == 200
    assert answer.json["total"] == "17.5 of 20 points, 2 pending"
    assert not graded.grades("ada")["explain"]["needs_manual_grade"]
    kept = graded.ask(f"api/grade/{answer.json['id']}", {}, "PUT").json
    assert (kept["manual_score"], kept["extra_credit"]) == (4.5, 1)


@pytest.mark.slow
def test_the_late_penalty_follows_a_mark(desk: Any, make: SimpleNamespace) -> None:
    with (desk.course.root / CONFIG_FILE).open("a") as settings:
        settings.write('c.LateSubmissionPlugin.penalty_method = "zero"\n')
    dates.set_due(desk.course.root, "tiny", utc_now() - 2 * DAY)
    when = f"{utc_now() - DAY:%Y-%m-%d %H:%M:%S} UTC"
    desk.course.submit("ada", make.lab(explain="Because."), files={"timestamp.txt": when})
    desk.course.grade()
    assert total(desk) == (0, 8)
    answer = desk.put(desk.grades("ada")["explain"], manual_score=5, extra_credit=1)
    assert answer.json["total"] == "0 of 20 points, 2 pending"
    assert total(desk) == (0, 2)
    assert desk.put(desk.grades("ada")["explain"], manual_score=0, extra_credit=0).status == 200
    assert total(desk) == (0, 2)


@pytest.mark.slow
def test_grading_rewrites_the_page_after_a_mark(graded: Any) -> None:
    page = graded.course.root / "feedback" / "ada" / "tiny" / "lab.html"
    graded.put(graded.grades("ada")["explain"], manual_score=5)
    assert "12 of 20" in page.read_text()
    graded.course.grade()
    assert "17 of 20" in page.read_text()
    written = page.stat().st_mtime_ns
    graded.course.grade()
    assert page.stat().st_mtime_ns == written


@pytest.mark.slow
def test_a_mark_that_cannot_be_logged_is_not_entered(
    graded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("killed")

    grade = graded.grades("ada")["explain"]
    with monkeypatch.context() as patch:
        patch.setattr(within, "note", broken)
        assert graded.put(grade, manual_score=5).status == 500
    assert graded.grades("ada")["explain"] == grade
    assert store(graded.course.root).events(kind=Kind.MARKED) == []


@pytest.mark.slow
@pytest.mark.parametrize("points", [-1, 7, "many", "nan", [1]])
def test_what_are_no_points_is_refused(graded: Any, points: Any) -> None:
    grade = graded.grades("ada")["explain"]
    assert graded.put(grade, manual_score=points).status == 400
    assert graded.grades("ada")["explain"] == grade


@pytest.mark.slow
def test_what_is_not_there_is_not_found(graded: Any) -> None:
    assert graded.ask("api/grade/none", {}, "PUT").status == 404
    assert graded.ask("api/grades?submission_id=none").status == 404


@pytest.mark.slow
def test_without_the_token_nothing_is_told_or_changed(graded: Any) -> None:
    grade = graded.grades("ada")["explain"]
    asked = graded.ask(f"api/grades?submission_id={graded.notebook('ada')}", token="wrong")
    assert "auto_score" not in asked.text
    assert "Jupyter Server" in asked.text
    path = f"api/grade/{grade['id']}"
    assert graded.ask(path, {"manual_score": 6}, "PUT", token="wrong").status == 403
    assert graded.grades("ada")["explain"] == grade


@pytest.mark.slow
def test_a_comment_by_hand_is_in_the_audit_log(graded: Any) -> None:
    (comment,) = comments_on(graded, "explain")
    path = f"api/comment/{comment['id']}"
    said = {"manual_comment": "Name the\nbytes."}
    assert graded.ask(path, said, "PUT").json["manual_comment"] == said["manual_comment"]
    assert graded.get(f"comment/{comment['id']}")["manual_comment"] == said["manual_comment"]
    # Saved again unchanged, as the page does when it is left.
    assert graded.ask(path, said, "PUT").status == 200
    assert graded.ask(path, {"manual_comment": None}, "PUT").status == 200
    events = store(graded.course.root).events(kind=Kind.MARKED)
    assert [(e.student, e.module, e.who, e.why) for e in events] == [
        ("ada", "tiny", account(), "explain: comment “Name the bytes.”; before: none"),
        ("ada", "tiny", account(), "explain: comment none; before: “Name the bytes.”"),
    ]
    assert graded.ask(path, {"manual_comment": 3}, "PUT").status == 400
    assert graded.ask("api/comment/none", said, "PUT").status == 404


@pytest.mark.slow
def test_a_comment_that_cannot_be_logged_is_not_entered(
    graded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("killed")

    (comment,) = comments_on(graded, "explain")
    with monkeypatch.context() as patch:
        patch.setattr(within, "note", broken)
        path = f"api/comment/{comment['id']}"
        assert graded.ask(path, {"manual_comment": "No."}, "PUT").status == 500
    assert comments_on(graded, "explain") == [comment]


def test_comments_are_kept_for_the_course(desk: Any) -> None:
    assert desk.get("saved_comments") == []
    for text in ("Name the bytes.\nAgain.", "Good.", "Good."):
        assert desk.ask("api/saved_comments", {"task": "tiny.explain", "text": text}).status == 200
    kept = desk.get("saved_comments")
    assert [comment["text"] for comment in kept] == ["Good.", "Name the bytes.\nAgain."]
    assert desk.ask(f"api/saved_comments/{kept[0]['id']}", method="DELETE").status == 200
    assert [comment["text"] for comment in desk.get("saved_comments")] == [kept[1]["text"]]


@pytest.mark.parametrize("body", [{"task": "tiny.explain", "text": " "}, {"text": "x"}, []])
def test_no_comment_is_not_kept(desk: Any, body: Any) -> None:
    assert desk.ask("api/saved_comments", body).status == 400


def test_only_a_saved_comment_is_removed(desk: Any) -> None:
    settings = desk.course.root / "hotloop.json"
    settings.write_text("{}")
    for name in ("..%2Fhotloop", "none"):
        assert desk.ask(f"api/saved_comments/{name}", method="DELETE").status == 404
    assert settings.is_file()


@pytest.mark.slow
def test_an_override_is_shown_for_review_after_a_new_hand_in(
    graded: Any, make: SimpleNamespace
) -> None:
    graded.put(graded.grades("ada")["answer"], manual_score=1, override=True)
    graded.course.submit("ada", make.lab("41", explain="Because."))
    graded.course.grade()
    answer = graded.grades("ada")["answer"]
    assert (answer["manual_score"], answer["judge"]) == (1, "0 of 4 points")
    assert answer["needs_manual_grade"]
    assert graded.put(answer).status == 200
    assert not graded.grades("ada")["answer"]["needs_manual_grade"]
