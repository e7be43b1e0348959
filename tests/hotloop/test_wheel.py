"""The built wheels work outside of a clone.

`hotloop` is for a learner, alone or with the judge, and hotloop-solutions for teachers and hiring
teams. The first contains no solution.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from hotloop.core import paths
from hotloop.judge.grader_digest import grader_digest
from hotloop.tasks import curriculum, markers, render
from hotloop.tasks.reference_files import sources

SHOWN_ON_PURPOSE = {
    "hotloop/tasks/modules/triton_ensemble/programs/repository/bert/config.pbtxt",
    "hotloop/tasks/modules/triton_ensemble/programs/repository/preprocess/config.pbtxt",
    "hotloop/tasks/modules/triton_ensemble/programs/repository/postprocess/config.pbtxt",
    "hotloop/tasks/modules/triton_ensemble/programs/repository/topics/config.pbtxt",
    "hotloop/tasks/modules/triton_ensemble/programs/together/preprocess.pbtxt",
    "hotloop/tasks/modules/triton_ensemble/programs/together/postprocess.pbtxt",
}
"""Files that the judge needs on a learner's machine too: the configurations of its server.

The exercise gives name, type and shape of each of their tensors, and in this format there is one
way to write them.
"""

FEWEST_CHARACTERS = 40
"""Shorter regions and lines may be equal by chance."""
FEWEST_LINES = 3
MOST_SHARE = 0.6
"""Largest share of a region's unique lines that a file may contain; more shows the solution."""

RECORDING = 1_000_000
"""From this many characters, a file counts as data and is searched for lines only."""

UNWANTED = ("sqlalchemy", "alembic", "nbgrader")

MOST_DOWNLOADED_MB = 30
LONGEST_INSTALL_S = 120
"""Most seconds on a machine that is also used otherwise; the measured time is printed."""
OF_A_SYSTEM = {"pydantic-core", "pyyaml"}
"""The only packages of the base install with compiled code; both have wheels for every system."""


# --- building and installing ----------------------------------------------------------------------


