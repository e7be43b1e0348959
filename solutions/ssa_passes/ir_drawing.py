"""Functions drawn as blocks, side by side: before and after a pass."""

from html import escape

import ir

LINE, CHARACTER, GAP, SIDE = 16, 7.4, 26, 46
LIGHT, DARK, FORWARD, BACK, GONE = "#f4f6fb", "#22304a", "#2a6fbb", "#c2571a", "#c2571a"


def graph(*functions, titles=()):
    """SVG of one or more functions. Lines that the next one does not have are marked."""
    parsed = [ir.parse(f) if isinstance(f, str) else f for f in functions]
    x, columns, height = 8, [], 0
    for number, function in enumerate(parsed):
        later = parsed[number + 1] if number + 1 < len(parsed) else None
        kept = None if later is None else {str(instr) for instr in later.instrs}
        title = titles[number] if number < len(titles) else ""
        drawn, width, tall = column(function, x, title, kept)
        columns.append(drawn)
        x, height = x + width + 12, max(height, tall)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {x:.0f} {height:.0f}" '
        f'width="{x:.0f}" height="{height:.0f}" font-family="monospace" font-size="12" '
        f'style="max-width:100%;height:auto">'
        f'<rect width="100%" height="100%" fill="#ffffff"/>{"".join(columns)}</svg>'
    )


def column(function, x, title, kept):
    """One function, its blocks one under another; its width and height."""
    widest = max(len(str(instr)) for instr in function.instrs)
    width = max(widest, 12) * CHARACTER + 16
    left, y, places, parts = x + SIDE, 30, {}, []
    parts.append(f'<text x="{left}" y="18" fill="{DARK}" font-weight="bold">{escape(title)}</text>')
    for block in function.blocks:
        tall = LINE * (len(block.instrs) + 1) + 8
        places[block.name] = (y, y + tall)
        parts.append(
            f'<rect x="{left}" y="{y}" width="{width:.0f}" height="{tall}" rx="5" '
            f'fill="{LIGHT}" stroke="{DARK}"/>'
        )
        parts.append(text(left + 8, y + LINE, block.name + ":", DARK, bold=True))
        for number, instr in enumerate(block.instrs, 2):
            gone = kept is not None and str(instr) not in kept
            parts.append(text(left + 16, y + LINE * number, str(instr), GONE if gone else DARK))
        y += tall + GAP
    for block in function.blocks:
        for lane, follower in enumerate(block.successors):
            parts.append(edge(places[block.name], places[follower], left, width, lane))
    return "".join(parts), SIDE * 2 + width, y


def text(x, y, words, colour, bold=False):
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.0f}" y="{y}" fill="{colour}"{weight}>{escape(words)}</text>'


def edge(source, target, left, width, lane):
    """Straight to the next block, on the right to a later one, on the left back."""
    begin, end = source[1], target[0]
    if 0 < end - begin <= GAP:
        x = left + width / 2
        return line(f"M{x:.0f},{begin} L{x:.0f},{end - 5}", FORWARD) + tip(x, end, FORWARD)
    back = end < begin
    colour = BACK if back else FORWARD
    x = left + (10 + 6 * lane if back else width - 10 - 6 * lane)
    out = left - 14 - 9 * lane if back else left + width + 14 + 9 * lane
    way = f"M{x:.0f},{begin} C{x:.0f},{begin + 20} {out:.0f},{begin + 20} {out:.0f},{begin} "
    way += f"L{out:.0f},{end} C{out:.0f},{end - 20} {x:.0f},{end - 20} {x:.0f},{end - 5}"
    return line(way, colour) + tip(x, end, colour)


def line(way, colour):
    return f'<path d="{way}" fill="none" stroke="{colour}" stroke-width="1.4"/>'


def tip(x, y, colour):
    return f'<path d="M{x:.0f},{y} l-4,-7 l8,0 z" fill="{colour}"/>'
