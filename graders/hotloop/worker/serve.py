"""The worker's side of the protocol: executes the judge's requests in the candidate's process.

Nothing here is trusted. Whatever the candidate does to this code can only change the contents of
the judge's buffers, which the judge compares with the reference in another process.
"""

from __future__ import annotations

import argparse
import gc
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from hotloop.core.wire import Message, WireClosed, receive_with_fds, send
from hotloop.worker import cuda_extension, triton_compat, triton_launches
from hotloop.worker.device import DeviceCalls
from hotloop.worker.files import load_module
from hotloop.worker.requests import Requests
from hotloop.worker.tensors import copy_out, tensor

Namespace = dict[str, Any]


class Worker(Requests):
    """State between requests: the candidate, the mapped buffers, the planned calls."""

    def __init__(self, namespace: Namespace) -> None:
        super().__init__()
        self.namespace = namespace
        self.candidate: Callable[..., Any] | None = None
        self.loaded: str | None = None
        self.calls: list[Message] = []
        self.arguments: list[list[Any]] = []
        self.framework = "torch"
        self.style = "return"
        self.watch: str | None = None
        self.order: int | None = None
        self.file_folders: list[Path] = []

    def forget_files(self) -> None:
        """Remove the files that the judge sent. A learner's own kernel has no other cleanup."""
        while self.file_folders:
            shutil.rmtree(self.file_folders.pop(), ignore_errors=True)

    def on_resolve(self, message: Message, _fds: list[int]) -> Message:
        """Find the candidate by name, in its file or in the notebook's namespace.

        A file is executed once. Its other functions then see the state that earlier calls left
        behind. Raises NameError if the name is not a callable.
        """
        if "launcher" in message:
            path = Path(message["file"])
            self.namespace = {message["name"]: cuda_extension.load(path, message["launcher"])}
            self.loaded = None
        elif message["file"] is not None and message["file"] != self.loaded:
            load = load_operators if message["file"].endswith(".cu") else load_file
            self.namespace = load(Path(message["file"]))
            self.loaded = message["file"]
        if "::" in message["name"]:
            self.namespace[message["name"]] = registered(message["name"])
        candidate = self.namespace.get(message["name"])
        if not callable(candidate):
            where = Path(message["file"]).name if message["file"] else _cells_that_ran()
            raise NameError(f"there is no function called {message['name']!r} in {where}")
        self.candidate = candidate
        return {}

    def on_unmap(self, _message: Message, _fds: list[int]) -> Message:
        """Drop the buffers and the plan. Memory is unmapped with the last tensor over it."""
        self.calls, self.arguments = [], []
        return super().on_unmap(_message, _fds)

    def on_put_file(self, message: Message, _fds: list[int]) -> Message:
        """Write a buffer's contents to a new file. Returns its path, which the candidate gets."""
        folder = Path(tempfile.mkdtemp(prefix="given-"))
        self.file_folders.append(folder)
        path = folder / Path(message["name"]).name
        path.write_bytes(self.mappings[message["buffer"]].memory[: message["bytes"]])
        return {"path": str(path)}

    def on_get_file(self, message: Message, _fds: list[int]) -> Message:
        """Copy a file into a buffer if it fits; `bytes` is the file's length in any case."""
        memory = self.mappings[message["buffer"]].memory
        data = Path(message["path"]).read_bytes()
        if len(data) <= len(memory):
            memory[: len(data)] = data
        return {"bytes": len(data)}

    def on_plan(self, message: Message, _fds: list[int]) -> Message:
        """Build the argument tensors of the planned calls, so that the timed run creates none.

        `watch`: what to record of each call: "launches" of Triton kernels, "operations" of PyTorch,
        "work" of PyTorch, "work of Triton" too, or None. `order`: seed of the order in which
        programs of Triton kernels run, watched for races; None: by number, unwatched.
        """
        self.framework, self.style = message["framework"], message["style"]
        self.watch, self.order = message.get("watch"), message.get("order")
        self.calls = message["calls"]
        self.arguments = [[self._argument(a) for a in call["args"]] for call in self.calls]
        return {}

    def on_run(self, _message: Message, _fds: list[int]) -> Message:
        """Make the planned calls in order. Returns `returned`, `watched` or both.

        races: how programs of a Triton launch race or hang, if one does. What was raised
        afterwards is not told: it may follow from that.
        """
        candidate = cast(Callable[..., Any], self.candidate)
        if self.watch == "launches":
            from hotloop.worker.triton_watch import watched

            results: list[Any] = []

            def call(*arguments: Any) -> Any:
                results.append(candidate(*arguments))
                return None if self.style == "destination" else results[-1]

            with watched(self.order) as races:
                try:
                    plans = triton_launches.record(call, self.arguments)
                except Exception:
                    if not races:
                        raise
                    return {"races": races[:1]}
            answered = [] if self.style == "destination" else results
            returned = [self._answer(value, i) for i, value in enumerate(answered)]
            return {"returned": returned, "watched": plans, "races": races[:1]}
        if self.watch in ("work", "work of Triton"):
            return self._record_work(candidate)
        if self.watch == "operations":
            from hotloop.worker.torch_record import RecordedFunction

            watched = RecordedFunction(candidate)
            return {**self._run(watched), "watched": watched.notes}
        return self._run(candidate)

    def _record_work(self, candidate: Callable[..., Any]) -> Message:
        from hotloop.worker.work_record import recorded

        with ExitStack() as stack:
            if triton := self.watch == "work of Triton":
                from hotloop.worker.triton_watch import watched

                stack.enter_context(watched(None))
            work = stack.enter_context(recorded("submission.py", triton=triton))
            told = self._run(lambda *arguments: work.returned(candidate(*arguments)))
            return {**told, "watched": [work.told()]}

    def _run(self, candidate: Callable[..., Any]) -> Message:
        returned: list[Message] = []
        for index, arguments in enumerate(self.arguments):
            if self.style == "destination":
                candidate(*arguments)
            else:  # no name for the result, which must be freed before the next call
                returned.append(self._answer(candidate(*arguments), index))
        return {"returned": returned}

    def on_device_plan(self, message: Message, _fds: list[int]) -> Message:
        """Store calls on device memory that is not mapped yet."""
        return self.device.plan(message)

    def on_device_run(self, _message: Message, fds: list[int]) -> Message:
        """Map the judge's device memory, make the planned calls, synchronize the device."""
        return self.device.run(cast(Callable[..., Any], self.candidate), fds)

    def on_device_unmap(self, _message: Message, _fds: list[int]) -> Message:
        """Unmap the device memory and drop its calls."""
        return self.device.unmap()

    @cached_property
    def device(self) -> DeviceCalls:
        """Calls on the judge's device memory, for which PyTorch's GPU is set up once."""
        return DeviceCalls.for_torch()

    def _argument(self, spec: Message) -> Any:
        if "tensor" in spec:
            return tensor(spec["tensor"], self.mappings, self.framework)
        return spec["json"]

    def _answer(self, value: Any, index: int) -> Message:
        if self.style == "json":
            return {"json": plain(value)}
        return copy_out(value, self.calls[index]["returns"], self.mappings, self.framework)


