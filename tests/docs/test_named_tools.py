"""The page on named tools: what a row names exists, and a row without a task says why."""

import re

import pytest

from hotloop.core import paths
from hotloop.tasks import curriculum

PAGE = paths.root() / "site" / "pages" / "named-tools.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith(("| named", "| ---"))
]
TASKS = {f"{module.id}.{task.id}" for module in curriculum.modules() for task in module.tasks}
TASK = re.compile(r"`([a-z]\w*\.[a-z]\w*)`")
FILE = re.compile(r"`(\w+/[\w./]+)`")


def test_it_has_the_tools_that_were_named() -> None:
    assert len(ROWS) >= 33
    assert len({row[0] for row in ROWS}) == len(ROWS)
    assert all(len(row) == 4 for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].replace(" ", "_"))
def test_what_a_row_names_exists(row: list[str]) -> None:
    _, _, where, without = row
    tasks, files = TASK.findall(where), FILE.findall(where)
    assert "".join(sorted(tasks + files)), "nowhere"
    named = [f"`{name}`" for name in (*tasks, *files)]
    assert ", ".join(named) == where
    assert set(tasks) <= TASKS
    assert set(TASK.findall(without)) <= TASKS
    assert all((paths.root() / name).is_file() for name in files)
    assert tasks or re.match("no task: |not graded: ", without), "a row without a task says why"
