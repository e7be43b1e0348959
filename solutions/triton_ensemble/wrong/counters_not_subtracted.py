"""Reads the counters once, at the end: what the server did since it was started.

fails: read_metrics.correct
"""

### BEGIN SOLUTION triton_ensemble.read_metrics figures
import re
from collections import Counter


def figures(before, after, model, seconds):
    gained = totals_of(after, model)

    def grown(name):
        return gained[f"nv_inference_{name}"]

    def each(name):
        return ratio(grown(f"{name}_duration_us"), grown("request_success"))

    return {
        "requests": grown("request_success"),
        "failed": grown("request_failure"),
        "mean_batch": ratio(grown("count"), grown("exec_count")),
        "request_us": each("request"),
        "queue_us": each("queue"),
        "input_us": each("compute_input"),
        "infer_us": each("compute_infer"),
        "output_us": each("compute_output"),
        "queue_share": ratio(grown("queue_duration_us"), grown("request_duration_us")),
        "rows_per_s": grown("count") / seconds,
    }


def totals_of(text, model):
    """The sum of each counter over everything that has this model's label."""
    totals = Counter()
    for line in text.splitlines():
        found = re.match(r"(\w+)\{(.*)\}\s+(\S+)$", line)
        if found and dict(re.findall(r'(\w+)="([^"]*)"', found[2])).get("model") == model:
            totals[found[1]] += float(found[3])
    return totals


def ratio(part, whole):
    return part / whole if whole else None


### END SOLUTION
