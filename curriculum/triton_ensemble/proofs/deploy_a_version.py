"""A version that appears whole or not at all, and one that does not load."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hotloop.engines.serving.inference import Client, InferenceFailed

sys.path.append(str(Path(__file__).parent))
from live.real_server import HEAD, ask, python, refusal, served

TIMES = """
class TritonPythonModel:
    def execute(self, requests):
        return [answer(numbers(request) * {factor}) for request in requests]
"""
FAILS = """
class TritonPythonModel:
    def initialize(self, args):
        time.sleep(1)
        raise ValueError("half a version")
"""
FILES = {"model.py": HEAD + TIMES.format(factor=20), "tokenizer.json": "{}"}
LOADING = '"loading: times:2"'


# --8<-- [start:publish]
def copy_in_place(_staging: Path, target: Path, look: Callable[[], None]) -> None:
    """File by file where the server looks; `look` is the server, looking at any moment."""
    target.mkdir()
    for name, text in FILES.items():
        look()
        (target / name).write_text(text, encoding="utf-8")
    look()


def publish(staging: Path, target: Path, look: Callable[[], None]) -> None:
    """Made whole outside the repository, on the same file system; then renamed."""
    making = staging / target.name
    making.mkdir()
    for name, text in FILES.items():
        look()
        (making / name).write_text(text, encoding="utf-8")
    look()
    making.rename(target)  # one step for everybody who looks
    look()


# --8<-- [end:publish]


def half_made(how: Callable[[Path, Path, Callable[[], None]], None]) -> int:
    """At how many moments version 2 is there without all its files."""
    broken = 0
    with tempfile.TemporaryDirectory() as staging, tempfile.TemporaryDirectory() as model:
        target = Path(model) / "2"

        def look() -> None:
            nonlocal broken
            broken += target.is_dir() and {path.name for path in target.iterdir()} != set(FILES)

        how(Path(staging), target, look)
        assert {path.name for path in target.iterdir()} == set(FILES)
    return broken


def measured() -> None:
    """Explicit mode: a broken version 2 beside a sound version 1, then a sound one."""
    config = "max_batch_size: 4 version_policy { latest { num_versions: 1 } }"
    models = {"times": python(config, {1: TIMES.format(factor=10)})}
    with served(models, explicit=True, load=("*",)) as running:
        if running is None:
            return
        server, folder = running
        with Client(server) as client:
            second = folder / "times" / "2"
            second.mkdir()
            (second / "model.py").write_text("half a file (", encoding="utf-8")
            unasked = ask(client, "times")
            told = ""
            try:
                client.load("times")
            except InferenceFailed as failed:
                told = " ".join(str(failed).split())
            during = ask(client, "times")
            for path in second.iterdir():
                path.unlink()
            second.rmdir()
            with tempfile.TemporaryDirectory() as staging:
                publish(Path(staging), second, lambda: None)
            before = ask(client, "times")
            client.load("times")
            after = ask(client, "times")
            gone = refusal(client, "times", [[1.0]], version="1")
    print(f"on the real server: a new folder changes nothing by itself (1 gives {unasked:.0f})")
    print(f"asked to load the broken one: {told[:120]!r}, and 1 gives {during:.0f}")
    print(f"a sound one: before the load {before:.0f}, after it {after:.0f}")
    print(f"and the old one: {gone!r}")
    assert unasked == during == before == 10.0
    assert "UNAVAILABLE" in told
    assert after == 20.0
    assert "version 1 is not" in gone, "under `latest 1` a load is a switch, not a canary"


def readiness(*arguments: str) -> dict[str, bool]:
    """Whether the server calls itself ready in explicit mode; version 1 answers all the time."""
    config = "max_batch_size: 4 version_policy { all { } }"
    models = {"times": python(config, {1: TIMES.format(factor=10)})}
    found: dict[str, bool] = {}
    with (
        tempfile.TemporaryDirectory() as staging,
        served(models, explicit=True, load=("*",), arguments=arguments) as running,
    ):
        if running is None:
            return {}
        server, folder = running
        with Client(server) as client:
            second, third = folder / "times" / "2", folder / "times" / "3"
            second.mkdir()
            (second / "model.py").write_text(HEAD + FAILS, encoding="utf-8")
            with ThreadPoolExecutor(1) as pool:
                loading = pool.submit(client.load, "times")
                time.sleep(0.5)
                found["2 loading"] = server.ready()
                assert isinstance(loading.exception(), InferenceFailed)
            found["2 failed"] = server.ready()
            with server.http() as http:
                assert http.get("/v2/models/times/ready").status == 200, "ask for the model"
            shutil.rmtree(second)
            for what, target in (("2 failed, 3 loaded", third), ("2 and 3 loaded", second)):
                publish(Path(staging), target, lambda: None)
                client.load("times")
                time.sleep(1)
                found[what] = server.ready()
                assert ask(client, "times", version="1") == 10.0
    return found


def ready_for_whom() -> None:
    """What a load balancer sees of a failed load, by default and otherwise."""
    strict, lenient = readiness(), readiness("--strict-readiness=false")
    if not strict:
        return
    print(f"server ready, while 1 answers: {strict}")
    print(f"with --strict-readiness=false: {lenient}")
    assert strict.pop("2 and 3 loaded")
    assert not any(strict.values()), "and a load balancer takes the server out"
    assert all(lenient.values())


def polled() -> None:
    """Poll mode: the server looks once a second, whatever it finds."""
    models = {"times": python("max_batch_size: 4", {1: TIMES.format(factor=10)})}
    arguments = ("--model-control-mode=poll", "--repository-poll-secs=1")
    with served(models, arguments=arguments) as running:
        if running is None:
            return
        server, folder = running
        with Client(server) as client:
            (folder / "times" / "2").mkdir()  # somebody copies, and is slow
            deadline = time.monotonic() + 10
            while LOADING not in server.log() and time.monotonic() < deadline:
                time.sleep(0.1)
            value, ready = ask(client, "times"), server.ready()
            loading = LOADING in server.log()
    print(f"in poll mode, an empty folder 2: loading it {loading}, the server is ready {ready}")
    print(f"and 1 still gives {value:.0f}")
    assert loading, "it looks whenever it looks"
    assert not ready, "and a load balancer takes the server out for a file that is on its way"
    assert value == 10.0


if __name__ == "__main__":
    for how in (copy_in_place, publish):
        print(f"{how.__name__}: half of a version can be seen at {half_made(how)} moments")
    assert half_made(copy_in_place) == 2
    assert half_made(publish) == 0
    measured()
    ready_for_whom()
    polled()
