"""The judging service on one host and a learner on another one: as root,
`python tests/benchmarks/two_hosts.py`.

Each host is a network namespace. A veth pair connects them; a second connection delays each packet.
The service is set up as its page says: it listens on its own host only, behind Caddy with TLS. The
learner's host has the plain wheel, without a judge.

first: seconds from `hotloop login` to a verdict. near, far: seconds that a check takes besides the
judging, from the other host and on this machine (far: with the delay). reset: the connection is
reset in the middle of the stream. gone: the service's host is unreachable for longer than the
client's read timeout, and comes back. After both there must be a verdict, of one job that was
judged once.

It needs Linux with iproute2 and Caddy, and /dev/net/tun for the delay. It does not use tc's netem,
which some kernels lack.
"""

import argparse
import fcntl
import json
import os
import queue
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from first_verdict import MODULE, ROOT, TASK, learner
from serve_load import RESULTS
from sqlalchemy import Engine, func, select

from hotloop.core.transactions import reading
from hotloop.judge.client import JudgeProcess
from hotloop.judge.device import device_name
from hotloop.service.course import people
from hotloop.service.tables import jobs, opened, records, works
from hotloop.service.web.queue import WorkState
from hotloop.tasks.local_judging import judge_submission
from hotloop.tasks.render import submission

NAME = "judge.hotloop.test"
NEAR, FAR = ("10.77.0.1", "10.77.0.2"), ("10.77.1.1", "10.77.1.2")
CADDY = """
{
  skip_install_trust
  admin off
}
%s {
  log
  tls internal
  reverse_proxy 127.0.0.1:8000
}
"""
LONG = "lowering"
"""A task of the same module whose judging takes some seconds."""
ASKS = """
import sys, time
from pathlib import Path
from hotloop.learn.remote import judge_remotely
url, folder, module, task = sys.argv[1:]
for _ in sys.stdin:
    began = time.monotonic()
    asked = judge_remotely.request(Path(folder), module, [task])
    found = judge_remotely.ask(url, asked, lambda text: None)[task]
    assert found.verdict == "passed"
    print(time.monotonic() - began - found.circumstances.seconds, flush=True)
"""
"""A learner who checks once for each line."""


def missing() -> str:
    """Why this cannot be run here; empty where it can be."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "network namespaces are made by root on Linux"
    for program, package in (("ip", "iproute2"), ("ss", "iproute2"), ("caddy", "caddy")):
        if shutil.which(program) is None:
            return f"{program} is not installed: apt-get install {package}"
    if not Path("/dev/net/tun").exists():
        return "this kernel has no /dev/net/tun"
    probe = f"hotloop-{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, text=True)
    if made.returncode:
        return f"no network namespace can be made here: {made.stderr.strip()}"
    ip("netns", "delete", probe)
    return ""


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Wire:
    """A way between two hosts, on which each packet takes `delay_s`."""

    def __init__(self, delay_s: float) -> None:
        self.delay_s = delay_s
        self.names = tuple(f"hl{os.getpid()}w{end}" for end in (0, 1))
        self._ends = [self._opened(name) for name in self.names]
        for source, target in (self._ends, self._ends[::-1]):
            waiting: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()
            for work in (self._take, self._give):
                end = source if work == self._take else target
                threading.Thread(target=work, args=(end, waiting), daemon=True).start()

    @staticmethod
    def _opened(name: str) -> IO[bytes]:
        tun, no_header, set_interface = 0x0001, 0x1000, 0x400454CA
        end = Path("/dev/net/tun").open("r+b", buffering=0)  # noqa: SIM115
        fcntl.ioctl(end, set_interface, struct.pack("16sH22x", name.encode(), tun | no_header))
        return end

    def _take(self, end: IO[bytes], waiting: "queue.SimpleQueue[tuple[float, bytes]]") -> None:
        # The device goes with its namespace.
        with suppress(OSError):
            while packet := end.read(65536):
                waiting.put((time.monotonic() + self.delay_s, packet))

    def _give(self, end: IO[bytes], waiting: "queue.SimpleQueue[tuple[float, bytes]]") -> None:
        while True:
            due, packet = waiting.get()
            time.sleep(max(0.0, due - time.monotonic()))
            # An interface that is down takes nothing.
            with suppress(OSError):
                end.write(packet)


@dataclass
class Hosts:
    """The service's host and the learner's, joined in two ways."""

    judge: str
    learner: str
    interface: str

    def on(self, host: str) -> list[str]:
        """What runs a command there."""
        return ["ip", "netns", "exec", host]

    def by(self, way: tuple[str, str]) -> None:
        """From now on the learner reaches the service so."""
        Path(f"/etc/netns/{self.learner}/hosts").write_text(f"{way[0]} {NAME}\n")

    def connections(self, *more: str) -> str:
        """Those that the service's host has to a learner."""
        command = ["ss", "-Hnt", *more, "state", "established", "sport", "=", ":443"]
        done = subprocess.run([*self.on(self.judge), *command], check=True, capture_output=True)
        return done.stdout.decode()

    def reset(self) -> None:
        """End them, as a router that restarts does."""
        self.connections("-K")

    def gone(self, seconds: float) -> None:
        """The service's host is away meanwhile."""
        for state in ("down", "up"):
            ip("-n", self.judge, "link", "set", self.interface, state)
            if state == "down":
                time.sleep(seconds)


