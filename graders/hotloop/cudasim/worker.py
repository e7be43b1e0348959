"""Runs a learner's CUDA kernels in the simulator: `python -m hotloop.cudasim.worker --fd N`.

A process of ours, in a sandbox of its own. The kernels were compiled from a text that was vetted
here (`vetting`), they are launched by a harness of ours, and every access that they make is
checked before it happens; so what they do is theirs, and what is said of them is ours.
"""

from __future__ import annotations

import ctypes
import os
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from hotloop.cudasim import build, report
from hotloop.cudasim.problem import Problem, Unsupported
from hotloop.cudasim.vetting import Refused, vet
from hotloop.worker.serve import Worker
from hotloop.worker.triton_program import run
from hotloop.worker.wire import Message

ENTRY = "hotloop_run"
HARNESS = "harness.cu"

_SUBMISSION = Path("/submission")
_MESSAGE_LIMIT = 3000
_FINDINGS_LIMIT = 20
_ELEMENT_BYTES = {
    "fp64": 8,
    "fp32": 4,
    "fp16": 2,
    "bf16": 2,
    "i64": 8,
    "i32": 4,
    "u8": 1,
    "bool": 1,
}


class Simulator(Worker):
    """Answers `build` and `launch`."""

    def __init__(self) -> None:
        super().__init__({})
        self.library: Any = None
        self.folder = Path(tempfile.mkdtemp(prefix="kernels-", dir=Path.cwd()))

    def on_build(self, message: Message, _fds: list[int]) -> Message:
        """`file`, `source`: the learner's; `harness`: ours, with the entry point."""
        source, harness = self.folder / message["file"], self.folder / HARNESS
        source.write_text(message["source"], encoding="utf-8")
        harness.write_text(message["harness"], encoding="utf-8")
        try:
            vet(source)
            built = build.library([source, harness], "checked")
            self.library = _load(built.path)
        except Refused as refused:
            return _fault("refused", str(refused), refused.line)
        except Unsupported as unsupported:
            return _fault("refused", unsupported.what, unsupported.line)
        except (Problem, OSError) as problem:
            return _fault("compile", self._without_folder(str(problem)), None)
        return {}

    def on_launch(self, message: Message, _fds: list[int]) -> Message:
        """`tensors`: places in mapped buffers, null for a plain value; `names`; `numbers`;
        `writable`: indices of outputs; `order` of threads."""
        self.library.cudasim_set_order(message["order"].encode())
        kept: list[Any] = []
        addresses: list[int] = []
        for index, place in enumerate(message["tensors"]):
            written = index not in message["writable"]
            memory = _memory(self.mappings[place["buffer"]].memory, place)
            name = message["names"][index].encode()
            kept += [memory, name]
            address = memory.ctypes.data
            self.library.cudasim_lend(address, memory.nbytes, name, int(written))
            addresses.append(address)
        pointers = (ctypes.c_void_p * len(addresses))(*addresses)
        numbers = (ctypes.c_double * len(message["numbers"]))(*message["numbers"])
        status = int(getattr(self.library, ENTRY)(pointers, numbers))
        found = self._report()
        for address in addresses:
            self.library.cudasim_take_back(address)
        return {"status": status, **found}

    def _report(self) -> Message:
        text = self.library.cudasim_take_report()
        try:
            found = report.read(ctypes.string_at(text).decode(errors="replace"))
        finally:
            self.library.cudasim_free(text)
        return {
            "findings": [self._named(asdict(f)) for f in found.findings[:_FINDINGS_LIMIT]],
            "sites": [self._named(asdict(s)) for s in found.sites],
        }

    def _named(self, data: Message) -> Message:
        """Lines name the learner's file, not where it lies here."""
        for holder in [data, *data.get("witnesses", ())]:
            line = holder.get("line")
            if line is not None:
                line["file"] = Path(line["file"]).name
        return data

    def _without_folder(self, text: str) -> str:
        return text.replace(f"{self.folder}/", "")[:_MESSAGE_LIMIT]


def _fault(kind: str, message: str, line: int | None) -> Message:
    return {"fault": {"kind": kind, "message": message, "line": line}}


def _load(path: Path) -> Any:
    library = ctypes.CDLL(str(path))
    library.cudasim_take_report.restype = ctypes.c_void_p
    library.cudasim_free.argtypes = [ctypes.c_void_p]
    library.cudasim_lend.argtypes = [
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_char_p,
        ctypes.c_int,
    ]
    library.cudasim_take_back.argtypes = [ctypes.c_void_p]
    return library


def _memory(buffer: Any, place: Message) -> Any:
    """The bytes that a tensor spans, gaps between its rows included."""
    span = 1 + sum((n - 1) * s for n, s in zip(place["shape"], place["strides"], strict=True))
    size = span * _ELEMENT_BYTES[place["dtype"]]
    return np.frombuffer(buffer, np.uint8, size, place["offset"])


def main() -> None:
    """Serve the judge. What it built for all judgings lies beside this process."""
    prebuilt = _SUBMISSION if _SUBMISSION.is_dir() else Path.cwd()
    os.environ["HOTLOOP_CUDASIM_PREBUILT"] = str(prebuilt)
    os.environ["HOTLOOP_CUDASIM_CACHE"] = tempfile.mkdtemp(prefix="cache-", dir=Path.cwd())
    run(Simulator())


if __name__ == "__main__":
    main()
