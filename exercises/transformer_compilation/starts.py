"""Processes that start, answer and end: eagerly, compiled, or from a package. For this CPU.

`Starts(folder)` has the two functions that `cold_start.measured` is given. Run as a program, this
file is such a process: it answers each line that it reads.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

WAY = "HOTLOOP_START"
"""In the environment of a process of ours: which way it answers."""

ROWS, WIDTH = 2048, 1024


class Starts:
    """folder: where packages and what compilers keep are put."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def start(self, way: str, kept: str) -> Answering:
        """A new process that has imported PyTorch, and nothing else.

        way: "eager", "compiled" or "package". kept: a name for the folder in which its compiler
        finds what was compiled under this name before, and keeps what it compiles.
        """
        return Answering(self._begun(way, kept))

    def build(self) -> None:
        """The package, made ahead of time in a process of its own, which finds nothing kept."""
        maker = Answering(self._begun("build", "build"))
        maker.call()
        maker.end()

    def _begun(self, way: str, kept: str) -> subprocess.Popen[str]:
        own = {
            WAY: way,
            "TORCHINDUCTOR_CACHE_DIR": str(self.folder / kept),
            "OMP_NUM_THREADS": "1",
        }
        return subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), str(self.folder / "chain.pt2")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **own},
            text=True,
        )


class Answering:
    """A process that has said that it is there."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._hear()

    def call(self) -> None:
        """One call; back when it is answered."""
        assert self.process.stdin is not None
        self.process.stdin.write("call\n")
        self.process.stdin.flush()
        self._hear()

    def end(self) -> None:
        """The process is gone when this returns."""
        self.process.communicate()

    def _hear(self) -> None:
        assert self.process.stdout is not None
        if not self.process.stdout.readline():
            raise RuntimeError("the process has ended; its error stands above")


def answer_all(way: str, package: str) -> None:
    """Answer each line, in the process that was started."""
    import torch
    from torch.nn import functional

    class Chain(torch.nn.Module):
        """Sixteen small operations and a norm: one kernel, if they are fused."""

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            for _ in range(4):
                x = torch.relu(1.01 * x + 0.1) - 0.05
            return functional.layer_norm(x, (WIDTH,))

    def ready(way: str) -> Callable[[torch.Tensor], object]:
        if way == "eager":
            return chain
        if way == "compiled":
            return torch.compile(chain)
        return torch._inductor.aoti_load_package(package)

    x, chain, answer = torch.randn(ROWS, WIDTH), Chain().eval(), None
    print("there", flush=True)
    with torch.no_grad():
        for _ in sys.stdin:
            if way == "build":
                exported = torch.export.export(chain, (x,))
                torch._inductor.aoti_compile_and_package(exported, package_path=package)
            else:
                answer = ready(way) if answer is None else answer
                answer(x)
            print("answered", flush=True)


if __name__ == "__main__":
    answer_all(os.environ[WAY], sys.argv[1])