def built(folder: Path, target: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    subprocess.run(command, check=True, cwd=folder, capture_output=True)
    [wheel] = target.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(clone, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def solutions(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(clone / "solutions", tmp_path_factory.mktemp("dist"))


def closure(requirements: Iterable[str]) -> dict[str, metadata.Distribution]:
    """Return what pip would install for these requirements, from the installed packages."""
    found: dict[str, metadata.Distribution] = {}
    left = [Requirement(text) for text in requirements]
    done: set[str] = set()
    while left:
        requirement = left.pop()
        if str(requirement) in done:
            continue
        done.add(str(requirement))
        extras = requirement.extras or {""}
        distribution = metadata.distribution(requirement.name)
        found[canonicalize_name(requirement.name)] = distribution
        for text in distribution.requires or []:
            needed = Requirement(text)
            if needed.marker is None or any(needed.marker.evaluate({"extra": e}) for e in extras):
                left.append(needed)
    return found


def requirements(wheel: Path, extra: str = "") -> list[str]:
    """Return the wheel's own requirements, with one extra or none."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
        lines = archive.read(name).decode().split("\n\n")[0].splitlines()
    asked = [Requirement(line[15:]) for line in lines if line.startswith("Requires-Dist: ")]
    return [str(r) for r in asked if r.marker is None or r.marker.evaluate({"extra": extra})]


def linked(source: str, target: str) -> None:
    """Make a hard link if possible, else a copy.

    A symbolic link would point outside of what workers can see.
    """
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@pytest.fixture(scope="module")
def plain(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """bin/ of an environment with only the wheel and its dependencies."""
    return filled(tmp_path_factory.mktemp("plain"), wheel)


@pytest.fixture(scope="module")
def local(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `plain`, with the judge."""
    return filled(tmp_path_factory.mktemp("local"), wheel, "local")


def filled(folder: Path, wheel: Path, extra: str = "") -> Path:
    """Create an environment from this environment's packages; nothing is downloaded.

    pytest's folders are only for their owner, and root's sandboxes run under a spare user id.
    """
    folder.chmod(0o755)
    venv.create(folder, symlinks=True)
    [packages] = folder.glob("lib/python*/site-packages")
    for distribution in closure(requirements(wheel, extra)).values():
        root = Path(str(distribution.locate_file("")))
        tops = {path.parts[0] for path in distribution.files or [] if path.parts[0] != ".."}
        for name in tops - {"__pycache__"}:
            if (root / name).is_dir():
                shutil.copytree(
                    root / name, packages / name, copy_function=linked, dirs_exist_ok=True
                )
            elif not (packages / name).exists():
                linked(str(root / name), str(packages / name))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    return folder / "bin"


def python(plain: Path, cwd: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "HOTLOOP"))}
    environment = {**kept, "XDG_DATA_HOME": str(cwd / "data"), **more}
    command = [str(plain / "python"), *words]
    return subprocess.run(
        command, check=False, cwd=cwd, env=environment, capture_output=True, text=True
    )


def run(plain: Path, cwd: Path, *words: str, **more: str) -> Any:
    done = python(plain, cwd, "-m", "hotloop.cli", *words, "--json", **more)
    assert done.returncode in {0, 1, 2}, done.stderr
    assert "Traceback" not in done.stderr
    return json.loads(done.stdout)


# --- what is in it --------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_package_and_its_data_travel(wheel: Path, clone: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for path in (clone / "exercises").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert f"hotloop/_data/{path.relative_to(clone)}" in names
    for module in curriculum.modules():
        for name in ("module.yaml", "questions.yaml", "lesson.md"):
            assert f"hotloop/_data/curriculum/{module.id}/{name}" in names
        for picture in (clone / "curriculum" / module.id / "figures").glob("*.svg"):
            assert f"hotloop/_data/{picture.relative_to(clone)}" in names
    assert "hotloop/judge/service.py" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests/")]
    assert {n.rpartition("/")[2] for n in names if "/licenses/" in n} >= {"LICENSE"}
    assert next(name for name in names if name.endswith(".dist-info/entry_points.txt"))


@pytest.mark.slow
def test_all_solutions_are_in_the_package_of_their_own(solutions: Path, clone: Path) -> None:
    with zipfile.ZipFile(solutions) as archive:
        names = set(archive.namelist())
    for module in curriculum.modules():
        for path in (clone / "solutions" / module.id).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                name = path.relative_to(clone / "solutions").as_posix()
                assert f"hotloop_solutions/{name}" in names
    assert "hotloop_solutions/LICENSE" in names


# --- no solution ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Secret:
    """A region of a reference or of a wrong answer. lines: those that are not in its exercise."""

    name: str
    whole: str
    lines: frozenset[str]


def plainly(text: str) -> str:
    return " ".join(text.split())


def secret(module: str, name: str, body: Iterable[str]) -> Secret:
    lines = {plainly(line) for line in body} - given(module)
    long = frozenset(line for line in lines if len(line) >= FEWEST_CHARACTERS)
    return Secret(f"{module}: {name}", plainly("\n".join(body)), long)


@cache
def given(module: str) -> frozenset[str]:
    """Return all lines of a module's exercise."""
    files = [path for path in (paths.exercises() / module).rglob("*") if path.is_file()]
    texts = [text for path in files for text in readable(path.name, path.read_bytes())]
    return frozenset(plainly(line) for text in texts for line in text.splitlines())


def secrets() -> Iterator[Secret]:
    for module in curriculum.modules():
        for path in sources(module.id).values():
            try:
                found = markers.regions(markers.parse(path.read_text("utf-8"), str(path)))
            except UnicodeDecodeError:
                continue
            yield from (secret(module.id, r.key, r.body) for r in found)
        for wrong in render.wrong_answers(module.id):
            for key, body in wrong.bodies.items():
                yield secret(module.id, f"{key} ({wrong.name})", body)


def strings(document: object) -> Iterator[str]:
    """Yield all text of a JSON document. A notebook stores a cell as a list of its lines."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, Mapping):
        for key, value in document.items():
            yield str(key)
            yield from strings(value)
    elif isinstance(document, list):
        if all(isinstance(part, str) for part in document):
            yield "".join(document)
        for part in document:
            yield from strings(part)


def parsed(text: str) -> object:
    """Yield a JSON document, or one per line."""
    try:
        return json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line]


def readable(name: str, data: bytes) -> Iterator[str]:
    """Yield a file's text as people see it; nothing for a file that is not text."""
    if name.endswith(".gz"):
        name, data = name.removesuffix(".gz"), gzip.decompress(data)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return
    yield text
    if name.endswith((".json", ".ipynb")):
        yield "\n".join(strings(parsed(text)))


def leaks(files: Mapping[str, bytes], hidden: Iterable[Secret]) -> list[tuple[str, str, float]]:
    """Return file, region and share of its own lines, for all files that show a region."""
    texts = {name: "\n".join(readable(name, data)) for name, data in files.items()}
    plain = {name: plainly(text) for name, text in texts.items()}
    short = {name: text for name, text in plain.items() if len(text) < RECORDING}
    everything = "\n".join(short.values())
    holding: dict[str, set[str]] = {}
    for name, text in texts.items():
        for line in text.splitlines():
            holding.setdefault(plainly(line), set()).add(name)
    found: list[tuple[str, str, float]] = []
    for one in hidden:
        shown = Counter(name for line in one.lines for name in holding.get(line, ()))
        shares = {name: n / max(len(one.lines), FEWEST_LINES) for name, n in shown.items()}
        if len(one.whole) >= FEWEST_CHARACTERS and one.whole in everything:
            shares |= {name: 1.0 for name, text in short.items() if one.whole in text}
        found += [(name, one.name, s) for name, s in shares.items() if s > MOST_SHARE]
    return found


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.slow
def test_it_says_that_it_has_types(wheel: Path) -> None:
    """By the marker file of PEP 561; without it a type checker ignores the package's types."""
    assert contents(wheel).get("hotloop/py.typed") == b""


@pytest.mark.slow
def test_no_file_of_the_wheel_shows_a_solution(wheel: Path, solutions: Path) -> None:
    hidden = list(secrets())
    found = leaks(contents(wheel), hidden)
    unexpected = [leak for leak in found if leak[0] not in SHOWN_ON_PURPOSE]
    print(f"{wheel.name}: {wheel.stat().st_size:,} bytes; {solutions.name}:", end=" ")
    print(f"{solutions.stat().st_size:,} bytes; {len(hidden)} regions, {len(unexpected)} shown")
    assert unexpected == []
    assert {name for name, _, _ in found} == SHOWN_ON_PURPOSE


def causes_of(path: Path) -> dict[str, str]:
    """Return the cause of the fault in each recording that a task hands out."""
    known = json.loads(path.read_text(encoding="utf-8"))
    return {letter: known[letter]["cause"] for letter in "abcd"}


def names_causes(document: Any, causes: Mapping[str, str]) -> bool:
    """Return whether some part of the document names the cause of each recording."""
    if isinstance(document, list):
        return any(names_causes(part, causes) for part in document)
    if not isinstance(document, Mapping):
        return False
    about = {letter: list(strings([document.get(letter)])) for letter in causes}
    if all(cause in about[letter] for letter, cause in causes.items()):
        return True
    return any(names_causes(part, causes) for part in document.values())


DIAGNOSED = sorted(
    path
    for path in paths.curriculum().glob("*/recordings/*.json")
    if "cause" in json.loads(path.read_text(encoding="utf-8")).get("a", {})
)


def test_six_tasks_hand_out_recordings() -> None:
    assert len(DIAGNOSED) == 6


@pytest.mark.slow
@pytest.mark.parametrize("path", DIAGNOSED, ids=lambda path: path.parent.parent.name)
def test_no_file_of_the_wheel_says_what_ails_a_recording(wheel: Path, path: Path) -> None:
    causes = causes_of(path)
    assert names_causes({"truth": json.loads(path.read_text(encoding="utf-8"))}, causes)
    assert names_causes([dict(causes)], causes)
    found = [
        name
        for name, data in contents(wheel).items()
        if name.endswith(".json") and names_causes(parsed(data.decode()), causes)
    ]
    assert found == []


@pytest.mark.slow
def test_a_solution_is_found_wherever_it_is_shown() -> None:
    """Whole in a lesson, in a notebook, in a recording; its lines among others; not its stub."""
    hidden = [one for one in secrets() if len(one.lines) >= FEWEST_LINES]
    key = "fused_softmax.triton_forward kernels"
    one = next(one for one in hidden if one.name == f"fused_softmax: {key}")
    body = next(
        region.body
        for path in sources("fused_softmax").values()
        for region in markers.regions(markers.parse(path.read_text("utf-8"), str(path)))
        if region.key == key
    )
    indented = "\n".join(f"        {line}" for line in body)
    mixed = "\n# between\n".join(sorted(one.lines))
    cell = {"cells": [{"source": [f"{line}\n" for line in body]}]}
    files = {
        "lesson.md": f"Look:\n\n{indented}\n".encode(),
        "lab.ipynb": json.dumps(cell).encode(),
        "record.json.gz": gzip.compress(json.dumps({"code": "\n".join(body)}).encode()),
        "mixed.py": mixed.encode(),
    }
    assert {name for name, _, _ in leaks(files, [one])} == set(files)
    assert leaks(render.untouched("fused_softmax"), [one]) == []


# --- without extras -------------------------------------------------------------------------------


@pytest.mark.slow
def test_nothing_but_the_base_is_there(plain: Path, tmp_path: Path) -> None:
    program = """if True:
        import importlib.util as util, sys
        import hotloop, hotloop.core.paths as paths
        names = ("torch", "triton", "numpy", "pyseccomp", "jupytext", "nbformat", "unidiff",
            "sqlalchemy", "alembic", "nbgrader", "jupyterlab", "IPython", "fastapi", "pytest")
        print(hotloop.__file__, paths.root(), paths.in_clone())
        print([name for name in names if util.find_spec(name)])
    """
    said = python(plain, tmp_path, "-c", program).stdout.splitlines()
    [package] = plain.parent.glob("lib/python*/site-packages/hotloop")
    assert said == [f"{package / '__init__.py'} {package / '_data'} False", "[]"]


@pytest.mark.slow
def test_modules(plain: Path, tmp_path: Path, clone: Path) -> None:
    modules = {module["id"] for module in run(plain, tmp_path, "modules")["modules"]}
    assert modules == {path.parent.name for path in (clone / "curriculum").glob("*/module.yaml")}


@pytest.mark.slow
def test_start(plain: Path, tmp_path: Path, clone: Path) -> None:
    run(plain, tmp_path, "start", "fused_softmax")
    for path in (clone / "exercises" / "fused_softmax").iterdir():
        assert (tmp_path / "fused_softmax" / path.name).read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_the_practice_page(plain: Path, tmp_path: Path) -> None:
    """Page, scripts and questions are in the package."""
    names = ("index.html", "practice_page.js", "local/store.js", "data/index.js")
    program = (
        "from hotloop.learn.practice.server import PracticeServer\n"
        "with PracticeServer('index.html') as server:\n"
        f"    print(all(server.content(name) for name in {names}))"
    )
    done = python(plain, tmp_path, "-c", program)
    assert done.stdout == "True\n", done.stderr


@pytest.mark.slow
def test_doctor(plain: Path, tmp_path: Path) -> None:
    """It names each missing extra with pip's command, and counts the same points as here."""
    said = run(plain, tmp_path, "doctor")
    fixes = {finding["name"]: finding["fix"] for finding in said["findings"]}
    assert fixes["course"].endswith("-m pip install 'hotloop[course]'")
    assert fixes["local"].endswith("-m pip install 'hotloop[local]'")
    assert said["points"].keys() == {module.id for module in curriculum.modules()}
    assert said["points"]["fused_softmax"]["here"] == 0


@pytest.mark.slow
def test_doctor_with_the_judge(local: Path, tmp_path: Path) -> None:
    assert run(local, tmp_path, "doctor")["points"]["fused_softmax"]["here"] > 0


@pytest.fixture
def solved(tmp_path: Path) -> Path:
    """A learner's folder with the solutions."""
    folder = tmp_path / "fused_softmax"
    folder.mkdir()
    for name, content in render.submission("fused_softmax").items():
        (folder / name).write_bytes(content)
    return folder


ONLINE = ("check", "fused_softmax.online_pass", "fused_softmax")


@pytest.mark.slow
@pytest.mark.usefixtures("solved")
def test_check(local: Path, tmp_path: Path) -> None:
    """The judge and its sandbox, from the wheel."""
    [task] = run(local, tmp_path, *ONLINE)["tasks"]
    assert (task["verdict"], task["points"]) == ("passed", task["possible"])


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="anyone but root is the user of his sandboxes")
@pytest.mark.usefixtures("solved")
def test_an_environment_that_only_root_can_read_is_refused(local: Path, tmp_path: Path) -> None:
    """Once, before judging: its packages would be missing for candidates who import them."""
    folder = local.parent
    folder.chmod(0o700)
    try:
        refused = run(local, tmp_path, *ONLINE)["error"]
        findings = run(local, tmp_path, "doctor")["findings"]
    finally:
        folder.chmod(0o755)
    fix = f"chmod -R o+rX {folder}"
    assert f"{folder} has mode 0700" in refused
    assert fix in refused
    assert [found["fix"] for found in findings if found["name"] == "sandbox"] == [fix]


