"""Profiles that a lease records of our own programs: Nsight Compute, Nsight Systems, torch.

They are material for lessons and for tasks that read profiles, not measurements: no verdict and no
level depends on them. Each is a program of `tests/gpu/profiled/`, run beside its profiler.
"""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hotloop.core import paths

Tool = Literal["ncu", "nsys", "torch"]

KERNELS = 12
"""Most kernels in a report of Nsight Compute, which replays each many times."""


@dataclass(frozen=True)
class Profile:
    """One profile. program: of tests/gpu/profiled, without suffix; part: its argument."""

    tool: Tool
    module: str
    program: str
    part: str

    @property
    def name(self) -> str:
        """For the journal and for files."""
        return f"{self.tool} {self.program} {self.part}"


PROFILES = (
    Profile("ncu", "fused_softmax", "softmax", "reference"),
    Profile("torch", "profile_training_loop", "training_loop", "slow"),
    Profile("torch", "profile_training_loop", "training_loop", "fixed"),
    Profile("nsys", "profile_training_loop", "training_loop", "slow"),
    Profile("nsys", "profile_training_loop", "training_loop", "fixed"),
)


class NoProfile(Exception):
    """The profiler is not there, or failed; the message says how."""


def record(profile: Profile, folder: Path, limit_s: float) -> list[Path]:
    """Run the program under its profiler and return the files. Raises NoProfile."""
    script = paths.root() / "tests" / "gpu" / "profiled" / f"{profile.program}.py"
    folder.mkdir(parents=True, exist_ok=True)
    stem = folder / profile.name.replace(" ", "_")
    program = [sys.executable, str(script), profile.part]
    if profile.tool == "torch":
        trace = stem.with_suffix(".json.gz")
        _run([*program, "--trace", str(trace)], limit_s)
        return _there(trace)
    if shutil.which(profile.tool) is None:
        raise NoProfile(f"{profile.tool} is not installed")
    if profile.tool == "ncu":
        report = stem.with_suffix(".ncu-rep")
        options = ["--set", "full", "--clock-control", "none", "--launch-count", str(KERNELS)]
        _run(["ncu", "--force-overwrite", *options, "--export", str(report), *program], limit_s)
        text = stem.with_suffix(".txt")
        text.write_text(_run(["ncu", "--import", str(report), "--page", "details"], 60), "utf-8")
        return _there(report, text)
    report = stem.with_suffix(".nsys-rep")
    traced = ["--trace", "cuda,nvtx,osrt", "--force-overwrite", "true", "--output", str(report)]
    _run(["nsys", "profile", *traced, *program], limit_s)
    exported = stem.with_suffix(".sqlite")
    _run(["nsys", "export", "--type", "sqlite", "--force-overwrite", "true",
          "--output", str(exported), str(report)], 60)  # fmt: skip
    return _there(report, exported)


def _run(command: list[str], limit_s: float) -> str:
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, errors="replace", timeout=limit_s
        )
    except subprocess.TimeoutExpired:
        raise NoProfile(f"{command[0]} did not end within {limit_s:.0f} s") from None
    if done.returncode:
        output = " ".join((done.stderr or done.stdout).split())[-400:]
        raise NoProfile(f"{Path(command[0]).name} ended with {done.returncode}: {output}")
    return done.stdout


def _there(*files: Path) -> list[Path]:
    if lacking := [path.name for path in files if not path.is_file()]:
        raise NoProfile(f"{', '.join(lacking)} was not written")
    return list(files)
