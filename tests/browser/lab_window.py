"""JupyterLab as a person uses it: menus, buttons, keys; and a picture of each step."""

import base64
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from lab_server import Address, lab_server
from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
)
from selenium.webdriver import ActionChains
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

T = TypeVar("T")

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
DESKTOP = (1440, 900)
PHONE = (390, 844)
PIECE = 2000
"""Pixels of height, of which a person still sees each."""
NOTEBOOK = ".jp-NotebookPanel:not(.lm-mod-hidden)"
NOT_NOW = (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
)
"""What the page says while it is still being drawn."""


class LabWindow:
    """A browser window. Where something is waited for, the error says what did not come."""

    def __init__(self, address: Address, pictures: Path) -> None:
        self.address = address
        self.pictures = pictures
        self._taken = 0
        options = webdriver.ChromeOptions()
        options.binary_location = str(shutil.which("chromium"))
        for flag in (*FLAGS, f"--window-size={DESKTOP[0]},{DESKTOP[1]}"):
            options.add_argument(flag)
        # With a path, selenium downloads no driver.
        service = Service(executable_path=str(shutil.which("chromedriver")))
        self.driver = webdriver.Chrome(options=options, service=service)

    def close(self) -> None:
        self.driver.quit()

    # --- waiting and finding ----------------------------------------------------------------------

    def until(self, true: Callable[[], T], what: str, seconds: float = 40.0) -> T:
        """The first true value; AssertionError with a picture when it does not come."""
        given_up = time.monotonic() + seconds
        while time.monotonic() < given_up:
            try:
                if found := true():
                    return found
            except NOT_NOW:
                pass
            time.sleep(0.2)
        self.picture("what-was-seen-instead")
        raise AssertionError(f"after {seconds:g} s still waiting for {what}")

    def all(self, css: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def one(self, css: str, text: str | None = None) -> WebElement:
        """A visible element, with exactly this text if one is given."""

        def found() -> WebElement | None:
            shown = [e for e in self.all(css) if e.is_displayed()]
            fitting = [e for e in shown if text is None or e.text.strip() == text]
            return fitting[0] if fitting else None

        return self.until(found, f"{css} {text or ''}")

    def click(self, css: str, text: str | None = None) -> None:
        def clicked() -> bool:
            self.one(css, text).click()
            return True

        self.until(clicked, f"a click on {css} {text or ''}")

    def press(self, element: WebElement) -> None:
        """A click in the middle of the window, where formgrader's bar, which stays at the top, does
        not cover the element. Formgrader scrolls by itself when the focus moves: tried again until
        it has come to rest.
        """

        def pressed() -> bool:
            self.into_view(element)
            element.click()
            return True

        self.until(pressed, "a click on an element that is there")

    def into_view(self, element: WebElement) -> None:
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)

    def keys(self, *keys: str, control: bool = False, shift: bool = False) -> None:
        chain = ActionChains(self.driver)
        held = [key for key, on in ((Keys.CONTROL, control), (Keys.SHIFT, shift)) if on]
        for key in held:
            chain.key_down(key)
        for key in keys:
            chain.send_keys(key)
        for key in held:
            chain.key_up(key)
        chain.perform()

    def text(self) -> str:
        return self.one("body").text

    # --- pictures ---------------------------------------------------------------------------------

    def picture(self, name: str) -> None:
        """The window as it is."""
        self.driver.save_screenshot(str(self._next(name)))

    def whole_pictures(self, name: str, size: tuple[int, int]) -> int:
        """The page at this size of the window, in pieces. Returns how wide it is, in pixels."""
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self._cdp("Emulation.setDeviceMetricsOverride", metrics)
        page = self._cdp("Page.getLayoutMetrics", {})["cssContentSize"]
        for top in range(0, int(page["height"]), PIECE):
            clip = {"x": 0, "y": top, "width": width, "height": PIECE, "scale": 1}
            shot = {"captureBeyondViewport": True, "clip": clip}
            taken = self._cdp("Page.captureScreenshot", shot)["data"]
            self._next(name).write_bytes(base64.b64decode(taken))
        self._cdp("Emulation.clearDeviceMetricsOverride", {})
        return int(page["width"])

    def _cdp(self, command: str, parameters: dict[str, object]) -> dict[str, object]:
        return self.driver.execute_cdp_cmd(command, parameters)

    def _next(self, name: str) -> Path:
        self.pictures.mkdir(parents=True, exist_ok=True)
        self._taken += 1
        return self.pictures / f"{self._taken:02}-{name}.png"

    # --- JupyterLab -------------------------------------------------------------------------------

    def open(self, path: str = "lab") -> None:
        self.driver.switch_to.default_content()
        self.driver.get(self.address.url(path))

    def menu(self, menu: str, item: str) -> None:
        self.driver.switch_to.default_content()
        self.click(".lm-MenuBar-itemLabel", menu)
        self.click(".lm-Menu-itemLabel", item)

    def tab(self, name: str) -> None:
        self.driver.switch_to.default_content()
        self.click(".lm-DockPanel-tabBar .lm-TabBar-tabLabel", name)

    def frame(self, css: str) -> None:
        """What is clicked and read from now on lies in a page within the page."""
        self.driver.switch_to.default_content()
        self.driver.switch_to.frame(self.one(css))

    # --- a notebook: cells are counted from 0, as in its file -------------------------------------

    def go_to_cell(self, number: int) -> None:
        """Select a cell, with the keys of command mode."""
        self.click(f"{NOTEBOOK} .jp-Cell.jp-mod-selected .jp-InputPrompt")
        self.keys(Keys.ESCAPE)
        for _ in range(60):
            at = self._selected()
            if at == number:
                return
            self.keys("j" if at < number else "k")
            time.sleep(0.05)
        raise AssertionError(f"there is no way to cell {number}")

    def write_cell(self, number: int, source: str) -> None:
        """Replace a cell's text, as pasting would."""
        self.go_to_cell(number)
        self.keys(Keys.ENTER)
        self.keys("a", control=True)
        self._cdp("Input.insertText", {"text": source})

    def run_cell(self) -> None:
        """The selected one, which stays selected."""
        self.keys(Keys.ENTER, control=True)

    def save(self) -> None:
        self.keys("s", control=True)

    def _selected(self) -> int:
        """From the status bar, which says `Cell 3/32`."""
        said = next(e.text for e in self.all(".jp-StatusBar-TextItem") if "Cell " in e.text)
        return int(said.partition("Cell ")[2].partition("/")[0]) - 1


@contextmanager
def lab_window(folder: Path, own: Path, pictures: Path) -> Iterator[LabWindow]:
    """A window before JupyterLab in `folder`; `own` and `pictures` as for server and window."""
    with lab_server(folder, own) as address:
        window = LabWindow(address, pictures)
        try:
            yield window
        finally:
            window.close()
