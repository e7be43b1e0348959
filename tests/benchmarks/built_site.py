"""Reads the built site as a browser would: where links lead, and what loads from other hosts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADING = {
    ("script", "src"),
    ("img", "src"),
    ("img", "srcset"),
    ("iframe", "src"),
    ("source", "src"),
    ("source", "srcset"),
    ("video", "src"),
    ("audio", "src"),
    ("embed", "src"),
    ("object", "data"),
    ("image", "href"),
    ("use", "href"),
    ("input", "src"),
}
"""(tag, attribute) pairs whose URL a browser loads without a click."""
_IN_STYLES = re.compile(r"""(?:url\(\s*|@import\s+)["']?([^"')\s]+)""")


@dataclass
class Page:
    """The checked parts of a page: anchors, links as (line, address), and URLs it loads."""

    anchors: set[str] = field(default_factory=set[str])
    links: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    loaded: list[str] = field(default_factory=list[str])


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()
        self._in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_style = tag == "style"
        attributes = {name: value or "" for name, value in attrs}
        self.page.anchors |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        if tag == "a" and attributes.get("href"):
            self.page.links.append((self.getpos()[0], attributes["href"]))
        if tag == "link" and attributes.get("rel") not in {
            "canonical",
            "prev",
            "next",
            "alternate",
        }:
            self.page.loaded.append(attributes.get("href", ""))
        for name, value in attributes.items():
            if (tag, name.removeprefix("xlink:")) in _LOADING:
                self.page.loaded += [part.split()[0] for part in value.split(",") if part.strip()]
        self.page.loaded += _IN_STYLES.findall(attributes.get("style", ""))

    def handle_endtag(self, tag: str) -> None:
        self._in_style = self._in_style and tag != "style"

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.page.loaded += _IN_STYLES.findall(data)


def pages(site: Path) -> list[Path]:
    """All pages of the built site."""
    return sorted(site.rglob("*.html"))


@cache
def read(path: Path) -> Page:
    """Parse a page; the result is cached."""
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader.page


def links(site: Path) -> Iterator[tuple[Path, int, str]]:
    """Yield every link within this site: the page that holds it, its line, its address."""
    for path in pages(site):
        for line, address in read(path).links:
            if not urlsplit(address).scheme and not address.startswith("//"):
                yield path, line, address


def broken_links(site: Path) -> list[str]:
    """Return a message for each link to a missing file or a missing anchor."""
    broken: list[str] = []
    for path, line, address in links(site):
        parts = urlsplit(address)
        root = site if parts.path.startswith("/") else path.parent
        target = (root / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
        if target.is_dir():
            target = target / "index.html"
        if not target.is_file():
            broken.append(f"{path.relative_to(site)}:{line}: {address} leads nowhere")
        elif parts.fragment and target.suffix == ".html":
            anchor = unquote(parts.fragment)
            if anchor not in read(target).anchors:
                broken.append(f"{path.relative_to(site)}:{line}: {address} has no such anchor")
    return broken


def foreign(site: Path) -> list[str]:
    """Return what pages and style sheets load from other hosts; plain links do not count."""
    urls_elsewhere: list[str] = []
    for path in pages(site):
        urls_elsewhere += [
            f"{path.relative_to(site)}: {url}" for url in read(path).loaded if _elsewhere(url)
        ]
    for path in sorted(site.rglob("*.css")):
        urls = _IN_STYLES.findall(path.read_text(encoding="utf-8"))
        urls_elsewhere += [f"{path.relative_to(site)}: {url}" for url in urls if _elsewhere(url)]
    return urls_elsewhere


def _elsewhere(url: str) -> bool:
    return url.startswith("//") or urlsplit(url).scheme in {"http", "https", "ws", "wss", "ftp"}
