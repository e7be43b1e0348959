"""Draws what a pass looks at: a Relax function as a graph, a TIR function as nested loops.

Both give SVG text, with a title and a description for those who cannot see it. In a notebook:
`IPython.display.SVG(passes_drawing.graph(module))`.
"""

import re

import tvm
from tvm import relax, tirx

from hotloop.core import layered_graph, svg

LINE, INDENT, BESIDE, BELOW, MARGIN = 24, 18, 6, 5, 16
CHARACTER = 7.3
LONGEST = 90
INK, EDGE = "#1b1f24", "#57606a"
BOXES = {
    "": {"fill": "#fff", "stroke": EDGE},
    "given": {"fill": "#f2f4f6", "stroke": EDGE, "stroke_dasharray": "4 3"},
    "marked": {"fill": "#fde9c8", "stroke": "#9a5b00", "stroke_width": 2},
    "called": {"fill": "#dcebfd", "stroke": "#0b5cad", "stroke_width": 2},
}


def graph(module, name="main", marked=(), weights=False):
    """The dataflow of a Relax function, from its input at the top to its result at the bottom.

    marked: names of operators that are highlighted, "relax.nn.relu", "nn.relu" or "relu".
    weights: draw inputs behind the first one, and constants, too.
    """
    function = module[name] if isinstance(module, tvm.IRModule) else module
    nodes, edges = _dataflow(function, marked, weights)
    told = "; ".join(
        f"{text} takes {', '.join(nodes[a][0] for a, b in edges if b == number)}"
        for number, (text, _) in enumerate(nodes)
        if any(b == number for _, b in edges)
    )
    layout = layered_graph.place([18 + CHARACTER * len(text) for text, _ in nodes], edges)
    parts = [svg.path(way, stroke=EDGE) for way in layout.ways]
    for (text, kind), (x, y) in zip(nodes, layout.corners, strict=True):
        width = 18 + CHARACTER * len(text)
        parts.append(svg.rect(x, y, width, layered_graph.HEIGHT, rx=6, **BOXES[kind]))
        parts.append(svg.text(x + 9, y + 19, text, fill=INK))
    return _picture(layout.width, layout.height, f"Dataflow of {name}", f"{told}.", parts)


def loops(function, marked=()):
    """The loops of a TIR function as boxes inside of boxes, and the stores in them.

    marked: names of loop variables whose loops are highlighted.
    """
    if isinstance(function, tvm.IRModule):
        function = function["main"]
    lines = list(_nest(function.body, 0))
    tops, heights, end = _stacked([depth for depth, _, _ in lines])
    width = 2 * MARGIN + max(
        (INDENT + BESIDE) * depth + 18 + CHARACTER * len(text) for depth, text, _ in lines
    )
    parts, told, above = [], [], 0
    for (depth, text, variable), y, height in zip(lines, tops, heights, strict=True):
        kind = "" if variable is not None else "given"
        kind = "marked" if variable in marked and variable is not None else kind
        x = MARGIN + INDENT * depth
        inside = width - MARGIN - x - BESIDE * depth
        parts.append(svg.rect(x, y, inside, height, rx=6, **BOXES[kind]))
        parts.append(svg.text(x + 9, y + 16, text, fill=INK))
        told.append(f"{'inside of it, ' * (depth > above)}{text}")
        above = depth
    return _picture(width, end + MARGIN, "Loop nest", f"{'; '.join(told)}.", parts)


# --- Relax ----------------------------------------------------------------------------------------


def _dataflow(function, marked, weights):
    """Nodes as (text, kind), and edges as pairs of their numbers."""
    nodes, edges, made = [], [], {}
    for number, parameter in enumerate(function.params):
        if number == 0 or weights:
            made[parameter] = [_add(nodes, f"{_name(parameter)} {_shape(parameter)}", "given")]
    for block in function.body.blocks:
        for binding in block.bindings:
            value = binding.value
            if isinstance(value, tvm.ir.Call):
                text, kind = _call(value, marked)
                key = _add(nodes, f"{text} {_shape(binding.var)}".strip(), kind)
                edges += [(source, key) for a in value.args for source in _sources(a, made)]
                made[binding.var] = [key]
            else:
                made[binding.var] = _sources(value, made)
    end = _add(nodes, "result", "given")
    edges += [(source, end) for source in _sources(function.body.body, made)]
    return nodes, list(dict.fromkeys(edges))


def _add(nodes, text, kind):
    nodes.append((text, kind))
    return len(nodes) - 1


def _call(call, marked):
    if not isinstance(call.op, tvm.ir.Op):
        return _name(call.op), "called"
    name = call.op.name
    if name == "relax.call_tir":
        return f"call_tir {_name(call.args[0])}", "called"
    within = name.removeprefix("relax.")
    short = within.removeprefix("nn.")
    return short, "marked" if {name, within, short} & set(marked) else ""


def _sources(expression, made):
    if isinstance(expression, tvm.ir.Tuple):
        return [key for part in expression.fields for key in _sources(part, made)]
    if isinstance(expression, tvm.ir.TupleGetItem):
        return _sources(expression.tuple_value, made)
    return made.get(expression, []) if isinstance(expression, relax.Var) else []


def _name(variable):
    return getattr(variable, "name_hint", None) or variable.name


def _shape(value):
    shape = getattr(getattr(value, "ty", None), "shape", None)
    values = getattr(shape, "values", None)
    return "" if values is None else "×".join(_plain(n) for n in values)


# --- TIR ------------------------------------------------------------------------------------------


def _nest(statement, depth):
    """Lines of (depth, text, loop variable or None)."""
    if isinstance(statement, tirx.For):
        name, how = _name(statement.loop_var), tirx.ForKind(statement.kind).name.lower()
        kind = "" if how == "serial" else f" {how}"
        yield depth, f"for {name} in {_plain(statement.extent)}{kind}", name
        yield from _nest(statement.body, depth + 1)
    elif isinstance(statement, tirx.SeqStmt):
        for part in statement.seq:
            yield from _nest(part, depth)
    elif isinstance(statement, tirx.BufferStore):
        yield depth, _plain(statement), None
    elif hasattr(statement, "block"):
        yield from _nest(statement.block, depth)
    elif hasattr(statement, "name_hint"):
        root = statement.name_hint == "root"
        if not root:
            yield depth, f"block {statement.name_hint}", None
        if statement.init is not None:
            yield from _nest(statement.init, depth + (not root))
        yield from _nest(statement.body, depth + (not root))
    elif getattr(statement, "body", None) is not None:
        yield from _nest(statement.body, depth)
    else:
        yield depth, _plain(statement), None


def _stacked(depths):
    """Tops and heights of boxes, each around the deeper ones that follow; and where all end."""
    tops, heights, around, y = [], [0] * len(depths), [], MARGIN
    for number, depth in enumerate([*depths, 0]):
        while around and depths[around[-1]] >= depth:
            inner = around.pop()
            heights[inner] = y - tops[inner]
            y += BELOW
        if number < len(depths):
            tops.append(y)
            around.append(number)
            y += LINE
    return tops, heights, y


def _plain(node):
    """TVMScript of an expression or a statement, without the types of its numbers."""
    last = str(node).strip().splitlines()[-1].strip()
    plain = re.sub(r"T\.\w+\(([-+.\de]+)\)", r"\1", last)
    return plain if len(plain) <= LONGEST else f"{plain[: LONGEST - 1]}…"


def _picture(width, height, title, description, parts):
    """A picture of the size that it says, not scaled to the page."""
    style = {"width": width, "height": height, "font_family": "ui-monospace, monospace"}
    return svg.picture(width, height, parts, title, description, **style)
