"""Pictures of noisy stripes: their direction is the class."""

import numpy as np

SIDE, CLASSES = 16, 4
NOISE = 1.2


def drawn(seed, count, noise=NOISE):
    """float32 [count, 3, 16, 16] and int64 [count]: 0 upright, 1 and 3 slanting, 2 lying."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, CLASSES, count)
    angle = labels * np.pi / CLASSES + rng.normal(0, 0.1, count)
    length, phase = rng.uniform(3, 6, count), rng.uniform(0, 2 * np.pi, count)
    y, x = np.mgrid[:SIDE, :SIDE]
    along = np.multiply.outer(np.cos(angle), x) + np.multiply.outer(np.sin(angle), y)
    waves = np.sin(2 * np.pi * along / length[:, None, None] + phase[:, None, None])
    colours = rng.normal(0, 1, (count, 3, 1, 1))
    colours *= 1.2 / np.linalg.norm(colours, axis=1, keepdims=True)
    images = colours * waves[:, None] + rng.normal(0, noise, (count, 3, SIDE, SIDE))
    return images.astype("float32"), labels


def as_pictures(images, titles, scale=6):
    """In SVG, side by side, each with a line above it."""
    parts, wide = [], SIDE * scale
    for number, (image, title) in enumerate(zip(images, titles, strict=True)):
        left = number * (wide + 12)
        parts.append(f'<text x="{left}" y="14">{title}</text>')
        colours = np.clip(128 + 40 * image, 0, 255).astype(int)
        for y, x in np.ndindex(SIDE, SIDE):
            place = f'x="{left + x * scale}" y="{20 + y * scale}"'
            fill = ",".join(map(str, colours[:, y, x]))
            parts.append(f'<rect {place} width="{scale}" height="{scale}" fill="rgb({fill})"/>')
    return as_svg(parts, len(images) * (wide + 12), 24 + wide)


def as_bars(rows):
    """In SVG: of each (title, bytes, share of right answers) a bar as long as its bytes."""
    parts, most = [], max(count for _, count, _ in rows)
    for number, (title, count, right) in enumerate(rows):
        y, wide = 6 + 30 * number, 400 * count / most
        parts.append(f'<text x="0" y="{y + 15}">{title}</text>')
        parts.append(f'<rect x="80" y="{y}" width="{wide:.0f}" height="22" fill="#2a6fbb"/>')
        said = f"{count:,} bytes, {right:.1%} right"
        parts.append(f'<text x="{88 + wide:.0f}" y="{y + 15}">{said}</text>')
    return as_svg(parts, 720, 12 + 30 * len(rows))


def as_svg(parts, width, height):
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
    font = 'font-family="monospace" font-size="12">'
    ground = '<rect width="100%" height="100%" fill="white"/>'
    return f"{head}{font}{ground}{''.join(parts)}</svg>"
