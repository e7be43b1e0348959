"""Draws detections over a picture, as SVG: no library for pictures is needed."""

import base64
import struct
import zlib
from html import escape

from shapes import CLASSES, COLOURS


def draw(panels, scale=3, names=CLASSES):
    """Pictures side by side. panels: (title, uint8 [height, width, 3] in RGB order, boxes).

    boxes: lists of left, top, right, bottom, score, class. names: of the classes, by number.
    """
    parts, left, tallest = [], 0, 0
    for title, picture, boxes in panels:
        height, width, _ = picture.shape
        parts.append(f'<g transform="translate({left} 16) scale({scale})">{_image(picture)}')
        parts += [_box(names, *box) for box in boxes]
        parts.append(f'</g><text x="{left}" y="12" font-size="12">{escape(title)}</text>')
        left += width * scale + 12
        tallest = max(tallest, height * scale + 20)
    size = f'width="{left}" height="{tallest}" viewBox="0 0 {left} {tallest}"'
    style = 'font-family="sans-serif" fill="currentColor"'
    return Drawing(f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>{"".join(parts)}</svg>')


class Drawing:
    """A notebook shows it."""

    def __init__(self, svg):
        self.svg = svg

    def _repr_svg_(self):
        return self.svg


def _box(names, left, top, right, bottom, score, which):
    name = names[int(which)]
    shade = COLOURS.get(name.split()[0], COLOURS["grey"])
    colour = "#" + "".join(f"{int(255 * part):02x}" for part in shade)
    place = f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}"'
    said = f"{escape(name)} {score:.2f}"
    return (
        f'<rect {place} fill="none" stroke="white" stroke-width="1.6"/>'
        f'<rect {place} fill="none" stroke="{colour}" stroke-width="0.9"/>'
        f'<text x="{left:.1f}" y="{max(top - 1, 4):.1f}" font-size="4.5" fill="white" '
        f'stroke="black" stroke-width="0.7" paint-order="stroke">{said}</text>'
    )


def _image(picture):
    height, width, _ = picture.shape
    data = base64.b64encode(_png(picture)).decode()
    return f'<image width="{width}" height="{height}" href="data:image/png;base64,{data}"/>'


def _png(picture):
    height, width, _ = picture.shape
    rows = b"".join(b"\0" + row.tobytes() for row in picture)

    def chunk(kind, data):
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
