"""This module's judge programs: they train, resume checkpoints, and run and kill trainers.

Beside them lie files that learners are given too: the model, its shapes, and how it is trained.
"""

from __future__ import annotations

from pathlib import Path

from hotloop.core import paths
from hotloop.judge.program import APART, REPEATED, Program

PROGRAMS = Path(__file__).parent / "programs"
GIVEN = paths.exercises() / "portable_trainer"
_MODEL = ("vlm.py", "shapes.py", "run.py", "layout.py")
_TRAINED_APART = ("apart.py", "lives.py")


def _program(
    main: str,
    *others: str,
    given: tuple[str, ...] = (),
    environment: tuple[tuple[str, str], ...] = (),
    believed: str = "",
) -> Program:
    ours = {name: PROGRAMS / name for name in (main, *others)}
    return Program({**ours, **{name: GIVEN / name for name in given}}, main, environment, believed)


RESUMING = _program("resuming.py", "reading.py", given=_MODEL)
READING = _program("reading.py", given=("layout.py",))
WRITING = _program("writing.py", *_TRAINED_APART, given=(*_MODEL, "remote.py"), believed=APART)
DISTURBING = _program(
    "disturbing.py", "world.py", *_TRAINED_APART, given=(*_MODEL, "remote.py"), believed=APART
)
LAUNCHING = _program("launching.py", given=(*_MODEL, "remote.py", "samples.py"), believed=APART)
LINKING = _program(
    "linking.py", "link_process.py", "apart.py", given=("links.py", "remote.py"), believed=APART
)
RECORDING = _program("fsdp_recording.py")
METRICS = _program("read_metrics.py")
SCALARS = _program("read_scalars.py")

_EIGHT_DEVICES = (("XLA_FLAGS", "--xla_force_host_platform_device_count=8"),)
MESHING = _program("meshing.py", given=("vlm_jax.py",), environment=_EIGHT_DEVICES)
RECORDS = _program("graph_records.py", "apart.py", given=(*_MODEL, "remote.py"), believed=REPEATED)
REPLAYS = _program("graph_replays.py", given=("vlm.py", "shapes.py"))
