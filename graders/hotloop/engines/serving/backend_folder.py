"""Makes the folder from which the server loads its backends: NVIDIA's for Python, and Hotloop's.

The files are copies, because the server refuses links: they "escape the backend directory". The
folder's name is a digest of its content, so that a changed backend takes effect without a new
environment.
"""

import hashlib
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

OWN = Path(__file__).with_name("backends")


def lay_out(root: Path, packages: Path, python_version: str) -> Path:
    """Return the folder below `root`; create it if missing. Safe to call from several processes."""
    digest = hashlib.sha256()
    for path in _own():
        digest.update(path.parent.name.encode() + b"\0" + path.read_bytes() + b"\0")
    target = root / f"backends-{digest.hexdigest()[:16]}"
    if target.is_dir():
        return target
    with tempfile.TemporaryDirectory(dir=root, prefix="making-") as temporary:
        new = Path(temporary) / "backends"
        _fill(new, packages, python_version)
        with suppress(OSError):  # another process was faster
            new.rename(target)
    return target


def _fill(new: Path, packages: Path, python_version: str) -> None:
    server = packages / "pytriton" / "tritonserver"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(server / "backends" / "python", new / "python", ignore=ignored)
    minor = ".".join(python_version.split(".")[:2])
    stub = server / "python_backend_stubs" / minor / "triton_python_backend_stub"
    shutil.copy2(stub, new / "python")
    for own in _own():
        (new / own.parent.name).mkdir()
        shutil.copyfile(own, new / own.parent.name / own.name)
    for path in (new, *new.rglob("*")):
        path.chmod(0o755)


def _own() -> list[Path]:
    return sorted(OWN.glob("*/model.py"))