def _cells_that_ran() -> str:
    """Return words for a notebook's cells, with the first failure that may be why."""
    cells = sys.modules.get("hotloop.worker.cells")  # absent in JupyterLab, which shows failures
    failure = "" if cells is None else cast(str, cells.first_failure())
    where = "the notebook's code cells"
    return f"{where}, of which the first that failed raised {failure}" if failure else where


def plain(value: Any) -> Any:
    """Return an answer with Python's numbers and lists in place of numpy's, PyTorch's or JAX's."""
    if isinstance(value, dict):
        entries = cast(dict[Any, Any], value).items()
        return {plain(key): plain(entry) for key, entry in entries}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in cast(Iterable[Any], value)]
    return value.tolist() if hasattr(value, "tolist") else value


def serve(
    sock: socket.socket, namespace: Namespace, wait: Callable[[], None] = lambda: None
) -> None:
    """Let the judge call what `namespace` holds, until it sends bye or closes the socket.

    wait: called before each request is read; it may do other work until a request arrives.
    """
    answer_requests(sock, Worker(namespace), wait)


def answer_requests(
    sock: socket.socket, worker: Requests, wait: Callable[[], None] = lambda: None
) -> None:
    """Answer requests until the judge sends bye or closes the socket.

    Garbage collection is off meanwhile.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        while True:
            wait()
            message, fds = receive_with_fds(sock)
            if message.get("op") == "bye":
                send(sock, {"ok": True})
                return
            reply = worker.answer(message, fds)
            _send_or_explain(sock, reply)
    except WireClosed:
        return
    finally:
        sock.close()
        worker.forget_files()
        if collecting:
            gc.enable()


def serve_as_process(worker: Requests) -> None:
    """Answer the judge's requests on the socket `--fd`, as a program that runs vetted code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fd", type=int, required=True)
    answer_requests(socket.socket(fileno=parser.parse_args().fd), worker)


def _send_or_explain(sock: socket.socket, reply: Message) -> None:
    try:
        send(sock, reply)
    except (TypeError, ValueError) as error:
        failure = {"type": "TypeError", "message": f"the answer is not plain data: {error}"}
        send(sock, {"ok": False, "error": failure})


def load_file(path: Path) -> Namespace:
    """Execute a source file as a module named after the file and return its namespace."""
    triton_compat.correct_interpreter()
    return load_module(path.stem, path).__dict__


def load_operators(path: Path) -> Namespace:
    """Build a CUDA file, which registers its operators with PyTorch. Returns an empty namespace."""
    from hotloop.engines.simulate.extension import load  # few tasks need it

    load(path)
    return {}


def registered(name: str) -> Any:
    """Return the operator `library::name`. Raises AttributeError if it is not registered."""
    import torch

    library, _, operator = name.partition("::")
    return getattr(getattr(torch.ops, library), operator)
