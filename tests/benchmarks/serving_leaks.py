"""What servers leave behind, and how fast they start: `python tests/benchmarks/serving_leaks.py`.

Each server is started over the trial's repository, queried once, and ended in one of three ways:
stopped, its process killed, or the process that owns it killed. Counted before and after: processes
of tritonserver and of stubs, listening loopback ports, entries of /dev/shm, staged copies, control
groups. The next server that starts cleans up after a killed owner: that case is counted after one
more start.
"""

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from hotloop.engines.serving import preflight, shm, trial
from hotloop.engines.serving.environment import ServingEnvironment
from hotloop.engines.serving.options import Options
from hotloop.engines.serving.server import TritonServer
from hotloop.sandbox import cgroup, processes
from hotloop.sandbox.owner import is_stale, state_folder

TARGET_S = 5.0
_SETTLE_S = 3.0
_OWNER = """
import sys, time
from hotloop.engines.serving import preflight, trial
from hotloop.engines.serving.options import Options
from hotloop.engines.serving.server import TritonServer
server = TritonServer(trial.REPOSITORY, preflight.require(), Options(isolation=sys.argv[1]))
print(server.wait_ready(), flush=True)
time.sleep(600)
"""
_NEXT = """
import sys
from hotloop.engines.serving import preflight, trial
from hotloop.engines.serving.options import Options
from hotloop.engines.serving.server import TritonServer
with TritonServer(trial.REPOSITORY, preflight.require(), Options(isolation=sys.argv[1])) as server:
    server.wait_ready()
"""


def main() -> None:
    """Measure and print; exit code 1 if something is left behind."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    environment = preflight.require()
    ways: dict[str, Callable[[ServingEnvironment, str], float]] = {
        "stopped": _stopped,
        "server killed": _server_killed,
        "owner killed": _owner_killed,
    }
    rows: list[dict[str, Any]] = []
    for isolation in ("bubblewrap", "none"):
        for way, one in ways.items():
            before = remains()
            seconds = [one(environment, isolation) for _ in range(arguments.repeats)]
            if way == "owner killed":
                subprocess.run([sys.executable, "-c", _NEXT, isolation], check=True)
            rows.append({"isolation": isolation, "way": way, **_row(seconds, before)})
    if arguments.json:
        print(json.dumps({"target_s": TARGET_S, "rows": rows}, indent=2))
    else:
        _print(rows)
    sys.exit(any(row["left"] for row in rows))


def remains() -> dict[str, list[str]]:
    """Return what servers have left behind by now, by kind.

    Not counted is what belongs to other live processes: they may start servers as well.
    """
    groups = [place.parent.glob("hotloop-*") for place in cgroup.places().distinct()]
    staged = state_folder("staged").iterdir()
    pids = _servers()
    return {
        "processes": sorted(pids),
        "ports": sorted(_listening(pids)),
        "shared memory": [name for name in shm.regions() if _ours(name.partition("_")[0])],
        "staged copies": sorted(path.name for path in staged if _ours(path.name)),
        "control groups": sorted(p.name for group in groups for p in group if _ours(p.name)),
    }


def _ours(tag: str) -> bool:
    """Return whether a tag is of this process, or of one that has ended."""
    return is_stale(tag) or tag.split("-")[2] == str(os.getpid())


def _servers() -> list[str]:
    """Return server processes by the tag on their command line, and doorways by their parent."""
    found: list[str] = []
    for path in Path("/proc").iterdir():
        if not path.name.isdecimal():
            continue
        line = processes.read_small(f"/proc/{path.name}/cmdline").decode(errors="replace")
        tag = re.search(r"hotloop-\d+-\d+-\d+-\d+", line)
        stat = processes.stat(int(path.name))
        way_in = "namespace_proxy.py" in line and stat and stat.parent in (1, os.getpid())
        if way_in or (tag and "triton" in line and _ours(tag[0])):
            found.append(path.name)
    return found


def _listening(pids: list[str]) -> list[str]:
    """Return the ports that these processes listen on, in any network namespace."""
    ports: list[str] = []
    for pid in pids:
        with suppress(OSError):
            tables = [Path(f"/proc/{pid}/net/{name}").read_text() for name in ("tcp", "tcp6")]
            lines = [line for table in tables for line in table.splitlines()[1:]]
            inodes = {path.readlink().name for path in Path(f"/proc/{pid}/fd").iterdir()}
            fields = [line.split() for line in lines]
            ports += [f[1] for f in fields if f[3] == "0A" and f"socket:[{f[9]}]" in inodes]
    return ports


def _stopped(environment: ServingEnvironment, isolation: str) -> float:
    with TritonServer(trial.REPOSITORY, environment, Options(isolation=isolation)) as server:
        ready_s = server.wait_ready()
        trial.ask(server)
    return ready_s


def _server_killed(environment: ServingEnvironment, isolation: str) -> float:
    with TritonServer(trial.REPOSITORY, environment, Options(isolation=isolation)) as server:
        ready_s = server.wait_ready()
        for pid in processes.tree(server.process.pid):
            if b"/bin/tritonserver\0" in processes.read_small(f"/proc/{pid}/cmdline")[:200]:
                os.kill(pid, signal.SIGKILL)
        server.process.wait(10)
        if server.alive:
            raise RuntimeError("a killed server is still there")
    return ready_s


def _owner_killed(environment: ServingEnvironment, isolation: str) -> float:
    owner = subprocess.Popen(
        [sys.executable, "-c", _OWNER, isolation], stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    ready_s = float(owner.stdout.readline())
    owner.kill()
    owner.wait()
    owner.stdout.close()
    return ready_s


def _row(seconds: list[float], before: dict[str, list[str]]) -> dict[str, Any]:
    deadline = time.monotonic() + _SETTLE_S
    while True:
        left = {
            kind: len(set(now) - set(before[kind]))
            for kind, now in remains().items()
            if set(now) - set(before[kind])
        }
        if not left or time.monotonic() > deadline:
            break
        time.sleep(0.1)
    return {
        "starts": len(seconds),
        "ready_median_s": statistics.median(seconds),
        "ready_worst_s": max(seconds),
        "left": left,
    }


def _print(rows: list[dict[str, Any]]) -> None:
    print(f"{'':12} {'':14} starts  ready: median  worst   left behind")
    for row in rows:
        left = ", ".join(f"{count} {kind}" for kind, count in row["left"].items()) or "nothing"
        print(
            f"{row['isolation']:12} {row['way']:14} {row['starts']:6}  "
            f"{row['ready_median_s']:12.2f}s {row['ready_worst_s']:6.2f}s  {left}"
        )


if __name__ == "__main__":
    main()
