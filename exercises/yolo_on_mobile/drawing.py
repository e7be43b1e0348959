"""Draws detections over a picture, as SVG: no library for pictures is needed."""

import base64
import struct
import zlib

from shapes import CLASSES, COLORS

from hotloop.core import svg


def draw(panels, scale=3, names=CLASSES):
    """Pictures side by side. panels: (title, uint8 [height, width, 3] in RGB order, boxes).

    boxes: lists of left, top, right, bottom, score, class. names: of the classes, by number.
    """
    parts, left, tallest = [], 0, 0
    for title, picture, boxes in panels:
        height, width, _ = picture.shape
        drawn = [_image(picture), *(_box(names, *box) for box in boxes)]
        place = f"translate({left} 16) scale({scale})"
        parts.append(svg.element("g", *drawn, transform=place))
        parts.append(svg.text(left, 12, title))
        left += width * scale + 12
        tallest = max(tallest, height * scale + 20)
    told = "; ".join(f"{title}: {len(boxes)} boxes" for title, _, boxes in panels)
    size = {"width": left, "height": tallest}
    return Drawing(svg.picture(left, tallest, parts, "Detections", told, **size))


class Drawing:
    """A notebook shows it."""

    def __init__(self, svg):
        self.svg = svg

    def _repr_svg_(self):
        return self.svg


def _box(names, left, top, right, bottom, score, which):
    name = names[int(which)]
    shade = COLORS.get(name.split()[0], COLORS["grey"])
    color = "#" + "".join(f"{int(255 * part):02x}" for part in shade)
    place = (left, top, right - left, bottom - top)
    outlined = {"fill": "white", "stroke": "black", "stroke_width": 0.7, "paint_order": "stroke"}
    return (
        svg.rect(*place, fill="none", stroke="white", stroke_width=1.6)
        + svg.rect(*place, fill="none", stroke=color, stroke_width=0.9)
        + svg.text(left, max(top - 1, 4), f"{name} {score:.2f}", font_size=4.5, **outlined)
    )


def _image(picture):
    height, width, _ = picture.shape
    data = base64.b64encode(_png(picture)).decode()
    source = f"data:image/png;base64,{data}"
    return svg.element("image", width=width, height=height, href=source)


def _png(picture):
    height, width, _ = picture.shape
    rows = b"".join(b"\0" + row.tobytes() for row in picture)

    def chunk(kind, data):
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
