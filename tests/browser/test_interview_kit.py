"""The interviewer's kit, printed by Chromium and read back from the PDF."""

import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest
from pypdf import PdfReader

from hotloop.learn.bank.export import kit
from hotloop.learn.bank.selection import QuestionSelection
from hotloop.learn.bank.wording import Language, wording

# What NFKC leaves as it is, of the radicals that share their glyph with a character.
RADICALS = str.maketrans(
    "⺠⻄⻅⻆⻉⻋⻓⻔⻘⻙⻚⻛⻜⻝⻢⻥⻦⻨⻩⻬⻮⻰⻳",
    "民西见角贝车长门青韦页风飞食马鱼鸟麦黄齐齿龙龟",
)
pytestmark = pytest.mark.browser
CHOSEN = ("two_loops_swapped", "at_which_level_is_tir", "hard_parts_of_compilers")


@pytest.mark.slow
@pytest.mark.parametrize(("language", "keys"), [("en", CHOSEN), ("zh", CHOSEN[1:])])
def test_a_kit_prints_with_each_question_on_a_page_of_its_own(
    language: Language, keys: tuple[str, ...], tmp_path: Path
) -> None:
    from needs import require

    require(("chromium",), ())
    if language == "zh" and not _fonts("zh"):
        pytest.skip("no font with Chinese characters here, such as fonts-noto-cjk")
    entries = QuestionSelection(language=language, keys=keys).entries()
    page, target = tmp_path / "kit.html", tmp_path / "kit.pdf"
    page.write_text(kit.page(entries, language), encoding="utf-8")
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer")
    printed = f"--print-to-pdf={target}"
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    subprocess.run(
        [str(shutil.which("chromium")), *options, profile, printed, page.as_uri()],
        check=True,
        capture_output=True,
        timeout=120,
    )
    texts = [_plain(found.extract_text()) for found in PdfReader(target).pages]
    assert all(_plain(wording(e, language).title) in texts[0] for e in entries)
    for entry in entries:
        said = wording(entry, language)
        own = next(text for text in texts[1:] if entry.key in text)
        assert own.startswith(f"{entries.index(entry) + 1}.")
        assert _plain(said.prompt)[:40] in own
    whole = "".join(texts)
    for entry in entries:
        assert _plain(wording(entry, language).rubric[4]) in whole


def _plain(text: str) -> str:
    """Without spaces, and with one code for a character: a PDF may name the radical instead."""
    return "".join(unicodedata.normalize("NFKC", text).translate(RADICALS).split())


def _fonts(language: str) -> str:
    lister = shutil.which("fc-list")
    if lister is None:
        return ""
    done = subprocess.run([lister, f":lang={language}"], check=True, capture_output=True, text=True)
    return done.stdout.strip()
