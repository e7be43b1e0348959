"""How long does a check take, from the command line and in a notebook, and where is it spent?

    python tests/benchmarks/check_latency.py [--only axpy] [--processes] [--against PYTHON]

Each case runs as a learner runs it: `hotloop check` in a folder, and the check's cell in a Jupyter
kernel, the first time and again. CPU seconds are those of every process that took part, which a
busy machine changes less than wall time; `--processes` says which. `--against` runs another
installation's Python in turn with this one; it must have the same tasks. Writes
tests/benchmarks/results/check_latency.json where the installation is this one alone.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from hotloop.core import paths
from hotloop.judge.device import device_name
from hotloop.judge.files import lay_out
from hotloop.tasks.render import submission

RESULT = Path(__file__).parent / "results" / "check_latency.json"
_TICKS_S = 1 / os.sysconf("SC_CLK_TCK")
_SAMPLE_S = 0.02
_LEAST_S = 0.03


@dataclass(frozen=True)
class Case:
    """What is checked: a task, or with `solved` False all of a module as it was handed out.

    asked_s: at most so many seconds on a quiet machine; None where only the figure is wanted.
    """

    name: str
    key: str
    solved: bool = True
    asked_s: float | None = None


CASES = (
    Case("untouched module, fused_softmax", "fused_softmax", False, 5.0),
    Case("untouched module, first_kernels", "first_kernels", False, 5.0),
    Case("plain data, in the notebook", "first_kernels.roofline", asked_s=1.5),
    Case("plain data, in a file", "ssa_passes.dominance", asked_s=1.5),
    Case("tensors, in the notebook", "fused_softmax.online_pass"),
    Case("Triton, axpy", "first_kernels.axpy", asked_s=4.0),
    Case("CUDA, bias_gelu", "first_kernels.bias_gelu", asked_s=2.5),
)

_WAYS = {"command": "hotloop check", "notebook": "first check of a kernel"}

NOTEBOOK = """
import json, sys, time
from pathlib import Path
from jupyter_client.manager import start_new_kernel

folder, key, repeats = sys.argv[1], sys.argv[2], int(sys.argv[3])
cells = json.loads(Path(folder, "lab.ipynb").read_text())["cells"]
sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
task = f"### TASK {key}"
manager, client = start_new_kernel(cwd=folder)
seconds = []

def run(source):
    reply = client.execute_interactive(source, timeout=600, output_hook=lambda _message: None)
    assert reply["content"]["status"] == "ok", reply["content"]

