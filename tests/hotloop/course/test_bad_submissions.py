"""Submissions known to break autograders, in one batch: each gets its verdicts and sentences."""

import json
import os
import subprocess
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

GOOD = {"answer": "passed", "gpu_answer": "partial", "from_file": "passed", "explain": "by hand"}
WRONG = {**GOOD, "answer": "wrong_answer"}
FAILED = {**GOOD, "answer": "runtime_error"}
NO_KERNEL = {**FAILED, "gpu_answer": "runtime_error"}
TIMEOUTS = {**GOOD, "answer": "timeout", "gpu_answer": "timeout"}
TOO_MUCH_MEMORY = {**GOOD, "answer": "memory_limit", "gpu_answer": "memory_limit"}

LOOP = "while True:\n    pass"
DEAF = f"import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n{LOOP}"
BOMB = "hoard = []\nwhile True:\n    hoard.append(b'x' * (1 << 28))"
BOMB_WHEN_JUDGED = "[b'x' * ((1 << 28) + i) for i in range(999)]"
CHILDREN = "import subprocess\nfor _ in range(9):\n    subprocess.Popen(['sleep', '1234567'])"
CHATTER = "import time\nwhile True:\n    print('y' * 1000)\n    time.sleep(0.001)"
THREAD = """import threading
def spin():
    while True:
        pass
threading.Thread(target=spin, daemon=True).start()"""


def without(notebook: Any, grade_id: str) -> Any:
    kept = [c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") != grade_id]
    notebook.cells = kept
    return notebook


def edited(notebook: Any, name: str, /, **changes: Any) -> Any:
    for cell in notebook.cells:
        meta = cell.metadata.get("nbgrader", {})
        if meta.get("grade_id") == name:
            meta.update(changes)
    return notebook


def doubled(notebook: Any) -> Any:
    notebook.cells += [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    return notebook


def stripped(notebook: Any) -> Any:
    for number, cell in enumerate(notebook.cells):
        cell.metadata = {}
        cell.id = f"other-{number}"
    return notebook


def with_kernel(notebook: Any, name: str) -> Any:
    notebook.metadata = {"kernelspec": {"name": name, "display_name": name}}
    return notebook


Lab = Callable[..., Any]


def cases(lab: Lab) -> dict[str, tuple[Any, dict[str, str]]]:
    """Return notebooks and the required verdicts, by name."""
    return {
        "good": (lab(), GOOD),
        "wrong": (lab("41"), WRONG),
        "raises": (lab("1 / 0"), FAILED),
        "cell_raises": (lab(setup="raise ValueError('no')"), GOOD),
        "writes_to_stderr": (lab("__import__('sys').stderr.write('warning') and 42"), GOOD),
        "loops": (lab(setup=LOOP), GOOD),
        "loops_when_judged": (lab("sum(0 for _ in iter(int, 1))"), {**GOOD, "answer": "timeout"}),
        "ignores_interrupts": (lab(setup=DEAF), TIMEOUTS),
        "os_exit": (lab(setup="import os; os._exit(0)"), NO_KERNEL),
        "os_exit_when_judged": (lab("__import__('os')._exit(0)"), NO_KERNEL),
        "memory_bomb": (lab(setup=BOMB), TOO_MUCH_MEMORY),
        "memory_bomb_when_judged": (lab(BOMB_WHEN_JUDGED), TOO_MUCH_MEMORY),
        "leaves_children": (lab(setup=CHILDREN), GOOD),
        "busy_thread": (lab(setup=THREAD), GOOD),
        "prints_20_mb": (lab(setup="print('x' * 20_000_000)"), GOOD),
        "prints_for_ever": (lab(setup=CHATTER), GOOD),
        "deleted_test_cell": (without(lab(), "answer"), GOOD),
        "doubled_cells": (doubled(lab()), GOOD),
        "stripped_cells": (stripped(lab()), GOOD),
        "changed_grade_id": (edited(lab(), "answer", grade_id="answr"), GOOD),
        "changed_points": (edited(lab("41"), "answer", points=1000, locked=False), WRONG),
        "changed_kernelspec": (with_kernel(lab(), "bash"), GOOD),
        "old_schema": (edited(lab(), "answer", schema_version=0), GOOD),
        "new_schema": (edited(lab(), "answer", schema_version=99), GOOD),
        "invalid_json": (b'{"cells": [', NO_KERNEL),
        "empty_file": (b"", NO_KERNEL),
    }


@pytest.fixture
def batch(confined_course: Any, make: SimpleNamespace) -> SimpleNamespace:
    """All cases handed in, and graded in one batch."""
    course, expected = confined_course, {}
    for name, (notebook, verdicts) in cases(make.lab).items():
        course.submit(name, notebook)
        expected[name] = verdicts
    renamed = course.submit("renamed", make.lab())
    (renamed / "lab.ipynb").rename(renamed / "my final version.ipynb")
    course.submit("no_notebook")
    linked = course.submit("linked_files", make.lab())
    (linked / "secret.txt").symlink_to(course.root / "gradebook.db")
    (linked / "dangling").symlink_to("/nowhere")
    os.mkfifo(linked / "pipe")
    expected.update(renamed=GOOD, no_notebook=NO_KERNEL, linked_files=GOOD)
    graded = course.grade(memory_mib=400, cell_timeout_s=4.0)
    return SimpleNamespace(course=course, graded=graded, expected=expected)


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(400)
def test_each_gets_its_verdicts_and_none_stops_the_batch(batch: SimpleNamespace) -> None:
    graded = batch.graded
    assert graded.problems == {}
    verdicts = batch.course.verdicts(graded)
    assert {k: v for k, v in verdicts.items() if v != batch.expected[k]} == {}
    assert verdicts.keys() == batch.expected.keys()
    assert all(r.sentence for r in graded.results)
    assert len(graded.feedback) == len(batch.expected)
    _only_right_answers_earn_points(graded)
    _what_was_printed_is_cut(batch.course)
    _repairs_are_told(batch.course)
    _links_lead_nowhere(batch.course)
    _nothing_is_left_behind()


def _only_right_answers_earn_points(graded: Any) -> None:
    worth = {"answer": 4.0, "from_file": 5.0}
    for result in graded.results:
        if result.task in worth:
            assert result.points == worth[result.task] * (result.verdict == "passed"), result
            assert result.pending == 0, result
        if result.task == "gpu_answer":
            good = result.verdict == "partial"
            assert (result.points, result.pending) == ((3.0, 2.0) if good else (0.0, 0.0)), result


def _what_was_printed_is_cut(course: Any) -> None:
    for student in ("prints_20_mb", "prints_for_ever"):
        text = json.dumps(course.autograded(student))
        assert len(text) < 300_000
        assert "the output was cut here" in text.encode().decode("unicode_escape")


def _repairs_are_told(course: Any) -> None:
    assert "The cell “answer” was missing" in course.page("deleted_test_cell")
    assert "was there more than once" in course.page("doubled_cells")
    assert "my final version.ipynb" in course.page("renamed")
    assert "not valid JSON" in course.page("invalid_json")
    assert "is an empty file" in course.page("empty_file")
    assert "No notebook was handed in" in course.page("no_notebook")
    assert "was missing" not in course.page("good")


def _links_lead_nowhere(course: Any) -> None:
    for step in ("autograded", "feedback"):
        folder = course.root / step / "linked_files" / "tiny"
        assert not {"dangling", "pipe", "secret.txt"} & {path.name for path in folder.iterdir()}
    assert "“secret.txt” was left out" in course.page("linked_files")


def _nothing_is_left_behind() -> None:
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    assert "sleep 1234567" not in running.stdout
