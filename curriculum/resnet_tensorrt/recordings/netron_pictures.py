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

MARGIN = 40


def main() -> None:
    """A picture for each."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--hide-scrollbars", "--window-size=900,900"):
        options.add_argument(argument)
    with webdriver.Chrome(options) as browser:
        for model in map(Path, sys.argv[2:]):
            target = folder / f"{model.stem}.png"
            nodes = picture(browser, model, target)
            print(f"{target}: {nodes} nodes, {target.stat().st_size / 1e3:.0f} kB")


def picture(browser: webdriver.Chrome, model: Path, target: Path) -> int:
    """Draw it, and take the picture; how many nodes it shows."""
    address, port = netron.start(str(model), browse=False)
    browser.get(f"http://{address}:{port}/")
    WebDriverWait(browser, PATIENCE_S).until(
        lambda page: page.find_elements(By.CSS_SELECTOR, "#canvas .graph-node")
    )
    size = browser.execute_script(
        "const box = document.getElementById('canvas').getBoundingClientRect();"
        "return [box.width, box.height]"
    )
    browser.set_window_size(int(size[0]) + MARGIN, min(LONGEST, int(size[1]) + MARGIN))
    time.sleep(2)
    nodes = len(browser.find_elements(By.CSS_SELECTOR, "#canvas .graph-node"))
    browser.save_screenshot(str(target))
    netron.stop((address, port))
    return nodes


if __name__ == "__main__":
    main()
