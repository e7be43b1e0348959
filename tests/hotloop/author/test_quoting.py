"""Quoted code in lessons equals its source."""

from pathlib import Path

import pytest

from hotloop.author import quoting
from hotloop.core import paths
from hotloop.core.user_error import UserError

SOURCE = """\
import math

    # --8<-- [start:half]
    def half(x):
        # --8<-- [start:inner]
        return x / 2
        # --8<-- [end:inner]
    # --8<-- [end:half]
"""


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lesson in a clone that has one program."""
    (tmp_path / "a.py").write_text(SOURCE)
    lesson = tmp_path / "curriculum" / "demo" / "lesson.md"
    lesson.parent.mkdir(parents=True)
    monkeypatch.setattr(paths, "root", lambda: tmp_path)
    monkeypatch.setattr(paths, "curriculum", lambda: tmp_path / "curriculum")
    return lesson


@pytest.mark.parametrize(
    ("source", "quoted"),
    [
        ("a.py:half", "def half(x):\n    return x / 2\n"),
        ("a.py:inner", "return x / 2\n"),
        ("a.py:1:1", "import math\n"),
        ("a.py", "import math\n\n    def half(x):\n        return x / 2\n"),
    ],
)
def test_a_quotation_is_its_source(page: Path, source: str, quoted: str) -> None:
    page.write_text(f"# T\n\n<!-- from {source} -->\n\n```python\nold\n```\n\nEnd.\n")
    assert quoting.stale() == [page]
    assert quoting.write() == [page]
    assert page.read_text() == (
        f"# T\n\n<!-- from {source} -->\n\n```python\n{quoted}```\n\nEnd.\n"
    )
    assert quoting.stale() == []


def test_an_indented_quotation_is_indented(page: Path) -> None:
    page.write_text("- a\n\n    <!-- from a.py:half -->\n\n    ```python\n    ```\n")
    quoting.write()
    assert "    ```python\n    def half(x):\n        return x / 2\n    ```\n" in page.read_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<!-- from b.py -->\n\n```text\n```\n", r"it quotes b\.py, which does not exist"),
        ("<!-- from a.py:third -->\n\n```text\n```\n", "which has no section third"),
        ("<!-- from a.py -->\n\nNo code.\n", "an empty line and fenced code"),
    ],
)
def test_what_cannot_be_quoted_is_refused(page: Path, text: str, said: str) -> None:
    page.write_text(text)
    with pytest.raises(UserError, match=said):
        quoting.stale()


def test_a_fence_in_the_source_needs_a_longer_one(page: Path) -> None:
    (paths.root() / "a.md").write_text("```\nx\n```\n")
    page.write_text("<!-- from a.md -->\n\n```text\n```\n")
    with pytest.raises(UserError, match="use a longer one"):
        quoting.stale()
    page.write_text("<!-- from a.md -->\n\n````text\n````\n")
    assert quoting.write() == [page]
