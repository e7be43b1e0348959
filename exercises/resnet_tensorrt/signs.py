"""Drawn signs in ten classes, as a camera on a small robot might see them.

A sign is a shape in a color. Size, place, rotation, lighting, blur and noise differ from picture
to picture, and so does what is behind it. Four pairs of classes have the same shape, and colors
that change places when red and blue do: a network that gets blue for red tells them apart exactly
the wrong way. The octagons are green and magenta, which stay what they are.
"""

import numpy as np

SIDE = 64
SHAPES = ("disc", "triangle", "square", "diamond", "octagon")
COLORS = {
    "red": (0.80, 0.10, 0.12),
    "blue": (0.12, 0.10, 0.80),
    "yellow": (0.82, 0.74, 0.10),
    "cyan": (0.10, 0.74, 0.82),
    "green": (0.10, 0.60, 0.10),
    "magenta": (0.75, 0.12, 0.75),
}
CLASSES = (
    "red disc",
    "blue disc",
    "red triangle",
    "blue triangle",
    "red square",
    "blue square",
    "yellow diamond",
    "cyan diamond",
    "green octagon",
    "magenta octagon",
)

# Of ImageNet, in RGB order and for values from 0 to 1, as every torchvision network wants them.
MEAN = (0.485, 0.456, 0.406)
DEVIATION = (0.229, 0.224, 0.225)

_AT_ONCE = 256


def pictures(seed, count):
    """`count` signs: uint8 [count, 64, 64, 3] in RGB order, and int64 [count], the classes.

    The same seed gives the same signs. Each class is as likely as the others.
    """
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, len(CLASSES), count)
    drawn = np.empty((count, SIDE, SIDE, 3), np.uint8)
    for begin in range(0, count, _AT_ONCE):
        part = slice(begin, min(begin + _AT_ONCE, count))
        drawn[part] = _draw(labels[part], generator)
    return drawn, labels


def normalize(rgb):
    """uint8 [n, 64, 64, 3] in RGB order to float32 [n, 3, 64, 64], as the network wants it."""
    scaled = rgb.astype(np.float32) / np.float32(255)
    standard = (scaled - np.float32(MEAN)) / np.float32(DEVIATION)
    return np.ascontiguousarray(standard.transpose(0, 3, 1, 2))


def _between(generator, low, high, shape):
    return low + np.float32(high - low) * generator.random(shape, np.float32)


def _draw(labels, generator):
    count = len(labels)
    image = _background(count, generator)
    across, down, radius = _place(count, generator)
    inside = _distance(labels, across, down, radius)
    # A soft edge, one pixel wide, in place of several samples a pixel.
    rim = np.clip(0.5 - inside, 0, 1)[..., None]
    face = np.clip(0.5 - (inside + 0.18 * radius), 0, 1)[..., None]
    color = _colors(labels, generator)
    light = _between(generator, 0.75, 1.0, (count, 1, 1, 1))
    image = image * (1 - rim) + light * rim
    image = image * (1 - face) + color * face
    # A bar across the face: it says nothing about the class.
    bar = (abs(down) < 0.16 * radius) & (abs(across) < 0.5 * radius)
    bar = bar[..., None] & (generator.random((count, 1, 1, 1), np.float32) < 0.5)
    image = np.where(bar, light, image)
    return _photographed(image, generator)


def _background(count, generator):
    """Smooth blotches in any color."""
    coarse = _between(generator, 0.1, 0.9, (count, 5, 5, 3))
    place = np.linspace(0, 3.999, SIDE, dtype=np.float32)
    low, part = place.astype(int), place % 1
    rows = coarse[:, low] * (1 - part)[:, None, None] + coarse[:, low + 1] * part[:, None, None]
    part = part[:, None]
    return rows[:, :, low] * (1 - part) + rows[:, :, low + 1] * part


def _place(count, generator):
    """Coordinates in pixels from the sign's center, turned with it; and its radius in pixels."""
    radius = _between(generator, 7, 24, (count, 1, 1))
    center = _between(generator, -1, 1, (2, count, 1, 1)) * (SIDE / 2 - radius) + SIDE / 2
    turn = _between(generator, -0.4, 0.4, (count, 1, 1))
    rows, columns = np.mgrid[:SIDE, :SIDE].astype(np.float32) + np.float32(0.5)
    across, down = columns - center[0], rows - center[1]
    # Seen from the side: narrower.
    across = across / _between(generator, 0.75, 1.0, (count, 1, 1))
    return (
        across * np.cos(turn) + down * np.sin(turn),
        down * np.cos(turn) - across * np.sin(turn),
        radius,
    )


def _distance(labels, across, down, radius):
    """Pixels from the outline, negative within: of a disc, or of the polygon of the class."""
    shapes = np.array([SHAPES.index(CLASSES[label].split()[1]) for label in labels])
    found = np.hypot(across, down) - radius
    for index, (sides, begin) in enumerate(((3, 0.0), (4, 0.0), (4, 0.5), (8, 0.0)), start=1):
        mine = np.flatnonzero(shapes == index)
        if not len(mine):
            continue
        # The greatest of the distances from the lines that its sides lie on.
        angles = np.float32(2 * np.pi / sides * (np.arange(sides) + begin) + np.pi / 2)
        apothem = radius[mine] * np.float32(np.cos(np.pi / sides))
        edges = [across[mine] * np.cos(a) + down[mine] * np.sin(a) for a in angles]
        found[mine] = np.max(edges, axis=0) - apothem
    return found


def _colors(labels, generator):
    pure = np.array([COLORS[CLASSES[label].split()[0]] for label in labels], np.float32)
    faded = pure + np.float32(0.05) * generator.standard_normal(pure.shape, np.float32)
    grey = _between(generator, 0, 0.55, (len(labels), 1))
    mixed = faded * (1 - grey) + faded.mean(1, keepdims=True) * grey
    return np.clip(mixed, 0, 1)[:, None, None]


def _photographed(image, generator):
    count = len(image)
    for axis in (1, 2):
        image = _blurred(image, axis, _between(generator, 0, 1.6, (count, 1, 1, 1)))
    exposure = _between(generator, 0.35, 1.15, (count, 1, 1, 1))
    # Evening light and shade: one channel more, another less.
    tint = _between(generator, 0.8, 1.2, (count, 1, 1, 3))
    noise = _between(generator, 0.01, 0.08, (count, 1, 1, 1))
    image = image * exposure * tint + noise * generator.standard_normal(image.shape, np.float32)
    return (np.clip(image, 0, 1) * 255).round().astype(np.uint8)


def _blurred(image, axis, width):
    """Weighted means of five neighbors along an axis."""
    weights = [np.exp(-(step**2) / (2 * width**2 + 1e-3)) for step in (0, 1, 2)]
    total = weights[0] + 2 * weights[1] + 2 * weights[2]
    out = image * (weights[0] / total)
    for step in (1, 2):
        both = np.roll(image, step, axis) + np.roll(image, -step, axis)
        out = out + both * (weights[step] / total)
    return out