@pytest.mark.slow
def test_its_grader_digests_are_those_of_the_clone(local: Path, tmp_path: Path) -> None:
    """A digest names a release, however that was installed."""
    program = """if True:
        from hotloop.judge.grader_digest import grader_digest
        from hotloop.tasks import curriculum
        print(*(grader_digest(module.id) for module in curriculum.modules()))
    """
    done = python(local, tmp_path, "-c", program)
    assert done.stdout.split() == [grader_digest(m.id) for m in curriculum.modules()], done.stderr


@pytest.mark.slow
def test_each_check_can_be_loaded(local: Path, tmp_path: Path) -> None:
    """Without solutions, and without a module's further dependencies."""
    program = """if True:
        from hotloop.tasks import curriculum
        from hotloop.judge.task import find
        for module in curriculum.modules():
            for task in module.tasks:
                if task.kind == "code":
                    find(module.id, task.id)
                    print(module.id, task.id)
    """
    done = python(local, tmp_path, "-c", program)
    assert done.returncode == 0, done.stderr
    code = [(m.id, t.id) for m in curriculum.modules() for t in m.tasks if t.kind == "code"]
    assert [tuple(line.split()) for line in done.stdout.splitlines()] == code


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("lab", "."), "course"),
        (("author", "render"), "local"),
        (("course", "new", "fused_softmax"), "course"),
        (("course", "grade"), "course"),
        (("demo",), "course"),
        (("course", "page"), "course"),
        (("questions", "--export", "anki"), "bank"),
        (("mcp",), "mcp"),
        (("takehome", "new", "fused_softmax", "--name", "ada"), "takehome"),
    ],
)
def test_what_needs_an_extra_names_it(
    plain: Path, tmp_path: Path, words: tuple[str, ...], extra: str
) -> None:
    said = run(plain, tmp_path, *words)["error"]
    assert said.endswith(f"python -m pip install 'hotloop[{extra}]'")


