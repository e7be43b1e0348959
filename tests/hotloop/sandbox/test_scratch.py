"""A judge's temporary files are removed with it, also when it is killed."""

import subprocess
import sys
from pathlib import Path

from hotloop.sandbox import scratch

_HOLD = """
import sys
from hotloop.sandbox.scratch import scratch
with scratch() as folder:
    (folder / "file").write_text("x")
    print(folder, flush=True)
    sys.stdin.read()
"""


def test_it_goes_with_its_context() -> None:
    with scratch.scratch() as folder:
        (folder / "sub").mkdir()
        (folder / "sub" / "file").write_text("x")
    assert not folder.exists()


def test_of_the_killed_it_is_swept_and_of_the_living_it_is_not() -> None:
    holder = subprocess.Popen([sys.executable, "-c", _HOLD], stdin=-1, stdout=-1, text=True)
    assert holder.stdout is not None
    folder = Path(holder.stdout.readline().strip())
    scratch.sweep()
    assert (folder / "file").is_file()
    holder.kill()
    holder.communicate()
    scratch.sweep()
    assert not folder.exists()
