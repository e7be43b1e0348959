"""A wheel with only the files that pip reads before it installs."""

import zipfile
from pathlib import Path

from hotloop.takehome.role import WHEEL

EXTRAS = ("course", "cuda", "takehome")


def small_wheel(folder: Path, version: str = "", extras: tuple[str, ...] = EXTRAS) -> Path:
    """Write it under the name of this version's wheel. version: the one in its metadata."""
    named = WHEEL.split("-")[1]
    info = f"hotloop-{named}.dist-info"
    provides = "".join(f"Provides-Extra: {extra}\n" for extra in extras)
    files = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: hotloop\nVersion: {version or named}\n"
        + provides,
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    path = folder / WHEEL
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path
