"""An instructor's own assignments in a course go through nbgrader's own steps."""

import json
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.api import Gradebook
from nbgrader.converters import GenerateAssignment
from traitlets.utils.importstring import import_item

from hotloop.course.config import course_api, load_config
from hotloop.course.generate import steps

SECRETS = ("SECRET-SOLUTION", "SECRET-TEST", "SECRET-ANSWER", "SECRET-MARK-SCHEME")
RIGHT = "def square(x):\n    return x * x"

pytestmark = pytest.mark.slow


def marks(grade_id: str, **more: Any) -> dict[str, Any]:
    return {"nbgrader": {"schema_version": 3, "grade_id": grade_id, "task": False, **more}}


def own_notebook() -> Any:
    """An assignment with everything that nbgrader removes."""
    solution = (
        "def square(x):\n    ### BEGIN SOLUTION\n    return x * x  # SECRET-SOLUTION\n"
        "    ### END SOLUTION"
    )
    tests = (
        "assert square(2) == 4\n### BEGIN HIDDEN TESTS\n"
        "assert square(17) == 289  # SECRET-TEST\n### END HIDDEN TESTS"
    )
    written = (
        "SECRET-ANSWER\n\n=== BEGIN MARK SCHEME ===\nSECRET-MARK-SCHEME\n=== END MARK SCHEME ==="
    )
    cells = [
        new_code_cell(solution, metadata=marks("square", grade=False, solution=True, locked=False)),
        new_code_cell(
            tests, metadata=marks("square_test", grade=True, solution=False, locked=True, points=2)
        ),
        new_markdown_cell(
            written, metadata=marks("why", grade=True, solution=True, locked=False, points=3)
        ),
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return new_notebook(cells=cells, metadata=kernel)


def write(folder: Path, notebook: Any, name: str = "warmup.ipynb") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(notebook))


def scores(root: Path, assignment: str) -> dict[str, float]:
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as gradebook:
        gradebook: Any
        return {s.student.id: s.score for s in gradebook.assignment_submissions(assignment)}


def test_it_is_released_without_solutions_and_graded_by_its_tests(course: Any) -> None:
    root = course.root
    write(root / "source" / "warmup", own_notebook())
    api: Any = course_api(load_config(root))
    assert api.generate_assignment("warmup", force=True)["success"]
    released = root / "release" / "warmup" / "warmup.ipynb"
    text = released.read_text()
    assert [secret for secret in SECRETS if secret in text] == []
    assert "square(2) == 4" in text
    for student, answer in (("ada", RIGHT), ("bob", "def square(x):\n    return 4")):
        notebook = json.loads(text)
        notebook["cells"][0]["source"] = answer
        write(root / "submitted" / student / "warmup", notebook)
    for student in ("ada", "bob"):
        result = api.autograde("warmup", student)
        assert result["success"], result
    # The hidden test is back, and only the right answer passes it.
    assert scores(root, "warmup") == {"ada": 2.0, "bob": 0.0}
    assert api.generate_feedback("warmup", "ada", force=True)["success"]
    page = (root / "feedback" / "ada" / "warmup" / "warmup.html").read_text()
    assert "Graded by the assignment's own tests." in page.replace("&#39;", "'")
    assert "hotloop ask" not in page


def test_a_notebook_of_ones_own_beside_a_modules_is_cleared_too(course: Any) -> None:
    write(course.root / "source" / "tiny", own_notebook())
    api: Any = course_api(load_config(course.root))
    assert api.generate_assignment("tiny", force=True)["success"]
    texts = [path.read_text() for path in (course.root / "release" / "tiny").glob("*.ipynb")]
    assert len(texts) == 2
    assert not any(secret in text for text in texts for secret in SECRETS)


def test_a_solution_marked_in_a_modules_notebook_is_cleared_too(course: Any) -> None:
    path = course.root / "source" / "tiny" / "lab.ipynb"
    notebook = json.loads(path.read_text())
    notebook["cells"].append(own_notebook()["cells"][0])
    path.write_text(json.dumps(notebook))
    api: Any = course_api(load_config(course.root))
    assert api.generate_assignment("tiny", force=True)["success"]
    text = (course.root / "release" / "tiny" / "lab.ipynb").read_text()
    assert "SECRET" not in text
    assert "return ..." in text, "the exercise's own cells keep what they say"


def test_formgraders_button_and_nbgraders_command_grade_both_kinds(course: Any, make: Any) -> None:
    """One converter grades a module, then an own assignment: neither keeps the other's steps."""
    root = course.root
    write(root / "source" / "warmup", own_notebook())
    config = load_config(root)
    config.Grading.update(course.settings)
    api: Any = course_api(config)
    assert api.generate_assignment("warmup", force=True)["success"]
    course.submit("ada", make.lab())
    notebook = json.loads((root / "release" / "warmup" / "warmup.ipynb").read_text())
    notebook["cells"][0]["source"] = RIGHT
    write(root / "submitted" / "ada" / "warmup", notebook)
    for assignment in ("tiny", "warmup", "tiny"):
        result = api.autograde(assignment, "ada", force=True)
        assert result["success"], result
    assert scores(root, "warmup") == {"ada": 2.0}
    assert scores(root, "tiny") == {"ada": 9.0}


def test_no_step_of_nbgraders_is_left_out(course: Any) -> None:
    """Whatever nbgrader's list is in its next version, ours has all of it."""
    generate: Any = GenerateAssignment
    classes = [import_item(step) if isinstance(step, str) else step for step in steps()]
    bases = {base for step in classes for base in step.__mro__}
    assert set(generate.preprocessors.default()) <= bases
    config = load_config(course.root)
    assert not {"sanitize_preprocessors", "autograde_preprocessors"} & set(config.Autograde)
