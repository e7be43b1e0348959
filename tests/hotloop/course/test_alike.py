"""Similar hand-ins of a class: the copy is found, and independent work is not named."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.course.alike.likeness import MODERATE
from hotloop.course.class_page.alike import Pair, groups

ORIGINAL = """collected(7)


def collected(count):
    # Pairs of neighbors, and what is left of them.
    found = []
    for step in range(count):
        if step % 2 and found:
            found.append(found[-1] + step * 3)
        else:
            found.append(max(step, count - step))
    return sum(found) - len(found) // (count + 1)"""
COPIED = """my_own_sum(9)


def my_own_sum(n):
    items = []
    for i in range(n):
        if i % 2 and items:
            items.append(items[-1] + i * 5)
        else:
            items.append(max(i, n - i))
    return sum(items) - len(items) // (n + 2)"""
ALONE = """Answer(6, scale=7).value


class Answer:
    def __init__(self, first, scale):
        self.first, self.scale = first, scale

    @property
    def value(self):
        words = {"first": self.first, "scale": self.scale}
        return words["first"] * words["scale"] if all(words.values()) else None"""


@pytest.fixture
def handed_in(course: Any, make: SimpleNamespace) -> Any:
    for student, answer in {"zoe": ORIGINAL, "yan": COPIED, "xia": ALONE}.items():
        course.submit(student, make.lab(answer))
    course.grade()
    return course


def written(course: Any, *options: str) -> tuple[dict[str, Any], str]:
    """Return the only module in the page's data, and the page."""
    arguments = ["course", "page", "--course", str(course.root), "--json", *options]
    answer = CliRunner().invoke(app, arguments)
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.stdout)
    return found["modules"][0], Path(found["page"]).read_text()


@pytest.mark.slow
def test_the_copy_is_found_and_the_third_is_not(handed_in: Any) -> None:
    module, page = written(handed_in, "--names")
    [group] = module["alike"]
    assert group["students"] == ["yan", "zoe"]
    assert group["part"] == "lab.ipynb · answer"
    assert group["score"] == group["least"] >= MODERATE
    assert group["pairs"] == 1
    assert "Hand-ins that are alike" in page
    assert "No verdict, and no points depend on it" in page


@pytest.mark.slow
def test_without_names_nobody_is_compared(handed_in: Any) -> None:
    module, page = written(handed_in)
    assert module["alike"] == []
    assert "alike" not in page


@pytest.mark.slow
def test_what_was_handed_out_makes_nobody_alike(course: Any, make: SimpleNamespace) -> None:
    """Both changed only a number."""
    for student, number in {"zoe": "41", "yan": "42"}.items():
        course.submit(student, make.lab(number))
    course.grade()
    module, _ = written(course, "--names")
    assert module["alike"] == []


@pytest.mark.slow
def test_a_class_that_copied_is_one_group_and_not_a_list_of_pairs(
    handed_in: Any, make: SimpleNamespace
) -> None:
    students = [f"copy_{number:02}" for number in range(12)]
    for student in students:
        handed_in.submit(student, make.lab(ORIGINAL))
    module, page = written(handed_in, "--names")
    [group] = module["alike"]
    assert group["students"] == [*students, "yan", "zoe"]
    assert group["pairs"] == 14 * 13 // 2
    assert group["score"] >= group["least"] >= MODERATE
    assert f"{', '.join(students)}, yan, zoe" in page


def test_two_that_copied_from_different_people_are_two_groups() -> None:
    pairs = [
        Pair(("ada", "bob"), "a.py", 0.9, "said"),
        Pair(("dan", "eve"), "b.py", 0.95, "more"),
        Pair(("bob", "cy"), "a.py", 0.6, "less"),
    ]
    first, second = groups(pairs)
    assert (first.students, first.part, first.pairs) == (("dan", "eve"), "b.py", 1)
    assert (second.students, second.score, second.least) == (("ada", "bob", "cy"), 0.9, 0.6)
    assert groups([]) == ()