IMPORTED = """if True:
    import json, sys, time
    begun = time.perf_counter()
    {program}
    seconds = time.perf_counter() - begun
    print(json.dumps([seconds, sorted(sys.modules)]))
"""


COMMAND = """import typer, hotloop.cli
    typer.main.get_command(hotloop.cli.app).get_command(None, "check")"""
NOTEBOOK = """import hotloop.learn.notebook, hotloop.verdicts.render_record, hotloop.judge.client
    import hotloop.verdicts.progress_line, hotloop.learn.practice.verdicts
    import hotloop.learn.pack.work_log"""


@pytest.mark.slow
@pytest.mark.parametrize("program", [COMMAND, NOTEBOOK], ids=["hotloop check", "check()"])
def test_a_learners_check_imports_no_database(tmp_path: Path, program: str) -> None:
    """In this environment, where all of it is installed."""
    code = IMPORTED.format(program=program)
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=tmp_path
    )
    seconds, names = json.loads(done.stdout)
    tops = [name.partition(".")[0] for name in names]
    most = sorted({(tops.count(top), top) for top in tops}, reverse=True)[:6]
    print(f"{len(names)} modules in {seconds:.2f} s, most of them of", most)
    assert "hotloop" in tops
    assert [name for name in UNWANTED if name in tops] == []


