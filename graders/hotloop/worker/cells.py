"""What a notebook's cells mean: ipykernel's kernel, as in JupyterLab, with our settings.

A course's kernel (`hotloop.worker.kernel`) has sockets, on which outputs are sent. `Cells` is the
same kernel without them, for whoever needs only the names that the cells define.
"""

import asyncio
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Coroutine
from types import SimpleNamespace
from typing import Any, ClassVar, TextIO, cast

# An unattended kernel needs no debugger, and importing debugpy takes most of its start.
sys.modules["debugpy"] = cast(Any, None)

from ipykernel.ipkernel import IPythonKernel  # noqa: E402
from ipykernel.kernelapp import IPKernelApp  # noqa: E402
from ipykernel.kernelbase import Kernel  # noqa: E402
from ipykernel.zmqshell import ZMQInteractiveShell  # noqa: E402
from jupyter_client.session import Session  # noqa: E402
from tornado.ioloop import IOLoop  # noqa: E402
from traitlets import Type, default  # noqa: E402
from traitlets.config import Config  # noqa: E402

from hotloop.worker import triton_compat  # noqa: E402

_TASKS_S = 0.02
"""Seconds for asyncio tasks that a cell leaves behind, which a kernel runs while it is idle."""


class CellEnded(BaseException):
    """A cell called exit() or quit(): what they would end, a grader needs."""

    def _render_traceback_(self) -> list[str]:
        """Called by IPython instead of formatting a traceback."""
        return [f"{type(self).__name__}: {self}"]


class CellShell(ZMQInteractiveShell):
    """IPython, which notes the first failure of a cell, and which no cell can end."""

    failures: ClassVar[list[str]] = []
    """The first exception of a cell that ended it, as text."""

    def ask_exit(self) -> None:
        """End the cell that called exit() or quit()."""
        raise CellEnded(
            "exit() and quit() end a kernel, and its names with it; here they end only their "
            "cell: remove the call."
        )

    def init_events(self) -> None:
        """Look at each cell's result."""
        cast(Any, super()).init_events()
        cast(Any, self.events).register("post_run_cell", self._note)

    def _note(self, result: Any) -> None:
        error = result and (result.error_before_exec or result.error_in_exec)
        if error and not self.failures:
            text = next(iter(str(error).splitlines()), "")
            self.failures.append(f"{type(error).__name__}: {text}".removesuffix(": "))


class CellKernel(IPythonKernel):
    """ipykernel's kernel with that shell."""

    shell_class = Type(CellShell)


class CellApp(IPKernelApp):
    """ipykernel's application with that kernel. Learners' settings and history play no part."""

    kernel_class = Type(CellKernel, klass=Kernel)

    def __init__(self, **traits: Any) -> None:
        config = Config({"HistoryManager": {"enabled": False}})
        super().__init__(config=config, **traits)

    def parse_command_line(self, argv: Any = None) -> None:
        """Do nothing: building ipykernel's parser takes a fifth of a warm start, for one option."""

    def init_heartbeat(self) -> None:
        """Start no heartbeat: whoever starts this process watches it."""

    def write_connection_file(self, **_: Any) -> None:
        """Do nothing: nobody looks for this kernel."""

    def log_connection_info(self) -> None:
        """Print nothing: nobody looks for this kernel."""


class Cells:
    """A kernel without sockets. A process can have one.

    names: what the cells have defined.
    errors: where tracebacks are written.
    """

    def __init__(self, errors: TextIO | None = None) -> None:
        triton_compat.correct_interpreter()
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        app = _WithoutSockets(errors=errors)
        cast(Any, app).initialize([])
        self._kernel: Any = app.kernel
        self.names: dict[str, Any] = self._kernel.shell.user_ns
        self.inside(self._join_loop)

    def run(self, source: str, seconds: float) -> None:
        """Run one cell, whatever it does. It is interrupted after so many seconds."""
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        timer = threading.Timer(seconds, self._interrupt)
        timer.daemon = True
        timer.start()
        try:
            self._finish(self._execute(source))
        except BaseException:  # noqa: BLE001 - as in JupyterLab, the next cell still runs
            traceback.print_exc()
        finally:
            timer.cancel()
            signal.signal(signal.SIGINT, handler)

    def inside(self, call: Callable[[], object]) -> None:
        """Call a function as a cell would: while the kernel's event loop runs."""

        async def called() -> None:
            call()

        self._finish(called())

    def _join_loop(self) -> None:
        """Tell the kernel its loop, which it needs to interrupt an `await`."""
        self._kernel.io_loop = IOLoop.current()

    def _interrupt(self) -> None:
        """Interrupt the cell from another thread, in a system call or in an `await` too."""
        signal.pthread_kill(cast(int, threading.main_thread().ident), signal.SIGINT)
        self._loop.call_soon_threadsafe(lambda: None)  # wakes it

    async def _execute(self, source: str) -> None:
        await self._kernel.do_execute(source, silent=False, store_history=False)
        if len(asyncio.all_tasks()) > 1:
            await asyncio.sleep(_TASKS_S)

    def _finish(self, work: Coroutine[Any, Any, None]) -> None:
        self._loop.run_until_complete(work)


class _Unsent(Session):
    """Messages of a kernel that nobody is connected to; `errors` gets the tracebacks."""

    errors: TextIO | None = None

    def send(self, stream: Any, msg_or_type: Any, content: Any = None, *_: Any, **__: Any) -> Any:
        """Send nothing."""
        del stream
        if msg_or_type == "error" and self.errors is not None:
            print(*content["traceback"], sep="\n", file=self.errors)
        return {}


class _WithoutSockets(CellApp):
    def __init__(self, errors: TextIO | None) -> None:
        super().__init__()
        cast(_Unsent, self.session).errors = errors

    @default("session")
    def _default_session(self) -> Session:
        return _Unsent(parent=self)

    def init_connection_file(self) -> None:
        """Do nothing: there is no connection."""

    def init_sockets(self) -> None:
        """Do nothing: there are none."""

    def init_io(self) -> None:
        """Leave the streams as they are."""

    def init_signal(self) -> None:
        """Leave Ctrl-C as it is."""

    def init_kernel(self) -> None:
        """Create the kernel."""
        self.kernel = cast(Any, self.kernel_class).instance(
            parent=self,
            session=self.session,
            # What compares the current thread with the one of the cells.
            shell_channel_thread=SimpleNamespace(parent_thread=threading.main_thread()),
            log=self.log,
            profile_dir=self.profile_dir,
            user_ns=self.user_ns,
        )


def first_failure() -> str:
    """Return the first exception that ended a cell of this process's notebook; "" if none did."""
    return next(iter(CellShell.failures), "")
