"""The server's environment: a virtual environment with pinned packages.

It is separate from Hotloop's because the server's Python backend needs numpy 1. It is built in a
temporary folder and renamed when complete, so that an incomplete one is never used. Its name is a
digest of its inputs: changed pins make a new environment.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotloop.engines.serving import backend_folder
from hotloop.engines.serving.interpreter import Interpreter, interpreter
from hotloop.engines.serving.unavailable import ServingUnavailable

INSTALL = "hotloop doctor --install tritonserver"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")

_UNFINISHED = "making-"
_DESCRIPTION = "environment.json"
_LAYOUT = "1"
"""Increase this when `install` makes something different from the same packages."""
_PIP_TIMEOUT_S = 1800.0
# perf_analyzer needs these libraries under names that the server's wheel has changed.
_LIBRARIES = {"libb64.so.0d": "libb64-*.so.0d", "libcudart.so.12": "libcudart-*.so.12*"}


@dataclass(frozen=True)
class ServingEnvironment:
    """An installed environment.

    python_home: prefix of the Python it was made from; a sandbox must show it too.
    libpython_folder: where that Python's shared library should be.
    backends: for --backend-directory, with python and onnxruntime.
    """

    root: Path
    packages: Path
    python_home: Path
    python_version: str
    libpython_folder: Path
    backends: Path

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self.root / "venv" / "bin" / "python"

    @property
    def tritonserver(self) -> Path:
        """The tritonserver program."""
        return self.packages / "pytriton" / "tritonserver" / "bin" / "tritonserver"

    @property
    def caches(self) -> Path:
        """Value of --cache-directory: contains the local response cache."""
        return self.packages / "pytriton" / "tritonserver" / "caches"

    @property
    def perf_analyzer(self) -> Path:
        """NVIDIA's load generator."""
        return self.root / "venv" / "bin" / "perf_analyzer"

    @property
    def stub(self) -> Path:
        """The program that runs a Python model."""
        return self.backends / "python" / "triton_python_backend_stub"

    def variables(self) -> dict[str, str]:
        """Return the environment variables that its programs need."""
        libraries = (
            self.libpython_folder,
            self.packages / "nvidia_pytriton.libs",
            self.root / "lib",
        )
        return {
            "PATH": f"{self.python.parent}:/usr/local/bin:/usr/bin:/bin",
            "LD_LIBRARY_PATH": ":".join(map(str, libraries)),
            "PYTHONPATH": "",
            "PYTHONNOUSERSITE": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }


def folder() -> Path:
    """Return `HOTLOOP_SERVING` or a folder in the user's cache; it may not exist."""
    chosen = os.environ.get("HOTLOOP_SERVING")
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(chosen).absolute() if chosen else Path(cache) / "hotloop" / "serving"


def find() -> ServingEnvironment:
    """Return the installed environment. Raises ServingUnavailable if none matches this Hotloop."""
    environment = _read(folder() / _name(interpreter()))
    if environment is None:
        raise ServingUnavailable("the server's environment is not installed", INSTALL)
    return environment


def install(on_progress: Callable[[str], None] = lambda _text: None) -> ServingEnvironment:
    """Install the environment if it is missing, and remove those of other pins. Safe to repeat.

    Raises ServingUnavailable if the packages cannot be installed.
    """
    base = interpreter()
    root = folder()
    root.mkdir(parents=True, exist_ok=True)
    with _alone(root):
        target = root / _name(base)
        environment = _read(target)
        if environment is None:
            _make(root, target, base, on_progress)
            environment = _read(target)
        for path in root.iterdir():
            if path != target and path.name.startswith(("tritonserver-", _UNFINISHED)):
                shutil.rmtree(path, ignore_errors=True)
    if environment is None:
        raise ServingUnavailable("the server's environment is not whole", INSTALL)
    return environment


def requirements() -> list[str]:
    """Return the pinned packages."""
    lines = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _make(root: Path, target: Path, base: Interpreter, on_progress: Callable[[str], None]) -> None:
    making = Path(tempfile.mkdtemp(dir=root, prefix=_UNFINISHED))
    try:
        venv = making / "venv"
        on_progress("making a virtual environment")
        _run([str(base.executable), "-m", "venv", str(venv)])
        on_progress(f"installing {len(requirements())} packages, about 500 MB")
        python = str(venv / "bin" / "python")
        options = ["--no-deps", "--no-input", "--disable-pip-version-check", "--quiet"]
        _run([python, "-m", "pip", "install", *options, "--requirement", str(REQUIREMENTS)])
        packages = next(venv.glob("lib/python3.*/site-packages"))
        _link_libraries(making, packages)
        _open_to_all(making)
        _describe(making, packages, base)
        if target.exists():
            shutil.rmtree(target)
        making.rename(target)
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _link_libraries(making: Path, packages: Path) -> None:
    lib = making / "lib"
    lib.mkdir()
    for name, pattern in _LIBRARIES.items():
        there = next((packages / "nvidia_pytriton.libs").glob(pattern))
        (lib / name).symlink_to(os.path.relpath(there, lib))


def _open_to_all(making: Path) -> None:
    """Make files readable for all: a sandboxed server runs as another user than the installer."""
    for path in (making, *making.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))


def _describe(making: Path, packages: Path, base: Interpreter) -> None:
    document = {
        "packages": str(packages.relative_to(making)),
        "python_home": str(base.home),
        "python_version": base.version,
        "libpython_folder": str(base.library_folder),
    }
    text = json.dumps(document, indent=2)
    (making / _DESCRIPTION).write_text(text, encoding="utf-8")


def _read(root: Path) -> ServingEnvironment | None:
    try:
        document: dict[str, Any] = json.loads((root / _DESCRIPTION).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    packages = root / document["packages"]
    if not (packages / "pytriton").is_dir():
        return None
    environment = ServingEnvironment(
        root=root,
        packages=packages,
        python_home=Path(document["python_home"]),
        python_version=document["python_version"],
        libpython_folder=Path(document["libpython_folder"]),
        backends=backend_folder.lay_out(root, packages, document["python_version"]),
    )
    # The environment is unusable if its Python has been removed since.
    needed = (environment.python, environment.tritonserver, environment.stub)
    return environment if all(path.exists() for path in needed) else None


def _name(base: Interpreter) -> str:
    parts = [_LAYOUT, base.version, str(base.home), *requirements()]
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return f"tritonserver-{digest[:16]}"


@contextmanager
def _alone(root: Path) -> Generator[None]:
    """Hold a file lock; the kernel releases it when the holder ends in any way."""
    fd = os.open(root / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _run(command: list[str]) -> None:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    try:
        result = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PIP_TIMEOUT_S,
            env=inherited,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ServingUnavailable(f"{command[0]} failed ({error})", INSTALL) from None
    if result.returncode == 0:
        return
    lines = [line for line in result.stderr.splitlines() if "ERROR" in line or "rror:" in line]
    message = " ".join(lines or result.stderr.splitlines()[-3:])[-600:]
    raise ServingUnavailable(f"the packages cannot be installed ({message})", INSTALL)
