"""Puts HTTP around `server.py`, and the small decoder behind it.

    python http_server.py --port 8000 --rows 16 --tokens 64 --blocks 512

GET /metrics tells counters in Prometheus's format, with names like vLLM's. One thread, one event
loop: while the model computes a step, nothing is read or sent.
"""

import argparse
import asyncio
import itertools
import time

from runner import Runner
from server import Server

REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found"}


class Metrics:
    """Counters since the start, and gauges that are summed up over steps."""

    def __init__(self, limits: dict) -> None:
        self.limits, self.started = limits, time.monotonic()
        self.counters = dict.fromkeys(
            (
                *("steps_total", "step_seconds_total", "rows_total", "tokens_total"),
                *("blocks_in_use_total", "waiting_total", "requests_total"),
                *("prompt_tokens_total", "generation_tokens_total", "request_seconds_total"),
            ),
            0.0,
        )

    def add(self, **found: float) -> None:
        for name, value in found.items():
            self.counters[f"{name}_total"] += value

    def text(self) -> str:
        gauges = {f"limit_{name}": value for name, value in self.limits.items()}
        gauges["uptime_seconds"] = time.monotonic() - self.started
        both = {**gauges, **self.counters}
        kinds = {name: "counter" if name in self.counters else "gauge" for name in both}
        return "".join(
            f"# TYPE hotloop:{name} {kinds[name]}\nhotloop:{name} {value:.6f}\n"
            for name, value in both.items()
        )


class Http:
    """Connections, and the loop that steps the engine while there is anything to do."""

    def __init__(self, limits: dict) -> None:
        self.server = Server(**limits)
        self.runner = Runner(limits["blocks"], limits["size"])
        self.metrics = Metrics(limits)
        self.numbers = itertools.count()
        self.writers: dict[int, asyncio.StreamWriter] = {}
        self.started: dict[int, float] = {}
        self.arrived = asyncio.Event()

    async def connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request of one client."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ", 2)
        fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
        body = await reader.readexactly(int(fields.get("content-length", 0)))
        number = next(self.numbers)
        if (method, path) == ("GET", "/metrics"):
            self._start(writer, 200, "text/plain; version=0.0.4")
            writer.write(self.metrics.text().encode())
            writer.close()
            return
        self.writers[number], self.started[number] = writer, time.monotonic()
        self.server.receive(number, method, path, body.decode())
        self.arrived.set()
        await reader.read()  # until the client closes its end
        if number in self.writers:
            self.server.disconnect(number)
            self._end(number)

    async def steps(self) -> None:
        """Step forever."""
        while True:
            batch = self.server.schedule()
            self._write()
            if not batch:
                self.arrived.clear()
                await self.arrived.wait()
                continue
            before = time.monotonic()
            self.server.finish(self.runner.run(batch))
            self._count(batch, time.monotonic() - before)
            self._write()
            await asyncio.sleep(0)

    def _count(self, batch: list[dict], seconds: float) -> None:
        prompt = sum(len(row["tokens"]) for row in batch if len(row["tokens"]) > 1)
        tokens = sum(len(row["tokens"]) for row in batch)
        self.metrics.add(
            steps=1,
            step_seconds=seconds,
            rows=len(batch),
            tokens=tokens,
            prompt_tokens=prompt,
            generation_tokens=tokens - prompt,
            blocks_in_use=sum(len(row["table"]) for row in batch),
            waiting=len(self.writers) - len(batch),
        )

    def _write(self) -> None:
        for piece in self.server.output():
            number = piece["connection"]
            writer = self.writers.get(number)
            if writer is None:
                continue
            if "start" in piece:
                self._start(writer, *piece["start"])
            elif "body" in piece:
                writer.write(piece["body"].encode())
            else:
                self.metrics.add(
                    requests=1, request_seconds=time.monotonic() - self.started[number]
                )
                self._end(number)

    def _start(self, writer: asyncio.StreamWriter, status: int, content: str) -> None:
        head = f"HTTP/1.1 {status} {REASONS[status]}\r\ncontent-type: {content}\r\n"
        writer.write(f"{head}connection: close\r\n\r\n".encode())

    def _end(self, number: int) -> None:
        self.started.pop(number)
        self.writers.pop(number).close()


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--rows", type=int, default=16)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--blocks", type=int, default=512)
    given = parser.parse_args()
    limits = {
        "blocks": given.blocks,
        "size": 16,
        "most_rows": given.rows,
        "most_tokens": given.tokens,
    }
    http = Http(limits)
    listener = await asyncio.start_server(http.connection, "127.0.0.1", given.port)
    print(f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}", flush=True)
    await http.steps()


if __name__ == "__main__":
    asyncio.run(main())
