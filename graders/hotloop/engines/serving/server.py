"""Starts, monitors, connects to and stops a tritonserver for a repository."""

from __future__ import annotations

import socket
import sys
import threading
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from hotloop.core.verdict import Verdict
from hotloop.engines.serving import metrics, namespace_proxy, ports, shm
from hotloop.engines.serving.environment import ServingEnvironment
from hotloop.engines.serving.http import Http
from hotloop.engines.serving.options import Options
from hotloop.engines.serving.server_log import failure
from hotloop.sandbox import bubblewrap
from hotloop.sandbox.confinement import SUBMISSION, Confinement
from hotloop.sandbox.launch import launch
from hotloop.sandbox.owner import new_tag
from hotloop.sandbox.process import Confined
from hotloop.sandbox.unconfined import launch_plain
from hotloop.sandbox.view import base_view, below

_CONNECT_S = 5.0
_DOORWAY = Path(namespace_proxy.__file__)


class ServerFailed(RuntimeError):
    """The server ended or was not ready in time; the message quotes the reason from its log.

    death: memory_limit, output_limit or timeout if a limit ended it, else None.
    """

    def __init__(self, reason: str, log: str, death: Verdict | None) -> None:
        super().__init__(reason)
        self.log = log
        self.death = death


class RunningServer(ABC):
    """A server's processes, here or in a container. The constructor of a subclass starts them."""

    options: Options
    _confined: Confined
    _started: float
    _step_s = 0.02
    """Seconds between two looks whether it is ready."""

    @property
    def process(self) -> Confined:
        """The whole process tree: to freeze it, pin it to CPUs or wait for its end."""
        return self._confined

    @property
    def alive(self) -> bool:
        """False once the server has ended."""
        return self._confined.poll() is None

    @property
    def death(self) -> Verdict | None:
        """The limit that ended the server, or None."""
        return self._confined.death

    def wait_ready(self) -> float:
        """Wait until all models are loaded; return the seconds since the start.

        Raises ServerFailed with the reason if that fails.
        """
        deadline = self._started + self.options.ready_s
        while time.monotonic() < deadline:
            if not self.alive:
                raise self._failed(failure(self.log()) or "the server ended before it was ready")
            if self._is_ready():
                return time.monotonic() - self._started
            time.sleep(self._step_s)
        cause = failure(self.log())
        late = f"the server was not ready within {self.options.ready_s:g} s"
        raise self._failed(f"{late}: {cause}" if cause else late)

    def log(self) -> str:
        """Return everything that the server and its models have printed."""
        return self._confined.output().decode(errors="replace")

    @abstractmethod
    def stop(self) -> None:
        """End the server and remove what it leaves. Safe to call again."""

    @abstractmethod
    def _is_ready(self) -> bool:
        """True if all models are loaded and /metrics can be read."""

    def _failed(self, reason: str) -> ServerFailed:
        return ServerFailed(reason, self.log(), self.death)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class TritonServer(RunningServer):
    """A running server. Its methods may be called from any thread.

    The constructor starts it; `wait_ready` returns when all its models are loaded.
    """

    def __init__(
        self, repository: Path, environment: ServingEnvironment, options: Options | None = None
    ) -> None:
        self.environment = environment
        self.options = options or Options()
        self.confined_here = self.options.isolation != "none"
        self.tag = new_tag()
        shm.sweep()
        self.ports = ports.USUAL if self.confined_here else ports.free()
        self._started = time.monotonic()
        self._confined = self._launch(repository)
        self._sock: socket.socket | None = None
        self._asking = threading.Lock()
        self._doorway: Confined | None = None
        if self.confined_here:
            try:
                self._open_doorway()
            except BaseException:
                self.stop()
                raise

    # --- its life ---------------------------------------------------------------------------------

    def ready(self) -> bool:
        """True if the server reports ready now."""
        with suppress(OSError, ValueError), self.http() as http:
            return http.get("/v2/health/ready").status == 200
        return False

    def _is_ready(self) -> bool:
        if not self.ready():
            return False
        with suppress(OSError):  # /metrics opens after the server reports ready
            self.connect(self.ports.metrics).close()
            return True
        return False

    def stop(self) -> None:
        """Kill the server and all its processes, and remove its shared memory.

        Safe to call again.
        """
        sock, self._sock = self._sock, None
        if sock is not None:
            sock.close()
        if self._doorway is not None:
            self._doorway.kill()
        try:
            self._confined.kill()
        finally:
            shm.remove(self.tag)

    # --- reaching it ------------------------------------------------------------------------------

    def connect(self, port: int, timeout_s: float = _CONNECT_S) -> socket.socket:
        """Return a connected socket. Raises OSError if nothing listens or the server has ended."""
        if not self.confined_here:
            sock = socket.create_connection((ports.HOST, port), timeout_s)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
        if self._sock is None:
            raise ConnectionError("the server was stopped")
        with self._asking:
            sock = namespace_proxy.ask(self._sock, port, timeout_s)
        sock.settimeout(timeout_s)
        return sock

    def command(self, argv: list[str]) -> list[str]:
        """Return the command line for a trusted program that reaches the server at 127.0.0.1."""
        if not self.confined_here:
            return argv
        return [*_doorway_program(), str(self._confined.pid), "--", *argv]

    def http(self, timeout_s: float = _CONNECT_S) -> Http:
        """Return an HTTP client for the server's HTTP port."""
        return Http(lambda: self.connect(self.ports.http, timeout_s), timeout_s)

    def metrics_text(self) -> str:
        """Return the text of /metrics."""
        with Http(lambda: self.connect(self.ports.metrics), _CONNECT_S) as http:
            return http.get("/metrics").text()

    def metrics(self) -> list[metrics.MetricSample]:
        """Return /metrics, parsed."""
        return metrics.parse(self.metrics_text())

    def statistics(self, model: str = "") -> dict[str, Any]:
        """Return the statistics of a model, or of all models."""
        path = f"/v2/models/{model}" if model else "/v2/models"
        with self.http() as http:
            return http.get(f"{path}/stats").json()

    # --- starting it ------------------------------------------------------------------------------

    def _launch(self, repository: Path) -> Confined:
        environment, options = self.environment, self.options
        served = SUBMISSION if self.confined_here else str(repository.resolve())
        confinement = Confinement(
            argv=(*self._setpriv(), *self._arguments(served)),
            environment={
                **environment.variables(),
                # One thread for each model instance; onnxruntime's are set in config.pbtxt.
                "OMP_NUM_THREADS": "1",
                "OPENBLAS_NUM_THREADS": "1",
                "TOKENIZERS_PARALLELISM": "false",
            },
            read_only=self._read_only(),
            writable={},
            files=repository if self.confined_here else None,
            memory_bytes=options.memory_bytes,
            processes=options.tasks,
            tmp_bytes=options.tmp_bytes,
            wall_s=options.wall_s,
            output_bytes=options.log_bytes,
            files_bytes=options.files_bytes,
        )
        return launch(confinement) if self.confined_here else launch_plain(confinement)

    def _arguments(self, repository: str) -> tuple[str, ...]:
        environment, options, where = self.environment, self.options, self.ports
        command = [
            str(environment.tritonserver),
            f"--model-repository={repository}",
            f"--backend-directory={environment.backends}",
            f"--cache-directory={environment.caches}",
            f"--backend-config=python,shm-region-prefix-name={shm.prefix(self.tag)}",
            *(f"--{name}-address={ports.HOST}" for name in ("http", "grpc", "metrics")),
            f"--http-port={where.http}",
            f"--grpc-port={where.grpc}",
            f"--metrics-port={where.metrics}",
            "--allow-gpu-metrics=false",
            "--exit-timeout-secs=3",
        ]
        if options.cache_bytes:
            command.append(f"--cache-config=local,size={options.cache_bytes}")
        if options.explicit:
            command.append("--model-control-mode=explicit")
            command += [f"--load-model={name}" for name in options.load]
        return (*command, *options.arguments)

    def _setpriv(self) -> tuple[str, ...]:
        """Without a sandbox, let the kernel kill the server when its parent ends."""
        setpriv = bubblewrap.setpriv()
        if self.confined_here or setpriv is None:
            return ()
        return setpriv, "--pdeathsig", "KILL", "--"

    def _read_only(self) -> dict[str, Path]:
        home = self.environment.python_home
        folders = [self.environment.root]
        if not below(home, [inside for inside, _ in base_view().visible]):
            folders.append(home)
        return {str(folder): folder for folder in folders}

    def _open_doorway(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            fd = theirs.fileno()
            program = [*_doorway_program(), str(self._confined.pid), "--fd", str(fd)]
            self._doorway = launch_plain(_trusted(program, fd, self.options.wall_s))
        self._sock = ours


def _doorway_program() -> tuple[str, ...]:
    return sys.executable, "-I", str(_DOORWAY)


def _trusted(program: list[str], fd: int, wall_s: float) -> Confinement:
    return Confinement(
        argv=tuple(program),
        environment={},
        read_only={},
        writable={},
        files=None,
        memory_bytes=1 << 30,
        processes=16,
        tmp_bytes=1 << 20,
        wall_s=wall_s,
        output_bytes=1 << 16,
        pass_fds=(fd,),
    )
