"""What only shows something does not run; whatever else a cell does, does."""

import pytest

from hotloop.course.shown_only import left_to_run
from hotloop.tasks import render
from hotloop.tasks.notebook_cells import NOTEBOOK, cells

LESSON = "from hotloop.engines.simulate.lesson import show_traffic"
SHOW = 'show_traffic("softmax.cu", "softmax", rows=64)'


def test_a_cell_that_only_shows_is_empty_and_its_import_stays() -> None:
    assert left_to_run([f"{LESSON}\n\n{SHOW}\n", SHOW, "x = 1  # as it is\n"]) == [
        LESSON,
        "",
        "x = 1  # as it is\n",
    ]


@pytest.mark.parametrize(
    "cell",
    [
        f"table = {SHOW}",
        f"print({SHOW})",
        "show_traffic(name, kernel)",
        'show_traffic("softmax.cu", rows=(x := 2))',
        "for _ in range(2):\n    " + SHOW,
        f"%time {SHOW}",
        f"{SHOW}\nif:",
        "shown.show_traffic('a')",
        "",
        "# a comment",
        f"def softmax(x):\n    return x  # of a task\n\n{SHOW}",
    ],
)
def test_whatever_may_do_more_runs_as_it_is(cell: str) -> None:
    assert left_to_run([LESSON, cell])[1] == cell


@pytest.mark.parametrize(
    "other",
    [
        "def show_traffic(*_): state.append(1)",
        "show_traffic = print",
        "from mine import show_traffic",
        "class show_traffic: ...",
        "for show_traffic in (): ...",
    ],
)
def test_a_name_that_means_something_else_anywhere_is_left_alone(other: str) -> None:
    assert left_to_run([LESSON, other, SHOW])[2] == SHOW
    assert left_to_run([other, SHOW])[1] == SHOW, "it was never ours"


@pytest.mark.parametrize(("module", "cells_left_out"), [("fused_softmax", 2), ("first_kernels", 2)])
def test_modules_have_such_cells(module: str, cells_left_out: int) -> None:
    sources = [cell.source for cell in cells(render.submission(module)[NOTEBOOK])]
    left = left_to_run(sources)
    assert sum(1 for before, after in zip(sources, left, strict=True) if before and not after) >= (
        cells_left_out
    )
    assert not any("show_traffic(" in source for source in left)
