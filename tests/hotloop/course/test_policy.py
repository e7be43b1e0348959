"""When feedback is visible, by the course's own file and nbgrader's dates."""

import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from nbgrader.api import Gradebook

from hotloop.core.yaml_lines import CurriculumError
from hotloop.course.config import load_config
from hotloop.course.policy import FILE, Policy, When, decide, decide_for, load_policy

NOON = datetime(2026, 5, 4, 12)
HOUR = timedelta(hours=1)


def written(root: Path, text: str) -> Path:
    (root / FILE).write_text(text)
    return root


@pytest.mark.parametrize("text", [None, "", "# nothing yet\n", "feedback: at_once\n"])
def test_feedback_is_visible_at_once_unless_the_course_says_otherwise(
    tmp_path: Path, text: str | None
) -> None:
    if text is not None:
        written(tmp_path, text)
    assert load_policy(tmp_path) == Policy()
    assert load_policy(tmp_path).of("fused_softmax") is When.AT_ONCE


def test_a_module_may_have_a_rule_of_its_own(tmp_path: Path) -> None:
    text = "feedback: never\nmodules:\n  fused_softmax: {feedback: after_due_date}\n"
    policy = load_policy(written(tmp_path, text))
    assert policy.of("fused_softmax") is When.AFTER_DUE_DATE
    assert policy.of("triton_ensemble") is When.NEVER


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("feedback: never\nfeedbak: at_once\n", 2, "unknown key 'feedbak'"),
        ("modules:\n  fused_softmax:\n    visible: never\n", 3, "unknown key"),
        ("modules:\n  fused_softmax: {}\n", 2, "is missing"),
        ("\nfeedback: sometimes\n", 2, "'at_once', 'after_due_date' or 'never'"),
        ("modules:\n  fused_sofmax: {feedback: never}\n", 2, "no module 'fused_sofmax'"),
        ("feedback: never\nfeedback: at_once\n", 2, "there twice"),
        ("feedback: [\n", 2, "not YAML"),
    ],
)
def test_a_mistake_is_named_with_file_and_line(
    tmp_path: Path, text: str, line: int, what: str
) -> None:
    with pytest.raises(CurriculumError) as error:
        load_policy(written(tmp_path, text))
    assert any(
        said.startswith(f"{tmp_path / FILE}:{line}: ") and what in said
        for said in str(error.value).splitlines()
    )


@pytest.mark.parametrize(
    ("when", "due", "visible"),
    [
        (When.AT_ONCE, None, True),
        (When.AT_ONCE, NOON + HOUR, True),
        (When.AFTER_DUE_DATE, NOON + HOUR, False),
        (When.AFTER_DUE_DATE, NOON, False),  # it is still time to hand in
        (When.AFTER_DUE_DATE, NOON - HOUR, True),
        (When.AFTER_DUE_DATE, None, False),
        (When.NEVER, NOON - HOUR, False),
        (When.NEVER, None, False),
    ],
)
def test_every_rule(when: When, due: datetime | None, visible: bool) -> None:
    assert decide(when, due, NOON).visible is visible


@pytest.mark.parametrize(
    ("due", "extension", "visible"),
    [
        (NOON - HOUR, None, True),
        (NOON - HOUR, 2 * HOUR, False),
        (NOON - 3 * HOUR, 2 * HOUR, True),
        (None, 2 * HOUR, False),
    ],
)
def test_an_extension_moves_the_date(
    course: Any, due: datetime | None, extension: timedelta | None, visible: bool
) -> None:
    with Gradebook(cast(Any, load_config(course.root)).CourseDirectory.db_url) as gradebook:
        book: Any = gradebook
        book.find_assignment("tiny").duedate = due
        book.add_student("ada")
        book.add_submission("tiny", "ada", extension=extension)
        policy = Policy(feedback=When.AFTER_DUE_DATE)
        assert decide_for(policy, gradebook, "tiny", "ada", NOON).visible is visible
        assert not decide_for(Policy(), gradebook, "tiny", "nobody", NOON).visible


def test_the_example_on_the_site_is_a_policy(tmp_path: Path, clone: Path) -> None:
    page = (clone / "site" / "pages" / "a-class-in-jupyterlab.md").read_text()
    [example] = re.findall(r"```yaml\n(feedback:.*?)```", page, re.DOTALL)
    policy = load_policy(written(tmp_path, example))
    assert policy.of("resnet_tensorrt") is When.AFTER_DUE_DATE
    assert policy.of("fused_softmax") is When.AT_ONCE
    assert policy.of("tvm_passes") is When.NEVER
