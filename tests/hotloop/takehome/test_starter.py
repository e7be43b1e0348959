import fnmatch
import json
import re
import zipfile
from typing import Any

import pytest

from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess
from hotloop.takehome.cell_names import bound, read
from hotloop.takehome.starter import ELSEWHERE, chosen_files, starter_files
from hotloop.tasks import curriculum, render
from hotloop.tasks.local_judging import judge_submission
from hotloop.tasks.variants import draw

from .conftest import Hired

MODULES = [module.id for module in curriculum.modules()]


def code_cells(notebook: bytes) -> list[str]:
    cells = json.loads(notebook)["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_each_task_can_be_given_alone(module: str) -> None:
    """Names used in a kept cell are defined in a kept cell, if the whole notebook defines them."""
    found = curriculum.load_module(module)
    whole = render.render(module)
    made_by_all = {name for cell in code_cells(whole["lab.ipynb"]) for name in bound(cell)}
    for task in found.tasks:
        files = chosen_files(whole, found, [task.id])
        cells = code_cells(files["lab.ipynb"])
        made_by_kept = {name for cell in cells for name in bound(cell)}
        for cell in cells:
            assert read(cell) & made_by_all <= made_by_kept, (task.id, cell)
        assert {name for name in task.files if name in whole} <= set(files)
        assert any(f"{module}.{task.id}" in cell for cell in cells) == (task.kind == "code")


@pytest.mark.parametrize("module", MODULES)
def test_with_all_tasks_it_is_the_exercise_without_its_hints(module: str) -> None:
    found = curriculum.load_module(module)
    whole = render.render(module)
    files = chosen_files(whole, found, [task.id for task in found.tasks])
    assert {n: d for n, d in files.items() if n != "lab.ipynb"} == {
        n: d for n, d in whole.items() if n != "lab.ipynb"
    }
    assert code_cells(files["lab.ipynb"]) == code_cells(whole["lab.ipynb"])
    assert b"Hint:" in whole["lab.ipynb"]
    assert b"Hint:" not in files["lab.ipynb"]


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_the_text_speaks_of_no_hints_and_of_no_file_that_is_not_there(module: str) -> None:
    found = curriculum.load_module(module)
    whole = render.render(module)
    assert "three hints" in text_cells(whole["lab.ipynb"])
    for task in found.tasks:
        files = chosen_files(whole, found, [task.id])
        text = text_cells(files["lab.ipynb"])
        assert not re.search(r"Stuck\?|\bhints\b|^- *$", text, re.MULTILINE)
        for row in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE):
            names = [re.sub("/$", "/*", name) for name in re.findall(r"`([^`]+)`", row)]
            known = [name for name in names if fnmatch.filter(whole, name)]
            assert not known or any(fnmatch.filter(files, name) for name in known), row


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_a_file_that_a_pack_does_not_hold_is_said_to_be_elsewhere(module: str) -> None:
    found = curriculum.load_module(module)
    whole = render.render(module)
    for task in found.tasks:
        files = chosen_files(whole, found, [task.id])
        for cell in json.loads(files["lab.ipynb"])["cells"]:
            text = "".join(cell["source"]) if cell["cell_type"] == "markdown" else ""
            named = {name for name in whole if f"`{name}`" in text}
            for name in named:
                assert (f"`{name}` {ELSEWHERE}" in text) == (name not in files), (task.id, name)
            assert "longer notebook" not in text


def test_the_server_of_the_metrics_is_said_to_be_elsewhere() -> None:
    found = curriculum.load_module("llm_serving_engine")
    files = chosen_files(render.render(found.id), found, ["read_metrics"])
    assert f"`http_server.py` {ELSEWHERE} serves `/metrics`" in text_cells(files["lab.ipynb"])


def test_the_table_of_files_keeps_the_rows_of_those_that_are_there() -> None:
    found = curriculum.load_module("fused_softmax")
    whole = render.render("fused_softmax")
    text = text_cells(chosen_files(whole, found, ["cuda_naive"])["lab.ipynb"])
    rows = re.findall(r"^\| (`.*?) \|", text_cells(whole["lab.ipynb"]), re.MULTILINE)
    assert rows[:3] == ["`softmax_triton.py`", "`softmax.cu`", "`softmax_op.cu`, `softmax_op.py`"]
    assert re.findall(r"^\| (`.*?) \|", text, re.MULTILINE) == ["`softmax.cu`"]


@pytest.mark.parametrize("module", MODULES)
def test_the_introduction_lists_its_own_tasks_only(module: str) -> None:
    """The whole exercise's says what all tasks together teach."""
    found = curriculum.load_module(module)
    asked, *others = found.tasks
    intro = text_cells(chosen_files(render.render(module), found, [asked.id])["lab.ipynb"])
    intro = intro.partition("How it works here")[0]
    assert f"Your tasks here:\n\n- {asked.title}\n\n" in intro
    assert not any(task.title in intro for task in others)
    assert not re.search(r"In\s+this\s+notebook|By\s+the\s+end", intro)


