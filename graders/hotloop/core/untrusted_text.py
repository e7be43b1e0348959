"""Text that somebody else has written, for pages and terminals."""

import re

_MISLEADING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def readable(text: str) -> str:
    """Return the text without characters that cannot be written or mislead a reader."""
    # A name that is not UTF-8 contains surrogates, which cannot be encoded.
    encodable = text.encode("utf-8", "replace").decode("utf-8")
    return _MISLEADING.sub("\N{REPLACEMENT CHARACTER}", encodable)
