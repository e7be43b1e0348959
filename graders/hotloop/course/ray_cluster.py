"""Connects to a Ray cluster, or starts one on this machine."""

import importlib
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Any, cast

from hotloop.core.user_error import UserError

OBJECT_STORE_BYTES = 200 << 20
"""Object store of a cluster that is started here; the transferred objects are small."""

_NO_RAY = "Ray is not installed: pip install 'hotloop[ray]'"
_POLL_S = 0.25
_ANSWER_S = 20.0
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Gradings on a node find its GPUs as they do without Ray; Hotloop's lease keeps their timings
    # apart.
    "RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES": "1",
}

PATIENT = {
    "RAY_agent_register_timeout_ms": "300000",
    "RAY_gcs_server_port_wait_time_s": "300",
    "RAY_worker_register_timeout_seconds": "300",
}
"""Settings of a cluster that is started here.

On a busy machine a process takes longer to start than Ray's own limits, such as 60 s for a worker;
Ray then starts another one beside it, again and again.
"""


class ClusterUnavailable(UserError):
    """Ray is missing, or no cluster answers; the message says what to do."""


@contextmanager
def connected(address: str) -> Generator[Any]:
    """Yield the module `ray`, connected. A connection of the caller is reused and left open.

    Raises ClusterUnavailable.
    """
    for name, value in {**_QUIET, **PATIENT}.items():
        os.environ.setdefault(name, value)
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError:
        raise ClusterUnavailable(_NO_RAY) from None
    if ray.is_initialized():
        yield ray
        return
    _connect(ray, address)
    try:
        yield ray
    finally:
        ray.shutdown()


def _connect(ray: Any, address: str) -> None:
    _look(address)
    how: dict[str, Any] = {"address": address}
    if address == "local":
        how |= {"include_dashboard": False, "object_store_memory": OBJECT_STORE_BYTES}
    # Nodes report their progress through `tell`; their output goes to Ray's logs.
    how |= {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        with _own_end():
            ray.init(runtime_env={"env_vars": _QUIET}, **how)
    except Exception as error:
        # Ray has no exception type of its own for a node that does not start within 30 s.
        raise _unavailable(address, last_line(error)) from error


def _unavailable(address: str, reason: str) -> ClusterUnavailable:
    return ClusterUnavailable(f"There is no Ray cluster at {address}: {reason}")


@contextmanager
def _own_end() -> Generator[None]:
    """Restore the caller's SIGTERM handler, if it is a function, after Ray replaced it.

    Ray's own handler can abort the process. In threads other than the main one nothing is restored.
    """
    own = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if callable(own) and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, own)


def _look(address: str) -> None:
    """Wait until the host and port of `address`, if it has them, accept connections.

    Ray itself would wait minutes for a missing head. Raises ClusterUnavailable after _ANSWER_S
    seconds.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return
    deadline = time.monotonic() + _ANSWER_S
    while True:
        try:
            socket.create_connection((host.strip("[]"), int(port)), _ANSWER_S).close()
            return
        except OSError as error:
            if time.monotonic() > deadline:
                raise _unavailable(address, str(error)) from error
        # A head that is still starting begins to listen later.
        time.sleep(_POLL_S)


def alive(ray: Any) -> list[Mapping[str, float]]:
    """Return the resources of the nodes that can grade: alive, with at least one CPU."""
    nodes = cast("list[dict[str, Any]]", ray.nodes())
    alive = [node["Resources"] for node in nodes if node["Alive"]]
    return [resources for resources in alive if resources.get("CPU", 0.0) >= 1]


def has_gpu(nodes: Iterable[Mapping[str, float]]) -> bool:
    """Return True if one of the nodes has a GPU."""
    return any(node.get("GPU", 0.0) >= 1 for node in nodes)


def last_line(error: Exception) -> str:
    """Return the last line of a Ray error, which has the reason; a trace precedes it."""
    return (str(error).strip().splitlines() or [type(error).__name__])[-1][:400]
