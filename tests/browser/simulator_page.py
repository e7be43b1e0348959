"""A page with CUDA programs, as a reader uses it."""

from __future__ import annotations

import base64
import json
import time
import zlib
from collections.abc import Mapping
from typing import Any

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver

LIMIT_S = 300


def fragment(document: Mapping[str, Any]) -> str:
    """Return the fragment of a link with a program, as the playground's `Copy link` makes it."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = deflate.compress(json.dumps(document).encode()) + deflate.flush()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def playground(driver: WebDriver, address: str, document: Mapping[str, Any]) -> None:
    """Open the playground with a program."""
    driver.get("about:blank")
    driver.get(f"{address}playground.html#{fragment(document)}")
    wait(driver, "return document.querySelector('.kernel .cm-content') !== null")


def press(driver: WebDriver, text: str) -> None:
    """Press the button with this text."""
    buttons = driver.find_elements(By.CSS_SELECTOR, "button")
    button = next(button for button in buttons if button.text == text)
    # The theme's header covers what lies at the top.
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()


def run(driver: WebDriver, button: str = "Run") -> str:
    """Press a button that runs something, and wait for its end; return the status line."""
    press(driver, button)
    return ended(driver)


def ended(driver: WebDriver) -> str:
    """Wait until nothing runs; return the status line."""
    wait(
        driver,
        "const all = [...document.querySelectorAll('.kernel')];"
        "return all.length > 0 && all.every((k) => k.getAttribute('aria-busy') === 'false')",
    )
    return driver.find_element(By.CSS_SELECTOR, ".kernel-status").text


def results(driver: WebDriver) -> str:
    """Return the text of what the last run found."""
    return driver.find_element(By.CSS_SELECTOR, ".kernel-results").text


def source(driver: WebDriver) -> str:
    """Return the text in the editor."""
    return "\n".join(line.text for line in driver.find_elements(By.CSS_SELECTOR, ".cm-line"))


def write(driver: WebDriver, text: str) -> None:
    """Put a text in the place of what is in the editor, as pasting does."""
    content = driver.find_element(By.CSS_SELECTOR, ".cm-content")
    content.click()
    content.send_keys(Keys.CONTROL, "a")
    driver.execute_script(
        "const data = new DataTransfer(); data.setData('text/plain', arguments[1]);"
        "arguments[0].dispatchEvent(new ClipboardEvent('paste',"
        " {clipboardData: data, bubbles: true, cancelable: true}))",
        content,
        text,
    )


def wait(driver: WebDriver, condition: str) -> None:
    """Wait until a script returns true."""
    end = time.monotonic() + LIMIT_S
    while not driver.execute_script(condition):
        assert time.monotonic() < end, f"not within {LIMIT_S} s: {condition}"
        time.sleep(0.1)