@contextmanager
def two_hosts(delay_s: float) -> Iterator[Hosts]:
    names = [f"hotloop-{who}-{os.getpid()}" for who in ("judge", "learner")]
    near = tuple(f"hl{os.getpid()}v{end}" for end in (0, 1))
    with ExitStack() as ending:
        for name in names:
            ip("netns", "add", name)
            ending.callback(ip, "netns", "delete", name)
            Path(f"/etc/netns/{name}").mkdir(parents=True)
            ending.callback(shutil.rmtree, f"/etc/netns/{name}")
            ip("-n", name, "link", "set", "lo", "up")
        ip("link", "add", near[0], "type", "veth", "peer", "name", near[1])
        for interfaces, way in ((near, NEAR), (Wire(delay_s).names, FAR)):
            for name, interface, address in zip(names, interfaces, way, strict=True):
                ip("link", "set", interface, "netns", name)
                other = way[1 - way.index(address)]
                ip("-n", name, "address", "add", address, "peer", other, "dev", interface)
                ip("-n", name, "link", "set", interface, "up")
        hosts = Hosts(*names, interface=near[0])
        hosts.by(NEAR)
        yield hosts


@contextmanager
def process(command: list[str], log: Path, **how: Any) -> Iterator[None]:
    with log.open("wb") as stream:
        started = subprocess.Popen(command, stdout=stream, stderr=stream, **how)
    try:
        yield
    finally:
        started.terminate()
        started.wait(60)


@dataclass
class Class:
    """A service that runs, and its learner."""

    hosts: Hosts
    folder: Path
    engine: Engine

    @property
    def variables(self) -> dict[str, str]:
        """The learner's own. Their machine knows who has signed the service's certificate."""
        own = {k: v for k, v in os.environ.items() if not k.startswith(("HOTLOOP", "PYTHON"))}
        root = self.folder / "caddy" / "pki/authorities/local/root.crt"
        places = {"XDG_CONFIG_HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder)}
        return {**own, **places, "SSL_CERT_FILE": str(root)}

    def command(self, *words: str) -> list[str]:
        """Of the learner's environment, on their host."""
        first, *rest = words
        program = str(self.folder / "python" / "bin" / first)
        return [*self.hosts.on(self.hosts.learner), program, *rest]

    def counts(self) -> dict[str, int]:
        """How much there was of everything until now: streams that were opened, what was judged."""
        streams = (self.folder / "caddy.log").read_text().count('/events"')
        counted = {"jobs": jobs.c.id, "tries": works.c.tries, "records": records.c.task}
        with reading(self.engine) as connection:
            judged = {
                name: connection.execute(
                    select((func.sum if name == "tries" else func.count)(column))
                ).scalar_one()
                for name, column in counted.items()
            }
        return {"streams": streams, **judged}

    def is_followed(self) -> bool:
        """Whether a job is being judged, and somebody's connection is there."""
        running = select(works.c.id).where(works.c.state == WorkState.RUNNING)
        with reading(self.engine) as connection:
            at_work = connection.execute(running).first() is not None
        return at_work and bool(self.hosts.connections())


@contextmanager
def serving(hosts: Hosts, folder: Path) -> Iterator[Class]:
    """The commands of the page, on the service's host."""
    words = [
        "-m",
        "hotloop.cli",
        "course",
        "serve",
        "--folder",
        str(folder / "service"),
        "--gpus",
        "0",
    ]
    words += ["--jobs", "1", "--url", f"https://{NAME}", "--proxy", "127.0.0.1"]
    engine = opened(folder / "service")
    (folder / "Caddyfile").write_text(CADDY % NAME)
    caddy = ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]
    there = hosts.on(hosts.judge)
    own = {**os.environ, "XDG_DATA_HOME": str(folder), "HOME": str(folder)}
    with (
        process([*there, sys.executable, *words], folder / "service.log"),
        process([*there, *caddy], folder / "caddy.log", env=own),
    ):
        listing = [*there, "ss", "-Hlnt"]
        until(lambda: listens(listing, ":8000 ", ":443 "), "the service")
        until((folder / "caddy/pki/authorities/local/root.crt").exists, "the certificate")
        yield Class(hosts, folder, engine)
    engine.dispose()


def listens(listing: list[str], *ports: str) -> bool:
    said = subprocess.run(listing, check=True, capture_output=True, text=True).stdout
    return all(port in said for port in ports)


def until(is_so: Callable[[], bool], what: str, within_s: float = 120.0) -> None:
    end = time.monotonic() + within_s
    while not is_so():
        assert time.monotonic() < end, f"{what} is not there after {within_s} s"
        time.sleep(0.05)


