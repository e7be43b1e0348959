"""The programs of ours that train, go on from checkpoints, and have trainers run and die."""

from __future__ import annotations

from pathlib import Path

from hotloop.judge.program import Program

HARNESS = Path(__file__).parent / "programs"
_MODEL = ("vlm.py", "shapes.py", "run.py", "layout.py")
_APART = (*_MODEL, "remote.py", "apart.py", "lives.py")


def _program(main: str, *others: str, environment: tuple[tuple[str, str], ...] = ()) -> Program:
    return Program({name: HARNESS / name for name in (main, *others)}, main, environment)


RESUMING = _program("resuming.py", "reading.py", *_MODEL)
READING = _program("reading.py", "layout.py")
WRITING = _program("writing.py", *_APART)
DISTURBING = _program("disturbing.py", "world.py", *_APART)
LAUNCHING = _program("launching.py", "remote.py", "samples.py", *_MODEL)

_EIGHT_DEVICES = (("XLA_FLAGS", "--xla_force_host_platform_device_count=8"),)
MESHING = _program("meshing.py", "vlm_jax.py", environment=_EIGHT_DEVICES)
GRAPHING = _program("graphing.py", *_MODEL)
