"""Feedback pages; no code of the learner runs in them or in formgrader."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbgrader
import pytest
from bs4 import BeautifulSoup
from nbconvert.exporters import HTMLExporter
from nbformat.v4 import new_markdown_cell, new_raw_cell
from traitlets.config import Config

from hotloop.course import points
from hotloop.tasks.problem import Score
from hotloop.verdicts.render_record import points_text

EVIL = "<script>alert('EVIL')</script><img src=x onerror=alert('EVIL')>"
CODE = f"""
from IPython.display import HTML, SVG, Javascript, Markdown, display
display(HTML({EVIL!r}), SVG('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"></svg>'))
display(Javascript("alert('EVIL')"), Markdown({EVIL!r}))
display({{"text/html": {EVIL!r}, "image/png": "\\"><script>"}}, raw=True)
print({EVIL!r})
raise ValueError({EVIL!r})
"""


def hostile(make: SimpleNamespace) -> Any:
    """A notebook with scripts in every place that holds text."""
    notebook = make.lab(answer=f"1 / 0  # {EVIL}", explain=f"Because {EVIL}", setup=CODE)
    link = new_markdown_cell("[x](javascript:alert(1))", attachments={"a": {"image/svg+xml": EVIL}})
    notebook.cells += [new_markdown_cell(EVIL), link, new_raw_cell(EVIL)]
    for cell in notebook.cells:
        cell.metadata.update(tags=[f'">{EVIL}'], magics_language=f'">{EVIL}', name=EVIL)
        if cell.cell_type == "raw":
            cell.metadata["raw_mimetype"] = "text/html"
        if cell.cell_type == "code":
            cell.execution_count = EVIL
    notebook.metadata.update(title=EVIL, language_info={"name": f'">{EVIL}'}, widgets={"x": EVIL})
    return notebook


def formgrader_page(notebook: Path) -> str:
    """Return formgrader's page, with its own template and settings."""
    templates = Path(nbgrader.__file__).parent / "server_extensions" / "formgrader" / "templates"
    config = Config()
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [str(templates)]
    resources = {
        "base_url": "",
        "notebook_id": "lab",
        "index": 0,
        "total": 1,
        "assignment_id": "tiny",
        "submission_id": "1",
        "student": "eve",
        "last_name": "",
        "first_name": "",
        "notebook_path": "",
    }
    page, _ = HTMLExporter(config=config).from_filename(str(notebook), resources=resources)
    return page


def running(page: str) -> list[str]:
    """Return scripts, handlers and links that run code, except formgrader's own."""
    found: list[str] = []
    for tag in BeautifulSoup(page, "html.parser").find_all(True):
        if tag.name == "script" and "EVIL" in tag.get_text():
            found.append("script")
        for name, value in tag.attrs.items():
            handler = name.startswith("on") and "toggle_name" not in str(value)
            if handler or "javascript:" in str(value) or "EVIL" in str(value):
                found.append(f"{tag.name} {name}={value}")
    return found


@pytest.mark.slow
def test_nothing_of_the_learners_runs(course: Any, make: SimpleNamespace) -> None:
    notebook = hostile(make)
    assert "EVIL" in json.dumps(notebook)
    course.submit("eve", notebook)
    assert course.grade().problems == {}
    autograded = course.root / "autograded" / "eve" / "tiny" / "lab.ipynb"
    for page in (course.page("eve"), formgrader_page(autograded)):
        assert running(page) == []
        # It is not removed either: the learner's text can be read.
        assert "alert('EVIL')" in BeautifulSoup(page, "html.parser").get_text()


@pytest.mark.slow
def test_the_page_stands_alone(course: Any, make: SimpleNamespace) -> None:
    course.submit("ada", make.lab())
    course.grade()
    soup = BeautifulSoup(course.page("ada"), "html.parser")
    assert soup.find_all(["script", "link", "iframe"]) == []
    policy = soup.find("meta", attrs={"http-equiv": "Content-Security-Policy"})
    assert policy is not None
    assert "default-src 'none'" in str(policy["content"])
    assert all(not str(img.get("src")).startswith("http") for img in soup.find_all("img"))


@pytest.mark.slow
def test_verdicts_sentences_and_points_are_on_it(course: Any, make: SimpleNamespace) -> None:
    course.submit("ada", make.lab("41"))
    course.grade()
    soup = BeautifulSoup(course.page("ada"), "html.parser")
    rows = {
        cells[0]: cells[1:]
        for cells in (
            [td.get_text(" ", strip=True) for td in row.find_all("td")]
            for row in soup.select("table.tasks tbody tr")
        )
    }
    assert rows["answer"] == ["wrong answer", "0 of 4", "It returned 41, not 42."]
    assert rows["gpu_answer"][:2] == ["passed here, GPU pending", "3 of 5, 2 pending"]
    assert "gpu_correct" in rows["gpu_answer"][2]
    assert "There is no GPU here." in soup.get_text()
    assert rows["from_file"] == ["passed", "5 of 5", "Right."]
    assert soup.find(id="answer") is not None
    assert "Hint" in soup.get_text()
    assert soup.find("details") is not None


@pytest.mark.slow
def test_what_is_pending_is_no_zero(course: Any, make: SimpleNamespace) -> None:
    course.submit("ada", make.lab(explain="Because it is."))
    course.grade()
    soup = BeautifulSoup(course.page("ada"), "html.parser")
    assert [cell.get_text() for cell in soup.select(".points.pending")] == [
        "3 of 5, 2 pending",
        "6 pending",
    ]
    total = soup.select_one(".total")
    assert total is not None
    assert total.get_text() == "12 of 20 points, 8 pending"
    assert points_text(Score(0, 6, 6)) == "6 points pending"


@pytest.mark.slow
def test_the_page_says_whose_it_is_and_on_what(course: Any, make: SimpleNamespace) -> None:
    course.submit("ada", make.lab())
    course.grade()
    soup = BeautifulSoup(course.page("ada"), "html.parser")
    assert soup.h1 is not None
    assert soup.h1.get_text() == "Tiny"
    assert "Feedback to ada on tiny" in soup.get_text()


def test_lateness_costs_no_more_than_there_is() -> None:
    found = points.total([Score(3, 0, 5), Score(0, 5, 5)], 4.0)
    assert found == Score(0.0, 5.0, 10.0)


@pytest.mark.slow
def test_the_check_is_not_on_the_page(course: Any, make: SimpleNamespace) -> None:
    course.submit("ada", make.lab())
    course.grade()
    assert "check('tiny." not in course.page("ada")
    assert "hotloop.worker" not in course.page("ada")
    assert "serve_judge" not in json.dumps(course.autograded("ada"))
