"""How much of the built site is cut off, and how many of its pages have a figure?

    make site && python tests/benchmarks/site_looks.py

Figures are counted in all pages. The largest pages of each kind (`--most` of them; 0: all) are
opened in Chromium at 1280 and at 390 pixels, with everything unfolded: `opened` is how many. A code
block counts as cut off if it is wider than its frame, a diagram if it is wider than its frame or if
one of its texts reaches out of it. Needs chromium, chromedriver and selenium.
"""

import argparse
import importlib
import json
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RESULT = Path(__file__).parent / "results" / "site_looks.json"
SITE = ROOT / "build" / "site"
WIDTHS = (1280, 390)
FIGURE = re.compile(r'<svg[^>]*role="img"|<figure|<img ')
KINDS: Mapping[str, Sequence[str]] = {
    "lessons": ("modules/*/lesson*.html",),
    "other pages of a module": ("modules/*/*.html",),
    "questions": ("questions/*/*.html",),
    "lists of modules and questions": (
        "modules/index.html",
        "tracks/*/*.html",
        "tiers/*.html",
        "questions/*.html",
    ),
    "pages on the judge": (
        "benchmarks.html",
        "checks.html",
        "results.html",
        "how-the-judge-works.html",
        "threat-model*.html",
    ),
    "all others": ("**/*.html",),
}
"""A page belongs to the first kind that matches it."""


def main() -> None:
    """Measure and print; with --keep, write the result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--keep", action="store_true", help=f"write {RESULT.name}")
    parser.add_argument("--most", type=int, default=8, help="pages of each kind to open; 0: all")
    arguments = parser.parse_args()
    result = measured(SITE, arguments.most)
    text = json.dumps(result, indent=1)
    print(text)
    if arguments.keep:
        RESULT.write_text(f"{text}\n", encoding="utf-8")


def measured(site: Path, most: int) -> dict[str, Any]:
    """Return the figures of all pages, by kind."""
    browser = site_pages().Browser.start()
    try:
        rows = [row(site, kind, pages, most, browser) for kind, pages in by_kind(site).items()]
    finally:
        browser.driver.quit()
    return {
        "device": "any device, by Chromium",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "pages": sum(each["pages"] for each in rows),
        "pages_with_a_figure": sum(each["with_a_figure"] for each in rows),
        "opened": sum(each["opened"] for each in rows),
        "cut_off": sum(each[f"cut_off_at_{width}"] for each in rows for width in WIDTHS),
        "rows": rows,
    }


def site_pages() -> Any:
    """Return the browser tests' module of that name."""
    folder = str(ROOT / "tests" / "browser")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module("site_pages")


def by_kind(site: Path) -> dict[str, list[Path]]:
    """Return the pages of each kind."""
    left = set(site.rglob("*.html"))
    found: dict[str, list[Path]] = {}
    for kind, patterns in KINDS.items():
        mine = {page for pattern in patterns for page in site.glob(pattern)} & left
        found[kind] = sorted(mine)
        left -= mine
    return found


def row(site: Path, kind: str, pages: Sequence[Path], most: int, browser: Any) -> dict[str, Any]:
    """Return one kind's figures; what is cut off is named on standard error."""
    opened = sorted(pages, key=lambda page: page.stat().st_size, reverse=True)[: most or None]
    result: dict[str, Any] = {
        "kind": kind,
        "pages": len(pages),
        "with_a_figure": sum(has_figure(page.read_text(encoding="utf-8")) for page in pages),
        "opened": len(opened),
    }
    for width in WIDTHS:
        cut, tallest = 0, 0
        for page in opened:
            browser.open(page, (width, 900), "light")
            height = "return document.documentElement.scrollHeight"
            tallest = max(tallest, int(browser.driver.execute_script(height)))
            browser.unfold()
            found = browser.driver.execute_script(site_pages().CUT_OFF)
            cut += len(found)
            for each in found:
                print(f"{width}: {page.relative_to(site)}: {each}", file=sys.stderr)
        result[f"cut_off_at_{width}"] = cut
        result[f"tallest_at_{width}_px"] = tallest
    return result


def has_figure(html: str) -> bool:
    """True if the page's article has a drawing or a picture; the theme's icons are none."""
    article = html.partition("<article")[2].partition("</article>")[0]
    return FIGURE.search(article) is not None


if __name__ == "__main__":
    main()
