"""A parser of the exposition format that reads labels character by character, comments and escapes too."""

### BEGIN SOLUTION triton_ensemble.read_metrics figures
from collections import defaultdict


def parsed(text):
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        name, brace, rest = line.partition("{")
        if not brace:
            continue
        body, _, tail = rest.rpartition("}")
        labels, key, inside, buffer = {}, "", False, ""
        letters = iter(body)
        for letter in letters:
            if inside and letter == "\\":
                buffer += next(letters)
            elif inside and letter == '"':
                labels[key.strip(" ,=")] = buffer
                inside, buffer, key = False, "", ""
            elif inside:
                buffer += letter
            elif letter == '"':
                inside = True
            else:
                key += letter
        yield name, labels, float(tail.split()[0])


def figures(before, after, model, seconds):
    change = defaultdict(float)
    for sign, text in ((-1, before), (1, after)):
        for name, labels, value in parsed(text):
            if labels.get("model") == model:
                change[name.removeprefix("nv_inference_")] += sign * value
    ok, rows, runs = (change[name] for name in ("request_success", "count", "exec_count"))

    def per(name):
        return change[f"{name}_duration_us"] / ok if ok else None

    request, queue = per("request"), per("queue")
    return {
        "requests": int(ok),
        "failed": int(change["request_failure"]),
        "mean_batch": rows / runs if runs else None,
        "request_us": request,
        "queue_us": queue,
        "input_us": per("compute_input"),
        "infer_us": per("compute_infer"),
        "output_us": per("compute_output"),
        "queue_share": queue / request if request else None,
        "rows_per_s": rows / seconds,
    }


### END SOLUTION