# --- what pip makes of it -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def index() -> None:
    """Skips if pip reaches no package index, which is a fault of this machine's network."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "simpleeval"]
        done = subprocess.run(
            [*command, "--dest", folder], check=False, capture_output=True, text=True, timeout=60
        )
    if done.returncode:
        pytest.skip(f"pip reaches no package index: {done.stderr.strip()[-200:]}")


@pytest.mark.slow
@pytest.mark.usefixtures("index")
@pytest.mark.timeout(300)
def test_pip_installs_it_fast_and_small(wheel: Path, tmp_path: Path) -> None:
    """As for a new user: no cache, a new environment."""
    venv.create(tmp_path / "new", with_pip=True)
    pip = [str(tmp_path / "new" / "bin" / "python"), "-m", "pip", "--quiet", "--no-cache-dir"]
    begun = time.perf_counter()
    report = tmp_path / "report.json"
    subprocess.run([*pip, "install", "--report", str(report), str(wheel)], check=True)
    seconds = time.perf_counter() - begun
    subprocess.run([*pip, "download", "--dest", str(tmp_path / "dl"), str(wheel)], check=True)
    downloaded = {path.name: path.stat().st_size / 1e6 for path in (tmp_path / "dl").iterdir()}
    [packages] = (tmp_path / "new").glob("lib/python*/site-packages")
    names = {
        canonicalize_name(one["metadata"]["name"])
        for one in json.loads(report.read_text())["install"]
    }
    files = [
        Path(str(found.locate_file(file)))
        for found in metadata.distributions(path=[str(packages)])
        if canonicalize_name(found.metadata["Name"]) in names
        for file in found.files or []
    ]
    sizes = {path: path.stat().st_size / 1e6 for path in files}
    bytecode = sum(size for path, size in sizes.items() if path.suffix == ".pyc")
    print(
        f"{len(downloaded)} wheels of {sum(downloaded.values()):.1f} MB in {seconds:.1f} s; "
        f"installed {sum(sizes.values()) - bytecode:.1f} MB and {bytecode:.1f} MB of bytecode"
    )
    assert sum(downloaded.values()) < MOST_DOWNLOADED_MB
    assert seconds < LONGEST_INSTALL_S
    assert not names & {"torch", "triton", "numpy", "pyseccomp", "jupytext", "nbformat"}
    compiled = {name for name in downloaded if not name.endswith("-none-any.whl")}
    assert {canonicalize_name(name.split("-")[0]) for name in compiled} == OF_A_SYSTEM
    done = python(tmp_path / "new" / "bin", tmp_path, "-m", "hotloop.cli", "modules")
    assert "fused_softmax" in done.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("index")
@pytest.mark.parametrize("system", ["win_amd64", "macosx_11_0_arm64", "macosx_10_13_x86_64"])
def test_pip_finds_wheels_for_other_systems(wheel: Path, tmp_path: Path, system: str) -> None:
    """No package is built from source there. This does not show whether it runs."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:"]
    command += ["--platform", system, "--python-version", "3.12", "--dest", str(tmp_path)]
    subprocess.run([*command, str(wheel)], check=True)
    compiled = {p.name for p in tmp_path.iterdir() if not p.name.endswith("-none-any.whl")}
    assert {canonicalize_name(name.split("-")[0]) for name in compiled} == OF_A_SYSTEM
    assert all(system.split("_")[0] in name for name in compiled)


