"""What counts as a figure of a page, and to which kind a page belongs."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import site_looks


@pytest.mark.parametrize(
    ("inside", "counts"),
    [
        ('<svg class="drawing" viewBox="0 0 1 1" role="img"></svg>', True),
        ("<figure><p>x</p></figure>", True),
        ('<img src="a.png">', True),
        ('<span class="twemoji"><svg viewBox="0 0 24 24"></svg></span>', False),
        ("text", False),
    ],
)
def test_a_drawing_is_a_figure_and_an_icon_is_none(inside: str, counts: bool) -> None:
    outside = '<svg role="img"></svg>'
    html = f"{outside}<article class='md-content'>{inside}</article>{outside}"
    assert site_looks.has_figure(html) is counts


def test_a_page_is_of_one_kind(tmp_path: Path) -> None:
    for name in ("modules/a/lesson.html", "modules/a/index.html", "results.html", "install.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found = {kind: [p.name for p in pages] for kind, pages in site_looks.by_kind(tmp_path).items()}
    assert found["lessons"] == ["lesson.html"]
    assert found["other pages of a module"] == ["index.html"]
    assert found["pages on the judge"] == ["results.html"]
    assert found["all others"] == ["install.html"]
