"""Readings by a regular expression, and the rules as a table in their order."""

### BEGIN SOLUTION llm_serving_engine.read_metrics
import math
import re
from pathlib import Path


def parse(path):
    pattern = re.compile(r"^hotloop:(\w+)\s+(\S+)\s*$", re.M)
    return {name: float(value) for name, value in pattern.findall(Path(path).read_text())}


def read_metrics(before, after):
    a, b = parse(before), parse(after)
    if b["uptime_seconds"] < a["uptime_seconds"]:
        a = {}
    d = {name: value - a.get(name, 0.0) for name, value in b.items()}
    steps = d["steps_total"]
    limit = {n.removeprefix("limit_"): v for n, v in b.items() if n.startswith("limit_")}
    names = ("waiting", "blocks_in_use", "rows", "tokens")
    waiting, blocks, rows, tokens = (d[n + "_total"] / steps for n in names)
    rules = [
        (waiting < 1, "offered_load", None, None),
        (
            blocks >= 0.85 * limit["blocks"],
            "memory",
            "blocks",
            math.ceil((rows + waiting) * (blocks / rows)),
        ),
        (rows >= 0.9 * limit["most_rows"], "rows", "most_rows", math.ceil(rows + waiting)),
        (tokens >= 0.9 * limit["most_tokens"], "tokens", "most_tokens", 2 * limit["most_tokens"]),
        (True, "model", None, None),
    ]
    word, setting, value = next(rule[1:] for rule in rules if rule[0])
    return {
        "limit": word,
        "setting": setting,
        "value": value,
        "tokens_per_s": d["generation_tokens_total"] / d["uptime_seconds"],
        "request_s": d["request_seconds_total"] / d["requests_total"],
        "busy": d["step_seconds_total"] / d["uptime_seconds"],
    }


### END SOLUTION
