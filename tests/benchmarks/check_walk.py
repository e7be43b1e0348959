"""How many files of the package one `hotloop check` walks through.

    python tests/benchmarks/check_walk.py [MODULE.TASK] [--files]

The reference is checked, in a folder as a learner has it, in two processes that are counted each
for itself: the command's, and the judge's. A file counts if a function of it runs; how many are
imported is said beside it. Processes in the sandbox do not count. --files lists the files.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.tasks.render import submission

PACKAGE = Path(__file__).parents[2] / "graders" / "hotloop"
TASK = "first_kernels.axpy"

TRACER = f"""
import os, sys, threading

own, seen, imported = os.getpid(), set(), set()
log = os.open(f"{{os.environ['HOTLOOP_WALK']}}/{{own}}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.write(log, (" ".join(sys.orig_argv) + "\\n").encode())

def walk(frame, event, _argument):
    code = frame.f_code
    name = code.co_filename
    function = code.co_flags & 1  # CO_OPTIMIZED: neither a module's body nor a class's
    if event != "call" or not name.startswith({str(PACKAGE)!r}) or os.getpid() != own:
        return
    if code.co_name == "<module>" and name not in imported:
        imported.add(name)
        os.write(log, ("import " + name + "\\n").encode())
    elif function and name not in seen:
        seen.add(name)
        os.write(log, ("walk " + name + "\\n").encode())

threading.setprofile(walk)
sys.setprofile(walk)
"""


def main() -> None:
    """Print the counts as JSON; exit code 1 if the check did not pass."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("task", nargs="?", default=TASK, metavar="MODULE.TASK")
    parser.add_argument("--files", action="store_true", help="list the files")
    options = parser.parse_args()
    module = options.task.partition(".")[0]
    with tempfile.TemporaryDirectory(prefix="hotloop-walk-") as folder:
        work = Path(folder) / module
        work.mkdir()
        for name, content in submission(module).items():
            file = work / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        assert (work / NOTEBOOK).is_file()
        code, walked = walk(["check", options.task, str(work), "--json"], Path(folder))
    found = {"task": options.task, **{name: len(files) for name, files in walked.items()}}
    print(json.dumps({**found, "files": walked} if options.files else found, indent=1))
    sys.exit(code)


def walk(words: Sequence[str], scratch: Path) -> tuple[int, Mapping[str, list[str]]]:
    """Return the exit code of a command, and the files that it and its judge walk through."""
    for name in ("tracer", "walked", "data"):
        (scratch / name).mkdir()
    (scratch / "tracer" / "sitecustomize.py").write_text(TRACER)
    environment = {
        **os.environ,
        "PYTHONPATH": f"{scratch / 'tracer'}{os.pathsep}{PACKAGE.parent}",
        "HOTLOOP_WALK": str(scratch / "walked"),
        "XDG_DATA_HOME": str(scratch / "data"),
    }
    command = [sys.executable, "-m", "hotloop.cli", *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    sys.stderr.write(done.stderr)
    found: dict[str, set[str]] = {
        f"{process} {kind}": set() for process in ("cli", "judge") for kind in ("walk", "import")
    }
    for log in (scratch / "walked").iterdir():
        argv, *lines = log.read_text().splitlines()
        for process, name in (("cli", "-m hotloop.cli "), ("judge", "-m hotloop.judge ")):
            for kind, file in (line.split(" ", 1) for line in lines if name in argv):
                found[f"{process} {kind}"].add(Path(file).relative_to(PACKAGE).as_posix())
    return done.returncode, {process: sorted(files) for process, files in found.items()}


if __name__ == "__main__":
    main()
