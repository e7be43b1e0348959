"""Ray clusters of several node processes on this machine. Import it only where Ray is installed."""

import os
import re
import socket
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

import ray

from hotloop.course import ray_cluster

STORE_BYTES = 80 << 20
"""Ray requires at least 75 MB; it is reserved for each node."""


class Unhurried:
    """A slower module `time` for Ray, which gives up on a node that has not started after 30 s.

    On a busy machine a node takes longer to start.
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)

    def monotonic(self) -> float:
        return time.monotonic() / 10


class Nodes:
    """A cluster: a head that grades nothing, and nodes by name."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self.cluster = Cluster()
        self.nodes: dict[str, Any] = {}
        try:
            self._added(num_cpus=0, include_dashboard=False)
        except BaseException:
            self.cluster.shutdown()
            raise

    def add(self, name: str, gpus: int = 0) -> None:
        variables = {"RAY_NODE_NAME_FOR_TEST": name}
        self.nodes[name] = self._added(num_cpus=1, num_gpus=gpus, env_vars=variables)

    def _added(self, **how: Any) -> Any:
        with (
            mock.patch.dict(os.environ, ray_cluster.PATIENT),
            mock.patch("ray._private.services.start_ray_process", _started),
        ):
            return self.cluster.add_node(**how, **_small())

    def kill(self, name: str) -> None:
        """Kill all processes of a node, as a power failure would."""
        node = self.nodes.pop(name)
        started = [one.process for many in node.all_processes.values() for one in many]
        for process in started:
            process.kill()
        for process in started:
            # Workers take a raylet for alive until its parent has waited for it.
            process.wait()


def _small() -> dict[str, int]:
    """Set the agents' ports: a raylet that has to find them itself gives up after 15 s."""
    agents = ("metrics_agent", "metrics_export", "runtime_env_agent", "dashboard_agent_listen")
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in agents]
        for each in sockets:
            each.bind(("", 0))
        ports = {f"{a}_port": s.getsockname()[1] for a, s in zip(agents, sockets, strict=True)}
    return {"object_store_memory": STORE_BYTES, **ports}


start_process = ray._private.services.start_ray_process


def _started(command: list[str], *how: Any, **more: Any) -> Any:
    """Ray 2.60 tells its raylet every port but this one, which it then looks for."""
    found = re.search(r"--listen-port=(\d+)", " ".join(command))
    is_raylet = Path(command[0]).name == "raylet" and found is not None
    port = [f"--dashboard_agent_listen_port={found[1]}"] if is_raylet else []
    return start_process([*command, *port], *how, **more)
