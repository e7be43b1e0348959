"""Chromium, with marks over its page, and the picture of it as a small PNG file."""

from __future__ import annotations

import base64
import io
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from catalog import Element, Picture
from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels of the window."""

DRIVER = "/usr/bin/chromedriver"
SCALE = 1.5
"""Pixels of the file for one of the page, so that letters are sharp on a phone."""

COLORS = 96
"""A drawing needs no more, and its file is a third as large."""

ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--hide-scrollbars",
    # Viewers report what they are used for; from here they reach nobody.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
)

FIND = """
const [css, text, nth] = arguments;
const all = [...document.querySelectorAll(css)];
const own = (e) => (e.querySelector('text') ?? e).textContent.trim();
const boxes = all.filter((e) => !text || own(e) === text).map((e) => e.getBoundingClientRect())
  .filter((b) => b.top >= 0 && b.left >= 0 && b.bottom <= innerHeight && b.right <= innerWidth)
  .sort((a, b) => a.top - b.top || a.left - b.left);
const box = boxes[nth];
return box ? [box.left, box.top, box.right, box.bottom] : null;
"""

DRAW = """
const name = 'http://www.w3.org/2000/svg';
const add = (parent, kind, attributes, words) => {
  const element = document.createElementNS(name, kind);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (words) element.textContent = words;
  parent.append(element);
  return element;
};
const width = innerWidth, height = innerHeight;
const over = add(document.documentElement, 'svg', {width, height});
Object.assign(over.style, {position: 'fixed', left: 0, top: 0, zIndex: 2147483647,
                           pointerEvents: 'none'});
const [marks, first] = arguments;
marks.forEach(([boxes, side], index) => {
  for (const [left, top, right, bottom] of boxes) {
    const box = {x: left - 3, y: top - 3, width: right - left + 6, height: bottom - top + 6,
                 rx: 4, fill: 'none'};
    add(over, 'rect', {...box, stroke: 'white', 'stroke-width': 5});
    add(over, 'rect', {...box, stroke: '#d4006a', 'stroke-width': 2.5});
  }
  const [left, top, right, bottom] = boxes[0];
  const places = {left: [left - 15, (top + bottom) / 2], right: [right + 15, (top + bottom) / 2],
                  top: [(left + right) / 2, top - 15], bottom: [(left + right) / 2, bottom + 15]};
  const [x, y] = places[side];
  const cx = Math.min(Math.max(x, 13), width - 13), cy = Math.min(Math.max(y, 13), height - 13);
  add(over, 'circle', {cx, cy, r: 11, fill: '#d4006a', stroke: 'white', 'stroke-width': 2});
  add(over, 'text', {x: cx, y: cy + 5.2, fill: 'white', 'text-anchor': 'middle',
                     'font-family': 'sans-serif', 'font-size': 15, 'font-weight': 700},
      String(index + first));
});
"""


@contextmanager
def chromium(size: tuple[int, int]) -> Generator[webdriver.Chrome]:
    """Open a window of that size."""
    options = webdriver.ChromeOptions()
    for argument in ARGUMENTS:
        options.add_argument(argument)
    with webdriver.Chrome(options, Service(DRIVER)) as page:
        resize(page, size)
        yield page


def resize(page: webdriver.Chrome, size: tuple[int, int]) -> None:
    """Give the page exactly that size, in which headless windows lack the height of a frame."""
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": size[0], "height": size[1], "deviceScaleFactor": SCALE, "mobile": False},
    )


def box_of(page: webdriver.Chrome, place: Element) -> Box:
    """Return where an element is. Raises LookupError if there is none."""
    box = page.execute_script(FIND, place.css, place.text, place.nth)
    if box is None:
        raise LookupError(f"the page has no {place}")
    left, top, right, bottom = map(float, box)
    return left, top, right, bottom


def take(
    page: webdriver.Chrome,
    picture: Picture,
    marks: Sequence[tuple[Sequence[Box], str]],
    crop: Box | None = None,
) -> None:
    """Draw the marks, take the picture, or the part of it, and write the file."""
    away = {"type": "mouseMoved", "x": 1, "y": 1}  # what lies below a pointer looks selected
    page.execute_cdp_cmd("Input.dispatchMouseEvent", away)
    page.execute_script(DRAW, marks, picture.first)
    shot = page.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    image = Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")
    if crop:
        left, top, right, bottom = (edge * SCALE for edge in crop)
        image = image.crop((round(left), round(top), round(right), round(bottom)))
    picture.target.parent.mkdir(parents=True, exist_ok=True)
    image.quantize(COLORS, dither=Image.Dither.NONE).save(picture.target, optimize=True)
