"""Tensors through numpy; data stay nested in the request, and extra fields of the protocol are set."""

### BEGIN SOLUTION triton_ensemble.saved_model rest
import numpy as np


def to_triton(path, body, signature):
    parts = path.rpartition(":predict")[0].split("/")
    if parts[:3] != ["", "v1", "models"] or len(parts) not in (4, 6):
        return None
    if len(parts) == 6 and parts[4] != "versions":
        return None
    request, kinds = json.loads(body), json.loads(signature)
    if sum(key in request for key in ("instances", "inputs")) != 1:
        return None
    single = next(iter(kinds))
    given = request.get("inputs", request.get("instances"))
    if "instances" in request:
        rows = [row if isinstance(row, dict) else {single: row} for row in given]
        given = {name: [row[name] for row in rows] for name in kinds}
    elif not isinstance(given, dict):
        given = {single: given}
    inputs = [
        {"datatype": kinds[name], "shape": list(np.shape(value)), "data": value, "name": name}
        for name, value in given.items()
    ]
    document = {"id": "1", "inputs": inputs, "parameters": {}}
    return ["/".join(["", "v2", *parts[2:], "infer"]), json.dumps(document)]


def from_triton(request, answer):
    tensors = {
        t["name"]: np.array(t["data"], dtype=object).reshape(t["shape"]).tolist()
        for t in json.loads(answer)["outputs"]
    }
    if "inputs" in json.loads(request):
        key, value = "outputs", tensors
    else:
        names = tensors.keys()
        rows = [dict(zip(names, row)) for row in zip(*tensors.values())]
        key, value = "predictions", rows
    if len(tensors) == 1:
        (value,) = tensors.values()
    return json.dumps({key: value}, indent=2)


### END SOLUTION
