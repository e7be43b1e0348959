"""Records all sessions again, and writes down what the judge knows of them.

    python curriculum/resnet_tensorrt/recordings/record.py [letter …]

Each is a real run of the module's network in ONNX Runtime on this machine's CPU, with the verbose
log and the profile. Which letter has which sickness stands in builds.json alone. A recording
that does not show its sickness clearly is thrown away and made again.

Of the profile's events, the figures about memory are left out, and of the log the colors, the
lines of the memory arena, and what has no time at its beginning; nothing else is changed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import onnxruntime
from networks import write

from hotloop.core import paths
from hotloop.judge import answer_key
from hotloop.judge.device import device_name
from hotloop.tasks.modules.resnet_tensorrt import builds

MODULE = "resnet_tensorrt"
BESIDE_THE_NOTEBOOK = paths.exercises() / MODULE
HERE = Path(__file__).parent
KNOWN = HERE / "builds.json"
ATTEMPTS = 20
HEALTHY = "healthy"
THREADS = 1
TOO_MANY_THREADS = 16

EVIDENCE = {
    "training": ("BatchNormalization",),
    "outputs": ("outputs", "ReorderOutput"),
    "inputs": ("warnings", "BatchNormalization"),
    "threads": ("threads_per_core",),
}
LEAST_SHARE = 0.05
LEAST_SLOWDOWN = 1.5

_COLOR = re.compile(r"\x1b\[[0-9;]*m")
_TIMED = re.compile(r"^\d{4}-\d\d-\d\d ")
_ARENA = ("bfc_arena.cc", "execution_frame.cc")


def main(letters: list[str]) -> None:
    """Record those of the letters, or all; then describe all."""
    causes = {letter: each["cause"] for letter, each in _known().items()}
    for letter in letters or [HEALTHY, *causes]:
        _record_clearly(letter, causes.get(letter))
    describe()


def describe() -> None:
    """Write down what the recordings show; the causes stay as they are."""
    known = {letter: described(each["cause"], letter) for letter, each in _known().items()}
    text = json.dumps(known, indent=1, ensure_ascii=False)
    KNOWN.write_text(f"{text}\n", encoding="utf-8")
    answer_key.write(builds.DIAGNOSIS.key, known)


def described(cause: str, letter: str) -> dict[str, Any]:
    """What a recording shows, in plain values."""
    recording = read(letter)
    return {
        "cause": cause,
        "evidence": {name: round(value(recording, name), 4) for name in EVIDENCE[cause]},
        "run_ms": round(builds.figures(recording)["run_ms"], 3),
        "sha256": hashlib.sha256(path_of(letter).read_bytes()).hexdigest(),
    }


def value(recording: dict[str, Any], evidence: str) -> float:
    """Of one piece of evidence: a count, or an operator's share of the nodes' time."""
    if evidence in builds.COUNTS:
        return builds.counts(recording)[evidence]
    return builds.shares(recording).get(evidence, 0.0)


def path_of(name: str) -> Path:
    """Where a recording lies."""
    return BESIDE_THE_NOTEBOOK / f"build_{name}.json.gz"


def read(name: str) -> dict[str, Any]:
    """A recording."""
    return json.loads(gzip.decompress(path_of(name).read_bytes()))


def record(cause: str | None) -> dict[str, Any]:
    """Run a session and keep everything that a learner is to see."""
    with tempfile.TemporaryDirectory(prefix="hotloop-build-") as name:
        folder = Path(name)
        write(cause, folder / "network.onnx")
        threads = TOO_MANY_THREADS if cause == "threads" else THREADS
        with (folder / "log.txt").open("wb") as log:
            subprocess.run(
                [sys.executable, str(HERE / "session_run.py"), "network.onnx", str(threads)],
                cwd=folder,
                stderr=log,
                check=True,
            )
        signature = json.loads((folder / "signature.json").read_text(encoding="utf-8"))
        profile = json.loads((folder / "profile.json").read_text(encoding="utf-8"))
        said = (folder / "log.txt").read_text(encoding="utf-8")
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "versions": {"onnxruntime": onnxruntime.__version__, "python": platform.python_version()},
        "machine": {"processor": device_name(), "cores": os.cpu_count()},
        **signature,
        "log": _lines(said),
        "profile": [_without_memory(event) for event in profile],
    }


def unclear(cause: str | None, recording: dict[str, Any]) -> list[str]:
    """Why a recording is not good enough."""
    if cause is None:
        return []
    reasons: list[str] = []
    slowdown = builds.figures(recording)["run_ms"] / builds.figures(read(HEALTHY))["run_ms"]
    if slowdown < LEAST_SLOWDOWN:
        reasons.append(f"only {slowdown:.2f} times as slow as the healthy one")
    shares = [name for name in EVIDENCE[cause] if name not in builds.COUNTS]
    return reasons + [
        f"{name} is only {value(recording, name):.1%} of the time"
        for name in shares
        if value(recording, name) < LEAST_SHARE
    ]


def _record_clearly(name: str, cause: str | None) -> None:
    for _ in range(ATTEMPTS):
        recording = record(cause)
        reasons = unclear(cause, recording)
        print(name, "is unclear: " + "; ".join(reasons) if reasons else "is clear", flush=True)
        if not reasons:
            text = json.dumps(recording, ensure_ascii=False, separators=(",", ":"))
            path_of(name).write_bytes(gzip.compress(text.encode(), 9, mtime=0))
            return
    raise SystemExit(f"{name}: this machine does not show it clearly")


def _known() -> dict[str, Any]:
    return json.loads(KNOWN.read_text(encoding="utf-8"))


def _lines(said: str) -> list[str]:
    lines = (_COLOR.sub("", line) for line in said.splitlines())
    return [
        line
        for line in lines
        if _TIMED.match(line) and not any(f" {source}:" in line for source in _ARENA)
    ]


def _without_memory(event: dict[str, Any]) -> dict[str, Any]:
    left_out = ("mem_", "activation_size", "parameter_size", "output_size")
    args = {k: v for k, v in event.get("args", {}).items() if not k.startswith(left_out)}
    return {**event, "args": args}


if __name__ == "__main__":
    main(sys.argv[1:])
