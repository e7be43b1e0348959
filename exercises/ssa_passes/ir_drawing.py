"""Functions drawn as blocks, side by side: before and after a pass."""

import ir

from hotloop.core import svg

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
    told = "; ".join(titles) or "Functions in blocks"
    return on_white(x, height, columns, told)


def column(function, x, title, kept):
    """One function, its blocks one under another; its width and height."""
    widest = max(len(str(instr)) for instr in function.instrs)
    width = max(widest, 12) * CHARACTER + 16
    left, y, places, parts = x + SIDE, 30, {}, []
    parts.append(svg.text(left, 18, title, fill=DARK, font_weight="bold"))
    for block in function.blocks:
        tall = LINE * (len(block.instrs) + 1) + 8
        places[block.name] = (y, y + tall)
        parts.append(svg.rect(left, y, width, tall, rx=5, fill=LIGHT, stroke=DARK))
        name = svg.text(left + 8, y + LINE, block.name + ":", fill=DARK, font_weight="bold")
        parts.append(name)
        for number, instr in enumerate(block.instrs, 2):
            ink = GONE if kept is not None and str(instr) not in kept else DARK
            parts.append(svg.text(left + 16, y + LINE * number, str(instr), fill=ink))
        y += tall + GAP
    for block in function.blocks:
        for lane, follower in enumerate(block.successors):
            parts.append(edge(places[block.name], places[follower], left, width, lane))
    return "".join(parts), SIDE * 2 + width, y


def edge(source, target, left, width, lane):
    """Straight to the next block, on the right to a later one, on the left back."""
    begin, end = source[1], target[0]
    if 0 < end - begin <= GAP:
        x = left + width / 2
        straight = svg.line(x, begin, x, end - 5, stroke=FORWARD, stroke_width=1.4)
        return straight + svg.tip(x, end, fill=FORWARD)
    back = end < begin
    color = BACK if back else FORWARD
    x = left + (10 + 6 * lane if back else width - 10 - 6 * lane)
    out = left - 14 - 9 * lane if back else left + width + 14 + 9 * lane
    way = f"M{x:.0f},{begin} C{x:.0f},{begin + 20} {out:.0f},{begin + 20} {out:.0f},{begin} "
    way += f"L{out:.0f},{end} C{out:.0f},{end - 20} {x:.0f},{end - 20} {x:.0f},{end - 5}"
    return svg.path(way, stroke=color, stroke_width=1.4) + svg.tip(x, end, fill=color)


def on_white(width, height, parts, title, **style):
    """A picture that is dark on white on every page, and no wider than the page."""
    ground = svg.rect(0, 0, width, height, fill="#ffffff")
    size = {"width": width, "height": height, "style": "max-width:100%;height:auto"}
    font = {"font_family": "monospace"}
    return svg.picture(width, height, [ground, *parts], title, **size, **font, **style)
