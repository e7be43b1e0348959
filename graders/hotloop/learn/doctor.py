"""What this machine can do, what can be graded on it, and the command that fixes each gap."""

import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, cast

from hotloop.core import extras, paths
from hotloop.core.user_error import UserError
from hotloop.engines.nvcc import toolchain
from hotloop.engines.simulate.problem import SimulatorError, ToolMissing
from hotloop.engines.simulate.toolchain import has_libraries
from hotloop.judge import device
from hotloop.tasks import curriculum, problem


class FindingState(StrEnum):
    """The result of a finding."""

    OK = "ok"
    LIMITED = "limited"
    MISSING = "missing"


@dataclass(frozen=True)
class DoctorFinding:
    """One thing that was examined. fix: the command, or "" if there is nothing to fix."""

    name: str
    state: FindingState
    found: str
    fix: str = ""

    @property
    def there(self) -> bool:
        """True if it can be used, possibly with limits."""
        return self.state is not FindingState.MISSING


@dataclass(frozen=True)
class Gradable:
    """Whether a check can be graded here; `lacking` names the findings that prevent it."""

    module: str
    task: str
    check: str
    points: int
    lacking: tuple[str, ...]


def examine() -> list[DoctorFinding]:
    """Examine everything. Takes some seconds, mostly to import torch in another process."""
    return [look() for look in (_LOOKS if sys.platform == "linux" else _LOOKS_ELSEWHERE)]


def gradable(findings: list[DoctorFinding]) -> list[Gradable]:
    """Return every check of every code task, with what prevents grading it on this machine."""
    missing = {finding.name for finding in findings if not finding.there}
    return [row for module in curriculum.modules() for row in _rows(module, missing)]


def _rows(module: curriculum.Module, missing: set[str]) -> Iterator[Gradable]:
    texts = _exercise_texts(module.id)
    for task in module.tasks:
        if task.kind != "code":
            continue
        heading = re.compile(rf"### TASK {module.id}\.{task.id}\b")
        # The cell or file in which the task is solved.
        text = next((text for text in texts if heading.search(text)), "")
        for check in task.checks:
            lacking = tuple(name for name in _needed(module, check, text) if name in missing)
            yield Gradable(module.id, task.id, check.id, check.points, lacking)


def _needed(module: curriculum.Module, check: problem.CheckEntry, text: str) -> list[str]:
    """Return what the check needs. text: the task's exercise, which may import Triton."""
    needed = ["sandbox", "local", *module.needs_of(check)]
    if re.search(r"\bimport triton\b", text):
        needed.append("triton")
    if check.needs_compiler:
        needed.append("g++")
    if check.needs_gpu:
        needed.append("gpu")
    return needed


def _exercise_texts(module: str) -> list[str]:
    """Return each file and each code cell of the exercise."""
    texts: list[str] = []
    for path in sorted((paths.exercises() / module).rglob("*")):
        if path.suffix == ".ipynb":
            cells = cast("list[dict[str, Any]]", json.loads(path.read_bytes())["cells"])
            texts += ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        elif path.is_file():
            texts.append(path.read_text(encoding="utf-8", errors="replace"))
    return texts


# --- looking --------------------------------------------------------------------------------------


def _python() -> DoctorFinding:
    return _ok("python", f"{platform.python_version()}, {sys.executable}")


def _package(name: str, absent: str) -> Callable[[], DoctorFinding]:
    def look() -> DoctorFinding:
        version = _version(name)
        if not version:
            return _missing(name, absent, "see local")
        return _ok(name, version)

    return look


def _gpu() -> DoctorFinding:
    if device.kind() != "cuda":
        fix = "grade on a machine with an NVIDIA GPU and driver"
        return _missing("gpu", "no NVIDIA driver or device", fix)
    name = f"{device.device_name()}; {_driver()}"
    works, message = _torch_sees_gpu()
    if works:
        return _ok("gpu", name)
    fix = _pip("--force-reinstall 'torch>=2.11,<2.14'")
    return _missing("gpu", f"{name}; but PyTorch cannot use it: {message}", fix)


def _driver() -> str:
    smi = shutil.which("nvidia-smi")
    if smi:
        query = [smi, "--query-gpu=driver_version", "--format=csv,noheader"]
        done = _run(query)
        if done.returncode == 0 and done.stdout.strip():
            return f"driver {done.stdout.split()[0]}"
    return device.driver_version()


def _torch_sees_gpu() -> tuple[bool, str]:
    """Test it in another process, because a broken driver can crash the process."""
    program = (
        "import torch; a = torch.ones(1, device='cuda'); torch.cuda.synchronize(); "
        "print(torch.cuda.get_device_capability())"
    )
    done = _run([sys.executable, "-c", program])
    lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    return done.returncode == 0, lines[-1] if lines else f"exit code {done.returncode}"


def _nvcc() -> DoctorFinding:
    try:
        tools = toolchain.find()
    except ToolMissing:
        fix = _pip("'cuda-toolkit[nvcc,cudart,cccl]'")
        return _limited("nvcc", "not found; CUDA C++ tasks need it", fix)
    release = f"release {tools.version()}"
    if tools.nvdisasm is None:
        what = f"{release}; no nvdisasm: the width of loads is read from PTX"
        return _limited("nvcc", what, toolchain.DISASSEMBLER_REMEDY)
    return _ok("nvcc", release)