def text_cells(notebook: bytes) -> str:
    cells = json.loads(notebook)["cells"]
    return "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")


@pytest.mark.sandbox
def test_its_tasks_are_numbered_from_one_wherever_the_text_speaks_of_them() -> None:
    module = curriculum.load_module("fused_softmax")
    ids = [task.id for task in module.tasks]
    chosen = [ids[0], ids[4], ids[5]]

    def cell(text: str) -> dict[str, Any]:
        source = text.splitlines(keepends=True)
        return {"cell_type": "markdown", "metadata": {}, "source": source}

    table = ["| a | b |", "| - | - |", "| `softmax.cu`, `softmax_op.py` | kernels: tasks 5 to 7 |"]
    texts = [
        "# Softmax",
        "## 5. One thread",
        "Unlike in task 1. Tasks 5 to 7 go on, and task 7 last.",
        "Tasks 6\n  and 7 are written here; task 99 is another's. Look at the lesson.",
        "\n".join([*table, "| `softmax_op.py` | x |"]),
    ]
    notebook = {"cells": [cell(text) for text in texts], "metadata": {}}
    exercise = {
        "lab.ipynb": json.dumps(notebook).encode(),
        "softmax.cu": b"x",
        "softmax_op.py": b"of another task",
    }
    files = chosen_files(exercise, module, chosen)
    found = ["".join(one["source"]) for one in json.loads(files["lab.ipynb"])["cells"]]
    last = f"the task “{module.tasks[6].title}” {ELSEWHERE}"
    assert found[1:] == [
        "## 2. One thread",
        f"Unlike in task 1. Tasks 2 and 3 go on, and {last} last.",
        "Task 3 is written here; task 99 is another's.",
        "| a | b |\n| - | - |\n| `softmax.cu` | kernels |\n",
    ]


@pytest.mark.slow
def test_a_pack_can_be_solved_by_its_own_variant_only(hired: Hired) -> None:
    module = hired.packs[0].manifest.module
    variants = [hired.team.variant(pack.manifest.pack) for pack in hired.packs]
    given = starter_files(curriculum.load_module(module), ["online_pass"], variants[0])
    verdicts: list[Verdict] = []
    with JudgeProcess() as judge:
        for variant in variants:
            answer = render.submission(module, None, variant)["lab.ipynb"]
            files = {**given, "lab.ipynb": with_solution(given["lab.ipynb"], answer)}
            records = judge_submission(
                files, module, ["online_pass"], judge=judge, variant=variants[0]
            )
            verdicts.append(records["online_pass"].verdict)
    assert verdicts[0] is Verdict.PASSED
    assert verdicts[1] is not Verdict.PASSED


def with_solution(notebook: bytes, answer: bytes) -> bytes:
    """Replace the solution cell by that of another notebook."""
    document: Any = json.loads(notebook)
    solved = {cell["id"]: cell for cell in json.loads(answer)["cells"]}
    document["cells"] = [
        solved[cell["id"]] if cell["id"] == "online_pass_solution" else cell
        for cell in document["cells"]
    ]
    return json.dumps(document).encode()


def test_the_same_secret_and_pseudonym_give_the_same_files(hired: Hired) -> None:
    pack, key = hired.packs[0], hired.team.key
    module = curriculum.load_module(pack.manifest.module)
    drawn = draw(module.id, key.variants, pack.pseudonym)
    assert drawn == hired.team.variant(pack.manifest.pack)
    files = starter_files(module, list(pack.manifest.tasks), drawn)
    assert len(files) > 1
    with zipfile.ZipFile(pack.path) as archive:
        assert {name: archive.read(f"{pack.pseudonym}/{name}") for name in files} == files


def test_kernels_in_a_shared_file_have_the_numbers_of_the_pack() -> None:
    def comments(module: str, file: str, *tasks: str) -> list[str]:
        found = curriculum.load_module(module)
        text = chosen_files(render.render(module), found, tasks)[file].decode()
        return [line[:45] for line in text.splitlines() if re.match(r"// (\d+\.|\()", line)]

    assert comments("fused_softmax", "softmax.cu", "online_pass", "cuda_block") == [
        "// (not part of this exercise) One thread a row.  <<<(rows + 255) / 256, 256>>>"[:45],
        "// 2. One block a row, and a reduction through shared memory.  <<<rows, 256>>>"[:45],
        "// (not part of this exercise) Maximum and sum together"[:45],
    ]
    pipelined = comments("gemm_tensor_cores", "kernels.cu", "swizzle", "pipelined")[-1]
    assert pipelined.startswith("// 2. As 1., with the next tiles")
    alone = comments("gemm_tensor_cores", "kernels.cu", "pipelined")[-1]
    assert alone.startswith("// 1. As (not part of this exercise), with"[:45])