def first(group: Class) -> dict[str, float]:
    """From the invitation to a verdict."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(group.folder)]
    subprocess.run(build, check=True, cwd=ROOT, capture_output=True)
    (wheel,) = group.folder.glob("*.whl")
    link = f"https://{NAME}/join/{people.invite(group.engine, 'ada')}"
    host = group.hosts.on(group.hosts.learner)
    took = learner(group.folder, wheel, link, host, group.variables)
    # What pip downloads comes from elsewhere.
    took.pop("install")
    seconds = {f"{step}_s": round(s, 2) for step, s in took.items()}
    return {**seconds, "first_verdict_s": round(sum(took.values()), 2)}


def overhead(group: Class, way: tuple[str, str], repeats: int) -> dict[str, float]:
    """Seconds beside the judging, there and on this machine in turn."""
    group.hosts.by(way)
    words = [f"https://{NAME}", str(group.folder / MODULE), MODULE, TASK]
    there: list[float] = []
    here: list[float] = []
    with (
        JudgeProcess() as judge,
        subprocess.Popen(
            group.command("python", "-c", ASKS, *words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=group.variables,
        ) as asks,
    ):
        assert asks.stdin is not None
        assert asks.stdout is not None
        for _ in range(repeats + 1):
            asks.stdin.write("\n")
            asks.stdin.flush()
            there.append(float(asks.stdout.readline()))
            began = time.monotonic()
            found = judge_submission(submission(MODULE), MODULE, [TASK], judge=judge)[TASK]
            assert found.verdict == "passed"
            here.append(time.monotonic() - began - found.circumstances.seconds)
    # The first one starts the judge here.
    more = [t - h for t, h in zip(there[1:], here[1:], strict=True)]
    return {
        "repeats": repeats,
        "there_s": round(statistics.median(there[1:]), 3),
        "here_s": round(statistics.median(here[1:]), 3),
        "overhead_s": round(statistics.median(more), 3),
        "longest_s": round(max(more), 3),
    }


def cut(group: Class, do: Callable[[], None]) -> dict[str, Any]:
    """A check that takes some seconds, during which something happens to the connection."""
    group.hosts.by(NEAR)
    before = group.counts()
    work = str(group.folder / MODULE)
    command = group.command("hotloop", "check", f"{MODULE}.{LONG}", work, "--json")
    began = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=group.variables) as check:
        until(group.is_followed, "the stream")
        # By now it is the stream's connection, and not the one by which the job was sent.
        time.sleep(0.5)
        do()
        over = time.monotonic()
        assert check.stdout is not None
        said = json.loads(check.stdout.read())
    now = time.monotonic()
    # The proxy logs a stream when it has ended.
    more = {name: count - before[name] for name, count in group.counts().items()}
    verdicts = {task["verdict"] for task in said["tasks"]}
    once = more["jobs"] == more["tries"] == more["records"] == 1
    return {
        "seconds": round(now - began, 1),
        "after_it_s": round(now - over, 1),
        **more,
        "verdict": ", ".join(sorted(verdicts)),
        # With one stream, nothing was cut.
        "as_asked": check.returncode == 0
        and verdicts == {"passed"}
        and once
        and more["streams"] > 1,
    }


def measured(repeats: int, delay_s: float, gone_s: float) -> dict[str, Any]:
    """Everything, on hosts that are made for it. gone_s: 0 leaves that part out."""
    with (
        tempfile.TemporaryDirectory(prefix="hotloop-hosts-") as folder,
        two_hosts(delay_s) as hosts,
        serving(hosts, Path(folder)) as group,
    ):
        found: dict[str, Any] = {"first": first(group)}
        found["near"] = overhead(group, NEAR, repeats)
        found["far"] = {"round_trip_ms": 2000 * delay_s, **overhead(group, FAR, repeats)}
        found["reset"] = cut(group, hosts.reset)
        if gone_s:
            found["gone"] = {"away_s": gone_s, **cut(group, lambda: hosts.gone(gone_s))}
    return found


def as_asked(found: Mapping[str, Any]) -> bool:
    return all(part.get("as_asked", True) for part in found.values())


def main() -> None:
    """Measure and print; exit code 1 where a check was lost or judged twice."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--delay-ms", type=float, default=25.0, help="each way")
    parser.add_argument("--gone-s", type=float, default=60.0)
    parser.add_argument("--keep", action="store_true", help="write it into results/")
    options = parser.parse_args()
    if why := missing():
        sys.exit(why)
    load = round(os.getloadavg()[0], 1)
    found = measured(options.repeats, options.delay_ms / 1000, options.gone_s)
    print(json.dumps(found, indent=1))
    if options.keep:
        about = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "device": device_name()}
        document = {**about, "load_before": load, **found}
        (RESULTS / "two_hosts.json").write_text(json.dumps(document, indent=1) + "\n")
    sys.exit(not as_asked(found))


if __name__ == "__main__":
    main()
