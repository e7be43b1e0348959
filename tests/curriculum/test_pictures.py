"""Pictures of real viewers are small and made by a script; captions of figures are sentences."""

import re
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hotloop.core import paths
from hotloop.site import lessons
from hotloop.tasks import curriculum

SCRIPTS = paths.root() / "site" / "pictures"
LARGEST = 120_000
"""Bytes: a picture is loaded with its lesson, on a phone as well."""

PAGES = [
    page
    for page in sorted(paths.curriculum().glob("*/*.md"))
    if "<figcaption>" in page.read_text(encoding="utf-8")
]
FIGURE = re.compile(r"<figure>\n(.*?)<figcaption>(.*?)</figcaption>\n</figure>", re.DOTALL)
SHOWN = re.compile(r'<img src="figures/(\w+\.png)" alt="([^"]*)" width="\d+">')
VIEWERS = {
    "netron": "Netron",
    "perfetto": "Perfetto",
    "tensorboard": "TensorBoard",
    "graphviz": "Graphviz",
}
VERB = re.compile(
    r"\b(is|are|was|were|has|have|had|does|do|can|must|gives?|shows?|takes?|costs?|needs?|begins?|"
    r"becomes?|follows?|keeps?|chooses?|gets?|lies?|lay|leaves?|holds?|forms?|stalls?|reports?|"
    r"computes?|reads?|loads?|runs?|ran|waits?|asks?|reaches|adds?|stands?|moves?|walks?|executes?|"
    r"expands?|agrees|serves?|pays?|scales?|shares?|clips?|cuts?|handles?|works?|counts?|records?|"
    r"recorded|compares?|answers?|becomes?|opens?|writes?|increases|remains?|costs|differs?|decides?|"
    r"decode|fuses?|launches|ends?|draws?|drew|would|called)\b"
)
"""What makes words a sentence. A caption with another verb is right: add its verb here."""


@pytest.fixture(scope="module")
def pictures() -> Iterator[dict[Path, Any]]:
    """All pictures by their files."""
    sys.path.insert(0, str(SCRIPTS))
    everything = runpy.run_path(str(SCRIPTS / "pictures.py"))["PICTURES"]
    yield {picture.target: picture for picture in everything}
    sys.path.remove(str(SCRIPTS))


def captions(page: Path) -> Iterator[tuple[str, str]]:
    """The images and the caption of each figure."""
    yield from FIGURE.findall(page.read_text(encoding="utf-8"))


def fragment(caption: str) -> bool:
    """Whether a caption doesn't begin with a sentence, or ends without a full stop."""
    plain = re.sub(r"<[^>]*>|\{\{.*?\}\}", "x", caption).strip()
    if not plain.endswith((".", "。")):
        return True
    first = re.split(r"\.\s", plain)[0]
    return not VERB.search(first) and not re.search("[\u4e00-\u9fff]", first)


@pytest.mark.parametrize(
    ("caption", "bad"),
    [
        ("The scores are stored.", False),
        ("Scores of 12 queries. All are stored.", True),
        ("As XLA gives it", True),
        ("Netron", True),
    ],
)
def test_fragments_are_found(caption: str, bad: bool) -> None:
    assert fragment(caption) is bad


@pytest.mark.parametrize("page", PAGES, ids=lambda p: f"{p.parent.name}.{p.name}")
def test_captions_are_sentences(page: Path) -> None:
    assert [caption for _, caption in captions(page) if fragment(caption)] == []


KEY = re.compile(
    r"\b(colored|orange|green|blue|gray|left|right|above|below|thin|dark|light|dashed|a box|"
    r"its number|▲): ",
    re.IGNORECASE,
)
"""How a telegram explains a color or a place: a label that explains something is a sentence."""


@pytest.mark.parametrize(
    "path",
    sorted(paths.curriculum().glob("*/figures/*.svg")),
    ids=lambda p: f"{p.parents[1].name}.{p.name}",
)
def test_labels_that_explain_are_sentences(path: Path) -> None:
    labels = re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text(encoding="utf-8"))
    assert [label for label in labels if KEY.search(label)] == []


def test_each_picture_has_a_script_and_is_small(pictures: dict[Path, Any]) -> None:
    stored = set(paths.curriculum().glob("*/figures/*.png"))
    assert stored == set(pictures)
    assert [path.name for path in stored if path.stat().st_size > LARGEST] == []
    assert (SCRIPTS / "take.py").is_file()


def test_each_picture_has_an_alternative_and_a_sentence_for_each_mark(
    pictures: dict[Path, Any],
) -> None:
    missing = set(pictures)
    for page in PAGES:
        for images, caption in captions(page):
            shown = [
                (pictures[page.parent / "figures" / name], alternative)
                for name, alternative in SHOWN.findall(images)
            ]
            if not shown:
                assert ".png" not in images, f"{page}: an image has no width"
                continue
            marks = sum(len(picture.marks) for picture, _ in shown)
            numbers = [int(number) for number in re.findall(r"<b>(\d)</b>", caption)]
            assert numbers == list(range(1, marks + 1)), f"{page}: {caption}"
            for picture, alternative in shown:
                missing.discard(picture.target)
                assert len(alternative) > 20, alternative
                version = rf"{VIEWERS[picture.viewer]} \d+\.\d+"
                assert re.search(version, re.sub("<[^>]*>", "", caption)), caption
    assert missing == set()


@pytest.mark.parametrize(
    "page", sorted(paths.curriculum().glob("*/lesson.zh.md")), ids=lambda p: p.parent.name
)
def test_a_chinese_lesson_shows_the_same_figures(page: Path) -> None:
    source = re.compile(r'<img src="(figures/[\w.]+)"')
    english = page.with_name("lesson.md").read_text(encoding="utf-8")
    assert source.findall(page.read_text(encoding="utf-8")) == source.findall(english)


def test_the_site_links_a_wide_picture_alone(tmp_path: Path) -> None:
    [module] = [m for m in curriculum.modules() if m.id == "portable_trainer"]
    lessons.write_lessons(module, tmp_path, "")
    name = "figures/monitor_by_tensorboard.png"
    page = (tmp_path / "lesson.md").read_text(encoding="utf-8")
    assert f'<a class="larger" href="{name}">Enlarge</a>' in page
    assert (tmp_path / name).is_file()
