"""Everything that is known to break an autograder, in one batch: each gets verdicts and sentences."""

from __future__ import annotations

import json
import os
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.course.released import notebook_ids

GOOD = {"answer": "passed", "gpu_answer": "partial", "from_file": "passed", "explain": "by hand"}
NO_KERNEL = {**GOOD, "answer": "runtime_error", "gpu_answer": "runtime_error"}
TIMEOUTS = {**GOOD, "answer": "timeout", "gpu_answer": "timeout"}


def without(notebook: Any, *grade_ids: str) -> Any:
    notebook.cells = [
        cell
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id") not in grade_ids
    ]
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


def stripped(notebook: Any, keep_ids: bool) -> Any:
    for number, cell in enumerate(notebook.cells):
        cell.metadata = {}
        if not keep_ids:
            cell.id = f"other-{number}"
    return notebook


def old_format(notebook: Any) -> bytes:
    cells = [
        {"cell_type": cell.cell_type, "metadata": {}, "input": cell.source, "outputs": []}
        if cell.cell_type == "code"
        else {"cell_type": "markdown", "metadata": {}, "source": [cell.source]}
        for cell in notebook.cells
    ]
    document = {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {},
        "worksheets": [{"cells": cells}],
    }
    return json.dumps(document).encode()


def as_text(notebook: Any, **changes: Any) -> bytes:
    document = json.loads(json.dumps(notebook))
    document.update(changes)
    return json.dumps(document).encode()


def cases(lab: Any) -> dict[str, tuple[Any, dict[str, str]]]:
    """By name: what is handed in, and the verdicts that it must get."""
    loop = "while True:\n    pass"
    deaf = f"import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n{loop}"
    stubborn = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    bomb = "hoard = []\nwhile True:\n    hoard.append(bytearray(1 << 26))"
    children = "import subprocess\nfor _ in range(20):\n    subprocess.Popen(['sleep', '1234567'])"
    thread = (
        "import threading\ndef spin():\n    while True:\n        pass\n"
        "threading.Thread(target=spin, daemon=True).start()"
    )
    wrong = {**GOOD, "answer": "wrong_answer"}
    failed = {**GOOD, "answer": "runtime_error"}
    return {
        "good": (lab(), GOOD),
        "wrong": (lab("41"), wrong),
        "raises": (lab("1 / 0"), failed),
        "returns_an_object": (lab("object()"), failed),
        "cell_raises": (lab(setup="raise ValueError('no')"), GOOD),
        "sys_exit": (lab(setup="import sys; sys.exit(3)"), GOOD),
        "syntax_error": (lab("1 +* 2"), failed),
        "infinite_loop_in_a_cell": (lab(setup=loop), GOOD),
        "infinite_loop_when_judged": (
            lab("[0 for _ in iter(int, 1)]"),
            {**GOOD, "answer": "timeout"},
        ),
        "ignores_interrupts": (lab(setup=deaf), TIMEOUTS),
        "catches_interrupts": (lab(setup=stubborn), TIMEOUTS),
        "os_exit": (lab(setup="import os; os._exit(0)"), NO_KERNEL),
        "kills_itself": (lab(setup="import os; os.kill(os.getpid(), 9)"), NO_KERNEL),
        "os_exit_when_judged": (lab("__import__('os')._exit(0)"), NO_KERNEL),
        "memory_bomb": (
            lab(setup=bomb),
            {**GOOD, "answer": "memory_limit", "gpu_answer": "memory_limit"},
        ),
        "memory_bomb_when_judged": (
            lab("len(bytearray(10 ** 10))"),
            {**NO_KERNEL, "answer": "memory_limit", "gpu_answer": "memory_limit"},
        ),
        "fork_bomb": (lab(setup="import os\nwhile True:\n    os.fork()"), TIMEOUTS),
        "leaves_children": (lab(setup=children), GOOD),
        "busy_thread": (lab(setup=thread), GOOD),
        "fills_the_disk": (lab(setup="open('x', 'wb').write(bytes(2 << 30))"), GOOD),
        "prints_20_mb": (lab(setup="print('x' * 20_000_000)"), GOOD),
        "prints_for_ever": (lab(setup="while True:\n    print('y' * 1000)"), GOOD),
        "writes_to_stderr": (lab("__import__('sys').stderr.write('warning') and 42"), GOOD),
        "deleted_test_cell": (without(lab(), "answer"), GOOD),
        "deleted_answer_cell": (without(lab(), "explain"), GOOD),
        "deleted_everything": (without(lab(), *_all_ids(lab)), NO_KERNEL),
        "doubled_cells": (doubled(lab()), GOOD),
        "stripped_metadata": (stripped(lab(), keep_ids=True), GOOD),
        "stripped_metadata_and_ids": (stripped(lab(), keep_ids=False), GOOD),
        "changed_grade_id": (edited(lab(), "answer", grade_id="answr"), GOOD),
        "empty_grade_id": (edited(lab(), "answer", grade_id=""), GOOD),
        "changed_points": (edited(lab("41"), "answer", points=1000), wrong),
        "unlocked": (edited(lab("41"), "answer", locked=False, solution=True), wrong),
        "old_nbgrader_schema": (edited(lab(), "answer", schema_version=0), GOOD),
        "new_nbgrader_schema": (edited(lab(), "answer", schema_version=99), GOOD),
        "metadata_of_wrong_types": (edited(lab(), "answer", grade_id=["answer"], points={}), GOOD),
        "old_notebook_format": (old_format(lab()), GOOD),
        "future_notebook_format": (as_text(lab(), nbformat=99), GOOD),
        "changed_kernelspec": (as_text(lab(), metadata={"kernelspec": {"name": "bash"}}), GOOD),
        "no_metadata": (as_text(lab(), metadata=None), GOOD),
        "invalid_json": (b'{"cells": [', NO_KERNEL),
        "deep_json": (b"[" * 200_000, NO_KERNEL),
        "not_text": (b"\xff\xfe\x00\x01" * 100, NO_KERNEL),
        "other_json": (b"42", NO_KERNEL),
        "cells_are_no_list": (b'{"cells": 3}', NO_KERNEL),
        "cells_are_no_cells": (
            b'{"cells": [1, null, {}, {"cell_type": 3, "source": {}}]}',
            NO_KERNEL,
        ),
        "empty_file": (b"", NO_KERNEL),
    }


