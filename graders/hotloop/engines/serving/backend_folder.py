"""Makes the folder from which the server loads its backends: NVIDIA's for Python, and Hotloop's.

Where the machine has NVIDIA's own onnxruntime backend of the same release, as its container's image
does, that one takes the place of ours.

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
NVIDIA = Path("/opt/tritonserver")
"""Where NVIDIA's image has its server."""

RELEASE = "2.51.0"
"""The wheel's server; backends of another release may not fit it."""

_LIBRARY = "libtriton_onnxruntime.so"


def lay_out(root: Path, packages: Path, python_version: str) -> Path:
    """Return the folder below `root`; create it if missing. Safe to call from several processes."""
    digest = hashlib.sha256()
    for path in _own():
        digest.update(path.parent.name.encode() + b"\0" + path.read_bytes() + b"\0")
    if real := real_onnxruntime():
        digest.update(f"{real} {(real / _LIBRARY).stat().st_mtime_ns}".encode())
    target = root / f"backends-{digest.hexdigest()[:16]}"
    if target.is_dir():
        return target
    with tempfile.TemporaryDirectory(dir=root, prefix="making-") as temporary:
        new = Path(temporary) / "backends"
        _fill(new, packages, python_version)
        with suppress(OSError):  # another process was faster
            new.rename(target)
    return target


def real_onnxruntime() -> Path | None:
    """Return the folder of NVIDIA's onnxruntime backend, or None if there is none that fits."""
    version, folder = NVIDIA / "TRITON_VERSION", NVIDIA / "backends" / "onnxruntime"
    if not (folder / _LIBRARY).is_file() or not version.is_file():
        return None
    return folder if version.read_text(encoding="utf-8").strip() == RELEASE else None


def _fill(new: Path, packages: Path, python_version: str) -> None:
    server = packages / "pytriton" / "tritonserver"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(server / "backends" / "python", new / "python", ignore=ignored)
    minor = ".".join(python_version.split(".")[:2])
    stub = server / "python_backend_stubs" / minor / "triton_python_backend_stub"
    shutil.copy2(stub, new / "python")
    real = real_onnxruntime()
    if real:
        shutil.copytree(real, new / "onnxruntime")
    for own in _own():
        if real and own.parent.name == "onnxruntime":
            continue
        (new / own.parent.name).mkdir()
        shutil.copyfile(own, new / own.parent.name / own.name)
    for path in (new, *new.rglob("*")):
        path.chmod(0o755)


def _own() -> list[Path]:
    return sorted(OWN.glob("*/model.py"))
