"""Mutations of a parsed notebook: of its schema, cells, metadata, ids and outputs."""

import copy
from random import Random
from typing import Any

from notebook_mutations.registry import Cell, Notebook, tree

JUNK: tuple[Any, ...] = (None, 7, -1, 0.5, True, "junk", [], [None], {}, {"a": {"b": [1]}})
SURROGATE = "\ud800"
SCRIPT = "<script>document.title = 'owned'</script>"


def metadata(cell: Cell) -> dict[str, Any]:
    """Return the cell's nbgrader metadata; {} for a plain cell, or if a mutation damaged it."""
    whole = cell.get("metadata")
    found = whole.get("nbgrader") if isinstance(whole, dict) else None
    return found if isinstance(found, dict) else {}


def marked(notebook: Notebook, **wanted: bool) -> list[Cell]:
    """Return the cells whose nbgrader metadata has these flags."""
    return [
        cell
        for cell in notebook["cells"]
        if (meta := metadata(cell)) and all(meta.get(k) is v for k, v in wanted.items())
    ]


def graded(notebook: Notebook) -> list[Cell]:
    """Return the cells whose execution asks the judge."""
    return marked(notebook, grade=True, solution=False)


def solutions(notebook: Notebook) -> list[Cell]:
    """Return the cells that the learner fills in."""
    return marked(notebook, solution=True, grade=False)


def plain(kind: str, source: Any, **more: Any) -> Cell:
    """Return a cell that the learner added."""
    code = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, "source": source, **code, **more}


def insert(rng: Random, notebook: Notebook, *cells: Any) -> None:
    """Insert cells at random places."""
    for cell in cells:
        notebook["cells"].insert(rng.randint(0, len(notebook["cells"])), cell)


# --- schema ---------------------------------------------------------------------------------------


@tree("schema", "unreadable")
def no_cells(rng: Random, notebook: Notebook) -> None:
    del notebook["cells"]


@tree("schema", "unreadable")
def cells_of_another_kind(rng: Random, notebook: Notebook) -> None:
    notebook["cells"] = rng.choice([None, 7, "cells", {}, {"0": notebook["cells"]}])


@tree("schema", "same")
def junk_among_the_cells(rng: Random, notebook: Notebook) -> None:
    insert(rng, notebook, *rng.sample(JUNK, 4))


@tree("schema", "same")
def another_format_number(rng: Random, notebook: Notebook) -> None:
    notebook["nbformat"] = rng.choice([None, 0, 2, 5, 99, -4, "4", 4.5, [4], 10**30])
    notebook["nbformat_minor"] = rng.choice([None, -1, 999, "5", {}])


@tree("schema", "same")
def no_format_number(rng: Random, notebook: Notebook) -> None:
    notebook.pop("nbformat", None)
    notebook.pop("nbformat_minor", None)


@tree("schema", "same")
def worksheets_of_version_3(rng: Random, notebook: Notebook) -> None:
    cells = notebook.pop("cells")
    for cell in cells:
        if cell["cell_type"] == "code":
            cell["input"] = cell.pop("source")
            cell["language"] = "python"
    half = rng.randint(0, len(cells))
    notebook["worksheets"] = [{"cells": cells[:half]}, {"cells": cells[half:], "metadata": None}]
    notebook["nbformat"] = 3


@tree("schema", "same")
def metadata_of_another_kind(rng: Random, notebook: Notebook) -> None:
    notebook["metadata"] = rng.choice(JUNK)


@tree("schema", "same")
def foreign_kernel(rng: Random, notebook: Notebook) -> None:
    name = rng.choice(["bash", "julia-1.9", "../../bin/sh", "", "\x00", None, 7])
    notebook["metadata"] = {"kernelspec": {"name": name, "display_name": name, "argv": ["sh"]}}


@tree("schema", "same")
def junk_beside_the_cells(rng: Random, notebook: Notebook) -> None:
    for number, junk in enumerate(rng.sample(JUNK, 4)):
        notebook[f"junk {number}"] = junk


@tree("schema", "same")
def widget_state(rng: Random, notebook: Notebook) -> None:
    state = {f"{number:032x}": {"model_name": SCRIPT} for number in range(50)}
    notebook["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": state}


# --- cells ----------------------------------------------------------------------------------------


@tree("cells", "same")
def deleted_graded_cell(rng: Random, notebook: Notebook) -> None:
    notebook["cells"].remove(rng.choice(graded(notebook)))


