"""This module's judge programs: they train, resume checkpoints, and run and kill trainers."""

from __future__ import annotations

from pathlib import Path

from hotloop.judge.program import APART, REPEATED, Program

PROGRAMS = Path(__file__).parent / "programs"
_MODEL = ("vlm.py", "shapes.py", "run.py", "layout.py")
_APART = (*_MODEL, "remote.py", "apart.py", "lives.py")


def _program(
    main: str,
    *others: str,
    environment: tuple[tuple[str, str], ...] = (),
    believed: str = "",
) -> Program:
    files = {name: PROGRAMS / name for name in (main, *others)}
    return Program(files, main, environment, believed)


RESUMING = _program("resuming.py", "reading.py", *_MODEL)
READING = _program("reading.py", "layout.py")
WRITING = _program("writing.py", *_APART, believed=APART)
DISTURBING = _program("disturbing.py", "world.py", *_APART, believed=APART)
LAUNCHING = _program("launching.py", "remote.py", "samples.py", *_MODEL, believed=APART)
METRICS = _program("read_metrics.py")
SCALARS = _program("read_scalars.py")

_EIGHT_DEVICES = (("XLA_FLAGS", "--xla_force_host_platform_device_count=8"),)
MESHING = _program("meshing.py", "vlm_jax.py", environment=_EIGHT_DEVICES)
RECORDS = _program("graph_records.py", *_MODEL, believed=REPEATED)
REPLAYS = _program("graph_replays.py", "vlm.py", "shapes.py")
