"""Draws a compiled program's entry computation, and pictures, as SVG. Nothing of it is graded."""

import re
from math import prod

from hotloop.core import svg

INSTRUCTION = re.compile(
    r"\s+(ROOT )?%(?P<name>[\w.-]+) = (?P<type>\(.*?\)|\S+) (?P<op>[\w-]+)\((?P<operands>[^)]*)\)"
)
TYPE = re.compile(r"(pred|bf16|[fsu]\d+)\[([\d,]*)\]")
QUIET = {"parameter", "constant", "bitcast", "tuple", "get-tuple-element"}
COLORS = {
    "fusion": svg.GREEN,
    "convolution": svg.BLUE,
    "dot": svg.BLUE,
    "copy": svg.ORANGE,
    "transpose": svg.ORANGE,
    "custom-call": svg.PINK,
}
ROW, LEFT, WIDEST = 26, 330, 330


def size_of(text):
    """Bytes of a type, or of all in a tuple."""
    return sum(
        prod(int(n) for n in shape.split(",") if n) * width(dtype)
        for dtype, shape in TYPE.findall(text)
    )


def width(dtype):
    """Bytes of a number."""
    bits = re.search(r"\d+", dtype)
    return int(bits[0]) // 8 if bits else 1


def entry(hlo):
    """The instructions that write memory, top to bottom; a bar shows the bytes that each moves."""
    lines = hlo[hlo.index("ENTRY") :].splitlines()
    found = [match.groupdict() for line in lines if (match := INSTRUCTION.match(line))]
    bytes_of = {each["name"]: size_of(each["type"]) for each in found}
    busy = [each for each in found if each["op"] not in QUIET]
    moved = [
        bytes_of[each["name"]]
        + sum(bytes_of.get(n, 0) for n in re.findall(r"%([\w.-]+)", each["operands"]))
        for each in busy
    ]
    place = {each["name"]: ROW * number + 30 for number, each in enumerate(busy)}
    drawn = [edge for each in busy for edge in edges(each, found, place)]
    for each, count in zip(busy, moved, strict=True):
        y, color = place[each["name"]], COLORS.get(each["op"], svg.GRAY)
        width = max(3, WIDEST * count / max(moved))
        drawn.append(svg.rect(LEFT, y, width, ROW - 8, fill=color))
        drawn.append(svg.text(LEFT - 8, y + 13, each["name"], text_anchor="end"))
        drawn.append(svg.text(LEFT + width + 6, y + 13, f"{count / 1024:.1f} KiB"))
    return picture(ROW * len(busy) + 44, drawn, "what moves memory, and how much")


def edges(each, found, place):
    """From where an operand is made to here, through what moves nothing."""
    named = {other["name"]: other for other in found}
    for operand in re.findall(r"%([\w.-]+)", each["operands"]):
        while operand in named and operand not in place:
            before = re.findall(r"%([\w.-]+)", named[operand]["operands"])
            operand = before[0] if before else None
        if operand in place:
            top, bottom = place[operand] + 9, place[each["name"]] + 9
            bend = 30 + min(90, (bottom - top) / 3)
            x, out = LEFT - 2, LEFT - bend
            way = f"M{x} {top}C{out} {top} {out} {bottom} {x} {bottom}"
            yield svg.path(way, stroke_opacity=0.35)


def pictures(images):
    """Digits side by side, the brighter the darker."""
    drawn = [
        svg.rect(60 * n + 6 * x + 4, 6 * y + 26, 6, 6, fill=svg.PAGE, fill_opacity=float(value))
        for n, image in enumerate(images[..., 0])
        for y, row in enumerate(image)
        for x, value in enumerate(row)
        if value > 0
    ]
    return picture(84, drawn, f"{len(images)} of the digits")


def picture(height, drawn, title):
    """The whole picture, below its title."""
    parts = [svg.text(4, 14, title), *drawn]
    return svg.picture(760, height, parts, title, width=760, font_size=11)
