"""Draws a compiled program's entry computation, and pictures, as SVG. Nothing of it is graded."""

import re
from math import prod

INSTRUCTION = re.compile(
    r"\s+(ROOT )?%(?P<name>[\w.-]+) = (?P<type>\(.*?\)|\S+) (?P<op>[\w-]+)\((?P<operands>[^)]*)\)"
)
TYPE = re.compile(r"(pred|bf16|[fsu]\d+)\[([\d,]*)\]")
QUIET = {"parameter", "constant", "bitcast", "tuple", "get-tuple-element"}
COLOURS = {
    "fusion": "#009e73",
    "convolution": "#0072b2",
    "dot": "#0072b2",
    "copy": "#d55e00",
    "transpose": "#d55e00",
    "custom-call": "#cc79a7",
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
        y, colour = place[each["name"]], COLOURS.get(each["op"], "#999999")
        width = max(3, WIDEST * count / max(moved))
        drawn.append(
            f'<rect x="{LEFT}" y="{y}" width="{width:.0f}" height="{ROW - 8}" fill="{colour}"/>'
            + text(LEFT - 8, y + 13, each["name"], "end")
            + text(LEFT + width + 6, y + 13, f"{count / 1024:.1f} KiB")
        )
    return svg(ROW * len(busy) + 44, drawn, "what moves memory, and how much")


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
            yield (
                f'<path d="M {LEFT - 2} {top} C {LEFT - bend} {top} {LEFT - bend} {bottom} '
                f'{LEFT - 2} {bottom}" '
                'fill="none" stroke="currentColor" stroke-opacity="0.35"/>'
            )


def pictures(images):
    """Digits side by side, the brighter the darker."""
    drawn = [
        f'<rect x="{60 * n + 6 * x + 4:.0f}" y="{6 * y + 26}" width="6" height="6" '
        f'fill="currentColor" fill-opacity="{float(value):.2f}"/>'
        for n, image in enumerate(images[..., 0])
        for y, row in enumerate(image)
        for x, value in enumerate(row)
        if value > 0
    ]
    return svg(84, drawn, f"{len(images)} of the digits")


def text(x, y, words, anchor="start"):
    """Words in the page's own colour."""
    return (
        f'<text x="{x:.0f}" y="{y}" font-size="11" text-anchor="{anchor}" '
        f'fill="currentColor">{words}</text>'
    )


def svg(height, drawn, title):
    """The whole picture."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {height}" width="760" '
        f'font-family="sans-serif">{text(4, 14, title)}{"".join(drawn)}</svg>'
    )
