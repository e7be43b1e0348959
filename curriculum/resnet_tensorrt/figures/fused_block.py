"""Draws one residual block before and after fusion, from proofs/which_nodes_fuse.py.

cd curriculum/resnet_tensorrt/figures && python fused_block.py > fused_block.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import onnx
import onnxruntime  # noqa: F401 - the proof needs it: here its absence shows before any work

PROOF = Path(__file__).parents[1] / "proofs" / "which_nodes_fuse.py"
STAGES: dict[str, onnx.ModelProto] = runpy.run_path(str(PROOF))["stages"]()

WIDTH, COLUMN, BOX, HIGH, STEP, TOP = 720, 240, 150, 22, 36, 34
COLOURS = {
    "Conv": "#0072b2",
    "FusedConv": "#0072b2",
    "BatchNormalization": "#e69f00",
    "Relu": "#009e73",
    "Add": "#cc79a7",
}
SHOWN = {"BatchNormalization": "BatchNorm", "FusedConv": "Conv with Relu"}
TITLES = {
    "written": "as it was written",
    "folded": "batch norms folded",
    "fused": "activations fused",
}


def text(x: float, y: float, words: str, fill: str = "currentColor", size: int = 11) -> str:
    """Centred words."""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}" '
        f'text-anchor="middle">{words}</text>'
    )


def computing(model: onnx.ModelProto) -> list[Any]:
    """Its nodes in order, without those that only rename a weight."""
    return [node for node in model.graph.node if node.op_type in COLOURS]


def column(name: str, model: onnx.ModelProto, left: int) -> list[str]:
    """Boxes from top to bottom, an arrow between neighbours, and the way around them."""
    nodes, middle = computing(model), left + COLUMN / 2
    drawn = [text(middle, 14, f"{TITLES[name]}: {len(nodes)} nodes", size=12)]
    places = {node.output[0]: TOP + 16 + index * STEP for index, node in enumerate(nodes)}
    for node in nodes:
        y = places[node.output[0]]
        drawn.append(line(middle, y - STEP + HIGH, middle, y - 1))
        fill, words = COLOURS[node.op_type], SHOWN.get(node.op_type, node.op_type)
        drawn.append(
            f'<rect x="{middle - BOX / 2:g}" y="{y}" width="{BOX}" height="{HIGH}" rx="4" '
            f'fill="{fill}"><title>{node.op_type}</title></rect>'
        )
        drawn.append(text(middle, y + 15, words, "#ffffff"))
        if node.op_type == "Add":
            drawn.append(around(middle, TOP + 2, y + HIGH / 2))
    end = TOP + 16 + (len(nodes) - 1) * STEP + HIGH
    drawn.append(line(middle, end, middle, end + 13))
    return drawn


def line(x1: float, y1: float, x2: float, y2: float) -> str:
    """From one box to the next."""
    return (
        f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="currentColor" '
        'marker-end="url(#head)"/>'
    )


def around(middle: float, top: float, bottom: float) -> str:
    """The block's input, which the addition needs again."""
    x = middle + BOX / 2 + 18
    return (
        f'<path d="M{middle:g} {top:g} H{x:g} V{bottom:g} H{middle + BOX / 2 + 4:g}" fill="none" '
        'stroke="currentColor" stroke-dasharray="4 3" marker-end="url(#head)"/>'
    )


def main() -> None:
    """Print the picture."""
    height = TOP + 16 + max(len(computing(model)) for model in STAGES.values()) * STEP + 8
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'font-family="sans-serif"><title>A residual block before and after fusion</title>'
    )
    print(
        '<defs><marker id="head" markerWidth="7" markerHeight="6" refX="5" refY="3" orient="auto">'
        '<path d="M0 0 L6 3 L0 6 z" fill="currentColor"/></marker></defs>'
    )
    for index, (name, model) in enumerate(STAGES.items()):
        print("\n".join(column(name, model, index * COLUMN)))
    print("</svg>")


if __name__ == "__main__":
    main()