@tree("cells", "any")
def deleted_solution(rng: Random, notebook: Notebook) -> None:
    notebook["cells"].remove(rng.choice(solutions(notebook)))


@tree("cells", "any")
def deleted_all(rng: Random, notebook: Notebook) -> None:
    notebook["cells"] = []


@tree("cells", "any")
def shuffled(rng: Random, notebook: Notebook) -> None:
    rng.shuffle(notebook["cells"])


@tree("cells", "any")
def reversed_order(rng: Random, notebook: Notebook) -> None:
    notebook["cells"].reverse()


@tree("cells", "same")
def all_twice(rng: Random, notebook: Notebook) -> None:
    notebook["cells"] += copy.deepcopy(notebook["cells"])


@tree("cells", "same")
def older_copy_of_a_solution(rng: Random, notebook: Notebook) -> None:
    cell = rng.choice(solutions(notebook))
    older = {**copy.deepcopy(cell), "source": "raise SystemError('an older attempt')"}
    notebook["cells"].insert(notebook["cells"].index(cell), older)


@tree("cells", "same")
def retyped_graded_cell(rng: Random, notebook: Notebook) -> None:
    rng.choice(graded(notebook))["cell_type"] = rng.choice(["markdown", "raw"])


@tree("cells", "any")
def retyped_solution(rng: Random, notebook: Notebook) -> None:
    rng.choice(solutions(notebook))["cell_type"] = rng.choice(["markdown", "raw", "heading"])


@tree("cells", "same")
def cell_type_of_another_kind(rng: Random, notebook: Notebook) -> None:
    cell = rng.choice(solutions(notebook))
    cell["cell_type"] = rng.choice(["", "CODE", "python", SURROGATE, None, 7, [], {}])


@tree("cells", "same")
def no_cell_type(rng: Random, notebook: Notebook) -> None:
    for cell in solutions(notebook):
        del cell["cell_type"]


