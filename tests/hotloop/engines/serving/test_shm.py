"""Shared memory of servers that have ended is removed; that of others is not touched."""

import subprocess
import sys
from pathlib import Path

import pytest

from hotloop.engines.serving import shm
from hotloop.sandbox.owner import new_tag

from ...waiting import until

UUID = "33e4c6ea-5a93-416a-93d8-9ae7e3e721d7"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(shm, "FOLDER", tmp_path)
    return tmp_path


def stale_tag() -> str:
    """Return a tag of a process that has ended."""
    code = "from hotloop.sandbox.owner import new_tag; print(new_tag())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_only_what_dead_owners_left_is_swept(folder: Path) -> None:
    alive, dead = new_tag(), stale_tag()
    names = [shm.prefix(alive) + UUID, "triton_python_backend_shm_region_1", f"{dead}_other", "x"]
    for name in [*names, shm.prefix(dead) + UUID]:
        (folder / name).touch()
    assert shm.sweep() == 1
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)


def test_one_server_s_regions_are_removed_by_its_tag(folder: Path) -> None:
    first, second = new_tag(), new_tag()
    for tag in (first, second):
        (folder / (shm.prefix(tag) + UUID)).touch()
    assert shm.regions() == sorted(shm.prefix(tag) + UUID for tag in (first, second))
    assert shm.remove(first) == 1
    assert shm.regions() == [shm.prefix(second) + UUID]


def test_processes_of_dead_owners_are_ended(folder: Path) -> None:
    dead, alive = (
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", words])
        for words in (
            f"--backend-config=python,shm-region-prefix-name={shm.prefix(stale_tag())}",
            shm.prefix(new_tag()) + UUID,
        )
    )
    try:
        until(lambda: b"_shm_" in Path(f"/proc/{dead.pid}/cmdline").read_bytes(), 5)
        shm.sweep()
        assert dead.wait(5) == -9
        assert alive.poll() is None
    finally:
        alive.kill()
        alive.wait()
