"""Loads numpy for Pyodide: `python -m hotloop.site.simulator.numpy_wheel FOLDER`, of node_modules.

Pyodide's own host has it, and npm has not. Without it the site's pages judge no tasks; everything
else of them works.
"""

import hashlib
import json
import re
import sys
import urllib.request
from pathlib import Path

_HOST = re.compile(r"https://[^`$]+\$\{\w+\}/full/")
"""Where Pyodide's own loader has its packages from, with a place for the version."""

_TIMEOUT_S = 60


def load(npm: Path) -> str:
    """Load the wheel into `numpy/` of the folder; return why not, or ""."""
    pyodide = npm / "node_modules" / "pyodide"
    lock = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))
    package = lock["packages"]["numpy"]
    target = npm / "numpy" / package["file_name"]
    if target.is_file():
        return ""
    address = f"{_folder(pyodide)}{package['file_name']}"
    try:
        with urllib.request.urlopen(address, timeout=_TIMEOUT_S) as response:
            content = response.read()
    except OSError as error:
        return f"{address}: {error}"
    if hashlib.sha256(content).hexdigest() != package["sha256"]:
        return f"{address}: not the file that pyodide-lock.json describes"
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(content)
    return ""


def _folder(pyodide: Path) -> str:
    version = json.loads((pyodide / "package.json").read_text(encoding="utf-8"))["version"]
    match = _HOST.search((pyodide / "pyodide.mjs").read_text(encoding="utf-8"))
    if match is None:
        raise ValueError(f"{pyodide / 'pyodide.mjs'} names no host of packages")
    return re.sub(r"\$\{\w+\}", version, match[0])


if __name__ == "__main__":
    if reason := load(Path(sys.argv[1])):
        print(f"numpy for Pyodide is missing, so pages will judge no tasks: {reason}")