# --- with solutions, or without -------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("words", [("render",), ("exploits",), ("proofs",)])
def test_what_needs_a_clone_says_so(local: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    assert "clone" in run(local, tmp_path, "author", *words)["error"]


@pytest.mark.slow
def test_what_needs_solutions_names_their_package(
    local: Path, solutions: Path, tmp_path: Path
) -> None:
    program = "from hotloop.tasks import render; print(len(render.submission('fused_softmax')))"
    without = python(local, tmp_path, "-c", program)
    assert "SolutionsMissing: The solutions are not installed here: " in without.stderr
    assert "pip install hotloop-solutions==" in without.stderr
    said = run(local, tmp_path, "author", "evidence", "fused_softmax")["error"]
    assert "pip install hotloop-solutions==" in said
    with zipfile.ZipFile(solutions) as archive:
        archive.extractall(tmp_path / "installed")
    there = python(local, tmp_path, "-c", program, PYTHONPATH=str(tmp_path / "installed"))
    assert there.stdout.strip() == str(len(render.submission("fused_softmax"))), there.stderr


@pytest.mark.slow
def test_solutions_of_another_version_are_refused(local: Path, tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    (installed / "hotloop_solutions" / "fused_softmax").mkdir(parents=True)
    about = installed / "hotloop_solutions-0.0.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        "Metadata-Version: 2.4\nName: hotloop-solutions\nVersion: 0.0.1"
    )
    said = run(local, tmp_path, "author", "evidence", "fused_softmax", PYTHONPATH=str(installed))[
        "error"
    ]
    assert "are those of hotloop 0.0.1" in said
