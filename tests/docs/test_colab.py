"""The notebook for Colab, run cell by cell in an environment that has the wheel of this tree."""

import json
import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

pytest.importorskip("fastapi", reason="the group `serve` is not installed")

from nbclient import NotebookClient

from hotloop.learn.remote import place
from hotloop.tasks.render import submission

from ..hotloop.service.test_commands import run, serving

NOTEBOOK = Path("site/pages/assets/hotloop_on_colab.ipynb")
OWN = ("hotloop", "_hotloop", "pip")
"""Beginnings of names that an environment has of its own."""
START = "!hotloop start first_kernels"
pytestmark = [pytest.mark.slow, pytest.mark.sandbox, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def wheel(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    dist = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(dist)]
    subprocess.run(command, check=True, cwd=clone, capture_output=True)
    (built,) = dist.glob("*.whl")
    return built


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An invitation to a class's server, which judges for real."""
    monkeypatch.delenv(place.SERVER, raising=False)
    folder = tmp_path / "service"
    with serving(folder) as url:
        yield run("course", "invite", "ada", "--folder", str(folder), "--url", url)[1]["invited"][
            "ada"
        ]


def test_it_checks_on_the_server_of_a_class(
    clone: Path, wheel: Path, service: str, colab: Path
) -> None:
    said = executed(clone, wheel, colab, service, solved=True)
    assert "You are logged in to" in said
    # A table, as wide as Colab's terminal is.
    assert "passed" in said
    assert "not measured" in said
    assert "wrong answer" not in said


def test_without_a_server_it_checks_here(clone: Path, wheel: Path, colab: Path) -> None:
    said = executed(clone, wheel, colab, "", solved=True)
    assert "Passed everything this machine can measure" in said
    assert "hl-badge" in said


def test_an_exercise_that_nobody_has_begun_does_not_pass(
    clone: Path, wheel: Path, colab: Path
) -> None:
    said = executed(clone, wheel, colab, "", solved=False)
    assert "Not attempted yet" in said
    assert "Passed everything" not in said


def executed(clone: Path, wheel: Path, folder: Path, invitation: str, *, solved: bool) -> str:
    """What its cells have shown. solved: whether the learner solves the task in between."""
    notebook = nbformat.read(clone / NOTEBOOK, as_version=4)
    setup, start = (cell for cell in notebook.cells[:4] if cell.cell_type == "code")
    setup.source = replaced(setup.source, 'INVITATION = ""', f"INVITATION = {invitation!r}")
    setup.source = replaced(setup.source, '"hotloop"', repr(str(wheel)))
    setup.source = replaced(setup.source, '"hotloop[local]"', repr(f"{wheel}[local]"))
    assert START in start.source
    if solved:
        answer = {k: v.decode() for k, v in submission("first_kernels").items()}
        text = answer["kernels_triton.py"]
        start.source += f"\nopen('first_kernels/kernels_triton.py', 'w').write({text!r})"
    work = folder / "content"
    work.mkdir()
    client = NotebookClient(
        notebook, timeout=400, kernel_name="colab", resources={"metadata": {"path": str(work)}}
    )
    client.execute(env=learner(folder))
    return json.dumps([cell.get("outputs") for cell in notebook.cells], indent=1)


def replaced(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.fixture
def colab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a Python as Colab has it: with PyTorch and Jupyter, and without Hotloop."""
    venv.create(tmp_path / "python", with_pip=True)
    packages = sysconfig.get_path("purelib", vars={"base": str(tmp_path / "python")})
    lent = tmp_path / "lent"
    lent.mkdir()
    for folder in (Path(path) for path in sys.path if path.endswith("site-packages")):
        for package in folder.iterdir():
            is_other = package.suffix == ".pth" or package.name.startswith(OWN)
            if not is_other and not (lent / package.name).exists():
                (lent / package.name).symlink_to(package)
    Path(packages, "lent.pth").write_text(f"{lent}\n")
    argv = [tmp_path / "python/bin/python", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": [*map(str, argv)], "display_name": "Colab", "language": "python"}
    kernel = tmp_path / "jupyter/kernels/colab/kernel.json"
    kernel.parent.mkdir(parents=True)
    kernel.write_text(json.dumps(spec))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    return tmp_path


def learner(folder: Path) -> dict[str, str]:
    """The environment variables of a learner who has no other Hotloop."""
    own = {
        "PATH": f"{folder / 'python/bin'}{os.pathsep}{os.environ['PATH']}",
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_DATA_HOME": str(folder / "data"),
    }
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", place.SERVER)}
    return {**kept, **own}
