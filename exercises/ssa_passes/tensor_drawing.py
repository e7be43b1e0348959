"""Graphs of tensors and plans of memory, drawn: before and after, side by side."""

import json
from html import escape

WIDE, TALL, APART, DOWN, TOP = 112, 30, 16, 30, 34
DARK, EDGE = "#22304a", "#2a6fbb"
FILLS = ("#dbe8f7", "#f9dfc7", "#d7efd8", "#efd9ee", "#f7efc0", "#d5ecec", "#e6e0d4", "#f3d2d6")


def steps(*graphs, titles=()):
    """Each graph: a list of (name, what it says, names that it reads, its group)."""
    x, parts, height = 10, [], 0
    for number, graph in enumerate(graphs):
        drawn, width, tall = column(graph, x)
        title = titles[number] if number < len(titles) else ""
        parts += [words(x, 20, title, bold=True), *drawn]
        x, height = x + width + 30, max(height, tall)
    return picture(parts, x, height)


def column(graph, x):
    """One graph, each node one level below the lowest that it reads."""
    levels, places, parts = {}, {}, []
    for name, _, reads, _ in graph:
        levels[name] = 1 + max((levels[read] for read in reads if read in levels), default=-1)
    groups = list(dict.fromkeys(group for _, _, _, group in graph))
    filled = {}
    for name, _, _, _ in graph:
        level = levels[name]
        left = x + filled.get(level, 0) * (WIDE + APART)
        filled[level] = filled.get(level, 0) + 1
        places[name] = (left, TOP + level * (TALL + DOWN))
    for name, says, reads, group in graph:
        left, y = places[name]
        fill = FILLS[groups.index(group) % len(FILLS)]
        for read in dict.fromkeys(read for read in reads if read in places):
            over, above = places[read]
            parts.append(
                f'<path d="M{over + WIDE / 2},{above + TALL} L{left + WIDE / 2},{y}" '
                f'stroke="{EDGE}" stroke-width="1.4" fill="none"/>'
            )
        parts.append(box(left, y, WIDE, TALL, fill))
        parts.append(words(left + 6, y + 20, says))
    tall = TOP + (max(levels.values()) + 1) * (TALL + DOWN)
    return parts, max(filled.values()) * (WIDE + APART), tall


def kernels(text, *divisions, titles=()):
    """A graph of fuse.py; each division is a list of kernels, each of which gets a colour."""
    graph = json.loads(text)
    columns = []
    for division in divisions:
        home = {made: number for number, kernel in enumerate(division) for made in kernel}
        columns.append(
            [(made, f"{made} = {op}", read, home[made]) for made, op, read, _ in graph["steps"]]
        )
    return steps(*columns, titles=titles)


def lines(*texts, titles=()):
    """Programs of `name = operation arguments` lines, as fx_text.py writes them."""
    columns = []
    for text in texts:
        split = [line.split() for line in text.splitlines() if " = " in line]
        columns.append([(name, f"{name} = {op}", read, op) for name, _, op, *read in split])
    return steps(*columns, titles=titles)


def memory(text, *plans, titles=()):
    """A graph of memory_plan.py: steps to the right, bytes upwards, a box for each tensor."""
    graph = json.loads(text)
    numbers = {made: number for number, (made, _) in enumerate(graph["steps"])}
    end, step, scale = len(numbers), 44, 0.6
    x, parts, height = 10, [], 0
    for place, plan in enumerate(plans):
        used = max(plan[name] + size for name, size in graph["sizes"].items())
        title = f"{titles[place]}: {used} bytes" if place < len(titles) else f"{used} bytes"
        parts.append(words(x, 20, title, bold=True))
        for number, (name, size) in enumerate(graph["sizes"].items()):
            first = numbers.get(name, -1)
            read = [numbers[made] for made, reads in graph["steps"] if name in reads]
            last = end if name in graph["outputs"] else max([first, *read])
            left, wide = x + (first + 1) * step, (last - first + 1) * step - 3
            y, tall = TOP + plan[name] * scale, max(size * scale - 1, 4)
            parts.append(box(left, y, wide, tall, FILLS[number % len(FILLS)]))
            parts.append(words(left + 3, y + min(tall, 12), name, size=10))
        x, height = x + (end + 2) * step + 20, max(height, TOP + used * scale + 10)
    return picture(parts, x, height)


def box(x, y, wide, tall, fill):
    return (
        f'<rect x="{x:.0f}" y="{y:.1f}" width="{wide:.0f}" height="{tall:.1f}" rx="3" '
        f'fill="{fill}" stroke="{DARK}"/>'
    )


def words(x, y, said, bold=False, size=12):
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.0f}" y="{y:.1f}" font-size="{size}"{weight}>{escape(said)}</text>'


def picture(parts, width, height):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="monospace" fill="{DARK}" '
        f'style="max-width:100%;height:auto"><rect width="100%" height="100%" fill="#ffffff"/>'
        f"{''.join(parts)}</svg>"
    )
