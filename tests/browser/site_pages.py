"""The built site, its kinds of pages, and a browser that opens them as files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lab_window
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

FLAGS = (*lab_window.FLAGS, "--force-prefers-reduced-motion")
DESKTOP, PHONE = (1280, 900), lab_window.PHONE
KINDS: Sequence[tuple[str, str]] = (
    ("home", "index.html"),
    ("all modules", "modules/index.html"),
    ("track", "tracks/*/index.html"),
    ("tier", "tiers/*.html"),
    ("module", "modules/*/index.html"),
    ("lesson", "modules/*/lesson.html"),
    ("notebook", "modules/*/notebook.html"),
    ("solutions", "modules/*/solutions.html"),
    ("questions", "questions/index.html"),
    ("questions of a track", "questions/*/index.html"),
    ("question", "questions/*/*[!x].html"),
    ("question in Chinese", "questions/*/*.zh.html"),
    ("practice", "practice/index.html"),
    ("learning path", "practice/learning-path.html"),
    ("authored", "how-the-judge-works.html"),
    ("figures", "benchmarks.html"),
    ("measured results", "results.html"),
    ("threat model", "threat-model.html"),
    ("details", "threat-model-details.html"),
)
"""What a page is for, and where such pages lie."""

CUT_OFF = """
const cut = [];
for (const code of document.querySelectorAll("article pre > code")) {
  if (!code.checkVisibility()) continue;
  if (code.scrollWidth > code.clientWidth + 1) cut.push("code: " + code.textContent.slice(0, 60));
}
for (const svg of document.querySelectorAll("article svg[viewBox]")) {
  if (!svg.checkVisibility() || svg.closest("a, button, .md-content__button")) continue;
  const frame = svg.parentElement;
  const box = svg.viewBox.baseVal;
  const told = (svg.getAttribute("aria-label") || svg.textContent).trim().slice(0, 60);
  if (frame.scrollWidth > frame.clientWidth + 1) cut.push("diagram: " + told);
  for (const text of svg.querySelectorAll("text")) {
    if (!text.textContent.trim() || text.closest("[transform]")) continue;
    const own = text.getBBox();
    if (own.x < box.x - 1 || own.x + own.width > box.x + box.width + 1 ||
        own.y < box.y - 1 || own.y + own.height > box.y + box.height + 1) {
      cut.push(`text: ${text.textContent} of ${told}`);
    }
  }
}
return cut;
"""
"""Finds code and diagrams wider than their frame, and texts that reach out of a diagram."""


def sample(site: Path) -> dict[str, Path]:
    """The largest page of each kind: it has most to go wrong. The site must have every kind."""
    found: dict[str, Path] = {}
    for kind, pattern in KINDS:
        pages = [page for page in site.glob(pattern) if kind == "question in Chinese" or
                 not page.name.endswith(".zh.html")]  # fmt: skip
        assert pages, f"the site has no page of the kind {kind!r}, {pattern}"
        found[kind] = max(pages, key=lambda page: page.stat().st_size)
    return found


@dataclass
class Browser:
    """Opens pages as files, and remembers what they asked for."""

    driver: webdriver.Chrome

    @classmethod
    def start(cls, *, forgetful: bool = True) -> Browser:
        """forgetful: each page is met as on a first visit, with nothing kept from before."""
        options = webdriver.ChromeOptions()
        options.binary_location = str(shutil.which("chromium"))
        for flag in FLAGS:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        service = Service(executable_path=str(shutil.which("chromedriver")))
        driver = webdriver.Chrome(options=options, service=service)
        driver.set_script_timeout(60)
        if forgetful:
            driver.execute_cdp_cmd(
                "Page.addScriptToEvaluateOnNewDocument",
                {"source": "try { localStorage.clear() } catch {}"},
            )
        return cls(driver)

    def open(self, page: Path, size: tuple[int, int], scheme: str) -> None:
        """Open a page as a file."""
        self.look(size, scheme)
        self.driver.get(page.as_uri())

    def look(self, size: tuple[int, int], scheme: str) -> None:
        """Set the window's width and height, and the scheme that the system asks for."""
        media = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def unfold(self) -> None:
        """Open everything that a click opens."""
        self.driver.execute_script(
            "document.querySelectorAll('details').forEach((each) => { each.open = true })"
        )

    def width(self) -> int:
        """How far the page reaches to the right."""
        return int(self.driver.execute_script("return document.documentElement.scrollWidth"))

    def violations(self, axe: Path) -> list[str]:
        """What axe finds serious or critical, with the elements."""
        self.driver.execute_script(axe.read_text(encoding="utf-8"))
        result: Any = self.driver.execute_async_script(
            "const done = arguments[0];"
            "axe.run(document, {resultTypes: ['violations']}).then(done, (e) => done(String(e)))"
        )
        assert not isinstance(result, str), result
        return [
            f"{v['impact']} {v['id']}: {v['help']}: "
            + "; ".join(str(node["target"]) for node in v["nodes"][:3])
            for v in result["violations"]
            if v["impact"] in {"serious", "critical"}
        ]

    def scheme(self) -> str:
        """The color scheme that is shown."""
        shown = "return document.body.getAttribute('data-md-color-scheme')"
        return {"default": "light", "slate": "dark"}[self.driver.execute_script(shown)]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last call."""
        found: list[str] = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def errors(self) -> list[str]:
        """What the pages' scripts complained of since the last call."""
        return [e["message"] for e in self.driver.get_log("browser") if e["level"] == "SEVERE"]
