"""What a page shows of a program: the same cycles as anywhere, and its problems with lines."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hotloop.core import paths
from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator import timeline, workbench
from hotloop.engines.accelerator.kernels import BY_NAME
from hotloop.engines.accelerator.program import assemble
from hotloop.engines.accelerator.run import run

SEED, ITEMS = 12, 16
MACHINE = machines.draw(SEED)


def ask(what: str, **more: Any) -> dict[str, Any]:
    request = {"ask": what, "seed": SEED, "kernel": "walk", "items": ITEMS, **more}
    return json.loads(workbench.answer(json.dumps(request)))


def run_of(source: str, language: str = "assembly", **more: Any) -> dict[str, Any]:
    return ask("run", source=source, language=language, **more)


@pytest.mark.parametrize("kernel", BY_NAME)
def test_a_naive_program_is_right_and_scores_nothing(kernel: str) -> None:
    text = ask("naive", kernel=kernel)["program"]
    answer = run_of(text, kernel=kernel)
    assert answer["mismatch"] is None
    assert answer["score"] == 0
    assert answer["naive"] == answer["run"]["cycles"] > answer["bound"]


def test_cycles_by_line_add_up_to_those_of_the_run() -> None:
    found = run_of(ask("naive")["program"])["run"]
    assert sum(row["cycles"] for row in found["profile"]) + found["behind"] == found["cycles"]
    waits = sum(sum(row["waits"].values()) for row in found["profile"])
    assert waits + found["behind"] == sum(found["waits"].values())
    assert sum(found["used"].values()) == found["instructions"]


def test_a_bundles_line_is_that_of_its_source() -> None:
    text = "# a comment\nstart:\n\n  mov s1, 3   # three\n  add s1, s1, 1 | mov s2, 0\n"
    assert timeline.lines(text) == [4, 5]
    program = assemble(text, MACHINE)
    result = run(MACHINE, program, [], range(0), 100, record=True)
    assert timeline.facts(result, MACHINE, program, text)["lines"] == [4, 5]


def test_a_taken_branch_counts_at_its_own_line() -> None:
    program = assemble("mov s1, 2\nloop:\nsub s1, s1, 1\nbnz s1, loop", MACHINE)
    result = run(MACHINE, program, [], range(0), 100, record=True)
    found = timeline.facts(result, MACHINE, program)
    assert found["profile"][2]["waits"]["a branch"] == MACHINE.branch


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ("mov s1, 1\nmuv s2, 2\n", 2, "there is no instruction 'muv'"),
        ("# where\nmov s1, 99999\nld s2, s1, 0\n", 3, "accesses word 99999"),
        ("again:\njump again\n", None, "times the naive program's"),
    ],
)
def test_a_problem_has_its_line(source: str, line: int | None, words: str) -> None:
    answer = run_of(source)
    assert words in answer["problem"]
    assert answer["line"] == line


def test_a_wrong_result_names_the_first_difference() -> None:
    text = ask("naive")["program"].replace("copyout s1, s0, 16", "copyout s1, s0, 15")
    answer = run_of(text)
    assert re.fullmatch(r"1 of 16 results are wrong; result 15: got 0, expected \d+",
                        answer["mismatch"])  # fmt: skip


def test_a_generator_may_import_files_that_come_with_it() -> None:
    folder = paths.root() / "solutions" / "unknown_machine"
    files = {"scheduler.py": (folder / "scheduler.py").read_text(encoding="utf-8")}
    source = (folder / "pipeline.py").read_text(encoding="utf-8")
    answer = run_of(source, "python", kernel="pipeline", files=files)
    assert answer["mismatch"] is None
    assert answer["score"] > 0.5


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ("x = 1\n", None, "no function `build(items)`"),
        ("def build(items):\n    return 3\n", None, "returns int"),
        ("def build(items):\n    return {}['walk']\n", 2, "KeyError: 'walk'"),
        ("def build(items:\n    pass\n", 1, "SyntaxError"),
        ("import nothing_of_that_name\n", 1, "ModuleNotFoundError"),
    ],
)
def test_a_generator_that_fails_is_told_with_its_line(
    source: str, line: int | None, words: str
) -> None:
    answer = run_of(source, "python")
    assert words in answer["problem"]
    assert answer["line"] == line


def test_what_a_generator_prints_is_shown() -> None:
    source = "def build(items):\n    print('items', items)\n    return 'halt'\n"
    answer = run_of(source, "python")
    assert answer["printed"] == "items 16\n"
    assert answer["mismatch"].startswith("16 of 16")


def test_a_page_cannot_be_ended_by_a_program_text() -> None:
    program = assemble("halt", MACHINE)
    result = run(MACHINE, program, [], range(0), 100, record=True)
    page = timeline.page(result, MACHINE, program, "x", bound=3)
    assert page.count("</script>") == 2
    data = re.search(r'id="facts">(.*)</script>', page)
    assert data is not None
    assert json.loads(data[1])["bound"] == 3


def test_the_viewer_needs_no_other_file() -> None:
    text = Path(timeline.VIEWER).read_text(encoding="utf-8")
    assert not re.search(r"^import |\bimport\(|https?://", text, re.MULTILINE)
