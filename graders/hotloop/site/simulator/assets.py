"""All files of the simulator in a page: they lie in one folder, which is named by its content.

Hotloop's scripts are bundled by esbuild, with the editor. Pyodide and clang come from npm; their
WebAssembly is packed with gzip, so that any server of plain files sends a third of it.
"""

import gzip
import hashlib
import json
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hotloop.engines.accelerator import timeline
from hotloop.site.simulator import bundle

STATIC = Path(__file__).parent / "static"
FOLDER = "assets/simulator"
SERVICE_WORKER = "kept-pages.js"

_START = ("python.zip", "pyodide.asm.wasm.gz")
_ACCELERATOR = ("accelerator.zip", "pyodide.asm.wasm.gz")
_COMPILER = ("compiler.zip", "llvm.core.wasm.gz", "llvm.core2.wasm.gz", "llvm.core3.wasm.gz",
             "llvm.core4.wasm.gz")  # fmt: skip
_PYODIDE = ("pyodide.mjs", "pyodide.asm.*js", "python_stdlib.zip", "pyodide-lock.json")
_ESBUILD = ("--bundle", "--format=esm", "--minify", "--log-level=warning")


def are_installed(npm: Path) -> bool:
    """Return whether `make build/page/.done` has installed the packages of npm there."""
    return (npm / ".done").is_file()


def numpy_wheel(npm: Path) -> Path | None:
    """Return numpy for Pyodide, if `make build/page/.done` could load it: tasks need it."""
    return next(iter(sorted((npm / "numpy").glob("numpy-*.whl"))), None)


def base(npm: Path, modules: Iterable[str]) -> Path:
    """Make the folder with all but what depends on lessons; return it.

    npm: the folder of `node_modules`. modules: those with tasks that are judged in a page.
    index.json has, in bytes, what is loaded before the first run (`start`), before the first
    program is compiled (`compiler`), before the first task is judged (`judge`), and before the
    first program of an accelerator (`accelerator`).
    """
    target = npm / "base"
    shutil.rmtree(target, ignore_errors=True)
    bundle.write(target, modules)
    _scripts(npm, target)
    packages = npm / "node_modules"
    for file in (f for pattern in _PYODIDE for f in (packages / "pyodide").glob(pattern)):
        shutil.copyfile(file, target / file.name)
    clang = packages / "@yowasp" / "clang" / "gen"
    shutil.copyfile(clang / "bundle.js", target / "clang.js")
    for file in (packages / "pyodide" / "pyodide.asm.wasm", *sorted(clang.glob("*.wasm"))):
        shutil.copyfile(_packed(file, npm / "packed"), target / f"{file.name}.gz")
    judge = ["judge.zip"]
    if wheel := numpy_wheel(npm):
        shutil.copyfile(wheel, target / wheel.name)
        judge.append(wheel.name)
    sizes = {file.name: file.stat().st_size for file in target.iterdir()}
    index = {
        "version": bundle.version(),
        "bytes": {
            "start": sum(sizes[name] for name in _START),
            "compiler": sum(sizes[name] for name in _COMPILER),
            "judge": sum(sizes[name] for name in judge),
            "accelerator": sum(sizes[name] for name in _ACCELERATOR),
        },
        "kept": {
            "start": sorted(sizes.keys() - {*_COMPILER, *judge, "clang.js", "accelerator.zip"}),
            "accelerator": sorted(sizes.keys() - {*_COMPILER, *judge, "clang.js", "python.zip"}),
            "compiler": [*_COMPILER, "clang.js"],
            "judge": judge,
        },
        "numpy": wheel.name if wheel else "",
    }
    (target / "index.json").write_text(json.dumps(index), encoding="utf-8")
    return target


def _scripts(npm: Path, target: Path) -> None:
    """Bundle the scripts with the packages that they import."""
    sources = npm / "scripts"  # esbuild looks for node_modules above a script
    shutil.rmtree(sources, ignore_errors=True)
    shutil.copytree(STATIC, sources)
    shutil.copyfile(timeline.VIEWER, sources / timeline.VIEWER.name)
    esbuild = str(npm / "node_modules" / ".bin" / "esbuild")
    for entries, options in (
        (
            ("lesson.mjs", "playground.mjs", "tasks.mjs", "accelerator.mjs"),
            ("--splitting", "--out-extension:.js=.mjs"),
        ),
        (("worker.mjs",), ("--out-extension:.js=.mjs",)),
    ):
        names = [str(sources / name) for name in entries]
        subprocess.run([esbuild, *names, *_ESBUILD, *options, f"--outdir={target}"], check=True)
    shutil.copyfile(STATIC / "simulator.css", target / "simulator.css")


def _packed(file: Path, folder: Path) -> Path:
    """Return the file as gzip, which is made once for each version."""
    stat = file.stat()
    target = folder / f"{file.name}.{stat.st_size}.{int(stat.st_mtime)}.gz"
    if not target.is_file():
        folder.mkdir(exist_ok=True)
        target.write_bytes(gzip.compress(file.read_bytes(), 9, mtime=0))
    return target


def write(pages: Path, source: Path, documents: Mapping[str, str], archives: Sequence[Path]) -> str:
    """Copy the folder into the pages; return its path from their root, with a slash at its end.

    documents: JSON of the programs in lessons and of tasks, by path. archives: what the programs
    were compiled to.
    """
    content = hashlib.sha256()
    files = [*sorted(source.iterdir()), *archives]
    for file in files:
        content.update(f"{file.name}\0".encode() + file.read_bytes())
    for name, text in documents.items():
        content.update(f"{name}\0{text}\0".encode())
    folder = f"{FOLDER}/{content.hexdigest()[:12]}/"
    target = pages / folder
    shutil.copytree(source, target)
    (target / "built").mkdir()
    for archive in archives:
        shutil.copyfile(archive, target / "built" / archive.name)
    for name, text in documents.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    # A service worker looks after what lies below it: it belongs at the root.
    shutil.copyfile(STATIC / SERVICE_WORKER, pages / SERVICE_WORKER)
    return folder
