"""The C++ compiler behind the simulator, and how it is called."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from hotloop.cudasim.problem import CompileError, ToolMissing

CPP = Path(__file__).parent / "cpp"
INCLUDE = CPP / "include"
RUNTIME = CPP / "runtime"

STANDARD = "-std=c++17"
TIMEOUT_S = 120.0

_LOCALE = {"LC_ALL": "C.UTF-8"}


@cache
def compiler() -> str:
    """Path of g++. ToolMissing where there is none."""
    return _find("g++", "sudo apt-get install g++")


@cache
def symbolizer() -> str:
    """Path of addr2line, which comes with the assembler that g++ needs."""
    return _find("addr2line", "sudo apt-get install binutils")


@cache
def objcopy() -> str:
    """Path of objcopy, from the same package."""
    return _find("objcopy", "sudo apt-get install binutils")


@cache
def nm() -> str:
    """Path of nm, from the same package."""
    return _find("nm", "sudo apt-get install binutils")


@cache
def version() -> str:
    """First line of the compiler's own version text."""
    return call([compiler(), "--version"]).splitlines()[0]


def call(command: list[str], *, cwd: Path | None = None, stdin: str | None = None) -> str:
    """Standard output of a tool. CompileError with its message when it fails."""
    return call_for_both(command, cwd=cwd, stdin=stdin)[0]


def call_for_both(
    command: list[str], *, cwd: Path | None = None, stdin: str | None = None
) -> tuple[str, str]:
    """The same with its warnings: standard output and standard error."""
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            env={**os.environ, **_LOCALE},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CompileError(
            f"{Path(command[0]).name} did not end within {TIMEOUT_S:.0f} s: "
            "look for templates that unroll or recurse without end."
        ) from None
    if done.returncode != 0:
        raise CompileError(done.stderr.strip() or f"{command[0]} ended with {done.returncode}")
    return done.stdout, done.stderr


def _find(name: str, remedy: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise ToolMissing(f"{name} is missing, and the CUDA simulator needs it: {remedy}")
    return path
