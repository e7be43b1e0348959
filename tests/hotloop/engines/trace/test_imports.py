"""The reader needs numpy only: the judge uses it, and notebooks without other packages."""

import subprocess
import sys
from pathlib import Path

import pytest

from .hand_made import two_steps, write

_PROGRAM = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"torch", "pydantic", "yaml", "ijson", "IPython"}:
            raise ImportError(name)

sys.meta_path.insert(0, Refuse())
from hotloop.engines import trace
read = trace.read(sys.argv[1])
print(len(read.ops()), len(trace.timeline(read)._repr_html_()) > 1000)
ours = [m for m in sys.modules if m.startswith("hotloop.")]
own = ("hotloop.engines.trace.", "hotloop.core.")
print([m for m in ours if m != "hotloop.engines" and not f"{m}.".startswith(own)])
"""


@pytest.mark.slow
def test_neither_torch_nor_pydantic_is_needed_nor_more_of_hotloop_than_core(
    tmp_path: Path,
) -> None:
    path = write(tmp_path / "t.json", two_steps())
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "5 True\n[]\n"
