"""Draws one residual block before and after fusion, from proofs/which_nodes_fuse.py.

cd curriculum/resnet_tensorrt/figures && python fused_block.py > fused_block.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import onnx
import onnxruntime  # noqa: F401 - the proof needs it: here its absence shows before any work

from hotloop.core import svg

PROOF = Path(__file__).parents[1] / "proofs" / "which_nodes_fuse.py"
STAGES: dict[str, onnx.ModelProto] = runpy.run_path(str(PROOF))["stages"]()

WIDTH, COLUMN, BOX, HIGH, STEP, TOP = 720, 240, 150, 22, 36, 34
COLORS = {
    "Conv": svg.BLUE,
    "FusedConv": svg.BLUE,
    "BatchNormalization": svg.YELLOW,
    "Relu": svg.GREEN,
    "Add": svg.PINK,
}
SHOWN = {"BatchNormalization": "BatchNorm", "FusedConv": "Conv with Relu"}
TITLES = {
    "written": "as it was written",
    "folded": "batch norms folded",
    "fused": "activations fused",
}


def computing(model: onnx.ModelProto) -> list[Any]:
    """Its nodes in order, without those that only rename a weight."""
    return [node for node in model.graph.node if node.op_type in COLORS]


def column(name: str, model: onnx.ModelProto, left: int) -> list[str]:
    """Boxes from top to bottom, an arrow between neighbors, and the way around them."""
    nodes, middle = computing(model), left + COLUMN / 2
    drawn = [svg.text(middle, 14, f"{TITLES[name]}: {len(nodes)} nodes", font_size=12)]
    places = {node.output[0]: TOP + 16 + index * STEP for index, node in enumerate(nodes)}
    for node in nodes:
        y = places[node.output[0]]
        drawn.append(svg.line(middle, y - STEP + HIGH, middle, y - 6) + svg.tip(middle, y))
        fill, words = COLORS[node.op_type], SHOWN.get(node.op_type, node.op_type)
        box = {"rx": 4, "fill": fill, "title": node.op_type}
        drawn.append(svg.rect(middle - BOX / 2, y, BOX, HIGH, **box))
        drawn.append(svg.text(middle, y + 15, words, fill="#ffffff"))
        if node.op_type == "Add":
            drawn.append(around(middle, TOP + 2, y + HIGH / 2))
    end = TOP + 16 + (len(nodes) - 1) * STEP + HIGH
    drawn.append(svg.line(middle, end, middle, end + 8) + svg.tip(middle, end + 14))
    return drawn


def around(middle: float, top: float, bottom: float) -> str:
    """The block's input, which the addition needs again."""
    right = middle + BOX / 2
    way = f"M{middle:g} {top:g}H{right + 18:g}V{bottom:g}H{right + 7:g}"
    return svg.path(way, stroke_dasharray="4 3") + svg.tip(right, bottom, "left")


def main() -> None:
    """Print the picture."""
    height = TOP + 16 + max(len(computing(model)) for model in STAGES.values()) * STEP + 8
    drawn: list[str] = []
    for index, (name, model) in enumerate(STAGES.items()):
        drawn += column(name, model, index * COLUMN)
    told, style = "A residual block before and after fusion", {"text_anchor": "middle"}
    print(svg.picture(WIDTH, height, drawn, told, font_size=11, **style))


if __name__ == "__main__":
    main()
