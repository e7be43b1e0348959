"""slow.txt, which tells apart what `make test-slow` runs."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

SLOW = Path(__file__).with_name("slow.txt")


def test_every_line_names_a_test_that_exists(clone: Path) -> None:
    """A file, and a function in it; which parameters it has only a collection could tell."""
    lines = [line for line in SLOW.read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    assert lines == sorted(set(lines))
    for line in lines:
        file, _, test = line.partition("::")
        function = re.escape(test.partition("[")[0])
        assert re.search(
            rf"^def {function}\(", (clone / file).read_text(encoding="utf-8"), re.MULTILINE
        )


def test_what_is_listed_is_marked(pytestconfig: pytest.Config, clone: Path) -> None:
    shared: Any = pytestconfig.pluginmanager.get_plugin(str(clone / "tests" / "conftest.py"))
    listed = SLOW.read_text(encoding="utf-8").splitlines()[-1]
    marked: dict[str, list[str]] = {listed: [], "tests/test_slow.py::quick": []}
    items = [
        SimpleNamespace(
            nodeid=nodeid,
            add_marker=lambda mark, names=names: names.append(mark.name),
            get_closest_marker=lambda _name: None,
        )
        for nodeid, names in marked.items()
    ]
    shared.pytest_collection_modifyitems(SimpleNamespace(getoption=lambda _name: 1), items)
    assert list(marked.values()) == [["slow"], []]