def _compiler() -> DoctorFinding:
    compiler = os.environ.get("CXX", "g++")
    if shutil.which(compiler) is None:
        what = f"{compiler} not found; torch.compile and CUDA C++ operators need it"
        return _missing("g++", what, "sudo apt-get install g++")
    lines = _run([compiler, "--version"]).stdout.splitlines()
    return _ok("g++", lines[0] if lines else compiler)


def _other_system() -> DoctorFinding:
    """Report that grading needs Linux: the judge's modules cannot even be imported elsewhere."""
    what = f"confinement needs Linux, and this is {platform.system()}"
    fix = "judge on a Linux machine that you reach: hotloop check MODULE --on URL"
    return _missing("sandbox", what, fix)


def _sandbox() -> DoctorFinding:
    from hotloop.sandbox.level import level

    isolation, reason = level()
    if isolation != "none":
        return _ok("sandbox", isolation)
    return _missing("sandbox", reason, reason.rpartition(": ")[2])


def _freezer() -> DoctorFinding:
    """Test it on a process that is confined like a candidate's."""
    from hotloop.sandbox.launch import launch
    from hotloop.sandbox.level import TRIAL, level

    if level()[0] == "none":
        return _missing("freezer", "no sandbox", "see sandbox")
    sleeper = replace(TRIAL, argv=("/bin/sleep", "60"), wall_s=60.0)
    confined = launch(sleeper)
    try:
        kind = confined.freezer.describe()["kind"]
    finally:
        confined.kill()
    if kind == "cgroup":
        return _ok("freezer", "control group")
    what = "SIGSTOP only: a candidate that wakes itself is seen by its CPU time, not prevented"
    return _limited("freezer", what, "run the grader as root")


def _serving() -> DoctorFinding:
    """Check what a real tritonserver needs here: its environment and this machine."""
    from hotloop.engines.serving import preflight

    findings = preflight.examine()
    gaps = [finding for finding in findings if not finding.fine]
    needed = next((gap for gap in gaps if gap.needed), None)
    if needed is not None:
        return _missing("serving", f"{needed.name}: {needed.found}", needed.fix)
    where = next(finding.found for finding in findings if finding.name == "environment")
    found = f"tritonserver, {where}"
    if not _importable("google.protobuf"):
        what = f"{found}; without protobuf no repository is checked"
        return _limited("serving", what, extras.remedy("serving"))
    lacking = next((gap for gap in gaps if gap.name == "perf_analyzer"), None)
    if lacking is not None:
        return _limited("serving", f"{found}; no perf_analyzer", lacking.fix)
    return _ok("serving", found)


def _extra(name: str) -> Callable[[], DoctorFinding]:
    def look() -> DoctorFinding:
        lacking = extras.missing(name)
        if lacking:
            what = f"{', '.join(lacking)} not installed"
            return _missing(name, what, extras.remedy(name))
        return _ok(name, ", ".join(extras.IMPORTED[name]))

    return look


def _simulator() -> DoctorFinding:
    """Check the simulator; the finding is named `cuda`, like the group of packages."""
    if extras.missing("cuda"):
        return _extra("cuda")()
    versions = ", ".join(f"{name} {_version(name)}" for name in extras.IMPORTED["cuda"])
    found = f"simulator: {versions}"
    try:
        built = has_libraries()
    except (SimulatorError, OSError) as problem:
        what = f"{found}; but the compiler does not run: {problem}"
        return _missing("cuda", what, _pip("--force-reinstall 'hotloop[cuda]'"))
    later = "the C and C++ library is built with the first program, which takes a minute"
    return _ok("cuda", f"{found}; {'C and C++ library built' if built else later}")


def _trees() -> DoctorFinding:
    try:
        where = paths.root()
    except UserError as error:
        return _missing("curriculum", str(error), _pip("--force-reinstall hotloop"))
    return _ok("curriculum", f"{where}{'' if paths.in_clone() else ', installed'}")


_LOOKS: tuple[Callable[[], DoctorFinding], ...] = (
    _python,
    _trees,
    _package("torch", "not installed"),
    _package("triton", "not installed; it exists for Linux on x86-64"),
    _compiler,
    _sandbox,
    _freezer,
    _nvcc,
    _serving,
    _simulator,
    *(_extra(name) for name in extras.IMPORTED if name != "cuda"),
    _gpu,
)
_LOOKS_ELSEWHERE = (_python, _trees, _other_system, _simulator, _extra("bank"), _extra("mcp"))


def _ok(name: str, found: str) -> DoctorFinding:
    return DoctorFinding(name, FindingState.OK, found)


def _limited(name: str, found: str, fix: str) -> DoctorFinding:
    return DoctorFinding(name, FindingState.LIMITED, found, fix)


def _missing(name: str, found: str, fix: str) -> DoctorFinding:
    return DoctorFinding(name, FindingState.MISSING, found, fix)


def _version(package: str) -> str:
    """Return the package's version; "" if it is not installed or cannot be imported."""
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""
    return version if importlib.util.find_spec(package) is not None else ""


def _importable(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # a parent package is missing
        return False


def _pip(what: str) -> str:
    return f"{sys.executable} -m pip install {what}"


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command; one that hangs or is missing counts as failed."""
    try:
        return subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 1, "", str(error))


def summary(rows: list[Gradable]) -> Mapping[str, tuple[int, int]]:
    """Return the points that can be graded here, and all points, by module."""
    totals: dict[str, tuple[int, int]] = {}
    for row in rows:
        here, all_points = totals.get(row.module, (0, 0))
        totals[row.module] = (here + (0 if row.lacking else row.points), all_points + row.points)
    return totals
