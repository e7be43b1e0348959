"""A candidate's machine, with a pack and Hotloop without solutions, cannot produce a solution.

Earlier, both together could: the wheel had the solutions and the edits of every variant, and the
pack named its variant. One call rendered the candidate's complete solution.
"""

import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from string import Template
from typing import Any

import pytest

from hotloop.learn.bank import catalog
from hotloop.takehome import code_questions, pack_wheel
from hotloop.takehome.pack import Pack, make_pack
from hotloop.takehome.team import Team
from hotloop.tasks import curriculum, markers, render
from hotloop.tasks.reference_files import NOTEBOOK_SOURCE, VARIANTS, sources
from hotloop.tasks.variants import Variant
from hotloop.tasks.variants.form import ARGUMENT, Choice, VariantEdit, form_of

from .conftest import MADE, Hired

MODULES = [module.id for module in curriculum.modules()]
SHORTEST = 8
"""Shortest searched text, without spaces: shorter pieces occur by chance."""

ATTACKS = """
import json, sys
from pathlib import Path
from hotloop.tasks import render
from hotloop.core import paths
from hotloop.tasks.variants import Variant, form, rewriting

def rendered(module, variant):
    return render.submission(module, None, variant)

def exercise(module, variant):
    return render.render(module, variant)

def rewritten(module, variant):
    return rewriting.Rewriting(variant, []).answer(["torch.exp(x)"], module + ".online_pass", "")

def edits(module, variant):
    return form.form_of(module).choices

outcomes = {}
for module, folder in json.loads(sys.argv[1]).items():
    variant = Variant.from_json(json.loads((Path(folder) / "variant.json").read_text()))
    for attack in (rendered, exercise, rewritten, edits):
        try:
            got = attack(module, variant)
        except Exception as error:
            outcomes[f"{attack.__name__} {module}"] = type(error).__name__
        else:
            outcomes[f"{attack.__name__} {module}"] = f"worked: {got!r}"[:200]
print(json.dumps(outcomes))
"""


