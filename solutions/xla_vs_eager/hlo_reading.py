"""Reads what XLA has made of a program: its text after all passes."""

### BEGIN SOLUTION xla_vs_eager.read_hlo
### STUB def read_hlo(path):
### STUB     """Figures of a dump; see the notebook for their names."""
### STUB     raise NotImplementedError("xla_vs_eager.read_hlo")
import re
from collections import Counter
from math import prod
from pathlib import Path

INSTRUCTION = re.compile(
    r"(?P<root>ROOT )?%(?P<name>[\w.-]+) = (?P<type>\(.*?\)|\S+) (?P<op>[\w-]+)"
    r"\((?P<operands>[^)]*)\)(?P<more>.*)"
)
TYPE = re.compile(r"(\w+)\[([\d,]*)\](?:\{([\d,]*)\})?")
BYTES = {"pred": 1, "s8": 1, "bf16": 2, "f16": 2, "f32": 4, "s32": 4, "f64": 8, "s64": 8}
FREE = {"parameter", "constant", "bitcast", "tuple", "get-tuple-element"}


def computations(path):
    """By name, the instructions of each computation in order; "ENTRY" is the program's own."""
    found, now = {}, None
    for line in Path(path).read_text().splitlines():
        if line.endswith("{") and "->" in line:
            now = "ENTRY" if line.startswith("ENTRY") else line.split()[0].lstrip("%")
            found[now] = {}
        elif now and (match := INSTRUCTION.match(line.strip())):
            each = match.groupdict()
            each["operands"] = re.findall(r"%([\w.-]+)", each["operands"])
            found[now][each["name"]] = each
    return found


def parsed(text):
    """dtype, shape and layout of a type."""
    dtype, shape, minor = TYPE.match(text).groups()
    numbers = [[int(n) for n in part.split(",")] if part else [] for part in (shape, minor)]
    return dtype, *numbers


def size_of(text):
    """Bytes of a type, or of all in a tuple."""
    return sum(
        BYTES[dtype] * prod(int(n) for n in shape.split(",") if n)
        for dtype, shape, _ in TYPE.findall(text)
    )


def moves(instruction, entry):
    """True for a copy or transpose whose result lies in another order than its operand."""
    _, _, before = parsed(entry[instruction["operands"][0]]["type"])
    _, _, after = parsed(instruction["type"])
    if instruction["op"] == "transpose":
        order = [
            int(n) for n in re.search(r"dimensions=\{([\d,]*)\}", instruction["more"])[1].split(",")
        ]
        # Dimension d of the result is dimension order[d] of the operand.
        after = [order[d] for d in after]
    return after != before


def read_hlo(path):
    """Figures of a dump; see the notebook for their names."""
    found = computations(path)
    entry = found["ENTRY"]
    fusions = [each for each in entry.values() if each["op"] == "fusion"]
    called = [re.search(r"calls=%([\w.-]+)", each["more"])[1] for each in fusions]
    traffic = {
        each["name"]: size_of(each["type"])
        + sum(size_of(entry[operand]["type"]) for operand in each["operands"])
        for each in entry.values()
        if each["op"] not in FREE
    }
    return {
        "fusions": dict(Counter(re.search(r"kind=(\w+)", f["more"])[1] for f in fusions)),
        "fused": sum(each["op"] != "parameter" for name in called for each in found[name].values()),
        "traffic": sum(traffic.values()),
        "largest": max(traffic, key=traffic.get),
        "relayouts": sorted(
            each["name"]
            for each in entry.values()
            if each["op"] in {"copy", "transpose"} and moves(each, entry)
        ),
    }


### END SOLUTION


### BEGIN SOLUTION xla_vs_eager.read_hlo unfused
### STUB def why_not_fused(path, first, second):
### STUB     """Why the fusion `second` was not made one with `first`, whose result it needs."""
### STUB     raise NotImplementedError("xla_vs_eager.read_hlo")
def why_not_fused(path, first, second):
    """Why the fusion `second` was not made one with `first`, whose result it needs."""
    entry = computations(path)["ENTRY"]
    between = [name for name in way(entry, first, second) if name not in (first, second)]
    for name in between:
        op = entry[name]["op"]
        if op == "custom-call":
            return "opaque"
        if op == "reduce":
            return "reduction"
        if op in {"copy", "transpose"} and moves(entry[name], entry):
            return "layout"
    return "returned"


def way(entry, first, name):
    """The longest way from `first` to `name`: what lies between them has to be done before."""
    if name == first:
        return [first]
    ways = [way(entry, first, operand) for operand in entry[name]["operands"]]
    found = max((each for each in ways if each), key=len, default=None)
    return [*found, name] if found else []


### END SOLUTION
