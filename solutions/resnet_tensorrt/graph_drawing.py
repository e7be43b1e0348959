"""An ONNX graph as a drawing: boxes in layers, from the inputs at the top to the outputs.

`draw(model)` shows itself in a notebook; `draw(model).svg` is the text of an SVG file, with an
alternative text for those who cannot see it. `python graph_drawing.py MODEL > graph.svg`.
"""

import sys
from collections import Counter
from dataclasses import dataclass
from html import escape
from pathlib import Path

import onnx

BOX_WIDTH, BOX_HEIGHT, BEND_WIDTH = 144, 30, 12
GAP_ACROSS, GAP_DOWN, MARGIN = 22, 34, 16
SWEEPS = 6
LONGEST_LABEL = 18

STYLE = """
.box { fill: #eef2f7; stroke: #5b6b80; }
.end { fill: #ffffff; stroke: #5b6b80; stroke-dasharray: 4 3; }
.marked { fill: #ffe3b3; stroke: #b35900; stroke-width: 2.5; }
.edge { fill: none; stroke: #5b6b80; stroke-width: 1.3; }
.label { font: 13px sans-serif; fill: #1b2430; text-anchor: middle; }
"""


@dataclass(frozen=True)
class Drawing:
    """svg: as text. A notebook shows it as a picture."""

    svg: str

    def _repr_svg_(self):
        return self.svg


@dataclass
class Box:
    """A node, an end of the graph, or a bend, through which an edge passes by other boxes.

    sources: the boxes that it reads from, by number.
    """

    label: str
    kind: str
    name: str
    sources: list[int]
    layer: int = 0
    x: float = 0.0

    @property
    def width(self):
        return BEND_WIDTH if self.kind == "bend" else BOX_WIDTH

    @property
    def y(self):
        return MARGIN + self.layer * (BOX_HEIGHT + GAP_DOWN)


def draw(model, marked=(), title="An ONNX graph"):
    """model: a ModelProto, or the path of one. marked: names of nodes that are to stand out."""
    if not isinstance(model, onnx.ModelProto):
        model = onnx.load(model, load_external_data=False)
    boxes = boxes_of(model.graph)
    layers = in_layers(boxes)
    place(layers, boxes)
    return Drawing(svg_of(boxes, set(marked), title))


def boxes_of(graph):
    """Inputs that are no weights, the nodes, and the outputs; weights have no box."""
    stored = {tensor.name for tensor in graph.initializer}
    boxes, makers = [], {}
    for value in graph.input:
        if value.name not in stored:
            makers[value.name] = len(boxes)
            boxes.append(Box(value.name, "end", value.name, []))
    for node in graph.node:
        sources = [makers[name] for name in node.input if name in makers]
        makers.update((name, len(boxes)) for name in node.output if name)
        boxes.append(Box(node.op_type, "box", node.name, sources))
    for value in graph.output:
        sources = [makers[value.name]] if value.name in makers else []
        boxes.append(Box(value.name, "end", value.name, sources))
    return boxes


def in_layers(boxes):
    """Each box one layer below the lowest that it reads from. Boxes come after what they read.

    An edge over several layers gets a bend in each of those between, which are appended.
    """
    for box in boxes:
        box.layer = 1 + max((boxes[source].layer for source in box.sources), default=-1)
    for box in list(boxes):
        box.sources = [bent(boxes, source, box.layer) for source in box.sources]
    layers = {}
    for number, box in enumerate(boxes):
        layers.setdefault(box.layer, []).append(number)
    return [layers[layer] for layer in sorted(layers)]


def bent(boxes, source, layer):
    """The last bend on the way from a box down to the layer, or the box itself."""
    for between in range(boxes[source].layer + 1, layer):
        boxes.append(Box("", "bend", "", [source], between))
        source = len(boxes) - 1
    return source


def place(layers, boxes):
    """Boxes of a layer beside one another, each near the middle of its neighbours."""
    readers = [[] for _ in boxes]
    for number, box in enumerate(boxes):
        for source in box.sources:
            readers[source].append(number)
    spread(layers, boxes)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for layer in layers if down else reversed(layers):
            middles = {n: middle(boxes, boxes[n].sources if down else readers[n], n) for n in layer}
            layer.sort(key=middles.__getitem__)
        spread(layers, boxes)


def middle(boxes, neighbours, number):
    near = neighbours or [number]
    return sum(boxes[n].x + boxes[n].width / 2 for n in near) / len(near)


def spread(layers, boxes):
    """Layers are centred on a common line."""
    widths = [sum(boxes[n].width + GAP_ACROSS for n in layer) for layer in layers]
    for layer, width in zip(layers, widths, strict=True):
        x = MARGIN + (max(widths) - width) / 2
        for number in layer:
            boxes[number].x = x
            x += boxes[number].width + GAP_ACROSS


def svg_of(boxes, marked, title):
    width = max((box.x + box.width for box in boxes), default=0) + MARGIN
    height = max((box.y for box in boxes), default=0) + BOX_HEIGHT + MARGIN
    edges = [edge(boxes[source], box) for box in boxes for source in box.sources]
    size = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>',
            f"<title>{escape(title)}</title>",
            f"<desc>{escape(told(boxes, marked))}</desc>",
            f"<style>{STYLE}</style>",
            *edges,
            *(shape(box, box.name in marked) for box in boxes if box.kind != "bend"),
            "</svg>",
        ]
    )


def edge(source, box):
    """A curve into the box; through a bend it goes straight down."""
    x, y = source.x + source.width / 2, source.y + BOX_HEIGHT
    to_x, to_y = box.x + box.width / 2, box.y
    half = (to_y - y) / 2
    curve = f"M{x:g} {y:g} C{x:g} {y + half:g} {to_x:g} {to_y - half:g} {to_x:g} {to_y:g}"
    down = f" V{to_y + BOX_HEIGHT:g}" if box.kind == "bend" else ""
    return f'<path class="edge" d="{curve}{down}"/>'


def shape(box, stands_out):
    css = "marked" if stands_out and box.kind == "box" else box.kind
    label = box.label if len(box.label) <= LONGEST_LABEL else f"{box.label[: LONGEST_LABEL - 1]}…"
    corner = f'x="{box.x:g}" y="{box.y:g}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="6"'
    at = f'x="{box.x + BOX_WIDTH / 2:g}" y="{box.y + BOX_HEIGHT / 2 + 4.5:g}"'
    return (
        f'<g><title>{escape(box.name or box.label)}</title><rect class="{css}" {corner}/>'
        f'<text class="label" {at}>{escape(label)}</text></g>'
    )


def told(boxes, marked):
    """The alternative text: what there is, how often, and what is marked."""
    nodes = [box for box in boxes if box.kind == "box"]
    counts = Counter(box.label for box in nodes)
    listed = ", ".join(f"{count} {op}" for op, count in counts.most_common())
    text = f"{len(nodes)} nodes in {1 + max((b.layer for b in boxes), default=0)} layers: {listed}."
    found = [f"{box.label} {box.name}" for box in nodes if box.name in marked]
    return f"{text} Marked: {', '.join(found)}." if found else text


if __name__ == "__main__":
    print(draw(Path(sys.argv[1])).svg)
