"""Runs learners' CUDA kernels in the simulator: `python -m hotloop.engines.simulate.worker --fd N`.

A process of Hotloop in its own sandbox, or a part of the judge's process where a verdict is for
practice. Only the kernels of the learner's code are compiled, to WebAssembly, and launched from
here: no native code of the learner runs in this process.
"""

import errno
import os
import tempfile
from dataclasses import asdict
from pathlib import Path

from hotloop.core.wire import Message
from hotloop.engines.simulate import build, cache
from hotloop.engines.simulate.build import Built
from hotloop.engines.simulate.host import error_name
from hotloop.engines.simulate.launch import Argument, Array, launch
from hotloop.engines.simulate.listing import listing
from hotloop.engines.simulate.problem import CompileError, SimulatorError, ToolMissing, Unsupported
from hotloop.engines.simulate.report import SimulatorReport
from hotloop.engines.simulate.tensor_map import Tile
from hotloop.worker.requests import Requests, describe_error
from hotloop.worker.tensors import ELEMENT_BYTES, span

_OF_THE_MACHINE = frozenset(
    {errno.EACCES, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOEXEC, errno.EPERM, errno.EROFS}
)
_MESSAGE_LIMIT = 3000
_FINDINGS_LIMIT = 20


class BadRequest(Exception):
    """The judge asked for something that there is not; no file of a learner's can cause it."""


class SimulatorWorker(Requests):
    """A worker that handles the judge's messages `build`, `listing` and `launch`.

    folder: where sources are written, each in a folder of its content.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.built: Built | None = None
        self.folder = folder
        self.lent: dict[int, memoryview] = {}

    def lend(self, memory: dict[int, memoryview]) -> None:
        """Use memory of this process, by the buffer's number, until the request `unmap`."""
        self.lent = memory

    def on_unmap(self, message: Message, fds: list[int]) -> Message:
        """Drop the buffers."""
        self.lent = {}
        return super().on_unmap(message, fds)

    def failed(self, error: BaseException) -> Message:
        """Reply to a request that raised `error`.

        All that is read here is the learner's file, or made of it, so an exception is a `fault` of
        that file: otherwise a file on which this program stumbles would be pending forever. Only
        what no file can cause is `internal`. The judge logs the trace of both: a right file may
        trigger an error of this program, which the contract's tests find.
        """
        described = describe_error(error)
        if is_the_machines(error):
            return {"ok": True, "internal": described}
        text = f"{described['type']}: {described['message']}".partition("\n")[0]
        return {"ok": True, **_fault("stumble", text, 0, trace=described["trace"])}

    def on_build(self, message: Message, _fds: list[int]) -> Message:
        """Build the learner's kernels. `file`: its name; `source`: its text."""
        source = self._written(message)
        try:
            self.built = build.kernels([source], checked=True)
        except Unsupported as unsupported:
            return _fault("refused", unsupported.what, unsupported.line)
        except ToolMissing:
            raise
        except CompileError as error:
            text = str(error).replace(f"{source.parent}{os.sep}", "")[:_MESSAGE_LIMIT]
            return _fault("compile", text, 0)
        return {}

    def on_listing(self, message: Message, _fds: list[int]) -> Message:
        """Return the learner's kernels as a `listing` to be read; fields as of a build."""
        try:
            return {"listing": listing(self._written(message))}
        except CompileError:
            return {}

    def _written(self, message: Message) -> Path:
        source = self.folder / cache.digest([message["source"]]) / message["file"]
        source.parent.mkdir(exist_ok=True)
        source.write_bytes(message["source"].encode())  # with its own line ends
        return source

    def on_launch(self, message: Message, _fds: list[int]) -> Message:
        """Launch a kernel. `kernel`: its name; `grid`, `block`: three numbers each.

        `dynamic`: bytes of shared memory. `order` of threads; `seconds`: time limit. `arguments`:
        in the kernel's order, either plain numbers or tensors: `tensor`, a place in a mapped
        buffer; `name`; `is_output`; `tile`, `box` and `swizzle` of a tensor map, or null.
        """
        if self.built is None:
            raise BadRequest("nothing was built")
        names = ("kernel", "grid", "block", "dynamic", "arguments", "order", "seconds")
        if missing := [name for name in names if name not in message]:
            raise BadRequest(f"a launch needs {', '.join(missing)}")
        try:
            launched = launch(
                self.built,
                message["kernel"],
                tuple(message["grid"]),
                tuple(message["block"]),
                [self._launch_argument(a) for a in message["arguments"]],
                dynamic=message["dynamic"],
                order=message["order"],
                timeout_s=message["seconds"],
            )
        except ToolMissing:
            raise
        except SimulatorError as problem:
            return _fault("signature", str(problem), 0)
        return {"error": error_name(launched.error), **self._reply(launched.report)}

    def _launch_argument(self, spec: Message | int | float) -> Argument:
        if not isinstance(spec, dict):
            return spec
        place = spec["tensor"]
        number = place["buffer"]
        memory = self.lent.get(number) or memoryview(self.mappings[number].memory)
        end = place["offset"] + span(place) * ELEMENT_BYTES[place["dtype"]]
        tile = spec["tile"] and Tile(tuple(spec["tile"]["box"]), spec["tile"]["swizzle"])
        return Array(
            spec["name"],
            memory[place["offset"] : end],
            spec["is_output"],
            tile,
            tuple(place["shape"]),
            ELEMENT_BYTES[place["dtype"]],
        )

    def _reply(self, report: SimulatorReport) -> Message:
        return {
            "findings": [self._named(asdict(f)) for f in report.findings[:_FINDINGS_LIMIT]],
            "sites": [self._named(asdict(s)) for s in report.sites],
            "shared_bytes": max((one.static_shared for one in report.launches), default=0),
        }

    def _named(self, data: Message) -> Message:
        """Replace paths of this machine in lines with the learner's file name."""
        for holder in [data, *data.get("witnesses", ())]:
            line = holder.get("line")
            if line is not None:
                line["file"] = Path(line["file"]).name
        return data


def is_the_machines(error: BaseException) -> bool:
    """Return True if no source can have caused the exception: a missing tool, a machine that fails.

    Memory and room on the disk are none of it: a source can use up both.
    """
    if isinstance(error, OSError):
        return error.errno in _OF_THE_MACHINE
    return isinstance(error, BadRequest | ToolMissing | ImportError)


def _fault(kind: str, message: str, line: int, **more: str) -> Message:
    return {"fault": {"kind": kind, "message": message, "line": line, **more}}


def main() -> None:
    """Serve the judge until it closes the connection."""
    from hotloop.worker.serve import serve_as_process  # with what only processes have

    os.environ["HOTLOOP_SIMULATOR_CACHE"] = tempfile.mkdtemp(prefix="cache-", dir=Path.cwd())
    folder = tempfile.mkdtemp(prefix="kernels-", dir=Path.cwd())
    serve_as_process(SimulatorWorker(Path(folder)))


if __name__ == "__main__":
    main()
