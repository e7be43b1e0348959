"""Read a .pt2 archive without running anything in it, and write a copy that holds only data.

The learner made the archive, and torch.export.load unpickles parts of it. So this program first
inspects it as a zip of JSON and raw numbers, with the standard library only. Programs that run the
model later get the clean copy.
"""

from __future__ import annotations

import json
import re
import tempfile
import zipfile
from pathlib import Path
from typing import Any

MOST_BYTES, MOST_FILES = 64 << 20, 400
NEEDED = re.compile(
    r"(archive_format|archive_version|byteorder|\.data/version|\.data/serialization_id"
    r"|models/model\.json|data/weights/(weight_\d+|model_weights_config\.json)"
    r"|data/constants/(tensor_\d+|model_constants_config\.json))"
)
SAMPLE = "data/sample_inputs/model.pt"
TARGETS = re.compile(
    r"(torch\.ops\.aten\.[\w.]+|_operator\.\w+|math\.\w+"
    r"|torch\.ops\.higher_order\.(cond|while_loop|scan|associative_scan|map_impl"
    r"|wrap_with_set_grad_enabled|wrap_with_autocast)"
    r"|torch\.sym_\w+|torch\._sym_\w+|torch\.ops\.prims\.[\w.]+)"
)
"""Operators that compute, or that run graphs of the archive: none of them runs other code."""
SYMBOL = re.compile(r"Symbol\('([a-z]+\d+)'(, \w+=\w+)*\)")
EXPRESSION = re.compile(r"[\w\s+\-*/(),<>=&|~.]*")
ATTRIBUTE = re.compile(r"__|\.\s*[A-Za-z_]|[A-Za-z_)]\s*\.")


class Unsound(Exception):
    """The archive is unsafe or malformed; the learner sees the message, the start of a sentence."""


def facts(path: str, sample: str) -> dict[str, Any]:
    """Return the archive's facts and the path of a clean copy.

    sample: replaces the archive's pickled example. "unsound" is None, or the reason why there is no
    copy. "symbols": how many sizes in the graphs are not fixed numbers.
    """
    try:
        parts = _parts(path)
        model = json.loads(parts["models/model.json"])
        graphs = list(_graphs(model["graph_module"]["graph"]))
        _check(model, graphs, parts)
        # Guards are Python code that would be executed; the judge passes only inputs that satisfy
        # them.
        model["guards_code"] = []
        parts["models/model.json"] = json.dumps(model).encode()
    except Unsound as why:
        return {"unsound": str(why)}
    except (KeyError, TypeError, ValueError, AttributeError, zipfile.BadZipFile) as error:
        return {"unsound": f"it is no archive of torch.export.save ({type(error).__name__})"}
    return {
        "unsound": None,
        "clean": _written(parts, Path(sample).read_bytes()),
        "targets": sorted({node["target"] for graph in graphs for node in graph["nodes"]}),
        "inputs": _inputs(model),
        "ranges": {
            name: [_bound(ends.get("min_val")), _bound(ends.get("max_val"))]
            for name, ends in model["range_constraints"].items()
        },
        "symbols": sum(
            "as_int" not in size
            for graph in graphs
            for meta in graph["tensor_values"].values()
            for size in meta["sizes"]
        ),
    }


def _parts(path: str) -> dict[str, bytes]:
    """Return the files by name inside the archive's only folder."""
    parts = {}
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        if len(entries) > MOST_FILES or sum(entry.file_size for entry in entries) > MOST_BYTES:
            raise Unsound("it is far larger than the model")
        for entry in entries:
            name = entry.filename.split("/", 1)[-1]
            if name == SAMPLE or name.startswith("extra/"):
                continue
            if not NEEDED.fullmatch(name):
                raise Unsound(f"it holds {name[:60]!r}, which no exported program of tensors needs")
            parts[name] = archive.read(entry)
    return parts


def _check(model: dict[str, Any], graphs: list[Any], parts: dict[str, bytes]) -> None:
    for kind in ("weights", "constants"):
        table = json.loads(parts[f"data/{kind}/model_{kind}_config.json"])["config"]
        for name, entry in table.items():
            if entry["use_pickle"] is not False:
                raise Unsound(f"{name[:60]!r} is stored as a Python object, not as numbers")
    for graph in graphs:
        for node in graph["nodes"]:
            if not TARGETS.fullmatch(node["target"]):
                raise Unsound(f"its graph calls {node['target'][:60]!r}, no operator of PyTorch's")
    for text in _expressions(model):
        plain = SYMBOL.sub(r"\1", text)
        if not EXPRESSION.fullmatch(plain) or ATTRIBUTE.search(plain):
            raise Unsound("a size in it is no formula")


def _graphs(graph: dict[str, Any]) -> Any:
    """Yield the graph and the graphs inside its operators."""
    yield graph
    for node in graph["nodes"]:
        for entry in node["inputs"]:
            inner = entry["arg"].get("as_graph")
            if inner is not None:
                yield from _graphs(inner["graph"])


def _expressions(value: Any) -> Any:
    """Yield all strings that are parsed as formulas."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "expr_str":
                yield inner
            else:
                yield from _expressions(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _expressions(inner)


def _inputs(model: dict[str, Any]) -> list[Any]:
    """Return [dtype number, sizes] of each user input; a size is an int or a symbol's name."""
    graph = model["graph_module"]["graph"]
    inputs = []
    for spec in model["graph_module"]["signature"]["input_specs"]:
        if "user_input" not in spec:
            continue
        argument = spec["user_input"]["arg"]
        if "as_tensor" not in argument:
            inputs.append(["other", []])
            continue
        meta = graph["tensor_values"][argument["as_tensor"]["name"]]
        inputs.append([meta["dtype"], [_size(size) for size in meta["sizes"]]])
    return inputs


def _size(size: dict[str, Any]) -> int | str:
    if "as_int" in size:
        return size["as_int"]
    return SYMBOL.sub(r"\1", size["as_expr"]["expr_str"])


def _bound(value: Any) -> int | None:
    return value if isinstance(value, int) else None


def _written(parts: dict[str, bytes], sample: bytes) -> str:
    """Write the clean archive and return its path."""
    path = Path(tempfile.mkdtemp()) / "clean.pt2"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in {**parts, SAMPLE: sample}.items():
            archive.writestr(f"clean/{name}", data)
    return str(path)
