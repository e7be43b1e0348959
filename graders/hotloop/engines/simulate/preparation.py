"""Builds what every CUDA program needs, before anybody waits for it: `python -m` this module."""

import argparse
import subprocess
import sys
from pathlib import Path

from hotloop.engines.simulate import build
from hotloop.engines.simulate import cache as store
from hotloop.engines.simulate.toolchain import machine

EXPECTED = "about a minute"

_processes: list[subprocess.Popen[bytes]] = []
"""Kept, since Python warns of a process that runs longer than its object lives."""


def begin() -> bool:
    """Begin to build in the background; return whether the library, of which EXPECTED tells, is.

    Whoever needs it meanwhile waits for the same build. Raises SimulatorError if there is no room.
    """
    if build.is_prepared():
        return False
    needs_library = not machine.has_libraries()
    if needs_library:
        machine.require_space()
    with (store.folder() / "preparation.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    _processes.append(process)
    return needs_library


def main() -> None:
    """Build what is missing. With --ship FOLDER, also put the library where the wheel takes it."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--ship", type=Path, metavar="FOLDER")
    folder: Path | None = parser.parse_args().ship
    build.prepare()
    if folder is not None:
        machine.ship(folder)


if __name__ == "__main__":
    main()
