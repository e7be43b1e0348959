"""A newcomer works three tasks of a module in JupyterLab: types kernels into the editor and runs
the checks in the notebook, first as they were given, then with a mistake, then right.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from needs import WINDOW

from hotloop.core import paths
from hotloop.tasks import render
from hotloop.tasks.notebook_cells import NOTEBOOK as NOTEBOOK_FILE

if TYPE_CHECKING:
    from lab_window import LabWindow

pytestmark = WINDOW

VERDICT = ".jp-Cell.jp-mod-selected .jp-OutputArea-executeResult .hotloop"


@dataclass(frozen=True)
class Task:
    """What is typed for it, and what the verdicts say. cell: of the check, counted from 0."""

    id: str
    cell: int
    file: str
    wrong: str
    mistake: str


TASKS = {
    "first_kernels": (
        Task("axpy", 3, "kernels_triton.py", "axpy_without_mask", "wrote outside of its output"),
        Task("bias_gelu", 5, "kernels.cu", "gelu_stretches", "the fewest bytes"),
        Task("row_sums", 7, "kernels_triton.py", "sums_first_block", "expected"),
    ),
    "gemm_hopper": (
        Task("bulk_copy", 6, "copies.cu", "bulk_expects_twice", "bytes are expected"),
        Task("two_slots", 11, "copies.cu", "slots_producer_parity", "hangs"),
        Task("wgmma_tile", 20, "gemm.cu", "wgmma_without_fence", "wgmma_fence"),
    ),
    "mixture_of_experts": (
        Task("permute", 12, "kernels_triton.py", "permute_shared_counter", "nothing orders them"),
        Task("exchange", 16, "exchange.py", "exchange_padded", "the fewest bytes"),
        Task("placement", 22, "planner.py", "place_in_turn", "of the best balance"),
    ),
    "llm_serving_frontier": (
        Task("cache_router", 5, "router.py", "router_in_turn", "met both limits"),
        Task("token_masks", 11, "grammar.py", "masks_dead_ends", "must not allow token"),
        Task("quantized_cache", 13, "quantized.py", "cache_keys_by_token", "half a step"),
    ),
}


@pytest.fixture(params=TASKS)
def started(
    request: pytest.FixtureRequest, tmp_path: Path, clone: Path
) -> Iterator[tuple[LabWindow, Path]]:
    """JupyterLab over what `hotloop start` copied."""
    from needs import require

    require(("chromium", "chromedriver", "bwrap"), ("selenium", "jupyterlab"))
    from lab_window import lab_window

    module = str(request.param)
    command = [sys.executable, "-m", "hotloop.cli", "start", module]
    subprocess.run(command, check=True, cwd=tmp_path, capture_output=True)
    folder = tmp_path / module
    with lab_window(folder, tmp_path / "jupyter", clone / "build" / "browser" / module) as lab:
        yield lab, folder


def test_three_tasks(started: tuple[LabWindow, Path]) -> None:
    lab, folder = started
    module = folder.name
    begun = time.monotonic()
    lab.open(f"lab/tree/{NOTEBOOK_FILE}")
    lab.one(".jp-Notebook h1")
    lab.until(lambda: "Idle" in lab.text(), "the kernel")
    lab.picture("notebook")
    lab.go_to_cell(1)
    lab.run_cell()
    for number, task in enumerate(TASKS[module]):
        said = check(lab, task)
        assert "not started" in said
        assert f"Write it in {task.file}, save" in said
        solved = [each.id for each in TASKS[module][:number]]
        patch = paths.solutions() / module / "wrong" / f"{task.wrong}.patch"
        write(lab, folder / task.file, render.submission(module, patch)[task.file].decode())
        said = check(lab, task)
        assert task.mistake in said, said
        right = render.solved_in_part(module, [*solved, task.id])
        write(lab, folder / task.file, right[task.file].decode())
        said = check(lab, task)
        assert "Pending" in said or "passed" in said, said
        print(f"{task.id}: {(time.monotonic() - begun) / 60:.1f} min since the notebook opened")


def check(lab: LabWindow, task: Task) -> str:
    """Run the task's check; what its verdict says."""
    lab.tab(NOTEBOOK_FILE)
    lab.go_to_cell(task.cell)
    before = [each.id for each in lab.all(VERDICT)]
    started = time.monotonic()
    lab.run_cell()
    verdict = lab.until(
        lambda: next((each for each in lab.all(VERDICT) if each.id not in before), None),
        f"the verdict on {task.id}",
        120,
    )
    print(f"{task.id}: a verdict after {time.monotonic() - started:.1f} s")
    lab.into_view(verdict)
    lab.picture(f"{task.id}-checked")
    return verdict.text


def write(lab: LabWindow, file: Path, text: str) -> None:
    """Replace the file's text in JupyterLab's editor, as pasting would, and save it."""
    from selenium.webdriver import ActionChains

    if file.name in [each.text for each in lab.all(".lm-DockPanel-tabBar .lm-TabBar-tabLabel")]:
        lab.tab(file.name)
    else:
        listed = lab.one(".jp-DirListing-itemText", file.name)
        ActionChains(lab.driver).double_click(listed).perform()
    lab.click(".jp-FileEditor .cm-content")
    lab.keys("a", control=True)
    lab.driver.execute_cdp_cmd("Input.insertText", {"text": text})
    lab.picture(f"{file.stem}-typed")
    lab.save()
    lab.until(lambda: file.read_text(encoding="utf-8") == text, f"{file.name}, saved")
