"""Draws the threat model's four layers: sandbox, socket, judge, gradebook."""

from hotloop.site import drawing
from hotloop.site.drawing import WIDTH, Box, arrow, rectangle, text

PLACE = "<!-- boundaries -->"

_LEFT, _WIDE = 40.0, WIDTH - 80.0
_TOLD = (
    "The submission runs in a sandbox. A socket carries bytes and checked messages to the judge,"
    " which holds the clock, the inputs, the references and the tolerances. The judge writes a"
    " record, from which alone the gradebook takes points."
)


def figure() -> list[str]:
    """Return the figure's lines."""
    code = Box(_LEFT + 12, 36, _WIDE - 24, ("submitted code, untrusted",), "note")
    judge = Box(_LEFT, 126, _WIDE, ("Judge: clock, secret inputs,", "references, tolerances"))
    book = Box(_LEFT, 216, _WIDE, ("Gradebook, feedback, report",))
    parts = [
        rectangle(_LEFT, 8, _WIDE, 68, "box"),
        text(_LEFT + 8, 25, "Sandbox"),
        *code.drawn(),
        arrow(WIDTH / 2, 76, *judge.top),
        text(WIDTH / 2 + 10, 105, "Socket: bytes, messages", css="quiet"),
        *judge.drawn(),
        arrow(*judge.bottom, *book.top),
        text(WIDTH / 2 + 10, 195, "record of the judge", css="quiet"),
        *book.drawn(),
    ]
    for number, y in enumerate((25.0, 105.0, 143.0, 233.0), start=1):
        parts.append(text(16, y, str(number), css="quiet"))
    picture = drawing.drawing(book.y + book.height + 8, parts, "Four layers", _TOLD)
    return drawing.figure(picture, "Only the record of the judge becomes points.")
