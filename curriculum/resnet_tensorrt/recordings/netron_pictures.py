"""Netron's pictures of graphs, as PNG files: what its page draws, taken by Chromium.

    pip install netron selenium
    python curriculum/resnet_tensorrt/recordings/netron_pictures.py FOLDER MODEL…

A model is any file that Netron reads: ONNX, TFLite, .pt2, OpenVINO's .xml, an .mlpackage. Debian's
chromium and chromium-driver are needed.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import netron
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE_S = 120
LONGEST = 6000
"""Pixels: what is below is left out of the picture of a tall graph."""

MARGIN = 120
ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--hide-scrollbars",
    "--window-size=900,900",
    # Netron's page reports what it is used for; from here it reaches nobody.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",
)


def main() -> None:
    """A picture for each."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    options = webdriver.ChromeOptions()
    for argument in ARGUMENTS:
        options.add_argument(argument)
    with webdriver.Chrome(options) as browser:
        for model in map(Path, sys.argv[2:]):
            target = folder / f"{model.stem}.png"
            nodes = picture(browser, model, target)
            print(f"{target}: {nodes} nodes, {target.stat().st_size / 1e3:.0f} kB")


def _drawn(page: webdriver.Chrome) -> bool:
    """Whether there are nodes; a question that lies over the page is answered."""
    for button in page.find_elements(By.ID, "message-button"):
        if button.is_displayed():
            button.click()
    return bool(page.find_elements(By.CSS_SELECTOR, "#canvas .graph-node"))


def picture(browser: webdriver.Chrome, model: Path, target: Path) -> int:
    """Draw it, and take the picture; how many nodes it shows."""
    address, port = netron.start(str(model), browse=False)
    for _ in range(2):
        # The second time in a window that all of it fits into.
        browser.get(f"http://{address}:{port}/")
        WebDriverWait(browser, PATIENCE_S).until(_drawn)
        time.sleep(2)
        width, height = browser.execute_script(
            "const box = document.getElementById('canvas').viewBox.baseVal;"
            "return [box.width, box.height]"
        )
        browser.set_window_size(int(width) + MARGIN, min(LONGEST, int(height) + MARGIN))
    nodes = len(browser.find_elements(By.CSS_SELECTOR, "#canvas .graph-node"))
    browser.save_screenshot(str(target))
    netron.stop((address, port))
    return nodes


if __name__ == "__main__":
    main()
