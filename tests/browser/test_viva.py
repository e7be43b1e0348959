"""The page of a viva in a browser: predicted, revealed, saved; and nothing of it changes after."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hotloop.learn.predicting.items import ItemSet, item_of
from hotloop.learn.predicting.outcomes import JudgedPrediction
from hotloop.learn.predicting.own_code import PredictedSubmission, changes
from hotloop.learn.predicting.survey import SizedOutcome
from hotloop.takehome import viva_page
from hotloop.takehome.viva import Viva, VivaFile
from hotloop.tasks import curriculum, render

if TYPE_CHECKING:
    from site_pages import Browser

pytestmark = pytest.mark.browser
MODULE, TASK = "fused_softmax", "cuda_block"
SECRET = "Said by the judge alone."


def asked() -> Viva:
    """Two questions on the reference; the first can be asked about at another size."""
    work = PredictedSubmission(
        curriculum.load_module(MODULE), (TASK,), render.submission(MODULE), render.untouched(MODULE)
    )
    found = [
        item_of(number, change, JudgedPrediction(kind="race", check="clean", sentence=SECRET))
        for number, change in enumerate(changes(work, TASK)[:2], 1)
    ]
    found[0] = found[0].model_copy(update={"sizes": [SizedOutcome(columns=31, kind="none")]})
    questions = ItemSet(
        module=MODULE, hotloop="0", seeds=[], unchanged={}, tried=2, unclear=0, seconds=1,
        items=found,
    )  # fmt: skip
    return Viva(submission="", questions=questions, accepted=[1, 2])


@pytest.mark.parametrize("width", [1280, 390])
def test_a_question(width: int, tmp_path: Path) -> None:
    from needs import require

    require(("chromium", "chromedriver"), ("selenium",))
    from site_pages import Browser

    page = tmp_path / "viva.html"
    page.write_text(viva_page.page("quiet-otter-41", asked(), None), encoding="utf-8")
    browser = Browser.start()
    try:
        browser.open(page, (width, 900), "light")
        told = answers(browser, tmp_path)
    finally:
        browser.driver.quit()
    given = VivaFile.model_validate(told)
    assert given.own is not None
    assert given.own.items == asked().digest
    [said] = given.own.said
    assert (said.item, said.kind, said.sure, said.lines) == (1, "race", 0.9, [60, 63])
    assert (said.reasoning, said.width, said.follow_up) == (3, None, "none")


@pytest.mark.parametrize("whose", ["interviewer", "candidate"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(scheme: str, whose: str, axe: Path, tmp_path: Path) -> None:
    from site_pages import Browser

    page = tmp_path / "viva.html"
    mine = viva_page.page("quiet-otter-41", asked(), None)
    theirs = viva_page.candidate_page(asked(), None)
    page.write_text(mine if whose == "interviewer" else theirs, encoding="utf-8")
    browser = Browser.start()
    try:
        browser.open(page, (390, 900), scheme)
        driver: Any = browser.driver
        driver.execute_script(
            "document.querySelectorAll('.truth').forEach((each) => { each.hidden = false });"
            "document.querySelectorAll('details').forEach((each) => { each.open = true })"
        )
        assert browser.violations(axe) == []
        assert browser.errors() == []
    finally:
        browser.driver.quit()


def answers(browser: "Browser", downloads: Path) -> Any:
    """What the page saves once the first question is answered."""
    driver: Any = browser.driver
    driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)}
    )

    def run(script: str) -> Any:
        return driver.execute_script(f"const item = document.querySelector('.item'); {script}")

    assert run("return document.documentElement.scrollWidth <= innerWidth")
    assert SECRET not in run("return document.body.innerText")
    assert run("return item.querySelector('[value=race]').matches(':disabled')"), "no mark yet"
    run("item.querySelector('[name$=reasoning][value=\"3\"]').click()")
    assert run("return item.querySelector('button').disabled"), "nothing is predicted yet"
    run("item.querySelector('[value=race]').click()")
    assert run("return item.querySelector('[name$=reasoning]').matches(':disabled')"), "it stays"
    assert run("return item.querySelector('button').disabled"), "nobody said how sure they are"
    run("item.querySelector('[name$=sure][value=\"0.9\"]').click()")
    run("item.querySelector('[data-is=lines]').value = '60 and 63'")
    run("item.querySelector('button').click()")
    assert SECRET in run("return document.body.innerText")
    assert run("return item.querySelector('[value=wrong]').matches(':disabled')"), "it stays"
    run("item.querySelector('[name$=follow-up][value=none]').click()")
    assert run("return document.documentElement.scrollWidth <= innerWidth")
    run("document.getElementById('save').click()")
    path = downloads / "viva-quiet-otter-41.json"
    for _ in range(50):
        if path.is_file():
            break
        time.sleep(0.1)
    return json.loads(path.read_text())
