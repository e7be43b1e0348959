"""Drawn scenes: colored shapes in six classes on blotchy backgrounds, with their boxes.

Two pairs of classes have one shape, and colors that change places when red and blue do. What is
grey, or has a color that its shape has in no class, is no object.
"""

import numpy as np

COLORS = {
    "red": (0.80, 0.10, 0.12),
    "blue": (0.12, 0.10, 0.80),
    "yellow": (0.82, 0.74, 0.10),
    "cyan": (0.10, 0.74, 0.82),
    "green": (0.10, 0.60, 0.10),
    "magenta": (0.75, 0.12, 0.75),
    "grey": (0.5, 0.5, 0.5),
}
CORNERS = {"disc": 24, "triangle": 3, "square": 4}
CLASSES = (
    "red disc",
    "blue disc",
    "yellow triangle",
    "cyan triangle",
    "green square",
    "magenta square",
)
DECOYS = ("grey disc", "grey triangle", "grey square", "green disc", "magenta triangle")

PADDING = 114
"""Grey, as everywhere in YOLOv5: what is beside the picture in a square one."""

MOST_OBJECTS = 5


def scenes(seed, count):
    """Frames as a camera gives them, in sizes of their own, with what is in them.

    A list of (frame, boxes, classes): uint8 [height, width, 3] in RGB order, float64 [n, 4] as
    left, top, right, bottom in pixels, and int64 [n]. The same seed gives the same scenes.
    """
    generator = np.random.default_rng(seed)
    return [_scene(generator, *_size(generator, 160, 320)) for _ in range(count)]


def squares(seed, count, side):
    """Scenes that were drawn at the network's size: what a perfect letterbox would give.

    uint8 [count, side, side, 3] in RGB order, and lists of boxes and classes. Beside a picture
    that is not square there is PADDING, as much left as right, as much above as below.
    """
    generator = np.random.default_rng(seed)
    pictures = np.full((count, side, side, 3), PADDING, np.uint8)
    boxes, classes = [], []
    for picture in pictures:
        height, width = _size(generator, side, side)
        frame, found, what = _scene(generator, height, width)
        top, left = (side - height) // 2, (side - width) // 2
        picture[top : top + height, left : left + width] = frame
        boxes.append(found + np.array((left, top, left, top)))
        classes.append(what)
    return pictures, boxes, classes


def _size(generator, low, high):
    """Height and width: the longer side between low and high, the other one at least 0.6 of it."""
    longer = int(generator.integers(low, high + 1))
    other = round(longer * generator.uniform(0.6, 1.0))
    return (longer, other) if generator.random() < 0.4 else (other, longer)


def _scene(generator, height, width):
    image = _background(generator, height, width)
    unit = max(height, width)
    placed, boxes, classes = [], [], []
    for _ in range(int(generator.integers(1, MOST_OBJECTS + 1))):
        decoy = generator.random() < 0.2
        name = str(generator.choice(DECOYS if decoy else CLASSES))
        polygon = _polygon(generator, name, height, width, unit)
        box = np.array([*polygon.min(0), *polygon.max(0)])
        if any(_overlap(box, other) > 0.25 for other in placed):
            continue
        _paint(image, polygon, _color(generator, name), generator)
        placed.append(box)
        if not decoy:
            boxes.append(box)
            classes.append(CLASSES.index(name))
    frame = _photographed(generator, image)
    return frame, np.array(boxes, np.float64).reshape(-1, 4), np.array(classes, np.int64)


def _background(generator, height, width):
    """Smooth blotches in any color."""
    coarse = generator.uniform(0.1, 0.9, (6, 6, 3)).astype(np.float32)
    rows, columns = (np.linspace(0, 4.999, size, dtype=np.float32) for size in (height, width))
    low, part = rows.astype(int), (rows % 1)[:, None, None]
    tall = coarse[low] * (1 - part) + coarse[low + 1] * part
    low, part = columns.astype(int), (columns % 1)[:, None]
    return tall[:, low] * (1 - part) + tall[:, low + 1] * part


def _polygon(generator, name, height, width, unit):
    """Corners (x, y) of a shape that is turned and stretched a little, and lies in the picture."""
    corners = CORNERS[name.split()[1]]
    begin = -np.pi / 2 if corners == 3 else np.pi / 4
    angles = begin + 2 * np.pi * np.arange(corners) / corners
    radius = unit * generator.uniform(0.055, 0.2)
    stretch = np.exp(generator.uniform(-0.22, 0.22))
    points = np.stack([np.cos(angles) * stretch, np.sin(angles) / stretch], 1) * radius
    turn = generator.uniform(-0.3, 0.3)
    points = points @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    low, high = points.min(0), points.max(0)
    room = np.maximum(np.array([width, height]) - (high - low), 0)
    return points - low + generator.random(2) * room


def _overlap(a, b):
    """Of the smaller box, the share that the other one covers."""
    sides = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])
    smaller = min(np.prod(a[2:] - a[:2]), np.prod(b[2:] - b[:2]))
    return float(np.prod(np.maximum(sides, 0)) / smaller)


def _paint(image, polygon, color, generator):
    """With a soft edge, one pixel wide, and sometimes a light bar across."""
    left, top = np.maximum(np.floor(polygon.min(0)).astype(int) - 1, 0)
    right, bottom = np.ceil(polygon.max(0)).astype(int) + 1
    part = image[top:bottom, left:right]
    rows, columns = np.mgrid[top : top + part.shape[0], left : left + part.shape[1]] + 0.5
    following = np.roll(polygon, -1, 0)
    distance = np.full(rows.shape, -np.inf)
    for (x, y), (u, v) in zip(polygon, following, strict=True):
        length = np.hypot(u - x, v - y)
        outside = ((columns - x) * (v - y) - (rows - y) * (u - x)) / length
        distance = np.maximum(distance, outside)
    cover = np.clip(0.5 - distance, 0, 1)[..., None]
    shade = np.broadcast_to(np.asarray(color, np.float32), part.shape)
    if generator.random() < 0.4:
        middle, size = polygon.mean(0), np.ptp(polygon[:, 1])
        bar = abs(rows - middle[1]) < 0.1 * size
        shade = np.where(bar[..., None], np.float32(0.85), shade)
    part[...] = part * (1 - cover) + shade * cover


def _color(generator, name):
    pure = np.array(COLORS[name.split()[0]]) + 0.05 * generator.standard_normal(3)
    grey = generator.uniform(0, 0.5)
    return np.clip(pure * (1 - grey) + pure.mean() * grey, 0, 1)


def _photographed(generator, image):
    exposure = generator.uniform(0.4, 1.15)
    tint = generator.uniform(0.85, 1.15, 3)
    noise = generator.uniform(0.01, 0.06) * generator.standard_normal(image.shape, np.float32)
    return (np.clip(image * exposure * tint + noise, 0, 1) * 255).round().astype(np.uint8)
