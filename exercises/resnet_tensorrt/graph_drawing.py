"""An ONNX graph as a drawing: boxes in layers, from the inputs at the top to the outputs.

`draw(model)` shows itself in a notebook; `draw(model).svg` is the text of an SVG file, with an
alternative text for those who cannot see it. `python graph_drawing.py MODEL > graph.svg`.
"""

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import onnx

from hotloop.core import layered_graph, svg

BOX_WIDTH, LONGEST_LABEL = 144, 18

EDGE = {"stroke": "#5b6b80", "stroke_width": 1.3}
BOXES = {
    "box": {"fill": "#eef2f7", "stroke": "#5b6b80"},
    "end": {"fill": "#ffffff", "stroke": "#5b6b80", "stroke_dasharray": "4 3"},
    "marked": {"fill": "#ffe3b3", "stroke": "#b35900", "stroke_width": 2.5},
}
LABEL = {"fill": "#1b2430", "text_anchor": "middle", "font_size": 13}


@dataclass(frozen=True)
class Drawing:
    """svg: as text. A notebook shows it as a picture."""

    svg: str

    def _repr_svg_(self):
        return self.svg


@dataclass(frozen=True)
class Box:
    """A node, or an end of the graph. sources: the boxes that it reads from, by number."""

    label: str
    kind: str
    name: str
    sources: tuple[int, ...] = ()


def draw(model, marked=(), title="An ONNX graph"):
    """model: a ModelProto, or the path of one. marked: names of nodes that are to stand out."""
    if not isinstance(model, onnx.ModelProto):
        model = onnx.load(model, load_external_data=False)
    boxes = boxes_of(model.graph)
    edges = [(source, number) for number, box in enumerate(boxes) for source in box.sources]
    layout = layered_graph.place([BOX_WIDTH] * len(boxes), edges)
    parts = [
        *(svg.path(way, **EDGE) for way in layout.ways),
        *(
            shape(box, box.name in marked, *corner)
            for box, corner in zip(boxes, layout.corners, strict=True)
        ),
    ]
    size = {"width": layout.width, "height": layout.height}
    told = description(boxes, layout, set(marked))
    return Drawing(svg.picture(layout.width, layout.height, parts, title, told, **size))


def boxes_of(graph):
    """Inputs that are no weights, the nodes, and the outputs; weights have no box."""
    stored = {tensor.name for tensor in graph.initializer}
    boxes, makers = [], {}
    for value in graph.input:
        if value.name not in stored:
            makers[value.name] = len(boxes)
            boxes.append(Box(value.name, "end", value.name))
    for node in graph.node:
        sources = tuple(makers[name] for name in node.input if name in makers)
        makers.update((name, len(boxes)) for name in node.output if name)
        boxes.append(Box(node.op_type, "box", node.name, sources))
    for value in graph.output:
        sources = (makers[value.name],) if value.name in makers else ()
        boxes.append(Box(value.name, "end", value.name, sources))
    return boxes


def shape(box, stands_out, x, y):
    kind = "marked" if stands_out and box.kind == "box" else box.kind
    label = box.label if len(box.label) <= LONGEST_LABEL else f"{box.label[: LONGEST_LABEL - 1]}…"
    height = layered_graph.HEIGHT
    return svg.element(
        "g",
        svg.rect(x, y, BOX_WIDTH, height, rx=6, **BOXES[kind]),
        svg.text(x + BOX_WIDTH / 2, y + height / 2 + 4.5, label, **LABEL),
        title=box.name or box.label,
    )


def description(boxes, layout, marked):
    """The alternative text: what there is, how often, and what is marked."""
    nodes = [box for box in boxes if box.kind == "box"]
    counts = Counter(box.label for box in nodes)
    listed = ", ".join(f"{count} {op}" for op, count in counts.most_common())
    layers = len({y for _, y in layout.corners})
    text = f"{len(nodes)} nodes in {layers} layers: {listed}."
    found = [f"{box.label} {box.name}" for box in nodes if box.name in marked]
    return f"{text} Marked: {', '.join(found)}." if found else text


if __name__ == "__main__":
    print(draw(Path(sys.argv[1])).svg)
