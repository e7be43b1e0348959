"""Graphs of tensors and plans of memory, drawn: before and after, side by side."""

import json
from html import escape

WIDE, TALL, DOWN, TOP, LETTER = 112, 26, 18, 34, 7.4
DARK, EDGE = "#22304a", "#2a6fbb"
FILLS = ("#dbe8f7", "#f9dfc7", "#d7efd8", "#efd9ee", "#f7efc0", "#d5ecec", "#e6e0d4", "#f3d2d6")


def steps(*graphs, titles=()):
    """Each graph: a list of (name, what it says, names that it reads, its group)."""
    x, parts, height = 10, [], 0
    for number, graph in enumerate(graphs):
        title = titles[number] if number < len(titles) else ""
        drawn, width, tall = column(graph, x)
        parts += [words(x, 20, title, bold=True), *drawn]
        x, height = x + max(width, len(title) * LETTER) + 40, max(height, tall)
    return picture(parts, x, height)


def column(graph, x):
    """One graph, a row for each step; what skips a row passes by on the right."""
    rows = {name: number for number, (name, *_) in enumerate(graph)}
    groups = list(dict.fromkeys(group for *_, group in graph))
    parts, widest = [], 0
    for name, says, reads, group in graph:
        y = TOP + rows[name] * (TALL + DOWN)
        parts.append(box(x, y, WIDE, TALL, FILLS[groups.index(group) % len(FILLS)]))
        parts.append(words(x + 6, y + 18, says))
        for read in dict.fromkeys(read for read in reads if read in rows):
            skipped = rows[name] - rows[read] - 1
            parts.append(edge(x, TOP + rows[read] * (TALL + DOWN), y, skipped))
            widest = max(widest, skipped)
    return parts, WIDE + 12 * widest + 10, TOP + len(rows) * (TALL + DOWN)


def edge(x, above, below, skipped):
    """From a row to a later one."""
    middle, right = x + WIDE / 2, x + WIDE
    if not skipped:
        way, end = f"M{middle},{above + TALL} L{middle},{below - 6}", (middle, below)
        tip = f"M{end[0]},{end[1]} l-4,-7 l8,0 z"
    else:
        start, end, out = above + TALL / 2 + 4, below + TALL / 2 - 4, right + 12 * skipped + 12
        way = f"M{right},{start} C{out},{start} {out},{end} {right + 6},{end}"
        tip = f"M{right},{end} l7,-4 l0,8 z"
    line = f'<path d="{way}" stroke="{EDGE}" stroke-width="1.4" fill="none"/>'
    return line + f'<path d="{tip}" fill="{EDGE}"/>'


def kernels(text, *divisions, titles=()):
    """A graph of fuse.py; each division is a list of kernels, each of which gets a colour."""
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
        parts.append(words(x, 20, title, bold=True))
        for number, (name, size) in enumerate(graph["sizes"].items()):
            first = numbers.get(name, -1)
            read = [numbers[made] for made, reads in graph["steps"] if name in reads]
            last = end if name in graph["outputs"] else max([first, *read])
            left, wide = x + (first + 1) * step, (last - first + 1) * step - 3
            y, tall = TOP + plan[name] * scale, max(size * scale - 1, 4)
            parts.append(box(left, y, wide, tall, FILLS[number % len(FILLS)]))
            parts.append(words(left + 4, y + min(tall - 1, 12), name, size=10))
        x, height = x + (end + 2) * step + 20, max(height, TOP + used * scale + 10)
    return picture(parts, x, height)


def box(x, y, wide, tall, fill):
    return (
        f'<rect x="{x:.0f}" y="{y:.1f}" width="{wide:.0f}" height="{tall:.1f}" rx="3" '
        f'fill="{fill}" stroke="{DARK}"/>'
    )


def words(x, y, said, bold=False, size=12):
    weight = ' font-weight="bold"' if bold else ""
    style = f'font-size="{size}" fill="{DARK}"{weight}'
    return f'<text x="{x:.0f}" y="{y:.1f}" {style}>{escape(said)}</text>'


def picture(parts, width, height):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="monospace" '
        f'style="max-width:100%;height:auto"><rect width="100%" height="100%" fill="#ffffff"/>'
        f"{''.join(parts)}</svg>"
    )
