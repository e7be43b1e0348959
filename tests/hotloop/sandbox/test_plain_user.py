"""The same attacks if a plain user launches, with a user namespace instead of a spare user.

Runs as root only, who can become another user; a plain user's own test run covers it already.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PACKAGES = Path(__file__).resolve().parents[3] / "graders"
FILES = {
    "attacks": (("test_limits.py", "test_view.py", "test_seccomp.py"), 60),
    "life": (("test_freezer.py", "test_launch.py"), 30),
    "zygote": (("test_zygote.py",), 20),
}
"""Per run: the test files, and how many of their tests must pass at least."""


def interpreter_for_all() -> str | None:
    """Return a Python of this version that every user may run; this one may be in root's home."""
    for name in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}", "/usr/bin/python3"):
        code = "import sys; print(sys.version_info[:2])"
        try:
            done = subprocess.run(
                ["runuser", "-u", "nobody", "--", name, "-c", code],
                capture_output=True,
                text=True,
                check=False,
            )
        except OSError:
            return None
        if done.stdout.strip() == str(sys.version_info[:2]):
            return name
    return None


@pytest.mark.sandbox
@pytest.mark.slow
@pytest.mark.parametrize("part", FILES)
def test_as_nobody(part: str) -> None:
    files, least = FILES[part]
    if os.geteuid() != 0 or shutil.which("runuser") is None:
        pytest.skip("only root can become another user")
    python = interpreter_for_all()
    if python is None:
        pytest.skip("no Python of this version that the user nobody may run")
    home = Path("/tmp") / f"hotloop-nobody-{os.getpid()}"
    tests = home / "tests"  # these files import what is beside their folder
    shutil.copytree(HERE, tests / "sandbox", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(HERE.parent / "waiting.py", tests)
    home.chmod(0o755)
    environment = {
        "HOME": "/nonexistent",
        "PATH": os.environ["PATH"],
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": f"{PACKAGES}:{sysconfig.get_path('purelib')}",
    }
    options = ["-q", "-p", "no:cacheprovider", "--import-mode=importlib"]
    options += ["-o", "markers=sandbox\nslow", "-o", "filterwarnings=", "--rootdir", str(home)]
    try:
        done = subprocess.run(
            ["runuser", "-u", "nobody", "--", python, "-m", "pytest", *options]
            + [str(tests / "sandbox" / name) for name in files],
            cwd=home,
            env=environment,
            capture_output=True,
            text=True,
            timeout=150,
            check=False,
        )
    finally:
        shutil.rmtree(home)
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) > least
