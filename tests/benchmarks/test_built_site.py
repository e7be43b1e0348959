"""The reader of built pages finds broken links and resources from other hosts."""

from pathlib import Path

import pytest
from tests.benchmarks import built_site as built


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "index.html").write_text("<h1 id='top'>x</h1>")
    return tmp_path


def page(site: Path, body: str) -> None:
    (site / "index.html").write_text(f"<body>\n{body}</body>")
    built.read.cache_clear()


@pytest.mark.parametrize(
    "address",
    ["sub/index.html", "sub/", "sub/index.html#top", "/sub/index.html", "#here", "mailto:a@b.c"],
)
def test_a_good_link(site: Path, address: str) -> None:
    page(site, f"<a id='here' href='{address}'>x</a>")
    assert built.broken_links(site) == []


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("gone.html", "index.html:2: gone.html leads nowhere"),
        ("sub/index.html#gone", "index.html:2: sub/index.html#gone has no such anchor"),
        ("#gone", "index.html:2: #gone has no such anchor"),
    ],
)
def test_a_broken_link(site: Path, address: str, said: str) -> None:
    page(site, f"<a href='{address}'>x</a>")
    assert built.broken_links(site) == [said]


@pytest.mark.parametrize(
    "body",
    [
        "<script src='https://a.example/x.js'></script>",
        "<link rel='stylesheet' href='//a.example/x.css'>",
        "<link rel='preconnect' href='https://a.example'>",
        "<img src='x.png' srcset='x.png 1x, https://a.example/x.png 2x'>",
        "<p style='background: url(https://a.example/x.png)'></p>",
        "<style>@import 'https://a.example/x.css';</style>",
        "<svg><image xlink:href='https://a.example/x.png'/></svg>",
    ],
)
def test_what_comes_from_elsewhere(site: Path, body: str) -> None:
    page(site, body)
    [found] = built.foreign(site)
    assert "a.example" in found


def test_a_link_is_no_loading_and_a_style_sheet_is_read(site: Path) -> None:
    page(site, "<a href='https://a.example'>x</a><img src='data:image/png;base64,xx'>")
    assert built.foreign(site) == []
    (site / "x.css").write_text("p { background: url('https://a.example/x.png') }")
    assert built.foreign(site) == ["x.css: https://a.example/x.png"]
