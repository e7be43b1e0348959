"""However Hotloop was installed, a sandbox contains only its worker package."""

import json
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from hotloop.sandbox.level import level

pytestmark = pytest.mark.sandbox

CLONE = Path(__file__).resolve().parents[3]
LAUNCHER = """
import sys
from hotloop.sandbox.confinement import Confinement
from hotloop.sandbox.launch import launch
confined = launch(Confinement(
    argv=(sys.executable, "-c", sys.argv[1], sys.prefix), environment={}, read_only={},
    writable={}, files=None, memory_bytes=1 << 28, processes=8, tmp_bytes=1 << 20, wall_s=60,
    output_bytes=1 << 20))
confined.wait()
sys.stdout.buffer.write(confined.output())
"""
PROBE = """
import hotloop, json, os, sys
files = []
for top in (sys.argv[1], "/opt"):
    for folder, _, names in os.walk(top):
        files += [os.path.join(folder, name) for name in names if "__pycache__" not in folder]
modules = []
for name in ("judge", "tasks", "engines.nvcc", "sandbox", "worker"):
    try:
        __import__("hotloop." + name)
        modules.append(name)
    except ImportError:
        pass
print(json.dumps({"from": hotloop.__file__, "files": files, "modules": modules}))
"""


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """A virtual environment that can import this one's other packages."""
    if level()[0] == "none":
        pytest.skip(level()[1])
    prefix = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(prefix)], check=True)
    return prefix


def site_packages(prefix: Path) -> Path:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return prefix / "lib" / version / "site-packages"


def lend_packages(prefix: Path, *before: Path) -> None:
    lines = [*map(str, before), sysconfig.get_path("purelib")]
    (site_packages(prefix) / "zz_lent.pth").write_text("\n".join(lines) + "\n")


def clone_into(folder: Path) -> None:
    """Copy the parts of a clone that matter here."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(CLONE / "graders" / "hotloop", folder / "graders" / "hotloop", ignore=ignore)
    (folder / "solutions").mkdir()
    (folder / "solutions" / "lab.py").write_text("the answer")


def probe(prefix: Path) -> dict[str, Any]:
    python = prefix / "bin" / "python"
    done = subprocess.run(
        [python, "-I", "-c", LAUNCHER, PROBE], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def assert_only_the_worker(seen: dict[str, Any]) -> None:
    assert seen["from"] == "/opt/hotloop/hotloop/__init__.py"
    assert seen["modules"] == ["worker"]
    ours = [path for path in seen["files"] if "hotloop" in path or path.endswith("lab.py")]
    # A wheel brings two more: settings that say what extension JupyterLab loads, and the command,
    # whose package cannot be imported there.
    allowed = "/opt/hotloop/hotloop/|.*/etc/jupyter/|.*/environment/bin/hotloop$"
    assert {path for path in ours if not re.match(allowed, path)} == set()
    assert "/opt/hotloop/hotloop/core/wire.py" in ours


@pytest.mark.slow
def test_a_wheel(environment: Path, tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="a wheel is built with hatchling")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, check=True, cwd=CLONE, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--python", str(environment), "install", "--no-deps"]
    subprocess.run([*pip, "--no-index", str(wheel)], check=True, capture_output=True)
    packages = site_packages(environment)
    lend_packages(environment)
    assert (packages / "hotloop/_data/exercises").is_dir()
    assert (packages / "hotloop/core/verdict.py").is_file()
    assert_only_the_worker(probe(environment))


@pytest.mark.slow
def test_an_editable_clone_elsewhere(environment: Path, tmp_path: Path) -> None:
    clone_into(tmp_path / "clone")
    lend_packages(environment, tmp_path / "clone" / "graders")
    assert_only_the_worker(probe(environment))


@pytest.mark.slow
def test_an_editable_clone_inside_the_environment(environment: Path) -> None:
    clone_into(environment / "src" / "clone")
    lend_packages(environment, environment / "src" / "clone" / "graders")
    assert_only_the_worker(probe(environment))


@pytest.mark.slow
def test_an_environment_made_in_the_clones_folder(environment: Path) -> None:
    clone_into(environment)
    lend_packages(environment, environment / "graders")
    assert_only_the_worker(probe(environment))


@pytest.mark.slow
def test_an_environment_inside_the_clone(tmp_path: Path) -> None:
    if level()[0] == "none":
        pytest.skip(level()[1])
    clone_into(tmp_path)
    prefix = tmp_path / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(prefix)], check=True)
    lend_packages(prefix, tmp_path / "graders")
    assert_only_the_worker(probe(prefix))