@pytest.fixture(scope="module")
def plain_wheel(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a candidate installs: the wheel without solutions, which are in another package."""
    dist = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(dist)]
    subprocess.run(command, check=True, cwd=clone, capture_output=True)
    [wheel] = dist.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def plain_install(plain_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as a pack brings it along, unpacked as pip would."""
    target = tmp_path_factory.mktemp("site-packages")
    wheel = pack_wheel.without_answers(plain_wheel.read_bytes())
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        archive.extractall(target)
    return target


def run(installed: Path, cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(installed), "HOTLOOP_NO_WORK_LOG": "1"}
    command = [sys.executable, *words]
    return subprocess.run(
        command, check=False, cwd=cwd, env=environment, capture_output=True, text=True
    )


# --- searching ------------------------------------------------------------------------------------


def texts(name: str, data: bytes) -> Iterator[str]:
    """Yield the readable text in a file: cells of notebooks as text, and contents of archives."""
    if data.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.namelist():
                yield from texts(entry, archive.read(entry))
        return
    if data.startswith(b"\x1f\x8b"):
        yield from texts(name.removesuffix(".gz"), gzip.decompress(data))
        return
    text = data.decode("utf-8", errors="ignore")
    yield text
    if name.endswith(".ipynb"):
        yield "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])


def squeezed(text: str) -> str:
    """Return the text without spaces and comment signs, which a notebook's text cells lose."""
    return re.sub(r"^\s*#+|\s+", "", text, flags=re.MULTILINE)


def told_by(pieces: Iterator[str]) -> str:
    return "\n".join(map(squeezed, pieces))


def needles(edit: VariantEdit, slots: dict[str, str] | None) -> list[str]:
    """Return the text that an edit inserts: each line, of a call the part before its argument."""
    filled = edit.becomes if slots is None else Template(edit.becomes).substitute(slots)
    lines = [max(line.split(ARGUMENT), key=len) for line in filled.split("\n")]
    return [squeezed(line) for line in lines]


def is_drawn(choice: Choice, variant: Variant) -> bool:
    return choice.of(variant.constants) != choice.plain


def told_by_all(files: dict[str, bytes]) -> str:
    return told_by(text for name, data in files.items() for text in texts(name, data))


def without_hints(files: dict[str, bytes]) -> str:
    return re.sub(r"<details>.*?</details>", "", told_by_all(files), flags=re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("module", [module for module in MODULES if form_of(module).choices])
def test_a_pack_holds_no_edit_of_an_answer(
    module: str, whole_pack: Callable[[str], tuple[Team, Pack]]
) -> None:
    """Except for what the exercise's own text says, edited or not."""
    team, pack = whole_pack(module)
    variant, choices = team.variant(pack.manifest.pack), form_of(module).choices
    held = told_by(texts(pack.path.name, pack.path.read_bytes()))
    given = without_hints(render.render(module))
    drawn = [(choice, choice.slots(choice.of(variant.constants)))
             for choice in choices if is_drawn(choice, variant)]  # fmt: skip
    said = "\n".join(n for choice, slots in drawn for e in choice.text for n in needles(e, slots))
    searched = [
        needle
        for choice, slots in drawn
        for edit in choice.answers
        for needle in needles(edit, slots)
        if len(needle) >= SHORTEST and needle not in given and needle not in said
    ]
    solution = told_by_all(render.submission(module, None, variant))
    # Where a machine is drawn, what changes in an answer stands in the text of the exercise, too.
    assert searched or module == "unknown_machine"
    assert sum(needle in solution for needle in searched) >= len(searched) / 2
    assert [needle for needle in searched if needle in held] == []


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_a_pack_holds_no_whole_region_of_a_solution(
    module: str, whole_pack: Callable[[str], tuple[Team, Pack]]
) -> None:
    team, pack = whole_pack(module)
    variant = team.variant(pack.manifest.pack)
    held = told_by(texts(pack.path.name, pack.path.read_bytes()))
    given = without_hints(render.render(module)) + without_hints(render.render(module, variant))
    searched = [text for text in regions(module, variant) if text not in given]
    solution = told_by_all(render.submission(module, None, variant))
    assert sum(text in solution for text in searched) >= len(curriculum.load_module(module).tasks)
    assert [text[:80] for text in searched if text in held] == []


def regions(module: str, variant: Variant) -> set[str]:
    """Return the solution regions, as published and in the variant."""
    found: set[str] = set()
    rewriting = render.Rewriting(variant, {path.stem for path in sources(module).values()})
    for path in sources(module).values():
        if path.suffix in {".py", ".cu", ".cpp", ".pbtxt", ".md"}:
            name = render.NOTEBOOK if path.name == NOTEBOOK_SOURCE else path.name
            for region in markers.regions(markers.parse(path.read_text(), path.name)):
                answer = rewriting.answer(region.body, region.key, name)
                found |= {squeezed("\n".join(lines)) for lines in (region.body, answer)}
    return found


@pytest.mark.slow
def test_an_installation_without_solutions_holds_no_edit_of_any_variant(
    plain_install: Path,
) -> None:
    files = [path for path in plain_install.rglob("*") if path.is_file()]
    assert not [path for path in files if path.name == VARIANTS]
    held = told_by(text for path in files for text in texts(path.name, path.read_bytes()))
    searched = [
        needle
        for module in MODULES
        for choice in form_of(module).choices
        for edit in choice.answers
        for needle in needles(edit, None)
        if "${" in needle and len(needle) >= 2 * SHORTEST
    ]
    assert len(searched) > 100
    assert [needle for needle in searched if needle in held] == []


# --- attacking ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_nothing_on_a_candidates_machine_renders_the_solution(
    plain_install: Path, whole_pack: Callable[[str], tuple[Team, Pack]], tmp_path: Path
) -> None:
    folders = {module: str(unpacked(whole_pack(module)[1], tmp_path)) for module in MODULES}
    done = run(plain_install, tmp_path, "-c", ATTACKS, json.dumps(folders))
    assert done.returncode == 0, done.stderr
    outcomes = json.loads(done.stdout)
    assert len(outcomes) == 4 * len(MODULES)
    assert set(outcomes.values()) == {"SolutionsMissing"}


@pytest.mark.slow
def test_where_solutions_are_the_attack_works(
    clone: Path, whole_pack: Callable[[str], tuple[Team, Pack]], tmp_path: Path
) -> None:
    """Otherwise the test above could not fail."""
    folder = unpacked(whole_pack("fused_softmax")[1], tmp_path)
    done = run(
        clone / "graders", tmp_path, "-c", ATTACKS, json.dumps({"fused_softmax": str(folder)})
    )
    outcomes = json.loads(done.stdout)
    assert len(outcomes) == 4
    assert all(what.startswith("worked: ") for what in outcomes.values())


@pytest.mark.slow
def test_no_model_answer_of_a_question_is_in_a_packs_wheel(plain_install: Path) -> None:
    """Neither of the bank's questions nor of those about the candidate's own lines."""
    files = [path for path in plain_install.rglob("*") if path.suffix in {".yaml", ".json", ".md"}]
    whole = "\n".join(path.read_text(errors="ignore") for path in files)
    squeezed = " ".join(whole.split())
    answers = [entry.question.say for entry in catalog.catalog()]
    answers += [question.answer for question in code_questions.known()]
    assert len(answers) > 300
    kept = [text for text in answers if " ".join(text.split())[:120] in squeezed]
    assert kept == []


# --- working --------------------------------------------------------------------------------------


def unpacked(pack: Pack, where: Path) -> Path:
    with zipfile.ZipFile(pack.path) as archive:
        archive.extractall(where)
    return where / pack.pseudonym


def solve(folder: Path, variant: Variant) -> None:
    """Put the answer of the first task into a pack's notebook."""
    path = folder / render.NOTEBOOK
    document: Any = json.loads(path.read_text())
    answer = json.loads(render.submission("fused_softmax", None, variant)[render.NOTEBOOK])
    solved = {cell["id"]: cell for cell in answer["cells"]}
    name = "online_pass_solution"
    document["cells"] = [solved[name] if c["id"] == name else c for c in document["cells"]]
    path.write_text(json.dumps(document))


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(300)
def test_a_pack_is_checked_in_its_own_variant_without_any_solution(
    plain_install: Path, hired: Hired, tmp_path: Path
) -> None:
    pack, another = hired.packs
    mine, other = (hired.team.variant(one.manifest.pack) for one in (pack, another))
    folder = unpacked(pack, tmp_path)
    verdicts: list[str] = []
    for variant in (mine, Variant(other.module, other.constants, mine.names)):
        solve(folder, variant)
        words = ("-m", "hotloop.cli", "check", "fused_softmax.online_pass", ".", "--json")
        done = run(plain_install, folder, *words)
        assert done.returncode in {0, 1}, done.stdout + done.stderr
        [task] = json.loads(done.stdout)["tasks"]
        verdicts.append(task["verdict"])
        assert task["record"]["circumstances"]["variant"] == mine.digest
    assert verdicts == ["passed", "wrong_answer"]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_notebooks_check_works_without_any_solution(
    plain_install: Path, hired: Hired, tmp_path: Path
) -> None:
    folder = unpacked(hired.packs[0], tmp_path)
    solve(folder, hired.team.variant(hired.packs[0].manifest.pack))
    cells = json.loads((folder / render.NOTEBOOK).read_text())["cells"]
    [answer] = [cell for cell in cells if cell["id"] == "online_pass_solution"]
    program = folder / "cells.py"
    program.write_text(
        "import torch\nfrom hotloop import check\n"
        + "".join(answer["source"])
        + '\nprint(check("fused_softmax.online_pass").record.verdict)\n'
    )
    done = run(plain_install, folder, str(program))
    assert done.stdout.split() == ["passed"], done.stderr


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_packs_first_command_installs_the_wheel_that_came_with_it(
    plain_wheel: Path, own_team: Hired, tmp_path: Path
) -> None:
    """The wheel's dependencies are taken from this environment: a test downloads nothing."""
    team = own_team.team
    shutil.copy(plain_wheel, team.folder)
    path = team.role_path("gpu_engineer")
    path.write_text(path.read_text() + f"wheel: {plain_wheel.name}\n")
    folder = unpacked(make_pack(team, team.role("gpu_engineer"), "C. D.", now=MADE), tmp_path)
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    offline = {"PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PYTHONPATH": sysconfig.get_path("purelib")}
    done = subprocess.run(
        ["make", "status", f"PYTHON={sys.executable}"],
        check=False,
        cwd=folder,
        env={**plain, **offline},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "online_pass" in done.stdout
    assert list(folder.glob(".venv/lib/*/site-packages/hotloop/__init__.py"))