@tree("cells", "same")
def sources_as_lists(rng: Random, notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        cell["source"] = cell["source"].splitlines(keepends=True)


@tree("cells", "same")
def sources_as_characters(rng: Random, notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        cell["source"] = list(cell["source"])


@tree("cells", "any")
def source_of_another_kind(rng: Random, notebook: Notebook) -> None:
    cell = rng.choice(solutions(notebook))
    cell["source"] = rng.choice([None, 7, {}, [1, 2], [["x = 1"]], ["a", None], True, [""] * 9])


@tree("cells", "any")
def no_source(rng: Random, notebook: Notebook) -> None:
    for cell in solutions(notebook):
        del cell["source"]


@tree("cells", "same")
def many_empty_cells(rng: Random, notebook: Notebook) -> None:
    insert(rng, notebook, *(plain("markdown", "") for _ in range(1500)))


@tree("cells", "same")
def many_code_cells(rng: Random, notebook: Notebook) -> None:
    notebook["cells"] = [plain("code", "pass") for _ in range(200)] + notebook["cells"]


@tree("cells", "unreadable")
def too_many_cells(rng: Random, notebook: Notebook) -> None:
    insert(rng, notebook, *(plain("raw", "x") for _ in range(5000)))


@tree("cells", "same")
def very_long_cell(rng: Random, notebook: Notebook) -> None:
    insert(rng, notebook, plain(rng.choice(["code", "markdown", "raw"]), "#" * 1_000_000))


@tree("cells", "same")
def nul_in_a_cell(rng: Random, notebook: Notebook) -> None:
    for kind in ("code", "markdown", "raw"):
        insert(rng, notebook, plain(kind, f"before{chr(0)}after"))


@tree("cells", "same")
def half_characters(rng: Random, notebook: Notebook) -> None:
    for kind in ("code", "markdown", "raw"):
        insert(rng, notebook, plain(kind, f"text = '{SURROGATE}'  # \udfff"))


@tree("cells", "same")
def control_characters(rng: Random, notebook: Notebook) -> None:
    signs = "".join(map(chr, [*range(1, 32), 0x7F, 0x85, 0x2028, 0x202E, 0xFEFF, 0xFFFF]))
    for kind in ("code", "markdown", "raw"):
        insert(rng, notebook, plain(kind, signs))


@tree("cells", "same")
def broken_code(rng: Random, notebook: Notebook) -> None:
    broken = ["def (", "%%nothing\nx", "!exit 3", "'" * 3, "(" * 3000, "-" * 9000 + "1", "%run x"]
    insert(rng, notebook, *(plain("code", source) for source in broken))


@tree("cells", "same")
def slow_markdown(rng: Random, notebook: Notebook) -> None:
    parts = ["[", "![", "*a ", "_", "`", "<", "<!--", "> ", "$", "|a", "- ", "\\(", "~~", "[a]("]
    part = rng.choice([*parts, "\\begin{a}", "\n#", "$$", "**a", "a_b_"])
    insert(rng, notebook, plain("markdown", part * (60_000 // len(part))))


@tree("cells", "same")
def much_markdown(rng: Random, notebook: Notebook) -> None:
    line = "- *one* [two](https://example.org) `three` $x^2$\n"
    insert(rng, notebook, *(plain("markdown", line * 1200) for _ in range(20)))


@tree("cells", "same")
def fenced_text(rng: Random, notebook: Notebook) -> None:
    insert(rng, notebook, plain("raw", "`" * 500 + "\n~~~\n"), plain("markdown", "```\n<b>"))


@tree("cells", "same")
def attachments(rng: Random, notebook: Notebook) -> None:
    junk = rng.choice([7, "x", [], {"a.png": None}, {"a.png": {"image/png": 7}}, {SURROGATE: {}}])
    insert(rng, notebook, plain("markdown", "![a](attachment:a.png)", attachments=junk))


@tree("cells", "same")
def markup(rng: Random, notebook: Notebook) -> None:
    insert(rng, notebook, plain("markdown", SCRIPT), plain("raw", SCRIPT, metadata=SCRIPT))


# --- metadata -------------------------------------------------------------------------------------


@tree("metadata", "same")
def stripped(rng: Random, notebook: Notebook) -> None:
    for number, cell in enumerate(notebook["cells"]):
        cell["metadata"], cell["id"] = {}, f"other-{number}"


@tree("metadata", "same")
def cell_metadata_of_another_kind(rng: Random, notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        cell["metadata"] = rng.choice(JUNK)


@tree("metadata", "same")
def nbgrader_of_another_kind(rng: Random, notebook: Notebook) -> None:
    for cell in solutions(notebook) + graded(notebook):
        cell["metadata"]["nbgrader"] = rng.choice(JUNK)


@tree("metadata", "same")
def schema_version(rng: Random, notebook: Notebook) -> None:
    for cell in solutions(notebook) + graded(notebook):
        metadata(cell)["schema_version"] = rng.choice([0, 1, 2, 4, 99, -3, "3", None, 1e99, []])


@tree("metadata", "same")
def points(rng: Random, notebook: Notebook) -> None:
    for cell in graded(notebook):
        metadata(cell)["points"] = rng.choice([1000, -5, "many", None, float("nan"), 1e400, [9]])


@tree("metadata", "same")
def flags(rng: Random, notebook: Notebook) -> None:
    for cell in solutions(notebook) + graded(notebook):
        for flag in ("grade", "solution", "locked", "task"):
            metadata(cell)[flag] = rng.choice([True, False, None, "yes", 1, []])


@tree("metadata", "same")
def missing_keys(rng: Random, notebook: Notebook) -> None:
    for cell in solutions(notebook) + graded(notebook):
        for key in rng.sample(sorted(metadata(cell)), 3):
            if key != "grade_id":
                del metadata(cell)[key]


@tree("metadata", "same")
def checksum(rng: Random, notebook: Notebook) -> None:
    for cell in graded(notebook):
        metadata(cell)["checksum"] = rng.choice(["0" * 32, "", None, 7])
        metadata(cell)["cell_type"] = rng.choice(["markdown", "nothing", None])


@tree("metadata", "same")
def changed_grade_id(rng: Random, notebook: Notebook) -> None:
    metadata(rng.choice(graded(notebook)))["grade_id"] = rng.choice(["", "x", SURROGATE, None, 7])


@tree("metadata", "any")
def one_grade_id_for_all(rng: Random, notebook: Notebook) -> None:
    cells = solutions(notebook) + graded(notebook)
    name = metadata(rng.choice(cells))["grade_id"]
    for cell in cells:
        metadata(cell)["grade_id"] = name


@tree("metadata", "any")
def exchanged_grade_ids(rng: Random, notebook: Notebook) -> None:
    first, second = rng.sample(solutions(notebook) + graded(notebook), 2)
    a, b = metadata(first), metadata(second)
    a["grade_id"], b["grade_id"] = b["grade_id"], a["grade_id"]


@tree("metadata", "same")
def graded_cell_twice(rng: Random, notebook: Notebook) -> None:
    insert(rng, notebook, copy.deepcopy(rng.choice(graded(notebook))))


@tree("metadata", "same")
def graded_cell_of_its_own(rng: Random, notebook: Notebook) -> None:
    meta = {"grade": True, "solution": False, "locked": True, "points": 99, "grade_id": "bonus"}
    insert(rng, notebook, plain("code", "99", metadata={"nbgrader": meta}))


@tree("metadata", "same")
def marks_of_the_grader(rng: Random, notebook: Notebook) -> None:
    notebook["metadata"]["hotloop"] = {"notes": rng.choice(JUNK), "unreadable": rng.choice(JUNK)}


@tree("metadata", "same")
def a_megabyte(rng: Random, notebook: Notebook) -> None:
    rng.choice(notebook["cells"])["metadata"]["tags"] = ["x" * 1000] * 1000


@tree("metadata", "same")
def deep(rng: Random, notebook: Notebook) -> None:
    nest: Any = {}
    for _ in range(rng.choice([50, 200, 400])):
        nest = [nest] if rng.random() < 0.5 else {"nbgrader": nest}
    rng.choice(notebook["cells"])["metadata"]["deep"] = nest


@tree("metadata", "any")
def deep_ids(rng: Random, notebook: Notebook) -> None:
    nest: Any = []
    for _ in range(rng.choice([300, 700, 900])):
        nest = [nest]
    cell = rng.choice(solutions(notebook))
    cell["id"] = metadata(cell)["grade_id"] = nest


# --- ids ------------------------------------------------------------------------------------------


@tree("ids", "same")
def no_ids(rng: Random, notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        cell.pop("id", None)


@tree("ids", "same")
def one_id_for_all(rng: Random, notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        cell["id"] = "one"


@tree("ids", "same")
def ids_of_another_kind(rng: Random, notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        cell["id"] = rng.choice([*JUNK, "", "x" * 100_000, "a b/c", SURROGATE, "é", 1e400])


@tree("ids", "any")
def ids_of_others(rng: Random, notebook: Notebook) -> None:
    names = [metadata(cell)["grade_id"] for cell in solutions(notebook) + graded(notebook)]
    for cell in notebook["cells"]:
        cell["id"], cell["metadata"] = rng.choice(names), {}


# --- outputs --------------------------------------------------------------------------------------


def code_cells(notebook: Notebook) -> list[Cell]:
    """Return the cells that may have outputs."""
    return [cell for cell in notebook["cells"] if cell.get("cell_type") == "code"]


@tree("outputs", "same")
def outputs_of_another_kind(rng: Random, notebook: Notebook) -> None:
    for cell in code_cells(notebook):
        cell["outputs"] = rng.choice(JUNK)


@tree("outputs", "same")
def no_outputs(rng: Random, notebook: Notebook) -> None:
    for cell in code_cells(notebook):
        cell.pop("outputs", None)
        cell.pop("execution_count", None)


@tree("outputs", "same")
def unknown_outputs(rng: Random, notebook: Notebook) -> None:
    bundles: list[Any] = [
        {"output_type": "nothing"},
        {"output_type": "stream", "name": 7, "text": {"a": 1}},
        {"output_type": "error", "ename": None, "traceback": None},
        {"output_type": "display_data", "data": {"image/png": "no base64"}, "metadata": 7},
        {"output_type": "display_data", "data": {"text/html": [SCRIPT, SURROGATE]}},
        {"output_type": "execute_result", "data": None, "execution_count": "x"},
        {},
    ]
    for cell in code_cells(notebook):
        cell["outputs"] = rng.sample(bundles, 4)


@tree("outputs", "same")
def four_megabytes_of_output(rng: Random, notebook: Notebook) -> None:
    stream = {"output_type": "stream", "name": "stdout", "text": "y" * (4 << 20)}
    rng.choice(code_cells(notebook))["outputs"] = [stream]


@tree("outputs", "same")
def forged_results(rng: Random, notebook: Notebook) -> None:
    for cell in graded(notebook):
        cell["outputs"] = [{"output_type": "execute_result", "data": {"text/plain": "99"}}]


@tree("outputs", "same")
def execution_counts(rng: Random, notebook: Notebook) -> None:
    for cell in code_cells(notebook):
        cell["execution_count"] = rng.choice([-1, 10**40, "7", 1.5, [], {}, True])
