"""The module's WordPiece, written out in Python: the same ids, far more slowly.

A piece is looked for by going through all of them from the beginning, each time.
"""

import json
import unicodedata

LENGTH = 32
PAD, UNKNOWN, FIRST, LAST = "[PAD]", "[UNK]", "[CLS]", "[SEP]"
LONGEST_WORD = 100


class Pieces:
    """The vocabulary, in the order of the ids."""

    def __init__(self, file):
        vocabulary = json.loads(file.read_text(encoding="utf-8"))["model"]["vocab"]
        self.pieces = sorted(vocabulary, key=vocabulary.get)

    def encode(self, text):
        """Ids and mask of one text."""
        found = [piece for word in words(text) for piece in self.cut(word)]
        marked = [FIRST, *found[: LENGTH - 2], LAST]
        padding = [PAD] * (LENGTH - len(marked))
        ids = [self.place(piece) for piece in marked + padding]
        return ids, [1] * len(marked) + [0] * len(padding)

    def place(self, piece):
        """The id of a piece; None when there is none."""
        for number, known in enumerate(self.pieces):
            if known == piece:
                return number
        return None

    def cut(self, word):
        """The longest piece first, and again with what is left."""
        if len(word) > LONGEST_WORD:
            return [UNKNOWN]
        found = []
        start = 0
        while start < len(word):
            candidates = (
                ("##" if start else "") + word[start:end] for end in range(len(word), start, -1)
            )
            piece = next((c for c in candidates if self.place(c) is not None), None)
            if piece is None:
                return [UNKNOWN]
            found.append(piece)
            start += len(piece.removeprefix("##") if start else piece)
        return found


def words(text):
    """In small letters and without accents; punctuation stands alone."""
    plain = unicodedata.normalize("NFD", text)
    plain = "".join(c for c in plain if unicodedata.category(c) != "Mn").lower()
    spaced = "".join(f" {c} " if punctuation(c) else c for c in plain)
    return spaced.split()


def punctuation(character):
    """True for what BERT counts as such: all signs of ASCII, and Unicode's."""
    ascii_sign = character.isascii() and character.isprintable() and not character.isalnum()
    return (ascii_sign and character != " ") or unicodedata.category(character).startswith("P")
