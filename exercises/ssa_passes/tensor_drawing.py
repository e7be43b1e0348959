"""Graphs of tensors and plans of memory, drawn: before and after, side by side."""

import json

import numpy as np
from ir_drawing import on_white

from hotloop.core import svg

WIDE, TALL, DOWN, TOP, LETTER = 112, 26, 18, 34, 7.4
DARK, EDGE = "#22304a", "#2a6fbb"
TITLE = {"fill": DARK, "font_weight": "bold"}
PEN = {"stroke": EDGE, "stroke_width": 1.4}
FILLS = ("#dbe8f7", "#f9dfc7", "#d7efd8", "#efd9ee", "#f7efc0", "#d5ecec", "#e6e0d4", "#f3d2d6")


def steps(*graphs, titles=()):
    """Each graph: a list of (name, what it says, names that it reads, its group)."""
    x, parts, height = 10, [], 0
    for number, graph in enumerate(graphs):
        title = titles[number] if number < len(titles) else ""
        drawn, width, tall = column(graph, x)
        parts += [svg.text(x, 20, title, **TITLE), *drawn]
        x, height = x + max(width, len(title) * LETTER) + 40, max(height, tall)
    return on_white(x, height, parts, "; ".join(titles) or "Steps of a graph")


def column(graph, x):
    """One graph, a row for each step; what skips a row passes by on the right."""
    rows = {name: number for number, (name, *_) in enumerate(graph)}
    groups = list(dict.fromkeys(group for *_, group in graph))
    parts, widest = [], 0
    for name, says, reads, group in graph:
        y = TOP + rows[name] * (TALL + DOWN)
        parts.append(box(x, y, WIDE, TALL, FILLS[groups.index(group) % len(FILLS)]))
        parts.append(svg.text(x + 6, y + 18, says, fill=DARK))
        for read in dict.fromkeys(read for read in reads if read in rows):
            skipped = rows[name] - rows[read] - 1
            parts.append(edge(x, TOP + rows[read] * (TALL + DOWN), y, skipped))
            widest = max(widest, skipped)
    return parts, WIDE + 12 * widest + 10, TOP + len(rows) * (TALL + DOWN)


def edge(x, above, below, skipped):
    """From a row to a later one."""
    middle, right = x + WIDE / 2, x + WIDE
    if not skipped:
        straight = svg.line(middle, above + TALL, middle, below - 6, **PEN)
        return straight + svg.tip(middle, below, fill=EDGE)
    start, end, out = above + TALL / 2 + 4, below + TALL / 2 - 4, right + 12 * skipped + 12
    way = f"M{right},{start} C{out},{start} {out},{end} {right + 6},{end}"
    return svg.path(way, **PEN) + svg.tip(right, end, "left", fill=EDGE)


def kernels(text, *divisions, titles=()):
    """A graph of fuse.py; each division is a list of kernels, each of which gets a color."""
    graph = json.loads(text)
    columns = []
    for division in divisions:
        home = {made: number for number, kernel in enumerate(division) for made in kernel}
        made_in_order = sorted(graph["steps"], key=lambda step: home[step[0]])
        columns.append(
            [(made, f"{made} = {op}", read, home[made]) for made, op, read, _ in made_in_order]
        )
    return steps(*columns, titles=titles)


def lines(*texts, titles=()):
    """Programs of `name = operation arguments` lines, as fx_text.py writes them."""
    columns = []
    for text in texts:
        first, *others = (line.split() for line in text.splitlines())
        inputs = [(name, name, (), "input") for name in first[1:]]
        split = [line for line in others if line[0] != "return"]
        made = [(name, f"{name} = {op}", read, op) for name, _, op, *read in split]
        end = ("return", "return", others[-1][1:], "return")
        columns.append([*inputs, *made, end])
    return steps(*columns, titles=titles)


def memory(text, *plans, titles=()):
    """A graph of memory_plan.py: steps to the right, bytes downwards, a box for each tensor."""
    graph = json.loads(text)
    numbers = {made: number for number, (made, _) in enumerate(graph["steps"])}
    end, step, scale = len(numbers), 44, 1.4
    x, parts, height = 10, [], 0
    for place, plan in enumerate(plans):
        used = max(plan[name] + size for name, size in graph["sizes"].items())
        title = f"{titles[place]}: {used} bytes" if place < len(titles) else f"{used} bytes"
        parts.append(svg.text(x, 20, title, **TITLE))
        for number, (name, size) in enumerate(graph["sizes"].items()):
            first = numbers.get(name, -1)
            read = [numbers[made] for made, reads in graph["steps"] if name in reads]
            last = end if name in graph["outputs"] else max([first, *read])
            left, wide = x + (first + 1) * step, (last - first + 1) * step - 3
            y, tall = TOP + plan[name] * scale, max(size * scale - 1, 4)
            parts.append(box(left, y, wide, tall, FILLS[number % len(FILLS)]))
            ink = {"fill": DARK, "font_size": 10}
            parts.append(svg.text(left + 4, y + min(tall - 1, 12), name, **ink))
        x, height = x + (end + 2) * step + 20, max(height, TOP + used * scale + 10)
    return on_white(x, height, parts, "; ".join(titles) or "A plan of memory")


def box(x, y, wide, tall, fill):
    return svg.rect(x, y, wide, tall, rx=3, fill=fill, stroke=DARK)


def images(pictures, titles, scale=6):
    """Pictures of stripes.py side by side, each with a line above it."""
    parts, side = [], pictures[0].shape[-1]
    wide = side * scale
    for number, (image, title) in enumerate(zip(pictures, titles, strict=True)):
        left = number * (wide + 12)
        parts.append(svg.text(left, 14, title, fill=DARK))
        colors = np.clip(128 + 40 * image, 0, 255).astype(int)
        for y, x in np.ndindex(side, side):
            fill = f"rgb({','.join(map(str, colors[:, y, x]))})"
            parts.append(svg.rect(left + x * scale, 20 + y * scale, scale, scale, fill=fill))
    return on_white(len(pictures) * (wide + 12), 24 + wide, parts, "Pictures of stripes")


def bars(rows):
    """Of each (title, bytes, share of right answers) a bar as long as its bytes."""
    parts, most = [], max(count for _, count, _ in rows)
    for number, (title, count, right) in enumerate(rows):
        y, wide = 6 + 30 * number, 400 * count / most
        parts.append(svg.text(0, y + 15, title, fill=DARK))
        parts.append(svg.rect(80, y, wide, 22, fill=EDGE))
        parts.append(svg.text(88 + wide, y + 15, f"{count:,} bytes, {right:.1%} right", fill=DARK))
    return on_white(720, 12 + 30 * len(rows), parts, "Bytes and right answers of each network")