def _all_ids(lab: Any) -> list[str]:
    return [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in lab().cells]


@pytest.fixture
def batch(confined_course: Any, make: SimpleNamespace) -> SimpleNamespace:
    """All of it handed in, graded in one go."""
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
    link = course.submit("notebook_is_a_link")
    (link / "lab.ipynb").symlink_to(course.root / "source" / "tiny" / "lab.ipynb")
    folder = course.submit("file_is_a_folder", make.lab())
    (folder / "work.py").unlink()
    (folder / "work.py").mkdir()
    (folder / "work.py" / "x.py").write_text("1")
    expected.update(
        renamed=GOOD,
        no_notebook=NO_KERNEL,
        linked_files=GOOD,
        notebook_is_a_link=NO_KERNEL,
        file_is_a_folder={**GOOD, "from_file": "runtime_error"},
    )
    return SimpleNamespace(course=course, graded=course.grade(), expected=expected)


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(170)
def test_each_gets_its_verdicts_and_none_stops_the_batch(batch: SimpleNamespace) -> None:
    graded, root = batch.graded, batch.course.root
    assert graded.problems == {}
    assert batch.course.verdicts(graded) == batch.expected
    assert all(r.sentence for r in graded.results if r.task != "explain")
    assert len(graded.feedback) == len(batch.expected)
    _no_points_without_a_right_answer(batch)
    _what_was_printed_is_cut(batch)
    _repairs_are_told(batch)
    _links_lead_nowhere(batch)
    assert notebook_ids(f"sqlite:///{root}/gradebook.db", "tiny") == ["lab"]


def _no_points_without_a_right_answer(batch: SimpleNamespace) -> None:
    worth = {"answer": 4.0, "from_file": 5.0}
    for result in batch.graded.results:
        if result.task in worth:
            assert result.points == worth[result.task] * (result.verdict == "passed"), result
            assert result.pending == 0, result
        if result.task == "gpu_answer":
            good = result.verdict == "partial"
            assert (result.points, result.pending) == ((3.0, 2.0) if good else (0.0, 0.0)), result


def _what_was_printed_is_cut(batch: SimpleNamespace) -> None:
    for student in ("prints_20_mb", "prints_for_ever"):
        path = batch.course.root / "autograded" / student / "tiny" / "lab.ipynb"
        assert path.stat().st_size < 300_000
        assert "the output was cut here" in path.read_text()


def _repairs_are_told(batch: SimpleNamespace) -> None:
    assert "The cell “answer” was missing" in batch.course.page("deleted_test_cell")
    assert "was there more than once" in batch.course.page("doubled_cells")
    assert "my final version.ipynb" in batch.course.page("renamed")
    assert "not valid JSON" in batch.course.page("invalid_json")
    assert "No notebook was handed in" in batch.course.page("no_notebook")
    assert "was missing" not in batch.course.page("good")


def _links_lead_nowhere(batch: SimpleNamespace) -> None:
    for step in ("autograded", "feedback"):
        folder = batch.course.root / step / "linked_files" / "tiny"
        assert not (folder / "secret.txt").exists()
    aside = batch.course.root / "set_aside" / "linked_files"
    assert sorted(path.name for path in aside.rglob("*") if not path.is_dir()) == [
        "dangling",
        "pipe",
        "secret.txt",
    ]
