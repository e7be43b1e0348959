"""Text that somebody else has written, for pages and terminals."""

import re

_HIDDEN = (
    # Control characters but for tabs and line ends, and the soft hyphen.
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad"
    # Changes of text direction. Joiners (200c, 200d) stay: Persian and emoji are written with them.
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    # Spaces of no width, line ends that editors do not show, fillers, tags.
    "\u115f\u1160\u180e\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0001-\U000e007f"
)
# A form's lines and a file's from Windows end in both characters.
_MISLEADING = re.compile(f"[{_HIDDEN}]|\\r(?!\\n)")


def readable(text: str) -> str:
    """Return the text with a visible mark, such as ⟦U+202E⟧, for each character that hides."""
    # A name that is not UTF-8 contains surrogates, which cannot be encoded.
    encodable = text.encode("utf-8", "replace").decode("utf-8")
    return _MISLEADING.sub(lambda found: f"⟦U+{ord(found[0]):04X}⟧", encodable)


def hidden(text: str) -> list[str]:
    """Return the characters of `text` for which `readable` writes marks, each once."""
    return sorted(set(_MISLEADING.findall(text)))
