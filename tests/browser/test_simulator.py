"""CUDA programs in pages: compiled, run and judged in the reader's browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from selenium.webdriver.remote.webdriver import WebDriver
    from site_pages import Browser

pytestmark = [
    pytest.mark.browser,
    # The first test waits for the whole site to be built.
    pytest.mark.timeout(1200),
]

LESSON = "modules/fused_softmax/find_the_bug.html"
TASKS = "modules/first_kernels/in-the-page.html"
NOTHING = {"y": {"count": "4", "way": "zeros", "text": ""}}
FILL = "__global__ void fill(int* y) {{ {} }}\n"


def one_thread(body: str) -> dict[str, Any]:
    """A program of the playground: one thread with an array of four integers."""
    return {"source": FILL.format(body), "grid": "1", "block": "1", "values": NOTHING}


@pytest.fixture
def driver(browser: Browser) -> WebDriver:
    browser.errors()
    browser.requests()
    return browser.driver


def test_a_lessons_kernel_is_run_without_a_compiler(
    driver: WebDriver, browser: Browser, address: str
) -> None:
    from simulator_page import ended, press, results, wait

    driver.get(f"{address}{LESSON}")
    wait(driver, "return document.querySelector('.kernel-start') !== null")
    press(driver, "Run and edit it here")
    assert ended(driver).startswith("Done")
    text = results(driver)
    assert "race: Data race on byte 4 of shared variable part" in text
    assert "line 19 read by thread (0, 0, 0)" in text
    asked = browser.requests()
    assert not [
        url for url in asked if "llvm" in url or not url.startswith((address, "blob:", "data:"))
    ]
    assert not browser.errors()


def test_a_program_comes_with_its_link_is_compiled_and_is_checked(
    driver: WebDriver, browser: Browser, address: str
) -> None:
    from simulator_page import playground, results, run

    playground(driver, address, one_thread("y[4] = 1;"))
    assert run(driver).startswith("Done")
    assert "Out-of-bounds write of 4 bytes" in results(driver)
    assert "line 1 write" in results(driver)
    assert not browser.errors()


def test_a_copied_link_brings_the_same_program(driver: WebDriver, address: str) -> None:
    from simulator_page import playground, press, source, wait

    playground(driver, address, one_thread("y[0] = 7;"))
    driver.execute_script("document.querySelector('input[name=grid]').value = '3'")
    driver.execute_script(
        "document.querySelector('input[name=grid]').dispatchEvent(new Event('input'))"
    )
    press(driver, "Copy link")
    wait(driver, "return document.querySelector('.kernel-status').textContent.includes('link')")
    copied = driver.current_url
    driver.get("about:blank")
    driver.get(copied)
    wait(driver, "return document.querySelector('.kernel .cm-content') !== null")
    assert "y[0] = 7;" in source(driver)
    assert driver.execute_script("return document.querySelector('input[name=grid]').value") == "3"


@pytest.mark.parametrize("damage", ["AAAA", "%00", "x" * 40_000])
def test_a_damaged_link_is_told(driver: WebDriver, address: str, damage: str) -> None:
    from simulator_page import wait

    driver.get("about:blank")
    driver.get(f"{address}playground.html#{damage}")
    wait(driver, "return document.querySelector('.kernel-status')?.textContent.length > 0")
    text = driver.execute_script("return document.querySelector('.kernel-status').textContent")
    assert text.startswith("The link cannot be read: ")


def test_markup_in_a_program_stays_text(driver: WebDriver, browser: Browser, address: str) -> None:
    from simulator_page import playground, results, run

    markup = "<img src=x onerror=document.title='bad'>"
    body = f'printf("{markup}"); y[9] = 1;'
    document = one_thread(body) | {"kernel": markup, "grid": "1"}
    document["source"] = f"#include <cstdio>\n{document['source']}"
    playground(driver, address, document)
    run(driver)
    assert markup in results(driver)
    assert driver.title != "bad"
    assert not driver.execute_script("return document.querySelectorAll('.kernel img').length")
    assert not browser.errors()


@pytest.mark.parametrize(
    "source",
    [
        FILL.format("while (true) y[0] += 1;"),
        "#include <cstdio>\n" + FILL.format('while (true) printf("again\\n");'),
        '#include <cstdio>\nint main() { while (true) std::printf("again and again\\n"); }\n',
        "#include <cstring>\nint main() { while (true) std::memset(new char[99], 1, 99); }\n",
    ],
    ids=["kernel", "kernel that prints", "host that prints", "host that allocates"],
)
def test_what_does_not_end_is_ended(driver: WebDriver, address: str, source: str) -> None:
    from simulator_page import playground, results, run

    document = {"source": source, "grid": "1", "block": "1", "values": NOTHING}
    playground(driver, address, document)
    status = run(driver)
    assert "did not end within 20 s" in status or "crashed" in results(driver)
    # The page works on.
    playground(driver, address, one_thread("y[0] = 1;"))
    assert run(driver).startswith("Done")


def test_stop_ends_a_run_at_once(driver: WebDriver, address: str) -> None:
    from simulator_page import ended, playground, press, wait

    playground(driver, address, one_thread("while (true) y[0] += 1;"))
    press(driver, "Run")
    wait(
        driver,
        "return document.querySelector('.kernel-status').textContent.includes('running')",
    )
    press(driver, "Stop")
    assert ended(driver) == "Stopped."


def test_many_blocks_are_run_or_ended(driver: WebDriver, address: str) -> None:
    from simulator_page import playground, run

    document = one_thread("y[0] = 1;") | {"grid": "65535", "block": "1"}
    playground(driver, address, document)
    assert run(driver).startswith(("Done", "It did not end"))


def test_wrong_fields_are_named(driver: WebDriver, address: str) -> None:
    from simulator_page import playground, run

    for change, sentence in (
        ({"grid": "four"}, "“four” is no launch size"),
        ({"values": {"y": {"count": "0", "way": "zeros", "text": ""}}}, "1 to 4,194,304 elements"),
        ({"values": {"y": {"count": "", "way": "text", "text": "1 x"}}}, "y: “x” is no number"),
    ):
        playground(driver, address, one_thread("y[0] = 1;") | change)
        status = run(driver)
        assert sentence in f"{status} {driver.find_element('css selector', '.kernel').text}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 900), (390, 844)], ids=["desktop", "phone"])
def test_a_result_fits_its_page_and_is_accessible(
    browser: Browser, address: str, axe: Path, clone: Path, scheme: str, size: tuple[int, int]
) -> None:
    from simulator_page import ended, press, run, wait

    driver = browser.driver
    browser.look(size, scheme)
    pictures = clone / "build" / "browser" / "simulator"
    pictures.mkdir(parents=True, exist_ok=True)
    for name, page in (("lesson", LESSON), ("playground", "playground.html")):
        driver.get("about:blank")
        driver.get(f"{address}{page}")
        if name == "lesson":
            wait(driver, "return document.querySelector('.kernel-start') !== null")
            press(driver, "Run and edit it here")
            ended(driver)
        else:
            wait(driver, "return document.querySelector('.kernel .cm-content') !== null")
            run(driver)
        browser.unfold()
        driver.execute_script("document.querySelector('.kernel').scrollIntoView()")
        driver.save_screenshot(str(pictures / f"{name}-{size[0]}-{scheme}.png"))
        assert browser.width() <= size[0], name
        assert not browser.violations(axe), name


def test_after_the_first_run_the_page_works_without_a_network(site: Path, tmp_path: Path) -> None:
    from simulator_page import ended, press, results, wait
    from site_pages import Browser
    from static_server import served

    browser = Browser.start(forgetful=False)
    driver = browser.driver
    try:
        with served(site, tmp_path) as server:
            address = server.address
            driver.get(f"{address}{LESSON}")
            wait(driver, "return document.querySelector('.kernel-start') !== null")
            press(driver, "Run and edit it here")
            ended(driver)
            wait(driver, "return document.documentElement.dataset.offline === 'yes'")
        driver.get(f"{address}{LESSON}")  # the server is gone
        wait(driver, "return document.querySelector('.kernel-start') !== null")
        press(driver, "Run and edit it here")
        assert ended(driver).startswith("Done")
        assert "Data race" in results(driver)
    finally:
        driver.quit()


def test_a_task_is_judged_for_practice(
    driver: WebDriver, browser: Browser, address: str, site: Path, clone: Path
) -> None:
    from simulator_page import results, run, wait, write

    if not (site / TASKS).is_file():
        pytest.skip("numpy for Pyodide could not be loaded from its host when the site was built")
    driver.get(f"{address}{TASKS}")
    wait(driver, "return document.querySelector('.kernel-task-list') !== null")
    run(driver, "Check bias_gelu")
    assert "Not started" in results(driver)
    solution = (clone / "solutions" / "first_kernels" / "kernels.cu").read_text(encoding="utf-8")
    write(driver, solution)
    for task in ("bias_gelu", "transpose", "blur_rows"):
        run(driver, f"Check {task}")
        assert "All that can be judged here passes" in results(driver)
    assert not browser.errors()
