"""An open-loop load generator: requests arrive at random (Poisson), whether or not earlier ones are
done, as from many users. A closed loop with n clients would wait with a slow server, and hide that.

    python load.py --url http://127.0.0.1:8000 --rate 20 --count 200

prints percentiles of the time to first token (TTFT), of the time per output token after it (TPOT),
and of whole requests, in milliseconds, as JSON.
"""

import argparse
import asyncio
import json
import random
import time
from urllib.parse import urlsplit

WORDS = "The judge measures what a kernel moves; a batch of rows waits in the queue for memory. "


async def request(host: str, port: int, body: dict) -> dict[str, float | int | str]:
    """One streamed completion: its text and times."""
    started = time.monotonic()
    reader, writer = await asyncio.open_connection(host, port)
    data = json.dumps({**body, "stream": True}).encode()
    head = f"POST /v1/completions HTTP/1.1\r\nhost: {host}\r\ncontent-length: {len(data)}\r\n\r\n"
    writer.write(head.encode() + data)
    moments, text = [], ""
    while line := await reader.readline():
        if line.startswith(b"data: {"):
            moments.append(time.monotonic())
            text += json.loads(line[6:])["choices"][0]["text"]
    writer.close()
    between = (moments[-1] - moments[0]) / max(1, len(moments) - 1)
    return {
        "ttft": 1000 * (moments[0] - started),
        "tpot": 1000 * between,
        "whole": 1000 * (moments[-1] - started),
        "tokens": len(moments),
        "text": text,
    }


async def load(url: str, rate: float, count: int, seed: int = 0) -> dict[str, object]:
    """`count` requests, `rate` a second on average; what came of them."""
    rng, where = random.Random(seed), urlsplit(url)
    tasks, started = [], time.monotonic()
    due = started
    for number in range(count):
        due += rng.expovariate(rate)
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        prompt = (WORDS * 3)[: rng.randint(8, 240)]
        body = {"prompt": prompt, "max_tokens": rng.randint(4, 48), "seed": number}
        tasks.append(asyncio.create_task(request(where.hostname, where.port, body)))
    done = await asyncio.gather(*tasks)
    seconds = time.monotonic() - started
    return {
        "requests_per_s": round(count / seconds, 2),
        "tokens_per_s": round(sum(d["tokens"] for d in done) / seconds, 1),
        **{name: percentiles([d[name] for d in done]) for name in ("ttft", "tpot", "whole")},
    }


def percentiles(values: list[float]) -> dict[str, float]:
    """p50, p90 and p99."""
    ordered = sorted(values)
    at = {p: ordered[min(len(ordered) - 1, len(ordered) * p // 100)] for p in (50, 90, 99)}
    return {f"p{p}": round(value, 1) for p, value in at.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--rate", type=float, default=20)
    parser.add_argument("--count", type=int, default=200)
    given = parser.parse_args()
    print(json.dumps(asyncio.run(load(given.url, given.rate, given.count)), indent=1))
