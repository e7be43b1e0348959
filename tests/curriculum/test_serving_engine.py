"""Given files of llm_serving_engine with its reference: over HTTP, and as they were recorded."""

import asyncio
import json
import os
import runpy
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotloop.core import paths
from hotloop.tasks import render
from hotloop.tasks.modules.llm_serving_engine import decoder

GIVEN = paths.exercises() / "llm_serving_engine"
BESIDE_THE_NOTEBOOK = paths.beside_notebook("llm_serving_engine")
LIMITS = {"a": "rows", "b": "offered_load", "c": "tokens", "d": "memory"}


@pytest.fixture(scope="module")
def url() -> Generator[str]:
    """A server with memory for about two long requests."""
    # -P: it must import the solved server, not the one that lies beside it.
    command = [sys.executable, "-P", str(GIVEN / "http_server.py"), "--port", "0"]
    command += ["--blocks", "32"]
    beside = os.pathsep.join(BESIDE_THE_NOTEBOOK)
    one = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": beside}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=one) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


def posted(url: str, **body: Any) -> dict[str, Any]:
    data = json.dumps(body).encode()
    with urllib.request.urlopen(f"{url}/v1/completions", data=data) as answer:
        return json.load(answer)


def metric(url: str, name: str) -> float:
    with urllib.request.urlopen(f"{url}/metrics") as answer:
        lines = [line.split() for line in answer.read().decode().splitlines()]
    return float(next(line[1] for line in lines if line[0] == f"hotloop:{name}"))


@pytest.mark.slow
def test_streams_in_an_open_loop_are_what_each_request_gets_alone(url: str) -> None:
    load = runpy.run_path(str(GIVEN / "load.py"))
    where = url.removeprefix("http://").split(":")
    bodies = [{"prompt": "A kernel " * n, "max_tokens": 12, "seed": n} for n in range(1, 9)]

    async def together() -> list[dict[str, Any]]:
        asked = [load["request"](where[0], int(where[1]), body) for body in bodies]
        return await asyncio.gather(*asked)

    texts = [each["text"] for each in asyncio.run(together())]
    assert texts == [posted(url, **body)["choices"][0]["text"] for body in bodies]
    assert metric(url, "rows_total") > metric(url, "steps_total")


@pytest.mark.slow
def test_a_client_that_hangs_up_frees_its_blocks(url: str) -> None:
    body = json.dumps({"prompt": "a" * 300, "max_tokens": 200, "stream": True}).encode()
    head = f"POST /v1/completions HTTP/1.1\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    host, port = url.removeprefix("http://").split(":")
    for _ in range(5):
        with socket.create_connection((host, int(port))) as sock:
            sock.sendall(head + body)
            assert sock.recv(20).startswith(b"HTTP/1.1 200")
        time.sleep(0.02)
    answer = posted(url, prompt="b" * 300, max_tokens=200, seed=1)
    assert answer["usage"]["prompt_tokens"] == 300


def test_the_learners_decoder_is_the_judges(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On a prompt in chunks, in float32 and with pages, against float64 in one piece."""
    tokens = [int(t) for t in np.random.default_rng(0).integers(0, 96, 40)]
    given = {"tokens": tokens, "chunks": [23, 17], "table": [4, 0, 3, 1, 2], "size": 8, "blocks": 6}
    path = tmp_path / "prompt.json"
    path.write_text(json.dumps(given), encoding="utf-8")
    monkeypatch.setattr(sys, "path", [*BESIDE_THE_NOTEBOOK, *sys.path])
    monkeypatch.delitem(sys.modules, "model", raising=False)
    solved = paths.solutions() / "llm_serving_engine" / "attention.py"
    found = runpy.run_path(str(solved))["prefill"](str(path))
    monkeypatch.delitem(sys.modules, "model", raising=False)
    assert np.allclose(found, decoder.logits(tokens)[[22, 39]], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("letter", LIMITS)
def test_recorded_readings_show_their_limit(letter: str) -> None:
    notebook = json.loads(render.submission("llm_serving_engine")[render.NOTEBOOK])
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    (source,) = [cell for cell in cells if "def read_metrics" in cell]
    names: dict[str, Any] = {}
    exec(source, names)
    paths_of_both = [str(GIVEN / f"metrics_{letter}_{w}.prom") for w in ("before", "after")]
    assert names["read_metrics"](*paths_of_both)["limit"] == LIMITS[letter]
