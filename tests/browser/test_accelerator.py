"""The page of accelerators: a program takes the same cycles there as in a terminal."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from selenium.webdriver.remote.webdriver import WebDriver
    from site_pages import Browser

pytestmark = [
    pytest.mark.browser,
    # The first test waits for the whole site to be built.
    pytest.mark.timeout(1200),
]

PAGE = "accelerator.html"
VERDICT = ".kernel-verdict"


@pytest.fixture
def driver(browser: Browser, address: str) -> WebDriver:
    from simulator_page import wait
    from site_pages import DESKTOP

    browser.look(DESKTOP, "light")
    browser.errors()
    browser.requests()
    browser.driver.get(f"{address}{PAGE}")
    wait(browser.driver, "return document.querySelector('.kernel .cm-content') !== null")
    return browser.driver


def text_of(driver: WebDriver, selector: str) -> str:
    from selenium.webdriver.common.by import By

    return driver.find_element(By.CSS_SELECTOR, selector).text


def choose(driver: WebDriver, name: str, value: str) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import Select

    Select(driver.find_element(By.CSS_SELECTOR, f"select[name={name}]")).select_by_value(value)


def test_the_naive_program_takes_the_cycles_of_the_engine(
    driver: WebDriver, browser: Browser, address: str
) -> None:
    from simulator_page import results, run

    from hotloop.engines.accelerator import machine as machines
    from hotloop.engines.accelerator import walk as walks
    from hotloop.engines.accelerator.run import run as run_here

    assert run(driver).startswith("Done")
    walk = walks.draw(12)
    work = walks.work(walk, 16, random.Random(1))
    naive = walks.naive(walk, 16)
    cycles = run_here(machines.draw(12), naive, work.memory, work.writable, 10**6).cycles
    assert text_of(driver, VERDICT).startswith(
        f"Right. {cycles:,} cycles; naive program {cycles:,}"
    )
    for words in ("Cycles without a bundle", "Slots used", "Cycles by line"):
        assert words in results(driver)
    asked = browser.requests()
    assert not [url for url in asked if not url.startswith((address, "blob:", "data:"))]
    assert not [url for url in asked if "llvm" in url or "python.zip" in url]
    assert not browser.errors()


def test_the_reference_takes_the_cycles_that_it_takes_in_a_terminal(
    driver: WebDriver, clone: Path, tmp_path: Path
) -> None:
    from selenium.webdriver.common.by import By
    from simulator_page import run

    solution, given = clone / "solutions/unknown_machine", clone / "exercises/unknown_machine"
    for file in (solution / "walk.py", solution / "scheduler.py", given / "try.py"):
        shutil.copyfile(file, tmp_path / file.name)
    done = subprocess.run(
        [sys.executable, "try.py", "walk", "80"],
        cwd=tmp_path, check=True, capture_output=True, text=True,
    )  # fmt: skip
    cycles = int(done.stdout.split(" cycles, ")[0].split()[-1])
    files = driver.find_element(By.CSS_SELECTOR, "#accelerator input[type=file]")
    files.send_keys(f"{tmp_path / 'walk.py'}\n{tmp_path / 'scheduler.py'}")
    choose(driver, "items", "80")
    assert run(driver).startswith("Done")
    assert text_of(driver, VERDICT).startswith(f"Right. {cycles:,} cycles")
    # The file that try.py writes shows the same run, by the same viewer.
    driver.get((tmp_path / "timeline.html").as_uri())
    assert f"{cycles:,} cycles" in text_of(driver, "#run")


def test_a_machine_has_its_manual_and_problems_have_their_line(driver: WebDriver) -> None:
    from selenium.webdriver.common.by import By
    from simulator_page import ended, run, wait, write

    driver.find_element(By.CSS_SELECTOR, ".kernel-book summary").click()
    wait(driver, "return document.querySelectorAll('.kernel-manual table').length > 4")
    ended(driver)
    assert "Accelerator 12" in text_of(driver, ".kernel-manual")
    assert "`" not in text_of(driver, ".kernel-manual")
    write(driver, "mov s1, 1\nmuv s2, 2\n")
    run(driver)
    assert text_of(driver, VERDICT).startswith("line 2: there is no instruction 'muv'.")


def test_a_program_that_does_not_end_is_ended(driver: WebDriver) -> None:
    from simulator_page import press, run, wait, write

    write(driver, "again:\n  jump again\n")
    run(driver)
    assert "times the naive program's" in text_of(driver, VERDICT)
    choose(driver, "language", "python")
    write(driver, "def build(items):\n    while True:\n        pass\n")
    press(driver, "Run")
    wait(
        driver, "return document.querySelector('.kernel-status').textContent.startsWith('running')"
    )
    press(driver, "Stop")
    wait(driver, "return document.querySelector('.kernel-status').textContent === 'Stopped.'")


def test_the_timeline_is_read_by_keyboard(driver: WebDriver) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from simulator_page import run

    run(driver)
    chart = driver.find_element(By.CSS_SELECTOR, ".run-chart")
    driver.execute_script("arguments[0].focus()", chart)
    chart.send_keys(*["+"] * 6, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    said = chart.get_attribute("aria-valuetext")
    assert said is not None
    assert said.startswith("Cycle ")
    assert "line 4" in said
    assert said == driver.execute_script("return document.querySelector('.run-said').textContent")
    assert driver.execute_script("return document.querySelector('.run-listing .here') !== null")
    chart.send_keys(Keys.END)
    assert int(str(chart.get_attribute("aria-valuenow"))) > 1000


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible_and_fits_a_phone(
    driver: WebDriver, browser: Browser, axe: Path, scheme: str
) -> None:
    from simulator_page import ended, run
    from site_pages import PHONE

    browser.look(PHONE, scheme)
    run(driver)
    browser.unfold()
    ended(driver)
    assert browser.width() <= PHONE[0]
    assert not browser.violations(axe)


def test_what_was_written_is_kept_in_the_browser(driver: WebDriver) -> None:
    from simulator_page import write

    write(driver, "halt\n")
    kept = json.loads(driver.execute_script("return localStorage.getItem('hotloop.accelerator')"))
    assert (kept["source"], kept["seed"], kept["kernel"]) == ("halt\n", 12, "walk")