try:
    for source in sources:
        if "import torch" in source or source.startswith(task):
            run(source)
    run("from hotloop import check")
    for _ in range(repeats):
        begun = time.perf_counter()
        run(f"check({key!r})")
        seconds.append(time.perf_counter() - begun)
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
print(json.dumps(seconds))
"""


@dataclass
class CpuSeconds:
    """CPU time of a process and of all that it started, also of what has ended or was adopted."""

    total_s: float = 0.0
    programs: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    _last: dict[tuple[int, int], float] = field(default_factory=dict[tuple[int, int], float])

    def look(self, root: int) -> None:
        """Look once at every process of this machine."""
        seen = dict(_processes())
        family = {root} | {pid for pid, begun in self._last if seen.get(pid, (0, -1))[1] == begun}
        grown = True
        while grown:
            more = {pid for pid, (parent, _, _) in seen.items() if parent in family} - family
            family, grown = family | more, bool(more)
        for pid in family & set(seen):
            _, begun, ticks = seen[pid]
            self._last[pid, begun] = ticks * _TICKS_S
            self.programs[pid, begun] = _program(pid) or self.programs.get((pid, begun), "")
        self.total_s = sum(self._last.values())

    def lines(self) -> list[str]:
        """Return what each process took, in the order in which they began."""
        began = sorted(self._last.items(), key=lambda item: item[0][1])
        return [f"  {s:6.2f} s  {self.programs[of]}" for of, s in began if s >= _LEAST_S]


def _processes() -> Generator[tuple[int, tuple[int, int, int]]]:
    """Yield pid, and parent, start and CPU ticks, of each process."""
    for folder in Path("/proc").glob("[1-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        yield int(folder.name), (int(fields[1]), int(fields[19]), int(fields[11]) + int(fields[12]))


def _program(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return ""
    return " ".join([Path(words[0]).name, *words[1:]])[:90]


@contextmanager
def watched(process: subprocess.Popen[str]) -> Generator[CpuSeconds]:
    """Yield the CPU time of a process, which grows until the `with` block ends."""
    spent, end = CpuSeconds(), threading.Event()

    def watch() -> None:
        while not end.wait(_SAMPLE_S):
            spent.look(process.pid)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield spent
    finally:
        end.set()
        watcher.join()


@dataclass(frozen=True)
class Measured:
    """Seconds of one run. later_s: of the same cell again; None from the command line."""

    wall_s: float
    cpu_s: float
    later_s: float | None = None
    lines: tuple[str, ...] = ()


def measure(case: Case, way: str, python: str, folder: Path) -> Measured:
    """Run a check once in a new process, or several times in a new kernel."""
    command = [python, "-m", "hotloop.cli", "check", case.key, str(folder), "--json"]
    if way == "notebook":
        command = [python, "-c", NOTEBOOK, str(folder), case.key, "3"]
    begun = time.perf_counter()
    # Another installation brings its own packages; what is learned about this one is not its.
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run,
        watched(run) as spent,
    ):
        output, errors = run.communicate()
    wall_s = time.perf_counter() - begun
    if way == "notebook":
        assert run.returncode == 0, errors
        first_s, *later = json.loads(output)
        return Measured(first_s, spent.total_s, median(later), tuple(spent.lines()))
    tasks = json.loads(output)["tasks"]
    for record in (task["record"] for task in tasks if task.get("record")):
        assert (record["verdict"] in {"passed", "partial"}) is case.solved, record["sentence"]
    return Measured(wall_s, spent.total_s, lines=tuple(spent.lines()))


def rows(
    cases: Iterable[Case], pythons: list[str], repeats: int, folder: Path
) -> Generator[tuple[dict[str, object], tuple[str, ...]]]:
    """Yield the medians of each case and way, by installation, measured in turn.

    With the processes of the last run.
    """
    for case in cases:
        own = folder / case.key
        module = case.key.partition(".")[0]
        lay_out(submission(module) if case.solved else _handed_out(module), own)
        for way in ("command", "notebook") if case.solved else ("command",):
            runs: dict[str, list[Measured]] = {python: [] for python in pythons}
            for _ in range(repeats):
                for python in pythons:
                    runs[python].append(measure(case, way, python, own))
            for python, measured in runs.items():
                later = [each.later_s for each in measured if each.later_s is not None]
                row: dict[str, object] = {
                    "check": f"{case.name}: {_WAYS[way]}",
                    **({"python": python} if len(pythons) > 1 else {}),
                    "wall_s": round(median(each.wall_s for each in measured), 3),
                    "cpu_s": round(median(each.cpu_s for each in measured), 3),
                }
                if later:
                    row["again_wall_s"] = round(median(later), 3)
                if case.asked_s is not None:
                    row["asked_wall_s"] = case.asked_s
                yield row, measured[-1].lines


def _handed_out(module: str) -> dict[str, bytes]:
    exercise = paths.exercises() / module
    files = (path for path in exercise.rglob("*") if path.is_file())
    return {path.relative_to(exercise).as_posix(): path.read_bytes() for path in files}


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--against", metavar="PYTHON", help="another installation's python")
    parser.add_argument("--only", default="", help="cases whose name or task has this text")
    parser.add_argument("--processes", action="store_true", help="the CPU seconds of each process")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--out", type=Path, default=None)
    options = parser.parse_args()
    pythons = [sys.executable, *([options.against] if options.against else [])]
    cases = [case for case in CASES if options.only in f"{case.name} {case.key}"]
    before = os.getloadavg()[0]
    found: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as name:
        os.environ["HOME"] = f"{name}/home"
        Path(name, "home").mkdir()
        for row, processes in rows(cases, pythons, options.repeats, Path(name)):
            found.append(row)
            if not options.json:
                print("  ".join(f"{key} {value}" for key, value in row.items()), flush=True)
            if options.processes:
                print(*processes, sep="\n", flush=True)
    document = {
        "device": device_name(),
        "date": time.strftime("%Y-%m-%d"),
        "load_before": round(before, 1),
        "load_after": round(os.getloadavg()[0], 1),
        "repeats": options.repeats,
        "rows": found,
    }
    if options.json:
        print(json.dumps(document))
    out = options.out or (RESULT if not options.against and cases == list(CASES) else None)
    if out is not None:
        out.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
