"""Draws what a pass looks at: a Relax function as a graph, a TIR function as nested loops.

Both give SVG text, with a title and a description for those who cannot see it. In a notebook:
`IPython.display.SVG(passes_drawing.graph(module))`.
"""

import re
from html import escape

import tvm
from tvm import relax, tirx

BOX_HEIGHT, GAP_X, GAP_Y, MARGIN = 30, 24, 34, 16
BEND_WIDTH, SWEEPS = 12, 6
LINE, INDENT, BESIDE, BELOW = 24, 18, 6, 5
CHARACTER = 7.3
LONGEST = 90
STYLE = (
    "text{font:12px ui-monospace,monospace;fill:#1b1f24}"
    "rect{fill:#fff;stroke:#57606a;rx:6}"
    "rect.given{fill:#f2f4f6;stroke-dasharray:4 3}"
    "rect.marked{fill:#fde9c8;stroke:#9a5b00;stroke-width:2}"
    "rect.called{fill:#dcebfd;stroke:#0b5cad;stroke-width:2}"
    "path{fill:none;stroke:#57606a}"
)


def graph(module, name="main", marked=(), weights=False):
    """The dataflow of a Relax function, from its input at the top to its result at the bottom.

    marked: names of operators that are highlighted, "relax.nn.relu", "nn.relu" or "relu".
    weights: draw inputs behind the first one, and constants, too.
    """
    function = module[name] if isinstance(module, tvm.IRModule) else module
    nodes, edges = _dataflow(function, marked, weights)
    told = "; ".join(
        f"{nodes[key][0]} takes {', '.join(nodes[a][0] for a, b in edges if b == key)}"
        for key in nodes
        if any(b == key for _, b in edges)
    )
    row = _row_of_each(nodes, edges)
    edges = _from_row_to_row(nodes, edges, row)
    rows = _ordered(
        [[key for key in nodes if row[key] == n] for n in sorted(set(row.values()))], edges
    )
    places, width, height = _places(nodes, rows)
    parts = [_edge(places[a], places[b], nodes[b][1] == "bend") for a, b in edges]
    parts += [_box(places[key], *nodes[key]) for key in nodes if nodes[key][1] != "bend"]
    return _svg(width, height, f"Dataflow of {name}", f"{told}.", parts)


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
        parts.append(_rectangle(x, y, width - MARGIN - x - BESIDE * depth, height, kind))
        parts.append(f'<text x="{x + 9}" y="{y + 16}">{escape(text)}</text>')
        told.append(f"{'inside of it, ' * (depth > above)}{text}")
        above = depth
    return _svg(width, end + MARGIN, "Loop nest", f"{'; '.join(told)}.", parts)


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


def _row_of_each(nodes, edges):
    """One below the lowest that it takes; what takes nothing stands just above its first user."""
    row = dict.fromkeys(nodes, 0)
    for a, b in sorted(edges, key=lambda edge: edge[1]):
        row[b] = max(row[b], row[a] + 1)
    takers = {b for _, b in edges}
    for key in nodes:
        users = [row[b] for a, b in edges if a == key]
        if users and key not in takers:
            row[key] = min(users) - 1
    return row


def _from_row_to_row(nodes, edges, row):
    """An edge that passes by rows gets a node in each of them, a bend, which has no box."""
    short = []
    for a, b in edges:
        for between in range(row[a] + 1, row[b]):
            bend = _add(nodes, "", "bend")
            row[bend] = between
            short.append((a, bend))
            a = bend
        short.append((a, b))
    return short


def _ordered(rows, edges):
    """Within its row each node stands near the middle of its neighbours."""
    above, below = {}, {}
    for a, b in edges:
        above.setdefault(b, []).append(a)
        below.setdefault(a, []).append(b)
    place = {}
    for row in rows:
        place.update(_middles(row))
    for sweep in range(SWEEPS):
        neighbours = below if sweep % 2 else above
        for row in reversed(rows) if sweep % 2 else rows:
            wanted = {
                key: sum(place[n] for n in neighbours.get(key, [key]))
                / len(neighbours.get(key, [key]))
                for key in row
            }
            row.sort(key=wanted.__getitem__)
            place.update(_middles(row))
    return rows


def _middles(row):
    return {key: index - (len(row) - 1) / 2 for index, key in enumerate(row)}


def _places(nodes, rows):
    """Each node's box as x, y, width and height; and the size of all. Boxes are centred."""
    places = {}
    for number, row in enumerate(rows):
        x, y = 0.0, MARGIN + number * (BOX_HEIGHT + GAP_Y)
        for key in row:
            text, kind = nodes[key]
            width = BEND_WIDTH if kind == "bend" else 18 + CHARACTER * len(text)
            places[key] = (x, y, width, BOX_HEIGHT)
            x += width + GAP_X
        boxes = [places[key] for key in row if nodes[key][1] != "bend"] or [places[row[0]]]
        middle = (boxes[0][0] + boxes[-1][0] + boxes[-1][2]) / 2
        for key in row:
            x, *rest = places[key]
            places[key] = (x - middle, *rest)
    left = min(x for x, *_ in places.values()) - MARGIN
    places = {key: (x - left, *rest) for key, (x, *rest) in places.items()}
    width = max(x + width for x, _, width, _ in places.values()) + MARGIN
    return places, width, len(rows) * (BOX_HEIGHT + GAP_Y) - GAP_Y + 2 * MARGIN


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


def _edge(above, below, passing):
    """A curve; past the boxes of a row it goes straight down."""
    x, y = above[0] + above[2] / 2, above[1] + above[3]
    to_x, to_y = below[0] + below[2] / 2, below[1]
    bend = (to_y - y) / 2 if to_y - y <= GAP_Y else 30
    ends = f"{x:.0f} {y + bend:.0f} {to_x:.0f} {to_y - bend:.0f} {to_x:.0f} {to_y:.0f}"
    down = f"V{to_y + BOX_HEIGHT:.0f}" if passing else ""
    return f'<path d="M{x:.0f} {y:.0f}C{ends}{down}"/>'
