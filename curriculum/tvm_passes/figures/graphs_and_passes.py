"""Draws Relax graphs before and after fusion and partition, as the proofs' passes leave them.

cd curriculum/tvm_passes/figures && python graphs_and_passes.py > graphs_and_passes.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import tvm
from tvm import relax

from hotloop.core import svg

PROOFS = Path(__file__).parents[1] / "proofs"
FUSE: dict[str, Any] = runpy.run_path(str(PROOFS / "fuse_multiply_add.py"))
CUT: dict[str, Any] = runpy.run_path(str(PROOFS / "partition.py"))

WIDTH, COLUMN, NODE_WIDTH, NODE, STEP = 720, 180, 128, 24, 46
COLORS = {"operator": "#666666", "fused": svg.GREEN, "region": svg.ORANGE}

Node = tuple[str, str, list[str]]


def label(value: relax.Expr) -> tuple[str, str]:
    """What a binding computes, and the color of its box."""
    if isinstance(value, relax.TupleGetItem):
        return f"output {value.index}", "operator"
    if isinstance(value.op, tvm.ir.GlobalVar):
        name = value.op.name_hint.removeprefix("fused_").removesuffix("_npu")
        return name.replace("relax_", "").replace("nn_", "").replace("_", " + "), "region"
    if value.op.name == "relax.call_tir":
        return "multiply_add", "fused"
    return value.op.name.rpartition(".")[2], "operator"


def variables(value: relax.Expr) -> list[str]:
    """The names that a binding uses."""
    if isinstance(value, relax.TupleGetItem):
        return [value.tuple_value.name]
    arguments = list(value.args)
    if arguments and isinstance(arguments[-1], relax.Tuple):
        arguments = list(arguments[-1].fields)
    return [argument.name for argument in arguments if isinstance(argument, relax.Var)]


def graph(function: relax.Function) -> dict[str, Node]:
    """Each binding with its label, its kind and what it uses; inputs are left out."""
    found: dict[str, Node] = {}
    for block in function.body.blocks:
        for binding in block.bindings:
            if isinstance(binding.value, relax.Var):
                continue
            words, kind = label(binding.value)
            used = [name for name in variables(binding.value) if name in found]
            found[binding.var.name] = (words, kind, used)
    return found


def drawn(title: str, found: dict[str, Node], left: int) -> list[str]:
    """One column, in the order of the bindings; an edge that skips one bends to the right."""
    lines = [svg.text(left, 14, title)]
    order = list(found)
    top = {name: 26 + index * STEP for index, name in enumerate(order)}
    middle, right = left + NODE_WIDTH / 2, left + NODE_WIDTH
    for name, (_, _, used) in found.items():
        for source in dict.fromkeys(used):
            start, end = top[source] + NODE, top[name]
            if order.index(name) == order.index(source) + 1:
                lines.append(svg.line(middle, start, middle, end - 6) + svg.tip(middle, end))
            else:
                y0, y1 = start - NODE / 2, end + NODE / 2
                way = f"M{right} {y0}C{right + 34} {y0} {right + 34} {y1} {right + 6} {y1}"
                lines.append(svg.path(way) + svg.tip(right, y1, "left"))
    for name, (words, kind, _) in found.items():
        lines.append(svg.rect(left, top[name], NODE_WIDTH, NODE, rx=4, fill=COLORS[kind]))
        lines.append(svg.text(left + 8, top[name] + 16, words, fill="#ffffff"))
    return lines


def main() -> None:
    """Print the picture."""
    columns = [
        ("multiply, then add", graph(FUSE["Swapped"]["main"])),
        ("after the fusion", graph(FUSE["by_mutator"](FUSE["Swapped"])["main"])),
        ("a network", graph(CUT["Network"]["main"])),
        ("after the partition", graph(CUT["partitioned"](CUT["Network"])["main"])),
    ]
    height = 26 + max(len(found) for _, found in columns) * STEP + 20
    parts: list[str] = []
    for index, (title, found) in enumerate(columns):
        parts += drawn(title, found, 2 + index * COLUMN)
    legend = {
        "operator": "an operator",
        "fused": "one TIR function",
        "region": "for the accelerator",
    }
    for index, (kind, words) in enumerate(legend.items()):
        parts.append(svg.key(4 + index * 160, height - 16, words, COLORS[kind]))
    told = "Two graphs before and after a pass"
    print(svg.picture(WIDTH, height, parts, told, font_size=11))


if __name__ == "__main__":
    main()
