"""Which blocks of a lesson can be run in the page, and how they lie in their programs."""

from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.site.simulator import programs
from hotloop.tasks import curriculum, lesson_files

PAGES = [page for module in curriculum.modules() for page in lesson_files.pages(module.id)]


@pytest.mark.parametrize("page", PAGES, ids=[f"{p.parent.name}/{p.name}" for p in PAGES])
def test_a_quoted_block_lies_in_its_program(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    placed = programs.with_places(text, "../../assets/simulator/0/")
    assert placed.count('<div class="kernel-place"') == len(list(programs.quoted(text)))
    for match, program in programs.quoted(text):
        first, last = programs._lines(program.source, match["code"])  # pyright: ignore[reportPrivateUsage]
        lines = [line.strip() for line in program.source.split("\n")[first - 1 : last]]
        assert lines == [line.strip() for line in match["code"].strip("\n").split("\n")]


def test_every_kernel_that_a_lesson_shows_can_be_run() -> None:
    """A kernel in a lesson comes from a program, so that a reader can change it and run it."""
    shown = 0
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if page.name.endswith(".zh.md"):
            continue
        quoted = "".join(match[0] for match, _ in programs.quoted(text))
        kernels = text.count("\n__global__ ")
        assert quoted.count("\n__global__ ") == kernels, page.relative_to(paths.root())
        shown += kernels
    assert shown >= 14
