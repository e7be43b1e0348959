"""Copied work is set to zero in one command, with a reason, and that is taken back in one."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.user_error import UserError
from hotloop.course import standing, zeros

from .exported import exported

WHY = "copied from bob"


@pytest.fixture
def graded(course: Any, make: SimpleNamespace) -> Any:
    """ada answers everything, including the written task."""
    course.submit("ada", make.lab(explain="Because."))
    course.grade()
    return course


def attempts(course: Any, *options: str) -> dict[str, Any]:
    arguments = ["course", "attempts", "ada", "tiny", "--course", str(course.root), "--json"]
    answer = CliRunner().invoke(app, [*arguments, *options])
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.stdout)


@pytest.mark.slow
def test_a_zero_is_the_mark_everywhere_and_the_page_says_why(
    graded: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = attempts(graded)
    assert before["total"]["points"] > 0
    assert before["zero"] == ""
    found = attempts(graded, "--zero", "--why", f"{WHY}\nsee\tboth")
    assert found["zero"] == f"{WHY} see both"
    assert (found["total"]["points"], found["total"]["pending"]) == (0, 0)
    assert float(exported(graded.root, monkeypatch)["ada"]["score"]) == 0
    assert f"All points of this work were set to 0: {WHY} see both" in graded.page("ada")
    graded.submit("ada", make.lab(setup="y = 2"))
    graded.grade()
    assert attempts(graded)["total"]["points"] == 0
    assert WHY in graded.page("ada")
    back = attempts(graded, "--no-zero", "--why", "it was bob")
    assert back["zero"] == ""
    assert back["total"]["points"] == before["total"]["points"]
    assert WHY not in graded.page("ada").partition("it was bob")[0]


@pytest.mark.slow
def test_points_by_hand_before_the_zero_are_in_the_audit_log(graded: Any) -> None:
    zeros.set_zero(graded.root, "ada", "tiny", WHY)
    with pytest.raises(UserError, match="Say why"):
        zeros.set_zero(graded.root, "ada", "tiny", " ")
    zeros.set_zero(graded.root, "ada", "tiny", "again")
    [first, second] = [e for e in standing.log(graded.root, "ada", "tiny") if e.kind == "marked"]
    assert first.why == f"{WHY}\nall points; before: none by hand"
    assert "answer 0 by hand" in second.why


@pytest.mark.slow
def test_what_was_never_graded_has_no_zero(course: Any, make: SimpleNamespace) -> None:
    course.submit("ada", make.lab())
    with pytest.raises(UserError, match="no graded work"):
        zeros.set_zero(course.root, "ada", "tiny", WHY)
    with pytest.raises(UserError, match="not set to 0"):
        zeros.take_back(course.root, "ada", "tiny", WHY)
