"""Checks what a server needs on this machine, and says how to fix each problem."""

import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hotloop.engines.serving import environment, ports, shm
from hotloop.engines.serving.environment import INSTALL, ServingEnvironment
from hotloop.engines.serving.interpreter import interpreter
from hotloop.engines.serving.unavailable import ServingUnavailable
from hotloop.sandbox.level import level

LEAST_GLIBC = (2, 35)
"""The server's wheel is built for manylinux_2_35."""
LEAST_SHM_BYTES = 64 << 20
"""A stub maps 1 MiB at first and more as tensors grow; Docker's default of 64 MiB is enough."""
_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class PreflightFinding:
    """Result of one check. fix: a command or step; "" if all is well.

    needed: whether nothing can be served without it.
    """

    name: str
    fine: bool
    found: str
    fix: str = ""
    needed: bool = True


def examine() -> list[PreflightFinding]:
    """Run all checks, in the order in which to fix their problems."""
    findings = [_platform(), _glibc(), _python(), _shared_memory(), _ports(), _confinement()]
    try:
        installed = environment.find()
    except ServingUnavailable as gap:
        return [*findings, PreflightFinding("environment", False, gap.reason, gap.remedy)]
    return [
        *findings,
        PreflightFinding("environment", True, str(installed.root)),
        *(look(installed) for look in _IN_ENVIRONMENT),
    ]


def require() -> ServingEnvironment:
    """Return the environment. Raises ServingUnavailable with the first needed check that fails."""
    for finding in examine():
        if finding.needed and not finding.fine:
            raise ServingUnavailable(f"{finding.name}: {finding.found}", finding.fix)
    return environment.find()


# --- this machine ---------------------------------------------------------------------------------


def _platform() -> PreflightFinding:
    found = f"{platform.system()} on {platform.machine()}"
    if sys.platform == "linux" and platform.machine() in ("x86_64", "AMD64"):
        return PreflightFinding("platform", True, found)
    fix = "run it on Linux on x86-64; the server's wheel exists for nothing else"
    return PreflightFinding("platform", False, found, fix)


def _glibc() -> PreflightFinding:
    name, version = platform.libc_ver()
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    found = f"{name or 'no glibc'} {version}".strip()
    if name == "glibc" and numbers >= LEAST_GLIBC:
        return PreflightFinding("glibc", True, found)
    fix = "run it on Debian 12, Ubuntu 22.04 or later: the server needs glibc 2.35"
    return PreflightFinding("glibc", False, found, fix)


def _python() -> PreflightFinding:
    try:
        found = interpreter()
    except ServingUnavailable as gap:
        return PreflightFinding("python", False, gap.reason, gap.remedy)
    return PreflightFinding("python", True, f"{found.version}, {found.executable}")


def _shared_memory() -> PreflightFinding:
    """Check /dev/shm, through which Python stubs and server exchange tensors."""
    fix = "give it room: in Docker, start the container with --shm-size 1g"
    if not os.access(shm.FOLDER, os.W_OK):
        return PreflightFinding("shared memory", False, f"{shm.FOLDER} cannot be written", fix)
    status = os.statvfs(shm.FOLDER)
    free = status.f_bavail * status.f_frsize
    found = f"{free >> 20} MiB free in {shm.FOLDER}"
    return PreflightFinding("shared memory", free >= LEAST_SHM_BYTES, found, fix)


def _ports() -> PreflightFinding:
    """Check the default ports, which are not required.

    A sandboxed server has its own ports, and another server uses free ones.
    """
    usual = ports.USUAL
    found = f"{usual.http}, {usual.grpc} and {usual.metrics}"
    if ports.all_free(usual):
        return PreflightFinding("ports", True, f"{found} are free", needed=False)
    fix = "none needed: other ports are taken; `hotloop serving` says which"
    return PreflightFinding("ports", False, f"one of {found} is in use", fix, needed=False)


def _confinement() -> PreflightFinding:
    isolation, reason = level()
    if isolation != "none":
        return PreflightFinding("sandbox", True, isolation, needed=False)
    return PreflightFinding("sandbox", False, reason, reason.rpartition(": ")[2], needed=False)


# --- the environment ------------------------------------------------------------------------------


def _libpython(installed: ServingEnvironment) -> PreflightFinding:
    """Check libpython: without it a stub hangs silently, and the server with it."""
    minor = ".".join(installed.python_version.split(".")[:2])
    libraries = _output(["ldd", str(installed.stub)], installed)
    line = next((line for line in libraries.splitlines() if f"libpython{minor}" in line), "")
    path = line.rpartition("=> ")[2].partition(" (")[0].strip()
    if not path.startswith("/"):
        fix = f"sudo apt-get install libpython{minor}"
        return PreflightFinding("libpython", False, f"libpython{minor}.so.1.0 is not found", fix)
    version = _libpython_version(path, installed)
    if version.startswith(f"{minor}."):
        return PreflightFinding("libpython", True, f"{version}, {path}")
    fix = f"sudo apt-get install libpython{minor}"
    return PreflightFinding("libpython", False, f"{path} cannot be loaded", fix)


def _libpython_version(path: str, installed: ServingEnvironment) -> str:
    """Load libpython in a separate process, since this one already has a Python."""
    program = (
        "import ctypes, sys; library = ctypes.CDLL(sys.argv[1]); "
        "library.Py_GetVersion.restype = ctypes.c_char_p; "
        "print(library.Py_GetVersion().decode())"
    )
    words = _output([str(installed.python), "-I", "-c", program, path], installed).split()
    return words[0] if words else ""


def _numpy(installed: ServingEnvironment) -> PreflightFinding:
    """Check for numpy 1: with numpy 2 the stub crashes on the first BYTES tensor."""
    program = "import numpy; print(numpy.__version__)"
    version = _output([str(installed.python), "-I", "-c", program], installed).strip()
    fine = version.startswith("1.")
    return PreflightFinding(
        "numpy", fine, version or "it cannot be imported", "" if fine else _again(installed)
    )


def _tritonserver(installed: ServingEnvironment) -> PreflightFinding:
    """Check that all its libraries are found and that it prints its help."""
    missing = [
        line.split()[0]
        for line in _output(["ldd", str(installed.tritonserver)], installed).splitlines()
        if "not found" in line
    ]
    if missing:
        return PreflightFinding(
            "tritonserver", False, f"without {', '.join(missing)}", _again(installed)
        )
    fine = "--model-repository" in _output([str(installed.tritonserver), "--help"], installed)
    return PreflightFinding(
        "tritonserver", fine, "starts" if fine else "does not start", _again(installed)
    )


def _perf_analyzer(installed: ServingEnvironment) -> PreflightFinding:
    """Check perf_analyzer, which only some tasks use."""
    output = _output([str(installed.perf_analyzer), "--version"], installed)
    version = next((line for line in output.splitlines() if "ersion" in line), "")
    fine = bool(version)
    fix = "" if fine else _again(installed)
    return PreflightFinding("perf_analyzer", fine, version or "does not start", fix, needed=False)


_IN_ENVIRONMENT: tuple[Callable[[ServingEnvironment], PreflightFinding], ...] = (
    _libpython,
    _numpy,
    _tritonserver,
    _perf_analyzer,
)


def _again(installed: ServingEnvironment) -> str:
    return f"rm -r {installed.root} && {INSTALL}"


def _output(command: list[str], installed: ServingEnvironment) -> str:
    """Return stdout and stderr of a command, or "" if it cannot be run."""
    try:
        result = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
            env={**installed.variables(), "LC_ALL": "C.UTF-8"},
            cwd=Path("/"),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return result.stdout
