"""The page for marking a submission, on which no code of the learner runs."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bs4 import BeautifulSoup
from nbgrader.api import Gradebook

from hotloop.course import formgrader
from hotloop.course.config import database

EVIL = "<script>alert('EVIL')</script><img src=x onerror=alert('EVIL')></code></pre>{{ 7 * 7 }}"
NAME = "<img src=x onerror=alert('EVIL')>.py"


def soup(page: str) -> Any:
    return BeautifulSoup(page, "html.parser")


def running(page: str) -> list[str]:
    """Return the parts of a page in which a browser would run the learner's code."""
    found: list[str] = []
    for tag in soup(page).find_all(True):
        if tag.name == "script" and "EVIL" in tag.get_text():
            found.append("script")
        found += [f"{tag.name} {k}" for k, v in tag.attrs.items() if "EVIL" in f"{k}{v}"]
    return found


@pytest.mark.slow
def test_files_of_a_learner_are_shown_and_run_nowhere(desk: Any, make: SimpleNamespace) -> None:
    files = {"work.py": EVIL, NAME: EVIL, "page.html": EVIL, "twisted.py": "a \u202e b"}
    shows = f"from IPython.display import HTML, display\ndisplay(HTML({EVIL!r}))\nprint({EVIL!r})"
    desk.course.submit("eve", make.lab(f"1 / 0  # {EVIL}", explain=EVIL, setup=shows), files)
    desk.course.grade()
    page, feedback = desk.page("eve"), desk.course.page("eve")
    for text in (page, feedback):
        assert running(text) == []
        (work,) = [f for f in soup(text).select(".hl-file") if "work.py" in f.summary.get_text()]
        assert work.pre.get_text() == EVIL
    (others,) = soup(page).select("#hotloop-others")
    assert NAME in others.get_text()
    assert "\u202e" not in others.get_text()
    assert NAME not in soup(feedback).get_text()


@pytest.mark.slow
def test_a_hostile_learners_name_runs_nothing(desk: Any, make: SimpleNamespace) -> None:
    desk.course.submit("eve", make.lab())
    desk.course.grade()
    with Gradebook(database(desk.course.root)) as gradebook:
        gradebook.update_or_create_student("eve", last_name=EVIL, first_name=EVIL)
    assert running(desk.page("eve")) == []


def test_an_address_runs_nothing(desk: Any) -> None:
    page = desk.ask("gradebook/%22%3E%3Cscript%3Ealert('EVIL')%3C%2Fscript%3E").text
    assert "<script>alert('EVIL')" not in page


@pytest.mark.slow
def test_a_learners_page_is_served_without_this_servers_rights(
    desk: Any, make: SimpleNamespace
) -> None:
    desk.course.submit("eve", make.lab(), {"page.html": EVIL})
    desk.course.grade()
    answer = desk.ask(f"submissions/{desk.notebook('eve')}/page.html")
    assert answer.text == EVIL
    assert answer.headers["Content-Security-Policy"].startswith("sandbox;")
    assert "allow" not in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.slow
def test_the_rubric_is_for_graders_until_a_mark_is_given(desk: Any, make: SimpleNamespace) -> None:
    desk.course.submit("ada", make.lab(explain="Because."))
    desk.course.grade()
    rows = [
        row.get_text(" ", strip=True) for row in soup(desk.page("ada")).select(".hotloop-rubric tr")
    ]
    assert rows == ["6 e", "4.5 d", "3 c", "1.5 b", "0 a"]
    assert soup(desk.course.page("ada")).select(".rubric") == []
    assert "rubric" not in (desk.course.root / "release" / "tiny" / "lab.ipynb").read_text()
    desk.put(desk.grades("ada")["explain"], manual_score=4.5)
    assert desk.ask("api/assignment/tiny/ada/generate_feedback", {}).json["success"]
    assert "4.5 d" in soup(desk.course.page("ada")).select(".rubric")[0].get_text(" ")


@pytest.mark.slow
def test_only_the_judged_task_has_its_file(desk: Any, make: SimpleNamespace) -> None:
    desk.course.submit("ada", make.lab())
    (desk.course.root / "submitted" / "ada" / "tiny" / "work.py").unlink()
    desk.course.grade()
    (beside,) = soup(desk.page("ada")).select(".hotloop-beside .hl-file")
    assert beside.get_text() == "work.py (not handed in)"


def test_jupyter_loads_this_formgrader_and_not_nbgraders() -> None:
    """Jupyter reads a folder's files in order of their names; a later one wins."""
    folder = Path(formgrader.__file__).parent / "jupyter"
    loaded: dict[str, bool] = {"nbgrader.server_extensions.formgrader": True}
    for path in sorted(folder.glob("*.json")):
        settings = json.loads(path.read_text())["ServerApp"]["jpserver_extensions"]
        assert list(settings) == [path.stem]
        loaded |= settings
    assert loaded == {
        "hotloop.course.formgrader": True,
        "nbgrader.server_extensions.formgrader": False,
    }
    assert min(name for name, on in loaded.items() if not on) + ".json" > "nbgrader.json"
