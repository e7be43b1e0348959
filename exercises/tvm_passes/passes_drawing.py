"""Draws what a pass looks at: a Relax function as a graph, a TIR function as nested loops.

Both give SVG text, with a title and a description for those who cannot see it. In a notebook:
`IPython.display.SVG(passes_drawing.graph(module))`.
"""

import re
from html import escape

import tvm
from tvm import relax, tirx

BOX_HEIGHT, GAP_X, GAP_Y, MARGIN = 30, 24, 34, 16
CHARACTER = 7.3
STYLE = (
    "text{font:12px ui-monospace,monospace;fill:#1b1f24}"
    "rect{fill:#fff;stroke:#57606a;rx:6}"
    "rect.given{fill:#f2f4f6;stroke-dasharray:4 3}"
    "rect.marked{fill:#fde9c8;stroke:#9a5b00;stroke-width:2}"
    "rect.called{fill:#dcebfd;stroke:#0b5cad;stroke-width:2}"
    "path{fill:none;stroke:#57606a}"
)


def graph(module, name="main", marked=(), weights=False):
    """The dataflow of a Relax function, from inputs at the top to results at the bottom.

    marked: names of operators that are highlighted, "relax.nn.relu", "nn.relu" or "relu".
    weights: draw inputs behind the first one, and constants, too.
    """
    function = module[name] if isinstance(module, tvm.IRModule) else module
    nodes, edges = _dataflow(function, marked, weights)
    rows = _rows(nodes, edges)
    places, width, height = _places(nodes, rows)
    parts = [_edge(places[a], places[b]) for a, b in edges]
    parts += [_box(places[key], *nodes[key]) for key in nodes]
    told = "; ".join(
        f"{nodes[key][0]} takes {', '.join(nodes[a][0] for a, b in edges if b == key)}"
        for key in nodes
        if any(b == key for _, b in edges)
    )
    return _svg(width, height, f"Dataflow of {name}", f"{told}.", parts)


def loops(function, marked=()):
    """The loops of a TIR function as boxes inside of boxes, and the stores in them.

    marked: names of loop variables whose loops are highlighted.
    """
    if isinstance(function, tvm.IRModule):
        function = function["main"]
    lines = list(_nest(function.body, 0))
    width = 2 * MARGIN + max(18 * depth + 18 + CHARACTER * len(text) for depth, text, _ in lines)
    parts, told = [], []
    for number, (depth, text, variable) in enumerate(lines):
        end = number + 1
        while end < len(lines) and lines[end][0] > depth:
            end += 1
        kind = "" if variable is not None else "given"
        kind = "marked" if variable in marked and variable is not None else kind
        x, y = MARGIN + 18 * depth, MARGIN + 28 * number
        size = (width - MARGIN - x - 4 * depth, 28 * (end - number) - 4 - 2 * depth)
        parts.append(_rectangle(x, y, *size, kind))
        parts.append(f'<text x="{x + 9}" y="{y + 17}">{escape(text)}</text>')
        told.append(f"{'inside of it, ' * (number > 0 and lines[number - 1][0] < depth)}{text}")
    height = 2 * MARGIN + 28 * len(lines)
    return _svg(width, height, "Loop nest", f"{'; '.join(told)}.", parts)


# --- Relax ----------------------------------------------------------------------------------------


def _dataflow(function, marked, weights):
    """Nodes as {key: (text, kind)}, and edges as pairs of keys."""
    nodes, edges, made = {}, [], {}
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
    nodes[len(nodes)] = (text, kind)
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


def _rows(nodes, edges):
    """A node stands one row below the lowest of those that it takes."""
    row = dict.fromkeys(nodes, 0)
    for a, b in sorted(edges, key=lambda edge: edge[1]):
        row[b] = max(row[b], row[a] + 1)
    return [[key for key in nodes if row[key] == n] for n in range(max(row.values()) + 1)]


def _places(nodes, rows):
    """Each node's box as x, y, width and height; and the size of all."""
    wide = {key: 18 + CHARACTER * len(text) for key, (text, _) in nodes.items()}
    widths = [sum(wide[key] for key in row) + GAP_X * (len(row) - 1) for row in rows]
    total, places = max(widths), {}
    for number, (row, width) in enumerate(zip(rows, widths, strict=True)):
        x = MARGIN + (total - width) / 2
        for key in row:
            places[key] = (x, MARGIN + number * (BOX_HEIGHT + GAP_Y), wide[key], BOX_HEIGHT)
            x += wide[key] + GAP_X
    return places, total + 2 * MARGIN, len(rows) * (BOX_HEIGHT + GAP_Y) - GAP_Y + 2 * MARGIN


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


def _plain(node):
    """TVMScript of an expression or a statement, without the types of its numbers."""
    last = str(node).strip().splitlines()[-1].strip()
    return re.sub(r"T\.\w+\(([-+.\de]+)\)", r"\1", last)[:90]


# --- SVG ------------------------------------------------------------------------------------------


def _svg(width, height, title, description, parts):
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    words = f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
    body = "".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>{words}'
        f"<style>{STYLE}</style>{body}</svg>"
    )


def _rectangle(x, y, width, height, kind):
    of = f' class="{kind}"' if kind else ""
    return f'<rect{of} x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}"/>'


def _box(place, text, kind):
    x, y, width, height = place
    return (
        f"{_rectangle(x, y, width, height, kind)}"
        f'<text x="{x + 9:.0f}" y="{y + 19:.0f}">{escape(text)}</text>'
    )


def _edge(above, below):
    x, y = above[0] + above[2] / 2, above[1] + above[3]
    to_x, to_y = below[0] + below[2] / 2, below[1]
    bend = (to_y - y) / 2 if to_y - y <= GAP_Y else 30
    ends = f"{x:.0f} {y + bend:.0f} {to_x:.0f} {to_y - bend:.0f} {to_x:.0f} {to_y:.0f}"
    return f'<path d="M{x:.0f} {y:.0f}C{ends}"/>'
