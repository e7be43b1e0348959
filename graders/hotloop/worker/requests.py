"""What every worker does with the judge's requests, whatever they ask for."""

import os
import platform
import re
import sys
import traceback
from pathlib import Path

from hotloop.core.wire import Message
from hotloop.worker.tensors import Mapping

_TRACE_LIMIT = 4000
_MESSAGE_LIMIT = 2000


class Requests:
    """Calls the method `on_…` of a request, and holds the mapped buffers."""

    def __init__(self) -> None:
        self.mappings: dict[int, Mapping] = {}

    def forget_files(self) -> None:
        """Remove the files that the judge sent."""

    def answer(self, message: Message, fds: list[int]) -> Message:
        """Return the reply to one request; a failure becomes a reply, except KeyboardInterrupt."""
        handler = getattr(self, f"on_{message.get('op')}", None)
        if handler is None:
            return {"ok": False, "error": {"type": "Protocol", "message": "unknown request"}}
        try:
            return {"ok": True, **handler(message, fds)}
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - SystemExit in a candidate is its failure
            return self.failed(error)

    def failed(self, error: BaseException) -> Message:
        """Return the reply to a request that raised `error`."""
        return {"ok": False, "error": describe_error(error)}

    def on_hello(self, _message: Message, _fds: list[int]) -> Message:
        """Report the versions that run here, for the record, and the process id."""
        versions = {"python": platform.python_version()}
        for name in ("torch", "triton", "numpy"):
            module = sys.modules.get(name)
            if module is not None:
                versions[name] = str(getattr(module, "__version__", ""))
        return {"versions": versions, "pid": os.getpid()}

    def on_map(self, message: Message, fds: list[int]) -> Message:
        """Map the judge's buffers."""
        for buffer, fd in zip(message["buffers"], fds, strict=True):
            self.mappings[buffer["id"]] = Mapping(fd, buffer["bytes"], writable=buffer["writable"])
        return {}

    def on_unmap(self, _message: Message, _fds: list[int]) -> Message:
        """Drop the buffers. Memory is unmapped with the last view of it."""
        self.mappings = {}
        return {}


def describe_error(error: BaseException) -> Message:
    """Return the error's type, its message and the end of its trace, cut to a readable length."""
    trace = "".join(traceback.format_exception(error))
    while type(error).__name__ == "InterpreterError" and error.__cause__ is not None:
        error = error.__cause__  # what a Triton kernel raised
    return {
        "type": type(error).__name__,
        "message": _message(str(error))[:_MESSAGE_LIMIT],
        "trace": trace[-_TRACE_LIMIT:],
        "where": _where(error),
    }


def _message(text: str) -> str:
    """Return a compiler's first error instead of the command line that its output begins with."""
    error = re.search(r"^\S+: (?:fatal )?error: .*$", text, re.MULTILINE)
    return error[0] if error and text.startswith("Error building extension") else text


def _where(error: BaseException) -> str:
    """Return the innermost line of the learner's code, such as `online.py:12`, else "".

    For a cell only the line is given: the file names that a Jupyter kernel gives to cells mean
    nothing to a reader.
    """
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.parent.name.startswith("ipykernel_"):
            return f"line {frame.lineno} of its cell"
        if path.parent == Path.cwd() or Path.cwd() in path.parents:
            return f"{path.name}:{frame.lineno}"
    return ""
