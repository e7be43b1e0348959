"""A wheel of the Hotloop that is installed: what pip would install from it is what is here."""

import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from hotloop.takehome import installable, own_wheel
from hotloop.takehome.role import WHEEL

from .small_wheel import EXTRAS, small_wheel


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder into which pip has installed a small wheel; the Hotloop that runs is that one."""
    (tmp_path / "dist").mkdir()
    wheel = small_wheel(tmp_path / "dist")
    info = f"{'-'.join(WHEEL.split('-')[:2])}.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        metadata_text = "Metadata-Version: 2.1\nName: hotloop\nVersion: " + WHEEL.split("-")[1]
        provides = "".join(f"\nProvides-Extra: {extra}" for extra in EXTRAS)
        archive.writestr(f"{info}/METADATA", f"{metadata_text}{provides}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\n"
            "Root-Is-Purelib: true\nTag: py3-none-any\n")  # fmt: skip
        archive.writestr(f"{info}/entry_points.txt", "[console_scripts]\nhotloop = hotloop:main\n")
        archive.writestr("hotloop/__init__.py", "main = print\n")
        names = (f"{info}/METADATA", f"{info}/WHEEL", f"{info}/entry_points.txt",
                 "hotloop/__init__.py", f"{info}/RECORD")  # fmt: skip
        archive.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in names))
    target = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target"]
    subprocess.run([*pip, str(target), str(wheel)], check=True)
    (found,) = metadata.distributions(name="hotloop", path=[str(target)])
    monkeypatch.setattr(own_wheel.metadata, "distribution", lambda _name: found)
    monkeypatch.setattr(own_wheel.paths, "in_clone", lambda: False)
    return target


def test_the_wheel_has_what_is_installed_and_pip_takes_it(installed: Path, tmp_path: Path) -> None:
    path = own_wheel.make(tmp_path)
    assert path.name == WHEEL
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        assert archive.read("hotloop/__init__.py") == b"main = print\n"
    assert not [name for name in names if name.endswith(("INSTALLER", ".pyc", "bin/hotloop"))]
    version, extras = installable._of_wheel(path)
    assert (version, extras) == (WHEEL.split("-")[1], frozenset(EXTRAS))
    again = tmp_path / "again"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target"]
    subprocess.run([*pip, str(again), str(path)], check=True)
    assert (again / "hotloop" / "__init__.py").read_bytes() == b"main = print\n"
    assert (again / "bin" / "hotloop").is_file()
