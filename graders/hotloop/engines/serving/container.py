"""Serves a repository with NVIDIA's own container, if a container engine is installed.

The container runs NVIDIA's C++ onnxruntime backend instead of Hotloop's. The image is NVIDIA's with
the packages that Python backends import; docker/triton.Dockerfile is the same.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from hotloop.engines.serving import ports
from hotloop.engines.serving.environment import requirements
from hotloop.engines.serving.http import Http
from hotloop.engines.serving.options import Options
from hotloop.engines.serving.server import RunningServer
from hotloop.engines.serving.unavailable import ServingUnavailable
from hotloop.sandbox.confinement import Confinement
from hotloop.sandbox.owner import new_tag
from hotloop.sandbox.unconfined import launch_plain

RELEASE = "24.10"
"""NVIDIA's container release that has tritonserver 2.51.0."""
BASE = f"nvcr.io/nvidia/tritonserver:{RELEASE}-py3"
IMAGE = f"hotloop-tritonserver:{RELEASE}"
ENGINES = ("docker", "podman")
_WITHOUT = "serve without --container"
_SHM = "1g"
_ASK_S = 2.0
_END_S = 30.0


def engine() -> Path:
    """Return docker, or else podman. Raises ServingUnavailable if neither is on PATH."""
    program = next(filter(None, map(shutil.which, ENGINES)), None)
    if program is None:
        reason = f"a container needs {' or '.join(ENGINES)}, and neither is on PATH"
        raise ServingUnavailable(reason, f"install one, or {_WITHOUT}")
    return Path(program)


def dockerfile() -> str:
    """Return the Dockerfile of IMAGE, with the tokenizers of the server's environment."""
    [tokenizers] = [pin for pin in requirements() if pin.startswith("tokenizers==")]
    return f"FROM {BASE}\nRUN pip install --no-cache-dir 'numpy<2' {tokenizers}\n"


def build(program: Path, on_progress: Callable[[str], None] = lambda _text: None) -> None:
    """Build IMAGE; quick if the engine has it. Raises ServingUnavailable if the build fails."""
    on_progress(f"building {IMAGE} from {BASE}; the first time, several gigabytes are downloaded")
    last: deque[str] = deque(maxlen=1)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Dockerfile").write_text(dockerfile(), encoding="utf-8")
        with subprocess.Popen(
            [str(program), "build", "--tag", IMAGE, folder],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as building:
            assert building.stdout is not None
            for line in filter(None, map(str.rstrip, building.stdout)):
                on_progress(line)
                last.append(line)
    if building.returncode:
        message = " ".join(last)[-600:]
        remedy = f"see to it that `{program.name} info` answers, or {_WITHOUT}"
        raise ServingUnavailable(f"{program.name} cannot build {IMAGE} ({message})", remedy)


class Container(RunningServer):
    """A running container. Its process is the engine's client, which prints the server's output."""

    _step_s = 0.2

    def __init__(self, repository: Path, program: Path, options: Options) -> None:
        self.options = options
        self.ports = ports.free()
        self._program = program
        self._name = new_tag()
        self._started = time.monotonic()
        self._confined = launch_plain(_watched(self._command(repository.resolve()), options))

    def stop(self) -> None:
        """Remove the container, which would outlive the engine's client. Safe to call again."""
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(
                [str(self._program), "rm", "--force", self._name],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_END_S,
                check=False,
            )
        self._confined.kill()

    def _is_ready(self) -> bool:
        return self._answers(self.ports.http, "/v2/health/ready") and self._answers(
            self.ports.metrics, "/metrics"
        )

    def _command(self, repository: Path) -> tuple[str, ...]:
        inside = ports.USUAL
        pairs = (
            (self.ports.http, inside.http),
            (self.ports.grpc, inside.grpc),
            (self.ports.metrics, inside.metrics),
        )
        published = [f"--publish={ports.HOST}:{ours}:{theirs}" for ours, theirs in pairs]
        return (
            *(str(self._program), "run", "--rm", "--init", f"--name={self._name}"),
            *published,
            f"--shm-size={_SHM}",
            f"--mount=type=bind,source={repository},target=/models,readonly",
            *(IMAGE, "tritonserver", "--model-repository=/models"),
            *_arguments(self.options),
        )

    def _answers(self, port: int, path: str) -> bool:
        """True if the server answers: the engine accepts connections before the server does."""

        def connect() -> socket.socket:
            return socket.create_connection((ports.HOST, port), _ASK_S)

        with suppress(OSError, ValueError), Http(connect, _ASK_S) as http:
            return http.get(path).status == 200
        return False


def _arguments(options: Options) -> tuple[str, ...]:
    arguments: list[str] = []
    if options.cache_bytes:
        arguments.append(f"--cache-config=local,size={options.cache_bytes}")
    if options.explicit:
        arguments.append("--model-control-mode=explicit")
    return (*arguments, *options.arguments)


def _watched(command: tuple[str, ...], options: Options) -> Confinement:
    """Run the engine's client unsandboxed, but with limits on time and output."""
    return Confinement(
        argv=command,
        environment={},
        read_only={},
        writable={},
        files=None,
        memory_bytes=options.memory_bytes,
        processes=options.tasks,
        tmp_bytes=options.tmp_bytes,
        wall_s=options.wall_s,
        output_bytes=options.log_bytes,
    )
